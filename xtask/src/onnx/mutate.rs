//! Real models with mistakes drawn into them: reading, inferring and saying what does not fit
//! neither panics nor hangs, and takes little memory.
//!
//! A case that does not end, or takes too much memory, ends the command: a thread cannot be
//! stopped.

use std::{
    fs::{self, File},
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{bail, ensure};
use lozenge_check::{
    Generator, Mismatch,
    onnx::{Counts, Outcome, check_nums, mutated, outcome},
};
use lozenge_onnx::skim;

use super::corpus::{Study, target};
use crate::parallel;

/// The time that a file may take: the slowest real ones take far less than a second.
const LIMIT: Duration = Duration::from_secs(20);

/// The time between two looks at memory.
const LOOK: Duration = Duration::from_millis(20);

/// How much memory reading and inferring may take: a part for each byte of the file, and some for
/// any.
const PER_BYTE: u64 = 200;
const FOR_ANY: u64 = 256 << 20;

/// What became of a file, or the panic.
type Found = Result<Outcome, Mismatch>;

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
    let mut counts = Counts::default();
    let (mut same, mut mistakes, mut most) = (0, 0, 0);
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
            Ok(Ok(found)) => counts.add(found),
            Ok(Err(why)) => {
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
    let Counts { refused, inferred, conflicts } = counts;
    println!(
        "cases={cases} refused={refused} inferred={inferred} with_conflicts={conflicts} unchanged={same} most_memory_per_byte={most} mistakes={mistakes}"
    );
    ensure!(mistakes == 0, "{mistakes} mistakes");
    let nums = parallel::check(0..cases, seed, check_nums);
    nums.show();
    println!("numbers: decided={} solved={}", nums.counts.decided, nums.counts.solved);
    nums.agree("numbers over names differ from their values")?;
    Ok(())
}

/// What comes of a file, unless that takes too long, or too much memory.
fn awaited(receiver: &Receiver<Found>, before: u64, length: u64) -> Result<Found, String> {
    let start = Instant::now();
    loop {
        let found = receiver.recv_timeout(LOOK);
        let taken = peak().saturating_sub(before);
        if taken > FOR_ANY + PER_BYTE * length {
            return Err(format!("{} MB of memory for {length} bytes", taken >> 20));
        }
        match found {
            Ok(found) => return Ok(found),
            Err(_) if start.elapsed() > LIMIT => return Err("it does not end".to_owned()),
            Err(_) => {}
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
    // Where it cannot be reset, peaks are those of all before.
    let _ = fs::write("/proc/self/clear_refs", "5");
    peak()
}
