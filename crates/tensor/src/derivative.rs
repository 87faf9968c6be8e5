//! Derivatives of the scalar part of an operation: a rule for each primitive, in reverse.
//!
//! What arrives at the root of a tree is handed down to its reads; what reaches one read by several
//! ways is added. The numbers in it are simplified as far as nobody would have written them.

use std::{f64::consts::LN_2, fmt};

use lozenge::{Binary, Expression, Ternary, Unary};

/// What has no derivative, as the subject of a sentence: the name of a function that only its
/// caller knows, or "a concatenation of a difference, a quotient or the like".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoDerivative(pub String);

impl fmt::Display for NoDerivative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no derivative", self.0)
    }
}

impl std::error::Error for NoDerivative {}

/// What reaches a read of a tree, by its number, where this arrives at the root; `None` where
/// nothing does.
pub(crate) fn reaching(
    value: &Expression,
    read: usize,
    arriving: Expression,
) -> Result<Option<Expression>, NoDerivative> {
    let mut found = None;
    hand_down(value, read, arriving, &mut found)?;
    Ok(found)
}

fn mentions(value: &Expression, read: usize) -> bool {
    match value {
        Expression::Read(number) => *number == read,
        _ => value.operands().iter().any(|operand| mentions(operand, read)),
    }
}

fn hand_down(
    value: &Expression,
    read: usize,
    arriving: Expression,
    found: &mut Option<Expression>,
) -> Result<(), NoDerivative> {
    if !mentions(value, read) {
        return Ok(());
    }
    match value {
        Expression::Read(_) => {
            *found = Some(match found.take() {
                Some(before) => before + arriving,
                None => arriving,
            });
            Ok(())
        }
        Expression::Unary(primitive, operand) => {
            match of_unary(*primitive, operand, value, arriving) {
                Some(handed) => hand_down(operand, read, handed, found),
                None => Ok(()),
            }
        }
        Expression::Binary(primitive, operands) => {
            let handed = of_binary(*primitive, operands, value, &arriving);
            for (operand, handed) in operands.iter().zip(handed) {
                if let Some(handed) = handed {
                    hand_down(operand, read, handed, found)?;
                }
            }
            Ok(())
        }
        Expression::Ternary(primitive, operands) => {
            let [a, b, c] = &**operands;
            let where_true =
                |value, other| Some(Expression::ternary(Ternary::Where, [a.clone(), value, other]));
            let handed = match primitive {
                Ternary::Where => [
                    None,
                    where_true(arriving.clone(), 0.0.into()),
                    where_true(0.0.into(), arriving),
                ],
                Ternary::MultiplyAdd => [
                    Some(times(arriving.clone(), b.clone())),
                    Some(times(arriving.clone(), a.clone())),
                    Some(arriving),
                ],
                Ternary::MultiplyThree => [
                    Some(times(times(arriving.clone(), b.clone()), c.clone())),
                    Some(times(times(arriving.clone(), a.clone()), c.clone())),
                    Some(times(times(arriving, a.clone()), b.clone())),
                ],
                other => return Err(NoDerivative(format!("`{}`", other.name()))),
            };
            for (operand, handed) in operands.iter().zip(handed) {
                if let Some(handed) = handed {
                    hand_down(operand, read, handed, found)?;
                }
            }
            Ok(())
        }
        Expression::Call(name, _) => Err(NoDerivative(format!("`{name}`"))),
        // A constant mentions no read.
        _ => Ok(()),
    }
}

#[allow(clippy::float_cmp)] // the number itself, and none that is near it
fn is_number(value: &Expression, number: f64) -> bool {
    matches!(value, Expression::Constant(own) if own.value() == number)
}

/// A product, without the numbers that change nothing.
pub(crate) fn times(a: Expression, b: Expression) -> Expression {
    if is_number(&a, 1.0) {
        return b;
    }
    if is_number(&b, 1.0) { a } else { a * b }
}

