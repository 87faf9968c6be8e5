//! Random drafts, valid by construction: sizes are chosen first, and shapes follow from them.

use std::collections::BTreeSet;

use super::draft::{Axis, Coefficient, Draft, KINDS, Name, Part, RowName, Slot, Window};
use crate::{Generator, border::Border};

/// A draft that is being drawn.
pub(super) struct Drawer<'a> {
    rng: &'a mut Generator,
    largest: u64,
    draft: Draft,
    /// Whether axes are of all kinds, or only of the output.
    kinds: bool,
    /// Names that any axis may take.
    common: usize,
}

impl Drawer<'_> {
    /// A draft whose names have at most this size.
    pub(super) fn draw(rng: &mut Generator, largest: u64) -> Draft {
        let mut draft = Drawer::draw_any(rng, largest);
        draft.fill();
        draft
    }

    fn draw_any(rng: &mut Generator, largest: u64) -> Draft {
        let common = rng.usize(2..=6);
        let operands = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4][rng.usize(..11)];
        let draft = Draft {
            sizes: vec![],
            rows: vec![],
            operands: vec![Slot::default(); operands],
            result: Slot::default(),
            tensors: (0..operands).collect(),
        };
        let kinds = rng.u8(..5) < 2;
        let mut drawer = Drawer { rng, largest, draft, kinds, common };
        for _ in 0..common {
            drawer.new_name();
        }
        for _ in 0..=KINDS {
            let rank = [0, 1, 1, 2][drawer.rng.usize(..4)];
            let row = (0..rank).map(|_| drawer.size()).collect();
            drawer.draft.rows.push(row);
        }
        if operands <= 2 && drawer.chance(20) {
            drawer.sliding();
            return drawer.draft;
        }
        if operands == 1 && drawer.chance(8) {
            drawer.permutation();
            return drawer.draft;
        }
        for place in 0..operands {
            drawer.operand(place);
        }
        drawer.result();
        if drawer.chance(25) {
            drawer.alternatives();
        }
        drawer.draft
    }

    /// All axes of an operand in another order.
    fn permutation(&mut self) {
        for name in 0..self.common.min(4) {
            self.put(0, Axis::Name(name));
            self.put(1, Axis::Name(name));
        }
    }

    /// A convolution, or a pool where there is only one operand.
    fn sliding(&mut self) {
        let result = self.draft.operands.len();
        for _ in 0..self.rng.u8(1..=2) {
            let mut window = self.window();
            (window.over, window.kernel) = (self.new_name(), self.new_name());
            self.put(result, Axis::Name(window.over));
            if result > 1 {
                self.put(1, Axis::Name(window.kernel));
            }
            self.put(0, Axis::Window(window));
        }
        // Axes that are kept, that are summed over, and that the kernel brings.
        let between: &[&[usize]] =
            if result > 1 { &[&[0, 2], &[0, 1], &[1, 2]] } else { &[&[0, 1], &[0]] };
        for places in between {
            if self.chance(50) {
                let name = self.new_name();
                for place in *places {
                    self.put(*place, Axis::Name(name));
                }
            }
        }
    }

    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    fn size(&mut self) -> u64 {
        if self.chance(12) { 1 } else { self.rng.u64(2..=self.largest) }
    }

    fn new_name(&mut self) -> Name {
        let size = self.size();
        self.draft.sizes.push(size);
        self.draft.sizes.len() - 1
    }

    fn name(&mut self) -> Name {
        self.rng.usize(..self.common)
    }

    fn two_names(&mut self) -> [Name; 2] {
        let first = self.name();
        [first, (first + self.rng.usize(1..self.common)) % self.common]
    }

    fn coefficient(&mut self, numbers: std::ops::RangeInclusive<u64>) -> Coefficient {
        let number = self.rng.u64(numbers);
        if self.chance(8) { Coefficient::Named(number) } else { Coefficient::Number(number) }
    }

    /// Puts an axis somewhere into a slot; behind the last operand, that is the result.
    fn put(&mut self, place: usize, axis: Axis) {
        let kind = if self.kinds { self.rng.usize(..KINDS) } else { KINDS - 1 };
        let slot = match self.draft.operands.get_mut(place) {
            Some(slot) => slot,
            None => &mut self.draft.result,
        };
        let row = &mut slot.rows[kind];
        let at = self.rng.usize(..=row.axes.len());
        row.axes.insert(at, axis);
        if let Some((_, before)) = &mut row.variable {
            *before += usize::from(at < *before);
        }
    }

    fn put_row(&mut self, place: usize, row: RowName) {
        let kind = match row {
            0..KINDS if self.kinds => row,
            0..KINDS => KINDS - 1,
            _ if self.kinds => self.rng.usize(..KINDS),
            _ => KINDS - 1,
        };
        let slot = match self.draft.operands.get_mut(place) {
            Some(slot) => slot,
            None => &mut self.draft.result,
        };
        let variable = if row < KINDS { kind } else { row };
        let row = &mut slot.rows[kind];
        row.variable = Some((variable, self.rng.usize(..=row.axes.len())));
    }

    fn operand(&mut self, place: usize) {
        // One tensor in two slots: the same axes, under names of the same sizes.
        if place > 0 && self.chance(18) {
            let first = self.rng.usize(..place);
            let slot = self.draft.operands[first].clone();
            self.draft.operands[place] = self.renamed(slot);
            self.draft.tensors[place] = self.draft.tensors[first];
            return;
        }
        let most = [4, 3, 2, 2][self.draft.operands.len() - 1];
        for _ in 0..self.rng.usize(usize::from(place == 0)..=most) {
            let axis = self.read();
            if let Axis::Window(window) = &axis {
                let kernel = window.kernel;
                let other = (place + 1) % self.draft.operands.len();
                // Where the kernel is an axis of another operand, this is a convolution.
                if other > place && self.chance(60) {
                    self.put(other, Axis::Name(kernel));
                }
            }
            self.put(place, axis);
        }
        if self.chance(20) {
            let row = self.rng.usize(..=KINDS);
            self.put_row(place, row);
        }
        // The last tensor has the next number that is free.
        let before = self.draft.tensors[..place].iter().max();
        self.draft.tensors[place] = before.map_or(0, |last| last + 1);
    }

    fn renamed(&mut self, mut slot: Slot) -> Slot {
        let mut to: Vec<Name> = (0..self.draft.sizes.len()).collect();
        for name in to.iter_mut().take(self.common) {
            let size = self.draft.sizes[*name];
            let same = |other: &Name| self.draft.sizes[*other] == size;
            let same: Vec<Name> = (0..self.common).filter(same).collect();
            if self.rng.bool() {
                *name = same[self.rng.usize(..same.len())];
            }
        }
        for axis in slot.rows.iter_mut().flat_map(|row| &mut row.axes) {
            match axis {
                Axis::Name(name) | Axis::Stride { over: name, .. } => *name = to[*name],
                Axis::Window(window) if to[window.over] != to[window.kernel] => {
                    (window.over, window.kernel) = (to[window.over], to[window.kernel]);
                }
                Axis::Window(_)
                | Axis::Concat(_)
                | Axis::Merged(_)
                | Axis::Fresh(_)
                | Axis::Fixed { .. }
                | Axis::Runtime(_) => {}
            }
        }
        slot
    }

    /// An axis of an operand.
    fn read(&mut self) -> Axis {
        match self.rng.u8(..100) {
            0..7 => {
                let size = self.size();
                Axis::Fixed { at: self.rng.u64(..size), size }
            }
            7..12 => {
                let known: Vec<Name> = (self.common..self.draft.sizes.len()).collect();
                match known.last() {
                    Some(index) if self.chance(30) => Axis::Runtime(*index),
                    _ => Axis::Runtime(self.new_name()),
                }
            }
            12..19 => self.stride(),
            19..33 => Axis::Window(self.window()),
            33..41 => self.merged(true),
            41..46 => Axis::Fresh(self.size()),
            46..50 => {
                let name = self.name();
                self.with_gaps(&[name])
            }
            _ => Axis::Name(self.name()),
        }
    }

    fn stride(&mut self) -> Axis {
        let over = self.name();
        self.stride_of(over)
    }

    fn stride_of(&mut self, over: Name) -> Axis {
        let least = if self.chance(10) { 1 } else { 2 };
        let stride = self.coefficient(least..=3);
        let loose = self.chance(40).then(|| self.rng.u64(..stride.number()));
        let offset = self.rng.u64(..stride.number() - loose.unwrap_or(0));
        Axis::Stride { stride, over, offset, loose }
    }

    fn window(&mut self) -> Window {
        let [over, kernel] = self.two_names();
        let stride = if self.chance(40) { 2..=3 } else { 1..=1 };
        let stride = self.coefficient(stride);
        let dilation = if self.chance(40) { 2..=3 } else { 1..=1 };
        let dilation = self.coefficient(dilation);
        let offset = if self.chance(60) { self.rng.u64(..stride.number()) } else { 0 };
        let mut border = Border::draw(self.rng, 3);
        if self.chance(60) {
            border.margins = [0; 2];
        }
        let rest = self.rng.u64(..stride.number());
        Window { stride, over, dilation, kernel, offset, border, rest }
    }

    /// Two or three factors, of which one may have no name.
    fn merged(&mut self, read: bool) -> Axis {
        let [first, second] = self.two_names();
        let second = (self.rng.u8(..3) > 0).then_some(second);
        self.merged_of(first, second, read)
    }

    fn merged_of(&mut self, first: Name, second: Option<Name>, read: bool) -> Axis {
        let mut parts = vec![Part::Name(first)];
        parts.extend(second.map(Part::Name));
        if second.is_none() || self.chance(10) {
            let size = self.size().min(3);
            // In a result nothing would say what `_` is.
            let fresh = read && self.chance(30);
            parts.push(if fresh { Part::Fresh(size) } else { Part::Size(size) });
        }
        self.rng.shuffle(&mut parts);
        Axis::Merged(parts)
    }

    /// A concatenation of these, with at least one gap.
    fn with_gaps(&mut self, names: &[Name]) -> Axis {
        let mut parts: Vec<Part> = names.iter().map(|name| Part::Name(*name)).collect();
        for _ in 0..self.rng.u8(1..=2) {
            let at = self.rng.usize(..=parts.len());
            parts.insert(at, Part::Size(self.rng.u64(1..=2)));
        }
        Axis::Concat(parts)
    }

    /// The axes of the result: most of what is read, and some of its own.
    fn result(&mut self) {
        let place = self.draft.operands.len();
        let read: BTreeSet<Name> = self.draft.operands.iter().flat_map(Slot::names).collect();
        let mut kept: Vec<Name> = read.into_iter().filter(|_| self.rng.u8(..100) < 65).collect();
        self.rng.shuffle(&mut kept);
        while let Some(name) = kept.pop() {
            let axis = match self.rng.u8(..100) {
                0..6 => self.stride_of(name),
                6..12 => {
                    self.put(place, Axis::Name(name));
                    Axis::Name(name)
                }
                12..24 => {
                    let second = if self.chance(70) { kept.pop() } else { None };
                    self.merged_of(name, second, false)
                }
                24..28 => self.with_gaps(&[name]),
                28..44 if !kept.is_empty() => {
                    let mut window = self.window();
                    (window.over, window.kernel) = (name, kept.swap_remove(0));
                    if self.chance(50) {
                        // What is written past the end is left out: rare, unless it is asked for.
                        window.stride = self.coefficient(2..=3);
                        window.offset = self.rng.u64(1..window.stride.number());
                        window.border = Border::VALID;
                    }
                    Axis::Window(window)
                }
                _ => Axis::Name(name),
            };
            self.put(place, axis);
        }
        if self.chance(12) {
            let at = self.rng.u64(..3);
            self.put(place, Axis::Fixed { at, size: at + 1 });
        }
        if self.chance(12) {
            let name = self.new_name();
            self.put(place, Axis::Name(name));
        }
        if self.chance(5) {
            self.put(place, Axis::Fresh(1));
        }
        let rows: BTreeSet<RowName> =
            self.draft.operands.iter().flat_map(Slot::variables).collect();
        for row in rows {
            // At most one row variable in a row: the last one put there stays.
            if self.chance(80) {
                self.put_row(place, row);
            }
        }
    }

    /// Two or three names that run one after another.
    fn alternatives(&mut self) {
        let place = self.draft.operands.len();
        let names: Vec<Name> = (0..self.rng.usize(2..=3)).map(|_| self.new_name()).collect();
        let parts: Vec<Part> = names.iter().map(|name| Part::Name(*name)).collect();
        // A tensor that is in two slots has the same axes in both.
        let apart = self.draft.tensors.iter().collect::<BTreeSet<_>>().len() == place;
        if place > 1 && apart && self.chance(65) {
            for (slot, name) in (0..place).zip(names.iter().cycle()) {
                self.put_alternative(slot, *name);
            }
            self.put_concat(place, &names);
            return;
        }
        if !apart {
            return;
        }
        match self.rng.u8(..4) {
            // Written whole, read in part or whole.
            0 => {
                for slot in 0..place {
                    self.put_alternative(slot, names[0]);
                }
                self.put_concat(place, &names);
            }
            // Read whole, written in part.
            1 | 2 => {
                for slot in 0..place {
                    if self.chance(70) || slot == 0 {
                        self.put_concat(slot, &names);
                    } else {
                        self.put_alternative(slot, names[1]);
                    }
                }
                let part = self.rng.usize(..names.len());
                self.put_alternative(place, names[part]);
            }
            // Read whole, and written whole or not at all.
            _ => {
                for slot in 0..place {
                    self.put(slot, Axis::Concat(parts.clone()));
                }
                if self.chance(70) {
                    let mut order = names.clone();
                    self.rng.shuffle(&mut order);
                    self.put_concat(place, &order);
                }
            }
        }
    }

    fn put_alternative(&mut self, place: usize, name: Name) {
        let axis = match self.rng.u8(..10) {
            0 => self.stride_of(name),
            1 => self.merged_of(name, None, false),
            _ => Axis::Name(name),
        };
        self.put(place, axis);
    }

    fn put_concat(&mut self, place: usize, names: &[Name]) {
        let parts = names.iter().map(|name| Part::Name(*name)).collect();
        let axis = if self.chance(25) { self.with_gaps(names) } else { Axis::Concat(parts) };
        self.put(place, axis);
    }
}
