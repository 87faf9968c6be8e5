//! The walk through a graph: each node after those whose outputs it uses, and what is kept of it.

use std::collections::{BTreeSet, HashMap, HashSet};

use smallvec::SmallVec;

use super::{
    call::{Call, Effects, Frame, Outputs},
    known::{Container, Known, Sizes},
    num::{NameId, Num, Nums, Origin},
    ops,
    require::{Conflict, Place, Relation, Requirement, Stop},
    template::Template,
    value::{MOST_ELEMENTS, Value},
};
use crate::{
    element::Element,
    graph::{Graph, Node},
    model::{Function, Model, Opset},
    tensor::Tensor,
    text::Text,
    types::{Dim, Type, ValueInfo},
};

/// A node of an inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A value of an inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorId(pub u32);

/// A graph of an inference: the model's is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraphId(pub u32);

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

/// Reads the elements of a tensor that are in another file; `None` where they cannot be read.
pub type ReadElements<'o> = dyn Fn(&Tensor<'_>) -> Option<Vec<i64>> + 'o;

/// How a model is looked at.
#[derive(Clone, Default)]
pub struct Options<'o> {
    /// Numbers for names of the inputs' sizes.
    pub set: Vec<(String, i64)>,
    /// Axes of inputs whose numbers are forgotten: the input and the axis. They get names.
    pub free: Vec<(String, usize)>,
    /// Reads elements that are in other files, by the tensor.
    pub external: Option<&'o ReadElements<'o>>,
    /// Elements of initializers and constants that are taken for unknown, by the tensor's name and the element.
    pub open: Vec<(String, usize)>,
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
}

/// How often a graph is gone through with names that were found to be other sizes.
const MOST_PASSES: usize = 8;

/// How deep functions and graphs may be nested.
pub(crate) const DEEPEST: usize = 64;

/// How many nodes are visited for each node of a file, loops and functions included; and how many in any case.
const VISITS: usize = 64;
const FEW_VISITS: usize = 100_000;

/// Infers what a model's values are.
pub fn infer<'m, 'a>(model: &'m Model<'a>, options: &Options<'_>) -> Inferred<'m, 'a> {
    let mut nums = Nums::default();
    let mut taken: Vec<Taken> = vec![];
    let mut turned = Turned::default();
    let mut pass = 0;
    loop {
        let mut run = Run::new(model, options, nums);
        run.turned.clone_from(&turned.all);
        run.main();
        pass += 1;
        if pass >= MOST_PASSES {
            return run.done(taken);
        }
        let found = run.equalities();
        let is_settled = found.is_empty() && !turned.next(&run.effects);
        if is_settled {
            return run.done(taken);
        }
        taken.extend(found);
        nums = run.nums;
    }
}

/// Assumptions that are turned into their opposites, since with them a node cannot run.
#[derive(Default)]
struct Turned {
    all: BTreeSet<NodeId>,
    /// The one that is tried, and how many disagreements there were without it.
    tried: Option<(NodeId, usize)>,
    rejected: BTreeSet<NodeId>,
}

impl Turned {
    /// Takes the last one back where it did not help, and finds another to try. Gives whether anything changed.
    fn next(&mut self, effects: &Effects) -> bool {
        let count = effects.conflicts.len();
        let mut is_changed = false;
        if let Some((node, before)) = self.tried.take() {
            if count >= before {
                self.all.remove(&node);
                self.rejected.insert(node);
                is_changed = true;
            }
        }
        let Some(conflict) = effects.conflicts.first() else { return is_changed };
        let nodes = effects.assumptions.iter().rev().map(|assumption| assumption.node);
        let mut open = nodes.filter(|node| *node < conflict.node && !self.rejected.contains(node));
        let Some(node) = open.next() else { return is_changed };
        self.all.insert(node);
        self.tried = Some((node, count));
        true
    }
}

/// The values that a graph can name: its own, and those of the graphs around it.
pub(crate) struct Scope<'s, 'a> {
    pub(crate) names: HashMap<Text<'a>, TensorId>,
    pub(crate) outer: Option<&'s Scope<'s, 'a>>,
}

impl<'a> Scope<'_, 'a> {
    fn find(&self, name: Text<'a>) -> Option<TensorId> {
        self.names.get(&name).copied().or_else(|| self.outer?.find(name))
    }
}

