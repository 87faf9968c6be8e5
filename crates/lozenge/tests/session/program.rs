//! Programs as text, a step a line, for cases and pages.
//!
//! ```text
//! data x: 32|->784        data of a shape; without one, of the shape its context asks for
//! data x: 6 elements      data of so many elements; `axes 2 3`: with these axes in memory
//! param w: ...->16        a parameter
//! number 0.1
//! size d                  a size that nothing is known of yet
//! y = relu x              any other name is pointwise; signs stand between their operands
//! y = numpy x + z         with NumPy's broadcasting
//! y = w * x               composition
//! y = einsum "ij; jk => ik" a b {j=3}; numpy einsum "ij,jk->ik" a b
//! y = transpose x; compose_accumulate a b c; reshape x: 2,3; bit_cast 128 32 x
//! y = nonzero x           as many as are found when it runs
//! set y.j = 3             the size of a name in the specification of y
//! range n: 1..64; any n: 1..64; declare 8 divides n
//! equal y.i = y.k; scale y.i = 2 * d; same a b; square w
//! refuse                  closing chooses nothing
//! why y.output.0          why an axis has its size
//! loops y                 its loop nest
//! allow axes-overlap      a warning or note that closing leaves out
//! ```

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use lozenge::{
    AxisPlace, BitCast, Compose, ComposeAccumulate, Einsum, Kind, Misfit, Operation, Pointwise,
    Policy, Report, Reshape, Role, Scheme, Session, Site, SizeVar, Spec, Tensor, Terminal,
    Transpose,
    diagnostic::{Code, Source},
    term::RowTerm,
};
use lozenge_notation::{Dialect, parse_as};

/// Where the elements of a tensor are not zero: how many that are is known when the program runs.
#[derive(Clone, Debug)]
struct Nonzero;

impl Operation for Nonzero {
    fn name(&self) -> &'static str {
        "nonzero"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.expect_operands(1)?;
        let found = scheme.size_at_run_time("found", 0..);
        scheme.at_most_elements(found, 0);
        for kind in [Kind::Batch, Kind::Input] {
            scheme.declare(kind, RowTerm::closed([], []));
        }
        scheme.declare(Kind::Output, RowTerm::closed([], [found]));
        Ok(scheme.into())
    }
}

/// A program that was built.
pub(crate) struct Program {
    source: Source,
    pub(crate) session: Session,
    pub(crate) tensors: BTreeMap<String, Tensor>,
    /// Those whose shapes are not declared, in order.
    pub(crate) made: Vec<String>,
    sizes: BTreeMap<String, SizeVar>,
    policy: Policy,
    asked: Vec<(String, Kind, usize)>,
    nests: Vec<String>,
}

impl Program {
    /// Everything that is to be said about a program: why it is refused, what is worth knowing
    /// about how it closes, the answers to its questions.
    pub(crate) fn said(text: &str) -> Report {
        let program = match Program::build(text) {
            Ok(program) => program,
            Err(rejection) => return rejection,
        };
        let closed = match program.session.close_by(program.policy) {
            Ok(closed) => closed,
            Err(rejection) => return rejection,
        };
        for nest in &program.nests {
            if let Err(rejection) = program.session.assignment(&closed, program.tensors[nest]) {
                return rejection;
            }
        }
        if let Some((tensor, kind, axis)) = program.asked.first() {
            let place = AxisPlace::new(program.tensors[tensor], *kind, *axis);
            let (said, sources) = program.session.why(&closed, place).unwrap();
            return Report { sources, diagnostics: vec![said] };
        }
        Report { sources: closed.sources().clone(), diagnostics: closed.notes().to_vec() }
    }

    /// Builds a program up to the first step that is refused.
    pub(crate) fn build(text: &str) -> Result<Program, Report> {
        let mut program = Program {
            source: Source::new("program", text),
            session: Session::new(),
            tensors: BTreeMap::new(),
            made: vec![],
            sizes: BTreeMap::new(),
            policy: Policy::Default,
            asked: vec![],
            nests: vec![],
        };
        let source = program.source.clone();
        for line in source.text().unwrap().lines() {
            let line = line.split(" #").next().unwrap_or_default().trim_end();
            if !line.is_empty() && !line.starts_with('#') {
                program.step(program.site(line), line)?;
            }
        }
        Ok(program)
    }

    /// Where a part of the program's text is in it.
    fn bytes(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr().addr() - self.source.text().unwrap().as_ptr().addr();
        start..start + part.len()
    }

    fn site(&self, part: &str) -> Site {
        Site::of(&self.source, self.bytes(part))
    }

