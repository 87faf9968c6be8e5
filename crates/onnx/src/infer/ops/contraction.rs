//! Operators that sum over axes that two operands share: products of matrices, and Einstein's sums.

use super::{
    super::{
        call::Call,
        known::Sizes,
        require::{Place, Stop},
        template::{Template, Term, axis, label, rest},
    },
    Family,
    agree::fit,
    pointwise,
};
use crate::element::Element;

/// The operators of this family.
pub(super) const RULES: Family = &[
    ("Det", determinant),
    ("Einsum", einsum),
    ("Gemm", gemm),
    ("MatMul", matmul),
    ("MatMulInteger", |call| {
        let sizes = matrices(call, 1, [false; 2])?;
        call.give_sizes(0, Element::Int32, sizes);
        Ok(())
    }),
    ("QLinearMatMul", |call| {
        let sizes = matrices(call, 3, [false; 2])?;
        call.give_sizes(0, call.element(7), sizes);
        Ok(())
    }),
    ("com.microsoft::BiasGelu", biased),
    ("com.microsoft::DynamicQuantizeMatMul", |call| matmul_with_bias(call, 4)),
    ("com.microsoft::FastGelu", biased),
    ("com.microsoft::FusedGemm", gemm),
    ("com.microsoft::FusedMatMul", fused_matmul),
    ("com.microsoft::Gelu", pointwise::same),
    ("com.microsoft::MatMulInteger16", |call| {
        let sizes = matrices(call, 1, [false; 2])?;
        call.give_sizes(0, Element::Int32, sizes);
        Ok(())
    }),
    ("com.microsoft::MatMulIntegerToFloat", |call| matmul_with_bias(call, 6)),
    ("com.microsoft::MatMulNBits", matmul_bits),
    ("com.microsoft::QuickGelu", pointwise::same),
    ("com.microsoft::TransposeMatMul", fused_matmul),
];

/// `..b.., i, k; ..b.., k, j => ..b.., i, j`, where an operand of one axis has that of the sum
/// only. The second matrix is the input with this number. Gives the sizes of the result.
fn matrices(
    call: &mut Call<'_, '_>,
    second: usize,
    is_transposed: [bool; 2],
) -> Result<Sizes, Stop> {
    let ranks = [call.shape_of_least(0, 1)?.len(), call.shape_of_least(second, 1)?.len()];
    let row = |rank: usize, names: [&'static str; 2], is_transposed: bool, sum: usize| {
        let [one, other] = names;
        match (rank, is_transposed) {
            (1, _) => vec![axis(names[sum])],
            (_, false) => vec![rest("b"), axis(one), axis(other)],
            (_, true) => vec![rest("b"), axis(other), axis(one)],
        }
    };
    let mut operands = vec![row(ranks[0], ["i", "k"], is_transposed[0], 1)];
    operands.extend(["scale", "zero"].into_iter().take(second - 1).map(|name| vec![rest(name)]));
    operands.push(row(ranks[1], ["k", "j"], is_transposed[1], 0));
    let mut result = vec![];
    if ranks.iter().any(|rank| *rank > 1) {
        result.push(rest("b"));
    }
    result.extend((ranks[0] > 1).then(|| axis("i")));
    result.extend((ranks[1] > 1).then(|| axis("j")));
    call.apply(Template { operands, result, ..Template::default() })
}

