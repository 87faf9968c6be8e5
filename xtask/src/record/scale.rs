//! The section `scale`: what can be counted of the large programs that `scale` builds: rules that
//! are applied, constraints, axes and loops. Neither times nor bytes, which may change.

use super::section::{Args, Section};
use crate::scale;

/// How many operations a program has.
const OPS: u32 = 10_000;

pub(super) fn fill(_: &Args, section: &mut Section) -> anyhow::Result<()> {
    for (name, counts) in scale::counts(OPS)? {
        let counts: Vec<String> =
            counts.iter().map(|(what, count)| format!("{what}={count}")).collect();
        section.add(&name, &format!("{name}: {}", counts.join(" ")))?;
    }
    Ok(())
}
