//! Mistakes inside of an axis: operators, parts, strides and windows.

use super::{
    tokens::replaced,
    wording::{quote, unused_name, wanted_name},
};
use crate::token::{is_word, place};
use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Span};

/// Where the parts of an affine axis with an offset are.
#[derive(Clone, Copy)]
pub(crate) struct OffsetSpans {
    pub(crate) whole: Span,
    pub(crate) over: Span,
    pub(crate) offset: Span,
    pub(crate) windowed: bool,
}

pub(crate) fn nothing_before(text: &str, operator: Span) -> Diagnostic {
    let operator_text = quote(text, operator);
    Diagnostic::new(Code::MissingTerm, format!("{operator_text} has nothing before it"))
        .label(operator, "an axis or a number belongs before it")
        .help(Help::choice(format!("without {operator_text}"), [Edit::remove(operator)]))
}

pub(crate) fn nothing_after(text: &str, operator: Span) -> Diagnostic {
    let operator_text = quote(text, operator);
    let said = Diagnostic::new(Code::MissingTerm, format!("{operator_text} has nothing after it"))
        .label(operator, "an axis or a number belongs after it");
    // `o<+`: with the plus goes the marker, which is the window's.
    let before = &text[..operator.start as usize];
    let kept = match operator.of(text) {
        "+" => before.trim_end().trim_end_matches(['<', '~', '>', '=']).trim_end(),
        _ => before.trim_end(),
    };
    let next = text[operator.end as usize..].trim_start();
    if next.starts_with(['*', '+', '^', '<', '~', '=']) && !next.starts_with("=>") {
        let doubled = format!("without {operator_text}");
        return said.help(Help::choice(doubled, [Edit::remove(operator)]));
    }
    let rest = Span::new(place(kept.len()), operator.end);
    // A number alone would become an index, which is another thing.
    let word = kept.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let name = wanted_name(text);
        return said.help(Help::example("an axis", [Edit::insert(operator.end, name)]));
    }
    said.help(Help::choice(format!("without {}", quote(text, rest)), [Edit::remove(rest)]))
}

pub(crate) fn no_axis(text: &str, whole: Span) -> Diagnostic {
    let name = wanted_name(text);
    Diagnostic::new(Code::MissingTerm, format!("{} has no axis in it", quote(text, whole)))
        .label(whole, "numbers alone: a stride or a window goes along an axis")
        .help(Help::example("a strided axis", [Edit::replace(whole, format!("2*{name}"))]))
}

pub(crate) fn ampersand(text: &str, whole: Span, names: &[Span]) -> Diagnostic {
    let names: Vec<&str> = names.iter().map(|name| name.of(text)).collect();
    let merged = Edit::replace(whole, format!("({})", names.join(" ")));
    Diagnostic::new(Code::Ampersand, "axes are merged in parentheses, not with `&`")
        .label(whole, "one axis out of several")
        .help(Help::certain("in parentheses", [merged]))
}

pub(crate) fn stray_parenthesis(text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnbalancedParenthesis, "this `)` closes nothing")
        .label(span, "no `(` before it in this row")
        .help(Help::certain("without it", [replaced(text, span, "")]))
}

pub(crate) fn unclosed_parenthesis(_text: &str, open: Span, end: Span) -> Diagnostic {
    Diagnostic::new(Code::UnbalancedParenthesis, "this `(` is not closed")
        .label(open, "opened here")
        .label(end.after(), "the row ends here")
        .help(Help::choice("close it", [Edit::insert(end.end, ")")]))
}

pub(crate) fn empty_group(_text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::EmptyGroup, "there is nothing in these parentheses")
        .label(span, "a merged axis has factors, as in `(h w)`")
        .help(Help::choice("an axis of size 1", [Edit::replace(span, "(1)")]))
        .help(Help::choice("an axis at its first position", [Edit::replace(span, "0")]))
}

