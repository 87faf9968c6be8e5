//! A specification under construction: names with their sizes, and the axes of every slot.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::border::{Border, Ends, Slide};

/// A loop or a runtime index, by its place among the names.
pub(super) type Name = usize;

/// A row variable, by its place; the first three are those of `...`, by kind.
pub(super) type RowName = usize;

/// The number of row variables that `...` stands for, one for each kind of axes.
pub(super) const KINDS: usize = 3;

/// How the elements that are read at a point are combined.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    Multiply,
    Add,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Coefficient {
    Number(u64),
    /// A name for which the number is given.
    Named(u64),
}

impl Coefficient {
    pub(super) fn number(self) -> u64 {
        let (Coefficient::Number(number) | Coefficient::Named(number)) = self;
        number
    }
}

#[derive(Clone, Debug)]
pub(super) enum Axis {
    Name(Name),
    /// `_`, of this size.
    Fresh(u64),
    Fixed {
        at: u64,
        size: u64,
    },
    Runtime(Name),
    Stride {
        stride: Coefficient,
        over: Name,
        offset: u64,
        /// Where it is loose, what is missing of the last step.
        loose: Option<u64>,
    },
    Window(Window),
    Concat(Vec<Part>),
    Merged(Vec<Part>),
}

#[derive(Clone, Debug)]
pub(super) struct Window {
    pub(super) stride: Coefficient,
    pub(super) over: Name,
    pub(super) dilation: Coefficient,
    pub(super) kernel: Name,
    pub(super) offset: u64,
    pub(super) border: Border,
    /// What is left over, or missing.
    pub(super) rest: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Name(Name),
    /// A gap of a concatenation, a factor without a name of merged axes.
    Size(u64),
    /// `_` among merged axes.
    Fresh(u64),
}

#[derive(Clone, Default, Debug)]
pub(super) struct Row {
    pub(super) axes: Vec<Axis>,
    /// A row variable, and before which of the axes it stands.
    pub(super) variable: Option<(RowName, usize)>,
}

/// Batch, input, output.
#[derive(Clone, Default, Debug)]
pub(super) struct Slot {
    pub(super) rows: [Row; KINDS],
}

impl Slot {
    pub(super) fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.rows.iter().flat_map(|row| &row.axes)
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = RowName> {
        self.rows.iter().filter_map(|row| row.variable.map(|(name, _)| name))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = Name> {
        self.axes().flat_map(Axis::names)
    }
}

/// A specification with the sizes of everything in it.
#[derive(Debug)]
pub(super) struct Draft {
    /// The size of every name; of a runtime index, its range.
    pub(super) sizes: Vec<u64>,
    /// What every row variable takes.
    pub(super) rows: Vec<Vec<u64>>,
    pub(super) operands: Vec<Slot>,
    pub(super) result: Slot,
    /// Which tensor each operand is.
    pub(super) tensors: Vec<usize>,
}

impl Axis {
    /// The names that loop in it.
    pub(super) fn names(&self) -> Vec<Name> {
        match self {
            Axis::Name(name) | Axis::Stride { over: name, .. } => vec![*name],
            Axis::Window(window) => vec![window.over, window.kernel],
            Axis::Concat(parts) | Axis::Merged(parts) => {
                parts.iter().filter_map(|part| part.name()).collect()
            }
            Axis::Fresh(_) | Axis::Fixed { .. } | Axis::Runtime(_) => vec![],
        }
    }

    /// Whether something in it has no name, and so is nowhere else.
    pub(super) fn has_fresh(&self) -> bool {
        let is_fresh = |part: &Part| matches!(part, Part::Fresh(_) | Part::Size(_));
        match self {
            Axis::Fresh(_) => true,
            Axis::Merged(parts) => parts.iter().any(is_fresh),
            _ => false,
        }
    }

    pub(super) fn is_computed(&self) -> bool {
        matches!(self, Axis::Stride { .. } | Axis::Window(_) | Axis::Concat(_) | Axis::Merged(_))
    }
}

impl Part {
    pub(super) fn name(self) -> Option<Name> {
        match self {
            Part::Name(name) => Some(name),
            Part::Size(_) | Part::Fresh(_) => None,
        }
    }
}

impl Window {
    /// Whether the last window reaches past the end of its axis, whose size no offset changes.
    pub(super) fn is_past_end(&self) -> bool {
        let left_over = match self.border.ends {
            _ if self.border.margins != [0; 2] => return false,
            Ends::Valid | Ends::Begun => 0,
            Ends::Whole => self.rest,
            Ends::Padded | Ends::PaddedLoose => return false,
        };
        self.offset > left_over
    }

