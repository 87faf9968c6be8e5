//! A loop nest as a picture: what is written above, the loops in the middle, what is read below. An
//! axis is joined to the loops that drive it, in their colours. A loop that is joined to no axis
//! above is summed.

use std::collections::BTreeMap;

use lozenge::{
    Kind,
    project::{LoopId, Slot},
};
use lozenge_lower::Nest;
use svg::{
    Document, Node,
    node::element::{Group, Line, Path, Rectangle, Style, Text, Title, path::Data},
};

/// Colours that people tell apart, also those who see no red or green; for more loops they come
/// again.
const COLOURS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#7f7f7f"];

const MARGIN: f64 = 28.0;
const AXIS_HEIGHT: f64 = 40.0;
const GAP: f64 = 10.0;
const BETWEEN: f64 = 44.0;
const LANE: f64 = 120.0;
const RADIUS: f64 = 20.0;

/// How wide a text is, about.
fn width(text: &str) -> f64 {
    8.2 * number(text.chars().count())
}

/// An axis of a tensor, placed.
struct Box {
    x: f64,
    width: f64,
    /// One for all its loops, or one for each.
    labels: Vec<String>,
    size: String,
    loops: Vec<LoopId>,
    /// Whether its index goes beyond it.
    is_left: bool,
}

/// A tensor, placed.
struct Placed {
    title: String,
    x: f64,
    width: f64,
    boxes: Vec<Box>,
    /// The signs between the kinds of axes, and where they are.
    marks: Vec<(f64, &'static str)>,
}

impl Box {
    /// The middle of one of `count` equal parts.
    fn middle_of(&self, place: usize, count: usize) -> f64 {
        self.x + self.width * (number(place) + 0.5) / number(count)
    }
}

impl Placed {
    fn shift(&mut self, by: f64) {
        self.x += by;
        self.boxes.iter_mut().for_each(|axis| axis.x += by);
        self.marks.iter_mut().for_each(|(x, _)| *x += by);
    }
}

/// A count, to compute places with.
fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

fn place(nest: &Nest, (name, slot): (&str, Slot), x: f64) -> Placed {
    let loops = nest.assignment();
    let mut at = x;
    let mut boxes = vec![];
    let mut marks = vec![];
    for (kind, sign) in [(Kind::Batch, "|"), (Kind::Input, "→"), (Kind::Output, "")] {
        for place in loops.axes(slot, kind) {
            let axis = &loops.record().map(slot)[place];
            let labels = nest.indices(&axis.index);
            let longest = labels.iter().map(|label| width(label) + 18.0).fold(0.0, f64::max);
            let count = number(labels.len());
            let size = loops.size(slot, place).to_string();
            let width = (longest * count).max(width(&size) + 22.0).max(46.0);
            let loops = axis.index.loops().collect();
            boxes.push(Box { x: at, width, labels, size, loops, is_left: axis.margin.is_some() });
            at += width + GAP;
        }
        if !loops.axes(slot, kind).is_empty() && !sign.is_empty() {
            marks.push((at + 4.0, sign));
            at += 2.0 * GAP;
        }
    }
    let title = format!("{name}  {}", loops.shape(slot));
    let width = (at - x - GAP).max(width(&title)).max(46.0);
    Placed { title, x, width, boxes, marks }
}

/// Half the width of a loop's node.
fn half(name: &str) -> f64 {
    (width(name) / 2.0 + 8.0).max(RADIUS)
}

fn colour(id: LoopId) -> &'static str {
    COLOURS[id.0 as usize % COLOURS.len()]
}

fn label(text: &str, x: f64, y: f64, class: &str) -> Text {
    Text::new(text).set("x", x).set("y", y).set("class", class)
}

/// The boxes of a tensor, its title on the outer side.
fn draw(placed: &Placed, top: f64, title_above: bool) -> Group {
    let mut group = Group::new();
    let title = if title_above { top - 24.0 } else { top + AXIS_HEIGHT + 38.0 };
    group.append(label(&placed.title, placed.x, title, "title"));
    if placed.boxes.is_empty() {
        group.append(label("one element", placed.x, top + 25.0, "size start"));
    }
    for (x, sign) in &placed.marks {
        group.append(label(sign, *x, top + 25.0, "size"));
    }
    for axis in &placed.boxes {
        let width = axis.width / number(axis.loops.len());
        for (place, id) in axis.loops.iter().enumerate() {
            let x = axis.x + number(place) * width;
            let stripe = Rectangle::new().set("x", x).set("y", top).set("width", width);
            group.append(
                stripe.set("height", AXIS_HEIGHT).set("fill", colour(*id)).set("fill-opacity", 0.3),
            );
        }
        let frame = Rectangle::new().set("x", axis.x).set("y", top).set("width", axis.width);
        let frame = frame.set("height", AXIS_HEIGHT).set("rx", 4).set("class", "axis");
        group.append(if axis.is_left { frame.set("stroke-dasharray", "4 3") } else { frame });
        for (place, text) in axis.labels.iter().enumerate() {
            group.append(label(
                text,
                axis.middle_of(place, axis.labels.len()),
                top + 25.0,
                "index",
            ));
        }
        let size = if title_above { top - 6.0 } else { top + AXIS_HEIGHT + 18.0 };
        group.append(label(&axis.size, axis.middle_of(0, 1), size, "size"));
    }
    group
}