pub(crate) fn nested_group(text: &str, open: Span, inner: Span) -> Diagnostic {
    let rest = &text[inner.end as usize..];
    let close = rest.find(')').and_then(|at| u32::try_from(at).ok()).map(|at| inner.end + at);
    let edits = close.map(|at| [inner, Span::new(at, at + 1)].map(|at| replaced(text, at, "")));
    let said = Diagnostic::new(Code::NestedEntry, "parentheses inside of parentheses")
        .label(inner, "opened again")
        .label(open, "opened here")
        .note(
            "merging is associative: `(a b c)` has the elements of `((a b) c)` in the same order",
        );
    match edits {
        Some(edits) => said.help(Help::certain("one pair is enough", edits)),
        None => said,
    }
}

pub(crate) fn in_group(text: &str, open: Span, inner: Span) -> Diagnostic {
    let headline = format!("{} cannot stand in a merged axis", quote(text, inner));
    let said = Diagnostic::new(Code::NestedEntry, headline)
        .label(inner, "a merged axis has names and sizes only")
        .label(open, "merged from here");
    if inner.of(text) == "*" {
        let blank = Edit::replace(inner, " ");
        return said.help(Help::certain("factors have blanks between them", [blank]));
    }
    said.help(Help::advice("name the axis here, and take it apart in a specification of its own"))
}

pub(crate) fn nested_entry(text: &str, whole: Span) -> Diagnostic {
    Diagnostic::new(
        Code::NestedEntry,
        format!("{} is two forms of an axis in one", quote(text, whole)),
    )
    .label(whole, "concatenations, windows and merged axes take names and sizes only")
    .help(Help::advice("name the inner axis, and take it apart in a specification of its own"))
}

pub(crate) fn fresh_in_concat(text: &str, span: Span) -> Diagnostic {
    let name = unused_name(text, "rest");
    Diagnostic::new(Code::FreshInConcat, "`_` cannot be a part of a concatenation")
        .label(span, "nothing says how long this part is")
        .note("a part that the result does not have is skipped, and its size is what is left")
        .help(Help::certain("give it a name", [Edit::replace(span, name)]))
}

pub(crate) fn unnamed_concat(text: &str, whole: Span, last: Span) -> Diagnostic {
    let name = wanted_name(text);
    let headline = format!("{} is made of sizes only", quote(text, whole));
    Diagnostic::new(Code::UnnamedConcat, headline)
        .label(whole, "positions by number are skipped: nothing would be read or written")
        .help(Help::example("name the part that is meant", [Edit::replace(last, name)]))
}

/// A range that ends before it begins.
#[cold]
pub(crate) fn empty_range(text: &str, span: Span) -> Diagnostic {
    let range = span.of(text).trim_start_matches(':').trim();
    Diagnostic::new(Code::RangeEmpty, format!("the range {range} has no value"))
        .label(span, "ends before it begins")
}

/// An operator of a computed size, and what stands behind it in the place of a size.
pub(crate) fn missing_part(text: &str, operator: Span, found: Span) -> Diagnostic {
    let operator_text = quote(text, operator);
    let said = |headline| Diagnostic::new(Code::MissingTerm, headline);
    match found.of(text) {
        written @ ("_" | "1_") => {
            let why = if written == "_" { "says nothing of its size" } else { "stretches" };
            said(format!("nothing is computed with `{written}`"))
                .label(operator, "computes with it")
                .label(found, why)
        }
        _ => said(format!("{operator_text} has nothing after it"))
            .label(operator, "a number or a name belongs after it"),
    }
}

pub(crate) fn too_deep(_text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::TooManyTerms, "a size is computed in too many steps")
        .label(span, "more than 32 are in each other")
}

pub(crate) fn claim_in_computed(text: &str, span: Span) -> Diagnostic {
    let headline = format!("{} is a part of a size that is computed", quote(text, span));
    Diagnostic::new(Code::StrayBasis, headline)
        .label(span, "only a number or a name alone has a basis, a range, `any` or `*`")
        .help(Help::advice("say the range of a name where the name stands alone"))
}

