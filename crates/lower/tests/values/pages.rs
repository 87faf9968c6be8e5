//! Runs the blocks of `docs/values/*.md`: pages that are specification and test at once.
//!
//! A block with the fence `values` has steps, a line `---`, and claims: what tensors hold, or the code of what
//! is said where there is nothing to compute. With `UPDATE_EXPECT=1` the claims are written anew; hold them
//! against NumPy (`cargo xtask values`) before you keep them.

use std::{fmt::Write, fs, path::Path};

use crate::{numbers, program};

#[test]
fn values_of_the_book() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/values");
    let mut pages: Vec<_> = fs::read_dir(dir).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let (mut failures, mut cases) = (vec![], 0);
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let mut written = String::new();
        let mut rest = &text[..];
        while let Some((before, after)) = rest.split_once("```values\n") {
            let (block, after) = after.split_once("```\n").expect("a block ends");
            let (steps, claims) = block.split_once("---\n").expect("a line `---`");
            let found = outcome(steps, claims);
            cases += 1;
            if found != claims {
                let line = 1 + text[..text.len() - rest.len() + before.len()].matches('\n').count();
                failures
                    .push(format!("{}:{line}\n{steps}---\n{found}not\n{claims}", page.display()));
            }
            let _ = write!(written, "{before}```values\n{steps}---\n{found}```\n");
            rest = after;
        }
        if update {
            fs::write(&page, written + rest).unwrap();
        }
    }
    assert!(update || failures.is_empty(), "{}", failures.join("\n"));
    assert!(cases >= 80, "only {cases} cases were found");
}

/// What the claims should be: of the same tensors, or of all that steps make.
fn outcome(steps: &str, claims: &str) -> String {
    let computed = match program::run(steps) {
        Ok(computed) => computed,
        Err(rejection) => return format!("error: {}\n", rejection.diagnostics[0].code),
    };
    let subjects: Vec<&str> = claims
        .lines()
        .filter_map(|claim| claim.split_once(':').map(|(subject, _)| subject))
        .filter(|subject| computed.iter().any(|tensor| tensor.name == *subject))
        .collect();
    let mut found = String::new();
    for tensor in &computed {
        let claimed = subjects.contains(&tensor.name.as_str());
        if claimed || subjects.is_empty() && tensor.made {
            let written = numbers::write(&tensor.array);
            let _ = writeln!(found, "{}: {} = {written}", tensor.name, tensor.shape);
        }
    }
    found
}
