//! `programs`: random programs through sessions, and what must not change their shapes.
//!
//! A program is drawn step by step; a step that its session refuses is left out. Its closed shapes are then
//! held against those of the same program built otherwise: its operations in another order, with every
//! shape read half-way, with the refused steps tried again in between, beside another session in another
//! thread. Every row of every einsum is held against the one-shot sandwich of Remark 2.15, and every operation of
//! a program that closes has its loop nest, which is Lemma 7.7.

mod draw;
mod nests;

use std::thread;

use anyhow::ensure;
use fastrand::Rng;
use lozenge::{Closed, Rejection, Session, Tensor, diagnostic::Code};
use lozenge_core::{
    constraint::{Constraint, Relation},
    judge::Judge,
};

use crate::{Cases, percent};
use draw::{Step, draw_step};
pub(crate) use nests::{Nests, check as check_nests};

/// A program that was drawn: the steps that were taken, and those that were refused and when.
pub(crate) struct Drawn {
    pub(crate) steps: Vec<Step>,
    /// Each with how many steps came before.
    refused: Vec<(usize, Step)>,
}

/// A program that was built, a tensor a step.
pub(crate) struct Built {
    pub(crate) session: Session,
    pub(crate) tensors: Vec<Tensor>,
}

/// What a program closes to: the shape of every step, or the codes of what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Outcome {
    Shapes(Vec<String>),
    Codes(Vec<Code>),
}

#[derive(Default)]
pub(crate) struct Counts {
    operations: u64,
    closed: u64,
    refused: u64,
    competing: u64,
    undecided: u64,
    leaves_moved: u64,
    sandwiches: u64,
    nests: Nests,
    mismatches: u64,
}

/// How many orders of its operations each program is built in.
const ORDERS: usize = 4;

pub(crate) fn run(args: &Cases) -> anyhow::Result<()> {
    let mut rng = Rng::with_seed(args.seed);
    let mut counts = Counts::default();
    let mut last: Option<(Drawn, Outcome)> = None;
    for case in 0..args.cases {
        let drawn = draw(&mut rng, &mut counts);
        let order: Vec<usize> = (0..drawn.steps.len()).collect();
        let built = build(&drawn.steps, &order)?;
        let (outcome, closed) = outcome(&built);
        let competes = closed.as_ref().is_some_and(competes);
        counts.closed += u64::from(closed.is_some());
        // Whether a relation over a named size holds nobody knows; what is computed first is then compared.
        let undecided = closed.as_ref().is_some_and(undecided);
        counts.undecided += u64::from(undecided);
        let mut wrong = |what: &str, other: &Outcome| {
            counts.mismatches += 1;
            println!("case {case}: {what}\n{}\n{outcome:?}\n{other:?}", drawn.text());
        };
        if let Some(closed) = &closed {
            match sandwich(&built, closed) {
                Ok(rows) => counts.sandwiches += rows,
                Err(constraint) => wrong(&format!("not within: {constraint}"), &outcome),
            }
            match check_nests(&drawn, &built, closed, &mut |_| Ok(())) {
                Ok(nests) => counts.nests.add(nests),
                Err(error) => wrong(&format!("no loop nest: {error:#}"), &outcome),
            }
        }
        // Read half-way: every shape, and what all of it would close to.
        let read = build_reading(&drawn.steps)?;
        if read.0 != outcome {
            wrong("reading commits", &read.0);
        }
        let again = build_refusing(&drawn);
        if again.0 != outcome {
            wrong("a refused step leaves a trace", &again.0);
        }
        for _ in 0..ORDERS {
            let order = another_order(&drawn.steps, &mut rng, false);
            match build(&drawn.steps, &order) {
                // What does not fit in one order fits in none, unless a marker was placed otherwise.
                Err(rejection) => {
                    let code = rejection.diagnostics[0].code;
                    let rejected = matches!(outcome, Outcome::Codes(_)); // only later
                    if code == Code::ChoiceConflict || competes {
                        counts.competing += 1;
                    } else if !undecided && !rejected {
                        wrong("refused in another order", &Outcome::Codes(vec![code]));
                    }
                }
                Ok(other) => {
                    let (shapes, other_closed) = self::outcome(&other);
                    if shapes != outcome {
                        if competes || other_closed.as_ref().is_some_and(self::competes) {
                            counts.competing += 1;
                        } else {
                            wrong("another order", &shapes);
                        }
                    }
                }
            }
        }
        // Leaves commit in the order in which they are declared, which is part of the program.
        let moved = another_order(&drawn.steps, &mut rng, true);
        let moved = build(&drawn.steps, &moved).ok().map(|built| self::outcome(&built).0);
        counts.leaves_moved += u64::from(moved.is_some_and(|moved| moved != outcome));
        if let Some((other, expected)) = last.take() {
            let [first, second] = side_by_side(&drawn.steps, &other.steps)?;
            if first != outcome || second != expected {
                wrong("two threads meet", &first);
            }
        }
        last = Some((drawn, outcome));
    }
    println!(
        "operations={} closed={:.0} % refused steps={} sandwiched rows={}",
        counts.operations,
        percent(counts.closed, args.cases),
        counts.refused,
        counts.sandwiches,
    );
    println!(
        "records={} without one for a symbolic size={}",
        counts.nests.records, counts.nests.symbolic
    );
    println!(
        "orders={} of which placements compete={}; programs with undecided sizes={}; other orders of leaves \
         with other shapes={}",
        args.cases * ORDERS as u64,
        counts.competing,
        counts.undecided,
        counts.leaves_moved,
    );
    println!("cases={} seed={} mismatches={}", args.cases, args.seed, counts.mismatches);
    ensure!(counts.mismatches == 0, "{} mismatches", counts.mismatches);
    Ok(())
}

