//! The section `onnx`: the answers to questions about the models that the tests have, and about
//! copies of them with mistakes drawn into them, one for every fortieth case. Rules of the user's
//! are not read. Of larger files fewer questions are asked.

use std::{fs, io::Cursor};

use lozenge::diagnostic::Sources;
use lozenge_check::onnx::mutated;
use lozenge_onnx::{
    Model,
    infer::{
        Inferred, Options,
        answer::{
            Change, Does, ModelReport, Part, Pins, Tell, Values, annotations, assumptions, audit,
            audit_report, check, conditions, cost, diff, differing, einsum, groups, node_called,
            pins, requires_report, rows, size_texts, summary, tensor_plain, why,
        },
        infer,
    },
    rewrite,
};

use super::{
    say::Lines,
    section::{Args, Fnv, Section, root},
    texts::{below, is},
};

/// Files that are larger are asked only what `check` and `shapes` say, as their answers take long.
const SMALL: usize = 20_000;

/// Larger ones no mistakes are drawn into.
const MIDDLE: usize = 100_000;

/// How many axes are traced back to where their sizes come from.
const WHY: usize = 5;

pub(super) fn fill(args: &Args, section: &mut Section) -> anyhow::Result<()> {
    let mut files = vec![];
    for path in below(&root().join("crates"))?.into_iter().filter(|path| is(path, "onnx")) {
        files.push((name(&path), fs::read(&path)?));
    }
    // By name and content: the folders may change.
    files.sort();
    section.add_cases(files.len() as u64, args.seed, |number, _| {
        let (name, bytes) = &files[usize::try_from(number).unwrap_or(0)];
        let mut lines = Lines::default();
        lines.add("file", name);
        answers(&mut lines, bytes);
        lines.text()
    })?;
    files.retain(|(_, bytes)| bytes.len() <= MIDDLE);
    section.add_cases(args.cases.div_ceil(40), args.seed, |_, rng| {
        let (name, bytes) = &files[rng.usize(..files.len())];
        let (how, mutated) = mutated(rng, bytes);
        let mut lines = Lines::default();
        lines.add("file", format!("{name} with {how}"));
        answers(&mut lines, &mutated);
        changes(&mut lines, bytes, &mutated);
        lines.text()
    })
}

