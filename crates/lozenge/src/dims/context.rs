//! Contexts of dimensions: a session, and the variables that were made in it.
//!
//! **Invariant.** What is refused leaves a context as it was. Reading changes nothing.

use lozenge_calculus::{
    dim::{Basis, Dim as Atom},
    size::Size,
    term::{DimTerm, Variable},
};

use super::{Dim, DimRange, DimVar, TensorShape};
use crate::{
    At, Report, Session, Site, SizeVar, Tensor,
    operation::{Misfit, NameRange, is_name},
    shape::{Axis, Size as Written},
};

/// A context of dimensions: variables, and the [`Session`] that infers their sizes. A clone is a
/// fork.
///
/// ```
/// use lozenge::dims::{Dim, DimContext};
///
/// let mut context = DimContext::new();
/// let width = Dim::from(context.var("width"));
/// let mut fork = context.clone();
/// assert_eq!(fork.unify_dims(&width, &Dim::from(64))?, Dim::Literal(64));
/// assert_eq!(fork.resolve(&width), Dim::Literal(64));
/// assert_eq!(context.resolve(&width), width);
/// # Ok::<(), lozenge::Report>(())
/// ```
#[derive(Debug, Default)]
pub struct DimContext {
    pub(super) session: Session,
    /// The variables that were made, in order.
    vars: Vec<DimVar>,
    /// Where it is asked, if not where it is called.
    pub(super) site: Option<Site>,
}

/// A fork: both go on from here, and neither sees what the other is asked.
impl Clone for DimContext {
    fn clone(&self) -> DimContext {
        DimContext { session: self.session.clone(), vars: self.vars.clone(), site: None }
    }
}

/// A context whose variables are still to be made, of a session with a budget, or with a program.
impl From<Session> for DimContext {
    fn from(session: Session) -> DimContext {
        DimContext { session, vars: Vec::new(), site: None }
    }
}

impl DimContext {
    /// The context that knows nothing.
    pub fn new() -> DimContext {
        DimContext::default()
    }

    /// The session that knows what the context knows: it can be closed, and says why.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// A variable with a name for messages. Two of one name are two.
    #[track_caller]
    pub fn var(&mut self, name: &str) -> DimVar {
        let size = self.session.new_size(name);
        self.keep(size, Some(name))
    }

    /// A variable without a name.
    #[track_caller]
    pub fn fresh_var(&mut self) -> DimVar {
        let size = self.session.new_size("_");
        self.keep(size, None)
    }

    pub(super) fn keep(&mut self, size: SizeVar, name: Option<&str>) -> DimVar {
        let var = DimVar::new(size, name);
        self.vars.push(var.clone());
        var
    }

    /// The dimension that this one is known to be. Of variables that are one, it is the one that
    /// was made first. A variable of another context stays what it is.
    pub fn resolve(&self, dim: &Dim) -> Dim {
        let known = match dim {
            Dim::Var(var) if self.session.knows(var.size()) => self.known(term(var)),
            Dim::Named { name, .. } => {
                let name_table = &self.session.inference.program.name_table;
                let symbol = name_table.find_symbol(name).map(Size::symbol);
                let atom =
                    symbol.map(|size| name_table.with_number(Atom::atom(size, Basis::DEFAULT)));
                atom.and_then(|atom| self.known(atom.into()))
            }
            Dim::Var(_) | Dim::Literal(_) | Dim::Dynamic | Dim::Broadcast | Dim::Computed(_) => {
                None
            }
        };
        known.unwrap_or_else(|| dim.clone())
    }

    /// The shape with its dimensions as far as they are known.
    pub fn resolve_shape(&self, shape: &TensorShape) -> TensorShape {
        shape.dims().iter().map(|dim| self.resolve(dim)).collect()
    }

    /// What has to hold when the program runs: that names are the numbers which they have to be,
    /// and what else is required.
    ///
    /// ```
    /// use lozenge::dims::{Dim, DimContext, TensorShape};
    ///
    /// let mut context = DimContext::new();
    /// let input = TensorShape::from([Dim::named("batch"), Dim::from(6)]);
    /// context.verify_reshape(&input, &[4, 3].map(Dim::from).into())?;
    /// assert_eq!(context.requirements()?, ["batch = 2"]);
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    ///
    /// # Errors
    /// When it is found out only now that nothing fits.
    pub fn requirements(&self) -> Result<Vec<String>, Report> {
        let closed = self.session.close()?;
        let numbers = closed.specialised().map(|(name, number)| format!("{name} = {number}"));
        Ok(numbers.chain(closed.requirements()).collect())
    }

