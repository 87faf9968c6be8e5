//! A node as an einsum: its specification with the shapes of its operands, for whoever derives loops.

use std::collections::BTreeMap;

use super::{
    super::{
        id::NodeId,
        inferred::Inferred,
        num::Num,
        template::{Label, Template, Term},
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
    /// The operator, where it does something else at each point than to multiply what it reads.
    pub op: Option<String>,
    /// The value that is added to the sum, and that the specification leaves out: a bias.
    pub bias: Option<String>,
}

/// A node as an einsum; none where its operator cannot be said so, or its shapes are open.
///
/// Rows are written axis by axis, since a specification does not stretch: an axis that does is read at 0.
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
        let mut terms = vec![];
        for (term, own) in entries(row, sizes)? {
            terms.extend(expanded(&bound, term, own)?);
        }
        written.operands.push(terms);
        let axes = sizes.iter().map(|size| named(nums.text(*size), &mut names));
        shapes.push(axes.collect::<Vec<_>>().join(","));
    }
    for term in &template.result {
        match term {
            Term::Rest(name) => {
                let count = bound.of_rest(*name)?.len();
                written
                    .result
                    .extend((0..count).map(|place| Term::Axis(Label(*name, number(place)))));
            }
            term => written.result.push(term.clone()),
        }
    }
    let sets = template
        .given
        .iter()
        .filter_map(|(label, num)| Some((label.to_string(), u64::try_from(num.as_int()?).ok()?)));
    let mut made: Vec<(String, String)> =
        names.into_iter().map(|(text, name)| (name, text)).collect();
    made.sort();
    let is_product = operands < 2 || PRODUCTS.contains(&op.as_str());
    let spec = written.text(nums);
    Some(Einsum {
        spec,
        shapes,
        sets: sets.collect(),
        names: made,
        op: (!is_product).then_some(op),
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