    /// The size of its axis, with these sizes of names; `None` where it cannot lie on one.
    pub(super) fn size(&self, sizes: &[u64]) -> Option<u64> {
        let slide = Slide {
            border: self.border,
            stride: self.stride.number(),
            dilation: self.dilation.number(),
            kernel: sizes[self.kernel],
        };
        slide.size(sizes[self.over], self.rest)
    }
}

impl Draft {
    pub(super) fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.operands.iter().chain([&self.result])
    }

    pub(super) fn size(&self, axis: &Axis) -> u64 {
        let part = |part: &Part| match part {
            Part::Name(name) => self.sizes[*name],
            Part::Size(size) | Part::Fresh(size) => *size,
        };
        match axis {
            Axis::Name(name) | Axis::Runtime(name) => self.sizes[*name],
            Axis::Fresh(size) | Axis::Fixed { size, .. } => *size,
            Axis::Stride { stride, over, loose, .. } => {
                stride.number() * self.sizes[*over] - loose.unwrap_or(0)
            }
            Axis::Window(window) => window.size(&self.sizes).unwrap_or(0), // which none is
            Axis::Concat(parts) => parts.iter().map(part).sum(),
            Axis::Merged(parts) => parts.iter().map(part).product(),
        }
    }

    /// Batch, input, output.
    pub(super) fn shape(&self, slot: &Slot) -> [Vec<u64>; KINDS] {
        slot.rows.each_ref().map(|row| {
            let mut sizes: Vec<u64> = row.axes.iter().map(|axis| self.size(axis)).collect();
            if let Some((name, at)) = row.variable {
                sizes.splice(at..at, self.rows[name].iter().copied());
            }
            sizes
        })
    }

    /// The number of elements of a slot.
    pub(super) fn elements(&self, slot: &Slot) -> u64 {
        self.shape(slot).iter().flatten().product()
    }

    /// The number of points of the loops, all alternatives of concatenations together.
    pub(super) fn points(&self) -> u64 {
        let groups = self.groups();
        let mut points: u64 =
            groups.iter().map(|group| group.iter().map(|n| self.sizes[*n]).sum::<u64>()).product();
        let names: BTreeSet<Name> = self.slots().flat_map(Slot::names).collect();
        for name in names.iter().filter(|name| !groups.iter().any(|g| g.contains(name))) {
            points *= self.sizes[*name];
        }
        let rows: BTreeSet<RowName> = self.slots().flat_map(Slot::variables).collect();
        points *= rows.iter().flat_map(|row| &self.rows[*row]).product::<u64>();
        for axis in self.slots().flat_map(Slot::axes) {
            match axis {
                Axis::Fresh(size) => points *= size,
                Axis::Merged(parts) => {
                    for part in parts {
                        if let Part::Size(size) | Part::Fresh(size) = part {
                            points *= size;
                        }
                    }
                }
                _ => {}
            }
        }
        points
    }

    /// Names that are in concatenations together, directly or by others: one of them runs at a
    /// time.
    pub(super) fn groups(&self) -> Vec<BTreeSet<Name>> {
        let mut groups: Vec<BTreeSet<Name>> = vec![];
        for axis in self.slots().flat_map(Slot::axes) {
            if let Axis::Concat(_) = axis {
                let mut group: BTreeSet<Name> = axis.names().into_iter().collect();
                groups.retain(|other| {
                    let apart = other.is_disjoint(&group);
                    if !apart {
                        group.extend(other);
                    }
                    apart
                });
                groups.push(group);
            }
        }
        groups
    }

    /// The parts of the product space whose result is written: which name of each group runs there,
    /// and which operands take part.
    pub(super) fn blocks(&self) -> Vec<(Vec<Name>, Vec<bool>)> {
        let groups = self.groups();
        let mut choices: Vec<Vec<Name>> = vec![vec![]];
        for group in &groups {
            let longer = |choice: &Vec<Name>| {
                let choice = choice.clone();
                group.iter().map(move |name| [&choice[..], &[*name]].concat())
            };
            choices = choices.iter().flat_map(longer).collect();
        }
        let there = |slot: &Slot, choice: &[Name]| {
            let runs =
                |name: &Name| choice.contains(name) || !groups.iter().any(|g| g.contains(name));
            slot.axes().all(|axis| match axis {
                Axis::Concat(_) => axis.names().iter().any(runs),
                _ => axis.names().iter().all(runs),
            })
        };
        let written = choices.into_iter().filter(|choice| there(&self.result, choice));
        let block = |choice: Vec<Name>| {
            let operands = self.operands.iter().map(|slot| there(slot, &choice)).collect();
            (choice, operands)
        };
        written.map(block).collect()
    }

