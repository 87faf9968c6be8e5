//! Literals: numbers of Rust, nested to any depth.

use crate::element_type::{ElementType, TypeSet};

/// A number, a truth, or a nested list of these.
///
/// ```
/// use lozenge_tensor::Graph;
///
/// let graph = Graph::new();
/// let matrix = graph.literal([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(matrix.shape().unwrap().to_string(), "2,2");
/// ```
pub trait Literal {
    /// Takes in what it has: its lengths at each depth, and its elements.
    fn take(&self, parts: &mut LiteralParts, depth: usize);
}

/// What a literal is made of.
#[derive(Clone, Debug, Default)]
pub struct LiteralParts {
    pub(crate) lengths: Vec<usize>,
    pub(crate) elements: Vec<f64>,
    pub(crate) allowed: Option<TypeSet>,
    /// The depth and the two lengths of parts that differ.
    pub(crate) ragged: Option<(usize, [usize; 2])>,
}

impl LiteralParts {
    /// What a literal is made of.
    pub(crate) fn of(literal: &impl Literal) -> LiteralParts {
        let mut parts = LiteralParts::default();
        literal.take(&mut parts, 0);
        parts
    }

    fn element(&mut self, element: f64, allowed: TypeSet, depth: usize) {
        if depth < self.lengths.len() {
            self.ragged.get_or_insert((depth, [self.lengths[depth], 0]));
        }
        self.elements.push(element);
        self.allowed = Some(allowed);
    }

    fn list<L: Literal>(&mut self, list: &[L], depth: usize) {
        match self.lengths.get(depth) {
            Some(known) if *known != list.len() => {
                self.ragged.get_or_insert((depth, [*known, list.len()]));
            }
            Some(_) => {}
            None => self.lengths.push(list.len()),
        }
        for part in list {
            part.take(self, depth + 1);
        }
    }
}

/// Literals that are one element.
macro_rules! elements {
    ($($number:ident $allowed:expr;)*) => {
        $(impl Literal for $number {
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless)] // beyond 2^53 the nearest
            fn take(&self, parts: &mut LiteralParts, depth: usize) {
                parts.element(*self as f64, $allowed, depth);
            }
        })*
    };
}

// A number with a point is a float; one without is of the type that is needed.
elements! {
    f64 TypeSet::FLOATS;
    f32 TypeSet::FLOATS;
    i32 TypeSet::NUMBERS;
    i64 TypeSet::NUMBERS;
    u8 TypeSet::NUMBERS;
}

impl Literal for bool {
    fn take(&self, parts: &mut LiteralParts, depth: usize) {
        parts.element(u8::from(*self).into(), ElementType::Bool.into(), depth);
    }
}

impl<L: Literal, const N: usize> Literal for [L; N] {
    fn take(&self, parts: &mut LiteralParts, depth: usize) {
        parts.list(self, depth);
    }
}

impl<L: Literal> Literal for Vec<L> {
    fn take(&self, parts: &mut LiteralParts, depth: usize) {
        parts.list(self, depth);
    }
}

impl<L: Literal> Literal for &[L] {
    fn take(&self, parts: &mut LiteralParts, depth: usize) {
        parts.list(self, depth);
    }
}
