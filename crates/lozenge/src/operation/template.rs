//! The rows of a specification as terms.
//!
//! Every name is a variable, the same wherever it is written; `...` is the row variable of its
//! kind. An axis that is computed from others is a new variable, with a relation between sizes that
//! says how.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_calculus::{
    constraint::{Border, Fill, Part, SizeRelation, discardable},
    dim::Dim,
    row::{Flank, Flanks},
    term::{DimTerm, DimVar, RowTerm, RowVar, Variable},
};
use {
    lozenge_notation as spec,
    lozenge_notation::{Coefficient, Form, Label, NameId, PartForm, Use},
};

use super::{misfit::Misfit, part::SchemePart, scheme::Scheme};
use crate::{
    Kind, Spec,
    number::{in_message, index},
};

/// A specification on its way to terms.
pub(super) struct Template<'a> {
    spec: &'a Spec,
    scheme: &'a mut Scheme,
    first_dim: u32,
    first_row: u32,
    /// The axes that are stretched to the axis of a name, where names stretch: that of each
    /// operand, by its number.
    stretched: BTreeMap<NameId, BTreeMap<usize, DimTerm>>,
    /// What is stretched to the row of `...`, likewise.
    ellipses: BTreeMap<usize, RowVar>,
    /// The operand that is read, where names stretch.
    operand: Option<usize>,
}

/// What a part of an axis is, for comparing: a name, or something that is like nothing else.
type Component = Option<NameId>;

/// The variable of a name, in an operation whose variables begin here.
pub(super) fn variable(spec: &Spec, id: NameId, dim: u32, row: u32) -> Variable {
    let number = index(id.index());
    match spec.name_use(id) {
        Use::Row => Variable::Row(RowVar::new(row + number)),
        Use::Axis | Use::Index | Use::Coefficient => Variable::Dim(DimVar::new(dim + number)),
    }
}

