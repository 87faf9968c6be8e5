//! What the primitives compute, for each type of elements.
//!
//! A truth is 1 or 0, and every number but 0 is taken for true. Integers wrap; their quotients and
//! remainders round towards 0, and are 0 where something is divided by 0. A primitive that has no
//! integer result (`exp`) is computed in `f64` and rounded towards 0; a result beyond the integers
//! becomes the nearest one, and NaN becomes 0.

use std::fmt;

use lozenge::{Binary, Ternary, Unary};

/// What arrays are made of: `f32`, `f64`, `i32` or `i64`.
pub trait Element: Copy + PartialEq + fmt::Debug + sealed::Sealed {
    /// The element for a number: the nearest; of integers, the nearest towards 0.
    fn of(number: f64) -> Self;

    /// A primitive of one element.
    #[must_use]
    fn unary(self, primitive: Unary) -> Self;

    /// A primitive of two elements.
    #[must_use]
    fn binary(self, primitive: Binary, other: Self) -> Self;

    /// A primitive of three elements.
    #[must_use]
    fn ternary(self, primitive: Ternary, second: Self, third: Self) -> Self {
        match primitive {
            Ternary::Where => {
                if self == Self::of(0.0) {
                    third
                } else {
                    second
                }
            }
            Ternary::MultiplyAdd => self.multiply_add(second, third),
            Ternary::MultiplyThree => {
                self.binary(Binary::Multiply, second).binary(Binary::Multiply, third)
            }
            other => unreachable_primitive(other.name()),
        }
    }

    /// The product of the first two, plus the third; rounded once.
    #[must_use]
    fn multiply_add(self, factor: Self, more: Self) -> Self;
}

