//! What windows do at the border of the axis that they slide along.

/// The rule for windows at the ends of their axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Border {
    /// The numbers of elements that are added before the axis and after it, or left out where they
    /// are negative; windows then lie on what there is.
    Margins {
        /// Before the first element.
        left: i32,
        /// Behind the last one.
        right: i32,
        /// How windows fill that.
        fill: Fill,
    },
    /// The axis is padded so that there are as many places as without a window.
    Padded {
        /// Whether the stride need not divide the axis: then there is a place for what is begun of
        /// the last step.
        loose: bool,
    },
}

/// How windows fill an axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fill {
    /// Exactly.
    Exact,
    /// There are as many whole windows as fit; less than a step may be left over.
    Whole,
    /// The last window may lack less than a step, if it begins before the axis ends.
    Begun,
}

impl Border {
    /// Windows lie inside of the axis, and fill it.
    pub const VALID: Border = Border::Margins { left: 0, right: 0, fill: Fill::Exact };
    /// The axis is padded, and the stride divides it.
    pub const PADDED: Border = Border::Padded { loose: false };

    /// What the kernel of a window counts for at least, as `dilation·kernel`: a window that is
    /// begun begins before the axis ends, so where steps are longer than windows it does not matter
    /// how long those are.
    pub fn least_kernel(self, stride: i64, dilation: i64) -> Option<i64> {
        match self {
            Border::Margins { right, fill: Fill::Begun, .. } => {
                Some(dilation + i64::from(right) + stride - 1)
            }
            Border::Margins { .. } | Border::Padded { .. } => None,
        }
    }
}
