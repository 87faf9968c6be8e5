//! Runs the blocks of `docs/values/*.md`: pages that are specification and test at once.
//!
//! A block with the fence `values` has steps, a line `---`, and claims: what tensors hold, or the
//! code of what is said where there is nothing to compute. What is computed in `f32` must be the
//! same. With `UPDATE_EXPECT=1` the claims are written anew; hold them against NumPy
//! (`cargo xtask values`) before you keep them.

use std::fmt::Write;

use lozenge::Report;
use lozenge_lower::Element;
use ndarray::ArrayD;

use crate::{
    claims, numbers,
    program::{self, Computed},
};

#[test]
fn values_of_the_book() {
    claims::hold("values", "values", 80, outcome);
}

/// What the claims should be: of the same tensors, or of all that steps make. A first line `in i32`
/// or `in i64` says what the elements are.
fn outcome(steps: &str, claims: &str) -> String {
    let computed = match steps.lines().next() {
        #[allow(clippy::cast_precision_loss)] // the numbers of the book are small
        Some("in i64") => run(steps, |number: i64| number as f64),
        Some("in i32") => run(steps, |number: i32| f64::from(number)),
        Some(_) | None => run(steps, |number: f64| number),
    };
    let computed = match computed {
        Ok(computed) => computed,
        Err(rejection) => return format!("error: {}\n", rejection.diagnostics[0].code),
    };
    if !steps.starts_with("in ") {
        // The numbers of the book are small and whole, or rounded once: half as many bits hold the
        // same.
        let narrow = run(steps, |number: f32| f64::from(number)).expect("it was computed before");
        assert_eq!(computed.len(), narrow.len());
        for (wide, narrow) in computed.iter().zip(&narrow) {
            // NaN is not itself.
            let held = |array: &ArrayD<f64>| {
                array.mapv(|x| (x.is_nan(), if x.is_nan() { 0.0 } else { x }))
            };
            assert_eq!(held(&wide.array), held(&narrow.array), "{} in f32 of\n{steps}", wide.name);
        }
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

/// What a program computes in elements of one type, as numbers.
fn run<T: Element>(steps: &str, number: impl Fn(T) -> f64) -> Result<Vec<Computed<f64>>, Report> {
    let computed = program::run::<T>(steps)?;
    let numbers = |Computed { name, shape, array, made }| {
        let array: ArrayD<T> = array;
        Computed { name, shape, array: array.mapv(&number), made }
    };
    Ok(computed.into_iter().map(numbers).collect())
}
