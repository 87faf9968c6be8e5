//! How long reading and inferring takes, beside ONNX's C++ and the crate
//! `onnx-runtime-shape-inference`.
//!
//! All three take turns, file by file, in several rounds; of each file the least time counts. Time
//! is the thread's own on the processor. Files are read from disk before. Each tool gets what is
//! best for it: Lozenge, the whole file in memory, whose weights it does not touch; ONNX's C++, the
//! file without large weights, which it would parse and serialise; the crate, the whole file, since
//! its loader insists on weights. Its loader infers by itself, so that its inference alone is shown
//! too. ONNX's C++ serialises what it found, and that counts: there is no other way to have it.

use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::ensure;
use lozenge_check::onnx::proto::chain;
use lozenge_onnx::{
    Model,
    infer::{Options, infer},
    skim,
};

use super::{
    corpus::{Study, python, target},
    tool::Tool,
};
use crate::clock::Clock;

/// What may be spent on a node, over the corpus, in nanoseconds.
const BAR: f64 = 3000.0;

/// The lengths of chains that show how time grows.
const CHAINS: [usize; 3] = [1_000, 10_000, 100_000];

/// How much more a node of the longest chain may take than one of the shortest.
const GROWTH: f64 = 2.0;

/// A file, and the least times of reading and inferring it.
struct Timed {
    name: String,
    nodes: usize,
    bytes: Vec<u8>,
    path: PathBuf,
    /// The file without large weights.
    light: PathBuf,
    reading: f64,
    whole: f64,
    cpp: Option<[f64; 2]>,
    rival: Option<[f64; 2]>,
}

pub(crate) fn run(study: &Study, rounds: usize) -> anyhow::Result<()> {
    let mut cpp = python()?.program("python");
    cpp.args(["-c", include_str!("speed.py")]);
    let mut cpp = Tool::start(cpp)?;
    let mut rival = Tool::start(Command::new(rival()?))?;
    let lights = target().join("light");
    fs::create_dir_all(&lights)?;
    let mut files = vec![];
    for file in study.corpus()?.files {
        let bytes = fs::read(&file.path)?;
        let Ok(skimmed) = skim(std::io::Cursor::new(&bytes)) else { continue };
        let Ok(model) = skimmed.model() else { continue };
        let nodes = model.graph.count_nodes();
        let light = lights.join(file.name.replace('/', "__"));
        fs::write(&light, skimmed.bytes())?;
        let times = (f64::INFINITY, f64::INFINITY);
        files.push(Timed {
            name: file.name,
            nodes,
            bytes: if bytes.len() < MOST_KEPT { bytes } else { vec![] },
            path: fs::canonicalize(&file.path)?,
            light: fs::canonicalize(light)?,
            reading: times.0,
            whole: times.1,
            cpp: None,
            rival: None,
        });
    }
    for _ in 0..rounds {
        for file in &mut files {
            file.round()?;
            least(&mut file.cpp, cpp.ask(&file.light.to_string_lossy())?);
            least(&mut file.rival, rival.ask(&file.path.to_string_lossy())?);
        }
    }
    cpp.end()?;
    rival.end()?;
    let ours = print(&files);
    let growth = chains(rounds)?;
    println!("{}", verdict(ours, growth));
    ensure!(ours <= BAR, "{ours:.0} ns a node, at most {BAR} are wanted");
    ensure!(growth <= GROWTH, "a node of the longest chain takes {growth:.2} times as long");
    Ok(())
}

/// Files from this size on are read again each time.
const MOST_KEPT: usize = 20_000_000;

fn verdict(ours: f64, growth: f64) -> String {
    format!("ns_per_node={ours:.0} bar={BAR} growth={growth:.2}")
}

fn least(known: &mut Option<[f64; 2]>, found: Option<[f64; 2]>) {
    *known = match (*known, found) {
        (Some([a, b]), Some([c, d])) => Some([a.min(c), b.min(d)]),
        (known, found) => known.or(found),
    };
}

/// The times of reading bytes, and of reading and inferring.
fn timed(bytes: &[u8]) -> anyhow::Result<[f64; 2]> {
    let clock = Clock::now();
    let model = Model::read(bytes)?;
    let reading = clock.nanoseconds();
    black_box(infer(&model, &Options::default()));
    Ok([reading, clock.nanoseconds()])
}

