//! Runs the blocks of `docs/values/*.md`: pages that are specification and test at once.
//!
//! A block with the fence `values` has steps, a line `---`, and claims: what tensors hold, or the code of what
//! is said where there is nothing to compute. What is computed in `f32` must be the same. With `UPDATE_EXPECT=1` the claims are written anew; hold them
//! against NumPy (`cargo xtask values`) before you keep them.

use std::fmt::Write;

use crate::{claims, numbers, program};

#[test]
fn values_of_the_book() {
    claims::hold("values", "values", 80, outcome);
}

/// What the claims should be: of the same tensors, or of all that steps make.
fn outcome(steps: &str, claims: &str) -> String {
    let computed = match program::run::<f64>(steps) {
        Ok(computed) => computed,
        Err(rejection) => return format!("error: {}\n", rejection.diagnostics[0].code),
    };
    // The numbers of the book are small and whole, or rounded once: half as many bits hold the same.
    let narrow = program::run::<f32>(steps).expect("it was computed before");
    assert_eq!(computed.len(), narrow.len());
    for (wide, narrow) in computed.iter().zip(&narrow) {
        assert_eq!(wide.array, narrow.array.mapv(f64::from), "{} in f32 of\n{steps}", wide.name);
    }
    let subjects: Vec<&str> = claims
        .lines()
        .filter_map(|claim| claim.split_once(':').map(|(subject, _)| subject))
        .filter(|subject| computed.iter().any(|tensor| tensor.name == *subject))
        .collect();
    let mut found = String::new();
    for tensor in &computed {
        let claimed = subjects.contains(&tensor.name.as_str());
        if claimed || subjects.is_empty() && tensor.made {
            let written = numbers::write(&tensor.array);
            let _ = writeln!(found, "{}: {} = {written}", tensor.name, tensor.shape);
        }
    }
    found
}