    /// A site, and where its operands are written.
    fn with_operands(&self, site: Site, operands: &[&str]) -> Site {
        site.with_operands(operands.iter().map(|operand| self.bytes(operand)))
    }

    fn tensor(&self, name: &str) -> Tensor {
        *self.tensors.get(name).unwrap_or_else(|| panic!("no tensor `{name}`"))
    }

    /// A size by `tensor.name`, or by a name of its own.
    pub(crate) fn size(&mut self, site: Site, name: &str) -> Result<SizeVar, Report> {
        match name.split_once('.') {
            None => Ok(self.sizes[name]),
            Some((tensor, size)) => {
                let tensor = self.tensor(tensor);
                self.session.at(site).capture(tensor, size)
            }
        }
    }

    fn declare(&mut self, site: Site, role: Role, declaration: &str) -> Result<(), Report> {
        let (name, shape) = match declaration.split_once(':') {
            None => (declaration.trim(), None),
            Some((name, shape)) => (name.trim(), Some(shape.trim())),
        };
        let numbers = |text: &str| -> Vec<u64> {
            text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
        };
        let terminal = match shape {
            None => Terminal::undeclared(name, role),
            Some(text) if text.ends_with("elements") => {
                Terminal::data_of_elements(name, numbers(text)[0])
            }
            Some(text) if text.starts_with("axes") => Terminal::data_in_memory(name, numbers(text)),
            Some(text) if role == Role::Parameter => Terminal::parameter(name, text),
            Some(text) => Terminal::data(name, text),
        };
        let known = shape.is_some_and(|shape| {
            !shape.contains(['_', '.']) && !shape.contains("elements") && !shape.contains("axes")
        });
        let site = site.saying(self.bytes(shape.unwrap_or(name)));
        let tensor = self.session.at(site).apply(terminal, &[])?;
        self.tensors.insert(name.to_owned(), tensor);
        if !known {
            self.made.push(name.to_owned());
        }
        Ok(())
    }

