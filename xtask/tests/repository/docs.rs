//! Keeps `docs/` true: the table of the calculus names items and tests that exist, and the book
//! lists its pages.

use lozenge_check::CHECKERS;
use lozenge_solve::Rule;

use crate::support::{files, read, root, sources};

/// The rows of the table *Definition, module, test*: what, item, test.
fn rows() -> Vec<[String; 3]> {
    let page = read("docs/calculus.md");
    let table = page.split("\n## Definition, module, test\n").nth(1).expect("the table");
    let table = table.split("\n## ").next().unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim_matches([' ', '`']).into())
            .collect()
    };
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(2).map(cells);
    rows.map(|row| row.try_into().expect("three cells")).collect()
}

/// Whether a module of the calculus, or of what stands on it, defines `name`, as a type or a
/// function.
fn defines(module: &str, name: &str) -> bool {
    let files = match module {
        "solve" | "project" => {
            [format!("crates/{module}/src/lib.rs"), format!("crates/{module}/src")]
        }
        "close" | "decide" | "explain" => {
            [".rs", ""].map(|end| format!("crates/solve/src/{module}{end}"))
        }
        _ => [".rs", ""].map(|end| format!("crates/calculus/src/{module}{end}")),
    };
    let forms = ["struct", "enum", "fn", "type", "const fn"];
    let forms = forms.iter().flat_map(|form| ["pub", "pub(crate)"].map(|seen| (seen, form)));
    let forms: Vec<String> = forms.map(|(seen, form)| format!("{seen} {form} {name}")).collect();
    files.iter().flat_map(|path| sources(path)).any(|(_, text)| {
        text.lines().map(str::trim_start).any(|line| {
            let found = forms.iter().find_map(|form| line.strip_prefix(form.as_str()));
            found.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    })
}

fn test_source(path: &str) -> (String, String) {
    let (file, test) = path.split_once("::").unwrap_or_else(|| panic!("{path}"));
    let file = match file {
        "oracle" => format!("crates/check/tests/{test}.rs"),
        "forced" => "crates/check/tests/forced.rs".into(),
        "project" => "crates/project/tests/project.rs".into(),
        "solve" | "sizes" | "specialise" | "close" | "decide" | "explain" => {
            format!("crates/solve/tests/{file}.rs")
        }
        _ => format!("crates/calculus/tests/laws/{file}.rs"),
    };
    (read(file), test.into())
}

#[test]
fn the_table_names_what_exists() {
    let rows = rows();
    assert!(rows.len() > 30, "{} rows", rows.len());
    for [what, item, test] in rows {
        let mut parts = item.split("::");
        let module = parts.next().unwrap();
        for name in parts {
            assert!(defines(module, name), "{what}: no {name} in module {module}");
        }
        if let Some(checker) = test.strip_prefix("random::") {
            let is_listed = CHECKERS.iter().any(|one| one.name() == checker);
            assert!(is_listed, "{what}: no checker {checker}");
            continue;
        }
        let (source, name) = test_source(&test);
        assert!(source.contains(&format!("fn {name}(")), "{what}: no test {test}");
    }
}

#[test]
fn every_law_is_in_the_table() {
    let listed: Vec<String> = rows().into_iter().map(|[_, _, test]| test).collect();
    for (path, text) in sources("crates/calculus/tests/laws") {
        let file = path.file_stem().unwrap().to_str().unwrap().to_owned();
        for after in text.split("#[test]\n").skip(1) {
            let name = after.trim_start().strip_prefix("fn ").expect("a test is a function");
            let law = format!("{file}::{}", name.split('(').next().unwrap());
            assert!(listed.contains(&law), "{law} is not in the table of docs/calculus.md");
        }
    }
}

#[test]
fn the_rules_are_in_the_table() {
    let page = read("docs/calculus.md");
    for rule in Rule::ALL {
        let row = format!("| {} | ", rule.name());
        assert_eq!(page.matches(&row).count(), 1, "{rule} in docs/calculus.md");
    }
}

#[test]
fn the_schema_of_diagnostics_is_that_of_their_types() {
    let schema = lozenge_diagnostic::schema() + "\n";
    let name = "docs/diagnostics.schema.json";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(root().join(name), &schema).unwrap();
    }
    assert!(read(name) == schema, "{name} differs; UPDATE_EXPECT=1 writes it");
}

#[test]
fn the_page_on_embedding_quotes_the_example() {
    // The indentation of a quotation is its own.
    let flat = |text: &str| {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        format!("\n{}\n", lines.join("\n"))
    };
    let example = flat(&read("examples/framework.rs"));
    let page = read("docs/embedding.md");
    let blocks: Vec<&str> = page.split("```rust\n").skip(1).collect();
    assert!(blocks.len() > 5, "{} blocks", blocks.len());
    for block in blocks {
        let block = block.split("```").next().unwrap();
        assert!(example.contains(&flat(block)), "not in the example:\n{block}");
    }
}

#[test]
fn the_book_lists_its_pages() {
    let summary = read("docs/SUMMARY.md");
    for path in files("docs", "md") {
        let page = path.trim_start_matches("docs/");
        let listed = page == "SUMMARY.md" || summary.contains(&format!("({page})"));
        assert!(listed, "{page} is not in the book");
    }
}