/// A program of 2 to 30 operations.
pub(crate) fn draw(rng: &mut Rng, counts: &mut Counts) -> Drawn {
    let mut drawn = Drawn { steps: vec![], refused: vec![] };
    let mut session = Session::new();
    let mut tensors = vec![];
    let wanted = rng.usize(2..=30);
    let mut operations = 0;
    while operations < wanted {
        let step = draw_step(rng, &drawn.steps);
        if let Ok(tensor) = step.apply(&mut session, &tensors) {
            operations += usize::from(!step.is_terminal());
            tensors.push(tensor);
            drawn.steps.push(step);
        } else {
            counts.refused += 1;
            drawn.refused.push((drawn.steps.len(), step));
        }
    }
    counts.operations += operations as u64;
    drawn
}

impl Drawn {
    pub(crate) fn text(&self) -> String {
        let lines = self.steps.iter().enumerate().map(|(i, step)| format!("t{i} = {step:?}"));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Builds steps in this order. Tensors are by step, whatever the order.
pub(crate) fn build(steps: &[Step], order: &[usize]) -> Result<Built, Rejection> {
    let mut session = Session::new();
    let mut made: Vec<Option<Tensor>> = vec![None; steps.len()];
    for &place in order {
        let so_far: Vec<Tensor> =
            steps[place].operands().iter().filter_map(|operand| made[*operand]).collect();
        made[place] = Some(steps[place].apply_to(&mut session, &so_far)?);
    }
    Ok(Built { session, tensors: made.into_iter().flatten().collect() })
}

/// Builds half, reads everything, builds the rest.
fn build_reading(steps: &[Step]) -> Result<(Outcome, Option<Closed>), Rejection> {
    let mut built = Built { session: Session::new(), tensors: vec![] };
    for (place, step) in steps.iter().enumerate() {
        if place == steps.len() / 2 {
            for tensor in &built.tensors {
                std::hint::black_box(built.session.shape(*tensor)?);
            }
            std::hint::black_box(outcome(&built));
        }
        let tensor = step.apply(&mut built.session, &built.tensors)?;
        built.tensors.push(tensor);
    }
    Ok(outcome(&built))
}

/// Builds all, with what was refused tried again where it was.
fn build_refusing(drawn: &Drawn) -> (Outcome, Option<Closed>) {
    let mut built = Built { session: Session::new(), tensors: vec![] };
    let mut refused = drawn.refused.iter().peekable();
    for (place, step) in drawn.steps.iter().enumerate() {
        while let Some((_, step)) = refused.next_if(|(before, _)| *before == place) {
            if step.apply(&mut built.session, &built.tensors).is_ok() {
                return (Outcome::Codes(vec![]), None);
            }
        }
        match step.apply(&mut built.session, &built.tensors) {
            Ok(tensor) => built.tensors.push(tensor),
            Err(rejection) => return (Outcome::Codes(codes(&rejection)), None),
        }
    }
    outcome(&built)
}

fn codes(rejection: &Rejection) -> Vec<Code> {
    let mut codes: Vec<Code> = rejection.diagnostics.iter().map(|said| said.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn outcome(built: &Built) -> (Outcome, Option<Closed>) {
    match built.session.close() {
        Err(rejection) => (Outcome::Codes(codes(&rejection)), None),
        Ok(closed) => {
            let shape = |tensor: &Tensor| match closed.shape(*tensor) {
                Ok(shape) => shape.to_string(),
                Err(_) => "none".to_owned(),
            };
            (Outcome::Shapes(built.tensors.iter().map(shape).collect()), Some(closed))
        }
    }
}

fn undecided(closed: &Closed) -> bool {
    closed.notes().iter().any(|note| note.code == Code::UndecidedSize)
}

fn competes(closed: &Closed) -> bool {
    closed.notes().iter().any(|note| note.code == Code::PlacementCompetes)
}

/// Checks that every template row is between the result and the operand it was equated with, in the one-shot
/// order. How many rows there are, or the constraint that is not so.
fn sandwich(built: &Built, closed: &Closed) -> Result<u64, Box<Constraint>> {
    let ground = closed.grounding();
    let mut rows = 0;
    for constraint in built.session.constraints() {
        if let Relation::RowEq(template, operand) = &constraint.relation {
            let within = Relation::RowIneq(template.clone(), operand.clone());
            let within = within.with_origin(constraint.origin);
            if !Judge::OneShot.satisfies(ground, &within) {
                return Err(Box::new(within));
            }
            rows += 1;
        }
    }
    Ok(rows)
}

/// A random order in which every step comes after its operands. Unless `leaves` are free, those keep their
/// order and come first.
fn another_order(steps: &[Step], rng: &mut Rng, leaves: bool) -> Vec<usize> {
    let mut order = vec![];
    let mut done = vec![false; steps.len()];
    if !leaves {
        for (place, _) in steps.iter().enumerate().filter(|(_, step)| step.is_terminal()) {
            done[place] = true;
            order.push(place);
        }
    }
    while order.len() < steps.len() {
        let ready = |place: &usize| {
            !done[*place] && steps[*place].operands().iter().all(|operand| done[*operand])
        };
        let ready: Vec<usize> = (0..steps.len()).filter(ready).collect();
        let next = ready[rng.usize(..ready.len())];
        done[next] = true;
        order.push(next);
    }
    order
}

/// Two programs at once, each in a thread of its own.
fn side_by_side(first: &[Step], second: &[Step]) -> anyhow::Result<[Outcome; 2]> {
    let in_order = |steps: &[Step]| -> Result<Outcome, Rejection> {
        let order: Vec<usize> = (0..steps.len()).collect();
        Ok(outcome(&build(steps, &order)?).0)
    };
    let both = thread::scope(|scope| {
        let other = scope.spawn(|| in_order(second));
        let one = in_order(first);
        (one, other.join())
    });
    match both {
        (one, Ok(other)) => Ok([one?, other?]),
        (_, Err(_)) => anyhow::bail!("a thread panicked"),
    }
}
