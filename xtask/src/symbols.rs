//! `symbols`: programs with open sizes against the same programs with numbers.
//!
//! A program over one to five names is built and closed, and built again with numbers in the place of the names. Where the
//! values satisfy all requirements the second closes to what the first says at these values; where they violate one, it is
//! refused. A program that is refused for its sizes is refused with numbers as well. This holds for *generic* values: every
//! size is at least 2, and different sizes have different values. Others are counted apart.
//!
//! What a program requires is declared, as it is printed, and the program built again: nothing is required then, and all shapes
//! are the same. Sizes are captured, equated and set as well, and are at the values what they are in the second program. So do the
//! loops run as often there, and read and write at the same places.

use std::collections::BTreeMap;

use anyhow::ensure;
use lozenge::{Closed, Report, Tensor, Valued, diagnostic::Code};
use lozenge_check::Generator;

use crate::parallel;

mod build;
mod draw;
mod generic;
mod loops;

use build::Built;
pub(crate) use build::session;
use draw::{Axis, Program, Said, Terminal};
use generic::{has_one, is_generic};
use loops::Loops;

const NAMES: [&str; 5] = ["n", "m", "batch", "past", "seq"];

/// How many values of its names each program is tried with.
const VECTORS: usize = 20;

/// How many mismatches are printed.
const PRINTED: usize = 5;

const CONSTRUCTS: [&str; 25] = [
    "range",
    "computed",
    "merged",
    "split",
    "concatenated",
    "with a number",
    "valid window",
    "whole window",
    "begun window",
    "padded window",
    "loosely padded window",
    "window with margins",
    "strided",
    "loosely strided",
    "transposed",
    "contracted",
    "sum",
    "stretched",
    "product of matrices",
    "reshape",
    "at run time",
    "captured",
    "declared",
    "unknown",
    "equal for two values",
];

/// Whether two programs have the same shapes at values, of which some have the sizes that are equal for two values.
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

#[derive(Default)]
struct Found {
    constructs: BTreeMap<&'static str, u64>,
    closed: u64,
    with_requirements: u64,
    refused: u64,
    /// Not decided, with and without names.
    open: u64,
    agree: u64,
    violated: u64,
    refused_too: u64,
    /// Values that are not generic, and those of them that differ.
    coincident: u64,
    coincident_differ: u64,
    /// How many sizes were guessed otherwise where something may be empty.
    guessed: u64,
    /// Programs that hold for no generic values, as where `n*n = n` is required, and are another thing where that is declared.
    ungeneric: u64,
    /// Programs that require something where what it follows from is declared.
    redundant: u64,
    /// How often the search ended before something was found, with numbers or where something is declared.
    ended: u64,
    /// Programs in which places to insert axes compete, and values for which they differ.
    competing: u64,
    competing_differ: u64,
    too_large: u64,
    /// Sizes that are chosen among numbers only.
    hidden: u64,
    loops: Loops,
    mismatches: Vec<String>,
}

impl Found {
    fn merge(&mut self, other: Found) {
        for (construct, count) in other.constructs {
            *self.constructs.entry(construct).or_default() += count;
        }
        let pairs = [
            (&mut self.closed, other.closed),
            (&mut self.with_requirements, other.with_requirements),
            (&mut self.refused, other.refused),
            (&mut self.open, other.open),
            (&mut self.agree, other.agree),
            (&mut self.violated, other.violated),
            (&mut self.refused_too, other.refused_too),
            (&mut self.coincident, other.coincident),
            (&mut self.coincident_differ, other.coincident_differ),
            (&mut self.guessed, other.guessed),
            (&mut self.ungeneric, other.ungeneric),
            (&mut self.redundant, other.redundant),
            (&mut self.ended, other.ended),
            (&mut self.competing, other.competing),
            (&mut self.competing_differ, other.competing_differ),
            (&mut self.too_large, other.too_large),
            (&mut self.hidden, other.hidden),
            (&mut self.loops.same, other.loops.same),
            (&mut self.loops.none, other.loops.none),
            (&mut self.loops.covered, other.loops.covered),
            (&mut self.loops.uncovered, other.loops.uncovered),
            (&mut self.loops.amounts, other.loops.amounts),
            (&mut self.loops.uncounted, other.loops.uncounted),
        ];
        for (all, more) in pairs {
            *all += more;
        }
        self.mismatches.extend(other.mismatches);
    }

