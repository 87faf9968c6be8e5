//! Mistakes about bases: `3_rgb`, `c:rgb`.

use super::wording::quoted;
use crate::token::{is_word, span};
use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Span};

const SIZES_ONLY: &str = "a shape has sizes only, in the order of the axes";

/// `3_` or `n:`, and what stands for a basis without being one.
pub(crate) fn missing_basis(text: &str, span: Span) -> Diagnostic {
    let written = span.of(text);
    let (sign, called) = if is_number(written) { ('_', "underscore") } else { (':', "colon") };
    let (size, rest) = written.split_once(sign).unwrap_or((written, ""));
    let headline = format!("{} has no basis after its {called}", quoted(written));
    let said = Diagnostic::new(Code::MissingBasis, headline);
    let default = Help::choice("of the default basis", [Edit::replace(span, size)]);
    let example = Edit::replace(span, format!("{size}{sign}rgb"));
    let example = Help::example("of a basis by name", [example]);
    if is_number(written) {
        return said
            .label(span, "only the unit that stretches is written so: `1_`")
            .help(default)
            .help(example);
    }
    let said = said.label(span, "a basis begins with a letter, right after the colon");
    if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()) {
        return said
            .note(SIZES_ONLY)
            .help(Help::choice("the number", [Edit::replace(span, rest)]))
            .help(Help::choice("the name", [Edit::replace(span, size)]));
    }
    let behind = &text[span.end as usize..];
    if rest.is_empty() && behind.trim_start().starts_with(char::is_alphabetic) {
        let gap = self::span(span.end as usize, text.len() - behind.trim_start().len());
        let joined = Help::choice("without the blank", [Edit::remove(gap)]);
        return said.help(joined).help(default);
    }
    said.help(default).help(example)
}

/// A colon, and what it ties together, where no basis can stand.
pub(crate) fn stray_basis(text: &str, span: Span) -> Diagnostic {
    let written = span.of(text);
    let (size, basis) = written.split_once(':').unwrap_or((written, ""));
    let is_basis = basis.starts_with(char::is_alphabetic) && basis.chars().all(is_word);
    let say = |headline: String| Diagnostic::new(Code::StrayBasis, headline);
    let without = || Help::choice("without it", [Edit::replace(span, size)]);
    if size.is_empty() {
        let said = say(format!("{} is a basis without a size", quoted(written)))
            .label(span, "a basis follows the name of a size, right after it: `c:rgb`");
        let before = &text[..span.start as usize];
        let gap = self::span(before.trim_end().len(), before.len());
        return said.help(Help::choice("without the blank", [Edit::remove(gap)]));
    }
    let number = size.strip_suffix('_').unwrap_or(size);
    if size != "1_" && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        let said = say(format!("{} has a colon after its number", quoted(written)));
        return match basis {
            "" => {
                let alone = Edit::replace(span, number);
                said.label(span, SIZES_ONLY).help(Help::choice("without it", [alone]))
            }
            _ if is_basis => {
                let mended = Edit::replace(span, format!("{number}_{basis}"));
                said.label(span, "the basis of a number follows an underscore")
                    .help(Help::certain("with an underscore", [mended]))
            }
            _ => {
                let list = Edit::replace(span, written.replace(':', ","));
                said.label(span, SIZES_ONLY)
                    .help(Help::choice("sizes have commas between them", [list]))
            }
        };
    }
    match size {
        "_" => say(format!("{} has a basis and no size", quoted(written)))
            .label(span, "`_` says nothing of its axis, nor of its basis")
            .help(without()),
        "1_" => say(format!("{} makes a claim about its basis", quoted(written)))
            .label(span, "the unit that stretches makes none")
            .help(without()),
        _ => {
            let (sign, most) = if is_number(size) { ("basis", 1) } else { ("colon", 2) };
            let parts = written.split(':').filter(|part| !part.is_empty());
            let parts: Vec<&str> = parts.take(most).collect();
            say(format!("{} has more than one {sign}", quoted(written)))
                .label(span, "a size has one basis")
                .help(Help::choice("the first", [Edit::replace(span, parts.join(":"))]))
        }
    }
}

/// Whether a size is a number, with a basis or without.
fn is_number(size: &str) -> bool {
    size.starts_with(|c: char| c.is_ascii_digit())
}
