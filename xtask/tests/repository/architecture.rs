//! Keeps the architecture invariants of ARCHITECTURE.md, by reading sources and manifests.

use crate::support::{code, read, sources};

/// Which modules of the calculus each module of it may name, in the order of the calculus.
const CALCULUS: &[(&str, &[&str])] = &[
    ("number", &[]),
    ("union_find", &[]),
    ("size", &["number"]),
    ("dim", &["size"]),
    ("row", &["dim"]),
    ("term", &["dim", "row"]),
    ("constraint", &["size", "dim", "term"]),
    ("judge", &["size", "constraint", "term"]),
    ("text", &["size", "dim", "row", "term", "constraint"]),
];

/// What computes with sizes.
const ARITHMETIC: &[&str] = &[
    "checked_mul",
    "saturating_mul",
    "wrapping_mul",
    "overflowing_mul",
    "checked_div",
    "checked_rem",
    "checked_pow",
    "div_ceil",
    "div_euclid",
    "rem_euclid",
    "next_multiple_of",
    "is_multiple_of",
    "gcd(",
    ".product()",
    ".product::",
    " % ",
];

/// Files of the calculus, the solver, `project` and `lozenge` that compute something else: places
/// on an axis and points of a nest, how much work there may be, colours, bits, numbers of slots.
const NO_SIZES: &[&str] = &[
    "crates/project/src/index.rs",
    "crates/project/src/label.rs",
    "crates/project/src/coverage.rs",
    "crates/project/src/coverage/",
    "crates/solve/src/decide/effort.rs",
    "crates/solve/src/why/trace.rs",
    "crates/lozenge/src/explain/holes.rs",
    "crates/lozenge/src/operation/scheme.rs",
    "crates/lozenge/src/session/canonical/colour.rs",
];

/// Where nobody but `size` computes with sizes.
const COMPUTING: [&str; 4] =
    ["crates/calculus/src", "crates/solve/src", "crates/project/src", "crates/lozenge/src"];

/// What each package may depend on, apart from tests.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("crates/calculus", &["smallvec"]),
    ("crates/solve", &["lozenge-calculus", "smallvec"]),
    ("crates/project", &["lozenge-calculus", "smallvec"]),
    ("crates/diagnostic", &["annotate-snippets", "schemars", "serde", "serde_json"]),
    ("crates/notation", &["lozenge-diagnostic"]),
    (
        "crates/lozenge",
        &[
            "lozenge-calculus",
            "lozenge-diagnostic",
            "lozenge-notation",
            "lozenge-project",
            "lozenge-solve",
        ],
    ),
    ("crates/lower", &["lozenge", "ndarray"]),
    (
        "crates/tensor",
        &["half", "lozenge", "lozenge-calculus", "lozenge-lower", "lozenge-notation", "ndarray"],
    ),
    ("crates/onnx", &["lozenge-calculus", "lozenge-diagnostic", "lozenge-notation", "smallvec"]),
    (
        "crates/cli",
        &[
            "anstream",
            "clap",
            "clap_complete",
            "lozenge",
            "lozenge-lower",
            "lozenge-onnx",
            "lozenge-diagnostic",
            "lozenge-notation",
            "lozenge-tensor",
            "serde",
            "serde_json",
            "strsim",
            "svg",
            "terminal_size",
        ],
    ),
    (
        "crates/check",
        &[
            "lozenge",
            "lozenge-calculus",
            "lozenge-diagnostic",
            "lozenge-lower",
            "lozenge-notation",
            "lozenge-onnx",
            "lozenge-project",
            "lozenge-solve",
            "lozenge-tensor",
            "anyhow",
            "fastrand",
            "ndarray",
            "serde",
        ],
    ),
    (
        "xtask",
        &[
            "lozenge",
            "lozenge-calculus",
            "lozenge-diagnostic",
            "lozenge-notation",
            "lozenge-project",
            "lozenge-solve",
            "lozenge-lower",
            "lozenge-tensor",
            "lozenge-onnx",
            "lozenge-check",
            "anyhow",
            "clap",
            "ndarray",
            "rustix",
            "serde",
            "serde_json",
        ],
    ),
];

/// What no library does: input and output, clocks, the environment, global state.
const NOT_IN_LIBRARIES: &[&str] = &[
    "std::fs",
    "std::env",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "std::time",
    "println!",
    "eprintln!",
    "print!(",
    "thread_local!",
    "OnceLock",
    "LazyLock",
];

/// Files of libraries that read from, or write to, what the caller gives them, by the traits of
/// `std::io`.
const GIVEN: &[&str] = &[
    "crates/onnx/src/testing.rs",
    "crates/onnx/src/error.rs",
    "crates/onnx/src/external.rs",
    "crates/onnx/src/skim.rs",
    "crates/onnx/src/source.rs",
    "crates/onnx/src/write.rs",
];

/// The file that runs two sessions in two threads, to see that they do not meet.
const THREADED: &str = "crates/check/src/programs/examine.rs";

/// The one piece of global state that a library has, and where: a counter that tells the handles of
/// sessions apart. Sessions do not affect each other by it, as the file says.
const COUNTER: (&str, &str) =
    ("crates/lozenge/src/session/brand.rs", "static NEXT: AtomicU64 = AtomicU64::new(0);");

