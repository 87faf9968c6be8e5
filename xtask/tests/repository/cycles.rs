//! No circles between the files of a crate: whoever reads a file needs to know those that it names,
//! and none of these needs to know it.
//!
//! A file names another if a path in its code leads to an item that the other defines: in a `use`,
//! wherever that stands, in a signature, in an expression, from `crate`, `super`, `self`, a module
//! below or a name that was imported. A re-export leads on to where the item is defined, so that a
//! folder's own file, which only gathers what is in the folder, is in no circle with it; to import
//! a module names what is then reached through it.
//!
//! Calls of methods are not seen (`sizes.interval(form)`, where another file holds that part of
//! `impl Sizes`): without types, nobody can tell where a method is defined. Paths that only a macro
//! puts together are not seen either.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{crates, sources};

/// A path as it is written, from `crate`, `super`, `self`, or a name that its module has.
pub(crate) type Path = Vec<String>;

/// A file of a crate.
#[derive(Default)]
struct File {
    /// The items that it defines.
    defined: BTreeSet<String>,
    /// Names that it brings into its scope, and what they stand for.
    imported: Vec<(String, Path)>,
    /// Modules all of whose items it brings into its scope.
    globs: Vec<Path>,
    /// Other paths in its code.
    named: Vec<Path>,
}

/// The files of a crate by their modules; that of the crate itself is empty.
pub(crate) struct Crate {
    files: BTreeMap<Path, File>,
}

/// What a path leads to.
#[derive(Debug, PartialEq)]
enum Found {
    /// A module as such.
    Module(Path),
    /// An item that this file defines.
    Item(Path),
    /// Nothing of this crate.
    Elsewhere,
}

