//! Relations between sizes: one axis is computed from others.
//!
//! A derived axis is a variable that stands in one of these relations; elsewhere it is a variable like
//! any other, so it can be equated, compared and broadcast.
//!
//! DIVERGENCE(derived terms): the formal notes have affine and concatenated *terms*. Here the term is
//! a variable and what it is computed from a constraint, so that no rule but those of sizes sees
//! arithmetic, and an equation that cannot be decided yet simply waits.
//!
//! In all of them the claim-free unit counts as one element. What a named size is, nobody knows, so a
//! relation over one says something only where it cancels.

use alloc::vec::Vec;

use crate::{
    dim::{Basis, Dim},
    size::Size,
    term::{DimTerm, RowTerm, Substitution},
};

use super::Vars;

/// A relation between the sizes of axes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SizeRelation {
    /// `whole = stride·over`.
    Strided {
        /// The axis that is read.
        whole: DimTerm,
        /// At least 1.
        stride: u32,
        /// The axis that is written.
        over: DimTerm,
    },
    /// A window that slides over an axis. Valid: `whole = stride·(over − 1) + 1 + dilation·(kernel − 1)`.
    /// Padded: `whole = stride·over`, whatever the kernel is.
    Window {
        /// The axis that is read.
        whole: DimTerm,
        /// At least 1.
        stride: u32,
        /// The axis of the window's places.
        over: DimTerm,
        /// At least 1.
        dilation: u32,
        /// The axis of the window itself.
        kernel: DimTerm,
        /// Whether the axis that is read is padded, so that there are as many places as without a
        /// window.
        padded: bool,
    },
    /// `whole = Σ parts`.
    Concat {
        /// The axis of all parts, one after another.
        whole: DimTerm,
        /// The parts, in order.
        parts: Vec<Part>,
    },
    /// `whole = Π parts`.
    Merged {
        /// The axis that is all of them.
        whole: DimTerm,
        /// The axes, the slowest first.
        parts: Vec<DimTerm>,
    },
    /// The rows together have this many elements.
    Total {
        /// The rows.
        rows: Vec<RowTerm>,
        /// The number is divided by these.
        divided_by: Vec<DimTerm>,
        /// How many.
        count: Count,
    },
    /// The axes of the rows, one row after another, are exactly these.
    Exact {
        /// The rows.
        rows: Vec<RowTerm>,
        /// The axes.
        axes: Vec<DimTerm>,
    },
    /// The axis has at least this many elements.
    AtLeast {
        /// The axis.
        dim: DimTerm,
        /// How many.
        least: u64,
    },
}

/// A part of a concatenation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Part {
    /// Its axis.
    pub dim: DimTerm,
    /// Whether it may have no elements, where nothing else says how many it has.
    pub discardable: bool,
}

/// A number of elements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Count {
    /// A number.
    Number(u64),
    /// `coefficient·dim/denominator`.
    Strided {
        /// At least 1.
        coefficient: u64,
        /// The axis.
        dim: DimTerm,
        /// At least 1.
        denominator: u64,
    },
    /// `coefficient/denominator` times as many as other rows have. One relation, so that named sizes cancel.
    Rows {
        /// At least 1.
        coefficient: u64,
        /// The other rows.
        rows: Vec<RowTerm>,
        /// At least 1.
        denominator: u64,
    },
}

/// Whether a component of a concatenated axis may be left out, in an operation that writes or reads
/// the shapes on the other side. It may, if in every one of these there is an axis all of whose
/// components are other components of the concatenation: then nothing that is written or read needs it.
///
/// Shapes are lists of axes, and axes lists of components; an axis that is not concatenated has one.
///
/// ```
/// use lozenge_core::constraint::is_discardable;
/// // `a^b => a`: b is, a is not.
/// assert!(is_discardable(&["a", "b"], 1, &[&[&["a"]]]));
/// assert!(!is_discardable(&["a", "b"], 0, &[&[&["a"]]]));
/// ```
pub fn is_discardable<C: PartialEq>(axis: &[C], component: usize, others: &[&[&[C]]]) -> bool {
    let is_other = |found: &C| {
        axis.iter().enumerate().any(|(place, other)| place != component && other == found)
    };
    let covered = |axis: &&[C]| axis.iter().all(is_other);
    others.iter().all(|shape| shape.iter().any(covered))
}

impl From<DimTerm> for Part {
    fn from(dim: DimTerm) -> Part {
        Part { dim, discardable: false }
    }
}