    /// The dimension of a term of the session; `None` where nothing is known, not even a variable.
    pub(super) fn known(&self, term: DimTerm) -> Option<Dim> {
        let solver = &self.session.inference.solver;
        let resolved = solver.resolved_dim(term);
        let var = || {
            let is_it = |var: &&DimVar| solver.resolved_dim(self::term(var)) == resolved;
            self.vars.iter().find(is_it).cloned().map(Dim::Var)
        };
        let Some(known) = resolved.ground() else {
            return solver.known_size(term).map(Dim::Literal).or_else(var);
        };
        Some(match self.session.inference.naming().axis(known) {
            Axis::Unit => Dim::Broadcast,
            Axis::Sized { size: Written::Number(size), .. } => Dim::Literal(size),
            Axis::Sized { size: Written::Computed(size), .. } => Dim::Computed(size),
            Axis::Sized { size: Written::Named(name), .. } => match self.range(&name) {
                range if range.at_run_time => var().unwrap_or(Dim::Dynamic),
                range => Dim::Named { name, range: said(range) },
            },
        })
    }

    /// The values of a name, by all that was said of them.
    fn range(&self, name: &str) -> NameRange {
        let program = &self.session.inference.program;
        let symbol = program.name_table.find_symbol(name);
        symbol.map_or(NameRange::UNSAID, |symbol| program.range_of(symbol))
    }

    /// A shape as the session reads it, with `_` in the place of each variable; and these.
    ///
    /// # Errors
    /// When a name is no name.
    pub(super) fn written(
        &self,
        shape: &TensorShape,
    ) -> Result<(String, Vec<(usize, SizeVar)>), Report> {
        let (mut texts, mut captured) = (vec![], vec![]);
        for (axis, dim) in shape.dims().iter().enumerate() {
            texts.push(match dim {
                Dim::Var(var) => {
                    captured.push((axis, var.size()));
                    "_".to_owned()
                }
                Dim::Named { name, .. } if !is_name(name) => {
                    return Err(Misfit::NotAName((&**name).into()).into());
                }
                // What is known already is not said again.
                Dim::Named { name, range } if said(self.range(name)) == *range => name.to_string(),
                Dim::Named { .. }
                | Dim::Literal(_)
                | Dim::Dynamic
                | Dim::Broadcast
                | Dim::Computed(_) => dim.to_string(),
            });
        }
        Ok((texts.join(","), captured))
    }

    /// Applies steps to the session, which is left as it was if one is refused.
    pub(super) fn attempt<T>(
        &mut self,
        steps: impl FnOnce(&mut DimContext) -> Result<T, Report>,
    ) -> Result<T, Report> {
        let before = self.session.clone();
        let vars = self.vars.len();
        let answer = steps(self);
        if answer.is_err() {
            self.session = before;
            self.vars.truncate(vars);
        }
        answer
    }

    /// The session, to be asked at a place.
    pub(super) fn session_at(&mut self, site: &Site) -> At<'_> {
        self.session.at(site.clone())
    }

    /// A tensor of a shape, by what messages call it.
    pub(super) fn tensor(
        &mut self,
        site: &Site,
        name: &str,
        shape: &TensorShape,
    ) -> Result<Tensor, Report> {
        let (text, captured) = self.written(shape).map_err(|said| site.blame(said))?;
        self.session_at(site).shaped(name, &text, &captured, None)
    }
}

fn term(var: &DimVar) -> DimTerm {
    match var.size().var {
        Variable::Dim(var) => var.into(),
        // A variable is made of an axis.
        Variable::Row(_) => DimTerm::UNIT,
    }
}

/// The range of a name, if it is more than what every name has.
fn said(range: NameRange) -> Option<DimRange> {
    let end = |end: i128| u64::try_from(end).ok();
    let min = range.values.low.and_then(end).unwrap_or(1); // as for every name
    let max = range.values.high.and_then(end);
    (min != 1 || max.is_some()).then_some(DimRange { min, max })
}
