//! Random specifications with a mistake, and every edit that is offered for it, executed beside
//! what it claims.
//!
//! A specification that fits its operands is drawn; then somebody mistypes it, or brings an operand
//! with its axes in another order, with an axis too many or too few, or of another size. Every edit
//! is made. What it claims says how operands for the mistaken specification follow from those that
//! were given, and with these it must compute the same as the edited one does with those.

mod claim;
mod draw;
mod execute;

use std::collections::BTreeMap;

use lozenge::{
    Report, Spec,
    diagnostic::{Claim, Help},
};

use self::execute::{Failed, Operand, execute};
use crate::{Generator, Mismatch, mismatch::counts};

/// What is said of a random mistaken specification, with its operands; none where nothing is.
pub fn refused(rng: &mut Generator) -> Option<Report> {
    let draw::Case { spec, given, .. } = draw::case(rng)?;
    match execute(&spec, &given) {
        Err(Failed::Refused(rejection)) => Some(rejection),
        Err(Failed::Index) | Ok(_) => None,
    }
}

/// What is offered for a mistaken specification: its helps with edits, in order.
fn offered(rejection: &Report) -> Vec<Help> {
    let helps = rejection.diagnostics.iter().flat_map(|said| &said.helps);
    helps.filter(|help| !help.edits.is_empty()).cloned().collect()
}

/// How a claim is called.
fn name(claim: &Claim) -> &'static str {
    match claim {
        Claim::Renames => "renames",
        Claim::Counts { .. } => "counts",
        Claim::Permutes { .. } => "permutes",
        Claim::Keeps { .. } => "keeps",
        Claim::Joins { .. } => "joins",
        Claim::Sums { .. } => "sums",
        Claim::Splits { .. } => "splits",
        Claim::Equates { .. } => "equates",
        Claim::SplitsIndex { .. } => "splits-index",
        Claim::SplitsRow { .. } => "splits-row",
        Claim::SplitsPart { .. } => "splits-part",
        Claim::Pads { .. } => "pads",
        Claim::Leaves { .. } => "leaves",
        Claim::Begins { .. } => "begins",
        Claim::Steps { .. } => "steps",
        Claim::Places { .. } => "places",
    }
}

counts! {
    /// What was mistaken, offered, claimed and executed.
    pub struct Counts {
        pub counts: BTreeMap<String, u64>,
        /// What differs in the case that is being checked.
        wrong: Vec<String>,
    }
}

impl Counts {
    fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    /// A count by what it counts.
    pub fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    fn differs(&mut self, case: &draw::Case, help: &Help, edited: &str, why: &str) {
        let shapes: Vec<String> = case.given.iter().map(Operand::shape).collect();
        let (spec, help) = (&case.spec, &help.text);
        let said = format!("{spec:?} with {shapes:?}, after `{help}` {edited:?}: {why}");
        self.wrong.push(said);
    }

    /// Makes the edits of a help, and holds what they do against what they claim. Gives whether
    /// that is what was meant.
    fn edit(&mut self, case: &draw::Case, help: &Help) -> bool {
        let edited = help.apply(&case.spec);
        let after = match execute(&edited, &case.given) {
            Ok(after) => after,
            Err(Failed::Index) => {
                self.count("edits after which an index is not on its axis");
                return false;
            }
            Err(Failed::Refused(said)) => {
                // Of two mistakes it mends one: there is another message then.
                self.count("edits that leave another mistake");
                if help.claim.is_some() && offered(&said).contains(help) {
                    self.differs(case, help, &edited, "the same is said again");
                }
                return false;
            }
        };
        let specs = case.spec.parse::<Spec>().ok().zip(edited.parse::<Spec>().ok());
        match (&help.claim, &specs) {
            (None, None) => self.count("edits: of what could not be read"),
            (None, Some(_)) => self.differs(case, help, &edited, "nothing is claimed"),
            (Some(_), None) => self.differs(case, help, &edited, "it could not be read before"),
            (Some(claim), Some((before, edited_spec))) => {
                self.count(format!("edits: {}", name(claim)));
                let made = claim::Edited {
                    before,
                    after: edited_spec,
                    given: &case.given,
                    result: &after,
                };
                match made.truth(claim) {
                    Some(claim::Truth::Same(operands)) => {
                        self.count(format!("executed: {}", name(claim)));
                        let same = execute(&case.spec, &operands);
                        if !same.as_ref().is_ok_and(|same| *same == after) {
                            let said = match same {
                                Err(Failed::Refused(said)) => said.to_string(),
                                Err(Failed::Index) | Ok(_) => String::new(),
                            };
                            self.differs(
                                case,
                                help,
                                &edited,
                                &format!("not what it claims {said}"),
                            );
                        }
                    }
                    Some(claim::Truth::Holds(true)) => {
                        self.count(format!("executed: {}", name(claim)));
                    }
                    Some(claim::Truth::Holds(false)) => {
                        self.differs(case, help, &edited, "not what it claims");
                    }
                    None => self.count(format!("told only: {}", name(claim))),
                }
            }
        }
        case.meant.as_ref() == Some(&after)
    }
}

/// Draws mistaken specifications until one is refused, and makes every edit that is offered.
///
/// # Errors
/// When an edit does something else than it claims.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let (case, rejection) = loop {
        let Some(case) = draw::case(rng) else { continue };
        match execute(&case.spec, &case.given) {
            Err(Failed::Refused(rejection)) => break (case, rejection),
            Err(Failed::Index) | Ok(_) => counts.count("mistakes that fit"),
        }
    };
    counts.count(format!("mistakes: {}", case.mistake));
    let restored: Vec<bool> =
        offered(&rejection).iter().map(|help| counts.edit(&case, help)).collect();
    if case.meant.is_some() {
        let found = match restored.iter().position(|restored| *restored) {
            Some(0) => "the first help",
            Some(_) => "another help",
            None if restored.is_empty() => "no help is offered",
            None => "no help",
        };
        counts.count(format!("gives back what was meant: {found}"));
        counts.count("meant");
    }
    let wrong = std::mem::take(&mut counts.wrong);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
