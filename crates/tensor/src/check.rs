//! Checking a graph: everything that was refused at once, or a shape for every tensor.

use std::fmt;

use lozenge::{Closed, Report, Session, Shape, Tensor as Shaped, diagnostic::Diagnostic};

use crate::{
    element_type::ElementType,
    graph::{Graph, Tensor},
    node::{Made, NodeId},
    state::State,
    words,
};

/// A graph that was checked: shapes and element types of all of its tensors.
pub struct Checked<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) closed: Closed,
    /// By tensor, of those there were, its element type.
    types: Vec<ElementType>,
}

impl Graph {
    /// Checks the graph: a shape and an element type for every tensor.
    ///
    /// # Errors
    /// With everything that was refused, each at the line that asks for it, and with what closing
    /// finds. What follows from a refusal is not among it.
    pub fn check(&self) -> Result<Checked<'_>, Report> {
        let state = self.state();
        let closed = state.close()?;
        let nodes = (0..state.nodes.len()).map(NodeId::at);
        let types = nodes.map(|node| state.types.allowed(node).chosen()).collect();
        Ok(Checked { graph: self, closed, types })
    }
}

impl State {
    fn close(&self) -> Result<Closed, Report> {
        if self.refused.is_empty() {
            return self.session.close();
        }
        let mut reports = self.refused.clone();
        let excused = self.excused_session();
        reports.extend(excused.close().err());
        Err(words::together(reports))
    }

    /// The session in which nothing is wanted of what a refused step used.
    fn excused_session(&self) -> Session {
        let mut session = self.session.clone();
        let mut is_seen = vec![false; self.nodes.len()];
        let mut todo = self.excused.clone();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut is_seen[node.place()], true) {
                continue;
            }
            if let (Made::Given(_), Some(shaped)) = (&self.node(node).made, self.shape_of(node)) {
                session.excuse(shaped);
            }
            todo.extend(self.node(node).reads());
        }
        session
    }
}

impl Checked<'_> {
    /// The shape of a tensor.
    ///
    /// # Errors
    /// When it is of another graph, or was made since.
    #[track_caller]
    pub fn shape(&self, tensor: Tensor<'_>) -> Result<&Shape, Report> {
        match self.shaped(tensor.node).filter(|_| self.has(tensor)) {
            Some(shaped) => self.closed.shape(shaped),
            None => Err(self.unknown(tensor)),
        }
    }

    /// The element type of a tensor: what is said of it, and `f32` where nothing is.
    ///
    /// # Errors
    /// When it is of another graph, or was made since.
    #[track_caller]
    pub fn element_type(&self, tensor: Tensor<'_>) -> Result<ElementType, Report> {
        if !self.has(tensor) {
            return Err(self.unknown(tensor));
        }
        Ok(self.type_of(&self.graph.state(), tensor.node))
    }

    /// The element type that a tensor had when it was checked.
    pub(crate) fn type_of(&self, state: &State, node: NodeId) -> ElementType {
        let known = self.types.get(node.place()).copied();
        known.unwrap_or_else(|| state.types.allowed(node).chosen())
    }

    /// What closing found: shapes and sizes of the session below.
    pub fn closed(&self) -> &Closed {
        &self.closed
    }

    /// The warnings and notes.
    pub fn notes(&self) -> &[Diagnostic] {
        self.closed.notes()
    }

    pub(crate) fn has(&self, tensor: Tensor<'_>) -> bool {
        std::ptr::eq(tensor.graph, self.graph) && tensor.node.place() < self.types.len()
    }

    /// The refusal of a tensor of another graph, or of one that was made since.
    #[track_caller]
    pub(crate) fn unknown(&self, tensor: Tensor<'_>) -> Report {
        let is_own = std::ptr::eq(tensor.graph, self.graph);
        let said = if is_own { words::newer(&tensor.name()) } else { words::foreign() };
        words::at(&lozenge::Site::caller(), &[], said)
    }

    fn shaped(&self, node: NodeId) -> Option<Shaped> {
        self.graph.state().shape_of(node)
    }
}

impl fmt::Debug for Checked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checked({} tensors)", self.types.len())
    }
}
