//! Any constraints are solved or rejected; `lozenge_check::texts` says what holds of the solver.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_check::texts::hold_solver;

fuzz_target!(|text: &str| drop(hold_solver(text).unwrap()));
