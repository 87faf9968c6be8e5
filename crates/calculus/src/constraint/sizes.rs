//! Relations between sizes: one axis is computed from others.
//!
//! A derived axis is a variable that stands in one of these relations; elsewhere it is a variable
//! like any other, so it can be equated, compared and broadcast.
//!
//! DIVERGENCE(derived terms): the formal notes have affine and concatenated *terms*. Here the term
//! is a variable and what it is computed from a constraint, so that no rule but those of sizes sees
//! arithmetic, and an equation that cannot be decided yet simply waits.
//!
//! In all of them the claim-free unit counts as one element. The equation of each is written once,
//! in
//! [`SizeRelation::equation`]: the solver takes it, and the judge decides it.

use alloc::{vec, vec::Vec};

use smallvec::SmallVec;

use crate::{
    dim::{Dim, merged_basis},
    size::{Decision, Requirement, Side, Sides, Size, Sizes, fills, missing, plus},
    term::{DimTerm, RowTerm, Substitution},
};

use super::{
    border::{Border, Fill},
    vars::Vars,
};

/// A relation between the sizes of axes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SizeRelation {
    /// `whole = stride·over`. Loose: `whole = stride·(over − 1) + 1 + r` with `0 ≤ r < stride`, so
    /// that `over` is `⌈whole/stride⌉`.
    Strided {
        /// The axis that is read.
        whole: DimTerm,
        /// At least 1.
        stride: u32,
        /// The axis that is written.
        over: DimTerm,
        /// Whether the stride need not divide the whole.
        loose: bool,
    },
    /// A window that slides over an axis, with `span = 1 + dilation·(kernel − 1)`. With margins:
    /// `left + whole + right = stride·(over − 1) + span + r`, where `r` is 0, or `0 ≤ r < stride`
    /// where whole windows are taken, or `-stride < r ≤ 0` where the last one is begun, which it is
    /// before `whole` ends. Padded: as strided, whatever the kernel is.
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
        /// What happens where the axis that is read ends.
        border: Border,
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
    /// `result ⊑ᴺ |operands|`, broadcasting as NumPy does it: the result has as many axes as the
    /// operand that has the most, and each of its axes is what those of the operands at its place
    /// are [stretched](Dim::stretched) to. Its marker stands as late as in one of the longest
    /// operands.
    Stretch {
        /// The row that the operands are stretched to.
        result: RowTerm,
        /// At least one.
        operands: Vec<RowTerm>,
    },
}

/// A part of a concatenation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Part {
    /// The axis of the part.
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
    /// `coefficient/denominator` times as many as other rows have. One relation, so that named
    /// sizes cancel.
    Rows {
        /// At least 1.
        coefficient: u64,
        /// The other rows.
        rows: Vec<RowTerm>,
        /// At least 1.
        denominator: u64,
    },
}

/// The equation between sizes that a relation stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Equation<'a> {
    /// `Σ coefficient·size + constant + r = 0` for some `r` of 0 to `slack`; the first term is the
    /// whole.
    Sum {
        /// The terms; one with the coefficient 0 is there, but does not count.
        terms: SmallVec<[Term; 4]>,
        /// The constant that is added.
        constant: i64,
        /// How much may be left over.
        slack: u32,
        /// The least value of the last term, where that is not its own.
        last: Option<i64>,
    },
    /// `left·Π sizes = right·Π sizes`: those with a positive coefficient and of all axes of `rows`
    /// are on the left, the others and those of `over` on the right.
    Product {
        /// A number on the left.
        left: u64,
        /// A number on the right.
        right: u64,
        /// The terms; of a merged axis the first is the whole.
        terms: SmallVec<[Term; 4]>,
        /// Rows on the left.
        rows: &'a [RowTerm],
        /// Rows on the right.
        over: &'a [RowTerm],
    },
    /// The axes of the rows are these.
    Axes {
        /// The rows, one after another.
        rows: &'a [RowTerm],
        /// The axes.
        axes: &'a [DimTerm],
    },
    /// The axis has at least this many elements.
    AtLeast {
        /// The axis.
        dim: DimTerm,
        /// How many.
        least: u64,
    },
    /// The axes of the operands are stretched to those of the result.
    Stretched {
        /// The row that they are stretched to.
        result: &'a RowTerm,
        /// The operands.
        operands: &'a [RowTerm],
    },
}

/// A term of an [equation](Equation).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    /// The axis.
    pub dim: DimTerm,
    /// The coefficient of its size; in a product, the power: 1 on the left and −1 on the right.
    pub coefficient: i64,
    /// Whether it may have no elements.
    pub discardable: bool,
}

