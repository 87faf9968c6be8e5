//! Rules of the user's: what operators outside of ONNX do, in Lozenge's notation.
//!
//! A rule is a line `domain::Name: specification`, and lines below it that are indented say where
//! its names get their numbers:
//!
//! ```text
//! com.acme::Fold: b, (c k) => b, c, k
//!     k = group               # an attribute
//! com.acme::Patches: n, c, s*y~+ky, s*x~+kx => n, c, ky, kx, y, x
//!     s = strides.0 or 1      # an element of one, or a number where it is not there
//!     ky = operand2.0         # an element of an operand
//!     kx = operand2.1
//! com.acme::Best[1]: n, c => n, k
//!     gives int64             # the type of the elements of this output
//! ```
//!
//! `[1]` is an output other than the first. What neither operands nor lines below determine is a
//! size that only a run tells.

use lozenge_calculus::number::index;
use std::collections::HashMap;

use lozenge_diagnostic::{
    Code, Diagnostic, Help, Place as Marked, Report, SourceId, Sources, Span,
};
use lozenge_notation::{
    Axis, Border, Coefficient, Form, Kind, Label as Name, NameId, PartForm, Row, Spec, Use, parse,
};

use super::{
    call::Call,
    num::Num,
    require::Stop,
    template::{Fit, LONGEST, Label, Template, Term, Window, Word},
};
use crate::{
    element::Element,
    graph::{AttributeValue, Node},
};

/// Rules for operators, as their user wrote them.
#[derive(Debug, Clone, Default)]
pub struct CustomRules {
    rules: HashMap<String, Vec<CustomRule>>,
}

/// What an output of an operator is.
#[derive(Debug, Clone)]
pub(crate) struct CustomRule {
    output: usize,
    spec: Spec,
    bindings: Vec<(String, Binding)>,
    element: Option<Element>,
}

/// Where a name gets its number.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Binding {
    Number(i64),
    Attribute { name: String, element: Option<usize>, otherwise: Option<i64> },
    Operand { input: usize, element: usize },
}

/// A line of a file with rules, without its comment.
struct Line<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Line<'t> {
    /// A part of it, without blanks around.
    fn part(&self, from: usize, to: usize) -> Line<'t> {
        let all = &self.text[from..to];
        let text = all.trim_start();
        let start = self.start + from + (all.len() - text.len());
        Line { text: text.trim_end(), start }
    }

    fn span(&self) -> Span {
        let end = self.start + self.text.len();
        Span::new(index(self.start), index(end))
    }
}

/// A number of a specification, which is below 2^63.
fn number(written: u64) -> i64 {
    i64::try_from(written).expect("a number of a specification is a size")
}

impl CustomRules {
    /// Reads rules; `name` is what messages call the text.
    ///
    /// # Errors
    ///
    /// All that cannot be read, with its places.
    pub fn parse(name: &str, text: &str) -> Result<CustomRules, Report> {
        let mut reader = Reader { all: CustomRules::default(), last: None, said: vec![] };
        let mut start = 0;
        for whole in text.split_inclusive('\n') {
            let line = whole.split(['#', '\n', '\r']).next().unwrap_or_default();
            reader.line(&Line { text: line, start });
            start += whole.len();
        }
        if reader.said.is_empty() {
            return Ok(reader.all);
        }
        let sources = Sources::new().with(name, text);
        Err(Report { sources, diagnostics: reader.said })
    }

