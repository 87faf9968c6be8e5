//! `scale`: time and memory per operation of programs of up to a million operations.
//!
//! A tensor has three rows: batch, input, output. Each operation gives the solver its row
//! constraints as one batch, the way a program is built; the trace is on and origins are kept.

mod counts;
mod front;
mod loops;
mod open;
mod turns;

use std::hint::black_box;

use clap::ValueEnum;
pub(crate) use counts::counts;
use front::{Front, InSession, Program, closed};
use lozenge_calculus::{
    constraint::{Border, ConstraintRef, OriginId, Part, RelationRef, SizeRelation},
    dim::Dim,
    term::{DimTerm, DimVar, RowTerm, RowVar},
};
use lozenge_solve::close::{Policy, Role, Roles, close};
use turns::{Cost, in_turns};

use crate::{callgrind, clock::Clock};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many operations the largest program has.
    #[arg(long, default_value_t = 1_000_000)]
    ops: u32,
    /// Only this form of program.
    #[arg(long, visible_alias = "with")]
    form: Option<Form>,
    /// What builds the programs: bare constraints, or a session, which is then held against them.
    #[arg(long, default_value = "constraints")]
    front: FrontName,
    /// Instead, how many instructions an operation and its loops take in a session, beside what it took before sizes could be open.
    #[arg(long, conflicts_with_all = ["loops", "open"])]
    instructions: bool,
    /// Builds every program in a session once, and perhaps closes it and derives its loops: what callgrind is given to run.
    #[arg(long, hide = true)]
    once: Option<Once>,
    /// Instead, what deriving the loops of operations costs beside inferring their shapes.
    #[arg(long)]
    loops: bool,
    /// Instead, what programs cost whose sizes are open, beside the same with numbers.
    #[arg(long, conflicts_with = "loops")]
    open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FrontName {
    Constraints,
    Session,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Once {
    Build,
    Close,
    Loops,
}

/// What a program looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Form {
    /// Layers of compose, bias, pointwise and residual, each on the one before.
    Chain,
    /// Every operation adds data to the same parameter, whose shape is unknown.
    FanOut,
    /// A running sum of parameters of unknown shape, whose shape is known at the end.
    FanIn,
    /// Tensors of unknown shape, equated in the order that makes the longest paths.
    Equated,
    /// Adjacencies that join pairs, and then the pairs to a chain.
    Joined,
    /// Rings of a thousand adjacencies.
    Rings,
    /// Images through padded and strided windows, and back up to their size.
    Convs,
    /// A running sum of parameters, whose shape is known at the end, solved and closed.
    Closed,
}

impl Form {
    /// The program of this form as bare constraints.
    fn build(self, ops: u32) -> anyhow::Result<Program> {
        match self {
            Form::Chain => chain(ops),
            Form::FanOut => fan_out(ops),
            Form::FanIn => fan_in(ops),
            Form::Equated => equated(ops),
            Form::Joined => joined(ops),
            Form::Rings => rings(ops),
            Form::Convs => convs(ops),
            Form::Closed => closed_sum(ops),
        }
    }
}

/// Layers of compose, bias, pointwise and residual, each on the one before.
fn chain<F: Front>(ops: u32) -> anyhow::Result<F> {
    let mut program = F::default();
    let mut hidden = program.data()?;
    let bias = program.bias()?;
    while program.ops() < ops {
        let weight = program.parameter();
        let product = program.compose(&weight, &hidden)?;
        let biased = program.pointwise("+", &[&product, &bias])?;
        let active = program.pointwise("relu", &[&biased])?;
        hidden = program.pointwise("+", &[&active, &hidden])?;
    }
    Ok(program)
}

/// Every operation adds data to the same parameter, whose shape is unknown.
fn fan_out<F: Front>(ops: u32) -> anyhow::Result<F> {
    let mut program = F::default();
    let parameter = program.unknown();
    let data = program.data()?;
    while program.ops() < ops {
        program.pointwise("+", &[&parameter, &data])?;
    }
    Ok(program)
}

/// A running sum of parameters of unknown shape, whose shape is known at the end.
fn fan_in<F: Front>(ops: u32) -> anyhow::Result<F> {
    let mut program = F::default();
    let mut sum = program.parameter();
    while program.ops() + 1 < ops {
        let next = program.parameter();
        sum = program.pointwise("+", &[&sum, &next])?;
    }
    let data = program.data()?;
    program.pointwise("+", &[&sum, &data])?;
    Ok(program)
}

/// The same, with all parameters closed.
fn closed_sum(ops: u32) -> anyhow::Result<Program> {
    let program: Program = fan_in(ops)?;
    // Every row that is unknown: leaves and results are closed alike, which is more than enough.
    let roles = Roles::new((0..program.rows).map(|row| (RowVar::new(row), Role::Leaf)));
    black_box(close(&program.solver.solved(), &roles, Policy::Default)?);
    Ok(program)
}

