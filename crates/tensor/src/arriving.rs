//! What arrives at a point of an assignment's loops: a rule for each accumulation.
//!
//! Graphs make tensors of these rules, and [`gradient_statements`] assignments, so that both say
//! one thing.

use lozenge::{
    Accumulation, Assignment, Binary, Expression, Ternary,
    project::{Slot, Statement},
};

use crate::derivative::{NoDerivative, reaching, times};

/// What a tensor of a gradient's statement stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Part {
    /// The tensor of a slot.
    Value(Slot),
    /// The gradient of a slot's tensor.
    Gradient(Slot),
    /// By cell of what the assignment writes, the number of points that won its maximum or minimum.
    Winners,
    /// By cell of what the assignment writes, the number of factors that are 0.
    Zeros,
    /// By cell of what the assignment writes, the product of the factors that are not 0.
    Product,
    /// By cell of what the assignment writes, the sum of the factors that are 0. It is 0, and has
    /// slopes: second derivatives go through it.
    Vanishing,
}

/// A statement of a gradient: an assignment over the loops of another, and what its tensors are.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GradientStatement {
    /// What it does.
    pub assignment: Assignment,
    /// What it writes.
    pub written: Part,
    /// What it reads, in the order of the assignment.
    pub read: Vec<Part>,
}

/// What arrives at a point, over parts that are read before what the assignment itself reads.
pub(crate) struct Arriving {
    pub(crate) read: Vec<Part>,
    pub(crate) value: Expression,
    /// What is to be made first, over the same loops.
    pub(crate) beside: Vec<Beside>,
}

/// A tensor with the cells of what an assignment writes, made over the same loops.
pub(crate) struct Beside {
    pub(crate) part: Part,
    /// What it reads before what the assignment itself reads.
    pub(crate) read: Vec<Part>,
    pub(crate) value: Expression,
    pub(crate) accumulation: Accumulation,
}

impl Beside {
    /// Whether it is a count, which is a step: no gradient goes through it.
    pub(crate) fn is_count(&self) -> bool {
        matches!(self.part, Part::Winners | Part::Zeros)
    }
}

impl Part {
    /// The word that stands behind the name of what is written, as in `result.winners`.
    pub const fn suffix(self) -> &'static str {
        match self {
            Part::Value(_) => "",
            Part::Gradient(_) => "grad",
            Part::Winners => "winners",
            Part::Zeros => "zeros",
            Part::Product => "product",
            Part::Vanishing => "vanishing",
        }
    }

    /// The slot in which it stands, where an assignment writes this one.
    const fn slot(self, written: Slot) -> Slot {
        match self {
            Part::Value(slot) | Part::Gradient(slot) => slot,
            Part::Winners | Part::Zeros | Part::Product | Part::Vanishing => written,
        }
    }
}

/// What arrives at a point of an assignment that accumulates a value so into a slot; `None` where
/// nothing does.
pub(crate) fn arriving(
    value: &Expression,
    accumulation: Accumulation,
    written: Slot,
) -> Option<Arriving> {
    let read = Expression::read;
    let choose = |a, b, c| Expression::ternary(Ternary::Where, [a, b, c]);
    let zero = || Expression::from(0.0);
    let equal = |a: Expression, b: Expression| a.binary(Binary::Equal, b);
    let (own, gradient) = (Part::Value(written), Part::Gradient(written));
    let plain = |value| Arriving { read: vec![gradient], value, beside: vec![] };
    Some(match accumulation {
        Accumulation::Add | Accumulation::Set => plain(read(0)),
        Accumulation::Subtract => plain(-read(0)),
        // Those that won share what arrives, however many cells they are read for.
        Accumulation::Max | Accumulation::Min => {
            let wins = choose(equal(read(0), shifted(value, 1)), 1.0.into(), zero());
            let winners = Beside {
                part: Part::Winners,
                read: vec![own],
                value: wins,
                accumulation: Accumulation::Add,
            };
            let wins = equal(read(1), shifted(value, 3));
            Arriving {
                read: vec![gradient, own, Part::Winners],
                value: choose(wins, read(0) / read(2), zero()),
                beside: vec![winners],
            }
        }
        // The product of all others: of those that are not 0, and of one that is, as a sum of which
        // the others are constant. So it has derivatives, the first of which is right however many
        // are 0.
        Accumulation::Multiply => {
            let is_zero = equal(value.clone(), zero());
            let zeros = Beside {
                part: Part::Zeros,
                read: vec![],
                value: choose(is_zero.clone(), 1.0.into(), zero()),
                accumulation: Accumulation::Add,
            };
            let product = Beside {
                part: Part::Product,
                read: vec![],
                value: choose(is_zero.clone(), 1.0.into(), value.clone()),
                accumulation: Accumulation::Multiply,
            };
            let vanishing = Beside {
                part: Part::Vanishing,
                read: vec![],
                value: choose(is_zero, value.clone(), zero()),
                accumulation: Accumulation::Add,
            };
            let own = || shifted(value, 4);
            let has = |zeros: f64| equal(read(1), zeros.into());
            let other_zero = choose(has(2.0), read(2) * (read(3) - own()), zero());
            let of_zero = choose(has(1.0), read(2), other_zero);
            let with_zero = choose(has(1.0), read(2) * read(3), zero());
            // Not divided by 0 where that is not taken: derivatives would be no numbers.
            let divisor = choose(equal(own(), zero()), 1.0.into(), own());
            let of_others = choose(has(0.0), read(2), with_zero) / divisor;
            let others = choose(equal(own(), zero()), of_zero, of_others);
            Arriving {
                read: vec![gradient, Part::Zeros, Part::Product, Part::Vanishing],
                value: times(read(0), others),
                beside: vec![zeros, product, vanishing],
            }
        }
        Accumulation::Divide => {
            let value = shifted(value, 2);
            Arriving {
                read: vec![gradient, own],
                value: -(read(0) * read(1) / value),
                beside: vec![],
            }
        }
        // Truths are steps.
        _ => return None,
    })
}

