//! Parts of a program that share nothing: no variable, no name, no tensor.
//!
//! What is chosen in one must not depend on what else there is, so each is coloured by itself.

use std::ops::Range;

use lozenge_calculus::{constraint::Constraint, term::RowTerm, union_find::UnionFind};

use super::pieces::{Piece, pieces, pieces_of_rows};
use crate::session::program::Program;

/// A constraint, the step that asks it, and how far that is from the terminals.
pub(super) struct Asked {
    pub(super) step: usize,
    pub(super) height: u32,
    pub(super) constraint: Constraint,
}

/// Which part everything belongs to.
pub(super) struct Parts {
    /// By step; those that begin first come first.
    pub(super) of_steps: Vec<usize>,
    /// By variable or name; one that nothing mentions belongs to none.
    pub(super) of_nodes: Vec<Option<usize>>,
    pub(super) count: usize,
}

impl Parts {
    /// The parts of a program; `nodes` is the number of its variables and names.
    pub(super) fn new(
        program: &Program,
        nodes: usize,
        begins: &[usize; 3],
        asked: &[Asked],
        tensors: &[(usize, [RowTerm; 3])],
        operands: &[[usize; 2]],
    ) -> Parts {
        // Steps, and behind them variables and names.
        let steps = program.steps.len();
        let mut classes = UnionFind::new(steps + nodes);
        let mut join = |step: usize, piece: Piece| {
            if let Piece::Node(node) = piece {
                classes.union(step, steps + node);
            }
        };
        for Asked { step, constraint, .. } in asked {
            pieces(&constraint.relation, begins, |_, _, piece| join(*step, piece));
        }
        for (step, rows) in tensors {
            pieces_of_rows(rows, begins, |_, _, piece| join(*step, piece));
        }
        for [step, operand] in operands {
            classes.union(*step, *operand);
        }
        let mut count = 0;
        let mut numbers = vec![None; steps + nodes];
        let mut of_steps = Vec::with_capacity(steps);
        for step in 0..steps {
            let number = numbers[classes.find(step)].get_or_insert_with(|| {
                count += 1;
                count - 1
            });
            of_steps.push(*number);
        }
        let of_nodes = (0..nodes).map(|node| numbers[classes.find(steps + node)]).collect();
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

/// Things in the order of their keys, those of one key as they were. A key is made once for each,
/// and keys are compared and moved where things are large.
pub(super) fn sorted<T, K: Ord>(things: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut order: Vec<(K, usize)> =
        things.iter().enumerate().map(|(place, thing)| (key(thing), place)).collect();
    if order.is_sorted() {
        return things;
    }
    order.sort_unstable();
    let mut things: Vec<Option<T>> = things.into_iter().map(Some).collect();
    order.into_iter().filter_map(|(_, place)| things[place].take()).collect()
}