/// Where a graph stands.
#[derive(Clone, Copy)]
pub(crate) struct Within<'r, 'a> {
    pub(crate) graph: GraphId,
    pub(crate) frame: Option<&'r Frame<'r, 'a>>,
    pub(crate) opsets: &'r [Opset<'a>],
    pub(crate) is_certain: bool,
    pub(crate) depth: usize,
}

/// A walk through a model.
pub(crate) struct Run<'m, 'a, 'o> {
    pub(crate) model: &'m Model<'a>,
    pub(crate) options: &'o Options<'o>,
    pub(crate) nums: Nums,
    pub(crate) effects: Effects,
    pub(crate) tensors: Vec<TensorRecord<'a>>,
    pub(crate) nodes: Vec<NodeRecord<'m, 'a>>,
    pub(crate) graphs: Vec<GraphRecord<'a>>,
    /// The nodes whose assumption is the other one.
    pub(crate) turned: BTreeSet<NodeId>,
    functions: HashMap<(Text<'a>, Text<'a>, Text<'a>), &'m Function<'a>>,
    by_name: HashMap<Text<'a>, TensorId>,
    inputs: Vec<TensorId>,
    outputs: Vec<Option<TensorId>>,
    visits: usize,
}

/// How far records went, so that what is gone through again can be forgotten.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    tensors: usize,
    nodes: usize,
    graphs: usize,
    requirements: usize,
    conflicts: usize,
    assumptions: usize,
}

impl<'m, 'a, 'o> Run<'m, 'a, 'o> {
    fn new(model: &'m Model<'a>, options: &'o Options<'o>, nums: Nums) -> Self {
        let key = |function: &'m Function<'a>| (function.domain, function.name, function.overload);
        let functions = model.functions.iter().map(|function| (key(function), function)).collect();
        let nodes = model.graph.nodes.len();
        Run {
            model,
            options,
            nums,
            effects: Effects::default(),
            tensors: Vec::with_capacity(nodes + model.graph.initializers.len()),
            nodes: Vec::with_capacity(nodes),
            graphs: vec![],
            turned: BTreeSet::new(),
            functions,
            by_name: HashMap::new(),
            inputs: vec![],
            outputs: vec![],
            visits: FEW_VISITS + VISITS * nodes,
        }
    }

    fn done(self, taken: Vec<Taken>) -> Inferred<'m, 'a> {
        let Run { nums, effects, tensors, nodes, graphs, by_name, inputs, outputs, .. } = self;
        Inferred { nums, tensors, nodes, graphs, by_name, inputs, outputs, effects, taken }
    }

    fn main(&mut self) {
        let graph = &self.model.graph;
        self.graphs.push(GraphRecord { name: graph.name, of: None, is_dead: false });
        for (name, number) in &self.options.set {
            let num = self.nums.named(name, Origin::Input, 1);
            if let Some(id) = self.nums.names_of(num).first() {
                self.nums.take(*id, Num::Int(*number));
            }
        }
        let mut scope = Scope {
            names: HashMap::with_capacity(graph.nodes.len() + graph.initializers.len()),
            outer: None,
        };
        let stored: HashSet<Text<'a>> =
            graph.initializers.iter().map(|tensor| tensor.name).collect();
        for (number, input) in graph.inputs.iter().enumerate() {
            if stored.contains(&input.name) {
                continue;
            }
            let known = self.of_input(input);
            let id = self.record(input.name, GraphId(0), Source::Input(number), known, None);
            self.inputs.push(id);
            scope.names.insert(input.name, id);
        }
        let within = Within {
            graph: GraphId(0),
            frame: None,
            opsets: &self.model.opsets,
            is_certain: true,
            depth: 0,
        };
        self.outputs = self.body(graph, &mut scope, within);
        self.by_name = scope.names;
    }

