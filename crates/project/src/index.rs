//! Where an axis is read or written: a function of the point of the product space.

use alloc::{string::ToString, vec::Vec};
use core::fmt::{self, Display, Formatter, Write};

use smallvec::SmallVec;

use lozenge_calculus::size::Size;

use super::{NoLoops, equation::SymbolId};

/// A loop of the product space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(pub u32);

/// A point of the product space.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The values of the loops; of a factor with several, only one runs.
    pub loops: &'a [Option<u64>],
    /// The indices that were supplied.
    pub symbols: &'a [u64],
}

/// The position on an axis, as a function of the point of the product space.
///
/// `Affine` never stands for what the others can say, `Concat` has two parts or more, and so has
/// `Merged`, of which a size is open: where all are numbers, it is `Affine`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Index {
    /// The value of a loop.
    Iter(LoopId),
    /// A position.
    Fix(u64),
    /// A position that is supplied when the program runs.
    Symbol(SymbolId),
    /// A sum of multiples of loops.
    Affine(Affine),
    /// The value of the one loop of these that runs, plus where its part begins.
    Concat(Concat),
    /// The number whose digits are the values of these loops, the slowest first, each below its
    /// size.
    Merged(Vec<(LoopId, Size)>),
    /// A digit of a loop's value.
    Digit(Digit),
}

/// The parts of a concatenated axis.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct Concat {
    /// The loop of each part, and where it begins.
    pub parts: Vec<(LoopId, Offset)>,
    /// Whether they are the whole axis.
    pub is_whole: bool,
}

/// The offset of a part of a concatenation: a number of positions, and the parts before it whose
/// sizes are open.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Offset {
    /// The number of positions before it.
    pub number: u64,
    /// The open sizes, in order.
    pub open: SmallVec<[Size; 1]>,
}

impl Offset {
    /// The offset of the part that follows a part of this size.
    pub(super) fn after(&self, size: Size) -> Option<Offset> {
        let mut after = self.clone();
        if let Some(n) = size.count() {
            after.number = after.number.checked_add(n)?;
        } else {
            after.open.push(size);
            after.open.sort_unstable();
        }
        Some(after)
    }

    /// The position that a loop of the part has.
    ///
    /// # Errors
    /// When it is beyond what can be computed with.
    pub fn index(&self, id: LoopId) -> Result<Index, NoLoops> {
        let mut sum = self.sum()?;
        sum.terms.push((1, Term::Loop(id)));
        sum.try_into()
    }

    /// The offset as terms of an affine index.
    pub(super) fn sum(&self) -> Result<Affine, NoLoops> {
        let terms = self.open.iter().map(|size| (1, Term::Size(*size))).collect();
        let offset = i64::try_from(self.number).map_err(|_| NoLoops::Overflow)?;
        Ok(Affine { terms, offset })
    }

    /// The offset as a number, where the open sizes are these.
    fn at(&self, number: &impl Fn(Size) -> Option<u64>) -> Option<u64> {
        self.open.iter().try_fold(self.number, |sum, size| sum.checked_add(number(*size)?))
    }
}

/// `loop / divisor % modulus`, the quotient without its fraction: where an element of a flat order
/// is on an axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct Digit {
    /// The loop over the elements in flat order.
    pub of: LoopId,
    /// The number of elements of all axes below it; at least 1.
    pub divisor: u64,
    /// The size of the axis, but for the first axis, above which there is nothing.
    pub modulus: Option<u64>,
}

/// `Σ coefficient·term + offset`, the terms in order and each once, no coefficient 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[non_exhaustive]
pub struct Affine {
    /// The coefficients and what they multiply.
    pub terms: SmallVec<[(i64, Term); 2]>,
    /// The constant that is added.
    pub offset: i64,
}

/// A term of an affine index: the number that a coefficient multiplies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A loop.
    Loop(LoopId),
    /// An index that is supplied when the program runs.
    Symbol(SymbolId),
    /// An open size.
    Size(Size),
}

