//! Random operations as constraints: rows with markers, row variables, broadcasting, computed axes.

use std::ops::Range;

use lozenge_calculus::{
    constraint::{Constraint, OriginId, Relation, SizeRelation},
    dim::Dim,
    row::Flanks,
    size::{Size, Sizes},
    term::{DimTerm, DimVar, RowTerm, RowVar},
};
use lozenge_project::{Access, ClosedOperation, Supplied, SymbolId};

use crate::Generator;

use super::model::{Axis, Factor, Model, Window};

/// An operation that owns what it is made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Owned {
    pub(super) sizes: Vec<Size>,
    /// All sizes are numbers.
    pub(super) table: Sizes,
    pub(super) rows: Vec<Flanks<DimVar>>,
    pub(super) occurrences: Vec<Range<u32>>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) accesses: Vec<(DimTerm, Access)>,
}

impl Owned {
    pub(super) fn closed(&self) -> ClosedOperation<'_> {
        ClosedOperation {
            sizes: &self.sizes,
            table: &self.table,
            rows: &self.rows,
            occurrences: &self.occurrences,
            constraints: &self.constraints,
            accesses: &self.accesses,
        }
    }

    /// The same constraints and accesses in another order.
    pub(super) fn shuffled(&self, rng: &mut Generator) -> Owned {
        let mut other = self.clone();
        rng.shuffle(&mut other.constraints);
        rng.shuffle(&mut other.accesses);
        other
    }

    fn variable(&mut self, size: u64) -> DimVar {
        self.sizes.push(Size::int(size).unwrap_or(Size::ZERO));
        DimVar::new(number(self.sizes.len() - 1))
    }

    fn occurrence(&mut self, sizes: impl IntoIterator<Item = u64>) {
        let first = number(self.sizes.len());
        for size in sizes {
            self.variable(size);
        }
        self.occurrences.push(first..number(self.sizes.len()));
    }

    fn ask(&mut self, relation: Relation) {
        self.constraints.push(relation.with_origin(OriginId::default()));
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// What a model asks, its axes tied to their names by rows or one by one.
pub(super) fn of_model(model: &Model, rng: &mut Generator) -> Owned {
    let mut made = Owned::default();
    for size in model.sizes.iter().chain(&model.ranges) {
        made.variable(*size);
    }
    for slot in &model.slots {
        made.occurrence(slot.iter().map(|axis| model.size(axis)));
    }
    for (slot, axes) in model.slots.iter().enumerate() {
        let own: Vec<DimVar> = made.occurrences[slot].clone().map(DimVar::new).collect();
        let mut written = vec![];
        for (axis, own) in axes.iter().zip(&own) {
            // What is computed is the axis itself, or a variable that is equal to it.
            let direct = rng.u8(..3) == 0;
            let computed = |made: &mut Owned| {
                if direct { *own } else { made.variable(model.size(axis)) }
            };
            written.push(template(&mut made, model, axis, computed));
        }
        if rng.bool() {
            let left = row(&mut made, &written, rng);
            let right = row(&mut made, &own, rng);
            made.ask(if rng.bool() {
                Relation::RowEq(left, right)
            } else {
                Relation::RowEq(right, left)
            });
        } else {
            for (one, other) in written.iter().zip(&own).filter(|(one, other)| one != other) {
                let mut pair = [*one, *other].map(DimTerm::Var);
                rng.shuffle(&mut pair);
                made.ask(Relation::DimEq(pair[0], pair[1]));
            }
        }
    }
    made
}

/// The variable of an axis as it is written.
fn template(
    made: &mut Owned,
    model: &Model,
    axis: &Axis,
    computed: impl Fn(&mut Owned) -> DimVar,
) -> DimVar {
    let name = |name: usize| DimVar::new(number(name));
    let relation = |made: &mut Owned, offset: u64, of: &dyn Fn(DimTerm) -> SizeRelation| {
        let whole = computed(made);
        if offset > 0 {
            made.accesses.push((whole.into(), Access::From(offset)));
        }
        made.ask(Relation::Size(of(whole.into())));
        whole
    };
    let factor = |factor: &Factor| match factor {
        Factor::Name(of) => name(*of).into(),
        Factor::Size(size) => DimTerm::Dim(Dim::int(*size).unwrap_or(Dim::Unit)),
    };
    match axis {
        Axis::Name(of) => name(*of),
        Axis::Fresh(_) => computed(made),
        Axis::Fixed { at, .. } => {
            let dim = computed(made);
            made.accesses.push((dim.into(), Access::At(Supplied::Fix(*at))));
            made.ask(Relation::Size(SizeRelation::AtLeast { dim: dim.into(), least: at + 1 }));
            dim
        }
        Axis::Runtime(range) => {
            let dim = name(model.sizes.len() + range);
            let supplied = Supplied::Symbol(SymbolId(number(model.symbol(*range))));
            made.accesses.push((dim.into(), Access::At(supplied)));
            dim
        }
        Axis::Strided { stride, over, offset, loose } => {
            relation(made, *offset, &|whole| SizeRelation::Strided {
                whole,
                stride: *stride,
                over: name(*over).into(),
                loose: loose.is_some(),
            })
        }
        Axis::Window(Window { stride, over, dilation, kernel, offset, border, .. }) => {
            relation(made, *offset, &|whole| SizeRelation::Window {
                whole,
                stride: *stride,
                over: name(*over).into(),
                dilation: *dilation,
                kernel: name(*kernel).into(),
                border: border.constraint(),
            })
        }
        Axis::Merged(factors) => relation(made, 0, &|whole| SizeRelation::Merged {
            whole,
            parts: factors.iter().map(factor).collect(),
        }),
        Axis::Concat(parts) => relation(made, 0, &|whole| SizeRelation::Concat {
            whole,
            parts: parts.iter().map(|part| factor(part).into()).collect(),
        }),
    }
}

/// Variables as a row: with a marker somewhere, and perhaps some of them in a row variable.
fn row(made: &mut Owned, axes: &[DimVar], rng: &mut Generator) -> RowTerm {
    let from = rng.usize(..=axes.len());
    let to = rng.usize(from..=axes.len());
    let terms = |axes: &[DimVar]| axes.iter().map(|axis| DimTerm::Var(*axis)).collect::<Vec<_>>();
    if rng.u8(..3) == 0 {
        let inner = &axes[from..to];
        let marker = rng.usize(..=inner.len());
        made.rows.push(Flanks::new(inner[..marker].to_vec(), inner[marker..].to_vec()));
        let var = RowVar::new(number(made.rows.len() - 1));
        RowTerm::open(terms(&axes[..from]), var, terms(&axes[to..]))
    } else {
        RowTerm::closed(terms(&axes[..from]), terms(&axes[from..]))
    }
}

/// Operands that are broadcast into a result, some through a row of their own.
pub(super) fn broadcast(rng: &mut Generator) -> Owned {
    let mut made = Owned::default();
    let sizes: Vec<u64> = (0..rng.usize(..=4)).map(|_| rng.u64(1..=5)).collect();
    made.occurrence(sizes.iter().copied());
    let result: Vec<DimVar> = made.occurrences[0].clone().map(DimVar::new).collect();
    for _ in 0..rng.usize(1..=3) {
        let lead = rng.usize(..=sizes.len());
        let trail = rng.usize(..=sizes.len() - lead);
        let aligned = sizes[..lead].iter().chain(&sizes[sizes.len() - trail..]);
        let own: Vec<u64> = aligned.map(|size| if rng.u8(..4) == 0 { 1 } else { *size }).collect();
        made.occurrence(own.iter().copied());
        let axes: Vec<DimVar> =
            made.occurrences[made.occurrences.len() - 1].clone().map(DimVar::new).collect();
        let below = row(&mut made, &result, rng);
        let marked = |axes: &[DimVar]| {
            let term = |axis: &DimVar| DimTerm::Var(*axis);
            RowTerm::closed(axes[..lead].iter().map(term), axes[lead..].iter().map(term))
        };
        if rng.u8(..3) == 0 {
            let between: Vec<DimVar> = own.iter().map(|size| made.variable(*size)).collect();
            made.ask(Relation::RowIneq(below, marked(&between)));
            let (one, other) = (row(&mut made, &between, rng), row(&mut made, &axes, rng));
            made.ask(Relation::RowEq(one, other));
        } else {
            made.ask(Relation::RowIneq(below, marked(&axes)));
        }
    }
    made
}

/// Asks a little more of some axes, whether or not it can be.
pub(super) fn disturb(made: &mut Owned, rng: &mut Generator) {
    let vars: Vec<u32> = (0..number(made.sizes.len())).collect();
    if vars.is_empty() {
        return;
    }
    for _ in 0..rng.usize(1..=2) {
        let one = vars[rng.usize(..vars.len())];
        let size = made.sizes[one as usize];
        // Mostly of the same size; otherwise it is a conflict, of which there are some.
        let fits = |var: &u32| made.sizes[*var as usize] == size;
        let like: Vec<u32> = vars.iter().copied().filter(fits).collect();
        let other = match rng.u8(..8) {
            0 => vars[rng.usize(..vars.len())],
            _ => like[rng.usize(..like.len())],
        };
        let (one, other): (DimTerm, DimTerm) = (DimVar::new(one).into(), DimVar::new(other).into());
        let is_like = like.iter().any(|var| DimTerm::from(DimVar::new(*var)) == other);
        match rng.u8(..10) {
            // Computed from one that may be computed itself.
            9 if is_like && one != other => {
                made.ask(Relation::Size(SizeRelation::Strided {
                    whole: one,
                    stride: 1,
                    over: other,
                    loose: false,
                }));
            }
            8 => made.accesses.push((one, Access::From(rng.u64(..3)))),
            0..=2 => made.ask(Relation::DimEq(one, other)),
            3..=5 => made.ask(Relation::DimIneq(one, other)),
            6 => made.accesses.push((one, Access::At(Supplied::Fix(rng.u64(..3))))),
            _ => {
                let symbol = SymbolId(rng.u32(..2));
                made.accesses.push((one, Access::At(Supplied::Symbol(symbol))));
            }
        }
    }
}
