//! Sessions: a program's shapes, inferred as it is built.
//!
//! **Invariants.** A session is a value: nothing outside of it changes when it does. An operation
//! that is refused leaves it as it was. Reading never commits: what a session says of a shape
//! follows from the operations, and [`Session::close`] makes a value of its own.

mod allow;
mod apart;
mod at;
pub(crate) mod brand;
mod build;
mod canonical;
mod define;
pub(crate) mod mend;
mod names;
pub(crate) mod program;
mod settle;
mod site;
mod state;

use std::{
    collections::{BTreeSet, btree_map::Entry},
    sync::Arc,
};

use lozenge_calculus::{
    constraint::{Constraint, OriginId},
    dim::Dim,
    size::elements,
    term::{DimTerm, DimVar, RowVar, Variable},
};
use lozenge_solve::{
    Budget, Options, Solver,
    close::{CloseError, Closed as Values, Policy, Roles, close},
};

pub use at::At;
pub use brand::{SizeVar, Tensor};
use canonical::{Canonical, Refused};
use program::{Mark, RowRef, Step};
pub use site::Site;
pub(crate) use site::{Line, OwnPlaces};
pub use state::Session;

use crate::{
    Closed, Kind, Operation, PartialShape, Report, Scheme,
    explain::{self, words},
    number::index,
    operation::{Misfit, NewSize, Schemes},
    shape::{Axis, Naming, Size},
};

impl Session {
    /// The session of the empty program.
    pub fn new() -> Session {
        Session::default()
    }

    /// The session of the empty program, which does at most so much work. Running out is an error,
    /// never a hang.
    pub fn with_budget(budget: Budget) -> Session {
        let options = Options::DEFAULT.with_budget(budget);
        Session { solver: Solver::with_options(options), ..Session::default() }
    }

    /// Applies an operation, and gives its result.
    ///
    /// # Errors
    /// When it cannot be applied to operands of these shapes. The session is then as it was.
    #[track_caller]
    pub fn apply(
        &mut self,
        operation: impl Operation + 'static,
        operands: &[Tensor],
    ) -> Result<Tensor, Report> {
        let step = self.add(Arc::new(operation), operands, &[], self.here())?;
        Ok(self.brand.tensor(step))
    }

    /// Asks something of tensors that exist, by an operation without a result.
    ///
    /// # Errors
    /// When that is not so. The session is then as it was.
    #[track_caller]
    pub fn require(
        &mut self,
        operation: impl Operation + 'static,
        operands: &[Tensor],
    ) -> Result<(), Report> {
        self.add(Arc::new(operation), operands, &[], self.here()).map(|_| ())
    }

    /// Takes an operation in, or leaves everything as it was. Gives the number of its result.
    fn add(
        &mut self,
        operation: Arc<dyn Operation>,
        operands: &[Tensor],
        captured: &[Variable],
        site: Site,
    ) -> Result<u32, Report> {
        let mark = self.program.mark();
        for tensor in operands {
            let Some(number) = self.known_number(*tensor) else {
                self.program.roll_back(&mark);
                return Err(site.blame(words::foreign_tensor()));
            };
            self.program.operands.push(number);
        }
        let mut numbers = [0; 4];
        let long: Vec<u32>;
        let pushed = &self.program.operands[mark.operands as usize..];
        let operands: &[u32] = if let Some(numbers) = numbers.get_mut(..pushed.len()) {
            numbers.copy_from_slice(pushed);
            numbers
        } else {
            long = pushed.to_vec();
            &long
        };
        self.batch.clear();
        let first = mark.first();
        let mut step = Step {
            operation,
            scheme: None,
            site,
            operands: mark.operands,
            first,
            rows: [RowRef::NONE; 3],
            has_result: false,
        };
        let scheme = match scheme_of(&mut self.schemes, &*step.operation, operands.len()) {
            Ok(scheme) => scheme,
            Err(misfit) => {
                let site = step.site.clone();
                self.program.steps.push(step);
                let explain = |session: &Session| explain::misapplied(session, misfit, &site);
                return Err(self.refuse(&mark, explain));
            }
        };
        let scheme = Scheme::with_own_names(scheme, &self.program.words);
        step.rows = self.program.instantiate(&scheme, operands, captured, &mut self.batch);
        if scheme.is_declared() || !self.program.declared.is_empty() {
            self.take_declared(&scheme, &mark);
        }
        step.has_result = scheme.has_result();
        step.scheme = (!operands.is_empty()).then_some(scheme);
        self.keep_flanks(first.row);
        self.program.steps.push(step);
        let ranged =
            !self.program.ranged_since(&mark).is_empty() || self.program.is_emptied_since(&mark);
        let redefined = matches!(self.program.defined_since(&mark), Some((_, true)));
        // What a range or a definition changes is taken back with the step that says it.
        let may_fail = !self.batch.is_empty() || !self.program.declared.is_empty();
        let changes = ranged && may_fail || redefined;
        let before = changes.then(|| Box::new(self.clone()));
        let taken = self.take(&mark, ranged);
        if let (Err(_), Some(before)) = (&taken, before) {
            self.restore(*before, &mark);
        }
        self.batch.clear();
        taken.map(|()| self.program.len() - 1)
    }

