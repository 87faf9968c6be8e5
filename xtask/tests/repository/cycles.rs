//! No cycles between the files of a crate: whoever reads a file needs to know those that it names, and none of these
//! needs to know it.
//!
//! A file names another if a `use` or a path in its code leads to an item that the other defines. A re-export leads on
//! to where the item is defined, so that a folder's own file, which only gathers what is in the folder, is in no cycle
//! with it.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{code, sources};

/// The crates that are held to this.
const CRATES: &[&str] = &["crates/lozenge", "crates/lower", "crates/onnx", "crates/cli"];

/// A file of a crate.
#[derive(Default)]
struct File {
    /// The items that it defines.
    defined: BTreeSet<String>,
    /// What it brings into its scope, by name: paths, as they are written.
    used: Vec<Vec<String>>,
    /// Other paths in its code.
    named: Vec<Vec<String>>,
}

/// The files of a crate by their modules; that of the crate itself is empty.
struct Crate {
    files: BTreeMap<Vec<String>, File>,
}

impl File {
    fn read(text: &str) -> File {
        let text: String = code(text).flat_map(|(_, line)| [line, "\n"]).collect();
        let mut file = File::default();
        let mut rest = String::new();
        for part in text.split_inclusive(';') {
            // A visibility says who may see something, and names nothing.
            let start = part.find("use ").filter(|at| {
                let before = part[..*at].rsplit('\n').next().unwrap_or_default().trim();
                before.is_empty() || before.starts_with("pub")
            });
            let (before, tree) = start.map_or((part, ""), |at| part.split_at(at));
            rest.push_str(before);
            if let Some(tree) = tree.strip_prefix("use ") {
                flatten(&mut vec![], tree.trim_end_matches(';'), &mut file.used);
            }
        }
        file.defined = rest.lines().filter_map(defined).collect();
        for prefix in ["crate::", "super::"] {
            for (at, _) in rest.match_indices(prefix) {
                let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
                let begins = !rest[..at].ends_with(is_path) && !rest[..at].ends_with("(in ");
                let path: String = rest[at..].chars().take_while(|c| is_path(*c)).collect();
                if begins {
                    file.named.push(path.split("::").map(str::to_owned).collect());
                }
            }
        }
        file
    }
}

/// The item that a line at the beginning of which nothing stands defines.
fn defined(line: &str) -> Option<String> {
    let mut words = line.split([' ', '(', '<', ':', '!', '{']).filter(|word| !word.is_empty());
    let kinds = ["struct", "enum", "trait", "fn", "const", "type", "static"];
    let is_own = line.starts_with(char::is_alphabetic) || line.trim_start().starts_with("/// ");
    if !is_own {
        // The enumerations of a table.
        let name = line.strip_prefix("    ")?.strip_suffix(" {")?;
        return name.chars().all(char::is_alphanumeric).then(|| name.to_owned());
    }
    let found = words.by_ref().find(|word| kinds.contains(word));
    found.and_then(|_| words.find(|word| !kinds.contains(word))).map(str::to_owned)
}

