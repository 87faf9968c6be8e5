//! What deriving the loops of every operation costs, beside what inferring its shapes costs.

use std::{hint::black_box, sync::Arc};

use anyhow::ensure;
use lozenge::{Einsum, Session, Spec, Tensor};

use super::{
    args::Args,
    forms::{chain, fan_in, fan_out},
    front::InSession,
};
use crate::clock::Clock;

/// Deriving a record may take as long as inferring the shapes of its operation, which are known
/// when the program is closed.
const MOST: f64 = 1.0;

/// Growing a hundredfold, an operation may become so much dearer: caches, not the algorithm.
const MOST_GROWTH: f64 = 2.0;

/// The number of runs, the fastest of which counts.
const RUNS: u32 = 3;

/// Records are derived so often for every program that is built, and timed in pieces of so many, of
/// each of which the fastest counts. Somebody else's turn is then in some tries of a piece, and not
/// in all, however large the program is.
const TRIES: usize = 3;
const PIECE: usize = 500;

/// Specifications one after another: contractions with a batch of any rank, and padded windows.
fn einsums(ops: u32) -> anyhow::Result<InSession> {
    let mut session = Session::new();
    let contract: Arc<Spec> = Arc::new(lozenge_notation::parse("...|i; i->o => ...|o").ok()?);
    let slide: Arc<Spec> = Arc::new(lozenge_notation::parse("...|o=+k; k => ...|o").ok()?);
    let weight = session.data("weight", "64->64")?;
    let kernel = session.data("kernel", "3")?;
    let mut x = session.data("x", "32|->64")?;
    for number in 0..ops {
        x = if number % 2 == 0 {
            session.apply(Einsum::of(Arc::clone(&contract), &[])?, &[x, weight])?
        } else {
            session.apply(Einsum::of(Arc::clone(&slide), &[])?, &[x, kernel])?
        };
    }
    Ok(InSession { session, ops })
}

pub(super) type Build = fn(u32) -> anyhow::Result<InSession>;

/// The programs whose loops are derived.
pub(super) const FORMS: [(&str, Build); 4] =
    [("chain", chain), ("fan-out", fan_out), ("fan-in", fan_in), ("einsums", einsums)];

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    println!(
        "{:<8} {:>8} {:>9} {:>9} {:>9} {:>8} {:>8}",
        "form", "ops", "build_ns", "close_ns", "loops_ns", "x_build", "x_shapes"
    );
    let mut over = 0;
    for (name, build) in FORMS {
        let mut smallest = None;
        for ops in [args.ops / 100, args.ops / 10, args.ops].map(|ops| ops.max(10)) {
            let [built, close, loops] = cost(build, ops)?;
            let shapes = loops / (built + close);
            println!(
                "{name:<8} {ops:>8} {built:>9.0} {close:>9.0} {loops:>9.0} {:>8.2} {shapes:>8.2}",
                loops / built
            );
            let first = *smallest.get_or_insert(loops);
            over += usize::from(shapes > MOST) + usize::from(loops > MOST_GROWTH * first);
        }
    }
    println!(
        "bar={MOST} x the time of inferring the shapes, {MOST_GROWTH} x as programs grow, over={over}"
    );
    ensure!(over == 0, "{over} over the bar");
    Ok(())
}

/// Nanoseconds per operation: building the program, closing it, deriving all records; the fastest
/// of a few runs, of records piece by piece.
fn cost(build: fn(u32) -> anyhow::Result<InSession>, ops: u32) -> anyhow::Result<[f64; 3]> {
    let mut best = [f64::MAX; 2];
    let mut pieces: Vec<f64> = vec![];
    for _ in 0..RUNS {
        let start = Clock::now();
        let InSession { session, ops } = build(ops)?;
        let infer = start.nanoseconds();
        let start = Clock::now();
        let closed = session.close()?;
        let close = start.nanoseconds();
        let tensors: Vec<Tensor> = session.tensors().collect();
        pieces.resize(tensors.len().div_ceil(PIECE), f64::MAX);
        for _ in 0..TRIES {
            for (best, piece) in pieces.iter_mut().zip(tensors.chunks(PIECE)) {
                let start = Clock::now();
                for tensor in piece {
                    black_box(session.record(&closed, *tensor)?);
                }
                *best = best.min(start.nanoseconds());
            }
        }
        let found = [infer, close].map(|ns| ns / f64::from(ops));
        best = [0, 1].map(|i| best[i].min(found[i]));
    }
    let [infer, close] = best;
    Ok([infer, close, pieces.iter().sum::<f64>() / f64::from(ops)])
}
