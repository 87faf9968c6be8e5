//! The patterns of `docs/parity.md`, held against einops and against what the page says.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use lozenge::{Report, Session};
use lozenge_check::parity;
use serde::Serialize;

use super::answer::{Answer, ask, own};
use crate::python::Environment;

/// What begins each table of patterns on the page.
const HEADER: &str = "| operation | einops pattern | operands | specification | result |";

/// The page has at least so many patterns, and so many of each rank.
const PATTERNS: usize = 70;
const OF_EACH_RANK: usize = 10;
const RANKS: std::ops::RangeInclusive<usize> = 1..=6;

/// A row of the page.
#[derive(Serialize)]
struct Pattern {
    operation: String,
    /// As einops reads it.
    text: String,
    /// What the names of both sides are set to.
    numbers: Vec<(String, u64)>,
    operands: Vec<Vec<u64>>,
    #[serde(skip)]
    spec: String,
    #[serde(skip)]
    result: Vec<u64>,
    #[serde(skip)]
    line: usize,
}

/// What came of the patterns.
pub(super) struct Found {
    pub(super) count: usize,
    pub(super) mismatches: Vec<String>,
}

const SHAPES: &str = "
import numpy, einops
def shapes(row):
    operands = [numpy.zeros(shape) for shape in row['operands']]
    operation, pattern, numbers = row['operation'], row['text'], dict(row['numbers'])
    if operation == 'einsum':
        result = einops.einsum(*operands, pattern)
    elif operation == 'reduce':
        result = einops.reduce(*operands, pattern, 'sum', **numbers)
    else:
        result = {'rearrange': einops.rearrange, 'repeat': einops.repeat}[operation](*operands, pattern, **numbers)
    return [numpy.shape(result)]
";

/// Asks einops for the shape of every pattern of the page, and a session as well.
pub(super) fn check(python: &Environment) -> anyhow::Result<Found> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/parity.md");
    let page = std::fs::read_to_string(&path).context("docs/parity.md")?;
    let patterns = read(&page)?;
    ensure!(patterns.len() >= PATTERNS, "{} patterns, fewer than {PATTERNS}", patterns.len());
    for rank in RANKS {
        let count = patterns.iter().filter(|pattern| pattern.rank() == rank).count();
        ensure!(count >= OF_EACH_RANK, "{count} patterns of rank {rank}");
        println!("rank {rank}: {count} patterns");
    }
    let mut mismatches = vec![];
    for (pattern, einops) in patterns.iter().zip(ask(python, SHAPES, &patterns)?) {
        let own = own(pattern.shapes());
        let written = Answer::Shapes(vec![pattern.result.clone()]);
        if einops != written || own != written {
            let Pattern { operation, text, spec, line, .. } = pattern;
            mismatches.push(format!(
                "docs/parity.md:{line}: {operation} `{text}`: written {written}, einops {einops}, \
                 lozenge {own} by `{spec}`"
            ));
        }
    }
    Ok(Found { count: patterns.len(), mismatches })
}

impl Pattern {
    /// That of the operand that has the most axes.
    fn rank(&self) -> usize {
        self.operands.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn shapes(&self) -> Result<Vec<Vec<u64>>, Report> {
        let mut session = Session::new();
        let mut operands = vec![];
        for sizes in &self.operands {
            operands.push(session.data_of_sizes("x", &[], &[], sizes)?);
        }
        let result = session.einsum_with(&self.spec, &parity::numbers(&self.numbers), &operands)?;
        parity::closed(&session, &[result])
    }
}

/// The rows of all tables that have the header.
fn read(page: &str) -> anyhow::Result<Vec<Pattern>> {
    let mut patterns = vec![];
    let mut lines = (1..).zip(page.lines());
    while let Some((_, line)) = lines.next() {
        if line == HEADER {
            // The line below a header is drawn.
            let rows = lines.by_ref().skip(1).take_while(|(_, line)| line.starts_with('|'));
            for (number, row) in rows {
                let pattern = read_row(row).with_context(|| format!("docs/parity.md:{number}"))?;
                patterns.push(Pattern { line: number, ..pattern });
            }
        }
    }
    Ok(patterns)
}

fn read_row(row: &str) -> anyhow::Result<Pattern> {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let [operation, einops, operands, spec, result] = cells[..] else {
        bail!("{} cells", cells.len());
    };
    let [einops, operands, spec, result] =
        [einops, operands, spec, result].map(|cell| cell.trim_matches('`'));
    // Behind the arrow a comma is before a number; before it, between operands.
    let (from, to) = einops.split_once("->").context("a pattern without an arrow")?;
    let mut behind = to.split(',');
    let text = format!("{from}->{}", behind.next().unwrap_or(""));
    let number = |text: &str| {
        let (name, size) = text.split_once('=').context("a number is written `h=2`")?;
        Ok((name.trim().to_owned(), size.parse()?))
    };
    Ok(Pattern {
        operation: operation.to_owned(),
        text,
        numbers: behind.map(number).collect::<anyhow::Result<_>>()?,
        operands: operands.split(';').map(read_sizes).collect::<anyhow::Result<_>>()?,
        spec: spec.to_owned(),
        result: read_sizes(result)?,
        line: 0,
    })
}

/// Sizes with commas between them, or none.
fn read_sizes(text: &str) -> anyhow::Result<Vec<u64>> {
    let sizes = text.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().context("a size that is no number")).collect()
}
