//! Smaller programs that show the same mismatch.

use crate::Generator;

use super::{
    apart,
    examine::{Plain, Spelled},
    failure::{Failure, Kind},
    model::{Program, Step},
    refusals::{Refusal, Respelled},
    spelling::Transformation,
};

/// The most spellings of a smaller program that are tried.
const TRIES: u64 = 12;

/// The failure with steps, operands and given sizes left out as long as the mismatch stays.
pub fn shrunk(failure: &Failure) -> Failure {
    let mut best = failure.clone();
    while let Some(smaller) =
        candidates(&best.program).into_iter().find_map(|program| find(best.kind, &program))
    {
        best = smaller;
    }
    best
}

/// Looks for a mismatch of this kind in a program.
fn find(kind: Kind, program: &Program) -> Option<Failure> {
    let is_kind = |failure: &Failure| failure.kind == kind;
    let spelled = |transformation: Transformation| {
        let plain = Plain::new(program).ok()?;
        let mut tries =
            (0..TRIES).map(|seed| plain.spelled(transformation, &mut Generator::new(seed, 0)));
        tries.find_map(|spelled| match spelled {
            Spelled::Failed(failure) => Some(*failure).filter(is_kind),
            _ => None,
        })
    };
    let refused = |transformation: Transformation| {
        let refusal = Refusal::new(program)?;
        let mut tries =
            (0..TRIES).map(|seed| refusal.spelled(transformation, &mut Generator::new(seed, 0)));
        tries.find_map(|spelled| match spelled {
            Respelled::Failed(failure) => Some(*failure).filter(is_kind),
            _ => None,
        })
    };
    let plain = |check: fn(&Plain<'_>) -> Option<Failure>| {
        check(&Plain::new(program).ok()?).filter(is_kind)
    };
    match kind {
        Kind::Refused(of) => spelled(of).or_else(|| refused(of)),
        Kind::Shapes(of) | Kind::Markers(of) | Kind::Codes(of) => spelled(of),
        Kind::Accepted(of) | Kind::RefusalCode(of) => refused(of),
        Kind::Judge | Kind::JudgeUnknown | Kind::NotWithin => plain(|plain| plain.judged().err()),
        Kind::Twice | Kind::Twins => plain(|plain| plain.twice().err()),
        Kind::Nest => plain(|plain| plain.nests().err()),
        Kind::Reading => plain(|plain| plain.reading().err()),
        Kind::Apart => apart::check(program).err(),
        // What refused steps leave behind, and threads and panics, are shown as they were drawn.
        Kind::Trace | Kind::Threads | Kind::Panic => None,
    }
}

/// Programs that are smaller, those with fewer steps first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut all = vec![];
    for place in (0..program.steps.len()).rev() {
        all.push(program.retain(|other| other != place));
    }
    for place in (0..program.steps.len()).rev() {
        all.extend(bypassed(program, place));
    }
    for place in 0..program.steps.len() {
        let mut less = program.clone();
        match &mut less.steps[place] {
            Step::Pointwise(_, operands) if operands.len() > 1 => {
                for left_out in 0..operands.len() {
                    let mut less = program.clone();
                    if let Step::Pointwise(_, operands) = &mut less.steps[place] {
                        operands.remove(left_out);
                    }
                    all.push(less);
                }
            }
            Step::Einsum(einsum) if !einsum.sizes.is_empty() => {
                einsum.sizes.pop();
                all.push(less);
            }
            _ => {}
        }
    }
    all
}

/// The program without an operation: what uses it uses its first operand.
fn bypassed(program: &Program, place: usize) -> Option<Program> {
    let step = &program.steps[place];
    let instead = *step.uses().first().filter(|_| step.is_operation())?;
    let mut without = program.clone();
    for later in &mut without.steps[place + 1..] {
        let names_it = matches!(later, Step::Set(..) | Step::Equal(_) | Step::Scale(..));
        if names_it {
            continue; // goes with it
        }
        later
            .uses_mut()
            .into_iter()
            .filter(|used| **used == place)
            .for_each(|used| *used = instead);
    }
    Some(without.retain(|other| other != place))
}
