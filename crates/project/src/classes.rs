//! The first stratum: union-find with sizes, pins and iterate marks.
//!
//! Nothing is chosen here. The partition is the least equivalence that contains the equations, the
//! pins and marks are lifted to it, and the representative of a class is its least identifier; so
//! the order of the equations does not matter, and there is nothing to name but the loops.

use alloc::vec::Vec;

use lozenge_calculus::{size::Size, union_find::UnionFind};

use super::{
    NoLoops,
    equation::{AxisId, Equation, IndexTerm, Supplied},
};

/// The classes of axes that share an index.
#[derive(Clone, Debug)]
pub struct Classes {
    /// The representative of each identifier's class.
    of: Vec<AxisId>,
    /// By identifier, the facts of a class; they stand at its representative.
    known: Vec<Known>,
}

/// The size, the pin and the iterate mark of a class.
#[derive(Clone, Debug)]
struct Known {
    is_iterated: bool,
    size: Size,
    pin: Option<Supplied>,
}

/// Classes while they are united.
struct United {
    classes: UnionFind,
    known: Vec<Known>,
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
        let known = sizes.iter().map(alone).collect();
        let mut united = United { classes: UnionFind::new(sizes.len()), known };
        for equation in equations {
            match *equation {
                Equation::Eq(IndexTerm::Proj(p), IndexTerm::Proj(q)) => united.unite(p, q)?,
                Equation::Eq(IndexTerm::Proj(p), IndexTerm::Sol(index))
                | Equation::Eq(IndexTerm::Sol(index), IndexTerm::Proj(p)) => {
                    united.pin(p, index)?;
                }
                Equation::Eq(IndexTerm::Sol(i), IndexTerm::Sol(j)) if i != j => {
                    return Err(NoLoops::Supplied([i, j]));
                }
                Equation::Iter(IndexTerm::Proj(p)) => {
                    let class = united.find(p);
                    united.known[class.0 as usize].is_iterated = true;
                }
                Equation::Eq(IndexTerm::Sol(_), IndexTerm::Sol(_))
                | Equation::Iter(IndexTerm::Sol(_)) => {}
            }
        }
        let ids = (0..).map(AxisId).take(sizes.len());
        let of = ids.map(|id| united.find(id)).collect();
        Ok(Classes { of, known: united.known })
    }

    /// The representative of an identifier's class: its least member.
    pub fn class(&self, id: AxisId) -> AxisId {
        self.of[id.0 as usize]
    }

    /// The size of a class.
    pub fn size(&self, class: AxisId) -> Size {
        self.known[class.0 as usize].size
    }

    /// The index that a class is pinned to.
    pub fn pinned(&self, class: AxisId) -> Option<Supplied> {
        self.known[class.0 as usize].pin
    }

    /// Whether a class is to be visited.
    pub fn is_iterated(&self, class: AxisId) -> bool {
        self.known[class.0 as usize].is_iterated
    }

    /// How many identifiers there are.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether there are no identifiers.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }
}

impl United {
    /// The representative of an identifier's class, as far as classes are united.
    fn find(&mut self, id: AxisId) -> AxisId {
        let least = self.classes.find(id.0 as usize);
        // The least member is no greater than the identifier, which is 32 bits.
        #[allow(clippy::cast_possible_truncation)]
        AxisId(least as u32)
    }

    fn unite(&mut self, p: AxisId, q: AxisId) -> Result<(), NoLoops> {
        let (p, q) = (self.find(p), self.find(q));
        if p == q {
            return Ok(());
        }
        if self.known[p.0 as usize].size != self.known[q.0 as usize].size {
            return Err(NoLoops::Sizes([p, q]));
        }
        let Known { is_iterated, pin, .. } = self.known[p.max(q).0 as usize];
        self.classes.union(p.0 as usize, q.0 as usize);
        let least = p.min(q);
        self.known[least.0 as usize].is_iterated |= is_iterated;
        match pin {
            Some(index) => self.pin(least, index),
            None => Ok(()),
        }
    }

    fn pin(&mut self, id: AxisId, index: Supplied) -> Result<(), NoLoops> {
        let class = self.find(id);
        match self.known[class.0 as usize].pin.replace(index) {
            Some(other) if other != index => Err(NoLoops::Pins(class, [other, index])),
            Some(_) | None => Ok(()),
        }
    }
}