/// The paths of a `use` tree.
fn flatten(before: &mut Vec<String>, tree: &str, paths: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let Some((head, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        let path = path.split("::").map(|name| name.trim().to_owned());
        paths.push(before.iter().cloned().chain(path).collect());
        return;
    };
    let depth = before.len();
    let head = head.split("::").map(|name| name.trim().to_owned());
    before.extend(head.filter(|name| !name.is_empty()));
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut open, mut from) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            ',' if open == 0 => {
                if !inner[from..at].trim().is_empty() {
                    flatten(before, &inner[from..at], paths);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
    before.truncate(depth);
}

impl Crate {
    fn read(files: impl IntoIterator<Item = (String, String)>) -> Crate {
        let module = |path: &str| -> Vec<String> {
            let path = path.trim_end_matches(".rs").split('/').map(str::to_owned);
            path.filter(|name| name != "lib" && name != "main").collect()
        };
        let files = files.into_iter().map(|(path, text)| (module(&path), File::read(&text)));
        Crate { files: files.collect() }
    }

    /// The file that defines what a path names that is written in a module.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        let mut path = path.iter();
        let mut module = from.to_vec();
        let first = path.clone().next()?;
        match first.as_str() {
            "crate" => {
                module.clear();
                path.next();
            }
            "self" => drop(path.next()),
            "super" => {
                while path.clone().next().is_some_and(|name| name == "super") {
                    module.pop();
                    path.next();
                }
            }
            name => {
                let child: Vec<String> = from.iter().cloned().chain([name.to_owned()]).collect();
                self.files.get(&child)?;
            }
        }
        for name in path {
            let child: Vec<String> = module.iter().cloned().chain([name.clone()]).collect();
            if self.files.contains_key(&child) {
                module = child;
                continue;
            }
            let file = self.files.get(&module)?;
            if file.defined.contains(name) || name == "self" || name == "*" {
                break;
            }
            let through = file.used.iter().find(|path| path.last() == Some(name))?;
            return (depth < 8).then(|| self.resolve(&module, through, depth + 1)).flatten();
        }
        Some(module)
    }

    /// The files that each file names.
    fn named(&self) -> BTreeMap<&[String], BTreeSet<Vec<String>>> {
        let named = |(module, file): (&'_ Vec<String>, &File)| {
            let paths = file.used.iter().chain(&file.named);
            let found = paths.filter_map(|path| self.resolve(module, path, 0));
            found.filter(|found| found != module).collect()
        };
        self.files.iter().map(|entry| (&entry.0[..], named(entry))).collect()
    }

    /// A cycle of files, if there is one.
    fn cycle(&self) -> Option<Vec<String>> {
        let named = self.named();
        let mut left: BTreeSet<&[String]> = named.keys().copied().collect();
        // Whoever names nobody that is left, is in no cycle.
        loop {
            let is_free =
                |module: &&[String]| !named[*module].iter().any(|other| left.contains(&other[..]));
            let free: Vec<&[String]> = left.iter().copied().filter(is_free).collect();
            if free.is_empty() {
                break;
            }
            left.retain(|module| !free.contains(module));
        }
        let mut at = *left.first()?;
        let mut way: Vec<&[String]> = vec![];
        while !way.contains(&at) {
            way.push(at);
            at = *left.iter().find(|module| named[at].contains(**module))?;
        }
        let begin = way.iter().position(|module| *module == at)?;
        Some(way[begin..].iter().map(|module| module.join("::")).collect())
    }
}

#[test]
fn files_of_a_crate_make_no_cycle() {
    for name in CRATES {
        let root = format!("{name}/src/");
        let files = sources(&root).into_iter().map(|(path, text)| {
            let path = path.to_str().unwrap().trim_start_matches(&root).trim_start_matches('/');
            (path.to_owned(), text)
        });
        let read = Crate::read(files);
        let edges: usize = read.named().values().map(BTreeSet::len).sum();
        assert!(read.files.len() > 4 && edges > read.files.len(), "{name}: {edges} edges");
        assert_eq!(read.cycle(), None, "{name}");
    }
}

#[test]
fn a_cycle_is_seen() {
    let file = |path: &str, text: &str| (format!("{path}.rs"), text.to_owned());
    let lib = || file("lib", "mod a;\nmod b;\npub use a::{One, Other as Same};\n");
    let folder = file("a", "mod c;\npub use c::One;\npub struct Other;\n");
    let cycle = Crate::read([
        lib(),
        folder.clone(),
        file("a/c", "use crate::{\n    b::{self, Two},\n};\npub struct One(Two);\n"),
        file("b", "use crate::One;\npub(crate) struct Two;\n"),
    ]);
    assert_eq!(cycle.cycle(), Some(vec!["a::c".to_owned(), "b".to_owned()]));
    // A folder's file is not in a cycle with what it gathers, and a visibility is no path.
    let plain = Crate::read([
        lib(),
        folder,
        file("a/c", "use crate::b::Two;\npub struct One(Two);\n"),
        file("b", "pub(in super::a) struct Two;\nfn two(one: u8) {}\n"),
    ]);
    assert_eq!(plain.cycle(), None);
    let inline = Crate::read([
        lib(),
        file("a", "pub struct One(crate::b::Two);\n"),
        file("b", "pub struct Two(super::One);\n"),
    ]);
    assert!(inline.cycle().is_some());
}
