//! Union-find over numbers: the one structure with which classes are united.

use alloc::vec::Vec;

/// A partition of the numbers below a count into classes; the representative of a class is its
/// least member. Each number may have a value: that of a class is at its representative.
///
/// ```
/// use lozenge_calculus::union_find::UnionFind;
///
/// let mut classes = UnionFind::new(4);
/// classes.union(3, 1);
/// assert_eq!((classes.find(3), classes.find(2)), (1, 2));
///
/// let mut named: UnionFind<char> = ['a', 'b', 'c'].into_iter().collect();
/// named.union(1, 2);
/// named.flatten();
/// assert_eq!(*named.value(named.representative(2)), 'b');
/// ```
#[derive(Clone, Debug)]
pub struct UnionFind<T = ()> {
    members: Vec<Member<T>>,
}

/// A number of a partition.
#[derive(Clone, Debug)]
struct Member<T> {
    /// Itself for a representative, else a lesser member of its class.
    parent: usize,
    value: T,
}

/// The partition of no numbers.
impl<T> Default for UnionFind<T> {
    fn default() -> UnionFind<T> {
        UnionFind { members: Vec::new() }
    }
}

impl UnionFind {
    /// The numbers below `count`, each in a class of its own.
    pub fn new(count: usize) -> UnionFind {
        core::iter::repeat_n((), count).collect()
    }

    /// Adds the next number, in a class of its own, and returns it.
    pub fn push(&mut self) -> usize {
        self.push_value(())
    }
}

/// A number for each value, each in a class of its own.
impl<T> FromIterator<T> for UnionFind<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> UnionFind<T> {
        let alone = |(parent, value)| Member { parent, value };
        UnionFind { members: values.into_iter().enumerate().map(alone).collect() }
    }
}

impl<T> UnionFind<T> {
    /// Adds the next number with this value, in a class of its own, and returns it.
    pub fn push_value(&mut self, value: T) -> usize {
        let member = self.members.len();
        self.members.push(Member { parent: member, value });
        member
    }

    /// The representative of the class of `member`.
    pub fn find(&mut self, mut member: usize) -> usize {
        while self.members[member].parent != member {
            let parent = self.members[member].parent;
            self.members[member].parent = self.members[parent].parent;
            member = self.members[member].parent;
        }
        member
    }

    /// Makes one class of the classes of two numbers.
    pub fn union(&mut self, one: usize, other: usize) {
        let [one, other] = [self.find(one), self.find(other)];
        self.members[one.max(other)].parent = one.min(other);
    }

    /// Has every number know its representative, so that
    /// [`representative`](Self::representative) is one step away.
    pub fn flatten(&mut self) {
        for member in 0..self.members.len() {
            // Its parent is a lesser number, or itself, and knows already.
            let parent = self.members[member].parent;
            self.members[member].parent = self.members[parent].parent;
        }
    }

    /// The representative of the class of `member`, found without shortening the way to it.
    pub fn representative(&self, mut member: usize) -> usize {
        while self.members[member].parent != member {
            member = self.members[member].parent;
        }
        member
    }

    /// The value of a number.
    pub fn value(&self, member: usize) -> &T {
        &self.members[member].value
    }

    /// The value of a number, to be changed.
    pub fn value_mut(&mut self, member: usize) -> &mut T {
        &mut self.members[member].value
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}
