//! Graphs: programs of tensors under construction.
//!
//! **Invariants.** A graph is behind a lock that no call holds for longer than it takes, so that
//! handles can be small, copied and sent. A tensor is made of tensors that were made before.
//! Building never fails: what does not fit makes a *poisoned* tensor and a diagnostic, and what
//! depends on a poisoned tensor is poisoned and says nothing.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lozenge::{Operation, PartialShape, Site};

use crate::{
    node::{Given, Made, NodeId},
    state::{Applied, State},
    words,
};

/// A program of tensors under construction.
///
/// ```
/// use lozenge_tensor::Graph;
///
/// let graph = Graph::new();
/// let x = graph.data("x", "batch|->784");
/// let [w, b] = ["w", "b"].map(|name| graph.parameter(name)); // nobody says what shapes they have
/// let labels = graph.data("labels", "batch|->10");
/// let error = w.compose(x) + b - labels;
/// let loss = (error * error).sum();
/// let [w_gradient, _] = graph.gradients(loss, [w, b]);
///
/// let checked = graph.check()?;
/// assert_eq!(checked.shape(w)?.to_string(), "784->10");
/// assert_eq!(checked.shape(w_gradient)?.to_string(), "784->10");
/// # Ok::<(), lozenge::Report>(())
/// ```
#[derive(Default)]
pub struct Graph {
    id: GraphId,
    state: Mutex<State>,
}

/// Which graph: of two that are alive, or have programs, each has its own.
#[derive(Clone, Default, Debug)]
pub(crate) struct GraphId(Arc<()>);

impl PartialEq for GraphId {
    fn eq(&self, other: &GraphId) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A tensor of a graph: a small handle, copied freely.
#[derive(Clone, Copy)]
pub struct Tensor<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) node: NodeId,
}

impl Graph {
    /// A graph without tensors.
    pub fn new() -> Graph {
        Graph::default()
    }

    pub(crate) fn id(&self) -> &GraphId {
        &self.id
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // A state is whole between two calls, also where one has panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn handle(&self, node: NodeId) -> Tensor<'_> {
        Tensor { graph: self, node }
    }

    /// The numbers of tensors of this graph; `None`, and a diagnostic, where one is of another.
    pub(crate) fn own(&self, tensors: &[Tensor<'_>], site: &Site) -> Option<Vec<NodeId>> {
        if tensors.iter().all(|tensor| std::ptr::eq(tensor.graph, self)) {
            return Some(tensors.iter().map(|tensor| tensor.node).collect());
        }
        self.state().refuse(site, &[], words::foreign());
        None
    }

    /// Applies an operation; one that is refused makes a poisoned tensor.
    pub(crate) fn made(
        &self,
        operation: impl Operation + 'static,
        operands: &[Tensor<'_>],
        site: Site,
    ) -> Tensor<'_> {
        let node = match self.own(operands, &site) {
            Some(operands) => {
                let operation: Arc<dyn Operation> = Arc::new(operation);
                self.state().apply(&operation, &operands, Applied::plain(site))
            }
            None => self.state().poisoned(&[], site),
        };
        self.handle(node)
    }

    /// The parameters, in the order in which they were made.
    ///
    /// ```
    /// use lozenge_tensor::Graph;
    ///
    /// let graph = Graph::new();
    /// let [w, b] = ["w", "b"].map(|name| graph.parameter(name));
    /// let loss = (w.compose(graph.data("x", "8|3")) + b - graph.data("y", "8|2")).tanh().sum();
    /// let parameters = graph.parameters();
    /// let gradients = graph.gradients_of(loss, &parameters);
    /// assert_eq!([parameters[0].name(), gradients[0].name()], ["w", "w.grad"]);
    /// ```
    pub fn parameters(&self) -> Vec<Tensor<'_>> {
        let state = self.state();
        let is_parameter =
            |node: &NodeId| matches!(state.node(*node).made, Made::Given(Given::Parameter));
        let nodes = (0..state.nodes.len()).map(NodeId::at);
        nodes.filter(is_parameter).map(|node| self.handle(node)).collect()
    }

    /// Applies an operation of your own, or one that has no method here.
    #[track_caller]
    pub fn apply(
        &self,
        operation: impl Operation + 'static,
        operands: &[Tensor<'_>],
    ) -> Tensor<'_> {
        self.made(operation, operands, Site::caller())
    }
}

impl<'g> Tensor<'g> {
    /// The same tensor with a name, for messages and programs.
    #[must_use]
    pub fn named(self, name: &str) -> Tensor<'g> {
        self.graph.state().set_name(self.node, name);
        self
    }

    /// What it is called: its name, or a number.
    pub fn name(self) -> String {
        self.graph.state().called(self.node)
    }

    /// The shape as far as it is inferred; `None` where what made the tensor was refused. Reading
    /// it commits nothing.
    pub fn shape(self) -> Option<PartialShape> {
        let state = self.graph.state();
        state.session.shape(state.shape_of(self.node)?).ok()
    }

    /// Whether what made it was refused, or depends on what was.
    pub fn is_poisoned(self) -> bool {
        self.graph.state().is_poisoned(self.node)
    }
}

impl fmt::Debug for Tensor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        let counts = [state.nodes.len(), state.refused.len()];
        write!(f, "Graph({} tensors, {} refused)", counts[0], counts[1])
    }
}
