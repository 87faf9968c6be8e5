//! The full form: source lines with both sides marked, by `annotate-snippets`, which renders
//! rustc's own.

use std::ops::Range;

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet,
};

use super::{Diagnostic, Edit, Help, Label, Severity, SourceId, Sources, Span};

/// How it looks. Whoever has the terminal knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether to colour it, with ANSI codes.
    pub colour: bool,
    /// How many columns there are.
    pub width: usize,
}

impl Look {
    /// No colour, 80 columns.
    pub const PLAIN: Self = Self { colour: false, width: 80 };
}

/// Source lines with both sides marked, notes, and each help as the line it gives. Ends without a
/// line break.
pub fn full(diagnostic: &Diagnostic, sources: &Sources, look: Look) -> String {
    let look = Look { width: look.width.min(WIDEST), ..look };
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let code = diagnostic.code.name();
    // What stands before the headline: `error[code]: `.
    let head = diagnostic.severity().name().len() + code.len() + 4;
    let headline = wrapped(&diagnostic.headline, look.width, head);
    let group = level.primary_title(headline).id(code);
    let mut group = shown(diagnostic, sources, look).into_iter().fold(
        Group::with_title(group),
        |group, element| match element {
            Shown::Lines(lines) => group.element(lines),
            Shown::Place(place) => group.element(place),
            Shown::Told(picture) => group.element(Level::NOTE.message(picture)),
        },
    );
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(wrapped(note, look.width, 10)));
    }
    for help in diagnostic.helps.iter().filter(|help| help.edits.is_empty()) {
        group = group.element(Level::HELP.message(wrapped(&help.text, look.width, 10)));
    }
    let edits = diagnostic.helps.iter().filter_map(|help| patched(help, sources, look));
    let report: Vec<Group<'_>> = [group].into_iter().chain(edits).collect();
    let renderer = if look.colour { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(look.width).render(&report)
}

/// An element of a group that is rendered.
enum Shown<'a> {
    /// Lines of it, with labels.
    Lines(Snippet<'a, Annotation<'a>>),
    /// The place, if its lines are not at hand.
    Place(Origin<'a>),
    /// A line of notation that tells what stands there.
    Told(String),
}

/// What is labelled, source by source, that of the primary label first.
fn shown<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources, look: Look) -> Vec<Shown<'a>> {
    let mut shown = vec![];
    let mut ids: Vec<SourceId> = vec![];
    for label in &diagnostic.labels {
        if !ids.contains(&label.place.source) {
            ids.push(label.place.source);
        }
    }
    for id in ids {
        let Some(source) = sources.get(id) else { continue };
        let labels = diagnostic.labels.iter().enumerate();
        let labels: Vec<(usize, &Label)> =
            labels.filter(|(_, label)| label.place.source == id).collect();
        if let Some(text) = source.text() {
            let within = |label: &Label| text.get(label.place.span.range()).is_some();
            let annotations = labels.iter().filter(|(_, label)| within(label));
            let annotations = annotations.filter(|(i, label)| !is_said_again(*i, label, &labels));
            let annotations = annotations.map(|(i, label)| {
                let words = if label.told.is_some() { "" } else { label.text.as_str() };
                annotation(*i, label.place.span, words)
            });
            let lines = Snippet::source(text).path(&*source.name);
            shown.push(Shown::Lines(lines.annotations(annotations)));
        } else {
            let at = source.position(0);
            let place = Origin::path(&*source.name).line(at.line).char_column(at.column);
            shown.push(Shown::Place(place));
        }
        let mut told: Vec<&str> = vec![];
        for line in labels.iter().filter_map(|(_, label)| Some(&*label.told.as_ref()?.text)) {
            if !told.contains(&line) {
                told.push(line);
                shown.push(Shown::Told(picture(line, &labels, look)));
            }
        }
    }
    shown
}

/// Whether a label whose words stand elsewhere marks what another label marks.
fn is_said_again(number: usize, label: &Label, all: &[(usize, &Label)]) -> bool {
    let is_same = |(i, other): &(usize, &Label)| {
        *i != number && other.place == label.place && (other.told.is_none() || *i < number)
    };
    label.told.is_some() && all.iter().any(is_same)
}

fn annotation(number: usize, span: Span, words: &str) -> Annotation<'_> {
    let kind = if number == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
    kind.span(span.range()).label(words)
}

