//! The arguments of `scale`.

use super::forms::Form;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The number of operations of the largest program.
    #[arg(long, default_value_t = 1_000_000)]
    pub(super) ops: u32,
    /// Only this form of program.
    #[arg(long, visible_alias = "with")]
    pub(super) form: Option<Form>,
    /// What builds the programs: bare constraints, or a session, which is then held against them.
    #[arg(long, default_value = "constraints")]
    pub(super) front: FrontName,
    /// Instead, how many instructions an operation and its loops take in a session, beside what it
    /// took before sizes could be open.
    #[arg(long, conflicts_with_all = ["loops", "open"])]
    pub(super) instructions: bool,
    /// Builds every program in a session once, and perhaps closes it and derives its loops: what
    /// callgrind is given to run.
    #[arg(long, hide = true)]
    pub(super) once: Option<Once>,
    /// Instead, what deriving the loops of operations costs beside inferring their shapes.
    #[arg(long)]
    pub(super) loops: bool,
    /// Instead, what programs cost whose sizes are open, beside the same with numbers.
    #[arg(long, conflicts_with = "loops")]
    pub(super) open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FrontName {
    Constraints,
    Session,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Once {
    Build,
    Close,
    Loops,
}