pub(crate) fn joined_sign(text: &str, first: Span, second: Span) -> Diagnostic {
    let headline = format!("{} is no size", quote(text, first.to(second)));
    Diagnostic::new(Code::StraySign, headline)
        .label(first.to(second), "`*` and `?` stand alone; `*` stands before a name as well")
        .help(if second.of(text).starts_with('_') && second.end > second.start + 1 {
            Help::example("without a basis", [Edit::replace(second, "")])
        } else {
            Help::example("two axes", [Edit::insert(first.end, ",")])
        })
}

pub(crate) fn any_at_run_time(_text: &str, star: Span, name: Span) -> Diagnostic {
    Diagnostic::new(Code::StraySign, "`any` and `*` exclude each other")
        .label(name, "with `any` it has to stay free; with `*` it takes what it has to be")
        .help(Help::example("free", [Edit::replace(star, "")]))
        .help(Help::advice("known at run time: without `any`"))
}

pub(crate) fn zero_part(_text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::ZeroPart, "nothing is computed with 0 elements")
        .label(span, "a part of a size is 1 or more")
        .help(Help::example("a part of 1 or more", [Edit::replace(span, "1")]))
}

pub(crate) fn missing_marker(
    text: &str,
    whole: Span,
    over: Span,
    kernel: Span,
    has_stride: bool,
) -> Diagnostic {
    let headline = format!("the window {} has no border marker", quote(text, whole));
    let [valid, whole, padded] = ["<", "~", "="].map(|marker| [Edit::insert(over.end, marker)]);
    let said = |markers: &str| {
        Diagnostic::new(Code::MissingMarker, headline)
            .label(over, format!("{markers} belongs behind this"))
            .label(kernel, "slides along it")
    };
    // Steps of 1 leave nothing over.
    let said = if has_stride {
        said("`~`, `<` or `=`")
            .help(Help::choice("as many whole windows as fit", whole))
            .help(Help::choice("whole windows that fill the axis", valid))
    } else {
        said("`<` or `=`").help(Help::choice("whole windows only: the result is shorter", valid))
    };
    said.help(Help::choice("padded: a window at every step", padded))
}

/// `[1,x]`, `[]` or `[1,2,3]`.
pub(crate) fn no_margins(text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::BadMargins, format!("{} are no margins", quote(text, span)))
        .label(span, "one number for both ends of the axis, or one for each")
        .help(Help::example("the same at both ends", [Edit::replace(span, "[1]")]))
        .help(Help::example(
            "before the first element, behind the last",
            [Edit::replace(span, "[0,1]")],
        ))
}

/// `o[1]+k`.
pub(crate) fn margins_without_marker(text: &str, before: Span, span: Span) -> Diagnostic {
    let [whole, valid] = ["~", "<"].map(|marker| [Edit::insert(before.end, marker)]);
    Diagnostic::new(Code::BadMargins, format!("{} has no marker before it", quote(text, span)))
        .label(span, "how windows lie on the axis with its margins is said before them")
        .help(Help::choice("as many whole windows as fit", whole))
        .help(Help::choice("whole windows that fill it", valid))
}

/// `o=[1]+k`.
pub(crate) fn margins_of_padded(text: &str, marker: Span, span: Span) -> Diagnostic {
    let headline = format!("{} pads the axis already", quote(text, marker));
    Diagnostic::new(Code::BadMargins, headline)
        .label(span, "margins of its own")
        .label(marker, "as much as its windows need")
        .help(Help::choice("as its windows need", [Edit::remove(span)]))
        .help(Help::choice("as it says", [Edit::replace(marker, "~")]))
}

/// `2*i~[1]`.
pub(crate) fn margins_without_window(text: &str, whole: Span, span: Span) -> Diagnostic {
    let name = unused_name(text, "k");
    Diagnostic::new(Code::BadMargins, format!("{} has margins and no window", quote(text, whole)))
        .label(span, "only a window reaches into them")
        .help(Help::choice("without margins", [Edit::remove(span)]))
        .help(Help::example("with a window", [Edit::insert(whole.end, format!("+{name}"))]))
}

