//! What an assignment means: its loop nest, as text and as numbers, and the reference executor.
//!
//! Should you use this crate? To see the loops of an operation, to test a back end against, and for
//! tiny inputs: yes. To compute with: no, it visits the product space point by point.
//!
//! An [`Assignment`](lozenge::Assignment) says what is read, computed and written over the loops of
//! an operation. A [`Nest`] is made from it once: loops, guards and statements. Its `Display` is
//! pseudo-code, [`Nest::traffic`] counts what it does, and [`execute`] runs it, in `f32`, `f64`,
//! `i32` or `i64`.
//!
//! ```
//! use lozenge::Session;
//! use lozenge_lower::{Nest, execute};
//! use ndarray::array;
//!
//! let mut session = Session::new();
//! let a = session.data("a", "2,2")?;
//! let square = session.einsum("ij; jk => ik", &[a, a])?; // one tensor, two occurrences
//! let nest = Nest::new(session.assignment(&session.close()?, square)?);
//!
//! let a = array![[1.0, 2.0], [3.0, 4.0]].into_dyn();
//! let squared = execute(&nest, &[], &[a.view(), a.view()])?;
//! assert_eq!(squared, array![[7.0, 10.0], [15.0, 22.0]].into_dyn());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Architecture Invariant:** this crate sees assignments and their nests, never constraints.

mod count;
mod element;
mod execute;
mod nest;
mod print;

pub use count::{Amount, Traffic};
pub use element::Element;
pub use execute::{ExecuteError, execute, execute_into};
pub use nest::{Access, Block, Guard, Nest, Store};

/// The README's code is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
