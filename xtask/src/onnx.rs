//! `onnx`: inference on model files, held against ONNX Runtime and beside other tools.
//!
//! Everything that is fetched or made lies in `target/onnx`. Without a flag, models are inferred
//! and each tensor is held against what ONNX Runtime computed.

mod conditions;
mod corpus;
mod judge;
mod models;
mod mutate;
mod nodetests;
mod page;
mod pins;
mod sarif;
mod speed;
mod tool;
mod values;
mod write_back;

/// What is held against what.
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    #[command(flatten)]
    study: corpus::Study,
    /// Lists this many nodes, or tests, of each operator where inference stops.
    #[arg(long)]
    open: Option<usize>,
    /// Holds inference against ONNX's own tests of operators.
    #[arg(long)]
    nodetests: bool,
    /// Measures reading and inferring beside other tools.
    #[arg(long)]
    speed: bool,
    /// Runs models inside and outside of what inference says they need.
    #[arg(long)]
    conditions: bool,
    /// Edits what fixes the batch of models, as is said, and infers and runs them again.
    #[arg(long)]
    pins: bool,
    /// Writes what was inferred into models, and holds them against the models and other tools.
    #[arg(long)]
    write_back: bool,
    /// Validates what the command prints as SARIF.
    #[arg(long)]
    sarif: bool,
    /// Holds what the page about model files shows against what the command says.
    #[arg(long)]
    page: bool,
    /// Checks this many mutated files.
    #[arg(long)]
    mutate: Option<u64>,
    /// Where the generator of mutations starts; the same seed draws the same.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// The number of times that each file is measured.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if args.nodetests {
        return nodetests::run(args.open);
    }
    if args.conditions {
        return conditions::run(&args.study);
    }
    if args.pins {
        return pins::run(&args.study);
    }
    if args.page {
        return page::run(&args.study);
    }
    if args.sarif {
        return sarif::run(&args.study);
    }
    if args.write_back {
        return write_back::run(&args.study);
    }
    if let Some(cases) = args.mutate {
        return mutate::run(&args.study, cases, args.seed);
    }
    if args.speed {
        return speed::run(&args.study, args.rounds);
    }
    models::run(&args.study, args.open)
}
