//! Programs with open sizes against the same programs with numbers.
//!
//! A program over one to five names is built and closed, and built again with numbers in the place
//! of the names. Where the values satisfy all requirements the second closes to what the first says
//! at these values; where they violate one, it is refused. A program that is refused for its sizes
//! is refused with numbers as well. This holds for *generic* values: every size is at least 2, and
//! different sizes have different values. Others are counted apart.
//!
//! What a program requires is declared, as it is printed, and the program built again: nothing is
//! required then, and all shapes are the same. Sizes are captured, equated and set as well, and are
//! at the values what they are in the second program. So do the loops run as often there, and read
//! and write at the same places.

use std::collections::BTreeMap;

use lozenge::{Closed, Report, Tensor, Valued, diagnostic::Code};

use crate::{Generator, Mismatch, mismatch::counts};

mod build;
mod draw;
mod generic;
mod loops;

use build::Built;
pub use build::session;
use draw::{Axis, NAMES, Program, Said, Terminal};
use generic::{has_one, is_generic};
pub use loops::Loops;

/// The number of values of its names that each program is tried with.
const VECTORS: usize = 20;

/// Whether two programs have the same shapes at values, of which some have the sizes that are equal
/// for two values.
fn is_same_at_values(program: &Program, one: &Built, other: &Built) -> bool {
    let mut compared = 0;
    for case in 0..3_000 {
        let mut rng = Generator::new(0, case);
        let is_late = program.late.contains(&true);
        let is_small = rng.bool();
        let mut value = || {
            let is_small = if is_late { rng.bool() } else { is_small };
            if is_small { rng.u64(1..=9) } else { [1, 1, 6, 24][rng.usize(..4)] * rng.u64(1..=3) }
        };
        let mut values: Vec<u64> = NAMES.iter().map(|_| value()).collect();
        for (value, range) in values.iter_mut().zip(&program.ranges) {
            *value += range.map_or(0, |(low, _)| low);
        }
        if is_late && rng.bool() {
            // So that one is what another has to be.
            let [one, other] = [0, 0].map(|_: i32| rng.usize(..NAMES.len()));
            let more = if rng.bool() { 0 } else { rng.u64(1..=8) };
            values[one] = values[other] * [1, 2, 3, 4, 6, values[other]][rng.usize(..6)] + more;
        }
        if let Some((name, roots)) = program.roots {
            values[name] = roots[rng.usize(..2)];
        }
        let shapes = |built: &Built| -> Option<Vec<String>> {
            let at = at(program, &built.closed, &values).ok()?;
            let shape = |tensor: &Tensor| at.shape(*tensor).ok().map(|shape| shape.to_string());
            built.tensors.iter().map(shape).collect()
        };
        let (Some(of_one), Some(of_other)) = (shapes(one), shapes(other)) else { continue };
        if of_one != of_other {
            return false;
        }
        compared += 1;
    }
    compared > 0
}

/// Whether a program holds for some values of which none is 0 or 1.
fn has_generic_values(program: &Program, built: &Built) -> bool {
    (0..3_000).any(|case| {
        let mut rng = Generator::new(1, case);
        let factor = [1, 6, 24][rng.usize(..3)];
        let mut values: Vec<u64> = NAMES.iter().map(|_| factor * rng.u64(2..=60)).collect();
        if let Some((name, roots)) = program.roots {
            values[name] = roots[rng.usize(..2)];
        }
        at(program, &built.closed, &values).is_ok()
    })
}

/// A closed program at values of its names.
fn at<'a>(
    program: &Program,
    closed: &'a Closed,
    values: &[u64],
) -> Result<Valued<'a>, Vec<String>> {
    let called: Vec<String> = (0..NAMES.len()).map(|name| program.called(name)).collect();
    let values = called.iter().map(String::as_str).zip(values.iter().copied());
    closed.at(&values.collect::<Vec<_>>())
}

