//! Any bytes are read as a model or refused; `lozenge_check::onnx` says what holds of them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_check::onnx::hold_bytes;

fuzz_target!(|bytes: &[u8]| drop(hold_bytes(bytes).unwrap_or_else(|what| panic!("{what}"))));
