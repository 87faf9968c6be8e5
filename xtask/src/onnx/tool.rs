//! A program that answers lines by lines of JSON.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::Context;
use serde::de::DeserializeOwned;

pub(crate) struct Tool {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Tool {
    pub(crate) fn start(mut command: Command) -> anyhow::Result<Tool> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let questions = child.stdin.take().context("no pipe")?;
        let answers = BufReader::new(child.stdout.take().context("no pipe")?);
        Ok(Tool { child, questions, answers })
    }

    /// The answer to a line.
    pub(crate) fn ask<T: DeserializeOwned>(&mut self, line: &str) -> anyhow::Result<T> {
        writeln!(self.questions, "{line}")?;
        self.questions.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        serde_json::from_str(&answer).with_context(|| format!("the answer to {line}: {answer:?}"))
    }

    pub(crate) fn end(self) -> anyhow::Result<()> {
        let Tool { mut child, questions, .. } = self;
        drop(questions);
        child.wait()?;
        Ok(())
    }
}
