//! The tree of a specification: operands and a result, each with three rows of axes, all with
//! spans.
//!
//! Everything is kept in a few flat tables, and a name is an index into the table of names: whoever
//! turns a specification into something else makes one thing a name and looks it up by index.
//!
//! **Invariants**, which parsing and binding keep:
//! - an [`Affine`] axis never stands for what a plain axis can say: it has a stride other than 1,
//!   an offset or a window;
//! - a [`Form::Merged`] axis of one factor has a size, not a name;
//! - a [`Form::Concat`] axis has two parts or more, one of them a name;
//! - sizes are not 0, and what is a number in an affine axis is within its limits.

use std::fmt;

use crate::token::{place, span};
use lozenge_diagnostic::{Diagnostic, Span};

/// The three rows of a shape, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Before `|`.
    Batch,
    /// Before `->`.
    Input,
    /// The rest.
    Output,
}

impl Kind {
    /// All three, in order.
    pub const ALL: [Kind; 3] = [Kind::Batch, Kind::Input, Kind::Output];

    /// Its name, which no row variable may have.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Batch => "batch",
            Kind::Input => "input",
            Kind::Output => "output",
        }
    }

    /// The sign that follows a row of this kind: the output has none.
    pub(crate) const fn sign(self) -> &'static str {
        match self {
            Kind::Batch => "|",
            Kind::Input => "->",
            Kind::Output => "",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name of a specification or a shape: an index into its table of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub(crate) u32);

impl NameId {
    /// Its place in the table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The use of a name. No name has two uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    /// An axis; in a shape, a size that stays symbolic.
    Axis,
    /// A row variable, `..name..`.
    Row,
    /// An index that the caller supplies at run time, `@name`.
    Index,
    /// A coefficient of a stride or window, which the caller binds to a number.
    Coefficient,
}

impl Use {
    /// All of them.
    pub const ALL: [Use; 4] = [Use::Axis, Use::Row, Use::Index, Use::Coefficient];

    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A name, where it is written first, and how often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    pub(crate) span: Span,
    pub(crate) count: u32,
    /// The bits of its uses; one bit, unless names clash.
    pub(crate) uses: u8,
}

/// How the author separates axes, which the printer keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Every letter is an axis: `bchw`.
    Letters,
    /// Words with blanks between them: `b c h w`.
    Blanks,
    /// Words with commas between them: `b, c, h, w`.
    Commas,
}

/// A specification: what an operation reads from each operand and where it writes the result.
///
/// It owns its text, and its nodes have spans in it. Two specifications that read alike but are
/// written differently are [`same`](Spec::same); there is no `==`, which would have to choose.
#[derive(Clone, Debug)]
pub struct Spec {
    pub(crate) text: Box<str>,
    pub(crate) style: Style,
    /// Whether it was read as NumPy's.
    pub(crate) is_numpy: bool,
    /// The operands, then the result.
    pub(crate) slots: Vec<Slot>,
    pub(crate) axes: Vec<Axis>,
    pub(crate) parts: Vec<Part>,
    pub(crate) affines: Vec<Affine>,
    pub(crate) names: Vec<Name>,
    /// The warnings of parsing it.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// An operand or the result: where it is written, and its three rows.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Where it is written.
    pub span: Span,
    pub(crate) rows: [Row; 3],
}

impl Spec {
    /// Whether an axis of one element stretches to another of its name in another operand, and so
    /// do the axes of `...`: in NumPy's notation.
    pub const fn stretches(&self) -> bool {
        self.is_numpy
    }

    /// Whether a `...` that the result does not have may have axes, which are summed. Not in
    /// NumPy's `einsum`; in einops.
    pub fn may_sum_ellipsis(&self) -> bool {
        !self.is_numpy || self.style != Style::Letters
    }
}

impl Slot {
    /// The row of this kind. A kind that is not written is closed and empty.
    pub const fn row(&self, kind: Kind) -> &Row {
        &self.rows[kind as usize]
    }
}

/// A row: axes, with or without an ellipsis among them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Where it is written.
    pub span: Span,
    /// The ellipsis; a row without one is closed.
    pub ellipsis: Option<Ellipsis>,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Row {
    /// Whether it has neither axes nor an ellipsis.
    pub const fn is_empty(&self) -> bool {
        self.rank() == 0 && self.ellipsis.is_none()
    }

    /// How many axes are written; the ellipsis may stand for more.
    pub const fn rank(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// The part of a table of entries that is this row's: before and after the ellipsis. Without an
    /// ellipsis all of them are after it, where broadcasting has them.
    pub(crate) fn split<'a, T>(&self, entries: &'a [T]) -> (&'a [T], &'a [T]) {
        let entries = &entries[self.start as usize..self.end as usize];
        entries.split_at(self.ellipsis.map_or(0, |ellipsis| ellipsis.before as usize))
    }
}

