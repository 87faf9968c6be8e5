//! Closed programs: a shape for every tensor, a number for every captured size.

use lozenge_calculus::{
    dim::Dim,
    size::{Indeterminate, Requirement, Size as Count, SizeSymbol, Sizes, elements},
    term::{Grounding, Variable},
};
use lozenge_solve::{
    Solver,
    close::{Closed as Values, Why},
    explain::Target,
};

use crate::{
    Inference, Report, Session, Shape, SizeVar, Tensor,
    diagnostic::{Diagnostic, Sources},
    explain::words::misuse,
    operation::{NameRange, written},
    session::{
        Site,
        brand::{Unknown, View},
        program::Defined,
        step::StepId,
    },
    shape::{Axis, NameTable, Naming, Size},
};

/// What [`Session::close`] gives.
#[derive(Debug)]
pub struct Closed {
    brand: View,
    shapes: Vec<Shape>,
    pub(crate) values: Values,
    /// The solver that was closed, if it was not that of the session.
    solver: Option<Box<Solver>>,
    /// The session with the numbers that names became only when it was closed.
    numbered: Option<Box<Session>>,
    name_table: NameTable,
    /// The names that are computed from others, and as what.
    definitions: Vec<(SizeSymbol, Count)>,
    sources: Sources,
    notes: Vec<Diagnostic>,
}

/// A closed program where names have values. One without a value stays open.
#[derive(Debug)]
pub struct Valued<'a> {
    closed: &'a Closed,
    values: Vec<(SizeSymbol, u64)>,
}

impl Valued<'_> {
    fn value(&self, name: Indeterminate) -> Option<i128> {
        let known = self.values.iter().find(|(own, _)| Sizes::name(*own) == name);
        known.map(|(_, value)| (*value).into())
    }

    /// The shape of a tensor.
    ///
    /// # Errors
    /// When the handle is of another session, or was made since.
    #[track_caller]
    pub fn shape(&self, tensor: Tensor) -> Result<Shape, Report> {
        let shape = self.closed.shape(tensor)?;
        Ok(shape.with_numbers(|size| self.number(size)))
    }

    /// A size of the closed program, of a shape or of a loop. `None` when a name in it has no
    /// value.
    pub fn number(&self, size: &Size) -> Option<u64> {
        let size = match size {
            Size::Number(number) => return Some(*number),
            Size::Named(name) => Count::symbol(self.closed.name_table.find_symbol(name)?),
            Size::Computed(computed) => computed.size(),
        };
        self.count(size)
    }

    /// A size as it is written in a shape: `2*batch`, `past+seq`. `None` when a name in it has no
    /// value, or it is none.
    ///
    /// ```
    /// use lozenge::Session;
    ///
    /// let mut session = Session::new();
    /// session.data("x", "batch,seq,8")?;
    /// let closed = session.close()?;
    /// let at = closed.at(&[("batch", 32), ("seq", 100)]).unwrap();
    /// assert_eq!(at.written("batch*(seq+1)"), Some(3232));
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    pub fn written(&self, size: &str) -> Option<u64> {
        written(size, &|name| self.number(&Size::Named(name.into())))
    }

    fn count(&self, size: Count) -> Option<u64> {
        self.count_in(self.closed.values.sizes(), size)
    }

    /// A size of a table that has those of the closed program.
    pub(crate) fn count_in(&self, sizes: &Sizes, size: Count) -> Option<u64> {
        let number = sizes.value(&sizes.form(size), &|name| self.value(name))?;
        u64::try_from(number).ok()
    }

    /// The captured size of an axis; of a row, the number of its elements. `None` when a name in it
    /// has no value, or it is of another session, or was captured since.
    pub fn size(&self, size: SizeVar) -> Option<u64> {
        if !self.closed.brand.knows(size) {
            return None;
        }
        let ground = self.closed.values.grounding();
        let count = |dim: Dim| self.count(dim.size());
        match size.var {
            Variable::Dim(var) => count(ground.dim(var.into())),
            Variable::Row(var) => {
                elements(ground.row_var(var).flat().iter().map(|dim| count(*dim)))
            }
        }
    }
}

