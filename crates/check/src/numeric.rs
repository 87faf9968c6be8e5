//! Random specifications with elements: read, closed to the shapes with which they were drawn, and
//! executed.
//!
//! Here the elements are held against plain enumeration of the points; the command `numeric` of
//! `xtask` holds them, with all primitives and types, against NumPy and JAX.

mod case;
mod construct;
mod draft;
mod draw;
mod finish;
mod ours;
mod plain;
mod scalar;
mod spell;
mod whole;

pub use case::{Case, Form};
pub use construct::{CONSTRUCTS, Construct};
pub use draft::Combine;
pub use finish::draw;
pub use ours::{Array, evaluate};
pub use scalar::scalar_constructs;

use lozenge_notation::parse;

use crate::{Generator, Mismatch, mismatch::counts};

/// The largest size of a name.
const LARGEST: u64 = 5;

counts! {
    /// What was drawn and computed.
    pub struct Counts {
        /// The specifications that were read.
        pub specifications: u64,
        /// The results that were computed.
        pub computed: u64,
        /// The results that were computed by enumeration as well.
        pub compared: u64,
    }
}

/// Draws a case, reads its specification, executes it, and holds its elements against enumeration.
///
/// # Errors
/// When it is not read or not computed, does not print as what it is, or has other elements.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    // Only plain cases can be enumerated.
    let is_plain = rng.case() % 4 > 0;
    let case = draw(rng, LARGEST, is_plain);
    hold(&case, counts).map_err(|what| format!("{what}\n    {case:?}").into())
}

#[allow(clippy::float_cmp)] // small whole numbers, and infinities
fn hold(case: &Case, counts: &mut Counts) -> Result<(), String> {
    if case.form == Form::Einsum {
        let spec = parse(&case.spec).ok().map_err(|said| said.to_string())?;
        let printed = spec.to_string();
        let again = parse(&printed).ok().map_err(|said| format!("{printed}: {said}"))?;
        if !again.same(&spec) {
            return Err(format!("prints as {printed}"));
        }
        counts.specifications += 1;
    }
    let ours = evaluate(case)?;
    counts.computed += 1;
    if let Some(plain) = plain::elements(case) {
        counts.compared += 1;
        if plain != ours.elements {
            return Err(format!("{:?}, but {plain:?} by enumeration", ours.elements));
        }
    }
    Ok(())
}