impl<'a> Template<'a> {
    /// The template of a specification, with variables for its names.
    pub(super) fn new(spec: &'a Spec, scheme: &'a mut Scheme) -> Template<'a> {
        let names = index(spec.name_count());
        let (first_dim, first_row) = scheme.variables().reserve(names);
        Template {
            spec,
            scheme,
            first_dim,
            first_row,
            stretched: BTreeMap::new(),
            ellipses: BTreeMap::new(),
            operand: None,
        }
    }

    /// Reads an operand from here on, or with `None` the result.
    pub(super) fn begin(&mut self, operand: Option<usize>) {
        self.operand = operand.filter(|_| self.spec.stretches());
    }

    /// Asks that the axes of the operands are stretched to those of their names, where names
    /// stretch.
    pub(super) fn stretch(&mut self) {
        let axis = |dim: DimTerm| RowTerm::closed([], [dim]);
        for (id, operands) in std::mem::take(&mut self.stretched) {
            let part = SchemePart::Name(index(id.index()));
            let result = axis(self.dim(id));
            let operands = operands.into_values().map(axis).collect();
            self.scheme.relate(part, SizeRelation::Stretch { result, operands });
        }
        let rows = std::mem::take(&mut self.ellipses);
        if rows.is_empty() {
            return;
        }
        let result: RowTerm = self.scheme.row_of_ellipsis(Kind::Output).into();
        let operands = rows.into_values().map(RowTerm::from).collect();
        let relation = SizeRelation::Stretch { result: result.clone(), operands };
        self.scheme.relate(SchemePart::Whole, relation);
        if !self.spec.may_sum_ellipsis() && self.spec.result().row(Kind::Output).ellipsis.is_none()
        {
            self.scheme.same_row(SchemePart::Whole, result, RowTerm::closed([], []));
        }
    }

    pub(super) fn scheme(&mut self) -> &mut Scheme {
        self.scheme
    }

    pub(super) fn variable(&self, id: NameId) -> Variable {
        variable(self.spec, id, self.first_dim, self.first_row)
    }

    /// The axis of a name.
    fn dim(&self, id: NameId) -> DimTerm {
        DimVar::new(self.first_dim + index(id.index())).into()
    }

    /// The axis that a name is where it is read: one for all, or one for every operand that is
    /// stretched to that.
    fn read_dim(&mut self, id: NameId) -> DimTerm {
        let Some(operand) = self.operand else { return self.dim(id) };
        let of_name = self.stretched.entry(id).or_default();
        *of_name.entry(operand).or_insert_with(|| self.scheme.fresh_axis().into())
    }

    fn label(&mut self, label: Label) -> DimTerm {
        match label {
            Label::Named(id) => self.read_dim(id),
            Label::Fresh => self.scheme.fresh_axis().into(),
        }
    }

    /// A row of an operand or, with the number after the last, of the result.
    pub(super) fn row(
        &mut self,
        slot: usize,
        kind: Kind,
        row: &spec::Row,
    ) -> Result<RowTerm, Misfit> {
        let spec = self.spec;
        let (before, after) = spec.axes(row);
        let mut axes: Flank<DimTerm> = Flank::with_capacity(before.len() + after.len());
        for written in [before, after] {
            for axis in written {
                axes.push(if let Form::Axis(Label::Named(id)) = axis.form {
                    self.read_dim(id) // most are
                } else {
                    let part = SchemePart::Axis {
                        slot: in_message(slot),
                        kind,
                        axis: in_message(axes.len()),
                    };
                    self.axis(slot, part, axis)?
                });
            }
        }
        let flanks = Flanks::flat_with(axes, before.len());
        let var = row.ellipsis.map(|ellipsis| {
            if let Some(id) = ellipsis.name {
                return RowVar::new(self.first_row + index(id.index()));
            }
            let Some(operand) = self.operand else { return self.scheme.row_of_ellipsis(kind) };
            *self.ellipses.entry(operand).or_insert_with(|| self.scheme.fresh_row())
        });
        Ok(RowTerm { flanks, var })
    }

    fn axis(
        &mut self,
        slot: usize,
        part: SchemePart,
        axis: &spec::Axis,
    ) -> Result<DimTerm, Misfit> {
        let (whole, relation) = match axis.form {
            Form::Axis(label) => return Ok(self.label(label)),
            Form::Runtime(id) => {
                let dim = self.dim(id);
                let is_index = |other: &NameId| self.spec.name_use(*other) == Use::Index;
                let before = self.spec.names().filter(is_index).take_while(|other| *other != id);
                self.scheme.supply(dim, index(before.count()));
                return Ok(dim);
            }
            Form::Fixed(position) => {
                let dim = self.scheme.fresh_axis().into();
                self.scheme.fix(dim, position);
                if position > 0 {
                    self.scheme.relate(part, SizeRelation::AtLeast { dim, least: position + 1 });
                }
                return Ok(dim);
            }
            Form::Affine(id) => self.affine(axis, spec::Spec::affine(self.spec, id))?,
            Form::Concat(parts) => {
                let whole = self.scheme.fresh_axis().into();
                (whole, SizeRelation::Concat { whole, parts: self.concat(slot, parts)? })
            }
            Form::Merged(parts) => {
                let whole = self.scheme.fresh_axis().into();
                let spec = self.spec;
                let parts = spec.parts(parts).iter().map(|part| self.part(part));
                let parts = parts.collect::<Result<Vec<DimTerm>, Misfit>>()?;
                (whole, SizeRelation::Merged { whole, parts })
            }
        };
        self.scheme.relate(part, relation);
        Ok(whole)
    }

    /// `stride*over+offset` or a window. The offset says which elements are read, not how many
    /// there are: the last valid window that begins late reaches past the end, where nothing is
    /// read.
    fn affine(
        &mut self,
        axis: &spec::Axis,
        affine: &spec::Affine,
    ) -> Result<(DimTerm, SizeRelation), Misfit> {
        let (whole, over): (DimTerm, DimTerm) =
            (self.scheme.fresh_axis().into(), self.label(affine.over));
        let spec = self.spec;
        let number = |coefficient| match coefficient {
            Coefficient::Number(n) => u32::try_from(n).map_err(|_| Misfit::Step {
                text: spec.text().into(),
                axis: axis.span,
                number: n,
            }),
            // Binding left none.
            Coefficient::Named(_) => Ok(1),
        };
        let stride = number(affine.stride)?;
        if affine.offset > 0 {
            self.scheme.begin(whole, affine.offset);
        }
        let Some(window) = affine.window else {
            let loose = affine.loose;
            return Ok((whole, SizeRelation::Strided { whole, stride, over, loose }));
        };
        let dilation = number(window.dilation)?;
        let kernel = self.label(window.kernel);
        let border = border(window);
        Ok((whole, SizeRelation::Window { whole, stride, over, dilation, kernel, border }))
    }

    fn part(&mut self, part: &spec::Part) -> Result<DimTerm, Misfit> {
        match part.form {
            PartForm::Axis(label) => Ok(self.label(label)),
            PartForm::Size(size) => Ok(Dim::int(size)?.into()),
        }
    }

    fn concat(&mut self, slot: usize, parts: spec::Parts) -> Result<Vec<Part>, Misfit> {
        let spec = self.spec;
        let axis = components(spec, Form::Concat(parts));
        let operands = spec.operands();
        let others =
            if slot == operands.len() { operands } else { std::slice::from_ref(spec.result()) };
        let others: Vec<Vec<Vec<Component>>> = others.iter().map(|s| shape(spec, s)).collect();
        let discardable = discardable(&axis, &others);
        let axes = axes(spec);
        let parts = spec.parts(parts).iter().zip(discardable);
        let part = |(part, may_go): (&spec::Part, bool)| {
            let discardable = match part.form {
                // DIVERGENCE(discardable): one that is also an axis by itself is not left out,
                // since no tensor has an axis without elements.
                PartForm::Axis(label) => {
                    may_go && label.name().is_none_or(|name| !axes.contains(&name))
                }
                PartForm::Size(_) => false,
            };
            Ok(Part { dim: self.part(part)?, discardable })
        };
        parts.map(part).collect()
    }
}