fn matmul(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = matrices(call, 1, [false; 2])?;
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

fn fused_matmul(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    // What is the batch of these is the row of others.
    if call.flag("transBatchA", false) || call.flag("transBatchB", false) {
        return Err(Stop::Operator);
    }
    let is_transposed = [call.flag("transA", false), call.flag("transB", false)];
    let sizes = matrices(call, 1, is_transposed)?;
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

/// A product of floats, or of numbers that stand for floats, to which a bias of one axis is added.
fn matmul_with_bias(call: &mut Call<'_, '_>, bias: usize) -> Result<(), Stop> {
    let sizes = matrices(call, 1, [false; 2])?;
    if let Some((axis, size)) = sizes.iter().enumerate().next_back() {
        fit(call, bias, &[(*size, Place::Result(axis))])?;
    }
    call.give_sizes(0, Element::Float, sizes);
    Ok(())
}

/// The second matrix is packed into blocks; attributes say its sizes.
fn matmul_bits(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let [sum, columns] = ["K", "N"].map(|name| call.int(name).ok_or(Stop::Attribute(name)));
    let template = Template {
        operands: vec![vec![rest("b"), axis("k")]],
        result: vec![rest("b"), Term::Size(columns?.into())],
        given: vec![(label("k"), sum?.into())],
        stretches: false,
    };
    call.give_template(0, call.element(0), template)
}

/// `i, k; k, j => i, j`, each matrix transposed where the node says so, and a third input that is
/// broadcast to the result.
fn gemm(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let row = |names: [&'static str; 2], is_transposed: bool| {
        let [one, other] = names.map(axis);
        if is_transposed { vec![other, one] } else { vec![one, other] }
    };
    let template = Template {
        operands: vec![
            row(["i", "k"], call.flag("transA", false)),
            row(["k", "j"], call.flag("transB", false)),
        ],
        result: vec![axis("i"), axis("j")],
        ..Template::default()
    };
    let sizes = call.apply(template)?;
    fit(call, 2, &[(sizes[0], Place::Result(0)), (sizes[1], Place::Result(1))])?;
    call.give_sizes(0, call.element(0), sizes);
    Ok(())
}

fn biased(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let sizes = call.shape_of_least(0, 1)?.clone();
    let last = sizes.len() - 1;
    fit(call, 1, &[(sizes[last], Place::Axis(0, last))])?;
    pointwise::same(call)
}

/// `..a.., m, m => ..a..`.
fn determinant(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let template = Template {
        operands: vec![vec![rest("a"), axis("m"), axis("m")]],
        result: vec![rest("a")],
        ..Template::default()
    };
    call.give_template(0, call.element(0), template)
}

/// The name of the axes that an ellipsis stands for.
const REST: &str = "rest";

/// The row of a term of an equation, without spaces; none where it has something that is neither a
/// letter nor an ellipsis.
fn row(text: &str) -> Option<Vec<Term>> {
    let mut row = vec![];
    let mut left = text;
    while let Some(first) = left.chars().next() {
        if let Some(after) = left.strip_prefix("...") {
            row.push(rest(REST));
            left = after;
        } else if first.is_ascii_alphabetic() {
            row.push(axis(&left[..1]));
            left = &left[1..];
        } else {
            return None;
        }
    }
    Some(row)
}

/// The row of a result that an equation leaves out: the letters that occur once, in the order of
/// the alphabet, capitals first.
fn implied(operands: &[Vec<Term>]) -> Vec<Term> {
    let count = |term: &Term| operands.iter().flatten().filter(|own| *own == term).count();
    let rest = rest(REST);
    let has_rest = count(&rest) > 0;
    let letters = ('A'..='Z').chain('a'..='z').map(|letter| axis(letter.encode_utf8(&mut [0; 4])));
    let single = letters.filter(|term| count(term) == 1);
    has_rest.then_some(rest).into_iter().chain(single).collect()
}

fn einsum(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    const EQUATION: Stop = Stop::Attribute("equation");
    let equation = call.string("equation").ok_or(EQUATION)?.replace(' ', "");
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (&*equation, None),
    };
    let operands: Option<Vec<_>> = left.split(',').map(row).collect();
    let operands = operands.filter(|rows| rows.len() == call.input_count()).ok_or(EQUATION)?;
    let result = match right {
        Some(right) => row(right).ok_or(EQUATION)?,
        None => implied(&operands),
    };
    // An axis of one element is stretched to others of its letter, as NumPy does.
    call.give_template(
        0,
        call.element(0),
        Template { operands, result, given: vec![], stretches: true },
    )
}