impl Closed {
    pub(crate) fn new(
        inference: &Inference,
        brand: View,
        values: Values,
        solver: Option<Box<Solver>>,
        (sources, notes): (Sources, Vec<Diagnostic>),
    ) -> Closed {
        let program = &inference.program;
        let shapes = program.step_ids().map(|step| program.closed_shape(&values, step)).collect();
        let name_table = program.name_table.clone();
        let size =
            |defined: &Defined| (defined.name, values.grounding().dim(defined.size.into()).size());
        let definitions = program.declared.definitions().iter().map(size).collect();
        Closed {
            brand,
            shapes,
            name_table,
            definitions,
            sources,
            notes,
            values,
            solver,
            numbered: None,
        }
    }

    /// This closed program as one of a session whose names were made numbers to close it.
    pub(crate) fn of(self, session: &Session, numbered: Session) -> Closed {
        let brand = session.brand.view(session.inference.program.next_step());
        let numbered = self.numbered.or(Some(Box::new(numbered)));
        Closed { brand, numbered, ..self }
    }

    /// The session that was closed: this one, or the same with numbers in the place of names, where
    /// these were found only when it was closed.
    pub fn session<'a>(&'a self, session: &'a Session) -> &'a Session {
        self.numbered.as_deref().unwrap_or(session)
    }

    pub(crate) fn shape_of(&self, number: StepId) -> Option<&Shape> {
        self.shapes.get(number.place())
    }

    pub(crate) fn name_table(&self) -> &NameTable {
        &self.name_table
    }

