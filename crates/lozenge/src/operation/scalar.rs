//! The scalar part of an operation: how the elements that are read at a point of the loops become
//! one, and how that one is accumulated.
//!
//! A primitive is a row of a table here: its name, and its sign where it is written between its
//! operands. What a primitive computes for a type of elements is written once, in the reference
//! executor; pseudo-code, engines and gradients read the tree.

use std::{
    fmt::{self, Display, Formatter},
    ops,
    sync::Arc,
};

/// The element that is stored or accumulated at a point: a tree over the elements that are read.
///
/// ```
/// use lozenge::{Binary, Expression, Ternary};
///
/// let [a, b, c] = [0, 1, 2].map(Expression::read);
/// let masked = Expression::ternary(Ternary::Where, [a.binary(Binary::Equal, b), c, 0.0.into()]);
/// assert_eq!(masked.to_string(), "where(x0 == x1, x2, 0)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expression {
    /// The element that is read from an operand, by its number from 0.
    Read(usize),
    /// A number.
    Constant(Constant),
    /// A primitive of one operand.
    Unary(Unary, Box<Expression>),
    /// A primitive of two operands.
    Binary(Binary, Box<[Expression; 2]>),
    /// A primitive of three operands.
    Ternary(Ternary, Box<[Expression; 3]>),
    /// A function that only the embedder knows: its loops are found, and the reference executor
    /// refuses it.
    Call(Arc<str>, Vec<Expression>),
}

/// A number in an expression. Two constants are equal if they have the same bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constant(u64);

impl Constant {
    /// The constant's number.
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl From<f64> for Constant {
    fn from(value: f64) -> Constant {
        Constant(value.to_bits())
    }
}

impl fmt::Debug for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value(), f)
    }
}

/// An enumeration of primitives with their names.
macro_rules! primitives {
    ($(#[$doc:meta])* $name:ident { $($(#[$one:meta])* $variant:ident $text:literal)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum $name { $($(#[$one])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The name of the primitive.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The primitive of this name.
            pub fn named(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|primitive| primitive.name() == name)
            }
        }
    };
}

primitives! {
    /// The primitives of one operand. A truth is 1 or 0, and every number but 0 is taken for true.
    Unary {
        /// The operand where it is above 0, else 0.
        Relu "relu"
        /// The operand, but at least 0 and at most 1.
        Saturate "sat01"
        /// e to the power of the operand.
        Exp "exp"
        /// The natural logarithm.
        Log "log"
        /// 2 to the power of the operand.
        Exp2 "exp2"
        /// The logarithm to the base 2.
        Log2 "log2"
        /// The sine.
        Sin "sin"
        /// The cosine.
        Cos "cos"
        /// The square root.
        Sqrt "sqrt"
        /// 1 divided by the operand.
        Reciprocal "recip"
        /// 1 divided by the square root.
        ReciprocalSqrt "recip_sqrt"
        /// The operand with the other sign.
        Negate "neg"
        /// The hyperbolic tangent.
        Tanh "tanh"
        /// 1 where the operand is 0, else 0.
        Not "not"
        /// The operand without its fraction, rounded towards 0.
        Truncate "trunc"
    }
}

primitives! {
    /// The primitives of two operands. A truth is 1 or 0, and every number but 0 is taken for true.
    Binary {
        /// The first operand.
        First "arg1"
        /// The second operand.
        Second "arg2"
        /// The sum.
        Add "add"
        /// The first without the second.
        Subtract "sub"
        /// The product.
        Multiply "mul"
        /// The quotient; of integers, rounded towards 0.
        Divide "div"
        /// The first to the power of the second.
        Power "pow"
        /// The second where the first is above 0, else 0.
        ReluGate "relu_gate"
        /// The second where the first is above 0 and below 1, else 0.
        SaturateGate "sat01_gate"
        /// Whether the first is below the second.
        Less "lt"
        /// Whether the first is at most the second.
        AtMost "le"
        /// Whether both are the same.
        Equal "eq"
        /// Whether they differ.
        NotEqual "ne"
        /// Whether one is true.
        Or "or"
        /// Whether both are true.
        And "and"
        /// The remainder of the division that rounds towards 0; it has the sign of the first.
        Modulo "mod"
        /// The larger. NaN, if one is.
        Max "max"
        /// The smaller. NaN, if one is.
        Min "min"
    }
}

