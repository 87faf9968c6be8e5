//! Mistakes about names.

use super::wording::{counted, quoted, unused_letter, unused_name};
use crate::tree::{Kind, Use};
use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Span};

impl Use {
    /// What a name with this use is.
    const fn noun(self) -> &'static str {
        match self {
            Use::Axis => "axis",
            Use::Row => "row variable",
            Use::Index => "run-time index",
            Use::Coefficient => "coefficient",
        }
    }

    /// What a name with this use is, with the article.
    fn a_noun(self) -> String {
        format!("{} {}", if self == Use::Axis { "an" } else { "a" }, self.noun())
    }
}

/// A name at all its places, with what it is at each; two of them differ.
pub(crate) fn name_clash(text: &str, places: &[(Use, Span)]) -> Diagnostic {
    let (first, at) = places[0];
    let (second, clash) =
        places.iter().find(|(used, _)| *used != first).copied().unwrap_or(places[0]);
    let name = at.of(text);
    let headline = format!("`{name}` is both {} and {}", first.a_noun(), second.a_noun());
    // An axis keeps its name, for that is what people read.
    let renamed = if first == Use::Axis { second } else { first };
    let fresh = match renamed {
        // In a text of letters an index has one letter.
        Use::Index if name.chars().count() == 1 => unused_letter(text),
        _ => unused_name(text, &format!("{name}s")),
    };
    let edits = places.iter().filter(|(used, _)| *used == renamed);
    let edits = edits.map(|(_, span)| Edit::replace(*span, fresh.as_str()));
    Diagnostic::new(Code::NameClash, headline)
        .label(clash, format!("here it is {}", second.a_noun()))
        .label(at, format!("here it is {}", first.a_noun()))
        .help(Help::certain(format!("another name for the {}", renamed.noun()), edits))
}

/// A row variable named as a kind; `places` are its names, `own` those where it stands in the row
/// of that kind.
pub(crate) fn reserved_row_name(text: &str, kind: Kind, places: &[(Kind, Span)]) -> Diagnostic {
    let own = places.iter().all(|(at, _)| *at == kind);
    let first = places.first().map(|(_, span)| *span).unwrap_or_default();
    let said = Diagnostic::new(
        Code::ReservedRowName,
        format!("`{kind}` is the name of a kind, not of a row variable"),
    )
    .label(first, "would be mistaken for `...`")
    .note(format!("`...` among {kind} axes is their row variable, and has no other name"));
    if own {
        let edits = places.iter().map(|(_, name)| {
            // With the dots on both sides.
            Edit::replace(Span::new(name.start - 2, name.end + 2), "...")
        });
        return said.help(Help::certain(format!("the {kind} axes nobody names"), edits));
    }
    let fresh = unused_name(text, &kind.name()[..1]);
    let edits = places.iter().map(|(_, span)| Edit::replace(*span, fresh.as_str()));
    said.help(Help::certain("another name", edits))
}

/// Words of several letters where no comma says that they are words. `once` is a word that occurs
/// once, `words` are all words of several letters, and `gaps` the separators between entries.
pub(crate) fn letters_or_words(
    text: &str,
    once: Span,
    words: Vec<Span>,
    gaps: Vec<Span>,
) -> Diagnostic {
    let as_letters = words.into_iter().map(|word| Edit::replace(word, spread(word.of(text))));
    let as_words = gaps.into_iter().map(|gap| Edit::replace(gap, ", "));
    let said = one_axis(text, once)
        .note("blanks or operators between names make every word a name; without, every letter is one")
        .help(Help::choice("where letters are meant", as_letters));
    // In other notations commas separate operands.
    if text.contains("=>") {
        said.help(Help::choice("where words are meant, commas say so", as_words))
    } else {
        said
    }
}

/// Words of several letters between commas that another notation has between operands.
pub(crate) fn commas_of_operands(text: &str, once: Span, commas: Vec<Span>) -> Diagnostic {
    let separated = commas.into_iter().map(|comma| Edit::replace(comma, ";"));
    one_axis(text, once)
        .note("commas separate axes, `;` operands; here no axis of the result is one of an operand")
        .help(Help::choice("where operands are meant, of letters", separated))
}

fn one_axis(text: &str, once: Span) -> Diagnostic {
    let written = once.of(text);
    let letters: Vec<String> = written.chars().map(|c| format!("`{c}`")).collect();
    let letters = match letters.len() {
        5.. => counted(letters.len(), "axis", "axes"),
        _ => letters.join(", "),
    };
    Diagnostic::new(Code::LettersOrWords, format!("{} is read as one axis", quoted(written)))
        .label(once, format!("one axis by this name, not {letters}"))
}

/// The letters of a word, with blanks between them; digits stay together, they are one number.
fn spread(word: &str) -> String {
    let mut letters = String::new();
    let mut before = ' ';
    for c in word.chars() {
        if before != ' ' && !(before.is_ascii_digit() && c.is_ascii_digit()) {
            letters.push(' ');
        }
        letters.push(c);
        before = c;
    }
    letters
}

/// A result with a name of this use that no operand has, or with several; `only` are their places.
pub(crate) fn result_only(text: &str, used: Use, only: &[Span]) -> Diagnostic {
    let names: Vec<String> = only.iter().take(12).map(|span| quoted(span.of(text))).collect();
    let (headline, note, size) = match (&names[..], only) {
        ([name], [span]) => (
            format!("{name} is {} of the result only", used.a_noun()),
            format!("nothing is read along {name}: the result is the same all along it"),
            format!(
                "where it is meant, its size says so: {}",
                quoted(&format!("{}=…", span.of(text)))
            ),
        ),
        _ => (
            format!("{} are names of the result only", names.join(", ")),
            "nothing is read along them: the result is the same all along".to_owned(),
            "where they are meant, their sizes say so, each as `name=…`".to_owned(),
        ),
    };
    let said = Diagnostic::new(Code::ResultOnlyName, headline).note(note).help(Help::advice(size));
    only.iter().take(4).fold(said, |said, span| said.label(*span, "no operand has it"))
}

/// A name that no operand has, of one axis at `places`, with the axes of operands that may have
/// been meant: those that are `lost`, as they are written once.
pub(crate) fn perhaps_lost<'a>(
    mut said: Diagnostic,
    text: &str,
    places: &[Span],
    lost: impl Iterator<Item = &'a Span>,
) -> Diagnostic {
    for span in lost.take(3) {
        let name = span.of(text);
        let edits = places.iter().map(|place| Edit::replace(*place, name));
        said = said
            .label(*span, format!("the result has no {}", quoted(name)))
            .help(Help::choice(format!("where {} is meant", quoted(name)), edits));
    }
    said
}

/// A name that the specification does not have; `known` are the names that it has.
pub(crate) fn unknown_name(text: &str, name: &str, known: &[&str]) -> Diagnostic {
    let whole = crate::token::span(0, text.len());
    let said = Diagnostic::new(Code::UnknownName, format!("there is no {} here", quoted(name)));
    let names: Vec<String> = known.iter().take(12).map(|name| quoted(name)).collect();
    let said = match names.len() {
        0 => said.label(whole, "it has no names"),
        _ => said.label(whole, format!("it has {}", names.join(", "))),
    };
    match known.iter().min_by_key(|other| distance(name, other)) {
        Some(near) if distance(name, near) <= name.chars().count() / 2 => {
            said.help(Help::advice(format!("did you mean {}?", quoted(near))))
        }
        _ => said,
    }
}

/// How many letters have to change, come or go between two names. Names are short.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