impl Term {
    fn new(dim: DimTerm, coefficient: impl Into<i64>) -> Term {
        Term { dim, coefficient: coefficient.into(), discardable: false }
    }
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
            SizeRelation::Strided { whole, stride, over, loose } => SizeRelation::Strided {
                whole: dim(*whole),
                stride: *stride,
                over: dim(*over),
                loose: *loose,
            },
            SizeRelation::Window { whole, stride, over, dilation, kernel, border } => {
                SizeRelation::Window {
                    whole: dim(*whole),
                    stride: *stride,
                    over: dim(*over),
                    dilation: *dilation,
                    kernel: dim(*kernel),
                    border: *border,
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
            SizeRelation::Stretch { result, operands } => SizeRelation::Stretch {
                result: row(result),
                operands: operands.iter().map(row).collect(),
            },
        }
    }

    /// The rows that it is over.
    pub fn rows(&self) -> impl Iterator<Item = &RowTerm> {
        let (rows, others): (&[RowTerm], &[RowTerm]) = match self {
            SizeRelation::Total { rows, count: Count::Rows { rows: others, .. }, .. } => {
                (rows, others)
            }
            SizeRelation::Total { rows, .. } | SizeRelation::Exact { rows, .. } => (rows, &[]),
            SizeRelation::Stretch { result, operands } => (core::slice::from_ref(result), operands),
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
            SizeRelation::Stretch { result, operands } => {
                others = operands;
                core::slice::from_ref(result)
            }
        };
        for row in rows.iter().chain(others) {
            vars.dims.extend(row.dim_vars());
            vars.rows.extend(row.var);
        }
    }

