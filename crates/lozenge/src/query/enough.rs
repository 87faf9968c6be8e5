//! The loops of an einsum, and the names whose sizes would be enough where it has none.

use lozenge_diagnostic::Span;
use lozenge_notation::NameId;

use super::{
    inferred::{Inferred, Query},
    named::Assumed,
};
use crate::{Assignment, Report, Spec};

/// An einsum with its loops.
#[derive(Debug)]
#[non_exhaustive]
pub struct Looped {
    /// Its shapes, with names for what nothing determines.
    pub inferred: Inferred,
    /// What it does, over its loops.
    pub assignment: Assignment,
    /// What was taken where nothing determines it.
    pub assumed: Vec<Assumed>,
}

/// Why an einsum has no loops.
#[derive(Debug)]
pub enum NoLoops {
    /// The shapes do not fit, or there are no loops whatever the sizes.
    Refused(Report),
    /// There are none without numbers for what nothing determines.
    Undetermined(Box<Undetermined>),
}

/// What would have to be known for an einsum to have loops.
#[derive(Debug)]
#[non_exhaustive]
pub struct Undetermined {
    /// The specification.
    pub spec: Spec,
    /// The names whose sizes and ranges nothing determines.
    pub names: Vec<NameId>,
    /// The places in the specification of axes that are computed from a `_`, which only a name in
    /// its place can say.
    pub computed: Vec<Span>,
    /// Some of the names with whose sizes there are loops, none of them without need; `None` where
    /// no sizes were found that fit. Without any name, it is the `_` alone that is in the way.
    pub enough: Option<Vec<NameId>>,
}

/// Why an inferred einsum has no loops with names for what nothing determines.
enum Refused {
    Report(Report),
    /// An axis is computed from a `_`.
    Computed,
}

impl From<Report> for Refused {
    fn from(report: Report) -> Refused {
        Refused::Report(report)
    }
}

impl From<Report> for NoLoops {
    fn from(report: Report) -> NoLoops {
        NoLoops::Refused(report)
    }
}

/// The most names for which sizes are tried.
const MOST_NAMES: usize = 12;

/// The sizes that are tried for a name: small ones, and last 1, with which much fits that otherwise
/// does not.
const TRIED: [u64; 4] = [2, 3, 4, 1];

impl Query {
    /// Infers the shapes and the loops. What nothing determines is called by a name, where there
    /// are loops with names.
    ///
    /// # Errors
    /// When the shapes do not fit, or there are no loops without more numbers.
    pub fn loops(&self) -> Result<Looped, NoLoops> {
        let mut inferred = self.infer()?;
        if inferred.is_determined() {
            let assignment = inferred.assignment()?;
            return Ok(Looped { inferred, assignment, assumed: vec![] });
        }
        let names = inferred.undetermined_names();
        match inferred.name_and_derive() {
            Ok((assignment, assumed)) => Ok(Looped { inferred, assignment, assumed }),
            Err(Refused::Report(report)) if names.is_empty() => Err(NoLoops::Refused(report)),
            Err(_) => {
                let enough = self.enough(&inferred.spec, &names)?;
                let computed = inferred.computed();
                let spec = inferred.spec;
                Err(NoLoops::Undetermined(Box::new(Undetermined { spec, names, computed, enough })))
            }
        }
    }

    /// Names with whose sizes there are loops, none of them without need: found by trying. An error
    /// where there are none even then; `None` where no sizes that were tried fit.
    fn enough(&self, spec: &Spec, names: &[NameId]) -> Result<Option<Vec<NameId>>, Report> {
        let with = |sets: &[(NameId, u64)]| {
            let sizes = sets.iter().map(|(name, size)| (spec.name(*name).to_owned(), *size));
            self.clone().with_sizes(sizes)
        };
        let infer = |sets: &[(NameId, u64)]| with(sets).infer();
        let derive = |sets: &[(NameId, u64)]| -> Result<(), Refused> {
            infer(sets)?.name_and_derive().map(|_| ())
        };
        let mut sets: Vec<(NameId, u64)> = vec![];
        let mut reason = derive(&sets);
        for name in names.iter().take(MOST_NAMES) {
            if reason.is_ok() {
                break;
            }
            let is_known =
                infer(&sets).is_ok_and(|inferred| !inferred.undetermined_names().contains(name));
            let mut fitting = TRIED.map(|size| [&sets[..], &[(*name, size)]].concat()).into_iter();
            if let Some(more) = fitting.find(|sets| !is_known && infer(sets).is_ok()) {
                sets = more;
                reason = derive(&sets);
            }
        }
        match reason {
            Ok(()) => {}
            Err(Refused::Computed) => return Ok(Some(vec![])),
            Err(Refused::Report(other)) => {
                let is_other =
                    infer(&sets).is_ok_and(|inferred| inferred.undetermined_names().is_empty());
                return if is_other { Err(other) } else { Ok(None) };
            }
        }
        for name in names {
            let rest: Vec<(NameId, u64)> =
                sets.iter().filter(|(set, _)| set != name).copied().collect();
            if derive(&rest).is_ok() {
                sets = rest;
            }
        }
        Ok(Some(sets.into_iter().map(|(name, _)| name).collect()))
    }
}

impl Inferred {
    /// The loops with symbolic sizes for what nothing determines, and what was taken for that.
    fn name_and_derive(&mut self) -> Result<(Assignment, Vec<Assumed>), Refused> {
        let assumed = self.name_undetermined()?;
        let assignment = self.assignment()?;
        if self.computed().is_empty() { Ok((assignment, assumed)) } else { Err(Refused::Computed) }
    }
}
