//! Models of exporters: 26 architectures without weights, from both of `PyTorch`'s exporters.

use std::{collections::BTreeMap, fs, path::Path};

use lozenge_onnx::{Graph, Model, Node, testing::any_bytes};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

/// The files by their names.
fn models() -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let models = entries.filter(|path| path.extension().is_some_and(|end| end == "onnx"));
    models
        .map(|path| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())
        })
        .collect()
}

/// What the `onnx` package found in each file stands in a table, which `manifest.py` beside the
/// models writes.
#[test]
fn counts_are_those_of_the_onnx_package() {
    let manifest = fs::read_to_string(folder().join("manifest.tsv")).unwrap();
    let models = models();
    let mut rows = 0;
    for row in manifest.lines().skip(1) {
        let (name, expected) = row.split_once('\t').unwrap();
        let model = Model::read(&models[name]).unwrap();
        let graph = &model.graph;
        let counts = [
            graph.nodes.len(),
            model.count_nodes(),
            graph.initializers.len(),
            graph.inputs.len(),
            graph.outputs.len(),
            graph.value_info.len(),
            model.functions.len(),
            graph.nodes.iter().chain(model.functions.iter().flat_map(|f| &f.nodes)).map(ints).sum(),
        ];
        let versions =
            [model.ir_version, model.opset("").unwrap()].map(|version| version.to_string());
        let found: Vec<_> =
            versions.into_iter().chain(counts.map(|count| count.to_string())).collect();
        assert_eq!(found.join("\t"), expected, "{name}");
        rows += 1;
    }
    assert_eq!((rows, models.len()), (49, 49));
}

/// How many whole numbers there are in lists that are attributes of a node and of those inside it.
fn ints(node: &Node<'_>) -> usize {
    let lists = node.attributes.iter().filter_map(|attribute| attribute.value.ints());
    let inside = node.graphs().flat_map(|graph: &Graph<'_>| &graph.nodes).map(ints).sum::<usize>();
    lists.map(Iterator::count).sum::<usize>() + inside
}

#[test]
fn models_pass_every_check() {
    for file in models().values() {
        any_bytes(file);
    }
}

/// A thousand bytes that decide where messages end, changed in a model of 290 nodes.
#[test]
fn damaged_models_pass_every_check() {
    let models = models();
    let file = &models["gen_lstm_dyn.onnx"];
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 0x81;
        any_bytes(&changed);
    }
}
