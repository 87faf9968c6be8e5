//! Counts of what was drawn and visited.

use std::collections::BTreeMap;

use lozenge::diagnostic::Code;
use lozenge_project::{Index, NoLoops, Record};

use super::{cover::Covered, equations::Solved};
use crate::{mismatch::counts, programs::Nests};

counts! {
    /// What was drawn and visited.
    pub struct Counts {
        pub equations: Solved,
        pub operations: u64,
        pub coupled: u64,
        pub padded: u64,
        /// Operations and specifications with a valid window that reaches past the end of its axis.
        pub past_end: [u64; 2],
        pub points: u64,
        pub pairs: u64,
        pub shuffled: u64,
        pub renamed: u64,
        pub conflicts: BTreeMap<&'static str, u64>,
        pub covered: Covered,
        pub covered_operations: Covered,
        pub covered_programs: Covered,
        pub forms: BTreeMap<&'static str, u64>,
        pub refused: u64,
        pub unwritten: BTreeMap<String, u64>,
        pub programs: u64,
        pub nests: Nests,
    }
}

impl Counts {
    pub(super) fn conflict(&mut self, conflict: &NoLoops) {
        let name = match conflict {
            NoLoops::Sizes(_) => "sizes",
            NoLoops::Pins(..) => "pins",
            NoLoops::OutOfBounds(_) => "out of bounds",
            NoLoops::Derived(_) => "derived",
            NoLoops::Cyclic(_) => "cyclic",
            NoLoops::Nested(_) => "nested",
            NoLoops::Ambiguous(_) => "ambiguous",
            NoLoops::Unread(_) => "unread",
            NoLoops::Nowhere => "nowhere",
            NoLoops::Crossed(_) => "crossed",
            NoLoops::Start(_) => "begins",
            NoLoops::Repeated(_) => "repeated",
            _ => "other",
        };
        *self.conflicts.entry(name).or_default() += 1;
    }

    /// Counts what the maps of a record are made of.
    pub(super) fn forms(&mut self, record: &Record) {
        for axis in record.slots().flat_map(|slot| record.map(slot)) {
            let name = match &axis.index {
                Index::Iter(_) => "iter",
                Index::Fix(_) => "fix",
                Index::Symbol(_) => "symbol",
                Index::Affine(_) if axis.margin.is_some() => "padded",
                Index::Affine(_) => "affine",
                Index::Concat(_) => "concat",
                Index::Merged(_) => "merged",
                Index::Digit(_) => "digit",
            };
            *self.forms.entry(name).or_default() += 1;
        }
    }

    pub(super) fn is_of_loops(code: Code) -> bool {
        matches!(code, Code::NoLoops | Code::AmbiguousParts | Code::ExcludedParts)
    }

    pub(super) fn unwritten(&mut self, said: &str) {
        let said: String = said.chars().filter(|c| !c.is_ascii_digit()).collect();
        *self.unwritten.entry(said).or_default() += 1;
    }
}
