//! Open sizes in normal form, and what equations between them say.

use lozenge_calculus::size::{
    CommonValues, Decision, Indeterminate, Interval, Polynomial, Requirement, SizeSymbol, Sizes,
};

/// Names with ranges, and everything that is computed from them.
struct Table {
    sizes: Sizes,
    names: Vec<Indeterminate>,
}

impl Table {
    fn with(ranges: &[(i128, Option<i128>)]) -> Table {
        let (mut sizes, mut next) = (Sizes::new(), 0);
        let name = |&(low, high): &(i128, Option<i128>)| {
            let name = SizeSymbol::new(next);
            next += 1;
            sizes.set_range(name, Interval { low: Some(low), high });
            Sizes::name(name)
        };
        let names = ranges.iter().map(name).collect();
        Table { sizes, names }
    }

    /// From 1 on.
    fn open(names: usize) -> Table {
        Table::with(&vec![(1, None); names])
    }

    /// `Σ cᵢ·nᵢ + k`.
    fn sum(&mut self, factors: &[i128], constant: i128) -> Polynomial {
        let mut sum = Polynomial::constant(constant);
        for (factor, name) in factors.iter().zip(self.names.clone()) {
            let term = self
                .sizes
                .product(&Polynomial::constant(*factor), &Polynomial::indeterminate(name));
            sum = self.sizes.sum(&sum, &term);
        }
        sum
    }

    fn floor(&mut self, factors: &[i128], constant: i128, by: u64) -> Polynomial {
        let of = self.sum(factors, constant);
        self.sizes.floor(&of, by)
    }

    fn equal(&mut self, a: &Polynomial, b: &Polynomial) -> Decision {
        let difference = self.sizes.difference(a, b);
        self.sizes.decide(&difference)
    }
}

#[test]
fn floors_have_one_form() {
    let mut t = Table::open(2);
    // What divides is outside.
    let (whole, inner) = (t.floor(&[8, 1], 5, 4), t.floor(&[0, 1], 1, 4));
    let outside = t.sum(&[2], 1);
    assert_eq!(whole, t.sizes.sum(&outside, &inner));
    // Common factors go, with what they leave of the number.
    assert_eq!(t.floor(&[2], 1, 4), t.floor(&[1], 0, 2));
    // A floor of a floor is one.
    let half = t.floor(&[1], 0, 2);
    assert_eq!(t.sizes.floor(&half, 2), t.floor(&[1], 0, 4));
    let m = t.sum(&[0, 1], 0);
    let both = t.sizes.sum(&half, &m);
    assert_eq!(t.sizes.floor(&both, 3), t.floor(&[1, 2], 0, 6));
    // Ceilings are floors.
    let n = t.sum(&[1], 0);
    assert_eq!(t.sizes.ceiling(&n, 4), t.floor(&[1], 3, 4));
    // An exact quotient below a floor.
    let quarter = t.sizes.quotient(&n, &Polynomial::constant(4));
    assert_eq!(t.sizes.floor(&quarter, 2), t.floor(&[1], 0, 8));
    // By its range it is a number.
    let mut t = Table::with(&[(1, Some(7))]);
    assert_eq!(t.floor(&[1], 0, 8), Polynomial::ZERO);
}

#[test]
fn quotients_divide_out() {
    let mut t = Table::open(2);
    let (n, m) = (t.sum(&[1], 0), t.sum(&[0, 1], 0));
    let product = t.sizes.product(&n, &m);
    assert_eq!(t.sizes.quotient(&product, &n), m);
    // (n + 1)·(m + 2)/(m + 2)
    let (a, b) = (t.sum(&[1], 1), t.sum(&[0, 1], 2));
    let product = t.sizes.product(&a, &b);
    assert_eq!(t.sizes.quotient(&product, &b), a);
    // 6·n/4 is 3·n/2, and twice that 3·n.
    let six = t.sum(&[6], 0);
    let half = t.sizes.quotient(&six, &Polynomial::constant(4));
    assert_eq!(t.sizes.product(&half, &Polynomial::constant(2)), t.sum(&[3], 0));
    // n·m/(n + m) stays what it is, whatever is cancelled before.
    let sum = t.sizes.sum(&n, &m);
    let product = t.sizes.product(&n, &m);
    let plain = t.sizes.quotient(&product, &sum);
    let (more, below) = (t.sizes.product(&product, &n), t.sizes.product(&sum, &n));
    assert_eq!(t.sizes.quotient(&more, &below), plain);
}

