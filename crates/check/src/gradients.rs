//! Random compositions of operations on tensors, and their gradients.
//!
//! A composition is drawn operation by operation, with elements at which everything that it is made
//! of has a derivative. The gradients of a weighted sum of its elements are held against central
//! differences on the reference executor, and against those of the same composition in another
//! spelling. The command `gradients` of `xtask` holds them, and second derivatives, against JAX.

mod build;
mod compose;
mod draw;
mod entries;
mod kinks;
mod measure;
mod model;
mod specs;
mod table;
mod worked;

use std::collections::BTreeMap;

use crate::{Generator, Mismatch, mismatch::counts};
pub use measure::{DIFFERENCES, Derivatives, differentiate, error, plain, second};
pub use model::Composition;
pub use worked::worked;

counts! {
    /// What was drawn.
    pub struct Counts {
        /// Compositions of several operations.
        pub composed: u64,
        /// The elements of all gradients.
        pub elements: u64,
        /// How often each operation was drawn.
        pub operations: BTreeMap<&'static str, u64>,
    }
}

/// The names of the operations that are drawn.
pub fn operations() -> impl ExactSizeIterator<Item = &'static str> {
    table::ENTRIES.iter().map(|entry| entry.name)
}

/// Draws what `draw` does until its elements are away from kinks.
fn settled(
    rng: &mut Generator,
    draw: impl Fn(&mut Generator) -> Composition,
) -> Result<Composition, String> {
    loop {
        let mut made = draw(rng);
        match measure::settle(&mut made, rng) {
            Ok(true) => return Ok(made),
            Ok(false) => {}
            Err(said) => return Err(format!("{said}\n    {made}")),
        }
    }
}

/// A composition of one operation, by its number, of a leaf.
///
/// # Errors
/// When it is refused, or has other shapes than were drawn.
pub fn alone(rng: &mut Generator, operation: usize) -> Result<Composition, String> {
    settled(rng, |rng| compose::alone(rng, &table::ENTRIES[operation]))
}

/// The same between two that bend, for second derivatives.
///
/// # Errors
/// As for [`alone`].
pub fn bent(rng: &mut Generator, operation: usize) -> Result<Composition, String> {
    settled(rng, |rng| compose::bent(rng, &table::ENTRIES[operation]))
}

/// A composition of two to six operations.
///
/// # Errors
/// As for [`alone`].
pub fn composed(rng: &mut Generator) -> Result<Composition, String> {
    settled(rng, compose::composed)
}

/// Draws a composition, and holds its gradients against differences and another spelling.
///
/// # Errors
/// When it is refused, has other shapes than were drawn, or other gradients.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let is_alone = rng.case() % 2 == 0;
    let made = if is_alone {
        let operation = rng.usize(..table::ENTRIES.len());
        alone(rng, operation)?
    } else {
        composed(rng)?
    };
    let found = differentiate(&made).map_err(|said| format!("{said}\n    {made}"))?;
    counts.composed += u64::from(!is_alone);
    counts.elements += found.gradient.len() as u64;
    for name in &made.names {
        *counts.operations.entry(name).or_default() += 1;
    }
    Ok(())
}

/// A perceptron of one hidden layer, with elements that are drawn.
///
/// # Errors
/// As for [`alone`].
pub fn perceptron(rng: &mut Generator) -> Result<Composition, String> {
    settled(rng, |_| worked::perceptron())
}
