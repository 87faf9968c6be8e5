//! Operations as their specifications say them, drawn, and spelled.

use std::fmt::Write;

use crate::{
    Generator,
    border::{Border, Ends, Slide},
};

/// What a specification says, with sizes for all its names.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// By name.
    pub(super) sizes: Vec<u64>,
    /// By runtime index, the size of its axis.
    pub(super) ranges: Vec<u64>,
    /// The axes of the result, then of the operands, in memory order.
    pub(super) slots: Vec<Vec<Axis>>,
    /// Of each slot, how many axes are of the batch, and how many of batch and output.
    kinds: Vec<[usize; 2]>,
}

#[derive(Clone, Debug)]
pub(super) enum Axis {
    Name(usize),
    Fresh(u64),
    Fixed {
        at: u64,
        size: u64,
    },
    Runtime(usize),
    /// Where it is loose, what is missing of the last step.
    Strided {
        stride: u32,
        over: usize,
        offset: u64,
        loose: Option<u64>,
    },
    Window(Window),
    Merged(Vec<Factor>),
    Concat(Vec<Factor>),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) stride: u32,
    pub(super) over: usize,
    pub(super) dilation: u32,
    pub(super) kernel: usize,
    pub(super) offset: u64,
    pub(super) border: Border,
    /// What is left over, or missing.
    pub(super) rest: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Factor {
    Name(usize),
    Size(u64),
}

const NAMES: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h"];
const INDICES: &[&str] = &["s", "t"];

/// No axis is larger, so that a cell's address fits in few bits.
const LARGEST: u64 = 60;

impl Model {
    /// One whose product space is small.
    pub(super) fn draw(rng: &mut Generator) -> Model {
        loop {
            let model = if rng.u8(..3) == 0 { concatenated(rng) } else { any(rng) };
            let points: u64 = model.sizes.iter().product();
            let fits = |axis: &Axis| (1..=LARGEST).contains(&model.size(axis));
            let axes: usize = model.slots.iter().map(Vec::len).sum();
            if points <= 1500 && axes <= 20 && model.slots.iter().flatten().all(fits) {
                return model;
            }
        }
    }

    pub(super) fn size(&self, axis: &Axis) -> u64 {
        let of = |factor: &Factor| match factor {
            Factor::Name(name) => self.sizes[*name],
            Factor::Size(size) => *size,
        };
        match axis {
            Axis::Name(name) => self.sizes[*name],
            Axis::Fresh(size) | Axis::Fixed { size, .. } => *size,
            Axis::Runtime(range) => self.ranges[*range],
            Axis::Strided { stride, over, loose, .. } => {
                u64::from(*stride) * self.sizes[*over] - loose.unwrap_or(0)
            }
            Axis::Window(window) => {
                let size = self.slide(window).size(self.sizes[window.over], window.rest);
                size.unwrap_or(0) // which is none
            }
            Axis::Merged(factors) => factors.iter().map(of).product(),
            Axis::Concat(parts) => parts.iter().map(of).sum(),
        }
    }

    pub(super) fn slide(&self, window: &Window) -> Slide {
        Slide {
            border: window.border,
            stride: window.stride.into(),
            dilation: window.dilation.into(),
            kernel: self.sizes[window.kernel],
        }
    }

    /// The number of a runtime index: its place among those of the text.
    pub(super) fn symbol(&self, range: usize) -> usize {
        let mut met = vec![];
        for slot in (1..self.slots.len()).chain([0]) {
            let (axes, [batch, output]) = (&self.slots[slot], self.kinds[slot]);
            // As they are written: batch, input, output.
            for axis in axes[..batch].iter().chain(&axes[output..]).chain(&axes[batch..output]) {
                if let Axis::Runtime(other) = axis {
                    met.push(*other);
                }
            }
        }
        // There are two.
        usize::from(met.first().is_some_and(|first| *first != range))
    }

