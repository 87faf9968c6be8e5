//! The section `stores`: random constraints, solved, closed by every policy, decided and explained.
//! A quarter of the stores are larger than those that are held against brute force, another relates
//! sizes.

use lozenge_calculus::{
    constraint::{Constraint, Vars},
    term::Variable,
    text::Names,
};
use lozenge_check::{
    Generator, generate, sizes,
    stores::{LARGER, LIMITS, roles},
};
use lozenge_solve::{
    Rule, Solver,
    close::{Policy, close},
    decide::{Decision, Effort, decide, refutation},
    explain::why,
};

use super::{
    say::Lines,
    section::{Args, Section},
};

pub(super) fn fill(args: &Args, section: &mut Section) -> anyhow::Result<()> {
    section.add_cases(args.cases, args.seed, |case, rng| {
        let store = match case % 4 {
            0 => generate::store(rng, LARGER),
            1 => sizes::store(rng),
            _ => generate::store(rng, LIMITS),
        };
        // Another stream than the store's, so that roles do not depend on how it was drawn.
        item(&store, &mut Generator::new(!args.seed, case))
    })
}

fn item(store: &[Constraint], rng: &mut Generator) -> String {
    let mut lines = Lines::default();
    lines.list("given", store);
    let mut solver = Solver::new();
    let taken = solver.extend(store);
    let stats = solver.stats();
    let rules = Rule::ALL.into_iter().map(|rule| (rule, stats.count(rule)));
    let rules = rules.filter(|(_, count)| *count > 0).map(|(rule, n)| format!("{rule} {n}"));
    lines.add("steps", format!("{}: {}", stats.steps(), rules.collect::<Vec<_>>().join(", ")));
    match taken {
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
fn of_solved(lines: &mut Lines, store: &[Constraint], solver: &Solver, rng: &mut Generator) {
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
                lines.list("note", closed.notes().iter().map(|note| names.show(note)));
                lines.list("commits", closed.commitments().iter().map(|of| names.show(of)));
                lines.list("requires", closed.requirements().iter().map(|of| names.show(&of.0)));
            }
        }
    }
    let vars = Vars::of(store);
    let dims = vars.dims.into_iter().map(Variable::Dim);
    for var in dims.chain(vars.rows.into_iter().map(Variable::Row)) {
        let Some(chain) = why(&form, var) else { continue };
        lines.add("why", names.show(&var));
        lines.list("  of", &chain.constraints);
        lines.add("  by", format!("\n{}", names.show(&chain.derivation)));
    }
}
