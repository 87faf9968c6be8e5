//! Making a program of a graph: which tensors are needed, in which region each is computed, where
//! its elements are, and what its statements are.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use lozenge::{
    Accumulation, Assignment, Expression, Report, Shape, Tensor as Shaped, Valued,
    project::{Budget, Index, Slot, Statement},
};

use crate::{
    arriving::differentiable,
    check::Checked,
    derivative::NoDerivative,
    graph::Tensor,
    initial::Initial,
    node::{Begins, Computed, Content, Given, Logic, Made, NodeId, View},
    program::{Carried, Form, Holds, Program, Step, Supplied, Variable, VariableId},
    region::Region,
    state::State,
    words,
};

impl Checked<'_> {
    /// The program that computes these tensors, and runs every statement of the graph, in place.
    ///
    /// # Errors
    /// When a statement cannot be run: a cell would be set to many elements, or what is read was
    /// replaced before; and when a tensor is of another graph, or was made since.
    #[track_caller]
    pub fn program(&self, outputs: &[Tensor<'_>]) -> Result<Program, Report> {
        self.program_in(Form::InPlace, None, outputs)
    }

    /// The same, in this form, and where names of sizes have values.
    ///
    /// # Errors
    /// As for [`Checked::program`].
    #[track_caller]
    pub fn program_in(
        &self,
        form: Form,
        values: Option<&Valued<'_>>,
        outputs: &[Tensor<'_>],
    ) -> Result<Program, Report> {
        if let Some(tensor) = outputs.iter().find(|tensor| !self.has(**tensor)) {
            return Err(self.unknown(*tensor));
        }
        let state = self.graph.state();
        let mut making = Making {
            state: &state,
            checked: self,
            values,
            form,
            program: Program::default(),
            bases: HashMap::new(),
            is_written: vec![],
            names: BTreeSet::new(),
            current: vec![],
        };
        let outputs: Vec<NodeId> = outputs.iter().map(|tensor| tensor.node).collect();
        making.make(&outputs)?;
        making.program.graph = self.graph.id().clone();
        Ok(making.program)
    }
}

/// A program that is being made.
struct Making<'a> {
    state: &'a State,
    checked: &'a Checked<'a>,
    values: Option<&'a Valued<'a>>,
    form: Form,
    program: Program,
    /// By result of the session, its assignment.
    bases: HashMap<Shaped, Assignment>,
    names: BTreeSet<Arc<str>>,
    /// By variable, the tensor whose elements it has, and whether a statement gave it some.
    current: Vec<NodeId>,
    is_written: Vec<bool>,
}

