//! Why an operation cannot be applied, whatever shapes its operands have. Words for it are made
//! elsewhere.

use lozenge_calculus::size::SizeError;
use lozenge_diagnostic::Span;

use crate::Report;

/// Why an operation has no scheme.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Misfit {
    /// It takes another number of operands.
    Operands {
        /// The number that it takes.
        takes: usize,
        /// The number that was given.
        given: usize,
    },
    /// The result begins with an operand that is not there.
    Initial {
        /// The number of that operand, from 0.
        operand: usize,
        /// The number of operands that were given.
        given: usize,
    },
    /// The value reads an operand that is not there.
    Read {
        /// The number of that operand, from 0.
        operand: usize,
        /// The number of operands that were given.
        given: usize,
    },
    /// A number that is not the size of an axis.
    Size(SizeError),
    /// A number of elements that is 0.
    NoElements,
    /// A text that is not the name of a size.
    NotAName(Box<str>),
    /// A text that is nothing that can be declared of sizes.
    NotDeclared(Box<str>),
    /// A row, by its name, that is to have the name of a size.
    RowNamed(Box<str>),
    /// A size that is to be a multiple of another, by their names; one of them is of a row.
    RowScaled([Box<str>; 2]),
    /// A size that is to be 0 times another, by their names.
    ZeroFactor([Box<str>; 2]),
    /// A step of a specification that is too large.
    Step {
        /// The specification.
        text: Box<str>,
        /// The axis that has it.
        axis: Span,
        /// The step.
        number: u64,
    },
    /// What was said of a specification or a shape, which is a text.
    Text(Box<Report>),
}

impl From<Report> for Misfit {
    fn from(said: Report) -> Misfit {
        Misfit::Text(Box::new(said))
    }
}

impl From<SizeError> for Misfit {
    fn from(error: SizeError) -> Misfit {
        Misfit::Size(error)
    }
}
