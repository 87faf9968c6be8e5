//! The strata of the solver: a folder, or a file at the root of its crate, names those before it
//! and none after.

use std::collections::BTreeSet;

use crate::{cycles::Crate, support::sources};

/// The strata of `crates/solve`, the lowest first; those of one line name neither each other nor
/// what comes after.
const STRATA: &[&[&str]] = &[
    &["budget", "independent", "repeated"],
    &["search", "tables"],
    &["reading"],
    &["rules", "why"],
    &["config"],
    &["apply"],
    &["rank"],
    &["solver"],
    &["equated", "snapshot", "solved"],
    &["commit", "ranges", "run", "specialise", "trial", "verify"],
    &["explain"],
    &["close"],
    &["decide"],
];

/// The names by which files name what is above them, or beside them in another folder.
fn upward(files: impl IntoIterator<Item = (String, String)>) -> BTreeSet<String> {
    let read = Crate::read(files);
    let rank = |part: &str| {
        let found = STRATA.iter().position(|parts| parts.contains(&part));
        found.unwrap_or_else(|| panic!("{part} is in no stratum"))
    };
    let mut found = BTreeSet::new();
    for (file, named) in read.named() {
        let Some(own) = file.first() else { continue };
        for other in named.iter().filter_map(|path| path.first()) {
            if own != other && rank(other) >= rank(own) {
                found.insert(format!("{} -> {other}", file.join("::")));
            }
        }
    }
    found
}

#[test]
fn folders_of_the_solver_name_only_those_below_them() {
    const ROOT: &str = "crates/solve/src/";
    let files = sources(ROOT).into_iter().map(|(path, text)| {
        let path = path.to_str().unwrap().trim_start_matches(ROOT).trim_start_matches('/');
        (path.to_owned(), text)
    });
    let found = upward(files);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_name_from_above_is_seen() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let files = [
        file("lib.rs", "mod tables;\nmod rules;\nmod why;\npub use why::Why;\n"),
        file("tables.rs", "pub(crate) mod node;\n"),
        file("tables/node.rs", "use crate::Why;\npub(crate) struct Node(Why);\n"),
        file("rules.rs", "use crate::tables::node::Node;\npub(crate) struct Rule(Node);\n"),
        file("why.rs", "use crate::rules::Rule;\npub struct Why(Rule);\n"),
    ];
    let seen = ["tables::node -> why", "why -> rules"];
    assert_eq!(upward(files), seen.into_iter().map(str::to_owned).collect());
}