#[test]
fn a_quotient_times_what_it_is_divided_by_is_the_whole() {
    let mut t = Table::open(2);
    let (n, m) = (t.sum(&[1], 0), t.sum(&[0, 1], 0));
    // (n/m)·m, also among others: 6·(n/m)·m·n + m is 6·n·n + m.
    let quotient = t.sizes.quotient(&n, &m);
    assert_eq!(t.sizes.product(&quotient, &m), n);
    let (times, six) = (t.sizes.product(&quotient, &m), Polynomial::constant(6));
    let (times, square) = (t.sizes.product(&times, &n), t.sizes.product(&n, &n));
    let (times, square) = (t.sizes.product(&six, &times), t.sizes.product(&six, &square));
    assert_eq!(t.sizes.sum(&times, &m), t.sizes.sum(&square, &m));
    // (n/(2·m))·m is not whole, (n/(2·m))·2·m is.
    let twice = t.sum(&[0, 2], 0);
    let quotient = t.sizes.quotient(&n, &twice);
    assert_eq!(t.sizes.product(&quotient, &twice), n);
    assert_ne!(t.sizes.product(&quotient, &m), n);
    // As it is written it is read: 6·n/m would be (6·n)/m.
    let quotient = t.sizes.quotient(&n, &m);
    let six = t.sizes.product(&six, &quotient);
    let called = |name: SizeSymbol| ["n", "m"][name.index() as usize].to_owned();
    assert_eq!(t.sizes.written(&six, &called), "6*(n/m)");
    assert_eq!(t.sizes.written(&quotient, &called), "n/m");
    let by = t.sizes.product(&m, &m);
    let quotient = t.sizes.quotient(&n, &by);
    assert_eq!(t.sizes.written(&quotient, &called), "n/(m*m)");
    let twice = t.sizes.quotient(&quotient, &Polynomial::constant(2));
    assert_eq!(t.sizes.written(&twice, &called), "n/(m*m)/2");
}

#[test]
fn a_quotient_has_one_form_in_whatever_order_it_is_divided() {
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..2000 {
        let mut t = Table::open(5);
        let mut drawn = |with_numbers: bool| -> Vec<Polynomial> {
            let factor = |rng: &mut fastrand::Rng| match rng.usize(..6) {
                0 if with_numbers => Polynomial::constant(rng.i128(1..5)),
                _ => Polynomial::indeterminate(t.names[rng.usize(..4)]),
            };
            (0..rng.usize(1..4)).map(|_| factor(&mut rng)).collect()
        };
        let (factors, mut divisors) = (drawn(false), drawn(true));
        let product = |t: &mut Table, factors: &[Polynomial]| {
            let one = Polynomial::constant(1);
            factors.iter().fold(one, |product, factor| t.sizes.product(&product, factor))
        };
        let (of, by) = (product(&mut t, &factors), product(&mut t, &divisors));
        let at_once = t.sizes.quotient(&of, &by);
        rng.shuffle(&mut divisors);
        let one_by_one = divisors.iter().fold(of, |of, by| t.sizes.quotient(&of, by));
        assert_eq!(at_once, one_by_one, "{factors:?} over {divisors:?}");
        // Divided by another, and multiplied by that.
        let other = Polynomial::indeterminate(t.names[4]);
        let less = t.sizes.quotient(&one_by_one, &other);
        let again = t.sizes.product(&less, &other);
        assert_eq!(at_once, again, "{factors:?} over {divisors:?}");
    }
}

