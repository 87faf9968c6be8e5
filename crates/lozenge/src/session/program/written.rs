//! A program whose names became numbers, and the same as it was written.

use std::{cell::RefCell, collections::BTreeMap};

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation},
    dim::Dim,
    size::{Size, SizeSymbol},
    term::{DimTerm, RowTerm},
};

/// A name that has to be a number, and where that comes from.
#[derive(Clone, Debug)]
pub(crate) struct Specialised {
    pub(crate) name: SizeSymbol,
    pub(crate) value: u64,
    pub(crate) origins: Vec<OriginId>,
}

/// Rows and relations that have numbers in the place of names, with the names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    rows: BTreeMap<usize, RowTerm>,
    relations: BTreeMap<OriginId, Relation>,
}

impl Written {
    /// Puts numbers in the place of names in a table of rows, and keeps what these were.
    pub(crate) fn put_into(&mut self, rows: &mut [RowTerm], specialised: &[Specialised]) {
        let number = |term: &DimTerm| {
            specialised.iter().fold(*term, |term, found: &Specialised| found.in_place(term))
        };
        for (place, row) in rows.iter_mut().enumerate() {
            let flanks = row.flanks.map(number);
            if flanks != row.flanks {
                let written = std::mem::replace(row, RowTerm { flanks, var: row.var });
                self.rows.entry(place).or_insert(written);
            }
        }
    }

    /// Keeps the relations of constraints, where they are others with names.
    pub(crate) fn keep(
        &mut self,
        constraints: &[Constraint],
        written: impl IntoIterator<Item = Relation>,
    ) {
        for (constraint, written) in constraints.iter().zip(written) {
            if constraint.relation != written {
                self.relations.entry(constraint.origin).or_insert(written);
            }
        }
    }

    /// Keeps a row that will be at this place.
    pub(crate) fn keep_row(&mut self, place: usize, row: RowTerm) {
        self.rows.insert(place, row);
    }

    /// The row at a place, if it has numbers there.
    pub(crate) fn row(&self, place: usize) -> Option<&RowTerm> {
        self.rows.get(&place)
    }

    /// A constraint with the names that it was written with.
    pub(crate) fn of(&self, constraint: Constraint) -> Constraint {
        let written = self.relations.get(&constraint.origin).cloned();
        Constraint { relation: written.unwrap_or(constraint.relation), ..constraint }
    }

    /// Puts the names back.
    pub(crate) fn put_back(&mut self, rows: &mut [RowTerm]) {
        for (place, row) in std::mem::take(self).rows {
            rows[place] = row;
        }
    }

    /// Forgets what comes from this origin on, and the rows from this place on.
    pub(crate) fn cut(&mut self, origin: OriginId, rows: usize) {
        self.relations.split_off(&origin);
        self.rows.split_off(&rows);
    }
}

impl Specialised {
    /// A dimension, with the number if it is the name.
    pub(crate) fn in_place(&self, term: DimTerm) -> DimTerm {
        match term {
            DimTerm::Dim(Dim::Atom { size, basis }) if size == Size::symbol(self.name) => {
                Size::int(self.value).map_or(term, |size| Dim::atom(size, basis).into())
            }
            DimTerm::Dim(_) | DimTerm::Var(_) => term,
        }
    }

    /// Puts the number in the place of the name.
    pub(crate) fn put_into(&self, constraints: &mut [Constraint]) {
        for Constraint { relation, .. } in constraints {
            *relation = relation.map_dims(|term| self.in_place(term));
        }
    }
}

/// The dimensions of a relation.
pub(crate) fn dims(relation: &Relation) -> Vec<DimTerm> {
    let dims = RefCell::new(vec![]);
    let _ = relation.map_dims(|term| {
        dims.borrow_mut().push(term);
        term
    });
    dims.into_inner()
}
