//! Steps of relations over sizes that are not numbers: names, and sizes computed from them.
//!
//! ```text
//!  Σ cᵢ·sᵢ + c·ξ = 0   −Σ cᵢ·sᵢ/c a size            Π sᵢ·ξ = Π tⱼ   Π tⱼ/Π sᵢ a size
//! ──────────────────────────────────── Size-solve   ───────────────────────────────── Size-solve
//!  ξ ↦ −Σ cᵢ·sᵢ/c                                    ξ ↦ Π tⱼ/Π sᵢ
//!
//!  Σ cᵢ·sᵢ + c·ξ + r = 0   0 ≤ r < c
//! ──────────────────────────────────── Size-solve
//!  ξ ↦ ⌊−Σ cᵢ·sᵢ/c⌋
//!
//!  the equation holds for all values of its names    for none, or it makes different names equal
//! ───────────────────────────────────────── Size-keep   ─────────────────────────────── Size-clash
//!  ✓                                                  fail
//! ```
//!
//! Where an equation holds for some values of its names, where a quotient is exact for some, or has
//! elements for some, that becomes a **requirement**. What is computed has an element, unless it is
//! a product or a sum of what may have none. With two unknowns a relation waits, but for a product
//! whose known factors alone exceed the other side for all values: that fails.

use alloc::vec::Vec;

use lozenge_calculus::size::{
    CommonValues, Decision, Implied, Polynomial, Requirement, Side, Sides, Size, Sizes,
};

use super::reading::Reading;
use crate::{
    apply::{
        reading::Root,
        sizes::{Relation, taken},
    },
    budget::Exhausted,
    config::Config,
    rules::step::Taken,
    tables::{
        cause::Cause,
        node::DimRef,
        rule::Rule,
        sizes::{Form, Kind},
    },
    why::conflict::{Stop, Trial},
};

impl Relation<'_> {
    /// A sum in which some terms are not numbers.
    pub(super) fn linear_open(
        &mut self,
        reading: &Reading,
        known: i128,
        given: bool,
    ) -> Result<Taken, Stop> {
        let terms = reading.open.iter().map(|(size, coefficient)| (*size, (*coefficient).into()));
        let sum = self.config.sizes.weighted(known, terms);
        let slack = if let Kind::Linear { slack, .. } = self.rel.kind { slack } else { 0 };
        match reading.roots.as_slice() {
            [] if given && reading.has_another_basis() => Err(self.size_fails(&[])),
            [] => {
                let rest = self.config.sizes.rest(sum, slack);
                self.equation_open(reading, &rest)?;
                if given && reading.unnamed {
                    // Whether the bases agree shows when they are known.
                    self.guess_again(reading);
                } else {
                    self.config.tables.finish(self.id);
                }
                Ok(taken(Rule::SizeKeep))
            }
            // What is left over leaves others than the floor open.
            [root] if slack > 0 && root.weight != i128::from(slack) + 1 => {
                Ok(taken(Rule::SizeKeep))
            }
            [root] => {
                // What parts add up to has no elements where none of them has.
                let is_sum =
                    root.whole && matches!(self.rel.kind, Kind::Linear { form: Form::Concat, .. });
                let root = if is_sum { &root.or_empty() } else { root };
                // c·ξ = −sum.
                let sign = if root.weight > 0 { -1 } else { 1 };
                let of = self.config.sizes.product(&sum, &Polynomial::constant(sign));
                if slack > 0 {
                    let floor = self.config.sizes.floor(&of, u64::from(slack) + 1);
                    let one = Polynomial::constant(1);
                    return self.solve_open(reading, *root, &floor, &one);
                }
                let by = Polynomial::constant(root.weight.abs());
                self.solve_open(reading, *root, &of, &by)
            }
            _ => {
                if given {
                    self.config.tables.cancel(self.id, self.rel);
                }
                Ok(taken(Rule::SizeKeep))
            }
        }
    }

    /// A product in which some factors are not numbers.
    pub(super) fn product_open(&mut self, reading: Reading, known: Sides) -> Result<Taken, Stop> {
        let reading = &reading.of_nothing();
        let mut side = |number: u128, side: Side| {
            let open = reading.open.iter().filter(|(_, power)| Side::of_power(*power) == side);
            self.config
                .sizes
                .multiplied(number, open.map(|(size, _)| *size))
                .ok_or(Exhausted::Sizes)
        };
        let (left, right) = (side(known.left, Side::Left)?, side(known.right, Side::Right)?);
        match reading.roots.as_slice() {
            [] => {
                let difference = self.config.sizes.difference(&left, &right);
                self.equation_open(reading, &difference)?;
                self.config.tables.finish(self.id);
                Ok(taken(Rule::SizeKeep))
            }
            [root @ Root { weight: 1 | -1, .. }] => {
                let (of, by) = if root.weight > 0 { (right, left) } else { (left, right) };
                // What is exact has elements if all factors have, and none if one of them has none.
                self.solve_open(reading, root.or_empty(), &of, &by)
            }
            roots => {
                // A product is no less than any factor of it.
                let are_factors = |sign: i128| {
                    roots.iter().all(|root| root.weight.signum() == sign && root.least > 0)
                        && !self.config.sizes.may_be_empty()
                };
                let above = match (are_factors(1), are_factors(-1)) {
                    (true, _) => self.config.sizes.difference(&right, &left),
                    (_, true) => self.config.sizes.difference(&left, &right),
                    (false, false) => return Ok(taken(Rule::SizeKeep)),
                };
                let asked = Requirement::AtLeast(above, 0);
                if self.config.sizes.decide_requirement(&asked) == Decision::Never {
                    return Err(self.size_fails(&reading.roots).requiring(asked));
                }
                Ok(taken(Rule::SizeKeep))
            }
        }
    }

    /// Nothing is unknown but what names are.
    fn equation_open(&mut self, reading: &Reading, form: &Polynomial) -> Result<(), Stop> {
        let asked = Requirement::Zero(form.clone());
        match self.config.sizes.decide_requirement(&asked) {
            Decision::Always => Ok(()),
            Decision::Requires(requirement) => {
                // A name that is known at run time is taken for what it has to be, if that depends
                // on nothing chosen.
                if self.config.trial == Trial::No && self.config.sizes.is_solvable(&requirement) {
                    let failed = self.size_fails(&reading.roots);
                    if failed.is_exact() {
                        return self.config.keep_equation(failed.requiring(requirement));
                    }
                }
                let cause = self.config.tables.relation_cause(self.rel, &[]);
                self.config.require(requirement, cause)
            }
            // A name is equal to nothing but itself.
            Decision::Never | Decision::Is(..) | Decision::Several => {
                Err(self.size_fails(&reading.roots).requiring(asked))
            }
        }
    }

    /// One unknown is left: it is a quotient.
    fn solve_open(
        &mut self,
        reading: &Reading,
        root: Root,
        of: &Polynomial,
        by: &Polynomial,
    ) -> Result<Taken, Stop> {
        let quotient = self.config.sizes.quotient(of, by);
        let cause = self.config.tables.relation_cause(self.rel, &[root]);
        let is_empty = root.may_be_empty && !root.bounded && self.config.sizes.may_vanish(of);
        let least = if is_empty { 0 } else { root.least };
        let size = self.config.sizes.size(&quotient);
        let taken_for = size.map(|size| self.config.sizes.taken_for(size));
        let is_another = taken_for.filter(|other| Some(*other) != size).map(|other| {
            let other = self.config.sizes.form(other);
            Requirement::Zero(self.config.sizes.difference(&quotient, &other))
        });
        let asked = [
            Some(Requirement::Exact(of.clone(), by.clone())),
            // A part that may be left out has no elements perhaps.
            Some(Requirement::AtLeast(quotient.clone(), least.into())),
            is_another,
        ];
        for asked in asked.into_iter().flatten() {
            match self.config.sizes.decide_requirement(&asked) {
                Decision::Always => {}
                Decision::Requires(requirement) => self.config.require(requirement, cause)?,
                Decision::Never | Decision::Is(..) | Decision::Several => {
                    return Err(self.size_fails(&[root]).requiring(asked));
                }
            }
        }
        if root.may_be_empty && quotient == Polynomial::ZERO {
            self.config.bind_size(root, Size::EMPTY, reading.likely_basis(root.whole), cause);
            self.config.tables.enqueue_size(self.id);
            return Ok(taken(Rule::SizeSolve));
        }
        if let Some(n) = quotient.as_constant() {
            let Ok(n) = u64::try_from(n) else { return Err(self.size_fails(&[root])) };
            return self.conclude(reading, Implied::Forced(alloc::vec![(0, n)]));
        }
        let size = taken_for.ok_or(Exhausted::Sizes)?;
        self.config.bind_size(root, size, reading.likely_basis(root.whole), cause);
        self.config.tables.enqueue_size(self.id);
        Ok(taken(Rule::SizeSolve))
    }
}

