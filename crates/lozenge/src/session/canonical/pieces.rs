//! The pieces of constraints: what stands where in them.

use lozenge_calculus::{
    constraint::{Border, Count, Relation, SizeRelation},
    dim::{Basis, Dim},
    size::SizeKind,
    term::{DimTerm, RowTerm},
};

/// The position of the last piece of a row, that of its variable.
pub(super) const END_OF_ROW: u64 = 1 << 33;

/// A piece of a constraint.
#[derive(Clone, Copy)]
pub(super) enum Piece {
    /// Something that has no name.
    Word(u64),
    /// A variable or a name.
    Node(usize),
}

/// Goes through the terms of a constraint: which side, where in it, and what.
pub(super) fn pieces(
    relation: &Relation,
    begins: &[usize; 3],
    each: impl FnMut(usize, u64, Piece),
) {
    let mut walk = Walk { begins, side: 0, position: 0, each };
    match relation {
        Relation::DimEq(left, right) | Relation::DimIneq(left, right) => {
            walk.dim(*left);
            walk.turn();
            walk.dim(*right);
        }
        Relation::RowEq(left, right) | Relation::RowIneq(left, right) => {
            walk.row(left);
            walk.turn();
            walk.row(right);
        }
        Relation::Size(relation) => walk.size(relation),
    }
}

/// Goes through the rows of a tensor.
pub(super) fn pieces_of_rows(
    rows: &[RowTerm],
    begins: &[usize; 3],
    each: impl FnMut(usize, u64, Piece),
) {
    Walk { begins, side: 0, position: 0, each }.rows(rows);
}

/// A walk through a constraint.
struct Walk<'a, F> {
    begins: &'a [usize; 3],
    side: usize,
    position: u64,
    each: F,
}

impl<F: FnMut(usize, u64, Piece)> Walk<'_, F> {
    fn turn(&mut self) {
        (self.side, self.position) = (1, 0);
    }

    fn piece(&mut self, piece: Piece) {
        (self.each)(self.side, self.position, piece);
        self.position += 1;
    }

    fn word(&mut self, word: u64) {
        self.piece(Piece::Word(word));
    }

    fn dim(&mut self, term: DimTerm) {
        match term {
            DimTerm::Var(var) => self.piece(Piece::Node(var.index() as usize)),
            DimTerm::Dim(Dim::Unit) => self.word(u64::MAX),
            DimTerm::Dim(Dim::Atom { size, basis }) => {
                match size.kind() {
                    SizeKind::Int(n) => self.word(n),
                    // Nobody gives a computed size, or one of another kind.
                    SizeKind::Computed(number) => self.word(number.into()),
                    SizeKind::Symbol(symbol) => {
                        self.piece(Piece::Node(self.begins[1] + symbol.index() as usize));
                    }
                    _ => self.word(u64::MAX),
                }
                if basis != Basis::DEFAULT {
                    self.piece(Piece::Node(self.begins[2] + basis.index() as usize));
                }
            }
        }
    }

    fn row(&mut self, row: &RowTerm) {
        // Flanks are read from the outer edges.
        for entry in row.flanks.lead() {
            self.dim(*entry);
        }
        self.position = 1 << 32;
        for entry in row.flanks.trail().iter().rev() {
            self.dim(*entry);
        }
        self.position = END_OF_ROW;
        match row.var {
            Some(var) => self.piece(Piece::Node(self.begins[0] + var.index() as usize)),
            None => self.word(0),
        }
    }

    fn rows(&mut self, rows: &[RowTerm]) {
        for (place, row) in (1..).zip(rows) {
            let before = self.position;
            self.row(row);
            self.position = before + (place << 36);
        }
    }

    fn size(&mut self, relation: &SizeRelation) {
        match relation {
            SizeRelation::Strided { whole, stride, over, loose: _ } => {
                self.dim(*whole);
                self.word((*stride).into());
                self.dim(*over);
            }
            SizeRelation::Window { whole, stride, over, dilation, kernel, border } => {
                if let Border::Margins { left, right, .. } = *border {
                    for margin in [left, right].into_iter().filter(|margin| *margin != 0) {
                        self.word(u64::from(margin < 0));
                        self.word(margin.unsigned_abs().into());
                    }
                }
                self.dim(*whole);
                self.word((*stride).into());
                self.dim(*over);
                self.word((*dilation).into());
                self.dim(*kernel);
            }
            SizeRelation::Concat { whole, parts } => {
                self.dim(*whole);
                for part in parts {
                    self.word(part.discardable.into());
                    self.dim(part.dim);
                }
            }
            SizeRelation::Merged { whole, parts } => {
                self.dim(*whole);
                for part in parts {
                    self.dim(*part);
                }
            }
            SizeRelation::Total { rows, divided_by, count } => {
                match count {
                    Count::Number(n) => self.word(*n),
                    Count::Strided { coefficient, dim, denominator } => {
                        self.word(*coefficient);
                        self.word(*denominator);
                        self.dim(*dim);
                    }
                    Count::Rows { coefficient, rows, denominator } => {
                        self.word(*coefficient);
                        self.word(*denominator);
                        self.turn();
                        self.rows(rows);
                        self.side = 0;
                    }
                }
                for divisor in divided_by {
                    self.dim(*divisor);
                }
                self.rows(rows);
            }
            SizeRelation::Exact { rows, axes } => {
                for axis in axes {
                    self.dim(*axis);
                }
                self.rows(rows);
            }
            SizeRelation::Stretch { result, operands } => {
                self.rows(core::slice::from_ref(result));
                self.turn();
                // In any order.
                for operand in operands {
                    self.row(operand);
                    self.position = 0;
                }
                self.side = 0;
            }
            SizeRelation::AtLeast { dim, least } => {
                self.dim(*dim);
                self.word(*least);
            }
        }
    }
}
