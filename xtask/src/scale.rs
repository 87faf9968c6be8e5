//! `scale`: time and memory per operation of programs of up to a million operations.
//!
//! A tensor has three rows: batch, input, output. Each operation gives the solver its row
//! constraints as one batch, the way a program is built; the trace is on and origins are kept.

mod args;
mod counts;
mod forms;
mod front;
mod loops;
mod open;
mod turns;

use std::hint::black_box;

pub(crate) use args::Args;
use args::{FrontName, Once};
use clap::ValueEnum;
pub(crate) use counts::counts;
use forms::{Form, chain, fan_in, fan_out, name};
use front::{Front, InSession, Program};
use turns::{Cost, in_turns};

use crate::{callgrind, clock::Clock};

/// The least that could be done: for every pair of axes, find both in an array and unite them.
/// Returns nanoseconds per axis.
fn floor(axes: u64) -> f64 {
    let count = u32::try_from(axes).unwrap_or(u32::MAX);
    let start = Clock::now();
    let mut parent: Vec<u32> = Vec::new();
    for axis in 0..count {
        parent.push(axis);
        let find = |parent: &mut [u32], mut at: u32| {
            while parent[at as usize] != at {
                let next = parent[parent[at as usize] as usize];
                parent[at as usize] = next;
                at = next;
            }
            at
        };
        // The operand axis is one of the operation before.
        let operand = find(&mut parent, axis.saturating_sub(4));
        let result = find(&mut parent, axis);
        parent[result.max(operand) as usize] = result.min(operand);
    }
    black_box(&parent);
    start.nanoseconds() / f64::from(count)
}

/// How much more than bare constraints a session may take.
const MOST_TIME: f64 = 3.0;
const MOST_BYTES: f64 = 2.5;

/// What it costs per operation to build a program.
fn cost<F: Front>(build: fn(u32) -> anyhow::Result<F>, ops: u32) -> anyhow::Result<Cost> {
    let start = Clock::now();
    let program = build(ops)?;
    let count = f64::from(program.ops());
    let ns = start.nanoseconds() / count;
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    let bytes = program.bytes() as f64 / count;
    Ok(Cost { ns, bytes })
}

/// The instructions that building and closing an operation took on 211f03d, from 5,000 to 10,000
/// operations, and how many percent more building may take. Closing is only printed: leaves commit
/// in canonical order now, which has to be found.
const BEFORE: [(Form, u64, u64); 3] =
    [(Form::Chain, 9_518, 15_769), (Form::FanOut, 10_509, 9_512), (Form::FanIn, 12_595, 40_519)];
const MOST_MORE: u64 = 3;

type Build<F> = fn(u32) -> anyhow::Result<F>;

/// The forms that are built in both ways.
const FORMS: [(Form, Build<Program>, Build<InSession>); 3] =
    [(Form::Chain, chain, chain), (Form::FanOut, fan_out, fan_out), (Form::FanIn, fan_in, fan_in)];

/// The instructions of an operation in a session: to build it, to close it, and to derive its
/// loops.
fn instructions(args: &Args) -> anyhow::Result<()> {
    // Both are large programs, whose leaves are ordered in one way.
    let few = args.ops / 2;
    anyhow::ensure!(few >= 5_000, "with fewer than 10,000 operations an operation takes more");
    let each = |form: Form, once: &str| {
        let whole = |ops: u32| {
            let (form, ops) = (name(form), ops.to_string());
            callgrind::whole(&["scale", "--once", once, "--form", &form, "--ops", &ops])
        };
        anyhow::Ok(whole(args.ops)?.saturating_sub(whole(few)?) / u64::from(args.ops - few))
    };
    let heads = ["build", "before", "close", "before", "loops"];
    println!("{:<8} {}", "form", heads.map(|head| format!("{head:>8}")).join(" "));
    let mut over = 0;
    for (form, built_before, closed_before) in BEFORE {
        if args.form.is_some_and(|wanted| wanted != form) {
            continue;
        }
        let built = each(form, "build")?;
        let with_closing = each(form, "close")?;
        let loops = each(form, "loops")?.saturating_sub(with_closing);
        let closed = with_closing.saturating_sub(built);
        let counts = [built, built_before, closed, closed_before, loops];
        println!("{:<8} {}", name(form), counts.map(|count| format!("{count:>8}")).join(" "));
        over += usize::from(100 * built > (100 + MOST_MORE) * built_before);
    }
    println!("bar={MOST_MORE} % more to build than before sizes could be open, over={over}");
    anyhow::ensure!(over == 0, "{over} over the bar");
    Ok(())
}

