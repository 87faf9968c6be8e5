//! The signs of Rust for tensors, and the primitives by their names.

use std::ops;

use lozenge::{Binary, Unary};

use crate::{build::Operand, graph::Tensor};

/// Signs: each is pointwise, and the other side may be a number.
macro_rules! signs {
    ($($sign:ident $method:ident $primitive:ident)*) => {
        $(impl<'g, T: Operand<'g>> ops::$sign<T> for Tensor<'g> {
            type Output = Tensor<'g>;

            #[track_caller]
            fn $method(self, other: T) -> Tensor<'g> {
                self.binary(Binary::$primitive, other)
            }
        }

        impl<'g> ops::$sign<Tensor<'g>> for f64 {
            type Output = Tensor<'g>;

            #[track_caller]
            fn $method(self, other: Tensor<'g>) -> Tensor<'g> {
                self.on(other.graph).binary(Binary::$primitive, other)
            }
        }

        impl<'g> ops::$sign<Tensor<'g>> for i32 {
            type Output = Tensor<'g>;

            #[track_caller]
            fn $method(self, other: Tensor<'g>) -> Tensor<'g> {
                self.on(other.graph).binary(Binary::$primitive, other)
            }
        })*
    };
}

signs! { Add add Add  Sub sub Subtract  Mul mul Multiply  Div div Divide  Rem rem Modulo }

impl<'g> ops::Neg for Tensor<'g> {
    type Output = Tensor<'g>;

    #[track_caller]
    fn neg(self) -> Tensor<'g> {
        self.unary(Unary::Negate)
    }
}

/// 1 where an element is 0, else 0.
impl<'g> ops::Not for Tensor<'g> {
    type Output = Tensor<'g>;

    #[track_caller]
    fn not(self) -> Tensor<'g> {
        self.unary(Unary::Not)
    }
}

/// Primitives of one tensor, and of two.
macro_rules! primitives {
    (
        unary { $($(#[$doc:meta])* $one:ident $unary:ident)* }
        binary { $($(#[$also:meta])* $two:ident $binary:ident)* }
    ) => {
        impl<'g> Tensor<'g> {
            $($(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $one(self) -> Tensor<'g> {
                self.unary(Unary::$unary)
            })*

            $($(#[$also])*
            #[track_caller]
            #[must_use]
            pub fn $two(self, other: impl Operand<'g>) -> Tensor<'g> {
                self.binary(Binary::$binary, other)
            })*
        }
    };
}

primitives! {
    unary {
        /// Each element where it is above 0, else 0.
        relu Relu
        /// Each element, but at least 0 and at most 1.
        saturate Saturate
        /// e to the power of each element.
        exp Exp
        /// The natural logarithm.
        log Log
        /// 2 to the power of each element.
        exp2 Exp2
        /// The logarithm to the base 2.
        log2 Log2
        /// The sine.
        sin Sin
        /// The cosine.
        cos Cos
        /// The square root.
        sqrt Sqrt
        /// 1 divided by each element.
        recip Reciprocal
        /// 1 divided by the square root.
        recip_sqrt ReciprocalSqrt
        /// The hyperbolic tangent.
        tanh Tanh
        /// Each element without its fraction.
        trunc Truncate
    }
    binary {
        /// Each element to the power of another.
        pow Power
        /// The larger.
        max Max
        /// The smaller.
        min Min
        /// Whether it is below the other.
        less Less
        /// Whether it is at most the other.
        at_most AtMost
        /// Whether both are the same.
        equal Equal
        /// Whether they differ.
        not_equal NotEqual
        /// Whether both are true.
        and And
        /// Whether one is true.
        or Or
    }
}

impl<'g> Tensor<'g> {
    /// Whether it is above the other.
    #[track_caller]
    #[must_use]
    pub fn greater(self, other: impl Operand<'g>) -> Tensor<'g> {
        other.on(self.graph).binary(Binary::Less, self)
    }

    /// Whether it is at least the other.
    #[track_caller]
    #[must_use]
    pub fn at_least(self, other: impl Operand<'g>) -> Tensor<'g> {
        other.on(self.graph).binary(Binary::AtMost, self)
    }
}
