//! Explanations: conflicting sets and chains, held against solving and enumeration.
//!
//! * A minimal conflicting set has no solution, and with any one member left out it has one. Its
//!   refutation speaks of its members and of nothing else.
//! * A chain alone forces the value, and without any one of its members it does not. How many
//!   chains are also the smallest that there are is found by trying all smaller ones.

use std::collections::BTreeSet;

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Vars},
    term::{DimTerm, RowTerm, Variable},
};
use lozenge_solve::{
    Derivation, End, Solver,
    decide::{Decision, Effort, Refutation, decide, refutation},
    explain::why,
};

use crate::{
    Generator, Mismatch,
    costs::Costs,
    generate,
    mismatch::counts,
    stores::{LARGER, LIMITS},
};

counts! {
    /// What was explained.
    pub struct Counts {
        pub sets: u64,
        pub set_members: u64,
        pub costs: Costs,
        pub beyond: u64,
        pub chains: u64,
        pub smallest: u64,
        pub chain_members: u64,
    }
}

/// Draws a store and checks it.
///
/// # Errors
/// When a set is not minimal or not conflicting, a chain does not force its value or is reducible,
/// or what is said of them speaks of something else.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let limits = if rng.case() % 2 == 0 { LIMITS } else { LARGER };
    let store = generate::store(rng, limits);
    let mut solver = Solver::new();
    let explained = match solver.extend(&store) {
        Ok(()) => check_chains(&store, &solver, counts),
        Err(_) => check_set(&store, counts),
    };
    explained.map_err(|what| Mismatch::of_store(what, &store))
}

fn check_set(store: &[Constraint], counts: &mut Counts) -> Result<(), String> {
    let mut effort = Effort::default();
    let set = match decide(store, &mut effort) {
        Decision::Unsatisfiable(set) => set,
        Decision::Satisfiable(_) => return Ok(()),
        Decision::Beyond => {
            counts.beyond += 1;
            return Ok(());
        }
    };
    counts.costs.add(effort.taken, store.len());
    if !set.minimal {
        counts.beyond += 1;
        return Ok(());
    }
    counts.sets += 1;
    counts.set_members += set.members.len() as u64;
    let members: Vec<Constraint> = set.members.iter().map(|i| store[*i].clone()).collect();
    if !matches!(decide(&members, &mut Effort::default()), Decision::Unsatisfiable(_)) {
        return Err(format!("{set:?} has a solution"));
    }
    for left_out in 0..members.len() {
        let mut others = members.clone();
        others.remove(left_out);
        if set.minimal
            && !matches!(decide(&others, &mut Effort::default()), Decision::Satisfiable(_))
        {
            return Err(format!("{set:?} is not minimal"));
        }
    }
    let Some(refutation) = refutation(store, &set, &mut Effort::default()) else {
        return Err(format!("{set:?} has no refutation"));
    };
    let mut origins = BTreeSet::new();
    spoken_of(&refutation, &mut origins);
    let expected: BTreeSet<OriginId> = members.iter().map(|member| member.origin).collect();
    if origins != expected {
        return Err(format!("the refutation of {set:?} speaks of {origins:?}"));
    }
    Ok(())
}

/// The origins that a refutation speaks of.
fn spoken_of(refutation: &Refutation, origins: &mut BTreeSet<OriginId>) {
    match refutation {
        Refutation::Direct { derivation, equal_ranks } => {
            origins.extend(equal_ranks);
            derivation_origins(derivation, origins);
        }
        Refutation::Cases { at_least, cases, .. } => {
            origins.extend(at_least);
            for (_, case) in cases {
                spoken_of(case, origins);
            }
        }
    }
}

fn derivation_origins(derivation: &Derivation, origins: &mut BTreeSet<OriginId>) {
    for step in &derivation.steps {
        origins.extend(&step.from.origins);
    }
    let (End::Fails { from, .. } | End::Value(from)) = &derivation.end;
    origins.extend(&from.origins);
}

fn check_chains(store: &[Constraint], solver: &Solver, counts: &mut Counts) -> Result<(), String> {
    let vars = Vars::of(store);
    let dims = vars.dims.into_iter().map(Variable::Dim);
    for var in dims.chain(vars.rows.into_iter().map(Variable::Row)) {
        let Some(chain) = why(&solver.solved(), var) else { continue };
        counts.chains += 1;
        counts.chain_members += chain.constraints.len() as u64;
        let value = Value::of(solver, var);
        if !chain.irreducible {
            return Err(format!("the chain of {var:?} was not finished"));
        }
        if !value.is_forced_by(&chain.constraints, var) {
            return Err(format!("the chain of {var:?} does not force it"));
        }
        for left_out in 0..chain.constraints.len() {
            let mut others = chain.constraints.clone();
            others.remove(left_out);
            if value.is_forced_by(&others, var) {
                return Err(format!("the chain of {var:?} is longer than it must be"));
            }
        }
        let expected: BTreeSet<OriginId> = chain.constraints.iter().map(|c| c.origin).collect();
        let mut origins = BTreeSet::new();
        derivation_origins(&chain.derivation, &mut origins);
        if origins != expected {
            return Err(format!("the derivation for {var:?} speaks of {origins:?}"));
        }
        let smaller = subsets(store).any(|subset| {
            subset.len() < chain.constraints.len() && value.is_forced_by(&subset, var)
        });
        counts.smallest += u64::from(!smaller);
    }
    Ok(())
}

/// All subsets of a store.
fn subsets(store: &[Constraint]) -> impl Iterator<Item = Vec<Constraint>> + '_ {
    (0_u32..1 << store.len()).map(|bits| {
        let members = store.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        members.map(|(_, constraint)| constraint.clone()).collect()
    })
}

/// What a variable is bound to.
enum Value {
    Dim(DimTerm),
    Row(RowTerm),
}

impl Value {
    fn of(solver: &Solver, var: Variable) -> Value {
        match var {
            Variable::Dim(var) => Value::Dim(solver.solved().dim(var)),
            Variable::Row(var) => Value::Row(solver.solved().row(var)),
        }
    }

    /// Whether these constraints alone give the variable this value: the same extent, the same
    /// ground axes.
    fn is_forced_by(&self, constraints: &[Constraint], var: Variable) -> bool {
        let mut solver = Solver::new();
        if solver.extend(constraints).is_err() {
            return false;
        }
        match (self, Value::of(&solver, var)) {
            (Value::Dim(value), Value::Dim(other)) => *value == other,
            (Value::Row(value), Value::Row(other)) => {
                let shape = |row: &RowTerm| {
                    (row.var.is_some(), row.flanks.lead().len(), row.flanks.trail().len())
                };
                let same = |(a, b): (&DimTerm, &DimTerm)| a.ground().is_none() || a == b;
                shape(value) == shape(&other)
                    && value.flanks.flat().iter().zip(other.flanks.flat()).all(same)
            }
            (Value::Dim(_), Value::Row(_)) | (Value::Row(_), Value::Dim(_)) => false,
        }
    }
}
