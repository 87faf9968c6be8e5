//! The section `stores`: random constraints, solved, closed by every policy, decided and explained. Half of the stores are
//! larger than those that are held against brute force.

use lozenge_core::{
    close::{Policy, close},
    constraint::{Constraint, Vars},
    decide::{Decision, Effort, decide, refutation},
    explain::why,
    solve::{Options, Rule, Solver},
    term::Variable,
    text::Names,
};
use lozenge_oracle::generate;

use super::{Args, Section, say::Lines};
use crate::{
    differential::{LIMITS, roles},
    explain::LARGER,
    parallel,
};

pub(super) fn fill(args: &Args, section: &mut Section) -> anyhow::Result<()> {
    section.add_cases(args.cases, args.seed, |case, rng| {
        let limits = if case % 2 == 0 { LIMITS } else { LARGER };
        // Another stream than the store's, so that roles do not depend on how it was drawn.
        item(&generate::store(rng, limits), &mut parallel::rng(!args.seed, case))
    })
}

fn item(store: &[Constraint], rng: &mut fastrand::Rng) -> String {
    let mut lines = Lines::default();
    store.iter().for_each(|constraint| lines.add("given", constraint));
    let mut solver = Solver::with_options(Options::default());
    let solved = solver.extend(store);
    let stats = solver.stats();
    let rules = Rule::ALL.into_iter().map(|rule| (rule, stats.count(rule)));
    let rules = rules.filter(|(_, count)| *count > 0).map(|(rule, n)| format!("{rule} {n}"));
    lines.add("steps", format!("{}: {}", stats.steps(), rules.collect::<Vec<_>>().join(", ")));
    match solved {
        Err(rejection) => lines.add("refused", &rejection),
        Ok(()) => of_solved(&mut lines, store, &solver, rng),
    }
    let names = Names::new();
    let mut effort = Effort::default();
    match decide(store, &mut effort) {
        Decision::Satisfiable(found) => lines.add("satisfiable", &found.grounding),
        Decision::Beyond => lines.add("decided", "no"),
        Decision::Unsatisfiable(set) => {
            let members: Vec<String> = set.members.iter().map(ToString::to_string).collect();
            let least = if set.minimal { "minimal" } else { "not minimal" };
            lines.add("unsatisfiable", format!("{} {least}", members.join(" ")));
            if let Some(refutation) = refutation(store, &set, &mut Effort::default()) {
                lines.add("because", format!("\n{}", names.show(&refutation)));
            }
        }
    }
    lines.add("effort", format!("{} solves of {} constraints", effort.spent, effort.taken));
    lines.text()
}

/// What is said of constraints that are solved.
fn of_solved(lines: &mut Lines, store: &[Constraint], solver: &Solver, rng: &mut fastrand::Rng) {
    let names = Names::new();
    let form = solver.solved();
    lines.add("solved", format!("\n{form}"));
    lines.add("greatest", form.greatest());
    let roles = roles(store, rng.bool(), rng);
    let policies = [("default", Policy::Default), ("up", Policy::Upward), ("no", Policy::Refuse)];
    for (name, policy) in policies {
        match close(&form, &roles, policy) {
            Err(unclosed) => lines.add(name, format!("not closed: {unclosed}")),
            Ok(closed) => {
                lines.add(name, closed.grounding());
                for note in closed.notes() {
                    lines.add("note", names.show(note));
                }
                for commitment in closed.commitments() {
                    lines.add("commits", names.show(commitment));
                }
                for (required, _) in closed.requirements() {
                    lines.add("requires", names.show(required));
                }
            }
        }
    }
    let vars = Vars::of(store);
    let dims = vars.dims.into_iter().map(Variable::Dim);
    for var in dims.chain(vars.rows.into_iter().map(Variable::Row)) {
        let Some(chain) = why(&form, var) else { continue };
        lines.add("why", names.show(&var));
        chain.constraints.iter().for_each(|constraint| lines.add("  of", constraint));
        lines.add("  by", format!("\n{}", names.show(&chain.derivation)));
    }
}
