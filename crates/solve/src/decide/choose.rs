//! What is supposed at a node of the search, one case after another.

use alloc::{
    boxed::Box,
    vec::{self, Vec},
};
use core::ops::{ControlFlow, RangeInclusive};

use crate::{
    Exhausted, Extent,
    search::{Entered, Node, Outcome, OutcomeOf, Tree},
};
use lozenge_calculus::{constraint::OriginId, term::RowVar};

use super::{
    decision::{Refutation, Solution, Supposition},
    rotation::rotation,
    search::{Core, Cut, Search, Uncounted, Unknown},
};

/// The most variables of which something is supposed at once: each takes some of the stack.
const MOST_CHOICES: usize = 64;

/// What is supposed of a variable, case by case.
pub(super) struct Cases {
    /// The place of the choice among those that were made.
    place: usize,
    var: RowVar,
    kind: Kind,
    /// Why the cases that were tried have no solution, together.
    refuted: Core,
    /// How that follows of each, if it is written down.
    proofs: Vec<(Supposition, Refutation)>,
    /// Whether it was not found out of one.
    is_beyond: bool,
}

/// Which suppositions the cases are.
enum Kind {
    /// How many axes the variable has.
    Rank(Box<Ranks>),
    /// How many elements, and why it has one of these numbers.
    Elements(vec::IntoIter<Supposition>, Core),
    /// How many axes on each side of its marker, in place of what was supposed before.
    Flanks(vec::IntoIter<Supposition>, Supposition),
}

/// Ranks, from the least one on.
struct Ranks {
    least: u32,
    least_because: Core,
    at_least: Vec<OriginId>,
    /// The greatest that it can have, or up to which it is tried in any round, and why it can have
    /// no greater one.
    most: u32,
    most_because: Option<Core>,
    /// The greatest that is tried by itself, and the next.
    tried: u32,
    next: u32,
    /// How far what is known reaches from either end of the rows in which it stands.
    reach: Extent,
    /// Whether all higher ranks may still be supposed together.
    may_be_long: bool,
    higher: Higher,
}

/// What is known of ranks that are higher than those that were tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Higher {
    /// They may help.
    Open,
    /// They do not, because of ranks alone.
    No,
    /// They do not, because what is longer only repeats what was tried.
    Repeats,
    /// They cannot be supposed.
    Beyond,
}

impl Cases {
    fn new(place: usize, var: RowVar, kind: Kind) -> Cases {
        let (refuted, proofs) = (Core::default(), Vec::new());
        Cases { place, var, kind, refuted, proofs, is_beyond: false }
    }
}

impl Ranks {
    /// How far what is known reaches from both ends together.
    fn apart(&self) -> u32 {
        u32::from(self.reach.lead) + u32::from(self.reach.trail)
    }

    fn next(&mut self) -> Option<Supposition> {
        if self.higher != Higher::Open {
            return None;
        }
        if self.next <= self.tried {
            let rank = u16::try_from(self.next).ok();
            if rank.is_none() {
                self.higher = Higher::Beyond;
            }
            self.next += 1;
            return rank.map(Supposition::Rank);
        }
        // All higher ranks at once: what is at either end is then apart from what is at the other.
        let is_apart = self.tried + 1 >= self.apart();
        let is_long = core::mem::take(&mut self.may_be_long) && is_apart;
        is_long.then_some(Supposition::AtLeast(self.reach))
    }
}