pub(crate) fn marker_without_window(text: &str, whole: Span, marker: Span) -> Diagnostic {
    let marker_text = quote(text, marker);
    let name = unused_name(text, "k");
    Diagnostic::new(Code::StrayMarker, format!("{} has a marker and no window", quote(text, whole)))
        .label(marker, format!("{marker_text} says what a window does at the border"))
        .help(Help::choice("without a window", [Edit::remove(marker)]))
        .help(Help::example("with a window", [Edit::insert(whole.end, format!("+{name}"))]))
}

pub(crate) fn missing_plus(text: &str, whole: Span, next: Span) -> Diagnostic {
    let headline = format!("the window {} has no `+` before its second axis", quote(text, whole));
    Diagnostic::new(Code::MissingTerm, headline)
        .label(next, "`+` belongs before this")
        .help(Help::certain("with it", [Edit::insert(next.start, "+")]))
}

/// `=32` behind an axis.
pub(crate) fn size_in_spec(text: &str, span: Span) -> Diagnostic {
    let headline = format!("{} is no part of a specification", quote(text, span));
    Diagnostic::new(Code::StrayMarker, headline)
        .label(span, "sizes are those of the operands, or set where it is used")
        .help(Help::choice("without it", [Edit::remove(span)]))
}

pub(crate) fn two_markers(text: &str, whole: Span, first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(Code::StrayMarker, format!("the window {} has two markers", quote(text, whole)))
        .label(second, "one too many: a marker says which axis the window slides along")
        .label(first, "the other")
        .help(Help::choice("slide along the first", [Edit::remove(second)]))
        .help(Help::choice("slide along the second", [Edit::remove(first)]))
}

pub(crate) fn marker_on_number(text: &str, marker: Span) -> Diagnostic {
    let headline = format!("the marker {} stands behind a number", quote(text, marker));
    Diagnostic::new(Code::StrayMarker, headline)
        .label(marker, "it belongs behind the axis that the window slides along")
        .help(Help::advice("as in `2*o<+1+k`: along `o`, from position 1, by windows of `k`"))
}

/// A third axis, or a second number, of an affine axis.
pub(crate) fn too_many_terms(
    text: &str,
    whole: Span,
    axis: Option<Span>,
    more: Span,
) -> Diagnostic {
    let headline = format!("{} has more terms than a window has", quote(text, whole));
    let said = Diagnostic::new(Code::TooManyTerms, headline);
    let said = match axis {
        Some(axis) => said.label(axis, "a third axis"),
        None => said.label(more, "a second offset"),
    };
    said.note(
        "an affine axis is an axis that is stepped along, an offset and a window's axis, at most one of \
         each: `2*o<+1+3*k`",
    )
}

pub(crate) fn too_many_factors(text: &str, factors: &[Span]) -> Diagnostic {
    let whole = match factors {
        [first, .., last] => first.to(*last),
        [only] => *only,
        [] => Span::default(),
    };
    let headline = format!("{} is not a number times an axis", quote(text, whole));
    let said = Diagnostic::new(Code::TooManyTerms, headline)
        .label(whole, "a term is one coefficient and one axis, as in `2*o`");
    // Coefficients that are numbers multiply.
    let number = |span: &Span| span.of(text).parse::<u64>().ok();
    let Some((axis, coefficients)) = factors.split_last() else { return said };
    let product = coefficients.iter().map(number).try_fold(1u64, |p, n| p.checked_mul(n?));
    match (product, number(axis)) {
        (Some(product @ 1..), None) => {
            let term = format!("{product}*{}", axis.of(text));
            said.help(Help::certain("their product", [Edit::replace(whole, term)]))
        }
        (_, Some(_)) if coefficients.len() == 1 && number(&coefficients[0]).is_some() => {
            said.help(Help::example("an axis", [Edit::replace(*axis, wanted_name(text))]))
        }
        _ => said,
    }
}

