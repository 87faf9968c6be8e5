//! The pages about programs are true, and what is said in them is the same in the three forms.
//!
//! With `UPDATE_EXPECT=1` pages and snapshots are written anew; read the difference before you keep it.

use std::{fmt::Write, fs, path::PathBuf};

use lozenge::{
    Budget, Pointwise, Session, Site,
    diagnostic::{Code, Rejection, concise, json},
};

use crate::program::Program;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Compares a file with what it should be, or writes it.
fn keep(name: &str, wanted: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path(name), wanted).unwrap();
    }
    let written = fs::read_to_string(path(name)).unwrap_or_default();
    assert!(written == wanted, "{name} should be\n{wanted}");
}

#[test]
fn everyday_mistakes_are_shown_as_they_are_answered() {
    let name = "docs/mistakes.md";
    let (wanted, _) = spoken(&fs::read_to_string(path(name)).unwrap());
    keep(name, &wanted);
    assert!(wanted.matches("```program").count() >= 15);
}

/// What no text of a program can raise, raised through the Rust interface.
#[test]
fn what_only_rust_can_get_wrong() {
    let mut other = Session::new();
    let x = other.data("x", "2,3").unwrap();
    let site = || Site::line("main.rs", 3, 9);
    let foreign = Session::new().apply_at(site(), Pointwise::new("relu"), &[x]).unwrap_err();
    let mut session = Session::with_budget(Budget { steps: 1, ..Budget::default() });
    let y = session.data("y", "2,3").unwrap();
    let exhausted = session.apply_at(site(), Pointwise::new("+"), &[y, y]).unwrap_err();
    for (code, said) in [(Code::ForeignTensor, foreign), (Code::WorkExhausted, exhausted)] {
        assert_eq!(said.diagnostics[0].code, code);
        let line = concise(&said.diagnostics[0], &said.sources);
        let all = json(&said.diagnostics, &said.sources);
        let name = format!("crates/lozenge/tests/session/said/{code}.txt");
        keep(&name, &format!("{said}\n{line}\n{all}\n"));
    }
}

/// The page with what is said about its programs as it is; and that of the first.
fn spoken(page: &str) -> (String, Rejection) {
    let mut written = String::new();
    let mut first: Option<Rejection> = None;
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("```program\n") {
        let (steps, after) = after.split_once("```\n").expect("a block ends");
        let _ = write!(written, "{before}```program\n{steps}```\n");
        let said = Program::said(steps);
        rest = after;
        if let Some(shown) = after.strip_prefix("\n```text\n") {
            (_, rest) = shown.split_once("```\n").expect("a block ends");
            let _ = write!(written, "\n```text\n{said}\n```\n");
            first.get_or_insert(said);
        } else {
            assert!(said.diagnostics.is_empty(), "{steps} should be accepted:\n{said}");
        }
    }
    (written + rest, first.expect("a page has an example"))
}

#[test]
fn every_page_about_programs_is_true() {
    let mut pages = 0;
    for code in Code::ALL {
        let name = format!("docs/errors/{code}.md");
        let page = fs::read_to_string(path(&name)).unwrap();
        if !page.contains("```program\n") {
            continue;
        }
        pages += 1;
        let (wanted, said) = spoken(&page);
        keep(&name, &wanted);
        let codes: Vec<Code> = said.diagnostics.iter().map(|said| said.code).collect();
        assert_eq!(codes.first(), Some(code), "{name} raises {codes:?}");
        let lines: Vec<String> =
            said.diagnostics.iter().map(|line| concise(line, &said.sources)).collect();
        let snapshot =
            format!("{}\n{}\n", lines.join("\n"), json(&said.diagnostics, &said.sources));
        keep(&format!("crates/lozenge/tests/session/said/{code}.txt"), &snapshot);
    }
    assert_eq!(pages, 22);
}
