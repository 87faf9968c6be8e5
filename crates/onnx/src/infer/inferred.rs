//! What was found out about a model: its graphs, nodes and values, each with its number, and
//! queries about them.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::{
    call::{Call, Called, Effects},
    id::{GraphId, NodeId, TensorId},
    known::Known,
    num::{NameId, Num, Nums},
    ops::{Found, Rules},
    require::{Conflict, Requirement, Stop},
    template::Template,
};
use crate::{
    graph::{Graph, Node},
    text::Text,
};

/// What gives a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Whoever runs the graph: its input with this number.
    Input(usize),
    /// The file.
    Initializer,
    /// A node: its output with this number.
    Node(NodeId, usize),
}

/// A value, and what is known of it.
#[derive(Debug, Clone)]
pub struct TensorRecord<'a> {
    /// Its name in its graph.
    pub name: Text<'a>,
    /// Its graph.
    pub graph: GraphId,
    /// What gives it.
    pub source: Source,
    /// What is known of it.
    pub known: Known,
    /// Why no more is known.
    pub stop: Option<Stop>,
}

/// A node, and the values that it uses and gives.
#[derive(Debug, Clone)]
pub struct NodeRecord<'m, 'a> {
    /// The node in the file.
    pub node: &'m Node<'a>,
    /// Its graph.
    pub graph: GraphId,
    /// Its place among the nodes of its graph.
    pub place: usize,
    /// Which version of its operators' set its graph uses.
    pub version: i64,
    /// The values that it uses; none for inputs that are left out, and for such that nothing gives.
    pub inputs: SmallVec<[Option<TensorId>; 4]>,
    /// The values that it gives; none for outputs that are left out.
    pub outputs: SmallVec<[Option<TensorId>; 2]>,
}

/// A graph, and the node that has it.
#[derive(Debug, Clone)]
pub struct GraphRecord<'a> {
    /// Its name: of the model's graph, of a branch, of a function.
    pub name: Text<'a>,
    /// The node that has it.
    pub of: Option<NodeId>,
    /// Whether it is known that it is never run.
    pub is_dead: bool,
}

/// A size that a name is taken for, and the requirement that makes it so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// The name.
    pub name: NameId,
    /// What it is taken for.
    pub num: Num,
    /// The requirement.
    pub by: Requirement,
}

/// A model with all that was found out about it.
pub struct Inferred<'m, 'a> {
    pub(crate) nums: Nums,
    pub(crate) tensors: Vec<TensorRecord<'a>>,
    pub(crate) nodes: Vec<NodeRecord<'m, 'a>>,
    pub(crate) graphs: Vec<GraphRecord<'a>>,
    pub(crate) by_name: HashMap<Text<'a>, TensorId>,
    pub(crate) inputs: Vec<TensorId>,
    pub(crate) outputs: Vec<Option<TensorId>>,
    pub(crate) effects: Effects,
    pub(crate) taken: Vec<Taken>,
    pub(crate) rules: Rules,
    pub(crate) model_graph: &'m Graph<'a>,
}

impl<'m, 'a> Inferred<'m, 'a> {
    /// The numbers that sizes are.
    pub fn nums(&self) -> &Nums {
        &self.nums
    }

    /// The numbers, to compute with them.
    pub fn nums_mut(&mut self) -> &mut Nums {
        &mut self.nums
    }

    /// All values, in the order in which they are computed.
    pub fn tensors(&self) -> impl Iterator<Item = (TensorId, &TensorRecord<'a>)> {
        (0..).map(TensorId).zip(&self.tensors)
    }

    /// A value.
    pub fn tensor(&self, id: TensorId) -> &TensorRecord<'a> {
        &self.tensors[id.0 as usize]
    }

    /// The value of a name in the model's own graph.
    pub fn find(&self, name: &str) -> Option<TensorId> {
        self.by_name.get(&Text(name.as_bytes())).copied()
    }

    /// All nodes, in the order in which they are gone through.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &NodeRecord<'m, 'a>)> {
        (0..).map(NodeId).zip(&self.nodes)
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &NodeRecord<'m, 'a> {
        &self.nodes[id.0 as usize]
    }

    /// A graph.
    pub fn graph(&self, id: GraphId) -> &GraphRecord<'a> {
        &self.graphs[id.0 as usize]
    }

    /// The model's inputs, but for those that the file gives.
    pub fn inputs(&self) -> &[TensorId] {
        &self.inputs
    }

    /// The model's outputs; none for those that nothing gives.
    pub fn outputs(&self) -> &[Option<TensorId>] {
        &self.outputs
    }

    /// What has to hold so that the model can run, in the order of the nodes that need it.
    pub fn requirements(&self) -> &[Requirement] {
        &self.effects.requirements
    }

    /// Sizes that are taken for different, since a branch or the number of axes depends on it: each
    /// relation is what is assumed *not* to hold. Where it does, what comes after that node may
    /// have other shapes.
    pub fn assumptions(&self) -> &[Requirement] {
        &self.effects.assumptions
    }

    /// What cannot hold.
    pub fn conflicts(&self) -> &[Conflict] {
        &self.effects.conflicts
    }

    /// The names that are taken for other sizes, since these have to be equal.
    pub fn taken(&self) -> &[Taken] {
        &self.taken
    }

    /// Whether a rule of the user's says what a node does.
    pub fn is_custom(&self, id: NodeId) -> bool {
        matches!(self.rules.of(self.node(id).node), Some(Found::Custom(_)))
    }

    /// The specification of a node, where its operator can be said so.
    pub fn template(&mut self, id: NodeId) -> Option<Template> {
        let record = &self.nodes[id.0 as usize];
        let rule = self.rules.of(record.node)?;
        let mut effects = Effects::default();
        let tensors = &self.tensors;
        let called = Called { node: record.node, id, version: record.version };
        let inputs = record.inputs.iter().map(|id| id.map(|id| &tensors[id.0 as usize].known));
        let mut call = Call::new(called, inputs, &mut self.nums, &mut effects);
        call.keeps_template = true;
        let _ = rule.infer(&mut call);
        call.template
    }
}