primitives! {
    /// The primitives of three operands.
    Ternary {
        /// The second where the first is true, else the third.
        Where "where"
        /// The product of the first two, plus the third; rounded once.
        MultiplyAdd "fma"
        /// The product of all three.
        MultiplyThree "mul3"
    }
}

primitives! {
    /// How an element joins what its cell holds. The name is how it is written where the cell is
    /// not erased first; [`Accumulation::erasing`] has the other form.
    Accumulation {
        /// The cell becomes the element: the last that is written stays.
        Set "=:"
        /// The element is added.
        Add "=+"
        /// The element is subtracted.
        Subtract "=-"
        /// The cell is multiplied by the element.
        Multiply "=*"
        /// The cell is divided by the element.
        Divide "=/"
        /// The larger stays. NaN, if one is.
        Max "=@^"
        /// The smaller stays. NaN, if one is.
        Min "=@-"
        /// 1 where the cell and the element are both true, else 0.
        And "=&&"
        /// 1 where the cell or the element is true, else 0.
        Or "=||"
    }
}

/// Elements are added, unless an operation says otherwise.
impl Default for Accumulation {
    fn default() -> Accumulation {
        Accumulation::Add
    }
}

impl Binary {
    /// The sign that is written between the operands, and how tightly it binds.
    pub const fn sign(self) -> Option<(&'static str, u8)> {
        Some(match self {
            Binary::Or => ("or", 1),
            Binary::And => ("and", 2),
            Binary::Less => ("<", 3),
            Binary::AtMost => ("<=", 3),
            Binary::Equal => ("==", 3),
            Binary::NotEqual => ("!=", 3),
            Binary::Add => ("+", 4),
            Binary::Subtract => ("-", 4),
            Binary::Multiply => ("*", 5),
            Binary::Divide => ("/", 5),
            Binary::Modulo => ("mod", 5),
            Binary::Power => ("**", 7),
            Binary::First
            | Binary::Second
            | Binary::ReluGate
            | Binary::SaturateGate
            | Binary::Max
            | Binary::Min => return None,
        })
    }

    /// The primitive that a pointwise operation's sign stands for. `*.` and `/.` say that nothing
    /// is composed.
    fn of_sign(sign: &str) -> Option<Binary> {
        match sign {
            "=" => Some(Binary::Equal),
            "<>" => Some(Binary::NotEqual),
            _ => {
                let plain = sign.strip_suffix('.').filter(|sign| !sign.is_empty()).unwrap_or(sign);
                let mut all = Binary::ALL.iter().copied();
                all.find(|primitive| primitive.sign().is_some_and(|(own, _)| own == plain))
            }
        }
    }

    /// Whether the operands can be grouped in any way, so that there can be any number of them.
    const fn is_associative(self) -> bool {
        matches!(
            self,
            Binary::Add | Binary::Multiply | Binary::Or | Binary::And | Binary::Max | Binary::Min
        )
    }
}

/// How tightly a sign before its operand binds.
const PREFIX: u8 = 6;

impl Accumulation {
    /// What an accumulation begins with: it leaves the first element as it is, or, where an element
    /// is taken away, as [`first`](Accumulation::first) says. Cells that nothing is written to keep
    /// it.
    pub const fn neutral(self) -> f64 {
        match self {
            Accumulation::Set | Accumulation::Add | Accumulation::Subtract | Accumulation::Or => {
                0.0
            }
            Accumulation::Multiply | Accumulation::Divide | Accumulation::And => 1.0,
            Accumulation::Max => f64::NEG_INFINITY,
            Accumulation::Min => f64::INFINITY,
        }
    }

    /// The form that sets the cell to the neutral element first: `=:+` of `=+`.
    pub const fn erasing(self) -> &'static str {
        match self {
            Accumulation::Set => "=:",
            Accumulation::Add => "=:+",
            Accumulation::Subtract => "=:-",
            Accumulation::Multiply => "=:*",
            Accumulation::Divide => "=:/",
            Accumulation::Max => "=:@^",
            Accumulation::Min => "=:@-",
            Accumulation::And => "=:&&",
            Accumulation::Or => "=:||",
        }
    }

    /// The primitive that joins the cell and the element.
    pub const fn step(self) -> Binary {
        match self {
            Accumulation::Set => Binary::Second,
            Accumulation::Add => Binary::Add,
            Accumulation::Subtract => Binary::Subtract,
            Accumulation::Multiply => Binary::Multiply,
            Accumulation::Divide => Binary::Divide,
            Accumulation::Max => Binary::Max,
            Accumulation::Min => Binary::Min,
            Accumulation::And => Binary::And,
            Accumulation::Or => Binary::Or,
        }
    }

    /// What a cell holds after one element: the neutral element, joined with it.
    pub fn first(self, element: Expression) -> Expression {
        match self {
            Accumulation::Set
            | Accumulation::Add
            | Accumulation::Multiply
            | Accumulation::Max
            | Accumulation::Min => element,
            Accumulation::Subtract => element.unary(Unary::Negate),
            Accumulation::Divide => Expression::from(1.0).binary(Binary::Divide, element),
            Accumulation::And | Accumulation::Or => element.binary(Binary::NotEqual, 0.0.into()),
        }
    }
}

