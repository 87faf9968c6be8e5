//! A specification against operands whose shapes are known: what contradicts it, without inference.
//!
//! Sizes are read off the operands, axis by axis, and each name, row variable and relation between
//! sizes is held against what was read before. Only what is certainly wrong is reported; what is
//! not known, rows with an ellipsis or axes `_`, is left to inference, which has no say in this
//! crate.

mod relation;

use std::collections::BTreeMap;

use crate::{
    mend::keep_mending,
    mistake::{self, Seen},
    parse::{Dialect, MAX_DIAGNOSTICS, Parsed, attempt, is_read},
    shape::{Dim, DimForm, Shape, Size},
    token::place,
    tree::{Affine, Axis, Coefficient, Ellipsis, Form, Kind, Label, NameId, Row, Spec, Use},
};
use lozenge_diagnostic::{Diagnostic, Help, Place, Report, SourceId, Span};

impl Spec {
    /// Whether operands of these shapes can be what it reads.
    ///
    /// ```
    /// use lozenge_notation::Spec;
    /// let spec: Spec = "ij; jk => ik".parse()?;
    /// assert!(spec.fit(&["2,3".parse()?, "3,4".parse()?]).is_ok());
    /// let rejection = spec.fit(&["2,3".parse()?, "5,4".parse()?]).unwrap_err();
    /// assert_eq!(rejection.diagnostics[0].headline, "axis `j` is 3 in operand 1 and 5 in operand 2");
    /// # Ok::<(), lozenge_diagnostic::Report>(())
    /// ```
    ///
    /// # Errors
    /// When they cannot: the first contradiction of each axis. The sources are the specification,
    /// then the operands in order.
    pub fn fit(&self, operands: &[Shape]) -> Result<(), Report> {
        self.hold(&Known { operands, sizes: &[], display_name: &|_| None })
    }

    /// Whether everything that is known can be.
    ///
    /// # Errors
    /// When it cannot: the first contradiction of each axis. The sources are the specification, the
    /// operands in order, and the sizes in order.
    pub fn hold(&self, known: &Known<'_>) -> Result<(), Report> {
        self.expect_operands(known.operands.len())?;
        let named = |affine: &Affine| {
            let dilation = affine.window.map(|window| window.dilation);
            let mut coefficients = [affine.stride].into_iter().chain(dilation);
            coefficients.any(|coefficient| matches!(coefficient, Coefficient::Named(_)))
        };
        if self.affines.iter().any(named) {
            self.bind(|_| None)?;
        }
        let mut diagnostics = misfits(self, known);
        if diagnostics.is_empty() {
            return Ok(());
        }
        // What an edit does is said of it; one that does nothing of this kind is no help.
        for said in &mut diagnostics {
            let helps = std::mem::take(&mut said.helps);
            said.helps = helps.into_iter().filter_map(|help| self.said(help, known)).collect();
        }
        // Where coefficients were names, the text does not say what they are now.
        if !self.names().any(|id| self.name_use(id) == Use::Coefficient) {
            keep_mending(&mut diagnostics, &self.text, |text| {
                match attempt(text, Dialect::Lozenge) {
                    Parsed { spec, diagnostics } if is_read(&diagnostics) => misfits(&spec, known),
                    Parsed { diagnostics, .. } => diagnostics,
                }
            });
        }
        let mut sources = self.sources();
        for (i, shape) in known.operands.iter().enumerate() {
            sources = sources.with(format!("operand {}", i + 1), shape.text());
        }
        for (name, size) in known.sizes {
            sources = sources.with(*name, size.to_string());
        }
        Err(Report { sources, diagnostics })
    }
}

impl Spec {
    /// A help with what its edits do.
    fn said(&self, help: Help, known: &Known<'_>) -> Option<Help> {
        if help.edits.is_empty() {
            return Some(help);
        }
        self.claimed(help.applicability, help.edits, |operand| known.display_name(operand))
    }
}

/// The shapes and sizes that a specification is held against.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The shapes of its operands.
    pub operands: &'a [Shape],
    /// Sizes that were set, by the names of the specification.
    pub sizes: &'a [(&'a str, u64)],
    /// The name of an operand in messages, by its number from 0; where it gives none, the number.
    pub display_name: &'a dyn Fn(usize) -> Option<String>,
}

impl Known<'_> {
    /// What an operand is called or, with a number after the last, a size that was set.
    pub fn display_name(&self, operand: usize) -> String {
        if operand >= self.operands.len() {
            return "what was set".to_owned();
        }
        (self.display_name)(operand).unwrap_or_else(|| format!("operand {}", operand + 1))
    }
}