    /// The operators that have rules, in order.
    pub fn operators(&self) -> impl Iterator<Item = &str> {
        let mut all: Vec<&str> = self.rules.keys().map(String::as_str).collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// How rules call the operator of a node: `domain::Name`, or `Name` for one of ONNX's own.
    pub fn operator(node: &Node<'_>) -> String {
        let (domain, op) = (node.domain.to_lossy(), node.op.to_lossy());
        if domain.is_empty() || domain == "ai.onnx" {
            op.into_owned()
        } else {
            format!("{domain}::{op}")
        }
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules of a node's operator, one for each output.
    pub(crate) fn of(&self, node: &Node<'_>) -> Option<&[CustomRule]> {
        if self.is_empty() {
            return None;
        }
        self.rules.get(&CustomRules::operator(node)).map(Vec::as_slice)
    }
}

/// Reads lines, and keeps which rule they belong to.
struct Reader {
    all: CustomRules,
    last: Option<(String, usize)>,
    said: Vec<Diagnostic>,
}

impl Reader {
    fn line(&mut self, line: &Line<'_>) {
        let own = line.part(0, line.text.len());
        if own.text.is_empty() {
            return;
        }
        let read = if line.text.starts_with([' ', '\t']) {
            self.setting(&own)
        } else {
            self.last = None;
            self.rule(&own)
        };
        match read {
            Ok(()) => {}
            // What follows a rule that cannot be read is not said to be wrong.
            Err(said) => self.said.extend(said),
        }
    }

    /// `domain::Name[1]: specification`.
    fn rule(&mut self, line: &Line<'_>) -> Result<(), Vec<Diagnostic>> {
        // The colons of a domain are two.
        let is_end = |(at, _): &(usize, _)| {
            let bytes = line.text.as_bytes();
            bytes.get(at + 1) != Some(&b':') && (*at == 0 || bytes[at - 1] != b':')
        };
        let Some((at, _)) = line.text.match_indices(':').find(is_end) else {
            return Err(vec![
                bad(line, "a rule without a `:`", "no `:` behind the operator")
                    .help(Help::advice("a rule is written `domain::Name: a, b => b, a`")),
            ]);
        };
        let name = line.part(0, at);
        if line.text[at + 1..].starts_with(|c: char| c.is_alphabetic()) {
            let rest = line.text[at + 1..].split_whitespace().next().unwrap_or_default();
            let said = bad(&name, "a rule without an operator", "a domain, if two colons follow");
            let help =
                format!("between domain and operator are two colons: `{}::{rest}`", name.text);
            return Err(vec![said.help(Help::advice(help))]);
        }
        let (op, output) = match name.text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            None => (name.text, Some(0)),
            Some((op, output)) => (op, output.parse().ok().filter(|output| *output < 1024)),
        };
        let Some(output) = output else {
            let what = "an output that is not a number";
            return Err(vec![bad(&name, what, "outputs count from 0: `Name[1]` is the second")]);
        };
        if op.is_empty() || op.contains(char::is_whitespace) {
            return Err(vec![bad(&name, "a rule without an operator", "`domain::Name` or `Name`")]);
        }
        let written = line.part(at + 1, line.text.len());
        let (spec, said) = read_spec(&written);
        let Some(spec) = spec.filter(|_| said.is_empty()) else { return Err(said) };
        let rules = self.all.rules.entry(op.to_owned()).or_default();
        if rules.iter().any(|rule| rule.output == output) {
            return Err(vec![bad(&name, "an output with two rules", "it has one above")]);
        }
        rules.push(CustomRule { output, spec, bindings: vec![], element: None });
        self.last = Some((op.to_owned(), rules.len() - 1));
        Ok(())
    }

    /// `name = attribute`, or `gives type`.
    fn setting(&mut self, line: &Line<'_>) -> Result<(), Vec<Diagnostic>> {
        let Some((op, place)) = &self.last else {
            let is_first = self.all.rules.is_empty() && self.said.is_empty();
            let said = bad(line, "a line that belongs to no rule", "indented, with no rule above");
            return if is_first { Err(vec![said]) } else { Ok(()) };
        };
        let Some(rule) = self.all.rules.get_mut(op).and_then(|rules| rules.get_mut(*place)) else {
            return Ok(());
        };
        if let Some(name) = line.text.strip_prefix("gives ") {
            let element = Element::named(name.trim());
            let said = bad(line, "no type of elements", "such as `float`, `int64` or `bool`");
            rule.element = Some(element.ok_or_else(|| vec![said])?);
            return Ok(());
        }
        let Some(at) = line.text.find('=') else {
            return Err(vec![
                bad(line, "a line below a rule that says nothing", "neither of the two")
                    .help(Help::advice("such lines are `name = attribute`, or `gives type`")),
            ]);
        };
        let (name, value) = (line.part(0, at), line.part(at + 1, line.text.len()));
        let known = rule.spec.find(name.text);
        let is_number = known.map(|id| rule.spec.name_use(id));
        if !matches!(is_number, Some(Use::Axis | Use::Coefficient)) {
            let what = format!("the rule has no axis or step called `{}`", name.text);
            return Err(vec![bad(&name, &what, "not in the specification above")]);
        }
        let binding = Binding::read(value.text).ok_or_else(|| {
            vec![bad(&value, "a number that cannot be read", "neither of these").help(Help::advice(
                "a name gets its number from an attribute, `k = group` or `s = strides.0 or 1`, from \
                 an operand, `k = operand2.0`, or is one, `k = 3`",
            ))]
        })?;
        if rule.bindings.iter().any(|(own, _)| own == name.text) {
            return Err(vec![bad(&name, "a name with two numbers", "it has one above")]);
        }
        rule.bindings.push((name.text.to_owned(), binding));
        Ok(())
    }
}

/// A diagnostic about a part of the text.
fn bad(line: &Line<'_>, what: &str, label: &str) -> Diagnostic {
    let place = Marked { source: SourceId::FIRST, span: line.span() };
    Diagnostic::new(Code::BadRule, what).label(place, label)
}

/// Reads a specification, and says what of it rules cannot say.
fn read_spec(line: &Line<'_>) -> (Option<Spec>, Vec<Diagnostic>) {
    let offset = index(line.start);
    let parsed = parse(line.text).ok();
    let spec = match parsed {
        Ok(spec) => spec,
        Err(rejection) => {
            let moved = rejection.diagnostics.into_iter();
            return (None, moved.map(|said| said.moved(|source| (source, offset))).collect());
        }
    };
    let mut said = vec![];
    let at = |span: Span| Line { text: span.of(line.text), start: line.start + span.range().start };
    for slot in spec.operands().iter().chain([spec.result()]) {
        for kind in [Kind::Batch, Kind::Input] {
            if !slot.row(kind).is_empty() {
                let what = "a tensor of a model file has one row of axes, without `|` and `->`";
                said.push(bad(&at(slot.row(kind).span), what, "commas separate axes: `b, i, o`"));
            }
        }
    }
    for id in spec.names() {
        if spec.name(id).len() > LONGEST {
            let what = format!("a name of an axis has at most {LONGEST} letters in a rule");
            said.push(bad(&at(spec.name_span(id)), &what, "too long"));
        }
    }
    (Some(spec), said)
}

/// The element of a list whose number a binding does not say.
const FIRST: usize = 0;

impl Binding {
    fn read(text: &str) -> Option<Binding> {
        if let Ok(number) = text.parse() {
            return Some(Binding::Number(number));
        }
        let (of, otherwise) = match text.split_once(" or ") {
            None => (text, None),
            Some((of, number)) => (of.trim(), Some(number.trim().parse().ok()?)),
        };
        let (name, element) = match of.rsplit_once('.') {
            None => (of, None),
            Some((name, element)) => (name, Some(element.parse().ok()?)),
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_word) {
            return None;
        }
        let operand = name.strip_prefix("operand").and_then(|number| number.parse::<usize>().ok());
        match operand.map(|number| number.checked_sub(1)) {
            None => Some(Binding::Attribute { name: name.to_owned(), element, otherwise }),
            Some(Some(input)) if otherwise.is_none() => {
                Some(Binding::Operand { input, element: element.unwrap_or(FIRST) })
            }
            Some(_) => None,
        }
    }

