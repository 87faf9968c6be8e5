//! The program as text: a line a step, made when something is to be said about it.

use std::collections::BTreeMap;

use lozenge_spec::diagnostic::{Place, SourceId, Sources, Span};

use crate::session::program::{NESTED, Program};

/// Lines of the program, those that were asked for.
pub(crate) struct Listing<'a> {
    program: &'a Program,
    pub(crate) sources: Sources,
    lines: BTreeMap<u32, Line>,
}

/// A step as text.
#[derive(Clone, Debug)]
struct Line {
    source: SourceId,
    whole: Span,
    /// Where the specification or the declared shape is.
    text: Span,
    operands: Vec<Span>,
}

impl<'a> Listing<'a> {
    pub(crate) fn new(program: &'a Program) -> Listing<'a> {
        Listing { program, sources: Sources::new(), lines: BTreeMap::new() }
    }

    /// The whole line of a step.
    pub(crate) fn step(&mut self, step: u32) -> Place {
        let line = self.line(step);
        Place { source: line.source, span: line.whole }
    }

    /// An operand of a step.
    pub(crate) fn operand(&mut self, step: u32, operand: usize) -> Place {
        let line = self.line(step);
        let span = line.operands.get(operand).copied().unwrap_or(line.whole);
        Place { source: line.source, span }
    }

    /// A part of the specification or of the declared shape of a step.
    pub(crate) fn text(&mut self, step: u32, span: Span) -> Place {
        let line = self.line(step);
        let at = line.text.start;
        Place { source: line.source, span: Span::new(at + span.start, at + span.end) }
    }

    /// What stands behind the operands of a step; else all of it.
    pub(crate) fn detail(&mut self, step: u32) -> Place {
        let Place { source, span } = self.step(step);
        let end = self.line(step).operands.last().map_or(span.start, |last| last.end);
        let from = if end < span.end { end + 1 } else { span.start };
        Place { source, span: Span::new(from.min(span.end), span.end) }
    }

    /// Where the text of a step begins, and in which source.
    pub(crate) fn text_start(&mut self, step: u32) -> (SourceId, u32) {
        let line = self.line(step);
        (line.source, line.text.start)
    }

    /// A source of its own for what is known of a step's result: `x: 2,3`. Gives where the shape begins.
    pub(crate) fn shape(&mut self, step: u32, shape: &str) -> (SourceId, u32) {
        let written = &self.program.steps[step as usize];
        let head = if written.site.is_text() {
            String::new()
        } else {
            format!("{}: ", self.program.called(step))
        };
        let source = written.site.source(format!("{head}{shape}"));
        (self.sources.push(source), length(&head))
    }

    fn line(&mut self, step: u32) -> Line {
        if let Some(line) = self.lines.get(&step) {
            return line.clone();
        }
        let (text, mut line) = write(self.program, step);
        line.source = self.sources.push(self.program.steps[step as usize].site.source(text));
        self.lines.insert(step, line.clone());
        line
    }
}

fn write(program: &Program, step: u32) -> (String, Line) {
    let made = &program.steps[step as usize];
    let span = |start: u32, len: u32| Span::new(start, start + len);
    let line = |text: &str, at: Span, operands| Line {
        source: SourceId::FIRST,
        whole: span(0, length(text)),
        text: at,
        operands,
    };
    if let Some(declaration) = made.operation.declaration() {
        let head = if made.site.is_text() { String::new() } else { declaration.head };
        let at = span(length(&head), length(&declaration.text));
        let text = head + &declaration.text;
        let line = line(&text, at, vec![]);
        return (text, line);
    }
    if let (Some(spec), true) = (made.operation.spec(), made.site.is_text()) {
        let operands = spec.operands().iter().map(|slot| slot.span).collect();
        let text = spec.text().to_owned();
        let line = line(&text, span(0, length(&text)), operands);
        return (text, line);
    }
    let head = match program.name(step) {
        Some(name) => format!("{name} = "),
        None => String::new(),
    };
    let (made_as, places) = program.made(step, NESTED - 1);
    let shift = |place: std::ops::Range<usize>| {
        let start = head.len() + place.start;
        Span::new(number(start), number(start + place.len()))
    };
    let operands = places.into_iter().map(shift).collect();
    let text = format!("{head}{made_as}");
    let at = match made.operation.spec().and_then(|spec| text.find(spec.text()).zip(Some(spec))) {
        Some((at, spec)) => span(number(at), length(spec.text())),
        None => span(0, length(&text)),
    };
    let line = line(&text, at, operands);
    (text, line)
}

fn length(text: &str) -> u32 {
    number(text.len())
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
