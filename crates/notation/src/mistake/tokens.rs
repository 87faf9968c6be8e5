//! Mistakes inside of a token.

use super::wording::{INVISIBLE, quote, quoted, unused_letter};
use crate::token::{Reading, is_word, span};
use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Span};

/// Characters that are typed for others, what they are typed for, and what is said about it.
const STAND_INS: &[(&str, &str, &str)] = &[
    ("…", "...", LOOKS),
    ("→⟶➔➝", "->", LOOKS),
    ("⇒⟹", "=>", LOOKS),
    ("×∗⋅·", "*", LOOKS),
    ("，", ",", LOOKS),
    ("；", ";", LOOKS),
    ("（", "(", LOOKS),
    ("）", ")", LOOKS),
    ("｜∣¦", "|", LOOKS),
    ("＋", "+", LOOKS),
    ("＝", "=", LOOKS),
    ("＾", "^", LOOKS),
    ("?", "_", "an axis without a name or size is `_`"),
    ("[]{}", "", "rows have no brackets"),
    ("\"'`“”‘’", "", "the text is written without quotes"),
    ("\u{a0}\u{2009}\u{202f}\u{3000}", " ", "a blank is a plain space"),
    (INVISIBLE, "", "it cannot be seen, and is not needed"),
];
const LOOKS: &str = "it looks like";

/// Whether a text has a character that stands for an arrow: then it is not the arrow that is
/// missing.
pub(crate) fn has_stand_in_arrow(text: &str) -> bool {
    let mut arrows = STAND_INS.iter().filter(|(_, meant, _)| matches!(*meant, "->" | "=>"));
    arrows.any(|(characters, ..)| text.contains(|c| characters.contains(c)))
}

/// Which kind of character is written at `span`; those of one kind are spoken of together.
pub(crate) fn stand_in(text: &str, span: Span) -> Option<usize> {
    let written = span.of(text);
    STAND_INS.iter().position(|(characters, ..)| characters.contains(written))
}

pub(crate) fn unexpected_character(text: &str, span: Span, reading: Reading) -> Diagnostic {
    let written = span.of(text);
    let whole = if written == ":" { "a specification" } else { "the notation" };
    let headline = format!("{whole} has no {}", quoted(written));
    let said = Diagnostic::new(Code::UnexpectedCharacter, headline);
    let said = said.label(span, format!("not a part of {whole}"));
    if let Some((characters, meant, help)) = stand_in(text, span).map(|at| STAND_INS[at]) {
        let meant = match meant {
            "*" if reading == Reading::Sizes => ",",
            // The one arrow that every specification has.
            "->" if !text.contains("=>") && !text.contains('⇒') => "=>",
            meant => meant,
        };
        let all = text.char_indices().filter(|(_, c)| characters.contains(*c));
        let edits = all.map(|(at, c)| replaced(text, self::span(at, at + c.len_utf8()), meant));
        return said.help(match help {
            LOOKS => Help::certain(format!("{help} `{meant}`"), edits),
            _ => Help::choice(help, edits),
        });
    }
    match written {
        ">" => said.help(Help::advice("`=>` comes before the result, `->` after input axes")),
        // A shape has it, and says there what is wrong about it.
        ":" if text[span.end as usize..].starts_with(char::is_alphabetic) => said
            .note("an axis of a specification has neither size nor basis: the operand's shape has"),
        ":" => said.help(Help::advice(
            "a range of positions is a part of a concatenation: `2^i^rest => i` skips two and \
             leaves the rest",
        )),
        "/" => said.help(Help::advice(
            "division is written from the other side: an axis of twice the size is `2*i`, an axis \
             split in two is `(i 2)`",
        )),
        _ => said,
    }
}

/// An edit that does not make one word out of two: where it would, a blank stays between them.
pub(super) fn replaced(text: &str, span: Span, by: &str) -> Edit {
    let before = text[..span.start as usize].ends_with(is_word);
    let after = text[span.end as usize..].starts_with(is_word);
    match by {
        "" if before && after => Edit::replace(span, " "),
        "_" if before => Edit::replace(span, " _"),
        _ => Edit::replace(span, by),
    }
}

pub(crate) fn number_too_large(text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::NumberTooLarge, format!("{} is larger than any size", quote(text, span)))
        .label(span, "sizes and positions are below 2^63")
}