    /// The number at a node; none where only a run tells it.
    fn num(&self, call: &Call<'_, '_>) -> Result<Option<Num>, Stop> {
        match self {
            Binding::Number(number) => Ok(Some(Num::Int(*number))),
            Binding::Attribute { name, element, otherwise } => {
                let found = match (call.attribute(name), element) {
                    (Some(AttributeValue::Int(number)), None) => Some(*number),
                    (Some(AttributeValue::Ints(list)), _) => {
                        list.clone().nth(element.unwrap_or(FIRST))
                    }
                    (None | Some(AttributeValue::None), _) => None,
                    // What is there is not replaced by the number for what is not.
                    (Some(_), _) => return Err(Stop::Unbound(name.clone())),
                };
                let number = found.or(*otherwise).ok_or_else(|| Stop::Unbound(name.clone()))?;
                Ok(Some(Num::Int(number)))
            }
            Binding::Operand { input, element } => {
                call.known(*input)?;
                let value = call.value(*input);
                Ok(value.and_then(|value| value.get(*element)?.whole()))
            }
        }
    }
}

impl CustomRule {
    /// Says what the output of a node is.
    pub(crate) fn infer(&self, call: &mut Call<'_, '_>) -> Result<(), Stop> {
        let template = self.template(call)?;
        let element = self.element.unwrap_or_else(|| call.element(0));
        if self.output == 0 {
            return call.give_template(0, element, template);
        }
        let sizes = template.apply(call)?;
        call.give_sizes(self.output, element, sizes);
        Ok(())
    }

