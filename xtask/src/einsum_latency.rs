//! `einsum-latency`: from the text of an einsum and the shapes of its operands to closed shapes.

use std::{hint::black_box, time::Instant};

use anyhow::{Context, ensure};
use lozenge::{Closed, Einsum, Report, Session, Tensor};

use crate::{callgrind, python::Environment};

/// A product of two operands of rank 4, in both notations.
const SPEC: &str = "bhsd;bhtd=>bhst";
const NUMPY: &str = "bhsd,bhtd->bhst";
const SHAPES: [&str; 2] = ["8,12,64,32", "8,12,48,32"];
const SIZES: [[u64; 4]; 2] = [[8, 12, 64, 32], [8, 12, 48, 32]];
const RESULT: &str = "8,12,64,48";

/// The most instructions it may take where the specification was read before.
const BAR: u64 = 20_000;

/// The factor by which it has to be faster than each of the others.
const FASTER: f64 = 10.0;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Does it this many times and counts nothing: what callgrind is given to run.
    #[arg(long, hide = true)]
    times: Option<u64>,
    /// Reads the specification once for all times.
    #[arg(long, hide = true)]
    read_before: bool,
}

/// The shapes as numbers, as the others get them; from the text, or from a specification that was
/// read before.
fn infer(read_before: Option<&Einsum>) -> Result<(Closed, Tensor), Report> {
    let mut session = Session::new();
    let first = session.data_of_sizes("a", &[], &[], black_box(&SIZES[0]))?;
    let second = session.data_of_sizes("b", &[], &[], black_box(&SIZES[1]))?;
    let result = match read_before {
        Some(einsum) => session.apply(einsum.clone(), &[first, second])?,
        None => session.einsum(black_box(SPEC), &[first, second])?,
    };
    Ok((session.close()?, result))
}

/// What others do with the same einsum before any arithmetic, each from its text, in seconds.
const OTHERS: &str = r"
import sys, time, numpy, opt_einsum
from einops import einops
text, shapes = sys.argv[1], [tuple(map(int, s.split(','))) for s in sys.argv[2:]]
# One element in memory is as good as all of them to a planner.
arrays = [numpy.broadcast_to(numpy.zeros(1), shape) for shape in shapes]
spaced = text.replace('->', '>').replace('', ' ').replace(' ,', ',').replace('>', '->').strip()
tasks = {
    'numpy.einsum_path': lambda: numpy.einsum_path(text, *arrays),
    'opt_einsum.contract_path': lambda: opt_einsum.contract_path(text, *shapes, shapes=True),
    # What einops.einsum does with its text, without the cache around it.
    'einops parsing': lambda: einops._compactify_pattern_for_einsum.__wrapped__(spaced),
}
for name, task in tasks.items():
    task()
    times = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(300):
            task()
        times.append((time.perf_counter() - start) / 300)
    print(f'{name}\t{min(times)}')
";

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(times) = args.times {
        let einsum = args.read_before.then(|| Einsum::new(SPEC)).transpose()?;
        for _ in 0..times {
            black_box(infer(einsum.as_ref())?);
        }
        return Ok(());
    }
    let (closed, result) = infer(None)?;
    let shape = closed.shape(result)?;
    ensure!(shape.to_string() == RESULT, "{SPEC} gives {shape}");
    let from_text = callgrind::once(&["einsum-latency"])?;
    let instructions = callgrind::once(&["einsum-latency", "--read-before"])?;
    println!(
        "{SPEC} on {} and {}: {from_text} instructions from the text, {instructions} from a \
         specification that was read before",
        SHAPES[0], SHAPES[1]
    );
    let python = Environment::with("einsum-others", &["numpy", "opt_einsum", "einops"])?;
    let said = python.run(OTHERS, &[NUMPY, SHAPES[0], SHAPES[1]])?;
    let own = best_of(7, 300)?;
    println!("{:26} {:>10.2} µs", "lozenge", own * 1e6);
    let mut slow = vec![];
    for line in said.lines() {
        let (name, time) = line.split_once('\t').context("a name and a time")?;
        let time: f64 = time.parse()?;
        println!("{name:26} {:>10.2} µs  {:>6.1} x", time * 1e6, time / own);
        if time / own < FASTER {
            slow.push(name);
        }
    }
    println!(
        "bar={BAR} instructions and {FASTER} x, over={}",
        slow.len() + usize::from(instructions > BAR)
    );
    ensure!(instructions <= BAR, "{instructions} instructions");
    ensure!(slow.is_empty(), "less than {FASTER} x faster than {}", slow.join(", "));
    Ok(())
}

/// The least time of several rounds, in seconds.
fn best_of(rounds: u32, times: u32) -> anyhow::Result<f64> {
    let mut best = f64::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..times {
            black_box(infer(None)?);
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(times));
    }
    Ok(best)
}
