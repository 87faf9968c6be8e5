//! From the program's names to the solver's indices: dimensions and variables.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};

use lozenge_calculus::{dim::Dim, size::Size};

use super::{
    node::{DimRef, NIL},
    table::index,
};

/// Up to so many dimensions are looked through; more have an index.
const FEW: usize = 15;

/// Every dimension met so far, once; the claim-free unit first, which needs no looking up.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct DimsMet {
    dims: Vec<Dim>,
    indices: BTreeMap<Dim, u32>,
    /// Those that were a name and became a number, with what they were and with that number.
    numbered: BTreeMap<u32, (Dim, u32)>,
    /// Those of them that are taken for something else, and are given as what they were.
    taken: BTreeSet<u32>,
}

impl DimsMet {
    pub(super) fn new() -> DimsMet {
        let mut dims = Vec::with_capacity(16);
        dims.push(Dim::Unit);
        let (indices, numbered, taken) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        DimsMet { dims, indices, numbered, taken }
    }

    pub(super) fn intern(&mut self, dim: Dim) -> DimRef {
        if dim == Dim::Unit {
            return DimRef::UNIT;
        }
        let known = if self.dims.len() <= FEW {
            self.dims.iter().position(|met| *met == dim).map(index)
        } else {
            self.indices.get(&dim).copied()
        };
        let known = known.map(|index| self.same(DimRef::ground(index)));
        known.unwrap_or_else(|| {
            self.add(dim);
            DimRef::ground(self.len() - 1)
        })
    }

    /// A dimension that is taken for another one.
    pub(super) fn intern_for(&mut self, dim: Dim, other: Dim) -> DimRef {
        let mut known = self.numbered.iter().filter(|(_, (was, _))| *was == dim);
        if let Some((index, _)) = known.next() {
            return DimRef::ground(*index);
        }
        let other = self.intern(other).as_ground().unwrap_or(0);
        self.add(dim);
        let own = self.len() - 1;
        self.dims[own as usize] = self.get(other);
        self.numbered.insert(own, (dim, other));
        self.taken.insert(own);
        DimRef::ground(own)
    }

    /// A term, with the number that it became if it was a name.
    #[inline]
    pub(super) fn same(&self, term: DimRef) -> DimRef {
        if self.numbered.is_empty() { term } else { self.number(term) }
    }

    #[cold]
    fn number(&self, term: DimRef) -> DimRef {
        let number = term.as_ground().and_then(|index| self.numbered.get(&index));
        number.map_or(term, |(_, number)| DimRef::ground(*number))
    }

    /// Makes a name a number wherever it stands.
    pub(super) fn put_number(&mut self, name: Size, number: Size) {
        for index in 1..self.len() {
            let Dim::Atom { size, basis } = self.get(index) else { continue };
            if size != name {
                continue;
            }
            let known = self.intern(Dim::atom(number, basis)).as_ground().unwrap_or(0);
            self.numbered.insert(index, (self.get(index), known));
            self.dims[index as usize] = self.get(known);
        }
    }

    /// The same where it is given as what it was.
    pub(super) fn put_taken(&mut self, name: Size, other: Size) {
        self.put_number(name, other);
        let is_it = |(was, _): &(Dim, u32)| was.is_atom() && was.size() == name;
        let put = self.numbered.iter().filter(|(_, number)| is_it(number));
        self.taken.extend(put.map(|(index, _)| *index));
    }

    /// Makes a number a name again, behind which nothing was taken.
    pub(super) fn put_name(&mut self, name: Size) {
        let is_it = |was: Dim| was.is_atom() && was.size() == name;
        for (index, (was, _)) in &self.numbered {
            if is_it(*was) {
                self.dims[*index as usize] = *was;
            }
        }
        self.numbered.retain(|_, (was, _)| !is_it(*was));
        self.taken.retain(|index| self.numbered.contains_key(index));
    }

    /// A dimension as it is given, whatever it is taken for.
    pub(super) fn given(&self, index: u32) -> Dim {
        if self.taken.contains(&index) { self.written(index) } else { self.get(index) }
    }

    /// A dimension as it was met, before it became a number.
    pub(super) fn written(&self, index: u32) -> Dim {
        self.numbered.get(&index).map_or_else(|| self.get(index), |(was, _)| *was)
    }

    fn add(&mut self, dim: Dim) {
        self.dims.push(dim);
        if self.dims.len() == FEW + 1 {
            // The first of those that are the same.
            let indices = self.dims.iter().enumerate().rev();
            self.indices = indices.map(|(at, dim)| (*dim, index(at))).collect();
        } else if self.dims.len() > FEW {
            self.indices.insert(dim, index(self.dims.len() - 1));
        }
    }

    pub(super) fn get(&self, index: u32) -> Dim {
        self.dims[index as usize]
    }

    pub(super) fn len(&self) -> u32 {
        index(self.dims.len())
    }

    pub(super) fn bytes(&self) -> usize {
        self.dims.capacity() * size_of::<Dim>() + self.indices.len() * size_of::<(Dim, u32)>()
    }

    pub(super) fn truncate(&mut self, len: u32) {
        for index in self.taken.split_off(&len) {
            if let Some((was, _)) = self.numbered.remove(&index) {
                self.dims[index as usize] = was;
            }
        }
        debug_assert!(self.numbered.keys().all(|index| *index < len), "a number is forgotten");
        for dim in self.dims.drain(len as usize..) {
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
#[derive(Clone, Debug, Default)]
pub(super) struct Lookup {
    dense: Vec<u32>,
    sparse: BTreeMap<u32, u32>,
    /// The keys, in the order in which they came.
    keys: Vec<u32>,
}

impl Lookup {
    #[inline]
    pub(super) fn get(&self, key: u32) -> Option<u32> {
        match self.dense.get(key as usize) {
            Some(&NIL) | None => self.sparse.get(&key).copied(),
            Some(&value) => Some(value),
        }
    }

    pub(super) fn insert(&mut self, key: u32, value: u32) {
        let place = key as usize;
        if place == self.dense.len() && place < self.dense.capacity() {
            self.dense.push(value);
        } else if place < 2 * self.keys.len() + 64 {
            if place >= self.dense.len() {
                if place >= self.dense.capacity() {
                    self.dense.reserve_exact(place + place / 4 + 64 - self.dense.len());
                }
                self.dense.resize(place + 1, NIL);
            }
            self.dense[place] = value;
        } else {
            self.sparse.insert(key, value);
        }
        if self.keys.len() == self.keys.capacity() {
            self.keys.reserve_exact(self.keys.len() / 4 + 16);
        }
        self.keys.push(key);
    }

    pub(super) fn keys(&self) -> &[u32] {
        &self.keys
    }

    pub(super) fn len(&self) -> u32 {
        index(self.keys.len())
    }

    pub(super) fn truncate(&mut self, len: u32) {
        for key in self.keys.drain(len as usize..) {
            match self.dense.get_mut(key as usize) {
                Some(value) if *value != NIL => *value = NIL,
                _ => {
                    self.sparse.remove(&key);
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.dense.capacity() + self.keys.capacity() + 2 * self.sparse.len()) * size_of::<u32>()
    }
}

impl PartialEq for Lookup {
    fn eq(&self, other: &Lookup) -> bool {
        self.keys == other.keys && self.keys.iter().all(|key| self.get(*key) == other.get(*key))
    }
}