impl Making<'_> {
    fn make(&mut self, outputs: &[NodeId]) -> Result<(), Report> {
        let is_statement = |node: &NodeId| self.state.node(*node).is_statement;
        let statements = (0..self.state.nodes.len()).map(NodeId::at).filter(is_statement);
        let (first, later): (Vec<NodeId>, Vec<NodeId>) =
            statements.partition(|node| self.state.is_initial(*node));
        let initial = Initial::of(self.state, &first)?;
        let regions = self.regions(outputs.iter().chain(&later).copied());
        // What nothing computes is there before everything.
        let read = initial.iter().flat_map(|node| self.state.node(*node).reads_and_replaces());
        let all: BTreeSet<NodeId> = regions.keys().copied().chain(read).collect();
        for node in all {
            if let Made::Given(_) | Made::Constant(_) = self.state.node(node).made {
                self.variable_of(node);
            }
        }
        let is_computed = |node: NodeId| matches!(self.state.node(node).made, Made::Computed(_));
        let mut order: Vec<(Region, NodeId)> = regions
            .iter()
            .filter(|(node, _)| is_computed(**node) && !self.state.is_initial(**node))
            .map(|(node, region)| (*region, *node))
            .collect();
        order.sort_unstable();
        let initial = initial.into_iter().map(|node| (Region::Initialise, node));
        let order: Vec<(Region, NodeId)> = initial.chain(order).collect();
        // What sets gradients to numbers has a region of its own.
        for region in Region::ALL {
            for (own, node) in &order {
                if let Made::Computed(computed) = &self.state.node(*node).made {
                    let is_sum = matches!(computed.begins, Begins::Number(_));
                    if is_sum && *own == Region::Backward && region == Region::ZeroGradients {
                        self.begin(*node, computed, region)?;
                    }
                    if *own == region {
                        if is_sum && region != Region::Backward {
                            self.begin(*node, computed, region)?;
                        }
                        self.statements(*node, computed, region)?;
                    }
                }
            }
        }
        self.carry(&regions, &order);
        for output in outputs {
            let variable = self.variable_of(*output);
            self.fresh(*output, variable, *output)?;
        }
        Ok(())
    }

    /// Finds what the last tensor that takes the place of another hands to the first.
    fn carry(&mut self, regions: &BTreeMap<NodeId, Region>, order: &[(Region, NodeId)]) {
        let replaced = |node: NodeId| match &self.state.node(node).made {
            Made::Computed(computed) => computed.replaces,
            Made::Poisoned | Made::Given(_) | Made::Constant(_) => None,
        };
        // By tensor that takes the place of others, the first of these.
        let mut firsts: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for node in regions.keys() {
            if let Some(before) = replaced(*node) {
                firsts.insert(*node, firsts.get(&before).copied().unwrap_or(before));
            }
        }
        let mut last: BTreeMap<VariableId, VariableId> = BTreeMap::new();
        for (_, node) in order {
            let Some(first) = firsts.get(node).copied() else { continue };
            // What is computed is computed again.
            let is_given = matches!(self.state.node(first).made, Made::Given(_));
            let [from, to] = [*node, first].map(|node| self.variable_of(node));
            if is_given && from != to {
                last.insert(to, from);
            }
        }
        self.program.carried = last.into_iter().map(|(to, from)| Carried { from, to }).collect();
    }

    /// The tensors that are needed after what is initialised, with their regions.
    fn regions(&self, wanted: impl Iterator<Item = NodeId>) -> BTreeMap<NodeId, Region> {
        let mut needed: BTreeSet<NodeId> = BTreeSet::new();
        let mut todo: Vec<NodeId> = wanted.collect();
        while let Some(node) = todo.pop() {
            if needed.insert(node) {
                let own = self.state.node(node);
                // What an initial value is made of is not needed again.
                let is_initial = self.state.is_initial(node);
                todo.extend(own.reads_and_replaces().filter(|_| !is_initial));
                todo.extend(own.replaces().filter(|_| is_initial));
            }
        }
        let mut regions: BTreeMap<NodeId, Region> = BTreeMap::new();
        for node in needed {
            // What is replaced was there before.
            let own = self.state.node(node);
            let after = own.reads_and_replaces().filter_map(|read| regions.get(&read).copied());
            let said = own.region.unwrap_or(Region::Forward).max(Region::Forward);
            regions.insert(node, after.chain([said]).max().unwrap_or(said));
        }
        regions
    }

    /// The variable of a tensor, which is made with it.
    fn variable_of(&mut self, node: NodeId) -> VariableId {
        if let Some(known) = self.program.places.get(&node) {
            return *known;
        }
        let is_initial = self.state.is_initial(node);
        let can_be_replaced =
            |before: &NodeId| !matches!(self.state.node(*before).made, Made::Constant(_));
        let shared = self
            .state
            .node(node)
            .replaces()
            .filter(|_| self.form == Form::InPlace || is_initial)
            .filter(can_be_replaced)
            .map(|before| self.variable_of(before));
        let id = shared.unwrap_or_else(|| self.new_variable(node));
        self.program.places.insert(node, id);
        id
    }

    fn new_variable(&mut self, node: NodeId) -> VariableId {
        let holds = match &self.state.node(node).made {
            Made::Given(Given::State) => Holds::Number(0.0),
            Made::Given(given) => Holds::Given(*given),
            Made::Constant(content) => match content {
                Content::Elements(elements) => Holds::Elements(Arc::clone(elements)),
                Content::Range => Holds::Range,
                Content::Number(_) | Content::Size(_) | Content::Ratio(..) => {
                    self.number(node).map_or(Holds::Nothing, Holds::Number)
                }
            },
            Made::Computed(_) | Made::Poisoned => Holds::Nothing,
        };
        let name = self.name(node);
        self.program.variables.push(Variable {
            name,
            shape: self.shape(node),
            element_type: self.checked.type_of(self.state, node),
            holds,
        });
        self.current.push(node);
        self.is_written.push(false);
        VariableId(self.program.variables.len() - 1)
    }

    /// A name that no other variable has.
    fn name(&mut self, node: NodeId) -> Arc<str> {
        let called = self.state.called(node);
        let mut name: Arc<str> = called.as_str().into();
        let mut number = 2;
        while !self.names.insert(Arc::clone(&name)) {
            name = format!("{called}.{number}").into();
            number += 1;
        }
        name
    }

    fn shape(&self, node: NodeId) -> Shape {
        let Some(shaped) = self.state.shape_of(node) else { return Shape::default() };
        let shape = match self.values {
            Some(values) => values.shape(shaped),
            None => self.checked.closed.shape(shaped).cloned(),
        };
        shape.unwrap_or_default()
    }

    /// The number that a tensor is, where it is one.
    fn number(&self, node: NodeId) -> Option<f64> {
        let Made::Constant(content) = &self.state.node(node).made else { return None };
        #[allow(clippy::cast_precision_loss)] // beyond 2^53 the nearest
        let float = |count: u64| count as f64;
        match content {
            Content::Number(number) => Some(*number),
            Content::Size(size) => match self.values {
                Some(values) => values.size(*size).map(float),
                None => self.checked.closed.size(*size).map(float),
            },
            Content::Ratio(many, few) => {
                let elements = |shaped: Shaped| match self.values {
                    Some(values) => values.shape(shaped).ok()?.elements(),
                    None => self.checked.closed.shape(shaped).ok()?.elements(),
                };
                Some(float(elements(*many)?) / float(elements(*few)?))
            }
            Content::Elements(_) | Content::Range => None,
        }
    }

    /// Sets a tensor to the number that it begins with.
    fn begin(&mut self, node: NodeId, computed: &Computed, region: Region) -> Result<(), Report> {
        let (Begins::Number(number), Some(shaped)) = (computed.begins, self.state.shape_of(node))
        else {
            return Ok(());
        };
        let filling = self.state.session.filling(&self.checked.closed, shaped, number)?;
        let written = self.variable_of(node);
        self.push(region, (written, node), &[], filling, Logic::Pointwise);
        Ok(())
    }

    /// The statements of a tensor.
    fn statements(
        &mut self,
        node: NodeId,
        computed: &Computed,
        region: Region,
    ) -> Result<(), Report> {
        let written = self.variable_of(node);
        if let Some(before) = computed.before() {
            let own = self.variable_of(before);
            self.fresh(before, own, node)?;
            if own != written {
                self.copy(before, (written, node), region)?;
            }
        }
        for view in &computed.views {
            let read: Vec<VariableId> =
                view.read.iter().map(|(_, read)| self.variable_of(*read)).collect();
            for ((_, tensor), variable) in view.read.iter().zip(&read) {
                self.fresh(*tensor, *variable, node)?;
            }
            self.statement((node, written), computed, view, region)?;
        }
        Ok(())
    }

    /// Refuses to read a tensor whose variable has the elements of another by now.
    fn fresh(&self, tensor: NodeId, variable: VariableId, reader: NodeId) -> Result<(), Report> {
        let current = self.current[variable.0];
        // What initialises a tensor gives the elements that are meant by it.
        if self.state.initialised(current) == self.state.initialised(tensor) {
            return Ok(());
        }
        let said = words::stale(&self.state.called(tensor));
        let replaced = self.state.node(current).site.clone();
        let others = [(replaced, "it is replaced here".to_owned())];
        Err(words::at(&self.state.node(reader).site, &others, said))
    }

    fn copy(
        &mut self,
        before: NodeId,
        (written, node): (VariableId, NodeId),
        region: Region,
    ) -> Result<(), Report> {
        let Some(shaped) = self.state.shape_of(node) else { return Ok(()) };
        let filling = self.state.session.filling(&self.checked.closed, shaped, 0.0)?;
        let copy = filling
            .seen_from(&[Slot::RESULT], &[Slot::RESULT])
            .accumulating(Accumulation::Set, Statement::Erasing);
        let read = [self.variable_of(before)];
        self.push(region, (written, node), &read, copy, Logic::Pointwise);
        Ok(())
    }

    fn statement(
        &mut self,
        (node, written): (NodeId, VariableId),
        computed: &Computed,
        view: &View,
        region: Region,
    ) -> Result<(), Report> {
        let base = self.base(view.of)?;
        let statement = match computed.begins {
            Begins::Erased => Statement::Erasing,
            Begins::Number(_) | Begins::Kept => Statement::Accumulating,
        };
        // Numbers are parts of what is computed, but for those that a concatenation copies.
        let is_coupled = base.record().is_coupled();
        let number = |node: NodeId| {
            let number = self.number(node).filter(|_| !is_coupled)?;
            Some(self.checked.type_of(self.state, node).narrowed(number))
        };
        let numbers: Vec<Option<f64>> = view.read.iter().map(|(_, read)| number(*read)).collect();
        let kept: Vec<usize> =
            (0..numbers.len()).filter(|place| numbers[*place].is_none()).collect();
        let own = |number: usize| match numbers[number] {
            Some(number) => Expression::from(number),
            None => Expression::read(kept.binary_search(&number).unwrap_or_default()),
        };
        if !view.needed.is_empty() {
            let site = &self.state.node(node).site;
            differentiable(&base)
                .map_err(|NoDerivative(what)| words::at(site, &[], words::no_derivative(&what)))?;
        }
        let slots: Vec<Slot> = kept.iter().map(|place| view.read[*place].0).collect();
        let read: Vec<VariableId> =
            kept.iter().map(|place| self.variable_of(view.read[*place].1)).collect();
        let assignment = base
            .seen_from(&[view.written], &slots)
            .needing(&view.needed)
            .computing(view.value.with_reads(&own))
            .accumulating(view.accumulation, statement);
        let assignment = self.valued(assignment);
        if view.accumulation == Accumulation::Set {
            let coverage = assignment.record().coverage(view.written, Budget::default());
            if coverage.injective != Some(true) {
                let name = self.program.variables[written.0].name.clone();
                let site = &self.state.node(node).site;
                return Err(words::at(site, &[], words::many_elements(&name)));
            }
        }
        self.push(region, (written, node), &read, assignment, view.logic.clone());
        Ok(())
    }

    /// The assignment of a result of the session.
    fn base(&mut self, of: Shaped) -> Result<Assignment, Report> {
        if let Some(known) = self.bases.get(&of) {
            return Ok(known.clone());
        }
        let base = self.state.session.assignment(&self.checked.closed, of)?;
        self.bases.insert(of, base.clone());
        Ok(base)
    }

    /// An assignment where names of sizes have values, as far as they have.
    fn valued(&self, assignment: Assignment) -> Assignment {
        self.values.and_then(|values| assignment.at(values)).unwrap_or(assignment)
    }

    fn push(
        &mut self,
        region: Region,
        (written, node): (VariableId, NodeId),
        read: &[VariableId],
        assignment: Assignment,
        logic: Logic,
    ) {
        let assignment = self.valued(assignment);
        let name = |id: &VariableId| Arc::clone(&self.program.variables[id.0].name);
        let assignment = assignment.calling([name(&written)], read.iter().map(name));
        self.supply(&assignment);
        // What is kept from step to step is declared where it is written, too.
        let holds = &self.program.variables[written.0].holds;
        let is_given = !matches!(holds, Holds::Nothing | Holds::Number(_));
        let is_first = !std::mem::replace(&mut self.is_written[written.0], true);
        let declares = region == Region::Update && !is_given && is_first;
        let read = read.to_vec();
        self.current[written.0] = node;
        self.program.steps.push(Step { region, written, read, assignment, declares, logic });
    }

    /// Takes in the indices that an assignment is supplied with.
    fn supply(&mut self, assignment: &Assignment) {
        let record = assignment.record();
        if record.symbols() == 0 {
            return;
        }
        for (number, name) in assignment.indices().iter().enumerate() {
            let is_own =
                |index: &Index| matches!(index, Index::Symbol(id) if id.0 as usize == number);
            let axes = record.slots().flat_map(|slot| record.map(slot));
            let sizes =
                axes.filter(|axis| is_own(&axis.index)).filter_map(|axis| axis.size.count());
            let range = sizes.min();
            let known = self.program.supplied.iter_mut().find(|own| *own.name == **name);
            match known {
                Some(known) => {
                    known.range = known.range.into_iter().chain(range).min();
                }
                None => self.program.supplied.push(Supplied {
                    name: name.as_str().into(),
                    range,
                    is_looped: false,
                }),
            }
        }
    }
}
