//! Coverage and decisions, against counting the writes of every cell.

use anyhow::ensure;
use lozenge_project::{Budget, Decision, Index, Record, Slot, Statement, Write, decide};

use crate::mismatch::counts;

use super::{
    plain::int,
    sound::{indices, is_live, is_moved},
};

counts! {
    /// Counts of maps that were compared, and of what closed forms alone could not say.
    pub struct Covered {
        pub maps: u64,
        pub bijective: u64,
        pub injective: u64,
        pub onto: u64,
        pub skipping: u64,
        /// Of closed forms only: injective, onto, cells, points not known.
        pub unknown: [u64; 4],
    }
}

/// Compares every slot of a record.
pub(super) fn check(record: &Record, symbols: &[u64], covered: &mut Covered) -> anyhow::Result<()> {
    let sizes = |slot: Slot| record.map(slot).iter().map(|axis| int(axis.size));
    let cells = |slot: Slot| usize::try_from(sizes(slot).product::<u64>()).unwrap_or(0);
    let mut writes: Vec<Vec<u64>> = record.slots().map(|slot| vec![0; cells(slot)]).collect();
    let mut skipped = false;
    record.for_each_point(symbols, &mut |point| {
        let found = indices(record, point.loops, symbols);
        if !is_live(record, &found) {
            skipped = true;
            return;
        }
        for ((slot, indices), writes) in record.slots().zip(&found).zip(&mut writes) {
            if let Some(indices) = indices {
                let cell = indices.iter().zip(sizes(slot)).fold(0, |cell, (index, size)| {
                    cell * usize::try_from(size).unwrap_or(0) + usize::try_from(*index).unwrap_or(0)
                });
                writes[cell] += 1;
            }
        }
    });
    // Where an index that is supplied meets a margin, or other parts, only the caller can know.
    let mut axes = record.slots().flat_map(|slot| record.map(slot));
    let moved = axes.any(|axis| is_moved(&axis.index) && !matches!(axis.index, Index::Symbol(_)));
    for (slot, writes) in record.slots().zip(writes) {
        let injective = writes.iter().all(|count| *count <= 1);
        let onto = writes.iter().all(|count| *count >= 1);
        let reached = writes.iter().filter(|count| **count > 0).count() as u128;
        let points = u128::from(writes.iter().sum::<u64>());
        let told = record.coverage(slot, Budget::default());
        ensure!(
            told.injective.map_or(moved, |told| told == injective)
                && told.onto.map_or(moved, |told| told == onto)
                && told.cells.map_or(moved, |told| told == reached)
                && told.points.map_or(moved, |told| told == points),
            "{slot:?} of {record}: {told:?} instead of {injective} {onto} {reached} {points}"
        );
        let closed = record.coverage(slot, Budget::of_points(0));
        ensure!(
            closed.injective.is_none_or(|told| told == injective)
                && closed.onto.is_none_or(|told| told == onto)
                && closed.cells.is_none_or(|told| told == reached)
                && closed.points.is_none_or(|told| told == points),
            "{slot:?} of {record}: by closed forms {closed:?} instead of {injective} {onto} {reached} {points}"
        );
        let unknown = [
            closed.injective.is_none(),
            closed.onto.is_none(),
            closed.cells.is_none(),
            closed.points.is_none(),
        ];
        covered.unknown.iter_mut().zip(unknown).for_each(|(all, one)| *all += u64::from(one));
        // A cell is cleared unless the one write to it is all there is.
        let write = if injective { Write::Store } else { Write::Accumulate };
        let erasing = Decision::new(writes.iter().any(|count| *count != 1), write);
        let accumulating = Decision::new(false, Write::Accumulate);
        for (statement, expected) in
            [(Statement::Erasing, erasing), (Statement::Accumulating, accumulating)]
        {
            let decided = decide(statement, told.injective, told.onto);
            ensure!(
                moved || decided == expected,
                "{slot:?} of {record}: {statement:?} {decided:?}"
            );
        }
        covered.maps += 1;
        covered.injective += u64::from(injective);
        covered.onto += u64::from(onto);
        covered.bijective += u64::from(injective && onto);
        covered.skipping += u64::from(skipped);
    }
    Ok(())
}
