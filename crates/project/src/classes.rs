//! The first stratum: union-find with sizes, pins and iterate marks.
//!
//! Nothing is chosen here. The partition is the least equivalence that contains the equations, the
//! pins and marks are lifted to it, and the representative of a class is its least identifier; so
//! the order of the equations does not matter, and there is nothing to name but the loops.

use lozenge_calculus::{size::Size, union_find::UnionFind};

use super::{
    NoLoops,
    equation::{AxisId, Equation, IndexTerm, Supplied},
};

/// The classes of axes that share an index.
#[derive(Clone, Debug)]
pub struct Classes {
    partition: UnionFind<Known>,
}

/// The size, the pin and the iterate mark of a class.
#[derive(Clone, Debug)]
struct Known {
    is_iterated: bool,
    size: Size,
    pin: Option<Supplied>,
}

impl Classes {
    /// Solves equations over identifiers of these sizes.
    ///
    /// # Errors
    /// If and only if a class has two sizes, a class has two pins, or two supplied indices
    /// disagree.
    pub fn solve<'a>(
        sizes: &[Size],
        equations: impl IntoIterator<Item = &'a Equation>,
    ) -> Result<Classes, NoLoops> {
        let alone = |size: &Size| Known { is_iterated: false, size: *size, pin: None };
        let mut classes = Classes { partition: sizes.iter().map(alone).collect() };
        for equation in equations {
            match *equation {
                Equation::Eq(IndexTerm::Proj(p), IndexTerm::Proj(q)) => classes.unite(p, q)?,
                Equation::Eq(IndexTerm::Proj(p), IndexTerm::Sol(index))
                | Equation::Eq(IndexTerm::Sol(index), IndexTerm::Proj(p)) => {
                    classes.pin(p, index)?;
                }
                Equation::Eq(IndexTerm::Sol(i), IndexTerm::Sol(j)) if i != j => {
                    return Err(NoLoops::Supplied([i, j]));
                }
                Equation::Iter(IndexTerm::Proj(p)) => {
                    let class = classes.find(p);
                    classes.known_mut(class).is_iterated = true;
                }
                Equation::Eq(IndexTerm::Sol(_), IndexTerm::Sol(_))
                | Equation::Iter(IndexTerm::Sol(_)) => {}
            }
        }
        classes.partition.flatten();
        Ok(classes)
    }

    /// The representative of an identifier's class: its least member.
    pub fn class(&self, id: AxisId) -> AxisId {
        least(self.partition.representative(id.0 as usize))
    }

    /// The size of a class.
    pub fn size(&self, class: AxisId) -> Size {
        self.known(class).size
    }

    /// The index that a class is pinned to.
    pub fn pinned(&self, class: AxisId) -> Option<Supplied> {
        self.known(class).pin
    }

    /// Whether a class is to be visited.
    pub fn is_iterated(&self, class: AxisId) -> bool {
        self.known(class).is_iterated
    }

    /// How many identifiers there are.
    pub fn len(&self) -> usize {
        self.partition.len()
    }

    /// Whether there are no identifiers.
    pub fn is_empty(&self) -> bool {
        self.partition.is_empty()
    }

    fn known(&self, class: AxisId) -> &Known {
        self.partition.value(class.0 as usize)
    }

    fn known_mut(&mut self, class: AxisId) -> &mut Known {
        self.partition.value_mut(class.0 as usize)
    }

    /// The representative of an identifier's class, as far as classes are united.
    fn find(&mut self, id: AxisId) -> AxisId {
        least(self.partition.find(id.0 as usize))
    }

    fn unite(&mut self, p: AxisId, q: AxisId) -> Result<(), NoLoops> {
        let (p, q) = (self.find(p), self.find(q));
        if p == q {
            return Ok(());
        }
        if self.size(p) != self.size(q) {
            return Err(NoLoops::Sizes([p, q]));
        }
        let (least, other) = (p.min(q), p.max(q));
        let Known { is_iterated, pin, .. } = *self.known(other);
        self.partition.union(p.0 as usize, q.0 as usize);
        self.known_mut(least).is_iterated |= is_iterated;
        match pin {
            Some(index) => self.pin(least, index),
            None => Ok(()),
        }
    }

    fn pin(&mut self, id: AxisId, index: Supplied) -> Result<(), NoLoops> {
        let class = self.find(id);
        match self.known_mut(class).pin.replace(index) {
            Some(other) if other != index => Err(NoLoops::Pins(class, [other, index])),
            Some(_) | None => Ok(()),
        }
    }
}

/// The identifier of the least member of a class: it is no greater than that of any other, which is
/// 32 bits.
#[allow(clippy::cast_possible_truncation)]
fn least(member: usize) -> AxisId {
    AxisId(member as u32)
}
