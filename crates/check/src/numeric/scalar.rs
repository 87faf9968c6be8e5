//! The scalar part of a case: a random tree over its operands, an accumulation, a type of elements.
//!
//! NumPy and the executor may round differently, so transcendental primitives are applied only to
//! elements that were read, and their values neither compared nor truncated.

use std::collections::BTreeSet;

use lozenge::{Accumulation, Binary, Expression, Ternary, Unary};
use serde::{Serialize, Serializer, ser::SerializeSeq};

use crate::Generator;

/// The types of elements.
pub(super) const ELEMENTS: [&str; 4] = ["f64", "f32", "i32", "i64"];

/// The scalar part of a case.
pub(super) struct Scalar {
    pub(super) value: Expression,
    pub(super) accumulation: Accumulation,
    pub(super) element: &'static str,
    /// Whether what is there is erased.
    pub(super) is_erasing: bool,
}

const JUMPS: [Unary; 2] = [Unary::Not, Unary::Truncate];
const SMOOTH: [Unary; 7] = [
    Unary::Relu,
    Unary::Saturate,
    Unary::Sqrt,
    Unary::Reciprocal,
    Unary::ReciprocalSqrt,
    Unary::Negate,
    Unary::Relu,
];
const ROUNDED: [Unary; 7] =
    [Unary::Exp, Unary::Log, Unary::Exp2, Unary::Log2, Unary::Sin, Unary::Cos, Unary::Tanh];
const JUMPING_PAIRS: [Binary; 8] = [
    Binary::ReluGate,
    Binary::SaturateGate,
    Binary::Less,
    Binary::AtMost,
    Binary::Equal,
    Binary::NotEqual,
    Binary::Or,
    Binary::Modulo,
];
const SMOOTH_PAIRS: [Binary; 9] = [
    Binary::First,
    Binary::Second,
    Binary::Add,
    Binary::Subtract,
    Binary::Multiply,
    Binary::Divide,
    Binary::Max,
    Binary::Min,
    Binary::Add,
];

impl Scalar {
    /// A scalar part of this many operands. Each is read, so that something is left wherever one of
    /// them is.
    pub(super) fn draw(
        rng: &mut Generator,
        operands: usize,
        accumulations: &[Accumulation],
    ) -> Scalar {
        let mut tree: Option<Tree> = None;
        for operand in 0..operands {
            let one = Tree::leaf(rng, Expression::read(operand));
            tree = Some(match tree {
                None => one,
                Some(all) => all.with(rng, one),
            });
        }
        let mut tree = tree.unwrap_or_else(|| Tree::exact(0.0.into()));
        for _ in 0..[0, 0, 1, 1, 2][rng.usize(..5)] {
            let number = f64::from(rng.i8(-2..=4)) / 2.0;
            tree = match rng.u8(..4) {
                0 => tree.with(rng, Tree::exact(number.into())),
                1 => Tree::exact(number.into()).with(rng, tree),
                2 => tree.under(rng),
                _ => {
                    let again = rng.usize(..operands.max(1));
                    let again = Tree::leaf(rng, Expression::read(again));
                    Tree::three(rng, tree, again, Tree::exact(number.into()))
                }
            };
        }
        Scalar {
            value: tree.value,
            accumulation: accumulations[rng.usize(..accumulations.len())],
            element: ELEMENTS[rng.usize(..ELEMENTS.len())],
            is_erasing: rng.u8(..3) > 0,
        }
    }

    /// The constructs that it has, by name.
    pub(super) fn constructs(&self) -> BTreeSet<&'static str> {
        fn of(value: &Expression, found: &mut BTreeSet<&'static str>) {
            match value {
                Expression::Unary(primitive, _) => found.insert(primitive.name()),
                Expression::Binary(primitive, _) => found.insert(primitive.name()),
                Expression::Ternary(primitive, _) => found.insert(primitive.name()),
                _ => false,
            };
            let is_tree = value.operands().iter().any(|operand| !operand.operands().is_empty());
            if is_tree {
                found.insert("tree");
            }
            value.operands().iter().for_each(|operand| of(operand, found));
        }
        let mut found = BTreeSet::from([self.element]);
        of(&self.value, &mut found);
        let by = self.accumulation;
        found.insert(if self.is_erasing { by.erasing() } else { by.name() });
        found
    }
}

