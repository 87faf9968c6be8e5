//! The section `projections`.

use super::{Args, Section};

pub(super) fn fill(_: &Args, _: &mut Section) -> anyhow::Result<()> {
    Ok(())
}