    /// Takes in an operation without operands that constrains nothing, so that nothing can refuse
    /// it.
    #[track_caller]
    fn add_free(&mut self, operation: Arc<dyn Operation>) -> u32 {
        let added = self.add(operation, &[], &[], self.here());
        debug_assert!(added.is_ok(), "an operation that constrains nothing was refused");
        added.unwrap_or_else(|_| self.program.len().saturating_sub(1))
    }

    /// Takes the step under way in, or leaves everything but the ranges that it says as it was.
    #[inline]
    fn take(&mut self, mark: &Mark, ranged: bool) -> Result<(), Report> {
        if ranged {
            self.take_ranges(mark)?;
        }
        if !self.program.declared.is_empty() && self.take_definition(mark)? {
            return Ok(());
        }
        let Some(said) = self.refused_for_names() else { return self.take_batch(mark) };
        let (before, known) = (self.clone(), self.program.specialised.len());
        self.take_batch(mark)?;
        if self.program.specialised.len() > known {
            return Ok(()); // that was looked at with the new numbers
        }
        self.restore(before, mark);
        Err(*said)
    }

    /// Takes the constraints of the step under way in, or leaves everything as it was.
    fn take_batch(&mut self, mark: &Mark) -> Result<(), Report> {
        // Where nothing was chosen yet, taking the same constraints again gives the same solver.
        let snapshot = (!self.solver.is_order_free()).then(|| self.solver.snapshot());
        let shifts = self.solver.shifts();
        let taken = if self.batch.is_empty() { Ok(()) } else { self.solver.extend(&self.batch) };
        match taken {
            Ok(()) if self.may_wait(shifts) => self.settle(mark, snapshot),
            Ok(()) => {
                self.keep(snapshot);
                Ok(())
            }
            Err(rejection) => {
                self.keep(snapshot); // it is as it was
                self.reconsider(mark, &rejection)
            }
        }
    }

    /// Goes back to before the step under way.
    #[cold]
    fn restore(&mut self, before: Session, mark: &Mark) {
        self.solver = before.solver;
        self.program = before.program;
        self.aside = before.aside;
        self.patience = before.patience;
        self.solver.forget_flanks(RowVar::new(mark.first().row));
        self.program.roll_back(mark);
    }

    /// What is said of the last step, which was refused; the session is as it was before.
    #[cold]
    fn refuse(&mut self, mark: &Mark, explain: impl FnOnce(&Session) -> Report) -> Report {
        let said = if self.is_trial { words::unread() } else { explain(self) };
        self.solver.forget_flanks(RowVar::new(mark.first().row));
        self.program.roll_back(mark);
        self.batch.clear();
        said
    }

