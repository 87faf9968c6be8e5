//! `lozenge graph`: the graph of a model with few boxes, as a list or a picture.

use std::{collections::BTreeMap, fs, process::ExitCode};

use lozenge_onnx::infer::{
    answer::{Group, Grouped, groups},
    counted,
};
use svg::{
    Document,
    node::element::{Definitions, Group as Drawn, Marker, Path, Rectangle, Text, Title},
};

use super::{
    args::{Form, Graph},
    file::with_model,
    show,
};
use crate::output;

pub(crate) fn run(args: &Graph) -> ExitCode {
    if args.of.look.refuses_sarif() {
        return ExitCode::from(2);
    }
    with_model(&args.of.file, &args.of.look, |loaded, _, inferred| {
        let most = if args.of.all { usize::MAX } else { args.boxes.max(1) };
        let grouped = groups(inferred, most);
        let Some(file) = &args.svg else {
            if args.of.look.format == Form::Json {
                output::print_record(&json(&grouped, &loaded.name()));
            } else {
                print(&grouped);
            }
            return ExitCode::SUCCESS;
        };
        let picture = draw(&grouped);
        if file.as_os_str() == "-" {
            output::answer(picture.trim_end());
        } else if let Err(error) = fs::write(file, picture) {
            output::message(&format!("{} cannot be written: {error}", file.display()));
            return ExitCode::from(2);
        } else {
            output::answer(&format!(
                "{}: {}",
                file.display(),
                counted(grouped.groups.len(), "box").replace("boxs", "boxes")
            ));
        }
        ExitCode::SUCCESS
    })
}

/// The operators of a group, the most frequent ones.
fn ops(group: &Group) -> String {
    let few: Vec<String> = group
        .ops
        .iter()
        .take(3)
        .map(|(op, n)| if *n == 1 { op.clone() } else { format!("{n} {op}") })
        .collect();
    let more = if group.ops.len() > 3 { ", …" } else { "" };
    format!("{}{more}", few.join(", "))
}

fn print(grouped: &Grouped) {
    let rows: Vec<Vec<String>> = grouped
        .groups
        .iter()
        .enumerate()
        .map(|(place, group)| {
            let to: Vec<String> = grouped
                .edges
                .iter()
                .filter(|(from, ..)| *from == place)
                .map(|(_, to, ..)| (to + 1).to_string())
                .collect();
            let to = if to.is_empty() { String::new() } else { format!("-> {}", to.join(", ")) };
            vec![(place + 1).to_string(), group.name.clone(), ops(group), to]
        })
        .collect();
    output::answer(&show::table(&rows));
}

fn json(grouped: &Grouped, file: &str) -> serde_json::Value {
    let groups: Vec<_> = grouped
        .groups
        .iter()
        .map(|group| {
            let ops: BTreeMap<&str, usize> =
                group.ops.iter().map(|(op, n)| (op.as_str(), *n)).collect();
            serde_json::json!({ "name": group.name, "nodes": group.nodes, "ops": ops })
        })
        .collect();
    let edges: Vec<_> = grouped
        .edges
        .iter()
        .map(|(from, to, shape, values)| {
            serde_json::json!({ "from": from, "to": to, "shape": shape, "values": values })
        })
        .collect();
    serde_json::json!({ "schema": "lozenge-graph/1", "file": file, "groups": groups, "edges": edges })
}

const WIDE: usize = 250;
const HIGH: usize = 44;
const ACROSS: usize = 40;
const DOWN: usize = 46;

/// A text that fits into a box.
fn cut(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    // The end tells names apart.
    let tail: String = text.chars().skip(count + 1 - most).collect();
    format!("…{tail}")
}

fn draw(grouped: &Grouped) -> String {
    let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, group) in grouped.groups.iter().enumerate() {
        layers.entry(group.layer).or_default().push(place);
    }
    let widest = layers.values().map(Vec::len).max().unwrap_or(1);
    let width = widest * (WIDE + ACROSS) + 2 * ACROSS;
    let height = layers.len() * (HIGH + DOWN) + DOWN;
    let mut at: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (row, (_, all)) in layers.iter().enumerate() {
        let own = all.len() * (WIDE + ACROSS) - ACROSS;
        for (place, group) in all.iter().enumerate() {
            let x = (width - own) / 2 + place * (WIDE + ACROSS);
            at.insert(*group, (x, DOWN / 2 + row * (HIGH + DOWN)));
        }
    }
    let arrow = Marker::new()
        .set("id", "end")
        .set("viewBox", "0 0 8 8")
        .set("refX", 7)
        .set("refY", 4)
        .set("markerWidth", 7)
        .set("markerHeight", 7)
        .set("orient", "auto")
        .add(Path::new().set("d", "M0,0 L8,4 L0,8 z").set("fill", "#667"));
    let mut document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", "sans-serif")
        .add(Rectangle::new().set("width", width).set("height", height).set("fill", "white"))
        .add(Definitions::new().add(arrow));
    for (from, to, shape, values) in &grouped.edges {
        let (Some((x, y)), Some((other, below))) = (at.get(from), at.get(to)) else { continue };
        let (x, y, other, below) = (x + WIDE / 2, y + HIGH, other + WIDE / 2, *below);
        let title =
            if *values == 1 { shape.clone() } else { format!("{shape} and {} more", values - 1) };
        let is_next = below > y && below - y <= DOWN;
        let edge = Path::new()
            .set(
                "d",
                format!(
                    "M{x},{y} C{x},{} {other},{} {other},{below}",
                    y + DOWN / 2,
                    below.saturating_sub(DOWN / 2)
                ),
            )
            .set("fill", "none")
            .set("stroke", if is_next { "#667" } else { "#aab" })
            .set("stroke-width", 1.2)
            .set("marker-end", "url(#end)");
        document = document.add(Drawn::new().add(Title::new(title)).add(edge));
        if is_next && x == other {
            let label = Text::new(cut(shape, 34)).set("x", x + 6).set("y", y + DOWN / 2 + 3);
            document = document.add(label.set("font-size", 10).set("fill", "#556"));
        }
    }
    for (place, group) in grouped.groups.iter().enumerate() {
        let Some((x, y)) = at.get(&place) else { continue };
        let is_end = group.nodes == 0;
        let frame = Rectangle::new()
            .set("x", *x)
            .set("y", *y)
            .set("width", WIDE)
            .set("height", HIGH)
            .set("rx", if is_end { 20 } else { 5 })
            .set("fill", if is_end { "#eef6ee" } else { "#eef2fb" })
            .set("stroke", "#889");
        let text = |line: String, down: usize, size: usize, colour: &str| {
            Text::new(line)
                .set("x", x + WIDE / 2)
                .set("y", y + down)
                .set("font-size", size)
                .set("text-anchor", "middle")
                .set("fill", colour.to_owned())
        };
        let mut drawn = Drawn::new().add(Title::new(group.name.clone())).add(frame);
        drawn = drawn.add(text(cut(&group.name, 36), if is_end { 27 } else { 19 }, 12, "#112"));
        if !is_end {
            drawn = drawn.add(text(cut(&ops(group), 42), 35, 10, "#556"));
        }
        document = document.add(drawn);
    }
    format!("{document}\n")
}