    /// The specification.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (place, slot) in self.slots[1..].iter().enumerate() {
            text.push_str(if place > 0 { "; " } else { "" });
            text.push_str(&Model::slot(slot, self.kinds[place + 1], axis_text));
        }
        text.push_str(" => ");
        text.push_str(&Model::slot(&self.slots[0], self.kinds[0], axis_text));
        text
    }

    /// The shape of a slot.
    pub(super) fn shape(&self, slot: usize) -> String {
        Model::slot(&self.slots[slot], self.kinds[slot], |axis| self.size(axis).to_string())
    }

    fn slot(axes: &[Axis], kinds: [usize; 2], spell: impl Fn(&Axis) -> String) -> String {
        let [batch, output] = kinds;
        let row = |axes: &[Axis]| axes.iter().map(&spell).collect::<Vec<_>>().join(", ");
        format!("{}|{}->{}", row(&axes[..batch]), row(&axes[output..]), row(&axes[batch..output]))
    }

    /// The sizes of all names that are written.
    pub(super) fn numbers(&self) -> Vec<(&'static str, u64)> {
        let text = self.text();
        let is_written =
            |name: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
        let names = NAMES.iter().zip(&self.sizes).chain(INDICES.iter().zip(&self.ranges));
        names.filter(|(name, _)| is_written(name)).map(|(name, size)| (*name, *size)).collect()
    }
}

fn axis_text(axis: &Axis) -> String {
    let factor = |factor: &Factor| match factor {
        Factor::Name(name) => NAMES[*name].to_owned(),
        Factor::Size(size) => size.to_string(),
    };
    let times = |n: u32| if n == 1 { String::new() } else { format!("{n}*") };
    let mut text = String::new();
    match axis {
        Axis::Name(name) => text.push_str(NAMES[*name]),
        Axis::Fresh(_) => text.push('_'),
        Axis::Fixed { at, .. } => text.push_str(&at.to_string()),
        Axis::Runtime(range) => text.extend(["@", INDICES[*range]]),
        Axis::Strided { stride, over, offset, loose } => {
            let sign = if loose.is_some() { "~" } else { "" };
            let _ = write!(text, "{stride}*{}{sign}+{offset}", NAMES[*over]);
        }
        Axis::Window(Window { stride, over, dilation, kernel, offset, border, .. }) => {
            let _ = write!(text, "{}{}{}", times(*stride), NAMES[*over], border.text());
            let _ = write!(text, "+{offset}+{}{}", times(*dilation), NAMES[*kernel]);
        }
        Axis::Merged(factors) => {
            let factors = factors.iter().map(factor).collect::<Vec<_>>().join(" ");
            let _ = write!(text, "({factors})");
        }
        Axis::Concat(parts) => text = parts.iter().map(factor).collect::<Vec<_>>().join("^"),
    }
    text
}

fn sizes(rng: &mut Generator, count: usize) -> Vec<u64> {
    (0..count).map(|_| rng.u64(1..=5)).collect()
}

/// Any axes anywhere.
fn any(rng: &mut Generator) -> Model {
    let names = rng.usize(2..=5);
    let sizes = sizes(rng, names);
    let ranges = self::sizes(rng, 2);
    let slots: Vec<Vec<Axis>> = (0..2 + rng.usize(..3))
        .map(|_| (0..rng.usize(..=4)).map(|_| axis(rng, sizes.len())).collect())
        .collect();
    finish(rng, sizes, ranges, slots)
}

fn finish(rng: &mut Generator, sizes: Vec<u64>, ranges: Vec<u64>, slots: Vec<Vec<Axis>>) -> Model {
    let kinds = |slot: &Vec<Axis>| {
        let output = rng.usize(..=slot.len());
        [rng.usize(..=output), output]
    };
    let kinds = slots.iter().map(kinds).collect();
    Model { sizes, ranges, slots, kinds }
}

fn axis(rng: &mut Generator, names: usize) -> Axis {
    let name = |rng: &mut Generator| rng.usize(..names);
    match rng.u8(..20) {
        0 => Axis::Fresh(rng.u64(1..=4)),
        1 => {
            let at = rng.u64(..3);
            Axis::Fixed { at, size: at + rng.u64(1..=2) }
        }
        2 => Axis::Runtime(rng.usize(..2)),
        3 => {
            let stride = rng.u32(1..=3);
            let loose = rng.bool().then(|| rng.u64(..u64::from(stride)));
            Axis::Strided { stride, over: name(rng), offset: rng.u64(..u64::from(stride)), loose }
        }
        4 | 5 => {
            let over = name(rng);
            window(rng, over, names)
        }
        6 | 7 => Axis::Merged((0..rng.usize(2..=3)).map(|_| factor(rng, names, 4)).collect()),
        8 => {
            let mut parts: Vec<Factor> = vec![];
            let mut free: Vec<usize> = (0..names).collect();
            rng.shuffle(&mut free);
            for _ in 0..rng.usize(2..=3) {
                parts.push(match (rng.u8(..4), free.pop()) {
                    (0, _) | (_, None) => Factor::Size(rng.u64(1..=2)),
                    (_, Some(name)) => Factor::Name(name),
                });
            }
            Axis::Concat(parts)
        }
        _ => Axis::Name(name(rng)),
    }
}

