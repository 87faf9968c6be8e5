//! Programs: lists of assignments in regions, over variables.
//!
//! A program is a value of its own: no graph is needed to read, print or run it. Each tensor is a
//! *variable*; in place, a tensor that replaces another is the same variable, and in single
//! assignment it is one of its own.

use std::{collections::BTreeMap, sync::Arc};

use lozenge::{Assignment, Shape};

use crate::{
    element_type::ElementType,
    graph::{GraphId, Tensor},
    node::{Given, Logic, NodeId},
    region::Region,
};

/// The number of a variable in its program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub(crate) usize);

/// A variable of a program: a named array with a shape and an element type.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Variable {
    /// Its name, which no other has.
    pub name: Arc<str>,
    /// Its shape.
    pub shape: Shape,
    /// The type of its elements.
    pub element_type: ElementType,
    /// What it holds before the program runs.
    pub holds: Holds,
}

/// What a variable holds before the program runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Holds {
    /// Nothing that counts: the program writes it before it reads it.
    Nothing,
    /// What the caller gives.
    Given(Given),
    /// One number, in every cell.
    Number(f64),
    /// These elements, in the order of memory.
    Elements(Arc<[f64]>),
    /// 0, 1, 2 … in the order of memory.
    Range,
}

/// A statement of a program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// The region that it is in.
    pub region: Region,
    /// The variable that it writes.
    pub written: VariableId,
    /// The variables that it reads, in the order of the assignment.
    pub read: Vec<VariableId>,
    /// What it does.
    pub assignment: Assignment,
    /// Whether it is the first to write a variable that it declares.
    pub(crate) declares: bool,
    pub(crate) logic: Logic,
}

/// An index that is supplied when the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Supplied {
    /// Its name.
    pub name: Arc<str>,
    /// How many values it has, where that is known.
    pub range: Option<u64>,
    /// Whether the program runs for each of its values, one after another.
    pub is_looped: bool,
}

/// What a program hands from one run to the next: a parameter as it was updated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Carried {
    /// The variable that has it when a run ends.
    pub from: VariableId,
    /// The variable that has it when the next one begins.
    pub to: VariableId,
}

/// A list of assignments in regions.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub(crate) variables: Vec<Variable>,
    pub(crate) steps: Vec<Step>,
    pub(crate) supplied: Vec<Supplied>,
    pub(crate) carried: Vec<Carried>,
    /// The graph that it is of.
    pub(crate) graph: GraphId,
    pub(crate) places: BTreeMap<NodeId, VariableId>,
}

/// Whether a tensor that replaces another is a variable of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// A tensor that replaces another is the same variable.
    #[default]
    InPlace,
    /// Every tensor is a variable, the sum of its statements, which no other overwrites.
    SingleAssignment,
}

impl Program {
    /// The variables.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = (VariableId, &Variable)> {
        self.variables.iter().enumerate().map(|(number, one)| (VariableId(number), one))
    }

    /// A variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0]
    }

    /// The variable of this name.
    pub fn named(&self, name: &str) -> Option<VariableId> {
        self.variables.iter().position(|own| *own.name == *name).map(VariableId)
    }

    /// The variable in which a tensor's elements are; `None` where the program does not need it, or
    /// it is of another graph.
    pub fn of(&self, tensor: Tensor<'_>) -> Option<VariableId> {
        let place = self.places.get(&tensor.node).filter(|_| *tensor.graph.id() == self.graph);
        place.copied()
    }

    /// The statements, in the order in which they run.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What is handed from one run to the next. In place there is nothing: it is where it was.
    pub fn carried(&self) -> &[Carried] {
        &self.carried
    }

    /// The indices that are supplied when the program runs.
    pub fn supplied(&self) -> &[Supplied] {
        &self.supplied
    }

    /// The program that runs, after what it initialises, for each value of a supplied index. A name
    /// that is no supplied index changes nothing.
    #[must_use]
    pub fn looping(mut self, index: &str) -> Program {
        for supplied in self.supplied.iter_mut().filter(|supplied| *supplied.name == *index) {
            supplied.is_looped = true;
        }
        self
    }
}
