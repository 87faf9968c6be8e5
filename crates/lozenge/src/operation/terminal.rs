//! Terminals: tensors that no operation makes.

use std::{collections::BTreeMap, sync::Arc};

use lozenge_calculus::{
    constraint::{Count, Part, SizeRelation},
    dim::{Basis, Dim},
    row::{Flank, Flanks},
    size::{Polynomial, Size, Sizes},
    term::{DimTerm, RowTerm, RowVar},
};
use {
    lozenge_notation as spec,
    lozenge_notation::{Computed, ComputedId, DimForm},
};

use super::{Declaration, Misfit, Operation, Scheme, SchemeKey, SchemePart, scheme::KeyForm};
use crate::{
    Kind, Role,
    number::in_message,
    shape::{BY_EAGERNESS, IN_MEMORY, Shape},
    text::in_one_line,
};

/// A tensor that no operation makes: a number, data, a parameter, a constant of its context's
/// shape.
#[derive(Clone, Debug)]
pub struct Terminal {
    name: Box<str>,
    role: Role,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// `[]◊[1_]`.
    Number,
    /// A shape as it is written.
    Shaped(Box<str>),
    /// Axes of these sizes: the first number of them are of the batch, the second of the input, the
    /// others of the output.
    Sized(Box<[u64]>, [usize; 2]),
    /// No declared shape: uses determine it.
    Undeclared,
    /// A number of elements; how the tensor is used says what axes it has.
    Elements(u64),
    /// Axes of these sizes in memory; how the tensor is used says of which kinds they are.
    Axes(Box<[u64]>),
}

impl Terminal {
    /// A number: one output axis `1_`, which stretches.
    pub fn number(name: impl Into<Box<str>>) -> Terminal {
        Terminal { name: named(name), role: Role::Leaf, form: Form::Number }
    }

    /// Data of a written shape; its uses determine what the shape leaves open.
    pub fn data(name: impl Into<Box<str>>, shape: impl Into<Box<str>>) -> Terminal {
        Terminal { name: named(name), role: Role::Leaf, form: Form::Shaped(shape.into()) }
    }

    /// Data of known sizes, kind by kind.
    pub fn data_of_sizes(
        name: impl Into<Box<str>>,
        batch: &[u64],
        input: &[u64],
        output: &[u64],
    ) -> Terminal {
        let sizes = [batch, input, output].concat().into();
        let counts = [batch.len(), input.len()];
        Terminal { name: named(name), role: Role::Leaf, form: Form::Sized(sizes, counts) }
    }

    /// A parameter of a written shape; its uses must determine what the shape leaves open.
    pub fn parameter(name: impl Into<Box<str>>, shape: impl Into<Box<str>>) -> Terminal {
        Terminal { name: named(name), role: Role::Parameter, form: Form::Shaped(shape.into()) }
    }

    /// A tensor without a declared shape. As a parameter it has no batch axes; as data or a
    /// constant it has whatever its context asks for.
    pub fn undeclared(name: impl Into<Box<str>>, role: Role) -> Terminal {
        Terminal { name: named(name), role, form: Form::Undeclared }
    }

    /// Data of this many elements.
    pub fn data_of_elements(name: impl Into<Box<str>>, count: u64) -> Terminal {
        Terminal { name: named(name), role: Role::Leaf, form: Form::Elements(count) }
    }

    /// Data with these axes in memory, in the order batch, output, input.
    pub fn data_in_memory(name: impl Into<Box<str>>, axes: impl Into<Box<[u64]>>) -> Terminal {
        Terminal { name: named(name), role: Role::Leaf, form: Form::Axes(axes.into()) }
    }

    fn open(&self, scheme: &mut Scheme) {
        // Of rows that are counted together, the one that is made last keeps what nothing places.
        for kind in BY_EAGERNESS {
            if self.role == Role::Parameter && kind == Kind::Batch {
                scheme.declare(kind, RowTerm::closed([], []));
                continue;
            }
            let var = scheme.fresh_row();
            scheme.declare(kind, var.into());
            scheme.leaf(var, self.role, kind, 0);
        }
    }
}

