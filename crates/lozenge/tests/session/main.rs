//! Sessions, held against cases that can be read.

mod cases;
mod claims;
mod errors;
mod program;
mod sessions;
