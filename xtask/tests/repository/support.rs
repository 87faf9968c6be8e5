//! Reading the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files with this extension at or below `path`, in order; none when there is no such path.
pub(crate) fn files(path: &str, extension: &str) -> Vec<String> {
    let full = root().join(path);
    if full.is_file() {
        let wanted = full.extension().is_some_and(|found| found == extension);
        return if wanted { vec![path.into()] } else { vec![] };
    }
    let Ok(entries) = fs::read_dir(&full) else { return vec![] };
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.iter().flat_map(|name| files(&format!("{path}/{name}"), extension)).collect()
}

/// The Rust sources at or below `path`, each with its text, in order.
pub(crate) fn sources(path: &str) -> Vec<(PathBuf, String)> {
    files(path, "rs").into_iter().map(|path| (path.clone().into(), read(path))).collect()
}

/// The folders of the workspace's crates, in order.
pub(crate) fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut folders: Vec<String> = names.map(|name| format!("crates/{name}")).collect();
    folders.push("xtask".into());
    folders.sort();
    folders
}

/// The lines of a source that are code: no comments, no doc comments.
pub(crate) fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}
