//! A node as an einsum: its specification with the shapes of its operands, for whoever derives
//! loops.

use std::collections::BTreeMap;

use super::{
    super::{
        id::NodeId,
        inferred::Inferred,
        num::Num,
        ops::operators,
        template::{Label, Template, Term, letter},
    },
    bound::{Bound, entries},
    name::tensor_plain,
};

/// A specification in Lozenge's notation and the shapes of its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Einsum {
    /// The specification.
    pub spec: String,
    /// The shapes.
    pub shapes: Vec<String>,
    /// Numbers for names of the specification.
    pub sets: Vec<(String, u64)>,
    /// What names of the shapes stand for, where they were made up for computed sizes.
    pub names: Vec<(String, String)>,
    /// What is done at each point.
    pub does: Does,
    /// The value that is added to the sum, and that the specification leaves out: a bias.
    pub bias: Option<String>,
}

/// What a node does with what it reads at each point of its loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Does {
    /// The node multiplies, and adds to the result; or it copies.
    Product,
    /// The node computes this operator of each element.
    Each(String),
    /// The node gathers, beginning with a value: `+=` from 0, `max=` from -inf.
    Gathers {
        /// The sign.
        sign: &'static str,
        /// What the result is before.
        from: &'static str,
    },
}

/// A node as an einsum; none where its operator cannot be said so, or its shapes are open.
///
/// Rows are written axis by axis, since a specification does not stretch: an axis that does is read
/// at 0.
pub fn einsum(inferred: &mut Inferred<'_, '_>, id: NodeId) -> Option<Einsum> {
    let template = inferred.template(id)?;
    let bound = Bound::of(inferred, id, &template)?;
    let record = inferred.node(id);
    let nums = inferred.nums();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut written = Template { given: template.given.clone(), ..Template::default() };
    let mut shapes = vec![];
    let op = record.node.op.to_string();
    // Loops multiply all that they read, and a bias is added.
    let has_bias = BIASED.contains(&op.as_str());
    let operands = if has_bias { 2 } else { template.operands.len() };
    let bias = record.inputs.get(2).copied().flatten().filter(|_| has_bias);
    for (input, row) in template.operands.iter().enumerate().take(operands) {
        let tensor = record.inputs.get(input).copied().flatten()?;
        let sizes = inferred.tensor(tensor).known.shape.as_ref()?;
        let (mut terms, mut axes) = (vec![], vec![]);
        for (term, own) in entries(row, sizes)? {
            terms.extend(expanded(&bound, term, own)?);
            // Sizes that have to be equal are written alike.
            for (place, size) in own.iter().enumerate() {
                let met = match term {
                    Term::Axis(label) => bound.of_label(*label),
                    Term::Rest(name) => bound.of_rest(*name).and_then(|all| {
                        all.get(all.len().checked_sub(own.len())? + place).copied()
                    }),
                    _ => None,
                };
                let size = met.filter(|_| *size != Num::ONE).unwrap_or(*size);
                axes.push(named(nums.text(size), &mut names));
            }
        }
        written.operands.push(terms);
        shapes.push(axes.join(","));
    }
    for term in &template.result {
        match term {
            Term::Rest(name) => {
                let count = bound.of_rest(*name)?.len();
                written
                    .result
                    .extend((0..count).map(|place| Term::Axis(Label(*name, number(place)))));
            }
            Term::One => written.result.push(Term::Size(Num::ONE)),
            term => written.result.push(term.clone()),
        }
    }
    written.shorten();
    let sets = template
        .given
        .iter()
        .filter_map(|(label, num)| Some((label.to_string(), u64::try_from(num.as_int()?).ok()?)));
    let mut made: Vec<(String, String)> =
        names.into_iter().map(|(text, name)| (name, text)).collect();
    made.sort();
    let does = does(&op, inferred.is_custom(id))?;
    let spec = written.text(nums);
    Some(Einsum {
        spec,
        shapes,
        sets: sets.collect(),
        names: made,
        does,
        bias: bias.map(|id| tensor_plain(inferred, id)),
    })
}

