//! What is supposed of row variables, asked of a solver.

use crate::{SolveError, Solver};
use lozenge_calculus::term::RowVar;

use super::decision::Supposition;

/// Supposes something of row variables.
pub(super) fn suppose(
    solver: &mut Solver,
    choices: &[(RowVar, Supposition)],
) -> Result<(), SolveError> {
    for (var, choice) in choices {
        match *choice {
            Supposition::Rank(rank) => solver.choose().rank(*var, rank)?,
            Supposition::Flanks(extent) => solver.choose().extent(*var, extent)?,
            Supposition::AtLeast(extent) => solver.choose().least(*var, extent)?,
            Supposition::Around(extent) => solver.choose().around(*var, extent)?,
            Supposition::Elements(count) => solver.choose().elements(*var, count)?,
        }
    }
    Ok(())
}
