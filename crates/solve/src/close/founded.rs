//! Whether markers stand where something says.
//!
//! The one-shot order lets a row be broadcast anywhere. So a program in which two sizes do not fit
//! can often be satisfied all the same, by inserting an axis where nobody asked for one: with `x`
//! unknown, `(x + [4]) + [5]` is `[4,5]` if the first sum is taken for `[4]◊`. A marker that had to
//! be supposed is **founded** if a declaration can have put it there: it stands in front, as that
//! of a literal does; or an equality gives it that place; or the row refines, in the marked order,
//! one of the rows that it is a result of. Of these only those count that are declared: not a row
//! variable that is never more than an operand.

use alloc::{collections::BTreeSet, vec::Vec};

use lozenge_calculus::{
    constraint::{Constraint, Relation},
    term::{Grounding, RowTerm, RowVar},
};

/// Those of some row variables whose markers stand where nothing that is asked can have put them.
pub(super) fn unfounded(
    ground: &Grounding,
    constraints: &[Constraint],
    supposed: &[RowVar],
) -> Vec<RowVar> {
    let in_doubt = |var: &RowVar| !ground.row_var(*var).lead().is_empty();
    let mut in_doubt: Vec<RowVar> = supposed.iter().copied().filter(in_doubt).collect();
    if in_doubt.is_empty() {
        return in_doubt;
    }
    let declared = declared(constraints);
    let declares = |term: &RowTerm| {
        term.flanks.rank() > 0 || term.var.is_some_and(|var| declared.contains(&var))
    };
    let founds = |constraint: &Constraint, var: RowVar| match &constraint.relation {
        Relation::RowEq(left, right) => {
            let same_place = ground.row(left).lead().len() == ground.row(right).lead().len();
            same_place
                && (left.var == Some(var) && declares(right)
                    || right.var == Some(var) && declares(left))
        }
        Relation::RowIneq(result, operand) => {
            result.var == Some(var)
                && declares(operand)
                && ground.row(result).refines(&ground.row(operand))
        }
        Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => false,
    };
    in_doubt.retain(|var| !constraints.iter().any(|constraint| founds(constraint, *var)));
    in_doubt
}

/// The row variables that are equated with a row of which something is written, or are the result
/// of one, or of another such variable.
fn declared(constraints: &[Constraint]) -> BTreeSet<RowVar> {
    let mut declared: BTreeSet<RowVar> = BTreeSet::new();
    loop {
        let before = declared.len();
        let mut add = |term: &RowTerm, by: &RowTerm| {
            let is_written = by.flanks.rank() > 0;
            if is_written || by.var.is_some_and(|var| declared.contains(&var)) {
                declared.extend(term.var);
            }
        };
        for constraint in constraints {
            match &constraint.relation {
                Relation::RowEq(left, right) => {
                    add(left, right);
                    add(right, left);
                }
                Relation::RowIneq(result, operand) => add(result, operand),
                Relation::DimEq(..) | Relation::DimIneq(..) | Relation::Size(_) => {}
            }
        }
        if declared.len() == before {
            return declared;
        }
    }
}
