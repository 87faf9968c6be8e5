//! Rows of one operation that do not broadcast, aligned as the order aligns them.

use lozenge_calculus::{
    constraint::{Constraint, Relation, SizeRelation},
    dim::Dim,
    row::Flanks,
    size::Size,
    term::RowTerm,
};
use lozenge_diagnostic::Diagnostic;

use crate::{Inference, Kind, SchemePart, session::step::StepId};

use super::{
    clash::{Clash, Side},
    help,
    listing::Listing,
    why, words,
};

/// The most operands that each operand of one operation is compared with.
const MOST_COMPARED: usize = 64;

/// Finds two axes that do not fit in the inequalities of a step.
pub(super) fn explain(
    inference: &Inference,
    listing: &mut Listing<'_>,
    step: StepId,
    batch: &[Constraint],
) -> Option<Diagnostic> {
    let rows = rows(inference, step, batch);
    let clashes = rows.iter().enumerate().flat_map(|(i, (result, low, side))| {
        // The result is an operand itself: what the first takes, the second gives.
        let composed = low.as_ref().and_then(|low| below(low, side));
        let others = rows[..i].iter().rev().take(MOST_COMPARED);
        // Rows without axes are alike, and not the same row.
        let others = others.filter(move |(other, ..)| other == result && result.var.is_some());
        composed.into_iter().chain(others.filter_map(|(.., other)| beside(other, side)))
    });
    if let Some(clash) = first_of(clashes) {
        let mut said = words::does_not_fit(inference, listing, step, &clash);
        for (side, axis, dim) in &clash.sides {
            said = why::provenance(inference, listing, said, side, *axis, *dim);
        }
        let helps = help::broadcast(inference, step, listing, &clash);
        said.helps.splice(0..0, helps);
        return Some(said);
    }
    // Too many axes for what takes them, or is written.
    let written = |result: &RowTerm| {
        let is_written = |side: &Side| inference.program.copied(step) == Some(side.operand);
        rows.iter().find(|(own, _, side)| own == result && is_written(side)).map(|(.., side)| side)
    };
    rows.iter().find_map(|(result, low, side)| {
        let low = low.as_ref().or_else(|| written(result))?;
        let (takes, gives) = (&low.row, &side.row);
        (takes.var.is_none() && gives.flanks.rank() > takes.flanks.rank()).then(|| {
            let counts = [takes.flanks.rank(), gives.flanks.rank()];
            let said = words::takes_fewer(inference, listing, step, low, side, counts);
            let helps = help::composed(inference, step);
            helps.into_iter().fold(said, Diagnostic::help)
        })
    })
}

/// The row inequalities of a step, and what is stretched: the result's row as it was given, the
/// same as an operand's row if it is one, and the operand's row.
fn rows(
    inference: &Inference,
    step: StepId,
    batch: &[Constraint],
) -> Vec<(RowTerm, Option<Side>, Side)> {
    let program = &inference.program;
    let operands = program.operands_of(step);
    let side = |operand: usize, kind| {
        let tensor = *operands.get(operand)?;
        let row = inference.solver.resolved_row(&program.row(tensor, kind));
        Some(Side { operand, tensor, kind, row, is_equal: false, stretches: false })
    };
    let row = |constraint: &Constraint| {
        let result = match &constraint.relation {
            Relation::RowIneq(result, _) => result,
            Relation::RowEq(first, second) => {
                // Which operand's row the other side is, if it is one.
                let SchemePart::Row { operand, kind } = program.origin(constraint.origin).1 else {
                    return None;
                };
                let high = side(operand.into(), kind)?;
                let own = program.row(high.tensor, kind);
                let other = if *first == own { second } else { first };
                if program.copied(step) == Some(operand.into()) {
                    return Some((other.clone(), None, high)); // the result's row is this one
                }
                let rows =
                    (0..operands.len()).flat_map(|place| Kind::ALL.map(|kind| (place, kind)));
                let low = rows.into_iter().find(|(place, of)| {
                    (*place, *of) != (usize::from(operand), kind)
                        && program.row(operands[*place], *of) == *other
                });
                let low = low.and_then(|(place, of)| side(place, of))?;
                // The sides of an equality are alike: what is closed, or shorter, is the lower one.
                let key = |side: &Side| (side.row.var.is_some(), side.row.flanks.rank());
                let (low, high) = if key(&high) < key(&low) { (high, low) } else { (low, high) };
                return Some((other.clone(), Some(Side { is_equal: true, ..low }), high));
            }
            Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => return None,
        };
        let (low, (operand, kind)) = match program.origin(constraint.origin).1 {
            SchemePart::Row { operand, kind } => (None, (operand, kind)),
            SchemePart::Between { low, high } => (Some(low), high),
            SchemePart::Axis { .. } | SchemePart::Name(_) | SchemePart::Whole => return None,
        };
        let low = low.and_then(|(operand, kind)| side(operand.into(), kind));
        Some((result.clone(), low, side(operand.into(), kind)?))
    };
    let stretched = |constraint: &Constraint| {
        let Relation::Size(SizeRelation::Stretch { result, operands: rows }) = &constraint.relation
        else {
            return vec![];
        };
        let places = (0..operands.len()).flat_map(|place| Kind::ALL.map(|kind| (place, kind)));
        let own =
            places.filter(|(place, kind)| rows.contains(&program.row(operands[*place], *kind)));
        let own = own.filter_map(|(place, kind)| side(place, kind));
        own.map(|own| (result.clone(), None, Side { stretches: true, ..own })).collect()
    };
    batch.iter().flat_map(|asked| row(asked).into_iter().chain(stretched(asked))).collect()
}

