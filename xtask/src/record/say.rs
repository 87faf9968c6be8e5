//! What is said, in all forms, and what a session knows, as text.

use std::fmt::{Display, Write as _};

use lozenge::{
    AxisPlace, Closed, Kind, Report, Session, Tensor,
    diagnostic::{Diagnostic, Look, Sources, concise, full, json},
    project::{Budget, Record, Statement, Write, decide},
};
use lozenge_lower::Nest;

/// Lines of an item.
#[derive(Default)]
pub(super) struct Lines(String);

impl Lines {
    /// Adds what something is, on a line or more.
    pub(super) fn add(&mut self, what: &str, is: impl Display) {
        // A string takes all that is written to it.
        let _ = writeln!(self.0, "{what}: {is}");
    }

    /// Adds what each of some things is.
    pub(super) fn list(&mut self, what: &str, all: impl IntoIterator<Item: Display>) {
        for is in all {
            self.add(what, is);
        }
    }

    /// Adds what is said, in all three forms.
    pub(super) fn said(&mut self, diagnostics: &[Diagnostic], sources: &Sources) {
        for said in diagnostics {
            self.0 += &full(said, sources, Look::PLAIN);
            self.0 += "\n";
            self.0 += &concise(said, sources);
            self.0 += "\n";
        }
        if !diagnostics.is_empty() {
            self.0 += &json(diagnostics, sources);
            self.0 += "\n";
        }
    }

    pub(super) fn refused(&mut self, what: &str, rejection: &Report) {
        self.add(what, "refused");
        self.said(&rejection.diagnostics, &rejection.sources);
    }

    pub(super) fn text(self) -> String {
        self.0
    }
}

/// Every how many axes it is recorded why one has its size.
const WHY: usize = 7;

/// What a session knows before it is closed.
pub(super) fn open(lines: &mut Lines, session: &Session) {
    for tensor in session.tensors() {
        match session.shape(tensor) {
            Ok(shape) => lines.add(&session.display_name(tensor), &shape),
            Err(rejection) => lines.refused("shape", &rejection),
        }
        for kind in Kind::ALL {
            let Ok(shape) = session.shape(tensor) else { continue };
            for axis in 0..shape.row(kind).axes().len() {
                if let Ok(Some(bound)) = session.bound(tensor, kind, axis) {
                    lines.add("  bound", format!("{} of kind {}: {bound}", axis, number(kind)));
                }
            }
        }
    }
    lines.list("asks", session.constraints());
}

/// What a session closes to: shapes, requirements, notes, reasons and loops.
pub(super) fn closed(lines: &mut Lines, session: &Session) -> Option<Closed> {
    let closed = match session.close() {
        Ok(closed) => closed,
        Err(rejection) => {
            lines.refused("closing", &rejection);
            return None;
        }
    };
    let tensors: Vec<Tensor> = session.tensors().collect();
    let mut axes = vec![];
    for tensor in &tensors {
        let Ok(shape) = closed.shape(*tensor) else { continue };
        let markers = Kind::ALL.map(|kind| shape.marker(kind).to_string()).join(" ");
        lines.add(&session.display_name(*tensor), format!("{shape} markers {markers}"));
        for kind in Kind::ALL {
            let of_axis = |axis| AxisPlace::new(*tensor, kind, axis);
            axes.extend((0..shape.row(kind).len()).map(of_axis));
        }
    }
    lines.list("requires", closed.requirements());
    closed.specialised().for_each(|(name, size)| lines.add(name, size));
    lines.said(closed.notes(), closed.sources());
    // Not of the first axis alone: it is of a terminal as a rule.
    for place in axes.iter().skip(axes.len() / 2).step_by(WHY).chain(axes.first()) {
        match session.why(&closed, *place) {
            Ok((said, sources)) => lines.said(&[said], &sources),
            Err(rejection) => lines.refused("why", &rejection),
        }
    }
    for tensor in tensors {
        loops(lines, session, &closed, tensor);
    }
    Some(closed)
}

/// The loops of an operation, what they read and write, and what is decided of its stores.
fn loops(lines: &mut Lines, session: &Session, closed: &Closed, tensor: Tensor) {
    let assignment = match session.assignment(closed, tensor) {
        Ok(assignment) => assignment,
        Err(rejection) => {
            // Terminals have none.
            let said = rejection.diagnostics.iter();
            lines.list("no loops", said.map(|said| concise(said, &rejection.sources)));
            return;
        }
    };
    lines.add("record", assignment.record());
    let nest = Nest::new(assignment);
    lines.add("loops", format!("\n{nest}"));
    let traffic = nest.traffic();
    lines.add("points", &traffic.points);
    lines.add("writes", &traffic.written);
    lines.list("reads", &traffic.read);
    coverages(lines, nest.assignment().record());
}

/// How the cells of each occurrence are covered, and what is decided of stores to it.
pub(super) fn coverages(lines: &mut Lines, record: &Record) {
    for covered in record.coverages(Budget::default()) {
        let is = |known: Option<bool>| known.map_or("?", |is| if is { "yes" } else { "no" });
        let count = |known: Option<u128>| known.map_or("?".to_owned(), |count| count.to_string());
        let [injective, onto] = [covered.injective, covered.onto].map(is);
        let [cells, points] = [covered.cells, covered.points].map(count);
        lines.add("covered", format!("once {injective} wholly {onto} cells {cells} of {points}"));
        for statement in [Statement::Erasing, Statement::Accumulating] {
            let decision = decide(statement, covered.injective, covered.onto);
            let first = if decision.initialise { "first the neutral element, then" } else { "" };
            let then = if decision.write == Write::Store { "stores" } else { "accumulates" };
            lines.add("  stores", format!("{first} {then}"));
        }
    }
}

/// The number of a kind of axes: its name may change.
fn number(kind: Kind) -> usize {
    Kind::ALL.iter().position(|other| *other == kind).unwrap_or(Kind::ALL.len())
}
