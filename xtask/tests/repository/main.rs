//! What is true of the repository as a whole.

mod architecture;
mod comments;
mod cycles;
mod docs;
mod paths;
mod reference;
mod strata;
mod support;
