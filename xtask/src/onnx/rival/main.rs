//! Reads and infers models with the crate `onnx-runtime-shape-inference`. Answers each line, a
//! path, by one of JSON: the nanoseconds of loading, which infers once by itself, and of inferring
//! alone; or null, if the model is refused.

use onnx_runtime_shape_inference::{InferenceRegistry, MergePolicy};

#[path = "CLOCK"]
mod clock;

fn main() {
    let registry = InferenceRegistry::default_registry();
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let path = std::path::Path::new(&line);
        let times = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let bytes = std::fs::read(path).ok()?;
            let folder = path.parent()?;
            let clock = clock::Clock::now();
            let (mut graph, _weights) = onnx_runtime_loader::load_model_bytes_with_weights(&bytes, folder).ok()?;
            let load = clock.nanoseconds();
            let opsets = graph.opset_imports.clone();
            let clock = clock::Clock::now();
            registry.infer_graph(&mut graph, &opsets, MergePolicy::Permissive).ok()?;
            Some([load, clock.nanoseconds()])
        }));
        match times.ok().flatten() {
            Some(times) => println!("{times:?}"),
            None => println!("null"),
        }
    }
}
