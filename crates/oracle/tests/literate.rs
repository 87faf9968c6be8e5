//! Runs the cases of `docs/cases/*.md`: pages that are specification and test at once.
//!
//! A case is a fenced block of constraints, a line `---`, and what is claimed of them. The first
//! claim is the truth, found by brute force:
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
//!
//! A second line `solver: …` says what the solver does: the bindings, what is kept after `where`,
//! what waits after `deferred:`; or `rejected by` a rule, because of which constraints, counted from 0. With
//! `UPDATE_CASES=1` the claims are written anew; read the difference before you keep it.

use std::{fs, path::Path};

use lozenge_core::{
    constraint::{Constraint, OriginId, Vars},
    judge::Judge,
    solve::{Residual, Solver},
    term::Grounding,
    text::{Names, TextError},
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
    let update = std::env::var_os("UPDATE_CASES").is_some();
    let mut failures = vec![];
    let mut cases = 0;
    for page in pages {
        let mut text = fs::read_to_string(&page).unwrap();
        for (line, block) in blocks(&text) {
            cases += 1;
            let (constraints, claim) = block.split_once("\n---\n").expect("a line `---`");
            let actual = verdict(constraints, claim).unwrap_or_else(|error| error.to_string());
            if actual != claim {
                failures.push(format!("{}:{line}: found\n{actual}\nnot\n{block}", page.display()));
                text = text.replacen(&block, &format!("{constraints}\n---\n{actual}"), 1);
            }
        }
        if update {
            fs::write(&page, text).unwrap();
        }
    }
    assert!(update || failures.is_empty(), "{}", failures.join("\n"));
    assert!(cases >= 60, "only {cases} cases were found");
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

/// What is true of the constraints, in the words of `claim`.
fn verdict(constraints: &str, claim: &str) -> Result<String, TextError> {
    let mut names = Names::new();
    let mut store = names.parse_store(constraints)?;
    for (origin, constraint) in (0..).zip(&mut store) {
        constraint.origin = OriginId::new(origin);
    }
    let truth = truth(&store, claim, &names);
    if !claim.contains("solver:") {
        return Ok(truth);
    }
    Ok(format!("{truth}\nsolver: {}", solver(&store, &names)))
}

/// What the solver does with `store`.
fn solver(store: &[Constraint], names: &Names) -> String {
    let mut solver = Solver::new();
    if let Err(rejection) = solver.extend(store) {
        let because = rejection.to_string().replace(" fails", "").replace(", because", " because");
        return format!("rejected by {because}");
    }
    let form = solver.solved();
    let mut text = names.show(&form.substitution().expect("idempotent")).to_string();
    let list = |wanted: fn(&Residual) -> bool| {
        let residual = form.residual();
        let kept = residual.iter().filter(|residual| wanted(residual));
        kept.map(|r| names.show(&r.constraint().relation).to_string())
            .collect::<Vec<_>>()
            .join("; ")
    };
    let bounds = list(|residual| matches!(residual, Residual::Bound(_)));
    let deferred = list(|residual| matches!(residual, Residual::Deferred(_)));
    for (word, list) in [("where", bounds), ("deferred:", deferred)] {
        if !list.is_empty() {
            text = format!("{text} {word} {list}");
        }
    }
    text
}

/// What is true of `store`, in the words of `claim`.
fn truth(store: &[Constraint], claim: &str, names: &Names) -> String {
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
