//! One random operation, held against everything that is said of it.

use anyhow::{bail, ensure};
use lozenge::{Report, Session, Site, diagnostic::Code};
use lozenge_project::{Index, Margin, NoLoops, Record, project};

use crate::{
    Generator,
    border::{Border, Ends, Slide},
};

use super::{
    counts::Counts,
    cover,
    model::{Axis, Model},
    operation::{Owned, broadcast, disturb, of_model},
    plain::{self, Plain},
    second::Trouble,
    sound,
};

/// An operation as constraints, now and then one whose constraints are disturbed.
pub(super) fn drawn(rng: &mut Generator) -> Owned {
    let broadcasts = rng.u8(..3) == 0;
    let mut drawn = if broadcasts { broadcast(rng) } else { of_model(&Model::draw(rng), rng) };
    if rng.u8(..4) == 0 {
        disturb(&mut drawn, rng);
    }
    drawn
}

/// Theorems 7.4 and 7.8 for an operation that is drawn as constraints.
pub(super) fn operation(rng: &mut Generator, counts: &mut Counts) -> anyhow::Result<()> {
    let drawn = drawn(rng);
    let made = project(&drawn.closed());
    held(rng, &drawn, made.as_ref(), counts)
        .map_err(|error| error.context(format!("{drawn:?}")))?;
    for _ in 0..2 {
        let other = drawn.shuffled(rng);
        match (&made, project(&other.closed())) {
            (Ok(record), Ok(other)) if same(record, &other) => counts.shuffled += 1,
            (Ok(record), Ok(other)) if renamed(record, &other, rng) => counts.renamed += 1,
            (Err(_), Err(_)) => counts.shuffled += 1,
            (one, other) => bail!("{drawn:?}\n in another order: {one:?}\n{other:?}"),
        }
    }
    Ok(())
}

/// Whether two records are the same, but for identifiers that have no name.
fn same(one: &Record, other: &Record) -> bool {
    one.loops().eq(other.loops())
        && one.factors().eq(other.factors())
        && one.slots().eq(other.slots())
        && one.slots().all(|slot| one.map(slot) == other.map(slot))
}

/// Whether two records do the same, with as many loops of the same extents.
fn renamed(one: &Record, other: &Record, rng: &mut Generator) -> bool {
    let extents = |record: &Record| {
        let mut extents: Vec<_> = record.loops().map(|(_, extent)| extent).collect();
        extents.sort_unstable();
        extents
    };
    let symbols: Vec<u64> = (0..4).map(|_| rng.u64(..2)).collect();
    extents(one) == extents(other)
        && one.factors().len() == other.factors().len()
        && sound::points(one, &symbols) == sound::points(other, &symbols)
}

/// Holds what was made of an operation against its plain reading.
fn held(
    rng: &mut Generator,
    drawn: &Owned,
    made: Result<&Record, &NoLoops>,
    counts: &mut Counts,
) -> anyhow::Result<()> {
    let plain = Plain::of(drawn);
    let symbols: Vec<u64> = plain
        .ranges()
        .into_iter()
        .map(|range| if range == u64::MAX { 0 } else { rng.u64(..range.max(1)) })
        .collect();
    let fails = plain.sizes_conflict() || plain.pins_conflict() || plain.out_of_bounds;
    let fails = fails || plain.begins_badly;
    let trouble: Option<Trouble> = plain.trouble(&drawn.occurrences);
    let record = match made {
        Ok(record) => record,
        Err(conflict) => {
            let is_so = match conflict {
                NoLoops::Sizes(_) => plain.sizes_conflict(),
                NoLoops::Pins(..) => plain.pins_conflict(),
                NoLoops::OutOfBounds(_) => plain.out_of_bounds,
                NoLoops::Ambiguous(_) | NoLoops::Unread(_) | NoLoops::Nowhere => {
                    !fails && plain.points(drawn, &symbols).1.is_some()
                }
                NoLoops::Crossed(_) => {
                    !fails && plain.points(drawn, &symbols).1 == Some(plain::CROSSED)
                }
                NoLoops::Start(_) => plain.begins_badly,
                NoLoops::Derived(_)
                | NoLoops::Repeated(_)
                | NoLoops::Cyclic(_)
                | NoLoops::Nested(_) => trouble.is_some(),
                _ => false,
            };
            ensure!(is_so, "refused: {conflict:?}");
            counts.conflict(conflict);
            return Ok(());
        }
    };
    ensure!(!fails && trouble.is_none(), "should be refused: {trouble:?}");
    let sizes = |slot: usize| drawn.occurrences[slot].clone().map(|var| drawn.sizes[var as usize]);
    ensure!(record.slots().len() == drawn.occurrences.len(), "{record}: other occurrences");
    for slot in record.slots() {
        let axes = record.map(slot).iter().map(|axis| axis.size);
        ensure!(axes.eq(sizes(slot.0)), "{record}: other axes");
    }
    counts.points += sound::check(record, &symbols).map_err(|e| e.context(record.to_string()))?;
    let (points, wrong) = plain.points(drawn, &symbols);
    ensure!(wrong.is_none(), "{record}: {wrong:?}");
    ensure!(points == sound::points(record, &symbols), "{record} at {symbols:?} does otherwise");
    co_iterated(drawn, &plain, record, counts)?;
    cover::check(record, &symbols, &mut counts.covered_operations)?;
    counts.operations += 1;
    counts.coupled += u64::from(record.is_coupled());
    counts.padded += u64::from(record.is_padded());
    counts.past_end[0] += u64::from(plain.is_past_end);
    Ok(())
}

