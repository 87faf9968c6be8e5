//! The section `projections`: the loop nests of random operations and specifications, and what is known of them. A quarter as
//! many as there are cases, with an operation and a specification each.

use std::fmt::Display;

use lozenge_core::project::Record;

use super::{
    Args, Section,
    say::{self, Lines},
};
use crate::projections::{operation, specification};

pub(super) fn fill(args: &Args, section: &mut Section) -> anyhow::Result<()> {
    section.add_cases(args.cases.div_ceil(4), args.seed, |_, rng| {
        let mut lines = Lines::default();
        let (constraints, made) = operation(rng);
        constraints.iter().for_each(|constraint| lines.add("asks", constraint));
        match made {
            Ok(record) => nest(&mut lines, &record),
            Err(conflict) => lines.add("no loops", conflict),
        }
        let (text, made) = specification(rng);
        lines.add("specification", text);
        match made {
            Ok(record) => nest(&mut lines, &record),
            Err(rejection) => lines.refused("specification", &rejection),
        }
        lines.text()
    })
}

fn nest(lines: &mut Lines, record: &Record) {
    lines.add("record", record);
    let listed = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>().join(" ");
    let factors = record.factors().map(|loops| format!("{}..{}", loops.start, loops.end));
    lines.add("factors", listed(&mut factors.into_iter()));
    for slot in record.slots() {
        let reduced = record.reductions_in(slot).map(|id| id.0.to_string());
        lines.add("  without", listed(&mut reduced.into_iter()));
    }
    let is = |what: &str, is: bool| format!("{what} {}", if is { "yes" } else { "no" });
    let all: [&dyn Display; 3] =
        [&is("padded", record.is_padded()), &is("coupled", record.is_coupled()), &record.symbols()];
    all.iter().for_each(|is| lines.add("is", is));
    say::coverages(lines, record);
}
