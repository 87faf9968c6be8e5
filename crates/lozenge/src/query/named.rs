//! Names for what nothing determines, so that an einsum has loops all the same.

use std::collections::BTreeSet;

use lozenge_notation::{
    Form, Label, NameId, Use,
    fresh::{Letters, or_numbered},
};

use super::{inferred::Inferred, undetermined::OpenRow};
use crate::{Axis, Kind, Report, Shape, Site, Size};

/// What was taken where nothing determines it, and a name alone does not say so. Who says it in
/// words has to say each, so the list is exhaustive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumed {
    /// The ranges of these indices are as long as their names say.
    Ranges(Vec<NameId>),
    /// The size of an axis that has no name is called by a new one.
    Size {
        /// The name of the tensor that has the axis.
        tensor: String,
        /// The axis.
        axis: Unnamed,
        /// The new name.
        name: String,
    },
    /// These ellipses take no axes.
    NoAxes(Vec<OpenRow>),
}

/// An axis that has no name of its own, by its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// An axis that this ellipsis takes.
    InEllipsis(String),
    /// The axis that is read or written at this position.
    At(String),
    /// A `_`.
    Written(String),
}

impl Inferred {
    /// Makes what nothing determines symbolic sizes, each equal only to itself. An axis with a name
    /// is as long as its name says; what is given is what was taken of the rest.
    ///
    /// # Errors
    /// When a name cannot have a size of its own, or the program no longer closes.
    pub(super) fn name_undetermined(&mut self) -> Result<Vec<Assumed>, Report> {
        let names = self.undetermined_names();
        let mut taken = self.symbols();
        for name in &names {
            let name = self.spec.name(*name);
            let size = self.session.capture(self.result, name)?;
            // One that follows from others by now is known.
            if self.session.known(size).is_none() {
                let is_free =
                    |other: &str| self.spec.find(other).is_none() && !taken.contains(other);
                let capitals = name.to_uppercase();
                let symbol = or_numbered(&capitals, &capitals, 2, is_free);
                taken.insert(symbol.clone());
                self.session.at(Site::whole(&self.source)).set_named(size, &symbol)?;
            }
        }
        let is_index = |name: &NameId| self.spec.name_use(*name) == Use::Index;
        let ranges: Vec<NameId> = names.into_iter().filter(is_index).collect();
        let mut assumed = vec![];
        if !ranges.is_empty() {
            assumed.push(Assumed::Ranges(ranges));
        }
        for place in 0..=self.operands.len() {
            assumed.extend(self.name_axes(place, &mut taken)?);
        }
        self.closed = self.session.close()?;
        let rows = self.open_rows();
        if !rows.is_empty() {
            assumed.push(Assumed::NoAxes(rows));
        }
        Ok(assumed)
    }

    /// Names the sizes of axes that have no name, of an operand or, with the number after the last,
    /// of the result. Axes that are computed from others get none here.
    fn name_axes(
        &mut self,
        place: usize,
        taken: &mut BTreeSet<String>,
    ) -> Result<Vec<Assumed>, Report> {
        let mut assumed = vec![];
        let Some((tensor, slot, called)) = self.tensors().nth(place) else { return Ok(assumed) };
        let known = self.session.shape(tensor)?;
        let rows = Kind::ALL.map(|kind| {
            let rank = known.row(kind).axes().len();
            let mut entry = |axis: usize| {
                let written = self.written(tensor, slot, kind, axis);
                let is_unnamed = match written.map(|written| written.form) {
                    None | Some(Form::Axis(Label::Fresh) | Form::Fixed(_)) => true,
                    Some(_) => false,
                };
                if !is_unnamed || !self.is_open(tensor, kind, axis) {
                    return "_".to_owned();
                }
                let ellipsis = slot.row(kind).ellipsis.map(|ellipsis| ellipsis.span);
                let text = written.map(|written| written.span).or(ellipsis);
                let text = text.map_or("", |span| span.of(self.spec.text())).to_owned();
                let axis = match written.map(|written| written.form) {
                    None => Unnamed::InEllipsis(text),
                    Some(Form::Fixed(_)) => Unnamed::At(text),
                    Some(_) => Unnamed::Written(text),
                };
                let name = self.letter(taken);
                taken.insert(name.clone());
                let (tensor, size) = (called.clone(), name.clone());
                assumed.push(Assumed::Size { tensor, axis, name });
                size
            };
            let mut row: Vec<String> = (0..rank).map(&mut entry).collect();
            if known.row(kind).is_open() {
                row.insert(known.row(kind).marker(), "...".to_owned());
            }
            row.join(",")
        });
        if !assumed.is_empty() {
            let sizes = self.session.data("sizes", &Shape::of_written(rows))?;
            self.session.same_shape(tensor, sizes)?;
        }
        Ok(assumed)
    }

    /// A name for the size of an axis that has none, in capitals as those of sizes that nothing
    /// determines.
    fn letter(&self, taken: &BTreeSet<String>) -> String {
        // `I` would be read as the size of `i`.
        let is_found = |name: &str| taken.contains(name) || self.spec.find(name).is_some();
        Letters::capital().pick(|name| !is_found(name) && !is_found(&name.to_lowercase()))
    }

    /// The names of sizes that the shapes have.
    fn symbols(&self) -> BTreeSet<String> {
        let shapes = self.tensors().filter_map(|(tensor, ..)| self.closed.shape(tensor).ok());
        let axes = shapes.flat_map(|shape| Kind::ALL.map(|kind| shape.row(kind)));
        let name = |axis: &Axis| match axis {
            Axis::Sized { size: Size::Named(name), .. } => Some(name.to_string()),
            Axis::Sized { size: Size::Number(_) | Size::Computed(_), .. } | Axis::Unit => None,
        };
        axes.flatten().filter_map(name).collect()
    }
}