/// The enumerations of primitives can grow; a new one is written here before it is used.
fn unreachable_primitive<T: Element>(name: &str) -> T {
    debug_assert!(false, "the reference executor has no `{name}`");
    T::of(0.0)
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

fn truth<T: Element>(is: bool) -> T {
    T::of(f64::from(u8::from(is)))
}

/// The primitives of a floating-point type.
macro_rules! floating {
    ($float:ident) => {
        impl Element for $float {
            #[allow(clippy::cast_possible_truncation, clippy::cast_lossless)] // the nearest one
            fn of(number: f64) -> $float {
                number as $float
            }

            fn unary(self, primitive: Unary) -> $float {
                match primitive {
                    // What is not a number stays so.
                    Unary::Relu if self <= 0.0 => 0.0,
                    Unary::Relu => self,
                    Unary::Saturate => self.clamp(0.0, 1.0),
                    Unary::Exp => self.exp(),
                    Unary::Log => self.ln(),
                    Unary::Exp2 => self.exp2(),
                    Unary::Log2 => self.log2(),
                    Unary::Sin => self.sin(),
                    Unary::Cos => self.cos(),
                    Unary::Sqrt => self.sqrt(),
                    Unary::Reciprocal => self.recip(),
                    Unary::ReciprocalSqrt => self.sqrt().recip(),
                    Unary::Negate => -self,
                    Unary::Tanh => self.tanh(),
                    Unary::Not => truth(self == 0.0),
                    Unary::Truncate => self.trunc(),
                    other => unreachable_primitive(other.name()),
                }
            }

            #[allow(clippy::float_cmp)] // to the last bit is what these compute
            fn binary(self, primitive: Binary, other: $float) -> $float {
                match primitive {
                    Binary::First => self,
                    Binary::Second => other,
                    Binary::Add => self + other,
                    Binary::Subtract => self - other,
                    Binary::Multiply => self * other,
                    Binary::Divide => self / other,
                    Binary::Power => self.powf(other),
                    Binary::ReluGate => gate(self > 0.0, other),
                    Binary::SaturateGate => gate(self > 0.0 && self < 1.0, other),
                    Binary::Less => truth(self < other),
                    Binary::AtMost => truth(self <= other),
                    Binary::Equal => truth(self == other),
                    Binary::NotEqual => truth(self != other),
                    Binary::Or => truth(self != 0.0 || other != 0.0),
                    Binary::And => truth(self != 0.0 && other != 0.0),
                    Binary::Modulo => self % other,
                    Binary::Max | Binary::Min if self.is_nan() => self,
                    Binary::Max if self >= other => self,
                    Binary::Min if self <= other => self,
                    Binary::Max | Binary::Min => other,
                    other => unreachable_primitive(other.name()),
                }
            }

            fn multiply_add(self, factor: $float, more: $float) -> $float {
                self.mul_add(factor, more)
            }
        }
    };
}

/// The primitives of an integer type.
macro_rules! integer {
    ($integer:ident) => {
        impl Element for $integer {
            #[allow(clippy::cast_possible_truncation)] // towards 0, and no further than the ends
            fn of(number: f64) -> $integer {
                number as $integer
            }

            // Casts are for what has no integer result.
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless)]
            fn unary(self, primitive: Unary) -> $integer {
                match primitive {
                    Unary::Relu => self.max(0),
                    Unary::Saturate => self.clamp(0, 1),
                    Unary::Reciprocal => $integer::from(1_i8).binary(Binary::Divide, self),
                    // Below 0 there is none: 0, as of a division by 0.
                    Unary::Sqrt => self.checked_isqrt().unwrap_or(0),
                    Unary::Negate => self.wrapping_neg(),
                    Unary::Not => truth(self == 0),
                    Unary::Truncate => self,
                    Unary::Exp
                    | Unary::Log
                    | Unary::Exp2
                    | Unary::Log2
                    | Unary::Sin
                    | Unary::Cos
                    | Unary::ReciprocalSqrt
                    | Unary::Tanh => $integer::of((self as f64).unary(primitive)),
                    other => unreachable_primitive(other.name()),
                }
            }

            fn binary(self, primitive: Binary, other: $integer) -> $integer {
                match primitive {
                    Binary::First => self,
                    Binary::Second => other,
                    Binary::Add => self.wrapping_add(other),
                    Binary::Subtract => self.wrapping_sub(other),
                    Binary::Multiply => self.wrapping_mul(other),
                    Binary::Divide | Binary::Modulo if other == 0 => 0,
                    Binary::Divide => self.wrapping_div(other),
                    Binary::Modulo => self.wrapping_rem(other),
                    Binary::Power => power(self, other, $integer::wrapping_mul),
                    Binary::ReluGate => gate(self > 0, other),
                    Binary::SaturateGate => 0, // no integer is above 0 and below 1
                    Binary::Less => truth(self < other),
                    Binary::AtMost => truth(self <= other),
                    Binary::Equal => truth(self == other),
                    Binary::NotEqual => truth(self != other),
                    Binary::Or => truth(self != 0 || other != 0),
                    Binary::And => truth(self != 0 && other != 0),
                    Binary::Max => self.max(other),
                    Binary::Min => self.min(other),
                    other => unreachable_primitive(other.name()),
                }
            }

            fn multiply_add(self, factor: $integer, more: $integer) -> $integer {
                self.wrapping_mul(factor).wrapping_add(more)
            }
        }
    };
}

floating!(f32);
floating!(f64);
integer!(i32);
integer!(i64);

fn gate<T: Element>(is_open: bool, element: T) -> T {
    if is_open { element } else { T::of(0.0) }
}

/// A power of integers: with an exponent below 0, one divided by it, rounded towards 0.
fn power<T: Element + PartialOrd + Into<i64>>(base: T, exponent: T, times: fn(T, T) -> T) -> T {
    let one = T::of(1.0);
    let exponent: i64 = exponent.into();
    let (mut left, mut square, mut product) = (exponent.unsigned_abs(), base, one);
    while left > 0 {
        if left % 2 == 1 {
            product = times(product, square);
        }
        square = times(square, square);
        left /= 2;
    }
    if exponent >= 0 {
        return product;
    }
    // Of a product that has wrapped around nothing would be left that means anything.
    let is_unit = base == one || base == T::of(-1.0);
    if is_unit { product } else { T::of(0.0) }
}
