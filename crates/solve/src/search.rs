//! The one backtracking search: the cases of a choice are tried in order, each with all choices
//! that follow it.
//!
//! Closing searches for [extents of rows that wait](crate::close) and for sizes that fit together,
//! and [deciding](crate::decide) for a case without a conflict. What they choose is a [`Tree`];
//! that each case is paid for, entered and left, and that what refutes a case may refute the
//! choices before it, is here.
//!
//! A search is recursive, so each tree bounds how many choices are made one in another.

use core::ops::ControlFlow;

use crate::Exhausted;

/// What becomes of a node, or of a case.
pub(crate) enum Outcome<Found, Why> {
    /// It leads to a solution.
    Solution(Found),
    /// It leads to none, because of this.
    Refuted(Why),
    /// It was not found out within the bound.
    Beyond,
}

/// What becomes of a node of a tree.
pub(crate) type OutcomeOf<T> = Outcome<<T as Tree>::Found, <T as Tree>::Why>;

/// A node of a tree, as it was looked at.
pub(crate) enum Node<T: Tree + ?Sized> {
    /// Nothing is to be chosen.
    Leaf(OutcomeOf<T>),
    /// This is to be chosen.
    Choose(T::Choice),
}

/// A case, as it was entered.
pub(crate) enum Entered<T: Tree + ?Sized> {
    /// What follows decides.
    Node,
    /// Entering decided.
    Leaf(OutcomeOf<T>),
    /// Neither this case nor one after it is to be tried.
    Last,
}

/// What a search chooses among. A tree is at one node at a time.
pub(crate) trait Tree {
    /// What is chosen at a node, and what is known of its cases.
    type Choice;
    /// What can be chosen.
    type Case: Copy;
    /// How to go back to the node from a case.
    type Mark;
    /// What a solution is.
    type Found;
    /// Why there is none.
    type Why;

    /// Looks at the node.
    fn look(&mut self) -> Result<Node<Self>, Exhausted>;

    /// The next case of a choice; none where no other can help.
    fn next(&mut self, choice: &mut Self::Choice) -> Option<Self::Case>;

    /// Pays for a case, if the bound allows one more.
    fn pay(&mut self) -> bool;

    /// Goes from the node into a case.
    fn enter(
        &mut self,
        choice: &Self::Choice,
        case: Self::Case,
    ) -> Result<(Self::Mark, Entered<Self>), Exhausted>;

    /// Goes back to the node, or stays where the solution is.
    fn leave(&mut self, choice: &Self::Choice, mark: Self::Mark, is_solution: bool);

    /// Takes in what became of a case: that may be what becomes of the node.
    fn learn(
        &mut self,
        choice: &mut Self::Choice,
        case: Self::Case,
        outcome: OutcomeOf<Self>,
    ) -> ControlFlow<OutcomeOf<Self>>;

    /// What becomes of the node when no case is left.
    fn end(&mut self, choice: Self::Choice) -> OutcomeOf<Self>;
}

/// Searches a tree from the node at which it is.
///
/// # Errors
/// When the budget of the solver runs out. The tree is then at the node where it was.
pub(crate) fn search<T: Tree>(tree: &mut T) -> Result<OutcomeOf<T>, Exhausted> {
    let mut choice = match tree.look()? {
        Node::Leaf(outcome) => return Ok(outcome),
        Node::Choose(choice) => choice,
    };
    while let Some(case) = tree.next(&mut choice) {
        let outcome = if tree.pay() {
            let (mark, entered) = tree.enter(&choice, case)?;
            let outcome = match entered {
                Entered::Node => search(tree),
                Entered::Leaf(outcome) => Ok(outcome),
                Entered::Last => {
                    tree.leave(&choice, mark, false);
                    break;
                }
            };
            tree.leave(&choice, mark, matches!(outcome, Ok(Outcome::Solution(_))));
            outcome?
        } else {
            Outcome::Beyond
        };
        if let ControlFlow::Break(outcome) = tree.learn(&mut choice, case, outcome) {
            return Ok(outcome);
        }
    }
    Ok(tree.end(choice))
}

/// How many cases closing may try, and how many choices it may make one in another.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// The cases that may still be tried.
    pub(crate) tries: u32,
    /// The choices that may be made: each takes some of the stack.
    pub(crate) depth: usize,
}

impl Bound {
    /// Pays for a case, if one more may be tried.
    pub(crate) fn pay(&mut self) -> bool {
        let left = self.tries.checked_sub(1);
        self.tries = left.unwrap_or(self.tries);
        left.is_some()
    }
}
