//! A loop nest as pseudo-code.
//!
//! Loops that exclude each other stand one after another, with the rest of the nest in each. A point that
//! would read or write a margin is skipped by an `if`.

use std::{
    fmt::{self, Display, Formatter},
    ops::Range,
};

use lozenge_core::project::{Index, LoopId, Margin, Slot, Write};

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

    /// What is done at a point while certain loops run.
    fn body(&self, f: &mut Formatter<'_>, running: &[bool]) -> fmt::Result {
        let present: Vec<Slot> =
            self.record.operands().filter(|slot| self.record.takes_part(*slot, running)).collect();
        let mut depth = running.iter().filter(|runs| **runs).count();
        let conditions = self.conditions(&present);
        if !conditions.is_empty() {
            writeln!(f, "{:indent$}if {}:", "", conditions.join(" and "), indent = 2 * depth)?;
            depth += 1;
        }
        let read = present.iter().filter(|slot| Some(**slot) != self.initial);
        let read: Vec<String> = read.map(|slot| self.written(*slot, running)).collect();
        let formula = match &read[..] {
            [alone] if self.record.operands().count() > 1 => alone.clone(),
            read => self.operation.formula(read),
        };
        let sign = match self.decision().write {
            Write::Store if self.initial.is_none() => "=",
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
                let Some(Margin { left, right }) = axis.margin else { continue };
                let (index, size) = (self.index(*slot, number), self.words.named(axis.size));
                // An end that the index never passes needs no condition.
                let condition = match (left, right) {
                    (_, 0) => format!("0 <= {index}"),
                    (0, _) => format!("{index} < {size}"),
                    (_, _) => format!("0 <= {index} < {size}"),
                };
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
        match self.initial {
            Some(initial) => writeln!(f, "{result} = {}", self.called(initial))?,
            None if self.decision().initialise => writeln!(f, "{result} = 0")?,
            None => {}
        }
        // Choices that begin with the same loops share them.
        let mut around: Vec<LoopId> = vec![];
        for (number, running) in self.record.choices().enumerate() {
            if number == MOST_NESTS {
                return writeln!(f, "… and so on, for every choice of parts");
            }
            let loops = self.record.loops().map(|(id, _)| id);
            let loops: Vec<LoopId> = loops.filter(|id| running[id.0 as usize]).collect();
            let same = around.iter().zip(&loops).take_while(|(before, id)| before == id).count();
            for (depth, id) in loops.iter().enumerate().skip(same) {
                let (name, extent) = (self.name(*id), self.extent(*id));
                writeln!(f, "{:indent$}for {name} in 0..{extent}:", "", indent = 2 * depth)?;
            }
            self.body(f, &running)?;
            around = loops;
        }
        Ok(())
    }
}