/// All contradictions, with helps that have not been tried.
fn misfits(spec: &Spec, known: &Known<'_>) -> Vec<Diagnostic> {
    let axes = vec![None; spec.name_count()];
    let read = read(spec, known);
    let mut fit = Fit { spec, known, axes, read, rows: BTreeMap::new(), said: vec![] };
    let mut relations = vec![];
    for (operand, shape) in known.operands.iter().enumerate().take(spec.operands().len()) {
        if fit.other_kinds(operand) {
            continue;
        }
        for kind in Kind::ALL {
            for (axis, dim) in fit.align(operand, kind).unwrap_or_default() {
                fit.pair(Pair { axis, dim, shape, operand }, &mut relations);
            }
        }
    }
    for (place, (name, size)) in known.sizes.iter().enumerate() {
        let id = spec.find(name);
        let Some(id) = id.filter(|id| spec.name_use(*id) != Use::Row) else { continue };
        let end = crate::token::place(size.to_string().len());
        let found = Found {
            value: Value::Number(*size),
            basis: None,
            axis: None,
            dim: Span::new(0, end),
            operand: known.operands.len() + place,
            computed: false,
            contradicted: false,
        };
        fit.unify(id, found);
    }
    fit.relations(relations);
    fit.said
}

/// The sizes of axes that are read by a name alone.
fn read<'a>(spec: &'a Spec, known: &Known<'a>) -> Vec<(NameId, Found<'a>)> {
    let mut read = vec![];
    for (operand, (slot, shape)) in spec.operands().iter().zip(known.operands).enumerate() {
        for kind in Kind::ALL {
            let (row, given) = (slot.row(kind), shape.row(kind));
            let Some(surplus) = surplus(row, given).filter(|_| given.ellipsis.is_none()) else {
                continue;
            };
            let (before, after) = spec.axes(row);
            let (_, dims) = shape.dims(given);
            let trailing = &dims[before.len() + surplus..];
            for (axis, dim) in before.iter().zip(dims).chain(after.iter().zip(trailing)) {
                let found = Pair { axis, dim, shape, operand }.found();
                if let (Form::Axis(Label::Named(id)), Some(found)) = (axis.form, found) {
                    read.push((id, found));
                }
            }
        }
    }
    read
}

/// A size as it is compared: a number, a name, or what is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value<'a> {
    Number(u64),
    Named(&'a str),
    Unit,
}

/// A size of an axis, and where it is read.
#[derive(Clone, Copy)]
struct Found<'a> {
    value: Value<'a>,
    basis: Option<&'a str>,
    /// Where in the specification; a size that was set is nowhere there.
    axis: Option<Span>,
    /// The place in the shape of an operand, or in a size that was set.
    dim: Span,
    operand: usize,
    /// Whether it was computed from that size, not read off it.
    computed: bool,
    /// Whether a contradiction of it has been reported.
    contradicted: bool,
}

/// An axis of the specification, and that of the operand it reads.
#[derive(Clone, Copy)]
struct Pair<'a> {
    axis: &'a Axis,
    dim: &'a Dim,
    shape: &'a Shape,
    operand: usize,
}

impl<'a> Pair<'a> {
    /// The size that the operand has there; `None` where it says nothing.
    fn found(&self) -> Option<Found<'a>> {
        let (value, basis) = match self.dim.form {
            DimForm::Known(Size::Number(number), basis) => (Value::Number(number), basis),
            DimForm::Known(Size::Named(name), basis) => {
                (Value::Named(self.shape.name(name)), basis)
            }
            DimForm::Unit => (Value::Unit, None),
            // What is computed is the solver's to compare.
            DimForm::Computed(_) | DimForm::Unknown | DimForm::AtRunTime | DimForm::Met => {
                return None;
            }
        };
        Some(Found {
            value,
            basis: basis.map(|basis| basis.of(self.shape.text())),
            axis: Some(self.axis.span),
            dim: self.dim.span,
            operand: self.operand,
            computed: false,
            contradicted: false,
        })
    }

    /// The size of an axis, where it is a number.
    fn number(&self) -> Option<u64> {
        match self.dim.form {
            // What an empty axis is computed from is left to inference.
            DimForm::Known(Size::Number(number @ 1..), _) => Some(number),
            DimForm::Unit => Some(1),
            DimForm::Known(..)
            | DimForm::Computed(_)
            | DimForm::Unknown
            | DimForm::AtRunTime
            | DimForm::Met => None,
        }
    }
}

/// The row variable that an ellipsis stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RowKey {
    Kind(Kind),
    Named(NameId),
}

/// The axes that a row variable takes.
#[derive(Clone, Copy)]
struct Taken<'a> {
    ellipsis: Span,
    dims: &'a [Dim],
    operand: usize,
}

