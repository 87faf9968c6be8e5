//! `lozenge loops`: the loop nest of an einsum.

mod picture;

use std::{fmt::Write as _, fs, process::ExitCode};

use lozenge::{
    Expression, Kind, Size,
    project::{AxisMap, Coverage, Digit, Index, LoopId, Margin, Offset, Slot, Term, Write},
    query::{Inferred, Looped, NoLoops},
};
use lozenge_lower::{Amount, Block, Nest};
use lozenge_onnx::infer::answer::Does;
use serde::Serialize;

use crate::{
    args::{Format, LoopNest},
    einsum, output, undetermined,
};

pub(crate) fn run(args: &LoopNest, does: Option<&Does>) -> ExitCode {
    let looped = einsum::query(&args.spec, &args.shapes, &args.how).loops();
    let looped = looped.map_err(|no_loops| match no_loops {
        NoLoops::Refused(report) => report,
        NoLoops::Undetermined(undetermined) => undetermined::no_loops(&undetermined),
    });
    let Looped { inferred, assignment, assumed, .. } = match looped {
        Ok(looped) => looped,
        Err(report) => {
            output::refuse(&report, args.how.format);
            return ExitCode::FAILURE;
        }
    };
    let (loops, remarks) = (Nest::new(assignment), undetermined::assumed(&inferred, &assumed));
    einsum::warn(&inferred, args.how.format);
    let (bytes, element) = (args.element.bytes(), args.element.name());
    let nest = Described { nest: &loops, bytes, element, does };
    if let Some(file) = &args.svg {
        if file.as_os_str() == "-" {
            output::answer(picture::svg(&loops).trim_end());
            return ExitCode::SUCCESS;
        }
        if let Err(error) = fs::write(file, picture::svg(&loops)) {
            output::message(&format!("{} cannot be written: {error}", file.display()));
            return ExitCode::from(2);
        }
    }
    match args.how.format {
        Format::Full => output::answer(&nest.full()),
        Format::Concise => output::answer(&nest.line()),
        Format::Json => output::answer(&nest.json(&inferred, &remarks)),
    }
    output::remark(&remarks, args.how.format);
    ExitCode::SUCCESS
}

/// A loop nest, and how large an element is.
struct Described<'a> {
    nest: &'a Nest,
    bytes: u128,
    element: &'static str,
    /// What a node of a model does at each point; none of a specification.
    does: Option<&'a Does>,
}

