//! Loop nests against plain enumeration.
//!
//! Sets of equations, operations drawn as constraints, specifications through sessions, and whole programs.
//! What they mean is computed a second time, as plainly as it is defined: the least equivalence by closing a
//! matrix, the product space by visiting all values, coverage by counting the writes of every cell.

mod check;
mod cover;
mod equations;
mod lemma;
mod model;
mod operation;
mod plain;
mod sound;

use std::collections::BTreeMap;

use lozenge::{Report, diagnostic::Code};
use lozenge_calculus::constraint::Constraint;
use lozenge_project::{Index, NoLoops, Record, project};

use self::model::Model;
pub use self::{cover::Covered, equations::Solved};
use crate::{Generator, Mismatch, mismatch::counts, programs::Nests};

/// In every how manyth case a program is drawn; each has many operations.
const PROGRAMS: u64 = 10;

counts! {
    /// What was drawn and visited.
    pub struct Counts {
        pub equations: Solved,
        pub operations: u64,
        pub coupled: u64,
        pub padded: u64,
        /// Operations and specifications with a valid window that reaches past the end of its axis.
        pub past_end: [u64; 2],
        pub points: u64,
        pub pairs: u64,
        pub shuffled: u64,
        pub renamed: u64,
        pub conflicts: BTreeMap<&'static str, u64>,
        pub covered: Covered,
        pub covered_operations: Covered,
        pub covered_programs: Covered,
        pub forms: BTreeMap<&'static str, u64>,
        pub refused: u64,
        pub unwritten: BTreeMap<String, u64>,
        pub programs: u64,
        pub nests: Nests,
    }
}

impl Counts {
    fn conflict(&mut self, conflict: &NoLoops) {
        let name = match conflict {
            NoLoops::Sizes(_) => "sizes",
            NoLoops::Pins(..) => "pins",
            NoLoops::OutOfBounds(_) => "out of bounds",
            NoLoops::Derived(_) => "derived",
            NoLoops::Cyclic(_) => "cyclic",
            NoLoops::Nested(_) => "nested",
            NoLoops::Ambiguous(_) => "ambiguous",
            NoLoops::Unread(_) => "unread",
            NoLoops::Nowhere => "nowhere",
            NoLoops::Crossed(_) => "crossed",
            NoLoops::Start(_) => "begins",
            NoLoops::Repeated(_) => "repeated",
            _ => "other",
        };
        *self.conflicts.entry(name).or_default() += 1;
    }

    /// Counts what the maps of a record are made of.
    fn forms(&mut self, record: &Record) {
        for axis in record.slots().flat_map(|slot| record.map(slot)) {
            let name = match &axis.index {
                Index::Iter(_) => "iter",
                Index::Fix(_) => "fix",
                Index::Symbol(_) => "symbol",
                Index::Affine(_) if axis.margin.is_some() => "padded",
                Index::Affine(_) => "affine",
                Index::Concat(_) => "concat",
                Index::Merged(_) => "merged",
                Index::Digit(_) => "digit",
            };
            *self.forms.entry(name).or_default() += 1;
        }
    }

    fn is_of_loops(code: Code) -> bool {
        matches!(code, Code::NoLoops | Code::AmbiguousParts | Code::ExcludedParts)
    }

    fn unwritten(&mut self, said: &str) {
        let said: String = said.chars().filter(|c| !c.is_ascii_digit()).collect();
        *self.unwritten.entry(said).or_default() += 1;
    }
}

/// What a random operation asks, and its loop nest, or what is the matter with it.
pub fn operation(rng: &mut Generator) -> (Vec<Constraint>, Result<Record, NoLoops>) {
    let drawn = check::drawn(rng);
    let made = project(&drawn.closed());
    (drawn.constraints, made)
}

/// A random specification with the shapes of its operands, and its loop nest.
pub fn specification(rng: &mut Generator) -> (String, Result<Record, Report>) {
    let model = Model::draw(rng);
    let shapes: Vec<String> = (0..model.slots.len()).map(|slot| model.shape(slot)).collect();
    let text = format!("{} of {}", model.text(), shapes.join("; "));
    (text, check::in_session(&model).map(|(record, _)| record))
}

/// Draws a set of equations, an operation, a specification and sometimes a program, and holds the loops
/// of each against plain enumeration. Each has a generator of its own, so that it can be drawn alone.
///
/// # Errors
/// When a record is not what is visited.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    type Check = fn(&mut Generator, &mut Counts) -> anyhow::Result<()>;
    let checks: [(&str, Check, u64); 4] = [
        ("equations", |rng, counts| equations::check(rng, &mut counts.equations), 1),
        ("operation", check::operation, 1),
        ("specification", check::specification, 1),
        ("program", lemma::check, PROGRAMS),
    ];
    let mut wrong = vec![];
    for (name, check, every) in checks {
        if rng.case() % every == 0 {
            if let Err(error) = check(&mut rng.clone(), counts) {
                wrong.push(format!("{name}: {error:#}"));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