struct Fit<'a> {
    spec: &'a Spec,
    known: &'a Known<'a>,
    axes: Vec<Option<Found<'a>>>,
    /// What is read by names alone, wherever.
    read: Vec<(NameId, Found<'a>)>,
    rows: BTreeMap<RowKey, Taken<'a>>,
    said: Vec<Diagnostic>,
}

/// A place in an operand's shape.
fn in_operand(operand: usize, span: Span) -> Place {
    Place { source: SourceId(place(operand + 1)), span }
}

/// How many axes of an operand's row an ellipsis takes; `None` when there are too few, or too many
/// and none.
fn surplus(row: &Row, given: &Row) -> Option<usize> {
    let surplus = given.rank().checked_sub(row.rank())?;
    (surplus == 0 || row.ellipsis.is_some()).then_some(surplus)
}

impl<'a> Fit<'a> {
    /// Adds a contradiction, unless there are enough.
    fn say(&mut self, contradiction: impl FnOnce() -> Diagnostic) {
        if self.said.len() < MAX_DIAGNOSTICS {
            self.said.push(contradiction());
        }
    }

    /// Whether the axes of an operand are of other kinds than the specification reads, in two rows
    /// or more; then that is reported, once.
    fn other_kinds(&mut self, operand: usize) -> bool {
        let (spec, shape) = (self.spec, &self.known.operands[operand]);
        let slot = &spec.operands()[operand];
        let differs = |kind: &Kind| {
            let (row, given) = (slot.row(*kind), shape.row(*kind));
            given.ellipsis.is_none() && surplus(row, given).is_none()
        };
        let other = Kind::ALL.iter().filter(|kind| differs(kind)).count() > 1;
        if other {
            let place = in_operand(operand, shape.span());
            let called = self.known.display_name(operand);
            self.say(|| mistake::other_kinds(spec, (operand, &called), shape, place));
        }
        other
    }

    /// Pairs the axes of a row with those of the operand, from the outer edges. `None` when the
    /// operand's row is not known entirely, or has too few axes or too many.
    fn align(&mut self, operand: usize, kind: Kind) -> Option<Vec<(&'a Axis, &'a Dim)>> {
        let (spec, shape) = (self.spec, &self.known.operands[operand]);
        let slot = &spec.operands()[operand];
        let (row, given) = (slot.row(kind), shape.row(kind));
        if given.ellipsis.is_some() {
            return None;
        }
        let (_, dims) = shape.dims(given);
        let (before, after) = spec.axes(row);
        let Some(surplus) = surplus(row, given) else {
            let place = in_operand(operand, given.span);
            let called = self.known.display_name(operand);
            let count = dims.len();
            self.say(|| mistake::rank_mismatch(spec, (operand, &called), kind, count, place));
            return None;
        };
        let (leading, rest) = dims.split_at(before.len());
        let (middle, trailing) = rest.split_at(surplus);
        if let Some(ellipsis) = row.ellipsis {
            self.take(ellipsis, kind, Taken { ellipsis: ellipsis.span, dims: middle, operand });
        }
        let pairs = before.iter().zip(leading).chain(after.iter().zip(trailing));
        Some(pairs.collect())
    }

    /// Holds the axes that an ellipsis takes against what its row variable took before.
    fn take(&mut self, ellipsis: Ellipsis, kind: Kind, taken: Taken<'a>) {
        let spec = self.spec;
        let is_kept = spec.may_sum_ellipsis() || spec.result().row(kind).ellipsis.is_some();
        if let (false, [first, ..]) = (is_kept, taken.dims) {
            let place = in_operand(taken.operand, first.span);
            return self.say(|| mistake::unkept_ellipsis(taken.ellipsis, place));
        }
        let key = ellipsis.name.map_or(RowKey::Kind(kind), RowKey::Named);
        let first = *self.rows.entry(key).or_insert(taken);
        let print = |taken: &Taken<'_>| self.print(taken.dims, taken.operand);
        let differ = |(a, b): (&Dim, &Dim)| {
            let [a, b] = [(a, first.operand), (b, taken.operand)].map(|(dim, operand)| {
                let known = matches!(dim.form, DimForm::Known(..) | DimForm::Unit);
                known.then(|| self.print(std::slice::from_ref(dim), operand))
            });
            a.is_some() && b.is_some() && a != b
        };
        let disagree = if spec.stretches() {
            let is_one =
                |dim: &Dim| matches!(dim.form, DimForm::Unit | DimForm::Known(Size::Number(1), _));
            let mut facing = first.dims.iter().rev().zip(taken.dims.iter().rev());
            facing.any(|(a, b)| !is_one(a) && !is_one(b) && differ((a, b)))
        } else {
            first.dims.len() != taken.dims.len() || first.dims.iter().zip(taken.dims).any(differ)
        };
        if disagree {
            let (was, is) = (print(&first), print(&taken));
            let places = [first, taken].map(|taken| {
                let whole = taken.dims.first().zip(taken.dims.last());
                let whole = whole.map(|(first, last)| first.span.to(last.span));
                let whole = whole.map(|span| in_operand(taken.operand, span));
                (taken.ellipsis, whole, self.known.display_name(taken.operand))
            });
            self.say(|| mistake::row_mismatch(spec, places, [&was, &is]));
        }
    }

