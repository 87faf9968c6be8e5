//! What is done at a point: combining what was read, accumulating what was combined.

use std::{
    fmt,
    ops::{Add, Div, Mul, Sub},
};

/// How the operands that are read at a point are combined, from the first to the last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Combine {
    /// Their product.
    Multiply,
    /// Their sum.
    Add,
    /// The first without the others.
    Subtract,
    /// The first divided by the others.
    Divide,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// 1 where all are the same, else 0.
    Equal,
    /// 1 where the first is below the second, else 0.
    Less,
    /// 1 where the first is at most the second, else 0.
    AtMost,
    /// 1 where all are other than 0, else 0.
    And,
    /// 1 where one is other than 0, else 0.
    Or,
    /// The second where the first is other than 0, else the third.
    Where,
}

/// How what is combined is accumulated in a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Accumulate {
    /// From 0.
    Sum,
    /// From 1.
    Product,
    /// From −∞.
    Max,
    /// From +∞.
    Min,
    /// 1 where everything is other than 0; from 1.
    And,
    /// 1 where something is other than 0; from 0.
    Or,
}

/// What arrays are made of: `f32` or `f64`.
pub trait Element:
    Copy
    + PartialOrd
    + fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + sealed::Sealed
{
    /// The element nearest to a number.
    fn of(number: f64) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Element for f32 {
    #[allow(clippy::cast_possible_truncation)] // the nearest one
    fn of(number: f64) -> f32 {
        number as f32
    }
}

impl Element for f64 {
    fn of(number: f64) -> f64 {
        number
    }
}

/// The larger; what is not a number stays so.
#[allow(clippy::eq_op)] // only what is not a number differs from itself
fn larger<T: Element>(one: T, other: T) -> T {
    if one >= other || one != one { one } else { other }
}

/// The smaller; what is not a number stays so.
#[allow(clippy::eq_op)]
fn smaller<T: Element>(one: T, other: T) -> T {
    if one <= other || one != one { one } else { other }
}

impl Combine {
    /// Whether it takes so many operands.
    pub fn takes(self, operands: usize) -> bool {
        match self {
            Combine::Less | Combine::AtMost => operands == 2,
            Combine::Where => operands == 3,
            Combine::Multiply
            | Combine::Add
            | Combine::Subtract
            | Combine::Divide
            | Combine::Max
            | Combine::Min
            | Combine::Equal
            | Combine::And
            | Combine::Or => operands >= 1,
        }
    }

    /// The combination of what was read; one operand is itself.
    pub fn of<T: Element>(self, read: &[T]) -> T {
        let (zero, truth) = (T::of(0.0), |is: bool| T::of(f64::from(u8::from(is))));
        let [first, rest @ ..] = read else { return zero };
        if rest.is_empty() {
            return *first;
        }
        let fold = |by: fn(T, T) -> T| rest.iter().fold(*first, |all, one| by(all, *one));
        match self {
            Combine::Multiply => fold(T::mul),
            Combine::Add => fold(T::add),
            Combine::Subtract => fold(T::sub),
            Combine::Divide => fold(T::div),
            Combine::Max => fold(larger),
            Combine::Min => fold(smaller),
            Combine::Equal => truth(rest.iter().all(|one| one == first)),
            Combine::Less => truth(*first < rest[0]),
            Combine::AtMost => truth(*first <= rest[0]),
            Combine::And => truth(read.iter().all(|one| *one != zero)),
            Combine::Or => truth(read.iter().any(|one| *one != zero)),
            Combine::Where => {
                let chosen = if *first == zero { rest.last() } else { rest.first() };
                chosen.copied().unwrap_or(zero)
            }
        }
    }
}

impl Accumulate {
    /// What a cell holds before anything is accumulated.
    pub fn neutral<T: Element>(self) -> T {
        T::of(match self {
            Accumulate::Sum | Accumulate::Or => 0.0,
            Accumulate::Product | Accumulate::And => 1.0,
            Accumulate::Max => f64::NEG_INFINITY,
            Accumulate::Min => f64::INFINITY,
        })
    }

    /// What a cell holds after one more.
    pub fn step<T: Element>(self, cell: T, more: T) -> T {
        let (zero, truth) = (T::of(0.0), |is: bool| T::of(f64::from(u8::from(is))));
        match self {
            Accumulate::Sum => cell + more,
            Accumulate::Product => cell * more,
            Accumulate::Max => larger(cell, more),
            Accumulate::Min => smaller(cell, more),
            Accumulate::And => truth(cell != zero && more != zero),
            Accumulate::Or => truth(cell != zero || more != zero),
        }
    }
}