/// A minus, and the number it touches; `behind` says that it touches what is before it.
pub(crate) fn negative_number(
    text: &str,
    span: Span,
    reading: Reading,
    behind: bool,
) -> Diagnostic {
    let written = span.of(text);
    if reading == Reading::Sizes && written.ends_with(|c: char| c.is_ascii_digit()) {
        return Diagnostic::new(Code::NegativeNumber, format!("{} is no size", quoted(written)))
            .label(span, "sizes are positive")
            .help(Help::certain(
                "an axis whose size is to be found is `_`",
                [replaced(text, span, "_")],
            ));
    }
    if behind && written.chars().nth(1).is_some() {
        return Diagnostic::new(Code::NegativeNumber, "there is no subtraction")
            .label(span, "offsets are added, and below their stride")
            .help(Help::advice(
                "an axis that begins later is a concatenation: `2^i => i` skips two positions",
            ));
    }
    if matches!(written, "-" | "−" | "–" | "—") {
        return Diagnostic::new(Code::NegativeNumber, "there is no `-` but in `->`")
            .label(span, "a minus sign")
            .help(Help::advice(
                "an axis that begins later is a concatenation: `2^i => i` skips two positions",
            ));
    }
    Diagnostic::new(Code::NegativeNumber, format!("{} is no position", quoted(written)))
        .label(span, "positions count from 0, at the front")
        .help(Help::advice(
            "the last position is what is left of the others: `rest^last => last`, with `last` set \
             to 1",
        ))
}

pub(crate) fn joined_number(text: &str, span: Span, reading: Reading) -> Diagnostic {
    let written = span.of(text);
    let digits = written.bytes().take_while(u8::is_ascii_digit).count();
    let (number, name) = written.split_at(digits);
    let said = Diagnostic::new(
        Code::JoinedNumber,
        format!("{} is neither a number nor a name", quoted(written)),
    );
    let said = said.label(span, "a name begins with a letter");
    if reading == Reading::Sizes {
        let sizes: Vec<&str> = written.split(['x', 'X']).collect();
        if sizes.iter().all(|size| !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit())) {
            let list = Edit::replace(span, sizes.join(","));
            return said.help(Help::certain("sizes have commas between them", [list]));
        }
        return said.help(Help::advice("a basis follows an underscore: `3_rgb`"));
    }
    if name.starts_with('_') {
        return said
            .note("an axis of a specification has neither size nor basis: the operand's shape has")
            .help(Help::example("name the axis", [Edit::replace(span, "i")]));
    }
    let at = self::span(span.start as usize + digits, 0).start;
    said.help(Help::choice(format!("steps of {number} along `{name}`"), [Edit::insert(at, "*")]))
        .help(Help::choice(
            format!("position {number} of one axis, then the axis `{name}`"),
            [Edit::insert(at, ", ")],
        ))
}

pub(crate) fn underscore_name(text: &str, span: Span) -> Diagnostic {
    let written = span.of(text);
    let name = written.trim_start_matches('_');
    let said = Diagnostic::new(
        Code::UnderscoreName,
        format!("the name {} begins with an underscore", quoted(written)),
    )
    .label(span, "a name begins with a letter; `_` alone is an axis without a name");
    // A part of a concatenation has a name.
    let [before, after] = [&text[..span.start as usize], &text[span.end as usize..]];
    let is_part = before.trim_end().ends_with('^') || after.trim_start().starts_with('^');
    let unnamed = Help::choice("an axis without a name", [Edit::replace(span, "_")]);
    let said = if name.starts_with(char::is_alphabetic) {
        said.help(Help::choice("without the underscore", [Edit::replace(span, name)]))
    } else {
        said
    };
    if is_part { said } else { said.help(unnamed) }
}