pub(crate) fn coefficient_order(text: &str, name: Span, number: Span) -> Diagnostic {
    let whole = name.to(number);
    let [name, number] = [name, number].map(|span| span.of(text));
    Diagnostic::new(
        Code::CoefficientOrder,
        format!("the coefficient of {} stands behind it", quote(text, whole)),
    )
    .label(whole, "the number comes first")
    .help(Help::certain("the other way round", [Edit::replace(whole, format!("{number}*{name}"))]))
}

pub(crate) fn zero_coefficient(_text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::ZeroCoefficient, "a stride or dilation of 0 would stay where it is")
        .label(span, "1 or more")
        .help(Help::example("a step of 1 or more", [Edit::replace(span, "1")]))
}

pub(crate) fn bound_to_zero(text: &str, span: Span) -> Diagnostic {
    let headline = format!("the coefficient {} is set to 0", quote(text, span));
    Diagnostic::new(Code::ZeroCoefficient, headline)
        .label(span, "a stride or dilation is 1 or more")
        .help(Help::advice(format!("set {} to 1 or more", quote(text, span))))
}

pub(crate) fn bound_too_large(text: &str, span: Span, number: u64) -> Diagnostic {
    let headline = format!("the coefficient {} is set to {number}", quote(text, span));
    Diagnostic::new(Code::NumberTooLarge, headline).label(span, "numbers are below 2^63")
}

pub(crate) fn fresh_coefficient(_text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnboundCoefficient, "`_` cannot be a stride or dilation")
        .label(span, "a number belongs here, or a name that is bound to one")
        .help(Help::example("a number", [Edit::replace(span, "2")]))
}

pub(crate) fn offset_past_stride(
    text: &str,
    spans: OffsetSpans,
    stride: u64,
    offset: u64,
) -> Diagnostic {
    let OffsetSpans { whole, over, offset: offset_at, windowed } = spans;
    let axis = over.of(text);
    let headline = format!("the offset {offset} is not below the stride {stride}");
    let said = Diagnostic::new(Code::OffsetPastStride, headline)
        .label(offset_at, "an offset says where between two steps to begin")
        .label(over, format!("steps of {stride}"));
    if windowed || axis == "_" {
        return said.help(Help::example("without the offset", [no_offset(text, offset_at)]));
    }
    let skip = format!("{offset}^{axis}");
    let said = if stride == 1 {
        let text = format!("to begin at position {offset}, skip what comes before it");
        said.help(Help::choice(text, [Edit::replace(whole, skip)]))
    } else {
        said.help(match offset % stride {
            0 => Help::choice("without the offset", [no_offset(text, offset_at)]),
            below => {
                let below = Edit::replace(offset_at, below.to_string());
                Help::choice("an offset below the stride", [below])
            }
        })
    };
    match offset.checked_add(1) {
        Some(larger) => said.help(Help::example(
            format!("position {offset} of every {larger}"),
            [Edit::replace(whole, format!("{larger}*{axis}+{offset}"))],
        )),
        None => said,
    }
}

/// Takes an offset away, with the sign that joins it to the rest.
pub(crate) fn no_offset(text: &str, Span { start, end }: Span) -> Edit {
    let (before, after) = (&text[..start as usize], &text[end as usize..]);
    let length = |text: &str| place(text.len());
    let span = match (after.trim_start().strip_prefix('+'), before.trim_end().strip_suffix('+')) {
        (Some(rest), _) => Span::new(start, length(text) - length(rest.trim_start())),
        (None, Some(rest)) => Span::new(length(rest.trim_end()), end),
        (None, None) => Span::new(start, end),
    };
    Edit::remove(span)
}

pub(crate) fn unbound_coefficient(text: &str, span: Span) -> Diagnostic {
    let name = span.of(text);
    Diagnostic::new(Code::UnboundCoefficient, format!("the coefficient `{name}` has no number"))
        .label(span, "a stride or dilation is a number when the specification is used")
        .help(Help::advice(format!("bind it: set `{name}` to a number, such as `{name}=2`")))
        .help(Help::example("or write the number here", [Edit::replace(span, "2")]))
}
