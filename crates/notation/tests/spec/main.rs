//! Tests of the notation and of diagnostics. Most of them are texts: pages of the book, and wrong
//! specifications with what is said about them.

mod computed;
mod diagnostics;
mod errors;
mod notation;
mod parse;
mod ranges;
mod support;
mod wrong;