/// The words and signs of a source: no comments, no texts, no lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = vec![];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let raw = rest.strip_prefix('r').map(|raw| raw.trim_start_matches('#'));
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inner) = raw.and_then(|raw| raw.strip_prefix('"')) {
            let hashes = rest.len() - inner.len() - 2;
            let end = format!("\"{}", "#".repeat(hashes));
            hashes + 2 + inner.find(&end).map_or(inner.len(), |at| at + end.len())
        } else if c == '"' {
            quoted(rest, '"')
        } else if c == '\'' {
            let is_char = rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\'');
            if is_char {
                quoted(rest, '\'')
            } else {
                1 + rest[1..].find(|c| !is_word(c)).unwrap_or(0)
            }
        } else if is_word(c) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            found.push(rest[..length].to_owned());
            length
        } else if rest.starts_with("::") {
            found.push("::".to_owned());
            2
        } else {
            if !c.is_whitespace() {
                found.push(c.to_string());
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// The length of a text that begins and ends with a mark.
fn quoted(text: &str, mark: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == mark && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

impl File {
    fn read(text: &str) -> File {
        const KINDS: [&str; 9] =
            ["struct", "enum", "union", "trait", "fn", "const", "type", "static", "macro_rules"];
        let tokens = tokens(text);
        let mut file = File::default();
        // How deep it is in braces, and at which depths a module of this file begins.
        let (mut depth, mut modules) = (0, vec![]);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let next = |n: usize| tokens.get(at + n).map_or("", String::as_str);
            let before = |n: usize| at.checked_sub(n).map_or("", |at| &tokens[at][..]);
            match token.as_str() {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    modules.retain(|begin| *begin <= depth);
                }
                "mod" if next(2) == "{" => modules.push(depth + 1),
                "use" if !["::", "."].contains(&before(1)) => {
                    let end = tokens[at..].iter().position(|token| token == ";");
                    let end = at + end.expect("a use ends");
                    file.import(&tokens[at + 1..end], modules.len());
                    at = end;
                }
                kind if depth == 0 && KINDS.contains(&kind) => {
                    let name = tokens[at + 1..].iter().find(|token| is_name(token));
                    file.defined.extend(name.filter(|name| !KINDS.contains(&&name[..])).cloned());
                }
                name if is_name(name) && next(1) == "::" && !["::", "."].contains(&before(1)) => {
                    let mut path = vec![name.to_owned()];
                    while next(2 * path.len() - 1) == "::" && is_name(next(2 * path.len())) {
                        path.push(next(2 * path.len()).to_owned());
                    }
                    // A visibility says who may see something, and names nothing.
                    if !(before(1) == "in" && before(2) == "(" && before(3) == "pub") {
                        file.named.push(outside(path, modules.len()));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        file
    }

    /// Takes in the tree of a `use`, that many modules deep in the file.
    fn import(&mut self, tree: &[String], modules: usize) {
        let mut paths = vec![];
        flatten(&mut vec![], tree, &mut paths);
        for (name, path) in paths {
            let mut path = outside(path, modules);
            if path.last().is_some_and(|last| last == "*") {
                path.pop();
                self.globs.push(path);
            } else {
                self.imported.push((name, path));
            }
        }
    }
}

/// A path that is written that many modules deep in a file, as the file would write it.
fn outside(path: Path, modules: usize) -> Path {
    let above = path.iter().take_while(|name| *name == "super").count();
    let within = above.min(modules);
    match above {
        0 => path,
        _ if above == within => [vec!["self".to_owned()], path[above..].to_vec()].concat(),
        _ => path[within..].to_vec(),
    }
}

/// The paths of a `use` tree, each with the name that it brings.
fn flatten(before: &mut Path, tree: &[String], paths: &mut Vec<(String, Path)>) {
    let group = tree.iter().position(|token| token == "{");
    let head = &tree[..group.unwrap_or(tree.len())];
    let renamed = head.iter().position(|token| token == "as");
    let names = head[..renamed.unwrap_or(head.len())].iter().filter(|token| *token != "::");
    let depth = before.len();
    before.extend(names.cloned());
    if let Some(group) = group {
        let inner = &tree[group + 1..tree.len() - 1];
        let (mut open, mut from) = (0, 0);
        for (at, token) in inner.iter().enumerate() {
            match token.as_str() {
                "{" => open += 1,
                "}" => open -= 1,
                "," if open == 0 => {
                    flatten(before, &inner[from..at], paths);
                    from = at + 1;
                }
                _ => {}
            }
        }
        if from < inner.len() {
            flatten(before, &inner[from..], paths);
        }
    } else {
        // `a::{self}` is `a`.
        let is_self = before.len() > 1 && before.last().is_some_and(|name| name == "self");
        let path = before[..before.len() - usize::from(is_self)].to_vec();
        let name = renamed.map_or_else(|| path.last().cloned(), |at| head.get(at + 1).cloned());
        paths.push((name.expect("a path has a name"), path));
    }
    before.truncate(depth);
}

impl Crate {
    pub(crate) fn read(files: impl IntoIterator<Item = (String, String)>) -> Crate {
        let module = |path: &str| -> Path {
            let path = path.trim_end_matches(".rs").split('/').map(str::to_owned);
            path.filter(|name| name != "lib" && name != "main").collect()
        };
        let files = files.into_iter().map(|(path, text)| (module(&path), File::read(&text)));
        Crate { files: files.collect() }
    }

    /// What a path leads to that is written in a module; no further than `depth` imports.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Found {
        let Some(first) = path.first() else { return Found::Module(from.to_vec()) };
        if depth == 0 {
            return Found::Elsewhere;
        }
        match first.as_str() {
            "crate" => self.below(vec![], &path[1..], depth),
            "self" => self.below(from.to_vec(), &path[1..], depth),
            "super" => {
                let above = path.iter().take_while(|name| *name == "super").count();
                let module = from[..from.len().saturating_sub(above)].to_vec();
                self.below(module, &path[above..], depth)
            }
            name => {
                let is_child = self.files.contains_key(&child(from, name));
                let file = &self.files[from];
                let is_imported = file.imported.iter().any(|(brought, path)| {
                    // What comes from another crate is not ours, whatever it is called.
                    brought == name && path[0] != name
                });
                if is_child || is_imported {
                    return self.below(from.to_vec(), path, depth);
                }
                // Of what every module of another has.
                let mut through = file.globs.iter().map(|glob| self.resolve(from, glob, depth - 1));
                let found = through.find_map(|glob| match glob {
                    Found::Module(module) if self.has(&module, name) => {
                        Some(self.below(module, path, depth - 1))
                    }
                    _ => None,
                });
                found.unwrap_or(Found::Elsewhere)
            }
        }
    }

    /// Whether a module has this name, by itself or by an import.
    fn has(&self, module: &[String], name: &str) -> bool {
        self.files.get(module).is_some_and(|file| {
            file.defined.contains(name)
                || file.imported.iter().any(|(brought, _)| brought == name)
                || self.files.contains_key(&child(module, name))
        })
    }

    /// What a path leads to from a module.
    fn below(&self, mut module: Path, path: &[String], depth: usize) -> Found {
        for (at, name) in path.iter().enumerate() {
            let below = child(&module, name);
            let Some(file) = self.files.get(&module) else { return Found::Elsewhere };
            // A function may be called as a module is; the module is what a longer path goes on
            // with.
            let is_last = at + 1 == path.len();
            if self.files.contains_key(&below) && !(is_last && file.defined.contains(name)) {
                module = below;
                continue;
            }
            if file.defined.contains(name) {
                return Found::Item(module);
            }
            if let Some((_, through)) = file.imported.iter().find(|(brought, _)| brought == name) {
                return match self.resolve(&module, through, depth.saturating_sub(1)) {
                    Found::Module(module) => self.below(module, &path[at + 1..], depth - 1),
                    found => found,
                };
            }
            let mut globs = file.globs.iter().filter_map(|glob| {
                match self.resolve(&module, glob, depth.saturating_sub(1)) {
                    Found::Module(found) if found != module && self.has(&found, name) => {
                        Some(found)
                    }
                    _ => None,
                }
            });
            return match globs.next() {
                Some(found) => self.below(found, &path[at..], depth - 1),
                // The compiler finds it here, so a macro defines it.
                None => Found::Item(module),
            };
        }
        Found::Module(module)
    }

    /// The files that each file names.
    pub(crate) fn named(&self) -> BTreeMap<&[String], BTreeSet<Path>> {
        let named = |(module, file): (&'_ Path, &File)| {
            let imported = file.imported.iter().map(|(_, path)| path);
            let imported = imported.map(|path| self.resolve(module, path, 8));
            let imported = imported.filter(|found| matches!(found, Found::Item(_)));
            let globs = file.globs.iter().map(|path| self.resolve(module, path, 8));
            let named = file.named.iter().map(|path| self.resolve(module, path, 8));
            let found = imported.chain(globs).chain(named).filter_map(|found| match found {
                Found::Module(found) | Found::Item(found) => Some(found),
                Found::Elsewhere => None,
            });
            found.filter(|found| found != module).collect()
        };
        self.files.iter().map(|entry| (&entry.0[..], named(entry))).collect()
    }

    /// Which files of circles name which, if there are any; all of them, so that they can be looked
    /// at together.
    fn circles(&self) -> Vec<String> {
        let named = self.named();
        // The files that each names, directly or through others.
        let reached = |one: &[String]| {
            let (mut seen, mut next) = (BTreeSet::new(), vec![one]);
            while let Some(at) = next.pop() {
                for other in named.get(at).into_iter().flatten() {
                    if seen.insert(&other[..]) {
                        next.push(other);
                    }
                }
            }
            seen
        };
        let reached: BTreeMap<&[String], _> =
            named.keys().map(|one| (*one, reached(one))).collect();
        let show = |module: &[String]| match module.join("::") {
            root if root.is_empty() => "crate".to_owned(),
            name => name,
        };
        let line = |module: &&[String]| {
            let others = named[*module].iter().filter(|other| reached[&other[..]].contains(module));
            let others: Vec<String> = others.map(|other| show(other)).collect();
            (!others.is_empty()).then(|| format!("{} -> {}", show(module), others.join(", ")))
        };
        named.keys().filter_map(line).collect()
    }
}

fn child(module: &[String], name: &str) -> Path {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

#[test]
fn files_of_a_crate_make_no_circle() {
    let (mut circles, mut edges) = (vec![], 0);
    for name in crates() {
        let root = format!("{name}/src/");
        let files = sources(&root).into_iter().map(|(path, text)| {
            let path = path.to_str().unwrap().trim_start_matches(&root).trim_start_matches('/');
            (path.to_owned(), text)
        });
        let read = Crate::read(files);
        edges += read.named().values().map(BTreeSet::len).sum::<usize>();
        circles.extend(read.circles().into_iter().map(|line| format!("{name}: {line}")));
    }
    assert!(edges > 1000, "{edges} edges");
    assert!(circles.is_empty(), "{circles:#?}");
}

/// The circles of a crate of these files, which has `lib.rs` as well.
fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let lib = ("lib", "mod a;\nmod b;\npub use a::{One, Other as Same};\n");
    let files = files.iter().chain([&lib]);
    Crate::read(files.map(|(path, text)| (format!("{path}.rs"), (*text).to_owned()))).circles()
}

#[test]
fn a_circle_is_seen() {
    let folder = ("a", "mod c;\npub use c::One;\npub struct Other;\n");
    let c = ("a/c", "use crate::{\n    b::{self, Two},\n};\npub struct One(Two);\n");
    let both = ["a::c -> b", "b -> a::c"];
    // Through the re-exports of the crate and of a folder.
    assert_eq!(circles(&[folder, c, ("b", "use crate::One;\npub(crate) struct Two;\n")]), both);
    // In a function, in a signature, in an expression, from above, through a renamed module.
    for names in [
        "fn two() { use crate::One; }",
        "fn two(one: &super::a::One) {}",
        "fn two() -> u8 { crate::a::One::new(\"; use crate::Two\") }",
        "use super::a as letters;\nfn two() { letters::One::new() }",
        "mod inner { fn two() { super::super::a::One::new() } }",
        "pub use crate::a::*;",
    ] {
        let b = format!("{names}\npub(crate) struct Two;\n");
        let found = circles(&[folder, c, ("b", &b)]);
        assert!(found.iter().any(|line| line.starts_with("b -> a")), "{names}: {found:?}");
    }
    // Through a folder's own file, when it defines what those in it name.
    let below = ("a/c", "use super::Other;\npub struct One(Other);\n");
    assert_eq!(circles(&[folder, below, ("b", "")]), ["a -> a::c", "a::c -> a"]);
}

#[test]
fn what_is_no_circle_is_not_seen() {
    let folder = ("a", "mod c;\npub use c::One;\npub struct Other;\n");
    let c = ("a/c", "use crate::b::Two;\npub struct One(Two);\n");
    for b in [
        // A visibility, a comment, a text and a lifetime are not paths.
        "pub(in super::a) struct Two;\nfn two(one: u8) {}\n",
        "// use crate::a::One;\npub struct Two;\nconst A: &str = \"crate::One\\\"\";\n",
        "pub struct Two<'a>(&'a str);\nconst C: [char; 2] = ['\"', '\\''];\n",
        "const R: &str = r#\"\" crate::One \"#;\npub struct Two;",
        // A module of the file itself is in the file.
        "pub struct Two;\nmod inner { use super::Two; }\n",
        // Another crate may have modules of the same name.
        "use a_crate::a;\npub struct Two(a::One);\n",
    ] {
        let found = circles(&[folder, c, ("b", b)]);
        assert!(found.is_empty(), "{b}: {found:?}");
    }
    // A folder's file gathers what is in the folder.
    assert!(circles(&[("a", "mod c;\npub use c::One;\n"), c, ("b", "pub struct Two;")]).is_empty());
}
