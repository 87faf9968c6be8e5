//! How much a loop nest does: multiply-adds, elements read and written.

use lozenge_core::project::{Budget, Slot};

use super::Loops;

/// What a loop nest does. `None` where a size stays symbolic, or where it would take too long to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// How often the innermost statement runs.
    pub multiply_adds: Option<u128>,
    /// How many elements of each operand are read, each counted once.
    pub read: Vec<Option<u128>>,
    /// How many elements of the result are written, each counted once; those that are only set to the neutral
    /// element too.
    pub written: Option<u128>,
}

impl Traffic {
    /// How many elements of all operands are read.
    pub fn all_read(&self) -> Option<u128> {
        self.read.iter().try_fold(0_u128, |sum, cells| sum.checked_add((*cells)?))
    }
}

impl Loops {
    /// How much the loop nest does.
    pub fn traffic(&self) -> Traffic {
        let record = &self.record;
        let cells = |slot: Slot| record.coverage(slot, Budget::default()).cells;
        let written = if self.decision().initialise {
            record.cells(Slot::RESULT)
        } else {
            self.coverage().cells
        };
        Traffic {
            multiply_adds: self.coverage().points,
            read: record.operands().map(cells).collect(),
            written,
        }
    }
}