#[test]
fn one_requirement_follows_from_another() {
    let mut t = Table::open(2);
    let (n, more) = (t.sum(&[1], 0), t.sum(&[1], 4));
    let product = t.sum(&[1, 2], 0);
    let (twice, m, six) = (t.sum(&[2], 6), t.sum(&[0, 1], 0), t.sum(&[0, 6], 0));
    let exact = |by: &Polynomial| Requirement::Exact(n.clone(), by.clone());
    let at_least = |form: &Polynomial, least| Requirement::AtLeast(form.clone(), least);
    let divides = |by, form: &Polynomial| Requirement::Divides(by, form.clone());
    let cases = [
        // n + 4 is a multiple of 3, and at least 5.
        (at_least(&n, 2), divides(3, &more), true),
        (at_least(&n, 3), divides(3, &more), false),
        (at_least(&n, 8), divides(8, &n), true),
        // n + 2·m is at least 2 more than n.
        (at_least(&product, 9), at_least(&n, 7), true),
        (at_least(&product, 10), at_least(&n, 7), false),
        (at_least(&n, 7), at_least(&product, 9), false),
        // 2·n + 6 is a multiple of 3, and at least 8: so it is 9, and n is 2 and more.
        (at_least(&n, 2), divides(3, &twice), true),
        (at_least(&n, 3), divides(3, &twice), false),
        // 6·m divides n.
        (divides(3, &n), Requirement::Exact(n.clone(), six.clone()), true),
        (divides(4, &n), Requirement::Exact(n.clone(), six.clone()), false),
        (divides(3, &more), Requirement::Exact(n.clone(), six.clone()), false),
        (exact(&m), Requirement::Exact(n.clone(), six.clone()), true),
        (exact(&six), Requirement::Exact(n.clone(), m.clone()), false),
    ];
    for (asked, from, follows) in cases {
        assert_eq!(t.sizes.follows(&asked, &from), follows, "{asked:?} from {from:?}");
    }
}

#[test]
fn requirements_say_more_together() {
    use CommonValues::{None, One, Several};
    let mut t = Table::open(1);
    let (n, negative) = (t.sum(&[1], 0), t.sum(&[-1], 0));
    let (one, two, three) = (t.sum(&[1], -1), t.sum(&[1], -2), t.sum(&[1], -3));
    let minus = |number: usize| [&one, &two, &three][number - 1].clone();
    let at_most = |most: i128| Requirement::AtLeast(negative.clone(), -most);
    let square = t.sizes.product(&n, &n);
    let square = Requirement::Zero(t.sizes.difference(&square, &Polynomial::constant(9)));
    let even = || Requirement::Divides(2, n.clone());
    let cases = [
        (vec![at_most(1), even()], None),
        (vec![at_most(2), even()], One(2)),
        (vec![Requirement::Divides(3, n.clone()), Requirement::Divides(3, minus(2))], None),
        (vec![Requirement::Divides(4, minus(1)), Requirement::Divides(6, minus(3))], Several),
        (vec![Requirement::Divides(4, minus(1)), Requirement::Divides(6, minus(2))], None),
        (
            vec![
                Requirement::AtLeast(n.clone(), 7),
                at_most(9),
                Requirement::Divides(5, n.clone()),
            ],
            None,
        ),
        (
            vec![
                Requirement::AtLeast(n.clone(), 7),
                at_most(10),
                Requirement::Divides(5, n.clone()),
            ],
            One(10),
        ),
        (vec![square.clone(), even()], None),
        (vec![square.clone(), even(), at_most(100)], None),
        (vec![square, at_most(100)], One(3)),
        (vec![Requirement::Exact(Polynomial::constant(3), n.clone()), even()], None),
        (vec![Requirement::Exact(Polynomial::constant(6), n.clone()), even()], Several),
    ];
    for (requirements, said) in cases {
        let all: Vec<&Requirement> = requirements.iter().collect();
        assert_eq!(t.sizes.common_values(&all, t.names[0]), said, "{requirements:?}");
    }
}

#[test]
fn a_divisor_of_a_number_is_one_of_few() {
    let mut t = Table::open(1);
    let (n, own) = (t.names[0], t.sum(&[1], 0));
    let number = Polynomial::constant;
    assert_eq!(t.sizes.decide_exact(&number(1), &own), Decision::Is(n, 1));
    assert_eq!(
        t.sizes.decide_exact(&number(6), &own),
        Decision::Requires(Requirement::Exact(number(6), own))
    );
    let more = t.sum(&[4], 3);
    assert_eq!(t.sizes.decide_exact(&number(6), &more), Decision::Never);
}

#[test]
fn minima_are_found_by_ranges() {
    let mut t = Table::with(&[(1, Some(8)), (8, None)]);
    let (n, m) = (t.sum(&[1], 0), t.sum(&[0, 1], 0));
    assert_eq!(t.sizes.least(&n, &m), n);
    assert_eq!(t.sizes.greatest(&n, &m), m);
}

