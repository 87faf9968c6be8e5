//! What programs close to, in the plain names, and whether two spellings close to the same.

use std::collections::BTreeMap;

use lozenge::{Axis, Closed, Kind, Report, Shape, Size, diagnostic::Code};

use super::{
    build::{Built, Made},
    colours::colours,
    model::{Program, SizeOf, Step},
    names::Names,
    spelling::Spelling,
};

/// What a program closes to: a value for every step, or the codes of what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Values(Values),
    Codes(Vec<Code>),
}

/// What the steps of a program close to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    pub steps: Vec<Value>,
    /// What has to hold of named sizes, in order.
    requirements: Vec<String>,
}

/// What a step closes to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Value {
    /// Its shape, and the sizes of its labels; or the size that it is.
    pub shape: String,
    pub sizes: String,
    /// Where its rows are broadcast.
    pub markers: [usize; 3],
}

/// How what two spellings close to compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Same,
    /// The same up to an exchange of steps that structure cannot tell apart.
    Symmetric,
    /// The same shapes, to be broadcast elsewhere.
    OtherMarkers,
    OtherShapes,
    /// One closes and the other does not, or they do not for different reasons.
    OtherCodes,
}

/// Closes a program.
pub fn outcome(spelling: &Spelling, built: &Built) -> (Outcome, Option<Closed>) {
    match built.session.close() {
        Err(rejection) => (Outcome::Codes(codes(&rejection)), None),
        Ok(closed) => {
            let places = 0..built.made.len();
            let steps = places.map(|place| value(spelling, built, &closed, place)).collect();
            let requirements = closed.requirements();
            let mut requirements: Vec<String> =
                requirements.map(|text| computed_text(&spelling.names, &text)).collect();
            requirements.sort_unstable();
            (Outcome::Values(Values { steps, requirements }), Some(closed))
        }
    }
}

