//! What commands on a model file are told: the file, how it is looked at, and what each wants to
//! know besides.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::{
    args::{Given, axis, setting},
    output,
};

/// How a model is looked at.
#[derive(Clone, clap::Args)]
pub(crate) struct Look {
    /// A number for a name of the inputs' sizes
    #[arg(long = "set", value_name = "NAME=NUMBER", value_parser = setting)]
    pub(crate) sets: Vec<(String, u64)>,
    #[command(flatten)]
    pub(crate) given: Given,
    /// How answers and messages look
    #[arg(long, value_enum, default_value_t = Form::Full)]
    pub(crate) format: Form,
}

impl Look {
    /// Whether the form of answers is SARIF, which has findings only; says so.
    pub(crate) fn refuses_sarif(&self) -> bool {
        let is_sarif = self.format == Form::Sarif;
        if is_sarif {
            output::message(
                "this is no list of findings: `--format sarif` is for `check`, `audit` and `requires`",
            );
        }
        is_sarif
    }
}

/// The forms of answers about models.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people
    Full,
    /// A line each
    Concise,
    /// For programs
    Json,
    /// For code scanning: SARIF 2.1.0
    Sarif,
}

/// A file, and how it is looked at.
#[derive(clap::Args)]
pub(crate) struct OfFile {
    /// The model: an ONNX file
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) look: Look,
    /// Everything, however long it is
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(clap::Args)]
pub(crate) struct Shapes {
    #[command(flatten)]
    pub(crate) of: OfFile,
    /// Writes the model with all shapes into this file; every other byte stays as it is
    #[arg(long, value_name = "FILE")]
    pub(crate) annotate: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct Pins {
    /// The model: an ONNX file
    pub(crate) file: PathBuf,
    /// The axis of an input, such as `images.0`
    #[arg(value_parser = axis)]
    pub(crate) axis: (String, usize),
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(clap::Args)]
pub(crate) struct Audit {
    #[command(flatten)]
    pub(crate) of: OfFile,
    /// Exit code 1 where values are stretched to each other; with `any`, where any computed value
    /// is stretched
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "both")]
    pub(crate) deny: Option<Deny>,
}

/// What an audit does not allow.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    /// Two values that are stretched to each other, as `[n,1]` and `[n]` are
    Both,
    /// Any computed value that is stretched, or may be
    Any,
}

#[derive(clap::Args)]
pub(crate) struct Graph {
    #[command(flatten)]
    pub(crate) of: OfFile,
    /// Where to draw it; `-` for the standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// How many boxes there are at most
    #[arg(long, default_value_t = 48)]
    pub(crate) boxes: usize,
}

#[derive(clap::Args)]
pub(crate) struct Diff {
    /// The model before
    pub(crate) before: PathBuf,
    /// The model after
    pub(crate) after: PathBuf,
    #[command(flatten)]
    pub(crate) look: Look,
    /// Every value, however many there are
    #[arg(long)]
    pub(crate) all: bool,
}
