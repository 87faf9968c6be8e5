//! Operations whose statements you write: the consumer regime.
//!
//! Inside of an operation's definition there are loops already, which its logic gave it. A
//! statement takes them as they are, seen from the slots that its names claim: `v` and `g` are the
//! result and its gradient, `v1` and `g1` the first operand and its gradient, and a name that ends
//! in `_rhs1` is an intermediate with the shape of the first operand. Which loop is a reduction
//! follows from what is written.

use std::{ops, sync::Arc};

use lozenge::{
    Accumulation, Binary, Expression, Operation, Site, Ternary, Unary,
    project::{Slot, Statement},
};

/// The tensor that a name claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    Value(Slot),
    Gradient(Slot),
    Intermediate(Slot),
}

impl Claim {
    /// What a name claims; `None` where it claims no slot.
    pub(crate) fn of(name: &str) -> Option<Claim> {
        let operand = |digit: &str| match digit {
            "" => Some(Slot::RESULT),
            "1" => Some(Slot::operand(0)),
            "2" => Some(Slot::operand(1)),
            "3" => Some(Slot::operand(2)),
            _ => None,
        };
        if let Some((stem, suffix)) = name.rsplit_once('_') {
            let slot = match suffix {
                "lhs" => Some(Slot::RESULT),
                _ => suffix.strip_prefix("rhs").filter(|digit| !digit.is_empty()).and_then(operand),
            };
            return slot.filter(|_| !stem.is_empty()).map(Claim::Intermediate);
        }
        match name {
            "lhs" => return Some(Claim::Value(Slot::RESULT)),
            _ => {
                if let Some(digit) = name.strip_prefix("rhs").filter(|digit| !digit.is_empty()) {
                    return operand(digit).map(Claim::Value);
                }
            }
        }
        let mut letters = name.chars();
        match letters.next()? {
            'v' | 't' => operand(letters.as_str()).map(Claim::Value),
            'g' => operand(letters.as_str()).map(Claim::Gradient),
            _ => None,
        }
    }

    pub(crate) fn slot(&self) -> Slot {
        let (Claim::Value(slot) | Claim::Gradient(slot) | Claim::Intermediate(slot)) = self;
        *slot
    }
}

/// An operation with statements of your own: how its tensors are aligned, what its result is, and
/// how gradients are written.
///
/// ```
/// use lozenge::Compose;
/// use lozenge_tensor::{Definition, Graph, slot};
///
/// // What `compose` is made of: one record of loops, and three statements that are views of it.
/// let matmul = Definition::of(Compose)
///     .forward(slot("v").erased().add(slot("v1") * slot("v2")))
///     .backward(slot("g1").add(slot("g") * slot("v2")))
///     .backward(slot("g2").add(slot("v1") * slot("g")));
/// let graph = Graph::new();
/// let [w, x] = [graph.parameter("w"), graph.data("x", "32|->784")];
/// let y = graph.define(&matmul, &[w, x]);
/// # graph.apply(lozenge::Reshape::to("32|->10"), &[y]);
/// # assert!(graph.check().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Definition {
    pub(crate) logic: Arc<dyn Operation>,
    pub(crate) forward: Vec<SlotStatement>,
    pub(crate) backward: Vec<SlotStatement>,
}

impl Definition {
    /// An operation whose tensors are aligned as those of another.
    pub fn of(logic: impl Operation + 'static) -> Definition {
        Definition { logic: Arc::new(logic), forward: vec![], backward: vec![] }
    }

    /// The definition with one statement more that makes the result or an intermediate.
    #[must_use]
    pub fn forward(mut self, statement: SlotStatement) -> Definition {
        self.forward.push(statement);
        self
    }

    /// The definition with one statement more that writes a gradient, or what that needs.
    #[must_use]
    pub fn backward(mut self, statement: SlotStatement) -> Definition {
        self.backward.push(statement);
        self
    }
}

/// A name inside of a definition: `v1`, `g`, `mask_rhs1`.
#[track_caller]
pub fn slot(name: &str) -> SlotValue {
    SlotValue {
        expression: Expression::read(0),
        names: vec![(name.into(), Site::caller())],
        is_erased: false,
    }
}

/// A tree of primitives over names of a definition.
#[derive(Clone, Debug)]
pub struct SlotValue {
    expression: Expression,
    names: Vec<(Arc<str>, Site)>,
    is_erased: bool,
}