/// Dots that are not an ellipsis, and the name after them, if they touch one. `other` says that the
/// row has an ellipsis besides.
pub(crate) fn lone_dots(text: &str, span: Span, name: Option<Span>, other: bool) -> Diagnostic {
    let whole = name.map_or(span, |name| span.to(name));
    let said = Diagnostic::new(Code::LoneDots, format!("{} is no ellipsis", quote(text, whole)));
    let said = said.label(whole, "an ellipsis is `...` or `..name..`");
    if span.of(text) == "." {
        return said.help(Help::choice("without it", [replaced(text, span, "")]));
    }
    if other {
        return said
            .note("this row has an ellipsis already")
            .help(Help::choice("without these dots", [Edit::replace(span, " ")]));
    }
    let written = whole.of(text).trim_matches('.');
    let unnamed = Edit::replace(span, "...");
    if written.is_empty() {
        return said.help(Help::certain("three dots", [unnamed]));
    }
    let enclosed = Edit::replace(whole, format!("..{written}.."));
    let named = Help::choice(format!("a row variable `{written}`"), [enclosed]);
    let axis = Help::choice("an ellipsis, then the axis", [unnamed]);
    // An axis of that name elsewhere cannot be a row variable here.
    let elsewhere = text[..whole.start as usize].contains(written)
        || text[whole.end as usize..].contains(written);
    match name {
        None if elsewhere => said.help(Help::choice("three dots", [Edit::replace(whole, "...")])),
        None => said.help(named),
        Some(_) if elsewhere => said.help(axis),
        Some(_) => said.help(named).help(axis),
    }
}

/// Dots that are not an ellipsis, at a place where an ellipsis cannot stand.
pub(crate) fn dots_inside(text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(Code::LoneDots, format!("{} cannot stand here", quote(text, span)))
        .label(span, "dots are an ellipsis, which is an entry of its own")
}

/// `.. name ..`, with blanks.
pub(crate) fn spaced_ellipsis(text: &str, span: Span) -> Diagnostic {
    let name = span.of(text).trim_matches('.').trim();
    Diagnostic::new(Code::LoneDots, format!("{} has blanks in it", quote(text, span)))
        .label(span, "an ellipsis is `...` or `..name..`")
        .help(Help::certain("without blanks", [Edit::replace(span, format!("..{name}.."))]))
}

pub(crate) fn at_without_name(text: &str, span: Span) -> Diagnostic {
    let mut said = Diagnostic::new(Code::MissingTerm, "`@` needs a name right behind it")
        .label(span, "the name of an index that is supplied at run time");
    let rest = &text[span.end as usize..];
    let blanks = rest.len() - rest.trim_start().len();
    if blanks > 0 && rest.trim_start().starts_with(char::is_alphabetic) {
        let end = span.end as usize;
        let gap = self::span(end, end + blanks);
        said = said.help(Help::choice("without the blank", [Edit::remove(gap)]));
    }
    let name = if text.contains('t') { unused_letter(text) } else { "t".to_owned() };
    said.help(Help::example("give the index a name", [Edit::replace(span, format!("@{name}"))]))
}

/// An axis of the result that no operand has, in NumPy's notation.
pub(crate) fn only_in_result_of_numpy(text: &str, span: Span) -> Diagnostic {
    let name = quote(text, span);
    Diagnostic::new(Code::NumpyResult, format!("{name} is an axis of the result only"))
        .label(span, "no operand has it")
        .note("NumPy's `einsum` does not make axes; Lozenge's notation does, and takes their sizes from where the result is used")
}

/// An axis that the result has twice, in NumPy's notation.
pub(crate) fn twice_in_result_of_numpy(text: &str, first: Span, span: Span) -> Diagnostic {
    let name = quote(text, span);
    Diagnostic::new(Code::NumpyResult, format!("{name} is an axis of the result twice"))
        .label(span, "here again")
        .label(first, "it is here already")
        .note("NumPy's `einsum` writes no diagonals; Lozenge's notation does")
}

/// A token that other notations do not have, in a text that is to be read as one of theirs.
pub(crate) fn not_numpy(text: &str, span: Span) -> Diagnostic {
    let written = quote(text, span);
    if span.of(text) == "=>" {
        return Diagnostic::new(
            Code::ForeignArrow,
            "this is read as NumPy's notation, and has `=>`",
        )
        .label(span, "there the result follows `->`")
        .help(Help::advice("read it as Lozenge's notation, which it seems to be"));
    }
    Diagnostic::new(
        Code::UnexpectedCharacter,
        format!("NumPy's and einops' notation has no {written}"),
    )
    .label(span, "only Lozenge's has it")
    .help(Help::advice("write all of it in Lozenge's notation, with `=>` before the result"))
}
