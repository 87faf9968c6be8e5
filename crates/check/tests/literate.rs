//! Runs the cases of `docs/cases/*.md`: pages that are specification and test at once.
//!
//! `docs/cases.md` says what a case is and what can be claimed. With `UPDATE_EXPECT=1` the
//! claims are written anew; read the difference before you keep it.

use std::{fs, path::Path};

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation, Vars},
    judge::Judge,
    term::{DimTerm, Grounding, RowTerm, Variable},
    text::{Names, TextError},
};
use lozenge_check::oracle::{Universe, extents};
use lozenge_solve::{
    Solver,
    close::{Note, Policy, Role, Roles, close},
    decide::{Decision, Effort, decide, refutation},
};

const MAX_RANK: usize = 3;

/// A longer list of solutions says nothing to a reader.
const MAX_SHOWN: usize = 12;

#[test]
fn literate_cases() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cases");
    let mut pages: Vec<_> = fs::read_dir(dir).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut failures = vec![];
    let mut cases = 0;
    for page in pages {
        let mut text = fs::read_to_string(&page).unwrap();
        for (line, block) in blocks(&text) {
            cases += 1;
            let place = format!("{}:{line}", page.display());
            let parts = block.split_once("\n---");
            let (constraints, claim) = parts.unwrap_or_else(|| panic!("{place}: no line `---`"));
            let claim = claim.trim_start_matches('\n');
            let unknown = claim.lines().find(|line| !is_claim(line));
            assert!(unknown.is_none(), "{place}: `{}` is not a claim", unknown.unwrap_or_default());
            let actual = verdict(constraints, claim).unwrap_or_else(|error| {
                let (line, column) = error.line_column(constraints);
                panic!("{place}: line {line}, column {column} of the block: {error}")
            });
            assert!(
                !actual.is_empty(),
                "{place}: relations between sizes claim nothing by themselves; write `solver:`, \
                 `closed:` or `decide:` below the line `---`"
            );
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
        let fence = line.strip_prefix("```");
        assert!(
            matches!(fence, None | Some("constraints" | "text")),
            "line {}: a fence is `constraints` or `text`",
            at + 1
        );
        if fence == Some("constraints") {
            let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            blocks.push((at + 1, body.collect::<Vec<_>>().join("\n")));
        }
    }
    blocks
}

/// Whether a line says what is claimed, in the words of `docs/cases.md`.
fn is_claim(line: &str) -> bool {
    let claims =
        ["holds", "fails", "no ", "solutions:", "smallest:", "solver:", "closed:", "decide:"];
    line.is_empty() || line.starts_with("  ") || claims.iter().any(|claim| line.starts_with(claim))
}

/// What is true of the constraints, in the words of `claim`.
fn verdict(constraints: &str, claim: &str) -> Result<String, TextError> {
    let mut names = Names::new();
    // Roles stand on lines of their own; an empty line in their place keeps the others' numbers.
    let is_role = |line: &&str| line.starts_with("leaf ") || line.starts_with("parameter ");
    let asked: Vec<&str> =
        constraints.lines().map(|line| if is_role(&line) { "" } else { line }).collect();
    let mut store = names.parse_store(&asked.join("\n"))?;
    for (origin, constraint) in (0..).zip(&mut store) {
        constraint.origin = OriginId::new(origin);
    }
    let mut roles = Roles::default();
    for line in constraints.lines().filter(is_role) {
        let mut words = line.split_whitespace();
        let role = if words.next() == Some("leaf") { Role::Leaf } else { Role::Parameter };
        for word in words {
            roles.add(variable(&mut names, word)?, role);
        }
    }
    // What sizes satisfy relations between them is judged by `xtask sizes`; here closed values are.
    let sizes = store.iter().any(|constraint| matches!(constraint.relation, Relation::Size(_)));
    let mut lines = if sizes { vec![] } else { vec![truth(&store, claim, &names)] };
    let asks = |word: &str| claim.lines().any(|line| line.starts_with(word));
    if asks("solver:") {
        lines.push(format!("solver: {}", solver(&store, &names)));
    }
    if asks("closed:") {
        lines.push(format!("closed: {}", closed(&store, &roles, &names)));
    }
    if asks("decide:") {
        lines.push(format!("decide: {}", decided(&store, asks("  "), &names)));
    }
    Ok(lines.join("\n"))
}

