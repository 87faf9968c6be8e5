//! Arguments that the commands of random cases share, and shares of cases.

/// The arguments of a command that draws random cases.
#[derive(clap::Args)]
pub(crate) struct Cases {
    /// The number of cases to draw.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cases: u64,
    /// Where the generator starts; the same seed draws the same cases.
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
}

/// The share that a part has of all, for people.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}
