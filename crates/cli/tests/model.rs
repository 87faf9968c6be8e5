//! The commands on model files, in each form, on small models of this folder and on skeletons of
//! real architectures.
//!
//! What people see is in `docs/command.md` and in the pages about codes, as `command.rs` tests;
//! here are the forms for programs, exit codes, and what must hold on every model.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use expect_test::expect_file;
use serde_json::Value;

fn small() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn skeletons() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../onnx/tests/models")
}

fn run_in(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    command.current_dir(folder).args(line.split_whitespace()).env_remove("COLUMNS");
    command.output().unwrap()
}

fn shown(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(both).unwrap()
}

fn json_of(folder: &Path, line: &str) -> Value {
    let output = run_in(folder, line);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{line}: {}", shown(&output)))
}

/// The commands of the snapshot, each with its exit code and all that it prints.
const LINES: &[&str] = &[
    "check transposed.onnx --format concise",
    "check transposed.onnx --format json",
    "check transposed.onnx --format sarif",
    "check reshape.onnx",
    "check fits.onnx --format json",
    "check fits.onnx --format sarif",
    "check nothing.onnx --format json",
    "check cut.onnx --format concise",
    "shapes pyramid.onnx --format concise",
    "shapes pyramid.onnx --format json",
    "shapes pyramid.onnx --all",
    "shapes pyramid.onnx --set batch=2 --set height=64 --set width=64 --format concise",
    "requires pyramid.onnx",
    "requires pyramid.onnx --format concise",
    "requires pyramid.onnx --format json",
    "requires pyramid.onnx --format sarif",
    "requires fits.onnx",
    "why pyramid.onnx up.2 --format json",
    "why pyramid.onnx up.2 --format concise",
    "why pyramid.onnx up",
    "why pyramid.onnx up.9",
    "why pyramid.onnx up.x",
    "why pyramid.onnx classs.1",
    "why pyramid.onnx nothing.1",
    "pins baked.onnx tokens.0 --format json",
    "pins baked.onnx tokens.0 --format concise",
    "pins fits.onnx image.1",
    "pins fits.onnx nothing.0",
    "audit outer.onnx --deny --format json",
    "audit mask.onnx --deny",
    "audit mask.onnx --deny any --format concise",
    "loops mask.onnx masked",
    "loops fits.onnx conv --format concise",
    "loops fits.onnx nothing",
    "loops fits.onnx Conv",
    "cost fits.onnx --format json",
    "cost fits.onnx --format concise",
    "graph fits.onnx --format json",
    "diff fits.onnx transposed.onnx --format concise",
    "diff fits.onnx transposed.onnx --format json",
    "diff fits.onnx fits.onnx",
    "check fits.onnx --set nothing=3",
    "check fits.onnx --free nothing.0",
    "check fits.onnx --free image.9",
    "check .",
    "check make.py",
    "shapes fits.onnx --annotate nowhere/shapes.onnx",
    "audit outer.onnx",
    "requires heads.onnx",
    "check heads.onnx --set length=40 --format concise",
    "check twice.onnx",
    "check branch.onnx --format concise",
    "shapes branch.onnx --format concise",
    "check neither.onnx --format concise",
    "check custom.onnx --rules patches.rules --format concise",
    "check fits.onnx --set image.1=4",
    "check baked.onnx --set tokens_0=4",
    "pins mask.onnx scores.0 --format sarif",
    "loops outer.onnx difference",
    "loops short.onnx pool",
];

#[test]
fn answers_are_these_in_each_form() {
    let mut all = String::new();
    for line in LINES {
        let output = run_in(&small(), line);
        let code = output.status.code().unwrap();
        writeln!(all, "$ lozenge {line}\n{}[{code}]\n", shown(&output)).unwrap();
    }
    expect_file!["./models/answers.txt"].assert_eq(&all);
}

/// The skeletons that are fast to infer.
const SKELETONS: &[&str] = &[
    "gen_resnet50_dyn",
    "gen_bert_ts",
    "gen_unet_dyn",
    "gen_gpt2_past_dyn",
    "gen_lstm_ts",
    "gen_vit_dyn",
];

#[test]
fn every_answer_is_given_on_skeletons() {
    for name in SKELETONS {
        let file = format!("{name}.onnx");
        for command in ["check", "requires", "shapes", "audit", "cost", "graph"] {
            let output = run_in(&skeletons(), &format!("{command} {file}"));
            assert_eq!(output.status.code(), Some(0), "{command} {file}: {}", shown(&output));
            let lines = shown(&output).lines().count();
            assert!(lines < 200, "{command} {file} prints {lines} lines");
        }
        let same = run_in(&skeletons(), &format!("diff {file} {file}"));
        assert_eq!(shown(&same), "the same shapes, and the same conditions\n", "{file}");
    }
}

#[test]
fn the_same_model_gives_the_same_answer() {
    for command in ["check", "requires", "cost"] {
        let line = format!("{command} gen_bert_ts.onnx --format json");
        assert_eq!(
            run_in(&skeletons(), &line).stdout,
            run_in(&skeletons(), &line).stdout,
            "{line}"
        );
    }
}

/// Every size of every value of a model can be explained, and what explains it begins with that
/// size.
#[test]
fn every_size_has_a_reason() {
    for file in ["fits.onnx", "pyramid.onnx", "mask.onnx", "baked.onnx"] {
        let shapes = json_of(&small(), &format!("shapes {file} --format json"));
        let mut axes = 0;
        for value in shapes["values"].as_array().unwrap() {
            let name = value["name"].as_str().unwrap();
            for (axis, size) in value["shape"].as_array().into_iter().flatten().enumerate() {
                let why = json_of(&small(), &format!("why {file} {name}.{axis} --format json"));
                assert_eq!(why["size"], *size, "{file} {name}.{axis}");
                assert!(!why["steps"].as_array().unwrap().is_empty(), "{file} {name}.{axis}");
                axes += 1;
            }
        }
        assert!(axes > 5, "{file}: {axes} axes");
    }
}

/// What `requires` says is what `check` finds, number by number.
#[test]
fn a_condition_holds_exactly_where_the_model_fits() {
    for height in 1..40 {
        let line = format!("check pyramid.onnx --set height={height} --format concise");
        let fits = run_in(&small(), &line).status.success();
        assert_eq!(fits, matches!(height % 4, 0 | 3), "{height}");
    }
}

#[test]
fn shapes_are_written_back_and_nothing_else() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for name in SKELETONS {
        let file = skeletons().join(format!("{name}.onnx"));
        let out = folder.join(format!("{name}.onnx"));
        let line = format!("shapes {} --annotate {}", file.display(), out.display());
        let output = run_in(folder, &line);
        assert!(output.status.success(), "{}", shown(&output));
        // The same shapes again, and no other difference.
        let again = run_in(folder, &format!("diff {} {}", file.display(), out.display()));
        assert_eq!(shown(&again), "the same shapes, and the same conditions\n", "{name}");
        let bare = [lozenge_onnx::Annotations { value_info: Some(vec![]), outputs: vec![] }];
        let read = |path: &Path| std::fs::read(path).unwrap();
        let [before, after] = [&file, &out].map(|path| read(path));
        let model = lozenge_onnx::Model::read(&before).unwrap();
        let outputs = model.graph.outputs.clone();
        let [before, after] = [&before, &after].map(|file| {
            let bare = [lozenge_onnx::Annotations { outputs: outputs.clone(), ..bare[0].clone() }];
            lozenge_onnx::annotate(file, &bare).unwrap()
        });
        assert!(before == after, "{name} differs in more than value info");
    }
}
