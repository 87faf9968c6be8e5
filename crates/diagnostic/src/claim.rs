//! What the edits of a help do to what a specification computes.

/// What a specification does after an edit that it did not do before. Operands and axes count from 0; the axes of an
/// operand are those of its batch, input and output rows one after another, as they are written, an ellipsis among them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case", tag = "what")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Claim {
    /// It computes the same, with other names.
    Renames,
    /// It reads another number of operands.
    Counts {
        /// How many.
        operands: usize,
    },
    /// It reads an operand with its axes in another order: at `i` what it read at `order[i]`.
    Permutes {
        /// Which operand.
        operand: usize,
        /// Where each axis was.
        order: Vec<usize>,
    },
    /// It takes axes of an operand that it did not read, and keeps them in the result.
    Keeps {
        /// Which operand.
        operand: usize,
        /// Where the ellipsis stands that takes them.
        axis: usize,
    },
    /// It takes axes of an operand that it did not read, together with those that `...` takes of others.
    Joins {
        /// Which operand.
        operand: usize,
        /// Where the ellipsis stands that takes them.
        axis: usize,
    },
    /// It takes axes of an operand that it did not read, and sums over them.
    Sums {
        /// Which operand.
        operand: usize,
        /// Where the ellipsis stands that takes them.
        axis: usize,
    },
    /// It reads an axis of an operand by a name of its own and sums over it alone, where others were read with it.
    Splits {
        /// Which operand.
        operand: usize,
        /// The axis.
        axis: usize,
        /// What became of the axis.
        was: Together,
    },
    /// It reads an axis of an operand together with those of another name.
    Equates {
        /// Which operand.
        operand: usize,
        /// The axis.
        axis: usize,
        /// The name.
        with: String,
    },
    /// An index of run time of an operand is one of its own.
    SplitsIndex {
        /// Which operand.
        operand: usize,
        /// The axis.
        axis: usize,
    },
    /// The axes that an ellipsis of an operand takes are summed over alone, where other ellipses took the same.
    SplitsRow {
        /// Which operand.
        operand: usize,
        /// Where the ellipsis stands.
        axis: usize,
    },
    /// A part or a factor of an axis of an operand has a name of its own, and is summed over alone.
    SplitsPart {
        /// Which operand.
        operand: usize,
        /// The axis.
        axis: usize,
        /// Which part.
        part: usize,
    },
    /// Windows of an operand may reach past its ends.
    Pads {
        /// Which operand.
        operand: usize,
        /// The axis.
        axis: usize,
    },
    /// As many windows of an operand are read as fit; what is left over is not.
    Leaves {
        /// Which operand.
        operand: usize,
        /// The axis.
        axis: usize,
    },
    /// Along an axis of an operand a step counts that is only begun.
    Begins {
        /// Which operand.
        operand: usize,
        /// The axis.
        axis: usize,
    },
    /// Along an axis of an operand it goes in other steps.
    Steps {
        /// Which operand.
        operand: usize,
        /// The axis.
        axis: usize,
        /// How large they are.
        by: u64,
    },
    /// It reads an axis of an operand at another position.
    Places {
        /// Which operand.
        operand: usize,
        /// The axis.
        axis: usize,
        /// The position.
        at: u64,
    },
}

/// What became of axes that were read together, by one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Together {
    /// Their products were summed.
    Summed,
    /// The result kept them.
    Kept,
}
