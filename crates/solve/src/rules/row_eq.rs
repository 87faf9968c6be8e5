//! The row equality rules.

use core::cmp::Ordering;

use crate::{
    reading::view::Side,
    rules::step::{Rest, RowStep, RowVerdict},
    tables::{
        list::Tables,
        node::Status,
        rule::{Class, Rule},
    },
};

/// `R₁ ≈ R₂`, with `l`, `r` the flanks of an open side and `F` the flat content of a closed one.
///
/// ```text
///  |F₁| = |F₂|                                 |l| + |r| ≤ |F|
/// ─────────────────────── RE-closed           ──────────────────────────────── RE-open-closed
///  F₁ ≈ F₂   F₁[i] = F₂[i]                     l⟨ρ⟩r ≈ F   ρ ↦ middle of F
///
///  R₂ has the longer flank on both sides      each has one longer flank
/// ─────────────────────────────────── RE-nested   ─────────────────────── RE-cross
///  ⟨ρ⟩ ≈ s⟨σ⟩t   ρ ↦ s⟨σ⟩t                     s⟨ρ⟩ ≈ ⟨σ⟩t   defer
///
/// ───────────── RE-same-empty   ────────────────── RE-same-occurs   ─────────────────── RE-same-rot
///  ⟨ρ⟩ ≈ ⟨ρ⟩ ✓                   ⟨ρ⟩ ≈ s⟨ρ⟩t  fail                   s⟨ρ⟩ ≈ ⟨ρ⟩t  defer
/// ```
///
/// The content of every binding is entailed; where its marker stands is not. So `RE-open-closed`
/// with something in the middle or with the marker elsewhere and `RE-nested` are policy steps.
pub(crate) fn row_eq(tables: &Tables, left: Side, right: Side) -> RowVerdict {
    let semantic =
        |rule, front, back, step| RowVerdict { rule, class: Class::Semantic, front, back, step };
    match (left.var, right.var) {
        (None, None) if left.rank() == right.rank() => {
            semantic(Rule::ReClosed, left.rank(), 0, RowStep::Discard)
        }
        (None, None) => semantic(Rule::ReClosed, 0, 0, RowStep::Fail),
        (Some(_), None) => open_closed(left, right, Rest::Right),
        (None, Some(_)) => open_closed(right, left, Rest::Left),
        (Some(l), Some(r)) => {
            let (front, back) = (left.lead.min(right.lead), left.trail.min(right.trail));
            let leads = left.lead.cmp(&right.lead);
            let trails = left.trail.cmp(&right.trail);
            let keep =
                RowStep::Keep { status: Status::DeferredEq, watch_left: l != r, watch_right: true };
            let nested = |var, to| RowVerdict {
                rule: Rule::ReNested,
                class: Class::Policy,
                front,
                back,
                step: RowStep::Bind { var, to },
            };
            match (leads, trails) {
                (Ordering::Equal, Ordering::Equal) if l == r => {
                    semantic(Rule::ReSameEmpty, front, back, RowStep::Discard)
                }
                _ if l == r && left.rank() != right.rank() => {
                    semantic(Rule::ReSameOccurs, 0, 0, RowStep::Fail)
                }
                _ if l == r => semantic(Rule::ReSameRot, front, back, keep),
                // Nothing is left on either side: either variable may become the other.
                (Ordering::Equal, Ordering::Equal) if tables.rows.is_lesser(l, r) => {
                    nested(l, Rest::Right)
                }
                (Ordering::Equal, Ordering::Equal) => nested(r, Rest::Left),
                (Ordering::Less | Ordering::Equal, Ordering::Less | Ordering::Equal) => {
                    nested(l, Rest::Right)
                }
                (Ordering::Greater | Ordering::Equal, Ordering::Greater | Ordering::Equal) => {
                    nested(r, Rest::Left)
                }
                (Ordering::Less, Ordering::Greater) | (Ordering::Greater, Ordering::Less) => {
                    semantic(Rule::ReCross, front, back, keep)
                }
            }
        }
    }
}

/// `RE-open-closed`, where `rest` says on which side the closed row stands.
fn open_closed(open: Side, closed: Side, rest: Rest) -> RowVerdict {
    let rule = Rule::ReOpenClosed;
    let (front, back) = (open.lead, open.trail);
    match (open.var, closed.rank().cmp(&open.rank())) {
        (None, _) | (_, Ordering::Less) => {
            RowVerdict { rule, class: Class::Semantic, front: 0, back: 0, step: RowStep::Fail }
        }
        (Some(var), Ordering::Equal) => {
            let class = if open.lead == closed.lead { Class::Semantic } else { Class::Policy };
            RowVerdict { rule, class, front, back, step: RowStep::Close(var) }
        }
        (Some(var), Ordering::Greater) => {
            let step = RowStep::Bind { var, to: rest };
            RowVerdict { rule, class: Class::Policy, front, back, step }
        }
    }
}
