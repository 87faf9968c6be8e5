//! Relations between sizes, as the solver holds them.
//!
//! A relation watches the dimension variables in it. When one is bound, or has a new least size, the
//! relation is asked again: what it forces is bound, what it refutes fails, and what it cannot decide
//! yet is kept as it is. A relation over rows watches the first row that is not closed.
//!
//! | asked | kept as |
//! |---|---|
//! | strided, window, concatenation | a linear equation of which the first part is the whole |
//! | merged | a product |
//! | number of elements | rows; once all are closed, a product |
//! | exact axes | rows, until all but one are closed |
//! | at least n | a bound of the variable; a requirement where that is no number |
//! | stretch | rows, until all operands are closed; then one of it for every axis of the result |
//!
//! **Agreement** (document 000, 8.4(a)): the size equation of each mode is written once, in
//! [`SizeRelation::equation`]; what is taken here and what the judge decides is that.

use alloc::vec::Vec;

use smallvec::SmallVec;

use lozenge_calculus::{
    constraint::{Border, Count, Equation, Fill, Part, SizeRelation, Term, count},
    dim::Basis,
    term::{DimTerm, RowTerm},
};

use crate::{
    Exhausted, SolvedForm,
    config::Config,
    tables::{
        ids::{DimNode, Id, PackedOption, PartId, RelationId, RelationRowId, WatchId, between},
        list::{Dims, Relations, Tables},
        node::{Ask, DimRef, RowRef},
    },
    why::trace::Cause,
};

/// A relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SizeRel {
    pub(crate) kind: Kind,
    /// Its dimension terms.
    pub(crate) parts: Span<PartId>,
    /// Its rows.
    pub(crate) rows: Span<RelationRowId>,
    pub(crate) cause: Cause,
    pub(crate) queued: bool,
    /// Whether nothing is left to ask.
    pub(crate) done: bool,
    /// The relation with the same whole that it was subtracted from.
    pub(crate) partner: PackedOption<RelationId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `Σ coefficient·part + constant + r = 0` for some `r` of 0 to `slack`; in one that was given, the first part is
    /// the whole.
    Linear { constant: i64, slack: u32, form: Form },
    /// `left·Π parts with a positive coefficient = right·Π the others`. It was given as merged axes, and
    /// the first part is the whole; or it is what became of a number of elements.
    Product { left: u64, right: u64, of_elements: bool },
    /// The same, with the axes of the rows on the left, but for the last `over` rows, whose axes are on the
    /// right.
    Total { left: u64, right: u64, over: u32 },
    /// The axes of the rows are the parts.
    Exact,
    /// The first row is what the others are stretched to; where there are no rows, the first part what the others are.
    Stretch,
}

/// What a linear relation was given as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Strided,
    Window {
        left: i32,
        right: i32,
        fill: Fill,
    },
    /// The kernel is a part with the coefficient 0; this is the dilation.
    Padded(u32),
    Concat,
    /// It was not: it is the difference of two that were.
    Difference,
}

/// A range of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span<I> {
    pub(crate) at: I,
    pub(crate) len: u32,
}

impl<I: Id> Span<I> {
    /// The range from one item to before another.
    pub(crate) fn between(at: I, end: I) -> Span<I> {
        Span { at, len: end.index() - at.index() }
    }

    /// No items.
    pub(crate) fn empty() -> Span<I> {
        Span { at: I::new(0), len: 0 }
    }

    /// The items.
    pub(crate) fn range(self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
        between(self.at, self.at.plus(self.len))
    }
}

/// A dimension term in a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SizePart {
    pub(crate) dim: DimRef,
    pub(crate) coefficient: i64,
    /// Whether it may have no elements.
    pub(crate) discardable: bool,
}

/// A relation in the list of a dimension variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Watch {
    pub(crate) relation: RelationId,
    pub(crate) next: PackedOption<WatchId>,
}

/// What is known of the size of an unbound dimension variable, and why.
///
/// A relation that finds a size says nothing of the basis, nor whether one element is the unit or an atom.
/// So the size is kept as a fact of the variable, which stays unbound until something says the rest; a
/// rule that bound it would choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Least {
    pub(crate) size: u64,
    /// Whether it has no more than that either; and the basis that closing gives it.
    pub(crate) exact: Option<Basis>,
    /// Whether nothing said which basis is likely.
    pub(crate) guessed: bool,
    pub(crate) cause: Cause,
    /// The term that stood for the variable.
    pub(crate) via: DimRef,
    /// How often it was raised.
    pub(crate) raised: u32,
}

/// How often the least size of a variable is raised by relations. Two of them can raise each other for
/// ever where there is no solution, as `α = β + 1` and `β = α + 1` do. What grows by a quarter each time
/// is no size any more before that, and so fails.
pub(crate) const MOST_RAISES: u32 = 256;