#[test]
fn an_equation_of_one_name_is_a_number_or_a_requirement() {
    let mut t = Table::open(1);
    let n = t.names[0];
    let number = Polynomial::constant;
    let double = t.sum(&[2], 0);
    assert_eq!(t.equal(&double, &number(64)), Decision::Is(n, 32));
    assert_eq!(t.equal(&double, &number(65)), Decision::Never);
    let more = t.sum(&[1], 1);
    assert_eq!(t.equal(&more, &double), Decision::Is(n, 1));
    let square = t.sizes.product(&double, &double);
    assert_eq!(t.equal(&square, &number(144)), Decision::Is(n, 6));
    // n = 8·⌊n/8⌋
    let floor = t.floor(&[1], 0, 8);
    let (own, eight) = (t.sum(&[1], 0), t.sizes.product(&floor, &number(8)));
    let divides = Decision::Requires(Requirement::Divides(8, own.clone()));
    assert_eq!(t.equal(&own, &eight), divides);
    assert_eq!(t.sizes.decide_divides(8, &own), divides);
    let triple = t.sum(&[3], 0);
    assert_eq!(t.sizes.decide_divides(8, &triple), divides);
    // A window of 3: at least 3 elements.
    let windows = t.sum(&[1], -2);
    let least = Decision::Requires(Requirement::AtLeast(own, 3));
    assert_eq!(t.sizes.decide_at_least(&windows, 1), least);
    // ⌊n/2⌋ + ⌈n/2⌉ = n: two forms, one size.
    let (down, up) = (t.floor(&[1], 0, 2), t.floor(&[1], 1, 2));
    let (sum, own) = (t.sizes.sum(&down, &up), t.sum(&[1], 0));
    assert_ne!(sum, own);
    assert_eq!(t.equal(&sum, &own), Decision::Always);
}

#[test]
fn different_names_are_different_sizes() {
    let mut t = Table::open(2);
    let (n, m) = (t.sum(&[1], 0), t.sum(&[0, 1], 0));
    assert_eq!(t.equal(&n, &m), Decision::Several);
    let (a, b) = (t.sizes.product(&n, &m), t.sizes.product(&m, &n));
    assert_eq!(t.equal(&a, &b), Decision::Always);
    let sum = t.sizes.sum(&n, &m);
    assert_eq!(t.equal(&sum, &Polynomial::constant(1)), Decision::Never);
    // But a divisibility of both is a requirement.
    let product = t.sizes.product(&n, &m);
    let divides = Decision::Requires(Requirement::Divides(6, product.clone()));
    assert_eq!(t.sizes.decide_divides(6, &product), divides);
}

#[test]
fn what_is_too_large_is_a_name_by_its_definition() {
    let mut t = Table::open(2);
    let sum = t.sum(&[1, 1], 1);
    let mut power = Polynomial::constant(1);
    for _ in 0..40 {
        power = t.sizes.product(&power, &sum);
    }
    let mut again = Polynomial::constant(1);
    for _ in 0..40 {
        again = t.sizes.product(&sum, &again);
    }
    assert_eq!(power, again);
    let at = |_: Indeterminate| Some(1);
    assert_eq!(t.sizes.value(&power, &at), Some(3_i128.pow(40)));
}

/// Whether one divisor follows from another, by trying all values. Where the divisor is prime
/// nothing is missed.
#[test]
fn a_divisor_follows_from_another() {
    let mut table = Table::open(1);
    let mut follows = [0, 0];
    for (by, from) in (2..=12_u64).flat_map(|by| (2..=12).map(move |from| (by, from))) {
        for (a, b, c, d) in (0..625).map(|i| (i % 5, i / 5 % 5, i / 25 % 5, i / 125)) {
            let one = Requirement::Divides(by, table.sum(&[a], b - 2));
            let other = Requirement::Divides(from, table.sum(&[c], d - 2));
            let holds = |asked: &Requirement, n: i128| table.sizes.holds(asked, &|_| Some(n));
            let mut values = (0..150).filter(|n| holds(&other, *n) == Some(true)).peekable();
            let is_prime = by == from && [2, 3, 5, 7, 11].contains(&by);
            let is_exact = is_prime && values.peek().is_some();
            let fails = values.find(|n| holds(&one, *n) == Some(false));
            let found = table.sizes.follows(&one, &other);
            assert!(!found || fails.is_none(), "{one:?} from {other:?}: {fails:?}");
            assert!(found || !is_exact || fails.is_some(), "{one:?} from {other:?}");
            follows[usize::from(found)] += 1;
        }
    }
    assert!(follows.iter().all(|count| *count > 1000), "{follows:?}");
}

