//! `onnx`: inference on model files, held against ONNX Runtime and beside other tools.
//!
//! Everything that is fetched or made lies in `target/onnx`. Without a flag, models are inferred and each tensor is held
//! against what ONNX Runtime computed.

mod conditions;
mod corpus;
mod judge;
mod models;
mod nodetests;
mod proto;
mod speed;
mod values;

/// What is held against what.
#[derive(clap::Args)]
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
    /// How often each file is measured.
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
    if args.speed {
        return speed::run(&args.study, args.rounds);
    }
    models::run(&args.study, args.open)
}