    /// The specification with the numbers of a node.
    fn template(&self, call: &mut Call<'_, '_>) -> Result<Template, Stop> {
        let mut numbers = vec![None; self.spec.name_count()];
        for (name, binding) in &self.bindings {
            if let (Some(id), Some(num)) = (self.spec.find(name), binding.num(call)?) {
                numbers[id.index()] = Some(num);
            }
        }
        let mut builder = Builder { spec: &self.spec, numbers: &numbers, fresh: 0 };
        let rows = self.spec.operands().iter().chain([self.spec.result()]);
        let rows: Result<Vec<Vec<Term>>, Stop> =
            rows.map(|slot| builder.row(slot.row(Kind::Output))).collect();
        let mut operands = rows?;
        let result = operands.pop().unwrap_or_default();
        let mut given: Vec<(Label, Num)> = vec![];
        for id in self.spec.names().filter(|id| self.spec.name_use(*id) == Use::Axis) {
            if let Some(num) = numbers[id.index()] {
                given.push((builder.label(id), num));
            }
        }
        let mut template = Template { operands, result, given, stretches: false };
        let missing = template.undetermined();
        for (number, label) in missing.into_iter().enumerate() {
            let size = call.fresh(self.output * 100 + number, 0, None);
            template.given.push((label, size));
        }
        Ok(template)
    }
}

/// Makes terms of the tree of a specification.
struct Builder<'s> {
    spec: &'s Spec,
    numbers: &'s [Option<Num>],
    fresh: u16,
}