/// Operators whose third input is added to what they compute of the first two.
const BIASED: &[&str] = &["Conv", "ConvTranspose", "FusedConv", "FusedGemm", "Gemm"];

/// Operators that multiply what they read and add.
const PRODUCTS: &[&str] = &[
    "Conv",
    "ConvInteger",
    "ConvTranspose",
    "Einsum",
    "FusedConv",
    "FusedGemm",
    "Gemm",
    "MatMul",
    "MatMulInteger",
    "Mul",
];

/// Operators that move elements.
const COPIES: &[&str] = &[
    "Concat",
    "DepthToSpace",
    "Expand",
    "Flatten",
    "Identity",
    "Reshape",
    "SpaceToDepth",
    "Squeeze",
    "Transpose",
    "Unsqueeze",
];

/// Operators that gather elements: those whose name ends so, with the sign and what the result is
/// before.
const GATHERS: &[(&str, &str, &str)] = &[
    ("ReduceSum", "+=", "0"),
    ("ReduceMax", "max=", "-inf"),
    ("ReduceMin", "min=", "inf"),
    ("ReduceProd", "*=", "1"),
    ("MaxPool", "max=", "-inf"),
];

/// What an operator does at each point; none where that cannot be said so.
fn does(op: &str, is_custom: bool) -> Option<Does> {
    if PRODUCTS.contains(&op) || COPIES.contains(&op) {
        return Some(Does::Product);
    }
    if let Some((_, sign, from)) = GATHERS.iter().find(|(end, ..)| op.ends_with(end)) {
        return Some(Does::Gathers { sign, from });
    }
    let mut families = operators().filter(|known| known.name == op);
    let is_pointwise = families.any(|known| known.family == "pointwise");
    (is_custom || is_pointwise).then(|| Does::Each(op.to_owned()))
}

impl Template {
    /// Gives axes names of one letter where no row has two: such a text would be read letter by
    /// letter.
    fn shorten(&mut self) {
        let rows = || self.operands.iter().chain([&self.result]);
        let is_long = |row: &Vec<Term>| {
            row.iter().any(|term| matches!(term, Term::Axis(label) if label.to_string().len() > 1))
        };
        if rows().any(|row| row.len() > 1) || !rows().any(is_long) {
            return;
        }
        let mut labels: Vec<Label> = vec![];
        for row in self.operands.iter_mut().chain([&mut self.result]) {
            for term in row {
                let Term::Axis(label) = term else { continue };
                let place = labels.iter().position(|own| own == label).unwrap_or_else(|| {
                    labels.push(*label);
                    labels.len() - 1
                });
                *label = letter(place);
            }
        }
    }
}

fn number(place: usize) -> Option<u16> {
    u16::try_from(place).ok()
}

/// An entry of an operand axis by axis, those that stretch as index 0.
fn expanded(bound: &Bound, term: &Term, own: &[Num]) -> Option<Vec<Term>> {
    Some(match term {
        Term::Rest(name) => {
            let all = bound.of_rest(*name)?;
            let lacking = all.len().checked_sub(own.len())?;
            let axis = |(place, size): (usize, &Num)| {
                let is_stretched = *size == Num::ONE && all[lacking + place] != Num::ONE;
                if is_stretched {
                    Term::One
                } else {
                    Term::Axis(Label(*name, number(lacking + place)))
                }
            };
            own.iter().enumerate().map(|(place, size)| axis((place, size))).collect()
        }
        Term::Axis(label) => {
            let is_stretched = own == [Num::ONE] && bound.of_label(*label) != Some(Num::ONE);
            vec![if is_stretched { Term::One } else { term.clone() }]
        }
        term => vec![term.clone()],
    })
}

/// A size as one word: what is not a number or a name gets a name.
fn named(text: String, names: &mut BTreeMap<String, String>) -> String {
    let is_number = text.bytes().all(|b| b.is_ascii_digit());
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && text != "any";
    if is_number || is_name {
        return text;
    }
    let next = format!("size{}", names.len() + 1);
    names.entry(text).or_insert(next).clone()
}
