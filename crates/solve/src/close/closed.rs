//! A program that is closed.

use alloc::{boxed::Box, vec::Vec};

use crate::{Solver, tables::ids::GivenId};
use lozenge_calculus::{
    constraint::OriginId,
    size::{Requirement, Sizes},
    term::Grounding,
};

use super::choice::{Asked, Commitment, Note};

/// A value for every variable, and how it came about.
#[derive(Clone, Debug)]
pub struct Closed {
    pub(super) grounding: Grounding,
    /// What sizes are that are no numbers, and what has to hold of them.
    pub(super) sizes: Sizes,
    pub(super) requirements: Vec<(Requirement, Vec<OriginId>)>,
    /// What is declared to hold of them.
    pub(super) facts: Vec<Requirement>,
    pub(super) notes: Vec<Note>,
    /// The solver with all commitments made, if there are any.
    pub(super) solver: Option<Box<Solver>>,
    /// What each given constraint from here on committed.
    pub(super) first: GivenId,
    pub(super) commitments: Vec<Commitment>,
    /// What asked for each of them.
    pub(super) asked: Vec<Asked>,
}

impl Closed {
    /// The value of every variable of the program.
    pub fn grounding(&self) -> &Grounding {
        &self.grounding
    }

    /// What the sizes are that are no numbers.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// What has to hold of named sizes, each with where the constraints come from that ask for it.
    pub fn requirements(&self) -> &[(Requirement, Vec<OriginId>)] {
        &self.requirements
    }

    /// Takes it for declared that this holds of named sizes: what follows from it is not asked
    /// again.
    pub fn assume(&mut self, facts: Vec<Requirement>) {
        let sizes = &self.sizes;
        let all: Vec<&Requirement> = facts.iter().collect();
        let follows = |asked: &Requirement| sizes.follows_from(asked, &all);
        self.requirements.retain(|(asked, _)| !follows(asked));
        self.facts = facts;
    }

    /// What is declared to hold of named sizes.
    pub fn facts(&self) -> &[Requirement] {
        &self.facts
    }

    /// What is worth knowing.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// What was committed, in order.
    pub fn commitments(&self) -> &[Commitment] {
        &self.commitments
    }

    /// How many commitments of leaves could not stand.
    pub fn demotions(&self) -> usize {
        self.notes.iter().filter(|note| matches!(note, Note::Demoted(_))).count()
    }
}
