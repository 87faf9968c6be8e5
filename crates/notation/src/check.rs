//! What a specification is checked for when all of it is read: its names.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    mistake,
    parse::MAX_DIAGNOSTICS,
    scan::Scan,
    token::{span, words},
    tree::{Axis, Form, Kind, Label, Name, NameId, Slot, Spec, Style, Use, row_places},
};
use lozenge_diagnostic::{Diagnostic, Span};

/// No name is two kinds of thing, no row variable is called as a kind, and words are meant.
pub(crate) fn names(spec: &Spec, scan: Scan, said: &mut Vec<Diagnostic>) {
    clashes(&spec.text, &spec.names, &spec.slots, |id| spec.places(id), said);
    // Where something is wrong, that may be a part of it. Names of one letter are what they are.
    if spec.style != Style::Letters && said.is_empty() && spec.has_words() {
        letters_or_words(spec, scan, said);
    }
}

/// In NumPy's `einsum` every axis of the result is one of an operand, and there once.
pub(crate) fn result_of_numpy(spec: &Spec, said: &mut Vec<Diagnostic>) {
    let Some((result, operands)) = spec.slots.split_last() else { return };
    let named = |axis: &Axis| match axis.form {
        Form::Axis(Label::Named(id)) => Some((id, axis.span)),
        _ => None,
    };
    let axes = |slot: &Slot| {
        let (before, after) = spec.axes(slot.row(Kind::Output));
        before.iter().chain(after).filter_map(named).collect::<Vec<(NameId, Span)>>()
    };
    let read: BTreeMap<NameId, Span> = operands.iter().flat_map(axes).collect();
    let is_lost = |id: &NameId| spec.names[id.index()].count == 1;
    let lost: Vec<Span> =
        read.iter().filter(|(id, _)| is_lost(id)).map(|(_, span)| *span).collect();
    let mut written: BTreeMap<NameId, Span> = BTreeMap::new();
    for (id, span) in axes(result) {
        if !read.contains_key(&id) {
            let only = mistake::only_in_result_of_numpy(&spec.text, span);
            said.push(mistake::perhaps_lost(only, &spec.text, &[span], lost.iter()));
        } else if let Some(first) = written.insert(id, span) {
            said.push(mistake::twice_in_result_of_numpy(&spec.text, first, span));
        }
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
    let mut looked = 0;
    for (name, id) in names.iter().zip((0..).map(NameId)) {
        // Nearly always: one use, and not that of a row.
        if name.uses.is_power_of_two() && name.uses != Use::Row.bit() {
            continue;
        }
        // Looking for all places of a name takes time.
        looked += 1;
        if said.len() >= MAX_DIAGNOSTICS || looked > 2 * MAX_DIAGNOSTICS {
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
/// DIVERGENCE(letters-or-words): the design warns of every such word in a text without commas. Most
/// are meant as words: `batch seq dim => batch dim` is what people write who know words, and a
/// warning that comes every time is not read. What goes wrong in silence is a word that occurs
/// once; and that it is letters is plausible where each of them is somewhere else in the text, as
/// in `... ij => ... ji`, or where it has two. In a text with commas words are said to be words;
/// but if its result has no name in common with its operands, as in `ij, jk => ik`, the commas are
/// those of another notation.
fn letters_or_words(spec: &Spec, scan: Scan, said: &mut Vec<Diagnostic>) {
    let text = &*spec.text;
    let several =
        |word: &str| word.chars().nth(1).is_some() && word.chars().all(char::is_alphabetic);
    let candidate = |name: &&Name| {
        name.count == 1 && name.uses == Use::Axis.bit() && several(name.span.of(text))
    };
    // Nearly always there is none.
    if !spec.names.iter().any(|name| candidate(&name)) {
        return;
    }
    let tokens = words(text);
    // How many words have each letter, each word once.
    let mut having: BTreeMap<char, usize> = BTreeMap::new();
    for span in &tokens {
        let letters: BTreeSet<char> = span.of(text).chars().collect();
        for letter in letters {
            *having.entry(letter).or_default() += 1;
        }
    }
    let elsewhere = |word: &str| word.chars().all(|letter| having.get(&letter) > Some(&1));
    let is_once = |name: &&Name| {
        let word = name.span.of(text);
        let short = word.chars().count() == 2 && !scan.operator() && !scan.comma();
        candidate(name) && (short || elsewhere(word))
    };
    let Some(once) = spec.names.iter().find(is_once).map(|name| name.span) else { return };
    if scan.comma() {
        // Of the operands only: the result is one.
        let in_operands = text.rfind(',') < text.find("=>");
        if in_operands
            && !scan.operator()
            && !scan.ours()
            && spec.names.iter().all(|name| name.count == 1)
        {
            let commas = text.match_indices(',').map(|(at, _)| span(at, at + 1)).collect();
            said.push(mistake::commas_of_operands(text, once, commas));
        }
        return;
    }
    let words = tokens.into_iter().filter(|span| several(span.of(text))).collect();
    said.push(mistake::letters_or_words(text, once, words, gaps(spec)));
}

/// The gaps between two entries of a row, in all rows.
fn gaps(spec: &Spec) -> Vec<Span> {
    let mut gaps = vec![];
    for row in spec.slots.iter().flat_map(|slot| &slot.rows) {
        let (before, after) = spec.axes(row);
        let ellipsis = row.ellipsis.iter().map(|ellipsis| ellipsis.span);
        let entries = before.iter().map(|axis| axis.span).chain(ellipsis);
        let entries: Vec<Span> = entries.chain(after.iter().map(|axis| axis.span)).collect();
        gaps.extend(entries.windows(2).map(|pair| Span::new(pair[0].end, pair[1].start)));
    }
    gaps
}