fn codes(rejection: &Report) -> Vec<Code> {
    // Of sizes and numbers of axes that follow from each other one is told, by the order of
    // declarations.
    let told = |code| if code == Code::HiddenRank { Code::HiddenSize } else { code };
    let mut codes: Vec<Code> = rejection.diagnostics.iter().map(|said| told(said.code)).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn value(spelling: &Spelling, built: &Built, closed: &Closed, place: usize) -> Value {
    let names = &spelling.names;
    match built.made[place] {
        Made::Nothing => Value::default(),
        Made::Size(size) => {
            let size = closed.axis(size).map(|axis| axis_text(names, &axis));
            Value { shape: size.unwrap_or_default(), ..Value::default() }
        }
        Made::Tensor(tensor) => {
            let Ok(shape) = closed.shape(tensor) else { return Value::default() };
            let mut sizes = String::new();
            if let Step::Einsum(einsum) = &spelling.steps[place] {
                for label in einsum.template().labels() {
                    let Ok(size) = built.size(spelling, SizeOf::Label(place, label)) else {
                        continue;
                    };
                    let axis = closed.axis(size).map(|axis| axis_text(names, &axis));
                    let count = || closed.size(size).map(|count| count.to_string());
                    let text = axis.or_else(count).unwrap_or_default();
                    sizes.extend([" ", &label.to_string(), "=", &text]);
                }
            }
            let markers = Kind::ALL.map(|kind| shape.marker(kind));
            Value { shape: shape_text(names, shape), sizes, markers }
        }
    }
}

/// A shape with the plain names of its sizes and bases.
fn shape_text(names: &Names, shape: &Shape) -> String {
    let row = |kind: Kind| {
        let axes = shape.row(kind).iter().map(|axis| axis_text(names, axis));
        axes.collect::<Vec<_>>().join(",")
    };
    let [batch, input, output] = Kind::ALL.map(row);
    format!("{batch}|{input}->{output}")
}

fn axis_text(names: &Names, axis: &Axis) -> String {
    let size = |size: &Size| match size {
        Size::Number(count) => count.to_string(),
        Size::Named(name) => names.plain_name('N', name),
        computed => computed_text(names, &computed.to_string()),
    };
    match axis {
        Axis::Unit => "1_".to_owned(),
        Axis::Sized { size: count, basis: None } => size(count),
        Axis::Sized { size: count, basis: Some(basis) } => {
            format!("{}_{}", size(count), names.plain_name('B', basis))
        }
    }
}

/// A computed size with plain names, its words in order: how names are called decides which term is
/// written first.
fn computed_text(names: &Names, text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<String> = text
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
        .map(|word| {
            let is_sign = ["floor", "ceil", "min", "divides"].contains(&word);
            let is_name = word.starts_with(char::is_alphabetic) && !is_sign;
            if is_name { names.plain_name('N', word) } else { word.to_owned() }
        })
        .collect();
    words.extend(text.chars().filter(|c| !is_word(*c)).map(String::from));
    words.sort_unstable();
    words.join(" ")
}

impl Outcome {
    pub fn is_closed(&self) -> bool {
        matches!(self, Outcome::Values(_))
    }

    /// Whether nothing is wrong but that no shapes were found, of which there may be some, or that
    /// what follows from a named size is not computed; and perhaps that parameters are not used.
    pub fn is_undecided(&self) -> bool {
        let Outcome::Codes(codes) = self else { return false };
        let is_open = |code: &Code| matches!(code, Code::Unsettled | Code::SymbolicSize);
        codes.iter().any(is_open)
            && codes.iter().all(|code| is_open(code) || *code == Code::UnusedParameter)
    }

    /// Whether it does not close, with this code alone.
    pub fn is_rejected_with(&self, code: Code) -> bool {
        matches!(self, Outcome::Codes(codes) if *codes == [code])
    }

    /// What a program closes to as text, by the names of a spelling.
    pub fn said(&self, spelling: &Spelling) -> String {
        let values = match self {
            Outcome::Codes(codes) => return format!("does not close: {codes:?}"),
            Outcome::Values(Values { steps, .. }) => steps,
        };
        let mut lines = vec![];
        for place in spelling.order.iter().filter(|place| !spelling.steps[**place].is_statement()) {
            let Value { shape, sizes, markers } = &values[*place];
            let name = &spelling.names.steps[*place];
            lines.push(format!("{name}: {shape}{sizes} (markers {markers:?})"));
        }
        lines.join("\n")
    }
}

/// Compares what two spellings of a program close to.
pub fn compare(program: &Program, one: &Outcome, other: &Outcome) -> Comparison {
    let (Outcome::Values(one), Outcome::Values(other)) = (one, other) else {
        return if one == other { Comparison::Same } else { Comparison::OtherCodes };
    };
    if one == other {
        return Comparison::Same;
    }
    if one.requirements != other.requirements {
        return Comparison::OtherShapes;
    }
    let (one, other) = (&one.steps, &other.steps);
    let colours = colours(program);
    let are_alike =
        |one: &[Value], other: &[Value]| by_colour(&colours, one) == by_colour(&colours, other);
    let flat = |values: &[Value]| -> Vec<Value> {
        values.iter().map(|value| Value { markers: [0; 3], ..value.clone() }).collect()
    };
    if are_alike(one, other) {
        Comparison::Symmetric
    } else if are_alike(&flat(one), &flat(other)) {
        Comparison::OtherMarkers
    } else {
        Comparison::OtherShapes
    }
}

/// The values of the steps of each colour, in order.
fn by_colour<'a>(colours: &[usize], values: &'a [Value]) -> BTreeMap<usize, Vec<&'a Value>> {
    let mut classes: BTreeMap<usize, Vec<&Value>> = BTreeMap::new();
    for (colour, value) in colours.iter().zip(values) {
        classes.entry(*colour).or_default().push(value);
    }
    for class in classes.values_mut() {
        class.sort_unstable();
    }
    classes
}