impl Described<'_> {
    fn full(&self) -> String {
        let (nest, loops) = (self.nest, self.nest.assignment());
        let record = loops.record();
        let mut text = self.statement(format!("{nest}\n"));
        let slots: Vec<Slot> = record.operands().chain([Slot::RESULT]).collect();
        let name = |slot: Slot| loops.display_name(slot).to_owned();
        let shape = |slot: Slot| loops.shape(slot).to_string();
        let widest = |of: &dyn Fn(Slot) -> String| {
            slots.iter().map(|slot| of(*slot).len()).fold(0, usize::max)
        };
        let (names, shapes) = (widest(&name), widest(&shape));
        for slot in &slots {
            let remarks = self.remarks(*slot);
            let remarks = if remarks.is_empty() { remarks } else { format!("  {remarks}") };
            let access = nest.access(*slot);
            let index = access.split_once('[').map_or("", |(_, index)| index);
            let _ = writeln!(
                text,
                "{:<names$}  {:<shapes$}  [{index}{remarks}",
                name(*slot),
                shape(*slot)
            );
        }
        let traffic = nest.traffic();
        let amount = |elements: &Amount| {
            let noun = if elements.at_most() == Some(1) { "element" } else { "elements" };
            let bytes = elements.clone().times(self.bytes).at_most();
            let bytes = bytes.filter(|_| elements.is_exact());
            let bytes = bytes.map_or_else(String::new, |n| format!(" ({} bytes)", Amount::from(n)));
            format!("{elements} {noun}{bytes}")
        };
        let _ = write!(
            text,
            "\n{} {}; reads {}, writes {}, as {}",
            traffic.points,
            self.work(traffic.points.at_most() == Some(1)),
            amount(&traffic.all_read()),
            amount(&traffic.written),
            self.element
        );
        text
    }

    /// The nest with what a node of a model does in the place of products.
    fn statement(&self, nest: String) -> String {
        match self.does {
            None | Some(Does::Product) => nest,
            Some(Does::Gathers { sign, from }) => nest
                .replace("result = 0\n", &format!("result = {from}\n"))
                .replace(" += ", &format!(" {sign} ")),
            Some(Does::Each(op)) => {
                let lines = nest.lines().map(|line| match line.split_once("] = ") {
                    Some((written, read)) => {
                        format!("{written}] = {op}({})\n", read.replace(" * ", ", "))
                    }
                    None => format!("{line}\n"),
                });
                lines.collect()
            }
        }
    }

    /// Whether at each point one operand is read and copied.
    fn is_copied(&self) -> bool {
        let is_read = |block: &Block| {
            block.stores.iter().all(|store| matches!(store.value, Expression::Read(_)))
        };
        // Either all operands take part everywhere or one does, so that few choices tell.
        self.nest.blocks().take(64).all(|block| is_read(&block))
    }

    /// The noun for the work at each point.
    fn work(&self, once: bool) -> &'static str {
        if self.does.is_some_and(|does| *does != Does::Product) {
            return if once { "point" } else { "points" };
        }
        match (self.is_copied(), self.nest.decision().write, once) {
            (true, Write::Store, true) => "copy",
            (true, Write::Store, false) => "copies",
            (true, Write::Accumulate, true) => "addition",
            (true, Write::Accumulate, false) => "additions",
            (false, Write::Store, true) => "multiplication",
            (false, Write::Store, false) => "multiplications",
            (false, Write::Accumulate, true) => "multiply-add",
            (false, Write::Accumulate, false) => "multiply-adds",
        }
    }

    /// The loops that the result does not mention.
    fn summed(&self) -> Vec<&str> {
        let loops = self.nest.assignment();
        loops.record().reductions().map(|id| loops.name(id)).collect()
    }

    fn remarks(&self, slot: Slot) -> String {
        let record = self.nest.assignment().record();
        let mut remarks = vec![];
        if slot == Slot::RESULT {
            let summed = self.summed();
            if !summed.is_empty() {
                remarks.push(format!("without {}: summed", summed.join(", ")));
            }
            let Coverage { injective, onto, .. } = self.nest.coverage();
            if injective == Some(true) && onto == Some(true) {
                remarks.push("each cell is written once".to_owned());
            } else if injective.is_none() && summed.is_empty() {
                remarks.push("it is not known whether a cell is written twice".to_owned());
            } else if onto.is_none() {
                remarks.push("it is not known whether every cell is written".to_owned());
            }
            if injective == Some(false) && summed.is_empty() {
                remarks.push("some cells are written again and again".to_owned());
            }
            if onto == Some(false) {
                remarks.push("some cells are never written, and stay 0".to_owned());
            }
        }
        let outside = record.map(slot).iter().filter_map(|axis| {
            let Margin { left, right } = axis.margin?;
            Some(format!("{} by {left},{right}", self.nest.index(&axis.index)))
        });
        let outside: Vec<String> = outside.collect();
        if !outside.is_empty() {
            remarks.push(format!("skipped outside of the axis: {}", outside.join(" and ")));
        }
        remarks.join("; ")
    }

    fn line(&self) -> String {
        let (nest, loops) = (self.nest, self.nest.assignment());
        let space: Vec<String> = loops
            .record()
            .factors()
            .map(|factor| {
                let each: Vec<String> = factor
                    .map(LoopId)
                    .map(|id| format!("{}:{}", loops.name(id), loops.extent(id)))
                    .collect();
                each.join("|")
            })
            .collect();
        let read: Vec<String> = loops.record().operands().map(|slot| nest.access(slot)).collect();
        let decision = nest.decision();
        let sign = match decision.write {
            Write::Store => "=",
            Write::Accumulate => "+=",
        };
        let first = if decision.initialise { "result = 0; " } else { "" };
        let read = read.join(if self.is_copied() { " | " } else { " * " });
        let mut inside: Vec<String> = vec![];
        for condition in nest.blocks().take(64).flat_map(|block| nest.conditions(&block)) {
            if !inside.contains(&condition) {
                inside.push(condition);
            }
        }
        let inside = inside.join(" and ");
        let inside = if inside.is_empty() { inside } else { format!(" where {inside}") };
        format!("({}) {first}{} {sign} {read}{inside}", space.join(" "), nest.access(Slot::RESULT))
    }

    fn json(&self, inferred: &Inferred, remarks: &[String]) -> String {
        let (nest, loops) = (self.nest, self.nest.assignment());
        let record = loops.record();
        let traffic = nest.traffic();
        let coverage = nest.coverage();
        let decision = nest.decision();
        let is_summed = |id: LoopId| record.reductions().any(|summed| summed == id);
        let one = |id: u32| LoopRecord {
            name: loops.name(LoopId(id)).to_owned(),
            extent: loops.extent(LoopId(id)).into(),
            reduction: is_summed(LoopId(id)),
        };
        let [warnings, diagnostics] = einsum::in_json(inferred);
        let made = Record {
            schema: "lozenge-loops/1",
            spec: inferred.spec().to_string(),
            product_space: record.factors().map(|factor| factor.map(one).collect()).collect(),
            result: self.tensor(Slot::RESULT),
            operands: record.operands().map(|slot| self.tensor(slot)).collect(),
            injective: coverage.injective,
            onto: coverage.onto,
            initialise: decision.initialise,
            write: match decision.write {
                Write::Store => "store",
                Write::Accumulate => "accumulate",
            },
            bytes_read: traffic.all_read().times(self.bytes).into(),
            multiply_adds: traffic.points.into(),
            bytes_written: traffic.written.times(self.bytes).into(),
            element: self.element,
            code: nest.to_string(),
            notes: remarks.to_vec(),
            warnings,
            diagnostics,
        };
        output::record(&made)
    }

    fn index(&self, index: &Index) -> IndexRecord {
        let loops = self.nest.assignment();
        let name = |term: Term| match term {
            Term::Loop(id) => TermName::Loop(loops.name(id).to_owned()),
            Term::Symbol(id) => TermName::Supplied(loops.indices()[id.0 as usize].clone()),
            Term::Size(size) => TermName::Size(loops.named(size).to_string()),
        };
        let term = |coefficient, term| TermRecord { coefficient, of: name(term) };
        let sum = |terms, offset| IndexRecord::Sum { terms, offset };
        match index {
            Index::Iter(id) => sum(vec![term(1, Term::Loop(*id))], 0),
            Index::Symbol(id) => sum(vec![term(1, Term::Symbol(*id))], 0),
            Index::Fix(position) => sum(vec![], i128::from(*position)),
            Index::Affine(affine) => {
                let terms = affine.terms.iter().map(|(coefficient, of)| term(*coefficient, *of));
                sum(terms.collect(), affine.offset.into())
            }
            Index::Concat(concat) => {
                let part = |(id, offset): &(LoopId, Offset)| PartRecord {
                    runs: loops.name(*id).to_owned(),
                    begin: offset.number,
                    after: offset.open.iter().map(|size| loops.named(*size).to_string()).collect(),
                };
                IndexRecord::Parts(concat.parts.iter().map(part).collect())
            }
            Index::Merged(digits) => IndexRecord::Merged(
                digits
                    .iter()
                    .map(|(id, size)| DigitRecord {
                        runs: loops.name(*id).to_owned(),
                        size: loops.named(*size).into(),
                    })
                    .collect(),
            ),
            Index::Digit(Digit { of, divisor, modulus, .. }) => IndexRecord::Digit {
                of: loops.name(*of).to_owned(),
                divisor: *divisor,
                modulus: *modulus,
            },
        }
    }

    fn tensor(&self, slot: Slot) -> TensorRecord {
        let loops = self.nest.assignment();
        let axes = Kind::ALL.into_iter().flat_map(|kind| {
            loops
                .axes(slot, kind)
                .map(move |number| (kind, number, &loops.record().map(slot)[number]))
        });
        let describe = |(kind, number, axis): (Kind, usize, &AxisMap)| AxisRecord {
            kind: kind.name(),
            size: loops.size(slot, number).into(),
            code: self.nest.index(&axis.index),
            index: self.index(&axis.index),
            margin: axis.margin.map(|margin| [margin.left, margin.right]),
        };
        TensorRecord {
            name: loops.display_name(slot).to_owned(),
            shape: loops.shape(slot).to_string(),
            axes: axes.map(describe).collect(),
        }
    }
}

