//! From the program's names to the solver's indices: dimensions and variables.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};

use lozenge_calculus::{
    dim::Dim,
    size::Size,
    term::{DimVar, RowVar},
};

use crate::tables::{
    ids::{AtomId, Id, PackedOption, before},
    node::DimRef,
    table::Undo,
};

/// The most dimensions that are looked through one after another; more have an index.
const FEW: usize = 15;

/// Every dimension met so far, once; the claim-free unit first, which needs no looking up.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DimsMet {
    dims: Vec<Dim>,
    indices: BTreeMap<Dim, AtomId>,
    /// Those that were a name and became a number, with what they were and with that number.
    numbered: BTreeMap<AtomId, (Dim, AtomId)>,
    /// Those of them that are taken for something else, and are given as what they were.
    taken: BTreeSet<AtomId>,
}

impl DimsMet {
    pub(crate) fn new() -> DimsMet {
        let mut dims = Vec::with_capacity(16);
        dims.push(Dim::Unit);
        let (indices, numbered, taken) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        DimsMet { dims, indices, numbered, taken }
    }

    pub(crate) fn intern(&mut self, dim: Dim) -> DimRef {
        DimRef::ground(self.atom(dim))
    }

    fn atom(&mut self, dim: Dim) -> AtomId {
        if dim == Dim::Unit {
            return AtomId::UNIT;
        }
        let known = if self.dims.len() <= FEW {
            self.dims.iter().position(|met| *met == dim).map(AtomId::at)
        } else {
            self.indices.get(&dim).copied()
        };
        match known {
            Some(atom) if self.numbered.is_empty() => atom,
            Some(atom) => self.number(atom),
            None => self.add(dim),
        }
    }

    /// A dimension that is taken for another one.
    pub(crate) fn intern_for(&mut self, dim: Dim, other: Dim) -> DimRef {
        let mut known = self.numbered.iter().filter(|(_, (was, _))| *was == dim);
        if let Some((index, _)) = known.next() {
            return DimRef::ground(*index);
        }
        let other = self.atom(other);
        let own = self.add(dim);
        self.dims[own.place()] = self.get(other);
        self.numbered.insert(own, (dim, other));
        self.taken.insert(own);
        DimRef::ground(own)
    }

    /// A term, with the number that it became if it was a name.
    #[inline]
    pub(crate) fn same(&self, term: DimRef) -> DimRef {
        match term.as_ground() {
            Some(atom) if !self.numbered.is_empty() => DimRef::ground(self.number(atom)),
            Some(_) | None => term,
        }
    }

    #[cold]
    fn number(&self, atom: AtomId) -> AtomId {
        self.numbered.get(&atom).map_or(atom, |(_, number)| *number)
    }

    /// Makes a name a number wherever it stands.
    pub(crate) fn put_number(&mut self, name: Size, number: Size) {
        for index in before(self.end()) {
            let Dim::Atom { size, basis } = self.get(index) else { continue };
            if size != name {
                continue;
            }
            let known = self.atom(Dim::atom(number, basis));
            self.numbered.insert(index, (self.get(index), known));
            self.dims[index.place()] = self.get(known);
        }
    }

    /// Puts another size in the place of a name, which given constraints keep as it was.
    pub(crate) fn put_taken(&mut self, name: Size, other: Size) {
        self.put_number(name, other);
        let is_it = |(was, _): &(Dim, AtomId)| was.is_atom() && was.size() == name;
        let put = self.numbered.iter().filter(|(_, number)| is_it(number));
        self.taken.extend(put.map(|(index, _)| *index));
    }

    /// Makes a number a name again, behind which nothing was taken.
    pub(crate) fn put_name(&mut self, name: Size) {
        let is_it = |was: Dim| was.is_atom() && was.size() == name;
        for (index, (was, _)) in &self.numbered {
            if is_it(*was) {
                self.dims[index.place()] = *was;
            }
        }
        self.numbered.retain(|_, (was, _)| !is_it(*was));
        self.taken.retain(|index| self.numbered.contains_key(index));
    }

    /// A dimension as it is given, whatever it is taken for.
    pub(crate) fn given(&self, index: AtomId) -> Dim {
        if self.taken.contains(&index) { self.written(index) } else { self.get(index) }
    }

    /// A dimension as it was met, before it became a number.
    pub(crate) fn written(&self, index: AtomId) -> Dim {
        self.numbered.get(&index).map_or_else(|| self.get(index), |(was, _)| *was)
    }

