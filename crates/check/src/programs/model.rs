//! Programs as this check has them: steps, apart from how any of it is spelled.
//!
//! A step refers to others by their places in the program, to labels by their letters in a
//! template, to operations, named sizes and bases by numbers. What they are called, in which order
//! steps are built and operands are listed is a [`Spelling`](super::spelling::Spelling).

use super::templates::{SHAPES, SPECS, Template};

/// A program, in the order in which it was drawn: every step comes after those it refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub steps: Vec<Step>,
}

/// A step: a terminal, an operation or a statement. Operands are places of steps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Number,
    /// Data of one of [`SHAPES`].
    Data(usize),
    Unknown,
    /// A parameter, of one of [`SHAPES`] or of the shape that its uses say.
    Parameter(Option<usize>),
    /// Data of a number of elements.
    Elements(u64),
    /// Data with these axes in memory.
    Array(Vec<u64>),
    /// A size that nothing is known of.
    Size,
    /// One of a few pointwise operations, by number.
    Pointwise(usize, Vec<usize>),
    Compose([usize; 2]),
    ComposeAccumulate([usize; 3]),
    Transpose(usize),
    Einsum(Einsum),
    /// To one of [`SHAPES`], or to the shape that its uses say.
    Reshape(Option<usize>, usize),
    /// From elements of so many bits to elements of so many.
    BitCast(u64, u64, usize),
    Same([usize; 2]),
    Square(usize),
    Set(SizeOf, u64),
    Equal([SizeOf; 2]),
    /// The first is so many times the second.
    Scale(u32, [SizeOf; 2]),
}

/// An operation by a specification.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Einsum {
    /// Which of [`SPECS`].
    pub spec: usize,
    /// The sizes that are given in `{…}`, by label.
    pub sizes: Vec<(char, u64)>,
    pub operands: Vec<usize>,
}

/// A size that a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizeOf {
    /// That of a step [`Step::Size`].
    New(usize),
    /// That of a label of the specification of a step.
    Label(usize, char),
}

impl SizeOf {
    pub fn step(self) -> usize {
        match self {
            SizeOf::New(step) | SizeOf::Label(step, _) => step,
        }
    }

    fn step_mut(&mut self) -> &mut usize {
        match self {
            SizeOf::New(step) | SizeOf::Label(step, _) => step,
        }
    }
}

impl Einsum {
    pub fn template(&self) -> &'static Template {
        &SPECS[self.spec]
    }
}

impl Step {
    /// Whether it refers to nothing: a terminal or a new size.
    pub fn is_terminal(&self) -> bool {
        self.uses().is_empty()
    }

    pub fn is_statement(&self) -> bool {
        use Step::{Equal, Same, Scale, Set, Square};
        matches!(self, Same(_) | Square(_) | Set(..) | Equal(_) | Scale(..))
    }

    pub fn is_operation(&self) -> bool {
        !self.is_terminal() && !self.is_statement()
    }

    /// Whether it makes a tensor.
    pub fn is_tensor(&self) -> bool {
        !self.is_statement() && *self != Step::Size
    }

    /// Whether it asks for a number of elements, whatever axes they have.
    pub fn is_counted(&self) -> bool {
        use Step::{Array, BitCast, Elements, Reshape};
        matches!(self, Elements(_) | Array(_) | Reshape(..) | BitCast(..))
    }

    /// Whether the order of what it refers to means nothing.
    pub fn is_commutative(&self) -> bool {
        matches!(self, Step::Pointwise(..) | Step::Same(_) | Step::Equal(_))
    }