    fn naming(&self) -> Naming<'_> {
        self.name_table.with(self.values.sizes())
    }

    /// Why a variable has its value, in the closed program of this session.
    pub(crate) fn because(&self, session: &Session, target: Target) -> Why {
        let solver = self.solver.as_deref().unwrap_or(&self.session(session).inference.solver);
        self.values.why(&solver.solved(), target)
    }

    /// The shape of a tensor.
    ///
    /// # Errors
    /// When the handle is of another session, or was made since.
    #[track_caller]
    pub fn shape(&self, tensor: Tensor) -> Result<&Shape, Report> {
        let said = match self.brand.number(tensor) {
            Ok(number) if number.place() < self.shapes.len() => {
                return Ok(&self.shapes[number.place()]);
            }
            Ok(_) | Err(Unknown::Newer) => misuse::newer_tensor(None),
            Err(Unknown::Foreign) => misuse::foreign_tensor(),
        };
        Err(Site::caller().blame(said))
    }

    /// The number of a tensor that both this and a session have. The session has to have all that
    /// was closed: it is asked about the steps.
    #[track_caller]
    pub(crate) fn number_of(&self, session: &Session, tensor: Tensor) -> Result<StepId, Report> {
        let number = session.number_of(tensor)?;
        let said = match self.brand.number(tensor) {
            _ if !self.brand.is_within(&session.brand) => misuse::foreign_closed(),
            Ok(number) => return Ok(number),
            Err(Unknown::Newer) => {
                misuse::newer_tensor(Some(&session.inference.program.display_name(number)))
            }
            Err(Unknown::Foreign) => misuse::foreign_closed(),
        };
        Err(Site::caller().blame(said))
    }

    /// The captured size of an axis; of a row, the number of its elements. `None` when it stays
    /// symbolic, is of another session, or was captured since.
    pub fn size(&self, size: SizeVar) -> Option<u64> {
        if !self.brand.knows(size) {
            return None;
        }
        let ground: &Grounding = self.values.grounding();
        let count = |dim: &Dim| self.values.sizes().taken_for(dim.size()).count();
        match size.var {
            Variable::Dim(var) => count(&ground.dim(var.into())),
            Variable::Row(var) => elements(ground.row_var(var).flat().iter().map(count)),
        }
    }

    /// The axis that a captured size is of; `None` when it is of a row, of another session, or was
    /// captured since.
    pub fn axis(&self, size: SizeVar) -> Option<Axis> {
        match size.var {
            Variable::Dim(var) if self.brand.knows(size) => {
                Some(self.naming().axis(self.values.grounding().dim(var.into())))
            }
            Variable::Dim(_) | Variable::Row(_) => None,
        }
    }

    /// What the sizes are that are no numbers.
    pub fn sizes(&self) -> &Sizes {
        self.values.sizes()
    }

    /// What has to hold of named sizes when the program runs, as it is written: `8 divides seq`,
    /// `n >= 3`.
    pub fn requirements(&self) -> impl ExactSizeIterator<Item = String> + '_ {
        let requirements = self.values.requirements().iter();
        requirements.map(|(requirement, _)| self.naming().requirement(requirement))
    }

    /// The program where names have these values.
    ///
    /// ```
    /// use lozenge::Session;
    ///
    /// let mut session = Session::new();
    /// let x = session.data("x", "batch,seq,8")?;
    /// let y = session.einsum("b s d => (b s) d", &[x])?;
    /// let closed = session.close()?;
    /// assert_eq!(closed.shape(y)?.to_string(), "batch*seq,8");
    /// let at = closed.at(&[("batch", 32), ("seq", 100)]).unwrap();
    /// assert_eq!(at.shape(y)?.to_string(), "3200,8");
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    ///
    /// # Errors
    /// With what these values do not satisfy: the [requirements](Closed::requirements), what is
    /// declared of names, their ranges, and the numbers that they have to be.
    pub fn at(&self, values: &[(&str, u64)]) -> Result<Valued<'_>, Vec<String>> {
        let number =
            |(name, value): &(&str, u64)| Some((self.name_table.find_symbol(name)?, *value));
        let at = Valued { closed: self, values: values.iter().filter_map(number).collect() };
        let fails = |requirement: &Requirement| {
            self.values.sizes().holds(requirement, &|name| at.value(name)) == Some(false)
        };
        let required = self.values.requirements().iter().map(|(required, _)| required);
        let violated = required.chain(self.values.facts()).filter(|required| fails(required));
        let violated = violated.map(|required| self.naming().requirement(required));
        let outside =
            at.values.iter().filter_map(|(name, value)| self.excludes(&at, *name, *value));
        let violated: Vec<String> = violated.chain(outside).collect();
        if violated.is_empty() { Ok(at) } else { Err(violated) }
    }

    /// Why a name has not this value: it is a number, it is computed from others, or its range does
    /// not have it.
    fn excludes(&self, at: &Valued<'_>, name: SizeSymbol, value: u64) -> Option<String> {
        let called = self.name_table.display_name(name);
        if let Some((_, size)) = self.definitions.iter().find(|(own, _)| *own == name) {
            let form = self.values.sizes().form(*size);
            let computed = self.values.sizes().value(&form, &|name| at.value(name));
            let differs = computed.is_some_and(|computed| computed != i128::from(value));
            return differs.then(|| format!("{called} = {}", self.naming().named(*size)));
        }
        if let Some(number) = self.name_table.number(name) {
            return (number != value).then(|| format!("{called} = {number}"));
        }
        let range = self.values.sizes().range(Sizes::name(name));
        let outside = !range.has(value.into());
        outside.then(|| format!("{called} in {}", NameRange { values: range, ..NameRange::UNSAID }))
    }

    /// The named sizes that the program makes numbers.
    pub fn specialised(&self) -> impl Iterator<Item = (&str, u64)> + '_ {
        self.name_table.numbers()
    }

    /// The values of the variables of the program's constraints.
    pub fn grounding(&self) -> &Grounding {
        self.values.grounding()
    }

    /// The warnings and notes.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// What the notes refer to.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }
}
