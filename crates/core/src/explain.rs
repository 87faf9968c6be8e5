//! Why something has its value: an irreducible chain of given constraints that forces it.
//!
//! The trace knows one way in which the value came about. [`why`] leaves out of it whatever is not
//! needed, by solving again, unless one of the constraints that name the variable is enough.
//!
//! ```
//! use lozenge_core::{explain::why, solve::Solver, text::Names};
//!
//! let mut names = Names::new();
//! let store = names.parse_store("?a = ?b @1; ?b ⊑ 3 @2; ?c = 5 @3; ?a = 3 @4")?;
//! let mut solver = Solver::new();
//! solver.extend(&store).unwrap();
//! let chain = why(&solver.solved(), names.dim_var("a").unwrap()).unwrap();
//! assert_eq!(names.show(&chain.constraints[0]).to_string(), "?a = 3 @4");
//! assert_eq!(chain.constraints.len(), 1);
//! # Ok::<(), lozenge_core::text::TextError>(())
//! ```

use alloc::vec::Vec;

use crate::{
    constraint::Constraint,
    dim::Dim,
    solve::{Axes, Derivation, Reading, SolvedForm, Solver},
    term::{DimTerm, DimVar, RowVar, Variable},
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
    /// The constraints, in the order in which they were given. Without any one of them the value is
    /// not forced.
    pub constraints: Vec<Constraint>,
    /// How the value follows from them.
    pub derivation: Derivation,
}

/// How many of the constraints that name a variable are tried alone.
const ALONE: usize = 16;

/// Why something has its value. `None` when it is not known.
pub fn why(form: &SolvedForm<'_>, target: impl Into<Target>) -> Option<Chain> {
    let all = form.solver().given_count();
    chain(form, all, target.into())
}

/// The same, where only the first `count` given constraints may be in the chain. The value must
/// follow from those.
pub(crate) fn chain(form: &SolvedForm<'_>, count: u32, target: Target) -> Option<Chain> {
    let value = Value::of(form, target)?;
    let forces = |members: &[u32]| {
        let constraints: Vec<Constraint> = members.iter().map(|i| form.given(*i)).collect();
        let mut solver = Solver::new();
        solver.take_all(&constraints).ok()?;
        let forced = Value::of(&solver.solved(), target).is_some_and(|other| other.covers(&value));
        forced.then_some((constraints, solver))
    };
    let mut members: Vec<u32> = form.solver().reasons_for(target.reading());
    members.retain(|given| *given < count);
    if forces(&members).is_none() {
        // The trace goes through a policy step that is taken differently without the others.
        members = (0..count).collect();
    }
    if members.len() > 1 {
        let mut naming = form.givens_naming(target.variable()).take(ALONE);
        if let Some(alone) = naming.find(|given| *given < count && forces(&[*given]).is_some()) {
            members = alloc::vec![alone];
        }
    }
    // The latest are left out first: what comes early in the program explains better. Again until
    // nothing more goes, because a policy step may be taken differently each time.
    loop {
        let before = members.len();
        for place in (0..before).rev() {
            let mut fewer = members.clone();
            fewer.remove(place);
            if forces(&fewer).is_some() {
                members = fewer;
            }
        }
        if members.len() == before {
            break;
        }
    }
    let (constraints, solver) = forces(&members)?;
    let derivation = solver.value_derivation(target.reading());
    Some(Chain { constraints, derivation })
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
struct Value {
    extent: Option<KnownExtent>,
    /// The dimensions that matter, where they are known.
    dims: Vec<Option<Dim>>,
}

/// How many axes of a row are known on each side, and whether there may be more between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct KnownExtent {
    lead: usize,
    trail: usize,
    open: bool,
}

impl Value {
    fn of(form: &SolvedForm<'_>, target: Target) -> Option<Value> {
        let var = match target {
            Target::Dim(var) => {
                let dim = form.dim(var).ground()?;
                return Some(Value { extent: None, dims: alloc::vec![Some(dim)] });
            }
            Target::Row(var) | Target::Rank(var) | Target::Axis(var, _) => var,
        };
        let row = form.row(var);
        let (lead, trail) = (row.flanks.lead().len(), row.flanks.trail().len());
        let open = row.var.is_some();
        let entries = row.flanks.flat();
        let dims = match target {
            Target::Axis(_, axis) => alloc::vec![Some(entries.get(axis)?.ground()?)],
            Target::Rank(_) if open => return None,
            Target::Row(_) if open && lead + trail == 0 => return None,
            Target::Rank(_) | Target::Dim(_) => Vec::new(),
            Target::Row(_) => entries.iter().copied().map(DimTerm::ground).collect(),
        };
        Some(Value { extent: Some(KnownExtent { lead, trail, open }), dims })
    }

    /// Whether this says at least what `less` says.
    fn covers(&self, less: &Value) -> bool {
        let same = |(here, there): (&Option<Dim>, &Option<Dim>)| there.is_none() || here == there;
        self.extent == less.extent && self.dims.iter().zip(&less.dims).all(same)
    }
}