/// Programs built through sessions, held against the same as bare constraints.
fn sessions(args: &Args) -> anyhow::Result<()> {
    println!(
        "{:<8} {:>8} {:>10} {:>12} {:>8} {:>13} {:>15} {:>8}",
        "form", "ops", "ns_per_op", "bare_ns", "x_time", "bytes_per_op", "bare_bytes", "x_bytes"
    );
    let mut over = 0;
    for (form, bare, session) in FORMS {
        if args.form.is_some_and(|wanted| wanted != form) {
            continue;
        }
        for ops in [args.ops / 100, args.ops / 10, args.ops].map(|ops| ops.max(10)) {
            let [bare, built] = in_turns(|| cost(bare, ops), || cost(session, ops))?;
            let (time, memory) = (built.ns / bare.ns, built.bytes / bare.bytes);
            println!(
                "{:<8} {ops:>8} {:>10.0} {:>12.0} {time:>8.2} {:>13.0} {:>15.0} {memory:>8.2}",
                name(form),
                built.ns,
                bare.ns,
                built.bytes,
                bare.bytes,
            );
            over += usize::from(time > MOST_TIME) + usize::from(memory > MOST_BYTES);
        }
    }
    println!(
        "bar={MOST_TIME} x the time and {MOST_BYTES} x the bytes of bare constraints, over={over}"
    );
    anyhow::ensure!(over == 0, "{over} over the bar");
    Ok(())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if args.loops {
        return loops::run(args);
    }
    if args.open {
        return open::run(args);
    }
    if let Some(once) = args.once {
        for (form, _, build) in FORMS {
            if args.form.is_none_or(|wanted| wanted == form) {
                let built = black_box(build(args.ops)?);
                if once == Once::Build {
                    continue;
                }
                let closed = black_box(built.session.close()?);
                if once == Once::Loops {
                    for tensor in built.session.tensors() {
                        black_box(built.session.record(&closed, tensor)?);
                    }
                }
            }
        }
        return Ok(());
    }
    if args.instructions {
        return instructions(args);
    }
    if args.front == FrontName::Session {
        return sessions(args);
    }
    let sizes = [args.ops / 100, args.ops / 10, args.ops].map(|ops| ops.max(10));
    println!(
        "{:<8} {:>8} {:>10} {:>12} {:>13} {:>14} {:>8}",
        "form", "ops", "ns_per_op", "bytes_per_op", "steps_per_op", "floor_ns_axis", "x_floor"
    );
    for &form in Form::value_variants() {
        if args.form.is_some_and(|wanted| wanted != form) {
            continue;
        }
        for ops in sizes {
            let start = Clock::now();
            let program = form.build(ops)?;
            let per_op = start.nanoseconds() / f64::from(program.ops);
            let per_axis = floor(program.axes);
            #[allow(clippy::cast_precision_loss)] // counts far below 2^52
            let ratio = |count: u64| count as f64 / f64::from(program.ops);
            println!(
                "{:<8} {:>8} {per_op:>10.0} {:>12.0} {:>13.1} {per_axis:>14.2} {:>8.1}",
                name(form),
                program.ops,
                ratio(program.solver.heap_bytes() as u64),
                ratio(program.solver.stats().steps()),
                per_op / (per_axis * ratio(program.axes)),
            );
        }
    }
    Ok(())
}
