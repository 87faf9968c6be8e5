//! The walk through a graph: each node after those whose outputs it uses, and what is kept of it.

use lozenge_calculus::number::index;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use smallvec::SmallVec;

use super::{
    call::{Call, Called, Effects, Frame, Outputs},
    id::{GraphId, NodeId, TensorId},
    inferred::{GraphRecord, Inferred, NodeRecord, Source, Taken, TensorRecord},
    known::{Container, Known},
    num::{Num, Nums, Origin},
    ops::Rules,
    options::Options,
    order::{order, outputs_of, used},
    require::{Conflict, Place, Stop},
};
use crate::{
    graph::{Graph, Node},
    model::{Function, Model, Opset},
    text::Text,
};

/// How deep functions and graphs may be nested.
pub(crate) const DEEPEST: usize = 64;

/// How many nodes are visited for each node of a file, loops and functions included; and how many
/// in any case.
const VISITS: usize = 64;
const FEW_VISITS: usize = 100_000;

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
    /// The nodes in branches that cannot run whose other branch cannot either.
    pub(crate) failing: HashSet<NodeId>,
    functions: HashMap<(Text<'a>, Text<'a>, Text<'a>), &'m Function<'a>>,
    by_name: HashMap<Text<'a>, TensorId>,
    inputs: Vec<TensorId>,
    outputs: Vec<Option<TensorId>>,
    visits: usize,
    rules: Rules,
}

/// How far records went, so that what is gone through again can be forgotten.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    tensors: usize,
    nodes: usize,
    graphs: usize,
    effects: [usize; 3],
}

impl<'m, 'a, 'o> Run<'m, 'a, 'o> {
    pub(super) fn new(model: &'m Model<'a>, options: &'o Options<'o>, nums: Nums) -> Self {
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
            failing: HashSet::new(),
            functions,
            by_name: HashMap::new(),
            inputs: vec![],
            outputs: vec![],
            visits: FEW_VISITS + VISITS * nodes,
            rules: Rules::new(Arc::clone(&options.rules)),
        }
    }

    pub(super) fn done(self, taken: Vec<Taken>) -> Inferred<'m, 'a> {
        let model_graph = &self.model.graph;
        let Run { nums, effects, tensors, nodes, graphs, by_name, inputs, outputs, rules, .. } =
            self;
        Inferred {
            nums,
            tensors,
            nodes,
            graphs,
            by_name,
            inputs,
            outputs,
            effects,
            taken,
            rules,
            model_graph,
        }
    }

    pub(super) fn main(&mut self) {
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

    /// Goes through nodes, each after those whose outputs it uses: in the order of the file, or,
    /// where that is another, in the order of a search from each node to those before it.
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
                // What its graphs use of this one is not told apart from what they make themselves,
                // but for who gives it.
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
        let id = NodeId(index(self.nodes.len()));
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
        let mut inputs: SmallVec<[Option<TensorId>; 4]> =
            node.inputs.iter().map(&mut find).collect();
        if !self.options.edits.is_empty() {
            self.edit(node, &mut inputs);
        }
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
        let Some(rule) = self.rules.of(node) else {
            return (Outputs::new(), Some(Stop::Operator));
        };
        let Run { nums, effects, tensors, .. } = self;
        let inputs = inputs.iter().map(|id| id.map(|id| &tensors[id.0 as usize].known));
        let mut call = Call::new(Called { node, id, version }, inputs, nums, effects);
        call.frame = within.frame;
        call.is_certain = within.is_certain;
        let stop = rule.infer(&mut call).err();
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
        let id = GraphId(index(self.graphs.len()));
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
        let id = TensorId(index(self.tensors.len()));
        self.tensors.push(TensorRecord { name, graph, source, known, stop });
        id
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            tensors: self.tensors.len(),
            nodes: self.nodes.len(),
            graphs: self.graphs.len(),
            effects: self.effects.lengths(),
        }
    }

    /// Forgets what was recorded since.
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.tensors.truncate(mark.tensors);
        self.nodes.truncate(mark.nodes);
        self.graphs.truncate(mark.graphs);
        self.failing.retain(|node| (node.0 as usize) < mark.nodes);
        self.forget_effects(mark);
    }

    /// Forgets what was required since.
    pub(crate) fn forget_effects(&mut self, mark: Mark) {
        self.effects.truncate(mark.effects);
    }
}