/// The constructs of scalar parts that must occur, and of cases without a specification.
pub fn scalar_constructs() -> Vec<&'static str> {
    let unary = Unary::ALL.iter().map(|primitive| primitive.name());
    let binary = Binary::ALL.iter().map(|primitive| primitive.name());
    let ternary = Ternary::ALL.iter().map(|primitive| primitive.name());
    let forms = Accumulation::ALL.iter().flat_map(|by| [by.name(), by.erasing()]);
    let own = ["tree", "compose_accumulate", "reshape refined", "reshape flat"];
    let all = unary.chain(binary).chain(ternary).chain(forms).chain(own).chain(ELEMENTS);
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A tree as Python reads it: `["add", ["read", 0], ["number", 1.0]]`.
pub(super) struct Spelled<'a>(pub(super) &'a Expression);

impl Serialize for Spelled<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let operands = self.0.operands();
        let mut spelled = to.serialize_seq(None)?;
        match self.0 {
            Expression::Read(number) => {
                spelled.serialize_element("read")?;
                spelled.serialize_element(number)?;
            }
            Expression::Constant(number) => {
                spelled.serialize_element("number")?;
                spelled.serialize_element(&number.value())?;
            }
            Expression::Unary(primitive, _) => spelled.serialize_element(primitive.name())?,
            Expression::Binary(primitive, _) => spelled.serialize_element(primitive.name())?,
            Expression::Ternary(primitive, _) => spelled.serialize_element(primitive.name())?,
            _ => spelled.serialize_element("?")?,
        }
        for operand in operands {
            spelled.serialize_element(&Spelled(operand))?;
        }
        spelled.end()
    }
}

/// A tree, and whether its value is the same to the last bit wherever it is computed.
struct Tree {
    value: Expression,
    is_exact: bool,
}

impl Tree {
    fn exact(value: Expression) -> Tree {
        Tree { value, is_exact: true }
    }

    /// An element that was read, or a primitive of it.
    fn leaf(rng: &mut Generator, read: Expression) -> Tree {
        match rng.u8(..10) {
            0..4 => Tree::exact(read),
            4..7 => {
                let primitive = ROUNDED[rng.usize(..ROUNDED.len())];
                Tree { value: read.unary(primitive), is_exact: false }
            }
            _ => Tree::exact(read).under(rng),
        }
    }

    fn under(self, rng: &mut Generator) -> Tree {
        let primitive = if self.is_exact && rng.bool() {
            JUMPS[rng.usize(..JUMPS.len())]
        } else {
            SMOOTH[rng.usize(..SMOOTH.len())]
        };
        Tree { value: self.value.unary(primitive), is_exact: self.is_exact }
    }

    fn with(self, rng: &mut Generator, other: Tree) -> Tree {
        let is_exact = self.is_exact && other.is_exact;
        let is_simple = self.value.operands().is_empty() && other.value.operands().is_empty();
        let (primitive, is_exact) = match rng.u8(..12) {
            0..6 if is_exact => (JUMPING_PAIRS[rng.usize(..JUMPING_PAIRS.len())], true),
            6 if is_exact => (Binary::And, true),
            7..=9 if is_simple => (Binary::Power, false),
            _ => (SMOOTH_PAIRS[rng.usize(..SMOOTH_PAIRS.len())], is_exact),
        };
        Tree { value: self.value.binary(primitive, other.value), is_exact }
    }

    fn three(rng: &mut Generator, one: Tree, two: Tree, three: Tree) -> Tree {
        let is_exact = one.is_exact && two.is_exact && three.is_exact;
        let (primitive, is_exact) = match rng.u8(..3) {
            0 if one.is_exact => (Ternary::Where, is_exact),
            1 => (Ternary::MultiplyAdd, false),
            _ => (Ternary::MultiplyThree, is_exact),
        };
        let operands = [one, two, three].map(|tree| tree.value);
        Tree { value: Expression::ternary(primitive, operands), is_exact }
    }
}
