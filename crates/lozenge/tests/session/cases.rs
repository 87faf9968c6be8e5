//! Runs the programs of `docs/programs/*.md`: pages that are specification and test at once.
//!
//! A block with the fence `dims` has questions about dimensions (`dims.rs`), a line `---`, and the
//! answers.
//!
//! A block with the fence `program` has steps, a line `---`, and claims: the closed shape of a
//! tensor, the size of a captured name, or what is said about a program that is refused. With
//! `UPDATE_EXPECT=1` the claims are written anew; read the difference before you keep it.

use std::fmt::Write;

use lozenge::{
    Report, Site,
    diagnostic::{Look, full},
};

use crate::{claims, dims, program::Program};

#[test]
fn programs_of_the_book() {
    claims::hold("programs", "program", 100, outcome);
    // One after another: both write the same pages anew.
    claims::hold("programs", "dims", 30, dims::outcome);
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
        let of_tensor = |(tensor, _): (&str, &str)| program.tensors.contains_key(tensor);
        program.tensors.contains_key(subject) || subject.split_once('.').is_some_and(of_tensor)
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
            let size = program.size(Site::caller(), &subject).unwrap();
            let _ = match closed.size(size) {
                Some(number) => writeln!(found, "{subject} = {number}"),
                None => match closed.axis(size) {
                    Some(axis) => writeln!(found, "{subject} = {axis}"),
                    None => writeln!(found, "{subject} = ?"),
                },
            };
        }
    }
    for note in closed.notes() {
        let _ = writeln!(found, "{}", full(note, closed.sources(), Look::PLAIN));
    }
    found
}

fn refusal(rejection: &Report) -> String {
    format!("{rejection}\n")
}