/// Axes share a loop only where the operation itself connects them.
fn co_iterated(
    drawn: &Owned,
    plain: &Plain,
    record: &Record,
    counts: &mut Counts,
) -> anyhow::Result<()> {
    let axes = drawn.occurrences.iter().flat_map(Clone::clone);
    let indices = record.slots().flat_map(|slot| record.map(slot));
    let mut met: Vec<(u32, usize)> = vec![];
    for (axis, map) in axes.zip(indices) {
        if let Index::Iter(id) = map.index {
            if plain::int(record.extent(id)) == 1 {
                continue; // a part of one element
            }
            let base = plain.base(axis as usize);
            for (other, other_base) in &met {
                ensure!(
                    (*other == id.0) == (*other_base == base),
                    "{record}: loop {} is of classes {base} and {other_base}",
                    id.0
                );
                counts.pairs += 1;
            }
            met.push((id.0, base));
        }
    }
    Ok(())
}

/// The record of a specification, from a session, and how often a window is said to reach past the
/// end.
pub(super) fn in_session(model: &Model) -> Result<(Record, usize), Report> {
    let mut session = Session::new();
    let mut operands = vec![];
    let here = |slot| Site::line("specification", slot + 1, 1);
    for slot in 1..model.slots.len() {
        operands.push(session.at(here(slot)).data("x", &model.shape(slot))?);
    }
    let result = session.at(here(0)).einsum_with(&model.text(), &model.numbers(), &operands)?;
    // Axes of which a specification says little have the sizes that their uses say.
    let shape = session.at(here(0)).data("shape", &model.shape(0))?;
    session.at(here(0)).same_shape(result, shape)?;
    let closed = session.close()?;
    let said = closed.notes().iter().filter(|note| note.code == Code::WindowPastEnd).count();
    Ok((session.record(&closed, result)?, said))
}

/// How far windows reach beyond their axis, where they begin so much later than they lie.
fn beyond(slide: &Slide, size: u64, offset: u64) -> Option<Margin> {
    let places = slide.places(size)?;
    let [size, offset, span] =
        [size, offset, slide.span()].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    let far = |reach: i64| u64::try_from(reach).unwrap_or(0);
    let [first, last] = [places.first()?, places.last()?].map(|place| place + offset);
    let margin = Margin { left: far(-first), right: far(last + span - size) };
    (margin != Margin::default()).then_some(margin)
}

/// How many valid windows begin late, which is told. Each reaches past the end by its offset;
/// others, but for those that are padded, as far as they lie there.
fn past_end(model: &Model, record: &Record) -> anyhow::Result<usize> {
    let mut late = 0;
    for (slot, axes) in record.slots().zip(&model.slots) {
        for (axis, map) in axes.iter().zip(record.map(slot)) {
            let expected = match axis {
                Axis::Window(window) if window.border.is_padded() => continue,
                Axis::Window(window) => {
                    late += usize::from(window.offset > 0 && window.border == Border::VALID);
                    let slide = model.slide(window);
                    beyond(&slide, model.size(axis), window.offset)
                }
                Axis::Strided { stride, offset, loose: Some(_), .. } => {
                    let border = Border { ends: Ends::PaddedLoose, ..Border::VALID };
                    let stride = u64::from(*stride);
                    let slide = Slide { border, stride, dilation: 1, kernel: 1 };
                    beyond(&slide, model.size(axis), *offset)
                }
                _ => None,
            };
            ensure!(map.margin == expected, "{slot:?}: {:?} for {axis:?}", map.margin);
        }
    }
    Ok(late)
}

/// The predicates for every slot of a specification, which a session takes to its record.
pub(super) fn specification(rng: &mut Generator, counts: &mut Counts) -> anyhow::Result<()> {
    loop {
        let model = Model::draw(rng);
        let (text, drawn) = (model.text(), of_model(&model, rng));
        let written = || {
            let shapes = (0..model.slots.len()).map(|slot| model.shape(slot));
            format!("{text} of {:?} with {:?}", shapes.collect::<Vec<_>>(), model.numbers())
        };
        match (in_session(&model), project(&drawn.closed())) {
            (Ok((record, said)), Ok(direct)) => {
                ensure!(same(&record, &direct), "{}: {record}\n{direct}", written());
                let late = past_end(&model, &record).map_err(|error| error.context(written()))?;
                ensure!(late == said, "{}: {late} past the end, {said} said", written());
                counts.past_end[1] += u64::from(late > 0);
                let mut symbols = [0; 4];
                for (number, range) in model.ranges.iter().enumerate() {
                    symbols[model.symbol(number)] = rng.u64(..*range);
                }
                let checked = sound::check(&record, &symbols);
                counts.points += checked.map_err(|error| error.context(written()))?;
                let checked = cover::check(&record, &symbols, &mut counts.covered);
                checked.map_err(|error| error.context(written()))?;
                counts.forms(&record);
                return Ok(());
            }
            (Err(_), Err(_)) => counts.refused += 1,
            (Err(rejection), Ok(direct)) => {
                let said = rejection.diagnostics.first().map(|said| said.headline.clone());
                // What the notation refuses before there are any loops.
                let code = rejection.diagnostics.first().map(|said| said.code);
                if code.is_some_and(Counts::is_of_loops) {
                    bail!("{}: refused: {said:?}, but {direct}", written());
                }
                counts.unwritten(&said.unwrap_or_default());
            }
            (Ok((record, _)), Err(conflict)) => {
                bail!("{}: {record}, but {conflict:?}", written());
            }
        }
    }
}