fn named(name: impl Into<Box<str>>) -> Box<str> {
    in_one_line(String::from(name.into())).into()
}

/// Sizes by kinds: the first number of them are of the batch, the second of the input.
fn by_kind<'a>(sizes: &'a [u64], [batch, input]: &[usize; 2]) -> [&'a [u64]; 3] {
    let (batch, rest) = sizes.split_at(*batch);
    let (input, output) = rest.split_at(*input);
    [batch, input, output]
}

impl Operation for Terminal {
    fn name(&self) -> &str {
        &self.name
    }

    fn scheme_key(&self) -> Option<SchemeKey> {
        match self.form {
            Form::Undeclared => Some(SchemeKey(KeyForm::Undeclared(self.role))),
            Form::Number => Some(SchemeKey(KeyForm::Number)),
            Form::Shaped(_) | Form::Sized(..) | Form::Elements(_) | Form::Axes(_) => None,
        }
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let scheme = &mut Scheme::new(operands);
        scheme.expect_operands(0)?;
        match &self.form {
            Form::Number => {
                let none = || RowTerm::closed([], []);
                let rows = [none(), none(), RowTerm::closed([], [DimTerm::UNIT])];
                for (kind, row) in Kind::ALL.into_iter().zip(rows) {
                    scheme.declare(kind, row);
                }
            }
            Form::Shaped(shape) => declare(scheme, &shape.parse()?, self.role, &self.name)?,
            Form::Sized(sizes, counts) => {
                for (kind, row) in Kind::ALL.into_iter().zip(by_kind(sizes, counts)) {
                    let dims = row.iter().map(|size| Ok(scheme.written(*size)?.into()));
                    let dims = dims.collect::<Result<Flank<DimTerm>, Misfit>>()?;
                    let flanks = Flanks::flat_with(dims, 0);
                    scheme.declare(kind, RowTerm { flanks, var: None });
                }
            }
            Form::Undeclared => self.open(scheme),
            Form::Elements(count) => {
                Dim::int(*count)?;
                if *count == 0 {
                    return Err(Misfit::NoElements);
                }
                self.open(scheme);
                let rows = IN_MEMORY.map(|kind| scheme.result(kind)).to_vec();
                let count = Count::Number(*count);
                let total = SizeRelation::Total { rows, divided_by: Vec::new(), count };
                scheme.relate(SchemePart::Whole, total);
            }
            Form::Axes(axes) => {
                self.open(scheme);
                let rows = IN_MEMORY.map(|kind| scheme.result(kind)).to_vec();
                let mut dims = Vec::with_capacity(axes.len());
                for size in axes {
                    dims.push(scheme.written(*size)?.into());
                }
                scheme.relate(SchemePart::Whole, SizeRelation::Exact { rows, axes: dims });
            }
        }
        Ok(std::mem::take(scheme).into())
    }

    fn role(&self) -> Option<Role> {
        Some(self.role)
    }

    fn declaration(&self) -> Option<Declaration> {
        let what = match self.role {
            Role::Parameter => "param",
            _ => "data",
        };
        let name = &self.name;
        let declared = |head: String, text: String| Some(Declaration { head, text });
        match &self.form {
            Form::Number => declared(String::new(), name.to_string()),
            Form::Shaped(shape) => declared(format!("{what} {name}: "), shape.to_string()),
            Form::Sized(sizes, counts) => {
                let rows = by_kind(sizes, counts)
                    .map(|row| row.iter().map(u64::to_string).collect::<Vec<_>>().join(","));
                declared(format!("{what} {name}: "), Shape::of_written(rows))
            }
            Form::Undeclared => declared(format!("{what} "), name.to_string()),
            Form::Elements(count) => {
                declared(format!("{what} {name}: "), format!("{count} elements"))
            }
            Form::Axes(axes) => declared(format!("{what} {name}: "), format!("axes {axes:?}")),
        }
    }
}