impl Index {
    /// The value at a point; `None` where a loop that it needs does not run, or a size that it
    /// needs is open.
    pub fn at(&self, point: Point<'_>) -> Option<i128> {
        let value = |id: LoopId| point.loops.get(id.0 as usize).copied().flatten();
        let supplied = |id: SymbolId| point.symbols.get(id.0 as usize).copied();
        match self {
            Index::Iter(id) => value(*id).map(i128::from),
            Index::Fix(position) => Some(i128::from(*position)),
            Index::Symbol(id) => supplied(*id).map(i128::from),
            Index::Affine(Affine { terms, offset }) => {
                terms.iter().try_fold(i128::from(*offset), |sum, (coefficient, term)| {
                    let value = match term {
                        Term::Loop(id) => value(*id)?,
                        Term::Symbol(id) => supplied(*id)?,
                        Term::Size(size) => size.count()?,
                    };
                    Some(sum + i128::from(*coefficient) * i128::from(value))
                })
            }
            Index::Concat(Concat { parts, .. }) => {
                let (running, offset) =
                    parts.iter().find_map(|(id, offset)| Some((value(*id)?, offset)))?;
                Some(i128::from(offset.at(&Size::count)?) + i128::from(running))
            }
            Index::Merged(digits) => digits.iter().try_fold(0_i128, |above, (id, size)| {
                above.checked_mul(size.count()?.into())?.checked_add(value(*id)?.into())
            }),
            Index::Digit(Digit { of, divisor, modulus }) => {
                let quotient = value(*of)? / divisor.max(&1);
                Some(modulus.map_or(quotient, |modulus| quotient % modulus.max(1)).into())
            }
        }
    }

    /// The loops that it mentions.
    pub fn loops(&self) -> impl Iterator<Item = LoopId> + '_ {
        let one = match self {
            Index::Iter(id) | Index::Digit(Digit { of: id, .. }) => Some(*id),
            Index::Fix(_)
            | Index::Symbol(_)
            | Index::Affine(_)
            | Index::Concat(_)
            | Index::Merged(_) => None,
        };
        let terms = if let Index::Affine(affine) = self { &affine.terms[..] } else { &[] };
        let parts = if let Index::Concat(concat) = self { &concat.parts[..] } else { &[] };
        let digits = if let Index::Merged(digits) = self { &digits[..] } else { &[] };
        let of_term = |(_, term): &(i64, Term)| match term {
            Term::Loop(id) => Some(*id),
            Term::Symbol(_) | Term::Size(_) => None,
        };
        one.into_iter()
            .chain(terms.iter().filter_map(of_term))
            .chain(parts.iter().map(|part| part.0))
            .chain(digits.iter().map(|digit| digit.0))
    }

    /// The index where open sizes are numbers; `None` where one is not known, or the index is
    /// beyond what can be computed with.
    pub fn with_sizes(&self, number: &impl Fn(Size) -> Option<u64>) -> Option<Index> {
        match self {
            Index::Affine(Affine { terms, offset }) => {
                let mut sum = Affine { terms: SmallVec::new(), offset: *offset };
                for (coefficient, term) in terms {
                    match term {
                        Term::Size(size) => {
                            let size = i64::try_from(number(*size)?).ok()?;
                            let more = size.checked_mul(*coefficient)?;
                            sum.offset = sum.offset.checked_add(more)?;
                        }
                        Term::Loop(_) | Term::Symbol(_) => sum.terms.push((*coefficient, *term)),
                    }
                }
                sum.try_into().ok()
            }
            Index::Concat(Concat { parts, is_whole }) => {
                let valued = |(id, offset): &(LoopId, Offset)| {
                    Some((*id, Offset { number: offset.at(number)?, open: SmallVec::new() }))
                };
                let parts = parts.iter().map(valued).collect::<Option<_>>()?;
                Some(Index::Concat(Concat { parts, is_whole: *is_whole }))
            }
            Index::Merged(digits) => {
                let mut terms = SmallVec::new();
                let mut stride = 1_i64;
                for (id, size) in digits.iter().rev() {
                    terms.push((stride, Term::Loop(*id)));
                    stride = stride.checked_mul(i64::try_from(number(*size)?).ok()?)?;
                }
                Affine { terms, offset: 0 }.try_into().ok()
            }
            Index::Iter(_) | Index::Fix(_) | Index::Symbol(_) | Index::Digit(_) => {
                Some(self.clone())
            }
        }
    }

    /// Whether it mentions a loop.
    pub fn mentions(&self, id: LoopId) -> bool {
        self.loops().any(|mentioned| mentioned == id)
    }

    /// The index as text, with names for loops, supplied indices and open sizes.
    pub fn display<'a>(
        &'a self,
        names: &'a dyn Fn(Term) -> alloc::string::String,
    ) -> impl Display + 'a {
        Named { index: self, names }
    }
}

