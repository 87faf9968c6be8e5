//! Why something has its value: an irreducible chain of given constraints that forces it.
//!
//! The trace knows one way in which the value came about. [`why`] leaves out of it whatever is not
//! needed, by solving again, unless one of the constraints that name the variable is enough.
//!
//! ```
//! use lozenge_solve::{explain::why, Solver};
//! use lozenge_calculus::text::Names;
//!
//! let mut names = Names::new();
//! let store = names.parse_store("?a = ?b @1; ?b ⊑ 3 @2; ?c = 5 @3; ?a = 3 @4")?;
//! let mut solver = Solver::new();
//! solver.extend(&store).unwrap();
//! let chain = why(&solver.solved(), names.dim_var("a").unwrap()).unwrap();
//! assert_eq!(names.show(&chain.constraints[0]).to_string(), "?a = 3 @4");
//! assert_eq!(chain.constraints.len(), 1);
//! # Ok::<(), lozenge_calculus::text::TextError>(())
//! ```

use alloc::vec::Vec;

use crate::{
    Axes, Derivation, Reading, SolvedForm, Solver,
    tables::ids::{GivenId, before},
};
use lozenge_calculus::{
    constraint::Constraint,
    dim::Dim,
    row::Flanks,
    term::{DimVar, RowVar, Variable},
};

/// What is to be explained.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// The value of a dimension variable.
    Dim(DimVar),
    /// The value of a row variable, as far as it is known: how many axes it has on each side, and
    /// those of them that are ground.
    Row(RowVar),
    /// How many axes a row variable has.
    Rank(RowVar),
    /// An axis of a row variable, counted from the front, and that it has one there.
    Axis(RowVar, usize),
}

/// Constraints that force a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// The constraints, in the order in which they were given.
    pub constraints: Vec<Constraint>,
    /// Whether without any one of them the value is not forced. Not so only where finding that out
    /// would take too long.
    pub irreducible: bool,
    /// How the value follows from them.
    pub derivation: Derivation,
}

/// How many constraints are taken by the solver, in all tries together, to leave some out.
pub(crate) const MOST_TAKEN: usize = 2_000_000;

/// How many of the constraints that name a variable are tried alone.
const ALONE: usize = 16;

/// Why something has its value. `None` when it is not known.
pub fn why(form: &SolvedForm<'_>, target: impl Into<Target>) -> Option<Chain> {
    why_within(form, target, MOST_TAKEN)
}

/// [`why`], with a bound on the constraints that the solver takes, in all tries together, to find
/// those that can be left out.
pub fn why_within(
    form: &SolvedForm<'_>,
    target: impl Into<Target>,
    most_taken: usize,
) -> Option<Chain> {
    let (all, target) = (form.solver().config.tables.givens.next_given(), target.into());
    chain(
        form,
        all,
        target,
        form.solver().config.reasoner().reasons_for(target.reading()),
        most_taken,
    )
}

/// A chain of given constraints before `end`, from which the value must follow. `members` are those
/// of them that the trace names.
pub(crate) fn chain(
    form: &SolvedForm<'_>,
    end: GivenId,
    target: Target,
    mut members: Vec<GivenId>,
    most_taken: usize,
) -> Option<Chain> {
    let value = Value::of(form, target)?;
    let forces = |members: &[GivenId]| {
        let constraints: Vec<Constraint> = members.iter().map(|i| form.given(*i)).collect();
        let mut solver = Solver::new();
        solver.take_all(&constraints).ok()?;
        let forced = Value::of(&solver.solved(), target).is_some_and(|other| other.covers(&value));
        forced.then_some((constraints, solver))
    };
    members.retain(|given| *given < end);
    if forces(&members).is_none() {
        // The trace goes through a policy step that is taken differently without the others.
        members = before(end).collect();
    }
    if members.len() > 1 {
        let mut naming = form.givens_naming(target.variable()).take(ALONE);
        if let Some(alone) = naming.find(|given| *given < end && forces(&[*given]).is_some()) {
            members = alloc::vec![alone];
        }
    }
    // The latest are left out first: what comes early in the program explains better. Many at once,
    // then fewer: of many that the trace names few are needed, as a rule. One by one until nothing
    // more goes, because a policy step may be taken differently each time.
    let mut taken = 0;
    let mut many = members.len() / 2;
    let irreducible = loop {
        let (before, mut end) = (members.len(), members.len());
        many = many.clamp(1, before.max(1));
        while end > 0 && taken <= most_taken {
            let start = end.saturating_sub(many);
            taken += members.len() - (end - start);
            let fewer = [&members[..start], &members[end..]].concat();
            if forces(&fewer).is_some() {
                members = fewer;
            }
            end = start;
        }
        if taken > most_taken || many == 1 && members.len() == before {
            break taken <= most_taken;
        }
        many /= 2;
    };
    let (constraints, solver) = forces(&members)?;
    let derivation = solver.value_derivation(target.reading());
    Some(Chain { constraints, irreducible, derivation })
}

