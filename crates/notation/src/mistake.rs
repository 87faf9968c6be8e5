//! What is said about each mistake: the one place where its words are.
//!
//! A function a mistake, named as its code or as the way to make it; it takes the text and where in
//! it the mistake is. What disagrees is labelled on both sides, and wherever a mended text can be
//! given it is, as edits.

mod bases;
mod claims;
mod fit;
mod names;
mod rows;
mod terms;
mod tokens;
mod wording;

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
    OffsetSpans, ampersand, any_at_run_time, bound_to_zero, bound_too_large, claim_in_computed,
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
