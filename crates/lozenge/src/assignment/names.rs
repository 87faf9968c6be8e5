//! Names for the loops and occurrences of an assignment.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use lozenge_calculus::term::{RowVar, Variable};
use lozenge_notation::{
    Use,
    fresh::{Letters, or_numbered},
};
use lozenge_project::AxisId;

use super::{Derived, Labels, Occurrence};
use crate::{
    Closed, Kind, Spec,
    operation::Scheme,
    session::{program::Program, step::StepId},
};

impl Program {
    /// Names for everything in the assignment of a step.
    pub(super) fn labels(
        &self,
        closed: &Closed,
        number: StepId,
        scheme: &Scheme,
        derived: &Derived,
    ) -> Labels {
        let operands = self.operands_of(number).iter().copied();
        let tensors: Vec<StepId> = [number].into_iter().chain(operands).collect();
        let spec = self.steps[number.place()].operation.spec();
        self.labels_of(closed, &tensors, spec, scheme, derived)
    }

    /// Names for these tensors and for what a scheme of them has.
    pub(super) fn labels_of(
        &self,
        closed: &Closed,
        tensors: &[StepId],
        spec: Option<&Spec>,
        scheme: &Scheme,
        derived: &Derived,
    ) -> Labels {
        let tensors = tensors.iter().copied();
        let called = self.tensor_names(tensors.clone());
        // All of these have names, and shapes since the program is closed.
        let occurrence = |number: StepId| Occurrence {
            name: called.get(&number).cloned().unwrap_or_default(),
            shape: closed.shape_of(number).cloned().unwrap_or_default(),
        };
        let occurrences = tensors.map(occurrence).collect();
        let indices = spec.map_or_else(Vec::new, |spec| {
            let names = spec.names().filter(|id| spec.name_use(*id) == Use::Index);
            names.map(|id| spec.name(id).to_owned()).collect()
        });
        let name_table = closed.name_table().clone();
        let sizes = derived.sizes.clone().unwrap_or_else(|| closed.values.sizes().clone());
        let record = &derived.record;
        let bounds = record.loops().map(|(_, extent)| extent);
        let axes = record.slots().flat_map(|slot| record.map(slot).iter().map(|axis| axis.size));
        let naming = name_table.with(&sizes);
        let sized = bounds.chain(axes).flat_map(|size| naming.names_in(size)).collect();
        let loops = loop_names(scheme, derived, called.into_values(), &sized);
        Labels { loops, indices, occurrences, name_table, sizes }
    }

    /// Names for tensors, so that indices can stand behind them; no two have the same. The first
    /// that was made keeps its own.
    fn tensor_names(&self, tensors: impl Iterator<Item = StepId>) -> BTreeMap<StepId, String> {
        let mut names: BTreeMap<StepId, String> =
            tensors.map(|number| (number, String::new())).collect();
        let mut taken: Vec<String> = vec![];
        for (number, name) in &mut names {
            let called = indexable(&self.display_name(*number));
            let is_formula = called.starts_with('(');
            let (stem, first) = if is_formula { ("t", number.number()) } else { (&called[..], 2) };
            *name =
                or_numbered(&called, stem, first, |name| !taken.iter().any(|other| other == name));
            taken.push(name.clone());
        }
        names
    }
}

/// A name that can be indexed: `operand 1` is `operand1`.
fn indexable(name: &str) -> String {
    let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    match name.split_once(' ') {
        None if plain(name) => name.to_owned(),
        Some((word, number)) if plain(word) && number.parse::<u32>().is_ok() => {
            format!("{word}{number}")
        }
        _ => format!("({name})"),
    }
}

/// Words of the pseudo-code.
const WORDS: [&str; 4] = ["for", "in", "if", "and"];

/// Names for loops: those that the scheme gives sizes, those of row variables with numbers, letters
/// for others. None is that of a tensor, that of a size, or a word of the pseudo-code.
fn loop_names(
    scheme: &Scheme,
    derived: &Derived,
    tensors: impl Iterator<Item = String>,
    sized: &BTreeSet<Arc<str>>,
) -> Vec<String> {
    let record = &derived.record;
    let mut names: Vec<Option<String>> = record.loops().map(|_| None).collect();
    let mut give = |id: u32, name: &dyn Fn() -> String| {
        if let Some(of) = record.loop_of(AxisId(id)) {
            names[of.0 as usize].get_or_insert_with(name);
        }
    };
    let mut rows: Vec<(&Arc<str>, RowVar)> = vec![];
    for (name, size) in scheme.names() {
        match size {
            Variable::Dim(var) => give(var.index(), &|| name.to_string()),
            Variable::Row(var) => rows.push((name, *var)),
        }
    }
    for (place, axes) in derived.rows.iter().enumerate() {
        let own = rows.iter().find(|(_, var)| var.index() as usize == place);
        let of_kind =
            || scheme.ellipsis(place).map(Kind::name).filter(|kind| !sized.contains(*kind));
        let Some(name) = own.map(|(name, _)| &***name).or_else(of_kind) else { continue };
        for (number, axis) in axes.flat().iter().enumerate() {
            let several = axes.rank() > 1;
            let name = if several { format!("{name}{number}") } else { name.to_owned() };
            // A name that an axis has already would be read as that axis.
            let is_taken = |(other, size): &(Arc<str>, Variable)| {
                **other == *name && matches!(size, Variable::Dim(_))
            };
            if !scheme.names().iter().any(is_taken) {
                give(axis.index(), &|| name.clone());
            }
        }
    }
    for place in 1..names.len() {
        if names[..place].contains(&names[place]) {
            names[place] = None; // two rows by one name with a number
        }
    }
    let sized = sized.iter().map(ToString::to_string);
    let reserved: Vec<String> = tensors.chain(sized).chain(WORDS.map(str::to_owned)).collect();
    let mut taken: Vec<String> = names.iter().flatten().cloned().chain(reserved.clone()).collect();
    taken.extend(scheme.names().iter().map(|(name, _)| name.to_string())); // indices too
    for name in names.iter_mut().flatten().filter(|name| reserved.contains(name)) {
        while taken.contains(name) {
            name.push('_');
        }
        taken.push(name.clone());
    }
    let mut letters = Letters::small();
    let mut free = || {
        let name = letters.pick(|name| !taken.iter().any(|other| other == name));
        taken.push(name.clone());
        name
    };
    names.into_iter().map(|name| name.unwrap_or_else(&mut free)).collect()
}
