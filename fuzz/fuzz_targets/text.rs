//! Any text parses as constraints or is refused; `lozenge_check::texts` says what holds of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_check::texts::hold_constraints;

fuzz_target!(|text: &str| drop(hold_constraints(text).unwrap()));
