//! How much a loop nest does: points, elements read and written.

use std::{
    collections::BTreeMap,
    fmt::{self, Display, Formatter},
    sync::Arc,
};

use lozenge::{
    Assignment, Product, Size,
    project::{Budget, Extent, Index, LoopId, Slot},
};

use crate::nest::Nest;

/// What a loop nest does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traffic {
    /// The number of points of the product space at which something happens.
    pub points: Amount,
    /// The number of elements that are read of each operand, each counted once.
    pub read: Vec<Amount>,
    /// How many elements of the result are written, each counted once; those that are only set to
    /// the neutral element too.
    pub written: Amount,
}

/// An amount of elements or points: a number, or a sum of products where sizes stay symbolic; an
/// upper bound, where counting would take too long.
///
/// Displayed as in `at most 1,200·n + 6`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The numbers, by the sizes they multiply. `None` is beyond all counting.
    terms: Option<BTreeMap<Vec<Arc<str>>, u128>>,
    is_exact: bool,
}

impl Amount {
    /// The product of sizes of an assignment's record.
    fn product<S>(assignment: &Assignment, sizes: S) -> Amount
    where
        S: Iterator<Item = Extent> + Clone,
    {
        if let Some(products) = assignment.product(sizes.clone()) {
            let named = |(number, mut names): Product| {
                names.sort_unstable();
                (names, number.into())
            };
            let terms = Some(products.into_iter().map(named).collect());
            return Amount { terms, is_exact: true };
        }
        let (mut names, mut count) = (vec![], Some(1_u128));
        for size in sizes {
            match assignment.named(size) {
                Size::Number(n) => {
                    count = count.and_then(|count| count.checked_mul(n.into()));
                }
                Size::Named(name) => names.push(name),
                size => names.push(size.to_string().into()),
            }
        }
        names.sort_unstable();
        let terms = count.map(|count| BTreeMap::from([(names, count)]));
        Amount { is_exact: terms.is_some(), terms }
    }

    /// The number, if it is exactly that.
    pub fn exactly(&self) -> Option<u128> {
        self.at_most().filter(|_| self.is_exact)
    }

    /// A number that it does not exceed, where no size in it stays symbolic.
    pub fn at_most(&self) -> Option<u128> {
        let terms = self.terms.as_ref()?;
        match terms.iter().next() {
            None => Some(0),
            Some((names, count)) if names.is_empty() && terms.len() == 1 => Some(*count),
            Some(_) => None,
        }
    }

    /// The amount where sizes have these numbers, by how they are written: `batch`, `n/2`. `None`
    /// where one has none.
    #[must_use]
    pub fn at(&self, number: impl Fn(&str) -> Option<u64>) -> Option<Amount> {
        let mut sum = Amount { is_exact: self.is_exact, ..Amount::from(0) };
        for (names, count) in self.terms.as_ref()? {
            let product = names
                .iter()
                .try_fold(*count, |product, name| product.checked_mul(number(name)?.into()));
            sum = sum.plus(&Amount::from(product?));
        }
        Some(sum)
    }

    /// Whether it is exactly that, and not less.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The sum of two amounts.
    #[must_use]
    pub fn plus(mut self, other: &Amount) -> Amount {
        self.is_exact &= other.is_exact;
        self.terms = self.terms.zip(other.terms.as_ref()).and_then(|(mut terms, more)| {
            terms.retain(|_, count| *count > 0);
            for (names, count) in more.iter().filter(|(_, count)| **count > 0) {
                let sum = terms.entry(names.clone()).or_default();
                *sum = sum.checked_add(*count)?;
            }
            Some(terms)
        });
        self.is_exact &= self.terms.is_some();
        self
    }

    /// The amount multiplied by a factor.
    #[must_use]
    pub fn times(mut self, factor: u128) -> Amount {
        if let Some(terms) = &mut self.terms {
            let mut counts = terms.values_mut();
            if !counts.all(|count| count.checked_mul(factor).map(|more| *count = more).is_some()) {
                self.terms = None;
            }
        }
        self.is_exact &= self.terms.is_some();
        self
    }

    /// An amount with this one as its upper bound.
    #[must_use]
    fn or_less(mut self) -> Amount {
        self.is_exact = false;
        self
    }
}

impl Display for Amount {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(terms) = &self.terms else { return f.write_str("countless") };
        if !self.is_exact {
            f.write_str("at most ")?;
        }
        if terms.is_empty() {
            return f.write_str("0");
        }
        // The longest products first, numbers last.
        let mut terms: Vec<_> = terms.iter().collect();
        terms.sort_by_key(|(names, _)| std::cmp::Reverse(names.len()));
        for (place, (names, count)) in terms.into_iter().enumerate() {
            let is_one = |name: &str| !name.contains(['+', '-', '/']);
            let factor = |name: &Arc<str>| {
                if is_one(name) { name.to_string() } else { format!("({name})") }
            };
            let factors = names.iter().map(factor);
            let number = (*count != 1 || names.is_empty()).then(|| grouped(*count));
            let factors: Vec<String> = number.into_iter().chain(factors).collect();
            let sign = if place > 0 { " + " } else { "" };
            write!(f, "{sign}{}", factors.join("·"))?;
        }
        Ok(())
    }
}

