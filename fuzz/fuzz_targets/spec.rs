//! Any text parses as a specification or is refused; `lozenge_check::texts` says what holds of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_check::texts::hold_specification;

fuzz_target!(|text: &str| drop(hold_specification(text).unwrap()));
