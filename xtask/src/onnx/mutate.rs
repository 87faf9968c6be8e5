//! Real models with mistakes drawn into them: reading, inferring and saying what does not fit neither panics nor hangs, and takes
//! little memory.
//!
//! A case that does not end, or takes too much memory, ends the command: a thread cannot be stopped.

use std::{
    fs::{self, File},
    hint::black_box,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{bail, ensure};
use lozenge_check::Generator;
use lozenge_onnx::{
    Model,
    infer::{
        Options,
        answer::{Tell, check, conditions, summary},
        infer,
    },
    skim,
};

use super::{
    corpus::{Study, target},
    mutations::mutated,
};

/// How long a file may take: the slowest real ones take far less than a second.
const LIMIT: Duration = Duration::from_secs(20);

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How much memory reading and inferring may take: a part for each byte of the file, and some for any.
const PER_BYTE: u64 = 200;
const FOR_ANY: u64 = 256 << 20;

/// What became of a mutated file.
enum Outcome {
    Refused,
    Inferred { has_conflicts: bool },
    Panicked(String),
}

pub(crate) fn run(study: &Study, cases: u64, seed: u64) -> anyhow::Result<()> {
    let mut files = vec![];
    for file in study.corpus()?.files {
        if let Ok(skimmed) = skim(File::open(&file.path)?) {
            files.push((file.name, skimmed.bytes().to_vec()));
        }
    }
    let folder = target().join("mutated");
    fs::create_dir_all(&folder)?;
    println!("seed={seed} files={}", files.len());
    let (mut refused, mut inferred, mut conflicts, mut same) = (0, 0, 0, 0);
    let mut mistakes = 0;
    let mut most = 0;
    for case in 0..cases {
        let mut rng = Generator::new(seed, case);
        let (name, bytes) = &files[rng.usize(0..files.len())];
        let (how, mutated) = mutated(&mut rng, bytes);
        if mutated == *bytes {
            same += 1;
            continue;
        }
        let length = mutated.len() as u64;
        let before = reset_peak();
        let (sender, receiver) = channel();
        let mutated: Arc<[u8]> = mutated.into();
        let shared = Arc::clone(&mutated);
        thread::spawn(move || sender.send(outcome(&shared)));
        let kept = folder.join(format!("{seed}-{case}.onnx"));
        let at = format!("case {case}, {how} of {name} ({})", kept.display());
        match awaited(&receiver, before, length) {
            Ok(Outcome::Refused) => refused += 1,
            Ok(Outcome::Inferred { has_conflicts }) => {
                inferred += 1;
                conflicts += u64::from(has_conflicts);
            }
            Ok(Outcome::Panicked(why)) => {
                mistakes += 1;
                fs::write(&kept, &mutated)?;
                println!("PANIC in {at}: {why}");
            }
            // What runs on cannot be stopped, and would take all memory.
            Err(excess) => {
                fs::write(&kept, &mutated)?;
                bail!("{at}: {excess}; the cases after it were not run")
            }
        }
        let taken = peak().saturating_sub(before);
        most = most.max(taken / length.max(1 << 20));
    }
    println!(
        "cases={cases} refused={refused} inferred={inferred} with_conflicts={conflicts} unchanged={same} most_memory_per_byte={most} mistakes={mistakes}"
    );
    ensure!(mistakes == 0, "{mistakes} mistakes");
    Ok(())
}

/// What comes of a file, unless that takes too long, or too much memory.
fn awaited(receiver: &Receiver<Outcome>, before: u64, length: u64) -> Result<Outcome, String> {
    let start = Instant::now();
    loop {
        let found = receiver.recv_timeout(LOOK);
        let taken = peak().saturating_sub(before);
        if taken > FOR_ANY + PER_BYTE * length {
            return Err(format!("{} MB of memory for {length} bytes", taken >> 20));
        }
        match found {
            Ok(outcome) => return Ok(outcome),
            Err(_) if start.elapsed() > LIMIT => return Err("it does not end".to_owned()),
            Err(_) => {}
        }
    }
}

fn outcome(bytes: &[u8]) -> Outcome {
    let inferred = catch_unwind(AssertUnwindSafe(|| {
        let model = Model::read(bytes).ok()?;
        let mut inferred = infer(&model, &Options::default());
        // What the command `check` says.
        black_box((check(&mut inferred, Tell::All), summary(&inferred), conditions(&mut inferred)));
        Some(!inferred.conflicts().is_empty())
    }));
    match inferred {
        Ok(None) => Outcome::Refused,
        Ok(Some(has_conflicts)) => Outcome::Inferred { has_conflicts },
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Outcome::Panicked(text.unwrap_or_default())
        }
    }
}

/// The kernel's count of this process's memory at its peak, in bytes; 0 where it is not told.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Forgets the peak so far. Gives the memory that is in use.
fn reset_peak() -> u64 {
    let _ = fs::write("/proc/self/clear_refs", "5"); // where it cannot be reset, peaks are those of all before
    peak()
}