    /// Goes through the initializers and nodes of a graph. Gives its outputs.
    pub(crate) fn body(
        &mut self,
        graph: &'m Graph<'a>,
        scope: &mut Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) -> Vec<Option<TensorId>> {
        for tensor in &graph.initializers {
            let known = self.of_tensor(tensor);
            let id = self.record(tensor.name, within.graph, Source::Initializer, known, None);
            scope.names.insert(tensor.name, id);
        }
        for sparse in &graph.sparse_initializers {
            let sizes = sparse.dims().map(Num::Int);
            let known = Known::tensor(sparse.values.element, sizes);
            let name = sparse.values.name;
            let id = self.record(name, within.graph, Source::Initializer, known, None);
            scope.names.insert(name, id);
        }
        self.nodes_of(&graph.nodes, scope, within);
        graph.outputs.iter().map(|output| scope.find(output.name)).collect()
    }

    /// Goes through nodes, each after those whose outputs it uses: in the order of the file, or, where that is another, in the
    /// order of a search from each node to those before it.
    pub(crate) fn nodes_of(
        &mut self,
        nodes: &'m [Node<'a>],
        scope: &mut Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) {
        let is_there =
            |name: &Text<'a>, scope: &Scope<'_, 'a>| name.is_empty() || scope.find(*name).is_some();
        let mut given: Option<HashMap<Text<'a>, usize>> = None;
        for (place, node) in nodes.iter().enumerate() {
            let is_early = if node.graphs().next().is_none() {
                !node.inputs.iter().all(|name| is_there(name, scope))
            } else {
                // What its graphs use of this one is not told apart from what they make themselves, but for who gives it.
                let given = given.get_or_insert_with(|| outputs_of(nodes));
                let mut names = vec![];
                used(node, &mut names);
                names.into_iter().any(|name| {
                    given.get(name).is_some_and(|giver| *giver > place) && !is_there(name, scope)
                })
            };
            if is_early {
                for later in order(nodes, place) {
                    self.node(&nodes[later], later, scope, within);
                }
                return;
            }
            self.node(node, place, scope, within);
        }
    }

    fn node(
        &mut self,
        node: &'m Node<'a>,
        place: usize,
        scope: &mut Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let domain = if node.domain == "ai.onnx" { Text::default() } else { node.domain };
        let is_ours = |opset: &&Opset<'a>| {
            opset.domain == domain || domain.is_empty() && opset.domain == "ai.onnx"
        };
        let version = within.opsets.iter().find(is_ours).map_or(1, |opset| opset.version);
        let mut missing = None;
        let mut find = |name: &Text<'a>| {
            let found = if name.is_empty() { None } else { scope.find(*name) };
            if found.is_none() && !name.is_empty() {
                missing = Some(Stop::Undefined(name.to_string()));
            }
            found
        };
        let inputs: SmallVec<[Option<TensorId>; 4]> = node.inputs.iter().map(&mut find).collect();
        self.nodes.push(NodeRecord {
            node,
            graph: within.graph,
            place,
            version,
            inputs: inputs.clone(),
            outputs: SmallVec::new(),
        });
        self.visits = self.visits.saturating_sub(1);
        let (mut given, stop) = match missing {
            Some(missing) => (Outputs::new(), Some(missing)),
            None if self.visits == 0 => (Outputs::new(), Some(Stop::Depth)),
            None => self.infer_node(node, id, version, domain, &inputs, scope, within),
        };
        if let Some(mistake) = stop.as_ref().filter(|stop| stop.is_mistake()) {
            self.effects.conflicts.push(Conflict {
                relation: None,
                mistake: Some(mistake.clone()),
                node: id,
                places: [Place::Node; 2],
                is_certain: within.is_certain,
            });
        }
        given.resize(node.outputs.len(), None);
        let mut outputs: SmallVec<[Option<TensorId>; 2]> = SmallVec::new();
        for (number, (name, known)) in node.outputs.iter().zip(given).enumerate() {
            if name.is_empty() {
                outputs.push(None);
                continue;
            }
            let is_open = known
                .as_ref()
                .is_none_or(|known| known.shape.is_none() && known.container.is_none());
            let stop = is_open.then(|| stop.clone().unwrap_or(Stop::Operator));
            let record = self.record(
                *name,
                within.graph,
                Source::Node(id, number),
                known.unwrap_or_default(),
                stop,
            );
            scope.names.insert(*name, record);
            outputs.push(Some(record));
        }
        self.nodes[id.0 as usize].outputs = outputs;
    }

    #[expect(clippy::too_many_arguments, reason = "all that a node stands in")]
    fn infer_node(
        &mut self,
        node: &'m Node<'a>,
        id: NodeId,
        version: i64,
        domain: Text<'a>,
        inputs: &[Option<TensorId>],
        scope: &Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) -> (Outputs, Option<Stop>) {
        if !self.functions.is_empty() {
            if let Some(function) = self.functions.get(&(domain, node.op, node.overload)) {
                return self.call_function(function, node, id, inputs, within);
            }
        }
        if domain.is_empty() && node.graphs().next().is_some() {
            if let Some(found) = self.control(node, id, version, inputs, scope, within) {
                return found;
            }
        }
        let Some(rule) = ops::find(domain, node.op) else {
            return (Outputs::new(), Some(Stop::Operator));
        };
        let Run { nums, effects, tensors, .. } = self;
        let mut call = Call {
            node,
            id,
            version,
            nums,
            inputs: inputs.iter().map(|id| id.map(|id| &tensors[id.0 as usize].known)).collect(),
            outputs: Outputs::new(),
            effects,
            frame: within.frame,
            is_certain: within.is_certain,
            template: None,
            keeps_template: false,
        };
        let stop = rule(&mut call).err();
        (call.outputs, stop)
    }

    /// Puts the body of a function in the place of a node.
    fn call_function(
        &mut self,
        function: &'m Function<'a>,
        node: &'m Node<'a>,
        id: NodeId,
        inputs: &[Option<TensorId>],
        within: Within<'_, 'a>,
    ) -> (Outputs, Option<Stop>) {
        if within.depth >= DEEPEST {
            return (Outputs::new(), Some(Stop::Depth));
        }
        let graph = self.graph(function.name, id);
        let mut scope = Scope { names: HashMap::new(), outer: None };
        for (name, input) in function.inputs.iter().zip(inputs) {
            if let Some(input) = input {
                scope.names.insert(*name, *input);
            }
        }
        let frame = Frame { node, defaults: &function.defaults, outer: within.frame };
        let opsets = if function.opsets.is_empty() { within.opsets } else { &function.opsets };
        let inner =
            Within { graph, frame: Some(&frame), opsets, depth: within.depth + 1, ..within };
        // An input that the caller leaves out is named in the body and stands for nothing.
        let left_out: Vec<Text<'a>> = function
            .inputs
            .iter()
            .copied()
            .filter(|name| !scope.names.contains_key(name))
            .collect();
        self.function_nodes(&function.nodes, &left_out, &mut scope, inner);
        let outputs = function
            .outputs
            .iter()
            .map(|name| scope.find(*name).map(|id| self.tensors[id.0 as usize].known.clone()));
        (outputs.collect(), Some(Stop::Operator))
    }

    fn function_nodes(
        &mut self,
        nodes: &'m [Node<'a>],
        left_out: &[Text<'a>],
        scope: &mut Scope<'_, 'a>,
        within: Within<'_, 'a>,
    ) {
        for name in left_out {
            let id = self.record(
                *name,
                within.graph,
                Source::Input(0),
                Known { container: Some(Container::Opaque), ..Known::default() },
                None,
            );
            scope.names.insert(*name, id);
        }
        self.nodes_of(nodes, scope, within);
    }

    /// A graph of a node's.
    pub(crate) fn graph(&mut self, name: Text<'a>, of: NodeId) -> GraphId {
        let id = GraphId(u32::try_from(self.graphs.len()).unwrap_or(u32::MAX));
        self.graphs.push(GraphRecord { name, of: Some(of), is_dead: false });
        id
    }

    pub(crate) fn record(
        &mut self,
        name: Text<'a>,
        graph: GraphId,
        source: Source,
        known: Known,
        stop: Option<Stop>,
    ) -> TensorId {
        let id = TensorId(u32::try_from(self.tensors.len()).unwrap_or(u32::MAX));
        let known = if self.options.open.is_empty() { known } else { self.opened(name, known) };
        self.tensors.push(TensorRecord { name, graph, source, known, stop });
        id
    }

    /// A value without the elements that are to be taken for unknown.
    fn opened(&self, name: Text<'_>, known: Known) -> Known {
        let mut known = known;
        for (_, element) in self.options.open.iter().filter(|(tensor, _)| name == tensor.as_str()) {
            let mut elems = known.value.as_deref().unwrap_or_default().to_vec();
            if let Some(elem) = elems.get_mut(*element) {
                *elem = super::value::Elem::Unknown;
                known.value = Some(elems.into());
            }
        }
        known
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            tensors: self.tensors.len(),
            nodes: self.nodes.len(),
            graphs: self.graphs.len(),
            requirements: self.effects.requirements.len(),
            conflicts: self.effects.conflicts.len(),
            assumptions: self.effects.assumptions.len(),
        }
    }

    /// Forgets what was recorded since.
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.tensors.truncate(mark.tensors);
        self.nodes.truncate(mark.nodes);
        self.graphs.truncate(mark.graphs);
        self.forget_effects(mark);
    }

    /// Forgets what was required since.
    pub(crate) fn forget_effects(&mut self, mark: Mark) {
        self.effects.requirements.truncate(mark.requirements);
        self.effects.conflicts.truncate(mark.conflicts);
        self.effects.assumptions.truncate(mark.assumptions);
    }

    fn of_input(&mut self, input: &ValueInfo<'a>) -> Known {
        let name = input.name.to_string();
        self.of_type(&input.ty, &name)
    }

    /// What a declared type says; sizes that it does not say get names from this one.
    pub(crate) fn of_type(&mut self, ty: &Type<'_>, name: &str) -> Known {
        let inner = |run: &mut Self, ty: &Type<'_>| std::sync::Arc::new(run.of_type(ty, name));
        match ty {
            Type::Tensor(tensor) | Type::SparseTensor(tensor) => {
                let shape = tensor.shape.as_ref().map(|dims| {
                    let sizes =
                        dims.iter().enumerate().map(|(axis, dim)| self.of_dim(dim, name, axis));
                    sizes.collect::<Sizes>()
                });
                Known { element: tensor.element, shape, ..Known::default() }
            }
            Type::Sequence(of) => {
                let of = inner(self, of);
                Known {
                    element: of.element,
                    container: Some(Container::Sequence(of, None)),
                    ..Known::default()
                }
            }
            Type::Optional(of) => {
                let of = inner(self, of);
                Known {
                    element: of.element,
                    container: Some(Container::Optional(of)),
                    ..Known::default()
                }
            }
            Type::Map { .. } | Type::Opaque => {
                Known { container: Some(Container::Opaque), ..Known::default() }
            }
            Type::Unknown => Known::default(),
        }
    }

    fn of_dim(&mut self, dim: &Dim<'_>, input: &str, axis: usize) -> Num {
        let is_free = self.options.free.iter().any(|(name, of)| name == input && *of == axis);
        match dim {
            Dim::Value(n @ 1..) if !is_free => Num::Int(*n),
            Dim::Param(name) if !name.is_empty() => {
                let name = name.to_string();
                let low = i64::from(!may_be_empty(&name));
                self.nums.named(&name, Origin::Input, low)
            }
            _ => self.nums.named(&format!("{input}_{axis}"), Origin::Input, 1),
        }
    }

    /// What a tensor of the file is, with its elements where they may decide shapes.
    pub(crate) fn of_tensor(&mut self, tensor: &Tensor<'a>) -> Known {
        let mut known = constant(tensor);
        if known.value.is_none() {
            if let (Some(read), true) =
                (self.options.external, known.count().is_some_and(|n| n <= MOST_ELEMENTS))
            {
                let value = read(tensor).filter(|elements| Some(elements.len()) == known.count());
                known.value = value.map(|elements| elements.into_iter().map(Into::into).collect());
            }
        }
        known
    }

    /// What names are because sizes have to be equal. Those are then taken for it.
    fn equalities(&mut self) -> Vec<Taken> {
        let mut found: Vec<Taken> = vec![];
        for by in self.effects.requirements.clone() {
            let (Relation::Equal(a, b), true) = (by.relation, by.is_certain) else { continue };
            let [a, b] = [a, b].map(|side| self.nums.as_taken(side));
            let Some((name, num)) = self.nums.solved(a, b) else { continue };
            let (low, _) = self.nums.range(name);
            let (_, high) = self.nums.interval(num);
            if high.zip(low).is_some_and(|(high, low)| high < low) {
                continue;
            }
            self.nums.take(name, num);
            found.push(Taken { name, num, by });
        }
        found
    }
}

