//! The dimension rules. All are semantic.

use crate::{
    reading::order::closes_cycle,
    rules::step::DimStep,
    tables::{ids::DimNode, list::Tables, node::DimRef, rule::Rule},
};

/// `t₁ = t₂`.
///
/// ```text
/// ───────── DE-refl      ──────────────── DE-clash      ───────────── DE-bind
///  t = t ✓                n_b = m_c  fail                α = t  α ↦ t
/// ```
pub(crate) fn dim_eq(tables: &Tables, left: DimRef, right: DimRef) -> (Rule, DimStep) {
    match (left.as_node(), right.as_node()) {
        _ if left == right => (Rule::DeRefl, DimStep::Discard),
        (None, None) => (Rule::DeClash, DimStep::Fail),
        (Some(var), None) => (Rule::DeBind, DimStep::Bind(var, right)),
        (None, Some(var)) => (Rule::DeBind, DimStep::Bind(var, left)),
        (Some(l), Some(r)) => (Rule::DeBind, unite(tables, l, r)),
    }
}

/// Of two variables that are equal, either may be bound to the other. The one with fewer bounds is,
/// so that bounds move rarely; among equals the newer one.
fn unite(tables: &Tables, left: DimNode, right: DimNode) -> DimStep {
    let weight = |var| (tables.dims.degree(var), core::cmp::Reverse(var));
    if weight(left) < weight(right) {
        DimStep::Bind(left, DimRef::node(right))
    } else {
        DimStep::Bind(right, DimRef::node(left))
    }
}

/// `t_res ⊑ t_op`.
///
/// ```text
///                                            d ≠ d', d' an atom
/// ────────── DI-top    ───────── DI-refl    ──────────────────── DI-ground
///  t ⊑ 1_∅ ✓            t ⊑ t ✓              d ⊑ d'   fail
///
///  d an atom                                   d an atom, lb(α) unset or d or another
/// ─────────────── DI-pin   ──────────────── DI-pin-top   ────────────────────────────── DI-cap
///  α ⊑ d   α ↦ d            1_∅ ⊑ α   α ↦ 1_∅             d ⊑ α   record, discard, α ↦ 1_∅
///
///  no path of adjacencies from β to α             a path of adjacencies from β to α
/// ──────────────────────────────────── DI-adj    ────────────────────────────────── DI-antisym
///  α ⊑ β   record on both                         α ⊑ β   all on it become one
/// ```
pub(crate) fn dim_ineq(tables: &Tables, result: DimRef, operand: DimRef) -> (Rule, DimStep) {
    match (result.as_node(), operand.as_node()) {
        _ if operand == DimRef::UNIT => (Rule::DiTop, DimStep::Discard),
        _ if result == operand => (Rule::DiRefl, DimStep::Discard),
        (None, None) => (Rule::DiGround, DimStep::Fail),
        (Some(var), None) => (Rule::DiPin, DimStep::Bind(var, operand)),
        (None, Some(var)) if result == DimRef::UNIT => {
            (Rule::DiPinTop, DimStep::Bind(var, DimRef::UNIT))
        }
        (None, Some(var)) => match tables.dims.cap(var) {
            None => (Rule::DiCap, DimStep::Cap(var)),
            Some(cap) if cap.atom == result => (Rule::DiCap, DimStep::Discard),
            Some(_) => (Rule::DiCap, DimStep::Collapse(var)),
        },
        (Some(low), Some(high)) if closes_cycle(&tables.dim_graph(), low, high) => {
            (Rule::DiAntisym, DimStep::Unite(low, high))
        }
        (Some(_), Some(_)) => (Rule::DiAdj, DimStep::Adjoin),
    }
}
