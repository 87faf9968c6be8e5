//! Contradictions between a specification and the shapes of its operands.

use super::wording::{BROADCAST_ROWS, counted, quote, quoted, unused_letter, unused_name};
use crate::{
    shape::Shape,
    tree::{Affine, Coefficient, Kind, Label, NameId, Part, PartForm, Slot, Spec, Style, Use},
};
use lozenge_diagnostic::{
    Applicability::{Choice, Example},
    Code, Diagnostic, Edit, Help, Place, Span,
};

/// A size of an axis and where it is from.
pub(crate) struct Seen {
    pub(crate) size: String,
    pub(crate) basis: Option<String>,
    /// In the specification; a size that is set is nowhere there.
    pub(crate) axis: Option<Span>,
    /// In the shape of the operand.
    pub(crate) dim: Place,
    pub(crate) operand: usize,
    /// What the operand is called.
    pub(crate) called: String,
    /// Whether it follows from that size.
    pub(crate) computed: bool,
}

/// An axis whose size its relation does not fit.
pub(crate) struct Misfit {
    /// In the specification.
    pub(crate) axis: Span,
    pub(crate) size: u64,
    /// What the operand is called.
    pub(crate) called: String,
    /// In the shape of the operand.
    pub(crate) dim: Place,
    /// Where the sizes that it does not fit are from, and which.
    pub(crate) others: Vec<(Place, String)>,
}

impl Misfit {
    fn says(&self, code: Code, headline: String, label: impl Into<String>) -> Diagnostic {
        let operand = format!("{} has {} here", self.called, self.size);
        let said = Diagnostic::new(code, headline).label(self.axis, label).label(self.dim, operand);
        self.others.iter().fold(said, |said, (place, text)| said.label(*place, text))
    }
}

/// A name that the specification does not have, in its author's style.
fn unused(spec: &Spec, stem: &str) -> String {
    match spec.style {
        Style::Letters => unused_letter(&spec.text),
        Style::Blanks | Style::Commas => unused_name(&spec.text, stem),
    }
}

pub(crate) fn rank_mismatch(
    spec: &Spec,
    (operand, called): (usize, &str),
    kind: Kind,
    has: usize,
    given: Place,
) -> Diagnostic {
    let slot = &spec.operands()[operand];
    let row = slot.row(kind);
    let [axis, axes] = ["axis", "axes"].map(|noun| format!("{kind} {noun}"));
    let least = if row.ellipsis.is_some() { "at least " } else { "" };
    let reads = match row.rank() {
        0 => "none".to_owned(),
        n => format!("{least}{n}"),
    };
    let has_text = counted(has, &axis, &axes);
    let headline = format!("{called} has {has_text}, the specification reads {reads}");
    let at = if row.is_empty() { slot.span } else { row.span };
    let said = Diagnostic::new(Code::RankMismatch, headline)
        .label(at, format!("reads {reads}"))
        .label(given, format!("has {has}"));
    if has < row.rank() {
        let missing = row.rank() - has;
        let said = if spec.style == Style::Letters && row.rank() > 3 {
            said.note("every letter is an axis here; words have commas or blanks between them")
        } else {
            said
        };
        return said.help(Help::advice(format!(
            "the operand needs {missing} more, or the specification {missing} fewer",
        )));
    }
    let takes = ellipsis(spec, slot, kind);
    let keeps =
        spec.result().row(kind).ellipsis.is_none().then(|| ellipsis(spec, spec.result(), kind));
    said.help(Help::unsaid(Choice, [takes.clone()].into_iter().chain(keeps.clone()))).help(
        match keeps {
            Some(_) => Help::unsaid(Choice, [takes]),
            None => Help::advice("or name them"),
        },
    )
}

/// An ellipsis as the first entry of a row, which may not be written yet.
fn ellipsis(spec: &Spec, slot: &Slot, kind: Kind) -> Edit {
    let row = slot.row(kind);
    let separator = match spec.style {
        Style::Letters => "",
        Style::Blanks => " ",
        Style::Commas => ", ",
    };
    let written = slot.span.of(&spec.text);
    match kind {
        _ if row.rank() > 0 => Edit::insert(row.span.start, format!("...{separator}")),
        Kind::Batch if !written.contains('|') => Edit::insert(slot.span.start, "...|"),
        Kind::Input if !written.contains("->") => {
            Edit::insert(slot.row(Kind::Output).span.start, "...->")
        }
        _ => Edit::insert(row.span.start, "..."),
    }
}

