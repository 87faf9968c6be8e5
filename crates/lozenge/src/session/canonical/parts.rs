//! Parts of a program that share nothing: no variable, no name, no tensor.
//!
//! What is chosen in one must not depend on what else there is, so each is coloured by itself.

use std::ops::Range;

use lozenge_core::{
    constraint::{Constraint, Joined},
    term::RowTerm,
};

use super::pieces::{Piece, pieces, pieces_of_rows};
use crate::session::program::Program;

/// Which part everything belongs to.
pub(super) struct Parts {
    /// By step; those that begin first come first.
    pub(super) of_steps: Vec<usize>,
    /// By variable or name; one that nothing mentions belongs to none.
    pub(super) of_nodes: Vec<Option<usize>>,
    pub(super) count: usize,
}

impl Parts {
    /// The parts of a program with so many variables and names.
    pub(super) fn new(
        program: &Program,
        nodes: usize,
        begins: &[usize; 3],
        asked: &[(u32, Constraint)],
        tensors: &[(usize, [RowTerm; 3])],
        operands: &[[usize; 2]],
    ) -> Parts {
        // Steps, and behind them variables and names.
        let steps = program.steps.len();
        let mut joined = Joined::alone(steps + nodes);
        let mut join = |step: usize, piece: Piece| {
            if let Piece::Node(node) = piece {
                joined.join(step, steps + node);
            }
        };
        for (_, constraint) in asked {
            let (step, _) = program.origin(constraint.origin);
            pieces(&constraint.relation, begins, &mut |_, _, piece| join(step as usize, piece));
        }
        for (step, rows) in tensors {
            pieces_of_rows(rows, begins, &mut |_, _, piece| join(*step, piece));
        }
        for [step, operand] in operands {
            joined.join(*step, *operand);
        }
        let mut count = 0;
        let mut numbers = vec![None; steps + nodes];
        let mut of_steps = Vec::with_capacity(steps);
        for step in 0..steps {
            let number = numbers[joined.first(step)].get_or_insert_with(|| {
                count += 1;
                count - 1
            });
            of_steps.push(*number);
        }
        let of_nodes = (0..nodes).map(|node| numbers[joined.first(steps + node)]).collect();
        Parts { of_steps, of_nodes, count }
    }

    /// Puts things in the order of their parts, and says which are of which.
    pub(super) fn group<T>(
        &self,
        things: &mut [T],
        part: impl Fn(&T) -> usize,
    ) -> Vec<Range<usize>> {
        things.sort_by_key(&part); // stable
        let mut ends = Vec::with_capacity(self.count);
        let mut begin = 0;
        for number in 0..self.count {
            let len = things[begin..].iter().take_while(|thing| part(thing) == number).count();
            ends.push(begin..begin + len);
            begin += len;
        }
        ends
    }
}