/// What a window does where its axis ends.
fn border(window: spec::Window) -> Border {
    let [left, right] = window.margins;
    let fill = match window.border {
        spec::Border::Padded => return Border::PADDED,
        spec::Border::PaddedLoose => return Border::Padded { loose: true },
        spec::Border::Valid => Fill::Exact,
        spec::Border::Whole => Fill::Whole,
        spec::Border::Begun => Fill::Begun,
    };
    Border::Margins { left, right, fill }
}

/// The names that are an axis by themselves somewhere.
fn axes(spec: &Spec) -> BTreeSet<NameId> {
    let slots = spec.operands().iter().chain([spec.result()]);
    let rows = slots.flat_map(|slot| Kind::ALL.map(|kind| spec.axes(slot.row(kind))));
    let axes = rows.flat_map(|(before, after)| before.iter().chain(after));
    let name = |axis: &spec::Axis| match axis.form {
        Form::Axis(label) => label.name(),
        _ => None,
    };
    axes.filter_map(name).collect()
}

/// The axes of an operand or the result, each as its components.
fn shape(spec: &Spec, slot: &spec::Slot) -> Vec<Vec<Component>> {
    let rows = Kind::ALL.map(|kind| spec.axes(slot.row(kind)));
    let axes = rows.into_iter().flat_map(|(before, after)| before.iter().chain(after));
    axes.map(|axis| components(spec, axis.form)).collect()
}

fn components(spec: &Spec, form: Form) -> Vec<Component> {
    match form {
        Form::Axis(label) => vec![label.name()],
        Form::Concat(parts) => {
            let part = |part: &spec::Part| match part.form {
                PartForm::Axis(label) => label.name(),
                PartForm::Size(_) => None,
            };
            spec.parts(parts).iter().map(part).collect()
        }
        Form::Fixed(_) | Form::Runtime(_) | Form::Affine(_) | Form::Merged(_) => {
            vec![None]
        }
    }
}
