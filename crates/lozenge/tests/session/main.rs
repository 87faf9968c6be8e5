//! Sessions, held against cases that can be read.

mod cases;
mod errors;
mod program;
mod sessions;
