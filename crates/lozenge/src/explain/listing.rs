//! The program as text: a line a step, made when something is to be said about it.

use std::{collections::BTreeMap, sync::Arc};

use lozenge_diagnostic::{Diagnostic, Place, Report, SourceId, Sources, Span};

use crate::{
    number::index,
    session::{
        Line, OwnPlaces,
        program::{NESTED, Program},
        step::StepId,
    },
};

/// Lines of the program, those that were asked for. What is said is said of them;
/// [`Listing::rejection`] gives it the places where they stand.
pub(crate) struct Listing<'a> {
    program: &'a Program,
    /// By the numbers of their sources: what is told of which steps.
    told: Vec<(StepId, Line)>,
    lines: BTreeMap<StepId, SourceId>,
}

impl<'a> Listing<'a> {
    pub(crate) fn new(program: &'a Program) -> Listing<'a> {
        Listing { program, told: vec![], lines: BTreeMap::new() }
    }

    /// What was said, in the places of those who wrote the program.
    pub(crate) fn rejection(self, diagnostics: Vec<Diagnostic>) -> Report {
        let (sources, diagnostics) = self.placed(diagnostics);
        Report { sources, diagnostics }
    }

    /// The same of what refuses nothing.
    pub(crate) fn placed(self, mut diagnostics: Vec<Diagnostic>) -> (Sources, Vec<Diagnostic>) {
        let mut own = OwnPlaces::new();
        for said in &mut diagnostics {
            own.point(said, |source| {
                let (step, line) = self.told.get(source.0 as usize)?;
                Some((&self.program.steps[step.place()].site, line))
            });
        }
        (own.sources, diagnostics)
    }

    /// The whole line of a step.
    pub(crate) fn step(&mut self, step: StepId) -> Place {
        let (source, line) = self.line(step);
        Place { source, span: Span::new(0, length(&line.text)) }
    }

    /// An operand of a step.
    pub(crate) fn operand(&mut self, step: StepId, operand: usize) -> Place {
        let (source, line) = self.line(step);
        let span = line.operands.get(operand).copied();
        Place { source, span: span.unwrap_or_else(|| Span::new(0, length(&line.text))) }
    }

    /// A part of the specification or of the declared shape of a step.
    pub(crate) fn text(&mut self, step: StepId, span: Span) -> Place {
        let (source, at) = self.text_start(step);
        Place { source, span: Span::new(at + span.start, at + span.end) }
    }

    /// Where sizes are given to names of a step's specification; else all of it.
    pub(crate) fn sizes(&mut self, step: StepId) -> Place {
        let (source, line) = self.line(step);
        match line.sizes {
            Some(span) => Place { source, span },
            None => self.step(step),
        }
    }

    /// Where the text of a step begins, and in which source.
    pub(crate) fn text_start(&mut self, step: StepId) -> (SourceId, u32) {
        let (source, line) = self.line(step);
        (source, line.says.start)
    }

    /// A source of its own for the partial shape of a step's result: `x: 2,3`. Gives where the
    /// shape begins.
    pub(crate) fn shape(&mut self, step: StepId, shape: &str) -> (SourceId, u32) {
        let head = format!("{}: ", self.program.display_name(step));
        let text: Arc<str> = format!("{head}{shape}").into();
        let at = length(&head);
        // It is nowhere written.
        let line = Line { says: Span::empty(0), operands: vec![], sizes: None, text };
        (self.tell(step, line), at)
    }

    fn tell(&mut self, step: StepId, line: Line) -> SourceId {
        self.told.push((step, line));
        SourceId(index(self.told.len() - 1))
    }

    fn line(&mut self, step: StepId) -> (SourceId, &Line) {
        let known = self.lines.get(&step).copied();
        let source = known.unwrap_or_else(|| self.tell(step, write(self.program, step)));
        self.lines.insert(step, source);
        (source, &self.told[source.0 as usize].1)
    }
}

fn write(program: &Program, step: StepId) -> Line {
    let made = &program.steps[step.place()];
    let span = |start: u32, len: u32| Span::new(start, start + len);
    if let Some(declaration) = made.operation.declaration() {
        let says = span(length(&declaration.head), length(&declaration.text));
        let text = (declaration.head + &declaration.text).into();
        return Line { text, says, operands: vec![], sizes: None };
    }
    let head = match program.name(step) {
        Some(name) => format!("{name} = "),
        None => String::new(),
    };
    let (made_as, places) = program.made(step, NESTED - 1);
    let shift = |place: std::ops::Range<usize>| {
        let start = head.len() + place.start;
        Span::new(index(start), index(start + place.len()))
    };
    let operands: Vec<Span> = places.into_iter().map(shift).collect();
    let text: Arc<str> = format!("{head}{made_as}").into();
    let says = match made.operation.spec().and_then(|spec| text.find(spec.text()).zip(Some(spec))) {
        Some((at, spec)) => span(index(at), length(spec.text())),
        None => span(0, length(&text)),
    };
    // They are behind the operands.
    let end = length(&text);
    let behind = operands.last().map(|last| Span::new(last.end + 1, end));
    let has_sizes = made.operation.template().is_none();
    let sizes = behind.filter(|behind| has_sizes && behind.start < behind.end);
    Line { text, says, operands, sizes }
}

fn length(text: &str) -> u32 {
    index(text.len())
}
