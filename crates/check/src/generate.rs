//! Random constraints, for the differential tests.
//!
//! Everything drawn is a function of the generator's state, so that a seed names a case.

use lozenge_calculus::{
    constraint::{Border, Constraint, Count, Fill, OriginId, Part, Relation, SizeRelation},
    dim::{Basis, Dim},
    row::Flanks,
    size::{Size, SizeSymbol},
    term::{DimTerm, DimVar, RowTerm, RowVar},
    text::Names,
};

use crate::Generator;

/// How large a random store may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of different dimension variables.
    pub dim_vars: u32,
    /// The number of different row variables.
    pub row_vars: u32,
    /// The length of a flank; most are shorter.
    pub flank: usize,
    /// The number of constraints.
    pub constraints: usize,
}

/// A random store, with origins in the order of its constraints.
pub fn store(rng: &mut Generator, limits: Limits) -> Vec<Constraint> {
    let count = rng.usize(1..=limits.constraints);
    let origins = (0..).map(OriginId::new);
    origins.take(count).map(|origin| relation(rng, limits).with_origin(origin)).collect()
}

fn relation(rng: &mut Generator, limits: Limits) -> Relation {
    match rng.u8(0..10) {
        0 => Relation::DimEq(dim_term(rng, limits), dim_term(rng, limits)),
        1..=2 => Relation::DimIneq(dim_term(rng, limits), dim_term(rng, limits)),
        3..=5 => Relation::RowEq(row_term(rng, limits), row_term(rng, limits)),
        _ => Relation::RowIneq(row_term(rng, limits), row_term(rng, limits)),
    }
}

fn dim_term(rng: &mut Generator, limits: Limits) -> DimTerm {
    if limits.dim_vars > 0 && rng.bool() {
        DimVar::new(rng.u32(0..limits.dim_vars)).into()
    } else {
        few_dims(rng).into()
    }
}

/// One of few dimensions, so that they often agree: two sizes, and one of them in two bases.
fn few_dims(rng: &mut Generator) -> Dim {
    let atom = |n, basis| match Size::int(n) {
        Ok(size) => Dim::atom(size, Basis::new(basis)),
        Err(_) => Dim::Unit,
    };
    match rng.u8(0..8) {
        0 => Dim::Unit,
        1..=3 => atom(3, 0),
        4..=6 => atom(5, 0),
        _ => atom(3, 1),
    }
}

fn row_term(rng: &mut Generator, limits: Limits) -> RowTerm {
    let open = limits.row_vars > 0 && rng.u8(0..10) < 7;
    let bare = open && rng.u8(0..10) < 4;
    let flanks =
        if bare { Flanks::empty() } else { Flanks::new(flank(rng, limits), flank(rng, limits)) };
    RowTerm { flanks, var: open.then(|| RowVar::new(rng.u32(0..limits.row_vars))) }
}

fn flank(rng: &mut Generator, limits: Limits) -> Vec<DimTerm> {
    let len = match rng.u8(0..10) {
        0..=4 => 0,
        5..=8 => 1,
        _ => rng.usize(0..=limits.flank),
    };
    (0..len.min(limits.flank)).map(|_| dim_term(rng, limits)).collect()
}

/// A random constraint that shows off the text form: any size, symbols, bases, origins, and names
/// of any characters in `names`.
pub fn wild_constraint(rng: &mut Generator, names: &mut Names) -> Constraint {
    let relation = match rng.u8(0..5) {
        4 => Relation::Size(wild_size(rng, names)),
        0 => Relation::DimEq(wild_dim(rng, names), wild_dim(rng, names)),
        1 => Relation::DimIneq(wild_dim(rng, names), wild_dim(rng, names)),
        2 => Relation::RowEq(wild_row(rng, names), wild_row(rng, names)),
        _ => Relation::RowIneq(wild_row(rng, names), wild_row(rng, names)),
    };
    relation.with_origin(OriginId::new(if rng.bool() { 0 } else { rng.u32(..) }))
}

