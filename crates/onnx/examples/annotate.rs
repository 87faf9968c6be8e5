//! Writes a model with the value info and the outputs' types of another:
//! `annotate MODEL TYPES OUT`. The model is read in pieces, so that it may be larger than memory.

use std::{
    error::Error,
    fs::{self, File},
};

use lozenge_onnx::{Annotations, Model, rewrite};

fn main() -> Result<(), Box<dyn Error>> {
    let [model, types, out] = std::env::args().skip(1).collect::<Vec<_>>().try_into().map_err(
        |_| "annotate takes three files: a model, a model with types, and what to write",
    )?;
    let types = fs::read(types)?;
    let graphs: Vec<_> = Model::read(&types)?
        .graphs()
        .map(|graph| Annotations {
            value_info: Some(graph.value_info.clone()),
            outputs: graph.outputs.clone(),
        })
        .collect();
    let rewritten = rewrite(File::open(&model)?, &graphs)?;
    rewritten.write(File::open(&model)?, &mut File::create(out)?)?;
    Ok(())
}
