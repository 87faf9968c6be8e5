//! `lozenge loops`: the loop nest of an einsum, or of its gradient towards an operand.

mod picture;
mod record;
mod towards;

use std::{fmt::Write as _, fs, process::ExitCode};

use lozenge::{
    Accumulation, Binary, Expression, Kind,
    project::{
        AxisMap, Coverage, Digit, Index, LoopId, Margin, Offset, Slot, Statement, Term, Write,
    },
    query::{Inferred, Looped, NoLoops},
};
use lozenge_lower::{Amount, Block, Nest};
use lozenge_onnx::infer::answer::Does;

use crate::{
    args::{By, Format, LoopNest},
    einsum, output, undetermined,
};
use record::{
    AxisRecord, DigitRecord, IndexRecord, LoopRecord, PartRecord, Record, TensorRecord, TermName,
    TermRecord,
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
    let remarks = undetermined::assumed(&inferred, &assumed);
    let assignment = match args.by {
        By::Add => assignment,
        by => assignment.accumulating(by.accumulation(), Statement::Erasing),
    };
    let (nests, does) = match &args.towards {
        None => (vec![Nest::new(assignment)], does),
        Some(operand) => match towards::nests(&assignment, operand, does) {
            Ok(nests) => (nests, None),
            Err(said) => {
                output::message(&said);
                return ExitCode::from(2);
            }
        },
    };
    einsum::warn(&inferred, args.how.format);
    let (bytes, element) = (args.element.bytes(), args.element.name());
    let described = |nest| Described { nest, bytes, element, does };
    // What a gradient needs beside what is there comes first.
    let Some((last, before)) = nests.split_last() else { return ExitCode::SUCCESS };
    if let Some(file) = &args.svg {
        if file.as_os_str() == "-" {
            output::answer(picture::svg(last).trim_end());
            return ExitCode::SUCCESS;
        }
        if let Err(error) = fs::write(file, picture::svg(last)) {
            output::message(&format!("{} cannot be written: {error}", file.display()));
            return ExitCode::from(2);
        }
    }
    match args.how.format {
        Format::Full => {
            let all: Vec<String> = nests.iter().map(|nest| described(nest).full()).collect();
            output::answer(&all.join("\n\n"));
        }
        Format::Concise => nests.iter().for_each(|nest| output::answer(&described(nest).line())),
        Format::Json => {
            let json = |nest| described(nest).json(&inferred, &remarks);
            let before = before.iter().map(json).collect();
            output::print_record(&Record { before, ..json(last) });
        }
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

/// A tensor of a nest, by its name there.
#[derive(Clone, PartialEq, Eq)]
struct Named {
    name: String,
    slot: Slot,
    is_written: bool,
}

/// Whether a value is a product of what is read, or one of it.
fn is_product(value: &Expression) -> bool {
    match value {
        Expression::Read(_) => true,
        Expression::Binary(Binary::Multiply, operands) => operands.iter().all(is_product),
        _ => false,
    }
}

impl Described<'_> {
    fn full(&self) -> String {
        let nest = self.nest;
        let mut text = self.statement(format!("{nest}\n"));
        let tensors: Vec<Named> = self.read().into_iter().chain(self.written()).collect();
        let shape = |slot: Slot| nest.assignment().shape(slot).to_string();
        let widest = |of: &dyn Fn(&Named) -> usize| tensors.iter().map(of).fold(0, usize::max);
        let names = widest(&|tensor| tensor.name.len());
        let shapes = widest(&|tensor| shape(tensor.slot).len());
        for tensor in &tensors {
            let remarks = self.remarks(tensor);
            let remarks = if remarks.is_empty() { remarks } else { format!("  {remarks}") };
            let (name, index) = (&tensor.name, self.index_text(tensor.slot));
            let _ = writeln!(
                text,
                "{name:<names$}  {:<shapes$}  [{index}{remarks}",
                shape(tensor.slot)
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

    /// What is read, each tensor once.
    fn read(&self) -> Vec<Named> {
        let mut read: Vec<Named> = vec![];
        let all = self.all_read();
        for number in self.nest.reads() {
            if !read.contains(&all[number]) {
                read.push(all[number].clone());
            }
        }
        read
    }

    /// What is read, in the order in which the value counts it.
    fn all_read(&self) -> Vec<Named> {
        let loops = self.nest.assignment();
        let name = |number: usize| loops.read_name(number).to_owned();
        let named = |(number, slot): (usize, &Slot)| Named {
            name: name(number),
            slot: *slot,
            is_written: false,
        };
        loops.read().iter().enumerate().map(named).collect()
    }

    /// What is written.
    fn written(&self) -> Option<Named> {
        let loops = self.nest.assignment();
        let slot = *loops.written().first()?;
        Some(Named { name: loops.written_name(0).to_owned(), slot, is_written: true })
    }

    /// The indices of an occurrence, with the bracket behind them.
    fn index_text(&self, slot: Slot) -> String {
        let access = self.nest.access(slot);
        access.split_once('[').map_or("", |(_, index)| index).to_owned()
    }

    /// A tensor at its indices.
    fn access(&self, tensor: &Named) -> String {
        format!("{}[{}", tensor.name, self.index_text(tensor.slot))
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
        let loops = self.nest.assignment();
        let is_else = self.does.is_some_and(|does| *does != Does::Product);
        let is_added = loops.accumulation() == Accumulation::Add;
        if is_else || !is_added || !is_product(loops.value()) {
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

    fn remarks(&self, tensor: &Named) -> String {
        let (loops, slot) = (self.nest.assignment(), tensor.slot);
        let record = loops.record();
        let mut remarks = vec![];
        if tensor.is_written {
            let summed = self.nest.reductions();
            let summed: Vec<&str> = summed.into_iter().map(|id| loops.name(id)).collect();
            if !summed.is_empty() {
                let done = match loops.accumulation() {
                    Accumulation::Add => "summed",
                    Accumulation::Multiply => "multiplied",
                    Accumulation::Max => "the largest stays",
                    Accumulation::Min => "the smallest stays",
                    _ => "accumulated",
                };
                remarks.push(format!("without {}: {done}", summed.join(", ")));
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
                let stay = match loops.statement() {
                    Statement::Erasing => format!("stay {}", loops.accumulation().neutral()),
                    Statement::Accumulating => "stay as they are".to_owned(),
                };
                remarks.push(format!("some cells are never written, and {stay}"));
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
        let read: Vec<String> = self.read().iter().map(|tensor| self.access(tensor)).collect();
        let decision = nest.decision();
        let sign = match decision.write {
            Write::Store => "=",
            Write::Accumulate => match loops.accumulation() {
                Accumulation::Multiply => "*=",
                Accumulation::Max => "max=",
                Accumulation::Min => "min=",
                _ => "+=",
            },
        };
        let (name, cell) = self
            .written()
            .map_or_else(Default::default, |own| (own.name.clone(), self.access(&own)));
        let first = if decision.initialise {
            format!("{name} = {}; ", loops.accumulation().neutral())
        } else {
            String::new()
        };
        let read = match loops.value() {
            value if is_product(value) => read.join(if self.is_copied() { " | " } else { " * " }),
            value => {
                let all = self.all_read();
                value.display(&|number| self.access(&all[number])).to_string()
            }
        };
        let mut inside: Vec<String> = vec![];
        for condition in nest.blocks().take(64).flat_map(|block| nest.conditions(&block)) {
            if !inside.contains(&condition) {
                inside.push(condition);
            }
        }
        let inside = inside.join(" and ");
        let inside = if inside.is_empty() { inside } else { format!(" where {inside}") };
        format!("({}) {first}{} {sign} {read}{inside}", space.join(" "), cell)
    }

    fn json(&self, inferred: &Inferred, remarks: &[String]) -> Record {
        let (nest, loops) = (self.nest, self.nest.assignment());
        let record = loops.record();
        let traffic = nest.traffic();
        let coverage = nest.coverage();
        let decision = nest.decision();
        let summed = nest.reductions();
        let is_summed = |id: LoopId| summed.contains(&id);
        let one = |id: u32| LoopRecord {
            name: loops.name(LoopId(id)).to_owned(),
            extent: loops.extent(LoopId(id)).into(),
            reduction: is_summed(LoopId(id)),
        };
        let [warnings, diagnostics] = einsum::in_json(inferred);
        Record {
            schema: "lozenge-loops/1",
            spec: inferred.spec().to_string(),
            product_space: record.factors().map(|factor| factor.map(one).collect()).collect(),
            result: self.written().map(|tensor| self.tensor(tensor)),
            operands: self.read().into_iter().map(|tensor| self.tensor(tensor)).collect(),
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
            before: vec![],
        }
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

    fn tensor(&self, Named { name, slot, .. }: Named) -> TensorRecord {
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
            name,
            shape: loops.shape(slot).to_string(),
            axes: axes.map(describe).collect(),
        }
    }
}