/// An ellipsis: the row variable that takes the axes nobody names.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis {
    /// Where it is written.
    pub span: Span,
    /// The name of `..name..`; `...` is the variable of its kind.
    pub name: Option<NameId>,
    /// How many axes of the row stand before it.
    pub(crate) before: u32,
}

/// An axis of a row.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Where it is written.
    pub span: Span,
    /// The form.
    pub form: Form,
}

/// The form of an axis.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// One axis, `a` or `_`.
    Axis(Label),
    /// A fixed index: the axis at this position only.
    Fixed(u64),
    /// `@name`: the axis at an index that is supplied at run time.
    Runtime(NameId),
    /// A strided axis or a window; see [`Spec::affine`].
    Affine(AffineId),
    /// `a^b`: its parts one after another; see [`Spec::parts`].
    Concat(Parts),
    /// `(h w)`: all its factors in one axis, row-major; see [`Spec::parts`].
    Merged(Parts),
}

/// How an axis is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// A name, which is one axis everywhere in the specification.
    Named(NameId),
    /// `_`: an axis of its own each time.
    Fresh,
}

impl Label {
    /// Its name, where it has one.
    pub const fn name(self) -> Option<NameId> {
        match self {
            Self::Named(id) => Some(id),
            Self::Fresh => None,
        }
    }
}

/// Which affine axis.
#[derive(Clone, Copy, Debug)]
pub struct AffineId(pub(crate) u32);

/// Which parts.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A part of a concatenation or a factor of a merged axis.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Where it is written.
    pub span: Span,
    /// The form.
    pub form: PartForm,
}

/// The form of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartForm {
    /// An axis.
    Axis(Label),
    /// A number of positions, without a name.
    Size(u64),
}

/// `stride*over+offset`, `stride*over~` or `stride*over<+offset+dilation*kernel`.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    /// How far a step of `over` goes.
    pub stride: Coefficient,
    /// Where the stride is written; empty where it is not.
    pub stride_span: Span,
    /// The axis that is stepped along.
    pub over: Label,
    /// Where `over` is written.
    pub over_span: Span,
    /// Where it begins. It changes no size.
    pub offset: u64,
    /// Where the offset is written; empty where it is not.
    pub offset_span: Span,
    /// Whether the stride need not divide the axis, where there is no window: `2*i~`.
    pub loose: bool,
    /// The window at each step.
    pub window: Option<Window>,
}

/// The window of an affine axis.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The border.
    pub border: Border,
    /// The numbers of elements that are added before the axis and after it, or left out where
    /// negative; 0 where nothing is written.
    pub margins: [i32; 2],
    /// How far a step inside of the window goes.
    pub dilation: Coefficient,
    /// Where the dilation is written; empty where it is not.
    pub dilation_span: Span,
    /// The axis inside of the window.
    pub kernel: Label,
    /// Where `kernel` is written.
    pub kernel_span: Span,
}

/// The rule for a window at the border of its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// `<`: the axis has as many elements as whole windows need.
    Valid,
    /// `~`: there are as many whole windows as fit, and less than a step may be left over.
    Whole,
    /// `>`: the last window may lack less than a step, if it begins before the axis ends.
    Begun,
    /// `=`: the axis is padded, so that there is a window at every step.
    Padded,
    /// `=~`: padded, also at a step that is only begun.
    PaddedLoose,
}

impl Border {
    /// Its marker.
    pub const fn marker(self) -> &'static str {
        match self {
            Border::Valid => "<",
            Border::Whole => "~",
            Border::Begun => ">",
            Border::Padded => "=",
            Border::PaddedLoose => "=~",
        }
    }

    /// Whether the axis is padded for its windows.
    pub const fn is_padded(self) -> bool {
        matches!(self, Border::Padded | Border::PaddedLoose)
    }
}

/// A stride or dilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coefficient {
    /// A number, at least 1.
    Number(u64),
    /// A name that the caller binds to a number.
    Named(NameId),
}

impl Coefficient {
    /// What is not written.
    pub const ONE: Self = Self::Number(1);
}