/// An operand whose axes are of other kinds than the specification reads.
pub(crate) fn other_kinds(
    spec: &Spec,
    (operand, called): (usize, &str),
    shape: &Shape,
    place: Place,
) -> Diagnostic {
    let slot = &spec.operands()[operand];
    let ranks = |rank: &dyn Fn(Kind) -> usize| {
        let counts = Kind::ALL.map(|kind| (rank(kind), kind)).into_iter().filter(|(n, _)| *n > 0);
        let counts: Vec<String> = counts.map(|(n, kind)| format!("{n} {kind}")).collect();
        if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
    };
    let has = ranks(&|kind| shape.row(kind).rank());
    let reads = ranks(&|kind| slot.row(kind).rank());
    let headline = format!("{called} has axes {has}, the specification reads {reads}");
    let said = Diagnostic::new(Code::RankMismatch, headline)
        .label(slot.span, format!("reads {reads}"))
        .label(place, format!("has {has}"));
    // The same sizes in the places that are read, where there are as many.
    let closed = Kind::ALL.iter().all(|kind| slot.row(*kind).ellipsis.is_none());
    let dims = shape.dims(shape.row(Kind::Output)).1;
    let total: usize = Kind::ALL.iter().map(|kind| slot.row(*kind).rank()).sum();
    let only_output =
        dims.len() == Kind::ALL.iter().map(|kind| shape.row(*kind).rank()).sum::<usize>();
    if !closed || !only_output || dims.len() != total {
        return said;
    }
    let mut rest = dims.iter().map(|dim| dim.span.of(shape.text()));
    let mut row = |kind| rest.by_ref().take(slot.row(kind).rank()).collect::<Vec<_>>().join(",");
    let [batch, input, output] = Kind::ALL.map(&mut row);
    let batch = if batch.is_empty() { batch } else { batch + "|" };
    let input = if input.is_empty() { input } else { input + "->" };
    said.help(Help::advice(format!("its shape by kinds is `{batch}{input}{output}`")))
}

/// The help for two axes that share a name and not a size.
fn apart(spec: &Spec, second: &Seen, id: NameId) -> Option<Help> {
    let fresh = unused(spec, spec.name(id));
    let fresh = match spec.name_use(id) {
        Use::Index => format!("@{fresh}"),
        Use::Axis | Use::Row | Use::Coefficient => fresh,
    };
    second.axis.map(|axis| Help::unsaid(Choice, [Edit::replace(axis, fresh)]))
}

/// The help for an axis that has the size of another name.
fn together(spec: &Spec, at: Span, like: &[NameId]) -> Option<Help> {
    // Of several nobody knows which.
    let [name] = like else { return None };
    Some(Help::unsaid(Choice, [Edit::replace(at, spec.name(*name))]))
}

/// Two sizes of one name; `like` has the names that have the second size elsewhere.
pub(crate) fn size_mismatch(
    spec: &Spec,
    id: NameId,
    first: &Seen,
    second: &Seen,
    like: &[NameId],
) -> Diagnostic {
    let name = spec.name(id);
    let [a, b] = [&first.size, &second.size];
    let [at, other] = [&first.called, &second.called];
    let is_same = first.operand == second.operand;
    let is_index = spec.name_use(id) == Use::Index;
    let headline = match (first.computed, second.computed) {
        (false, false) if is_index && is_same => {
            format!("index `{name}` ranges over {a} and {b} in {at}")
        }
        // The size of an index is never computed.
        _ if is_index => {
            format!("index `{name}` ranges over {a} in {at} and {b} in {other}")
        }
        (false, false) if is_same => format!("axis `{name}` is {a} and {b} in {at}"),
        (false, false) => format!("axis `{name}` is {a} in {at} and {b} in {other}"),
        (false, true) => format!("axis `{name}` is {a} in {at}, but {other} makes it {b}"),
        (true, false) => format!("axis `{name}` is {b} in {other}, but {at} makes it {a}"),
        (true, true) => format!("{at} makes axis `{name}` {a}, {other} makes it {b}"),
    };
    let said = both(Diagnostic::new(Code::SizeMismatch, headline), first, second, |s| &s.size);
    let said = if [&first.size[..], &second.size[..]].contains(&"1_") {
        said.note("`1_` stretches in arithmetic; in a specification an axis has one size")
    } else if spec.stretches() && is_same && [a, b].iter().any(|size| *size == "1") {
        said.note("NumPy stretches 1 to what another operand has, not within one")
    } else {
        said
    };
    let declared = declared(&first.size, &second.size);
    // An axis whose size follows from others cannot simply be called otherwise.
    if second.computed {
        return declared.into_iter().fold(said, Diagnostic::help);
    }
    let together = second.axis.filter(|_| !is_index).and_then(|at| together(spec, at, like));
    let helps = together.into_iter().chain(apart(spec, second, id)).chain(declared);
    helps.fold(said, Diagnostic::help)
}