impl Expression {
    /// The element that is read from an operand, by its number from 0.
    pub fn read(operand: usize) -> Expression {
        Expression::Read(operand)
    }

    /// The operands one after another, joined by a primitive. Nothing is 0.
    pub fn fold(by: Binary, operands: impl IntoIterator<Item = usize>) -> Expression {
        let reads = operands.into_iter().map(Expression::Read);
        reads.reduce(|all, one| all.binary(by, one)).unwrap_or_else(|| 0.0.into())
    }

    /// The function of this name or sign, of that many operands: a primitive if there is one of
    /// that name and number of operands, else one that only its caller knows.
    pub fn named(name: &str, operands: usize) -> Expression {
        let binary = Binary::of_sign(name).or_else(|| Binary::named(name));
        match (operands, binary) {
            (1, _) if name == "-" => return Expression::Read(0).unary(Unary::Negate),
            (1, _) if name == "id" => return Expression::Read(0),
            (1, _) => {
                if let Some(primitive) = Unary::named(name) {
                    return Expression::Read(0).unary(primitive);
                }
            }
            (2, Some(primitive)) => return Expression::fold(primitive, 0..2),
            (3.., Some(primitive)) if primitive.is_associative() => {
                return Expression::fold(primitive, 0..operands);
            }
            (3, _) => {
                if let Some(primitive) = Ternary::named(name) {
                    return Expression::ternary(primitive, [0, 1, 2].map(Expression::Read));
                }
            }
            (_, _) => {}
        }
        Expression::Call(name.into(), (0..operands).map(Expression::Read).collect())
    }

    /// A primitive of this.
    #[must_use]
    pub fn unary(self, primitive: Unary) -> Expression {
        Expression::Unary(primitive, Box::new(self))
    }

    /// A primitive of this and another.
    #[must_use]
    pub fn binary(self, primitive: Binary, other: Expression) -> Expression {
        Expression::Binary(primitive, Box::new([self, other]))
    }

    /// A primitive of three operands.
    pub fn ternary(primitive: Ternary, operands: [Expression; 3]) -> Expression {
        Expression::Ternary(primitive, Box::new(operands))
    }

    /// The operands of its root.
    pub fn operands(&self) -> &[Expression] {
        match self {
            Expression::Read(_) | Expression::Constant(_) => &[],
            Expression::Unary(_, operand) => std::slice::from_ref(operand),
            Expression::Binary(_, operands) => &operands[..],
            Expression::Ternary(_, operands) => &operands[..],
            Expression::Call(_, operands) => operands,
        }
    }

    /// The numbers of the operands that it reads, from left to right and as often as they are
    /// there.
    pub fn reads(&self) -> Vec<usize> {
        match self {
            Expression::Read(number) => vec![*number],
            _ => self.operands().iter().flat_map(Expression::reads).collect(),
        }
    }

    /// The expression with others in the places of what it reads.
    #[must_use]
    pub fn with_reads(&self, of: &impl Fn(usize) -> Expression) -> Expression {
        if let Expression::Read(number) = self {
            return of(*number);
        }
        let operands = self.operands().iter().map(|operand| operand.with_reads(of));
        self.with_operands(operands.collect())
    }

    /// The expression that remains where only some operands take part, as while one part of a
    /// concatenation is copied: an operation of which an operand is missing is what is left of its
    /// others, and constants alone are nothing.
    pub fn left(&self, is_there: &impl Fn(usize) -> bool) -> Option<Expression> {
        if let Expression::Read(number) = self {
            return is_there(*number).then(|| self.clone());
        }
        let operands = self.operands().iter().map(|operand| operand.left(is_there));
        let operands: Vec<Option<Expression>> = operands.collect();
        if operands.iter().all(Option::is_some) {
            return Some(self.with_operands(operands.into_iter().flatten().collect()));
        }
        operands.into_iter().flatten().find(|operand| !operand.reads().is_empty())
    }

