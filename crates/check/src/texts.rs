//! Any text: it is read, or refused with places inside it, and what is read can be worked with.
//!
//! The fuzz targets `text`, `spec` and `solve` hold their inputs to this. Checkers draw texts of
//! their own: of something that can be read, with mistakes.

use anyhow::{Context, anyhow, ensure};
use lozenge_calculus::{
    constraint::{Constraint, Vars},
    judge::Judge,
    size::{Decision as Sized, Interval, SizeSymbol},
    text::Names,
};
use lozenge_diagnostic::{Diagnostic, Look, Sources, concise, full, json};
use lozenge_notation::{Dialect, parse, parse_as, parse_shape};
use lozenge_solve::{
    Exhausted, SolveError, Solver,
    close::{Note, Policy, Role, Roles, close},
    decide::{Decision, Effort, decide_with},
    testing::{same_state, verify},
};

use crate::{Generator, Mismatch, generate, mismatch::counts, sizes, spec_check, stores::LIMITS};

counts! {
    /// What became of texts.
    pub struct Counts {
        /// The texts that were read.
        pub read: u64,
        /// The texts in which something is wrong.
        pub refused: u64,
    }
}

impl Counts {
    /// Counts a text that was read, or one that was not.
    pub(crate) fn add(&mut self, is_read: bool) {
        *(if is_read { &mut self.read } else { &mut self.refused }) += 1;
    }
}

/// Draws constraints with mistakes, and holds their text to [`hold_constraints`].
///
/// # Errors
/// What does not hold of it.
pub fn check_constraints(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let mut names = Names::new();
    let count = rng.usize(0..4);
    let store: Vec<_> = (0..count).map(|_| generate::wild_constraint(rng, &mut names)).collect();
    let text = lines(store.iter().map(|constraint| names.show(constraint).to_string()));
    let text = mistaken(rng, &text, CONSTRAINTS);
    counts.add(hold_constraints(&text).map_err(|what| of_text(&what, &text))?);
    Ok(())
}

/// Draws a specification or a shape with mistakes, and holds its text to [`hold_specification`].
///
/// # Errors
/// What does not hold of it.
pub fn check_specification(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let text =
        if rng.u8(..4) == 0 { spec_check::shape_text(rng) } else { spec_check::spec_text(rng) };
    let text = mistaken(rng, &text, NOTATION);
    counts.add(hold_specification(&text).map_err(|what| of_text(&what, &text))?);
    Ok(())
}

/// Draws constraints with mistakes, and holds the solver to [`hold_solver`] on their text.
///
/// # Errors
/// What does not hold of it.
pub fn check_solver(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let store = if rng.bool() { generate::store(rng, LIMITS) } else { sizes::store(rng) };
    let text = lines(store.iter().map(|constraint| constraint.relation.to_string()));
    let text = mistaken(rng, &text, CONSTRAINTS);
    counts.add(hold_solver(&text).map_err(|what| of_text(&what, &text))?);
    Ok(())
}

/// Parses a text as constraints: it is refused with a span inside it, or prints and parses back.
/// Gives whether it is read.
///
/// # Errors
/// What does not hold.
pub fn hold_constraints(text: &str) -> anyhow::Result<bool> {
    let mut names = Names::new();
    let store = match names.parse_store(text) {
        Ok(store) => store,
        Err(error) => {
            ensure!(text.get(error.span.clone()).is_some(), "{error}: {:?}", error.span);
            ensure!(!error.to_string().is_empty(), "refused without a word");
            return Ok(false);
        }
    };
    let printed = lines(store.iter().map(|constraint| names.show(constraint).to_string()));
    let again = names.parse_store(&printed).with_context(|| printed.clone())?;
    ensure!(again == store, "prints as {printed}");
    Ok(true)
}

/// Parses a text in both dialects and as a shape: spans lie inside it, every form of every
/// diagnostic renders, every edit applies, and what parses prints and parses back. Gives whether it
/// is a specification.
///
/// # Errors
/// What does not hold.
pub fn hold_specification(text: &str) -> anyhow::Result<bool> {
    let mut is_read = false;
    for dialect in [Dialect::Lozenge, Dialect::Numpy] {
        let parsed = parse_as(text, dialect);
        hold_diagnostics(text, &parsed.diagnostics)?;
        let Ok(spec) = parsed.ok() else { continue };
        is_read = true;
        let printed = spec.to_string();
        let again = parse(&printed).ok().map_err(|said| anyhow!("{printed}: {said}"))?;
        ensure!(again.same(&spec), "prints as {printed}");
        ensure!(again.to_string() == printed, "{printed} prints as {again}");
        if let Err(said) = spec.fit(&[]).and(spec.bind(|_| Some(3)).map(|_| ())) {
            hold_diagnostics(spec.text(), &said.diagnostics)?;
        }
    }
    let parsed = parse_shape(text);
    hold_diagnostics(text, &parsed.diagnostics)?;
    if let Ok(shape) = parsed.ok() {
        let printed = shape.to_string();
        let again = parse_shape(&printed).ok().map_err(|said| anyhow!("{printed}: {said}"))?;
        ensure!(again.to_string() == printed, "the shape {printed} prints as {again}");
    }
    Ok(is_read)
}

fn hold_diagnostics(text: &str, diagnostics: &[Diagnostic]) -> anyhow::Result<()> {
    let sources = Sources::new().with("spec", text);
    for said in diagnostics {
        let spans = said.labels.iter().map(|label| label.place.span);
        let edits = said.helps.iter().flat_map(|help| &help.edits).map(|edit| edit.place.span);
        for span in spans.chain(edits) {
            ensure!(text.get(span.range()).is_some(), "{}: {span:?}", said.code);
        }
        let line = concise(said, &sources);
        ensure!(!line.contains('\n'), "more than a line: {line}");
        ensure!(!full(said, &sources, Look::PLAIN).is_empty(), "{}: no words", said.code);
        said.helps.iter().for_each(|help| drop(help.apply(text)));
    }
    ensure!(!json(diagnostics, &sources).is_empty(), "no JSON");
    Ok(())
}

