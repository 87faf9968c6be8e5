//! Runs the programs of `docs/programs/*.md`: pages that are specification and test at once.
//!
//! A block with the fence `program` has steps, a line `---`, and claims: the closed shape of a tensor,
//! the size of a captured name, or what is said about a program that is refused. With `UPDATE_EXPECT=1`
//! the claims are written anew; read the difference before you keep it.

use std::{fmt::Write, fs, path::Path};

use lozenge::{
    Rejection, Site,
    diagnostic::{Look, full},
};

use crate::program::Program;

#[test]
fn programs_of_the_book() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/programs");
    let mut pages: Vec<_> = fs::read_dir(dir).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let (mut failures, mut cases) = (vec![], 0);
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let mut written = String::new();
        let mut rest = &text[..];
        while let Some((before, after)) = rest.split_once("```program\n") {
            let (block, after) = after.split_once("```\n").expect("a block ends");
            let (steps, claims) = block.split_once("---\n").expect("a line `---`");
            let found = outcome(steps, claims);
            cases += 1;
            if found != claims {
                let line = 1 + text[..text.len() - rest.len() + before.len()].matches('\n').count();
                failures
                    .push(format!("{}:{line}\n{steps}---\n{found}not\n{claims}", page.display()));
            }
            let _ = write!(written, "{before}```program\n{steps}---\n{found}```\n");
            rest = after;
        }
        if update {
            fs::write(&page, written + rest).unwrap();
        }
    }
    assert!(update || failures.is_empty(), "{}", failures.join("\n"));
    assert!(cases >= 100, "only {cases} cases were found");
}

/// What the claims should be: of the same things, or of all that is not declared.
fn outcome(steps: &str, claims: &str) -> String {
    let mut program = match Program::build(steps) {
        Ok(program) => program,
        Err(rejection) => return refusal(&rejection),
    };
    let closed = match program.session.close() {
        Ok(closed) => closed,
        Err(rejection) => return refusal(&rejection),
    };
    let subject = |claim: &str| claim.split([':', ' ']).next().unwrap_or_default().to_owned();
    let known = |subject: &String| {
        program.tensors.contains_key(subject) || subject.contains('.') && !subject.contains('[')
    };
    let mut subjects: Vec<String> = claims.lines().map(subject).filter(known).collect();
    if subjects.is_empty() {
        subjects.clone_from(&program.made);
    }
    let mut found = String::new();
    for subject in subjects {
        if let Some(tensor) = program.tensors.get(&subject) {
            let _ = writeln!(found, "{subject}: {}", closed.shape(*tensor).unwrap());
        } else {
            let size = program.size(&Site::caller(), &subject).unwrap();
            let _ = match closed.size(size) {
                Some(number) => writeln!(found, "{subject} = {number}"),
                None => writeln!(found, "{subject} = ?"),
            };
        }
    }
    for note in closed.notes() {
        let _ = writeln!(found, "{}", full(note, closed.sources(), Look::PLAIN));
    }
    found
}

fn refusal(rejection: &Rejection) -> String {
    format!("{rejection}\n")
}
