//! Keeps the paths true that ARCHITECTURE.md and CONTRIBUTING.md name: each is a path of the
//! repository, or the end of one, so that a file that moves takes its mention along.

use std::fs;

use crate::support::{read, root};

/// Pieces of a text between backticks, outside of blocks.
fn quoted(text: &str) -> Vec<&str> {
    let mut in_block = false;
    let mut found = vec![];
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            found.extend(line.split('`').skip(1).step_by(2));
        }
    }
    found
}

/// Whether a piece of text looks like a path of a repository: folders and names, and nothing else.
fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let ends = [".rs", ".md", ".toml", ".txt", ".json", ".py", ".yml"];
    let is_file = ends.iter().any(|end| text.ends_with(end));
    text.chars().all(is_part)
        && !text.starts_with(['/', '-'])
        && (is_file || text.ends_with('/') || roots().iter().any(|root| text.starts_with(root)))
}

/// The folders of the repository, each with its slash.
fn roots() -> Vec<String> {
    let entries = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    let names = folders.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name != "target").map(|name| name + "/").collect()
}

/// All paths below a folder, folders with a slash at their end.
fn all_below(folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            if !["target", ".git"].contains(&&name[..]) {
                found.push(format!("{path}/"));
                all_below(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_guides_name_paths_that_exist() {
    let mut all = vec![];
    all_below("", &mut all);
    let exists = |path: &str| {
        let ends = |full: &String| {
            let full = if path.ends_with('/') { full } else { full.trim_end_matches('/') };
            full == path || full.strip_suffix(path).is_some_and(|before| before.ends_with('/'))
        };
        all.iter().any(ends)
    };
    let mut named = 0;
    let mut missing = vec![];
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for path in quoted(&read(page)).into_iter().filter(|text| is_path(text)) {
            named += 1;
            if !exists(path) {
                missing.push(format!("{page}: {path}"));
            }
        }
    }
    assert!(named > 40, "{named} paths");
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn what_is_a_path_is_seen() {
    for path in ["crates/calculus/src/size.rs", "size/word.rs", "docs/errors/", "README.md"] {
        assert!(is_path(path), "{path}");
    }
    for other in ["a/b", "docs/errors/<code>.md", "cargo xtask same", "size::Size", "b|i->o"] {
        assert!(!is_path(other), "{other}");
    }
    assert_eq!(quoted("`a` and `b`\n```text\n`c`\n```\n`d`"), ["a", "b", "d"]);
}
