//! The pages about errors are true: each code has one, its example raises it and is shown as it is
//! given, and what the page says is read is read.

use lozenge_diagnostic::Code;
use lozenge_notation::{Dialect, parse_as, parse_shape};

use crate::support::{keep, page, path, said};

/// The page with what is said about its blocks as it is, and the codes that its examples raise.
fn spoken(page: &str) -> (String, Vec<Code>) {
    let mut written = vec![];
    let mut raised = vec![];
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("```notation\n") {
        let (block, after) = after.split_once("\n```\n").expect("a block ends");
        written.push(format!("{before}```notation\n{block}\n```\n"));
        let rejection = said(block);
        rest = after;
        if let Some(shown) = after.strip_prefix("\n```text\n") {
            (_, rest) = shown.split_once("```\n").expect("a block ends");
            raised.extend(rejection.diagnostics.iter().map(|said| said.code));
            written.push(format!("\n```text\n{rejection}\n```\n"));
        } else {
            assert!(rejection.diagnostics.is_empty(), "{block} should be read:\n{rejection}");
        }
    }
    (written.concat() + rest, raised)
}

#[test]
fn every_code_has_a_page_with_an_example() {
    let index = page("docs/errors.md");
    for code in Code::ALL {
        let name = format!("docs/errors/{code}.md");
        let written = page(&name);
        let severity = code.severity().name();
        let (first, rest) = severity.split_at(1);
        let head = format!("# {code}\n\n{}{rest}: {}.\n", first.to_uppercase(), code.summary());
        assert!(written.starts_with(&head), "{name} does not begin with\n{head}");
        let row = format!("| [{code}](errors/{code}.md) | {severity} | {} |", code.summary());
        assert!(index.contains(&row), "docs/errors.md has no row\n{row}");

        // What is said about programs and about models is tested where they are.
        let kinds = ["```program\n", "```rust\n", "```console\n"];
        if kinds.iter().any(|kind| written.contains(kind)) {
            continue;
        }
        let (wanted, raised) = spoken(&written);
        keep(&name, &wanted);
        // A text that is too long to be read is too long for a page.
        let wanted = if *code == Code::TooLong { vec![] } else { vec![*code] };
        assert_eq!(raised, wanted, "{name}");
    }
}

#[test]
fn every_page_has_a_code() {
    for entry in std::fs::read_dir(path("docs/errors")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let code = name.trim_end_matches(".md");
        assert!(Code::find(code).is_some(), "docs/errors/{name} is about no code");
    }
}

#[test]
fn codes_are_kebab_case_and_differ() {
    let mut names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    for name in &names {
        assert!(
            name.split('-').all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase()))
        );
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Code::ALL.len());
}

#[test]
fn a_text_that_is_too_long_is_not_read() {
    let text = "a".repeat(lozenge_notation::MAX_LEN + 1);
    for said in [parse_as(&text, Dialect::Lozenge).diagnostics, parse_shape(&text).diagnostics] {
        assert_eq!(said.iter().map(|said| said.code).collect::<Vec<_>>(), [Code::TooLong]);
    }
    let text = "a".repeat(lozenge_notation::MAX_LEN - 3) + "=>a";
    assert!(parse_as(&text, Dialect::Lozenge).diagnostics.is_empty());
}
