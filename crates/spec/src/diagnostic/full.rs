//! The full form: source lines with both sides marked, by `annotate-snippets`, which renders rustc's
//! own.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use super::{Diagnostic, Edit, Help, Label, Severity, SourceId, Sources};

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
    let mut group = level.primary_title(headline).id(code).elements(snippets(diagnostic, sources));
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

/// The labelled lines, source by source, that of the primary label first.
fn snippets<'a>(
    diagnostic: &'a Diagnostic,
    sources: &'a Sources,
) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut ids: Vec<SourceId> = vec![];
    for label in &diagnostic.labels {
        if !ids.contains(&label.place.source) {
            ids.push(label.place.source);
        }
    }
    let annotation = |(i, label): (usize, &'a Label)| {
        let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        kind.span(label.place.span.range()).label(label.text.as_str())
    };
    let snippet = |id: SourceId| {
        let source = sources.get(id)?;
        let labels = diagnostic.labels.iter().enumerate();
        let labels = labels.filter(|(_, label)| {
            label.place.source == id && source.text.get(label.place.span.range()).is_some()
        });
        let first = source.stands_at.map_or(1, |place| place.line);
        let snippet = Snippet::source(&source.text).line_start(first).path(source.name.as_str());
        Some(snippet.annotations(labels.map(annotation)))
    };
    ids.into_iter().filter_map(snippet).collect()
}

/// A help with edits: the lines as they would be. A line that is longer than the terminal is wide is cut
/// around the edits; where that is not possible, the words of the help are all there is.
fn patched<'a>(help: &'a Help, sources: &'a Sources, look: Look) -> Option<Group<'a>> {
    let source = sources.get(help.edits.first()?.place.source)?;
    let title = Level::HELP.secondary_title(wrapped(&help.text, look.width, 6));
    let within = |edit: &&Edit| source.text.get(edit.place.span.range()).is_some();
    let edits: Vec<&Edit> = help.edits.iter().filter(within).collect();
    let Some(shown) = around(&source.text, &edits, look.width) else {
        return Some(Group::with_title(title));
    };
    let first = source.stands_at.map_or(1, |place| place.line);
    let line = source.text[..shown.start].matches('\n').count() + first;
    // Where a line is cut, it says so.
    let cut = |cut: bool| if cut { "..." } else { "" };
    let head = cut(shown.start > 0 && !source.text[..shown.start].ends_with('\n'));
    let tail = cut(shown.end < source.text.len() && !source.text[shown.end..].starts_with('\n'));
    let text = format!("{head}{}{tail}", &source.text[shown.clone()]);
    let patch = |edit: &Edit| {
        let Range { start, end } = edit.place.span.range();
        let shift = |at: usize| at - shown.start + head.len();
        Patch::new(shift(start)..shift(end), edit.replacement.clone())
    };
    let patches: Vec<Patch<'_>> = match whole(&source.text, &edits) {
        Some(whole) => vec![patch(&whole)],
        None => edits.iter().map(|edit| patch(edit)).collect(),
    };
    let snippet = Snippet::source(text).line_start(line);
    Some(title.element(snippet.path(source.name.as_str()).patches(patches)))
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

/// The part of a text to show with edits: all of it, or what is around them. `None` when they are too far
/// apart.
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

/// A text of so many bytes is not shown whole, however short its lines are.
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