    /// A fork from before a step that the solver has not taken.
    pub(crate) fn before(&self, step: u32) -> Session {
        let mut fork = self.clone();
        fork.program.cut(step);
        fork.is_trial = true;
        fork
    }

    pub(crate) fn tensor(&self, number: u32) -> Tensor {
        self.brand.tensor(number)
    }

    /// Gives a tensor a name, for messages.
    pub fn set_name(&mut self, tensor: Tensor, name: &str) {
        if let Some(number) = self.known_number(tensor) {
            self.program.rename(number, name);
        }
    }

    /// A size that nothing is known of yet.
    #[track_caller]
    pub fn new_size(&mut self, name: &str) -> SizeVar {
        // A step like any other, so that it is known when the size was made.
        let step = self.add_free(Arc::new(NewSize(name.into())));
        let var = Variable::Dim(DimVar::new(self.program.steps[step as usize].first.dim));
        self.brand.captured(var, step, 0)
    }

    /// The size of an axis or of all axes of a row variable, or the range of an index, by its name
    /// in the specification of the operation that made this tensor, or by the name that the
    /// operation's scheme gives it.
    ///
    /// # Errors
    /// When the operation that made the tensor has no such name.
    #[track_caller]
    pub fn capture(&self, tensor: Tensor, name: &str) -> Result<SizeVar, Report> {
        let site = self.here();
        let refuse = |rejection| Err(site.blame(rejection));
        let Some(number) = self.known_number(tensor) else {
            return refuse(words::foreign_tensor());
        };
        let step = &self.program.steps[number as usize];
        if let Some((var, place)) = step.named(name) {
            return Ok(self.brand.captured(var, number, index(place)));
        }
        if let Some(Err(rejection)) = step.operation.spec().map(|spec| spec.capture(name)) {
            return refuse(rejection);
        }
        let names = step.scheme.as_ref().map_or(&[][..], |scheme| scheme.names());
        refuse(words::nothing_to_capture(&self.program.display_name(number), name, names))
    }

    fn sizes<const N: usize>(
        &self,
        sizes: [SizeVar; N],
        site: &Site,
    ) -> Result<[(Box<str>, Variable); N], Report> {
        for size in sizes {
            if !self.knows(size) {
                return Err(site.blame(words::foreign_tensor()));
            }
        }
        Ok(sizes.map(|size| (self.program.size_name(size.number, size.name).into(), size.var)))
    }

    /// What is known of a shape. Reading it commits nothing.
    ///
    /// # Errors
    /// When the handle is of another session.
    #[track_caller]
    pub fn shape(&self, tensor: Tensor) -> Result<PartialShape, Report> {
        let number = self.number_of(tensor)?;
        Ok(self.partial(number))
    }

