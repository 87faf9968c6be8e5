//! Assignments over the loops of another: with other slots, another scalar part, other names.

use std::sync::Arc;

use lozenge_project::{Slot, Statement};

use super::Assignment;
use crate::{Accumulation, Binary, Expression};

impl Assignment {
    /// The occurrences without which nothing happens at a point, also where others take part.
    pub fn needed(&self) -> &[Slot] {
        &self.needed
    }

    /// The same assignment, which does nothing at points in which one of these takes no part: while
    /// the other parts of a concatenation are copied.
    #[must_use]
    pub fn needing(self, needed: &[Slot]) -> Assignment {
        Assignment { needed: needed.to_vec(), ..self }
    }

    /// An assignment over the same loops in which other occurrences are written and read, as
    /// gradients do: the product of what is read is added to what is there.
    #[must_use]
    pub fn seen_from(&self, written: &[Slot], read: &[Slot]) -> Assignment {
        Assignment {
            record: Arc::clone(&self.record),
            written: written.to_vec(),
            read: read.to_vec(),
            value: Expression::fold(Binary::Multiply, 0..read.len()),
            accumulation: Accumulation::Add,
            statement: Statement::Accumulating,
            initial: None,
            needed: vec![],
            labels: Arc::clone(&self.labels),
            called: vec![],
        }
    }

    /// The same assignment with names for what is written and for what is read, each in order: what
    /// stands in a slot need not be the operation's own tensor. A name that is missing is the
    /// tensor's.
    #[must_use]
    pub fn calling(
        mut self,
        written: impl IntoIterator<Item = Arc<str>>,
        read: impl IntoIterator<Item = Arc<str>>,
    ) -> Assignment {
        let own = self.written.iter().map(|slot| self.display_name(*slot).into());
        let mut called: Vec<Arc<str>> = written.into_iter().take(self.written.len()).collect();
        called.extend(own.skip(called.len()).collect::<Vec<_>>());
        called.extend(read);
        self.called = called;
        self
    }

    /// The name of a tensor that is written, by its number.
    pub fn written_name(&self, number: usize) -> &str {
        match self.called.get(number) {
            Some(name) => name,
            None => self.display_name(self.written[number]),
        }
    }

    /// The name of a tensor that is read, by its number.
    pub fn read_name(&self, number: usize) -> &str {
        match self.called.get(self.written.len() + number) {
            Some(name) => name,
            None => self.display_name(self.read[number]),
        }
    }

    /// The same assignment with another value. Reads of the value that are not there are refused
    /// when it is run.
    #[must_use]
    pub fn computing(self, value: Expression) -> Assignment {
        Assignment { value, ..self }
    }

    /// The same assignment with another accumulation, and with or without erasing what was there.
    #[must_use]
    pub fn accumulating(self, accumulation: Accumulation, statement: Statement) -> Assignment {
        Assignment { accumulation, statement, ..self }
    }
}
