//! The row inequality rules. All are semantic.

use crate::{
    reading::{order::closes_cycle, view::Side},
    rules::step::{RowStep, RowVerdict},
    tables::{
        ids::RowNode,
        list::Tables,
        node::Status,
        rule::{Class, Rule},
    },
};

/// `R_res ⊑ R_op`. Let a, b be the lengths of the result's flanks and a′, b′ those of the
/// operand's.
///
/// ```text
///  a closed result is flat: it is split as the operand is
///
///  n < a′ + b′                        n ≥ a′ + b′
/// ───────────── RI-short-closed      ──────────────────────────────────────────── RI-closed-op
///  F ⊑ R   fail                       F ⊑ l′◊r′   l′, r′ from the outer edges, rest free
///
///  a ≥ a′, b ≥ b′, rest m⟨ρ⟩m′ or m   nothing but the two variables is left
/// ────────────────────────── RI-cap  ────────────────────────── RI-adj, or RI-antisym in a cycle
///  R ⊑ l′⟨σ⟩r′   rest ⊑ σ             ρ ⊑ σ   record; in a cycle, all on it become one
///
///  a ≤ a′, b ≤ b′, one of them less   one flank too short, the other too long, k = a′+b′−a−b
/// ─────────────────────── RI-deficit ─────────────────────────────────────────────── RI-shift
///  ρ grows a′−a and b′−b axes         the short flank of ρ grows k axes; if k ≤ 0, defer
///
///  the same variable on both sides
/// ──────────────────────────────────────── RI-self
///  m⟨ρ⟩m′ ⊑ ρ   a cap on itself; shifted, defer
/// ```
///
/// A cap with nothing in it says that the operand's variable is empty, as `DI-pin-top` does for
/// dimensions: the empty row refines only itself.
///
/// An axis that grows against an atom of the operand is that atom: nothing else refines it.
///
/// DIVERGENCE(RI-shift): the formal notes grow each flank by its own deficit. That need not end, as
/// `⟨ρ⟩[3] ⊑ [3]⟨ρ⟩` shows, and is not entailed by ranks; growing by the total deficit is.
pub(crate) fn row_ineq(tables: &Tables, result: Side, operand: Side) -> RowVerdict {
    let verdict =
        |rule, front, back, step| RowVerdict { rule, class: Class::Semantic, front, back, step };
    let Some(var) = result.var else {
        return closed_result(result, operand);
    };
    let (front, back) = (result.lead.min(operand.lead), result.trail.min(operand.trail));
    let short_lead = operand.lead.saturating_sub(result.lead);
    let short_trail = operand.trail.saturating_sub(result.trail);
    let spare_lead = result.lead.saturating_sub(operand.lead);
    let spare_trail = result.trail.saturating_sub(operand.trail);
    let (spare, short) = (spare_lead + spare_trail, short_lead + short_trail);
    let own = operand.var == Some(var);
    let defer = RowStep::Keep {
        status: Status::DeferredIneq,
        watch_left: !own,
        watch_right: operand.var.is_some(),
    };
    let grow = |lead, trail| RowStep::Grow { var, lead, trail };
    match (operand.var, short, spare) {
        (None, 0, _) => verdict(Rule::RiClosedOp, front, back, RowStep::Discard),
        (Some(_), 0, 0) if own => verdict(Rule::RiSelf, front, back, RowStep::Discard),
        (Some(_), 0, _) if own => verdict(Rule::RiSelf, front, back, keep_cap()),
        (Some(high), 0, 0) => adjacent(tables, var, high, front, back),
        (Some(_), 0, _) => verdict(Rule::RiCap, front, back, keep_cap()),
        // The rank of a variable is not more than itself: only met when ranks are not decided.
        (Some(_), short, spare) if own && short > spare => {
            verdict(Rule::RiSelf, 0, 0, RowStep::Fail)
        }
        (Some(_), _, _) if own => verdict(Rule::RiSelf, front, back, defer),
        (_, _, 0) => verdict(Rule::RiDeficit, front, back, grow(short_lead, short_trail)),
        (_, short, spare) if short > spare => {
            let total = short - spare;
            let step = if short_lead > 0 { grow(total, 0) } else { grow(0, total) };
            verdict(Rule::RiShift, front, back, step)
        }
        (_, _, _) => verdict(Rule::RiShift, front, back, defer),
    }
}

fn closed_result(result: Side, operand: Side) -> RowVerdict {
    let verdict = |rule, step| {
        let (front, back) = (operand.lead, operand.trail);
        RowVerdict { rule, class: Class::Semantic, front, back, step }
    };
    match (operand.var, result.rank().checked_sub(operand.rank())) {
        (_, None) => {
            let (rule, step) = (Rule::RiShortClosed, RowStep::Fail);
            RowVerdict { rule, class: Class::Semantic, front: 0, back: 0, step }
        }
        (None, Some(_)) => verdict(Rule::RiClosedOp, RowStep::Discard),
        (Some(var), Some(0)) => verdict(Rule::RiCap, RowStep::Close(var)),
        (Some(_), Some(_)) => verdict(Rule::RiCap, keep_cap()),
    }
}

/// `RI-adj` or, where it closes a cycle, `RI-antisym`.
fn adjacent(tables: &Tables, low: RowNode, high: RowNode, front: usize, back: usize) -> RowVerdict {
    let (rule, step) = if closes_cycle(&tables.row_graph(), low, high) {
        (Rule::RiAntisym, RowStep::Unite(low, high))
    } else {
        let status = Status::Adjacent;
        (Rule::RiAdj, RowStep::Keep { status, watch_left: true, watch_right: true })
    };
    RowVerdict { rule, class: Class::Semantic, front, back, step }
}

/// A cap is asked again when the operand's variable is bound; what the result's becomes does not
/// matter to it before.
fn keep_cap() -> RowStep {
    RowStep::Keep { status: Status::Cap, watch_left: false, watch_right: true }
}
