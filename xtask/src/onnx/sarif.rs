//! What the command prints as SARIF, validated against the schema of SARIF 2.1.0, which the crate
//! `serde-sarif` has.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, ensure};

use super::corpus::{Study, target};
use crate::python::Environment;

/// The crate with the schema, which Cargo downloads.
const WITH_SCHEMA: [&str; 2] = ["serde-sarif", "0.8.0"];

pub(crate) fn run(study: &Study) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (command, schema) = (command()?, schema()?);
    // Models with mistakes, and real ones.
    let mut paths = vec![];
    for entry in fs::read_dir(root.join("crates/cli/tests/models"))? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "onnx"));
    paths.sort();
    paths.extend(study.corpus()?.files.into_iter().map(|file| file.path));
    let lines: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let said = Environment::with("sarif", &["jsonschema==4.26.0"])?.pipe(
        include_str!("sarif.py"),
        &[&command, &schema],
        &lines.join("\n"),
    )?;
    print!("{said}");
    ensure!(said.trim_end().ends_with(" mistakes=0"), "SARIF that is not valid");
    Ok(())
}

/// The path of the command, built.
pub(super) fn command() -> anyhow::Result<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--quiet", "-p", "lozenge-cli", "--message-format=json"]);
    let built = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output()?;
    ensure!(built.status.success(), "the command was not built");
    let said = String::from_utf8(built.stdout)?;
    said.lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|line| line["executable"].as_str().map(str::to_owned))
        .next_back()
        .context("Cargo does not say where the command is")
}

/// The schema's file.
fn schema() -> anyhow::Result<String> {
    let path = target().join("sarif-2.1.0.json");
    if !path.exists() {
        let [name, version] = WITH_SCHEMA;
        fs::create_dir_all(target())?;
        let script = concat!(include_str!("crates.py"), include_str!("schema.py"));
        let python = Environment::with("sarif", &["jsonschema==4.26.0"])?;
        python.run(script, &[name, version, "src/schema.json", &path.to_string_lossy()])?;
    }
    Ok(path.to_string_lossy().into_owned())
}