/// The names that follow `prefix` in the code of a source, also inside `prefix{a, b::c}`.
fn names_after(text: &str, prefix: &str) -> Vec<String> {
    let code: String = code(text).flat_map(|(_, line)| [line, "\n"]).collect();
    let name = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let mut names = vec![];
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.push(name(rest));
            continue;
        };
        // The names at the first level of the braces.
        let mut depth = 1;
        let mut begins = true;
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => begins = true,
                c if depth == 1 && begins && c.is_alphabetic() => {
                    names.push(name(&group[i..]));
                    begins = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

#[test]
fn modules_of_the_calculus_know_only_those_before_them() {
    let declared = read("crates/calculus/src/lib.rs");
    let declared = declared.lines().filter_map(|line| line.strip_prefix("pub mod "));
    let mut declared: Vec<_> = declared.map(|name| name.trim_end_matches(';')).collect();
    let mut listed: Vec<_> = CALCULUS.iter().map(|(module, _)| *module).collect();
    declared.sort_unstable();
    listed.sort_unstable();
    assert_eq!(declared, listed, "say here what the new module may know");

    for (module, allowed) in CALCULUS {
        let files =
            [format!("crates/calculus/src/{module}.rs"), format!("crates/calculus/src/{module}")];
        let sources: Vec<_> = files.iter().flat_map(|path| sources(path)).collect();
        assert!(!sources.is_empty(), "{module} has no source");
        for (path, text) in sources {
            for name in names_after(&text, "crate::") {
                let known = name == *module || allowed.contains(&name.as_str());
                assert!(known, "{} names crate::{name}", path.display());
            }
        }
    }
}

#[test]
fn only_the_module_of_sizes_computes_with_sizes() {
    let mut elsewhere: Vec<&str> = vec![];
    for (path, text) in COMPUTING.into_iter().flat_map(sources) {
        let name = path.display().to_string().replace('\\', "/");
        if name.contains("crates/calculus/src/size") {
            continue;
        }
        let other = NO_SIZES.iter().find(|other| name.contains(**other));
        for (number, line) in code(&text) {
            let Some(word) = ARITHMETIC.iter().find(|word| line.contains(**word)) else { continue };
            assert!(other.is_some(), "{name}:{number} computes (`{word}`): {line}");
            elsewhere.extend(other);
        }
    }
    for other in NO_SIZES {
        assert!(elsewhere.contains(other), "{other} computes nothing: take it off the list");
    }
}

#[test]
fn lowering_sees_assignments_and_no_constraints() {
    for (path, text) in sources("crates/lower/src") {
        for name in names_after(&text, "lozenge::") {
            let is_known = !["term", "Scheme", "Operation"].contains(&name.as_str());
            assert!(is_known, "{} names {name}", path.display());
        }
    }
}

#[test]
fn packages_depend_only_on_what_is_listed() {
    for (package, allowed) in DEPENDENCIES {
        let manifest = read(format!("{package}/Cargo.toml"));
        let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        let name = |line: &str| line.split(['.', ' ', '=']).next().unwrap_or_default().to_owned();
        let lines = section.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let dependencies: Vec<String> = lines.map(name).collect();
        assert_eq!(dependencies, *allowed, "{package}");
    }
}

#[test]
fn diagnostics_need_no_dependency() {
    let manifest = read("crates/diagnostic/Cargo.toml");
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap();
    let section = section.split("\n[").next().unwrap();
    for line in section.lines().filter(|line| !line.is_empty()) {
        assert!(line.contains("optional = true"), "not optional: {line}");
    }
}

#[test]
fn calculus_solving_and_projecting_are_no_std() {
    for name in ["calculus", "solve", "project"] {
        assert!(read(format!("crates/{name}/src/lib.rs")).contains("#![no_std]"));
        for (path, text) in sources(&format!("crates/{name}/src")) {
            for (line, code) in code(&text) {
                assert!(!code.contains("std::"), "{}:{line}: {code}", path.display());
            }
        }
    }
}

#[test]
fn libraries_do_no_io_and_have_no_global_state() {
    let mut counters = 0;
    for (path, text) in sources("crates") {
        // The command is no library.
        let exempt = ["tests", "examples", "cli"];
        if path.components().any(|part| exempt.iter().any(|name| part.as_os_str() == *name)) {
            continue;
        }
        for (line, code) in code(&text) {
            if path.ends_with(COUNTER.0) && code == COUNTER.1 {
                counters += 1;
                continue;
            }
            let global = code.split_whitespace().take(2).any(|word| word == "static");
            let is_given = GIVEN.iter().any(|file| path.ends_with(file));
            let is_threaded = path.ends_with(THREADED);
            let allowed =
                |word: &str| is_given && word == "std::io" || is_threaded && word == "std::thread";
            let mut words = NOT_IN_LIBRARIES.iter().filter(|word| !allowed(word));
            let found = words.find(|word| global || code.contains(**word));
            assert!(found.is_none(), "{}:{line}: {code}", path.display());
        }
    }
    assert_eq!(counters, 1, "the exception is there, and once");
}

#[test]
fn every_file_says_what_it_is() {
    for folder in ["crates", "xtask", "examples", "fuzz/fuzz_targets"] {
        for (path, text) in sources(folder) {
            assert!(text.starts_with("//! "), "{} begins without `//!`", path.display());
            assert!(text.lines().count() <= 600, "{} is past 600 lines", path.display());
        }
    }
}

#[test]
fn every_external_dependency_says_why() {
    let manifest = read("Cargo.toml");
    let section = manifest.split("[workspace.dependencies]\n").nth(1).unwrap();
    let section = section.split("\n[").next().unwrap();
    for line in section.lines().filter(|line| !line.is_empty() && !line.contains("path =")) {
        assert!(line.contains(" # "), "no reason: {line}");
    }
}

#[test]
fn the_reader_of_names_reads_groups() {
    let text = "use crate::{a::{b, c}, d};\n// crate::e\nlet x = crate::f::g();";
    assert_eq!(names_after(text, "crate::"), ["a", "d", "f"]);
}
