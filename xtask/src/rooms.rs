//! `rooms`: how much stands in one room. Counts over the sources of the crates that say whether a
//! change of structure did what it was for. The sources are read as text, of any state of the
//! repository, so the counts are near enough and no more.

mod code;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use anyhow::Context;

use crate::record::{below, root};
use code::{Block, blocks, code, generics, is_word, places};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The repository whose sources are counted; this one by default.
    #[arg(long)]
    tree: Option<PathBuf>,
}

/// The tables of the solver, as its fields are called, or were.
const TABLES: [&str; 15] = [
    "dims",
    "bounds",
    "adjacencies",
    "facts",
    "leasts",
    "watches",
    "rows",
    "axes",
    "pool",
    "slots",
    "givens",
    "progress",
    "relations",
    "joints",
    "trace",
];

/// A place that names so many of them lists them.
const LISTED: usize = 5;

/// What is given where there is nothing, and nobody is told.
const SILENT: [&str; 3] = ["unwrap_or(0)", "unwrap_or(Dim::Unit)", "unwrap_or_default()"];

/// The longest line of a comment.
const COLUMNS: usize = 100;

/// A source of a crate.
struct File {
    krate: String,
    path: String,
    source: String,
    code: String,
}

/// How often something is met, and in which files.
type Met = BTreeMap<String, (usize, BTreeSet<String>)>;

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let files = files(args)?;
    let print = |what: &str, count: usize| println!("{what:<64} {count:>6}");

    let mut types = Met::new();
    for file in &files {
        for (name, methods) in methods(&file.code) {
            let (count, places) = types.entry(format!("{name} of {}", file.krate)).or_default();
            *count += methods;
            places.insert(file.path.clone());
        }
    }
    let mut types: Vec<_> = types.into_iter().collect();
    types.sort_by_key(|(_, (count, _))| usize::MAX - count);
    for (name, (count, places)) in types.iter().take(5) {
        print(&format!("methods of {name}, in {} files", places.len()), *count);
    }

    let print_all = |what: &str, counts: &BTreeMap<&str, usize>| {
        print(what, counts.values().sum());
        for (krate, count) in counts {
            print(&format!("  in {krate}"), *count);
        }
    };
    let by_crate = |count: &dyn Fn(&File) -> usize| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for file in &files {
            *counts.entry(&file.krate).or_default() += count(file);
        }
        counts
    };
    let lines = by_crate(&|file| file.source.lines().count());
    let largest = by_crate(&|_| 1).into_iter().max_by_key(|(_, count)| *count);
    let (largest, count) = largest.context("there are no sources")?;
    print(&format!("files of {largest}, the crate with the most"), count);
    print(&format!("lines of {largest}"), lines[largest]);

    let is_of_solver = |file: &&File| {
        ["crates/core/src/solve", "crates/solve/src"].iter().any(|of| file.path.starts_with(of))
    };
    let solver = || files.iter().filter(is_of_solver);
    let bare = by_crate(&|file| bare(&file.code));
    print_all("u32 in signatures and fields, newtypes left out", &bare);
    print("  of these in the solver", solver().map(|file| self::bare(&file.code)).sum());

    print(
        "functions and types of the solver with 5 of its tables' names",
        solver().map(|file| listing(&file.code)).sum(),
    );
    let nil = by_crate(&|file| places(&file.code, "NIL").count());
    print("NIL", nil.values().sum());
    let silent = |file: &File| SILENT.iter().map(|text| file.code.matches(text).count()).sum();
    let silent = by_crate(&silent);
    print_all("silent defaults: unwrap_or of 0 or Dim::Unit, unwrap_or_default", &silent);

    let is_long =
        |line: &&str| line.trim_start().starts_with("//") && line.chars().count() > COLUMNS;
    let long = by_crate(&|file| file.source.lines().filter(is_long).count());
    print_all("comment lines of more than 100 columns", &long);
    Ok(())
}

/// The sources of all crates: `crates/*/src`.
fn files(args: &Args) -> anyhow::Result<Vec<File>> {
    let tree = args.tree.as_deref().unwrap_or(root());
    let mut files = vec![];
    for path in below(&tree.join("crates"))? {
        let name = path.strip_prefix(tree)?.display().to_string();
        let mut parts = name.split('/').skip(1);
        let (krate, folder) = (parts.next().unwrap_or_default().to_owned(), parts.next());
        let is_rust = path.extension().is_some_and(|ending| ending == "rs");
        if folder == Some("src") && is_rust {
            let source = fs::read_to_string(&path)?;
            files.push(File { krate, path: name, code: code(&source), source });
        }
    }
    Ok(files)
}

/// The types that have methods of their own in a source, and how many in each `impl`. Those of
/// traits do not count.
fn methods(code: &str) -> impl Iterator<Item = (&str, usize)> {
    blocks(code, "impl").filter_map(|Block { head, body, at }| {
        // In a signature it does not begin a line.
        let begins = code[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
        let of = head[generics(head)..].trim_start();
        let is_of_trait = places(of, "for").next().is_some();
        let name = of.split(|c| !is_word(c) && c != ':').next()?.rsplit(':').next()?;
        (begins && !is_of_trait).then(|| (name, functions(body).count()))
    })
}

/// The functions of a source, but not the types of functions.
fn functions(code: &str) -> impl Iterator<Item = Block<'_>> {
    blocks(code, "fn").filter(|block| block.head.starts_with(' '))
}

/// How often the type `u32` stands in signatures of functions and in fields. A type of its own that
/// holds one is none.
fn bare(code: &str) -> usize {
    let count = |text: &str| places(text, "u32").count();
    let signatures: usize = functions(code).map(|function| count(function.head)).sum();
    let is_newtype = |head: &str| {
        let field = head.split_once('(').map_or("", |(_, field)| field.trim_end());
        ["u32)", "pub u32)", "pub(crate) u32)", "pub(super) u32)"].contains(&field)
    };
    let types = blocks(code, "struct").chain(blocks(code, "enum"));
    let types = types.filter(|block| !is_newtype(block.head));
    signatures + types.map(|block| count(block.head) + count(block.body)).sum::<usize>()
}

/// How many functions and types of a source have several of the solver's tables: as `self.rows`, or
/// as `rows:`.
fn listing(code: &str) -> usize {
    let has = |body: &str, table: &str| {
        places(body, table)
            .any(|at| body[..at].ends_with("self.") || body[at + table.len()..].starts_with(':'))
    };
    let tables = |body: &str| TABLES.iter().filter(|table| has(body, table)).count();
    let bodies = functions(code).chain(blocks(code, "struct"));
    bodies.filter(|block| tables(block.body) >= LISTED).count()
}
