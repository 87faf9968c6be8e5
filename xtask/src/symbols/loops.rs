//! The loops of a program with open sizes, at values, against those of the same program with numbers.

use lozenge::{
    Rejection, Valued,
    diagnostic::Code,
    project::{Budget, Record},
};

use super::Built;

/// How many operations have the same loops, and how many have none that are known.
#[derive(Default)]
pub(super) struct Loops {
    pub(super) same: u64,
    pub(super) none: u64,
    /// How often it is known whether an occurrence is covered once, or wholly; and how often only with numbers.
    pub(super) covered: u64,
    pub(super) uncovered: u64,
}

impl Loops {
    /// Compares the loops of all operations.
    pub(super) fn compare(
        &mut self,
        open: &Built,
        at: &Valued<'_>,
        numbers: &Built,
    ) -> Result<(), String> {
        for (place, (ours, theirs)) in open.tensors.iter().zip(&numbers.tensors).enumerate() {
            let ours = open.session.assignment(&open.closed, *ours);
            let theirs = numbers.session.assignment(&numbers.closed, *theirs);
            match (ours, theirs) {
                (Ok(open), Ok(numbers)) => {
                    let Some(ours) = open.at(at) else {
                        return Err(format!("loops of {place} are not known at the values"));
                    };
                    let (ours, theirs) = (ours.record(), numbers.record());
                    if ours != theirs {
                        return Err(format!("loops of {place}: {ours} against {theirs}"));
                    }
                    self.same += 1;
                    self.coverages(open.record(), theirs).map_err(|said| {
                        format!("{said} of {place}: {} at values {theirs}", open.record())
                    })?;
                }
                (Err(_), Err(_)) => {}
                // An index that is computed from a size is not yet known where that is open.
                (Err(refused), Ok(_)) if has_no_loops(&refused) => self.none += 1,
                (Err(refused), Ok(_)) => return Err(format!("no loops of {place}: {refused}")),
                (Ok(_), Err(refused)) => {
                    return Err(format!("no loops of {place} with numbers: {refused}"));
                }
            }
        }
        Ok(())
    }

    /// What is known of how often the cells are written holds at the values.
    fn coverages(&mut self, open: &Record, numbers: &Record) -> Result<(), String> {
        let [ours, theirs] = [open, numbers].map(|record| record.coverages(Budget::default()));
        for (slot, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            for (ours, theirs) in [(ours.injective, theirs.injective), (ours.onto, theirs.onto)] {
                self.uncovered += u64::from(ours.is_none() && theirs.is_some());
                self.covered += u64::from(ours.is_some());
                if ours.is_some() && ours != theirs {
                    return Err(format!("coverage of slot {slot}"));
                }
            }
        }
        Ok(())
    }
}

fn has_no_loops(refused: &Rejection) -> bool {
    refused.diagnostics[0].code == Code::NoLoops
}
