//! Instructions, counted by callgrind: what a timing on a shared machine cannot say.

use std::{env, process::Command};

use anyhow::{Context, ensure};

/// Numbers of repetitions: the difference between two counts leaves out starting and ending.
const TIMES: [u64; 2] = [100, 1_100];

/// The instructions of doing something once. This program is run with these arguments, and how
/// often it shall do it.
pub(crate) fn once(args: &[&str]) -> anyhow::Result<u64> {
    let [few, many] = [count(args, TIMES[0])?, count(args, TIMES[1])?];
    Ok((many - few) / (TIMES[1] - TIMES[0]))
}

/// The instructions of a run that does something a number of times.
fn count(args: &[&str], times: u64) -> anyhow::Result<u64> {
    whole(&[args, &["--times", &times.to_string()]].concat())
}

/// The instructions of a whole run.
pub(crate) fn whole(args: &[&str]) -> anyhow::Result<u64> {
    let exe = env::current_exe()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(exe)
        .args(args)
        .output()
        .context("valgrind did not start; `apt-get install valgrind` brings it")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "valgrind failed: {said}");
    let count = said.lines().find_map(|line| line.split("Collected : ").nth(1));
    count.and_then(|count| count.trim().parse().ok()).with_context(|| format!("no count: {said}"))
}