/// A loop nest, for programs.
#[derive(Serialize)]
struct Record {
    schema: &'static str,
    /// In Lozenge's notation.
    spec: String,
    /// The factors, outermost first; several loops of one factor run one after another.
    product_space: Vec<Vec<LoopRecord>>,
    result: TensorRecord,
    operands: Vec<TensorRecord>,
    /// Of the result's index map; null where it is not known.
    injective: Option<bool>,
    onto: Option<bool>,
    initialise: bool,
    write: &'static str,
    multiply_adds: AmountRecord,
    bytes_read: AmountRecord,
    bytes_written: AmountRecord,
    element: &'static str,
    code: String,
    /// What was taken where nothing determines it.
    notes: Vec<String>,
    /// What was said of the specification, and of the shapes, as `lozenge-diagnostics/2`.
    warnings: serde_json::Value,
    diagnostics: serde_json::Value,
}

/// A number where it is exactly that, and otherwise what is known, as text.
#[derive(Serialize)]
#[serde(untagged)]
enum AmountRecord {
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
enum SizeRecord {
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
struct LoopRecord {
    name: String,
    extent: SizeRecord,
    reduction: bool,
}

#[derive(Serialize)]
struct TensorRecord {
    name: String,
    shape: String,
    /// In the order of the shape: batch, input, output.
    axes: Vec<AxisRecord>,
}

#[derive(Serialize)]
struct AxisRecord {
    kind: &'static str,
    size: SizeRecord,
    /// The index as in the code.
    code: String,
    index: IndexRecord,
    /// How far the index reaches beyond the axis on both sides; such points are skipped.
    margin: Option<[u64; 2]>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum IndexRecord {
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
struct TermRecord {
    coefficient: i64,
    #[serde(flatten)]
    of: TermName,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum TermName {
    Loop(String),
    /// An index that is supplied when the program runs.
    Supplied(String),
    /// An open size.
    Size(String),
}

#[derive(Serialize)]
struct PartRecord {
    #[serde(rename = "loop")]
    runs: String,
    begin: u64,
    /// The open sizes that it begins after, beside that number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
}

#[derive(Serialize)]
struct DigitRecord {
    #[serde(rename = "loop")]
    runs: String,
    size: SizeRecord,
}
