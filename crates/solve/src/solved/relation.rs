//! Relations between sizes, shown as they were given or as they stand.

use alloc::vec::Vec;

use lozenge_calculus::{
    constraint::{Border, Count, Part, SizeRelation, count},
    term::{DimTerm, RowTerm},
};

use crate::{
    solved::form::SolvedForm,
    tables::{
        node::{DimRef, RowRef},
        sizes::{Form, Kind, SizePart, SizeRel},
    },
};

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
                    (Form::Padded { dilation }, [over, kernel]) => SizeRelation::Window {
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
            Kind::StretchedRows | Kind::StretchedAxes => {
                let axis = |part: SizePart| RowTerm::closed([], [term(part.dim)]);
                let rows: Vec<RowTerm> = rows();
                let mut all = rows.into_iter().chain(parts.map(axis));
                let result = all.next().unwrap_or_else(|| RowTerm::closed([], []));
                SizeRelation::Stretch { result, operands: all.collect() }
            }
        }
    }

    pub(crate) fn row_now(&self, row: RowRef) -> RowTerm {
        self.row_term(&self.solver.config.tables.rows.view(row), 0, 0)
    }
}

fn elements(left: u64, right: u64, numerator: Option<DimTerm>) -> Count {
    match numerator {
        None => Count::Number(right),
        Some(dim) => Count::Strided { coefficient: right, dim, denominator: left },
    }
}
