//! The checks of one program.

use std::thread;

use lozenge::{Closed, Session};

use crate::Generator;

use super::{
    build::{Built, Refused},
    draw::Drawn,
    failure::{Failure, Kind},
    judged::{self, Unsatisfied},
    model::{Program, Step},
    nests::{self, Nests},
    outcome::{Comparison, Outcome, Values, compare, outcome},
    spelling::{Spelling, Transformation},
};

/// A program in its plain spelling, and what it closes to.
pub struct Plain<'a> {
    pub program: &'a Program,
    pub spelling: Spelling,
    pub built: Built,
    pub outcome: Outcome,
    pub closed: Option<Closed>,
}

/// What comes of another spelling.
pub enum Spelled {
    /// It changes nothing about the program.
    NotOther,
    Same,
    /// The same up to an exchange of steps that structure cannot tell apart.
    Symmetric,
    /// It closes in no spelling with its names, which is refuted in one and undecided in another.
    /// If a number in the place of a name mends what is refuted, it closes there with that.
    Undecided,
    /// It closes in no spelling, and other constraints are to blame.
    Otherwise,
    Failed(Box<Failure>),
}

impl<'a> Plain<'a> {
    pub fn new(program: &'a Program) -> Result<Plain<'a>, Refused> {
        let spelling = Spelling::plain(program);
        let built = Built::new(&spelling)?;
        let (outcome, closed) = outcome(&spelling, &built);
        Ok(Plain { program, spelling, built, outcome, closed })
    }

    /// Whether closing refutes the program, because of other steps than those of a refusal.
    fn is_refuted_otherwise(&self, refused: &Refused) -> bool {
        let closed = Refused::at_closing(refused.step, &self.built.session);
        closed.is_some_and(|closed| closed.blamed != refused.blamed)
    }

    /// Whether closing refutes it in both spellings, because of different steps.
    fn is_refuted_otherwise_in(&self, other: &Session) -> bool {
        let last = self.program.steps.len() - 1;
        Refused::at_closing(last, other).is_some_and(|refused| self.is_refuted_otherwise(&refused))
    }

    pub fn said(&self) -> String {
        self.outcome.said(&self.spelling)
    }

    fn failure(&self, kind: Kind, said: impl Into<String>) -> Failure {
        let said = [said.into(), String::new()];
        Failure { kind, program: self.program.clone(), other: None, said }
    }

    fn unlike(&self, kind: Kind, other: Spelling, found: &str) -> Failure {
        let said = [self.said(), found.to_owned()];
        Failure { kind, program: self.program.clone(), other: Some(Box::new(other)), said }
    }

    /// Another spelling: it is accepted, and closes to the same.
    pub fn spelled(&self, transformation: Transformation, rng: &mut Generator) -> Spelled {
        let Some(other) = Spelling::other(self.program, transformation, rng) else {
            return Spelled::NotOther;
        };
        let built = match Built::new(&other) {
            Ok(built) => built,
            // No spelling closes. Here it was found out why, there not before all steps were taken,
            // or not at all.
            Err(refused) if self.outcome.is_rejected_with(refused.code) => return Spelled::Same,
            Err(_) if self.outcome.is_undecided() => return Spelled::Undecided,
            Err(refused) if self.is_refuted_otherwise(&refused) => return Spelled::Same,
            Err(refused) => {
                let kind = Kind::Refused(transformation);
                return Spelled::Failed(Box::new(self.unlike(kind, other, &refused.to_string())));
            }
        };
        let (found, closed) = outcome(&other, &built);
        // What was refuted was mended by a number.
        let is_mended = |closed: &Option<Closed>| {
            closed.as_ref().is_some_and(|closed| closed.specialised().next().is_some())
        };
        // Whichever of the two is the undecided one.
        let is_undecided = match [&self.outcome, &found].map(Outcome::is_undecided) {
            [_, true] => is_mended(&self.closed) || !self.outcome.is_closed(),
            [true, false] => is_mended(&closed) || !found.is_closed(),
            [false, false] => false,
        };
        if is_undecided && found != self.outcome {
            return Spelled::Undecided;
        }
        let kind = match compare(self.program, &self.outcome, &found) {
            Comparison::Same => return Spelled::Same,
            Comparison::Symmetric => return Spelled::Symmetric,
            Comparison::OtherMarkers => Kind::Markers(transformation),
            Comparison::OtherShapes => Kind::Shapes(transformation),
            Comparison::OtherCodes if self.is_refuted_otherwise_in(&built.session) => {
                return Spelled::Otherwise;
            }
            Comparison::OtherCodes => Kind::Codes(transformation),
        };
        let found = found.said(&other);
        Spelled::Failed(Box::new(self.unlike(kind, other, &found)))
    }

    /// Every constraint holds. Gives the number of constraints and of template rows.
    pub fn judged(&self) -> Result<[u64; 2], Failure> {
        let Some(closed) = &self.closed else { return Ok([0, 0]) };
        judged::check(&self.built, closed).map_err(|unsatisfied| {
            let (kind, what) = match unsatisfied {
                Unsatisfied::No(what) => (Kind::Judge, what),
                Unsatisfied::Unknown(what) => (Kind::JudgeUnknown, what),
                Unsatisfied::NotWithin(what) => (Kind::NotWithin, what),
            };
            self.failure(kind, format!("{}\n{what}", self.said()))
        })
    }

    /// Every operation has its loop nest.
    pub fn nests(&self) -> Result<Nests, Failure> {
        let Some(closed) = &self.closed else { return Ok(Nests::default()) };
        nests::check(self.program, &self.built, closed, &mut |_| Ok(()))
            .map_err(|error| self.failure(Kind::Nest, format!("{error:#}")))
    }

    /// The same operation on the same operands has the same shape, where nothing that is said of
    /// one of the two could make it differ. Gives the number of pairs, and of those with other
    /// sizes in `{…}`.
    pub fn twice(&self) -> Result<[u64; 2], Failure> {
        let Outcome::Values(Values { steps: values, .. }) = &self.outcome else {
            return Ok([0, 0]);
        };
        let is_determined = |place: usize| match &self.program.steps[place] {
            Step::Einsum(einsum) => einsum.template().determined,
            _ => false,
        };
        let is_same = |[one, other]: &[usize; 2]| values[*one].shape == values[*other].shape;
        let unused = |pair: &[usize; 2]| pair.iter().all(|place| self.program.is_unused(*place));
        let mut repeated = self.program.repeated();
        repeated.retain(|pair| is_determined(pair[0]) || unused(pair));
        let mut twins = self.program.twins();
        let operands = |place: usize| self.program.steps[place].uses();
        twins.retain(|[one, other]| is_determined(*one) && operands(*one) == operands(*other));
        for (pairs, kind) in [(&repeated, Kind::Twice), (&twins, Kind::Twins)] {
            if let Some([one, other]) = pairs.iter().find(|pair| !is_same(pair)) {
                let which = format!("t{one:03} and t{other:03}");
                return Err(self.failure(kind, format!("{which}\n{}", self.said())));
            }
        }
        Ok([repeated.len() as u64, twins.len() as u64])
    }

    /// Reading every shape half-way, and what all of it would close to, changes nothing.
    pub fn reading(&self) -> Result<(), Failure> {
        let mut built = Built::nothing(self.program.steps.len());
        for place in &self.spelling.order {
            if *place == self.program.steps.len() / 2 {
                for tensor in (0..*place).filter_map(|place| built.tensor(place)) {
                    std::hint::black_box(built.session.shape(tensor).ok());
                }
                std::hint::black_box(built.session.close().ok());
            }
            if let Err(refused) = built.take(&self.spelling, *place) {
                return Err(self.failure(Kind::Reading, refused.to_string()));
            }
        }
        self.same(Kind::Reading, &outcome(&self.spelling, &built).0)
    }

    /// Trying what was refused again where it was changes nothing.
    pub fn trace(&self, drawn: &Drawn) -> Result<(), Failure> {
        let mut built = Built::nothing(self.program.steps.len() + 1);
        let mut refused = drawn.refused.iter().peekable();
        let end = self.program.steps.len();
        for place in 0..=end {
            while let Some((_, step)) = refused.next_if(|(before, _)| *before == place) {
                let tried = with_step(self.program, place, step);
                if built.take(&Spelling::plain(&tried), place).is_ok() {
                    let said = format!("refused when drawn, then taken: {step:?}");
                    return Err(self.failure(Kind::Trace, said));
                }
            }
            if place < end {
                if let Err(refused) = built.take(&self.spelling, place) {
                    return Err(self.failure(Kind::Trace, refused.to_string()));
                }
            }
        }
        built.made.truncate(end);
        self.same(Kind::Trace, &outcome(&self.spelling, &built).0)
    }

    /// Two sessions at once, each in a thread of its own, find the same.
    pub fn threads(&self) -> Result<(), Failure> {
        let build = || {
            let built = Built::new(&self.spelling);
            built.map_or(Outcome::Codes(vec![]), |built| outcome(&self.spelling, &built).0)
        };
        let found = thread::scope(|scope| {
            let other = scope.spawn(build);
            [Some(build()), other.join().ok()]
        });
        found.iter().flatten().try_for_each(|found| self.same(Kind::Threads, found))
    }

    fn same(&self, kind: Kind, found: &Outcome) -> Result<(), Failure> {
        if *found == self.outcome {
            return Ok(());
        }
        let found = found.said(&self.spelling);
        Err(self.failure(kind, format!("{}\nand\n{found}", self.said())))
    }
}

/// The steps before `place`, and this one.
pub fn with_step(program: &Program, place: usize, step: &Step) -> Program {
    Program { steps: program.steps[..place].iter().chain([step]).cloned().collect() }
}
