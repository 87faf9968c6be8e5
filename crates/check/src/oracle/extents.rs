//! Extents first: choose the flank lengths of every row variable, then solve for the dimensions.
//!
//! Once the extents are chosen, a row constraint is a list of constraints between single
//! dimensions, each of which is an unknown or known: `x = y` or `x ⊑ y`. That problem has a
//! greatest solution whenever it has one at all, found by propagation. Relations between sizes are
//! arithmetic, and not for this: `xtask sizes` judges them.

use std::collections::BTreeMap;

use lozenge_calculus::{
    constraint::{Constraint, Relation, Vars},
    dim::Dim,
    judge::Judge,
    row::Flanks,
    term::{DimTerm, DimVar, Grounding, RowTerm, RowVar},
};

use super::{Universe, universe::Extent};

/// All groundings of the variables of `constraints` in `universe` that satisfy them, in order.
pub fn solutions(universe: &Universe, judge: Judge, constraints: &[Constraint]) -> Vec<Grounding> {
    let mut found = vec![];
    search(universe, judge, constraints, |layout, problem| {
        found.extend(problem.all(universe.dims()).iter().map(|dims| layout.grounding(dims)));
        None::<()>
    });
    found.sort();
    found
}

/// A grounding of the variables of `constraints` in `universe` that satisfies them, if there is
/// one: the greatest for the first extents that have any, in increasing rank of the variables.
pub fn find(universe: &Universe, judge: Judge, constraints: &[Constraint]) -> Option<Grounding> {
    search(universe, judge, constraints, |layout, problem| {
        problem.greatest(universe.dims()).map(|dims| layout.grounding(&dims))
    })
}

/// Calls `visit` with the dimension problem of each choice of extents whose ranks fit, until it
/// returns something.
fn search<T>(
    universe: &Universe,
    judge: Judge,
    constraints: &[Constraint],
    mut visit: impl FnMut(&Layout, &Problem) -> Option<T>,
) -> Option<T> {
    let vars = Vars::of(constraints);
    let dim_vars: Vec<DimVar> = vars.dims.into_iter().collect();
    let row_vars: Vec<RowVar> = vars.rows.into_iter().collect();
    let mut layout = Layout::new(&dim_vars);
    choose(&row_vars, &universe.extents(), judge, constraints, &mut layout, &mut visit)
}

fn choose<T>(
    row_vars: &[RowVar],
    extents: &[Extent],
    judge: Judge,
    constraints: &[Constraint],
    layout: &mut Layout,
    visit: &mut impl FnMut(&Layout, &Problem) -> Option<T>,
) -> Option<T> {
    if !constraints.iter().all(|constraint| layout.fits(judge, &constraint.relation)) {
        return None;
    }
    let Some((&var, rest)) = row_vars.split_first() else {
        return visit(layout, &layout.problem(constraints));
    };
    extents.iter().find_map(|&extent| {
        layout.push(var, extent);
        let found = choose(rest, extents, judge, constraints, layout, visit);
        layout.pop(var, extent);
        found
    })
}

/// A dimension that is known, or the index of one that is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    Known(Dim),
    Unknown(usize),
}

/// Which unknown is which: one for every dimension variable, one for every axis of every row
/// variable whose extent is chosen.
struct Layout {
    dims: BTreeMap<DimVar, usize>,
    /// The extent of the variable, and the unknown of its first axis.
    rows: BTreeMap<RowVar, (Extent, usize)>,
    unknowns: usize,
}

impl Layout {
    fn new(dim_vars: &[DimVar]) -> Layout {
        let dims = dim_vars.iter().enumerate().map(|(i, var)| (*var, i)).collect();
        Layout { dims, rows: BTreeMap::new(), unknowns: dim_vars.len() }
    }

    fn push(&mut self, var: RowVar, extent: Extent) {
        self.rows.insert(var, (extent, self.unknowns));
        self.unknowns += extent.lead + extent.trail;
    }

    fn pop(&mut self, var: RowVar, extent: Extent) {
        self.rows.remove(&var);
        self.unknowns -= extent.lead + extent.trail;
    }

    /// The flank lengths of a row term, if the extent of its variable is chosen.
    fn extent(&self, term: &RowTerm) -> Option<Extent> {
        let inner = match term.var {
            None => Extent { lead: 0, trail: 0 },
            Some(var) => self.rows.get(&var)?.0,
        };
        Some(Extent {
            lead: term.flanks.lead().len() + inner.lead,
            trail: inner.trail + term.flanks.trail().len(),
        })
    }

    /// Whether the extents allow a constraint to hold, as far as they are chosen.
    fn fits(&self, judge: Judge, relation: &Relation) -> bool {
        let (Relation::RowEq(left, right) | Relation::RowIneq(left, right)) = relation else {
            return true;
        };
        let (Some(left), Some(right)) = (self.extent(left), self.extent(right)) else {
            return true;
        };
        let (left_rank, right_rank) = (left.lead + left.trail, right.lead + right.trail);
        match (relation, judge) {
            (Relation::RowIneq(..), Judge::OneShot) => left_rank >= right_rank,
            (Relation::RowIneq(..), Judge::Marked) => {
                left.lead >= right.lead && left.trail >= right.trail
            }
            _ => left_rank == right_rank,
        }
    }

