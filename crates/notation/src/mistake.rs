//! What is said about each mistake: the one place where its words are.
//!
//! A function a mistake, named as its code or as the way to make it; it takes the text and where in it
//! the mistake is. What disagrees is labelled on both sides, and wherever a mended text can be given it
//! is, as edits.

mod bases;
mod claims;
mod fit;
mod names;
mod rows;
mod terms;
mod tokens;

pub(crate) use bases::{missing_basis, stray_basis};
pub(crate) use claims::claims;
pub(crate) use fit::{
    Misfit, Seen, basis_mismatch, concat_mismatch, index_past_end, merge_mismatch, nothing_left,
    other_kinds, rank_mismatch, row_mismatch, size_mismatch, stride_mismatch, unkept_ellipsis,
    window_mismatch,
};
pub(crate) use names::{
    commas_of_operands, letters_or_words, name_clash, perhaps_lost, reserved_row_name, result_only,
    unknown_name,
};
pub(crate) use rows::{
    bracketed_shape, empty_entry, foreign_arrow, group_in_shape, kinds_out_of_order,
    missing_result, operand_count, second_result, spec_for_shape, too_long, two_ellipses,
    wrong_arrow,
};
pub(crate) use terms::{
    ampersand, any_at_run_time, bound_to_zero, bound_too_large, claim_in_computed,
    coefficient_order, empty_group, empty_range, fresh_coefficient, fresh_in_concat, in_group,
    joined_sign, margins_of_padded, margins_without_marker, margins_without_window,
    marker_on_number, marker_without_window, missing_marker, missing_part, missing_plus,
    nested_entry, nested_group, no_axis, no_margins, no_offset, nothing_after, nothing_before,
    offset_past_stride, size_in_spec, stray_parenthesis, too_deep, too_many_factors,
    too_many_terms, two_markers, unbound_coefficient, unclosed_parenthesis, unnamed_concat,
    zero_coefficient, zero_part,
};
pub(crate) use tokens::{
    at_without_name, dots_inside, has_stand_in_arrow, joined_number, lone_dots, negative_number,
    not_numpy, number_too_large, only_in_result_of_numpy, spaced_ellipsis, stand_in,
    twice_in_result_of_numpy, underscore_name, unexpected_character,
};

use std::collections::BTreeMap;

use crate::token::words;
use lozenge_diagnostic::Span;

/// Where `...` in several operands is taken for what it is in NumPy.
const BROADCAST_ROWS: &str =
    "NumPy broadcasts the axes that `...` takes; here they are equal in all operands";

/// So many characters of a text are quoted at most.
const QUOTED: usize = 40;

/// What is written at `span`, between backticks, in one line and not too long.
pub(crate) fn quote(text: &str, span: Span) -> String {
    quoted(span.of(text))
}

/// The same for a text of its own.
pub(crate) fn quoted(written: &str) -> String {
    let mut quoted = String::from("`");
    for (i, c) in written.chars().enumerate() {
        if i == QUOTED {
            quoted.push('…');
            break;
        }
        match c {
            '`' => quoted.push('\''),
            c if c.is_control()
                || tokens::INVISIBLE.contains(c)
                || c != ' ' && c.is_whitespace() =>
            {
                quoted.extend(c.escape_default());
            }
            c => quoted.push(c),
        }
    }
    quoted.push('`');
    quoted
}

/// A letter that the text does not have.
pub(crate) fn unused_letter(text: &str) -> String {
    let mut letters = ('i'..='z').chain('a'..='h').chain('A'..='Z');
    letters.find(|c| !text.contains(*c)).map_or_else(|| "x".into(), String::from)
}

/// The axis that a text of words most likely lacks: the first that it has once, or else a new one.
pub(crate) fn wanted_name(text: &str) -> String {
    let names: Vec<&str> = words(text).into_iter().map(|span| span.of(text)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    let once = names.iter().find(|name| counts.get(*name) == Some(&1));
    once.map_or_else(|| unused_name(text, "i"), ToString::to_string)
}

/// A name like `stem` that the text does not have, not even as a part of another.
pub(crate) fn unused_name(text: &str, stem: &str) -> String {
    let numbered = (2..64).map(|n| format!("{stem}{n}"));
    let mut names = std::iter::once(stem.to_owned()).chain(numbered);
    // A text that has all of them is not one that a person typed.
    names.find(|name| !text.contains(name)).unwrap_or_else(|| format!("{stem}64"))
}

/// `n things`, in words.
pub(crate) fn counted(n: usize, thing: &str, things: &str) -> String {
    match n {
        0 => format!("no {thing}"),
        1 => format!("1 {thing}"),
        n => format!("{n} {things}"),
    }
}