/// Whether a size of this name may be 0: that of a cache at the first step.
fn may_be_empty(name: &str) -> bool {
    name.contains("past")
}

/// The names that a node uses, and the nodes of its graphs.
fn used<'n, 'a>(node: &'n Node<'a>, all: &mut Vec<&'n Text<'a>>) {
    all.extend(&node.inputs);
    for graph in node.graphs() {
        graph.nodes.iter().for_each(|inner| used(inner, all));
        all.extend(graph.outputs.iter().map(|output| &output.name));
    }
}

/// The places of the nodes that give values, by the values' names.
fn outputs_of<'a>(nodes: &[Node<'a>]) -> HashMap<Text<'a>, usize> {
    let all = nodes.iter().enumerate();
    all.flat_map(|(place, node)| node.outputs.iter().map(move |name| (*name, place))).collect()
}

/// The nodes from a place on in an order in which each comes after those that give what it and its graphs use. Of nodes that use
/// each other the first in the file comes first.
fn order(nodes: &[Node<'_>], from: usize) -> Vec<usize> {
    let given = outputs_of(nodes);
    let mut is_seen = vec![false; nodes.len()];
    let mut found = vec![];
    // A stack of its own, since a chain may be as long as the file.
    let mut stack: Vec<(usize, bool)> =
        (from..nodes.len()).rev().map(|place| (place, false)).collect();
    while let Some((place, is_done)) = stack.pop() {
        if is_done {
            found.push(place);
            continue;
        }
        if std::mem::replace(&mut is_seen[place], true) {
            continue;
        }
        stack.push((place, true));
        let mut names = vec![];
        used(&nodes[place], &mut names);
        let before = names.into_iter().rev().filter_map(|name| given.get(name).copied());
        stack.extend(
            before
                .filter(|before| *before >= from && !is_seen[*before])
                .map(|before| (before, false)),
        );
    }
    found
}

/// The most elements of a tensor of floats that are read: scales, limits and steps, not weights.
const MOST_FLOATS: usize = 64;

/// What a tensor of the file is, with its elements where these are in it and may decide shapes.
pub(crate) fn constant(tensor: &Tensor<'_>) -> Known {
    let mut known = Known::tensor(tensor.element, tensor.dims().map(Num::Int));
    let whole = |known: &Known| -> Option<Value> {
        known.count().filter(|count| *count <= MOST_ELEMENTS)?;
        let elements = tensor.ints(MOST_ELEMENTS).ok()?;
        Some(elements.into_iter().map(Into::into).collect())
    };
    let real = |known: &Known| -> Option<Value> {
        known.count().filter(|count| *count <= MOST_FLOATS)?;
        let elements = tensor.floats(MOST_FLOATS).ok()?;
        Some(elements.into_iter().map(super::value::Elem::Real).collect())
    };
    known.value = match tensor.element {
        Element::Float | Element::Double | Element::Float16 | Element::Bfloat16 => real(&known),
        _ => whole(&known),
    };
    known
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
            | Stop::Depth => false,
        }
    }
}

impl<'m, 'a> Inferred<'m, 'a> {
    /// The numbers that sizes are.
    pub fn nums(&self) -> &Nums {
        &self.nums
    }

    /// The same, to compute with.
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

    /// Sizes that are taken for different, since a branch or the number of axes depends on it: each relation is what is assumed
    /// *not* to hold. Where it does, what comes after that node may have other shapes.
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

    /// The specification of a node, where its operator can be said so.
    pub fn template(&mut self, id: NodeId) -> Option<Template> {
        let record = &self.nodes[id.0 as usize];
        let domain =
            if record.node.domain == "ai.onnx" { Text::default() } else { record.node.domain };
        let rule = ops::find(domain, record.node.op)?;
        let mut effects = Effects::default();
        let tensors = &self.tensors;
        let mut call = Call {
            node: record.node,
            id,
            version: record.version,
            nums: &mut self.nums,
            inputs: record
                .inputs
                .iter()
                .map(|id| id.map(|id| &tensors[id.0 as usize].known))
                .collect(),
            outputs: Outputs::new(),
            effects: &mut effects,
            frame: None,
            is_certain: true,
            template: None,
            keeps_template: true,
        };
        let _ = rule(&mut call);
        call.template
    }
}