impl Config {
    /// A relation in the solver's own terms. `cause` is the given constraint that it will be.
    pub(crate) fn take_size(
        &mut self,
        relation: &SizeRelation,
        cause: Cause,
    ) -> Result<Ask, Exhausted> {
        Ok(match relation.equation() {
            Equation::Sum { terms, constant, slack, last: _ } => {
                let form = match relation {
                    SizeRelation::Strided { .. } => Form::Strided,
                    SizeRelation::Window { dilation, border, .. } => match *border {
                        Border::Padded { .. } => Form::Padded(*dilation),
                        Border::Margins { left, right, fill } => Form::Window { left, right, fill },
                    },
                    _ => Form::Concat,
                };
                self.relation(Kind::Linear { constant, slack, form }, &terms, [], cause)?
            }
            Equation::Product { left, right, terms, rows, over } => {
                let kind = if matches!(relation, SizeRelation::Merged { .. }) {
                    Kind::Product { left, right, of_elements: false }
                } else {
                    Kind::Total { left, right, over: crate::tables::ids::index(over.len()) }
                };
                self.relation(kind, &terms, rows.iter().chain(over), cause)?
            }
            Equation::Axes { rows, axes } => {
                let axis = |dim: &DimTerm| Term { dim: *dim, coefficient: 1, discardable: false };
                let axes: SmallVec<[Term; 4]> = axes.iter().map(axis).collect();
                self.relation(Kind::Exact, &axes, rows, cause)?
            }
            Equation::AtLeast { dim, least } => Ask::AtLeast { dim: self.dim_ref(dim), least },
            Equation::Stretched { result, operands } => {
                self.relation(Kind::Stretch, &[], [result].into_iter().chain(operands), cause)?
            }
        })
    }

    fn relation<'a>(
        &mut self,
        kind: Kind,
        parts: &[Term],
        rows: impl IntoIterator<Item = &'a RowTerm>,
        cause: Cause,
    ) -> Result<Ask, Exhausted> {
        let mut taken: SmallVec<[SizePart; 4]> = SmallVec::new();
        for Term { dim, coefficient, discardable } in parts.iter().copied() {
            let dim = self.dim_ref(dim);
            taken.push(SizePart { dim, coefficient, discardable });
        }
        let mut row_refs: SmallVec<[RowRef; 3]> = SmallVec::new();
        for row in rows {
            if row.flanks.rank() > usize::from(self.options.budget.rank) {
                return Err(Exhausted::Rank);
            }
            row_refs.push(self.row_ref(row));
        }
        let at = self.tables.relations.rows.end();
        for row in &row_refs {
            self.tables.relations.rows.push(*row);
        }
        let rows = Span::between(at, self.tables.relations.rows.end());
        Ok(Ask::Size(self.tables.add_relation(kind, &taken, rows, cause)))
    }
}

impl Tables {
    /// Adds a relation, which watches its parts.
    pub(crate) fn add_relation(
        &mut self,
        kind: Kind,
        parts: &[SizePart],
        rows: Span<RelationRowId>,
        cause: Cause,
    ) -> RelationId {
        let at = self.relations.parts.end();
        for part in parts {
            self.relations.parts.push(*part);
        }
        let span = Span::between(at, self.relations.parts.end());
        let relation = self.relations.all.push(SizeRel {
            kind,
            parts: span,
            rows,
            cause,
            queued: false,
            done: false,
            partner: PackedOption::NONE,
        });
        // Of rows that are stretched, the relation watches one that is open.
        if rows.len > 0 && kind != Kind::Stretch {
            self.relations.over_rows.push(relation);
            let is_count = matches!(kind, Kind::Total { left: 1, over: 0, .. });
            if is_count && rows.len == 1 && parts.is_empty() {
                self.relations.counts.push(relation);
            }
        }
        for part in parts {
            if let Some(node) = self.dims.find(part.dim).as_node() {
                let bounds = self.dims.bounds_index(node);
                let next = self.dims.bounds.get(bounds).watches;
                let watch = self.dims.watches.push(Watch { relation, next });
                self.dims.bounds.update(bounds, |bounds| {
                    bounds.watches = PackedOption::some(watch);
                    bounds.degree += 1;
                });
            }
        }
        relation
    }
}

impl Relations {
    /// The parts of a relation.
    pub(crate) fn parts(&self, span: Span<PartId>) -> impl Iterator<Item = SizePart> + Clone + '_ {
        span.range().map(|at| self.parts.get(at))
    }

    /// How many relations wait.
    pub(crate) fn open_relations(&self) -> u32 {
        let open = self.all.iter().filter(|relation| !relation.done).count();
        crate::tables::ids::index(open)
    }
}

impl Tables {
    /// Whether a relation waits, or a variable has a least size above 1.
    pub(crate) fn has_open_sizes(&self) -> bool {
        self.relations.open_relations() > 0 || self.dims.unbound_leasts().next().is_some()
    }
}

impl Dims {
    /// Whether relations say how many elements an unbound variable has.
    pub(crate) fn has_found_sizes(&self) -> bool {
        self.unbound_sizes().any(|(_, known)| known.exact.is_some())
    }