impl SizeRelation {
    /// The relation with `dim` applied to its dimension terms and `row` to its rows.
    #[must_use]
    pub fn map(
        &self,
        dim: impl Fn(DimTerm) -> DimTerm,
        row: impl Fn(&RowTerm) -> RowTerm,
    ) -> SizeRelation {
        match self {
            SizeRelation::Strided { whole, stride, over } => {
                SizeRelation::Strided { whole: dim(*whole), stride: *stride, over: dim(*over) }
            }
            SizeRelation::Window { whole, stride, over, dilation, kernel, padded } => {
                SizeRelation::Window {
                    whole: dim(*whole),
                    stride: *stride,
                    over: dim(*over),
                    dilation: *dilation,
                    kernel: dim(*kernel),
                    padded: *padded,
                }
            }
            SizeRelation::Concat { whole, parts } => {
                let part = |part: &Part| Part { dim: dim(part.dim), ..*part };
                SizeRelation::Concat { whole: dim(*whole), parts: parts.iter().map(part).collect() }
            }
            SizeRelation::Merged { whole, parts } => SizeRelation::Merged {
                whole: dim(*whole),
                parts: parts.iter().map(|part| dim(*part)).collect(),
            },
            SizeRelation::Total { rows, divided_by, count } => SizeRelation::Total {
                rows: rows.iter().map(&row).collect(),
                divided_by: divided_by.iter().map(|term| dim(*term)).collect(),
                count: match count {
                    Count::Number(n) => Count::Number(*n),
                    Count::Strided { coefficient, dim: term, denominator } => Count::Strided {
                        coefficient: *coefficient,
                        dim: dim(*term),
                        denominator: *denominator,
                    },
                    Count::Rows { coefficient, rows, denominator } => Count::Rows {
                        coefficient: *coefficient,
                        rows: rows.iter().map(&row).collect(),
                        denominator: *denominator,
                    },
                },
            },
            SizeRelation::Exact { rows, axes } => SizeRelation::Exact {
                rows: rows.iter().map(row).collect(),
                axes: axes.iter().map(|term| dim(*term)).collect(),
            },
            SizeRelation::AtLeast { dim: term, least } => {
                SizeRelation::AtLeast { dim: dim(*term), least: *least }
            }
        }
    }

    /// The rows that it is over.
    pub fn rows(&self) -> impl Iterator<Item = &RowTerm> {
        let (rows, others): (&[RowTerm], &[RowTerm]) = match self {
            SizeRelation::Total { rows, count: Count::Rows { rows: others, .. }, .. } => {
                (rows, others)
            }
            SizeRelation::Total { rows, .. } | SizeRelation::Exact { rows, .. } => (rows, &[]),
            SizeRelation::Strided { .. }
            | SizeRelation::Window { .. }
            | SizeRelation::Concat { .. }
            | SizeRelation::Merged { .. }
            | SizeRelation::AtLeast { .. } => (&[], &[]),
        };
        rows.iter().chain(others)
    }

    /// The relation with a substitution applied to its terms.
    #[must_use]
    pub fn substitute(&self, sub: &Substitution) -> SizeRelation {
        self.map(|term| sub.dim(term), |row| sub.row(row))
    }

    /// Adds its variables to `vars`.
    pub(super) fn collect_vars(&self, vars: &mut Vars) {
        let mut add = |terms: &[DimTerm]| vars.dims.extend(terms.iter().filter_map(|t| t.var()));
        let mut others: &[RowTerm] = &[];
        let rows: &[RowTerm] = match self {
            SizeRelation::Strided { whole, over, .. } => {
                add(&[*whole, *over]);
                &[]
            }
            SizeRelation::Window { whole, over, kernel, .. } => {
                add(&[*whole, *over, *kernel]);
                &[]
            }
            SizeRelation::Concat { whole, parts } => {
                add(&[*whole]);
                for part in parts {
                    add(&[part.dim]);
                }
                &[]
            }
            SizeRelation::Merged { whole, parts } => {
                add(&[*whole]);
                add(parts);
                &[]
            }
            SizeRelation::Total { rows, divided_by, count } => {
                add(divided_by);
                match count {
                    Count::Number(_) => {}
                    Count::Strided { dim, .. } => add(&[*dim]),
                    Count::Rows { rows, .. } => others = rows,
                }
                rows
            }
            SizeRelation::Exact { rows, axes } => {
                add(axes);
                rows
            }
            SizeRelation::AtLeast { dim, .. } => {
                add(&[*dim]);
                &[]
            }
        };
        for row in rows.iter().chain(others) {
            vars.dims.extend(row.dim_vars());
            vars.rows.extend(row.var);
        }
    }

    /// Whether ground terms satisfy it; what is not ground does not.
    pub fn holds(&self) -> bool {
        self.holds_or_unknown().unwrap_or(false)
    }

