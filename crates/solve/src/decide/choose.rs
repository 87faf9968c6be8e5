//! What is supposed at a node of the search, one case after another.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::Extent;
use lozenge_calculus::term::RowVar;

use super::{
    decision::{Refutation, Solution, Supposition},
    rotation::rotation,
    search::{Core, Cut, Outcome, Search, Uncounted, Unknown},
};

/// How many variables are supposed something of at once: each takes some of the stack.
const MOST_CHOICES: usize = 64;

impl Search<'_> {
    /// Chooses the rank of a variable: whether there is a solution with any of them.
    pub(super) fn choose_rank(&mut self, unknown: Unknown) -> Outcome<Solution, Core> {
        let Unknown { var, least, reasons, reach, most: limit } = unknown;
        let place = self.choices.len();
        if place >= MOST_CHOICES {
            return Outcome::Beyond;
        }
        let mut refuted = Core::default();
        let mut least_because = Core::default();
        least_because.extend(&reasons, place);
        let because = least_because.constraints.iter();
        let at_least = because.map(|place| self.constraints[*place].origin).collect();
        let mut most = self.limit.saturating_add(least);
        let mut most_because = Core::default();
        if let Some((limit, given)) = limit {
            most = limit;
            most_because.extend(&[given], place);
        }
        // As many ranks one by one as there are with which what is known from either end can meet; all of them where
        // they are bounded.
        let apart = u32::from(reach.lead) + u32::from(reach.trail);
        let tried = match limit {
            Some(_) => most,
            None => least.saturating_add(self.slack).max(apart.saturating_sub(1)).min(most),
        };
        let is_long = |(other, choice): &(RowVar, Supposition)| {
            *other == var && matches!(choice, Supposition::AtLeast(_) | Supposition::Around(_))
        };
        let may_be_long = limit.is_none() && apart > 0 && !self.choices.iter().any(is_long);
        let (mut no_higher, mut repeats) = (false, false);
        let mut is_beyond = false;
        let mut cases = Vec::new();
        for rank in least..=tried {
            let Ok(rank) = u16::try_from(rank) else { return Outcome::Beyond };
            let supposition = Supposition::Rank(rank);
            self.choices.push((var, supposition));
            let outcome = self.node();
            self.choices.pop();
            match outcome {
                Outcome::Refuted(core) if !core.choices.contains(&place) => {
                    return Outcome::Refuted(core);
                }
                Outcome::Refuted(core) => {
                    no_higher = core.ranks;
                    cases.extend(refuted.unite(core).map(|proof| (supposition, proof)));
                }
                Outcome::Solution(_) => return outcome,
                Outcome::Beyond if self.effort.is_spent() => return outcome,
                // Another rank may do.
                Outcome::Beyond => is_beyond = true,
            }
            repeats =
                !no_higher && !is_beyond && self.is_rotation(&refuted, place, least..=rank.into());
            if no_higher || repeats {
                break;
            }
        }
        if !(no_higher || repeats) && tried + 1 >= apart && may_be_long {
            // All higher ranks at once: what is at either end is then apart from what is at the other.
            let supposition = Supposition::AtLeast(reach);
            self.choices.push((var, supposition));
            let outcome = self.node();
            self.choices.pop();
            match outcome {
                Outcome::Refuted(core) => {
                    no_higher = core.cut == Cut::No;
                    if !core.choices.contains(&place) {
                        return Outcome::Refuted(core);
                    }
                    cases.extend(refuted.unite(core).map(|proof| (supposition, proof)));
                }
                Outcome::Solution(_) => return outcome,
                // The ranks one by one may tell.
                Outcome::Beyond => {}
            }
        }
        if is_beyond {
            return Outcome::Beyond;
        }
        refuted.choices.remove(&place);
        if limit.is_some() {
            no_higher = true;
            refuted.unite(most_because);
        }
        if !(no_higher || repeats) {
            refuted.cut = refuted.cut.max(if tried < most { Cut::Slack } else { Cut::Limit });
        }
        refuted.unite(least_because);
        refuted.proof =
            self.recording.then_some(Refutation::Cases { var, at_least, cases, repeats });
        Outcome::Refuted(refuted)
    }

    /// Chooses how many elements a variable has: whether there is a solution with any of these numbers.
    pub(super) fn choose_elements(&mut self, uncounted: Uncounted) -> Outcome<Solution, Core> {
        let Uncounted { var, counts, reasons } = uncounted;
        let place = self.choices.len();
        if place >= MOST_CHOICES {
            return Outcome::Beyond;
        }
        self.choices.push((var, Supposition::Elements(0)));
        let outcome = self.choose_among(place, counts.into_iter().map(Supposition::Elements));
        self.choices.pop();
        let Outcome::Refuted(mut refuted) = outcome else { return outcome };
        // One that is refuted without it stays as it is.
        if refuted.choices.remove(&place) {
            let mut because = Core::default();
            because.extend(&reasons, place);
            refuted.unite(because);
        }
        Outcome::Refuted(refuted)
    }

    /// Whether there is a solution with any of these in place of a choice.
    fn choose_among(
        &mut self,
        place: usize,
        suppositions: impl Iterator<Item = Supposition>,
    ) -> Outcome<Solution, Core> {
        let (var, choice) = self.choices[place];
        let mut refuted = Core::default();
        let mut is_beyond = false;
        let mut cases = Vec::new();
        for supposition in suppositions {
            self.choices[place] = (var, supposition);
            let outcome = self.node();
            self.choices[place] = (var, choice);
            match outcome {
                Outcome::Refuted(core) if !core.choices.contains(&place) => {
                    return Outcome::Refuted(core);
                }
                Outcome::Refuted(core) => {
                    cases.extend(refuted.unite(core).map(|proof| (supposition, proof)));
                }
                Outcome::Solution(_) => return outcome,
                Outcome::Beyond if self.effort.is_spent() => return outcome,
                // Another may do.
                Outcome::Beyond => is_beyond = true,
            }
        }
        if is_beyond {
            return Outcome::Beyond;
        }
        let (at_least, repeats) = (Vec::new(), false);
        refuted.proof =
            self.recording.then_some(Refutation::Cases { var, at_least, cases, repeats });
        Outcome::Refuted(refuted)
    }

    /// Whether the conflicts of all ranks that were tried are those of a rotation, and they are enough.
    /// `place` is that of the rank.
    fn is_rotation(&self, refuted: &Core, place: usize, ranks: RangeInclusive<u32>) -> bool {
        let alone = refuted.choices.iter().all(|choice| *choice == place);
        let rows = refuted.constraints.iter().map(|place| &self.constraints[*place].relation);
        let enough = rotation(rows).and_then(|enough| u32::try_from(enough).ok());
        alone && enough.is_some_and(|enough| ranks.end() - ranks.start() + 1 >= enough)
    }

    /// Chooses the flanks of a variable whose rank is chosen: whether there is a solution with any
    /// of them.
    pub(super) fn choose_flanks(&mut self, place: usize) -> Outcome<Solution, Core> {
        let (var, choice) = self.choices[place];
        // Flanks that it keeps it has in every solution that counts.
        let kept = self.solver.kept_flanks(var);
        let split = |rank: u16| {
            let leads = kept.lead..=rank.saturating_sub(kept.trail);
            leads.map(move |lead| Extent { lead, trail: rank - lead })
        };
        match choice {
            Supposition::Rank(rank) => {
                self.choose_among(place, split(rank).map(Supposition::Flanks))
            }
            // Wherever the marker of a longer row stands, it has one of these around it; and it is no shorter than
            // what it keeps.
            Supposition::AtLeast(Extent { lead, trail }) => {
                let sum = |lead: u16, trail: u16| lead.checked_add(trail);
                match (sum(lead, trail), sum(kept.lead, kept.trail)) {
                    (Some(rank), Some(kept)) => {
                        self.choose_among(place, split(rank.max(kept)).map(Supposition::Around))
                    }
                    (_, _) => Outcome::Beyond,
                }
            }
            // Of these no rule places the marker, as far as it is seen.
            Supposition::Flanks(_) | Supposition::Around(_) | Supposition::Elements(_) => {
                Outcome::Beyond
            }
        }
    }
}