    /// Its root over other operands, as many as it has.
    fn with_operands(&self, operands: Vec<Expression>) -> Expression {
        let mut made = self.clone();
        let places = match &mut made {
            Expression::Read(_) | Expression::Constant(_) => &mut [],
            Expression::Unary(_, operand) => std::slice::from_mut(&mut **operand),
            Expression::Binary(_, places) => &mut places[..],
            Expression::Ternary(_, places) => &mut places[..],
            Expression::Call(_, places) => &mut places[..],
        };
        places.iter_mut().zip(operands).for_each(|(place, operand)| *place = operand);
        made
    }

    /// The expression as text, with names for the operands.
    pub fn display<'a>(&'a self, names: &'a dyn Fn(usize) -> String) -> impl Display + 'a {
        Named { expression: self, names }
    }
}

impl From<f64> for Expression {
    fn from(value: f64) -> Expression {
        Expression::Constant(value.into())
    }
}

impl ops::Neg for Expression {
    type Output = Expression;

    fn neg(self) -> Expression {
        self.unary(Unary::Negate)
    }
}

/// The signs of Rust for expressions.
macro_rules! signs {
    ($($sign:ident $method:ident $primitive:ident)*) => {
        $(impl ops::$sign for Expression {
            type Output = Expression;

            fn $method(self, other: Expression) -> Expression {
                self.binary(Binary::$primitive, other)
            }
        })*
    };
}

signs! { Add add Add  Sub sub Subtract  Mul mul Multiply  Div div Divide  Rem rem Modulo }

struct Named<'a> {
    expression: &'a Expression,
    names: &'a dyn Fn(usize) -> String,
}

impl Named<'_> {
    /// Writes an operand, in parentheses where what is around it binds more tightly.
    fn operand(&self, f: &mut Formatter<'_>, operand: &Expression, around: u8) -> fmt::Result {
        let own = match operand {
            Expression::Binary(primitive, _) => primitive.sign().map(|(_, binds)| binds),
            Expression::Unary(Unary::Negate, _) => Some(PREFIX),
            Expression::Constant(number) if number.value().is_sign_negative() => Some(PREFIX),
            _ => None,
        };
        let inner = Named { expression: operand, names: self.names };
        if own.is_some_and(|own| own < around) { write!(f, "({inner})") } else { inner.fmt(f) }
    }

    fn call(&self, f: &mut Formatter<'_>, name: &str) -> fmt::Result {
        write!(f, "{name}(")?;
        for (place, operand) in self.expression.operands().iter().enumerate() {
            f.write_str(if place > 0 { ", " } else { "" })?;
            self.operand(f, operand, 0)?;
        }
        f.write_str(")")
    }
}

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.expression {
            Expression::Read(number) => f.write_str(&(self.names)(*number)),
            Expression::Constant(number) => number.value().fmt(f),
            Expression::Unary(Unary::Negate, operand) => {
                f.write_str("-")?;
                self.operand(f, operand, PREFIX + 1)
            }
            Expression::Unary(primitive, _) => self.call(f, primitive.name()),
            Expression::Binary(primitive, operands) => {
                let Some((sign, binds)) = primitive.sign() else {
                    return self.call(f, primitive.name());
                };
                // Powers group to the right, comparisons not at all, everything else to the left.
                let [left, right] = match primitive {
                    Binary::Power => [binds + 1, binds],
                    Binary::Less | Binary::AtMost | Binary::Equal | Binary::NotEqual => {
                        [binds + 1, binds + 1]
                    }
                    _ => [binds, binds + 1],
                };
                self.operand(f, &operands[0], left)?;
                write!(f, " {sign} ")?;
                self.operand(f, &operands[1], right)
            }
            Expression::Ternary(primitive, _) => self.call(f, primitive.name()),
            Expression::Call(name, operands) => match &operands[..] {
                // A sign of the embedder's own is written as it is in programs.
                [left, right] if !name.contains(|c: char| c.is_alphanumeric()) => {
                    self.operand(f, left, u8::MAX)?;
                    write!(f, " {name} ")?;
                    self.operand(f, right, u8::MAX)
                }
                _ => self.call(f, name),
            },
        }
    }
}

/// The expression with `x0`, `x1` … for the operands.
impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.display(&|number| format!("x{number}")).fmt(f)
    }
}