counts! {
    /// What became of programs, and of the values that they were tried with.
    pub struct Counts {
        pub constructs: BTreeMap<&'static str, u64>,
        pub closed: u64,
        pub with_requirements: u64,
        pub refused: u64,
        /// Not decided, with and without names.
        pub open: u64,
        pub agree: u64,
        pub violated: u64,
        pub refused_too: u64,
        /// Values that are not generic, and those of them that differ.
        pub coincident: u64,
        pub coincident_differ: u64,
        /// Sizes that were guessed otherwise where something may be empty.
        pub guessed: u64,
        /// Programs that hold for no generic values, as where `n*n = n` is required, and are
        /// another thing where that is declared.
        pub ungeneric: u64,
        /// Programs that require something where what it follows from is declared.
        pub redundant: u64,
        /// Searches that ended before something was found, with numbers or where something
        /// is declared.
        pub ended: u64,
        /// Programs in which places to insert axes compete, and values for which they differ.
        pub competing: u64,
        pub competing_differ: u64,
        pub too_large: u64,
        /// Sizes that are chosen among numbers only.
        pub hidden: u64,
        pub loops: Loops,
    }
}

impl Counts {
    fn check(&mut self, rng: &mut Generator) -> Result<(), String> {
        let mut wrong = Ok(());
        let program = Program::draw(rng);
        for step in &program.steps {
            *self.constructs.entry(step.construct()).or_default() += 1;
        }
        let axes = || program.terminals.iter().flat_map(Terminal::axes);
        let computed = axes().filter(|axis| matches!(axis, Axis::Computed(..))).count() as u64;
        *self.constructs.entry("computed").or_default() += computed;
        let is_unknown = |terminal: &Terminal| matches!(terminal.said, Said::Nothing(_));
        let unknown = program.terminals.iter().filter(|terminal| is_unknown(terminal)).count()
            + axes().filter(|axis| matches!(axis, Axis::Unknown)).count();
        *self.constructs.entry("unknown").or_default() += unknown as u64;
        let is_late = |axis: &&Axis| matches!(axis, Axis::Name(name) if program.late[*name]);
        *self.constructs.entry("at run time").or_default() += axes().filter(is_late).count() as u64;
        let ranges = program.ranges.iter().flatten().count() as u64;
        *self.constructs.entry("range").or_default() += ranges;
        let built = program.built(None, &[]);
        if let Ok(built) = &built {
            self.with_requirements += u64::from(built.closed.requirements().len() > 0);
            self.competing += u64::from(competes(&built.closed));
            match self.declare(&program, built) {
                Err(_) if !has_generic_values(&program, built) => self.ungeneric += 1,
                Err(what) => wrong = Err(format!("{program:?}\n{what}")),
                Ok(()) => {}
            }
        }
        let kind = match &built {
            Ok(_) => &mut self.closed,
            Err(rejection) if is_undecided(rejection) => &mut self.open,
            Err(_) => &mut self.refused,
        };
        *kind += 1;
        let mut closed = 0;
        for _ in 0..VECTORS {
            // Multiples of 24 satisfy most that is asked of them; other numbers violate it.
            let factor = [1, 1, 6, 24, 24, 48][rng.usize(..6)];
            let mut values: Vec<u64> = NAMES.iter().map(|_| factor * rng.u64(1..60)).collect();
            let are_few = program.late.contains(&true) && rng.bool();
            if are_few {
                // So that they are equal where they have to be.
                let few = [2, 3, 4, 6, 8, 12, 24];
                let [one, other] = [few[rng.usize(..7)], few[rng.usize(..7)]];
                values.fill_with(|| if rng.bool() { one } else { other });
            }
            for (value, range) in values.iter_mut().zip(&program.ranges) {
                if let Some((low, high)) = range {
                    *value = low + (*value - low.min(value)) % (high - low + 1);
                }
            }
            if let (Some((name, roots)), true) = (program.roots, rng.bool()) {
                values[name] = roots[rng.usize(..2)];
            }
            let before = self.coincident_differ;
            if let Err(what) = self.compare(&program, &built, &values) {
                return wrong.and(Err(format!("{program:?}\nat {values:?}: {what}")));
            }
            closed += if are_few { 0 } else { self.coincident_differ - before };
        }
        // What is refused may fit where sizes coincide, which they seldom do.
        if let (Err(rejection), true) = (&built, closed > VECTORS as u64 / 4) {
            let what = format!("with numbers it closes {closed} times; it is refused: {rejection}");
            return wrong.and(Err(format!("{program:?}\n{what}")));
        }
        wrong
    }

