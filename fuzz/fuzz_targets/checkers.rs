//! Any case of any checker: the bytes choose the checker, and what it draws.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    lozenge_check::check_bytes(bytes).unwrap_or_else(|what| panic!("{what}"));
});
