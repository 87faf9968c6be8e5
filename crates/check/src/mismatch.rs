//! What a checker gives back: counts of what it met, and where it met something wrong, a mismatch.
//!
//! Every checker has one form:
//!
//! ```ignore
//! pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch>
//! ```
//!
//! It draws one case from the generator and adds to the counts what the case was, so that whoever
//! runs many of them sees that none is true for want of cases.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use lozenge_calculus::constraint::Constraint;

/// What is not as it should be, as a text for people: what was expected, what there is, the case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mismatch(String);

impl Mismatch {
    /// What is wrong about a store.
    pub(crate) fn of_store(what: impl fmt::Display, store: &[Constraint]) -> Mismatch {
        let text: Vec<String> = store.iter().map(ToString::to_string).collect();
        Mismatch(format!("{what}\n    {}", text.join("\n    ")))
    }
}

/// Runs what may panic; the panic is what is wrong.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Mismatch> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Mismatch(format!("panicked: {}", text.unwrap_or_default()))
    })
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Mismatch {
    fn from(what: String) -> Mismatch {
        Mismatch(what)
    }
}

impl From<anyhow::Error> for Mismatch {
    fn from(error: anyhow::Error) -> Mismatch {
        Mismatch(format!("{error:#}"))
    }
}

/// Counts of cases, which are added where cases ran beside each other.
pub trait Tally: Default + Send {
    /// Adds the counts of other cases.
    fn merge(&mut self, other: Self);
}

impl Tally for u64 {
    fn merge(&mut self, other: u64) {
        *self += other;
    }
}

impl Tally for usize {
    fn merge(&mut self, other: usize) {
        *self += other;
    }
}

impl<T: Send> Tally for Vec<T> {
    fn merge(&mut self, other: Vec<T>) {
        self.extend(other);
    }
}

impl<K: Ord + Send, T: Tally> Tally for std::collections::BTreeMap<K, T> {
    fn merge(&mut self, other: Self) {
        for (key, value) in other {
            self.entry(key).or_default().merge(value);
        }
    }
}

impl<T: Tally, const N: usize> Tally for [T; N]
where
    [T; N]: Default,
{
    fn merge(&mut self, other: [T; N]) {
        for (sum, more) in self.iter_mut().zip(other) {
            sum.merge(more);
        }
    }
}

/// Defines counts by their fields; how they are added follows.
macro_rules! counts {
    (
        $(#[$about:meta])* $seen:vis struct $name:ident {
            $($(#[$what:meta])* $shown:vis $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Default, Debug)]
        $seen struct $name {
            $($(#[$what])* $shown $field: $type,)*
        }

        impl $crate::Tally for $name {
            fn merge(&mut self, other: $name) {
                $($crate::Tally::merge(&mut self.$field, other.$field);)*
            }
        }
    };
}
pub(crate) use counts;