    /// Where what a program requires is declared, as it is printed, it requires nothing, and is the
    /// same.
    fn declare(&mut self, program: &Program, built: &Built) -> Result<(), String> {
        let required: Vec<String> = built.closed.requirements().collect();
        // Floors, ceilings and minima cannot be written.
        if required.is_empty() || required.iter().any(|required| has_floor(required)) {
            return Ok(());
        }
        *self.constructs.entry("declared").or_default() += 1;
        let declared = match program.built(None, &required) {
            Ok(declared) => declared,
            Err(rejection) if is_ended(&rejection) => {
                self.ended += 1;
                return Ok(());
            }
            Err(rejection) => {
                return Err(format!("declared {required:?} it is refused: {rejection}"));
            }
        };
        let left: Vec<String> = declared.closed.requirements().collect();
        // What follows from others is known of names that are not taken for others.
        let is_late = program.late.contains(&true);
        let follows = || is_same_at_values(program, built, &declared);
        if !left.is_empty() && is_late && follows() {
            self.redundant += 1;
        } else if !left.is_empty() {
            return Err(format!("declared {required:?} it requires {left:?}"));
        }
        for (one, other) in built.tensors.iter().zip(&declared.tensors) {
            let shape = |built: &Built, tensor: Tensor| {
                built.closed.shape(tensor).map(ToString::to_string).unwrap_or_default()
            };
            let (one, other) = (shape(built, *one), shape(&declared, *other));
            // What is declared may make floors numbers, and what is equal for two values may be
            // written in another way.
            let may_differ = program.roots.is_some() || has_floor(&one) || is_late;
            if one == other || may_differ && is_same_at_values(program, built, &declared) {
                continue;
            }
            // Sizes of what nobody says are guessed by their least ones, which are found only where
            // nothing may be empty.
            let is_number = |shape: &str| !shape.contains(char::is_alphabetic);
            let may_be_empty = program.ranges.iter().flatten().any(|(low, _)| *low == 0);
            let is_unsaid = program.terminals.iter().any(Terminal::is_open);
            if may_be_empty && is_unsaid && is_number(&one) && is_number(&other) {
                self.guessed += 1;
            } else {
                return Err(format!("{one} is {other} where {required:?} is declared"));
            }
        }
        Ok(())
    }

