//! What is true of the repository as a whole.

mod architecture;
mod docs;
mod reference;
mod support;