    fn print(&self, dims: &[Dim], operand: usize) -> String {
        let mut text = String::new();
        for (i, dim) in dims.iter().enumerate() {
            text.push_str(if i > 0 { "," } else { "" });
            // Writing to a string does not fail.
            let _ = self.known.operands[operand].write_dim(dim, &mut text);
        }
        text
    }

    fn pair(&mut self, pair: Pair<'a>, relations: &mut Vec<Pair<'a>>) {
        match pair.axis.form {
            // An index ranges over its axis: one name, one size.
            Form::Axis(Label::Named(id)) | Form::Runtime(id) => {
                if let Some(found) = pair.found() {
                    self.unify(id, found);
                }
            }
            Form::Axis(Label::Fresh) => {}
            Form::Fixed(index) => {
                let size = pair.number().filter(|size| index >= *size);
                if let Some(size) = size {
                    let place = in_operand(pair.operand, pair.dim.span);
                    let (axis, called) = (pair.axis.span, self.known.display_name(pair.operand));
                    self.say(|| mistake::index_past_end(axis, index, size, &called, place));
                }
            }
            Form::Affine(_) | Form::Concat(_) | Form::Merged(_) => relations.push(pair),
        }
    }

    /// Holds a size of an axis against what was found before.
    fn unify(&mut self, id: NameId, found: Found<'a>) {
        let Some(first) = self.axes[id.index()] else {
            self.axes[id.index()] = Some(found);
            return;
        };
        let seen = |found: &Found<'_>| Seen {
            size: match found.value {
                Value::Number(number) => number.to_string(),
                Value::Named(name) => name.to_owned(),
                Value::Unit => "1_".to_owned(),
            },
            basis: found.basis.map(str::to_owned),
            axis: found.axis,
            dim: in_operand(found.operand, found.dim),
            operand: found.operand,
            called: self.known.display_name(found.operand),
            computed: found.computed,
        };
        // Once is enough for an axis.
        if first.contradicted {
            return;
        }
        let has_one = |found: &Found<'_>| matches!(found.value, Value::Number(1) | Value::Unit);
        if self.spec.stretches()
            && first.operand != found.operand
            && (has_one(&first) || has_one(&found))
        {
            let stretched = if has_one(&first) { found } else { first };
            self.axes[id.index()] = Some(stretched);
            return;
        }
        let is_one = |found: &Found<'_>| found.computed && found.value == Value::Number(1);
        let is_unit = |found: &Found<'_>| found.value == Value::Unit;
        if is_one(&first) && is_unit(&found) || is_unit(&first) && is_one(&found) {
            return; // whether a computed 1 is the unit is for inference to say
        }
        if first.value != found.value || first.basis != found.basis {
            self.axes[id.index()] = Some(Found { contradicted: true, ..first });
        }
        if first.value != found.value {
            let like = self.like(&found, id);
            let (spec, first, found) = (self.spec, seen(&first), seen(&found));
            self.say(|| mistake::size_mismatch(spec, id, &first, &found, &like));
        } else if first.basis != found.basis && !first.computed && !found.computed {
            let (spec, first, found) = (self.spec, seen(&first), seen(&found));
            self.say(|| mistake::basis_mismatch(spec, id, &first, &found));
        }
    }

    /// The other names of axes that have this size somewhere.
    fn like(&self, found: &Found<'a>, but: NameId) -> Vec<NameId> {
        let has = |id: &NameId| {
            let is_it =
                |other: &Found<'_>| other.value == found.value && other.basis == found.basis;
            *id != but && self.read.iter().any(|(name, other)| name == id && is_it(other))
        };
        self.spec.names().filter(has).collect()
    }

    /// The size of an axis, where it is known and a number.
    fn number(&self, label: Label) -> Option<u64> {
        match self.axes[label.name()?.index()]?.value {
            Value::Number(number @ 1..) => Some(number),
            Value::Unit => Some(1),
            Value::Number(0) | Value::Named(_) => None,
        }
    }
}
