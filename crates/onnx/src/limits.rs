//! What a file may cost: how deep messages lie in each other, and how much memory their structures
//! take.
//!
//! A message of two bytes can become a structure of a hundred, so a small hostile file could fill a
//! machine. Every list is counted before it is made, and what all of them take is charged here
//! against a bound that follows from the length of the file. Files of exporters take less than a
//! quarter of it.

use crate::{
    error::{Mistake, ReadError},
    wire::Fields,
};

/// The deepest that graphs, or types, may lie in each other. Exporters write 4 levels at most.
pub const MAX_DEPTH: u32 = 64;

/// How many bytes of memory the structures of a model may take for each byte that was read.
pub const MEMORY_FACTOR: usize = 32;

/// Memory that any model may take, so that the bound does not fall on tiny ones.
const FLOOR: usize = 4096;

/// What was not used up yet.
pub(crate) struct Limits {
    most: usize,
    left: usize,
    depth: u32,
}

impl Limits {
    /// The limits for a file of `length` bytes.
    pub(crate) fn new(length: usize) -> Self {
        let most = length.saturating_mul(MEMORY_FACTOR).saturating_add(FLOOR);
        Limits { most, left: most, depth: 0 }
    }

    /// The memory that has been charged, in bytes.
    pub(crate) fn used(&self) -> usize {
        self.most - self.left
    }

    /// Makes room for `count` more elements of a list, once they are charged.
    pub(crate) fn reserve<T>(
        &mut self,
        list: &mut Vec<T>,
        count: usize,
        offset: u64,
    ) -> Result<(), ReadError> {
        if count == 0 {
            return Ok(());
        }
        self.charge::<T>(count, offset)?;
        if list.is_empty() {
            list.reserve_exact(count);
        } else {
            // A message in many pieces must not copy the list at each of them.
            list.reserve(count);
        }
        Ok(())
    }

    /// Charges `count` values of a type.
    pub(crate) fn charge<T>(&mut self, count: usize, offset: u64) -> Result<(), ReadError> {
        let left = count.checked_mul(size_of::<T>()).and_then(|bytes| self.left.checked_sub(bytes));
        let most = self.most as u64;
        self.left = left.ok_or_else(|| ReadError::new(Mistake::TooDense { most }, offset))?;
        Ok(())
    }

    /// Goes one message deeper; [`Limits::ascend`] comes back.
    pub(crate) fn descend(&mut self, offset: u64) -> Result<(), ReadError> {
        if self.depth == MAX_DEPTH {
            return Err(ReadError::new(Mistake::TooDeep { most: MAX_DEPTH }, offset));
        }
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn ascend(&mut self) {
        self.depth -= 1;
    }
}

/// The highest field number that [`counts`] tells apart.
const HIGHEST: usize = 25;

/// How often each field of a message occurs, by its number.
pub(crate) fn counts(mut fields: Fields<'_>) -> Result<[usize; HIGHEST + 1], ReadError> {
    let mut counts = [0; HIGHEST + 1];
    while let Some(field) = fields.read()? {
        let number = usize::try_from(field.number).ok();
        if let Some(count) = number.and_then(|number| counts.get_mut(number)) {
            *count += 1;
        }
    }
    Ok(counts)
}