    /// The shape that it declares.
    pub fn shape(&self) -> Option<&'static str> {
        match self {
            Step::Data(shape) | Step::Parameter(Some(shape)) | Step::Reshape(Some(shape), _) => {
                Some(SHAPES[*shape])
            }
            _ => None,
        }
    }

    /// Whether it is a terminal with axes before an ellipsis.
    pub fn is_flanked(&self) -> bool {
        let shape = self.shape().filter(|_| self.is_terminal());
        shape.is_some_and(|shape| {
            shape.split(['|', '>']).any(|row| row.find("..").is_some_and(|at| at > 0))
        })
    }

    /// The steps that it refers to, in order.
    pub fn uses(&self) -> Vec<usize> {
        match self {
            Step::Number
            | Step::Data(_)
            | Step::Unknown
            | Step::Parameter(_)
            | Step::Elements(_)
            | Step::Array(_)
            | Step::Size => vec![],
            Step::Pointwise(_, operands) => operands.clone(),
            Step::Einsum(einsum) => einsum.operands.clone(),
            Step::Compose(operands) | Step::Same(operands) => operands.to_vec(),
            Step::ComposeAccumulate(operands) => operands.to_vec(),
            Step::Transpose(operand)
            | Step::Reshape(_, operand)
            | Step::BitCast(_, _, operand)
            | Step::Square(operand) => vec![*operand],
            Step::Set(size, _) => vec![size.step()],
            Step::Equal(sizes) | Step::Scale(_, sizes) => sizes.map(SizeOf::step).to_vec(),
        }
    }

    /// The places of the steps that it refers to, to be changed.
    pub fn uses_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Step::Number
            | Step::Data(_)
            | Step::Unknown
            | Step::Parameter(_)
            | Step::Elements(_)
            | Step::Array(_)
            | Step::Size => vec![],
            Step::Pointwise(_, operands) => operands.iter_mut().collect(),
            Step::Einsum(einsum) => einsum.operands.iter_mut().collect(),
            Step::Compose(operands) | Step::Same(operands) => operands.iter_mut().collect(),
            Step::ComposeAccumulate(operands) => operands.iter_mut().collect(),
            Step::Transpose(operand)
            | Step::Reshape(_, operand)
            | Step::BitCast(_, _, operand)
            | Step::Square(operand) => vec![operand],
            Step::Set(size, _) => vec![size.step_mut()],
            Step::Equal(sizes) | Step::Scale(_, sizes) => {
                sizes.iter_mut().map(SizeOf::step_mut).collect()
            }
        }
    }

    /// The step with what is said in another order where order means nothing: equal for steps that
    /// ask the same of the same.
    pub fn normal(&self) -> Step {
        let mut step = self.clone();
        match &mut step {
            Step::Pointwise(_, operands) => operands.sort_unstable(),
            Step::Einsum(einsum) => einsum.sizes.sort_unstable(),
            Step::Same(operands) => operands.sort_unstable(),
            Step::Equal(sizes) => sizes.sort_unstable(),
            _ => {}
        }
        step
    }

    /// The name of its construct, for counting.
    pub fn construct(&self) -> &'static str {
        match self {
            Step::Number => "number",
            Step::Data(_) => "data",
            Step::Unknown => "unknown",
            Step::Parameter(None) => "parameter",
            Step::Parameter(Some(_)) => "parameter of a shape",
            Step::Elements(_) => "elements",
            Step::Array(_) => "array",
            Step::Size => "size",
            Step::Pointwise(..) => "pointwise",
            Step::Compose(_) => "compose",
            Step::ComposeAccumulate(_) => "compose_accumulate",
            Step::Transpose(_) => "transpose",
            Step::Einsum(_) => "einsum",
            Step::Reshape(None, _) => "reshape",
            Step::Reshape(Some(_), _) => "reshape to a shape",
            Step::BitCast(..) => "bit_cast",
            Step::Same(_) => "same",
            Step::Square(_) => "square",
            Step::Set(..) => "set",
            Step::Equal(_) => "equal",
            Step::Scale(..) => "scale",
        }
    }
}

impl Program {
    /// Pairs of operations by the same specification, with other sizes in `{…}`, on the same
    /// operands or on terminals that are declared alike.
    pub fn twins(&self) -> Vec<[usize; 2]> {
        self.pairs(|one, other| match (one, other) {
            (Step::Einsum(one), Step::Einsum(other)) => {
                let mut operands = one.operands.iter().zip(&other.operands);
                one.spec == other.spec
                    && sorted(&one.sizes) != sorted(&other.sizes)
                    && operands.all(|(one, other)| self.are_alike(*one, *other))
            }
            _ => false,
        })
    }

    /// Whether two steps are the same, or terminals that are declared alike.
    fn are_alike(&self, one: usize, other: usize) -> bool {
        one == other || self.steps[one].is_terminal() && self.steps[one] == self.steps[other]
    }

    /// Pairs of the same operation on the same operands.
    pub fn repeated(&self) -> Vec<[usize; 2]> {
        self.pairs(|one, other| one.is_operation() && one.normal() == other.normal())
    }

    fn pairs(&self, are_pair: impl Fn(&Step, &Step) -> bool) -> Vec<[usize; 2]> {
        let steps = &self.steps;
        let later = |first: usize| (first + 1..steps.len()).map(move |second| [first, second]);
        let all = (0..steps.len()).flat_map(later);
        all.filter(|[first, second]| are_pair(&steps[*first], &steps[*second])).collect()
    }

    /// Whether a step is referred to by none.
    pub fn is_unused(&self, step: usize) -> bool {
        self.steps.iter().all(|other| !other.uses().contains(&step))
    }

    /// The program without the steps for which `keep` is false and those that refer to them.
    pub fn retain(&self, keep: impl Fn(usize) -> bool) -> Program {
        let mut places: Vec<Option<usize>> = Vec::with_capacity(self.steps.len());
        let mut kept = Program::default();
        for (place, step) in self.steps.iter().enumerate() {
            let mut step = step.clone();
            let mut stays = keep(place);
            for used in step.uses_mut() {
                match places[*used] {
                    Some(place) => *used = place,
                    None => stays = false,
                }
            }
            places.push(stays.then_some(kept.steps.len()));
            if stays {
                kept.steps.push(step);
            }
        }
        kept
    }
}

fn sorted(sizes: &[(char, u64)]) -> Vec<(char, u64)> {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    sizes
}
