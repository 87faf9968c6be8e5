//! The section `symbols`: random programs with open sizes. A quarter as many as there are other
//! programs.

use super::{
    say::{self, Lines},
    section::{Args, Section},
};
use lozenge_check::symbols::session;

pub(super) fn fill(args: &Args, section: &mut Section) -> anyhow::Result<()> {
    section.add_cases(args.cases.div_ceil(4), args.seed, |_, rng| {
        let mut lines = Lines::default();
        let (session, added) = session(rng);
        say::open(&mut lines, &session);
        let captured = added.unwrap_or_else(|rejection| {
            lines.refused("step", &rejection);
            vec![]
        });
        for size in &captured {
            let known = session.known(*size).map_or("?".to_owned(), |size| size.to_string());
            lines.add("captured", known);
        }
        if let Some(closed) = say::closed(&mut lines, &session) {
            for size in captured {
                let axis = closed.axis(size).map_or("?".to_owned(), |axis| axis.to_string());
                lines.add("captured", axis);
            }
        }
        lines.text()
    })
}