    /// The unbound dimension variables of whose sizes something is known.
    pub(crate) fn unbound_sizes(&self) -> impl Iterator<Item = (DimNode, Least)> + '_ {
        let nodes = Some(self.states.ids()).filter(|_| !self.facts.is_empty());
        nodes.into_iter().flatten().filter_map(|node| Some((node, self.least_of(node)?)))
    }

    /// The unbound dimension variables that have a least size above 1.
    pub(crate) fn unbound_leasts(&self) -> impl Iterator<Item = (DimNode, Least)> + '_ {
        self.unbound_sizes().filter(|(_, known)| known.size > 1)
    }
}

impl SolvedForm<'_> {
    /// A given relation as it was given or, with `now`, as it stands.
    pub(crate) fn size_relation(&self, relation: SizeRel, now: bool) -> SizeRelation {
        let term = |dim: DimRef| if now { self.dim_term(dim) } else { self.given_dim(dim) };
        let row = |row: RowRef| if now { self.row_now(row) } else { self.given_row(row) };
        let rows = || {
            let rows = relation
                .rows
                .range()
                .map(|at| row(self.solver.config.tables.relations.rows.get(at)));
            rows.collect()
        };
        let mut parts = self.solver.config.tables.relations.parts(relation.parts);
        match relation.kind {
            Kind::Linear { form, slack, .. } => {
                let whole = parts.next().map_or(DimTerm::UNIT, |part| term(part.dim));
                let parts: Vec<SizePart> = parts.collect();
                let factor = |part: &SizePart| u32::try_from(part.coefficient).unwrap_or(0);
                match (form, parts.as_slice()) {
                    (Form::Window { left, right, fill }, [over, kernel]) => SizeRelation::Window {
                        whole,
                        stride: factor(over),
                        over: term(over.dim),
                        dilation: factor(kernel),
                        kernel: term(kernel.dim),
                        border: Border::Margins { left, right, fill },
                    },
                    (Form::Padded(dilation), [over, kernel]) => SizeRelation::Window {
                        whole,
                        stride: factor(over),
                        over: term(over.dim),
                        dilation,
                        kernel: term(kernel.dim),
                        border: Border::Padded { loose: slack > 0 },
                    },
                    (Form::Strided, [over]) => {
                        let (stride, over) = (factor(over), term(over.dim));
                        SizeRelation::Strided { whole, stride, over, loose: slack > 0 }
                    }
                    (_, parts) => {
                        // What is empty is left out of what is left.
                        let empty = |part: &SizePart| {
                            now && term(part.dim).ground().and_then(count) == Some(0)
                        };
                        let part = |part: &SizePart| Part {
                            dim: term(part.dim),
                            discardable: part.discardable,
                        };
                        let parts = parts.iter().filter(|part| !empty(part)).map(part).collect();
                        SizeRelation::Concat { whole, parts }
                    }
                }
            }
            Kind::Product { left, right, of_elements: true } => {
                let row = |sign: i64| {
                    let on_side = parts.clone().filter(|part| part.coefficient.signum() == sign);
                    alloc::vec![RowTerm::closed([], on_side.map(|part| term(part.dim)))]
                };
                let count = Count::Rows { coefficient: right, rows: row(-1), denominator: left };
                SizeRelation::Total { rows: row(1), divided_by: Vec::new(), count }
            }
            Kind::Product { of_elements: false, .. } => {
                let whole = parts.next().map_or(DimTerm::UNIT, |part| term(part.dim));
                SizeRelation::Merged { whole, parts: parts.map(|part| term(part.dim)).collect() }
            }
            Kind::Total { left, right, over } => {
                let (divisors, numerator): (Vec<SizePart>, Vec<SizePart>) =
                    parts.partition(|part| part.coefficient > 0);
                let mut rows: Vec<RowTerm> = rows();
                let others = rows.split_off(rows.len() - over as usize);
                let count = if over > 0 || numerator.is_empty() && left != 1 {
                    Count::Rows { coefficient: right, rows: others, denominator: left }
                } else {
                    elements(left, right, numerator.first().map(|part| term(part.dim)))
                };
                let divided_by = divisors.iter().map(|part| term(part.dim)).collect();
                SizeRelation::Total { rows, divided_by, count }
            }
            Kind::Exact => SizeRelation::Exact {
                rows: rows(),
                axes: parts.map(|part| term(part.dim)).collect(),
            },
            Kind::Stretch => {
                let axis = |part: SizePart| RowTerm::closed([], [term(part.dim)]);
                let rows: Vec<RowTerm> = rows();
                let mut all = rows.into_iter().chain(parts.map(axis));
                let result = all.next().unwrap_or_else(|| RowTerm::closed([], []));
                SizeRelation::Stretch { result, operands: all.collect() }
            }
        }
    }

    fn row_now(&self, row: RowRef) -> RowTerm {
        self.row_term(&self.solver.config.tables.rows.view(row), 0, 0)
    }
}

fn elements(left: u64, right: u64, numerator: Option<DimTerm>) -> Count {
    match numerator {
        None => Count::Number(right),
        Some(dim) => Count::Strided { coefficient: right, dim, denominator: left },
    }
}