impl Tree for Search<'_> {
    type Choice = Cases;
    type Case = Supposition;
    type Mark = ();
    type Found = Solution;
    type Why = Core;

    fn look(&mut self) -> Result<Node<Self>, Exhausted> {
        Ok(self.node())
    }

    fn next(&mut self, cases: &mut Cases) -> Option<Supposition> {
        match &mut cases.kind {
            Kind::Rank(ranks) => ranks.next(),
            Kind::Elements(suppositions, _) | Kind::Flanks(suppositions, _) => suppositions.next(),
        }
    }

    fn pay(&mut self) -> bool {
        self.effort.pay(self.constraints.len())
    }

    fn enter(
        &mut self,
        cases: &Cases,
        case: Supposition,
    ) -> Result<((), Entered<Self>), Exhausted> {
        let choice = (cases.var, case);
        match cases.kind {
            Kind::Rank(_) | Kind::Elements(..) => self.choices.push(choice),
            Kind::Flanks(..) => self.choices[cases.place] = choice,
        }
        Ok(((), Entered::Node))
    }

    fn leave(&mut self, cases: &Cases, (): (), _: bool) {
        match cases.kind {
            Kind::Rank(_) | Kind::Elements(..) => drop(self.choices.pop()),
            Kind::Flanks(_, before) => self.choices[cases.place] = (cases.var, before),
        }
    }

    fn learn(
        &mut self,
        cases: &mut Cases,
        case: Supposition,
        outcome: OutcomeOf<Self>,
    ) -> ControlFlow<OutcomeOf<Self>> {
        let is_long = matches!((&cases.kind, case), (Kind::Rank(_), Supposition::AtLeast(_)));
        match outcome {
            Outcome::Refuted(core) if !core.choices.contains(&cases.place) => {
                return ControlFlow::Break(Outcome::Refuted(core));
            }
            Outcome::Refuted(core) => {
                if let Kind::Rank(ranks) = &mut cases.kind {
                    if if is_long { core.cut == Cut::No } else { core.ranks } {
                        ranks.higher = Higher::No;
                    }
                }
                let proof = cases.refuted.unite(core).map(|proof| (case, proof));
                cases.proofs.extend(proof);
            }
            Outcome::Solution(_) => return ControlFlow::Break(outcome),
            // The ranks one by one may tell.
            Outcome::Beyond if is_long => {}
            Outcome::Beyond if self.effort.is_spent() => return ControlFlow::Break(outcome),
            // Another case may do.
            Outcome::Beyond => cases.is_beyond = true,
        }
        if let (Kind::Rank(ranks), Supposition::Rank(rank)) = (&mut cases.kind, case) {
            if ranks.higher == Higher::Open
                && !cases.is_beyond
                && self.is_rotation(&cases.refuted, cases.place, ranks.least..=rank.into())
            {
                ranks.higher = Higher::Repeats;
            }
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self, cases: Cases) -> OutcomeOf<Self> {
        let Cases { place, var, kind, mut refuted, proofs, is_beyond } = cases;
        let is_too_high = matches!(&kind, Kind::Rank(ranks) if ranks.higher == Higher::Beyond);
        if is_beyond || is_too_high {
            return Outcome::Beyond;
        }
        let (mut at_least, mut repeats) = (Vec::new(), false);
        match kind {
            Kind::Rank(ranks) => {
                refuted.choices.remove(&place);
                let is_all = ranks.higher != Higher::Open || ranks.most_because.is_some();
                if let Some(because) = ranks.most_because {
                    refuted.unite(because);
                }
                if !is_all {
                    let is_cut = ranks.tried < ranks.most;
                    refuted.cut = refuted.cut.max(if is_cut { Cut::Slack } else { Cut::Limit });
                }
                refuted.unite(ranks.least_because);
                (at_least, repeats) = (ranks.at_least, ranks.higher == Higher::Repeats);
            }
            // One that is refuted without it stays as it is.
            Kind::Elements(_, because) => {
                if refuted.choices.remove(&place) {
                    refuted.unite(because);
                }
            }
            Kind::Flanks(..) => {}
        }
        let cases = proofs;
        refuted.proof =
            self.recording.then_some(Refutation::Cases { var, at_least, cases, repeats });
        Outcome::Refuted(refuted)
    }
}

