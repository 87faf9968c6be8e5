//! Plain enumeration: `Sol(Φ)` by its definition.

use lozenge_calculus::{
    constraint::{Constraint, Vars},
    judge::Judge,
    row::Row,
    term::{DimVar, Grounding, RowVar},
};

use super::Universe;

/// All groundings of the variables of `constraints` in `universe` that satisfy them, in order.
pub fn solutions(universe: &Universe, judge: Judge, constraints: &[Constraint]) -> Vec<Grounding> {
    let vars = Vars::of(constraints);
    let mut search = Search {
        universe,
        rows: universe.rows(),
        dim_vars: vars.dims.into_iter().collect(),
        row_vars: vars.rows.into_iter().collect(),
        accept: |ground: &Grounding| judge.satisfies_all(ground, constraints),
        found: vec![],
    };
    search.assign_dims(0, &mut Grounding::top());
    search.found.sort();
    search.found
}

struct Search<'a, F> {
    universe: &'a Universe,
    rows: Vec<Row>,
    dim_vars: Vec<DimVar>,
    row_vars: Vec<RowVar>,
    accept: F,
    found: Vec<Grounding>,
}

impl<F: Fn(&Grounding) -> bool> Search<'_, F> {
    fn assign_dims(&mut self, next: usize, ground: &mut Grounding) {
        let Some(&var) = self.dim_vars.get(next) else {
            return self.assign_rows(0, ground);
        };
        for &dim in self.universe.dims() {
            ground.set_dim(var, dim);
            self.assign_dims(next + 1, ground);
        }
    }

    fn assign_rows(&mut self, next: usize, ground: &mut Grounding) {
        let Some(&var) = self.row_vars.get(next) else {
            if (self.accept)(ground) {
                self.found.push(ground.clone());
            }
            return;
        };
        for i in 0..self.rows.len() {
            ground.set_row(var, self.rows[i].clone());
            self.assign_rows(next + 1, ground);
        }
    }
}
