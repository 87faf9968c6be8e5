//! `blocks`: what decoder blocks cost: building, closing, gradients, the program, all loop nests.

use std::hint::black_box;

use anyhow::ensure;
use lozenge_lower::Nest;
use lozenge_tensor::{Accumulation, Graph, Tensor};

use crate::callgrind;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The numbers of blocks of the programs that are held against each other.
    #[arg(long, value_delimiter = ',', default_value = "12,48,96,384")]
    blocks: Vec<u32>,
    /// Do this once with the first number of blocks, and everything before it, and print nothing.
    #[arg(long, hide = true)]
    once: Option<Stage>,
}

/// What is done with a program, each after those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum)]
enum Stage {
    Nothing,
    Build,
    Close,
    Gradients,
    Program,
    Nests,
}

const STAGES: [Stage; 5] =
    [Stage::Build, Stage::Close, Stage::Gradients, Stage::Program, Stage::Nests];

/// How many times building and closing the forward program everything together may take.
const MOST: f64 = 6.0;

/// How much more the last block may take than the first ones.
const MOST_GROWTH: f64 = 1.1;

/// What is left over of the mean and the variance.
fn normalised<'g>(x: Tensor<'g>) -> Tensor<'g> {
    let mean = |x: Tensor<'g>| x.mean("...|d => ...|0");
    let centred = x - mean(x);
    centred * (mean(centred * centred) + 1e-5).recip_sqrt()
}

fn softmax(scores: Tensor<'_>) -> Tensor<'_> {
    let largest = scores.reduce("...|t->... => ...|0->...", Accumulation::Max).stop_gradient();
    let weights = (scores - largest).exp();
    weights / weights.einsum("...|t->... => ...|0->...")
}

/// A decoder block: attention and a perceptron, each with its norm, beside what comes in.
fn block<'g>(
    graph: &'g Graph,
    number: u32,
    x: Tensor<'g>,
    weights: &mut Vec<Tensor<'g>>,
) -> Tensor<'g> {
    let mut weight = |name: &str, shape: Option<&str>| {
        let name = format!("{name}{number}");
        let weight = match shape {
            Some(shape) => graph.parameter_of(&name, shape),
            None => graph.parameter(&name),
        };
        weights.push(weight);
        weight
    };
    let scaled = normalised(x) * weight("scale", None);
    let [q, k, v] = ["q", "k", "v"].map(|name| weight(name, Some("...->4,16")).compose(scaled));
    let scores = graph.einsum("... s | h d; ... t | h d => ... s | t -> h", &[q, k]);
    let scores = scores / graph.size_of(scores, "d").sqrt();
    let mixed = graph.einsum("... s | t -> h; ... t | h e => ... s | h e", &[softmax(scores), v]);
    let x = x + weight("out", None).compose(mixed);
    let scaled = normalised(x) * weight("scale_of_hidden", None);
    let hidden = weight("into", Some("...->256")).compose(scaled) + weight("bias", None);
    x + weight("from", None).compose(hidden.relu()) + weight("bias_of_output", None)
}

fn run_once(blocks: u32, until: Stage) -> anyhow::Result<()> {
    if until == Stage::Nothing {
        return Ok(());
    }
    let graph = Graph::new();
    let mut weights = vec![];
    let mut x = graph.data("x", "8,32|64");
    for number in 0..blocks {
        x = block(&graph, number, x, &mut weights);
    }
    let loss = (x * x).sum();
    if until == Stage::Build {
        return Ok(());
    }
    if until <= Stage::Close {
        black_box(graph.check()?);
        return Ok(());
    }
    let gradients = black_box(graph.gradients_of(loss, &weights));
    let checked = graph.check()?;
    if until == Stage::Gradients {
        return Ok(());
    }
    let program = checked.program(&gradients)?;
    if until == Stage::Nests {
        for step in program.steps() {
            black_box(Nest::new(step.assignment.clone()));
        }
    }
    black_box(program);
    Ok(())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let (Some(once), [blocks, ..]) = (args.once, &args.blocks[..]) {
        return run_once(*blocks, once);
    }
    ensure!(args.blocks.len() > 1, "two programs of different sizes are needed");
    let heads = STAGES.map(|stage| format!("{:>10}", format!("{stage:?}").to_lowercase()));
    println!("{:>6} {} {:>10} {:>8}", "blocks", heads.join(" "), "in all", "x_forward");
    let (mut over, mut first) = (0, None);
    let mut before: Option<(u32, [u64; 5])> = None;
    for blocks in &args.blocks {
        let mut counts = [0; 5];
        for (count, stage) in counts.iter_mut().zip(STAGES) {
            let stage = format!("{stage:?}").to_lowercase();
            let number = blocks.to_string();
            *count = callgrind::whole(&["blocks", "--blocks", &number, "--once", &stage])?;
        }
        if let Some((fewer, of_fewer)) = before {
            let each = std::array::from_fn(|stage| {
                let more: u64 = counts[stage] - of_fewer[stage];
                more / u64::from(blocks - fewer)
            });
            over += usize::from(!print(*blocks, each, &mut first));
        }
        before = Some((*blocks, counts));
    }
    println!(
        "bar={MOST} x building and closing, {MOST_GROWTH} x from few blocks to many, over={over}"
    );
    ensure!(over == 0, "{over} over the bar");
    Ok(())
}

/// Prints what a block takes; gives whether it is within the bars.
fn print(blocks: u32, whole: [u64; 5], first: &mut Option<f64>) -> bool {
    let own: [u64; 5] = std::array::from_fn(|stage| {
        whole[stage].saturating_sub(stage.checked_sub(1).map_or(0, |before| whole[before]))
    });
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    let (all, forward) = (whole[4] as f64, whole[1] as f64);
    let times = all / forward;
    let growth = all / *first.get_or_insert(all);
    let counts = own.map(|count| format!("{count:>10}")).join(" ");
    println!("{blocks:>6} {counts} {:>10} {times:>8.2}", whole[4]);
    times <= MOST && growth <= MOST_GROWTH
}
