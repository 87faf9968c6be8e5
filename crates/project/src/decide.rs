//! Whether to initialise the result, and whether to store or to accumulate.

/// The statement of an assignment: whether it replaces what was there before, or adds to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Statement {
    /// `=:+`: it is erased first. What an operation does with its result.
    Erasing,
    /// `=+`: it is kept, and added to. What gradients do.
    Accumulating,
}

/// The write of the innermost statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Write {
    /// Each cell is written at most once: a plain store.
    Store,
    /// Cells are read, combined with the accumulation, and written back.
    Accumulate,
}

/// The decision of what to do before the loops and inside of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// Whether all cells are first set to the neutral element.
    pub initialise: bool,
    /// The write at each point.
    pub write: Write,
}

impl Decision {
    /// A decision to set all cells to the neutral element first, or not to, and then to write like
    /// this.
    pub fn new(initialise: bool, write: Write) -> Decision {
        Decision { initialise, write }
    }
}

/// Decides from the map that is written, where *injective* is that no cell is written twice and
/// *onto* that every cell is written:
///
/// | statement | injective | onto | initialise | write |
/// |---|---|---|---|---|
/// | erasing | yes | yes | no | store |
/// | erasing | yes | no | yes: some cells are never written | store |
/// | erasing | no | – | yes: the first accumulation reads a cell | accumulate |
/// | accumulating | – | – | no: what is there counts | accumulate |
///
/// What is not known to be so counts as not so, which is never wrong.
pub fn decide(statement: Statement, injective: Option<bool>, onto: Option<bool>) -> Decision {
    match (statement, injective, onto) {
        (Statement::Erasing, Some(true), Some(true)) => {
            Decision { initialise: false, write: Write::Store }
        }
        (Statement::Erasing, Some(true), Some(false) | None) => {
            Decision { initialise: true, write: Write::Store }
        }
        (Statement::Erasing, Some(false) | None, _) => {
            Decision { initialise: true, write: Write::Accumulate }
        }
        (Statement::Accumulating, _, _) => Decision { initialise: false, write: Write::Accumulate },
    }
}
