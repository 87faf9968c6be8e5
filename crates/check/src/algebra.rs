//! What equations between open sizes say, held against z3 and against enumeration.
//!
//! An equation, a divisibility or a lower bound over names with ranges is drawn as a tree; the tree
//! is what z3 and the enumeration read, its normal form is what is decided. Without products and
//! minima nothing may stay undecided.

use std::fmt::Write;

use lozenge_calculus::size::{
    Decision, Indeterminate, Interval, Polynomial, Requirement, SizeSymbol, Sizes,
};

use crate::{
    Generator, Mismatch,
    mismatch::counts,
    smt::{Answer, Prover},
};

/// How large names are tried where z3 does not know.
const TRIED: i128 = 40;

/// A size that somebody writes.
#[derive(Debug)]
enum Tree {
    Number(i128),
    Name(usize),
    Sum(Box<Tree>, Box<Tree>),
    Scaled(i128, Box<Tree>),
    Product(Box<Tree>, Box<Tree>),
    Exact(Box<Tree>, u64),
    Floor(Box<Tree>, u64),
    Ceiling(Box<Tree>, u64),
    Rest(Box<Tree>, u64),
    Least(Box<Tree>, Box<Tree>),
    Greatest(Box<Tree>, Box<Tree>),
}

/// What is asked of sizes.
#[derive(Debug)]
enum Question {
    Equal(Tree, Tree),
    Divides(u64, Tree),
    AtLeast(Tree, i128),
}

#[derive(Debug)]
struct Case {
    ranges: Vec<(i128, Option<i128>)>,
    question: Question,
    is_linear: bool,
}

/// A number that need not be whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ratio(i128, i128);