impl Config {
    /// Takes it that a size which is not a number is at least `least`.
    pub(super) fn at_least_open(
        &mut self,
        size: Size,
        least: u64,
        cause: Cause,
        term: DimRef,
    ) -> Result<(), Stop> {
        let form = self.sizes.form(size);
        let asked = Requirement::AtLeast(form, least.into());
        match self.sizes.decide_requirement(&asked) {
            Decision::Always => Ok(()),
            Decision::Requires(requirement) => {
                let cause = self.tables.trace.joint(cause, cause, [term, DimRef::UNIT]);
                self.require(requirement, cause)
            }
            Decision::Never | Decision::Is(..) | Decision::Several => {
                let failed = self.fails(Rule::SizeClash, None, cause, [term, DimRef::UNIT]);
                Err(failed.requiring(asked))
            }
        }
    }

    /// Keeps a requirement, with why it is one. It fails if no value of its name satisfies it and
    /// those that are kept, or one alone: then the name is that number.
    fn require(&mut self, requirement: Requirement, cause: Cause) -> Result<(), Stop> {
        if self.tables.requirements.iter().any(|(known, _)| *known == requirement) {
            return Ok(());
        }
        if let [name] = self.sizes.names_of(&requirement)[..] {
            let is_alike = |known: &Requirement| self.sizes.names_of(known) == [name];
            let alike = self.tables.requirements.iter().filter(|(known, _)| is_alike(known));
            let (alike, causes): (Vec<&Requirement>, Vec<Cause>) =
                alike.map(|(known, cause)| (known, *cause)).unzip();
            let together = [&alike[..], &[&requirement]].concat();
            let is_first = alike.is_empty();
            let together = self.sizes.common_values(&together, Sizes::name(name));
            let is_number = !self.sizes.is_at_run_time(name) || together == CommonValues::None;
            if !is_first && together != CommonValues::Several && is_number {
                let cause = self.tables.joined(cause, causes);
                let failed = self.fails(Rule::SizeClash, None, cause, [DimRef::UNIT; 2]);
                let CommonValues::One(value) = together else { return Err(failed) };
                let name = Polynomial::indeterminate(Sizes::name(name));
                let difference = self.sizes.difference(&name, &Polynomial::constant(value));
                return Err(failed.requiring(Requirement::Zero(difference)));
            }
        }
        self.tables.requirements.push((requirement, cause));
        Ok(())
    }
}