    /// Which operands take part in each part of the product space whose result is written.
    pub(super) fn present(&self) -> Vec<Vec<bool>> {
        self.blocks().into_iter().map(|(_, there)| there).collect()
    }

    /// Whether all operands take part wherever something happens, or one does; and each somewhere.
    pub(super) fn is_meaningful(&self) -> bool {
        let present = self.present();
        let all = self.operands.len();
        let is_read = |operand: usize| present.iter().any(|there| there[operand]);
        let counts = present.iter().map(|there| there.iter().filter(|there| **there).count());
        let counts: Vec<usize> = counts.filter(|count| *count > 0).collect();
        (0..all).all(is_read)
            && !self.is_crossed()
            && (counts.iter().all(|count| *count == all) || counts.iter().all(|count| *count == 1))
    }

    /// Whether two concatenations of a slot are connected, and a part of each are in none together.
    fn is_crossed(&self) -> bool {
        let groups = self.groups();
        let parts = |slot: &Slot| -> Vec<Vec<Name>> {
            let concatenated = slot.axes().filter(|axis| matches!(axis, Axis::Concat(_)));
            concatenated.map(|axis| axis.names().into_iter().collect()).collect()
        };
        let slots = || self.operands.iter().chain([&self.result]);
        let all: Vec<Vec<Name>> = slots().flat_map(parts).collect();
        let strangers = |one: Name, other: Name| {
            groups.iter().any(|group| group.contains(&one) && group.contains(&other))
                && !all.iter().any(|parts| parts.contains(&one) && parts.contains(&other))
        };
        slots().any(|slot| {
            let of_slot = parts(slot);
            let names: Vec<(usize, Name)> = of_slot
                .iter()
                .enumerate()
                .flat_map(|(axis, parts)| parts.iter().map(move |name| (axis, *name)))
                .collect();
            let crosses = |(axis, one): &(usize, Name)| {
                names.iter().any(|(other, name)| other != axis && strangers(*one, *name))
            };
            names.iter().any(crosses)
        })
    }

    /// Has windows lie on their axes, and fill them where they are written.
    pub(super) fn fill(&mut self) {
        let (sizes, result) = (&self.sizes, self.operands.len());
        for (place, slot) in self.operands.iter_mut().chain([&mut self.result]).enumerate() {
            for axis in slot.rows.iter_mut().flat_map(|row| &mut row.axes) {
                match axis {
                    Axis::Window(window) => {
                        window.rest = if place == result { 0 } else { window.rest };
                        if window.size(sizes).is_none() {
                            window.border = Border::VALID;
                        }
                    }
                    Axis::Stride { stride, loose: Some(missing), .. } if place == result => {
                        *missing = stride.number() - 1;
                    }
                    _ => {}
                }
            }
        }
    }

    /// The names whose sizes follow from the shapes of the operands and those of the names given.
    pub(super) fn determined(&self, given: &BTreeSet<Name>) -> BTreeSet<Name> {
        let mut known = given.clone();
        loop {
            let before = known.len();
            for axis in self.operands.iter().flat_map(Slot::axes) {
                let names = axis.names();
                let unknown: Vec<Name> =
                    names.into_iter().filter(|name| !known.contains(name)).collect();
                match axis {
                    Axis::Runtime(name) => known.extend([*name]),
                    // A padded axis says nothing of the kernel.
                    Axis::Window(window) if window.border.is_padded() => {
                        known.extend([window.over]);
                    }
                    // Nor where something may be left over.
                    Axis::Window(Window { border, kernel, .. })
                        if border.ends != Ends::Valid && unknown.contains(kernel) => {}
                    Axis::Merged(parts) if parts.iter().any(|p| matches!(p, Part::Fresh(_))) => {}
                    _ if unknown.len() == 1 => known.extend(unknown),
                    _ => {}
                }
            }
            if known.len() == before {
                return known;
            }
        }
    }
}