impl Search<'_> {
    /// The cases of a variable of which nothing is supposed yet.
    fn cases(&self, var: RowVar, kind: Kind) -> Node<Self> {
        let place = self.choices.len();
        if place >= MOST_CHOICES {
            return Node::Leaf(Outcome::Beyond);
        }
        Node::Choose(Cases::new(place, var, kind))
    }

    /// Chooses the rank of a variable.
    pub(super) fn choose_rank(&self, unknown: Unknown) -> Node<Self> {
        let Unknown { var, least, reasons, reach, most: limit } = unknown;
        let place = self.choices.len();
        let because = |givens: &[_]| {
            let mut core = Core::default();
            core.extend(givens, place);
            core
        };
        let least_because = because(&reasons);
        let places = least_because.constraints.iter();
        let at_least = places.map(|place| self.constraints[*place].origin).collect();
        // As many ranks one by one as there are with which what is known from either end can meet;
        // all of them where they are bounded.
        let apart = u32::from(reach.lead) + u32::from(reach.trail);
        let (most, tried) = if let Some((limit, _)) = limit {
            (limit, limit)
        } else {
            let most = self.limit.saturating_add(least);
            let one_by_one = least.saturating_add(self.slack).max(apart.saturating_sub(1));
            (most, one_by_one.min(most))
        };
        let is_long = |(other, choice): &(RowVar, Supposition)| {
            *other == var && matches!(choice, Supposition::AtLeast(_) | Supposition::Around(_))
        };
        let may_be_long = limit.is_none() && apart > 0 && !self.choices.iter().any(is_long);
        let ranks = Ranks {
            least,
            least_because,
            at_least,
            most,
            most_because: limit.map(|(_, given)| because(&[given])),
            tried,
            next: least,
            reach,
            may_be_long,
            higher: Higher::Open,
        };
        self.cases(var, Kind::Rank(Box::new(ranks)))
    }

    /// Chooses how many elements a variable has.
    pub(super) fn choose_elements(&self, uncounted: Uncounted) -> Node<Self> {
        let Uncounted { var, counts, reasons } = uncounted;
        let mut because = Core::default();
        because.extend(&reasons, self.choices.len());
        let counts: Vec<_> = counts.into_iter().map(Supposition::Elements).collect();
        self.cases(var, Kind::Elements(counts.into_iter(), because))
    }

    /// Whether the conflicts of all ranks that were tried are those of a rotation, and they are
    /// enough. `place` is that of the rank.
    fn is_rotation(&self, refuted: &Core, place: usize, ranks: RangeInclusive<u32>) -> bool {
        let alone = refuted.choices.iter().all(|choice| *choice == place);
        let rows = refuted.constraints.iter().map(|place| &self.constraints[*place].relation);
        let enough = rotation(rows).and_then(|enough| u32::try_from(enough).ok());
        alone && enough.is_some_and(|enough| ranks.end() - ranks.start() + 1 >= enough)
    }

    /// Chooses the flanks of a variable whose rank is chosen.
    pub(super) fn choose_flanks(&self, place: usize) -> Node<Self> {
        let (var, choice) = self.choices[place];
        // Flanks that it keeps it has in every solution that counts.
        let kept = self.solver.kept_flanks(var);
        let split = |rank: u16, supposition: fn(Extent) -> Supposition| {
            let leads = kept.lead..=rank.saturating_sub(kept.trail);
            let flanks = leads.map(|lead| supposition(Extent { lead, trail: rank - lead }));
            let flanks: Vec<Supposition> = flanks.collect();
            Node::Choose(Cases::new(place, var, Kind::Flanks(flanks.into_iter(), choice)))
        };
        match choice {
            Supposition::Rank(rank) => split(rank, Supposition::Flanks),
            // Wherever the marker of a longer row stands, it has one of these around it; and it is
            // no shorter than what it keeps.
            Supposition::AtLeast(Extent { lead, trail }) => {
                let sum = |lead: u16, trail: u16| lead.checked_add(trail);
                match (sum(lead, trail), sum(kept.lead, kept.trail)) {
                    (Some(rank), Some(kept)) => split(rank.max(kept), Supposition::Around),
                    (_, _) => Node::Leaf(Outcome::Beyond),
                }
            }
            // Of these no rule places the marker, as far as it is seen.
            Supposition::Flanks(_) | Supposition::Around(_) | Supposition::Elements(_) => {
                Node::Leaf(Outcome::Beyond)
            }
        }
    }
}
