//! What a specification is checked for when all of it is read: its names.

use crate::{
    diagnostic::{Diagnostic, Span},
    mistake,
    parse::MAX_DIAGNOSTICS,
    tree::{Form, Kind, Label, Name, NameId, Slot, Spec, Use, row_places},
};

/// No name is two kinds of thing, no row variable is called as a kind, and words are meant.
pub(crate) fn names(spec: &Spec, by_blanks_alone: bool, said: &mut Vec<Diagnostic>) {
    clashes(&spec.text, &spec.names, &spec.slots, |id| spec.places(id), said);
    // Where something is wrong, blanks may be a part of it.
    if by_blanks_alone && said.is_empty() {
        letters_or_words(spec, said);
    }
}

/// The part of it that holds for shapes as well.
pub(crate) fn clashes(
    text: &str,
    names: &[Name],
    slots: &[Slot],
    places: impl Fn(NameId) -> Vec<(Use, Span)>,
    said: &mut Vec<Diagnostic>,
) {
    for (name, id) in names.iter().zip((0..).map(NameId)) {
        // Nearly always: one use, and not that of a row.
        if name.uses.is_power_of_two() && name.uses != Use::Row.bit() {
            continue;
        }
        if said.len() >= MAX_DIAGNOSTICS {
            return;
        }
        if !name.uses.is_power_of_two() {
            let places = places(id);
            // Where one of them could not be read, there is only its mistake to speak of.
            if places.iter().any(|(used, _)| *used != places[0].0) {
                said.push(mistake::name_clash(text, &places));
                continue;
            }
        }
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name.span.of(text));
        let Some(kind) = kind.filter(|_| name.uses & Use::Row.bit() != 0) else { continue };
        let places: Vec<_> = row_places(slots, id).collect();
        if !places.is_empty() {
            said.push(mistake::reserved_row_name(text, kind, &places));
        }
    }
}

/// Warns of a word of several letters that may be letters.
///
/// DIVERGENCE(letters-or-words): the design warns of every such word. A word that occurs more than once
/// is its own evidence, and `batch seq => seq batch` is what people write who know words; the reading that
/// goes wrong in silence is that of words that occur once, as in `... ij => ... ji`.
#[cold]
fn letters_or_words(spec: &Spec, said: &mut Vec<Diagnostic>) {
    let several = |span: Span| span.of(&spec.text).chars().nth(1).is_some();
    let is_once =
        |name: &&Name| name.count == 1 && name.uses == Use::Axis.bit() && several(name.span);
    let Some(once) = spec.names.iter().find(is_once) else { return };
    let axes = spec
        .axes
        .iter()
        .filter(|axis| matches!(axis.form, Form::Axis(Label::Named(_))) && several(axis.span));
    let words: Vec<Span> = axes.map(|axis| axis.span).collect();
    let rows = spec.slots.iter().flat_map(|slot| &slot.rows);
    let mut gaps = vec![];
    for row in rows {
        let (before, after) = spec.axes(row);
        let ellipsis = row.ellipsis.iter().map(|ellipsis| ellipsis.span);
        let entries = before.iter().map(|axis| axis.span).chain(ellipsis);
        let entries: Vec<Span> = entries.chain(after.iter().map(|axis| axis.span)).collect();
        gaps.extend(entries.windows(2).map(|pair| Span::new(pair[0].end, pair[1].start)));
    }
    said.push(mistake::letters_or_words(&spec.text, once.span, &words, &gaps));
}
