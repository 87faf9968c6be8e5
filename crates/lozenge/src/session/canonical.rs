//! An order of a program's steps that does not depend on the order in which it was built.
//!
//! Most of what a solver finds follows from the constraints and from nothing else. Where it has to choose,
//! the place of a marker or a size that relations leave open, it chooses in program order. So that a
//! program means the same however it was built, it is then solved once more in this order: terminals as
//! they were declared, since leaves commit in that order, then operations by how far they are from the
//! terminals, by what they are, by their operands, and by what uses them.
//!
//! DIVERGENCE(program order): the design takes the order of building for the program's. Two people who
//! write the same operations in another order would then get other shapes.

use lozenge_core::{
    constraint::Constraint,
    solve::{Rejection, Solver},
};

use super::{Session, program::Program};
use crate::Spec;

impl Session {
    /// The solver of the same program, and of the batch under way, in the order that does not depend on how
    /// it was built.
    pub(super) fn in_canonical_order(&self) -> Result<Solver, Rejection> {
        let mut all: Vec<Constraint> =
            self.solver.given().chain(self.batch.iter().cloned()).collect();
        all.sort_by_key(|constraint| constraint.origin);
        let mut solver = Solver::with_options(self.solver.options());
        for step in canonical_order(&self.program) {
            let asked = self.program.origins_of(step);
            let from = all.partition_point(|constraint| constraint.origin.index() < asked.start);
            let to = all.partition_point(|constraint| constraint.origin.index() < asked.end);
            if from < to {
                solver.extend(&all[from..to])?;
            }
        }
        Ok(solver)
    }
}

/// The steps in canonical order.
fn canonical_order(program: &Program) -> Vec<u32> {
    let count = program.len();
    let mut heights: Vec<u32> = Vec::with_capacity(program.steps.len());
    for step in 0..count {
        let of_operand = |operand: &u32| heights[*operand as usize].saturating_add(1);
        let height = program.operands_of(step).iter().map(of_operand).max();
        // What is only said comes last: it may be of anything.
        let is_said = !program.steps[step as usize].has_result;
        heights.push(if is_said { u32::MAX - 1 } else { height.unwrap_or(0) });
    }
    let uses = uses(program);
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_by_key(|step| heights[*step as usize]); // stable
    // Where each step is in the order, once that is known.
    let mut places = vec![0_usize; program.steps.len()];
    let mut from = 0;
    while let Some(first) = order.get(from) {
        let height = heights[*first as usize];
        let to = order.partition_point(|step| heights[*step as usize] <= height);
        if height > 0 {
            let key = |step: &u32| {
                let operation = &program.steps[*step as usize].operation;
                let text = operation.spec().map(Spec::text);
                let operands = program.operands_of(*step).iter();
                let operands: Vec<usize> = operands.map(|o| places[*o as usize]).collect();
                (operation.name(), text, operands, uses[*step as usize])
            };
            // Stable: what is alike in all of this stays as it was built.
            order[from..to].sort_by(|one, other| key(one).cmp(&key(other)));
        }
        for (place, step) in order.iter().enumerate().take(to).skip(from) {
            places[*step as usize] = place;
        }
        from = to;
    }
    order
}

/// For every step a number that tells how it is used: alike for those that are used alike.
fn uses(program: &Program) -> Vec<u64> {
    let mut uses = vec![0_u64; program.steps.len()];
    for step in (0..program.len()).rev() {
        let operation = &program.steps[step as usize].operation;
        let text = operation.spec().map_or("", |spec| spec.text());
        let own = operation.name().bytes().chain(text.bytes());
        let own = own.fold(mixed(uses[step as usize]), |all, byte| mixed(all ^ u64::from(byte)));
        for (place, operand) in (1..).zip(program.operands_of(step)) {
            // A sum, so that it does not matter which use came first.
            let used = &mut uses[*operand as usize];
            *used = used.wrapping_add(mixed(own ^ place));
        }
    }
    uses
}

/// A number that looks like no other.
fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}
