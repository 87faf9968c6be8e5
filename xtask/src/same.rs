//! `same`: holds what `record` records against what an older state of the repository records.
//!
//! The older state is checked out below `target/same` and builds its own `record` there, so that a
//! renamed interface does not matter. Of each section the first item that differs is shown.
//! Snapshots and blocks of pages that were added are counted and are not a difference.

mod compare;

use std::{fs, path::Path, process::Command};

use anyhow::{Context, ensure};

use crate::record::{self, SECTIONS, root};
use compare::{Difference, Renamed, difference};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The older state: a commit, a branch or a tag.
    #[arg(long)]
    before: String,
    /// How many programs, stores and specifications to draw; a part of it where a case takes
    /// longer.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// Where the generator starts; the same seed draws the same cases.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// The words that were renamed, `old new` on each line; by default
    /// `xtask/src/record/renamed.txt`.
    #[arg(long)]
    renamed: Option<std::path::PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let list = root().join("xtask/src/record/renamed.txt");
    let list = args.renamed.as_ref().unwrap_or(&list);
    let list = fs::read_to_string(list).with_context(|| list.display().to_string())?;
    let renamed = Renamed::read(&list)?;
    fs::create_dir_all(root().join("target/same"))?;
    let folder = root().join("target/same").canonicalize()?;
    let (before, after) = (folder.join("before"), folder.join("after"));
    record_at(args, &folder, &before)?;
    println!("after");
    let (cases, seed) = (args.cases, args.seed);
    record::run(&record::Args { cases, seed, to: Some(after.clone()) })?;

    let mut different = 0;
    for (name, _) in SECTIONS {
        let read = |folder: &Path| fs::read_to_string(folder.join(format!("{name}.txt")));
        // Where texts stand in the repository is not compared, so neither is their order.
        let is_written = matches!(name, "pages" | "snapshots");
        match difference(&read(&before)?, &read(&after)?, &renamed, is_written) {
            None => println!("{name:<12} equal"),
            // What somebody added says nothing of what the others see.
            Some(Difference { gone: 0, come, .. }) if is_written => {
                println!("{name:<12} equal, and {come} were added");
            }
            Some(Difference { gone, come, first }) => {
                let items = gone.max(come);
                println!("{name:<12} {items} items differ, the first one:\n{first}");
                different += 1;
            }
        }
    }
    println!("sections={} different={different}", SECTIONS.len());
    ensure!(different == 0, "{different} sections differ");
    Ok(())
}

/// Records the older state in a checkout of its own, which is made if there is none.
fn record_at(args: &Args, folder: &Path, to: &Path) -> anyhow::Result<()> {
    let commit = git(&["rev-parse", "--short=12", &format!("{}^{{commit}}", args.before)])?;
    let checkout = folder.join(&commit);
    if !checkout.join("Cargo.toml").exists() {
        git(&["worktree", "prune"])?;
        git(&["worktree", "add", "--detach", &checkout.display().to_string(), &commit])?;
    }
    println!("before, {commit}");
    let status = Command::new("cargo")
        .args(["run", "--release", "-q", "-p", "xtask", "--", "record"])
        .args(["--cases", &args.cases.to_string(), "--seed", &args.seed.to_string(), "--to"])
        .arg(to)
        .current_dir(&checkout)
        .env("CARGO_TARGET_DIR", checkout.join("target"))
        .status()?;
    ensure!(status.success(), "{commit} cannot be recorded; its xtask may not have the command");
    Ok(())
}

/// What git answers in this repository.
fn git(args: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git").current_dir(root()).args(args).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {} failed: {said}", args.join(" "));
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