/// Which values of a name a number divides a polynomial for, by trying all.
#[test]
fn a_divisor_of_a_polynomial_is_decided_as_by_trying() {
    let mut said = [0; 4];
    for (low, high) in [(0, 40), (1, 3), (7, 7), (2, 25)] {
        let mut table = Table::with(&[(low, Some(high))]);
        for (a, b, c, by) in
            (0..5 * 7 * 7 * 12).map(|i| (i % 5, i / 5 % 7, i / 35 % 7, i / 245 + 1))
        {
            let n = Polynomial::indeterminate(table.names[0]);
            let factor = table.sum(&[a - 2], b - 3);
            let square = table.sizes.product(&n, &factor);
            let form = table.sizes.sum(&square, &Polynomial::constant(c - 3));
            let by = u64::try_from(by).unwrap();
            let asked = Requirement::Divides(by, form.clone());
            let holds =
                |asked: &Requirement, n: i128| table.sizes.holds(asked, &|_| Some(n)) == Some(true);
            let values: Vec<i128> = (low..=high).filter(|n| holds(&asked, *n)).collect();
            let decided = table.sizes.clone().decide_divides(by, &form);
            let (kind, is_right) = match &decided {
                Decision::Always => (0, (low..=high).eq(values.iter().copied())),
                Decision::Never => (1, values.is_empty()),
                Decision::Is(_, n) => (2, values == [i128::from(*n)]),
                Decision::Requires(other) => {
                    (3, (low..=high).filter(|n| holds(other, *n)).eq(values.iter().copied()))
                }
                Decision::Several => (3, false),
            };
            assert!(is_right, "{asked:?} in {low}..={high}: {decided:?}, {values:?}");
            // What is found out is said as strongly as it holds.
            assert!(kind != 3 || values.len() > 1, "{asked:?} in {low}..={high}: {values:?}");
            said[kind] += 1;
        }
    }
    assert!(said.iter().all(|count| *count > 300), "{said:?}");
}

/// Requirements of which two exclude each other do so beside any others.
#[test]
fn what_excludes_each_other_does_so_beside_others() {
    let mut table = Table::open(1);
    let (even, odd) = (table.sum(&[1], 0), table.sum(&[1], -1));
    let square = table.sizes.product(&even, &even);
    let name = table.names[0];
    let others = [
        Requirement::AtLeast(square.clone(), 10),
        Requirement::Divides(4, table.sizes.sum(&square, &Polynomial::constant(-1))),
        Requirement::Exact(square.clone(), odd.clone()),
    ];
    let (even, odd) = (Requirement::Divides(2, even), Requirement::Divides(2, odd));
    for other in &others {
        assert_eq!(table.sizes.common_values(&[&even, &odd, other], name), CommonValues::None);
        assert_eq!(table.sizes.common_values(&[other, &odd, &even], name), CommonValues::None);
        assert_eq!(
            table.sizes.common_values(&[&odd, other], name),
            CommonValues::Several,
            "{other:?}"
        );
    }
    // n² + n + 1 is odd for every n.
    let next = table.sum(&[1], 1);
    let odd = Requirement::Divides(2, table.sizes.sum(&square, &next));
    assert_eq!(table.sizes.common_values(&[&odd], name), CommonValues::None);
}

