//! Numbers over names of model files, beside the same numbers at values of the names.

use lozenge_onnx::infer::{Num, Nums, Origin, Truth};

use crate::{Generator, Mismatch, mismatch::counts};

/// A number, and its value at each point.
struct Case {
    num: Num,
    at: Vec<i64>,
}

const NAMES: [&str; 3] = ["batch", "seq", "past"];

/// The number of points, each with a value of every name.
const POINTS: usize = 24;

counts! {
    /// What was said about pairs of numbers.
    pub struct Counts {
        /// The pairs that are equal or ordered at all values, or at none.
        pub decided: u64,
        /// The equations that were solved for a name.
        pub solved: u64,
    }
}

/// Draws numbers over names, and holds arithmetic, intervals and decisions against their values.
///
/// # Errors
/// When a number has another value, or what is said of two does not hold at every point.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    Ok(hold(rng, counts)?)
}

/// Values of all names at a point: those that names may have.
fn values(rng: &mut Generator) -> Vec<[i64; 3]> {
    (0..POINTS).map(|_| [rng.i64(1..40), rng.i64(1..40), rng.i64(0..40)]).collect()
}

fn value(nums: &Nums, num: Num, values: [i64; 3]) -> Option<i64> {
    nums.value(num, &|name| Some(values[NAMES.iter().position(|own| *own == name)?]))
}

fn hold(rng: &mut Generator, counts: &mut Counts) -> Result<(), String> {
    let points = values(rng);
    let mut nums = Nums::default();
    let mut all: Vec<Case> = vec![];
    for (place, name) in NAMES.iter().enumerate() {
        let num = nums.named(name, Origin::Input, i64::from(place != 2));
        all.push(Case { num, at: points.iter().map(|values| values[place]).collect() });
    }
    for n in [0, 1, 2, 7, -3] {
        all.push(Case { num: Num::Int(n), at: vec![n; POINTS] });
    }
    for _ in 0..12 {
        let case = computed(rng, &mut nums, &all);
        for (values, want) in points.iter().zip(&case.at) {
            let found = value(&nums, case.num, *values);
            if found != Some(*want) {
                let text = nums.text(case.num);
                return Err(format!("{text} at {values:?} is {found:?}, not {want}"));
            }
        }
        let (low, high) = nums.interval(case.num);
        let is_inside =
            |n: &i64| low.is_none_or(|low| low <= *n) && high.is_none_or(|high| *n <= high);
        if !case.at.iter().all(is_inside) {
            return Err(format!("{} is not in {low:?}..={high:?}", nums.text(case.num)));
        }
        all.push(case);
    }
    for _ in 0..20 {
        let [a, b] = [0, 1].map(|_| &all[rng.usize(..all.len())]);
        hold_pair(&mut nums, &points, a, b, counts)?;
    }
    Ok(())
}

/// A number computed of two others, with the values that it has to have.
fn computed(rng: &mut Generator, nums: &mut Nums, all: &[Case]) -> Case {
    let [a, b] = [0, 1].map(|_| &all[rng.usize(..all.len())]);
    let by = rng.i64(1..9);
    let both = |of: fn(i64, i64) -> i64| -> Vec<i64> {
        a.at.iter().zip(&b.at).map(|(a, b)| of(*a, *b)).collect()
    };
    let one = |of: &dyn Fn(i64) -> i64| -> Vec<i64> { a.at.iter().map(|a| of(*a)).collect() };
    let (num, at) = match rng.u8(..8) {
        0 => (nums.add(a.num, b.num), both(|a, b| a + b)),
        1 => (nums.sub(a.num, b.num), both(|a, b| a - b)),
        2 if a.at.iter().chain(&b.at).all(|n| n.abs() < 100_000) => {
            (nums.mul(a.num, b.num), both(|a, b| a * b))
        }
        3 => (nums.floor(a.num, by), one(&|a| a.div_euclid(by))),
        4 => (nums.ceil(a.num, by), one(&|a| -(-a).div_euclid(by))),
        5 => (nums.rem(a.num, by), one(&|a| a.rem_euclid(by))),
        6 => (nums.least(a.num, b.num), both(i64::min)),
        _ => (nums.greatest(a.num, b.num), both(i64::max)),
    };
    Case { num, at }
}

/// Holds what is said about two numbers against their values at all points.
fn hold_pair(
    nums: &mut Nums,
    points: &[[i64; 3]],
    a: &Case,
    b: &Case,
    counts: &mut Counts,
) -> Result<(), String> {
    let pairs = || a.at.iter().zip(&b.at);
    let equal: Vec<bool> = pairs().map(|(a, b)| a == b).collect();
    let ordered: Vec<bool> = pairs().map(|(a, b)| a <= b).collect();
    let said = [(nums.equals(a.num, b.num), &equal), (nums.at_most(a.num, b.num), &ordered)];
    for (said, truths) in said {
        let holds = match said {
            Truth::Always => truths.iter().all(|truth| *truth),
            Truth::Never => truths.iter().all(|truth| !*truth),
            Truth::Maybe => continue,
        };
        counts.decided += 1;
        if !holds {
            let [a, b] = [a, b].map(|case| nums.text(case.num));
            return Err(format!("{a} and {b}: {said:?}, but {truths:?}"));
        }
    }
    // An equation that is solved for a name holds where the name has that value, and nowhere else.
    let Some((name, num)) = nums.solved(a.num, b.num) else { return Ok(()) };
    counts.solved += 1;
    let text = nums.name(name).map(|name| name.text.clone()).unwrap_or_default();
    let place = NAMES.iter().position(|own| *own == text).ok_or("another name")?;
    for (values, truth) in points.iter().zip(&equal) {
        let is_it = value(nums, num, *values).map(|value| value == values[place]);
        if is_it.is_some_and(|is_it| is_it != *truth) {
            return Err(format!("{text} = {} at {values:?}: {truth}", nums.text(num)));
        }
    }
    Ok(())
}
