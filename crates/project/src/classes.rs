//! The first stratum: union-find with sizes, pins and iterate marks.
//!
//! Nothing is chosen here. The partition is the least equivalence that contains the equations, the pins and
//! marks are lifted to it, and the representative of a class is its least identifier; so the order of the
//! equations does not matter, and there is nothing to name but the loops.

use alloc::vec::Vec;

use lozenge_calculus::size::Size;

use super::{
    Conflict,
    equation::{Atom, Equation, Id, Supplied},
};

/// The classes of axes that share an index.
#[derive(Clone, Debug)]
pub struct Classes {
    /// By identifier.
    members: Vec<Member>,
}

/// An identifier. All but the parent and the size is of a class, and kept at its representative.
#[derive(Clone, Debug)]
struct Member {
    parent: u32,
    is_iterated: bool,
    size: Size,
    pin: Option<Supplied>,
}

impl Classes {
    /// Solves equations over identifiers of these sizes.
    ///
    /// # Errors
    /// If and only if a class has two sizes, a class has two pins, or two supplied indices disagree.
    pub fn solve<'a>(
        sizes: &[Size],
        equations: impl IntoIterator<Item = &'a Equation>,
    ) -> Result<Classes, Conflict> {
        let alone = |(id, size): (u32, &Size)| Member {
            parent: id,
            is_iterated: false,
            size: *size,
            pin: None,
        };
        let mut classes = Classes { members: (0..).zip(sizes).map(alone).collect() };
        for equation in equations {
            match *equation {
                Equation::Eq(Atom::Proj(p), Atom::Proj(q)) => classes.unite(p, q)?,
                Equation::Eq(Atom::Proj(p), Atom::Sol(index))
                | Equation::Eq(Atom::Sol(index), Atom::Proj(p)) => classes.pin(p, index)?,
                Equation::Eq(Atom::Sol(i), Atom::Sol(j)) => {
                    if i != j {
                        return Err(Conflict::Supplied([i, j]));
                    }
                }
                Equation::Iter(Atom::Proj(p)) => {
                    let class = classes.find(p);
                    classes.members[class.0 as usize].is_iterated = true;
                }
                Equation::Iter(Atom::Sol(_)) => {}
            }
        }
        for id in 0..classes.members.len() {
            // A parent comes before its children, and is flat already.
            let parent = classes.members[id].parent;
            classes.members[id].parent = classes.members[parent as usize].parent;
        }
        Ok(classes)
    }

    /// The representative of an identifier's class: its least member.
    pub fn class(&self, id: Id) -> Id {
        Id(self.members[id.0 as usize].parent)
    }

    /// The same while classes are still united.
    fn find(&mut self, id: Id) -> Id {
        let mut at = id.0;
        loop {
            let parent = self.members[at as usize].parent;
            if parent == at {
                return Id(at);
            }
            let grandparent = self.members[parent as usize].parent;
            self.members[at as usize].parent = grandparent;
            at = grandparent;
        }
    }

    /// The size of a class.
    pub fn size(&self, class: Id) -> Size {
        self.members[class.0 as usize].size
    }

    /// The index that a class is pinned to.
    pub fn pinned(&self, class: Id) -> Option<Supplied> {
        self.members[class.0 as usize].pin
    }

    /// Whether a class is to be visited.
    pub fn is_iterated(&self, class: Id) -> bool {
        self.members[class.0 as usize].is_iterated
    }

    /// How many identifiers there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn unite(&mut self, p: Id, q: Id) -> Result<(), Conflict> {
        let (p, q) = (self.find(p), self.find(q));
        if p == q {
            return Ok(());
        }
        if self.size(p) != self.size(q) {
            return Err(Conflict::Sizes([p, q]));
        }
        let (least, other) = (p.min(q), p.max(q));
        let other = &mut self.members[other.0 as usize];
        let (is_iterated, pin) = (other.is_iterated, other.pin);
        other.parent = least.0;
        self.members[least.0 as usize].is_iterated |= is_iterated;
        match pin {
            Some(index) => self.pin(least, index),
            None => Ok(()),
        }
    }

    fn pin(&mut self, id: Id, index: Supplied) -> Result<(), Conflict> {
        let class = self.find(id);
        match self.members[class.0 as usize].pin.replace(index) {
            Some(other) if other != index => Err(Conflict::Pins(class, [other, index])),
            Some(_) | None => Ok(()),
        }
    }
}
