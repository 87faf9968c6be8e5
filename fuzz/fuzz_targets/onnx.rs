//! Any bytes are read as a model or refused with a place inside them, in memory bounded by their length; what is read
//! is skimmed alike, and written back as it was. The bytes are tried as a file, and as a recipe for one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_onnx::testing::{any_bytes, assemble};

fuzz_target!(|bytes: &[u8]| {
    any_bytes(bytes);
    any_bytes(&assemble(bytes));
});