/// Takes the constraints of a text one after another, with ranges of names of one value, of few,
/// and with 0: each is taken or rejected within the budget; what is taken without deferrals is
/// satisfied by γ↑, what is closed or decided is satisfied, and what was rolled back is as if it
/// had never been. Gives whether the text is read and all of it taken.
///
/// # Errors
/// What does not hold.
pub fn hold_solver(text: &str) -> anyhow::Result<bool> {
    let Ok(store) = Names::new().parse_store(text) else { return Ok(false) };
    let blank = ranged(text);
    let mut solver = blank.clone();
    let mut taken = vec![];
    for constraint in &store {
        match solver.extend([constraint]) {
            Ok(()) => taken.push(constraint.clone()),
            Err(SolveError::Conflict(conflict)) => {
                ensure!(!conflict.to_string().is_empty(), "rejected without a word");
            }
            // Whoever multiplies large sizes gets some that cannot be.
            Err(SolveError::Exhausted(Exhausted::Sizes)) => {}
            Err(SolveError::Exhausted(what)) => return Err(anyhow!("{what}")),
        }
    }
    verify(&solver).map_err(|what| anyhow!("{what:?}"))?;
    hold_solution(&solver, &taken)?;
    match decide_with(&blank, &store, &mut Effort::of(50)) {
        Decision::Satisfiable(found) => {
            let (sizes, ground) = (&found.sizes, &found.grounding);
            let holds = Judge::OneShot.satisfies_all_with(sizes, ground, &store);
            ensure!(holds, "decided by what does not satisfy it: {ground}");
        }
        Decision::Unsatisfiable(_) => {
            let is_open = taken.len() < store.len() || !solver.deferred().is_none();
            ensure!(is_open, "solved, and yet unsatisfiable");
        }
        Decision::Beyond => {}
    }
    // With the same table: sizes that a refused constraint computed keep their place, since its
    // conflict shows them.
    let mut fresh = solver.blank();
    for constraint in &taken {
        fresh.extend([constraint]).map_err(|what| anyhow!("taken before, and now {what}"))?;
    }
    ensure!(same_state(&fresh, &solver), "what was rejected left something behind");
    Ok(taken.len() == store.len())
}

/// Whether what a solver says of the constraints that it took satisfies them.
fn hold_solution(solver: &Solver, taken: &[Constraint]) -> anyhow::Result<()> {
    if solver.deferred().is_none() {
        let greatest = solver.solved().greatest();
        let holds = Judge::OneShot.satisfies_all_with(solver.sizes(), &greatest, taken);
        ensure!(holds, "γ↑ is no solution: {greatest}");
    }
    let rows = Vars::of(taken).rows;
    let roles = Roles::new(rows.into_iter().map(|var| (var, Role::Leaf)));
    if let Ok(closed) = close(&solver.solved(), &roles, Policy::Default) {
        let is_decided = !closed.notes().iter().any(|note| matches!(note, Note::Undecided(_)));
        let (sizes, ground) = (closed.sizes(), closed.grounding());
        let holds = !is_decided || Judge::OneShot.satisfies_all_with(sizes, ground, taken);
        ensure!(holds, "closed to what is no solution: {ground}");
    }
    for (requirement, origins) in solver.equations().requirements() {
        ensure!(!origins.is_empty(), "a requirement of nothing: {requirement:?}");
        let decided = solver.sizes().clone().decide_requirement(&requirement);
        let is_open = !matches!(decided, Sized::Always | Sized::Never);
        ensure!(is_open, "a requirement that is decided: {requirement:?}: {decided:?}");
    }
    Ok(())
}

/// A solver that knows the ranges of names, others for each text.
fn ranged(text: &str) -> Solver {
    const RANGES: [(i128, Option<i128>); 5] =
        [(1, None), (0, Some(4)), (2, Some(2)), (3, Some(64)), (2, None)];
    let mut solver = Solver::new();
    let mut drawn =
        text.bytes().fold(0, |sum: usize, byte| sum.wrapping_mul(31) + usize::from(byte));
    for name in 0..4 {
        let (low, high) = RANGES[drawn % RANGES.len()];
        solver.set_range(SizeSymbol::new(name), Interval { low: Some(low), high });
        drawn /= RANGES.len();
    }
    solver
}

/// The pieces of the two languages that the fuzzer puts into texts.
const CONSTRAINTS: &str = include_str!("../../../fuzz/words/constraints");
const NOTATION: &str = include_str!("../../../fuzz/words/notation");

/// A text with up to three mistakes: pieces that are left out, doubled, or of the language.
fn mistaken(rng: &mut Generator, text: &str, words: &str) -> String {
    let words: Vec<&str> =
        words.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"')).collect();
    let mut signs: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(0..4) {
        let at = rng.usize(0..=signs.len());
        let end = signs.len().min(at + rng.usize(1..6));
        let piece: Vec<char> = match rng.u8(..3) {
            0 => vec![],
            1 => signs[at..end].repeat(2),
            _ => words[rng.usize(..words.len())].replace("\\x0a", "\n").chars().collect(),
        };
        let end = if rng.bool() { end } else { at };
        signs.splice(at..end, piece);
    }
    signs.into_iter().collect()
}

fn lines(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join("\n")
}

fn of_text(what: &anyhow::Error, text: &str) -> Mismatch {
    format!("{what:#}\n    {}", text.replace('\n', "\n    ")).into()
}
