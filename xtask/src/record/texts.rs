//! The sections `pages` and `snapshots`: what the tests hold the code against, as it is stored. As
//! the tests pass, it is what the code gives. Where a text stands is not recorded, so that pages,
//! tests and crates can be moved.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use super::section::{Args, Section, root};

/// The fences of a page whose blocks no test holds against the code, or that contain names of the
/// interface.
const LEFT_OUT: [&str; 4] = ["rust", "sh", "python", "ebnf"];

/// Every block of the pages that says what is claimed or expected: an item each.
pub(super) fn pages(_: &Args, section: &mut Section) -> anyhow::Result<()> {
    let mut items = vec![];
    for path in below(&root().join("docs"))? {
        let name = called(&path);
        if is(&path, "md") {
            let page = fs::read_to_string(&path)?;
            for (line, block) in blocks(&page) {
                items.push((format!("{name}:{line}"), block));
            }
        } else if is(&path, "json") || is(&path, "svg") {
            items.push((name, fs::read_to_string(&path)?));
        }
    }
    section.add_sorted(items)
}

/// Every file that a test of the crates compares with, and the body of every `expect!`: an item
/// each.
pub(super) fn snapshots(_: &Args, section: &mut Section) -> anyhow::Result<()> {
    let mut items = vec![];
    for path in below(&root().join("crates"))? {
        let name = called(&path);
        if is(&path, "rs") {
            let source = fs::read_to_string(&path)?;
            let bodies = expected(&source).into_iter();
            items.extend(bodies.map(|(line, body)| (format!("{name}:{line}"), body)));
        } else if path.iter().any(|part| part == "tests") {
            let texts = ["txt", "json", "rules", "lang", "tsv", "expected", "spec"];
            let is_text = texts.iter().any(|ending| is(&path, ending));
            if is_text || path.extension().is_none() {
                items.push((name, fs::read_to_string(&path)?));
            }
        }
    }
    section.add_sorted(items)
}

/// The blocks of a page, each with its fence and line.
fn blocks(page: &str) -> Vec<(usize, String)> {
    let mut blocks = vec![];
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(fence) = line.trim_start().strip_prefix("```") else { continue };
        let body = lines.by_ref().map(|(_, line)| line);
        let body: Vec<&str> = body.take_while(|line| line.trim_start() != "```").collect();
        if !LEFT_OUT.contains(&fence.split([',', ' ']).next().unwrap_or_default()) {
            blocks.push((at + 1, format!("{fence}\n{}", body.join("\n"))));
        }
    }
    blocks
}

/// The bodies of the `expect!` of a source, each with its line, without what its lines are indented
/// by.
fn expected(source: &str) -> Vec<(usize, String)> {
    let mut found = vec![];
    let mut rest = source;
    while let Some(at) = rest.find("expect![") {
        rest = &rest[at + "expect![".len()..];
        let line = source[..source.len() - rest.len()].lines().count();
        let literal = rest.trim_start_matches(['[', ' ', '\n']);
        let raw = literal.strip_prefix('r');
        let hashes = raw.map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        let opened = raw.map_or(literal, |raw| &raw[hashes..]).strip_prefix('"');
        let closing = format!("\"{}", "#".repeat(hashes));
        let body = opened.and_then(|opened| Some(&opened[..opened.find(&closing)?]));
        if let Some(body) = body {
            found.push((line, dedented(body)));
        }
    }
    found
}

/// A text without the indentation that all its lines have.
fn dedented(body: &str) -> String {
    let lines = || body.lines().skip_while(|line| line.is_empty());
    let filled = lines().filter(|line| !line.trim().is_empty());
    let indent = filled.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines().map(|line| line.get(indent..).unwrap_or_default()).collect();
    lines.join("\n").trim_end().to_owned()
}

pub(super) fn is(path: &Path, ending: &str) -> bool {
    path.extension() == Some(OsStr::new(ending))
}

/// How a file is called in the repository.
fn called(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// All files below a folder, in order.
pub(crate) fn below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = vec![];
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{blocks, expected};

    #[test]
    fn a_block_is_found_with_its_fence() {
        let page = "text\n```rust\nfn f() {}\n```\n```program\nx\n---\ny\n```\n";
        assert_eq!(blocks(page), [(5, "program\nx\n---\ny".to_owned())]);
    }

    #[test]
    fn a_body_is_found_without_its_indentation() {
        let source = "check(\"x\", expect![[r#\"\n        one\n          two \"2\"\"#]]);\nexpect![[r\"3\"]]";
        let bodies = [(1, "one\n  two \"2\"".to_owned()), (4, "3".to_owned())];
        assert_eq!(expected(source), bodies);
    }
}
