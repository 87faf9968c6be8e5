//! Why a variable has the value it has, after closing.

use alloc::vec::Vec;

use crate::{
    constraint::OriginId,
    explain::{Chain, Target, chain},
};

use super::{Closed, Commitment};

/// Why something has the value it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// The constraints force it; these alone do.
    Forced(Chain),
    /// Closing chose it, or something that it follows from.
    Chosen {
        /// What was chosen, in order.
        by: Vec<Commitment>,
        /// The constraints through which it follows from that.
        origins: Vec<OriginId>,
    },
    /// Nothing asks for anything, so it is as general as can be.
    Greatest,
}

impl Closed {
    /// Why something has the value it has.
    pub fn why(&self, target: impl Into<Target>) -> Why {
        let target = target.into();
        let mut givens = self.solver.reasons_for(target.reading());
        let committed = givens.split_off(givens.partition_point(|given| *given < self.first));
        if committed.is_empty() {
            let forced = chain(&self.solver.solved(), self.first, target);
            return forced.map_or(Why::Greatest, Why::Forced);
        }
        let commitment = |given: u32| self.commitments.get((given - self.first) as usize).cloned();
        let by = committed.into_iter().filter_map(commitment).collect();
        Why::Chosen { by, origins: self.solver.given_origins(givens) }
    }
}
