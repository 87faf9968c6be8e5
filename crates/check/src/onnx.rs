//! Model files: with mistakes drawn into them, and of recipes. What is said of them is said without
//! a panic.

mod mutations;
mod nums;
pub mod proto;

pub use mutations::mutated;
pub use nums::check as check_nums;

use std::hint::black_box;

use lozenge_onnx::{
    Model,
    infer::{
        Options,
        answer::{Tell, check as problems, conditions, summary},
        infer,
    },
    testing::{any_bytes, assemble},
};

use crate::{
    Generator, Mismatch,
    mismatch::{caught, counts},
    texts,
};

/// Small models as exporters write them, into which mistakes are drawn.
const FILES: [&[u8]; 6] = [
    include_bytes!("../../onnx/tests/models/gen_lstm_dyn.onnx"),
    include_bytes!("../../onnx/tests/models/gen_lstm_ts.onnx"),
    include_bytes!("../../onnx/tests/models/gen_unet_dyn.onnx"),
    include_bytes!("../../onnx/tests/models/gen_t5_enc_dyn.onnx"),
    include_bytes!("../../onnx/tests/models/gen_bert_dyn.onnx"),
    include_bytes!("../../onnx/tests/models/gen_gpt2_past_dyn.onnx"),
];

/// What became of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Refused,
    Inferred { has_conflicts: bool },
}

counts! {
    /// What became of files.
    pub struct Counts {
        /// The files that cannot be read.
        pub refused: u64,
        /// The files whose shapes were inferred.
        pub inferred: u64,
        /// The files in which something does not fit.
        pub conflicts: u64,
    }
}

impl Counts {
    /// Counts what became of a file.
    pub fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Refused => self.refused += 1,
            Outcome::Inferred { has_conflicts } => {
                self.inferred += 1;
                self.conflicts += u64::from(has_conflicts);
            }
        }
    }
}

/// Draws mistakes into a model, reads it, and infers and says all that the command `check` says.
///
/// # Errors
/// When that panics.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let file = FILES[rng.usize(..FILES.len())];
    let (how, bytes) = mutated(rng, file);
    let what = outcome(&bytes).map_err(|what| format!("{how}: {what}"))?;
    counts.add(what);
    Ok(())
}

/// Draws a recipe, and holds its bytes and the file that it makes to [`hold_bytes`].
///
/// # Errors
/// When something does not hold.
pub fn check_recipe(rng: &mut Generator, counts: &mut texts::Counts) -> Result<(), Mismatch> {
    // A graph (field 7) with a node (1) with the text `Relu` as field 4, and then anything.
    let mut recipe = [&[7 << 3, 0, 1 << 3, 0, 4 << 3 | 4, 4][..], b"Relu"].concat();
    recipe.truncate(rng.usize(..=recipe.len()));
    recipe.extend((0..rng.usize(..64)).map(|_| rng.u8(..)));
    counts.add(hold_bytes(&recipe)?);
    Ok(())
}

/// Reads any bytes, as a file and as a recipe for one: they are read as a model or refused with a
/// place inside them, in memory bounded by their length; a model is skimmed alike, and written back
/// as it was. Gives whether the recipe's file is a model.
///
/// # Errors
/// When something does not hold.
pub fn hold_bytes(bytes: &[u8]) -> Result<bool, Mismatch> {
    caught(|| {
        let file = assemble(bytes);
        any_bytes(bytes);
        any_bytes(&file);
        Model::read(&file).is_ok()
    })
}

/// Reads a file, and infers and says all that the command `check` says.
///
/// # Errors
/// When that panics.
pub fn outcome(bytes: &[u8]) -> Result<Outcome, Mismatch> {
    caught(|| {
        let Ok(model) = Model::read(bytes) else { return Outcome::Refused };
        let mut inferred = infer(&model, &Options::default());
        let said =
            (problems(&mut inferred, Tell::All), summary(&inferred), conditions(&mut inferred));
        black_box(said);
        Outcome::Inferred { has_conflicts: !inferred.conflicts().is_empty() }
    })
}