impl Spec {
    /// The text that it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The warnings of parsing it, for whoever puts it to use: places are those of [`Spec::text`].
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// How its author separates axes.
    pub const fn style(&self) -> Style {
        self.style
    }

    /// The operands, in order; at least one.
    pub fn operands(&self) -> &[Slot] {
        self.slots.split_last().map_or(&[], |(_, operands)| operands)
    }

    /// The result.
    pub fn result(&self) -> &Slot {
        &self.slots[self.slots.len() - 1]
    }

    /// The axes of a row: before its ellipsis, and after it. All axes of a closed row are after.
    pub fn axes(&self, row: &Row) -> (&[Axis], &[Axis]) {
        row.split(&self.axes)
    }

    /// The parts of a concatenation or the factors of a merged axis.
    pub fn parts(&self, parts: Parts) -> &[Part] {
        &self.parts[parts.start as usize..parts.end as usize]
    }

    /// Whether any axis is affine.
    pub fn has_affine(&self) -> bool {
        !self.affines.is_empty()
    }

    /// An affine axis.
    pub fn affine(&self, id: AffineId) -> &Affine {
        &self.affines[id.0 as usize]
    }

    /// How many names there are.
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// All names, in the order in which they are written first.
    pub fn names(&self) -> impl ExactSizeIterator<Item = NameId> + use<> {
        (0..place(self.names.len())).map(NameId)
    }

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        self.names[id.index()].span.of(&self.text)
    }

    /// Where a name is written first.
    pub fn name_span(&self, id: NameId) -> Span {
        self.names[id.index()].span
    }

    /// The use of a name.
    pub fn name_use(&self, id: NameId) -> Use {
        let uses = self.names[id.index()].uses;
        Use::ALL.into_iter().find(|u| uses & u.bit() != 0).unwrap_or(Use::Axis)
    }

    /// Every place of a name, in order, with what it is there.
    pub(crate) fn places(&self, id: NameId) -> Vec<(Use, Span)> {
        let is_it = |label: Label| label.name() == Some(id);
        let mut places = vec![];
        for axis in &self.axes {
            match axis.form {
                Form::Axis(label) if is_it(label) => {
                    // `(a)` and `1*a` are no more than `a`.
                    let Some(at) = axis.span.of(&self.text).rfind(self.name(id)) else { continue };
                    let start = axis.span.start as usize + at;
                    places.push((Use::Axis, span(start, start + self.name(id).len())));
                }
                Form::Runtime(index) if index == id => {
                    places.push((Use::Index, Span::new(axis.span.start + 1, axis.span.end)));
                }
                _ => {}
            }
        }
        for part in &self.parts {
            if matches!(part.form, PartForm::Axis(label) if is_it(label)) {
                places.push((Use::Axis, part.span));
            }
        }
        for affine in &self.affines {
            let window =
                affine.window.map(|w| (w.kernel, w.kernel_span, w.dilation, w.dilation_span));
            let over = (affine.over, affine.over_span, affine.stride, affine.stride_span);
            for (label, at, coefficient, coefficient_at) in [over].into_iter().chain(window) {
                if is_it(label) {
                    places.push((Use::Axis, at));
                }
                if coefficient == Coefficient::Named(id) {
                    places.push((Use::Coefficient, coefficient_at));
                }
            }
        }
        places.extend(row_places(&self.slots, id).map(|(_, span)| (Use::Row, span)));
        places.sort_unstable_by_key(|(_, span)| *span);
        places
    }

    /// Whether it has a name of several letters.
    pub(crate) fn has_words(&self) -> bool {
        self.names
            .iter()
            .any(|name| name.span.end - name.span.start > 1 && name.uses == Use::Axis.bit())
    }

    /// The name that is written so.
    pub fn find(&self, name: &str) -> Option<NameId> {
        self.names().find(|id| self.name(*id) == name)
    }
}

/// The places where a row variable is named, each with the kind of its row.
pub(crate) fn row_places(slots: &[Slot], id: NameId) -> impl Iterator<Item = (Kind, Span)> {
    let rows = slots.iter().flat_map(|slot| Kind::ALL.map(|kind| (kind, slot.row(kind).ellipsis)));
    rows.filter_map(move |(kind, ellipsis)| {
        let ellipsis = ellipsis.filter(|ellipsis| ellipsis.name == Some(id))?;
        Some((kind, Span::new(ellipsis.span.start + 2, ellipsis.span.end - 2)))
    })
}