/// The help where a size that has a name meets another that is not a number either: they may be
/// meant to be equal.
fn declared(first: &str, second: &str) -> Option<Help> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_name = |size: &str| size.starts_with(char::is_alphabetic) && size.chars().all(in_word);
    let (name, size) = match (is_name(first), is_name(second)) {
        (true, _) => (first, second),
        (false, true) => (second, first),
        (false, false) => return None,
    };
    let mut words = size.split(|c: char| !in_word(c));
    let has_name = words.clone().any(|word| word.starts_with(char::is_alphabetic));
    let is_written = has_name && !size.contains('(') && words.all(|word| word != name);
    is_written.then(|| {
        let advice = format!(
            "different names are different sizes; if they are one, declare `{name} = {size}`"
        );
        Help::advice(advice)
    })
}

pub(crate) fn basis_mismatch(spec: &Spec, id: NameId, first: &Seen, second: &Seen) -> Diagnostic {
    let name = spec.name(id);
    let basis = |seen: &Seen| match &seen.basis {
        Some(basis) => format!("`{basis}`"),
        None => "default".to_owned(),
    };
    let what = match spec.name_use(id) {
        Use::Index => "the range of",
        Use::Axis | Use::Row | Use::Coefficient => "axis",
    };
    let headline = format!(
        "{what} `{name}` is {} in {} and {} in {}",
        basis(first),
        first.called,
        basis(second),
        second.called,
    );
    let said = Diagnostic::new(Code::BasisMismatch, headline);
    let said = both(said, first, second, |seen| seen.basis.as_deref().unwrap_or("default")).note(
        "axes of one size and two bases are two axes: three colours are not three coordinates",
    );
    apart(spec, second, id).into_iter().fold(said, Diagnostic::help)
}

/// Labels for the two sides: in the specification, and in the operands.
fn both<'a>(
    said: Diagnostic,
    first: &'a Seen,
    second: &'a Seen,
    what: impl Fn(&'a Seen) -> &'a str,
) -> Diagnostic {
    let mut said = said;
    if let Some(axis) = second.axis {
        said = said.label(axis, what(second));
    }
    if let Some(axis) = first.axis.filter(|_| first.axis != second.axis) {
        said = said.label(axis, what(first));
    }
    for seen in [first, second] {
        let text = match what(seen) {
            what if seen.computed => format!("from here follows {what}"),
            what => what.to_owned(),
        };
        said = said.label(seen.dim, text);
    }
    said
}

pub(crate) fn row_mismatch(
    spec: &Spec,
    places: [(Span, Option<Place>, String); 2],
    rows: [&str; 2],
) -> Diagnostic {
    let [(first, first_dims, at), (second, second_dims, other)] = places;
    let words = |row: &str| if row.is_empty() { "no axes".to_owned() } else { quoted(row) };
    let headline = format!(
        "{} takes {} in {at} and {} in {other}",
        quote(&spec.text, second),
        words(rows[0]),
        words(rows[1]),
    );
    let mut said = Diagnostic::new(Code::RowMismatch, headline)
        .label(second, format!("takes {}", words(rows[1])))
        .label(first, format!("takes {}", words(rows[0])));
    for (dims, row) in [(first_dims, rows[0]), (second_dims, rows[1])] {
        if let Some(dims) = dims {
            said = said.label(dims, quoted(row));
        }
    }
    if second.of(&spec.text) == "..." && would_broadcast(rows) {
        said = said.note(BROADCAST_ROWS);
    }
    let fresh = format!("..{}..", unused_name(&spec.text, "rest"));
    said.help(Help::unsaid(Choice, [Edit::replace(second, fresh)]))
}

