//! The loops of a program with open sizes, at values, against those of the same program with
//! numbers.

use lozenge::{
    Report, Valued,
    diagnostic::Code,
    project::{Budget, Record},
};

use lozenge_lower::{Nest, Traffic};

use crate::mismatch::counts;

use super::build::Built;

counts! {
    /// Counts of operations with the same loops, and of those with none that are known.
    pub struct Loops {
        pub same: u64,
        pub none: u64,
        /// How often it is known whether an occurrence is covered once, or wholly; and how often
        /// only with numbers.
        pub covered: u64,
        pub uncovered: u64,
        /// Amounts that are the same, and those that could not be compared.
        pub amounts: u64,
        pub uncounted: u64,
    }
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
                    let counted = [open.clone(), numbers.clone()].map(|of| Nest::new(of).traffic());
                    self.amounts(at, &counted).map_err(|said| format!("{said} of {place}"))?;
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

    /// As much is read and written, at as many points.
    fn amounts(&mut self, at: &Valued<'_>, [open, numbers]: &[Traffic; 2]) -> Result<(), String> {
        let all = |of: &Traffic| {
            let read = of.read.iter().cloned();
            [of.points.clone(), of.written.clone()].into_iter().chain(read).collect::<Vec<_>>()
        };
        for (ours, theirs) in all(open).iter().zip(&all(numbers)) {
            let known = ours.at(|size| at.written(size));
            let Some((known, exactly)) = known.zip(theirs.exactly()) else {
                self.uncounted += 1;
                continue;
            };
            let is_same = match known.exactly() {
                Some(known) => known == exactly,
                None => known.at_most().is_some_and(|most| most >= exactly),
            };
            if !is_same {
                return Err(format!("{ours}, which is {known}, against {theirs}"));
            }
            self.amounts += 1;
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

fn has_no_loops(refused: &Report) -> bool {
    refused.diagnostics[0].code == Code::NoLoops
}