fn window(rng: &mut Generator, over: usize, names: usize) -> Axis {
    let stride = rng.u32(1..=3);
    let kernel = rng.usize(..names);
    let offset = if rng.u8(..4) > 0 { rng.u64(..u64::from(stride)) } else { 0 };
    let border = match rng.u8(..4) {
        0 => Border::VALID,
        1 => Border { ends: Ends::Padded, ..Border::VALID },
        _ => Border::draw(rng, 3),
    };
    let (dilation, rest) = (rng.u32(1..=2), rng.u64(..u64::from(stride)));
    Axis::Window(Window { stride, over, dilation, kernel, offset, border, rest })
}

fn factor(rng: &mut Generator, names: usize, one_in: u8) -> Factor {
    match rng.u8(..one_in) {
        0 => Factor::Size(rng.u64(1..=3)),
        _ => Factor::Name(rng.usize(..names)),
    }
}

/// One or two concatenated axes whose parts the other side has apart, or concatenated too.
fn concatenated(rng: &mut Generator) -> Model {
    let (first, second) = (rng.usize(2..=3), if rng.u8(..3) == 0 { 2 } else { 0 });
    let others = rng.usize(..=2);
    let sizes = sizes(rng, first + second + others);
    let groups: Vec<Vec<usize>> = [0..first, first..first + second]
        .into_iter()
        .map(Iterator::collect::<Vec<usize>>)
        .filter(|group| !group.is_empty())
        .collect();
    let rest = |rng: &mut Generator| {
        let some = (first + second..sizes.len()).filter(|_| rng.u8(..3) > 0);
        some.map(Axis::Name).collect::<Vec<Axis>>()
    };
    let mut whole = rest(rng);
    for group in &groups {
        let at = rng.usize(..=whole.len());
        whole.insert(at, concat(rng, group));
    }
    let mut apart = vec![];
    for _ in 0..rng.usize(1..=4) {
        let mut slot = rest(rng);
        for group in &groups {
            let axis = match rng.u8(..8) {
                0 => concat(rng, group),
                1 => {
                    let over = group[rng.usize(..group.len())];
                    window(rng, over, sizes.len())
                }
                _ => Axis::Name(group[rng.usize(..group.len())]),
            };
            let at = rng.usize(..=slot.len());
            slot.insert(at, axis);
        }
        apart.push(slot);
    }
    if groups.len() == 1 && rng.bool() {
        // The usual one: each part once.
        let mut each: Vec<usize> = groups[0].clone();
        rng.shuffle(&mut each);
        apart = each
            .into_iter()
            .map(|part| {
                let mut slot = rest(rng);
                let at = rng.usize(..=slot.len());
                slot.insert(at, Axis::Name(part));
                slot
            })
            .collect();
    }
    let mut slots = vec![whole];
    if rng.u8(..3) == 0 {
        apart.truncate(1);
        slots.splice(0..0, apart); // a slice, or another concatenation
    } else {
        slots.extend(apart);
    }
    finish(rng, sizes, vec![1, 1], slots)
}

/// All parts of a group, or most, with gaps.
fn concat(rng: &mut Generator, group: &[usize]) -> Axis {
    let mut parts: Vec<Factor> = group.iter().map(|name| Factor::Name(*name)).collect();
    if rng.u8(..6) == 0 && parts.len() > 2 {
        parts.remove(rng.usize(..parts.len()));
    }
    if rng.u8(..6) == 0 {
        rng.shuffle(&mut parts);
    }
    if rng.u8(..3) == 0 {
        let at = rng.usize(..=parts.len());
        parts.insert(at, Factor::Size(rng.u64(1..=2)));
    }
    Axis::Concat(parts)
}
