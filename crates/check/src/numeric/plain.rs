//! The elements of a case by plain enumeration of the points of its draft.
//!
//! A scalar part other than a product or a sum is left to NumPy.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    case::{Case, Form},
    draft::{Axis, Coefficient, Combine, Draft, KINDS, Name, Part, RowName, Slot, Window},
};

/// A loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Loop {
    Name(Name),
    /// An axis of a row variable.
    Row(RowName, usize),
    /// A loop without a name, of this slot.
    Own(usize, usize),
}

/// A position on an axis, from the positions of loops.
enum Position {
    Sum {
        terms: Vec<(u64, Loop)>,
        offset: i64,
    },
    /// The parts that are loops, and where each begins.
    Concat(Vec<(Loop, i64)>),
}

/// The axes of a slot in the order of memory, each with its size.
type Axes = Vec<(Position, u64)>;

/// The elements of the result in the order of memory; `None` where only NumPy can say.
pub(super) fn elements(case: &Case) -> Option<Vec<f64>> {
    if case.form == Form::Reshape {
        return Some(case.values[0].iter().map(|value| f64::from(*value)).collect());
    }
    let (draft, indices) = case.draft.as_ref()?;
    let combine = case.combine?;
    let mut reading = Reading { draft, indices, sizes: BTreeMap::new() };
    let operands: Vec<Axes> =
        (0..).zip(&draft.operands).map(|(place, slot)| reading.slot(place, slot)).collect();
    let written = reading.slot(operands.len(), &draft.result);
    let (neutral, accumulate): (f64, fn(f64, f64) -> f64) = match case.accumulate {
        "max" => (f64::NEG_INFINITY, f64::max),
        "min" => (f64::INFINITY, f64::min),
        _ => (0.0, |sum, value| sum + value),
    };
    let mut result = vec![neutral; usize::try_from(draft.elements(&draft.result)).ok()?];
    let mut seen = BTreeSet::new();
    for (choice, there) in draft.blocks() {
        let there: Vec<usize> = (0..there.len()).filter(|operand| there[*operand]).collect();
        let groups = draft.groups();
        let runs = |of: &Loop| match of {
            Loop::Name(name) => choice.contains(name) || !groups.iter().any(|g| g.contains(name)),
            Loop::Row(..) | Loop::Own(..) => true,
        };
        let slots = there.iter().map(|operand| &operands[*operand]).chain([&written]);
        let loops: BTreeSet<Loop> = slots.flat_map(loops).filter(runs).collect();
        if there.is_empty() || !seen.insert(loops.clone()) {
            continue;
        }
        let loops: Vec<(Loop, u64)> = loops.iter().map(|of| (*of, reading.sizes[of])).collect();
        for point in 0..loops.iter().map(|(_, size)| size).product() {
            let at = positions(&loops, point);
            let Some(cell) = place(&written, &at) else { continue };
            let read: Option<Vec<f64>> = there
                .iter()
                .map(|operand| {
                    let values = &case.values[case.slots[*operand]];
                    Some(f64::from(values[place(&operands[*operand], &at)?]))
                })
                .collect();
            let Some(read) = read else { continue };
            let value = match combine {
                Combine::Multiply => read.iter().product(),
                Combine::Add => read.iter().sum(),
            };
            result[cell] = accumulate(result[cell], value);
        }
    }
    Some(result)
}

/// Reads a draft's axes.
struct Reading<'a> {
    draft: &'a Draft,
    indices: &'a BTreeMap<Name, u64>,
    /// The size of every loop.
    sizes: BTreeMap<Loop, u64>,
}