impl TryFrom<Affine> for Index {
    type Error = NoLoops;

    /// The plainest index with the same values.
    fn try_from(mut affine: Affine) -> Result<Index, NoLoops> {
        affine.terms.sort_unstable_by_key(|(_, term)| *term);
        let mut terms: SmallVec<[(i64, Term); 2]> = SmallVec::new();
        for (coefficient, term) in affine.terms {
            match terms.last_mut() {
                Some((sum, last)) if *last == term => {
                    *sum = sum.checked_add(coefficient).ok_or(NoLoops::Overflow)?;
                }
                Some(_) | None => terms.push((coefficient, term)),
            }
        }
        terms.retain(|(coefficient, _)| *coefficient != 0);
        Ok(match (&terms[..], affine.offset) {
            ([(1, Term::Loop(id))], 0) => Index::Iter(*id),
            ([(1, Term::Symbol(id))], 0) => Index::Symbol(*id),
            ([], 0..) => Index::Fix(affine.offset.unsigned_abs()),
            (_, offset) => Index::Affine(Affine { terms, offset }),
        })
    }
}

struct Named<'a> {
    index: &'a Index,
    names: &'a dyn Fn(Term) -> alloc::string::String,
}

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = |id: &LoopId| (self.names)(Term::Loop(*id));
        match self.index {
            Index::Iter(id) => f.write_str(&name(id)),
            Index::Fix(position) => position.fmt(f),
            Index::Symbol(id) => f.write_str(&(self.names)(Term::Symbol(*id))),
            Index::Affine(Affine { terms, offset }) => {
                for (place, (coefficient, term)) in terms.iter().enumerate() {
                    if place > 0 {
                        f.write_char('+')?;
                    }
                    if *coefficient != 1 {
                        write!(f, "{coefficient}*")?;
                    }
                    f.write_str(&(self.names)(*term))?;
                }
                match offset {
                    0 => Ok(()),
                    1.. if !terms.is_empty() => write!(f, "+{offset}"),
                    _ => offset.fmt(f),
                }
            }
            Index::Concat(Concat { parts, .. }) => {
                for (place, (id, offset)) in parts.iter().enumerate() {
                    f.write_str(if place > 0 { " | " } else { "" })?;
                    match offset.index(*id) {
                        Ok(index) => index.display(self.names).fmt(f)?,
                        Err(_) => write!(f, "{}+{}", name(id), offset.number)?,
                    }
                }
                Ok(())
            }
            Index::Merged(digits) => {
                // (a*b + c)*d + e
                let inner = digits.len().saturating_sub(2);
                (0..inner).try_for_each(|_| f.write_char('('))?;
                for (place, (id, size)) in digits.iter().enumerate() {
                    if place > 0 {
                        let size = match size.count() {
                            Some(n) => n.to_string(),
                            None => in_product((self.names)(Term::Size(*size))),
                        };
                        let close = if place > 1 { ")" } else { "" };
                        write!(f, "{close}*{size} + ")?;
                    }
                    f.write_str(&name(id))?;
                }
                Ok(())
            }
            Index::Digit(Digit { of, divisor, modulus }) => {
                f.write_str(&name(of))?;
                if *divisor != 1 {
                    write!(f, "/{divisor}")?;
                }
                modulus.map_or(Ok(()), |modulus| write!(f, "%{modulus}"))
            }
        }
    }
}

/// A size as a factor.
fn in_product(size: alloc::string::String) -> alloc::string::String {
    if size.contains(['+', '-', '/']) { alloc::format!("({size})") } else { size }
}
