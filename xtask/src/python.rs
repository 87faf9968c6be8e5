//! Virtual environments with packages from `PyPI`, made below `target/` the first time.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use anyhow::{Context, ensure};

/// A virtual environment: its Python sees the packages it was made with, and no others.
pub(crate) struct Environment {
    dir: PathBuf,
}

impl Environment {
    /// The environment of this name, with these packages.
    pub(crate) fn with(name: &str, packages: &[&str]) -> anyhow::Result<Environment> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python").join(name);
        let environment = Environment { dir };
        let done = environment.dir.join("installed");
        if !done.exists() {
            let mut venv = Command::new("python3");
            venv.args(["-m", "venv", "--clear"]).arg(&environment.dir);
            let needed = "python3 with venv is needed (Debian: python3-venv)";
            ensure!(venv.status().context(needed)?.success(), needed);
            let mut pip = environment.program("python");
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            ensure!(pip.args(packages).status()?.success(), "pip could not install {packages:?}");
            std::fs::write(done, packages.join("\n"))?;
        }
        Ok(environment)
    }

    /// A program of the environment.
    pub(crate) fn program(&self, name: &str) -> Command {
        Command::new(self.dir.join("bin").join(name))
    }

    /// What a script prints.
    pub(crate) fn run(&self, script: &str, args: &[&str]) -> anyhow::Result<String> {
        self.pipe(script, args, "")
    }

    /// What a script prints that reads this text.
    pub(crate) fn pipe(&self, script: &str, args: &[&str], text: &str) -> anyhow::Result<String> {
        let mut python = self
            .program("python")
            .args(["-c", script])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("python did not start")?;
        let stdin = python.stdin.take();
        // Beside reading: a script that prints before it has read everything would otherwise wait
        // for us.
        let output = thread::scope(|scope| {
            // A script that fails does not read on, and says why itself.
            scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
            python.wait_with_output()
        })?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "python failed: {said}");
        Ok(String::from_utf8(output.stdout)?)
    }
}
