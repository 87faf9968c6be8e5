//! `refusals`: what it costs to refuse a step at the end of many transformer blocks, in
//! instructions.
//!
//! A step that does not fit is refused, and said why, when everything before it is there. That may
//! take work in proportion to the program, and no more.

use anyhow::{Context, ensure};
use lozenge::{Report, Session, Tensor, diagnostic::Code};

use crate::callgrind;

/// The numbers of blocks, twice as many each time.
const BLOCKS: [u64; 4] = [200, 400, 800, 1_600];

/// The most that the cost of a refusal may grow where the program doubles.
const GROWTH: f64 = 2.2;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Builds this many blocks and counts nothing: what callgrind is given to run.
    #[arg(long, hide = true)]
    blocks: Option<u64>,
    /// Asks for the step that is refused, too.
    #[arg(long, hide = true)]
    refuse: bool,
}

/// A block: attention and a layer after it, each with a residual, with the weights' shapes left
/// open.
fn block(session: &mut Session, x: Tensor) -> Result<Tensor, Report> {
    let weight = |session: &mut Session, name: &str, of: Tensor| {
        let weight = session.parameter(name);
        session.compose(weight, of)
    };
    let normal = normal(session, x)?;
    let [q, k, v] = ["wq", "wk", "wv"].map(|name| weight(session, name, normal));
    let scores =
        session.einsum_with("b q|h d; b k|h d => b q|k->h", &[("h", 8), ("d", 64)], &[q?, k?])?;
    let power = session.pointwise("exp", &[scores])?;
    let sum = session.einsum("...|..i..->... => ...|...", &[power])?;
    let weights = session.pointwise("/", &[power, sum])?;
    let mixed =
        session.einsum_with("b q|k->h; b k|h d => b q|h d", &[("d", 64)], &[weights, v?])?;
    let mixed = weight(session, "wo", mixed)?;
    let x = session.pointwise("+", &[x, mixed])?;
    let normal = self::normal(session, x)?;
    let hidden = session.parameter_of("w1", "...->2048")?;
    let hidden = session.compose(hidden, normal)?;
    let bias = session.parameter("b1");
    let hidden = session.pointwise("+", &[hidden, bias])?;
    let hidden = session.pointwise("relu", &[hidden])?;
    let hidden = weight(session, "w2", hidden)?;
    session.pointwise("+", &[x, hidden])
}

fn normal(session: &mut Session, x: Tensor) -> Result<Tensor, Report> {
    let sum = session.einsum("...|... => ...|", &[x])?;
    let centred = session.pointwise("-", &[x, sum])?;
    let gain = session.parameter("gain");
    session.pointwise("*.", &[centred, gain])
}

/// Many blocks and, if so, the step that is refused. Gives what is said.
fn build(blocks: u64, refuse: bool) -> Result<Option<Report>, Report> {
    let mut session = Session::new();
    let mut x = session.data("x", "batch,seq|512")?;
    let bad = session.data("bad", "batch,9|512")?;
    for _ in 0..blocks {
        x = block(&mut session, x)?;
    }
    Ok(refuse.then(|| session.pointwise("+", &[x, bad]).err()).flatten())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(blocks) = args.blocks {
        build(blocks, args.refuse)?;
        return Ok(());
    }
    let said = build(BLOCKS[0], true)?.context("a step that does not fit was taken")?;
    println!("{}", said.diagnostics[0].headline);
    ensure!(said.diagnostics[0].code == Code::SizeMismatch, "{said}");
    println!("{:>8} {:>16} {:>16} {:>8}", "blocks", "building", "refusing", "growth");
    let mut before: Option<u64> = None;
    let mut over = 0;
    for blocks in BLOCKS {
        let blocks = &blocks.to_string()[..];
        let args = ["refusals", "--blocks", blocks];
        let building = callgrind::whole(&args)?;
        let both = callgrind::whole(&["refusals", "--blocks", blocks, "--refuse"])?;
        let refusing = both.saturating_sub(building);
        #[allow(clippy::cast_precision_loss)] // a ratio
        let growth = before.map(|before| refusing as f64 / before as f64);
        let shown = growth.map_or(String::new(), |growth| format!("{growth:.2}"));
        println!("{blocks:>8} {building:>16} {refusing:>16} {shown:>8}");
        over += u32::from(growth.is_some_and(|growth| growth > GROWTH));
        before = Some(refusing);
    }
    println!("bar={GROWTH} x where the program doubles, over={over}");
    ensure!(over == 0, "a refusal costs more than its program");
    Ok(())
}
