//! `values`: the claims of `docs/values/*.md` held against the NumPy that stands below them.

use std::path::Path;

use anyhow::ensure;

use crate::python::Environment;

const SCRIPT: &str = include_str!("values.py");

pub(crate) fn run() -> anyhow::Result<()> {
    let python = Environment::with("numpy", &["numpy"])?;
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/values");
    let mut pages = Vec::new();
    for page in std::fs::read_dir(dir)? {
        pages.push(page?.path().display().to_string());
    }
    pages.sort();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let said = python.run(SCRIPT, &pages)?;
    print!("{said}");
    ensure!(said.ends_with(" mismatches=0\n"), "mismatches");
    Ok(())
}
