//! The same record, seen from another slot.
//!
//! A gradient needs no inference of its own: the product space and the maps stay, and another map is the one
//! that is written. What the forward pass contracted is broadcast, and what it broadcast is contracted.

use alloc::vec::Vec;

use super::{
    coverage::{Budget, Coverage},
    decide::{Decision, Statement, decide},
    record::{Record, Slot},
};

/// An assignment over the loops of a record.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The loops and maps.
    pub record: &'a Record,
    /// What is written: one occurrence; several only for the reverse of a concatenation, where each point
    /// writes the one that takes part.
    pub written: Vec<Slot>,
    /// What is read, in order.
    pub read: Vec<Slot>,
}

impl Record {
    /// The operation itself: the operands are read, the result is written.
    pub fn forward(&self) -> View<'_> {
        View { record: self, written: [Slot::RESULT].into(), read: self.operands().collect() }
    }

    /// The operation seen from an operand: it is written; the result is read, then the other operands.
    pub fn towards(&self, operand: Slot) -> View<'_> {
        let others = self.slots().filter(|slot| *slot != operand);
        View { record: self, written: [operand].into(), read: others.collect() }
    }

    /// The reverse of a concatenation: the result is read, and at each point the operand that takes part is
    /// written. The one form whose written side is an array.
    pub fn apart(&self) -> View<'_> {
        View { record: self, written: self.operands().collect(), read: [Slot::RESULT].into() }
    }
}

impl View<'_> {
    /// How often the cells of what is written are written, slot by slot.
    pub fn coverage(&self, budget: Budget) -> impl Iterator<Item = Coverage> + '_ {
        self.written.iter().map(move |slot| self.record.coverage(*slot, budget))
    }

    /// What is to be done with what is written, slot by slot.
    pub fn decisions(&self, statement: Statement) -> impl Iterator<Item = Decision> + '_ {
        self.coverage(Budget::default())
            .map(move |coverage| decide(statement, coverage.injective, coverage.onto))
    }
}
