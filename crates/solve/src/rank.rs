//! Ranks, decided.
//!
//! Every given row constraint says something about ranks alone: `R_res ⊑ R_op` that the result has
//! at least the operand's rank, `R₁ ≈ R₂` that both have the same. With the flanks counted these
//! are difference constraints, `rank ρ ≥ rank σ + k`, lower bounds where the operand is closed and
//! upper bounds where the result is.
//!
//! All of them are kept, and with them the *least* ranks that satisfy them. A new constraint that
//! the least ranks violate raises one of them, and in turn those that depend on it, greatest rise
//! first, so that each is raised once (Cotton and Maler). No ranks satisfy the constraints iff a
//! rise comes back to where it came from, or goes past an upper bound; the constraints on the way
//! are the conflict.
//!
//! Invariant: between two batches, the rank in every slot is the least one.

use alloc::collections::BinaryHeap;

use crate::{
    budget::Exhausted,
    config::{Config, Rise},
    tables::{
        ids::{GivenId, Link, PackedOption, RowSlot},
        list::Tables,
        node::{GivenKind, RowGiven, RowRef, Sign},
        rule::Rule,
    },
    why::{conflict::Stop, trace::Reasons},
};

/// Which side of a given constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Left,
    Right,
}

impl Config {
    /// Takes what a given constraint says about ranks.
    pub(crate) fn decide_ranks(&mut self, given: GivenId) -> Result<(), Stop> {
        let GivenKind::Row(RowGiven { relation, left, right, .. }) =
            self.tables.givens.all.at(given).kind
        else {
            return Ok(());
        };
        self.at_least(given, left, right, End::Left)?;
        match relation {
            Sign::Ineq => Ok(()),
            Sign::Eq | Sign::Is => self.at_least(given, right, left, End::Right),
        }
    }

    /// The rank of `high`, which stands at `end`, is at least the rank of `low`.
    #[inline]
    fn at_least(
        &mut self,
        given: GivenId,
        high: RowRef,
        low: RowRef,
        end: End,
    ) -> Result<(), Stop> {
        if let (Some(high), Some(low)) = (high.slot.get(), low.slot.get()) {
            if high != low {
                self.tables.depend(given, low, end);
            }
        }
        self.exceeds(given, high, low, 0)
    }

    /// The rank of `high` is at least `by` more than the rank of `low`.
    #[inline]
    pub(crate) fn exceeds(
        &mut self,
        given: GivenId,
        high: RowRef,
        low: RowRef,
        by: i64,
    ) -> Result<(), Stop> {
        let surplus = known(low) - known(high) + by;
        match (high.slot.get(), low.slot.get()) {
            (slot, other) if slot == other && surplus > 0 => Err(self.rank_conflict([given])),
            (slot, other) if slot == other => Ok(()),
            (Some(slot), None) => self.raise(slot, surplus, given, PackedOption::NONE),
            (Some(high), Some(low)) => {
                let least = i64::from(self.tables.rows.slots.get(low).rank);
                self.raise(high, least + surplus, given, PackedOption::some(low))
            }
            (None, Some(slot)) => self.limit(slot, -surplus, given),
            (None, None) => Ok(()),
        }
    }

    /// The rank of `slot` is at most `most`.
    fn limit(&mut self, slot: RowSlot, most: i64, given: GivenId) -> Result<(), Stop> {
        let state = self.tables.rows.slots.get(slot);
        let rank = i64::from(state.rank);
        if most < 0 {
            return Err(self.rank_conflict([given]));
        }
        if rank > most {
            return Err(self.rank_conflict(self.tables.chain(slot, given)));
        }
        if self.tables.limit_of(slot).is_none_or(|limit| most < limit) {
            self.tables.rows.slots.update(slot, |slot| slot.limited_by = PackedOption::some(given));
        }
        Ok(())
    }

    /// The rank of `slot` is at least `to`, because of `given`, whose other end is `source`.
    fn raise(
        &mut self,
        slot: RowSlot,
        to: i64,
        given: GivenId,
        source: PackedOption<RowSlot>,
    ) -> Result<(), Stop> {
        let by = to - i64::from(self.tables.rows.slots.get(slot).rank);
        if by <= 0 {
            return Ok(());
        }
        let mut rises = core::mem::take(&mut self.rises);
        let mut raised = self.raise_one(&Rise { by, to, slot, given }, source, &mut rises);
        while let (Ok(()), Some(rise)) = (&raised, rises.pop()) {
            raised = self.raise_one(&rise, source, &mut rises);
        }
        rises.clear();
        self.rises = rises;
        raised
    }

    /// Raises one slot, and adds those that must rise with it.
    fn raise_one(
        &mut self,
        rise: &Rise,
        source: PackedOption<RowSlot>,
        rises: &mut BinaryHeap<Rise>,
    ) -> Result<(), Stop> {
        let &Rise { to, slot, given, .. } = rise;
        let state = self.tables.rows.slots.get(slot);
        if i64::from(state.rank) >= to {
            return Ok(());
        }
        let Ok(rank) = u32::try_from(to) else {
            return Err(Stop::from(Exhausted::Rank));
        };
        self.tables.rows.slots.update(slot, |slot| {
            slot.rank = rank;
            slot.raised_by = PackedOption::some(given);
        });
        let raised = PackedOption::some(slot);
        if raised == source {
            return Err(self.rank_conflict(self.tables.chain(slot, given)));
        }
        if let (Some(limit), Some(by)) = (self.tables.limit_of(slot), state.limited_by.get()) {
            if to > limit {
                return Err(self.rank_conflict(self.tables.chain(slot, by)));
            }
        }
        let mut dependent = state.dependents;
        while let Some(at) = dependent.get() {
            let related = self.tables.givens.row_given_of(at);
            let (here, there, next) = if related.right.slot == raised {
                (related.right, related.left, related.next_of_right)
            } else {
                (related.left, related.right, related.next_of_left)
            };
            dependent = next.next();
            let Some(slot) = there.slot.get() else { continue };
            let to = to + known(here) - known(there);
            let by = to - i64::from(self.tables.rows.slots.at(slot).rank);
            if by > 0 {
                rises.push(Rise { by, to, slot, given: at });
            }
        }
        Ok(())
    }

    fn rank_conflict(&self, givens: impl IntoIterator<Item = GivenId>) -> Stop {
        let reasons = Reasons { givens: givens.into_iter().collect(), ..Reasons::default() };
        self.conflict(Rule::Ranks, None, reasons, None)
    }
}

impl Tables {
    /// Links a given constraint to the slot at its other end than `end`.
    fn depend(&mut self, given: GivenId, slot: RowSlot, end: End) {
        let head = Link::to(self.rows.slots.at(slot).dependents);
        self.rows.slots.update(slot, |slot| slot.dependents = PackedOption::some(given));
        self.givens.all.update(given, |given| {
            if let GivenKind::Row(related) = &mut given.kind {
                match end {
                    End::Left => related.next_of_right = head,
                    End::Right => related.next_of_left = head,
                }
            }
        });
    }
}

/// How many axes of a row term are known.
fn known(row: RowRef) -> i64 {
    i64::from(row.flanks.lead) + i64::from(row.flanks.trail)
}
