//! What closing chose, as text.

use alloc::vec::Vec;
use core::fmt;

use lozenge_calculus::{
    constraint::OriginId,
    text::{Names, Print},
};

use super::{
    choice::{ClosingRule, Commitment, Dispute, Note},
    why::{Chosen, Why},
};

/// `, because of @1 @2`, or nothing.
fn because_of(places: &[OriginId], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if places.is_empty() {
        return Ok(());
    }
    f.write_str(", because of ")?;
    list(places, f)
}

/// `@1 @2`.
fn list(origins: &[OriginId], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (i, origin) in origins.iter().enumerate() {
        let space = if i > 0 { " " } else { "" };
        write!(f, "{space}@{}", origin.index())?;
    }
    Ok(())
}

impl Print for Commitment {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(axis) = self.axis {
            write!(f, "axis {axis} of ")?;
        }
        self.var.print(names, f)
    }
}

impl Print for Dispute {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the uses of ")?;
        self.commitment.print(names, f)?;
        f.write_str(" do not agree: ")?;
        list(&self.asked, f)?;
        f.write_str(" against ")?;
        list(&self.against, f)
    }
}

impl Print for Note {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Demoted(dispute) => {
                dispute.print(names, f)?;
                f.write_str(", so it is as general as can be")
            }
            Note::AxesOverlap(origin) => {
                write!(
                    f,
                    "axes-overlap: @{} has axes that meet because their sizes do",
                    origin.index()
                )
            }
            Note::Undecided(origin) => {
                write!(
                    f,
                    "@{} is over a named size, so whether it holds is not known",
                    origin.index()
                )
            }
            Note::PlacementCompetes { var, holds, yields, seen_by } => {
                let Some(holds) = holds else {
                    write!(f, "placement-competes: the marker of ")?;
                    var.print(names, f)?;
                    write!(f, " does not stand where @{} places it", yields.index())?;
                    return write!(f, ", because @{} would not fit", seen_by.index());
                };
                f.write_str("placement-competes: @")?;
                write!(f, "{} and @{} place the marker of ", holds.index(), yields.index())?;
                var.print(names, f)?;
                write!(f, " differently; the first holds, and @{} sees it", seen_by.index())
            }
        }
    }
}

impl ClosingRule {
    /// Whether it chooses a size for want of anything better.
    pub(super) const fn is_guess(self) -> bool {
        match self {
            ClosingRule::Counted | ClosingRule::LeftOut | ClosingRule::LeastSize => true,
            ClosingRule::Atom
            | ClosingRule::Join
            | ClosingRule::OpenJoin
            | ClosingRule::Least
            | ClosingRule::OneAxis
            | ClosingRule::Found => false,
        }
    }

    /// What it does, for people.
    pub const fn name(self) -> &'static str {
        match self {
            ClosingRule::Atom => "the atom below it",
            ClosingRule::Join => "the join of the closed rows below it",
            ClosingRule::OpenJoin => "the join of its open caps",
            ClosingRule::Least => "the least material that fits",
            ClosingRule::Counted => "as many axes as are counted",
            ClosingRule::OneAxis => "one axis of the size that was set",
            ClosingRule::Found => "the size that was found",
            ClosingRule::LeftOut => "no elements",
            ClosingRule::LeastSize => "the least size that fits",
        }
    }
}

impl Print for Why {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Forced(chain) => {
                f.write_str("forced")?;
                let origins: Vec<OriginId> = chain.constraints.iter().map(|c| c.origin).collect();
                because_of(&origins, f)
            }
            Why::Chosen { by, origins } => {
                f.write_str("chosen: ")?;
                for (i, Chosen { commitment, asked }) in by.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    commitment.print(names, f)?;
                    write!(f, " takes {}", commitment.rule.name())?;
                    if !asked.is_empty() {
                        f.write_str(" (")?;
                        list(asked, f)?;
                        f.write_str(")")?;
                    }
                }
                because_of(origins, f)
            }
            Why::Greatest => f.write_str("nothing asks for more"),
        }
    }
}
