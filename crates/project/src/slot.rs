//! The tensors of an operation, by their places in it.

/// An occurrence of a tensor in an operation: the result is 0, the operands follow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub usize);

impl Slot {
    /// The result.
    pub const RESULT: Slot = Slot(0);

    /// An operand, by its number from 0.
    pub const fn operand(number: usize) -> Slot {
        Slot(number + 1)
    }
}