/// The variable that a word of a line with roles names.
fn variable(names: &mut Names, word: &str) -> Result<Variable, TextError> {
    Ok(if word.starts_with('?') {
        let term = names.parse::<DimTerm>(word)?;
        Variable::Dim(term.var().expect("a role is for a variable"))
    } else {
        let term = names.parse::<RowTerm>(word)?;
        Variable::Row(term.var.expect("a role is for a variable"))
    })
}

/// What closing makes of `store`.
fn closed(store: &[Constraint], roles: &Roles, names: &Names) -> String {
    let mut solver = Solver::new();
    if solver.extend(store).is_err() {
        return "not solved".into();
    }
    match close(&solver.solved(), roles, Policy::Default) {
        Err(unclosed) => format!("no: {}", names.show(&unclosed)),
        Ok(closed) => {
            let decided = !closed.notes().iter().any(|note| matches!(note, Note::Undecided(_)));
            let (sizes, ground) = (closed.sizes(), closed.grounding());
            let holds = Judge::OneShot.satisfies_all_with(sizes, ground, store);
            assert!(holds || !decided, "{ground}");
            let mut names = names.clone();
            names.set_sizes(closed.sizes());
            let mut text = names.show(closed.grounding()).to_string();
            for note in closed.notes() {
                text = format!("{text}; {}", names.show(note));
            }
            for (requirement, origins) in closed.requirements() {
                let origins: Vec<String> =
                    origins.iter().map(|origin| format!("@{}", origin.index())).collect();
                let origins = origins.join(" ");
                text = format!("{text}; requires {} ({origins})", names.show(requirement));
            }
            text
        }
    }
}

/// What deciding `store` gives, and how a refutation goes if that is asked.
fn decided(store: &[Constraint], refuted: bool, names: &Names) -> String {
    match decide(store, &mut Effort::default()) {
        Decision::Beyond => "beyond".into(),
        Decision::Satisfiable(solution) => {
            let mut names = names.clone();
            names.set_sizes(&solution.sizes);
            format!("satisfiable by {}", names.show(&solution.grounding))
        }
        Decision::Unsatisfiable(set) => {
            assert!(set.minimal);
            let origins: Vec<String> = set.members.iter().map(|i| format!("@{i}")).collect();
            let text = format!("unsatisfiable because of {}", origins.join(" "));
            if !refuted {
                return text;
            }
            let refutation = refutation(store, &set, &mut Effort::default()).expect("refuted");
            let lines = names.show(&refutation).to_string();
            let lines: Vec<String> = lines.lines().map(|line| format!("  {line}")).collect();
            format!("{text}\n{}", lines.join("\n"))
        }
    }
}

/// What the solver does with `store`.
fn solver(store: &[Constraint], names: &Names) -> String {
    let mut solver = Solver::new();
    if let Err(rejection) = solver.extend(store) {
        return format!("rejected: {}", names.show(&rejection));
    }
    let form = solver.solved();
    let mut names = names.clone();
    names.set_sizes(solver.sizes());
    let mut text = names.show(&form.substitution().expect("idempotent")).to_string();
    let residual = form.residual();
    let list = |deferred| {
        let kept = residual.iter().filter(|residual| residual.deferred == deferred);
        kept.map(|r| names.show(&r.relation).to_string()).collect::<Vec<_>>().join("; ")
    };
    let (bounds, deferred) = (list(false), list(true));
    for (word, list) in [("where", bounds), ("deferred:", deferred)] {
        if !list.is_empty() {
            text = format!("{text} {word} {list}");
        }
    }
    text
}

/// One more than the axes of the longest row of a case, or two, where few row variables make that
/// cheap.
fn longest(store: &[Constraint]) -> usize {
    let rank = |constraint: &Constraint| match &constraint.relation {
        Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => 0,
        Relation::RowEq(l, r) | Relation::RowIneq(l, r) => l.flanks.rank().max(r.flanks.rank()),
    };
    let more = if Vars::of(store).rows.len() <= 2 { 2 } else { 1 };
    store.iter().map(rank).max().unwrap_or(0) + more
}

/// What is true of `store`, in the words of `claim`.
fn truth(store: &[Constraint], claim: &str, names: &Names) -> String {
    let universe = Universe::of(store, longest(store).max(MAX_RANK));
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
