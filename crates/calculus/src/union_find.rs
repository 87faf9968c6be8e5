//! Union-find over numbers: the one structure with which classes are united.

use alloc::vec::Vec;

/// A partition of the numbers below a count into classes; the representative of a class is its
/// least member.
///
/// ```
/// use lozenge_calculus::union_find::UnionFind;
///
/// let mut classes = UnionFind::new(4);
/// classes.union(3, 1);
/// assert_eq!((classes.find(3), classes.find(2)), (1, 2));
/// ```
#[derive(Clone, Debug, Default)]
pub struct UnionFind {
    /// By number: itself for a representative, else a lesser member of its class.
    parents: Vec<usize>,
}

impl UnionFind {
    /// The numbers below `count`, each in a class of its own.
    pub fn new(count: usize) -> UnionFind {
        UnionFind { parents: (0..count).collect() }
    }

    /// Adds the next number, in a class of its own, and returns it.
    pub fn push(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    /// The representative of the class of `member`.
    pub fn find(&mut self, mut member: usize) -> usize {
        while self.parents[member] != member {
            self.parents[member] = self.parents[self.parents[member]];
            member = self.parents[member];
        }
        member
    }

    /// Makes one class of the classes of two numbers.
    pub fn union(&mut self, one: usize, other: usize) {
        let [one, other] = [self.find(one), self.find(other)];
        self.parents[one.max(other)] = one.min(other);
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }
}
