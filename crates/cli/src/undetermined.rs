//! What nothing determines: it is said, and gets a name where a loop needs one.

use std::collections::BTreeSet;

use lozenge::{Axis, Kind, Rejection, Size};
use lozenge_spec::Use;

use crate::{einsum::Inferred, output};

impl Inferred {
    /// The names of axes whose sizes nothing determines.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let sizes = self.sizes().into_iter().filter(|(_, size)| size.is_none());
        let axes = sizes.filter(|(id, _)| self.spec.name_use(*id) == Use::Axis);
        axes.map(|(id, _)| self.spec.name(id).to_owned()).collect()
    }

    pub(crate) fn say_unknown(&self) {
        let unknown = self.unknown();
        if !unknown.is_empty() {
            let (all, sets) = (unknown.join(", "), sets(&unknown));
            output::message(&format!("\nnothing determines {all}; say it with `{sets}`"));
        }
    }

    /// Makes names of axes symbolic sizes, each equal only to itself.
    pub(crate) fn with_names(&mut self, names: &[String]) -> Result<(), Rejection> {
        let mut taken = self.symbols();
        for name in names {
            let size = self.session.capture(self.result, name)?;
            // One that follows from others by now is known.
            if self.session.known(size).is_none() {
                self.session.set_named(size, &self.symbol(name, &mut taken))?;
            }
        }
        self.closed = self.session.close()?;
        Ok(())
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
