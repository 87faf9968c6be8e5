//! A prover of arithmetic, which whoever runs a checker may have.

/// What a prover says of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Satisfiable,
    Unsatisfiable,
    Unknown,
}

/// A prover that reads SMT-LIB.
pub trait Prover {
    /// Whether what is declared and asserted can hold.
    ///
    /// # Errors
    /// When the prover does not answer.
    fn check(&mut self, text: &str) -> anyhow::Result<Answer>;
}

/// The prover that knows nothing, where there is none: what is left is what enumeration says.
pub struct Unknowing;

impl Prover for Unknowing {
    fn check(&mut self, _text: &str) -> anyhow::Result<Answer> {
        Ok(Answer::Unknown)
    }
}
