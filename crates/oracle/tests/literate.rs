//! Runs the cases of `docs/cases/*.md`: pages that are specification and test at once.
//!
//! A case is a fenced block of constraints, a line `---`, and what is claimed of them:
//!
//! | claim | meaning |
//! |---|---|
//! | `holds` | ground constraints, satisfied under both judges |
//! | `holds one-shot` | satisfied under the one-shot order, not under the marked one |
//! | `fails` | not satisfied under either |
//! | `no solution` | nothing in the universe satisfies them under either |
//! | `no marked solution` | nothing satisfies them under the marked order, something does one-shot |
//! | `solutions: γ γ …` | exactly these satisfy them one-shot |
//! | `smallest: γ` | among the one-shot solutions of least rank, the greatest |
//!
//! The universe has the claim-free unit, the atoms of the case and rows up to rank 3.

use std::{fs, path::Path};

use lozenge_core::{
    constraint::{Constraint, Vars},
    judge::Judge,
    term::Grounding,
    text::Names,
};
use lozenge_oracle::{Universe, extents};

const MAX_RANK: usize = 3;

/// A longer list of solutions says nothing to a reader.
const MAX_SHOWN: usize = 12;

#[test]
fn literate_cases() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cases");
    let mut pages: Vec<_> = fs::read_dir(dir).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    let mut failures = vec![];
    let mut cases = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for (line, block) in blocks(&text) {
            cases += 1;
            if let Err(message) = check(&block) {
                failures.push(format!("{}:{line}: {message}\n{block}", page.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(cases >= 30, "only {cases} cases were found");
}

/// The fenced blocks of constraints in a page, with their line numbers.
fn blocks(page: &str) -> Vec<(usize, String)> {
    let mut blocks = vec![];
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line == "```constraints" {
            let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            blocks.push((at + 1, body.collect::<Vec<_>>().join("\n")));
        }
    }
    blocks
}

fn check(block: &str) -> Result<(), String> {
    let (constraints, claim) = block.split_once("\n---\n").ok_or("no line `---`")?;
    let mut names = Names::new();
    let store = names.parse_store(constraints).map_err(|error| error.to_string())?;
    let actual = verdict(&store, claim, &names);
    if actual == claim { Ok(()) } else { Err(format!("found `{actual}`, not what is claimed")) }
}

/// What is true of `store`, in the words of `claim`.
fn verdict(store: &[Constraint], claim: &str, names: &Names) -> String {
    let universe = Universe::of(store, MAX_RANK);
    let vars = Vars::of(store);
    let show = |ground: &Grounding| names.show(ground).to_string();
    if vars.dims.is_empty() && vars.rows.is_empty() {
        let judged = [Judge::OneShot, Judge::Marked]
            .map(|judge| judge.satisfies_all(&Grounding::top(), store));
        let verdict = match judged {
            [true, true] => "holds",
            [true, false] => "holds one-shot",
            [false, false] => "fails",
            [false, true] => "the marked order does not imply the one-shot order",
        };
        return verdict.into();
    }
    let Some(smallest) = extents::find(&universe, Judge::OneShot, store) else {
        return "no solution".into();
    };
    if extents::find(&universe, Judge::Marked, store).is_none() {
        return "no marked solution".into();
    }
    if claim.starts_with("smallest:") {
        return format!("smallest: {}", show(&smallest));
    }
    let all = extents::solutions(&universe, Judge::OneShot, store);
    let shown: Vec<String> = all.iter().take(MAX_SHOWN).map(show).collect();
    let more = if all.len() > MAX_SHOWN { " …" } else { "" };
    format!("solutions: {}{more}", shown.join(" "))
}
