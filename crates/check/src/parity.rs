//! Operations as einops and JAX have them: windows, concatenations, blocks.
//!
//! Here a session's shapes are held against those that follow from the numbers of a case; the
//! command `parity` of `xtask` holds them against JAX.

mod case;
mod own;

pub use case::{Case, Expected, Limits};
pub use own::{closed, elements, numbers, says, shapes};

use crate::{Generator, Mismatch, mismatch::counts};

counts! {
    /// What became of cases.
    pub struct Counts {
        /// The cases that fit.
        pub fit: u64,
        /// The cases that do not fit, and are refused as they should be.
        pub refused: u64,
    }
}

/// The windows of a case: of all markers, with margins and offsets, a fifth of them such that they
/// do not fit.
pub fn draw_windows(rng: &mut Generator) -> Case {
    let unfit = rng.u8(..5) == 0;
    Case::draw_windows(rng, unfit, Limits::SHAPES)
}

/// Draws an operation, and holds its shapes against those that its numbers give.
///
/// # Errors
/// When the shapes differ, or one that does not fit is taken, or refused with other words.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let case = if rng.bool() { Case::draw(rng) } else { draw_windows(rng) };
    let own = shapes(&case);
    let agree = match (case.expected(), &own) {
        (Expected::Shapes, Ok(own)) => {
            counts.fit += 1;
            Some(own) == case.shapes().as_ref()
        }
        (Expected::Documented(code) | Expected::Refused(code), Err(report)) => {
            counts.refused += 1;
            says(report, code)
        }
        (_, _) => false,
    };
    if agree {
        return Ok(());
    }
    let own = own.map_err(|report| report.to_string());
    Err(format!("{case:?}: {own:?}, not {:?} of {:?}", case.expected(), case.shapes()).into())
}