    fn compare(
        &mut self,
        program: &Program,
        built: &Result<Built, Report>,
        values: &[u64],
    ) -> Result<(), String> {
        let literal = program.built(Some(values), &[]);
        if let Err(rejection) = &literal {
            // A size beyond all sizes, or a 0 in a text where a name stood.
            if matches!(rejection.diagnostics[0].code, Code::WorkExhausted | Code::ZeroPart) {
                self.too_large += 1;
                return Ok(());
            }
        }
        let open @ Built { closed, tensors, captured, .. } = match built {
            Ok(built) => built,
            Err(rejection) if is_undecided(rejection) => return Ok(()),
            // No number is chosen against an open size; against a number one is.
            Err(rejection) if literal.is_ok() && is_hidden(rejection) => {
                self.hidden += 1;
                return Ok(());
            }
            Err(rejection) => {
                let count = match &literal {
                    Err(_) => &mut self.refused_too,
                    // Only what holds for no values is refused.
                    Ok(Built { closed, tensors, .. })
                        if program.is_all_late() && !has_one(closed, tensors) =>
                    {
                        return Err(format!("it closes with numbers, and is refused: {rejection}"));
                    }
                    // One element stretches, also where it is one for one value of a few.
                    Ok(Built { closed, tensors, .. }) if has_one(closed, tensors) => {
                        &mut self.coincident
                    }
                    Ok(_) => {
                        self.coincident += 1;
                        &mut self.coincident_differ
                    }
                };
                *count += 1;
                return Ok(());
            }
        };
        let at = match (at(program, closed, values), &literal) {
            (Err(_), Err(_)) => {
                self.violated += 1;
                return Ok(());
            }
            (Err(_), Ok(Built { closed, tensors, .. })) if has_one(closed, tensors) => {
                // One element stretches, and so may fill what is asked.
                self.coincident += 1;
                self.coincident_differ += 1;
                return Ok(());
            }
            (Err(violated), Ok(_)) => {
                return Err(format!("it closes with numbers, but for {violated:?}"));
            }
            (Ok(at), _) => at,
        };
        let shapes: Vec<String> = tensors
            .iter()
            .map(|tensor| at.shape(*tensor).map(|s| s.to_string()).unwrap_or_default())
            .collect();
        let is_generic = is_generic(closed, tensors, &at);
        self.coincident += u64::from(!is_generic);
        let same = match &literal {
            // Nor is a search that ended before it found anything.
            Err(rejection) if is_ended(rejection) => {
                self.ended += 1;
                return Ok(());
            }
            Err(rejection) => Err(format!("with numbers it is refused: {rejection}")),
            Ok(numbers @ Built { closed, tensors, captured: other, .. }) => {
                let theirs: Vec<String> = tensors
                    .iter()
                    .map(|tensor| {
                        closed.shape(*tensor).map(ToString::to_string).unwrap_or_default()
                    })
                    .collect();
                let sizes: Vec<Option<u64>> = captured.iter().map(|size| at.size(*size)).collect();
                let known: Vec<Option<u64>> = other.iter().map(|size| closed.size(*size)).collect();
                if theirs != shapes {
                    Err(format!("{shapes:?} against {theirs:?}"))
                } else if sizes != known {
                    Err(format!("captured: {sizes:?} against {known:?}"))
                } else {
                    self.loops.compare(open, &at, numbers)
                }
            }
        };
        match same {
            Ok(()) => self.agree += 1,
            Err(_) if !is_generic => self.coincident_differ += 1,
            Err(_) if competes(closed) => self.competing_differ += 1,
            Err(what) => return Err(what),
        }
        Ok(())
    }
}

/// Whether it is written with what no shape is written with.
fn has_floor(text: &str) -> bool {
    ["floor(", "ceil(", "min("].iter().any(|word| text.contains(word))
}

/// Whether it was chosen where axes are inserted.
fn competes(closed: &Closed) -> bool {
    closed.notes().iter().any(|said| said.code == Code::PlacementCompetes)
}

/// Whether nothing says how large something is.
fn is_hidden(rejection: &Report) -> bool {
    rejection.diagnostics.iter().all(|said| said.code == Code::HiddenSize)
}

/// Whether the search ended before it found out what fits.
fn is_ended(rejection: &Report) -> bool {
    rejection.diagnostics.iter().any(|said| said.code == Code::Unsettled)
}

/// Whether it was not found out what fits.
fn is_undecided(rejection: &Report) -> bool {
    rejection
        .diagnostics
        .iter()
        .any(|said| matches!(said.code, Code::SymbolicSize | Code::Unsettled))
}

/// Draws a program with open sizes, and holds it against the same with numbers.
///
/// # Errors
/// When they differ for generic values.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    Ok(counts.check(rng)?)
}
