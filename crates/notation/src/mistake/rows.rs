//! Mistakes in how rows, operands and the result are put together.

use super::wording::{BROADCAST_ROWS, counted, quote, quoted};
use crate::{
    token::{MAX_LEN, place, span},
    tree::{Slot, Spec},
};
use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Span};

/// All of a text.
fn all(text: &str) -> Span {
    span(0, text.len())
}

pub(crate) fn too_long(text: &str) -> Diagnostic {
    let headline = format!("the text has {} bytes; at most {MAX_LEN} are read", text.len());
    // No label: a text that is not read is not shown either.
    Diagnostic::new(Code::TooLong, headline)
}

pub(crate) fn empty_entry(_text: &str, comma: Span) -> Diagnostic {
    Diagnostic::new(Code::EmptyEntry, "there is no axis before this comma")
        .label(comma, "a comma stands between two axes, or behind the last")
        .help(Help::certain("without it", [Edit::remove(comma)]))
}

pub(crate) fn foreign_arrow(text: &str, arrow: usize, spec: &Spec, certain: bool) -> Diagnostic {
    let headline = "the result follows `=>`, not `->` as in NumPy or einops";
    let said = Diagnostic::new(Code::ForeignArrow, headline)
        .label(span(arrow, arrow + 2), "separates the input and output axes of one tensor");
    let translation = [Edit::replace(all(text), spec.to_string())];
    let open = |slot: &Slot| slot.rows.iter().any(|row| row.ellipsis.is_some());
    if spec.operands().iter().filter(|slot| open(slot)).count() > 1 {
        return said.note(BROADCAST_ROWS).help(Help::choice("in this notation", translation));
    }
    said.help(if certain {
        Help::certain("the same in this notation", translation)
    } else {
        Help::choice("as it is, in this notation", translation)
    })
}

pub(crate) fn wrong_arrow(text: &str, at: usize, sign: &str) -> Diagnostic {
    let place = span(at, at + sign.len());
    let written = quote(text, place);
    let headline = format!("the result follows `=>`, not {written}");
    let label = match sign {
        "->" => "separates the input and output axes of one tensor",
        _ => "no arrow",
    };
    Diagnostic::new(Code::ForeignArrow, headline)
        .label(place, label)
        .help(Help::choice("where this begins the result", [Edit::replace(place, "=>")]))
}

pub(crate) fn missing_result(text: &str, implicit: Option<&str>) -> Diagnostic {
    let end = span(text.trim_end().len(), text.trim_end().len());
    let said = Diagnostic::new(Code::MissingResult, "the specification has no result")
        .label(end, "`=>` and the axes of the result belong here");
    match implicit {
        Some(implicit) => said.help(Help::choice(
            "the axes that occur once, as NumPy has it",
            [Edit::replace(all(text), implicit)],
        )),
        None => said.help(Help::advice("as in `ij; jk => ik`")),
    }
}

/// A result after the result; `arrow` is what that one follows, if there is one.
pub(crate) fn second_result(text: &str, arrow: Option<Span>, more: Span) -> Diagnostic {
    let said = Diagnostic::new(Code::SecondResult, "a specification has one result");
    let said = said.label(more, "another begins here");
    let Some(arrow) = arrow else { return said };
    let kept = text[..more.start as usize].trim_end().len();
    said.label(arrow, "the result begins here")
        .help(Help::choice("the first result only", [Edit::remove(span(kept, text.len()))]))
        .help(Help::advice("write one specification for each result"))
}

/// The signs of a shape up to the first that is out of order: each with the row before it, and the
/// row behind it, if that is the last.
pub(crate) fn kinds_out_of_order(
    text: &str,
    seen: &[(Span, Span)],
    output: Option<Span>,
) -> Diagnostic {
    let signs: Vec<&str> = seen.iter().map(|(_, sign)| sign.of(text)).collect();
    let rows: Vec<Span> = seen.iter().map(|(row, _)| *row).chain(output).collect();
    let (first, last) = (seen[0].1, seen[seen.len() - 1].1);
    let said = match signs[..] {
        ["->", "|"] => "the batch axes come before the input axes",
        ["|", "|", ..] | ["|", "->", "|", ..] => "a shape has one `|`",
        _ => "a shape has one `->`",
    };
    let swapped = signs == ["->", "|"];
    let said = Diagnostic::new(Code::KindsOutOfOrder, said)
        .label(last, if swapped { "this ends batch axes" } else { "one too many" })
        .label(first, if swapped { "this ends input axes" } else { "the first" })
        .note("a shape is `batch | input -> output`; a kind without axes is left out");
    match (&signs[..], &rows[..]) {
        (["->", "|"], [input, batch, output]) => {
            let [input, batch, output] = [input, batch, output].map(|row| row.of(text).trim());
            let shape = format!("{batch} | {input} -> {output}");
            let whole = rows[0].to(rows[2]);
            said.help(Help::certain("in order", [Edit::replace(whole, shape.trim_end())]))
        }
        (["|", "|"], _) => {
            said.help(Help::choice("batch, input and output axes", [Edit::replace(last, "->")]))
        }
        (["|", "->", "|"], [_, _, before, ..]) if before.of(text).trim().contains([',', ' ']) => {
            let row = before.of(text);
            let separator = row.rfind(',').or_else(|| row.trim_end().rfind(' '));
            let Some(at) = separator else { return said };
            let comma = before.start as usize + at;
            let sign = if row[at..].starts_with(',') { ";" } else { "; " };
            let edit = Edit::replace(span(comma, comma + 1), sign);
            said.help(Help::choice("where another operand begins, a `;`", [edit]))
        }
        (["->", "->"], _) => {
            said.help(Help::choice("batch, input and output axes", [Edit::replace(first, "|")]))
        }
        _ => said,
    }
}