fn wild_size(rng: &mut Generator, names: &mut Names) -> SizeRelation {
    let mut dims = |rng: &mut Generator| -> Vec<DimTerm> {
        (0..rng.usize(0..4)).map(|_| wild_dim(rng, names)).collect()
    };
    let (parts, divided_by, axes) = (dims(rng), dims(rng), dims(rng));
    let rows = (0..rng.usize(0..4)).map(|_| wild_row(rng, names)).collect();
    let [whole, over, kernel] = [0; 3].map(|_| wild_dim(rng, names));
    let (stride, dilation) = (rng.u32(1..), rng.u32(1..5));
    match rng.u8(0..8) {
        0 => SizeRelation::Strided { whole, stride, over, loose: rng.bool() },
        1 => {
            let border = wild_border(rng);
            SizeRelation::Window { whole, stride, over, dilation, kernel, border }
        }
        2 => {
            let part = |dim| Part { dim, discardable: rng.bool() };
            SizeRelation::Concat { whole, parts: parts.into_iter().map(part).collect() }
        }
        3 => SizeRelation::Merged { whole, parts },
        4 => {
            let count = if rng.bool() {
                Count::Number(rng.u64(..))
            } else {
                Count::Strided { coefficient: rng.u64(..), dim: over, denominator: rng.u64(1..3) }
            };
            SizeRelation::Total { rows, divided_by, count }
        }
        5 => SizeRelation::Exact { rows, axes },
        6 => {
            let result = wild_row(rng, names);
            let operands = (0..rng.usize(1..4)).map(|_| wild_row(rng, names)).collect();
            SizeRelation::Stretch { result, operands }
        }
        _ => SizeRelation::AtLeast { dim: whole, least: rng.u64(..) },
    }
}

fn wild_border(rng: &mut Generator) -> Border {
    let fill = match rng.u8(0..5) {
        padded @ 0..2 => return Border::Padded { loose: padded == 0 },
        2 => Fill::Exact,
        3 => Fill::Whole,
        _ => Fill::Begun,
    };
    let mut margin = || if rng.bool() { 0 } else { rng.i32(-i32::MAX..) };
    Border::Margins { left: margin(), right: margin(), fill }
}

fn wild_row(rng: &mut Generator, names: &mut Names) -> RowTerm {
    let mut flank = |rng: &mut Generator| -> Vec<DimTerm> {
        (0..rng.usize(0..4)).map(|_| wild_dim(rng, names)).collect()
    };
    let flanks = Flanks::new(flank(rng), flank(rng));
    let index = |rng: &mut Generator| RowVar::new(rng.u32(..1 << 20));
    let var = match rng.u8(0..3) {
        0 => None,
        1 => Some(index(rng)),
        _ => Some(names.row_var(&wild_name(rng)).unwrap_or_else(|| index(rng))),
    };
    RowTerm { flanks, var }
}

fn wild_dim(rng: &mut Generator, names: &mut Names) -> DimTerm {
    let index = |rng: &mut Generator| rng.u32(..1 << 20);
    let basis = match rng.u8(0..4) {
        0..=1 => Basis::DEFAULT,
        2 => Basis::new(index(rng)),
        _ => names.basis(&wild_name(rng)).unwrap_or(Basis::DEFAULT),
    };
    let size = match rng.u8(0..6) {
        0 => return DimTerm::UNIT,
        1 => return DimVar::new(index(rng)).into(),
        2 => return names.dim_var(&wild_name(rng)).map_or(DimTerm::UNIT, DimTerm::from),
        3 => Size::int(rng.u64(1..=Size::MAX)).ok(),
        4 => Size::int(rng.u64(1..=12)).ok(),
        _ if rng.bool() => Some(Size::symbol(SizeSymbol::new(index(rng)))),
        _ => names.symbol(&wild_name(rng)).map(Size::symbol),
    };
    size.map_or(DimTerm::UNIT, |size| Dim::atom(size, basis).into())
}

/// A plain name, or one of the characters that the text form must quote or escape.
fn wild_name(rng: &mut Generator) -> String {
    const ODD: &[char] =
        &['a', 'Z', '0', '_', '"', '\\', '\n', ' ', '◊', '⟩', ']', 'ρ', '?', '@', '/', '\u{301}'];
    let len = rng.usize(1..5);
    if rng.bool() {
        (0..len).map(|_| rng.lowercase()).collect()
    } else {
        (0..len).map(|_| ODD[rng.usize(..ODD.len())]).collect()
    }
}
