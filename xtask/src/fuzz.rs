//! `fuzz`: runs a target of `fuzz/` with cargo-fuzz.
//!
//! cargo-fuzz asks for a nightly compiler because of the sanitizers. The code here has no unsafe
//! for them to watch, so the targets run without, on the stable compiler.

use std::{path::Path, process::Command};

use anyhow::{Context, ensure};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The target, a file of `fuzz/fuzz_targets/`.
    target: String,
    /// The seconds to run.
    #[arg(long, default_value_t = 300)]
    seconds: u64,
    /// The number of inputs to try, instead. From an empty corpus they are the same ones each time.
    #[arg(long, conflicts_with = "seconds")]
    runs: Option<u64>,
    /// Where the fuzzer starts.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let source = format!("fuzz/fuzz_targets/{}.rs", args.target);
    ensure!(Path::new(&source).exists(), "there is no target {source}");
    let length = match args.runs {
        // Among the values that are compared are addresses, and those differ each time.
        Some(runs) => vec![format!("-runs={runs}"), "-use_cmp=0".to_owned()],
        None => vec![format!("-max_total_time={}", args.seconds)],
    };
    let words = match args.target.as_str() {
        "text" | "solve" => Some("constraints"),
        "spec" => Some("notation"),
        "onnx" => Some("model"),
        // Bytes that choose cases are no texts.
        _ => None,
    };
    let status = Command::new("cargo")
        .args(["fuzz", "run", "--sanitizer", "none", &args.target, "--"])
        .args(length)
        .args(words.map(|words| format!("-dict=fuzz/words/{words}")))
        .arg(format!("-seed={}", args.seed))
        // Nobody else adds to the corpus, so there is nothing to look for every second.
        .args([
            "-reload=0",
            "-verbosity=0",
            "-print_final_stats=1",
            "-timeout=10",
            "-rss_limit_mb=4096",
        ])
        .env("RUSTC_BOOTSTRAP", "1")
        .env_remove("RUSTFLAGS") // cargo-fuzz has its own, and the runtime has warnings
        .status()
        .context("cargo fuzz did not start; `cargo install cargo-fuzz --locked` brings it")?;
    ensure!(status.success(), "the target {} failed: {status}", args.target);
    Ok(())
}
