//! Closed programs before the judge: every constraint that was given, with the values that closing
//! found.

use std::collections::{BTreeMap, BTreeSet};

use lozenge::Closed;
use lozenge_calculus::{
    constraint::{Constraint, Count, Relation, SizeRelation, Vars},
    dim::Dim,
    judge::Judge,
    size::Size,
    term::{DimTerm, DimVar, Grounding, RowTerm},
};

use super::build::Built;

/// What the judge does not find satisfied.
#[derive(Clone, Debug)]
pub enum Unsatisfied {
    /// A constraint that does not hold.
    No(String),
    /// A relation between sizes of which some stay symbolic, so that nobody knows whether it holds.
    Unknown(String),
    /// A template row that is not between the result and the operand it was equated with.
    NotWithin(String),
}

/// Checks every constraint of a closed program, and that every template row is within the operand
/// it was equated with, in the one-shot order (Remark 2.15). Gives the number of constraints and of
/// rows.
pub fn check(built: &Built, closed: &Closed) -> Result<[u64; 2], Unsatisfied> {
    let ground = closed.grounding();
    let constraints: Vec<Constraint> = closed.session(&built.session).constraints().collect();
    let eliminated = eliminated(ground, &constraints);
    let mut rows = 0;
    let mut unknown = None;
    for constraint in &constraints {
        let is_eliminated = counted(constraint).is_some_and(|(_, dim)| eliminated.contains(&dim));
        if !Judge::OneShot.satisfies_with(closed.sizes(), ground, constraint) && !is_eliminated {
            let said = grounded(ground, constraint);
            if !has_symbol(ground, constraint) {
                return Err(Unsatisfied::No(said));
            }
            unknown = Some(Unsatisfied::Unknown(said));
        }
        if let Relation::RowEq(template, operand) = &constraint.relation {
            let within = Relation::RowIneq(template.clone(), operand.clone());
            let within = within.with_origin(constraint.origin);
            if !Judge::OneShot.satisfies(ground, &within) {
                return Err(Unsatisfied::NotWithin(grounded(ground, &within)));
            }
            rows += 1;
        }
    }
    unknown.map_or(Ok([constraints.len() as u64, rows]), Err)
}

/// The numbers of elements that are only between two counts, as that of a reshape is, and that both
/// counts make the same product of sizes. Of named sizes such a product has no size of its own, so
/// the judge cannot see it.
fn eliminated(ground: &Grounding, constraints: &[Constraint]) -> BTreeSet<DimVar> {
    let mut products: BTreeMap<DimVar, Vec<Option<Product>>> = BTreeMap::new();
    for (product, dim) in constraints.iter().filter_map(counted) {
        products.entry(dim).or_default().push(product(ground));
    }
    for constraint in constraints.iter().filter(|constraint| counted(constraint).is_none()) {
        for dim in Vars::of([constraint]).dims {
            products.remove(&dim);
        }
    }
    let is_same = |found: &Vec<Option<Product>>| {
        found.len() == 2 && found[0].is_some() && found[0] == found[1]
    };
    products.into_iter().filter(|(_, found)| is_same(found)).map(|(dim, _)| dim).collect()
}

/// A product of sizes over a number, in lowest terms: the named ones in order.
#[derive(PartialEq, Eq)]
struct Product {
    named: Vec<Size>,
    number: (u128, u128),
}

/// The variable that a count of elements is given by, and what it would have to be.
fn counted(
    constraint: &Constraint,
) -> Option<(impl Fn(&Grounding) -> Option<Product> + '_, DimVar)> {
    let Relation::Size(SizeRelation::Total { rows, divided_by, count }) = &constraint.relation
    else {
        return None;
    };
    let Count::Strided { coefficient, dim: DimTerm::Var(dim), denominator } = count else {
        return None;
    };
    let product = move |ground: &Grounding| {
        let axes = rows.iter().flat_map(|row| ground.row(row).flat().to_vec());
        let axes = axes.chain(divided_by.iter().map(|term| ground.dim(*term)));
        let mut product = Product { named: vec![], number: (u128::from(*denominator), 1) };
        for size in axes.map(Dim::size) {
            match size.count() {
                Some(n) => product.number.0 = product.number.0.checked_mul(n.into())?,
                None => product.named.push(size),
            }
        }
        product.named.sort_unstable();
        let coefficient = u128::from(*coefficient);
        let common = greatest_common_divisor(product.number.0, coefficient);
        product.number = (product.number.0 / common, coefficient / common);
        Some(product)
    };
    Some((product, *dim))
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

/// A constraint, and what it is with the values that closing found.
fn grounded(ground: &Grounding, constraint: &Constraint) -> String {
    let dim = |term: DimTerm| DimTerm::Dim(ground.dim(term));
    let row = |term: &RowTerm| RowTerm::from(&ground.row(term));
    let relation = match &constraint.relation {
        Relation::DimEq(left, right) => Relation::DimEq(dim(*left), dim(*right)),
        Relation::DimIneq(result, operand) => Relation::DimIneq(dim(*result), dim(*operand)),
        Relation::RowEq(left, right) => Relation::RowEq(row(left), row(right)),
        Relation::RowIneq(result, operand) => Relation::RowIneq(row(result), row(operand)),
        Relation::Size(relation) => Relation::Size(relation.map(dim, row)),
    };
    format!("{constraint} is {}", relation.with_origin(constraint.origin))
}

/// Whether a relation between sizes has one that stays symbolic.
fn has_symbol(ground: &Grounding, constraint: &Constraint) -> bool {
    let Relation::Size(relation) = &constraint.relation else { return false };
    let found = std::cell::Cell::new(false);
    let dim = |term: DimTerm| {
        let symbolic = ground.dim(term).size().count().is_none();
        found.set(found.get() || symbolic);
        term
    };
    let row = |term: &RowTerm| {
        let symbolic = ground.row(term).flat().iter().any(|dim| dim.size().count().is_none());
        found.set(found.get() || symbolic);
        term.clone()
    };
    let _ = relation.map(dim, row); // only to visit its terms
    found.get()
}