/// A number with commas between thousands.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The most blocks that are looked at one by one.
const MOST_BLOCKS: usize = 2048;

impl From<u128> for Amount {
    fn from(count: u128) -> Amount {
        Amount { terms: Some(BTreeMap::from([(vec![], count)])), is_exact: true }
    }
}

impl Traffic {
    /// How many elements of all operands are read.
    pub fn all_read(&self) -> Amount {
        self.read.iter().fold(Amount::from(0), Amount::plus)
    }
}

impl Nest {
    /// How much the loop nest does.
    pub fn traffic(&self) -> Traffic {
        let record = self.assignment().record();
        let coverages = record.coverages(Budget::default());
        let (assignment, decision) = (self.assignment(), self.decision());
        // Where a part of a concatenation is written, what the others read is not read.
        let mut choices = record.choices().take(MOST_BLOCKS);
        let is_written = |running: &[bool]| {
            assignment.written().iter().any(|slot| record.takes_part(*slot, running))
        };
        let is_everywhere = choices.all(|running| is_written(&running));
        let counted = |slot: Slot| match coverages[slot.0].cells.filter(|_| is_everywhere) {
            Some(cells) => cells.into(),
            None => self.reached(slot),
        };
        let written = |slot: &Slot| {
            if decision.initialise { self.elements(*slot) } else { counted(*slot) }
        };
        let written = assignment.written().iter().map(written);
        let points = match self.coverage().points {
            Some(points) => points.into(),
            None => self.points(),
        };
        Traffic {
            points,
            read: assignment.read().iter().map(|slot| counted(*slot)).collect(),
            written: written.fold(Amount::from(0), |sum, more| sum.plus(&more)),
        }
    }

    /// How many elements an occurrence has.
    fn elements(&self, slot: Slot) -> Amount {
        let axes = self.assignment().record().map(slot);
        Amount::product(self.assignment(), axes.iter().map(|axis| axis.size))
    }

    /// At how many points something happens, by the extents of the loops.
    fn points(&self) -> Amount {
        let loops: Vec<Vec<LoopId>> =
            self.blocks().take(MOST_BLOCKS + 1).map(|block| block.loops).collect();
        if loops.len() > MOST_BLOCKS {
            return Amount { terms: None, is_exact: false };
        }
        let all = self.sum(loops);
        // What is skipped is not counted.
        if self.assignment().record().is_padded() { all.or_less() } else { all }
    }

    /// How many elements of an occurrence are read or written, by the loops that it mentions.
    fn reached(&self, slot: Slot) -> Amount {
        let record = self.assignment().record();
        let axes = record.map(slot);
        let is_plain = |index: &Index| match index {
            Index::Iter(_)
            | Index::Fix(_)
            | Index::Symbol(_)
            | Index::Concat(_)
            | Index::Merged(_) => true,
            Index::Affine(_) => index.loops().count() <= 1,
            Index::Digit(_) => false,
        };
        let all = self.elements(slot);
        let mut mentioned: Vec<Vec<LoopId>> = vec![];
        for (number, block) in self.blocks().enumerate() {
            if number == MOST_BLOCKS {
                return all.or_less();
            }
            let read = block.reads.iter().flatten();
            let accesses = read.chain(block.stores.iter().map(|store| &store.to));
            for access in accesses.filter(|access| access.slot == slot) {
                let mut loops: Vec<LoopId> = access.indices.iter().flat_map(Index::loops).collect();
                loops.sort_unstable();
                loops.dedup();
                mentioned.push(loops);
            }
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        let found = self.sum(mentioned);
        // Indices of one loop each tell the points apart.
        if !record.is_padded() && axes.iter().all(|axis| is_plain(&axis.index)) {
            return found;
        }
        match (found.at_most(), all.at_most()) {
            (Some(found), Some(all)) => Amount::from(found.min(all)).or_less(),
            (Some(_), None) => found.or_less(),
            (None, _) => all.or_less(),
        }
    }

    fn sum(&self, choices: impl IntoIterator<Item = Vec<LoopId>>) -> Amount {
        choices.into_iter().fold(Amount::from(0), |sum, loops| {
            let extents = loops.iter().map(|id| self.assignment().record().extent(*id));
            sum.plus(&Amount::product(self.assignment(), extents))
        })
    }
}
