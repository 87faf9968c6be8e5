//! What open sizes cost: programs with names for their batch, sequence and image, beside the same
//! with numbers.

use std::{hint::black_box, sync::Arc};

use anyhow::ensure;
use lozenge::{Einsum, Session, Spec, Tensor};

use super::{
    args::Args,
    turns::{Cost, in_turns},
};
use crate::clock::Clock;

/// How much more than the same program with numbers one with names may take.
const MOST_TIME: f64 = 1.5;
const MOST_BYTES: f64 = 1.3;

/// The same where names have to be numbers, which is found out on the way; a program is so long
/// that this is a small part of what there is to do.
const MOST_NUMBERED: f64 = 3.0;
const NUMBERED_FROM: u32 = 100_000;

/// The number of names that become numbers.
const NAMES: u32 = 64;

/// The sizes that are open, or these numbers.
const OPEN: [(&str, u64); 5] = [("batch", 8), ("seq", 96), ("past", 160), ("h", 192), ("w", 256)];

/// A shape, with numbers in the place of names if sizes are known.
fn shape(text: &str, is_open: bool) -> String {
    if is_open {
        return text.to_owned();
    }
    let is_name = |c: char| c.is_ascii_alphanumeric();
    let mut shape = String::new();
    for part in text.split_inclusive(|c| !is_name(c)) {
        let name = part.trim_end_matches(|c| !is_name(c));
        match OPEN.iter().find(|(open, _)| *open == name) {
            Some((_, number)) => shape += &number.to_string(),
            None => shape += name,
        }
        shape += &part[name.len()..];
    }
    shape
}

/// A program under construction.
struct Building {
    session: Session,
    ops: u32,
    is_open: bool,
}

impl Building {
    fn new(is_open: bool) -> Building {
        Building { session: Session::new(), ops: 0, is_open }
    }

    fn data(&mut self, name: &str, text: &str) -> anyhow::Result<Tensor> {
        Ok(self.session.data(name, &shape(text, self.is_open))?)
    }

    fn einsum(&mut self, spec: &Arc<Spec>, of: &[Tensor]) -> anyhow::Result<Tensor> {
        self.ops += 1;
        Ok(self.session.apply(Einsum::of(Arc::clone(spec), &[])?, of)?)
    }

    fn compose(&mut self, left: Tensor, right: Tensor) -> anyhow::Result<Tensor> {
        self.ops += 1;
        Ok(self.session.compose(left, right)?)
    }

    fn add(&mut self, of: &[Tensor]) -> anyhow::Result<Tensor> {
        self.ops += 1;
        Ok(self.session.pointwise("+", of)?)
    }
}

fn spec(text: &str) -> anyhow::Result<Arc<Spec>> {
    Ok(Arc::new(lozenge_notation::parse(text).ok()?))
}

/// Layers of compose, bias, pointwise and residual, each on the one before.
fn chain(ops: u32, is_open: bool) -> anyhow::Result<Building> {
    let mut program = Building::new(is_open);
    let mut hidden = program.data("x", "batch,seq|->64")?;
    let bias = program.data("bias", "64")?;
    while program.ops < ops {
        let weight = program.session.parameter("weight");
        let product = program.compose(weight, hidden)?;
        let biased = program.add(&[product, bias])?;
        hidden = program.add(&[biased, hidden])?;
    }
    Ok(program)
}

/// Blocks of a decoder: a cache that is appended to, scores over it, positions flattened and taken
/// apart.
fn decoder(ops: u32, is_open: bool) -> anyhow::Result<Building> {
    let mut program = Building::new(is_open);
    let append = spec("b p d; b s d => b p^s d")?;
    let score = spec("b s d; b t d => b s t")?;
    let read = spec("b s t; b t d => b s d")?;
    let flatten = spec("b s d => (b s) d")?;
    let project = spec("p d; d e => p e")?;
    let unflatten = spec("(b s) d; b s d => b s d")?;
    let weight = program.data("weight", "64,64")?;
    let mask = program.data("mask", "seq,past+seq")?;
    let mut x = program.data("x", "batch,seq,64")?;
    while program.ops < ops {
        let past = program.data("past", "batch,past,64")?;
        let keys = program.einsum(&append, &[past, x])?;
        let scores = program.einsum(&score, &[x, keys])?;
        let masked = program.add(&[scores, mask])?;
        let mixed = program.einsum(&read, &[masked, keys])?;
        let flat = program.einsum(&flatten, &[mixed])?;
        let projected = program.einsum(&project, &[flat, weight])?;
        let apart = program.einsum(&unflatten, &[projected, x])?;
        x = program.add(&[apart, x])?;
    }
    Ok(program)
}