/// Two rows that are broadcast to one result.
fn beside(first: &Side, second: &Side) -> Option<Clash> {
    let rank = first.row.flanks.rank().max(second.row.flanks.rank());
    let closed = first.row.var.is_none() && second.row.var.is_none();
    let pairs = pairs(&first.row, &second.row, closed.then_some(rank));
    let clash = |(a, b): (usize, usize)| {
        let (one, two) = (atom(&first.row, a)?, atom(&second.row, b)?);
        let sides = [(first.clone(), a, one), (second.clone(), b, two)];
        let is_stretched = first.stretches && [one, two].iter().any(|dim| dim.size() == Size::ONE);
        let clashes = one != two && !is_stretched;
        clashes.then_some(Clash { sides, composed: false, others: false })
    };
    first_of(pairs.into_iter().filter_map(clash))
}

/// The first clash of two sizes, else the first of two bases, and whether there are others: which
/// of several is told does not depend on the order of operands, but for the sizes themselves.
fn first_of(clashes: impl Iterator<Item = Clash>) -> Option<Clash> {
    let mut clashes: Vec<Clash> = clashes.collect();
    let others = clashes.len() > 1 || clashes.iter().any(|clash| clash.others);
    let of_sizes = clashes.iter().position(Clash::is_of_sizes);
    let first = of_sizes.or((!clashes.is_empty()).then_some(0))?;
    Some(Clash { others, ..clashes.swap_remove(first) })
}

/// A row that takes what another gives.
fn below(low: &Side, high: &Side) -> Option<Clash> {
    let (rank, gives) = (low.row.flanks.rank(), high.row.flanks.rank());
    if low.row.var.is_none() && gives > rank {
        return None;
    }
    // Closed, it is flat: the other is widened to its rank.
    let rank = (low.row.var.is_none() && high.row.var.is_none()).then_some(rank);
    let clash = |(a, b): (usize, usize)| {
        let one = low.row.flanks.flat().get(a)?.ground()?;
        let two = atom(&high.row, b)?;
        let sides = [(low.clone(), a, one), (high.clone(), b, two)];
        let composed = !low.is_equal;
        (one != two).then_some(Clash { sides, composed, others: false })
    };
    first_of(pairs(&low.row, &high.row, rank).into_iter().filter_map(clash))
}

/// The atom at an axis, if there is one.
fn atom(row: &RowTerm, axis: usize) -> Option<Dim> {
    row.flanks.flat().get(axis)?.ground().filter(|dim| dim.is_atom())
}

/// Which axes of two rows stand at the same place: at this rank, or as far as their flanks reach.
fn pairs(first: &RowTerm, second: &RowTerm, rank: Option<usize>) -> Vec<(usize, usize)> {
    if let Some(rank) = rank {
        let number = |row: &RowTerm| {
            let mut count = 0;
            let numbers = row.flanks.map(|_| {
                count += 1;
                count - 1
            });
            move |i: usize| Flanks::expanded_at(&numbers, rank, i).copied()
        };
        let (one, two) = (number(first), number(second));
        return (0..rank).filter_map(|i| one(i).zip(two(i))).collect();
    }
    let lens = |row: &RowTerm| (row.flanks.lead().len(), row.flanks.trail().len());
    let ((lead, trail), (other_lead, other_trail)) = (lens(first), lens(second));
    let (ranks, others) = (lead + trail, other_lead + other_trail);
    let front = (0..lead.min(other_lead)).map(|i| (i, i));
    let back = (1..=trail.min(other_trail)).map(|i| (ranks - i, others - i));
    front.chain(back).collect()
}
