//! What operations compute, held against pages that can be read.

mod numbers;
mod pages;
mod program;
