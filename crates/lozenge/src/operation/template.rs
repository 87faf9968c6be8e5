//! The rows of a specification as terms.
//!
//! Every name is a variable, the same wherever it is written; `...` is the row variable of its kind. An axis
//! that is computed from others is a new variable, with a relation between sizes that says how.

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
use crate::{Kind, Spec};

/// A specification on its way to terms.
pub(super) struct Template<'a> {
    spec: &'a Spec,
    scheme: &'a mut Scheme,
    first_dim: u32,
    first_row: u32,
    /// What is stretched to the axis of a name, where names stretch: that of each operand, by its number.
    stretched: BTreeMap<NameId, BTreeMap<u16, DimTerm>>,
    /// What is stretched to the row of `...`, likewise.
    ellipses: BTreeMap<u16, RowVar>,
    /// The operand that is read, where names stretch.
    operand: Option<u16>,
}

/// What a part of an axis is, for comparing: a name, or something that is like nothing else.
type Component = Option<NameId>;

/// The variable of a name, in an operation whose variables begin here.
pub(super) fn variable(spec: &Spec, id: NameId, dim: u32, row: u32) -> Variable {
    let index = u32::try_from(id.index()).unwrap_or(u32::MAX / 4);
    match spec.name_use(id) {
        Use::Row => Variable::Row(RowVar::new(row + index)),
        Use::Axis | Use::Index | Use::Coefficient => Variable::Dim(DimVar::new(dim + index)),
    }
}

impl<'a> Template<'a> {
    /// The template of a specification, with variables for its names.
    pub(super) fn new(spec: &'a Spec, scheme: &'a mut Scheme) -> Template<'a> {
        let names = u32::try_from(spec.name_count()).unwrap_or(0);
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
    pub(super) fn begin(&mut self, operand: Option<u16>) {
        self.operand = operand.filter(|_| self.spec.stretches());
    }

    /// Asks that the axes of the operands are stretched to those of their names, where names stretch.
    pub(super) fn stretch(&mut self) {
        let axis = |dim: DimTerm| RowTerm::closed([], [dim]);
        for (id, operands) in std::mem::take(&mut self.stretched) {
            let about = SchemePart::Name(u32::try_from(id.index()).unwrap_or(u32::MAX));
            let result = axis(self.dim(id));
            let operands = operands.into_values().map(axis).collect();
            self.scheme.relate(about, SizeRelation::Stretch { result, operands });
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
        DimVar::new(self.first_dim + u32::try_from(id.index()).unwrap_or(0)).into()
    }

    /// The axis that a name is where it is read: one for all, or one for every operand that is stretched to that.
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
        slot: u16,
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
                    let number = u16::try_from(axes.len()).unwrap_or(u16::MAX);
                    self.axis(SchemePart::Axis { slot, kind, axis: number }, axis)?
                });
            }
        }
        let flanks = Flanks::flat_with(axes, before.len());
        let var = row.ellipsis.map(|ellipsis| {
            if let Some(id) = ellipsis.name {
                return RowVar::new(self.first_row + u32::try_from(id.index()).unwrap_or(0));
            }
            let Some(operand) = self.operand else { return self.scheme.row_of_ellipsis(kind) };
            *self.ellipses.entry(operand).or_insert_with(|| self.scheme.fresh_row())
        });
        Ok(RowTerm { flanks, var })
    }

    fn axis(&mut self, about: SchemePart, axis: &spec::Axis) -> Result<DimTerm, Misfit> {
        let relation = match axis.form {
            Form::Axis(label) => return Ok(self.label(label)),
            Form::Runtime(id) => {
                let dim = self.dim(id);
                let is_index = |other: &NameId| self.spec.name_use(*other) == Use::Index;
                let number = self.spec.names().filter(is_index).position(|other| other == id);
                self.scheme.supply(dim, u32::try_from(number.unwrap_or(0)).unwrap_or(0));
                return Ok(dim);
            }
            Form::Fixed(index) => {
                let dim = self.scheme.fresh_axis().into();
                self.scheme.fix(dim, index);
                if index > 0 {
                    self.scheme.relate(about, SizeRelation::AtLeast { dim, least: index + 1 });
                }
                return Ok(dim);
            }
            Form::Affine(id) => self.affine(axis, spec::Spec::affine(self.spec, id))?,
            Form::Concat(parts) => {
                let SchemePart::Axis { slot, .. } = about else { return Ok(DimTerm::UNIT) };
                let whole = self.scheme.fresh_axis().into();
                SizeRelation::Concat { whole, parts: self.concat(slot, parts) }
            }
            Form::Merged(parts) => {
                let whole = self.scheme.fresh_axis().into();
                let parts = self.spec.parts(parts).iter().map(|part| self.part(part)).collect();
                SizeRelation::Merged { whole, parts }
            }
        };
        let whole = match &relation {
            SizeRelation::Strided { whole, .. }
            | SizeRelation::Window { whole, .. }
            | SizeRelation::Concat { whole, .. }
            | SizeRelation::Merged { whole, .. } => *whole,
            SizeRelation::Total { .. }
            | SizeRelation::Exact { .. }
            | SizeRelation::AtLeast { .. }
            | SizeRelation::Stretch { .. } => DimTerm::UNIT,
        };
        self.scheme.relate(about, relation);
        Ok(whole)
    }

    /// `stride*over+offset` or a window. The offset says which elements are read, not how many there are: the
    /// last valid window that begins late reaches past the end, where nothing is read.
    fn affine(&mut self, axis: &spec::Axis, affine: &spec::Affine) -> Result<SizeRelation, Misfit> {
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
            return Ok(SizeRelation::Strided { whole, stride, over, loose: affine.loose });
        };
        let dilation = number(window.dilation)?;
        let kernel = self.label(window.kernel);
        let border = border(window);
        Ok(SizeRelation::Window { whole, stride, over, dilation, kernel, border })
    }

    fn part(&mut self, part: &spec::Part) -> DimTerm {
        match part.form {
            PartForm::Axis(label) => self.label(label),
            PartForm::Size(size) => Dim::int(size).unwrap_or(Dim::Unit).into(),
        }
    }

    fn concat(&mut self, slot: u16, parts: spec::Parts) -> Vec<Part> {
        let spec = self.spec;
        let axis = components(spec, Form::Concat(parts));
        let operands = spec.operands();
        let others = if usize::from(slot) == operands.len() {
            operands
        } else {
            std::slice::from_ref(spec.result())
        };
        let others: Vec<Vec<Vec<Component>>> = others.iter().map(|s| shape(spec, s)).collect();
        let discardable = discardable(&axis, &others);
        let axes = axes(spec);
        let parts = spec.parts(parts).iter().zip(discardable);
        let part = |(part, may_go): (&spec::Part, bool)| Part {
            dim: self.part(part),
            discardable: match part.form {
                // DIVERGENCE(discardable): one that is also an axis by itself is not left out, since no
                // tensor has an axis without elements.
                PartForm::Axis(label) => {
                    may_go && label.name().is_none_or(|name| !axes.contains(&name))
                }
                PartForm::Size(_) => false,
            },
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
