//! What an error is made of: diagnostics with their sources.

use std::{error::Error, fmt};

#[cfg(not(feature = "full"))]
use super::concise;
#[cfg(feature = "full")]
use super::full::{Look, full};
use super::{Diagnostic, Sources};

/// Why something was refused: diagnostics, at least one of them an error, with their sources. Its
/// `Display` is the full text, without colour, 80 columns wide; so is its `Debug`, which is what a program
/// shows that returns it from `main` or unwraps it.
#[derive(Clone, PartialEq, Eq)]
pub struct Report {
    /// What the diagnostics are about.
    pub sources: Sources,
    /// Errors, and what else there was to say.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            #[cfg(feature = "full")]
            f.write_str(&full(diagnostic, &self.sources, Look::PLAIN))?;
            #[cfg(not(feature = "full"))]
            f.write_str(&concise(diagnostic, &self.sources))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl Error for Report {}
