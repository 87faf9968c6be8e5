//! Element types, found by unification: an operation's scalar part says which of the elements that
//! it reads have one type, and of which types that may be.

use lozenge::{Binary, Expression, Ternary, Unary};
use lozenge_calculus::union_find::UnionFind;

use crate::{element_type::TypeSet, node::NodeId};

/// The types of all tensors of a graph, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    classes: UnionFind<Class>,
}

/// Tensors of one type.
#[derive(Clone, Copy, Debug)]
struct Class {
    allowed: TypeSet,
    /// The tensor that left no more than these.
    because: NodeId,
}

/// What an operation says of the types of its operands and its result.
pub(crate) struct Said {
    /// The operands and what is computed of them.
    parts: UnionFind<Part>,
    /// The number of operands; these are the first parts.
    operands: usize,
}

#[derive(Clone, Copy)]
struct Part {
    allowed: TypeSet,
    /// The tensor that left no more than these; the operation itself, where there is none.
    because: Option<NodeId>,
    /// The tensor that it is the type of, where it is of one.
    of: Option<NodeId>,
}

/// Two types where one is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixture {
    pub(crate) sides: [Side; 2],
}

/// One of two types, and who has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) allowed: TypeSet,
    /// The tensor that has it; the operation asks for it, where there is none.
    pub(crate) of: Option<NodeId>,
    /// The tensor that left no more than these.
    pub(crate) because: Option<NodeId>,
}

impl Class {
    fn side(self, of: NodeId) -> Side {
        Side { allowed: self.allowed, of: Some(of), because: Some(self.because) }
    }
}

impl Part {
    fn side(self) -> Side {
        Side { allowed: self.allowed, of: self.of, because: self.because }
    }
}

impl Types {
    /// Takes in a tensor, which may have these types.
    pub(crate) fn push(&mut self, node: NodeId, allowed: TypeSet) {
        debug_assert_eq!(self.classes.len(), node.place());
        self.classes.push_value(Class { allowed, because: node });
    }

    /// Takes in a tensor of the type of another.
    pub(crate) fn push_like(&mut self, node: NodeId, other: NodeId) {
        self.push(node, TypeSet::ANY);
        self.unite(other, node);
    }

    pub(crate) fn allowed(&self, node: NodeId) -> TypeSet {
        self.class(node).allowed
    }

    fn class(&self, node: NodeId) -> Class {
        *self.classes.value(self.classes.representative(node.place()))
    }

    /// Asks that a tensor has one of these types.
    pub(crate) fn need(&mut self, node: NodeId, allowed: TypeSet) -> Result<(), Mixture> {
        let known = self.class(node);
        if known.allowed.and(allowed).is_empty() {
            let sides = [known.side(node), Side { allowed, of: None, because: None }];
            return Err(Mixture { sides });
        }
        self.narrow(node, allowed, node);
        Ok(())
    }

    /// Asks that two tensors have one type.
    pub(crate) fn equate(&mut self, one: NodeId, other: NodeId) -> Result<(), Mixture> {
        let [a, b] = [one, other].map(|node| self.class(node));
        if a.allowed.and(b.allowed).is_empty() {
            return Err(Mixture { sides: [a.side(one), b.side(other)] });
        }
        self.unite(one, other);
        Ok(())
    }

    fn unite(&mut self, one: NodeId, other: NodeId) {
        let [a, b] = [one, other].map(|node| self.class(node));
        let allowed = a.allowed.and(b.allowed);
        let because = if allowed == a.allowed { a.because } else { b.because };
        self.classes.union(one.place(), other.place());
        let class = self.classes.find(one.place());
        *self.classes.value_mut(class) = Class { allowed, because };
    }

    fn narrow(&mut self, node: NodeId, allowed: TypeSet, because: NodeId) {
        let class = self.classes.find(node.place());
        let known = self.classes.value_mut(class);
        if known.allowed.and(allowed) != known.allowed {
            *known = Class { allowed: known.allowed.and(allowed), because };
        }
    }

