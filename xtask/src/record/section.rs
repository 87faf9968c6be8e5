//! A section of the record, and what all sections take.

use std::{
    fs::File,
    io::{BufWriter, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use lozenge_check::Generator;

use crate::parallel;

#[derive(clap::Args, Clone)]
pub(crate) struct Args {
    /// How many programs, stores and specifications to draw; a part of it where a case takes
    /// longer.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cases: u64,
    /// Where the generator starts; the same seed draws the same cases.
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
    /// A folder to which the texts are written as well, a file for each section.
    #[arg(long)]
    pub(crate) to: Option<PathBuf>,
}

/// What begins the line before an item in a file; the rest of the line says where the item comes
/// from.
pub(crate) const BEGINS: &str = "\u{1e}";

/// How many cases are drawn before their texts are written: what is in memory at once.
const CHUNK: u64 = 5_000;

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A section while it is recorded.
pub(crate) struct Section {
    hash: Fnv,
    items: u64,
    file: Option<BufWriter<File>>,
}

impl Section {
    pub(super) fn new(name: &str, folder: Option<&Path>) -> anyhow::Result<Section> {
        let create = |folder: &Path| File::create(folder.join(format!("{name}.txt")));
        let file = folder.map(create).transpose()?.map(BufWriter::new);
        Ok(Section { hash: Fnv::default(), items: 0, file })
    }

    /// Adds an item. Where it comes from is not part of what is recorded.
    pub(super) fn add(&mut self, from: &str, text: &str) -> anyhow::Result<()> {
        let text = text.replace(BEGINS, "");
        self.hash.add(text.as_bytes());
        self.hash.add(&[0xff]); // in no text
        self.items += 1;
        if let Some(file) = &mut self.file {
            writeln!(file, "{BEGINS}{from}\n{text}")?;
        }
        Ok(())
    }

    /// Adds items in the order of their texts, so that it does not matter where they come from.
    pub(super) fn add_sorted(&mut self, mut items: Vec<(String, String)>) -> anyhow::Result<()> {
        items.sort_by(|one, other| (&one.1, &one.0).cmp(&(&other.1, &other.0)));
        items.iter().try_for_each(|(from, text)| self.add(from, text))
    }

    /// Adds an item for each of a number of random cases, which are drawn over all cores.
    pub(super) fn add_cases(
        &mut self,
        count: u64,
        seed: u64,
        case: impl Fn(u64, &mut Generator) -> String + Sync,
    ) -> anyhow::Result<()> {
        let text = |number: u64| {
            let text = AssertUnwindSafe(|| case(number, &mut Generator::new(seed, number)));
            catch_unwind(text).unwrap_or_else(|_| "panicked".to_owned())
        };
        for first in (0..count).step_by(usize::try_from(CHUNK)?) {
            let one = |number: u64, texts: &mut Vec<(u64, String)>| {
                texts.push((first + number, text(first + number)));
            };
            let mut texts = parallel::run(CHUNK.min(count - first), one, |all, part| {
                all.extend(part);
            });
            texts.sort_unstable_by_key(|(number, _)| *number);
            for (number, text) in texts {
                self.add(&format!("case {number}"), &text)?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> anyhow::Result<(u64, u64)> {
        if let Some(file) = &mut self.file {
            file.flush()?;
        }
        Ok((self.items, self.hash.0))
    }
}

/// The hash FNV-1a with 64 bits.
pub(super) struct Fnv(pub(super) u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fnv;

    #[test]
    fn the_hash_is_fnv_1a() {
        // From the test vectors of its authors.
        for (text, hash) in [("", 0xcbf2_9ce4_8422_2325), ("foobar", 0x8594_4171_f739_67e8)] {
            let mut fnv = Fnv::default();
            fnv.add(text.as_bytes());
            assert_eq!(fnv.0, hash, "{text}");
        }
    }
}