/// A statement inside of a definition: a name that is written, and what it becomes.
#[derive(Clone, Debug)]
pub struct SlotStatement {
    pub(crate) written: (Arc<str>, Site),
    pub(crate) value: Expression,
    pub(crate) read: Vec<(Arc<str>, Site)>,
    pub(crate) accumulation: Accumulation,
    pub(crate) statement: Statement,
}

impl SlotValue {
    /// The name, erased before it is written: `v =:+ …` instead of `v =+ …`.
    #[must_use]
    pub fn erased(self) -> SlotValue {
        SlotValue { is_erased: true, ..self }
    }

    /// The statement that accumulates a value into this name.
    pub fn accumulate(self, by: Accumulation, value: impl Into<SlotValue>) -> SlotStatement {
        let value = value.into();
        let written = self.names.into_iter().next();
        let statement = if self.is_erased { Statement::Erasing } else { Statement::Accumulating };
        SlotStatement {
            written: written.unwrap_or_else(|| ("".into(), Site::caller())),
            value: value.expression,
            read: value.names,
            accumulation: by,
            statement,
        }
    }

    /// `=+`: the statement that adds a value to this name.
    #[allow(clippy::should_implement_trait)] // it makes a statement, not a value
    pub fn add(self, value: impl Into<SlotValue>) -> SlotStatement {
        self.accumulate(Accumulation::Add, value)
    }

    /// `=:`: the statement that sets this name to a value.
    pub fn set(self, value: impl Into<SlotValue>) -> SlotStatement {
        self.erased().accumulate(Accumulation::Set, value)
    }

    /// A primitive of this.
    #[must_use]
    pub fn unary(self, primitive: Unary) -> SlotValue {
        SlotValue { expression: self.expression.unary(primitive), ..self }
    }

    /// A primitive of this and another.
    #[must_use]
    pub fn binary(mut self, primitive: Binary, other: impl Into<SlotValue>) -> SlotValue {
        let other = self.taking(other.into());
        SlotValue { expression: self.expression.binary(primitive, other), ..self }
    }

    /// `where(self, second, third)`.
    #[must_use]
    pub fn choose(
        mut self,
        second: impl Into<SlotValue>,
        third: impl Into<SlotValue>,
    ) -> SlotValue {
        let [second, third] = [second.into(), third.into()].map(|value| self.taking(value));
        let chosen = Expression::ternary(Ternary::Where, [self.expression, second, third]);
        SlotValue { expression: chosen, ..self }
    }

    /// Another tree over the names of both.
    fn taking(&mut self, other: SlotValue) -> Expression {
        let before = self.names.len();
        self.names.extend(other.names);
        other.expression.with_reads(&|number| Expression::read(before + number))
    }
}

impl From<f64> for SlotValue {
    fn from(number: f64) -> SlotValue {
        SlotValue { expression: number.into(), names: vec![], is_erased: false }
    }
}

/// The signs of Rust for names of a definition.
macro_rules! signs {
    ($($sign:ident $method:ident $primitive:ident)*) => {
        $(impl<T: Into<SlotValue>> ops::$sign<T> for SlotValue {
            type Output = SlotValue;

            fn $method(self, other: T) -> SlotValue {
                self.binary(Binary::$primitive, other)
            }
        })*
    };
}

signs! { Add add Add  Sub sub Subtract  Mul mul Multiply  Div div Divide }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_claim_slots() {
        let [result, first, third] = [Slot::RESULT, Slot::operand(0), Slot::operand(2)];
        let claims = [
            ("v", Some(Claim::Value(result))),
            ("lhs", Some(Claim::Value(result))),
            ("t1", Some(Claim::Value(first))),
            ("rhs3", Some(Claim::Value(third))),
            ("g", Some(Claim::Gradient(result))),
            ("g1", Some(Claim::Gradient(first))),
            ("mask_rhs1", Some(Claim::Intermediate(first))),
            ("is_max_lhs", Some(Claim::Intermediate(result))),
            ("_rhs1", None),
            ("v4", None),
            ("rhs", None),
            ("mask", None),
            ("mask_rhs", None),
            ("", None),
        ];
        for (name, claim) in claims {
            assert_eq!(Claim::of(name), claim, "{name}");
        }
    }
}
