//! The arguments of the commands that take a specification, and those that these share with the
//! commands on a model file.

use std::path::PathBuf;

use clap::ValueEnum;
use lozenge::{Accumulation, diagnostic::Code};

/// A specification and the shapes of its operands.
#[derive(clap::Args)]
pub(crate) struct Einsum {
    /// What is read from each operand and where the result is written, such as 'ij; jk => ik'
    pub(crate) spec: String,
    /// The shapes of the operands, in order; `_` where it is not known; none for none known
    pub(crate) shapes: Vec<String>,
    #[command(flatten)]
    pub(crate) how: How,
}

#[derive(clap::Args)]
pub(crate) struct Why {
    /// What is read from each operand and where the result is written; or a model file
    pub(crate) spec: String,
    /// The shapes of the operands, and last the axis: `result.1`, `operand2.k`, `result.input.0`;
    /// of a model `value.axis`
    #[arg(required = true)]
    pub(crate) shapes: Vec<String>,
    #[command(flatten)]
    pub(crate) how: How,
    #[command(flatten)]
    pub(crate) given: Given,
}

#[derive(clap::Args)]
pub(crate) struct LoopNest {
    /// What is read from each operand and where the result is written, such as 'ij; jk => ik'; or a
    /// model file
    pub(crate) spec: String,
    /// The shapes of the operands, in order, or the node of the model; `_` where it is not known;
    /// an axis of unknown size is as long as its name says, in capitals
    pub(crate) shapes: Vec<String>,
    #[command(flatten)]
    pub(crate) how: How,
    #[command(flatten)]
    pub(crate) given: Given,
    /// How elements of one cell are accumulated
    #[arg(long, value_enum, default_value_t = By::Add)]
    pub(crate) by: By,
    /// Shows the loops of the gradient towards an operand, such as `operand1`
    #[arg(long, value_name = "OPERAND")]
    pub(crate) towards: Option<String>,
    /// Draws the axes of the tensors and which loops drive them
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// What elements are, for counting bytes
    #[arg(long, value_enum, default_value_t = Element::F32)]
    pub(crate) element: Element,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Add,
    Multiply,
    Max,
    Min,
}

impl By {
    pub(crate) fn accumulation(self) -> Accumulation {
        match self {
            By::Add => Accumulation::Add,
            By::Multiply => Accumulation::Multiply,
            By::Max => Accumulation::Max,
            By::Min => Accumulation::Min,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Element {
    F16,
    F32,
    F64,
}

impl Element {
    pub(crate) fn bytes(self) -> u128 {
        match self {
            Element::F16 => 2,
            Element::F32 => 4,
            Element::F64 => 8,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Element::F16 => "f16",
            Element::F32 => "f32",
            Element::F64 => "f64",
        }
    }
}

#[derive(Clone, clap::Args)]
pub(crate) struct How {
    /// A number for a name of the specification: a size, a stride, the range of an index
    #[arg(long = "set", value_name = "NAME=NUMBER", value_parser = setting)]
    pub(crate) sets: Vec<(String, u64)>,
    /// What holds of named sizes: `8 divides seq`, `total = past+seq`, `n >= m`
    #[arg(long = "declare", value_name = "RELATION")]
    pub(crate) declared: Vec<String>,
    /// The specification is in the notation of NumPy or einops
    #[arg(long)]
    pub(crate) numpy: bool,
    /// A warning or note to leave out, by its code
    #[arg(long = "allow", value_name = "CODE", value_parser = allowed)]
    pub(crate) allow: Vec<Code>,
    /// How answers and messages look
    #[arg(long, value_enum, default_value_t = Format::Full)]
    pub(crate) format: Format,
}

/// What is said of a model besides its file.
#[derive(Clone, Default, clap::Args)]
pub(crate) struct Given {
    /// An axis of a model's input whose number is forgotten: it gets a name
    #[arg(long = "free", value_name = "INPUT.AXIS", value_parser = axis)]
    pub(crate) free: Vec<(String, usize)>,
    /// What a model's operators do that are not ONNX's: a file with rules such as
    /// `com.acme::Gate: ..x.. => ..x..`
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
}

/// The forms of answers about specifications.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Full,
    /// A line each
    Concise,
    /// For programs
    Json,
}

pub(crate) fn setting(text: &str) -> Result<(String, u64), String> {
    let (name, number) = text.split_once('=').ok_or("it is written `name=number`, as in `h=8`")?;
    let number = number.trim();
    let parsed = number.parse().map_err(|_| format!("`{number}` is not a number"))?;
    Ok((name.trim().to_owned(), parsed))
}

fn allowed(text: &str) -> Result<Code, String> {
    let code = Code::find(text)
        .ok_or("there is no such code, `lozenge explain` lists all of them".to_owned())?;
    let is_error = format!("`{code}` is an error, and only warnings and notes can be left out");
    if code.can_be_allowed() { Ok(code) } else { Err(is_error) }
}

/// An axis as it is written: `images.0`.
pub(crate) fn axis(text: &str) -> Result<(String, usize), String> {
    let usage = "it is written `input.axis`, as in `images.0`";
    let (name, axis) = text.rsplit_once('.').ok_or(usage)?;
    Ok((name.to_owned(), axis.parse().map_err(|_| usage)?))
}