/// Images through windows: padded, with a stride, valid ones, and back up to their size.
fn images(ops: u32, is_open: bool) -> anyhow::Result<Building> {
    let mut program = Building::new(is_open);
    let keep = spec("b y=+k x=+l c; k l => b y x c")?;
    let halve = spec("b 2*y=+k 2*x=+l c; k l => b y x c")?;
    let narrow = spec("b y<+k x<+l c; k l => b y x c")?;
    let grow = spec("b y x c => b 1^y^1 1^x^1 c")?;
    let double = spec("b y x c; i j => b (y i) (x j) c")?;
    let kernel = program.data("kernel", "3,3")?;
    let two = program.data("two", "2,2")?;
    let mut image = program.data("image", "batch,h,w,16")?;
    while program.ops < ops {
        let kept = program.einsum(&keep, &[image, kernel])?;
        let halved = program.einsum(&halve, &[kept, kernel])?;
        let narrowed = program.einsum(&narrow, &[halved, kernel])?;
        let grown = program.einsum(&grow, &[narrowed])?;
        let doubled = program.einsum(&double, &[grown, two])?;
        image = program.add(&[doubled, image])?;
    }
    Ok(program)
}

/// A chain in pieces of a width each by a name, whose number shows at the end of its piece.
fn numbered(ops: u32, is_open: bool) -> anyhow::Result<Building> {
    let mut program = Building::new(is_open);
    for name in 0..NAMES {
        let width = if is_open { format!("n{name}") } else { (name + 16).to_string() };
        let mut hidden = program.session.data("x", &format!("32,{width}"))?;
        let bias = program.session.data("bias", &width)?;
        while program.ops < (ops / NAMES) * (name + 1) {
            hidden = program.add(&[hidden, bias])?;
        }
        let known = program.session.data("known", &format!("32,{}", name + 16))?;
        program.add(&[hidden, known])?;
    }
    Ok(program)
}

/// What it costs per operation to build and close a program.
fn cost(
    build: fn(u32, bool) -> anyhow::Result<Building>,
    ops: u32,
    is_open: bool,
) -> anyhow::Result<Cost> {
    let start = Clock::now();
    let program = build(ops, is_open)?;
    let closed = program.session.close()?;
    let count = f64::from(program.ops);
    let ns = start.nanoseconds() / count;
    black_box(closed);
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    let bytes = program.session.heap_bytes() as f64 / count;
    Ok(Cost { ns, bytes })
}

type Build = fn(u32, bool) -> anyhow::Result<Building>;

/// The programs, and how much more time each may take, from how many operations on.
const FORMS: [(&str, Build, f64, u32); 4] = [
    ("chain", chain, MOST_TIME, 0),
    ("decoder", decoder, MOST_TIME, 0),
    ("images", images, MOST_TIME, 0),
    ("numbered", numbered, MOST_NUMBERED, NUMBERED_FROM),
];

/// Every program with its sizes open, by its name.
pub(super) fn sessions(ops: u32) -> impl Iterator<Item = anyhow::Result<(&'static str, Session)>> {
    FORMS.into_iter().map(move |(name, build, ..)| Ok((name, build(ops, true)?.session)))
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    println!(
        "{:<9} {:>8} {:>10} {:>8} {:>7} {:>13} {:>11} {:>8}",
        "form", "ops", "literal_ns", "open_ns", "x_time", "literal_bytes", "open_bytes", "x_bytes"
    );
    let mut over = 0;
    for (name, build, most_time, from) in FORMS {
        for ops in [args.ops / 100, args.ops / 10, args.ops].map(|ops| ops.max(10)) {
            let [literal, open] = in_turns(|| cost(build, ops, false), || cost(build, ops, true))?;
            let (time, memory) = (open.ns / literal.ns, open.bytes / literal.bytes);
            println!(
                "{name:<9} {ops:>8} {:>10.0} {:>8.0} {time:>7.2} {:>13.0} {:>11.0} {memory:>8.2}",
                literal.ns, open.ns, literal.bytes, open.bytes
            );
            over += usize::from(ops >= from && time > most_time);
            over += usize::from(memory > MOST_BYTES);
        }
    }
    println!(
        "bar={MOST_TIME} x the time and {MOST_BYTES} x the bytes of numbers, {MOST_NUMBERED} x the time where names become numbers (from {NUMBERED_FROM} operations on), over={over}"
    );
    ensure!(over == 0, "{over} over the bar");
    Ok(())
}
