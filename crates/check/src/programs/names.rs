//! What tensors, labels, operations, named sizes and bases of a program are called.

use std::collections::BTreeMap;

use crate::Generator;

use super::{
    model::{Program, Step},
    templates::{Template, places},
};

/// The names of everything in a program.
#[derive(Clone, Debug)]
pub struct Names {
    /// Of steps: of tensors and of new sizes. That of a number is its value.
    pub steps: Vec<String>,
    pub operations: Vec<String>,
    /// Of named sizes, bases and rows of shapes, by the letters and numbers of their places.
    pub shapes: BTreeMap<(char, usize), String>,
    /// Of the labels of each step's specification.
    pub labels: Vec<BTreeMap<char, String>>,
}

/// The number of pointwise operations to draw from.
pub const OPERATIONS: usize = 4;

const PLAIN_OPERATIONS: [&str; OPERATIONS] = ["add", "exp", "relu", "where"];

/// Words that labels are called where they may be words.
const LABEL_WORDS: [&str; 12] =
    ["alpha", "b", "depth", "east", "height", "k", "mid", "path", "q", "tall", "width", "zone"];

/// Words for everything else.
const WORDS: [&str; 20] = [
    "apex", "blue", "coda", "dusk", "echo", "fern", "gale", "hush", "iris", "jade", "kite", "loom",
    "mist", "nova", "opal", "pine", "quay", "rust", "tide", "wisp",
];

impl Names {
    /// The names as they are drawn: labels as in the templates, tensors by their places.
    pub fn plain(program: &Program) -> Names {
        Names::with(
            program,
            |place, _| place,
            PLAIN_OPERATIONS,
            plain_of_shape,
            |_, label| label.to_string(),
        )
    }

    /// All names in the reverse alphabetical order of the plain ones.
    pub fn reversed(program: &Program) -> Names {
        let backwards = |place, count: usize| count - 1 - place;
        let operations = ["zeta", "tanh", "mul", "abs"];
        let of_shape = |kind, number| format!("{}{}", kind_word(kind), ["z", "y", "x"][number % 3]);
        let mirrored = |_: &Template, label: char| mirrored(label).to_string();
        Names::with(program, backwards, operations, of_shape, mirrored)
    }

    /// Names at random, different for what had different names.
    pub fn random(program: &Program, rng: &mut Generator) -> Names {
        let mut words = WORDS.map(str::to_owned).to_vec();
        rng.shuffle(&mut words);
        let mut next = || words.pop().unwrap_or_default();
        let operations = [next(), next(), next(), next()];
        let mut shapes = BTreeMap::new();
        for place in shape_names(program) {
            shapes.insert(place, next());
        }
        let mut steps: Vec<usize> = (0..program.steps.len()).collect();
        rng.shuffle(&mut steps);
        let steps = program.steps.iter().zip(steps).map(|(step, number)| step_name(step, number));
        let mut labels = vec![];
        for step in &program.steps {
            let mut of_step = BTreeMap::new();
            if let Step::Einsum(einsum) = step {
                let template = einsum.template();
                let mut names: Vec<String> = if template.words {
                    LABEL_WORDS.map(str::to_owned).to_vec()
                } else {
                    ('a'..='z').map(String::from).collect()
                };
                rng.shuffle(&mut names);
                of_step = template.labels().into_iter().zip(names).collect();
            }
            labels.push(of_step);
        }
        Names { steps: steps.collect(), operations: operations.to_vec(), shapes, labels }
    }

    fn with(
        program: &Program,
        number: impl Fn(usize, usize) -> usize,
        operations: [&str; OPERATIONS],
        of_shape: impl Fn(char, usize) -> String,
        of_label: impl Fn(&Template, char) -> String,
    ) -> Names {
        let count = program.steps.len();
        let step = |(place, step)| step_name(step, number(place, count));
        let labels = |step: &Step| match step {
            Step::Einsum(einsum) => {
                let template = einsum.template();
                let labels = template.labels().into_iter();
                labels.map(|label| (label, of_label(template, label))).collect()
            }
            _ => BTreeMap::new(),
        };
        let shapes = shape_names(program);
        Names {
            steps: program.steps.iter().enumerate().map(step).collect(),
            operations: operations.map(str::to_owned).to_vec(),
            shapes: shapes.map(|(kind, number)| ((kind, number), of_shape(kind, number))).collect(),
            labels: program.steps.iter().map(labels).collect(),
        }
    }

    pub fn of_shape(&self, kind: char, number: usize) -> String {
        self.shapes.get(&(kind, number)).cloned().unwrap_or_default()
    }

    pub fn of_label(&self, step: usize, label: char) -> String {
        self.labels[step].get(&label).cloned().unwrap_or_default()
    }

    /// The plain name of what is called `name` here, among named sizes (`N`) or bases (`B`).
    pub fn plain_name(&self, kind: char, name: &str) -> String {
        let found = self.shapes.iter().find(|((of, _), word)| *of == kind && *word == name);
        found.map_or_else(|| name.to_owned(), |((_, number), _)| plain_of_shape(kind, *number))
    }
}

/// The places for names in all shapes of a program.
fn shape_names(program: &Program) -> impl Iterator<Item = (char, usize)> {
    let shapes = program.steps.iter().filter_map(Step::shape);
    let all: std::collections::BTreeSet<(char, usize)> =
        shapes.flat_map(places).map(|(kind, number, _)| (kind, number)).collect();
    all.into_iter()
}

fn plain_of_shape(kind: char, number: usize) -> String {
    format!("{}{}", kind_word(kind), ["a", "b", "c"][number % 3])
}

fn kind_word(kind: char) -> &'static str {
    match kind {
        'N' => "n",
        'B' => "basis",
        _ => "row",
    }
}

/// A number is called by its value, everything else by a letter and a number of three digits, so
/// that names are in the order of the numbers.
fn step_name(step: &Step, number: usize) -> String {
    match step {
        Step::Number => format!("{number}.5"),
        _ => format!("t{number:03}"),
    }
}

fn mirrored(letter: char) -> char {
    char::from(b'a' + b'z' - letter as u8)
}
