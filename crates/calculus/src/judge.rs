//! What it means to satisfy a constraint.
//!
//! Size relations are arithmetic. Dimension equalities are identity, dimension inequalities the
//! broadcast order, row equalities flat equivalence. For row inequalities there are two judges:
//!
//! * [`Judge::OneShot`] is the truth of one operation, what its loops do: a row's marker matters
//!   only where the row is an operand. What the solver accepts must pass this one.
//! * [`Judge::Marked`] reads a row inequality in the row order, which also speaks of every later
//!   broadcast. It is stricter; what the solver rejects by semantic steps has no solution under it.
//!
//! DIVERGENCE(semantics): the document judges inequalities by the marked order alone. That order
//! excludes matches that every tensor program relies on, such as `[3]⟨ρ⟩[4] ⊑ ◊[3,5,4]` at rank 3.

use crate::{
    constraint::{Constraint, Relation, SizeRelation},
    size::{Requirement, Sizes},
    term::{DimTerm, Grounding, RowTerm},
};

/// A judge: the order by which row inequalities are judged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Judge {
    /// The one-shot order ⊑¹.
    OneShot,
    /// The marked row order ⊑.
    Marked,
}

impl Judge {
    /// Whether `ground` satisfies `constraint`, over numbers and names.
    pub fn satisfies(self, ground: &Grounding, constraint: &Constraint) -> bool {
        self.judges(&mut Sizes::new(), ground, constraint)
    }

    /// Whether `ground` satisfies `constraint`, where sizes are of this table, for some values of
    /// its names.
    pub fn satisfies_with(
        self,
        sizes: &Sizes,
        ground: &Grounding,
        constraint: &Constraint,
    ) -> bool {
        self.judges(&mut sizes.clone(), ground, constraint)
    }

    /// The requirement of names under which `ground` satisfies `constraint`, where it does so for
    /// some of their values.
    pub fn required_with(
        sizes: &Sizes,
        ground: &Grounding,
        constraint: &Constraint,
    ) -> Option<Requirement> {
        let Relation::Size(relation) = &constraint.relation else { return None };
        grounded(relation, ground).required(&mut sizes.clone())
    }

    /// Whether a ground substitution satisfies a constraint, with a table to compute sizes in.
    fn judges(self, sizes: &mut Sizes, ground: &Grounding, constraint: &Constraint) -> bool {
        match &constraint.relation {
            Relation::DimEq(left, right) => ground.dim(*left) == ground.dim(*right),
            Relation::DimIneq(result, operand) => ground.dim(*result).refines(ground.dim(*operand)),
            Relation::RowEq(left, right) => ground.row(left).flat_eq(&ground.row(right)),
            Relation::Size(relation) => grounded(relation, ground).holds(sizes),
            Relation::RowIneq(result, operand) => {
                let (result, operand) = (ground.row(result), ground.row(operand));
                match self {
                    Judge::OneShot => result.refines_once(&operand),
                    Judge::Marked => result.refines(&operand),
                }
            }
        }
    }

    /// Whether `ground` satisfies every one of `constraints`, over numbers and names.
    pub fn satisfies_all<'a>(
        self,
        ground: &Grounding,
        constraints: impl IntoIterator<Item = &'a Constraint>,
    ) -> bool {
        self.satisfies_all_with(&Sizes::new(), ground, constraints)
    }

    /// Whether `ground` satisfies every one of `constraints`, where sizes are of this table.
    pub fn satisfies_all_with<'a>(
        self,
        sizes: &Sizes,
        ground: &Grounding,
        constraints: impl IntoIterator<Item = &'a Constraint>,
    ) -> bool {
        let mut sizes = sizes.clone();
        constraints.into_iter().all(|constraint| self.judges(&mut sizes, ground, constraint))
    }
}

/// A relation between sizes with its terms grounded.
fn grounded(relation: &SizeRelation, ground: &Grounding) -> SizeRelation {
    let dim = |term| DimTerm::Dim(ground.dim(term));
    relation.map(dim, |row| RowTerm::from(&ground.row(row)))
}
