//! Tests of reading and writing model files: messages built by hand, every way to damage a small
//! one, and 49 models of exporters.

mod custom;
mod encode;
mod external;
mod large;
mod models;
mod nums;
mod operators;
mod page;
mod read;
mod refused;
mod robust;
mod skim;
mod values;
mod write;
