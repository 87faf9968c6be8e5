//! `projections`: loop nests against plain enumeration.
//!
//! Sets of equations, operations drawn as constraints, specifications through sessions, and whole programs.
//! What they mean is computed a second time, as plainly as it is defined: the least equivalence by closing a
//! matrix, the product space by visiting all values, coverage by counting the writes of every cell.

mod check;
mod cover;
mod equations;
mod large;
mod lemma;
mod model;
mod operation;
mod plain;
mod sound;

use std::collections::BTreeMap;

use anyhow::ensure;
use lozenge::{Report, diagnostic::Code};
use lozenge_calculus::constraint::Constraint;
use lozenge_check::Generator;
use lozenge_project::{Index, NoLoops, Record, project};

use self::{cover::Covered, equations::Solved, model::Model};
use crate::{parallel, programs::Nests};

/// One program is drawn for so many cases; each has many operations.
const PROGRAMS: u64 = 10;

#[derive(Default)]
struct Found {
    equations: Solved,
    operations: u64,
    coupled: u64,
    padded: u64,
    /// Operations and specifications with a valid window that reaches past the end of its axis.
    past_end: [u64; 2],
    points: u64,
    pairs: u64,
    shuffled: u64,
    renamed: u64,
    conflicts: BTreeMap<&'static str, u64>,
    covered: Covered,
    covered_operations: Covered,
    covered_programs: Covered,
    forms: BTreeMap<&'static str, u64>,
    refused: u64,
    unwritten: BTreeMap<String, u64>,
    programs: u64,
    nests: Nests,
    failures: Vec<String>,
}

impl Found {
    fn conflict(&mut self, conflict: &NoLoops) {
        let name = match conflict {
            NoLoops::Sizes(_) => "sizes",
            NoLoops::Pins(..) => "pins",
            NoLoops::OutOfBounds(_) => "out of bounds",
            NoLoops::Derived(_) => "derived",
            NoLoops::Cyclic(_) => "cyclic",
            NoLoops::Nested(_) => "nested",
            NoLoops::Ambiguous(_) => "ambiguous",
            NoLoops::Unread(_) => "unread",
            NoLoops::Nowhere => "nowhere",
            NoLoops::Crossed(_) => "crossed",
            NoLoops::Start(_) => "begins",
            NoLoops::Repeated(_) => "repeated",
            _ => "other",
        };
        *self.conflicts.entry(name).or_default() += 1;
    }

    /// Counts what the maps of a record are made of.
    fn forms(&mut self, record: &Record) {
        for axis in record.slots().flat_map(|slot| record.map(slot)) {
            let name = match &axis.index {
                Index::Iter(_) => "iter",
                Index::Fix(_) => "fix",
                Index::Symbol(_) => "symbol",
                Index::Affine(_) if axis.margin.is_some() => "padded",
                Index::Affine(_) => "affine",
                Index::Concat(_) => "concat",
                Index::Merged(_) => "merged",
                Index::Digit(_) => "digit",
            };
            *self.forms.entry(name).or_default() += 1;
        }
    }

    fn is_of_loops(code: Code) -> bool {
        matches!(code, Code::NoLoops | Code::AmbiguousParts | Code::ExcludedParts)
    }

    fn unwritten(&mut self, said: &str) {
        let said: String = said.chars().filter(|c| !c.is_ascii_digit()).collect();
        *self.unwritten.entry(said).or_default() += 1;
    }

    fn merge(&mut self, part: Found) {
        self.equations.add(&part.equations);
        self.operations += part.operations;
        self.coupled += part.coupled;
        self.padded += part.padded;
        self.past_end.iter_mut().zip(part.past_end).for_each(|(all, part)| *all += part);
        self.points += part.points;
        self.pairs += part.pairs;
        self.shuffled += part.shuffled;
        self.renamed += part.renamed;
        part.conflicts.iter().for_each(|(k, n)| *self.conflicts.entry(k).or_default() += n);
        self.covered.add(part.covered);
        self.covered_operations.add(part.covered_operations);
        self.covered_programs.add(part.covered_programs);
        part.forms.iter().for_each(|(k, n)| *self.forms.entry(k).or_default() += n);
        self.refused += part.refused;
        part.unwritten.into_iter().for_each(|(k, n)| *self.unwritten.entry(k).or_default() += n);
        self.programs += part.programs;
        self.nests.add(part.nests);
        self.failures.extend(part.failures);
    }
}