/// An ellipsis that takes axes which the result of NumPy's `einsum` has no place for.
pub(crate) fn unkept_ellipsis(ellipsis: Span, first: Place) -> Diagnostic {
    Diagnostic::new(Code::NumpyResult, "`...` takes axes that the result has no place for")
        .label(ellipsis, "takes axes here")
        .label(first, "from here on")
        .note("NumPy's `einsum` does not sum over `...`")
        .help(Help::advice("write `...` in the result as well"))
}

/// Whether NumPy would stretch one of these rows to the other: the last axes are equal, or 1.
fn would_broadcast(rows: [&str; 2]) -> bool {
    let [first, second] = rows.map(|row| row.rsplit(',').map(str::trim));
    first.zip(second).all(|(one, other)| one == other || one == "1" || other == "1")
        || rows.contains(&"")
}

pub(crate) fn index_past_end(
    axis: Span,
    index: u64,
    size: u64,
    called: &str,
    dim: Place,
) -> Diagnostic {
    let headline = format!("position {index} of an axis of size {size} in {called}");
    let last = size.saturating_sub(1).to_string();
    Diagnostic::new(Code::IndexPastEnd, headline)
        .label(axis, format!("positions are 0 to {last}"))
        .label(dim, format!("size {size}"))
        .help(Help::unsaid(Example, [Edit::replace(axis, last)]))
}

/// A stride that does not divide the axis; `span` is that of windows that do not fill it.
pub(crate) fn stride_mismatch(
    spec: &Spec,
    misfit: &Misfit,
    affine: &Affine,
    span: Option<i128>,
) -> Diagnostic {
    let size = misfit.size;
    let Coefficient::Number(stride) = affine.stride else {
        return misfit.says(Code::StrideMismatch, "a stride without a number".into(), "");
    };
    let margins: i128 =
        affine.window.map_or(0, |window| window.margins.into_iter().map(i128::from).sum());
    let margins = if span.is_some() { margins } else { 0 };
    let room = (i128::from(size) + margins).max(0);
    let with = if margins == 0 { String::new() } else { format!(" with margins of {margins}") };
    let (headline, rest) = match span {
        None => (format!("size {size} is not a multiple of the stride {stride}"), Some(room)),
        Some(span) => match room - span {
            ..0 => {
                let headline =
                    format!("a window of {span} does not fit into an axis of size {size}{with}");
                (headline, None)
            }
            rest => (
                format!("windows of {span} in steps of {stride} do not fill size {size}{with}"),
                Some(rest),
            ),
        },
    };
    let said = misfit.says(Code::StrideMismatch, headline, "does not fit");
    let replaced = |marker: &str| {
        let at = border(spec, affine)?;
        Some(Help::unsaid(Choice, [Edit::replace(at, marker)]))
    };
    let Some(rest) = rest else {
        let padded = affine.window.filter(|window| size % stride == 0 && window.margins == [0; 2]);
        return padded.and_then(|_| replaced("=")).into_iter().fold(said, Diagnostic::help);
    };
    let loose = match affine.window {
        Some(window) if window.border.is_padded() => replaced("=~"),
        Some(_) => replaced("~"),
        None => Some(Help::unsaid(Choice, [Edit::insert(affine.over_span.end, "~")])),
    };
    let stride = i128::from(stride);
    let below = rest - rest % stride;
    let sizes = [below, below + stride].map(|fitting| i128::from(size) - rest + fitting);
    let fitting: Vec<String> =
        sizes.iter().filter(|size| **size > 0).map(i128::to_string).collect();
    let said = said.note(format!("sizes that fit are {}", fitting.join(", ")));
    let said = loose.into_iter().fold(said, Diagnostic::help);
    // The largest stride below that fits, if the offset is below it. That 1 does helps nobody.
    let fits = (2..stride).rev().take(64).find(|smaller| rest % smaller == 0);
    let Some(fits) = fits.filter(|fits| *fits > i128::from(affine.offset)) else { return said };
    said.help(Help::unsaid(Example, [Edit::replace(affine.stride_span, fits.to_string())]))
}