/// What requirements say together, and whether one follows from others, by trying all values.
#[test]
fn requirements_together_are_as_by_trying() {
    let mut rng = fastrand::Rng::with_seed(71);
    let (mut said, mut follows) = ([0; 3], [0; 2]);
    for _ in 0..20_000 {
        let low = rng.i128(0..4);
        let high = if rng.bool() { Some(low + rng.i128(0..60)) } else { None };
        let mut table = Table::with(&[(low, high)]);
        let name = table.names[0];
        let n = Polynomial::indeterminate(name);
        let requirement = |rng: &mut fastrand::Rng, table: &mut Table| match rng.u8(..5) {
            0 | 1 => {
                Requirement::Divides(rng.u64(2..7), table.sum(&[rng.i128(1..4)], rng.i128(-3..4)))
            }
            2 => Requirement::AtLeast(table.sum(&[1], 0), rng.i128(1..9)),
            3 => {
                let square = table.sizes.product(&n, &n);
                Requirement::AtLeast(square, rng.i128(1..60))
            }
            _ => {
                // (n − a)·(n − b) = 0.
                let [a, b] = [rng.i128(0..9), rng.i128(0..9)].map(|root| table.sum(&[1], -root));
                Requirement::Zero(table.sizes.product(&a, &b))
            }
        };
        let all: Vec<Requirement> =
            (0..rng.usize(1..4)).map(|_| requirement(&mut rng, &mut table)).collect();
        let asked = requirement(&mut rng, &mut table);
        let holds =
            |asked: &Requirement, n: i128| table.sizes.holds(asked, &|_| Some(n)) == Some(true);
        // Beyond 300 nothing is new: all numbers are below 60, and all periods divide 180.
        let values = low..=high.unwrap_or(500);
        let fitting: Vec<i128> =
            values.filter(|n| all.iter().all(|asked| holds(asked, *n))).collect();
        let all: Vec<&Requirement> = all.iter().collect();
        let together = table.sizes.common_values(&all, name);
        let (kind, is_right) = match (together, &fitting[..]) {
            (CommonValues::None, values) => (0, values.is_empty()),
            (CommonValues::One(one), values) => (1, values == [one]),
            (CommonValues::Several, values) => (2, values.len() > 1),
        };
        assert!(is_right, "{all:?} in {low}..={high:?}: {together:?}, {fitting:?}");
        said[kind] += 1;
        let found = table.sizes.follows_from(&asked, &all);
        let fails = fitting.iter().find(|n| !holds(&asked, **n));
        assert!(!found || fails.is_none(), "{asked:?} from {all:?}: {fails:?}");
        follows[usize::from(found)] += 1;
    }
    assert!(said.iter().all(|count| *count > 1_000), "{said:?}");
    assert!(follows.iter().all(|count| *count > 1_000), "{follows:?}");
}

/// Bounds of products of names, by trying all values.
#[test]
fn a_bound_of_a_product_is_decided_as_by_trying() {
    let mut rng = fastrand::Rng::with_seed(72);
    let mut said = [0; 3];
    for _ in 0..5_000 {
        let lows = [rng.i128(0..4), rng.i128(0..4)];
        let highs = lows.map(|low| low + rng.i128(0..6));
        let is_open = rng.bool();
        let mut table =
            Table::with(&[0, 1].map(|name| (lows[name], (!is_open).then_some(highs[name]))));
        let [n, m] = [0, 1].map(|name| Polynomial::indeterminate(table.names[name]));
        let product = table.sizes.product(&n, &m);
        let rest = table.sum(&[rng.i128(-4..5), rng.i128(-4..5)], 0);
        let form = table.sizes.sum(&product, &rest);
        let least = rng.i128(-9..10);
        let decided = table.sizes.clone().decide_at_least(&form, least);
        let holds = |n: i128, m: i128| {
            let at = |name: Indeterminate| Some(if name == table.names[0] { n } else { m });
            table.sizes.value(&form, &at) >= Some(least)
        };
        // Beyond 20 the product is above the rest.
        let ends = if is_open { [20, 20] } else { highs };
        let mut all = (lows[0]..=ends[0]).flat_map(|n| (lows[1]..=ends[1]).map(move |m| (n, m)));
        let kind = match decided {
            Decision::Always => {
                assert!(all.all(|(n, m)| holds(n, m)), "{form:?} in {lows:?}..{highs:?}");
                0
            }
            Decision::Never => {
                assert!(!all.any(|(n, m)| holds(n, m)), "{form:?} in {lows:?}..{highs:?}");
                1
            }
            _ => 2,
        };
        said[kind] += 1;
    }
    assert!(said.iter().all(|count| *count > 100), "{said:?}");
}