/// What a random operation asks, and its loop nest, or what is the matter with it.
pub(crate) fn operation(rng: &mut Generator) -> (Vec<Constraint>, Result<Record, NoLoops>) {
    let drawn = check::drawn(rng);
    let made = project(&drawn.closed());
    (drawn.constraints, made)
}

/// A random specification with the shapes of its operands, and its loop nest.
pub(crate) fn specification(rng: &mut Generator) -> (String, Result<Record, Report>) {
    let model = Model::draw(rng);
    let shapes: Vec<String> = (0..model.slots.len()).map(|slot| model.shape(slot)).collect();
    let text = format!("{} of {}", model.text(), shapes.join("; "));
    (text, check::in_session(&model).map(|(record, _)| record))
}

pub(crate) fn run(args: &crate::Cases) -> anyhow::Result<()> {
    let case = |i: u64, found: &mut Found| {
        type Check = fn(&mut Generator, &mut Found) -> anyhow::Result<()>;
        let checks: [(&str, Check, u64); 4] = [
            ("equations", |rng, found| equations::check(rng, &mut found.equations), 1),
            ("operation", check::operation, 1),
            ("specification", check::specification, 1),
            ("program", lemma::check, PROGRAMS),
        ];
        for (name, check, every) in checks {
            // Each with its own generator, so that a case can be drawn alone.
            if i % every == 0 {
                if let Err(error) = check(&mut Generator::new(args.seed, i), found) {
                    found.failures.push(format!("case {i}, {name}: {error:#}"));
                }
            }
        }
    };
    let mut found = parallel::run(args.cases, case, Found::merge);
    let large = large::run().unwrap_or_else(|error| {
        found.failures.push(format!("large: {error:#}"));
        "large maps=0".to_owned()
    });
    println!("seed {}", args.seed);
    found.failures.sort_unstable_by_key(String::len);
    for failure in found.failures.iter().take(10) {
        println!("{failure}\n");
    }
    let Solved { fine, sizes, pins, supplied } = found.equations;
    println!(
        "equations: solved={fine} two sizes={sizes} two pins={pins} literals disagree={supplied}"
    );
    println!(
        "operations={} (coupled {}, padded {}, past the end {}) refused={:?} other orders={} (loops \
         renamed in {})",
        found.operations,
        found.coupled,
        found.padded,
        found.past_end[0],
        found.conflicts,
        found.shuffled + found.renamed,
        found.renamed
    );
    println!("points={} pairs of axes={} forms={:?}", found.points, found.pairs, found.forms);
    println!(
        "programs closed={} records={} reshapes={} without a nest for a symbolic size={}",
        found.programs, found.nests.records, found.nests.reshapes, found.nests.symbolic
    );
    let unwritten: u64 = found.unwritten.values().sum();
    println!(
        "specifications past the end={} without loops={} not accepted={unwritten}",
        found.past_end[1], found.refused
    );
    for (said, count) in &found.unwritten {
        println!("  {count} {said}");
    }
    for (of, covered) in [
        ("specifications", found.covered),
        ("operations", found.covered_operations),
        ("programs", found.covered_programs),
    ] {
        let Covered { maps, injective, onto, bijective, skipping, unknown } = covered;
        println!(
            "coverage of {of}: maps={maps} injective={injective} onto={onto} both={bijective} with skipped \
             points={skipping}; not known by closed forms: injective={} onto={} cells={} points={}",
            unknown[0], unknown[1], unknown[2], unknown[3]
        );
    }
    println!("{large}");
    let maps = found.covered.maps + found.covered_operations.maps + found.covered_programs.maps;
    println!("cases={} maps={maps} mismatches={}", args.cases, found.failures.len());
    ensure!(found.failures.is_empty(), "{} mismatches", found.failures.len());
    // A check that draws nothing finds nothing: at least so many of a hundred.
    let forms = ["iter", "fix", "symbol", "padded", "affine", "concat"];
    let forms = forms.map(|form| (form, found.forms.get(form).copied().unwrap_or(0), 5));
    let drawn = [
        ("operation", found.operations, 70),
        ("coupled", found.coupled, 3),
        ("padded", found.padded, 3),
        ("operation past the end", found.past_end[0], 2),
        ("specification past the end", found.past_end[1], 2),
    ];
    for (what, count, least) in drawn.into_iter().chain(forms) {
        ensure!(count * 100 >= args.cases * least, "only {count} of {what}");
    }
    Ok(())
}
