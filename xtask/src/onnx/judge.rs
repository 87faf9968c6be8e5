//! What inference says of one model, held against the shapes that ONNX Runtime computed.

use std::{
    collections::HashMap,
    fs::File,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use lozenge_onnx::{
    Model,
    infer::{GraphId, Inferred, Num, Nums, Options, Source, TensorRecord, infer},
    skim,
};

use super::{
    corpus::Run,
    values::{conflicts, contradictions, is_of_inputs, node_name, plain, symbols, unmet},
};
use crate::clock::Clock;

/// How far the sizes of a tensor are known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Every size is a number, or a form over the names of inputs.
    Full,
    /// Every size is known, some by names that nodes gave.
    Named,
    /// Not even the rank is known.
    Open,
    /// It is not a tensor.
    Other,
}

/// Tensors by how far they are known.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) full: usize,
    pub(crate) named: usize,
    pub(crate) open: usize,
    pub(crate) other: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, extent: Extent) {
        match extent {
            Extent::Full => self.full += 1,
            Extent::Named => self.named += 1,
            Extent::Open => self.open += 1,
            Extent::Other => self.other += 1,
        }
    }

    pub(crate) fn merge(&mut self, other: Counts) {
        self.full += other.full;
        self.named += other.named;
        self.open += other.open;
        self.other += other.other;
    }

    pub(crate) fn tensors(&self) -> usize {
        self.full + self.named + self.open
    }
}

/// A node whose inputs are all known and whose outputs are not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stopped {
    pub(crate) op: String,
    pub(crate) reason: String,
    pub(crate) node: String,
}

/// What was found out about a model.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) nodes: usize,
    /// The tensors that the main graph's nodes give.
    pub(crate) main: Counts,
    /// Those of other graphs that may run.
    pub(crate) inner: Counts,
    /// The number of tensors in graphs that never run.
    pub(crate) dead: usize,
    /// Tensors whose sizes are those of all runs.
    pub(crate) right: usize,
    /// For each run, what other sizes inference says than it had.
    pub(crate) contradictions: Vec<Vec<String>>,
    /// What inference requires and runs did not have.
    pub(crate) excluded: Vec<String>,
    /// What inference says cannot run, of nodes that run in every run.
    pub(crate) conflicts: Vec<String>,
    pub(crate) stopped: Vec<Stopped>,
    /// Tensors that are not known, without a node and a reason.
    pub(crate) unexplained: usize,
    /// The processor time of reading and inferring, in milliseconds.
    pub(crate) milliseconds: f64,
}

impl Report {
    pub(crate) fn is_entire(&self) -> bool {
        let known = |counts: &Counts| counts.full == counts.tensors();
        known(&self.main) && known(&self.inner)
    }
}

/// Why there is no report.
pub(crate) enum Failure {
    /// The file was not read.
    Unread(String),
    /// Reading or inferring panicked.
    Panic(String),
}

/// Reads a file, infers, and holds what comes out against runs.
pub(crate) fn judge(path: &Path, runs: &[Run]) -> Result<Report, Failure> {
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let unread = |error: &dyn std::fmt::Display| Failure::Unread(error.to_string());
        let clock = Clock::now();
        let file = File::open(path).map_err(|error| unread(&error))?;
        let skimmed = skim(file).map_err(|error| unread(&error))?;
        let model = skimmed.model().map_err(|error| unread(&error))?;
        let inferred = infer(&model, &Options::default());
        let milliseconds = clock.nanoseconds() / 1e6;
        let mut report = report(&inferred, &model, runs);
        report.nodes = model.graph.count_nodes();
        report.milliseconds = milliseconds;
        Ok(report)
    }));
    judged.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let said = text.or_else(|| panic.downcast_ref::<&str>().map(|said| (*said).to_owned()));
        Err(Failure::Panic(said.unwrap_or_default()))
    })
}

/// How far a tensor's sizes are known.
pub(crate) fn extent(nums: &Nums, tensor: &TensorRecord<'_>) -> Extent {
    match (&tensor.known.shape, &tensor.known.container) {
        (Some(sizes), _) => {
            let is_full = |size: &Num| is_of_inputs(nums, *size);
            if sizes.iter().all(is_full) { Extent::Full } else { Extent::Named }
        }
        (None, Some(_)) => Extent::Other,
        (None, None) => Extent::Open,
    }
}

fn report(inferred: &Inferred<'_, '_>, model: &Model<'_>, runs: &[Run]) -> Report {
    let nums = inferred.nums();
    let mut report = Report::default();
    for (_, tensor) in inferred.tensors() {
        if !matches!(tensor.source, Source::Node(..)) {
            continue;
        }
        let extent = extent(nums, tensor);
        if is_dead(inferred, tensor.graph) {
            report.dead += 1;
            continue;
        }
        let counts = if tensor.graph == GraphId(0) { &mut report.main } else { &mut report.inner };
        counts.add(extent);
        if extent == Extent::Open && tensor.stop.is_none() {
            report.unexplained += 1;
        }
    }
    stops(inferred, &mut report);
    report.conflicts = conflicts(inferred);
    let mut wrong = HashMap::new();
    for run in runs {
        let symbols = symbols(run, model);
        let value = |name: &str| symbols.get(&plain(name)).copied();
        report.excluded.extend(unmet(inferred, &value).into_iter().map(|unmet| unmet.text));
        let found = contradictions(inferred, run, &value, &mut wrong);
        report.contradictions.push(found);
    }
    report.right = wrong.into_values().filter(|is_right| *is_right).count();
    report
}

/// Whether a graph is one that never runs, or lies in such a one.
fn is_dead(inferred: &Inferred<'_, '_>, graph: GraphId) -> bool {
    let record = inferred.graph(graph);
    let outer = record.of.map(|node| inferred.node(node).graph);
    record.is_dead || outer.is_some_and(|outer| outer != graph && is_dead(inferred, outer))
}

/// The nodes whose inputs are all known and whose outputs are not.
fn stops(inferred: &Inferred<'_, '_>, report: &mut Report) {
    let nums = inferred.nums();
    let is_full =
        |tensor: &TensorRecord<'_>| matches!(extent(nums, tensor), Extent::Full | Extent::Other);
    for (_, record) in inferred.nodes().filter(|(_, node)| !is_dead(inferred, node.graph)) {
        let mut inputs = record.inputs.iter().flatten();
        if !inputs.all(|id| is_full(inferred.tensor(*id))) {
            continue;
        }
        let mut outputs = record.outputs.iter().flatten().map(|id| inferred.tensor(*id));
        let Some(open) = outputs.find(|tensor| !is_full(tensor)) else { continue };
        let sizes = || {
            let sizes = open.known.shape.iter().flatten().map(|size| nums.text(*size));
            format!("named: {}", sizes.collect::<Vec<_>>().join(", "))
        };
        let reason = open.stop.as_ref().map_or_else(sizes, |stop| format!("{stop:?}"));
        let op = record.node.op.to_string();
        report.stopped.push(Stopped { op, reason, node: node_name(record) });
    }
}