    fn add(&mut self, dim: Dim) -> AtomId {
        let atom = self.end();
        self.dims.push(dim);
        if self.dims.len() == FEW + 1 {
            // The first of those that are the same.
            let indices = self.dims.iter().enumerate().rev();
            self.indices = indices.map(|(at, dim)| (*dim, AtomId::at(at))).collect();
        } else if self.dims.len() > FEW {
            self.indices.insert(dim, atom);
        }
        atom
    }

    pub(crate) fn get(&self, index: AtomId) -> Dim {
        self.dims[index.place()]
    }

    /// The index of the dimension that is met next.
    pub(crate) fn end(&self) -> AtomId {
        AtomId::at(self.dims.len())
    }
}

impl Undo for DimsMet {
    type Mark = AtomId;

    #[inline]
    fn mark(&mut self) -> AtomId {
        self.end()
    }

    fn bytes(&self) -> usize {
        self.dims.capacity() * size_of::<Dim>() + self.indices.len() * size_of::<(Dim, AtomId)>()
    }

    fn roll_back(&mut self, end: AtomId) {
        for index in self.taken.split_off(&end) {
            if let Some((was, _)) = self.numbered.remove(&index) {
                self.dims[index.place()] = was;
            }
        }
        debug_assert!(self.numbered.keys().all(|index| *index < end), "a number is forgotten");
        for dim in self.dims.drain(end.place()..) {
            self.indices.remove(&dim);
        }
        if self.dims.len() <= FEW {
            self.indices.clear();
        }
    }
}

impl Default for DimsMet {
    fn default() -> DimsMet {
        DimsMet::new()
    }
}

/// A map from the indices of the program's variables. Programs count their variables from 0, so it
/// is an array; an index far beyond the number of variables is kept aside, so that a stray one
/// costs no memory.
#[derive(Clone, Debug)]
pub(crate) struct Lookup<V, I: Id> {
    dense: Vec<PackedOption<I>>,
    sparse: BTreeMap<V, I>,
    /// The keys, in the order in which they came.
    keys: Vec<V>,
}

/// A variable of the program.
pub(crate) trait ProgramVar: Copy + Ord {
    /// Its number.
    fn place(self) -> usize;
}

impl ProgramVar for DimVar {
    #[inline]
    fn place(self) -> usize {
        self.index() as usize
    }
}

impl ProgramVar for RowVar {
    #[inline]
    fn place(self) -> usize {
        self.index() as usize
    }
}

impl<V, I: Id> Default for Lookup<V, I> {
    fn default() -> Lookup<V, I> {
        Lookup { dense: Vec::new(), sparse: BTreeMap::new(), keys: Vec::new() }
    }
}

impl<V: ProgramVar, I: Id> Lookup<V, I> {
    #[inline]
    pub(crate) fn get(&self, key: V) -> Option<I> {
        match self.dense.get(key.place()).and_then(|value| value.get()) {
            None => self.sparse.get(&key).copied(),
            known => known,
        }
    }

    pub(crate) fn insert(&mut self, key: V, id: I) {
        let place = key.place();
        let value = PackedOption::some(id);
        if place == self.dense.len() && place < self.dense.capacity() {
            self.dense.push(value);
        } else if place < 2 * self.keys.len() + 64 {
            if place >= self.dense.len() {
                if place >= self.dense.capacity() {
                    self.dense.reserve_exact(place + place / 4 + 64 - self.dense.len());
                }
                self.dense.resize(place + 1, PackedOption::NONE);
            }
            self.dense[place] = value;
        } else {
            self.sparse.insert(key, id);
        }
        if self.keys.len() == self.keys.capacity() {
            self.keys.reserve_exact(self.keys.len() / 4 + 16);
        }
        self.keys.push(key);
    }

    /// The variables that were met, in the order in which they came.
    pub(crate) fn keys(&self) -> &[V] {
        &self.keys
    }
}

impl<V: ProgramVar, I: Id> Undo for Lookup<V, I> {
    type Mark = usize;

    #[inline]
    fn mark(&mut self) -> usize {
        self.keys.len()
    }

    fn roll_back(&mut self, len: usize) {
        for key in self.keys.drain(len..) {
            match self.dense.get_mut(key.place()) {
                Some(value) if value.is_some() => *value = PackedOption::NONE,
                _ => {
                    self.sparse.remove(&key);
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        (self.dense.capacity() + self.keys.capacity() + 2 * self.sparse.len()) * size_of::<u32>()
    }
}

impl<V: ProgramVar, I: Id> PartialEq for Lookup<V, I> {
    fn eq(&self, other: &Lookup<V, I>) -> bool {
        self.keys == other.keys && self.keys.iter().all(|key| self.get(*key) == other.get(*key))
    }
}