/// An expression whose reads come after this many others.
pub(crate) fn shifted(value: &Expression, by: usize) -> Expression {
    value.with_reads(&|number| Expression::read(number + by))
}

/// The statements of an assignment's gradient towards a slot that it reads, in the order in which
/// they run; the last one adds to the gradient. None where the gradient is 0.
///
/// ```
/// use lozenge::{Session, project::Slot};
/// use lozenge_tensor::{Part, gradient_statements};
///
/// let mut session = Session::new();
/// let a = session.data("a", "2,3")?;
/// let b = session.data("b", "3,4")?;
/// let c = session.einsum("ij; jk => ik", &[a, b])?;
/// let product = session.assignment(&session.close()?, c)?;
/// let statements = gradient_statements(&product, Slot::operand(0)).unwrap();
/// let [only] = &statements[..] else { panic!() };
/// assert_eq!(only.written, Part::Gradient(Slot::operand(0)));
/// assert_eq!(only.read, [Part::Gradient(Slot::RESULT), Part::Value(Slot::operand(1))]);
/// assert_eq!(only.assignment.record(), product.record()); // nothing is inferred again
/// # Ok::<(), lozenge::Report>(())
/// ```
///
/// # Errors
/// When the value has a function whose derivative nobody knows, or the assignment is a
/// concatenation of a difference, a quotient or the like, writes several slots, or begins with an
/// operand.
pub fn gradient_statements(
    of: &Assignment,
    towards: Slot,
) -> Result<Vec<GradientStatement>, NoDerivative> {
    let [written] = *of.written() else {
        return Err(NoDerivative("an assignment of several tensors".to_owned()));
    };
    if of.initial().is_some() {
        return Err(NoDerivative("a result that begins with an operand".to_owned()));
    }
    let Some(arriving) = arriving(of.value(), of.accumulation(), written) else {
        return Ok(vec![]);
    };
    differentiable(of)?;
    let before = arriving.read.len();
    let own: Vec<Part> = of.read().iter().map(|slot| Part::Value(*slot)).collect();
    let mut reaches: Option<Expression> = None;
    for (number, _) in of.read().iter().enumerate().filter(|(_, slot)| **slot == towards) {
        let value = shifted(of.value(), before);
        if let Some(found) = reaching(&value, before + number, arriving.value.clone())? {
            reaches = Some(reaches.map_or(found.clone(), |known| known + found));
        }
    }
    let Some(reaches) = reaches else { return Ok(vec![]) };
    let made = |part: Part, first: &[Part], value: &Expression, by, statement, needed: &[Slot]| {
        let all: Vec<Part> = [first, &own].concat();
        let (value, used) = pruned(value);
        let read: Vec<Part> = used.into_iter().map(|number| all[number]).collect();
        let slots: Vec<Slot> = read.iter().map(|part| part.slot(written)).collect();
        let assignment = of
            .seen_from(&[part.slot(written)], &slots)
            .needing(needed)
            .computing(value)
            .accumulating(by, statement);
        GradientStatement { assignment, written: part, read }
    };
    let mut statements: Vec<GradientStatement> = vec![];
    for Beside { part, read, value, accumulation } in &arriving.beside {
        statements.push(made(*part, read, value, *accumulation, Statement::Erasing, &[]));
    }
    let gradient = Part::Gradient(towards);
    let by = (Accumulation::Add, Statement::Accumulating);
    statements.push(made(gradient, &arriving.read, &reaches, by.0, by.1, &[written]));
    Ok(statements)
}

/// Refuses to differentiate what a concatenation of a difference, a quotient or the like does:
/// where one part is copied alone, `a - b` is `b`, and its derivative is not that of a difference.
pub(crate) fn differentiable(of: &Assignment) -> Result<(), NoDerivative> {
    if of.record().is_coupled() && has_sides(of.value()) {
        return Err(NoDerivative("a concatenation of a difference, a quotient or the like".into()));
    }
    Ok(())
}

/// Whether what is left of an expression depends by more than that on which operand is missing.
fn has_sides(value: &Expression) -> bool {
    let is_even = match value {
        Expression::Binary(primitive, _) => matches!(primitive, Binary::Add | Binary::Multiply),
        Expression::Ternary(primitive, _) => *primitive == Ternary::MultiplyThree,
        _ => true,
    };
    let reading = value.operands().iter().filter(|operand| !operand.reads().is_empty());
    (!is_even && reading.count() > 1) || value.operands().iter().any(has_sides)
}

/// An expression that reads no more than it uses, and the numbers of those in the old one.
pub(crate) fn pruned(value: &Expression) -> (Expression, Vec<usize>) {
    let mut used: Vec<usize> = value.reads();
    used.sort_unstable();
    used.dedup();
    let own = |number: usize| used.binary_search(&number).unwrap_or_default();
    (value.with_reads(&|number| Expression::read(own(number))), used)
}