impl Ratio {
    fn new(above: i128, below: i128) -> Ratio {
        let (mut a, mut b) = (above.abs(), below.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let g = a.max(1) * below.signum();
        Ratio(above / g, below / g)
    }

    fn plus(self, other: Ratio) -> Ratio {
        Ratio::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn times(self, other: Ratio) -> Ratio {
        Ratio::new(self.0 * other.0, self.1 * other.1)
    }

    fn floor(self, by: u64) -> Ratio {
        Ratio(self.0.div_euclid(self.1 * i128::from(by)), 1)
    }

    fn is_below(self, other: Ratio) -> bool {
        self.0 * other.1 < other.0 * self.1
    }
}

impl Tree {
    fn draw(rng: &mut Generator, names: usize, depth: u32, is_linear: bool) -> Tree {
        let tree = |rng: &mut Generator| Box::new(Tree::draw(rng, names, depth - 1, is_linear));
        if depth == 0 {
            return if rng.u8(..4) == 0 {
                Tree::Number(rng.i128(0..12))
            } else {
                Tree::Name(rng.usize(..names))
            };
        }
        let by = |rng: &mut Generator| rng.u64(2..9);
        match rng.u8(..if is_linear { 13 } else { 20 }) {
            0..3 => Tree::Sum(tree(rng), tree(rng)),
            3..5 => Tree::Scaled(rng.i128(-6..9), tree(rng)),
            5..7 => Tree::Floor(tree(rng), by(rng)),
            7 => Tree::Ceiling(tree(rng), by(rng)),
            8 => Tree::Rest(tree(rng), by(rng)),
            9 => Tree::Exact(tree(rng), by(rng)),
            10..13 => *tree(rng),
            13..17 => Tree::Product(tree(rng), tree(rng)),
            17 => Tree::Least(tree(rng), tree(rng)),
            _ => Tree::Greatest(tree(rng), tree(rng)),
        }
    }

    /// In normal form.
    fn form(&self, sizes: &mut Sizes, names: &[Indeterminate]) -> Polynomial {
        match self {
            Tree::Number(n) => Polynomial::constant(*n),
            Tree::Name(name) => Polynomial::indeterminate(names[*name]),
            Tree::Sum(a, b) => {
                let (a, b) = (a.form(sizes, names), b.form(sizes, names));
                sizes.sum(&a, &b)
            }
            Tree::Scaled(n, of) => {
                let of = of.form(sizes, names);
                sizes.product(&Polynomial::constant(*n), &of)
            }
            Tree::Product(a, b) => {
                let (a, b) = (a.form(sizes, names), b.form(sizes, names));
                sizes.product(&a, &b)
            }
            Tree::Exact(of, by) => {
                let of = of.form(sizes, names);
                sizes.quotient(&of, &Polynomial::constant((*by).into()))
            }
            Tree::Floor(of, by) => {
                let of = of.form(sizes, names);
                sizes.floor(&of, *by)
            }
            Tree::Ceiling(of, by) => {
                let of = of.form(sizes, names);
                sizes.ceiling(&of, *by)
            }
            Tree::Rest(of, by) => {
                let of = of.form(sizes, names);
                sizes.remainder(&of, *by)
            }
            Tree::Least(a, b) => {
                let (a, b) = (a.form(sizes, names), b.form(sizes, names));
                sizes.least(&a, &b)
            }
            Tree::Greatest(a, b) => {
                let (a, b) = (a.form(sizes, names), b.form(sizes, names));
                sizes.greatest(&a, &b)
            }
        }
    }

    /// For z3, as a real number.
    fn asked(&self) -> String {
        let floor = |of: &str, by: &u64| format!("(to_real (to_int (/ {of} {by}.0)))");
        match self {
            Tree::Number(n) => format!("{n}.0"),
            Tree::Name(name) => format!("(to_real n{name})"),
            Tree::Sum(a, b) => format!("(+ {} {})", a.asked(), b.asked()),
            Tree::Scaled(n, of) => format!("(* {} {})", number(*n), of.asked()),
            Tree::Product(a, b) => format!("(* {} {})", a.asked(), b.asked()),
            Tree::Exact(of, by) => format!("(/ {} {by}.0)", of.asked()),
            Tree::Floor(of, by) => floor(&of.asked(), by),
            Tree::Ceiling(of, by) => {
                format!("(- {})", floor(&format!("(- {})", of.asked()), by))
            }
            Tree::Rest(of, by) => {
                let of = of.asked();
                format!("(- {of} (* {by}.0 {}))", floor(&of, by))
            }
            Tree::Least(a, b) => {
                let (a, b) = (a.asked(), b.asked());
                format!("(ite (< {a} {b}) {a} {b})")
            }
            Tree::Greatest(a, b) => {
                let (a, b) = (a.asked(), b.asked());
                format!("(ite (< {a} {b}) {b} {a})")
            }
        }
    }

    /// The trees below.
    fn below(&self) -> Vec<&Tree> {
        match self {
            Tree::Number(_) | Tree::Name(_) => vec![],
            Tree::Scaled(_, of)
            | Tree::Exact(of, _)
            | Tree::Floor(of, _)
            | Tree::Ceiling(of, _)
            | Tree::Rest(of, _) => vec![of],
            Tree::Sum(a, b) | Tree::Product(a, b) | Tree::Least(a, b) | Tree::Greatest(a, b) => {
                vec![a, b]
            }
        }
    }

    /// The exact quotients in it.
    fn quotients(&self) -> Vec<&Tree> {
        let own = matches!(self, Tree::Exact(..)).then_some(self);
        own.into_iter().chain(self.below().into_iter().flat_map(Tree::quotients)).collect()
    }

    fn value(&self, names: &[i128]) -> Ratio {
        match self {
            Tree::Number(n) => Ratio(*n, 1),
            Tree::Name(name) => Ratio(names[*name], 1),
            Tree::Sum(a, b) => a.value(names).plus(b.value(names)),
            Tree::Scaled(n, of) => of.value(names).times(Ratio(*n, 1)),
            Tree::Product(a, b) => a.value(names).times(b.value(names)),
            Tree::Exact(of, by) => of.value(names).times(Ratio(1, (*by).into())),
            Tree::Floor(of, by) => of.value(names).floor(*by),
            Tree::Ceiling(of, by) => {
                let negative = of.value(names).times(Ratio(-1, 1));
                negative.floor(*by).times(Ratio(-1, 1))
            }
            Tree::Rest(of, by) => {
                let of = of.value(names);
                of.plus(of.floor(*by).times(Ratio(-i128::from(*by), 1)))
            }
            Tree::Least(a, b) => {
                let (a, b) = (a.value(names), b.value(names));
                if a.is_below(b) { a } else { b }
            }
            Tree::Greatest(a, b) => {
                let (a, b) = (a.value(names), b.value(names));
                if a.is_below(b) { b } else { a }
            }
        }
    }
}

fn number(n: i128) -> String {
    if n < 0 { format!("(- {}.0)", -n) } else { format!("{n}.0") }
}

impl Question {
    fn asked(&self) -> String {
        match self {
            Question::Equal(a, b) => format!("(= {} {})", a.asked(), b.asked()),
            Question::Divides(by, of) => format!("(is_int (/ {} {by}.0))", of.asked()),
            Question::AtLeast(of, least) => format!("(>= {} {})", of.asked(), number(*least)),
        }
    }

    /// The exact quotients in it: it is asked only where they are whole.
    fn quotients(&self) -> Vec<&Tree> {
        match self {
            Question::Equal(a, b) => [a.quotients(), b.quotients()].concat(),
            Question::Divides(_, of) | Question::AtLeast(of, _) => of.quotients(),
        }
    }

    fn holds(&self, names: &[i128]) -> bool {
        match self {
            Question::Equal(a, b) => a.value(names) == b.value(names),
            Question::Divides(by, of) => of.value(names).times(Ratio(1, (*by).into())).1 == 1,
            Question::AtLeast(of, least) => !of.value(names).is_below(Ratio(*least, 1)),
        }
    }
}

impl Case {
    fn draw(rng: &mut Generator) -> Case {
        let is_linear = rng.bool();
        let names = [1, 1, 1, 2, 2, 3][rng.usize(..6)];
        let range = |rng: &mut Generator| {
            let low = rng.i128(0..4);
            let high = [None, None, Some(low + rng.i128(0..4)), Some(low + rng.i128(4..200))];
            (low, high[rng.usize(..4)])
        };
        let ranges = (0..names).map(|_| range(rng)).collect();
        let depth = rng.u32(1..4);
        let tree = |rng: &mut Generator, depth| Tree::draw(rng, names, depth, is_linear);
        let question = match rng.u8(..10) {
            0 => Question::Divides(rng.u64(2..13), tree(rng, depth)),
            1 => Question::AtLeast(tree(rng, depth), rng.i128(-3..20)),
            2..5 => Question::Equal(tree(rng, depth), Tree::Number(rng.i128(0..24))),
            _ => {
                let second = rng.u32(0..3);
                Question::Equal(tree(rng, depth), tree(rng, second))
            }
        };
        Case { ranges, question, is_linear }
    }

    fn decided(&self) -> (Decision, Vec<Indeterminate>) {
        let (mut sizes, mut next) = (Sizes::new(), 0);
        let name = |&(low, high): &(i128, Option<i128>)| {
            let name = SizeSymbol::new(next);
            next += 1;
            let range = Interval { low: Some(low), high };
            sizes.set_range(name, range);
            Sizes::name(name)
        };
        let names: Vec<Indeterminate> = self.ranges.iter().map(name).collect();
        let decision = match &self.question {
            Question::Equal(a, b) => {
                let (a, b) = (a.form(&mut sizes, &names), b.form(&mut sizes, &names));
                let difference = sizes.difference(&a, &b);
                sizes.decide(&difference)
            }
            Question::Divides(by, of) => {
                let of = of.form(&mut sizes, &names);
                sizes.decide_divides(*by, &of)
            }
            Question::AtLeast(of, least) => {
                let of = of.form(&mut sizes, &names);
                sizes.decide_at_least(&of, *least)
            }
        };
        (decision, names)
    }

    /// What z3 is told of the names.
    fn declared(&self) -> String {
        let mut text = String::new();
        for (name, (low, high)) in self.ranges.iter().enumerate() {
            let high = high.map_or(String::new(), |high| format!("(assert (<= n{name} {high}))\n"));
            let _ =
                writeln!(text, "(declare-const n{name} Int)\n(assert (>= n{name} {low}))\n{high}");
        }
        text
    }

    /// Values of the names, not all of them where there are many.
    fn values(&self) -> Vec<Vec<i128>> {
        let most = match self.ranges.len() {
            1 => TRIED,
            2 => 20,
            _ => 8,
        };
        let mut all: Vec<Vec<i128>> = vec![vec![]];
        for (low, high) in &self.ranges {
            let high = high.unwrap_or(most).min(low + most);
            let with = |values: &Vec<i128>| -> Vec<Vec<i128>> {
                (*low..=high).map(|n| [values.as_slice(), &[n]].concat()).collect()
            };
            all = all.iter().flat_map(with).collect();
        }
        let quotients = self.question.quotients();
        all.retain(|values| quotients.iter().all(|of| of.value(values).1 == 1));
        all
    }

    fn is_box(&self) -> bool {
        self.ranges.iter().all(|(low, high)| high.is_some_and(|high| high <= low + 8))
    }
}

counts! {
    /// What was decided.
    pub struct Counts {
        pub decisions: [u64; 6],
        pub linear: u64,
        /// Linear ones that could have been decided.
        pub undecided: u64,
        /// Refused for their names, though no values would do anyway.
        pub none_anyway: u64,
        pub unknown: u64,
    }
}

/// The kinds of decisions, in the order in which they are counted.
pub const DECISIONS: [&str; 6] =
    ["always", "never", "one value", "required", "required as written", "several names"];

/// The two questions that tell whether a decision is right, each with the answer that it then has.
struct Claims {
    /// Nothing satisfies these.
    impossible: Vec<String>,
    /// Something satisfies each of these, or less was found than there is.
    possible: Vec<String>,
}

/// What a decision claims, for z3.
fn claims(case: &Case, decision: &Decision, names: &[Indeterminate]) -> Claims {
    let asked = case.question.asked();
    let not = |text: &str| format!("(not {text})");
    let name = |atom: &Indeterminate| names.iter().position(|other| other == atom).unwrap_or(0);
    match decision {
        Decision::Always => Claims { impossible: vec![not(&asked)], possible: vec![] },
        Decision::Never => Claims { impossible: vec![asked], possible: vec![] },
        Decision::Is(atom, n) => {
            let is = format!("(= n{} {n})", name(atom));
            Claims { impossible: vec![format!("(xor {asked} {is})")], possible: vec![asked] }
        }
        Decision::Requires(Requirement::AtLeast(..)) => {
            Claims { impossible: vec![], possible: vec![asked.clone(), not(&asked)] }
        }
        Decision::Requires(_) => {
            // Two values, and one that is not.
            let mut possible = vec![not(&asked)];
            if case.ranges.len() == 1 && matches!(case.question, Question::Equal(..)) {
                let second = asked.replace("n0", "m");
                let (low, high) = case.ranges[0];
                let high = high.map_or(String::new(), |high| format!(" (<= m {high})"));
                let two =
                    format!("(exists ((m Int)) (and (>= m {low}){high} (not (= m n0)) {second}))");
                possible.push(format!("(and {asked} {two})"));
            } else {
                possible.push(asked);
            }
            Claims { impossible: vec![], possible }
        }
        Decision::Several => Claims { impossible: vec![], possible: vec![not(&asked)] },
    }
}

/// Whether a decision agrees with the values that are tried.
fn enumerated(case: &Case, decision: &Decision, names: &[Indeterminate]) -> Result<(), String> {
    let (mut holds, mut fails) = (vec![], 0_u64);
    for values in case.values() {
        if case.question.holds(&values) {
            holds.push(values);
        } else {
            fails += 1;
        }
    }
    let says = |is_right: bool, what: &str| if is_right { Ok(()) } else { Err(what.to_owned()) };
    match decision {
        Decision::Always => says(fails == 0, "it does not always hold"),
        Decision::Never => says(holds.is_empty(), "it holds somewhere"),
        Decision::Is(atom, n) => {
            let name = names.iter().position(|other| other == atom).unwrap_or(0);
            let is = holds.iter().all(|values| values[name] == i128::from(*n));
            says(is, "it holds for another value")
        }
        Decision::Requires(Requirement::Divides(by, of)) => {
            let sizes = Sizes::new();
            let rest = |values: &[i128]| {
                let value = |atom: Indeterminate| {
                    let place = names.iter().position(|other| *other == atom)?;
                    values.get(place).copied()
                };
                sizes.value(of, &value).map(|n| n.rem_euclid((*by).into()))
            };
            let is_plain = matches!(case.question, Question::Equal(..));
            for values in case.values().iter().filter(|_| is_plain) {
                let claimed = rest(values) == Some(0);
                says(claimed == case.question.holds(values), "another divisibility")?;
            }
            Ok(())
        }
        // Where a quotient is not whole it is not asked, and may fail.
        Decision::Several if !case.question.quotients().is_empty() => Ok(()),
        Decision::Several => says(fails > 0 || !case.is_box(), "it always holds"),
        Decision::Requires(_) => Ok(()),
    }
}

fn check_case(
    case: &Case,
    prover: &mut dyn Prover,
    counts: &mut Counts,
) -> anyhow::Result<Result<(), String>> {
    let (decision, names) = case.decided();
    let kind = match &decision {
        Decision::Always => 0,
        Decision::Never => 1,
        Decision::Is(..) => 2,
        Decision::Requires(Requirement::Divides(..) | Requirement::AtLeast(..)) => 3,
        Decision::Requires(Requirement::Zero(_) | Requirement::Exact(..)) => 4,
        Decision::Several => 5,
    };
    counts.decisions[kind] += 1;
    counts.linear += u64::from(case.is_linear);
    if let Err(what) = enumerated(case, &decision, &names) {
        return Ok(Err(format!("{decision:?}: {what}")));
    }
    let Claims { impossible, possible } = claims(case, &decision, &names);
    let declared = case.declared();
    let whole = |of: &&Tree| format!("(assert (is_int {}))\n", of.asked());
    let exact: String = case.question.quotients().iter().map(whole).collect();
    for claim in impossible {
        match prover.check(&format!("{declared}{exact}(assert {claim})\n"))? {
            Answer::Unsatisfiable => {}
            Answer::Unknown => counts.unknown += 1,
            Answer::Satisfiable => return Ok(Err(format!("{decision:?}: z3 disagrees"))),
        }
    }
    // A quotient that is whole for no values is not asked at all.
    let is_ever_asked =
        exact.is_empty() || prover.check(&format!("{declared}{exact}"))? == Answer::Satisfiable;
    for claim in possible {
        match prover.check(&format!("{declared}(assert {claim})\n"))? {
            Answer::Satisfiable => {}
            Answer::Unknown => counts.unknown += 1,
            Answer::Unsatisfiable if case.is_linear && is_ever_asked => {
                return Ok(Err(format!("{decision:?}: it could be decided")));
            }
            Answer::Unsatisfiable => counts.undecided += 1,
        }
    }
    if decision == Decision::Several {
        let asked = format!("{declared}(assert {})\n", case.question.asked());
        counts.none_anyway += u64::from(prover.check(&asked)? == Answer::Unsatisfiable);
    }
    Ok(Ok(()))
}

/// Draws a question about sizes and holds what is decided against enumeration, and against a
/// prover.
///
/// # Errors
/// When one of them knows better.
pub fn check(
    prover: &mut dyn Prover,
    rng: &mut Generator,
    counts: &mut Counts,
) -> Result<(), Mismatch> {
    let case = Case::draw(rng);
    check_case(&case, prover, counts)?.map_err(|what| format!("{case:?}\n{what}").into())
}