    /// What dimensions are called.
    pub(crate) fn naming(&self) -> Naming<'_> {
        self.program.words.with(self.solver.sizes())
    }

    pub(crate) fn partial(&self, number: u32) -> PartialShape {
        let rows = Kind::ALL.map(|kind| {
            let mut row = self.solver.resolved_row(&self.program.row(number, kind));
            // A size that was found is known, whatever else the axis turns out to be.
            let sized = |term: &DimTerm| match self.solver.known_size(*term).map(Dim::int) {
                Some(Ok(dim)) => DimTerm::Dim(dim),
                Some(Err(_)) | None => *term,
            };
            row.flanks = row.flanks.map(sized);
            row
        });
        self.naming().partial(&rows)
    }

    /// What is known of a captured size; of a row, the number of its elements. Reading it commits
    /// nothing.
    pub fn known(&self, size: SizeVar) -> Option<Size> {
        if !self.knows(size) {
            return None;
        }
        let known = |term: DimTerm| match term.ground() {
            Some(dim) => Some(match self.naming().axis(dim) {
                Axis::Unit => Size::Number(1),
                Axis::Sized { size, .. } => size,
            }),
            None => self.solver.known_size(term).map(Size::Number),
        };
        match size.var {
            Variable::Dim(var) => known(self.solver.resolved_dim(var.into())),
            Variable::Row(var) => {
                let row = self.solver.resolved_row(&var.into());
                let count = |term: &DimTerm| match known(*term)? {
                    Size::Number(count) => Some(count),
                    Size::Named(_) | Size::Computed(_) => None,
                };
                let count = elements(row.flanks.flat().iter().map(count));
                count.filter(|_| row.var.is_none()).map(Size::Number)
            }
        }
    }

    /// What bounds an axis whose size is not known: it is this, or `1_`, because uses of it ask for
    /// it.
    ///
    /// # Errors
    /// When the handle is of another session.
    #[track_caller]
    pub fn bound(&self, tensor: Tensor, kind: Kind, axis: usize) -> Result<Option<Axis>, Report> {
        let number = self.number_of(tensor)?;
        let row = self.solver.resolved_row(&self.program.row(number, kind));
        let var = row.flanks.flat().get(axis).and_then(|term| term.var());
        let cap = var.and_then(|var| self.solver.solved().cap(var));
        Ok(cap.map(|dim| self.naming().axis(dim)))
    }

    /// Closes the program: a shape for every tensor, a number for every captured size. The session
    /// stays as it is.
    ///
    /// # Errors
    /// When a parameter has an axis that nothing determines, or when what waits cannot be
    /// satisfied.
    pub fn close(&self) -> Result<Closed, Report> {
        self.close_by(Policy::Default)
    }

    /// Closes the program by another policy.
    ///
    /// # Errors
    /// As for [`Session::close`].
    pub fn close_by(&self, policy: Policy) -> Result<Closed, Report> {
        if !self.program.specialised.is_empty() && !self.is_small() {
            self.names_apart().map_err(|said| *said)?;
        }
        let is_free = self.solver.is_order_free() && self.aside.is_empty();
        let (solver, mut values) = match (!is_free).then(|| self.canonical()) {
            Some(order) => {
                let (roles, solved) = (self.roles_in(&order), self.solve(&order));
                if let Err(Refused::Unsatisfiable(origins)) = &solved {
                    if let Some(numbered) = self.with_numbers_for(origins)? {
                        return Ok(numbered.close_by(policy)?.of(self, numbered));
                    }
                }
                let (solver, values) = self.close_in(&order, solved, &roles, policy)?;
                (Some(solver), values)
            }
            None => (None, self.close_with(&self.solver, &self.roles(), policy)?),
        };
        values.assume(self.facts());
        let closed = solver.as_deref().unwrap_or(&self.solver);
        if let Some(rejection) = explain::symbolic(self, closed, &values) {
            return Err(rejection);
        }
        if let Some(rejection) = explain::pinned(self, &values) {
            return Err(rejection);
        }
        let brand = self.brand.view(self.program.len());
        let said = explain::notes(self, closed, &values);
        Ok(Closed::new(self, brand, values, solver, said))
    }

    fn close_with(&self, solver: &Solver, roles: &Roles, policy: Policy) -> Result<Values, Report> {
        close(&solver.solved(), roles, policy)
            .map_err(|unclosed| explain::unclosed(self, solver, roles, policy, &unclosed))
    }

    /// Closes the program in canonical order, which was solved, with the solver that was closed.
    ///
    /// Markers stand where that order puts them, or, where something does not fit then, elsewhere.
    /// DIVERGENCE(placement): the design closes with any place with which there is a one-shot
    /// solution. A step is taken on these terms, since a later one may ask for the place; but a
    /// program in which nothing asks for it is not closed, or `x + [4] + [5]`, with `x` unknown,
    /// would be `[4,5]`.
    fn close_in(
        &self,
        order: &Canonical,
        solved: Result<Solver, Refused>,
        roles: &Roles,
        policy: Policy,
    ) -> Result<(Box<Solver>, Values), Report> {
        // Where deciding runs out in this order it does in every spelling; as it was built, the
        // program might close, but to shapes that depend on that.
        let solver = solved.map_err(|refused| match refused {
            Refused::Unsatisfiable(origins) => explain::unsatisfiable(self, &[], &origins),
            Refused::Unknown => {
                let aside = self.aside.iter().map(|constraint| constraint.origin);
                let waiting: Vec<OriginId> =
                    self.solver.waiting().into_iter().chain(aside).collect();
                explain::undecided(self, &waiting)
            }
        })?;
        let first = match close(&solver.solved(), roles, policy) {
            Ok(values) => return Ok((Box::new(solver), values)),
            Err(unclosed) => unclosed,
        };
        // Another placement may fit, in each part of the program in which this one does not: one
        // after another, or, in a large program, in all of them at once.
        let at_once = if self.is_small() { 1 } else { usize::MAX };
        let (mut reversed, mut tried): (BTreeSet<usize>, BTreeSet<usize>) = Default::default();
        let mut last: Option<(Solver, CloseError)> = None;
        loop {
            let misplaced = order.misplaced(last.as_ref().map_or(&first, |(_, last)| last));
            let parts: BTreeSet<usize> = (&misplaced - &tried).into_iter().take(at_once).collect();
            if parts.is_empty() {
                break;
            }
            tried.extend(&parts);
            let with = &reversed | &parts;
            let Ok(solver) = self.solve(&order.reversed(&with)) else { continue };
            let closed = close(&solver.solved(), roles, policy);
            match closed {
                Ok(values) => return Ok((Box::new(solver), values)),
                Err(unclosed) if !order.is_wrong(&parts, &unclosed) => {
                    (reversed, last) = (with, Some((solver, unclosed)));
                }
                Err(_) => {}
            }
        }
        // What is wrong with other parts may show only where nothing is wrong with these.
        let (solver, unclosed) = match (order.without(&first, &reversed), last) {
            (None, Some(last)) => last,
            (remains, _) => (solver, remains.unwrap_or(first)),
        };
        Err(explain::unclosed(self, &solver, roles, policy, &unclosed))
    }

    /// What the program asks, as constraints of the calculus, in order.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        self.solver.given().chain(self.aside.iter().cloned())
    }

    /// All tensors, in the order in which they were made.
    pub fn tensors(&self) -> impl Iterator<Item = Tensor> + '_ {
        let made = |number: &u32| self.program.steps[*number as usize].has_result;
        (0..self.program.len()).filter(made).map(|number| self.brand.tensor(number))
    }

    /// What a tensor is called: by its name, or by the operation that made it.
    pub fn display_name(&self, tensor: Tensor) -> String {
        self.known_number(tensor)
            .map_or_else(String::new, |number| self.program.display_name(number))
    }

    /// How many bytes the session has on the heap, without those of operations that others brought.
    pub fn heap_bytes(&self) -> usize {
        self.solver.heap_bytes() + self.program.heap_bytes()
    }

    pub(crate) fn knows(&self, size: SizeVar) -> bool {
        self.brand.knows(size) && size.number < self.program.len()
    }

    /// The number of a tensor of this session. One that was cut back has fewer than its handles
    /// say.
    fn known_number(&self, tensor: Tensor) -> Option<u32> {
        self.brand.number(tensor).filter(|number| *number < self.program.len())
    }

    #[track_caller]
    pub(crate) fn number_of(&self, tensor: Tensor) -> Result<u32, Report> {
        // No closure: it would be its own caller.
        match self.known_number(tensor) {
            Some(number) => Ok(number),
            None => Err(self.here().blame(words::foreign_tensor())),
        }
    }
}

/// The scheme of an operation: one that was made before, if it may be kept.
fn scheme_of(
    schemes: &mut Schemes,
    operation: &dyn Operation,
    operands: usize,
) -> Result<Arc<Scheme>, Misfit> {
    let Some(key) = operation.scheme_key() else { return operation.scheme(operands) };
    match schemes.entry((key, operands)) {
        Entry::Occupied(made) => Ok(Arc::clone(made.get())),
        Entry::Vacant(place) => Ok(Arc::clone(place.insert(operation.scheme(operands)?))),
    }
}
