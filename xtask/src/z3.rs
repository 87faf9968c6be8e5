//! z3 over a pipe.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    sync::Mutex,
};

use anyhow::{Context, bail};
use lozenge_check::smt::{Answer, Prover};

use crate::python::Environment;

/// A z3 that waits for questions.
pub(crate) struct Z3 {
    process: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Z3 {
    fn start(environment: &Environment) -> anyhow::Result<Z3> {
        let mut process = environment
            .program("z3")
            .args(["-in", "-t:100"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("z3 does not start")?;
        let asks = process.stdin.take().context("z3 takes no questions")?;
        let answers = BufReader::new(process.stdout.take().context("z3 gives no answers")?);
        Ok(Z3 { process, asks, answers })
    }
}

impl Prover for Z3 {
    fn check(&mut self, text: &str) -> anyhow::Result<Answer> {
        write!(self.asks, "(push)\n{text}(check-sat)\n(pop)\n")?;
        self.asks.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(match line.trim() {
            "sat" => Answer::Satisfiable,
            "unsat" => Answer::Unsatisfiable,
            "unknown" | "timeout" => Answer::Unknown,
            other => bail!("z3 says {other:?} to\n{text}"),
        })
    }
}

/// Several of them: whoever asks takes one that is free.
pub(crate) struct Pool {
    environment: Environment,
    idle: Mutex<Vec<Z3>>,
}

impl Pool {
    /// Installs z3 the first time.
    pub(crate) fn new() -> anyhow::Result<Pool> {
        let environment = Environment::with("z3", &["z3-solver"])?;
        Ok(Pool { environment, idle: Mutex::new(vec![]) })
    }

    /// Asks one of them something. One that fails is not asked again.
    pub(crate) fn ask<T>(
        &self,
        question: impl FnOnce(&mut Z3) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let free = self.idle.lock().expect("no case panics with the lock").pop();
        let mut z3 = free.map_or_else(|| Z3::start(&self.environment), Ok)?;
        let answer = question(&mut z3)?;
        self.idle.lock().expect("no case panics with the lock").push(z3);
        Ok(answer)
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        // It ends by itself when its input does; waiting leaves no zombie behind.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