/// What a primitive of one operand hands to it; `value` is the primitive itself.
fn of_unary(
    primitive: Unary,
    operand: &Expression,
    value: &Expression,
    arriving: Expression,
) -> Option<Expression> {
    let x = operand.clone();
    let y = value.clone();
    let half = Expression::from(0.5);
    Some(match primitive {
        // 0 at 0.
        Unary::Relu => x.binary(Binary::ReluGate, arriving),
        Unary::Saturate => x.binary(Binary::SaturateGate, arriving),
        Unary::Exp => times(arriving, y),
        Unary::Log => arriving / x,
        Unary::Exp2 => times(arriving, y * LN_2.into()),
        Unary::Log2 => arriving / (x * LN_2.into()),
        Unary::Sin => times(arriving, x.unary(Unary::Cos)),
        Unary::Cos => -times(arriving, x.unary(Unary::Sin)),
        Unary::Sqrt => times(half, arriving) / y,
        Unary::Reciprocal => -(arriving / (x.clone() * x)),
        Unary::ReciprocalSqrt => -(times(half, arriving) * y / x),
        Unary::Negate => -arriving,
        Unary::Tanh => times(arriving, Expression::from(1.0) - y.clone() * y),
        // Not, truncate: steps, flat wherever they have a derivative.
        _ => return None,
    })
}

/// What a primitive of two operands hands to each of them; `value` is the primitive itself.
fn of_binary(
    primitive: Binary,
    operands: &[Expression; 2],
    value: &Expression,
    arriving: &Expression,
) -> [Option<Expression>; 2] {
    let [a, b] = operands.clone();
    let g = || arriving.clone();
    let zero = || Expression::from(0.0);
    let choose = |a, b, c| Expression::ternary(Ternary::Where, [a, b, c]);
    match primitive {
        Binary::First => [Some(g()), None],
        Binary::Second => [None, Some(g())],
        Binary::Add => [Some(g()), Some(g())],
        Binary::Subtract => [Some(g()), Some(-g())],
        Binary::Multiply => [Some(times(g(), b)), Some(times(g(), a))],
        Binary::Divide => [Some(g() / b.clone()), Some(-(times(g(), a) / (b.clone() * b)))],
        Binary::Power => [
            Some(of_base(&a, &b, g())),
            Some(times(g(), {
                // What no logarithm is of has no slope.
                let slope = value.clone() * a.clone().unary(Unary::Log);
                choose(a.binary(Binary::Equal, zero()), zero(), slope)
            })),
        ],
        Binary::ReluGate | Binary::SaturateGate => [None, Some(a.binary(primitive, g()))],
        Binary::Modulo => {
            let whole = (a / b).unary(Unary::Truncate);
            [Some(g()), Some(-times(g(), whole))]
        }
        // Those that are equal share what arrives.
        Binary::Max | Binary::Min => {
            let [low, high] = if primitive == Binary::Max { [&b, &a] } else { [&a, &b] };
            let is_same = || a.clone().binary(Binary::Equal, b.clone());
            let first_wins = || low.clone().binary(Binary::Less, high.clone());
            [[g(), zero()], [zero(), g()]].map(|[if_first, if_second]| {
                let alone = choose(first_wins(), if_first, if_second);
                Some(choose(is_same(), times(0.5.into(), g()), alone))
            })
        }
        // Comparisons and truths: steps.
        _ => [None, None],
    }
}

/// What a power hands to its base.
fn of_base(base: &Expression, exponent: &Expression, arriving: Expression) -> Expression {
    if let Expression::Constant(number) = exponent {
        let less = number.value() - 1.0;
        let slope = match less {
            0.0 => return arriving,
            1.0 => base.clone(),
            _ => base.clone().binary(Binary::Power, less.into()),
        };
        return times(arriving, exponent.clone() * slope);
    }
    let less = exponent.clone() - 1.0.into();
    let slope = exponent.clone() * base.clone().binary(Binary::Power, less);
    let is_flat = exponent.clone().binary(Binary::Equal, 0.0.into());
    times(arriving, Expression::ternary(Ternary::Where, [is_flat, 0.0.into(), slope]))
}
