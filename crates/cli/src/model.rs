//! Commands on a model file: one file a command. What commands are told is in `args`, how a file is
//! read in `file`, how answers look in `show`; neither they nor the commands' forms of output know
//! what kind of program it is.

mod args;
mod audit;
mod check;
mod cost;
mod diff;
mod file;
mod graph;
mod loops;
mod near;
mod pins;
mod requires;
mod sarif;
mod shapes;
mod show;
mod why;

pub(crate) use args::{Audit, Diff, Form, Graph, Look, OfFile, Pins, Shapes};
pub(crate) use audit::run as audit;
pub(crate) use check::run as check;
pub(crate) use cost::run as cost;
pub(crate) use diff::run as diff;
pub(crate) use file::is_file;
pub(crate) use graph::run as graph;
pub(crate) use loops::einsum_of;
pub(crate) use pins::run as pins;
pub(crate) use requires::run as requires;
pub(crate) use shapes::run as shapes;
pub(crate) use why::run as why;
