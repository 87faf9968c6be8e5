//! What a specification or shape says, in plain values that share nothing with the parser's tree;
//! and how a tree is read into them.

use lozenge_notation as notation;
use notation::{
    Coefficient, Computed, ComputedId, Dim, DimForm, Form, Kind, Label, PartForm, Shape, Size, Spec,
};

use crate::border::{Border, Ends};

#[derive(Debug, PartialEq)]
pub(super) struct SpecModel {
    pub(super) operands: Vec<[Row<Axis>; 3]>,
    pub(super) result: [Row<Axis>; 3],
}

/// Axes before and after an ellipsis, which is kept as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row<T> {
    pub(super) before: Vec<T>,
    pub(super) ellipsis: Option<String>,
    pub(super) after: Vec<T>,
}

impl<T> Row<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty() && self.ellipsis.is_none()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Axis {
    /// A name, or none for `_`.
    Plain(Option<String>),
    Fixed(u64),
    Runtime(String),
    Affine {
        stride: Factor,
        over: Option<String>,
        offset: u64,
        loose: bool,
        window: Option<(Border, Factor, Option<String>)>,
    },
    Concat(Vec<Part>),
    Merged(Vec<Part>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Factor {
    Number(u64),
    Named(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Axis(Option<String>),
    Size(u64),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum DimModel {
    Number(u64, Option<String>),
    Named(String, Option<String>),
    Computed(Tree),
    Unit,
    Unknown,
    /// Perhaps by a name.
    AtRunTime(Option<String>),
    Met,
}

/// A computed size.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Number(u64),
    Named(String),
    /// Terms, and whether each is subtracted.
    Sum(Vec<(bool, Tree)>),
    Product(Vec<Tree>),
    Quotient(Box<Tree>, Vec<Tree>),
}

pub(super) type ShapeModel = [Row<DimModel>; 3];

pub(super) fn spec(spec: &Spec) -> SpecModel {
    let slot = |slot: &notation::Slot| Kind::ALL.map(|kind| row(spec, slot.row(kind)));
    SpecModel { operands: spec.operands().iter().map(slot).collect(), result: slot(spec.result()) }
}

fn row(spec: &Spec, row: &notation::Row) -> Row<Axis> {
    let (before, after) = spec.axes(row);
    let axes = |axes: &[notation::Axis]| axes.iter().map(|it| axis(spec, it)).collect();
    let ellipsis = row.ellipsis.map(|it| ellipsis(it.name.map(|id| spec.name(id))));
    Row { before: axes(before), ellipsis, after: axes(after) }
}

fn ellipsis(name: Option<&str>) -> String {
    name.map_or("...".to_owned(), |name| format!("..{name}.."))
}

fn axis(spec: &Spec, axis: &notation::Axis) -> Axis {
    let name = |label: Label| label.name().map(|id| spec.name(id).to_owned());
    let factor = |coefficient| match coefficient {
        Coefficient::Number(number) => Factor::Number(number),
        Coefficient::Named(id) => Factor::Named(spec.name(id).to_owned()),
    };
    let parts = |parts| {
        let part = |part: &notation::Part| match part.form {
            PartForm::Axis(label) => Part::Axis(name(label)),
            PartForm::Size(size) => Part::Size(size),
        };
        spec.parts(parts).iter().map(part).collect()
    };
    match axis.form {
        Form::Axis(label) => Axis::Plain(name(label)),
        Form::Fixed(index) => Axis::Fixed(index),
        Form::Runtime(id) => Axis::Runtime(spec.name(id).to_owned()),
        Form::Concat(range) => Axis::Concat(parts(range)),
        Form::Merged(range) => Axis::Merged(parts(range)),
        Form::Affine(id) => {
            let affine = spec.affine(id);
            let window = affine.window.map(|window| {
                let ends = match window.border {
                    notation::Border::Valid => Ends::Valid,
                    notation::Border::Whole => Ends::Whole,
                    notation::Border::Begun => Ends::Begun,
                    notation::Border::Padded => Ends::Padded,
                    notation::Border::PaddedLoose => Ends::PaddedLoose,
                };
                let border = Border { ends, margins: window.margins };
                (border, factor(window.dilation), name(window.kernel))
            });
            let (stride, over) = (factor(affine.stride), name(affine.over));
            let loose = affine.loose;
            Axis::Affine { stride, over, offset: affine.offset, loose, window }
        }
    }
}

pub(super) fn shape(shape: &Shape) -> ShapeModel {
    let text = |span: lozenge_diagnostic::Span| span.of(shape.text()).to_owned();
    let dim = |dim: &Dim| match dim.form {
        DimForm::Known(Size::Number(number), basis) => DimModel::Number(number, basis.map(text)),
        DimForm::Known(Size::Named(id), None)
            if dim.range.is_some_and(|range| range.at_run_time) =>
        {
            DimModel::AtRunTime(Some(shape.name(id).to_owned()))
        }
        DimForm::Known(Size::Named(id), basis) => {
            DimModel::Named(shape.name(id).to_owned(), basis.map(text))
        }
        DimForm::Computed(id) => DimModel::Computed(tree(shape, id)),
        DimForm::Unit => DimModel::Unit,
        DimForm::Unknown => DimModel::Unknown,
        DimForm::AtRunTime => DimModel::AtRunTime(None),
        DimForm::Met => DimModel::Met,
    };
    Kind::ALL.map(|kind| {
        let row = shape.row(kind);
        let (before, after) = shape.dims(row);
        Row {
            before: before.iter().map(dim).collect(),
            ellipsis: row.ellipsis.map(|it| ellipsis(it.name.map(|id| shape.name(id)))),
            after: after.iter().map(dim).collect(),
        }
    })
}

fn tree(shape: &Shape, id: ComputedId) -> Tree {
    match shape.computed(id) {
        Computed::Number(number) => Tree::Number(*number),
        Computed::Named(name) => Tree::Named(shape.name(*name).to_owned()),
        Computed::Sum(terms) => {
            Tree::Sum(terms.iter().map(|(minus, term)| (*minus, tree(shape, *term))).collect())
        }
        Computed::Product(factors) => {
            Tree::Product(factors.iter().map(|factor| tree(shape, *factor)).collect())
        }
        Computed::Quotient(of, by) => {
            let by = by.iter().map(|by| tree(shape, *by)).collect();
            Tree::Quotient(Box::new(tree(shape, *of)), by)
        }
    }
}
