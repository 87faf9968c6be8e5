//! Loop nests against plain enumeration.
//!
//! Sets of equations, operations drawn as constraints, specifications through sessions, and whole
//! programs. What they mean is computed a second time, as plainly as it is defined: the least
//! equivalence by closing a matrix, the product space by visiting all values, coverage by counting
//! the writes of every cell.

mod check;
mod counts;
mod cover;
mod equations;
mod lemma;
mod model;
mod operation;
mod plain;
mod second;
mod sound;

use lozenge::Report;
use lozenge_calculus::constraint::Constraint;
use lozenge_project::{NoLoops, Record, project};

use self::model::Model;
pub use self::{counts::Counts, cover::Covered, equations::Solved};
use crate::{Generator, Mismatch};

/// In every how manyth case a program is drawn; each has many operations.
const PROGRAMS: u64 = 10;

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

/// Draws a set of equations, an operation, a specification and sometimes a program, and holds the
/// loops of each against plain enumeration. Each has a generator of its own, so that it can be
/// drawn alone.
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
