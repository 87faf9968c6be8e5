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
mod closing;
mod define;
pub(crate) mod mend;
mod names;
pub(crate) mod program;
mod settle;
mod site;
mod state;
pub(crate) mod step;
mod take;

use std::{collections::btree_map::Entry, sync::Arc};

use lozenge_calculus::{
    constraint::Constraint,
    size::elements,
    term::{DimTerm, DimVar, Variable},
};
use lozenge_solve::{Budget, Options, Solver, close::Policy};

pub use at::At;
pub use brand::{SizeVar, Tensor};
use closing::{Closing, Valuation};
pub use site::Site;
pub(crate) use site::{Line, OwnPlaces};
pub(crate) use state::Inference;
pub use state::Session;

use crate::{
    Closed, Kind, Operation, PartialShape, Report, Scheme,
    explain::words,
    number::index,
    operation::{Misfit, NewSize, Schemes},
    session::step::StepId,
    shape::{Axis, Size},
};

impl Session {
    /// The session of the empty program.
    pub fn new() -> Session {
        Session::default()
    }

    /// The session of the empty program, whose solver may do this much work. Running out is an
    /// error, never a hang.
    pub fn with_budget(budget: Budget) -> Session {
        let solver = Solver::with_options(Options::DEFAULT.with_budget(budget));
        let inference = Inference { solver, ..Inference::default() };
        Session { inference, ..Session::default() }
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
    ) -> Result<StepId, Report> {
        let program = &mut self.inference.program;
        let mark = program.mark();
        for tensor in operands {
            // One that was cut back has fewer tensors than its handles say.
            let number = self.brand.number(*tensor).filter(|number| *number < program.next_step());
            let Some(number) = number else {
                program.roll_back(&mark);
                return Err(site.blame(words::foreign_tensor()));
            };
            program.operands.push(number);
        }
        let scheme = scheme_of(&mut self.schemes, &*operation, operands.len());
        self.inference.add(&mark, operation, scheme, captured, site)
    }

    /// Takes in an operation without operands that constrains nothing, so that nothing can refuse
    /// it.
    #[track_caller]
    fn add_free(&mut self, operation: Arc<dyn Operation>) -> StepId {
        let added = self.add(operation, &[], &[], self.here());
        debug_assert!(added.is_ok(), "an operation that constrains nothing was refused");
        added.unwrap_or_else(|_| self.inference.program.last_step())
    }

    pub(crate) fn tensor(&self, number: StepId) -> Tensor {
        self.brand.tensor(number)
    }

    /// Gives a tensor a name, for messages.
    pub fn set_name(&mut self, tensor: Tensor, name: &str) {
        if let Some(number) = self.known_number(tensor) {
            self.inference.program.rename(number, name);
        }
    }

    /// A size that nothing is known of yet.
    #[track_caller]
    pub fn new_size(&mut self, name: &str) -> SizeVar {
        // A step like any other, so that it is known when the size was made.
        let step = self.add_free(Arc::new(NewSize(name.into())));
        let var = Variable::Dim(DimVar::new(self.inference.program.steps[step.place()].first.dim));
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
        let step = &self.inference.program.steps[number.place()];
        if let Some((var, place)) = step.named(name) {
            return Ok(self.brand.captured(var, number, index(place)));
        }
        if let Some(Err(rejection)) = step.operation.spec().map(|spec| spec.capture(name)) {
            return refuse(rejection);
        }
        let names = step.scheme.as_ref().map_or(&[][..], |scheme| scheme.names());
        refuse(words::nothing_to_capture(&self.inference.program.display_name(number), name, names))
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
        Ok(sizes.map(|size| {
            (self.inference.program.size_name(size.number, size.name).into(), size.var)
        }))
    }

    /// The scheme of the operation that made a tensor; `None` where the handle is of another
    /// session.
    pub fn scheme(&self, tensor: Tensor) -> Option<&Scheme> {
        let number = self.known_number(tensor)?;
        self.inference.program.steps[number.place()].scheme.as_deref()
    }

    /// The shape of a tensor as far as it is inferred. Reading it commits nothing.
    ///
    /// # Errors
    /// When the handle is of another session.
    #[track_caller]
    pub fn shape(&self, tensor: Tensor) -> Result<PartialShape, Report> {
        let number = self.number_of(tensor)?;
        Ok(self.inference.partial(number))
    }

    /// The captured size if it is known; of a row, the number of its elements. Reading it commits
    /// nothing.
    pub fn known(&self, size: SizeVar) -> Option<Size> {
        if !self.knows(size) {
            return None;
        }
        let known = |term: DimTerm| match term.ground() {
            Some(dim) => Some(match self.inference.naming().axis(dim) {
                Axis::Unit => Size::Number(1),
                Axis::Sized { size, .. } => size,
            }),
            None => self.inference.solver.known_size(term).map(Size::Number),
        };
        match size.var {
            Variable::Dim(var) => known(self.inference.solver.resolved_dim(var.into())),
            Variable::Row(var) => {
                let row = self.inference.solver.resolved_row(&var.into());
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
        let row = self.inference.solver.resolved_row(&self.inference.program.row(number, kind));
        let var = row.flanks.flat().get(axis).and_then(|term| term.var());
        let cap = var.and_then(|var| self.inference.solver.solved().cap(var));
        Ok(cap.map(|dim| self.inference.naming().axis(dim)))
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
        match self.inference.close_by(policy)? {
            Closing::Values(valuation) => {
                let Valuation { values, solver, said } = *valuation;
                let brand = self.brand.view(self.inference.program.next_step());
                Ok(Closed::new(&self.inference, brand, values, solver, said))
            }
            Closing::Numbered(numbered) => {
                let numbered = self.with_inference(*numbered);
                Ok(numbered.close_by(policy)?.of(self, numbered))
            }
        }
    }

    /// What the program asks, as constraints of the calculus, in order.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        self.inference.constraints()
    }

    /// All tensors, in the order in which they were made.
    pub fn tensors(&self) -> impl Iterator<Item = Tensor> + '_ {
        let made = |number: &StepId| self.inference.program.steps[number.place()].has_result;
        self.inference.program.step_ids().filter(made).map(|number| self.brand.tensor(number))
    }

    /// What a tensor is called: by its name, or by the operation that made it.
    pub fn display_name(&self, tensor: Tensor) -> String {
        self.known_number(tensor)
            .map_or_else(String::new, |number| self.inference.program.display_name(number))
    }

    /// How many bytes the session has on the heap, without those of operations that others brought.
    pub fn heap_bytes(&self) -> usize {
        self.inference.solver.heap_bytes() + self.inference.program.heap_bytes()
    }

    pub(crate) fn knows(&self, size: SizeVar) -> bool {
        self.brand.knows(size) && size.number < self.inference.program.next_step()
    }

    /// The number of a tensor of this session. One that was cut back has fewer than its handles
    /// say.
    fn known_number(&self, tensor: Tensor) -> Option<StepId> {
        self.brand.number(tensor).filter(|number| *number < self.inference.program.next_step())
    }

    #[track_caller]
    pub(crate) fn number_of(&self, tensor: Tensor) -> Result<StepId, Report> {
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
