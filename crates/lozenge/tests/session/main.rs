//! Sessions, held against cases that can be read.

mod cases;
mod claims;
mod declared;
mod editor;
mod errors;
mod handles;
mod names;
mod program;
mod sessions;
mod torture;
