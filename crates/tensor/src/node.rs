//! The tensors of a graph: how each is made.

use std::sync::Arc;

use lozenge::{
    Accumulation, Compose, Expression, Operation, Site, SizeVar, Tensor as Shaped, Transpose,
    project::Slot,
};

use crate::{arriving::pruned, definition::Definition, region::Region};

/// A tensor of a graph, by its number in the order of building.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The tensor at a place.
    ///
    /// # Panics
    /// With the tensor that is one too many for 32 bits.
    pub(crate) fn at(place: usize) -> NodeId {
        NodeId(u32::try_from(place).expect("there are fewer than 2^32 tensors"))
    }

    pub(crate) fn place(self) -> usize {
        self.0 as usize
    }
}

/// A tensor, and how it is made.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) made: Made,
    /// Its shape.
    pub(crate) shape: ShapeOf,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) site: Site,
    /// The region of the program that its statements are in, where somebody said so.
    pub(crate) region: Option<Region>,
    /// Whether it is a statement of its own, which runs whether anything needs it or not.
    pub(crate) is_statement: bool,
}

/// Where the shape of a tensor is inferred.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShapeOf {
    /// The session has the tensor.
    Own(Shaped),
    /// It is that of another tensor, which was made before.
    Like(NodeId),
    /// What made it was refused.
    Refused,
}

#[derive(Clone, Debug)]
pub(crate) enum Made {
    /// What made it was refused, or depends on what was.
    Poisoned,
    /// The caller gives its elements, or an assignment does.
    Given(Given),
    Constant(Content),
    Computed(Computed),
}

/// What the elements of a tensor are given as.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Given {
    /// Data of the caller.
    Data,
    /// A parameter, which training changes.
    Parameter,
    /// What an update keeps from step to step; it begins with zeros.
    State,
}

/// The elements of a tensor that no operation makes.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Number(f64),
    /// In the order of memory.
    Elements(Arc<[f64]>),
    /// 0, 1, 2 … in the order of memory.
    Range,
    /// How many elements an axis has.
    Size(SizeVar),
    /// How many elements of the first tensor there are for each of the second.
    Ratio(Shaped, Shaped),
}

/// A tensor that is the sum of its statements, or what one statement writes.
#[derive(Clone, Debug)]
pub(crate) struct Computed {
    /// The tensor that it takes the place of.
    pub(crate) replaces: Option<NodeId>,
    pub(crate) begins: Begins,
    pub(crate) views: Vec<View>,
    /// How its gradient is written, where its definition says it.
    pub(crate) definition: Option<Arc<Backward>>,
}

/// The statements of a definition that write gradients, with the tensors of its names.
#[derive(Clone, Debug)]
pub(crate) struct Backward {
    pub(crate) of: Shaped,
    pub(crate) definition: Arc<Definition>,
    pub(crate) operands: Vec<NodeId>,
    pub(crate) intermediates: Vec<(Arc<str>, NodeId)>,
}

/// What the cells of a tensor hold before its statements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Begins {
    /// Nothing that counts: its one statement erases.
    Erased,
    /// A number, to which every statement is added.
    Number(f64),
    /// What the tensor has that it replaces.
    Kept,
}

/// A statement over the loops of an operation: one of its slots is written, others are read.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The result of the operation whose loops these are.
    pub(crate) of: Shaped,
    pub(crate) written: Slot,
    pub(crate) read: Vec<(Slot, NodeId)>,
    pub(crate) value: Expression,
    pub(crate) accumulation: Accumulation,
    /// What must take part in a point for anything to happen: what the statement writes that it is
    /// a derivative of.
    pub(crate) needed: Vec<Slot>,
    /// Whether no gradient goes through it.
    pub(crate) is_stopped: bool,
    /// What is written behind the statement: how its tensors are aligned.
    pub(crate) logic: Logic,
}

/// How the tensors of a statement are aligned, as it is written behind the statement.
#[derive(Clone, Debug)]
pub(crate) enum Logic {
    /// Axis by axis, which is not written.
    Pointwise,
    /// By an operation of this name.
    Named(&'static str),
    /// By a specification.
    Spec(Arc<str>),
    /// By the operation that it is a view of.
    Slots,
}

impl View {
    /// The view that reads no more than its value does.
    pub(crate) fn new(
        (of, written): (Shaped, Slot),
        read: &[(Slot, NodeId)],
        value: &Expression,
        accumulation: Accumulation,
    ) -> View {
        let (value, used) = pruned(value);
        View {
            of,
            written,
            read: used.iter().filter_map(|number| read.get(*number).copied()).collect(),
            value,
            accumulation,
            needed: vec![],
            is_stopped: false,
            logic: Logic::Slots,
        }
    }
}

impl Logic {
    /// The logic of an operation.
    pub(crate) fn of(operation: &dyn Operation, spec: Option<&str>) -> Logic {
        if let Some(spec) = spec {
            return Logic::Spec(spec.into());
        }
        // By what they do, not by name: the pointwise product is called `*`, too.
        let key = operation.scheme_key();
        let is = |known: &dyn Operation| key.is_some() && key == known.scheme_key();
        match operation.name() {
            _ if is(&Compose) => Logic::Named("@"),
            _ if is(&Transpose) => Logic::Named("T"),
            "reshape" => Logic::Named("reshape"),
            _ => Logic::Pointwise,
        }
    }
}

impl Computed {
    /// What one statement writes, whatever was there.
    pub(crate) fn by(view: View) -> Computed {
        Computed { replaces: None, begins: Begins::Erased, views: vec![view], definition: None }
    }
}

impl Node {
    fn computed(&self) -> Option<&Computed> {
        match &self.made {
            Made::Computed(computed) => Some(computed),
            Made::Poisoned | Made::Given(_) | Made::Constant(_) => None,
        }
    }

    /// What one step of making it reads.
    pub(crate) fn reads(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.computed().into_iter().flat_map(Computed::reads)
    }

    /// The tensor that it takes the place of.
    pub(crate) fn replaces(&self) -> Option<NodeId> {
        self.computed().and_then(|computed| computed.replaces)
    }

    /// What one step of making it reads, and the tensor that it takes the place of.
    pub(crate) fn reads_and_replaces(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.reads().chain(self.replaces())
    }
}

impl Computed {
    /// The tensor whose elements it goes on from.
    pub(crate) fn before(&self) -> Option<NodeId> {
        self.replaces.filter(|_| matches!(self.begins, Begins::Kept))
    }

    fn reads(&self) -> impl Iterator<Item = NodeId> + '_ {
        let read = self.views.iter().flat_map(|view| view.read.iter().map(|(_, node)| *node));
        self.before().into_iter().chain(read)
    }
}
