//! Whether the computed axes of an operation have indices, by plain evaluation.

use std::{collections::BTreeMap, ops::Range};

use lozenge_project::Supplied;

use super::plain::{Form, Plain};

/// Why there is no index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    /// An axis is computed from itself.
    Cyclic,
    /// Two ways to compute one axis, or to compute and to give it, differ.
    Differs,
    /// Something is computed from what is no single index: a padded axis, or a concatenation.
    Nested,
    /// A loop is two parts of one concatenation.
    Repeated,
}

/// What a coefficient multiplies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Class(usize),
    Symbol(u32),
}

/// An index.
#[derive(Clone, PartialEq)]
enum Value {
    Sum { terms: BTreeMap<Name, i128>, offset: i128, padded: bool },
    Parts(Vec<(usize, i128)>),
}

impl Value {
    fn number(offset: i128) -> Value {
        Value::Sum { terms: BTreeMap::new(), offset, padded: false }
    }

    fn name(name: Name) -> Value {
        Value::Sum { terms: BTreeMap::from([(name, 1)]), offset: 0, padded: false }
    }
}

impl Plain {
    /// The first trouble with the axes of these occurrences.
    pub(super) fn trouble(&self, occurrences: &[Range<u32>]) -> Option<Trouble> {
        let axes = occurrences.iter().flat_map(Clone::clone);
        axes.map(|axis| self.value(axis as usize, &mut vec![])).find_map(Result::err)
    }

    fn value(&self, var: usize, open: &mut Vec<usize>) -> Result<Value, Trouble> {
        let class = self.class[var];
        let forms: Vec<&Form> = self
            .derived
            .iter()
            .filter(|(whole, _)| *whole == class)
            .map(|(_, form)| form)
            .collect();
        if open.contains(&class) && !forms.is_empty() {
            return Err(Trouble::Cyclic);
        }
        let mut values: Vec<Value> = vec![];
        values.extend(self.pins[class].first().map(|pin| match pin {
            Supplied::Fix(position) => Value::number(i128::from(*position)),
            Supplied::Symbol(id) => Value::name(Name::Symbol(id.0)),
        }));
        open.push(class);
        for form in forms {
            values.push(self.computed(form, open)?);
        }
        open.pop();
        match values.split_first() {
            Some((first, others)) if others.iter().all(|other| other == first) => Ok(first.clone()),
            Some(_) => Err(Trouble::Differs),
            None if self.sizes[class] == 1 && !self.is_part(class) => Ok(Value::number(0)),
            None => Ok(Value::name(Name::Class(class))),
        }
    }

    /// Whether a class is one of several parts of a concatenation.
    pub(super) fn is_part(&self, class: usize) -> bool {
        self.derived.iter().any(|(_, form)| match form {
            Form::Concat(parts) => {
                parts.len() > 1 && parts.iter().any(|(of, _)| self.class[*of] == class)
            }
            Form::Affine { .. } => false,
        })
    }

    fn computed(&self, form: &Form, open: &mut Vec<usize>) -> Result<Value, Trouble> {
        let several = |parts: &[(usize, i128)], open: &mut Vec<usize>| {
            let mut loops: Vec<(usize, i128)> = vec![];
            for (of, begin) in parts {
                let id = match self.value(*of, open)? {
                    Value::Sum { terms, offset: 0, padded: false } => {
                        match terms.into_iter().collect::<Vec<_>>()[..] {
                            [(Name::Class(id), 1)] => id,
                            _ => return Err(Trouble::Nested),
                        }
                    }
                    Value::Sum { .. } | Value::Parts(_) => return Err(Trouble::Nested),
                };
                if loops.iter().any(|(other, _)| *other == id) {
                    return Err(Trouble::Repeated);
                }
                loops.push((id, *begin));
            }
            Ok(Value::Parts(loops))
        };
        match form {
            Form::Concat(parts) => match parts[..] {
                [] => Ok(Value::number(0)),
                [(only, begin)] => self.sum(&[(1, only)], begin, false, open),
                _ => several(parts, open),
            },
            Form::Affine { terms, offset, padded, .. } => self.sum(terms, *offset, *padded, open),
        }
    }

    fn sum(
        &self,
        of: &[(i128, usize)],
        mut offset: i128,
        padded: bool,
        open: &mut Vec<usize>,
    ) -> Result<Value, Trouble> {
        let mut terms: BTreeMap<Name, i128> = BTreeMap::new();
        for (coefficient, of) in of {
            let Value::Sum { terms: inner, offset: by, padded: false } = self.value(*of, open)?
            else {
                return Err(Trouble::Nested);
            };
            offset += coefficient * by;
            for (name, times) in inner {
                *terms.entry(name).or_default() += coefficient * times;
            }
        }
        terms.retain(|_, times| *times != 0);
        Ok(Value::Sum { terms, offset, padded })
    }
}