pub(crate) fn two_ellipses(text: &str, first: Span, second: Span) -> Diagnostic {
    // With an ellipsis goes the separator between it and its neighbour.
    let drop_first = Span::new(first.start, {
        let rest = &text[first.end as usize..];
        let kept = rest.trim_start_matches([' ', ',']);
        place(text.len() - kept.len()).min(second.start)
    });
    let drop_second = Span::new(
        {
            let kept = text[..second.start as usize].trim_end_matches([' ', ',']);
            place(kept.len()).max(first.end)
        },
        second.end,
    );
    Diagnostic::new(Code::TwoEllipses, "a row has two ellipses")
        .label(second, "the second")
        .label(first, "the first")
        .note("where one ends and the other begins, nothing would say")
        .help(Help::choice("with the first only", [Edit::remove(drop_second)]))
        .help(Help::choice("with the second only", [Edit::remove(drop_first)]))
}

pub(crate) fn bracketed_shape(text: &str, open: Span, close: Option<Span>) -> Diagnostic {
    let edits = [open].into_iter().chain(close).map(Edit::remove);
    Diagnostic::new(Code::BracketedShape, "a shape is written without brackets")
        .label(open, format!("{} is not a part of it", quote(text, open)))
        .help(Help::certain("without brackets", edits))
}

pub(crate) fn spec_for_shape(text: &str, token: Span) -> Diagnostic {
    let headline = format!("a shape has no {}", quote(text, token));
    Diagnostic::new(Code::SpecForShape, headline)
        .label(token, "this is for specifications")
        .note("a shape has sizes, `3`, `3_rgb`, `1_`; names of sizes, `batch`; what is computed from them, `2*batch`; and what is not known, `_`, `...`")
}

/// Brackets in a shape that hold more than one size: `(b s)` is how a specification merges axes.
pub(crate) fn group_in_shape(text: &str, open: Span) -> Diagnostic {
    let other = spec_for_shape(text, open);
    let rest = &text[open.end as usize..];
    let Some(end) = rest.find(')') else { return other };
    let inner = &rest[..end];
    let is_number = |word: &str| word.bytes().all(|c| c.is_ascii_digit()) && !word.starts_with('0');
    let is_name = |word: &str| {
        word.starts_with(char::is_alphabetic)
            && word.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let words: Vec<&str> = inner.split_whitespace().collect();
    if words.len() < 2 || !words.iter().all(|word| is_number(word) || is_name(word)) {
        return other;
    }
    let Ok(length) = u32::try_from(end) else { return other };
    let all = Span::new(open.start, open.end + length + 1);
    // Behind an operator the brackets say what it takes.
    let is_operand = text[..open.start as usize].trim_end().ends_with(['*', '/', '+', '-']);
    let product = words.join("*");
    let product = if is_operand { format!("({product})") } else { product };
    Diagnostic::new(Code::SpecForShape, "in a shape sizes are multiplied with `*`")
        .label(all, "a specification merges axes like this")
        .help(Help::choice("one axis of all of them", [Edit::replace(all, product)]))
}

/// What makes several operands of one, where as many entries are written with commas or blanks
/// between them.
fn apart(text: &str, slots: &[Span], given: usize) -> Option<Vec<Edit>> {
    let [only] = slots else { return None };
    let written = only.of(text);
    if written.contains(['|', '(', '^', '+', '*']) || written.contains("->") {
        return None;
    }
    let at = |offset: usize| only.start + place(offset);
    let commas: Vec<usize> = written.match_indices(',').map(|(offset, _)| offset).collect();
    if commas.len() + 1 == given {
        let edit =
            |offset: &usize| Edit::replace(Span::new(at(*offset), at(offset + 1)), ";".to_owned());
        return Some(commas.iter().map(edit).collect());
    }
    let words = written.split_whitespace().count();
    if !commas.is_empty() || words != given {
        return None;
    }
    let ends = written.char_indices().filter(|(offset, c)| {
        !c.is_whitespace() && written[offset + c.len_utf8()..].starts_with(char::is_whitespace)
    });
    Some(ends.map(|(offset, c)| Edit::insert(at(offset + c.len_utf8()), ";")).collect())
}

pub(crate) fn operand_count(text: &str, slots: &[Span], given: usize) -> Diagnostic {
    let reads = counted(slots.len(), "operand", "operands");
    let headline = match given {
        0 => format!("the specification reads {reads}, none is given"),
        1 => format!("the specification reads {reads}, 1 is given"),
        given => format!("the specification reads {reads}, {given} are given"),
    };
    let mut said = Diagnostic::new(Code::OperandCount, headline);
    let Some(last) = slots.last() else { return said };
    if given > slots.len() {
        said = said.label(*last, "the last operand it reads");
        if let Some(edits) = apart(text, slots, given) {
            let help = format!("`;` between operands: {given} of them");
            said = said.help(Help::choice(help, edits));
        }
        let more = "; ...".repeat((given - slots.len()).min(8));
        let help = "one row more for each operand; `...` is any output axes";
        return said.help(Help::example(help, [Edit::insert(last.end, more)]));
    }
    for (i, slot) in slots.iter().enumerate().skip(given).take(4) {
        said = said.label(*slot, format!("operand {} is not given", i + 1));
    }
    match given.checked_sub(1).and_then(|kept| slots.get(kept)) {
        Some(kept) => {
            let surplus = Span::new(kept.end, last.end);
            let help = match surplus.of(text).trim_matches([';', ' ']) {
                "" => "without an operand that has no axes".to_owned(),
                rest => format!("without {}", quoted(rest)),
            };
            said.help(Help::choice(help, [Edit::remove(surplus)]))
        }
        None => said,
    }
}