impl Timed {
    fn round(&mut self) -> anyhow::Result<()> {
        let read;
        let bytes = if self.bytes.is_empty() {
            read = fs::read(&self.path)?;
            &read
        } else {
            &self.bytes
        };
        let [reading, whole] = timed(bytes)?;
        self.reading = self.reading.min(reading);
        self.whole = self.whole.min(whole);
        Ok(())
    }
}

/// Prints nanoseconds a node, of each tool over the files that it answers. Gives ours over all
/// files.
#[expect(clippy::cast_precision_loss, reason = "for people")]
fn print(files: &[Timed]) -> f64 {
    let per_node = |time: f64, nodes: usize| time / nodes.max(1) as f64;
    let all: usize = files.iter().map(|file| file.nodes).sum();
    let total = |of: fn(&Timed) -> f64| files.iter().map(of).sum::<f64>();
    let ours = per_node(total(|file| file.whole), all);
    println!(
        "Lozenge: {} files, {all} nodes: {:.0} ns a node to read, {ours:.0} to read and infer; {:.0} ms for all",
        files.len(),
        per_node(total(|file| file.reading), all),
        total(|file| file.whole) / 1e6
    );
    let beside = |name: &str, of: &dyn Fn(&Timed) -> Option<f64>| {
        let answered: Vec<(&Timed, f64)> =
            files.iter().filter_map(|file| Some((file, of(file)?))).collect();
        let nodes: usize = answered.iter().map(|(file, _)| file.nodes).sum();
        let theirs: f64 = answered.iter().map(|(_, time)| time).sum();
        let own: f64 = answered.iter().map(|(file, _)| file.whole).sum();
        println!(
            "{name}: {} files, {nodes} nodes: {:.0} ns a node; Lozenge on the same {:.0}, {:.1} times as fast",
            answered.len(),
            per_node(theirs, nodes),
            per_node(own, nodes),
            theirs / own
        );
    };
    beside("onnx, C++, without weights", &|file| Some(file.cpp?[0]));
    beside("onnx, C++, with data propagation", &|file| Some(file.cpp?[1]));
    beside("onnx-runtime-shape-inference, load and infer", &|file| {
        Some(file.rival?[0] + file.rival?[1])
    });
    beside("onnx-runtime-shape-inference, load only", &|file| Some(file.rival?[0]));
    beside("onnx-runtime-shape-inference, infer only", &|file| Some(file.rival?[1]));
    let mut slowest: Vec<&Timed> = files.iter().collect();
    slowest.sort_by(|a, b| b.whole.total_cmp(&a.whole));
    for file in slowest.iter().take(5) {
        let Timed { name, nodes, whole, .. } = file;
        println!(
            "  {:.1} ms, {nodes} nodes, {:.0} ns a node: {name}",
            whole / 1e6,
            per_node(*whole, *nodes)
        );
    }
    if let Some(file) =
        files.iter().max_by_key(|file| fs::metadata(&file.path).map_or(0, |of| of.len()))
    {
        let megabytes = fs::metadata(&file.path).map_or(0, |of| of.len() / 1_000_000);
        println!(
            "largest file: {megabytes} MB, {} nodes, {:.1} ms: {}",
            file.nodes,
            file.whole / 1e6,
            file.name
        );
    }
    ours
}

/// Prints the time of a node in chains of several lengths. Gives how much more one of the longest
/// takes.
#[expect(clippy::cast_precision_loss, reason = "for people")]
fn chains(rounds: usize) -> anyhow::Result<f64> {
    let mut times = vec![];
    for nodes in CHAINS {
        let bytes = chain(nodes);
        let mut best = f64::INFINITY;
        for _ in 0..rounds.max(3) {
            best = best.min(timed(&bytes)?[1]);
        }
        println!("chain of {nodes}: {:.0} ns a node", best / nodes as f64);
        times.push(best / nodes as f64);
    }
    Ok(times[times.len() - 1] / times[0])
}

/// The program that reads and infers with the crate, built the first time.
fn rival() -> anyhow::Result<PathBuf> {
    let folder = target().join("rival");
    let program = folder.join("target/release/rival");
    if !program.exists() {
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("Cargo.toml"), include_str!("rival/manifest.toml"))?;
        let clock = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/clock.rs");
        let source = include_str!("rival/main.rs").replace("CLOCK", &clock.to_string_lossy());
        fs::write(folder.join("src/main.rs"), source)?;
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--release", "--quiet"]).current_dir(&folder);
        ensure!(
            cargo.env_remove("CARGO_TARGET_DIR").status()?.success(),
            "the rival was not built"
        );
    }
    Ok(program)
}
