//! The index of an axis while certain loops run.

use smallvec::SmallVec;

use super::super::{
    index::{Affine, Concat, Digit, Index, LoopId, Term},
    record::AxisMap,
};

/// An index while certain loops run: a sum of multiples of loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Linear {
    pub(super) terms: SmallVec<[(i64, LoopId); 2]>,
    /// Wide enough for an index that is moved by a multiple of a loop's value.
    pub(super) offset: i128,
    /// Whether something is added that is supplied when the program runs, or an open size.
    pub(super) supplied: bool,
    /// For an axis whose size is open, the part that runs; positions are then those of the part.
    pub(super) part: Option<LoopId>,
}

/// The index of an axis while these loops run; `None` if it needs another.
pub(super) fn linear(axis: &AxisMap, chosen: &[bool]) -> Option<Linear> {
    let runs = |id: &LoopId| chosen[id.0 as usize];
    let constant =
        |offset: i128| Linear { terms: SmallVec::new(), offset, supplied: false, part: None };
    let of_loop = |id: LoopId, offset: i128| Linear {
        terms: [(1, id)].into_iter().collect(),
        ..constant(offset)
    };
    match &axis.index {
        Index::Iter(id) => runs(id).then(|| of_loop(*id, 0)),
        Index::Fix(position) => Some(constant(i128::from(*position))),
        // Where merged ones are, is not known here: they and digits are replaced first.
        Index::Symbol(_) | Index::Merged(_) => Some(Linear { supplied: true, ..constant(0) }),
        Index::Affine(Affine { terms, offset }) => {
            let mut made = constant(i128::from(*offset));
            for (coefficient, term) in terms {
                match term {
                    Term::Loop(id) if !runs(id) => return None,
                    Term::Loop(id) => made.terms.push((*coefficient, *id)),
                    Term::Symbol(_) | Term::Size(_) => made.supplied = true,
                }
            }
            Some(made)
        }
        Index::Concat(Concat { parts, .. }) => {
            let (id, offset) = parts.iter().find(|(id, _)| runs(id))?;
            Some(if axis.is_open() {
                Linear { part: Some(*id), ..of_loop(*id, 0) }
            } else {
                of_loop(*id, i128::from(offset.number))
            })
        }
        Index::Digit(Digit { of, .. }) => {
            runs(of).then(|| Linear { supplied: true, ..constant(0) })
        }
    }
}