impl Reading<'_> {
    fn slot(&mut self, place: usize, slot: &Slot) -> Axes {
        // Batch, output, input.
        const MEMORY: [usize; KINDS] = [0, 2, 1];
        let mut axes = vec![];
        for row in MEMORY.map(|kind| &slot.rows[kind]) {
            let mut of_row: Axes = vec![];
            for axis in &row.axes {
                of_row.push((self.axis(place, axis), self.draft.size(axis)));
            }
            if let Some((name, at)) = row.variable {
                let sizes = self.draft.rows[name].iter().enumerate();
                let of_variable: Axes = sizes
                    .map(|(number, size)| {
                        self.sizes.insert(Loop::Row(name, number), *size);
                        (once(Loop::Row(name, number)), *size)
                    })
                    .collect();
                of_row.splice(at..at, of_variable);
            }
            axes.extend(of_row);
        }
        axes
    }

    fn axis(&mut self, place: usize, axis: &Axis) -> Position {
        match axis {
            Axis::Name(name) => once(self.name(*name)),
            Axis::Fresh(size) => once(self.own(place, *size)),
            Axis::Fixed { at, .. } => Position::Sum { terms: vec![], offset: signed(*at) },
            Axis::Runtime(name) => {
                Position::Sum { terms: vec![], offset: signed(self.indices[name]) }
            }
            Axis::Stride { stride, over, offset, .. } => Position::Sum {
                terms: vec![(stride.number(), self.name(*over))],
                offset: signed(*offset),
            },
            Axis::Window(window) => self.window(window),
            Axis::Merged(parts) => {
                let mut terms: Vec<(u64, Loop)> = vec![];
                for part in parts {
                    let (of, size) = match part {
                        Part::Name(name) => (self.name(*name), self.draft.sizes[*name]),
                        Part::Size(size) | Part::Fresh(size) => (self.own(place, *size), *size),
                    };
                    for (times, _) in &mut terms {
                        *times *= size;
                    }
                    terms.push((1, of));
                }
                Position::Sum { terms, offset: 0 }
            }
            Axis::Concat(parts) => {
                let (mut begin, mut found) = (0, vec![]);
                for part in parts {
                    match part {
                        Part::Name(name) => {
                            found.push((self.name(*name), signed(begin)));
                            begin += self.draft.sizes[*name];
                        }
                        Part::Size(size) | Part::Fresh(size) => begin += size,
                    }
                }
                Position::Concat(found)
            }
        }
    }

    fn window(&mut self, window: &Window) -> Position {
        let [stride, dilation] = [window.stride, window.dilation].map(Coefficient::number);
        let before = if window.border.is_padded() {
            signed(dilation * (self.draft.sizes[window.kernel] - 1) / 2)
        } else {
            i64::from(window.border.margins[0])
        };
        Position::Sum {
            terms: vec![(stride, self.name(window.over)), (dilation, self.name(window.kernel))],
            offset: signed(window.offset) - before,
        }
    }

    fn name(&mut self, name: Name) -> Loop {
        self.sizes.insert(Loop::Name(name), self.draft.sizes[name]);
        Loop::Name(name)
    }

    fn own(&mut self, place: usize, size: u64) -> Loop {
        let number = self.sizes.len();
        self.sizes.insert(Loop::Own(place, number), size);
        Loop::Own(place, number)
    }
}

fn once(of: Loop) -> Position {
    Position::Sum { terms: vec![(1, of)], offset: 0 }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The loops of a slot.
fn loops(axes: &Axes) -> Vec<Loop> {
    let of = |(position, _): &(Position, u64)| match position {
        Position::Sum { terms, .. } => terms.iter().map(|(_, of)| *of).collect::<Vec<_>>(),
        Position::Concat(parts) => parts.iter().map(|(of, _)| *of).collect(),
    };
    axes.iter().flat_map(of).collect()
}

/// The position of every loop at a point, counted with the first loop fastest.
fn positions(loops: &[(Loop, u64)], mut point: u64) -> BTreeMap<Loop, i64> {
    let mut at = BTreeMap::new();
    for (of, size) in loops {
        at.insert(*of, signed(point % size));
        point /= size;
    }
    at
}

/// The place of an element in memory; `None` outside of the axes.
fn place(axes: &Axes, at: &BTreeMap<Loop, i64>) -> Option<usize> {
    let mut flat = 0;
    for (position, size) in axes {
        let position = match position {
            Position::Sum { terms, offset } => {
                let term = |(times, of): &(u64, Loop)| signed(*times) * at[of];
                terms.iter().map(term).sum::<i64>() + offset
            }
            Position::Concat(parts) => {
                parts.iter().find_map(|(of, begin)| Some(at.get(of)? + begin))?
            }
        };
        if !(0..signed(*size)).contains(&position) {
            return None;
        }
        flat = flat * signed(*size) + position;
    }
    usize::try_from(flat).ok()
}