    /// What is left to solve when all extents are chosen and fit.
    fn problem(&self, constraints: &[Constraint]) -> Problem {
        let mut problem = Problem { unknowns: self.unknowns, equal: vec![], refines: vec![] };
        for constraint in constraints {
            match &constraint.relation {
                Relation::Size(_) => panic!("relations between sizes are judged by `xtask sizes`"),
                Relation::DimEq(l, r) => problem.equal.push((self.cell(*l), self.cell(*r))),
                Relation::DimIneq(l, r) => problem.refines.push((self.cell(*l), self.cell(*r))),
                Relation::RowEq(l, r) => {
                    let (l, r) = (self.row(l), self.row(r));
                    problem.equal.extend(l.flat().iter().copied().zip(r.flat().iter().copied()));
                }
                Relation::RowIneq(result, operand) => {
                    let (result, operand) = (self.row(result), self.row(operand));
                    let n = result.rank();
                    for (i, below) in result.flat().iter().enumerate() {
                        if let Some(above) = operand.expanded_at(n, i) {
                            problem.refines.push((*below, *above));
                        }
                    }
                }
            }
        }
        problem
    }

    fn cell(&self, term: DimTerm) -> Cell {
        match term {
            DimTerm::Dim(dim) => Cell::Known(dim),
            DimTerm::Var(var) => Cell::Unknown(self.dims[&var]),
        }
    }

    fn row(&self, term: &RowTerm) -> Flanks<Cell> {
        let host = term.flanks.map(|entry| self.cell(*entry));
        match term.var.map(|var| self.rows[&var]) {
            None => host,
            Some((extent, first)) => host.splice(&axes(extent, first, Cell::Unknown)),
        }
    }

    fn grounding(&self, dims: &[Dim]) -> Grounding {
        Grounding::new(
            self.dims.iter().map(|(var, i)| (*var, dims[*i])),
            self.rows
                .iter()
                .map(|(var, &(extent, first))| (*var, axes(extent, first, |i| dims[i]))),
        )
    }
}

/// The row of this extent whose entries are `entry` of the unknowns from `first` on.
fn axes<T>(extent: Extent, first: usize, entry: impl Fn(usize) -> T) -> Flanks<T> {
    let middle = first + extent.lead;
    Flanks::new((first..middle).map(&entry), (middle..middle + extent.trail).map(&entry))
}

/// Constraints between single dimensions.
struct Problem {
    unknowns: usize,
    equal: Vec<(Cell, Cell)>,
    refines: Vec<(Cell, Cell)>,
}

impl Problem {
    /// The dimensions that every solution must give to an unknown, or `None` if there is no
    /// solution.
    fn forced(&self) -> Option<Vec<Option<Dim>>> {
        let mut values = Values(vec![None; self.unknowns]);
        loop {
            let before = values.0.clone();
            for &(left, right) in &self.equal {
                match (values.get(left), values.get(right)) {
                    (Some(dim), _) => values.set(right, dim)?,
                    (None, Some(dim)) => values.set(left, dim)?,
                    (None, None) => {}
                }
            }
            for &(below, above) in &self.refines {
                if let Some(dim @ Dim::Atom { .. }) = values.get(above) {
                    values.set(below, dim)?; // nothing else refines an atom
                }
                if values.get(below) == Some(Dim::Unit) {
                    values.set(above, Dim::Unit)?; // the top refines only itself
                }
            }
            if values.0 == before {
                return Some(before);
            }
        }
    }

    /// The greatest solution over `dims`. What is not forced can be the claim-free unit: an unknown
    /// below an atom is forced, and so is one above the unit.
    fn greatest(&self, dims: &[Dim]) -> Option<Vec<Dim>> {
        let dim = |forced: Option<Dim>| forced.unwrap_or(Dim::Unit);
        let solution: Vec<Dim> = self.forced()?.into_iter().map(dim).collect();
        solution.iter().all(|dim| dims.contains(dim)).then_some(solution)
    }

    /// All solutions over `dims`.
    fn all(&self, dims: &[Dim]) -> Vec<Vec<Dim>> {
        let mut partial = match self.forced() {
            None => vec![],
            Some(_) => vec![vec![]],
        };
        for _ in 0..self.unknowns {
            let longer = |s: &Vec<Dim>| -> Vec<Vec<Dim>> {
                let longer = dims.iter().map(|dim| [s.as_slice(), &[*dim]].concat());
                longer.filter(|s| self.holds_so_far(s)).collect()
            };
            partial = partial.iter().flat_map(longer).collect();
        }
        partial.retain(|solution| self.holds_so_far(solution));
        partial
    }

    /// Whether the constraints between the unknowns that have a value hold.
    fn holds_so_far(&self, solution: &[Dim]) -> bool {
        let value = |cell| match cell {
            Cell::Known(dim) => Some(dim),
            Cell::Unknown(i) => solution.get(i).copied(),
        };
        let holds = |pairs: &[(Cell, Cell)], relation: fn(Dim, Dim) -> bool| {
            pairs.iter().all(|&(left, right)| match (value(left), value(right)) {
                (Some(left), Some(right)) => relation(left, right),
                _ => true,
            })
        };
        holds(&self.equal, |left, right| left == right) && holds(&self.refines, Dim::refines)
    }
}

struct Values(Vec<Option<Dim>>);

impl Values {
    fn get(&self, cell: Cell) -> Option<Dim> {
        match cell {
            Cell::Known(dim) => Some(dim),
            Cell::Unknown(i) => self.0[i],
        }
    }

    /// Gives `cell` the value `dim`, or `None` if it has another one.
    fn set(&mut self, cell: Cell, dim: Dim) -> Option<()> {
        match (cell, self.get(cell)) {
            (_, Some(other)) => (other == dim).then_some(()),
            (Cell::Unknown(i), None) => {
                self.0[i] = Some(dim);
                Some(())
            }
            (Cell::Known(_), None) => None, // a known dimension always has its value
        }
    }
}