fn name(path: &std::path::Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// What is said of a model.
fn answers(lines: &mut Lines, bytes: &[u8]) {
    let model = match Model::read(bytes) {
        Ok(model) => model,
        Err(error) => return lines.add("unreadable", error),
    };
    let mut inferred = infer(&model, &Options::default());
    let counted = summary(&inferred);
    let counts = [counted.nodes, counted.tensors, counted.known, counted.at_run, counted.open];
    lines.add("summary", counts.map(|count| count.to_string()).join(" "));
    report(lines, &check(&mut inferred, Tell::All));
    shapes(lines, &inferred);
    let texts = size_texts(&inferred);
    match rewrite(Cursor::new(bytes), &[annotations(&inferred, &texts)]) {
        Err(error) => lines.add("not written", error),
        Ok(rewritten) => {
            let mut written = vec![];
            let mut hash = Fnv::default();
            match rewritten.write(Cursor::new(bytes), &mut written) {
                Ok(()) => hash.add(&written),
                Err(error) => lines.add("not written", error),
            }
            lines.add("written", format!("{} bytes, {:016x}", written.len(), hash.0));
        }
    }
    let all = conditions(&mut inferred);
    for condition in &all {
        let of =
            [condition.is_certain, condition.is_at_run].map(|is| if is { "yes" } else { "no" });
        let names = condition.names.join(" ");
        let values = condition.values.as_ref().map_or_else(String::new, Values::text);
        lines.add("needs", format!("{} ({names}) {values} {}", condition.text, of.join(" ")));
        lines.list("  adds", condition.needs.iter().filter_map(|need| need.adds.as_ref()));
    }
    lines.list("takes", assumptions(&mut inferred));
    if bytes.len() > SMALL {
        return;
    }
    let required = requires_report(&mut inferred, &all);
    report(lines, &required);
    let stretched = audit(&mut inferred);
    report(lines, &audit_report(&inferred, &stretched));
    further(lines, &mut inferred);
    let inputs = &model.graph.inputs;
    for input in inputs.iter().map(|info| info.name.to_string()) {
        match pins(&model, &Options::default(), &input, 0) {
            Ok(found) => pinned(lines, &found),
            Err(_) => lines.add("fixed", format!("no axis 0 of {input}")),
        }
    }
}

fn report(lines: &mut Lines, report: &ModelReport) {
    for finding in &report.findings {
        lines.add("of", finding.node.as_deref().unwrap_or("the model"));
    }
    let said: Vec<_> = report.findings.iter().map(|finding| finding.diagnostic.clone()).collect();
    lines.said(&said, &report.sources);
}

fn shapes(lines: &mut Lines, inferred: &Inferred<'_, '_>) {
    for row in rows(inferred) {
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let sizes = or_none(row.sizes.map(|sizes| sizes.join(" ")));
        let rest = [row.element, row.shape, sizes, or_none(row.op), or_none(row.graph)].join("; ");
        lines.add(&format!("{} {}", row.kind, row.name), format!("{rest}; {}", or_none(row.stop)));
    }
}

/// What is asked more rarely: what a model costs, where sizes come from, what nodes do.
fn further(lines: &mut Lines, inferred: &mut Inferred<'_, '_>) {
    let costs = cost(inferred);
    let num = |inferred: &Inferred<'_, '_>, num| inferred.nums().text(num);
    lines.add("parameters", format!("{} in {} bytes", costs.parameters, costs.stored_bytes));
    lines.add("peak", num(inferred, costs.peak));
    if let Some(node) = costs.peak_at {
        lines.add("  at", node_called(inferred, node));
    }
    lines.add("work", num(inferred, costs.work));
    for of in &costs.nodes {
        let bytes = of.bytes.map_or("?".to_owned(), |bytes| num(inferred, bytes));
        let work = num(inferred, of.work);
        lines.add(&node_called(inferred, of.node), format!("work {work}, {bytes} bytes"));
    }
    lines.list("uncounted", costs.uncounted.iter().map(|(op, count)| format!("{op} {count}")));
    for of in differing(inferred) {
        let part = match of.part {
            Part::Rank => "rank".to_owned(),
            Part::Axis(axis, size) => format!("axis {axis}, {size}"),
        };
        let name = tensor_plain(inferred, of.tensor);
        lines.add(&name, format!("declared {}: {part}, {} more", of.declared, of.others));
    }
    let grouped = groups(inferred, 8);
    for group in grouped.groups {
        let ops: Vec<String> =
            group.ops.iter().map(|(op, count)| format!("{op} {count}")).collect();
        let of = format!("{} nodes in layer {}: {}", group.nodes, group.layer, ops.join(", "));
        lines.add(&group.name, of);
    }
    for (from, to, shape, count) in grouped.edges {
        lines.add("edge", format!("{from} to {to}: {count} of {shape}"));
    }
    let tensors: Vec<_> = inferred.tensors().map(|(id, _)| id).collect();
    let every = tensors.len().div_ceil(WHY).max(1);
    for tensor in tensors.into_iter().rev().step_by(every) {
        if let Some(why) = why(inferred, tensor, 0) {
            lines.said(&[why.diagnostic()], &Sources::default());
        }
    }
    let nodes: Vec<_> = inferred.nodes().map(|(id, _)| id).collect();
    for node in nodes {
        let Some(of) = einsum(inferred, node) else { continue };
        let does = match of.does {
            Does::Product => "product".to_owned(),
            Does::Each(op) => op,
            Does::Gathers { sign, from } => format!("{sign} from {from}"),
        };
        let mut rest = of.shapes;
        rest.extend(of.sets.iter().map(|(name, size)| format!("{name}={size}")));
        rest.extend(of.names.iter().map(|(name, size)| format!("{name} for {size}")));
        rest.extend(of.bias);
        lines.add("einsum", format!("{}; {does}; {}", of.spec, rest.join("; ")));
    }
}

/// What fixes an axis.
fn pinned(lines: &mut Lines, found: &Pins) {
    lines.add("fixed", format!("{}, {}, called {}", found.what, found.declared, found.name));
    for pin in &found.pins {
        let readers = pin.readers.join(" ");
        let of = format!("{} {} of {} for {}", pin.element, pin.value, pin.constant, pin.node);
        lines.add("  by", format!("{of}: {}, {readers}, {} others", pin.change, pin.others));
    }
    let lists = [&found.weights, &found.others, &found.inputs, &found.left, &found.outputs];
    for (what, list) in ["weights", "others", "inputs", "left", "outputs"].iter().zip(lists) {
        lines.add(what, list.join("; "));
    }
    let is = [found.is_free, found.is_folded].map(|is| if is { "yes" } else { "no" });
    lines.add("free, folded", is.join(" "));
}

/// What changes from one model to another.
fn changes(lines: &mut Lines, before: &[u8], after: &[u8]) {
    let (Ok(before), Ok(after)) = (Model::read(before), Model::read(after)) else { return };
    let [mut before, mut after] = [&before, &after].map(|of| infer(of, &Options::default()));
    for Change { kind, name, before, after } in diff(&mut before, &mut after) {
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let [before, after] = [before, after].map(or_none);
        lines.add(&format!("change of {kind} {name}"), format!("{before} to {after}"));
    }
}
