//! What the variables of a program belong to.

use alloc::{collections::BTreeSet, vec::Vec};

use lozenge_calculus::term::Variable;

/// What a variable belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Role {
    /// A tensor that no operation makes, such as data: its shape comes from its uses.
    Leaf,
    /// A leaf that is learned: its uses must determine it.
    Parameter,
    /// The result of an operation.
    Interior,
}

/// The roles of variables, in program order. A variable that is not among them is interior.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Roles {
    leaves: Vec<(Variable, Role)>,
    known: BTreeSet<Variable>,
}

impl Roles {
    /// These roles, in program order.
    pub fn new<V: Into<Variable>>(roles: impl IntoIterator<Item = (V, Role)>) -> Roles {
        let mut all = Roles::default();
        for (var, role) in roles {
            all.add(var.into(), role);
        }
        all
    }

    /// Adds a role. The first role of a variable is the one it has.
    pub fn add(&mut self, var: Variable, role: Role) {
        if self.known.insert(var) && role != Role::Interior {
            self.leaves.push((var, role));
        }
    }

    /// The leaves and parameters, in program order.
    pub fn leaves(&self) -> &[(Variable, Role)] {
        &self.leaves
    }
}
