//! Random steps of programs.

use fastrand::Rng;
use lozenge::{Rejection, Session, Tensor};

/// A step, with its operands by their places.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Number,
    Data(String),
    Unknown,
    Parameter,
    Pointwise(Vec<usize>),
    Compose([usize; 2]),
    Transpose([usize; 1]),
    Einsum(&'static str, Vec<(&'static str, u64)>, Vec<usize>),
}

/// Specifications with what may be set of them.
const SPECS: &[(&str, &[&str])] = &[
    ("...|...->... => ...|...->...", &[]),
    ("... => ...", &[]),
    ("...|i->o => ...|o->i", &[]),
    ("...|...->...i => ...|...->...", &[]),
    ("...|...->... => ...|...->0...", &[]),
    ("...|...->... => 0", &[]),
    ("...i => i...", &[]),
    ("i... => ...i", &[]),
    ("i...j => j...i", &["i", "j"]),
    ("ij => ji", &["i"]),
    ("ij => i", &[]),
    ("i => ii", &[]),
    ("i => i0", &["i"]),
    ("i => i1", &[]),
    ("... i => ... 2*i", &[]),
    ("o<+k => o", &["k"]),
    ("o=+k => o", &["k"]),
    ("a^b => a", &["a"]),
    ("(h w) => h w", &["h"]),
    ("h w => (h w)", &[]),
    ("ij; jk => ik", &["k"]),
    ("...i; ...i => ...", &[]),
    ("...|i; ...|i => ...|i", &[]),
    ("...|h->o; ...|i->h => ...|i->o", &[]),
    ("i; j => ij", &[]),
    ("..r..; ..r.. => ..r..", &[]),
    ("i..r..; ..r.. => ..r..i", &[]),
    ("a; b => a^b", &[]),
    ("a, ...; b, ... => a^b, ...", &[]),
    ("o<+k; k => o", &[]),
    ("ij; jk; kl => il", &["j"]),
];

const SHAPES: &[&str] = &[
    "2",
    "3",
    "4",
    "2,3",
    "3,4",
    "4,3",
    "2,3,4",
    "2|3",
    "2|3->4",
    "3->4",
    "4->3",
    "3->3",
    "1_",
    "3_rgb",
    "_",
    "_,3",
    "...",
    "...,3",
    "2,...",
    "...|3",
    "...|...->...",
    "...->2",
    "n",
    "n|3",
    "6",
    "2|6",
    "",
    "3,...,4",
    "_->_",
];

/// A step on those that come before.
pub(crate) fn draw_step(rng: &mut Rng, before: &[Step]) -> Step {
    if before.len() < 2 || rng.u8(..8) == 0 {
        return match rng.u8(..10) {
            0 => Step::Number,
            1..=2 => Step::Unknown,
            3 => Step::Parameter,
            _ => Step::Data(SHAPES[rng.usize(..SHAPES.len())].to_owned()),
        };
    }
    // Recent ones more often: programs are deep.
    let mut operand = || {
        let back = rng.usize(..before.len()).min(rng.usize(..before.len()));
        before.len() - 1 - back
    };
    let some = [operand(), operand(), operand()];
    match rng.u8(..10) {
        0..=3 => Step::Pointwise(some[..rng.usize(1..=3)].to_vec()),
        4..=5 => Step::Compose([some[0], some[1]]),
        6 => Step::Transpose([some[0]]),
        _ => {
            let (spec, names) = SPECS[rng.usize(..SPECS.len())];
            let operands = some[..=spec.matches(';').count()].to_vec();
            let mut sets = vec![];
            for name in names {
                if rng.bool() {
                    sets.push((*name, rng.u64(2..=4)));
                }
            }
            Step::Einsum(spec, sets, operands)
        }
    }
}

impl Step {
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Step::Number | Step::Data(_) | Step::Unknown | Step::Parameter)
    }

    pub(crate) fn operands(&self) -> &[usize] {
        match self {
            Step::Number | Step::Data(_) | Step::Unknown | Step::Parameter => &[],
            Step::Pointwise(operands) | Step::Einsum(_, _, operands) => operands,
            Step::Compose(operands) => operands,
            Step::Transpose(operands) => operands,
        }
    }

    /// Applies it to tensors of all steps before.
    pub(crate) fn apply(
        &self,
        session: &mut Session,
        tensors: &[Tensor],
    ) -> Result<Tensor, Rejection> {
        let operands: Vec<Tensor> = self.operands().iter().map(|place| tensors[*place]).collect();
        self.apply_to(session, &operands)
    }

    /// Applies it to its operands.
    pub(crate) fn apply_to(
        &self,
        session: &mut Session,
        operands: &[Tensor],
    ) -> Result<Tensor, Rejection> {
        match self {
            Step::Number => Ok(session.number(2.5)),
            Step::Data(shape) => session.data("data", shape),
            Step::Unknown => Ok(session.unknown("unknown")),
            Step::Parameter => Ok(session.parameter("parameter")),
            Step::Pointwise(_) => session.pointwise("f", operands),
            Step::Compose(_) => session.compose(operands[0], operands[1]),
            Step::Transpose(_) => session.transpose(operands[0]),
            Step::Einsum(spec, sets, _) => session.einsum_with(spec, sets, operands),
        }
    }
}