/// Makes the rows of the result those of a written shape; sizes of its own are called like this.
pub(super) fn declare(
    scheme: &mut Scheme,
    shape: &spec::Shape,
    role: Role,
    called: &str,
) -> Result<(), Misfit> {
    let mut fresh = 0;
    let mut named: BTreeMap<spec::NameId, RowVar> = BTreeMap::new();
    let slot = in_message(scheme.operand_count());
    for kind in Kind::ALL {
        let row = shape.row(kind);
        let (before, after) = shape.dims(row);
        let var = row.ellipsis.map(|ellipsis| match ellipsis.name {
            None => scheme.fresh_row(),
            Some(name) => *named.entry(name).or_insert_with(|| scheme.fresh_row()),
        });
        if let Some(var) = var {
            scheme.leaf(var, role, kind, in_message(before.len()));
        }
        let mut axis = 0_u16;
        let mut entry = |dim: &spec::Dim| {
            axis = axis.saturating_add(1);
            Ok(match dim.form {
                DimForm::Unit => DimTerm::UNIT,
                // What it meets, and else the unit: also of a parameter that is an answer.
                DimForm::Met => {
                    let var = scheme.fresh_axis();
                    scheme.leaf(var, Role::Leaf, kind, axis - 1);
                    var.into()
                }
                DimForm::AtRunTime => {
                    let called = format!("{called}_{fresh}");
                    fresh += 1;
                    scheme.size_at_run_time(&called, 1..)
                }
                DimForm::Unknown => {
                    let var = scheme.fresh_axis();
                    scheme.leaf(var, role, kind, axis - 1);
                    var.into()
                }
                DimForm::Computed(id) => {
                    let about = SchemePart::Axis { slot, kind, axis: axis - 1 };
                    computed(scheme, shape, id, about)?
                }
                DimForm::Known(size, _) => {
                    let basis = shape.basis(dim);
                    let basis =
                        basis.map_or(Basis::DEFAULT, |name| scheme.name_table().basis(name));
                    let size = match size {
                        spec::Size::Number(count) => scheme.written(count)?.size(),
                        spec::Size::Named(name) => {
                            let name = shape.name(name);
                            if let Some(range) = dim.range {
                                scheme.range(name, range.into());
                            }
                            Size::symbol(scheme.name_table().symbol(name))
                        }
                    };
                    Dim::atom(size, basis).into()
                }
            })
        };
        let axes = before.iter().chain(after).map(&mut entry);
        let axes = axes.collect::<Result<Flank<DimTerm>, Misfit>>()?;
        let flanks = Flanks::flat_with(axes, before.len());
        scheme.declare(kind, RowTerm { flanks, var });
    }
    Ok(())
}

/// A computed size of a written shape: a variable for each sum, product and quotient in it, and the
/// relation that it is.
pub(super) fn computed(
    scheme: &mut Scheme,
    shape: &spec::Shape,
    id: ComputedId,
    about: SchemePart,
) -> Result<DimTerm, Misfit> {
    if let Some(Ok(number)) = number(shape, id).map(Dim::int) {
        return Ok(number.into());
    }
    let mut part = |id: &ComputedId| computed(scheme, shape, *id, about);
    Ok(match shape.computed(id) {
        Computed::Number(count) => Dim::int(*count)?.into(),
        Computed::Named(name) => {
            let name = scheme.name_table().symbol(shape.name(*name));
            Dim::atom(Size::symbol(name), Basis::DEFAULT).into()
        }
        Computed::Sum(terms) => {
            // Whatever is subtracted is beside the sum in a concatenation of what is added.
            let of_sign = |sign: bool| terms.iter().filter(move |(minus, _)| *minus == sign);
            let added = of_sign(false).map(|(_, term)| part(term));
            let added = added.collect::<Result<Vec<DimTerm>, Misfit>>()?;
            let subtracted = of_sign(true).map(|(_, term)| part(term));
            let subtracted = subtracted.collect::<Result<Vec<DimTerm>, Misfit>>()?;
            let whole = if let [only] = added[..] {
                only
            } else {
                let whole = scheme.fresh_axis().into();
                let parts = added.into_iter().map(kept).collect();
                scheme.relate(about, SizeRelation::Concat { whole, parts });
                whole
            };
            if subtracted.is_empty() {
                return Ok(whole);
            }
            let rest = scheme.fresh_axis();
            let parts = [rest.into()].into_iter().chain(subtracted).map(kept).collect();
            scheme.relate(about, SizeRelation::Concat { whole, parts });
            rest.into()
        }
        Computed::Product(factors) => {
            let parts = factors.iter().map(part).collect::<Result<Vec<DimTerm>, Misfit>>()?;
            let whole = scheme.fresh_axis().into();
            scheme.relate(about, SizeRelation::Merged { whole, parts });
            whole
        }
        Computed::Quotient(of, by) => {
            let whole = part(of)?;
            let by = by.iter().map(part).collect::<Result<Vec<DimTerm>, Misfit>>()?;
            let quotient = scheme.fresh_axis().into();
            let parts = [quotient].into_iter().chain(by).collect();
            scheme.relate(about, SizeRelation::Merged { whole, parts });
            quotient
        }
    })
}