    /// The equation between sizes that this relation stands for.
    pub fn equation(&self) -> Equation<'_> {
        let whole = |dim: DimTerm| Term::new(dim, -1);
        // A place for every step that is begun.
        let steps = |terms: &[Term], stride: u32, loose| {
            let (constant, slack) =
                if loose { (1 - i64::from(stride), stride - 1) } else { (0, 0) };
            Equation::Sum { terms: terms.into(), constant, slack, last: None }
        };
        match self {
            SizeRelation::Strided { whole: all, stride, over, loose } => {
                steps(&[whole(*all), Term::new(*over, *stride)], *stride, *loose)
            }
            SizeRelation::Window { whole: all, stride, over, dilation, kernel, border } => {
                let (all, over) = (whole(*all), Term::new(*over, *stride));
                let (left, right, fill) = match *border {
                    Border::Padded { loose } => {
                        return steps(&[all, over, Term::new(*kernel, 0)], *stride, loose);
                    }
                    Border::Margins { left, right, fill } => {
                        (i64::from(left), i64::from(right), fill)
                    }
                };
                let terms = [all, over, Term::new(*kernel, *dilation)];
                let (step, dilation) = (i64::from(*stride), i64::from(*dilation));
                let constant = 1 - step - dilation - left - right;
                let (constant, slack) = match fill {
                    Fill::Exact => (constant, 0),
                    Fill::Whole => (constant, stride - 1),
                    Fill::Begun => (constant - (step - 1), stride - 1),
                };
                let last = border.least_kernel(step, dilation);
                Equation::Sum { terms: terms.as_slice().into(), constant, slack, last }
            }
            SizeRelation::Concat { whole: all, parts } => {
                let part =
                    |part: &Part| Term { discardable: part.discardable, ..Term::new(part.dim, 1) };
                let terms = [whole(*all)].into_iter().chain(parts.iter().map(part));
                Equation::Sum { terms: terms.collect(), constant: 0, slack: 0, last: None }
            }
            SizeRelation::Merged { whole: all, parts } => {
                let parts = parts.iter().map(|part| Term::new(*part, 1));
                let terms = [whole(*all)].into_iter().chain(parts).collect();
                Equation::Product { left: 1, right: 1, terms, rows: &[], over: &[] }
            }
            SizeRelation::Total { rows, divided_by, count } => {
                let (left, right, numerator, over): (_, _, _, &[RowTerm]) = match count {
                    Count::Number(n) => (1, *n, None, &[]),
                    Count::Strided { coefficient, dim, denominator } => {
                        (*denominator, *coefficient, Some(whole(*dim)), &[])
                    }
                    Count::Rows { coefficient, rows, denominator } => {
                        (*denominator, *coefficient, None, rows)
                    }
                };
                let divisors = divided_by.iter().map(|dim| Term::new(*dim, 1));
                let terms = divisors.chain(numerator).collect();
                Equation::Product { left, right, terms, rows, over }
            }
            SizeRelation::Exact { rows, axes } => Equation::Axes { rows, axes },
            SizeRelation::AtLeast { dim, least } => Equation::AtLeast { dim: *dim, least: *least },
            SizeRelation::Stretch { result, operands } => Equation::Stretched { result, operands },
        }
    }

    /// Whether ground terms satisfy it, for some values of the names of this table; what is not
    /// ground does not. Where only some values do, that they have them is a requirement.
    pub fn holds(&self, sizes: &mut Sizes) -> bool {
        self.decided(sizes).is_some_and(|decision| {
            !matches!(decision, Decision::Never | Decision::Is(..) | Decision::Several)
        })
    }

    /// The requirement of names under which ground terms satisfy the relation.
    pub fn required(&self, sizes: &mut Sizes) -> Option<Requirement> {
        match self.decided(sizes)? {
            Decision::Requires(requirement) => Some(requirement),
            Decision::Always | Decision::Never | Decision::Is(..) | Decision::Several => None,
        }
    }

    fn decided(&self, sizes: &mut Sizes) -> Option<Decision> {
        let said = |holds: bool| if holds { Decision::Always } else { Decision::Never };
        Some(match self.equation() {
            Equation::Sum { terms, constant, slack, last } => {
                let mut known = i128::from(constant);
                let mut open: SmallVec<[(Size, i128); 2]> = SmallVec::new();
                let mut counted: SmallVec<[DimTerm; 4]> = SmallVec::new();
                if let (Some(least), Some(term)) = (last, terms.last()) {
                    known += missing(sizes, term.dim.ground()?.size(), term.coefficient, least)?;
                }
                for (place, term) in terms.iter().enumerate() {
                    let (size, factor) = (term.dim.ground()?.size(), term.coefficient);
                    let is_left_out = place > 0 && size == Size::ZERO && !term.discardable;
                    if is_left_out && matches!(self, SizeRelation::Concat { .. }) {
                        return Some(Decision::Never);
                    }
                    match size.count() {
                        Some(n) => known = plus(known, factor, n)?,
                        None if factor != 0 => open.push((size, factor.into())),
                        None => {}
                    }
                    if factor != 0 {
                        counted.push(term.dim);
                    }
                }
                let (whole, parts) = counted.split_first()?;
                if !bases_agree(*whole, parts) {
                    Decision::Never
                } else if open.is_empty() {
                    said(fills(known, slack))
                } else {
                    let form = sizes.weighted(known, open);
                    let rest = sizes.rest(form, slack);
                    sizes.decide(&rest)
                }
            }
            Equation::Product { left, right, terms, rows, over } => {
                let mut product =
                    Products { known: Sides::new(left, right), open: [vec![], vec![]] };
                for term in &terms {
                    let side = Side::of_power(term.coefficient);
                    product.times(side, term.dim.ground()?.size())?;
                }
                for (side, rows) in [(Side::Left, rows), (Side::Right, over)] {
                    for row in rows {
                        for dim in row.ground()?.flat() {
                            product.times(side, dim.size())?;
                        }
                    }
                }
                let Products { known: Sides { left, right }, open } = product;
                if left == right && open[0] == open[1] {
                    return Some(Decision::Always);
                }
                if open.iter().all(Vec::is_empty) {
                    return Some(Decision::Never);
                }
                let [more_left, more_right] = open;
                let left = sizes.multiplied(left, more_left)?;
                let right = sizes.multiplied(right, more_right)?;
                let difference = sizes.difference(&left, &right);
                sizes.decide(&difference)
            }
            Equation::Axes { rows, axes } => {
                let mut found: Vec<Dim> = Vec::new();
                for row in rows {
                    found.extend(row.ground()?.flat());
                }
                let axes: Option<Vec<Dim>> = axes.iter().map(|term| term.ground()).collect();
                said(axes? == found)
            }
            Equation::AtLeast { dim, least } => {
                let size = dim.ground()?.size();
                if let Some(n) = size.count() {
                    return Some(said(n >= least));
                }
                let form = sizes.form(size);
                sizes.decide_at_least(&form, least.into())
            }
            Equation::Stretched { result, operands } => {
                let operands: Option<Vec<_>> = operands.iter().map(RowTerm::ground).collect();
                said(result.ground()?.is_stretched_from(&operands?))
            }
        })
    }
}

/// Two products of sizes: the numbers multiplied, and the others in order. Two that have the same
/// are equal whatever those are.
struct Products {
    known: Sides,
    open: [Vec<Size>; 2],
}

impl Products {
    /// `None` for a number that does not fit.
    fn times(&mut self, side: Side, size: Size) -> Option<()> {
        if let Some(n) = size.count() {
            self.known = self.known.times(side, n)?;
        } else {
            let open = &mut self.open[side as usize];
            let place = open.binary_search(&size).unwrap_or_else(|place| place);
            open.insert(place, size);
        }
        Some(())
    }
}

/// How many elements a dimension has; `None` for a named size.
pub fn count(dim: Dim) -> Option<u64> {
    dim.size().count()
}

/// Whether the basis of a whole is that of its parts. The claim-free unit has no basis and agrees
/// with every one.
pub fn bases_agree(whole: DimTerm, parts: &[DimTerm]) -> bool {
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
