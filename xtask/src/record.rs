//! `record`: what is said and inferred, as hashes, so that two states of the repository can be
//! compared.
//!
//! A change of structure changes none of it. Each section is a list of texts, *items*: the pages'
//! claims and the tests' snapshots as they are stored, and what the code gives for programs,
//! stores, specifications and models that are drawn at random. Nothing of it depends on the number
//! of threads, on time, on paths of sources or on addresses. Texts are made of what is printed for
//! people; where something has only a `Debug` form its fields are written one by one, because that
//! form contains the names of types.
//!
//! `same` runs this on an older state and compares the items.

mod onnx;
mod programs;
mod projections;
mod say;
mod scale;
mod section;
mod specs;
mod stores;
mod symbols;
mod texts;

use std::fs;

use section::Fnv;
pub(crate) use section::{Args, BEGINS, Section, root};
pub(crate) use texts::below;

/// The sections, in the order in which they are recorded.
pub(crate) const SECTIONS: [(&str, Fill); 9] = [
    ("pages", texts::pages),
    ("snapshots", texts::snapshots),
    ("scale", scale::fill),
    ("programs", programs::fill),
    ("symbols", symbols::fill),
    ("stores", stores::fill),
    ("specs", specs::fill),
    ("projections", projections::fill),
    ("onnx", onnx::fill),
];

type Fill = fn(&Args, &mut Section) -> anyhow::Result<()>;

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(folder) = &args.to {
        fs::create_dir_all(folder)?;
    }
    let mut all = Fnv::default();
    for (name, fill) in SECTIONS {
        let mut section = Section::new(name, args.to.as_deref())?;
        fill(args, &mut section)?;
        let (items, hash) = section.finish()?;
        println!("{name:<12} items={items} hash={hash:016x}");
        all.add(&hash.to_be_bytes());
    }
    println!("record={:016x}", all.0);
    Ok(())
}