/// The picture.
pub(super) fn svg(nest: &Nest) -> String {
    let loops = nest.assignment();
    let record = loops.record();
    let mut below: Vec<Placed> = vec![];
    let mut at = MARGIN;
    let mut read: Vec<(&str, Slot)> = vec![];
    for number in nest.reads() {
        let tensor = (loops.read_name(number), loops.read()[number]);
        if !read.contains(&tensor) {
            read.push(tensor);
        }
    }
    for tensor in read {
        let placed = place(nest, tensor, at);
        at += placed.width + BETWEEN;
        below.push(placed);
    }
    // A loop's name and its range stand beside each other.
    let range = |id: LoopId| format!("0..{}", loops.extent(id));
    let needed = |id: LoopId| 2.0 * half(loops.name(id)) + width(&range(id)) + 24.0;
    let lane = record.loops().map(|(id, _)| needed(id)).fold(LANE, f64::max);
    let lanes = number(record.loops().count()) * lane;
    let slot = loops.written().first().copied().unwrap_or(Slot::RESULT);
    let mut result = place(nest, (loops.written_name(0), slot), MARGIN);
    let operands = at - BETWEEN - MARGIN;
    let inner = operands.max(lanes).max(result.width);
    result.shift((inner - result.width) / 2.0);
    for placed in &mut below {
        placed.shift((inner - operands) / 2.0);
    }
    let (top, middle, bottom) = (56.0, 190.0, 284.0);
    // Where each loop is, from left to right as in the nest.
    let first = MARGIN + (inner - lanes) / 2.0 + LANE / 2.0;
    let widest = record.loops().next().map_or(0.0, |(id, _)| half(loops.name(id)));
    let first = first.max(MARGIN + widest);
    let centres: BTreeMap<LoopId, f64> =
        record.loops().map(|(id, _)| (id, first + f64::from(id.0) * lane)).collect();
    let mut joins = Group::new();
    let mut join = |axis: &Box, y: f64, towards: f64| {
        for (place, id) in axis.loops.iter().enumerate() {
            let x = axis.middle_of(place, axis.loops.len());
            let centre = centres[id];
            let half = f64::midpoint(y, towards);
            let data = Data::new()
                .move_to((x, y))
                .cubic_curve_to((x, half, centre, half, centre, towards));
            let path = Path::new().set("d", data).set("class", "join").set("stroke", colour(*id));
            joins.append(path);
        }
    };
    result.boxes.iter().for_each(|axis| join(axis, top + AXIS_HEIGHT, middle - RADIUS));
    for axis in below.iter().flat_map(|placed| &placed.boxes) {
        join(axis, bottom, middle + RADIUS);
    }
    let mut nodes = Group::new();
    let summed: Vec<LoopId> = nest.reductions();
    for (id, centre) in &centres {
        let half = half(loops.name(*id));
        let node = Rectangle::new().set("x", *centre - half).set("y", middle - RADIUS);
        let node = node.set("width", 2.0 * half).set("height", 2.0 * RADIUS).set("rx", RADIUS);
        nodes.append(node.set("stroke", colour(*id)).set("class", "loop"));
        nodes.append(label(loops.name(*id), *centre, middle + 5.0, "name"));
        nodes.append(label(&range(*id), *centre + half + 5.0, middle + 5.0, "size start"));
        if summed.contains(id) {
            nodes.append(label("Σ", *centre, middle - RADIUS - 8.0, "sum"));
        }
    }
    // Loops of one factor run one after another.
    for factor in record.factors() {
        for id in factor.clone().skip(1) {
            let (from, to) = (centres[&LoopId(id - 1)] + RADIUS, centres[&LoopId(id)] - RADIUS);
            let join = Line::new().set("x1", from).set("x2", to).set("y1", middle + 12.0);
            nodes.append(join.set("y2", middle + 12.0).set("class", "then"));
            nodes.append(label("then", f64::midpoint(from, to), middle + 26.0, "size"));
        }
    }
    let (wide, high) = (inner + 2.0 * MARGIN + 24.0, bottom + AXIS_HEIGHT + 56.0);
    let mut document = Document::new()
        .set("viewBox", (0, 0, wide.ceil(), high))
        .set("width", wide.ceil())
        .set("height", high)
        .add(Title::new(nest.to_string()))
        .add(Style::new(STYLE))
        .add(Rectangle::new().set("width", "100%").set("height", "100%").set("fill", "white"))
        .add(joins)
        .add(draw(&result, top, true))
        .add(nodes);
    for placed in &below {
        document = document.add(draw(placed, bottom, false));
    }
    document.to_string() + "\n"
}

const STYLE: &str = "
text { font: 14px ui-monospace, 'DejaVu Sans Mono', monospace; fill: #222; }
.title { font-weight: bold; }
.index, .name, .sum, .size { text-anchor: middle; }
.size { fill: #666; font-size: 12px; }
.start { text-anchor: start; }
.sum { font-size: 20px; }
.axis { fill: none; stroke: #444; }
.loop { fill: white; stroke-width: 3; }
.join { fill: none; stroke-width: 2.5; }
.then { stroke: #888; stroke-dasharray: 3 3; }
";
