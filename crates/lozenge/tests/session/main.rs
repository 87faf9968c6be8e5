//! Sessions, held against cases that can be read.

mod cases;
mod claims;
mod declared;
mod dimensions;
mod dims;
mod editor;
mod errors;
mod handles;
mod large;
mod names;
mod program;
mod query;
mod sessions;
mod torture;
