//! A program in which a step is refused has a refused step in every order and spelling.

use crate::Generator;

use super::{
    build::{Blamed, Built, Refused},
    failure::{Failure, Kind},
    model::Program,
    outcome::outcome,
    spelling::{Spelling, Transformation},
};

/// What comes of another spelling of a program whose last step is refused.
pub enum Respelled {
    NotOther,
    /// The same step is refused with the same code.
    Same,
    /// Refused with another code because of other constraints, or in an order in which the step is
    /// not the last.
    Otherwise,
    /// All steps are taken, and it does not close because no shapes were found.
    Undecided,
    Failed(Box<Failure>),
}

/// A program that is accepted but for its last step.
pub struct Refusal<'a> {
    program: &'a Program,
    refused: Refused,
}

impl<'a> Refusal<'a> {
    /// The refusal of the last step; `None` where it is not refused, or something else is.
    pub fn new(program: &'a Program) -> Option<Refusal<'a>> {
        let refused = Built::new(&Spelling::plain(program)).err()?;
        let is_last = refused.step + 1 == program.steps.len();
        is_last.then_some(Refusal { program, refused })
    }

    /// Whether it does not close without the last step either, though all others were taken:
    /// another spelling may refuse one of them.
    fn is_open_before(&self) -> bool {
        let mut steps = self.program.steps.clone();
        steps.pop();
        let before = Program { steps };
        let spelling = Spelling::plain(&before);
        Built::new(&spelling).is_ok_and(|built| {
            let refuted = Refused::at_closing(self.refused.step, &built.session);
            refuted.is_some() || outcome(&spelling, &built).0.is_undecided()
        })
    }

    pub fn spelled(&self, transformation: Transformation, rng: &mut Generator) -> Respelled {
        let Some(other) = Spelling::other(self.program, transformation, rng) else {
            return Respelled::NotOther;
        };
        let last = self.refused.step;
        let built = Built::new(&other);
        let (kind, said) = match &built {
            Ok(built) => {
                let (outcome, _) = outcome(&other, built);
                if outcome.is_undecided() {
                    return Respelled::Undecided;
                }
                if outcome.is_rejected_with(self.refused.code) {
                    return Respelled::Same;
                }
                let closed = Refused::at_closing(last, &built.session);
                if closed.is_some_and(|closed| closed.blamed != self.refused.blamed) {
                    return Respelled::Otherwise;
                }
                (Kind::Accepted(transformation), outcome.said(&other))
            }
            Err(found) if found.code == self.refused.code => return Respelled::Same,
            Err(found) => {
                // Where something else comes last, it is refused before all is known that it
                // conflicts with.
                if other.order.last() != Some(&last) {
                    return Respelled::Otherwise;
                }
                if found.step == last && found.blamed != self.refused.blamed {
                    return Respelled::Otherwise;
                }
                if self.is_open_before() {
                    return Respelled::Undecided;
                }
                let kind = if found.step == last {
                    Kind::RefusalCode(transformation)
                } else {
                    Kind::Refused(transformation)
                };
                (kind, found.to_string())
            }
        };
        let (program, other) = (self.program.clone(), Some(Box::new(other)));
        let said = [self.refused.to_string(), said];
        Respelled::Failed(Box::new(Failure { kind, program, other, said }))
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Refused { step, code, blamed, headline } = self;
        let Blamed { steps, counted } = blamed;
        let counted = counted.as_deref().unwrap_or_default();
        write!(f, "t{step:03} is refused: {code}: {headline} (points at {steps:?} {counted})")
    }
}