impl Builder<'_> {
    fn word(&self, id: NameId) -> Word {
        Word::new(self.spec.name(id))
    }

    fn label(&self, id: NameId) -> Label {
        Label(self.word(id), None)
    }

    /// The label of an axis; an axis without a name gets one.
    fn label_of(&mut self, name: Name) -> Label {
        match name {
            Name::Named(id) => self.label(id),
            Name::Fresh => {
                self.fresh += 1;
                Label(Word::new("any"), Some(self.fresh))
            }
        }
    }

    fn row(&mut self, row: &Row) -> Result<Vec<Term>, Stop> {
        let spec = self.spec;
        let (before, after) = spec.axes(row);
        let mut terms = vec![];
        for axis in before {
            terms.push(self.term(axis)?);
        }
        if let Some(ellipsis) = row.ellipsis {
            let name = ellipsis.name.map_or(Word::new("more"), |name| self.word(name));
            terms.push(Term::Rest(name));
        }
        for axis in after {
            terms.push(self.term(axis)?);
        }
        Ok(terms)
    }

    fn term(&mut self, axis: &Axis) -> Result<Term, Stop> {
        let spec = self.spec;
        let mut parts = |parts| -> Vec<Term> {
            let parts = spec.parts(parts).iter();
            parts
                .map(|part| match part.form {
                    PartForm::Axis(name) => Term::Axis(self.label_of(name)),
                    PartForm::Size(size) => Term::Size(Num::Int(number(size))),
                })
                .collect()
        };
        Ok(match axis.form {
            Form::Axis(Name::Fresh) => Term::Any,
            Form::Axis(name) => Term::Axis(self.label_of(name)),
            Form::Fixed(index) => Term::At(number(index)),
            Form::Runtime(name) => Term::Supplied(self.word(name)),
            Form::Concat(all) => Term::Joined(parts(all)),
            Form::Merged(all) => Term::Merged(parts(all)),
            Form::Affine(id) => {
                let affine = spec.affine(id);
                let stride = self.coefficient(affine.stride)?;
                let over = self.label_of(affine.over);
                let offset = affine.offset;
                match affine.window {
                    None => Term::Steps { stride, over, offset, is_loose: affine.loose },
                    Some(window) => Term::Window(Window {
                        stride,
                        over,
                        offset,
                        dilation: self.coefficient(window.dilation)?,
                        kernel: self.label_of(window.kernel),
                        fit: match window.border {
                            Border::Valid => Fit::Exact,
                            Border::Whole => Fit::Floor,
                            Border::Begun => Fit::Ceil,
                            Border::Padded => Fit::SameExact,
                            Border::PaddedLoose => Fit::Same,
                        },
                        margin: window.margins.map(i64::from),
                    }),
                }
            }
        })
    }

    fn coefficient(&self, coefficient: Coefficient) -> Result<i64, Stop> {
        let number = match coefficient {
            Coefficient::Number(number) => i64::try_from(number).ok(),
            Coefficient::Named(id) => self.numbers[id.index()].and_then(Num::as_int),
        };
        let name = || match coefficient {
            Coefficient::Named(id) => self.spec.name(id).to_owned(),
            Coefficient::Number(number) => number.to_string(),
        };
        number.filter(|number| *number > 0).ok_or_else(|| Stop::Unbound(name()))
    }
}

impl Template {
    /// The axes that neither operands nor numbers determine: what a result has and no operand, and
    /// parts of axes that several others are not known of.
    fn undetermined(&self) -> Vec<Label> {
        let mut known: Vec<Label> = self.given.iter().map(|(label, _)| *label).collect();
        let rows = || self.operands.iter().flatten();
        known.extend(rows().filter_map(|term| match term {
            Term::Axis(label) | Term::Steps { over: label, .. } => Some(*label),
            _ => None,
        }));
        let mut missing = vec![];
        // What is found from what is known beside it; then one is made up, and so on.
        loop {
            let before = known.len();
            for term in rows() {
                let unknown: Vec<Label> = match term {
                    Term::Window(window) if known.contains(&window.kernel) => vec![window.over],
                    Term::Merged(parts) | Term::Joined(parts) => labels(parts),
                    _ => vec![],
                };
                let mut unknown = unknown.into_iter().filter(|label| !known.contains(label));
                if let (Some(label), None) = (unknown.next(), unknown.next()) {
                    known.push(label);
                }
            }
            if known.len() > before {
                continue;
            }
            let all =
                rows().chain(&self.result).flat_map(|term| labels(std::slice::from_ref(term)));
            let Some(label) = all.into_iter().find(|label| !known.contains(label)) else {
                return missing;
            };
            known.push(label);
            missing.push(label);
        }
    }
}

/// The axes of terms, kernels before what slides.
fn labels(terms: &[Term]) -> Vec<Label> {
    let of = |term: &Term| match term {
        Term::Axis(label) | Term::Steps { over: label, .. } => vec![*label],
        Term::Window(window) => vec![window.kernel, window.over],
        Term::Merged(parts) | Term::Joined(parts) => labels(parts),
        _ => vec![],
    };
    terms.iter().flat_map(of).collect()
}
