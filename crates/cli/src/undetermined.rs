//! What nothing determines: it is said, and gets a name where a loop needs one.

use std::collections::BTreeSet;

use lozenge::{
    Axis, Kind, Report, Site, Size, Tensor,
    diagnostic::{Code, Diagnostic, Help, Sources, Span},
};
use lozenge_lower::Nest;
use lozenge_notation::{Axis as Written, Form, Label, PartForm, Slot, Use};

use crate::einsum::Inferred;

impl Inferred {
    /// The names of axes and indices whose sizes and ranges nothing determines.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let sizes = self.sizes().into_iter().filter(|(_, size)| size.is_none());
        let named = sizes.filter(|(id, _)| self.spec.name_use(*id) != Use::Row);
        named.map(|(id, _)| self.spec.name(id).to_owned()).collect()
    }

    /// The axis of the specification that an axis of a tensor is; none where an ellipsis takes it.
    pub(crate) fn written<'a>(
        &'a self,
        tensor: Tensor,
        slot: &Slot,
        kind: Kind,
        axis: usize,
    ) -> Option<&'a Written> {
        let (before, after) = self.spec.axes(slot.row(kind));
        let rank = self.closed.shape(tensor).map_or(0, |shape| shape.row(kind).len());
        match before.get(axis) {
            Some(written) => Some(written),
            None => after.get((axis + after.len()).checked_sub(rank)?),
        }
    }

    /// Whether nothing determines the size of an axis.
    pub(crate) fn is_open(&self, tensor: Tensor, kind: Kind, axis: usize) -> bool {
        let (Ok(partial), Ok(closed)) = (self.session.shape(tensor), self.closed.shape(tensor))
        else {
            return false;
        };
        let known = partial.row(kind);
        // What comes after an ellipsis that is not known is counted from the back.
        let place = if known.is_open() && axis >= known.marker() {
            (axis + known.axes().len()).checked_sub(closed.row(kind).len())
        } else {
            Some(axis)
        };
        // Of what may be stretched, closing says that it is not.
        let is_chosen = self.spec.stretches()
            && closed.row(kind).get(axis).is_some_and(|axis| *axis != Axis::Unit);
        !is_chosen && matches!(place.and_then(|place| known.axes().get(place)), Some(None))
    }

    /// Where in a row an ellipsis stands of which nothing says what axes it takes; it takes none.
    pub(crate) fn taken_as_none(&self, tensor: Tensor, kind: Kind) -> Option<usize> {
        let (partial, closed) = (self.session.shape(tensor).ok()?, self.closed.shape(tensor).ok()?);
        let known = partial.row(kind);
        let is_none = known.is_open() && known.axes().len() == closed.row(kind).len();
        is_none.then(|| known.marker())
    }

    /// The ellipses of which nothing says what axes they take, as they are written.
    fn empty_rows(&self) -> Vec<String> {
        let mut rows: Vec<String> = vec![];
        for (tensor, slot, _) in self.tensors() {
            for kind in Kind::ALL {
                let taken = self.taken_as_none(tensor, kind);
                let Some(ellipsis) = taken.and(slot.row(kind).ellipsis) else { continue };
                let text = ellipsis.span.of(self.spec.text());
                let row = match (ellipsis.name, kind) {
                    (None, Kind::Batch | Kind::Input) => format!("`{text}` of the {kind}"),
                    (Some(_), _) | (None, Kind::Output) => format!("`{text}`"),
                };
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
        rows
    }

    /// The axes whose sizes nothing determines, and what they are in the specification.
    fn open_axes(&self) -> impl Iterator<Item = Option<&Written>> {
        self.tensors().flat_map(move |(tensor, slot, _)| {
            let axes = Kind::ALL.into_iter().flat_map(move |kind| {
                let rank = self.closed.shape(tensor).map_or(0, |shape| shape.row(kind).len());
                (0..rank).map(move |axis| (kind, axis))
            });
            axes.filter(move |(kind, axis)| self.is_open(tensor, *kind, *axis))
                .map(move |(kind, axis)| self.written(tensor, slot, kind, axis))
        })
    }

    /// Whether there is nothing that nothing determines.
    pub(crate) fn is_determined(&self) -> bool {
        self.unknown().is_empty()
            && self.open_axes().next().is_none()
            && self.empty_rows().is_empty()
            && self.computed().is_empty()
    }

    /// Axes that are computed from a `_` that nothing determines, as they are written.
    pub(crate) fn computed(&self) -> Vec<Span> {
        let is_padded =
            |axis: &Written| match axis.form {
                // Any window fits into a padded axis, so only its name says how large it is.
                Form::Affine(id) => self.spec.affine(id).window.is_some_and(|window| {
                    window.border.is_padded() && window.kernel == Label::Fresh
                }),
                _ => false,
            };
        let slots = self.spec.operands().iter().chain([self.spec.result()]);
        let rows = slots.flat_map(|slot| Kind::ALL.map(|kind| self.spec.axes(slot.row(kind))));
        let axes = rows.flat_map(|(before, after)| before.iter().chain(after));
        let padded = axes.filter(|axis| is_padded(axis));
        let is_fresh = |axis: &&Written| match axis.form {
            Form::Affine(id) => {
                let affine = self.spec.affine(id);
                let kernel = affine.window.map(|window| window.kernel);
                affine.over == Label::Fresh || kernel == Some(Label::Fresh)
            }
            Form::Merged(parts) => {
                let fresh = PartForm::Axis(Label::Fresh);
                self.spec.parts(parts).iter().any(|part| part.form == fresh)
            }
            Form::Axis(_) | Form::Fixed(_) | Form::Runtime(_) | Form::Concat(_) => false,
        };
        let open = self.open_axes().flatten().filter(is_fresh);
        let mut spans: Vec<Span> = padded.chain(open).map(|axis| axis.span).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    fn is_index(&self, name: &str) -> bool {
        self.spec.find(name).is_some_and(|id| self.spec.name_use(id) == Use::Index)
    }

    /// That nothing determines these names, and what to type.
    fn nothing_determines(&self, names: &[String]) -> Option<String> {
        let word = |name: &String| match &name[..] {
            name if self.is_index(name) => format!("the range of {name}"),
            name => name.to_owned(),
        };
        let all: Vec<String> = names.iter().map(word).collect();
        let said =
            || format!("nothing determines {}; say it with `{}`", all.join(", "), sets(names));
        (!names.is_empty()).then(said)
    }

    /// What is to be said about what nothing determines.
    pub(crate) fn undetermined(&self) -> Vec<String> {
        let rows = self.empty_rows();
        let rows = (!rows.is_empty())
            .then(|| format!("nothing determines the axes of {}", rows.join(" and ")));
        self.nothing_determines(&self.unknown()).into_iter().chain(rows).collect()
    }

    /// The loop nest with symbolic sizes for what nothing determines, and what is to be said about it.
    pub(crate) fn named_loops(&mut self, names: &[String]) -> Result<(Nest, Vec<String>), Unnamed> {
        let remarks = self.with_names(names)?;
        let loops = self.loops()?;
        if self.computed().is_empty() { Ok((loops, remarks)) } else { Err(Unnamed::Computed) }
    }

    /// Makes what nothing determines symbolic sizes, each equal only to itself. An axis is as long as its
    /// name says; gives what is to be said about the rest.
    fn with_names(&mut self, names: &[String]) -> Result<Vec<String>, Report> {
        let mut taken = self.symbols();
        for name in names {
            let size = self.session.capture(self.result, name)?;
            // One that follows from others by now is known.
            if self.session.known(size).is_none() {
                let symbol = self.symbol(name, &mut taken);
                self.session.at(Site::whole(&self.source)).set_named(size, &symbol)?;
            }
        }
        let indices: Vec<String> =
            names.iter().filter(|name| self.is_index(name)).cloned().collect();
        let mut remarks: Vec<String> = self.nothing_determines(&indices).into_iter().collect();
        for place in 0..=self.operands.len() {
            remarks.extend(self.name_axes(place, &mut taken)?);
        }
        self.closed = self.session.close()?;
        let rows = self.empty_rows();
        if !rows.is_empty() {
            let rows = rows.join(" and ");
            remarks.push(format!("nothing determines the axes of {rows}; taken as none"));
        }
        Ok(remarks)
    }

    /// Names the sizes of axes that have no name, of an operand or, with the number after the last, of the
    /// result. Those that are computed from others are not theirs to name.
    fn name_axes(
        &mut self,
        place: usize,
        taken: &mut BTreeSet<String>,
    ) -> Result<Vec<String>, Report> {
        let mut remarks = vec![];
        let Some((tensor, slot, called)) = self.tensors().nth(place) else { return Ok(remarks) };
        let known = self.session.shape(tensor)?;
        let rows = Kind::ALL.map(|kind| {
            let rank = known.row(kind).axes().len();
            let mut entry = |axis: usize| {
                let written = self.written(tensor, slot, kind, axis);
                let is_named = match written.map(|written| written.form) {
                    None | Some(Form::Axis(Label::Fresh) | Form::Fixed(_)) => true,
                    Some(_) => false,
                };
                if !is_named || !self.is_open(tensor, kind, axis) {
                    return "_".to_owned();
                }
                let ellipsis = slot.row(kind).ellipsis.map(|ellipsis| ellipsis.span);
                let text = written.map(|written| written.span).or(ellipsis);
                let text = text.map_or("", |span| span.of(self.spec.text()));
                let what = match written.map(|written| written.form) {
                    None => format!("an axis of `{text}`"),
                    Some(Form::Fixed(_)) => format!("the axis at `{text}`"),
                    Some(_) => format!("`{text}`"),
                };
                let size = self.letter(taken);
                remarks.push(format!(
                    "nothing determines the size of {what} in {called}; it is called {size}"
                ));
                size
            };
            let mut row: Vec<String> = (0..rank).map(&mut entry).collect();
            if known.row(kind).is_open() {
                row.insert(known.row(kind).marker(), "...".to_owned());
            }
            row.join(",")
        });
        if !remarks.is_empty() {
            let [batch, input, output] = rows;
            let batch = if batch.is_empty() { batch } else { batch + "|" };
            let input = if input.is_empty() { input } else { input + "->" };
            let sizes = self.session.data("sizes", &(batch + &input + &output))?;
            self.session.same_shape(tensor, sizes)?;
        }
        Ok(remarks)
    }

    /// A name for the size of an axis that has none, in capitals as those of sizes that nothing determines.
    fn letter(&self, taken: &mut BTreeSet<String>) -> String {
        let letters = ('I'..='N').chain('P'..='Z').chain('A'..='H').map(String::from);
        let mut names = letters.chain((1..).map(|number: u32| format!("I{number}")));
        // `I` would be read as the size of `i`.
        let is_found = |name: &str| taken.contains(name) || self.spec.find(name).is_some();
        let is_free = |name: &String| !is_found(name) && !is_found(&name.to_lowercase());
        let name = names.find(is_free).unwrap_or_default();
        taken.insert(name.clone());
        name
    }

    /// The names of sizes that the shapes have.
    fn symbols(&self) -> BTreeSet<String> {
        let shapes = self.tensors().filter_map(|(tensor, ..)| self.closed.shape(tensor).ok());
        let axes = shapes.flat_map(|shape| Kind::ALL.map(|kind| shape.row(kind)));
        let name = |axis: &Axis| match axis {
            Axis::Sized { size: Size::Named(name), .. } => Some(name.to_string()),
            Axis::Sized { size: Size::Number(_) | Size::Computed(_), .. } | Axis::Unit => None,
        };
        axes.flatten().filter_map(name).collect()
    }

    /// A name for the size of an axis: its own in capitals, unless something is called so.
    fn symbol(&self, name: &str, taken: &mut BTreeSet<String>) -> String {
        let capitals = name.to_uppercase();
        let numbered = (2..).map(|number: u32| format!("{capitals}{number}"));
        let mut names = [capitals.clone()].into_iter().chain(numbered);
        let mut is_free =
            |other: &String| self.spec.find(other).is_none() && taken.insert(other.clone());
        names.find(|other| is_free(other)).unwrap_or_default()
    }
}

/// Why there is no loop nest with symbolic sizes.
pub(crate) enum Unnamed {
    Refused(Report),
    /// An axis is computed from a `_`.
    Computed,
}

impl From<Report> for Unnamed {
    fn from(rejection: Report) -> Unnamed {
        Unnamed::Refused(rejection)
    }
}

/// Says that there is no loop nest without numbers for what nothing determines.
pub(crate) fn no_loops(
    inferred: &Inferred,
    names: &[String],
    infer: impl Fn(&[(String, u64)]) -> Result<Inferred, Report>,
) -> Report {
    let spec = &inferred.spec;
    let sources = Sources::new().with("spec", spec.text());
    let computed = inferred.computed();
    let texts = computed.iter().map(|span| span.of(spec.text()));
    let all: Vec<String> =
        names.iter().map(|name| &name[..]).chain(texts).map(|text| format!("`{text}`")).collect();
    let headline = format!("`result` has no loop nest: nothing determines {}", all.join(", "));
    let spans = names.iter().filter_map(|name| Some(spec.name_span(spec.find(name)?)));
    let spans: Vec<Span> = spans.chain(computed.iter().copied()).collect();
    let mut said = Diagnostic::new(Code::NoLoops, headline);
    for span in spans {
        said = said.label(span, "of no known size");
    }
    if !computed.is_empty() {
        said = said.help(Help::advice("a name in place of `_`, which then can be set"));
    }
    match enough(names, infer) {
        Ok(names) if names.is_empty() => {}
        Ok(names) => {
            said = said.help(Help::advice(format!("give shapes, or `{}`", sets(&names))));
        }
        Err(Some(other)) => return other,
        Err(None) => said = said.help(Help::advice("give shapes")),
    }
    Report { sources, diagnostics: vec![said] }
}

/// So many names are tried.
const MOST_NAMES: usize = 12;

/// Names with whose sizes there is a loop nest, none of them without need: found by trying. An error where
/// there is none either, or where nothing that was tried fits.
fn enough(
    names: &[String],
    infer: impl Fn(&[(String, u64)]) -> Result<Inferred, Report>,
) -> Result<Vec<String>, Option<Report>> {
    let loops = |sets: &[(String, u64)]| -> Result<(), Unnamed> {
        let mut inferred = infer(sets)?;
        let unknown = inferred.unknown();
        inferred.named_loops(&unknown).map(|_| ())
    };
    let mut sets: Vec<(String, u64)> = vec![];
    let mut reason = loops(&sets);
    for name in names.iter().take(MOST_NAMES) {
        if reason.is_ok() {
            break;
        }
        let is_known = infer(&sets).is_ok_and(|inferred| !inferred.unknown().contains(name));
        // Small ones; the last is 1, with which much fits that otherwise does not.
        let fitting =
            [2, 3, 4, 1].into_iter().map(|size| [&sets[..], &[(name.clone(), size)]].concat());
        if let Some(more) = fitting.filter(|_| !is_known).find(|sets| infer(sets).is_ok()) {
            sets = more;
            reason = loops(&sets);
        }
    }
    match reason {
        Ok(()) => {}
        Err(Unnamed::Computed) => return Ok(vec![]),
        Err(Unnamed::Refused(other)) => {
            let is_other = infer(&sets).is_ok_and(|inferred| inferred.unknown().is_empty());
            return Err(is_other.then_some(other));
        }
    }
    for name in names {
        let rest: Vec<(String, u64)> =
            sets.iter().filter(|(set, _)| set != name).cloned().collect();
        if loops(&rest).is_ok() {
            sets = rest;
        }
    }
    Ok(sets.into_iter().map(|(name, _)| name).collect())
}

/// What to type so that names have sizes.
fn sets(names: &[String]) -> String {
    let each: Vec<String> = names.iter().map(|name| format!("--set {name}=…")).collect();
    each.join(" ")
}
