//! What can be wrong with a program, and the programs that show it.

use std::{collections::BTreeMap, fmt};

use crate::Tally;

use super::{
    model::Program,
    spelling::{Spelling, Transformation},
    text::text,
};

/// A kind of mismatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A spelling of a program has a step refused that the plain spelling has not.
    Refused(Transformation),
    /// A spelling closes to other shapes.
    Shapes(Transformation),
    /// A spelling closes to the same shapes with other markers.
    Markers(Transformation),
    /// A spelling closes and the plain one does not, or they do not for different reasons.
    Codes(Transformation),
    /// A program with a refused step has none in this spelling.
    Accepted(Transformation),
    /// The last step is refused in this spelling too, with another code.
    RefusalCode(Transformation),
    /// A constraint of a closed program does not hold.
    Judge,
    /// Whether a constraint of a closed program holds depends on sizes that stay symbolic.
    JudgeUnknown,
    /// A template row is not within its operand.
    NotWithin,
    /// Two uses of the same operation on the same operands have two shapes.
    Twice,
    /// Two uses of a specification on the same operands, with other sizes in `{…}`, have two
    /// shapes.
    Twins,
    /// An operation of a closed program has no loop nest.
    Nest,
    /// Reading half-way changes what the program closes to.
    Reading,
    /// A step that was refused changes what the program closes to, or is taken when tried again.
    Trace,
    /// A part that has nothing to do with the rest closes otherwise alone.
    Apart,
    /// Two threads get two answers.
    Threads,
    /// It panicked.
    Panic,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, of) = match self {
            Kind::Refused(of) => ("refused in another spelling", Some(of)),
            Kind::Shapes(of) => ("other shapes", Some(of)),
            Kind::Markers(of) => ("the same shapes, broadcast elsewhere", Some(of)),
            Kind::Codes(of) => ("closed, or refused to be closed, otherwise", Some(of)),
            Kind::Accepted(of) => ("what is refused is accepted", Some(of)),
            Kind::RefusalCode(of) => ("refused with another code", Some(of)),
            Kind::Judge => ("closed to what does not hold", None),
            Kind::JudgeUnknown => ("closed to what nobody knows to hold", None),
            Kind::NotWithin => ("a template row not within its operand", None),
            Kind::Twice => ("the same operation twice, two shapes", None),
            Kind::Twins => ("the same operation with and without {…}, two shapes", None),
            Kind::Nest => ("no loop nest", None),
            Kind::Reading => ("reading commits", None),
            Kind::Trace => ("a refused step leaves a trace", None),
            Kind::Apart => ("what has nothing to do with it matters", None),
            Kind::Threads => ("two threads meet", None),
            Kind::Panic => ("a panic", None),
        };
        match of {
            Some(of) => write!(f, "{what}: {}", of.name()),
            None => f.write_str(what),
        }
    }
}

/// A program that shows a mismatch.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: Kind,
    pub program: Program,
    /// The spelling in which it differs, where the mismatch is between two.
    pub other: Option<Box<Spelling>>,
    /// What is found in the plain spelling, and in the other.
    pub said: [String; 2],
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = text(&Spelling::plain(&self.program));
        writeln!(f, "{}\n```program\n{plain}\n```\n{}", self.kind, self.said[0])?;
        if let Some(other) = &self.other {
            writeln!(f, "```program\n{}\n```\n{}", text(other), self.said[1])?;
        }
        Ok(())
    }
}

/// The mismatches of many programs: how many of each kind, and the smallest programs.
#[derive(Default, Debug)]
pub struct Failures {
    pub counts: BTreeMap<Kind, u64>,
    /// A few of each kind, those of the fewest steps, each with its case.
    pub smallest: BTreeMap<Kind, Vec<(u64, Failure)>>,
}

/// The most programs of a kind that are kept.
const KEPT: usize = 4;

impl Failures {
    pub fn add(&mut self, case: u64, failure: Failure) {
        *self.counts.entry(failure.kind).or_default() += 1;
        self.keep(case, failure);
    }

    fn keep(&mut self, case: u64, failure: Failure) {
        let kept = self.smallest.entry(failure.kind).or_default();
        kept.push((case, failure));
        // By size and case, so that it does not matter which core drew them.
        kept.sort_by_key(|(case, failure)| (failure.program.steps.len(), *case));
        kept.truncate(KEPT);
    }

    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl Tally for Failures {
    fn merge(&mut self, part: Failures) {
        part.counts.iter().for_each(|(kind, n)| *self.counts.entry(*kind).or_default() += n);
        for (case, failure) in part.smallest.into_values().flatten() {
            self.keep(case, failure);
        }
    }
}