    fn step(&mut self, site: Site, line: &str) -> Result<(), Report> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "data" => return self.declare(site, Role::Leaf, rest),
            "param" => return self.declare(site, Role::Parameter, rest),
            "number" => {
                let number = self.session.at(site).apply(Terminal::number(rest), &[])?;
                self.tensors.insert(rest.to_owned(), number);
                return Ok(());
            }
            "size" => {
                let size = self.session.new_size(rest);
                self.sizes.insert(rest.to_owned(), size);
                return Ok(());
            }
            "set" => {
                let (name, number) = rest.split_once(" = ").unwrap();
                let size = self.size(site.clone(), name)?;
                return self.session.at(site).set(size, number.parse().unwrap());
            }
            "equal" => {
                let (first, second) = rest.split_once(" = ").unwrap();
                let (first, second) =
                    (self.size(site.clone(), first)?, self.size(site.clone(), second)?);
                return self.session.at(site).equal(first, second);
            }
            "scale" => {
                let (large, of) = rest.split_once(" = ").unwrap();
                let (factor, small) = of.split_once(" * ").unwrap();
                let (large, small) =
                    (self.size(site.clone(), large)?, self.size(site.clone(), small)?);
                return self.session.at(site).scale(factor.parse().unwrap(), large, small);
            }
            "range" | "any" => {
                let (name, range) = rest.split_once(": ").unwrap();
                let (low, high) = range.split_once("..").unwrap();
                let low: u64 = low.parse().unwrap();
                let high = if high.is_empty() { u64::MAX } else { high.parse().unwrap() };
                let mut at = self.session.at(site);
                return match (word, high) {
                    ("any", u64::MAX) => at.any(name, low..),
                    ("any", _) => at.any(name, low..=high),
                    (_, u64::MAX) => at.range(name, low..),
                    (_, _) => at.range(name, low..=high),
                };
            }
            "declare" => return self.session.at(site).declare(rest),
            "same" => {
                let (first, second) = rest.split_once(' ').unwrap();
                let (first, second) = (self.tensor(first), self.tensor(second));
                return self.session.at(site).same_shape(first, second);
            }
            "refuse" => {
                self.policy = Policy::Refuse;
                return Ok(());
            }
            "loops" => {
                self.nests.push(rest.to_owned());
                return Ok(());
            }
            "why" => {
                let parts: Vec<&str> = rest.split('.').collect();
                let [tensor, kind, axis] = parts[..] else { panic!("no axis: {rest}") };
                let kind = Kind::ALL.into_iter().find(|k| k.name() == kind).unwrap();
                self.asked.push((tensor.to_owned(), kind, axis.parse().unwrap()));
                return Ok(());
            }
            "allow" => {
                let code = Code::find(rest).unwrap_or_else(|| panic!("no code `{rest}`"));
                return self.session.at(site).allow(code);
            }
            "square" => {
                let tensor = self.tensor(rest);
                return self.session.at(site).input_equals_output(tensor);
            }
            _ => {}
        }
        let (name, made) = line.split_once(" = ").unwrap_or_else(|| panic!("no step: {line}"));
        let tensor = self.apply(site, made)?;
        self.session.set_name(tensor, name);
        self.tensors.insert(name.to_owned(), tensor);
        self.made.push(name.to_owned());
        Ok(())
    }

    fn apply(&mut self, site: Site, made: &str) -> Result<Tensor, Report> {
        let is_numpy = made.starts_with("numpy einsum ");
        let einsum = made.strip_prefix("einsum \"").or(made.strip_prefix("numpy einsum \""));
        if let Some(rest) = einsum {
            let (spec, rest) = rest.split_once('"').unwrap();
            let written = self.bytes(spec);
            let (operands, numbers) = rest.split_once('{').unwrap_or((rest, &rest[rest.len()..]));
            // With its braces.
            let given = self.bytes(numbers).start.saturating_sub(1)..self.bytes(rest).end;
            let numbers: Vec<(&str, u64)> = numbers
                .trim_end_matches('}')
                .split_whitespace()
                .map(|pair| pair.split_once('=').unwrap())
                .map(|(name, number)| (name, number.parse().unwrap()))
                .collect();
            let dialect = if is_numpy { Dialect::Numpy } else { Dialect::Lozenge };
            let spec: Result<Spec, Report> = parse_as(spec, dialect).ok();
            let einsum = spec.and_then(|spec| Einsum::of(spec, &numbers));
            let operands: Vec<&str> = operands.split_whitespace().collect();
            let site = self.with_operands(site, &operands).saying(written);
            let site = if numbers.is_empty() { site } else { site.with_sizes(given) };
            let einsum = einsum.map_err(|rejection| site.blame(rejection))?;
            let operands: Vec<Tensor> =
                operands.into_iter().map(|name| self.tensor(name)).collect();
            return self.session.at(site).apply(einsum, &operands);
        }
        let words: Vec<&str> = made.split_whitespace().collect();
        let is_operand = |word: &&str| self.tensors.contains_key(word.trim_end_matches(':'));
        let operands: Vec<&str> = words.iter().copied().filter(is_operand).collect();
        let operands: Vec<&str> = operands.iter().map(|word| word.trim_end_matches(':')).collect();
        let site = self.with_operands(site, &operands);
        let tensors = |names: &[&str]| -> Vec<Tensor> {
            names.iter().map(|name| self.tensor(name.trim_end_matches(':'))).collect()
        };
        match words[..] {
            ["numpy", first, sign, second] => {
                let operands = tensors(&[first, second]);
                let operation = Pointwise::new(sign.to_owned()).numpy();
                self.session.at(site).apply(operation, &operands)
            }
            [first, "*", second] => {
                let operands = tensors(&[first, second]);
                self.session.at(site).apply(Compose, &operands)
            }
            [first, sign, second] if !sign.contains(char::is_alphanumeric) => {
                let operands = tensors(&[first, second]);
                self.session.at(site).apply(Pointwise::new(sign.to_owned()), &operands)
            }
            ["transpose", operand] => {
                let operands = tensors(&[operand]);
                self.session.at(site).apply(Transpose, &operands)
            }
            ["reshape", operand] => {
                let operands = tensors(&[operand]);
                self.session.at(site).apply(Reshape::new(), &operands)
            }
            ["reshape", operand, shape] => {
                let operands = tensors(&[operand]);
                self.session.at(site).apply(Reshape::to(shape), &operands)
            }
            ["nonzero", operand] => {
                let operands = tensors(&[operand]);
                self.session.at(site).apply(Nonzero, &operands)
            }
            ["bit_cast", from, to, operand] => {
                let operands = tensors(&[operand]);
                let cast = BitCast::new(from.parse().unwrap(), to.parse().unwrap());
                self.session.at(site).apply(cast, &operands)
            }
            ["compose_accumulate", ..] => {
                let operands = tensors(&words[1..]);
                self.session.at(site).apply(ComposeAccumulate, &operands)
            }
            [name, ..] => {
                let operands = tensors(&words[1..]);
                self.session.at(site).apply(Pointwise::new(name.to_owned()), &operands)
            }
            [] => panic!("no operation"),
        }
    }
}
