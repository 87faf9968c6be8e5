//! What a loop nest means, written as plainly as possible.
//!
//! Should you use this crate? To test a back end against, and for tiny inputs: yes. To compute with: no, it
//! visits the product space point by point.
//!
//! A [record](lozenge_core::project::Record) says what the loops are and where each tensor is read or written.
//! A statement adds what is done there: how operands are [combined](Combine), and how what is combined is
//! [accumulated](Accumulate). [`execute`] runs an operation, [`execute_view`] the same record seen from
//! another slot, as a gradient does.
//!
//! ```
//! use lozenge::Session;
//! use lozenge_lower::{Accumulate, Combine, execute};
//! use ndarray::array;
//!
//! let mut session = Session::new();
//! let a = session.data("a", "2,2")?;
//! let square = session.einsum("ij; jk => ik", &[a, a])?; // one tensor, two occurrences
//! let record = session.record(&session.close()?, square)?;
//!
//! let a = array![[1.0, 2.0], [3.0, 4.0]].into_dyn();
//! let squared = execute(&record, Combine::Multiply, Accumulate::Sum, &[], &[a.view(), a.view()])?;
//! assert_eq!(squared, array![[7.0, 10.0], [15.0, 22.0]].into_dyn());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Architecture Invariant:** this crate sees records, never constraints.

mod execute;
mod operation;

pub use execute::{ExecuteError, execute, execute_view};
pub use operation::{Accumulate, Combine, Element};
