//! A loop nest as pseudo-code.
//!
//! Loops that exclude each other stand one after another, with the rest of the nest in each. A
//! point that would read or write a margin is skipped by an `if`.

use std::fmt::{self, Display, Formatter};

use lozenge::{
    Accumulation, Expression, Kind, Shape,
    project::{Concat, Index, LoopId, Margin, Offset, Slot, Term},
};

use crate::nest::{Access, Block, Guard, Nest, Store};

/// The most blocks that are written out; loops that exclude each other can make very many.
const MOST_BLOCKS: usize = 32;

impl Nest {
    /// An index as text.
    pub fn index(&self, index: &Index) -> String {
        index.display(&|term| self.term(term)).to_string()
    }

    fn term(&self, term: Term) -> String {
        match term {
            Term::Loop(id) => self.assignment().name(id).to_owned(),
            Term::Symbol(id) => {
                let name = self.assignment().indices().get(id.0 as usize);
                name.map_or_else(|| format!("@{}", id.0), |name| format!("@{name}"))
            }
            Term::Size(size) => self.assignment().named(size).to_string(),
        }
    }

    /// The indices of an axis as text: of a concatenation, those of its parts.
    pub fn indices(&self, index: &Index) -> Vec<String> {
        let Index::Concat(Concat { parts, .. }) = index else { return vec![self.index(index)] };
        let part = |(id, offset): &(LoopId, Offset)| {
            let index = offset.index(*id);
            index
                .map_or_else(|_| self.assignment().name(*id).to_owned(), |index| self.index(&index))
        };
        parts.iter().map(part).collect()
    }

    /// An occurrence with the indices at which it is read or written, in the notation of shapes:
    /// `x[b | i -> o]`.
    pub fn access(&self, slot: Slot) -> String {
        let indices = self.assignment().record().map(slot).iter().map(|axis| axis.index.clone());
        self.accessed(&Access { slot, indices: indices.collect() })
    }

    /// An access of a block, as text.
    pub fn accessed(&self, access: &Access) -> String {
        self.indexed(self.assignment().display_name(access.slot), access)
    }

    /// A tensor of this name at the indices of an access.
    fn indexed(&self, name: &str, access: &Access) -> String {
        let assignment = self.assignment();
        let rows = Kind::ALL.map(|kind| {
            let axes = assignment.axes(access.slot, kind);
            let indices = axes.map(|axis| self.index(&access.indices[axis]));
            indices.collect::<Vec<_>>().join(", ")
        });
        format!("{name}[{}]", Shape::of_written(rows))
    }

    /// A guard as a condition.
    pub fn condition(&self, guard: &Guard) -> String {
        let (index, size) =
            (self.index(&guard.index), self.assignment().size(guard.slot, guard.axis));
        // An end that the index never passes needs no condition.
        match guard.margin {
            Margin { right: 0, .. } => format!("0 <= {index}"),
            Margin { left: 0, .. } => format!("{index} < {size}"),
            Margin { .. } => format!("0 <= {index} < {size}"),
        }
    }

    /// The conditions of a block, each once.
    pub fn conditions(&self, block: &Block) -> Vec<String> {
        let mut conditions: Vec<String> = vec![];
        for condition in block.guards.iter().map(|guard| self.condition(guard)) {
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        conditions
    }

    /// A statement as text: `c[i] += a[i, j]`.
    pub fn statement(&self, block: &Block, store: &Store) -> String {
        let assignment = self.assignment();
        let cell = self.indexed(self.written_name(store.to.slot), &store.to);
        let read = |number: usize| {
            let access = block.reads.get(number).and_then(Option::as_ref);
            let named = |access| self.indexed(assignment.read_name(number), access);
            access.map_or_else(|| format!("x{number}"), named)
        };
        let Some(by) = store.by else {
            return format!("{cell} = {}", store.value.display(&read));
        };
        let sign = match by {
            Accumulation::Add => "+=",
            Accumulation::Subtract => "-=",
            Accumulation::Multiply => "*=",
            Accumulation::Divide => "/=",
            _ => {
                // The cell is what no element is.
                let own = block.reads.len();
                let joined = Expression::read(own).binary(by.step(), store.value.clone());
                let names = |number: usize| if number == own { cell.clone() } else { read(number) };
                return format!("{cell} = {}", joined.display(&names));
            }
        };
        format!("{cell} {sign} {}", store.value.display(&read))
    }

    /// The name of what is written at a slot.
    fn written_name(&self, slot: Slot) -> &str {
        let assignment = self.assignment();
        let number = assignment.written().iter().position(|written| *written == slot);
        number
            .map_or_else(|| assignment.display_name(slot), |number| assignment.written_name(number))
    }

    fn write_blocks(
        &self,
        f: &mut Formatter<'_>,
        blocks: impl Iterator<Item = Block>,
    ) -> fmt::Result {
        // Blocks that begin with the same loops share them.
        let mut around: Vec<LoopId> = vec![];
        for (number, block) in blocks.enumerate() {
            if number == MOST_BLOCKS {
                return writeln!(f, "… and so on, for every choice of parts");
            }
            let loops = &block.loops;
            let same = around.iter().zip(loops).take_while(|(before, id)| before == id).count();
            for (depth, id) in loops.iter().enumerate().skip(same) {
                let (name, extent) = (self.assignment().name(*id), self.assignment().extent(*id));
                writeln!(f, "{:indent$}for {name} in 0..{extent}:", "", indent = 2 * depth)?;
            }
            let mut depth = loops.len();
            let conditions = self.conditions(&block);
            if !conditions.is_empty() {
                let indent = 2 * depth;
                writeln!(f, "{:indent$}if {}:", "", conditions.join(" and "))?;
                depth += 1;
            }
            for store in &block.stores {
                let indent = 2 * depth;
                writeln!(f, "{:indent$}{}", "", self.statement(&block, store))?;
            }
            around = block.loops;
        }
        Ok(())
    }
}

impl Display for Nest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for slot in self.fills() {
            let neutral = self.assignment().accumulation().neutral();
            writeln!(f, "{} = {neutral}", self.written_name(slot))?;
        }
        self.write_blocks(f, self.beginning())?;
        self.write_blocks(f, self.blocks())
    }
}
