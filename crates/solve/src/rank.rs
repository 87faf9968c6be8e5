//! Ranks, decided.
//!
//! Every given row constraint says something about ranks alone: `R_res ⊑ R_op` that the result has
//! at least the operand's rank, `R₁ ≈ R₂` that both have the same. With the flanks counted these
//! are difference constraints, `rank ρ ≥ rank σ + k`, lower bounds where the operand is closed and
//! upper bounds where the result is.
//!
//! All of them are kept, and with them the *least* ranks that satisfy them. A new constraint that
//! the least ranks violate raises one of them, and in turn those that depend on it, greatest rise
//! first, so that each is raised once (Cotton and Maler). There are no ranks at all iff a rise comes back to
//! where it came from, or goes past an upper bound; the constraints on the way are the conflict.
//!
//! Invariant: between two batches, the rank in every slot is the least one.

use alloc::{
    collections::{BTreeMap, BinaryHeap},
    vec::Vec,
};

use super::{
    Exhausted, Rejection, Rule, Solver,
    conflict::Stop,
    node::{Ask, NIL, RowAsk, RowRef, Sign},
    trace::Reasons,
};

/// Which side of a given constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Left,
    Right,
}

/// A slot that must rise, ordered by how much.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Rise {
    by: i64,
    to: i64,
    slot: u32,
    given: u32,
}

