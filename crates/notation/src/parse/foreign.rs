//! Other notations: texts without `=>`, which are somebody else's or unfinished.

use super::{
    parser::{Dialect, is_read, put_in_order},
    read::{Parsed, only_ours, read},
};
use crate::{
    mistake,
    scan::Scan,
    token::Reading,
    tree::{Spec, Style},
};
use lozenge_diagnostic::Diagnostic;

/// A text without `=>`: in another notation, or unfinished.
#[cold]
pub(super) fn without_result(text: &str, scan: Scan) -> Parsed {
    if let Some(parsed) = mistyped(text, scan) {
        return parsed;
    }
    let is_ours = only_ours(text, Reading::Words).is_some();
    let Some(last) = text.rfind("->") else { return unfinished(text, scan, is_ours) };
    let foreign = match (!is_ours).then(|| read(text, Dialect::Numpy, scan)) {
        Some((spec, mut diagnostics)) if is_read(&diagnostics) => {
            // Words that may be letters are a question there as well, and then nothing is certain.
            let said = mistake::foreign_arrow(text, last, &spec, diagnostics.is_empty());
            diagnostics.insert(0, said);
            return Parsed { spec, diagnostics };
        }
        foreign => foreign,
    };
    // For who knows the rest of the notation: the same text with one `->` for `=>`, which has
    // everything else at the same place. Between kinds there are others; those of the last operand
    // are tried.
    let arrows = text.rmatch_indices("->").map(|(at, _)| at).take(4);
    let mut rearrowed = arrows.map(|at| (at, rearrowed(text, at, "->")));
    let mended = rearrowed.find(|(_, (_, said))| is_read(said));
    let is_kind = |at: usize| has_batch(&text[..at]) && !text[at..].contains('|');
    match (mended, foreign) {
        (Some((at, (spec, _))), _) if !is_kind(at) => {
            let said = mistake::wrong_arrow(text, at, "->");
            Parsed { spec: spec.of(text), diagnostics: vec![said] }
        }
        (Some(_), _) => unfinished(text, scan, true),
        (None, foreign) => {
            let (spec, mut diagnostics) =
                foreign.unwrap_or_else(|| self::rearrowed(text, last, "->"));
            diagnostics.push(mistake::wrong_arrow(text, last, "->"));
            put_in_order(&mut diagnostics);
            Parsed { spec: spec.of(text), diagnostics }
        }
    }
}

/// Whether the last operand of a text has batch axes.
fn has_batch(text: &str) -> bool {
    text.rsplit(';').next().unwrap_or(text).contains('|')
}

/// The text with `=>` in place of `sign` at `at`.
fn rearrowed(text: &str, at: usize, sign: &str) -> (Spec, Vec<Diagnostic>) {
    let text = format!("{}=>{}", &text[..at], &text[at + sign.len()..]);
    read(&text, Dialect::Lozenge, Scan::of(&text))
}

impl Spec {
    /// The tree as that of a text which differs from its own in an arrow only.
    fn of(self, text: &str) -> Spec {
        Spec { text: text.into(), ..self }
    }
}

/// Signs that are typed for `=>` by mistake.
const ARROWS: [&str; 8] = ["-->", ":=", ">=", "<=", "~>", "==", "=", ">"];

/// A text with one of them that is read when it is `=>`.
fn mistyped(text: &str, scan: Scan) -> Option<Parsed> {
    let mut mistyped = ARROWS.iter().filter_map(|sign| {
        let at = text.find(sign).filter(|at| text.rfind(sign) == Some(*at))?;
        is_read(&rearrowed(text, at, sign).1).then_some((at, *sign))
    });
    let (at, sign) = mistyped.next()?;
    // Places behind the sign may have moved, so the tree is that of what can be read without.
    let (spec, _) = read(text, Dialect::Lozenge, scan);
    Some(Parsed { spec, diagnostics: vec![mistake::wrong_arrow(text, at, sign)] })
}

/// A text without an arrow that could come before a result.
fn unfinished(text: &str, scan: Scan, is_ours: bool) -> Parsed {
    let (spec, mut diagnostics) = read(text, Dialect::Lozenge, scan);
    let implicit = implicit_result(text, scan);
    if implicit.is_some() && !is_ours {
        // The mistakes are those of reading it as ours.
        diagnostics.clear();
    }
    if !mistake::has_stand_in_arrow(text) {
        diagnostics.push(mistake::missing_result(text, implicit.as_deref()));
        put_in_order(&mut diagnostics);
    }
    Parsed { spec, diagnostics }
}

/// A text that is to be read as NumPy's and has no result: what it is with its implicit one.
pub(super) fn with_implicit_result(text: &str, scan: Scan) -> Option<Parsed> {
    if text.contains("->") || scan.ours() {
        return None;
    }
    // One operand without axes, which only NumPy writes so.
    let is_scalar = text.trim().is_empty();
    let text = if is_scalar { " =>".to_owned() } else { implicit_result(text, scan)? };
    let (spec, diagnostics) = read(&text, Dialect::Lozenge, Scan::of(&text));
    Some(Parsed { spec: Spec { is_numpy: true, ..spec }, diagnostics })
}

/// The text with NumPy's implicit result: the axes that occur once, in the order of
/// their letters. Only for letters; for words nobody has such a rule.
fn implicit_result(text: &str, scan: Scan) -> Option<String> {
    if scan.operator() || scan.blank() || scan.wordy() || text.trim().is_empty() {
        return None;
    }
    let operands = text.trim_end();
    let operands = if scan.ours() { operands.to_owned() } else { operands.replace(',', ";") };
    let (spec, diagnostics) = read(&operands, Dialect::Lozenge, Scan::of(&operands));
    if spec.style != Style::Letters || !is_read(&diagnostics) {
        return None;
    }
    let once = spec.names().filter(|id| spec.names[id.index()].count == 1);
    let mut once: Vec<&str> = once.map(|id| spec.name(id)).collect();
    once.sort_unstable();
    let open = spec.slots.iter().any(|slot| slot.rows.iter().any(|row| row.ellipsis.is_some()));
    let result = format!("{operands} => {}{}", if open { "..." } else { "" }, once.concat());
    let parsed = read(&result, Dialect::Lozenge, Scan::of(&result));
    is_read(&parsed.1).then(|| result.trim_end().to_owned())
}