/// Tensors of unknown shape that are equated from the last to the first, the order in which
/// variables that become one make the longest paths, and each used once more.
fn equated(ops: u32) -> anyhow::Result<Program> {
    let mut program = Program::default();
    let shapes: Vec<front::Shape> = (0..ops / 2).map(|_| program.unknown()).collect();
    let nothing = [closed(&[]), closed(&[]), closed(&[])];
    for shape in &shapes {
        program.finish(shape.iter().zip(&nothing))?; // so that they are known in this order
    }
    for pair in shapes.windows(2).rev() {
        let relation = |(left, right)| RelationRef::RowEq(left, right);
        let origin = OriginId::new(program.ops);
        let equal = pair[1].iter().zip(&pair[0]).map(relation);
        program.solver.extend(equal.map(|relation| ConstraintRef { relation, origin }))?;
        let last = &shapes[shapes.len() - 1];
        program.finish(last.iter().zip(&nothing))?;
    }
    Ok(program)
}

/// Adjacencies `r_i ⊑ r_{i+1}`, first for even `i` and then for odd.
fn joined(ops: u32) -> anyhow::Result<Program> {
    let mut program = Program::default();
    let rows: Vec<RowTerm> = (0..=ops).map(|_| program.unknown_row()).collect();
    let even = rows.windows(2).step_by(2);
    for pair in even.chain(rows.windows(2).skip(1).step_by(2)) {
        program.finish([(&pair[0], &pair[1])])?;
    }
    Ok(program)
}

/// Rings of adjacencies, each of which makes a thousand variables one.
fn rings(ops: u32) -> anyhow::Result<Program> {
    let mut program = Program::default();
    while program.ops < ops {
        let rows: Vec<RowTerm> = (0..1000).map(|_| program.unknown_row()).collect();
        for (i, row) in rows.iter().enumerate() {
            program.finish([(&rows[(i + 1) % rows.len()], row)])?;
        }
    }
    Ok(program)
}

/// Images through windows: one padded that keeps the size, one padded with a stride of 2, a valid one,
/// and one that is read the other way round, so that sizes come back to where they were.
fn convs(ops: u32) -> anyhow::Result<Program> {
    let mut program = Program::default();
    let mut dims = 0;
    let mut new_dim = || {
        dims += 1;
        DimTerm::Var(DimVar::new(dims - 1))
    };
    let known = |n| DimTerm::Dim(Dim::int(n).unwrap_or(Dim::Unit));
    let mut image = [known(64), known(64)];
    while program.ops < ops {
        let result = [new_dim(), new_dim()];
        let [height, width] = [0, 1].map(|i| {
            let (read, written, kernel) = (image[i], result[i], known(3));
            let window = |stride, border| SizeRelation::Window {
                whole: read,
                stride,
                over: written,
                dilation: 1,
                kernel,
                border,
            };
            match program.ops % 4 {
                0 => window(1, Border::PADDED),
                1 => window(2, Border::PADDED),
                2 => window(1, Border::VALID), // 32 to 30
                _ => SizeRelation::Concat {
                    whole: written,
                    parts: [read, known(34)].map(Part::from).to_vec(),
                },
            }
        });
        let row = RowTerm::closed([], result);
        let next = RowTerm::from(RowVar::new(program.rows));
        program.rows += 1;
        let origin = OriginId::new(program.ops);
        let relations = [
            RelationRef::Size(&height),
            RelationRef::Size(&width),
            RelationRef::RowEq(&next, &row),
        ];
        program.solver.extend(relations.map(|relation| ConstraintRef { relation, origin }))?;
        program.ops += 1;
        program.axes += 4;
        image = result;
    }
    Ok(program)
}

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

/// The instructions that building and closing an operation took on 211f03d, from 5,000 to 10,000 operations, and how many
/// percent more building may take. Closing is only printed: leaves commit in canonical order now, which has to be found.
const BEFORE: [(Form, u64, u64); 3] =
    [(Form::Chain, 9_518, 15_769), (Form::FanOut, 10_509, 9_512), (Form::FanIn, 12_595, 40_519)];
const MOST_MORE: u64 = 3;

type Build<F> = fn(u32) -> anyhow::Result<F>;

/// The forms that are built in both ways.
const FORMS: [(Form, Build<Program>, Build<InSession>); 3] =
    [(Form::Chain, chain, chain), (Form::FanOut, fan_out, fan_out), (Form::FanIn, fan_in, fan_in)];

fn name(form: Form) -> String {
    form.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// The instructions of an operation in a session: to build it, to close it, and to derive its loops.
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