/// The number that a computed size is, if no name is in it. What is computed to 0 is not written
/// so, and does not fit.
fn number(shape: &spec::Shape, id: ComputedId) -> Option<u64> {
    value(shape, id, &|_| None).filter(|number| *number > 0)
}

/// The number that a computed size is where names have these values.
fn value(shape: &spec::Shape, id: ComputedId, named: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    let form = constant(&mut Sizes::new(), shape, id, named)?;
    u64::try_from(form.as_constant()?).ok()
}

/// The number that a written size is where names have these values; `None` for what is no size.
pub(crate) fn written(text: &str, named: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    let shape: spec::Shape = text.parse().ok()?;
    let (_, [dim]) = shape.dims(shape.row(Kind::Output)) else { return None };
    match dim.form {
        DimForm::Known(spec::Size::Number(number), None) => Some(number),
        DimForm::Known(spec::Size::Named(name), None) => named(shape.name(name)),
        DimForm::Computed(id) => value(&shape, id, named),
        DimForm::Known(_, Some(_))
        | DimForm::Unit
        | DimForm::Unknown
        | DimForm::AtRunTime
        | DimForm::Met => None,
    }
}

fn constant(
    sizes: &mut Sizes,
    shape: &spec::Shape,
    id: ComputedId,
    named: &dyn Fn(&str) -> Option<u64>,
) -> Option<Polynomial> {
    let mut of = |id: &ComputedId| constant(sizes, shape, *id, named);
    match shape.computed(id) {
        Computed::Number(count) => Some(Polynomial::constant((*count).into())),
        Computed::Named(name) => Some(Polynomial::constant(named(shape.name(*name))?.into())),
        Computed::Sum(terms) => {
            let terms: Vec<(bool, Polynomial)> = terms
                .iter()
                .map(|(minus, term)| Some((*minus, of(term)?)))
                .collect::<Option<_>>()?;
            Some(terms.iter().fold(Polynomial::ZERO, |sum, (minus, term)| {
                if *minus { sizes.difference(&sum, term) } else { sizes.sum(&sum, term) }
            }))
        }
        Computed::Product(factors) => {
            let factors: Vec<Polynomial> = factors.iter().map(of).collect::<Option<_>>()?;
            let product = |product, factor| sizes.product(&product, factor);
            Some(factors.iter().fold(Polynomial::constant(1), product))
        }
        Computed::Quotient(whole, by) => {
            let whole = of(whole)?;
            let by: Vec<Polynomial> = by.iter().map(of).collect::<Option<_>>()?;
            Some(by.iter().fold(whole, |of, by| sizes.quotient(&of, by)))
        }
    }
}

pub(super) fn kept(dim: DimTerm) -> Part {
    Part { dim, discardable: false }
}
