//! Lemma 7.7 on random programs, and what must hold of their records; and that a reshape has none.

use anyhow::ensure;
use fastrand::Rng;
use lozenge::diagnostic::Code;
use lozenge_core::{project::Record, size::SizeKind};

use super::{Found, cover, sound};
use crate::programs;

pub(super) fn check(rng: &mut Rng, found: &mut Found) -> anyhow::Result<()> {
    let drawn = programs::draw(rng, &mut programs::Counts::default());
    let order: Vec<usize> = (0..drawn.steps.len()).collect();
    let mut built = programs::build(&drawn.steps, &order)?;
    let mut reshapes = vec![];
    for _ in 0..rng.usize(..3) {
        let of = built.tensors[rng.usize(..built.tensors.len())];
        reshapes.extend(built.session.reshape(of).ok());
    }
    let Ok(closed) = built.session.close() else { return Ok(()) };
    found.programs += 1;
    let said = || drawn.text();
    let mut each = |record: &Record| {
        if is_small(record) {
            found.points += sound::check(record, &[])?;
            cover::check(record, &[], &mut found.covered_programs)?;
        }
        Ok(())
    };
    let nests = programs::check_nests(&drawn, &built, &closed, &mut each);
    found.nests.add(nests.map_err(|error| error.context(said()))?);
    for reshape in reshapes {
        match built.session.record(&closed, reshape) {
            Ok(record) => {
                // Of one element without axes to one element without axes there is nothing to place.
                let has_axes = record.slots().any(|slot| !record.map(slot).is_empty());
                ensure!(!has_axes, "{}\na reshape has {record}", said());
            }
            Err(rejection) => {
                let diagnostic = &rejection.diagnostics[0];
                ensure!(diagnostic.code == Code::NoLoops, "{}\n{diagnostic:?}", said());
                found.reshapes += 1;
            }
        }
    }
    Ok(())
}

fn is_small(record: &Record) -> bool {
    let count = |size: lozenge_core::size::Size| match size.kind() {
        SizeKind::Int(n) => Some(n),
        SizeKind::Symbol(_) => None,
    };
    let axes = record.slots().flat_map(|slot| record.map(slot)).map(|axis| axis.size);
    let all = record.loops().map(|(_, extent)| extent).chain(axes);
    all.map(count).try_fold(1_u64, |product, n| product.checked_mul(n?)).is_some()
        && record.loops().try_fold(1_u64, |product, (_, n)| product.checked_mul(count(n)?))
            <= Some(5000)
}
