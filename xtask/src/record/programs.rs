//! The section `programs`: random programs through sessions, with what is said of the steps that
//! are refused. Half as many as there are cases: it takes long to find out why a step does not fit.

use super::{
    say::{self, Lines},
    section::{Args, Section},
};
use lozenge_check::programs::{Spelling, draw_told, text};

pub(super) fn fill(args: &Args, section: &mut Section) -> anyhow::Result<()> {
    section.add_cases(args.cases.div_ceil(2), args.seed, |_, rng| {
        let mut lines = Lines::default();
        let (drawn, session) = draw_told(rng, &mut |rejection| lines.refused("step", rejection));
        lines.add("program", format!("\n{}", text(&Spelling::plain(&drawn.program))));
        say::open(&mut lines, &session);
        say::closed(&mut lines, &session);
        lines.text()
    })
}
