//! A program in which a step is refused has a refused step in every order and spelling.

use fastrand::Rng;

use super::{
    build::{Built, Refused},
    failure::{Failure, Kind},
    model::Program,
    spelling::{Spelling, Transformation},
};

/// What comes of another spelling of a program whose last step is refused.
pub(crate) enum Respelled {
    NotOther,
    /// The same step is refused with the same code.
    Same,
    /// Something else is to blame, in an order in which something else can be.
    Otherwise,
    /// Refused by a session that says that it may be wrong.
    RanOut,
    Failed(Box<Failure>),
}

/// A program that is accepted but for its last step.
pub(crate) struct Refusal<'a> {
    program: &'a Program,
    refused: Refused,
}

impl<'a> Refusal<'a> {
    /// The refusal of the last step; `None` where it is not refused, something else is, or the session says
    /// that it may be wrong.
    pub(crate) fn new(program: &'a Program) -> Option<Refusal<'a>> {
        let refused = Built::new(&Spelling::plain(program)).err()?;
        let is_last = refused.step + 1 == program.steps.len();
        (is_last && !refused.ran_out()).then_some(Refusal { program, refused })
    }

    pub(crate) fn spelled(&self, transformation: Transformation, rng: &mut Rng) -> Respelled {
        let Some(other) = Spelling::other(self.program, transformation, rng) else {
            return Respelled::NotOther;
        };
        let last = self.refused.step;
        let found = Built::new(&other).err();
        let (kind, said) = match &found {
            None => (Kind::Accepted(transformation), "accepted".to_owned()),
            Some(found) if found.ran_out() => return Respelled::RanOut,
            Some(found) if found.code == self.refused.code => return Respelled::Same,
            Some(found) => {
                // In an order in which it still comes last, only it can be refused, and for the same reasons.
                let is_last = other.order.last() == Some(&last);
                if found.step != last && is_last {
                    (Kind::Refused(transformation), found.to_string())
                } else if is_last || found.blamed == self.refused.blamed {
                    (Kind::RefusalCode(transformation), found.to_string())
                } else {
                    return Respelled::Otherwise;
                }
            }
        };
        let program = self.program.clone();
        let said = [self.refused.to_string(), said];
        Respelled::Failed(Box::new(Failure { kind, program, other: Some(other), said }))
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Refused { step, code, blamed, headline } = self;
        write!(f, "t{step:03} is refused: {code}: {headline} (points at {blamed:?})")
    }
}
