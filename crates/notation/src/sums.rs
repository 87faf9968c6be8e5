//! What a specification does with whole axes: which it sums, and whether it does nothing else.

use std::collections::BTreeSet;

use crate::{
    Kind,
    tree::{Axis, Form, Label, NameId, PartForm, Row, Slot, Spec},
};

/// An axis or a row of a slot, by name; a row without one by its kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    Named(NameId),
    Row(Kind),
}

impl Spec {
    /// Whether nothing is done but to sum whole axes, or to move them: every axis of an operand is
    /// one of its own, and every axis of the result is an operand's.
    ///
    /// ```
    /// let is_plain = |text: &str| lozenge_notation::parse(text).ok().unwrap().is_plain();
    /// assert!(is_plain("bi; io => bo") && is_plain("...|i->... => ...|"));
    /// assert!(!is_plain("ii => i") && !is_plain("i1 => i") && !is_plain("i => i(2)"));
    /// ```
    pub fn is_plain(&self) -> bool {
        let mut read: BTreeSet<Entry> = BTreeSet::new();
        let is_plain = |slot: &Slot, entries: &[Entry]| {
            let distinct: BTreeSet<&Entry> = entries.iter().collect();
            let is_axis = |axis: &Axis| matches!(axis.form, Form::Axis(_));
            distinct.len() == entries.len() && self.all_axes(slot).all(is_axis)
        };
        for slot in self.operands() {
            let entries = self.entries(slot);
            if !is_plain(slot, &entries) {
                return false;
            }
            read.extend(entries);
        }
        let written = self.entries(self.result());
        let is_new = |axis: &Axis| matches!(axis.form, Form::Axis(Label::Fresh));
        is_plain(self.result(), &written)
            && !self.all_axes(self.result()).any(is_new)
            && written.iter().all(|entry| read.contains(entry))
    }

    /// Whether several points are written to one cell: the result lacks an axis that an operand
    /// has, or windows overlap in it.
    pub fn is_summing(&self) -> bool {
        let written = self.entries(self.result());
        let is_window = |axis: &Axis| match axis.form {
            Form::Affine(id) => self.affine(id).window.is_some(),
            _ => false,
        };
        let is_lacking = |slot: &Slot| {
            let is_fresh = |axis: &Axis| matches!(axis.form, Form::Axis(Label::Fresh));
            self.all_axes(slot).any(is_fresh)
                || self.entries(slot).iter().any(|entry| !written.contains(entry))
        };
        self.operands().iter().any(is_lacking) || self.all_axes(self.result()).any(is_window)
    }

    /// Whether operands are put one after another in the result.
    pub fn is_joining(&self) -> bool {
        self.all_axes(self.result()).any(|axis| matches!(axis.form, Form::Concat(_)))
    }

    /// Whether a slot has an axis of this name.
    pub fn has_axis(&self, slot: &Slot, name: &str) -> bool {
        let named = |axis: &Axis| matches!(axis.form, Form::Axis(label) if label.name().is_some_and(|id| self.name(id) == name));
        self.all_axes(slot).any(named)
    }

    fn all_axes<'a>(&'a self, slot: &'a Slot) -> impl Iterator<Item = &'a Axis> {
        rows(slot).flat_map(|(_, row)| {
            let (before, after) = self.axes(row);
            before.iter().chain(after)
        })
    }

    /// The names of a slot whose axes are visited, as often as they are there, and its rows.
    fn entries(&self, slot: &Slot) -> Vec<Entry> {
        let mut entries = vec![];
        for (kind, row) in rows(slot) {
            if let Some(ellipsis) = row.ellipsis {
                entries.push(ellipsis.name.map_or(Entry::Row(kind), Entry::Named));
            }
        }
        for axis in self.all_axes(slot) {
            let mut take = |label: Label| entries.extend(label.name().map(Entry::Named));
            match axis.form {
                Form::Axis(label) => take(label),
                Form::Fixed(_) | Form::Runtime(_) => {}
                Form::Affine(id) => {
                    let affine = self.affine(id);
                    take(affine.over);
                    if let Some(window) = affine.window {
                        take(window.kernel);
                    }
                }
                Form::Concat(parts) | Form::Merged(parts) => {
                    for part in self.parts(parts) {
                        if let PartForm::Axis(label) = part.form {
                            take(label);
                        }
                    }
                }
            }
        }
        entries
    }
}

fn rows(slot: &Slot) -> impl Iterator<Item = (Kind, &Row)> {
    Kind::ALL.into_iter().map(|kind| (kind, slot.row(kind)))
}
