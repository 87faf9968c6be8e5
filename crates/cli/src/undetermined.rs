//! What nothing determines: it is said, and gets a name where a loop needs one.

use std::collections::BTreeSet;

use lozenge::{Axis, Kind, Rejection, Size};
use lozenge_spec::Use;

use crate::einsum::Inferred;

impl Inferred {
    /// The names of axes and indices whose sizes and ranges nothing determines.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let sizes = self.sizes().into_iter().filter(|(_, size)| size.is_none());
        let named = sizes.filter(|(id, _)| self.spec.name_use(*id) != Use::Row);
        named.map(|(id, _)| self.spec.name(id).to_owned()).collect()
    }

    fn is_index(&self, name: &str) -> bool {
        self.spec.find(name).is_some_and(|id| self.spec.name_use(id) == Use::Index)
    }

    /// That nothing determines these names, and what to type.
    fn nothing_determines(&self, names: &[String]) -> Option<String> {
        let word = |name: &String| match &name[..] {
            name if self.is_index(name) => format!("the range of {name}"),
            name => name.to_owned(),
        };
        let all: Vec<String> = names.iter().map(word).collect();
        let said =
            || format!("nothing determines {}; say it with `{}`", all.join(", "), sets(names));
        (!names.is_empty()).then(said)
    }

    /// What is to be said about what nothing determines.
    pub(crate) fn undetermined(&self) -> Vec<String> {
        self.nothing_determines(&self.unknown()).into_iter().collect()
    }

    /// Makes what nothing determines symbolic sizes, each equal only to itself. An axis is as long as its
    /// name says; gives what is to be said about the rest.
    pub(crate) fn with_names(&mut self, names: &[String]) -> Result<Vec<String>, Rejection> {
        let mut taken = self.symbols();
        for name in names {
            let size = self.session.capture(self.result, name)?;
            // One that follows from others by now is known.
            if self.session.known(size).is_none() {
                self.session.set_named(size, &self.symbol(name, &mut taken))?;
            }
        }
        self.closed = self.session.close()?;
        let indices: Vec<String> =
            names.iter().filter(|name| self.is_index(name)).cloned().collect();
        Ok(self.nothing_determines(&indices).into_iter().collect())
    }

    /// The names of sizes that the shapes have.
    fn symbols(&self) -> BTreeSet<String> {
        let shapes = self.tensors().filter_map(|(tensor, ..)| self.closed.shape(tensor).ok());
        let axes = shapes.flat_map(|shape| Kind::ALL.map(|kind| shape.row(kind)));
        let name = |axis: &Axis| match axis {
            Axis::Sized { size: Size::Named(name), .. } => Some(name.to_string()),
            Axis::Sized { size: Size::Number(_), .. } | Axis::Unit => None,
        };
        axes.flatten().filter_map(name).collect()
    }

    /// A name for the size of an axis: its own, unless a size is called so that somebody gave.
    fn symbol(&self, name: &str, taken: &mut BTreeSet<String>) -> String {
        let numbered = (2..).map(|number: u32| format!("{name}{number}"));
        let mut others = numbered.filter(|other| self.spec.find(other).is_none());
        let mut symbol = name.to_owned();
        while !taken.insert(symbol.clone()) {
            symbol = others.next().unwrap_or_default();
        }
        symbol
    }
}

/// What to type so that names have sizes.
fn sets(names: &[String]) -> String {
    let each: Vec<String> = names.iter().map(|name| format!("--set {name}=…")).collect();
    each.join(" ")
}
