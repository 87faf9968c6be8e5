//! What windows do where their axis ends, with a meaning of its own: windows are laid on an axis
//! one after another, and counted.

use lozenge_calculus::constraint as core;
use serde::Serialize;

use crate::Generator;

/// What happens where an axis ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Border {
    pub ends: Ends,
    /// What is added before and behind, or left out.
    pub margins: [i32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// `<`
    Valid,
    /// `~`
    Whole,
    /// `>`
    Begun,
    /// `=`
    Padded,
    /// `=~`
    PaddedLoose,
}

/// A window that slides along an axis, but for the axis.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Slide {
    pub border: Border,
    pub stride: u64,
    pub dilation: u64,
    pub kernel: u64,
}

impl Border {
    pub const VALID: Border = Border { ends: Ends::Valid, margins: [0; 2] };

    /// Any, with margins of at most so much.
    pub fn draw(rng: &mut Generator, most: i32) -> Border {
        let ends = [Ends::Valid, Ends::Whole, Ends::Begun, Ends::Padded, Ends::PaddedLoose];
        let ends = ends[rng.usize(..ends.len())];
        let mut margin = || if rng.bool() { 0 } else { rng.i32(-most.min(2)..=most) };
        let margins = [margin(), margin()];
        let border = Border { ends, margins };
        if border.is_padded() { Border { margins: [0; 2], ..border } } else { border }
    }

    pub fn is_padded(self) -> bool {
        matches!(self.ends, Ends::Padded | Ends::PaddedLoose)
    }

    /// As it is written.
    pub fn text(self) -> String {
        let marker = match self.ends {
            Ends::Valid => "<",
            Ends::Whole => "~",
            Ends::Begun => ">",
            Ends::Padded => "=",
            Ends::PaddedLoose => "=~",
        };
        let [left, right] = self.margins;
        match self.margins {
            [0, 0] => marker.to_owned(),
            _ if left == right => format!("{marker}[{left}]"),
            _ => format!("{marker}[{left},{right}]"),
        }
    }

    /// As the calculus has it.
    pub fn constraint(self) -> core::Border {
        let [left, right] = self.margins;
        let fill = match self.ends {
            Ends::Padded => return core::Border::PADDED,
            Ends::PaddedLoose => return core::Border::Padded { loose: true },
            Ends::Valid => core::Fill::Exact,
            Ends::Whole => core::Fill::Whole,
            Ends::Begun => core::Fill::Begun,
        };
        core::Border::Margins { left, right, fill }
    }
}

impl Slide {
    pub fn span(&self) -> u64 {
        self.dilation * (self.kernel - 1) + 1
    }

    /// Where windows begin that lie on an axis of this size, by their first element; `None` where
    /// there is none, or they do not fill it.
    pub fn places(&self, size: u64) -> Option<Vec<i64>> {
        let [size, stride, span] =
            [size, self.stride, self.span()].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        let [left, right] = self.border.margins.map(i64::from);
        let end = size + right;
        let before = if self.border.is_padded() { (span - 1) / 2 } else { left };
        let lies = |at: &i64| match self.border.ends {
            Ends::Valid | Ends::Whole => at + span <= end,
            // Less than a step is missing, and it begins on the axis.
            Ends::Begun => at + span - end < stride && *at < size,
            Ends::Padded | Ends::PaddedLoose => at + before < size,
        };
        let places: Vec<i64> = (0..=size + right.max(0) + before.max(0))
            .map(|step| step * stride - before)
            .take_while(lies)
            .collect();
        let last = places.last()?;
        let fills = match self.border.ends {
            Ends::Valid => last + span == end,
            Ends::Padded => last + before + stride == size,
            Ends::Whole | Ends::Begun | Ends::PaddedLoose => true,
        };
        fills.then_some(places)
    }

    /// The size of an axis on which so many windows lie, where so much is left over or missing; 0
    /// is what closing takes. `None` where there is none.
    pub fn size(&self, places: u64, rest: u64) -> Option<u64> {
        let steps = self.stride * (places - 1);
        let base = if self.border.is_padded() { steps + 1 } else { steps + self.span() };
        let base = i64::try_from(base).ok()? - i64::from(self.border.margins.iter().sum::<i32>());
        let rest = i64::try_from(rest % self.stride).ok()?;
        let size = match self.border.ends {
            Ends::Valid => base,
            Ends::Whole | Ends::PaddedLoose => base + rest,
            Ends::Begun => base - rest,
            Ends::Padded => base - 1 + i64::try_from(self.stride).ok()?,
        };
        let size = u64::try_from(size).ok().filter(|size| *size > 0)?;
        let found = self.places(size)?;
        (u64::try_from(found.len()) == Ok(places)).then_some(size)
    }
}
