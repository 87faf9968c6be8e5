//! The laws of the algebra: every proposition of the calculus about dimensions, rows and terms is a
//! test of that name, exhaustive on a small universe and by property beyond it.

mod dims;
mod properties;
mod rows;
mod terms;
mod two_sorts;
mod universe;
