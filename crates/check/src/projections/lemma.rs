//! Lemma 7.7 on random programs, and what must hold of their records; and that a reshape has none.

use anyhow::anyhow;
use lozenge_calculus::size::SizeKind;
use lozenge_project::Record;

use super::{counts::Counts, cover, sound};
use crate::{
    Generator, Tally,
    programs::{self, Built, Spelling},
};

pub(super) fn check(rng: &mut Generator, counts: &mut Counts) -> anyhow::Result<()> {
    let program = programs::draw(rng).program;
    let spelling = Spelling::plain(&program);
    let said = || programs::text(&spelling);
    let built = Built::new(&spelling).map_err(|refused| anyhow!("{}\n{refused}", said()))?;
    let Ok(closed) = built.session.close() else { return Ok(()) };
    counts.programs += 1;
    let mut each = |record: &Record| {
        if is_small(record) {
            counts.points += sound::check(record, &[])?;
            cover::check(record, &[], &mut counts.covered_programs)?;
        }
        Ok(())
    };
    let nests = programs::check_nests(&program, &built, &closed, &mut each);
    counts.nests.merge(nests.map_err(|error| error.context(said()))?);
    Ok(())
}

fn is_small(record: &Record) -> bool {
    let count = |size: lozenge_calculus::size::Size| match size.kind() {
        SizeKind::Int(n) => Some(n),
        _ => None,
    };
    let axes = record.slots().flat_map(|slot| record.map(slot)).map(|axis| axis.size);
    let all = record.loops().map(|(_, extent)| extent).chain(axes);
    all.map(count).try_fold(1_u64, |product, n| product.checked_mul(n?)).is_some()
        && record.loops().try_fold(1_u64, |product, (_, n)| product.checked_mul(count(n)?))
            <= Some(5000)
}