/// A line of the notation with the parts of it that are labelled, as a note: it has no number,
/// since it is no line that somebody wrote.
fn picture(line: &str, labels: &[(usize, &Label)], look: Look) -> String {
    let of_line = labels.iter().filter_map(|(i, label)| {
        let told = label.told.as_ref().filter(|told| *told.text == *line)?;
        line.get(told.span.range())?;
        // What is said of all of it needs no underline to say so.
        let is_empty = label.text.is_empty() && told.span.range() == (0..line.len());
        (!is_empty).then(|| annotation(*i, told.span, &label.text))
    });
    let of_line: Vec<Annotation<'_>> = of_line.collect();
    if of_line.is_empty() {
        return line.to_owned();
    }
    let snippet = Snippet::source(line).annotations(of_line);
    // Behind `  = note: `; the renderer's own margin is cut off.
    let renderer = Renderer::plain().term_width(look.width.saturating_sub(6));
    let drawn = renderer.render(&[Group::with_level(Level::NOTE).element(snippet)]);
    let inner = drawn.lines().filter_map(|line| line.get(MARGIN..));
    let inner: Vec<&str> = inner.filter(|line| !line.trim().is_empty()).collect();
    inner.join("\n")
}

/// The columns of `1 | `.
const MARGIN: usize = 4;

/// A help with edits: the lines as they would be. A line that is longer than the terminal is wide
/// is cut around the edits; where that is not possible, the words of the help are all there is.
fn patched<'a>(help: &'a Help, sources: &'a Sources, look: Look) -> Option<Group<'a>> {
    let source = sources.get(help.edits.first()?.place.source)?;
    let text = source.text().unwrap_or_default();
    let title = Level::HELP.secondary_title(wrapped(&help.text, look.width, 6));
    let within = |edit: &&Edit| text.get(edit.place.span.range()).is_some();
    let edits: Vec<&Edit> = help.edits.iter().filter(within).collect();
    let Some(shown) = around(text, &edits, look.width) else {
        return Some(Group::with_title(title));
    };
    let line = text[..shown.start].matches('\n').count() + 1;
    // Where a line is cut, it says so.
    let cut = |cut: bool| if cut { "..." } else { "" };
    let head = cut(shown.start > 0 && !text[..shown.start].ends_with('\n'));
    let tail = cut(shown.end < text.len() && !text[shown.end..].starts_with('\n'));
    let cut_out = format!("{head}{}{tail}", &text[shown.clone()]);
    let patch = |edit: &Edit| {
        let Range { start, end } = edit.place.span.range();
        let shift = |at: usize| at - shown.start + head.len();
        Patch::new(shift(start)..shift(end), edit.replacement.clone())
    };
    let patches: Vec<Patch<'_>> = match whole(text, &edits) {
        Some(whole) => vec![patch(&whole)],
        None => edits.iter().map(|edit| patch(edit)).collect(),
    };
    let snippet = Snippet::source(cut_out).line_start(line);
    Some(title.element(snippet.path(&*source.name).patches(patches)))
}

/// One edit for several in more than one line, which the renderer cannot underline.
fn whole(text: &str, edits: &[&Edit]) -> Option<Edit> {
    let [first, .., last] = edits else { return None };
    let span = first.place.span.to(last.place.span);
    let rest = text.get(span.range()).filter(|part| part.contains('\n'))?;
    let mut replacement = rest.to_owned();
    for edit in edits.iter().rev() {
        let Range { start, end } = edit.place.span.range();
        let begin = span.range().start;
        replacement.replace_range(start - begin..end - begin, &edit.replacement);
    }
    Some(Edit::replace(span, replacement))
}

/// The part of a text to show with edits: all of it, or what is around them. `None` when they are
/// too far apart.
fn around(text: &str, edits: &[&Edit], width: usize) -> Option<Range<usize>> {
    let start = edits.first()?.place.span.range().start;
    let end = edits.last()?.place.span.range().end;
    let written: usize = edits.iter().map(|edit| edit.replacement.len()).sum();
    // Behind the number of the line.
    let room = width.saturating_sub(6);
    let fits = |line: &str| line.len() + written.saturating_sub(end - start) <= room;
    if text.len() < MANY && text.lines().all(fits) {
        return Some(0..text.len());
    }
    // And between the dots of what is cut.
    let room = room.saturating_sub(10);
    let spare = room.checked_sub(end - start + written)? / 2;
    let is_cut = |at: &usize| text.is_char_boundary(*at);
    let begin = (start.saturating_sub(spare)..=start).find(is_cut)?;
    let begin = text[begin..start].rfind('\n').map_or(begin, |at| begin + at + 1);
    let close = (end..=text.len().min(end + spare)).rev().find(is_cut)?;
    let close = text[end..close].find('\n').map_or(close, |at| end + at);
    Some(begin..close)
}

/// No terminal is wider.
const WIDEST: usize = 10_000;

/// The longest text in bytes that is shown whole, however short its lines are.
const MANY: usize = 4096;

/// `text` in lines that leave `head` columns free, broken at blanks outside of backticks. A word
/// that is longer than a line stays whole.
fn wrapped(text: &str, width: usize, head: usize) -> String {
    let room = width.saturating_sub(head).max(20);
    let mut lines = String::new();
    let mut column = 0;
    for word in words(text) {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > room {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines
}

/// What blanks separate; what is between backticks is one word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let is_end = move |c: char| {
        quoted ^= c == '`';
        c == ' ' && !quoted
    };
    text.split(is_end).filter(|word| !word.is_empty())
}
