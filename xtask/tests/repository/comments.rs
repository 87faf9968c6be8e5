//! Comments within 100 columns, as code is.

use crate::support::sources;

/// The last column of a line.
const COLUMNS: usize = 100;

/// The lines of comments in a source that could be broken and are too long, by their numbers. Rows
/// of tables, and what is between fences, cannot be.
fn too_long(text: &str) -> Vec<usize> {
    let mut is_fenced = false;
    let mut found = vec![];
    for (number, line) in (1..).zip(text.lines()) {
        let comment = line.trim_start();
        let body = comment.trim_start_matches(['/', '!']).trim_start();
        if !comment.starts_with("//") {
            is_fenced = false;
        } else if body.starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        let is_comment = comment.starts_with("//") || line.contains("; // ");
        let is_too_long = line.chars().count() > COLUMNS;
        if is_comment && is_too_long && !is_fenced && !body.starts_with('|') {
            found.push(number);
        }
    }
    found
}

#[test]
fn comments_are_within_the_columns_of_code() {
    let folders = ["crates", "xtask", "examples", "fuzz/fuzz_targets"];
    // The JSON Schema quotes the docs of its types line by line: to break one changes what is
    // published.
    let is_quoted = |text: &str| text.contains("JsonSchema");
    let sources = folders.into_iter().flat_map(sources).filter(|(_, text)| !is_quoted(text));
    let found: Vec<String> = sources
        .flat_map(|(path, text)| {
            let place = |number| format!("{}:{number}", path.display());
            too_long(&text).into_iter().map(place).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn what_is_too_long_is_seen() {
    let long = "word ".repeat(30);
    assert_eq!(too_long(&format!("/// {long}\nlet a = 1; // {long}\n//! {long}")), [1, 2, 3]);
    let unbroken = format!("/// ```\n/// {long}\n/// ```\n/// | {long} |\n\"{long}\"");
    assert!(too_long(&unbroken).is_empty());
}
