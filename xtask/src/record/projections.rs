//! The section `projections`: the loop nests of random operations and specifications, and what is
//! known of them. A quarter as many as there are cases, with an operation and a specification each.

use lozenge_project::Record;

use super::{
    say::{self, Lines},
    section::{Args, Section},
};
use lozenge_check::projections::{operation, specification};

pub(super) fn fill(args: &Args, section: &mut Section) -> anyhow::Result<()> {
    section.add_cases(args.cases.div_ceil(4), args.seed, |_, rng| {
        let mut lines = Lines::default();
        let (constraints, made) = operation(rng);
        lines.list("asks", &constraints);
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
    lines.list("factor", record.factors().map(|loops| format!("{}..{}", loops.start, loops.end)));
    for slot in record.slots() {
        let reduced: Vec<String> = record.reductions_in(slot).map(|id| id.0.to_string()).collect();
        lines.add("without", reduced.join(" "));
    }
    let is = |what: &str, is: bool| format!("{what} {}", if is { "yes" } else { "no" });
    lines.list("is", [is("padded", record.is_padded()), is("coupled", record.is_coupled())]);
    lines.add("symbols", record.symbols());
    say::coverages(lines, record);
}
