//! Says what is in model files, a line a file, and with `--time` what reading a node costs.

#![expect(clippy::print_stdout, reason = "it is a command")]

use std::{error::Error, fs, hint::black_box, path::Path, time::Instant};

use lozenge_onnx::{Graph, Model, Node};

fn main() -> Result<(), Box<dyn Error>> {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let timed = options.iter().any(|option| option == "--time");
    if !timed {
        println!(
            "file\tir\topset\tnodes\tnested\tinitializers\tinputs\toutputs\tvalue_info\tfunctions\tints"
        );
    }
    for file in &files {
        let bytes = fs::read(file)?;
        let model = match Model::read(&bytes) {
            Ok(model) => model,
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
        if timed {
            let nodes = model.count_nodes().max(1);
            let least = (0..25)
                .map(|_| {
                    let start = Instant::now();
                    black_box(Model::read(black_box(&bytes))).ok();
                    start.elapsed().as_nanos()
                })
                .min();
            let least = least.unwrap_or_default();
            println!("{name}\t{nodes} nodes\t{} ns a node\t{least} ns", least / nodes as u128);
            continue;
        }
        let graph = &model.graph;
        let functions = model.functions.iter().flat_map(|function| &function.nodes);
        let ints: usize = graph.nodes.iter().chain(functions).map(ints).sum();
        let opset = model.opset("").map_or("-".to_owned(), |version| version.to_string());
        println!(
            "{name}\t{}\t{opset}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{ints}",
            model.ir_version,
            graph.nodes.len(),
            model.count_nodes(),
            graph.initializers.len(),
            graph.inputs.len(),
            graph.outputs.len(),
            graph.value_info.len(),
            model.functions.len(),
        );
    }
    Ok(())
}

/// How many whole numbers there are in lists that are attributes, also of nodes inside.
fn ints(node: &Node<'_>) -> usize {
    let lists = node.attributes.iter().filter_map(|attribute| attribute.value.ints());
    let inside = node.graphs().flat_map(|graph: &Graph<'_>| &graph.nodes).map(ints).sum::<usize>();
    lists.map(Iterator::count).sum::<usize>() + inside
}