    fn holds_or_unknown(&self) -> Option<bool> {
        let sum = |terms: &[(i128, DimTerm)], constant: i128| -> Option<bool> {
            let mut sum = constant;
            let mut symbols: Vec<(Dim, i128)> = Vec::new();
            for (coefficient, term) in terms {
                let dim = term.ground()?;
                match count(dim) {
                    Some(n) => sum = sum.checked_add(coefficient.checked_mul(n.into())?)?,
                    None => match symbols.iter_mut().find(|(other, _)| same_size(*other, dim)) {
                        Some((_, sum)) => *sum += coefficient,
                        None => symbols.push((dim, *coefficient)),
                    },
                }
            }
            Some(sum == 0 && symbols.iter().all(|(_, sum)| *sum == 0))
        };
        Some(match self {
            SizeRelation::Strided { whole, stride, over }
            | SizeRelation::Window { whole, stride, over, padded: true, .. } => {
                sum(&[(-1, *whole), ((*stride).into(), *over)], 0)? && bases_agree(*whole, &[*over])
            }
            SizeRelation::Window { whole, stride, over, dilation, kernel, padded: false } => {
                let (s, d) = (i128::from(*stride), i128::from(*dilation));
                sum(&[(-1, *whole), (s, *over), (d, *kernel)], 1 - s - d)?
                    && bases_agree(*whole, &[*over, *kernel])
            }
            SizeRelation::Concat { whole, parts } => {
                let terms = parts.iter().map(|part| (1, part.dim));
                let terms: Vec<_> = [(-1, *whole)].into_iter().chain(terms).collect();
                let dims: Vec<DimTerm> = parts.iter().map(|part| part.dim).collect();
                let empty = |part: &Part| part.dim.ground().and_then(count) == Some(0);
                sum(&terms, 0)?
                    && bases_agree(*whole, &dims)
                    && parts.iter().all(|part| part.discardable || !empty(part))
            }
            SizeRelation::Merged { whole, parts } => Product::of(&[*whole])? == Product::of(parts)?,
            SizeRelation::Total { rows, divided_by, count: total } => {
                let all = |elements: Product, rows: &[RowTerm]| -> Option<Product> {
                    rows.iter().try_fold(elements, |elements, row| {
                        row.ground()?;
                        elements.times(row.flanks.flat())
                    })
                };
                let elements = all(Product::of(divided_by)?, rows)?;
                match total {
                    Count::Number(n) => elements == Product::number(*n),
                    Count::Strided { coefficient, dim, denominator } => {
                        let whole = Product::number(*coefficient).times([dim])?;
                        elements.scaled(*denominator)? == whole
                    }
                    Count::Rows { coefficient, rows, denominator } => {
                        elements.scaled(*denominator)? == all(Product::number(*coefficient), rows)?
                    }
                }
            }
            SizeRelation::Exact { rows, axes } => {
                let mut found: Vec<Dim> = Vec::new();
                for row in rows {
                    found.extend(row.ground()?.flat());
                }
                let axes: Option<Vec<Dim>> = axes.iter().map(|term| term.ground()).collect();
                axes? == found
            }
            SizeRelation::AtLeast { dim, least } => {
                let dim = dim.ground()?;
                *least == 0 || count(dim)? >= *least
            }
        })
    }
}

/// A product of sizes: the known ones multiplied, and the named ones in order. Two that have the same
/// named sizes are equal whatever those are.
#[derive(PartialEq)]
struct Product {
    known: u128,
    named: Vec<Size>,
}

impl Product {
    fn number(n: u64) -> Product {
        Product { known: n.into(), named: Vec::new() }
    }

    fn of(terms: &[DimTerm]) -> Option<Product> {
        Product::number(1).times(terms)
    }

    fn scaled(self, n: u64) -> Option<Product> {
        Some(Product { known: self.known.checked_mul(n.into())?, ..self })
    }

    /// `None` for a term that is not ground, or a number that does not fit.
    fn times<'a>(self, terms: impl IntoIterator<Item = &'a DimTerm>) -> Option<Product> {
        let mut product = self;
        for term in terms {
            let size = term.ground()?.size();
            if let Some(n) = size.count() {
                product = product.scaled(n)?;
            } else {
                product.named.push(size);
            }
        }
        product.named.sort_unstable();
        Some(product)
    }
}

/// How many elements a dimension has; `None` for a named size.
pub(crate) fn count(dim: Dim) -> Option<u64> {
    dim.size().count()
}

fn same_size(first: Dim, second: Dim) -> bool {
    match (first, second) {
        (Dim::Atom { size: first, .. }, Dim::Atom { size: second, .. }) => first == second,
        (Dim::Unit, _) | (_, Dim::Unit) => first == second,
    }
}

/// The basis that axes of these bases have together: a named one wins over the default one. `None` when
/// two different ones are named.
pub(crate) fn merged_basis(bases: impl IntoIterator<Item = Basis>) -> Option<Basis> {
    bases.into_iter().try_fold(Basis::DEFAULT, |merged, basis| match (merged, basis) {
        (Basis::DEFAULT, other) | (other, Basis::DEFAULT) => Some(other),
        (merged, other) => (merged == other).then_some(merged),
    })
}

/// Whether the basis of a whole is that of its parts. The unit claims none.
pub(crate) fn bases_agree(whole: DimTerm, parts: &[DimTerm]) -> bool {
    let basis = |term: DimTerm| match term.ground() {
        Some(Dim::Atom { size, basis }) if size != Size::ZERO => Some(basis),
        Some(_) | None => None,
    };
    let mut claimed = parts.iter().filter_map(|part| basis(*part)).peekable();
    let claims = claimed.peek().is_some();
    match (basis(whole), merged_basis(claimed)) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(whole), Some(merged)) => whole == merged || !claims,
    }
}
