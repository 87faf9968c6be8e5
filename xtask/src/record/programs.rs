//! The section `programs`: random programs through sessions, with the steps that are refused.

use super::{
    Args, Section,
    say::{self, Lines},
};
use crate::programs::{Drawn, Spelling, draw, replayed, text};

pub(super) fn fill(args: &Args, section: &mut Section) -> anyhow::Result<()> {
    section.add_cases(args.cases, args.seed, |_, rng| item(&draw(rng)))
}

fn item(drawn: &Drawn) -> String {
    let mut lines = Lines::default();
    lines.add("program", format!("\n{}", text(&Spelling::plain(&drawn.program))));
    let session = replayed(drawn, |rejection| lines.refused("step", rejection));
    say::open(&mut lines, &session);
    say::closed(&mut lines, &session);
    lines.text()
}