/// Where the marker of a window is written.
fn border(spec: &Spec, affine: &Affine) -> Option<Span> {
    let start = affine.over_span.end;
    let rest = &spec.text[start as usize..];
    let at = start + u32::try_from(rest.len() - rest.trim_start().len()).ok()?;
    let length = u32::try_from(affine.window?.border.marker().len()).ok()?;
    Some(Span::new(at, at + length))
}

/// A window whose size would have to be a fraction, or less than nothing.
pub(crate) fn window_mismatch(
    spec: &Spec,
    misfit: &Misfit,
    affine: &Affine,
    over: u64,
) -> Diagnostic {
    let steps = quote(&spec.text, affine.over_span);
    let headline =
        format!("no window fits {over} times along {steps} into an axis of size {}", misfit.size);
    let said = misfit.says(Code::StrideMismatch, headline, "no window fits");
    // Padded, the axis is as long as its steps.
    let steps = match affine.stride {
        Coefficient::Number(stride) => stride.checked_mul(over),
        Coefficient::Named(_) => None,
    };
    let is_plain = affine.window.is_some_and(|window| window.margins == [0; 2]);
    let padded = (steps == Some(misfit.size) && is_plain).then(|| border(spec, affine)).flatten();
    let Some(border) = padded else { return said };
    said.help(Help::unsaid(Choice, [Edit::replace(border, "=")]))
}

pub(crate) fn concat_mismatch(
    spec: &Spec,
    misfit: &Misfit,
    parts: &[Part],
    (known, missing): &(Vec<u64>, Vec<Label>),
) -> Diagnostic {
    let written = quote(&spec.text, misfit.axis);
    let sum = join(known, " + ");
    let all = if known.len() == parts.len() { "are" } else { "are at least" };
    let headline = format!("the parts of {written} {all} {sum}, the axis has {}", misfit.size);
    let said = misfit.says(Code::ConcatMismatch, headline, format!("{sum} here"));
    renamed(spec, said, parts, missing)
}

/// A part of a concatenation for which the other parts leave no elements.
pub(crate) fn nothing_left(
    spec: &Spec,
    misfit: &Misfit,
    parts: &[Part],
    (known, missing): &(Vec<u64>, Vec<Label>),
    part: NameId,
) -> Diagnostic {
    let [part, written] = [quoted(spec.name(part)), quote(&spec.text, misfit.axis)];
    let sum = join(known, " + ");
    let size = misfit.size;
    let headline =
        format!("nothing is left for {part} in {written}: the rest is {sum}, the axis has {size}");
    let said = misfit.says(Code::ConcatMismatch, headline, format!("{sum} here"));
    renamed(spec, said, parts, missing)
}

pub(crate) fn merge_mismatch(
    spec: &Spec,
    misfit: &Misfit,
    factors: &[Part],
    (known, missing): &(Vec<u64>, Vec<Label>),
) -> Diagnostic {
    let written = quote(&spec.text, misfit.axis);
    let product = join(known, " · ");
    let headline = if known.len() == factors.len() {
        format!("the factors of {written} are {product}, the axis has {}", misfit.size)
    } else {
        format!("{} is not a multiple of {product}, as {written} says", misfit.size)
    };
    let said = misfit.says(Code::MergeMismatch, headline, format!("{product} here"));
    renamed(spec, said, factors, missing)
}

fn join(sizes: &[u64], sign: &str) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(sign)
}

/// Offers another name for the last part whose size is known.
fn renamed(spec: &Spec, said: Diagnostic, parts: &[Part], missing: &[Label]) -> Diagnostic {
    let is_known = |part: &&Part| match part.form {
        PartForm::Axis(label) => !missing.contains(&label),
        PartForm::Size(_) => true,
    };
    let Some(last) = parts.iter().rfind(is_known) else { return said };
    let stem = match last.form {
        PartForm::Axis(label) => label.name().map_or("rest", |id| spec.name(id)),
        PartForm::Size(_) => "rest",
    };
    said.help(Help::unsaid(Example, [Edit::replace(last.span, unused(spec, stem))]))
}
