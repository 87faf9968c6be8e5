//! The page of operators, `docs/models/operators.md`: what each rule says of an example.
//!
//! `operators.txt` lists an example for each operator of the table of rules:
//! `Name versions | attributes | inputs | outputs`, written as in `operators.rs`; the versions are
//! those of ONNX, and the example is of the last, or of that after `@`. The page has what inference
//! says of them. With `UPDATE_EXPECT=1` it is written anew; read the difference before you keep it.

use std::{collections::BTreeMap, fmt::Write as _, fs};

use expect_test::expect_file;
use lozenge_onnx::{
    Model,
    infer::{Inferred, NodeId, Operator, Options, Relation, infer, known_text, operators},
};

use crate::operators::file;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/onnx/operators.txt");

/// An example of an operator.
#[derive(Clone)]
struct Example<'a> {
    name: &'a str,
    versions: &'a str,
    version: &'a str,
    attributes: Vec<&'a str>,
    inputs: Vec<&'a str>,
    outputs: usize,
}

impl<'a> Example<'a> {
    fn read(line: &'a str) -> Example<'a> {
        let mut parts = line.split('|').map(str::trim);
        let mut words = parts.next().unwrap().split(' ');
        let name = words.next().unwrap();
        let (name, version) = match name.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (name, None),
        };
        let versions = words.next().unwrap();
        let last = versions.rsplit(',').next().unwrap();
        let attributes = parts.next().unwrap().split(' ').filter(|word| !word.is_empty());
        Example {
            name,
            versions,
            version: version.unwrap_or(last),
            attributes: attributes.collect(),
            inputs: parts.next().unwrap().split(';').map(str::trim).collect(),
            outputs: parts.next().map_or(1, |count| count.parse().unwrap()),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let head = format!("{}@{}", self.name, self.version);
        let node = [&[&head[..]], &self.attributes[..]].concat().join(" ");
        file(&node, &self.inputs.join(";"), self.outputs)
    }

    /// What is said of the example with `tell`.
    fn told<T>(&self, tell: impl Fn(&mut Inferred<'_, '_>) -> T) -> T {
        let bytes = self.bytes();
        let model = Model::read(&bytes).unwrap();
        tell(&mut infer(&model, &Options::default()))
    }

    /// The shapes of the outputs; none for one that a rule does not say.
    fn shapes(&self) -> Vec<Option<String>> {
        self.told(|inferred| {
            let output = |number| inferred.find(&format!("o{number}")).unwrap();
            let tensors = (0..self.outputs).map(|number| inferred.tensor(output(number)));
            let shown = |known| known_text(inferred.nums(), known);
            tensors.map(|tensor| tensor.stop.is_none().then(|| shown(&tensor.known))).collect()
        })
    }

    /// What the shapes depend on beside the sizes of inputs: constants and attributes without which
    /// they are others.
    fn reads(&self) -> String {
        let shapes = self.shapes();
        let mut all = vec![];
        for (place, input) in self.inputs.iter().enumerate() {
            let Some(constant) = input.strip_prefix('=') else { continue };
            let element = if constant.contains('.') { "float" } else { "int64" };
            let count = constant.strip_prefix('[').map(|list| list.split(',').count().to_string());
            let computed = format!("{element} {}", count.unwrap_or_default());
            let mut other = self.clone();
            other.inputs[place] = computed.trim_start_matches("float").trim();
            if other.shapes() != shapes {
                all.push(format!("elements of input {place}"));
            }
        }
        for (place, attribute) in self.attributes.iter().enumerate() {
            let mut other = self.clone();
            other.attributes.remove(place);
            if other.shapes() != shapes {
                all.push(format!("`{}`", attribute.split('=').next().unwrap()));
            }
        }
        all.join(", ")
    }

    fn needs(&self) -> Vec<String> {
        self.told(|inferred| {
            let text = |num| inferred.nums().text(num);
            let name = |id| inferred.nums().name(id).unwrap().text.clone();
            let taken = inferred
                .taken()
                .iter()
                .map(|taken| format!("`{} = {}`", name(taken.name), text(taken.num)));
            let required = inferred.requirements().iter().map(|required| match required.relation {
                Relation::Equal(a, b) => format!("`{} = {}`", text(a), text(b)),
                Relation::Stretch(a, b) => format!("`{} = {}`, or one is 1", text(a), text(b)),
                Relation::Fit(a, b) => format!("`{0} = {1}`, or `{0}` is 1", text(a), text(b)),
                Relation::AtLeast(a, least) => format!("`{} >= {least}`", text(a)),
                Relation::Divides(a, b) => format!("`{}` divides `{}`", text(a), text(b)),
            });
            assert!(inferred.conflicts().is_empty(), "{} does not fit", self.name);
            taken.chain(required).collect()
        })
    }

    fn row(&self) -> String {
        let shown = |input: &&str| match (*input, input.strip_prefix("sequence")) {
            ("-", _) => "left out".to_owned(),
            (_, Some(of)) => format!("sequence of {}", bracketed(of)),
            (input, None) => bracketed(input),
        };
        let inputs: Vec<String> = self.inputs.iter().map(shown).collect();
        let inputs = if self.inputs == ["-"] { String::new() } else { inputs.join(", ") };
        let attributes = self
            .attributes
            .iter()
            .fold(String::new(), |all, attribute| all + " `" + attribute + "`");
        let shapes: Vec<String> = self
            .shapes()
            .into_iter()
            .map(|shape| shape.unwrap_or_else(|| "not known".to_owned()))
            .collect();
        let needs = self.needs();
        let needs = if needs.is_empty() {
            String::new()
        } else {
            format!(" where {}", needs.join(" and "))
        };
        let specification = self.told(|inferred| {
            let template = inferred.template(NodeId(0))?;
            Some(format!("`{}`", template.text(inferred.nums())))
        });
        let example = if inputs.is_empty() { String::new() } else { format!("`{inputs}`") };
        format!(
            "| {} | {} | {example}{attributes} | `{}`{needs} | {} | {} |",
            self.name,
            self.versions.replace(',', ", "),
            shapes.join(", "),
            specification.unwrap_or_default(),
            self.reads(),
        )
    }
}

/// An input as a shape in brackets, after its element type.
fn bracketed(input: &str) -> String {
    if let Some(constant) = input.strip_prefix('=') {
        return constant.to_owned();
    }
    let mut words: Vec<&str> = input.split_whitespace().collect();
    let is_type =
        |word: &&str| ["uint8", "int8", "int32", "int64", "string", "bool"].contains(word);
    let element = words.first().copied().filter(is_type);
    if element.is_some() {
        words.remove(0);
    }
    let shape = format!("[{}]", words.join(","));
    element.map_or(shape.clone(), |element| format!("{element} {shape}"))
}

const HEAD: &str = "# Operators of model files

What inference says of each operator, by an example. The table is generated from the rules: the test `page` of `lozenge-onnx` runs each
example and writes this page.

- **Versions**: those in which ONNX changed the operator. A rule covers all of them; the example is of the last.
- **Example**: shapes of the inputs, after their element type if that is not `float`; `[1,2]` without names is a constant where an operator reads
  elements; then attributes.
- **Shapes**: those of the outputs, and what has to hold of the names. A name such as `NonZero_0` is a size that only running the model tells.
- **Specification**: what the operator does with axes, in [Lozenge's notation](../notation.md), where it can be said so. `lozenge loops` and
  `lozenge cost` read it.
- **Also reads**: what the shapes depend on beside the sizes of inputs, tried: without it they are others.

`If`, `Loop` and `Scan` have no row: inference goes through their graphs, decides a branch or joins both, and repeats what a loop
carries until it no longer changes. Local functions are inlined.
";

#[test]
fn page() {
    let examples = fs::read_to_string(EXAMPLES).unwrap();
    let examples: BTreeMap<&str, Example<'_>> =
        examples.lines().map(Example::read).map(|example| (example.name, example)).collect();
    let full = |operator: &Operator| match operator.domain {
        "" => operator.name.to_owned(),
        domain => format!("{domain}::{}", operator.name),
    };
    let names: Vec<String> = operators().map(|operator| full(&operator)).collect();
    let missing: Vec<&String> =
        names.iter().filter(|name| !examples.contains_key(&name[..])).collect();
    assert!(missing.is_empty(), "operators.txt has no example of {missing:?}");
    assert_eq!(names.len(), examples.len(), "operators.txt has an example that has no rule");
    let mut text = HEAD.to_owned();
    let mut family = "";
    for operator in operators() {
        if operator.family != family {
            family = operator.family;
            let (first, rest) = family.split_at(1);
            write!(
                text,
                "\n## {}{rest}\n\n| Operator | Versions | Example | Shapes | Specification | Also reads |\n|---|---|---|---|---|---|\n",
                first.to_uppercase()
            )
            .unwrap();
        }
        writeln!(text, "{}", examples[&full(&operator)[..]].row()).unwrap();
    }
    expect_file!["../../../../docs/models/operators.md"].assert_eq(&text);
}
