//! Wrong specifications and shapes, as a new user types them, each with what is said in all three
//! forms; and every edit that is offered mends what it is offered for.
//!
//! A file of `wrong/` begins with the input, as a block of a page of `docs/errors/` has it.

use std::fs;

use lozenge_diagnostic::{Diagnostic, Help, Look, Report, SourceId, concise, full, json};

use crate::support::{keep, path, said};

const FOLDER: &str = "crates/notation/tests/spec/wrong";

/// The files, by name, with their inputs.
fn inputs() -> Vec<(String, String)> {
    let entries = fs::read_dir(path(FOLDER)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let input = |name: &String| {
        let text = fs::read_to_string(path(FOLDER).join(name)).unwrap();
        text.split("\n--- full\n").next().unwrap().trim_end().to_owned()
    };
    names.iter().map(|name| (format!("{FOLDER}/{name}"), input(name))).collect()
}

fn forms(rejection: &Report) -> String {
    let Report { sources, diagnostics } = rejection;
    let each = |form: &dyn Fn(&Diagnostic) -> String| {
        diagnostics.iter().map(form).collect::<Vec<_>>().join("\n")
    };
    format!(
        "--- full\n{}\n--- concise\n{}\n--- json\n{}\n",
        each(&|said| full(said, sources, Look::PLAIN)),
        each(&|said| concise(said, sources)),
        json(diagnostics, sources),
    )
}

#[test]
fn wrong_texts_are_spoken_of() {
    let inputs = inputs();
    assert!(inputs.len() >= 40, "{} wrong texts", inputs.len());
    for (name, input) in inputs {
        let rejection = said(&input);
        assert!(!rejection.diagnostics.is_empty(), "{name} is not wrong");
        keep(&name, &format!("{input}\n{}", forms(&rejection)));
    }
}

#[test]
fn eighty_columns_are_enough() {
    for (name, input) in inputs() {
        let rejection = said(&input);
        for said in &rejection.diagnostics {
            let text = full(said, &rejection.sources, Look::PLAIN);
            let long = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(long, None, "{name}");
            assert!(!said.headline.contains('\n') && !said.headline.ends_with('.'), "{name}");
        }
    }
}

/// The input with a help applied to its first line, which is the first source.
fn applied(input: &str, help: &Help) -> String {
    let (first, rest) = input.split_once('\n').unwrap_or((input, ""));
    let (what, text) = first.split_once(' ').unwrap();
    assert!(help.edits.iter().all(|edit| edit.place.source == SourceId::FIRST));
    format!("{what} {}\n{rest}", help.apply(text)).trim_end().to_owned()
}

fn errors(rejection: &Report) -> usize {
    rejection.diagnostics.iter().filter(|said| said.is_error()).count()
}

#[test]
fn every_edit_mends_what_it_is_for() {
    let mut edits = 0;
    for (name, input) in inputs() {
        let rejection = said(&input);
        for diagnostic in &rejection.diagnostics {
            for help in diagnostic.helps.iter().filter(|help| !help.edits.is_empty()) {
                edits += 1;
                let mended = applied(&input, help);
                let after = said(&mended);
                // One mistake less; and of a warning, no more of it.
                let left = errors(&rejection) - usize::from(diagnostic.is_error());
                assert!(errors(&after) <= left, "{name}: {mended}\n{after}");
                let again = after.diagnostics.iter().any(|said| said.code == diagnostic.code);
                let only = rejection.diagnostics.iter().filter(|said| said.code == diagnostic.code);
                assert!(!again || only.count() > 1, "{name}: {mended}\n{after}");
            }
        }
    }
    assert!(edits > 60, "{edits} edits");
}

#[test]
fn mending_one_thing_after_another_ends() {
    for (name, mut input) in inputs() {
        for _ in 0..10 {
            let rejection = said(&input);
            let help = rejection
                .diagnostics
                .iter()
                .find_map(|said| said.helps.iter().find(|help| !help.edits.is_empty()));
            match help {
                Some(help) => input = applied(&input, help),
                None => break,
            }
        }
        let rejection = said(&input);
        let stuck = |said: &&Diagnostic| said.helps.iter().any(|help| !help.edits.is_empty());
        assert!(!rejection.diagnostics.iter().any(|said| stuck(&said)), "{name}: {input}");
    }
}
