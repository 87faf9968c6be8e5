//! What has to hold of sizes so that a model can run, and where in the model that is so.

use super::{id::NodeId, num::Num};

/// Something that has to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Two sizes are equal.
    Equal(Num, Num),
    /// Two sizes are equal, or one of them is 1: they meet where ONNX broadcasts.
    Stretch(Num, Num),
    /// The first size is 1, or equal to the second: it is broadcast to a shape that is given.
    Fit(Num, Num),
    /// A size is at least this number.
    AtLeast(Num, i64),
    /// The first divides the second.
    Divides(Num, Num),
}

/// A part of a node: what a requirement or a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The node as a whole.
    Node,
    /// An input.
    Input(usize),
    /// An axis of an input.
    Axis(usize, usize),
    /// An element of an input.
    Element(usize, usize),
    /// An axis of the first output.
    Result(usize),
    /// An attribute.
    Attribute(&'static str),
}

/// A requirement: the relation that has to hold, the node that needs it, and the places of the node
/// that it relates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirement {
    /// What has to hold.
    pub relation: Relation,
    /// The node that needs it.
    pub node: NodeId,
    /// The parts of the node that it is about: the left side's and the right side's.
    pub places: [Place; 2],
    /// Whether the node runs in every run of the model: not in a branch that may not be taken.
    pub is_certain: bool,
}

/// A disagreement: sizes that no run of the model makes fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// What would have to hold, and does not for any values of names.
    pub relation: Option<Relation>,
    /// What is wrong with the node, where that is not a relation between sizes.
    pub mistake: Option<Stop>,
    /// The node.
    pub node: NodeId,
    /// The parts of the node that it is about.
    pub places: [Place; 2],
    /// Whether the node runs in every run of the model.
    pub is_certain: bool,
}

/// Why a rule ends before it has found everything.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// There is no rule for the operator.
    Operator,
    /// How many axes an input has is not known.
    Rank(usize),
    /// An input's elements decide, and only running the model tells them.
    Value(usize),
    /// The result depends on the elements of its inputs.
    Data,
    /// Branches give values of different ranks.
    Branches,
    /// A value changes its rank from turn to turn of a loop.
    Loop,
    /// A value that is not a tensor.
    Container,
    /// An input is missing.
    Missing(usize),
    /// An input has another number of axes than the operator takes.
    Axes {
        /// The input.
        input: usize,
        /// The least that it takes.
        least: usize,
        /// How many there are.
        found: usize,
    },
    /// An axis is not among those of the tensor.
    NoAxis {
        /// The axis.
        axis: i64,
        /// How many there are.
        rank: usize,
    },
    /// An attribute has a value that the operator does not take.
    Attribute(&'static str),
    /// An input has elements that the operator does not take.
    Elements(usize),
    /// A rule of the user's reads a number that the node does not have: the attribute's name.
    Unbound(String),
    /// The graph uses a value that nothing gives.
    Undefined(String),
    /// Functions or graphs are nested too deep, or loops do not settle.
    Depth,
}

impl Stop {
    /// Whether it says that the node cannot run, rather than that nothing is known.
    pub fn is_mistake(&self) -> bool {
        match self {
            Stop::Missing(_)
            | Stop::Axes { .. }
            | Stop::NoAxis { .. }
            | Stop::Attribute(_)
            | Stop::Elements(_)
            | Stop::Undefined(_) => true,
            Stop::Operator
            | Stop::Rank(_)
            | Stop::Value(_)
            | Stop::Data
            | Stop::Branches
            | Stop::Loop
            | Stop::Container
            | Stop::Unbound(_)
            | Stop::Depth => false,
        }
    }
}
