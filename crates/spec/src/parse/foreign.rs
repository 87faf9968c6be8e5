//! Other notations: texts without `=>`, which are somebody else's or unfinished.

use super::{Dialect, Parsed, is_read, read};
use crate::{
    diagnostic::{Diagnostic, Span},
    mistake,
    scan::Scan,
    token::{Lexer, Reading, Token},
    tree::{Spec, Style},
};

/// A text without `=>`: in another notation, or unfinished.
#[cold]
pub(super) fn without_result(text: &str, scan: Scan) -> Parsed {
    let Some(arrow) = text.rfind("->").filter(|_| !has_kinds(text)) else {
        return unfinished(text, scan);
    };
    let is_ours = only_ours(text, Reading::Words).is_some();
    let foreign = (!is_ours).then(|| read(text, Dialect::Numpy, scan));
    if let Some((spec, diagnostics)) = &foreign {
        if is_read(diagnostics) {
            let said = mistake::foreign_arrow(text, arrow, &spec.to_string());
            return Parsed { spec: spec.clone(), diagnostics: vec![said] };
        }
    }
    // For who knows the rest of the notation: the same text with its last `->` for `=>`, which has
    // everything else at the same place.
    let (spec, mut diagnostics) = foreign.unwrap_or_else(|| {
        let rearrowed = format!("{}=>{}", &text[..arrow], &text[arrow + 2..]);
        read(&rearrowed, Dialect::Lozenge, Scan::of(&rearrowed))
    });
    diagnostics.push(mistake::wrong_arrow(text, arrow));
    diagnostics.sort_by_key(Diagnostic::place);
    Parsed { spec: Spec { text: text.into(), ..spec }, diagnostics }
}

/// Whether the last `->` of a text belongs to the kinds of its last operand: that has batch axes, and one
/// `->`.
fn has_kinds(text: &str) -> bool {
    let last = text.rsplit(';').next().unwrap_or(text);
    last.contains('|') && last.matches("->").count() == 1
}

/// A text without any arrow that could come before a result.
fn unfinished(text: &str, scan: Scan) -> Parsed {
    let (spec, mut diagnostics) = read(text, Dialect::Lozenge, scan);
    let implicit = is_read(&diagnostics).then(|| implicit_result(text, scan, &spec)).flatten();
    if !mistake::has_stand_in_arrow(text) {
        diagnostics.push(mistake::missing_result(text, implicit.as_deref()));
    }
    Parsed { spec, diagnostics }
}

/// What the text would be with NumPy's implicit result: the axes that occur once, in the order of
/// their letters. Only for letters; for words nobody has such a rule.
fn implicit_result(text: &str, scan: Scan, spec: &Spec) -> Option<String> {
    let operands = text.trim_end();
    let (spec, operands) = match spec.style {
        Style::Letters => (spec.clone(), operands.to_owned()),
        Style::Commas if !scan.ours() && !scan.operator() && !scan.blank() => {
            let operands = operands.replace(',', ";");
            (read(&operands, Dialect::Lozenge, Scan::of(&operands)).0, operands)
        }
        _ => return None,
    };
    let once = spec.names().filter(|id| spec.names[id.index()].count == 1);
    let mut once: Vec<&str> = once.map(|id| spec.name(id)).collect();
    once.sort_unstable();
    let open = spec.slots.iter().any(|slot| slot.rows.iter().any(|row| row.ellipsis.is_some()));
    let result = format!("{operands} => {}{}", if open { "..." } else { "" }, once.concat());
    let parsed = read(&result, Dialect::Lozenge, Scan::of(&result));
    is_read(&parsed.1).then(|| result.trim_end().to_owned())
}

/// What other notations do not have.
const ONLY_OURS: [Token; 11] = [
    Token::FatArrow,
    Token::Pipe,
    Token::Semicolon,
    Token::Plus,
    Token::Star,
    Token::Caret,
    Token::Less,
    Token::Equals,
    Token::Ampersand,
    Token::At,
    Token::RowName,
];

/// The first token that only our notation has.
pub(super) fn only_ours(text: &str, reading: Reading) -> Option<Span> {
    let mut lexer = Lexer::new(text, reading);
    loop {
        match lexer.next() {
            (Token::End, _) => return None,
            (token, span) if ONLY_OURS.contains(&token) => return Some(span),
            _ => {}
        }
    }
}