impl Solver {
    /// Takes what a given constraint says about ranks.
    pub(super) fn decide_ranks(&mut self, given: u32) -> Result<(), Stop> {
        let Ask::Row(RowAsk { relation, left, right, .. }) = self.givens.at(given).ask else {
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
    fn at_least(&mut self, given: u32, high: RowRef, low: RowRef, end: End) -> Result<(), Stop> {
        if high.slot != NIL && low.slot != NIL && high.slot != low.slot {
            self.depend(given, low.slot, end);
        }
        self.exceeds(given, high, low, 0)
    }

    /// The rank of `high` is at least `by` more than the rank of `low`.
    #[inline]
    fn exceeds(&mut self, given: u32, high: RowRef, low: RowRef, by: i64) -> Result<(), Stop> {
        let surplus = known(low) - known(high) + by;
        match (high.slot, low.slot) {
            (slot, other) if slot == other && surplus > 0 => Err(self.rank_conflict([given])),
            (slot, other) if slot == other => Ok(()),
            (slot, NIL) => self.raise(slot, surplus, given, NIL),
            (NIL, slot) => self.limit(slot, -surplus, given),
            (high, low) => {
                let least = i64::from(self.slots.get(low).rank);
                self.raise(high, least + surplus, given, low)
            }
        }
    }

    /// Why both rows of a given inequality must have the same rank, if they must: the constraints from
    /// which that follows. Then nothing is inserted, and markers do not matter.
    pub(crate) fn equal_ranks(&mut self, given: u32) -> Option<Vec<u32>> {
        // Rows that are stretched are in no system of ranks.
        let Ask::Row(RowAsk { left, right, .. }) = self.givens.at(given).ask else { return None };
        let snapshot = self.snapshot();
        let more = self.exceeds(given, left, right, 1);
        self.roll_back(snapshot);
        match more.map_err(Rejection::from) {
            Err(Rejection::Conflict(conflict)) => Some(conflict.givens),
            Err(Rejection::Exhausted(_)) | Ok(()) => None,
        }
    }

    /// Links a given constraint to the slot at its other end than `end`.
    fn depend(&mut self, given: u32, slot: u32, end: End) {
        let head = self.slots.get(slot).dependents;
        self.slots.update(slot, |slot| slot.dependents = given);
        self.givens.update(given, |given| {
            if let Ask::Row(ask) = &mut given.ask {
                match end {
                    End::Left => ask.next_of_right = head,
                    End::Right => ask.next_of_left = head,
                }
            }
        });
    }

    /// The rank of `slot` is at most `most`.
    fn limit(&mut self, slot: u32, most: i64, given: u32) -> Result<(), Stop> {
        let state = self.slots.get(slot);
        let rank = i64::from(state.rank);
        if most < 0 {
            return Err(self.rank_conflict([given]));
        }
        if rank > most {
            return Err(self.rank_conflict(self.chain(slot, given)));
        }
        if self.limit_of(slot).is_none_or(|limit| most < limit) {
            self.slots.update(slot, |slot| slot.limited_by = given);
        }
        Ok(())
    }

    /// The greatest rank that a closed row allows a slot.
    fn limit_of(&self, slot: u32) -> Option<i64> {
        let given = self.slots.at(slot).limited_by;
        (given != NIL).then(|| {
            let ask = self.row_ask_of(given);
            let (open, closed) =
                if ask.left.slot == NIL { (ask.right, ask.left) } else { (ask.left, ask.right) };
            known(closed) - known(open)
        })
    }

    /// The rank of `slot` is at least `to`, because of `given`, whose other end is `source`.
    fn raise(&mut self, slot: u32, to: i64, given: u32, source: u32) -> Result<(), Stop> {
        let by = to - i64::from(self.slots.get(slot).rank);
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
        source: u32,
        rises: &mut BinaryHeap<Rise>,
    ) -> Result<(), Stop> {
        let &Rise { to, slot, given, .. } = rise;
        let state = self.slots.get(slot);
        if i64::from(state.rank) >= to {
            return Ok(());
        }
        let Ok(rank) = u32::try_from(to) else {
            return Err(Stop::from(Exhausted::Rank));
        };
        self.slots.update(slot, |slot| {
            slot.rank = rank;
            slot.raised_by = given;
        });
        if slot == source {
            return Err(self.rank_conflict(self.chain(slot, given)));
        }
        if self.limit_of(slot).is_some_and(|limit| to > limit) {
            return Err(self.rank_conflict(self.chain(slot, state.limited_by)));
        }
        let mut at = state.dependents;
        while at != NIL {
            let ask = self.row_ask_of(at);
            let (here, there, next) = if ask.right.slot == slot {
                (ask.right, ask.left, ask.next_of_right)
            } else {
                (ask.left, ask.right, ask.next_of_left)
            };
            let to = to + known(here) - known(there);
            let by = to - i64::from(self.slots.get(there.slot).rank);
            if by > 0 {
                rises.push(Rise { by, to, slot: there.slot, given: at });
            }
            at = next;
        }
        Ok(())
    }

    /// The given constraints that raised `slot` past `limited_by`, back to a closed row; or those
    /// of a cycle that is met on the way. A rise that is not yet propagated all around can leave
    /// one, and it is as good a conflict.
    fn chain(&self, slot: u32, limited_by: u32) -> Vec<u32> {
        self.raising_after(alloc::vec![limited_by], slot)
    }

    /// The given constraints that raised `slot` to the rank it has.
    pub(super) fn raising(&self, slot: u32) -> Vec<u32> {
        self.raising_after(Vec::new(), slot)
    }

    fn raising_after(&self, mut chain: Vec<u32>, slot: u32) -> Vec<u32> {
        let mut places = BTreeMap::new();
        let mut at = slot;
        while at != NIL {
            if let Some(place) = places.insert(at, chain.len()) {
                return chain.split_off(place);
            }
            let given = self.slots.get(at).raised_by;
            if given == NIL {
                break;
            }
            chain.push(given);
            let ask = self.row_ask_of(given);
            at = if ask.left.slot == at { ask.right.slot } else { ask.left.slot };
        }
        chain
    }

    fn rank_conflict(&self, givens: impl IntoIterator<Item = u32>) -> Stop {
        let reasons = Reasons { givens: givens.into_iter().collect(), ..Reasons::default() };
        self.conflict(Rule::Ranks, None, reasons, None)
    }

    /// The row constraint that this given one is. Only row constraints are in the lists of rows.
    pub(super) fn row_ask_of(&self, given: u32) -> &RowAsk {
        match &self.givens.at(given).ask {
            Ask::Row(ask) => ask,
            Ask::Dim { .. } | Ask::Size(_) | Ask::AtLeast { .. } => {
                unreachable!("no row constraint in a list of rows")
            }
        }
    }
}

/// How many axes of a row term are known.
fn known(row: RowRef) -> i64 {
    i64::from(row.flanks.lead) + i64::from(row.flanks.trail)
}
