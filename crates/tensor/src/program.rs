//! Programs: lists of assignments in regions, over variables.
//!
//! A program is a value of its own: no graph is needed to read, print or run it. Each tensor is a
//! *variable*; in place, a tensor that replaces another is the same variable, and in single
//! assignment it is one of its own.

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
    check::{Checked, unknown},
    derivative::NoDerivative,
    element_type::ElementType,
    graph::Tensor,
    node::{Begins, Computed, Content, Given, Logic, Made, NodeId, View},
    region::Region,
    state::State,
    words,
};

/// Where the elements of a program are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub(crate) usize);

/// What a program has elements in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Variable {
    /// Its name, which no other has.
    pub name: Arc<str>,
    /// Its shape.
    pub shape: Shape,
    /// What it is made of.
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
    carried: Vec<Carried>,
    places: BTreeMap<NodeId, VariableId>,
}

/// Whether tensors that replace others are variables of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// A tensor that replaces another is the same variable.
    #[default]
    InPlace,
    /// Every tensor is a variable, which is assigned once: the sum of its statements.
    SingleAssignment,
}

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
        if !outputs.iter().all(|tensor| self.has(*tensor)) {
            return Err(unknown());
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
        making.make(outputs.iter().map(|tensor| tensor.node))?;
        Ok(making.program)
    }
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

    /// The variable in which a tensor's elements are; `None` where the program does not need it.
    pub fn of(&self, tensor: Tensor<'_>) -> Option<VariableId> {
        self.places.get(&tensor.node).copied()
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

    /// The program that runs, after what it initialises, for each value of a supplied index. One
    /// that it has not changes nothing.
    #[must_use]
    pub fn looping(mut self, index: &str) -> Program {
        for supplied in self.supplied.iter_mut().filter(|supplied| *supplied.name == *index) {
            supplied.is_looped = true;
        }
        self
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
    fn make(&mut self, outputs: impl Iterator<Item = NodeId>) -> Result<(), Report> {
        let regions = self.regions(outputs);
        let mut order: Vec<(Region, NodeId)> = vec![];
        for (node, region) in &regions {
            match self.state.node(*node).made {
                Made::Computed(_) => order.push((*region, *node)),
                Made::Given(_) | Made::Constant(_) => {
                    self.variable_of(*node);
                }
                Made::Poisoned => {}
            }
        }
        order.sort_unstable();
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
        self.carry(&regions);
        Ok(())
    }

    /// Finds what the last tensor that takes the place of another hands to the first.
    fn carry(&mut self, regions: &BTreeMap<NodeId, Region>) {
        // By tensor that takes the place of others, the first of these.
        let mut firsts: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        let mut last: BTreeMap<VariableId, VariableId> = BTreeMap::new();
        for node in regions.keys() {
            let Made::Computed(Computed { replaces: Some(before), .. }) =
                self.state.node(*node).made
            else {
                continue;
            };
            let first = firsts.get(&before).copied().unwrap_or(before);
            firsts.insert(*node, first);
            // What is computed is computed again.
            let is_given = matches!(self.state.node(first).made, Made::Given(_));
            let [from, to] = [*node, first].map(|node| self.variable_of(node));
            if is_given && from != to {
                last.insert(to, from);
            }
        }
        self.program.carried = last.into_iter().map(|(to, from)| Carried { from, to }).collect();
    }

    /// The tensors that are needed, with their regions.
    fn regions(&self, outputs: impl Iterator<Item = NodeId>) -> BTreeMap<NodeId, Region> {
        let said = |node: NodeId| self.state.node(node).region;
        let is_statement = |node: &NodeId| {
            let made = &self.state.node(*node).made;
            matches!(made, Made::Computed(_))
                && said(*node).is_some_and(|region| region != Region::Backward)
        };
        let statements = (0..self.state.nodes.len()).map(NodeId::at).filter(is_statement);
        let mut needed: BTreeSet<NodeId> = BTreeSet::new();
        let mut todo: Vec<NodeId> = outputs.chain(statements).collect();
        while let Some(node) = todo.pop() {
            if needed.insert(node) {
                todo.extend(self.state.node(node).reads());
                if let Made::Computed(Computed { replaces: Some(before), .. }) =
                    &self.state.node(node).made
                {
                    todo.push(*before);
                }
            }
        }
        // What the initialisation needs comes before it.
        let mut first: BTreeSet<NodeId> = BTreeSet::new();
        let initialises = |node: &&NodeId| said(**node) == Some(Region::Initialise);
        let mut todo: Vec<NodeId> = needed.iter().filter(initialises).copied().collect();
        while let Some(node) = todo.pop() {
            if matches!(self.state.node(node).made, Made::Computed(_)) && first.insert(node) {
                todo.extend(self.state.node(node).reads());
            }
        }
        let mut regions: BTreeMap<NodeId, Region> = BTreeMap::new();
        for node in needed {
            let reads = self.state.node(node).reads();
            let after = reads.filter_map(|read| regions.get(&read).copied()).max();
            let own = said(node).unwrap_or(Region::Forward);
            let region = if first.contains(&node) {
                Region::Initialise
            } else {
                after.map_or(own, |after| own.max(after)).max(Region::Forward)
            };
            regions.insert(node, region);
        }
        regions
    }

    /// The variable of a tensor, which is made with it.
    fn variable_of(&mut self, node: NodeId) -> VariableId {
        if let Some(known) = self.program.places.get(&node) {
            return *known;
        }
        let made = &self.state.node(node).made;
        let replaced = match made {
            Made::Computed(computed) => computed.replaces,
            Made::Poisoned | Made::Given(_) | Made::Constant(_) => None,
        };
        let is_initial = self.state.node(node).region == Some(Region::Initialise);
        let can_be_replaced =
            |before: &NodeId| !matches!(self.state.node(*before).made, Made::Constant(_));
        let shared = replaced
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
            element_type: self.state.types.allowed(node).chosen(),
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
        let is_initial = |node: NodeId| self.state.node(node).region == Some(Region::Initialise);
        // What initialises a tensor gives the elements that are meant by it.
        if current == tensor || is_initial(current) || is_initial(tensor) {
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
        // Numbers are parts of what is computed.
        let numbers: Vec<Option<f64>> =
            view.read.iter().map(|(_, read)| self.number(*read)).collect();
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

    fn push(
        &mut self,
        region: Region,
        (written, node): (VariableId, NodeId),
        read: &[VariableId],
        assignment: Assignment,
        logic: Logic,
    ) {
        let valued = self.values.and_then(|values| assignment.at(values));
        let assignment = valued.unwrap_or(assignment);
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
