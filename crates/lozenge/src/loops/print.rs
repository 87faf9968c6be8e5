//! A loop nest as pseudo-code.
//!
//! Loops that exclude each other stand one after another, with the rest of the nest in each. A point that
//! would read or write a margin is skipped by an `if`.

use std::{
    fmt::{self, Display, Formatter},
    ops::Range,
};

use lozenge_core::project::{Index, LoopId, Slot, Write};

use super::{IN_MEMORY, Kind, Loops};

/// A name that can be indexed: `operand 1` is `operand1`.
pub(super) fn indexable(name: &str) -> String {
    let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    match name.split_once(' ') {
        None if plain(name) => name.to_owned(),
        Some((word, number)) if plain(word) && number.parse::<u32>().is_ok() => {
            format!("{word}{number}")
        }
        _ => format!("({name})"),
    }
}

/// So many nests are written out; loops that exclude each other can make very many.
const MOST_NESTS: usize = 32;

/// A nest on its way to text.
struct Nests {
    /// By loop.
    running: Vec<bool>,
    /// How many were written.
    count: usize,
}

impl Loops {
    /// Which axes of the map of an occurrence are of a kind.
    pub fn axes(&self, slot: Slot, kind: Kind) -> Range<usize> {
        let shape = self.shape(slot);
        let before = IN_MEMORY.into_iter().take_while(|other| *other != kind);
        let first = before.map(|kind| shape.row(kind).len()).sum();
        first..first + shape.row(kind).len()
    }

    /// An occurrence as it is read or written, in the notation of shapes: `x[b | i -> o]`.
    pub fn access(&self, slot: Slot) -> String {
        self.indexed(slot, |axis| self.index(slot, axis))
    }

    fn indexed(&self, slot: Slot, index: impl Fn(usize) -> String) -> String {
        let rows = Kind::ALL.map(|kind| {
            let indices = self.axes(slot, kind).map(&index);
            indices.collect::<Vec<_>>().join(", ")
        });
        format!("{}[{}]", self.called(slot), crate::shape::in_kinds(rows))
    }

    fn nest(&self, f: &mut Formatter<'_>, factor: usize, nests: &mut Nests) -> fmt::Result {
        let Some(loops) = self.record.factors().nth(factor) else {
            nests.count += 1;
            return self.body(f, factor, nests);
        };
        for id in loops.map(LoopId) {
            nests.running[id.0 as usize] = true;
            if nests.count < MOST_NESTS && self.may_happen(factor + 1, &nests.running) {
                let (name, extent) = (self.name(id), self.extent(id));
                writeln!(f, "{:indent$}for {name} in 0..{extent}:", "", indent = 2 * factor)?;
                self.nest(f, factor + 1, nests)?;
            } else if nests.count == MOST_NESTS {
                nests.count += 1;
                writeln!(f, "… and so on, for every choice of parts")?;
            }
            nests.running[id.0 as usize] = false;
        }
        Ok(())
    }

    /// Whether the result and an operand may take part, with some of the loops chosen.
    fn may_happen(&self, factors: usize, running: &[bool]) -> bool {
        // With everything chosen that is not yet, an index needs nothing more.
        let mut all = running.to_vec();
        for factor in self.record.factors().skip(factors) {
            factor.for_each(|id| all[id as usize] = true);
        }
        let present = |slot: Slot| self.record.takes_part(slot, &all);
        present(Slot::RESULT) && self.record.operands().any(present)
    }

    fn body(&self, f: &mut Formatter<'_>, depth: usize, nests: &Nests) -> fmt::Result {
        let running = &nests.running[..];
        let present: Vec<Slot> =
            self.record.operands().filter(|slot| self.record.takes_part(*slot, running)).collect();
        let mut depth = depth;
        let conditions = self.conditions(&present);
        if !conditions.is_empty() {
            writeln!(f, "{:indent$}if {}:", "", conditions.join(" and "), indent = 2 * depth)?;
            depth += 1;
        }
        let initial = self.operation.initial().map(Slot::operand);
        let read = present.iter().filter(|slot| Some(**slot) != initial);
        let read: Vec<String> = read.map(|slot| self.written(*slot, running)).collect();
        let formula = match &read[..] {
            [alone] if self.record.operands().count() > 1 => alone.clone(),
            read => self.operation.formula(read),
        };
        let sign = match self.decision().write {
            Write::Store if initial.is_none() => "=",
            Write::Store | Write::Accumulate => "+=",
        };
        let result = self.written(Slot::RESULT, running);
        writeln!(f, "{:indent$}{result} {sign} {formula}", "", indent = 2 * depth)
    }

    /// An occurrence while certain loops run.
    fn written(&self, slot: Slot, running: &[bool]) -> String {
        let resolved = |axis: usize| match &self.record.map(slot)[axis].index {
            Index::Concat(parts) => {
                let part = parts.iter().find(|(id, _)| running[id.0 as usize]);
                part.map_or_else(String::new, |(id, begin)| self.part(*id, *begin))
            }
            _ => self.index(slot, axis),
        };
        self.indexed(slot, resolved)
    }

    /// The index of a part of a concatenation, as text: its loop, and where it begins.
    pub fn part(&self, id: LoopId, begin: u64) -> String {
        match begin {
            0 => self.name(id).to_owned(),
            begin => format!("{}+{begin}", self.name(id)),
        }
    }

    /// What must hold so that nothing is read or written in a margin.
    pub fn conditions(&self, present: &[Slot]) -> Vec<String> {
        let mut conditions = vec![];
        for slot in [Slot::RESULT].iter().chain(present) {
            for (number, axis) in self.record.map(*slot).iter().enumerate() {
                if axis.margin.is_none() {
                    continue;
                }
                let (index, size) = (self.index(*slot, number), self.words.named(axis.size));
                let condition = format!("0 <= {index} < {size}");
                if !conditions.contains(&condition) {
                    conditions.push(condition);
                }
            }
        }
        conditions
    }
}

impl Display for Loops {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let result = self.called(Slot::RESULT);
        match self.operation.initial().map(Slot::operand) {
            Some(initial) => writeln!(f, "{result} = {}", self.called(initial))?,
            None if self.decision().initialise => writeln!(f, "{result} = 0")?,
            None => {}
        }
        let running = vec![false; self.names.len()];
        self.nest(f, 0, &mut Nests { running, count: 0 })
    }
}
