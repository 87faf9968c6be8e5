//! Numbers over names beside the same numbers at values of the names.

use lozenge_onnx::infer::{Num, Nums, Origin, Truth};

/// A number, and what it is where names have these values.
struct Case {
    num: Num,
    at: Vec<i64>,
}

const NAMES: [&str; 3] = ["batch", "seq", "past"];
const POINTS: usize = 24;

/// Values of all names at a point: those that names may have.
fn values(random: &mut fastrand::Rng) -> Vec<[i64; 3]> {
    (0..POINTS).map(|_| [random.i64(1..40), random.i64(1..40), random.i64(0..40)]).collect()
}

fn at(nums: &Nums, num: Num, values: [i64; 3]) -> Option<i64> {
    nums.value(num, &|name| Some(values[NAMES.iter().position(|own| *own == name)?]))
}

#[test]
fn arithmetic_is_that_of_values() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let points = values(&mut random);
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
            let [a, b] = [0, 1].map(|_| random.usize(..all.len()));
            let by = random.i64(1..9);
            let (a, b) = (&all[a], &all[b]);
            let both = |of: fn(i64, i64) -> i64| -> Vec<i64> {
                a.at.iter().zip(&b.at).map(|(a, b)| of(*a, *b)).collect()
            };
            let one =
                |of: &dyn Fn(i64) -> i64| -> Vec<i64> { a.at.iter().map(|a| of(*a)).collect() };
            let (num, want) = match random.u8(..8) {
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
            for (values, want) in points.iter().zip(&want) {
                assert_eq!(
                    at(&nums, num, *values),
                    Some(*want),
                    "seed {seed}: {} at {values:?}",
                    nums.text(num)
                );
            }
            let (low, high) = nums.interval(num);
            assert!(
                want.iter()
                    .all(|n| low.is_none_or(|low| low <= *n) && high.is_none_or(|high| *n <= high))
            );
            all.push(Case { num, at: want });
        }
        // What is said about two of them holds at all points.
        for _ in 0..20 {
            let [a, b] = [0, 1].map(|_| random.usize(..all.len()));
            let (a, b) = (&all[a], &all[b]);
            let truths: Vec<bool> = a.at.iter().zip(&b.at).map(|(a, b)| a == b).collect();
            match nums.equals(a.num, b.num) {
                Truth::Always => assert!(truths.iter().all(|truth| *truth), "seed {seed}"),
                Truth::Never => assert!(truths.iter().all(|truth| !*truth), "seed {seed}"),
                Truth::Maybe => {}
            }
            let mut pairs = a.at.iter().zip(&b.at);
            match nums.at_most(a.num, b.num) {
                Truth::Always => assert!(pairs.all(|(a, b)| a <= b), "seed {seed}"),
                Truth::Never => assert!(pairs.all(|(a, b)| a > b), "seed {seed}"),
                Truth::Maybe => {}
            }
            // An equation that is solved for a name holds where the name is what it says, and nowhere else.
            if let Some((name, num)) = nums.solved(a.num, b.num) {
                let text = nums.name(name).unwrap().text.clone();
                let place = NAMES.iter().position(|own| *own == text).unwrap();
                for (values, truth) in points.iter().zip(&truths) {
                    if let Some(value) = at(&nums, num, *values) {
                        let is_it = value == values[place];
                        assert!(!*truth || is_it, "seed {seed}: {text} = {}", nums.text(num));
                        assert!(!is_it || *truth, "seed {seed}: {text} = {}", nums.text(num));
                    }
                }
            }
        }
    }
}

#[test]
fn equations_are_solved_without_common_factors() {
    let mut nums = Nums::default();
    let [batch, seq] = ["batch", "seq"].map(|name| nums.named(name, Origin::Input, 1));
    let all = nums.product([batch, seq, Num::Int(768)]);
    let one = nums.product([seq, Num::Int(768)]);
    assert_eq!(nums.equation_text(all, one), "batch = 1");
    let (name, num) = nums.solved(all, one).unwrap();
    assert_eq!((nums.name(name).unwrap().text.as_str(), num), ("batch", Num::ONE));
}