    /// What is computed of these operands; a mixture changes nothing.
    pub(crate) fn read(
        &self,
        value: &Expression,
        operands: &[NodeId],
    ) -> Result<(Said, usize), Mixture> {
        let part = |node: &NodeId| {
            let Class { allowed, because } = self.class(*node);
            Part { allowed, because: Some(because), of: Some(*node) }
        };
        let parts = operands.iter().map(part).collect();
        let mut said = Said { parts, operands: operands.len() };
        // Operands that have one type already have one here.
        for (number, operand) in operands.iter().enumerate() {
            let class = self.classes.representative(operand.place());
            let same = |other: &NodeId| self.classes.representative(other.place()) == class;
            if let Some(first) = operands[..number].iter().position(same) {
                said.equate(first, number)?;
            }
        }
        let result = said.read(value)?;
        Ok((said, result))
    }

    /// Takes over what was said of operands, and the result, which is the next tensor.
    pub(crate) fn take(
        &mut self,
        said: &mut Said,
        operands: &[NodeId],
        (node, result): (NodeId, usize),
    ) {
        for (number, operand) in operands.iter().enumerate() {
            let class = said.parts.find(number);
            self.narrow(*operand, said.parts.value(class).allowed, node);
            if class != number {
                self.unite(operands[class.min(said.operands - 1)], *operand);
            }
        }
        let class = said.parts.find(result);
        if class < said.operands {
            self.push_like(node, operands[class]);
        } else {
            self.push(node, said.parts.value(class).allowed);
        }
    }
}

impl Said {
    /// A part of its own.
    pub(crate) fn fresh(&mut self, allowed: TypeSet) -> usize {
        self.parts.push_value(Part { allowed, because: None, of: None })
    }

    /// Equates the types of two parts.
    fn equate(&mut self, one: usize, other: usize) -> Result<(), Mixture> {
        let [one, other] = [one, other].map(|part| self.parts.find(part));
        let [a, b] = [one, other].map(|part| *self.parts.value(part));
        let allowed = a.allowed.and(b.allowed);
        if allowed.is_empty() {
            return Err(Mixture { sides: [a.side(), b.side()] });
        }
        let because = if allowed == a.allowed { a.because } else { b.because };
        self.parts.union(one, other);
        let class = self.parts.find(one);
        *self.parts.value_mut(class) = Part { allowed, because, of: a.of.or(b.of) };
        Ok(())
    }

    /// Asks for one of these types.
    fn narrow(&mut self, part: usize, allowed: TypeSet) -> Result<(), Mixture> {
        let asked = self.fresh(allowed);
        self.equate(part, asked)
    }

    fn read(&mut self, value: &Expression) -> Result<usize, Mixture> {
        let parts = value.operands().iter().map(|operand| self.read(operand));
        let parts = parts.collect::<Result<Vec<usize>, Mixture>>()?;
        Ok(match value {
            Expression::Read(number) => *number,
            // A number that the operation itself has is of the type that is needed.
            Expression::Constant(_) => self.fresh(TypeSet::ANY),
            Expression::Unary(primitive, _) => {
                let allowed = match primitive {
                    Unary::Not => TypeSet::ANY,
                    Unary::Relu | Unary::Saturate | Unary::Negate | Unary::Truncate => {
                        TypeSet::NUMBERS
                    }
                    _ => TypeSet::FLOATS,
                };
                self.narrow(parts[0], allowed)?;
                if *primitive == Unary::Not { self.fresh(TypeSet::BOOL) } else { parts[0] }
            }
            Expression::Binary(primitive, _) => {
                match primitive {
                    Binary::First => parts[0],
                    Binary::Or | Binary::And => self.fresh(TypeSet::BOOL),
                    // The gates are open or not by a number of any type.
                    Binary::Second | Binary::ReluGate | Binary::SaturateGate => parts[1],
                    Binary::Less | Binary::AtMost | Binary::Equal | Binary::NotEqual => {
                        self.equate(parts[0], parts[1])?;
                        self.fresh(TypeSet::BOOL)
                    }
                    _ => {
                        self.equate(parts[0], parts[1])?;
                        self.narrow(parts[0], TypeSet::NUMBERS)?;
                        parts[0]
                    }
                }
            }
            Expression::Ternary(Ternary::Where, _) => {
                self.equate(parts[1], parts[2])?;
                parts[1]
            }
            Expression::Ternary(..) => {
                self.equate(parts[0], parts[1])?;
                self.equate(parts[0], parts[2])?;
                self.narrow(parts[0], TypeSet::NUMBERS)?;
                parts[0]
            }
            // Only its caller knows what it gives: what its operands have, if they have one type.
            _ => {
                let first = parts.first().copied();
                first.unwrap_or_else(|| self.fresh(TypeSet::ANY))
            }
        })
    }
}