    fn check(&mut self, number: u64, rng: &mut Generator) {
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
                Err(what) => self.mismatches.push(format!("case {number}: {program:?}\n{what}")),
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
                self.mismatches.push(format!("case {number}: {program:?}\nat {values:?}: {what}"));
                return;
            }
            closed += if are_few { 0 } else { self.coincident_differ - before };
        }
        // What is refused may fit where sizes coincide, which they seldom do.
        if let (Err(rejection), true) = (&built, closed > VECTORS as u64 / 4) {
            let what = format!("with numbers it closes {closed} times; it is refused: {rejection}");
            self.mismatches.push(format!("case {number}: {program:?}\n{what}"));
        }
    }

    /// Where what a program requires is declared, as it is printed, it requires nothing, and is the same.
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
            // What is declared may make floors numbers, and what is equal for two values may be written in another way.
            let may_differ = program.roots.is_some() || has_floor(&one) || is_late;
            if one == other || may_differ && is_same_at_values(program, built, &declared) {
                continue;
            }
            // Sizes of what nobody says are guessed by their least ones, which are found only where nothing may be empty.
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

pub(crate) fn run(args: &crate::Cases) -> anyhow::Result<()> {
    let found = parallel::run(
        args.cases,
        |number, found: &mut Found| found.check(number, &mut Generator::new(args.seed, number)),
        Found::merge,
    );
    for construct in CONSTRUCTS {
        let count = found.constructs.get(construct).copied().unwrap_or(0);
        println!("{construct}: {count}");
        let least = args.cases / 20;
        ensure!(
            args.cases < 1_000 || count >= least,
            "{construct} is drawn {count} times, not {least}"
        );
    }
    println!(
        "closed={:.1} % with requirements={:.1} % refused={:.1} % undecided={:.1} %",
        crate::percent(found.closed, args.cases),
        crate::percent(found.with_requirements, args.cases),
        crate::percent(found.refused, args.cases),
        crate::percent(found.open, args.cases),
    );
    println!(
        "values: the same shapes={} a requirement violated and refused={} refused both ways={}\n\
         not generic: {} of them, {} differ\n\
         places that compete: {} programs, {} values differ\n\
         too large: {}; a size chosen with numbers only: {}; guessed otherwise where something may be empty: {}; \
         otherwise where no generic values are declared: {}\n\
         required beside what it follows from: {}; the search ended: {}\n\
         operations with the same loops={} with none over open sizes={}; \
         coverage known={} only with numbers={}; \
         amounts the same={} not compared={}",
        found.agree,
        found.violated,
        found.refused_too,
        found.coincident,
        found.coincident_differ,
        found.competing,
        found.competing_differ,
        found.too_large,
        found.hidden,
        found.guessed,
        found.ungeneric,
        found.redundant,
        found.ended,
        found.loops.same,
        found.loops.none,
        found.loops.covered,
        found.loops.uncovered,
        found.loops.amounts,
        found.loops.uncounted
    );
    ensure!(found.competing * 50 < args.cases.max(50), "in 2 % of the programs places compete");
    for mismatch in found.mismatches.iter().take(PRINTED) {
        println!("{mismatch}\n");
    }
    println!("cases={} seed={} mismatches={}", args.cases, args.seed, found.mismatches.len());
    ensure!(found.mismatches.is_empty(), "{} mismatches", found.mismatches.len());
    Ok(())
}