impl Target {
    fn variable(self) -> Variable {
        match self {
            Target::Dim(var) => Variable::Dim(var),
            Target::Row(var) | Target::Rank(var) | Target::Axis(var, _) => Variable::Row(var),
        }
    }

    pub(crate) fn reading(self) -> Reading {
        let axes = match self {
            Target::Dim(_) | Target::Row(_) => Axes::All,
            Target::Rank(_) => Axes::None,
            Target::Axis(_, axis) => Axes::One(axis),
        };
        Reading { var: self.variable(), axes }
    }
}

impl From<DimVar> for Target {
    fn from(var: DimVar) -> Target {
        Target::Dim(var)
    }
}

impl From<RowVar> for Target {
    fn from(var: RowVar) -> Target {
        Target::Row(var)
    }
}

impl From<Variable> for Target {
    fn from(var: Variable) -> Target {
        match var {
            Variable::Dim(var) => Target::Dim(var),
            Variable::Row(var) => Target::Row(var),
        }
    }
}

/// What is known of a target.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Dim(Dim),
    /// How many axes a row has on each side of its marker, and what is known of them.
    Row {
        flanks: Flanks<Option<Dim>>,
        open: bool,
    },
    /// An axis, and how far it is from the front if that is known, else from the back.
    Axis {
        front: Option<usize>,
        back: Option<usize>,
        dim: Dim,
    },
}

impl Value {
    /// `None` when it is not known, or the target is no variable of the program.
    fn of(form: &SolvedForm<'_>, target: Target) -> Option<Value> {
        let var = match target {
            Target::Dim(var) => {
                form.solver().config.tables.dims.axis(var)?;
                return Some(Value::Dim(form.known_dim(form.dim(var))?));
            }
            Target::Row(var) | Target::Rank(var) | Target::Axis(var, _) => var,
        };
        form.solver().config.tables.rows.known(var)?;
        let row = form.row(var);
        let (lead, open) = (row.flanks.lead().len(), row.var.is_some());
        let entries = row.flanks.flat();
        let unknown = open && (entries.is_empty() || matches!(target, Target::Rank(_)));
        match target {
            Target::Axis(_, axis) => {
                let dim = form.known_dim(*entries.get(axis)?)?;
                let front = (!open || axis < lead).then_some(axis);
                let back = (!open || axis >= lead).then_some(entries.len() - 1 - axis);
                Some(Value::Axis { front, back, dim })
            }
            _ if unknown => None,
            Target::Row(_) | Target::Dim(_) => {
                Some(Value::Row { flanks: row.flanks.map(|entry| form.known_dim(*entry)), open })
            }
            Target::Rank(_) => Some(Value::Row { flanks: row.flanks.map(|_| None), open }),
        }
    }

    /// Whether this says at least what `less` says.
    fn covers(&self, less: &Value) -> bool {
        match (self, less) {
            (Value::Dim(here), Value::Dim(there)) => here == there,
            (Value::Row { flanks, open }, Value::Row { flanks: less, open: may_grow }) => {
                let same =
                    |(here, there): (&Option<Dim>, &Option<Dim>)| there.is_none() || here == there;
                let extent = |row: &Flanks<_>| (row.lead().len(), row.rank());
                (extent(flanks), open) == (extent(less), may_grow)
                    && flanks.flat().iter().zip(less.flat()).all(same)
            }
            (
                Value::Axis { front, back, dim },
                Value::Axis { front: from_front, back: from_back, dim: less },
            ) => {
                let same =
                    |here: &Option<usize>, there: &Option<usize>| here.is_some() && here == there;
                dim == less && (same(front, from_front) || same(back, from_back))
            }
            (_, _) => false,
        }
    }
}
