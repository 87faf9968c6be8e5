//! Real and exported models: how much of each is known, and whether that is true.

use std::collections::BTreeMap;

use anyhow::ensure;

use super::{
    corpus::{Corpus, ModelFile, Study, TOOLS},
    judge::{Counts, Failure, Report, Stopped, judge},
};

/// The most mistakes of a model that are printed; the first few say what is wrong.
const PRINTED: usize = 3;

#[derive(Default)]
struct Totals {
    main: Counts,
    inner: Counts,
    dead: usize,
    models: usize,
    entire: usize,
    /// Of the models of the manifest, without the exported ones.
    real: usize,
    real_entire: usize,
    slowest: Vec<(f64, String)>,
    runs: usize,
    judged: usize,
    right: usize,
    contradictions: [usize; 2],
    excluded: usize,
    conflicts: usize,
    unexplained: usize,
    unread: usize,
    panics: usize,
    nodes: usize,
    milliseconds: f64,
}

pub(crate) fn run(study: &Study, open: Option<usize>) -> anyhow::Result<()> {
    let Corpus { files, missing } = study.corpus()?;
    for missing in &missing {
        println!("not fetched: {missing}");
    }
    println!(
        "{:60} {:>6} {:>7} {:>5} {:>5} {:>5}   {}",
        "model",
        "nodes",
        "tensors",
        "full",
        "named",
        "open",
        TOOLS.join(" ")
    );
    let (mut totals, mut stopped) = (Totals::default(), BTreeMap::<_, Vec<_>>::new());
    for file in &files {
        match judge(&file.path, &file.runs) {
            Ok(report) => {
                print_report(file, &report);
                totals.add(file, &report);
                for Stopped { op, reason, node } in report.stopped {
                    let nodes = stopped.entry(op).or_default();
                    nodes.push(format!("{reason} at {node} of {}", file.name));
                }
            }
            Err(Failure::Unread(why)) => {
                println!("{:60} not read: {why}", file.name);
                totals.unread += 1;
            }
            Err(Failure::Panic(why)) => {
                println!("{:60} PANIC: {why}", file.name);
                totals.panics += 1;
            }
        }
    }
    if let Some(most) = open {
        print_stopped(stopped, most);
    }
    totals.print(missing.len());
    totals.verdict()
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn percent(part: usize, all: usize) -> f64 {
    if all == 0 { 100.0 } else { 100.0 * part as f64 / all as f64 }
}

fn print_report(file: &ModelFile, report: &Report) {
    let Counts { full, named, open, .. } = report.main;
    let tensors = report.main.tensors();
    let share = percent(full, tensors);
    let Counts { full: inner, .. } = report.inner;
    let branches = match report.inner.tensors() {
        0 => String::new(),
        all => format!(" inner={inner}/{all}"),
    };
    let dead = if report.dead > 0 { format!(" dead={}", report.dead) } else { String::new() };
    let baseline = file.baseline.as_ref().map_or_else(|| "-".to_owned(), |cells| cells.join(" "));
    println!(
        "{:60} {:6} {tensors:7} {share:5.1} {named:5} {open:5}   {baseline}{branches}{dead}",
        file.name, report.nodes
    );
    let shown = |what: &str, found: &[String]| {
        for found in found.iter().take(PRINTED) {
            println!("    {what}: {found}");
        }
        if found.len() > PRINTED {
            println!("    {what}: {} more", found.len() - PRINTED);
        }
    };
    for (number, found) in report.contradictions.iter().enumerate() {
        shown(&format!("CONTRADICTION at run {}", number + 1), found);
    }
    shown("EXCLUDED", &report.excluded);
    if !file.runs.is_empty() {
        shown("CONFLICT", &report.conflicts);
    }
}

fn print_stopped(stopped: BTreeMap<String, Vec<String>>, most: usize) {
    let mut stopped: Vec<_> = stopped.into_iter().collect();
    stopped.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
    println!("where inference stops, though all inputs are known:");
    for (op, mut nodes) in stopped {
        println!("  {op}: {} nodes", nodes.len());
        nodes.sort();
        // Spread over all, which are sorted by their reason.
        let step = nodes.len().div_ceil(most.max(1));
        for node in nodes.iter().step_by(step) {
            println!("    {node}");
        }
    }
}

impl Totals {
    fn add(&mut self, file: &ModelFile, report: &Report) {
        self.models += 1;
        self.entire += usize::from(report.is_entire());
        let is_real = !file.name.starts_with("gen/");
        self.real += usize::from(is_real);
        self.real_entire += usize::from(is_real && report.is_entire());
        self.slowest.push((report.milliseconds, file.name.clone()));
        self.slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.slowest.truncate(PRINTED);
        self.main.merge(report.main);
        self.inner.merge(report.inner);
        self.dead += report.dead;
        self.nodes += report.nodes;
        self.milliseconds += report.milliseconds;
        self.right += report.right;
        self.judged += usize::from(!report.contradictions.is_empty());
        self.runs += report.contradictions.len();
        for (total, found) in self.contradictions.iter_mut().zip(&report.contradictions) {
            *total += found.len();
        }
        self.excluded += report.excluded.len();
        self.conflicts += if report.contradictions.is_empty() { 0 } else { report.conflicts.len() };
        self.unexplained += report.unexplained;
    }

    fn print(&self, missing: usize) {
        let Totals { models, nodes, milliseconds, unread, panics, .. } = self;
        println!(
            "models={models} nodes={nodes} unread={unread} not_fetched={missing} milliseconds={milliseconds:.0}"
        );
        for (milliseconds, name) in &self.slowest {
            println!("slowest: {milliseconds:.0} ms, {name}");
        }
        let of = |counts: &Counts| {
            let all = counts.tensors();
            let Counts { full, named, open, other } = counts;
            let share = percent(*full, all);
            format!(
                "{full} of {all} full = {share:.2} %, named={named} open={open} not tensors={other}"
            )
        };
        let mut all = self.main;
        all.merge(self.inner);
        println!("main graphs: {}", of(&self.main));
        println!("with graphs of nodes: {}, in graphs that never run: {}", of(&all), self.dead);
        println!(
            "runs={} of {} models, tensors right at all runs: {}",
            self.runs, self.judged, self.right
        );
        let [first, second] = self.contradictions;
        println!(
            "entire={} of {models}, real={} of {} contradictions={first}+{second} excluded={} conflicts={} unexplained={} panics={panics}",
            self.entire,
            self.real_entire,
            self.real,
            self.excluded,
            self.conflicts,
            self.unexplained
        );
    }

    fn verdict(&self) -> anyhow::Result<()> {
        let [first, second] = self.contradictions;
        let mistakes =
            first + second + self.excluded + self.conflicts + self.unexplained + self.panics;
        ensure!(mistakes == 0, "{mistakes} mistakes");
        Ok(())
    }
}
