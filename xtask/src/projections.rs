//! `projections`: loop nests against plain enumeration.

use anyhow::ensure;
use lozenge_check::projections::{self, Covered, Solved};

use crate::{cases::Cases, large_maps, parallel};

pub(crate) fn run(args: &Cases) -> anyhow::Result<()> {
    let found = parallel::check(0..args.cases, args.seed, projections::check);
    let large = large_maps::run();
    let wrong = found.mismatches.len() + usize::from(large.is_err());
    let large = large.unwrap_or_else(|error| format!("large: {error:#}"));
    println!("seed {}", args.seed);
    found.show();
    let counts = &found.counts;
    let Solved { fine, sizes, pins, supplied } = &counts.equations;
    println!(
        "equations: solved={fine} two sizes={sizes} two pins={pins} literals disagree={supplied}"
    );
    println!(
        "operations={} (coupled {}, padded {}, past the end {}) refused={:?} other orders={} (loops \
         renamed in {})",
        counts.operations,
        counts.coupled,
        counts.padded,
        counts.past_end[0],
        counts.conflicts,
        counts.shuffled + counts.renamed,
        counts.renamed
    );
    println!("points={} pairs of axes={} forms={:?}", counts.points, counts.pairs, counts.forms);
    println!(
        "programs closed={} records={} reshapes={} without a nest for a symbolic size={}",
        counts.programs, counts.nests.records, counts.nests.reshapes, counts.nests.symbolic
    );
    let unwritten: u64 = counts.unwritten.values().sum();
    println!(
        "specifications past the end={} without loops={} not accepted={unwritten}",
        counts.past_end[1], counts.refused
    );
    for (said, count) in &counts.unwritten {
        println!("  {count} {said}");
    }
    for (of, covered) in [
        ("specifications", &counts.covered),
        ("operations", &counts.covered_operations),
        ("programs", &counts.covered_programs),
    ] {
        let Covered { maps, injective, onto, bijective, skipping, unknown } = covered;
        println!(
            "coverage of {of}: maps={maps} injective={injective} onto={onto} both={bijective} with skipped \
             points={skipping}; not known by closed forms: injective={} onto={} cells={} points={}",
            unknown[0], unknown[1], unknown[2], unknown[3]
        );
    }
    println!("{large}");
    let maps = counts.covered.maps + counts.covered_operations.maps + counts.covered_programs.maps;
    println!("cases={} maps={maps} mismatches={wrong}", args.cases);
    ensure!(wrong == 0, "{wrong} mismatches");
    // A check that draws nothing finds nothing: at least so many of a hundred.
    let forms = ["iter", "fix", "symbol", "padded", "affine", "concat"];
    let forms = forms.map(|form| (form, counts.forms.get(form).copied().unwrap_or(0), 5));
    let drawn = [
        ("operation", counts.operations, 70),
        ("coupled", counts.coupled, 3),
        ("padded", counts.padded, 3),
        ("operation past the end", counts.past_end[0], 2),
        ("specification past the end", counts.past_end[1], 2),
    ];
    for (what, count, least) in drawn.into_iter().chain(forms) {
        ensure!(count * 100 >= args.cases * least, "only {count} of {what}");
    }
    Ok(())
}
