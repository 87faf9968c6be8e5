//! Packages from `PyPI`, installed below `target/` the first time.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use anyhow::{Context, ensure};

/// Where these packages are, in a directory of this name. For Python, set `PYTHONPATH` to it.
pub(crate) fn install(name: &str, packages: &[&str]) -> anyhow::Result<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target").join(name);
    let done = dir.join("installed");
    if !done.exists() {
        let pip = Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--target"])
            .arg(&dir)
            .args(packages)
            .status()
            .with_context(|| format!("python3 with pip is needed to install {packages:?}"))?;
        ensure!(pip.success(), "pip could not install {packages:?}");
        std::fs::write(done, packages.join("\n"))?;
    }
    Ok(dir)
}

/// What a script prints.
pub(crate) fn run(packages: &Path, script: &str, args: &[&str]) -> anyhow::Result<String> {
    pipe(packages, script, args, "")
}

/// What a script prints that reads this text.
pub(crate) fn pipe(
    packages: &Path,
    script: &str,
    args: &[&str],
    text: &str,
) -> anyhow::Result<String> {
    let mut python = Command::new("python3")
        .env("PYTHONPATH", packages)
        .args(["-c", script])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("python3 did not start")?;
    let stdin = python.stdin.take();
    // Beside reading: a script that prints before it has read everything would otherwise wait for us.
    let output = thread::scope(|scope| {
        // A script that fails does not read on, and says why itself.
        scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
        python.wait_with_output()
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "python3 failed: {said}");
    Ok(String::from_utf8(output.stdout)?)
}
