//! A loop nest for programs, as `lozenge-loops/1`.

use lozenge::Size;
use lozenge_lower::Amount;
use serde::Serialize;

/// A loop nest, for programs.
#[derive(Serialize)]
pub(super) struct Record {
    pub(super) schema: &'static str,
    /// In Lozenge's notation.
    pub(super) spec: String,
    /// The factors, outermost first; several loops of one factor run one after another.
    pub(super) product_space: Vec<Vec<LoopRecord>>,
    /// What is written.
    pub(super) result: Option<TensorRecord>,
    /// What is read.
    pub(super) operands: Vec<TensorRecord>,
    /// Of the result's index map; null where it is not known.
    pub(super) injective: Option<bool>,
    pub(super) onto: Option<bool>,
    pub(super) initialise: bool,
    pub(super) write: &'static str,
    pub(super) multiply_adds: AmountRecord,
    pub(super) bytes_read: AmountRecord,
    pub(super) bytes_written: AmountRecord,
    pub(super) element: &'static str,
    pub(super) code: String,
    /// Of a gradient, the nests of what it needs beside what is there, which run before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) before: Vec<Record>,
    /// What was taken where nothing determines it.
    pub(super) notes: Vec<String>,
    /// What was said of the specification, and of the shapes, as `lozenge-diagnostics/2`.
    pub(super) warnings: serde_json::Value,
    pub(super) diagnostics: serde_json::Value,
}

/// A number where it is exactly that, and otherwise what is known, as text.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum AmountRecord {
    Number(u64),
    Text(String),
}

impl From<Amount> for AmountRecord {
    fn from(amount: Amount) -> AmountRecord {
        let number = amount.exactly().and_then(|number| u64::try_from(number).ok());
        number.map_or_else(|| AmountRecord::Text(amount.to_string()), AmountRecord::Number)
    }
}

/// A number, or the name of a size that stays symbolic.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum SizeRecord {
    Number(u64),
    Name(String),
}

impl From<Size> for SizeRecord {
    fn from(size: Size) -> SizeRecord {
        match size {
            Size::Number(count) => SizeRecord::Number(count),
            size => SizeRecord::Name(size.to_string()),
        }
    }
}

#[derive(Serialize)]
pub(super) struct LoopRecord {
    pub(super) name: String,
    pub(super) extent: SizeRecord,
    pub(super) reduction: bool,
}

#[derive(Serialize)]
pub(super) struct TensorRecord {
    pub(super) name: String,
    pub(super) shape: String,
    /// In the order of the shape: batch, input, output.
    pub(super) axes: Vec<AxisRecord>,
}

#[derive(Serialize)]
pub(super) struct AxisRecord {
    pub(super) kind: &'static str,
    pub(super) size: SizeRecord,
    /// The index as in the code.
    pub(super) code: String,
    pub(super) index: IndexRecord,
    /// How far the index reaches beyond the axis on both sides; such points are skipped.
    pub(super) margin: Option<[u64; 2]>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum IndexRecord {
    /// Multiples of loops and of supplied indices, and a number.
    Sum { terms: Vec<TermRecord>, offset: i128 },
    /// The one loop of these that runs, behind where its part begins.
    Parts(Vec<PartRecord>),
    /// The number whose digits are these loops, the slowest first.
    Merged(Vec<DigitRecord>),
    /// The loop's value divided by a number, without its fraction, and what is left of that divided
    /// by another.
    Digit {
        #[serde(rename = "loop")]
        of: String,
        divisor: u64,
        modulus: Option<u64>,
    },
}

#[derive(Serialize)]
pub(super) struct TermRecord {
    pub(super) coefficient: i64,
    #[serde(flatten)]
    pub(super) of: TermName,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TermName {
    Loop(String),
    /// An index that is supplied when the program runs.
    Supplied(String),
    /// An open size.
    Size(String),
}

#[derive(Serialize)]
pub(super) struct PartRecord {
    #[serde(rename = "loop")]
    pub(super) runs: String,
    pub(super) begin: u64,
    /// The open sizes that it begins after, beside that number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) after: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct DigitRecord {
    #[serde(rename = "loop")]
    pub(super) runs: String,
    pub(super) size: SizeRecord,
}
