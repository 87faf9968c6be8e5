//! All tables of a solver: what a configuration holds, and how to go back to what it held.
//!
//! The tables are listed once, below. Whoever adds one adds a line: taking a snapshot, rolling
//! back, counting bytes and comparing two solvers are derived from the list.

use alloc::vec::Vec;

use lozenge_calculus::{
    size::Requirement,
    term::{DimVar, RowVar},
};

use crate::tables::{
    cause::Cause,
    ids::{
        AdjacencyId, AxisId, BoundsId, DimNode, EntryId, FactId, GivenId, Id, JointId, ListedId,
        PartId, RelationId, RelationRowId, RowNode, RowSlot, WatchId,
    },
    intern::{DimsMet, Lookup},
    node::{Adjacency, Bounds, DimRef, DimState, Given, Progress, RowRef, RowState, Slot},
    queue::Queue,
    sizes::{Least, SizePart, SizeRel, Watch},
    table::{Table, Undo},
    trace::{Entry, Joint},
};

macro_rules! tables {
    ($(
        $(#[$doc:meta])*
        $group:ident as $marks:ident { $($(#[$table:meta])* $field:ident: $type:ty,)* }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug, Default)]
        pub(crate) struct $group {
            $($(#[$table])* pub(crate) $field: $type,)*
        }

        /// Where these tables were.
        #[derive(Debug)]
        pub(crate) struct $marks {
            $($field: <$type as Undo>::Mark,)*
        }

        impl Undo for $group {
            type Mark = $marks;

            #[inline]
            fn mark(&mut self) -> $marks {
                $marks { $($field: self.$field.mark(),)* }
            }

            #[inline]
            fn roll_back(&mut self, marks: $marks) {
                $(self.$field.roll_back(marks.$field);)*
            }

            #[inline]
            fn settle(&mut self) {
                $(self.$field.settle();)*
            }

            fn bytes(&self) -> usize {
                0 $(+ self.$field.bytes())*
            }

            #[inline]
            fn indices(&self) -> u32 {
                0 $(.max(self.$field.indices()))*
            }
        }
    )*};
}

tables! {
    /// The configuration.
    Tables as Marks {
        dims: Dims,
        rows: Rows,
        givens: Givens,
        relations: Relations,
        trace: Trace,
        /// The requirements on named sizes, each with why it is one.
        requirements: Vec<(Requirement, Cause)>,
        queue: Queue,
        counts: Counts,
    }

    /// Dimension variables, and what bounds them.
    Dims as DimMarks {
        states: Table<DimNode, DimState>,
        bounds: Table<BoundsId, Bounds>,
        adjacencies: Table<AdjacencyId, Adjacency>,
        /// The facts that are known of sizes.
        facts: Table<FactId, Least>,
        watches: Table<WatchId, Watch>,
        /// Every dimension that was met.
        met: DimsMet,
        /// The nodes of the program's dimension variables.
        vars: Lookup<DimVar, DimNode>,
    }

    /// Row variables, and the axes of rows.
    Rows as RowMarks {
        states: Table<RowNode, RowState>,
        /// The axes of all flanks.
        axes: Table<AxisId, DimRef>,
        /// The row variables of the program.
        slots: Table<RowSlot, Slot>,
        vars: Lookup<RowVar, RowSlot>,
    }

    /// The given constraints.
    Givens as GivenMarks {
        all: Table<GivenId, Given>,
        /// The state of each given constraint.
        progress: Table<GivenId, Progress>,
    }

    /// Relations between sizes.
    Relations as RelationMarks {
        all: Table<RelationId, SizeRel>,
        parts: Table<PartId, SizePart>,
        rows: Table<RelationRowId, RowRef>,
        /// The relations over rows.
        over_rows: Table<ListedId, RelationId>,
        /// Those of them that give one row a number of elements.
        counts: Table<ListedId, RelationId>,
    }

    /// The trace of bindings.
    Trace as TraceMarks {
        entries: Table<EntryId, Entry>,
        joints: Table<JointId, Joint>,
    }
}

/// Counters that a rollback restores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Counts {
    /// How many rules were applied for the constraints that stand; those for what was refused are
    /// not held against anybody.
    pub(crate) steps: u64,
    /// The first given constraint that has not been asked.
    pub(crate) asked: GivenId,
    /// The number of things that had happened when relations over rows were last asked: entries of
    /// the trace and facts of sizes, and where elements are counted, given constraints that had
    /// been asked.
    pub(crate) counted: u32,
    /// How many variables were moved before all others.
    pub(crate) moved: u32,
    pub(crate) minted: u32,
    pub(crate) policy: u32,
    /// How often a row got two markers in different places, of which one stands.
    pub(crate) competed: u32,
    pub(crate) shifted: u32,
    pub(crate) deferred_eq: u32,
    pub(crate) deferred_ineq: u32,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts {
            steps: 0,
            asked: GivenId::new(0),
            counted: 0,
            moved: 0,
            minted: 0,
            policy: 0,
            competed: 0,
            shifted: 0,
            deferred_eq: 0,
            deferred_ineq: 0,
        }
    }
}

impl Undo for Counts {
    type Mark = Counts;

    #[inline]
    fn mark(&mut self) -> Counts {
        *self
    }

    #[inline]
    fn roll_back(&mut self, before: Counts) {
        *self = before;
    }

    /// The places before the first that are taken are indices too.
    #[inline]
    fn indices(&self) -> u32 {
        self.moved
    }
}
