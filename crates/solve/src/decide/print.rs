//! Decisions and refutations as text.

use core::fmt;

use crate::Extent;
use lozenge_calculus::text::{Names, Print};

use super::{Refutation, Supposition};

/// A direct refutation is its derivation. Otherwise each case is a line and, indented, its
/// refutation.
impl Print for Refutation {
    fn print(&self, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print_at(0, names, f)
    }
}

impl Refutation {
    fn print_at(&self, depth: usize, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refutation::Direct { derivation, equal_ranks } => {
                if !equal_ranks.is_empty() {
                    write!(
                        f,
                        "{:1$}markers do not matter, as ranks are equal from",
                        "",
                        2 * depth
                    )?;
                    for origin in equal_ranks {
                        write!(f, " @{}", origin.index())?;
                    }
                    f.write_str("\n")?;
                }
                let text = alloc::format!("{}", names.show(derivation));
                for (i, line) in text.lines().enumerate() {
                    if i > 0 {
                        f.write_str("\n")?;
                    }
                    write!(f, "{:1$}{line}", "", 2 * depth)?;
                }
                Ok(())
            }
            Refutation::Cases { var, cases, repeats, .. } => {
                for (i, (supposition, refutation)) in cases.iter().enumerate() {
                    if i > 0 {
                        f.write_str("\n")?;
                    }
                    write!(f, "{:1$}if ", "", 2 * depth)?;
                    var.print(names, f)?;
                    match supposition {
                        Supposition::Rank(1) => f.write_str(" has 1 axis:")?,
                        Supposition::Rank(rank) => write!(f, " has {rank} axes:")?,
                        Supposition::Elements(1) => f.write_str(" has 1 element:")?,
                        Supposition::Elements(n) => write!(f, " has {n} elements:")?,
                        Supposition::AtLeast(Extent { lead, trail }) => {
                            write!(
                                f,
                                " has {} axes or more:",
                                u32::from(*lead) + u32::from(*trail)
                            )?;
                        }
                        Supposition::Around(Extent { lead, trail }) => {
                            write!(f, " has {lead} or more before and {trail} or more after")?;
                            f.write_str(" its marker:")?;
                        }
                        Supposition::Flanks(extent) => {
                            write!(f, " has {} before and {} after", extent.lead, extent.trail)?;
                            f.write_str(" its marker:")?;
                        }
                    }
                    f.write_str("\n")?;
                    refutation.print_at(depth + 1, names, f)?;
                }
                if *repeats {
                    write!(f, "\n{:1$}if ", "", 2 * depth)?;
                    var.print(names, f)?;
                    f.write_str(" has more, they only repeat")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(&Names::new(), f)
    }
}
