//! Dimensions one by one, held against all values that they may have.

use std::{array, collections::BTreeSet, iter, slice};

use lozenge::{
    diagnostic::Code,
    dims::{Dim, DimContext, DimVar, TensorShape},
};

/// The least and the largest value that is tried.
const VALUES: std::ops::RangeInclusive<u64> = 1..=4;

/// Values of two variables and two names.
type Values = [u64; 4];

fn all_values() -> impl Iterator<Item = Values> {
    let values = || VALUES;
    values().flat_map(move |a| {
        values().flat_map(move |b| values().flat_map(move |n| values().map(move |m| [a, b, n, m])))
    })
}

/// A context with two variables, and dimensions of every form in it.
fn universe() -> (DimContext, [DimVar; 2], Vec<Dim>) {
    let mut context = DimContext::new();
    let vars = [context.var("a"), context.var("b")];
    let mut dims: Vec<Dim> = [1, 2, 4].map(Dim::from).into();
    dims.extend(vars.clone().map(Dim::from));
    dims.extend([Dim::named("n"), Dim::named("m"), Dim::ranged("n", 2, 3)]);
    dims.extend([Dim::Dynamic, Dim::Broadcast]);
    (context, vars, dims)
}

/// Whether a dimension may be this size, where variables and names have these values.
fn may_be(dim: &Dim, vars: &[DimVar; 2], [a, b, n, m]: Values, size: u64) -> bool {
    match dim {
        Dim::Literal(number) => *number == size,
        Dim::Var(var) => size == if *var == vars[0] { a } else { b },
        Dim::Named { name, range } => {
            size == if &**name == "n" { n } else { m } && range.is_none_or(|range| range.has(size))
        }
        Dim::Dynamic | Dim::Broadcast => true,
        _ => panic!("{dim} is not of this universe"),
    }
}

/// The values with which two dimensions are one size, and that size.
fn common(vars: &[DimVar; 2], equations: &[(Dim, Dim)]) -> BTreeSet<Values> {
    let holds = |values: &Values, (left, right): &(Dim, Dim)| {
        VALUES
            .into_iter()
            .any(|size| may_be(left, vars, *values, size) && may_be(right, vars, *values, size))
    };
    let all =
        all_values().filter(|values| equations.iter().all(|equation| holds(values, equation)));
    all.collect()
}

/// The values that a context leaves to variables and names.
fn left(context: &DimContext, vars: &[DimVar; 2]) -> BTreeSet<Values> {
    let all = all_values().filter(|values| {
        let [a, b, n, m] = *values;
        let known =
            [vars[0].clone().into(), vars[1].clone().into(), Dim::named("n"), Dim::named("m")];
        iter::zip(known, [a, b, n, m])
            .all(|(dim, size)| may_be(&context.resolve(&dim), vars, *values, size))
    });
    all.collect()
}

fn is_name(dim: &Dim, called: &str) -> bool {
    matches!(dim, Dim::Named { name, .. } if &**name == called)
}

fn are_two_names(left: &Dim, right: &Dim) -> bool {
    is_name(left, "n") && is_name(right, "m") || is_name(left, "m") && is_name(right, "n")
}

#[test]
fn two_dimensions_are_what_both_can_be() {
    let (context, vars, dims) = universe();
    let mut refused = 0;
    for one in &dims {
        for other in &dims {
            let expected = common(&vars, &[(one.clone(), other.clone())]);
            let mut asked = context.clone();
            let unified = asked.unify_dims(one, other);
            let fits = !expected.is_empty() && !are_two_names(one, other);
            assert_eq!(unified.is_ok(), fits, "{one} = {other}");
            let Ok(unified) = unified else {
                refused += 1;
                continue;
            };
            assert_eq!(left(&asked, &vars), expected, "{one} = {other}");
            for values in expected {
                for size in VALUES {
                    let is_both =
                        may_be(one, &vars, values, size) && may_be(other, &vars, values, size);
                    let is_result = may_be(&unified, &vars, values, size);
                    assert_eq!(is_result, is_both, "{one} = {other} is {unified}, {values:?}");
                }
            }
        }
    }
    assert!(refused >= 12, "only {refused} pairs were refused");
}

#[test]
fn the_order_of_two_dimensions_says_nothing() {
    let (context, vars, dims) = universe();
    let answer = |one: &Dim, other: &Dim| {
        let mut asked = context.clone();
        let unified = asked.unify_dims(one, other).map_err(|said| said.diagnostics[0].code);
        let known = vars.clone().map(|var| asked.resolve(&var.into()));
        (unified, known, asked.requirements().unwrap().len())
    };
    for one in &dims {
        for other in &dims {
            assert_eq!(answer(one, other), answer(other, one), "{one} = {other}");
            let shapes = [one, other].map(|dim| TensorShape::from([Dim::from(3), dim.clone()]));
            let sum = |[left, right]: [&TensorShape; 2]| {
                let mut asked = context.clone();
                let sum = asked.infer_broadcast_shape(&[left.clone(), right.clone()]);
                sum.map(|sum| sum.to_string()).map_err(|said| said.diagnostics[0].code)
            };
            assert_eq!(
                sum([&shapes[0], &shapes[1]]),
                sum([&shapes[1], &shapes[0]]),
                "{one} + {other}"
            );
        }
    }
}

#[test]
fn what_was_unified_is_unified_again_to_the_same() {
    let (context, vars, dims) = universe();
    for one in &dims {
        for other in &dims {
            let mut asked = context.clone();
            let Ok(unified) = asked.unify_dims(one, other) else { continue };
            let before = left(&asked, &vars);
            for again in [one, other, &unified] {
                let same = asked.unify_dims(&unified, again).unwrap();
                assert_eq!(same, unified, "{one} = {other}, and {again}");
            }
            assert_eq!(asked.resolve(&unified), unified);
            assert_eq!(left(&asked, &vars), before, "{one} = {other}");
        }
    }
}

/// What is refused depends on what came before it; whether all is accepted does not, nor does what
/// is known then.
#[test]
fn the_order_of_equations_says_nothing() {
    let (context, vars, dims) = universe();
    let mut random = fastrand::Rng::with_seed(4);
    let mut accepted = 0;
    for round in 0..400 {
        let mut draw = || random.choice(&dims).unwrap().clone();
        let equations: [(Dim, Dim); 3] = array::from_fn(|_| (draw(), draw()));
        let has = |is_it: fn(&Dim) -> bool| {
            equations.iter().any(|(one, other)| is_it(one) || is_it(other))
        };
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let answers = orders.map(|order| {
            let mut asked = context.clone();
            let all = order.iter().all(|place| {
                let (one, other) = &equations[*place];
                asked.unify_dims(one, other).is_ok()
            });
            let closed = asked.session().close().ok().filter(|_| all)?;
            let sizes =
                vars.clone().map(|var| closed.axis(var.size()).and_then(|axis| axis.count()));
            Some((left(&asked, &vars), sizes))
        });
        let listed: Vec<String> =
            equations.iter().map(|(one, other)| format!("{one} = {other}")).collect();
        assert!(
            answers.iter().all(|answer| *answer == answers[0]),
            "{round}: {listed:?}\n{answers:?}"
        );
        let expected = common(&vars, &equations);
        if let Some((left, _)) = &answers[0] {
            accepted += 1;
            assert_eq!(*left, expected, "{listed:?}");
        } else {
            // Two names are never one size.
            let has_two = has(|dim| is_name(dim, "n")) && has(|dim| is_name(dim, "m"));
            assert!(expected.is_empty() || has_two, "{listed:?}");
        }
    }
    assert!(accepted >= 40, "only {accepted} were accepted");
}

/// NumPy's rule, as its manual has it.
fn numpy(shapes: &[Vec<u64>]) -> Option<Vec<u64>> {
    let rank = shapes.iter().map(Vec::len).max()?;
    let axis = |place: usize| {
        let sizes = shapes.iter().filter_map(|shape| shape.iter().rev().nth(rank - 1 - place));
        let others: BTreeSet<u64> = sizes.copied().filter(|size| *size != 1).collect();
        (others.len() < 2).then(|| others.first().copied().unwrap_or(1))
    };
    (0..rank).map(axis).collect()
}

#[test]
fn numbers_are_broadcast_as_numpy_does_it() {
    let mut random = fastrand::Rng::with_seed(4);
    let (mut fitting, mut refused) = (0, 0);
    for _ in 0..500 {
        let count = random.usize(1..5);
        let shapes: Vec<Vec<u64>> = (0..count)
            .map(|_| {
                (0..random.usize(0..4))
                    .map(|_| *random.choice(&[0, 1, 1, 2, 2, 3]).unwrap())
                    .collect()
            })
            .collect();
        let given: Vec<TensorShape> =
            shapes.iter().map(|shape| shape.iter().copied().map(Dim::from).collect()).collect();
        let found = DimContext::new().infer_broadcast_shape(&given);
        if let Some(expected) = numpy(&shapes) {
            fitting += 1;
            let expected: TensorShape = expected.into_iter().map(Dim::from).collect();
            assert_eq!(found.unwrap(), expected, "{shapes:?}");
        } else {
            refused += 1;
            assert_eq!(found.unwrap_err().diagnostics[0].code, Code::SizeMismatch, "{shapes:?}");
        }
    }
    assert!(fitting >= 100 && refused >= 100, "{fitting} fit, {refused} do not");
}

/// Shapes of numbers and variables, up to this many axes.
fn small_shapes(dims: &[Dim], most: usize) -> Vec<TensorShape> {
    let mut shapes = vec![vec![]];
    let mut last = shapes.clone();
    for _ in 0..most {
        let longer = |shape: &Vec<Dim>| {
            let shape = shape.clone();
            dims.iter().map(move |dim| [&shape[..], slice::from_ref(dim)].concat())
        };
        last = last.iter().flat_map(longer).collect();
        shapes.extend_from_slice(&last);
    }
    shapes.into_iter().map(TensorShape::new).collect()
}

/// The sizes of a shape of numbers and variables, where these are so many.
fn sizes(shape: &TensorShape, vars: &[DimVar; 2], [a, b]: [u64; 2]) -> Vec<u64> {
    let size = |dim: &Dim| (1..=6).find(|size| may_be(dim, vars, [a, b, 1, 1], *size)).unwrap();
    shape.dims().iter().map(size).collect()
}

/// Asks something of shapes of numbers and variables, then what these are; each time what is
/// accepted has to be what fits.
fn try_all<T>(
    (context, vars): &(DimContext, [DimVar; 2]),
    shapes: &[TensorShape],
    ask: impl Fn(&mut DimContext, &[TensorShape; 2]) -> Option<T>,
    fits: impl Fn([Vec<u64>; 2]) -> Option<Vec<u64>>,
    is_right: impl Fn(&DimContext, &T, Vec<u64>) -> bool,
) {
    let [a, b] = vars.clone().map(Dim::from);
    let mut accepted = 0;
    for one in shapes {
        for other in shapes {
            let mut asked = context.clone();
            let pair = [one.clone(), other.clone()];
            let answer = ask(&mut asked, &pair);
            for values in VALUES.flat_map(|a| VALUES.map(move |b| [a, b])) {
                let fit = fits(pair.each_ref().map(|shape| sizes(shape, vars, values)));
                let mut set = asked.clone();
                let is_set = iter::zip([&a, &b], values)
                    .all(|(var, size)| set.unify_dims(var, &size.into()).is_ok());
                let answer = answer.as_ref().filter(|_| is_set);
                let found = (one.to_string(), other.to_string(), values);
                assert_eq!(answer.is_some(), fit.is_some(), "{found:?}");
                if let (Some(answer), Some(fit)) = (answer, fit) {
                    accepted += 1;
                    assert!(is_right(&set, answer, fit), "{found:?}");
                }
            }
        }
    }
    assert!(accepted >= 100, "only {accepted} were accepted");
}

#[test]
fn variables_are_broadcast_to_what_numpy_makes_of_their_values() {
    let (context, vars, _) = universe();
    let [a, b] = vars.clone().map(Dim::from);
    try_all(
        &(context, vars),
        &small_shapes(&[1.into(), 3.into(), a, b], 2),
        |context, shapes| context.infer_broadcast_shape(shapes).ok(),
        |shapes| numpy(&shapes),
        |context, shape, sizes| {
            context.resolve_shape(shape) == sizes.into_iter().map(Dim::from).collect()
        },
    );
}

#[test]
fn variables_are_reshaped_where_their_values_fit() {
    let (context, vars, _) = universe();
    let [a, b] = vars.clone().map(Dim::from);
    let product = |sizes: &Vec<u64>| sizes.iter().product::<u64>();
    try_all(
        &(context, vars),
        &small_shapes(&[2.into(), 6.into(), a, b], 2),
        |context, [input, output]| context.verify_reshape(input, output).ok(),
        |[input, output]| (product(&input) == product(&output)).then_some(output),
        |_, (), _| true,
    );
}

#[test]
fn what_is_refused_leaves_a_context_as_it_was() {
    let (mut context, vars, dims) = universe();
    let shape = |dims: &[&Dim]| -> TensorShape { dims.iter().map(|dim| (*dim).clone()).collect() };
    let [a, three, four] = [&dims[3], &Dim::from(3), &Dim::from(4)];
    let ranged = Dim::ranged("n", 100, 200);
    for refused in [
        context.unify_shapes(&shape(&[a, three]), &shape(&[four, four])),
        context.unify_shapes(&shape(&[&ranged, three]), &shape(&[a, four])),
        context.infer_matmul_shape(&shape(&[&ranged, three]), &shape(&[four, a])),
        context.infer_broadcast_shape(&[shape(&[a, &ranged, three]), shape(&[four])]),
        context.infer_broadcast_shape(&[]),
        context
            .verify_reshape(&shape(&[&ranged, four]), &shape(&[&ranged, three]))
            .map(|()| shape(&[])),
        context.infer_reduction_shape(&shape(&[&ranged]), 1, false),
        context.infer_transpose_shape(&shape(&[&ranged]), i64::MIN, i64::MAX),
    ] {
        assert!(refused.is_err(), "{refused:?}");
    }
    assert_eq!(left(&context, &vars).len(), 256);
    assert_eq!(context.resolve(&Dim::named("n")), Dim::named("n"));
    assert_eq!(context.unify_dims(&Dim::named("n"), three).unwrap(), Dim::Literal(3));
}

#[test]
fn a_variable_is_of_its_context_and_of_clones_made_since() {
    let mut context = DimContext::new();
    let known = Dim::from(context.var("known"));
    let mut fork = context.clone();
    let newer = Dim::from(fork.var("newer"));
    let eight = Dim::from(8);
    assert!(fork.unify_dims(&known, &eight).is_ok());
    assert_eq!(fork.resolve(&known), eight);
    let foreign = context.unify_dims(&newer, &eight).unwrap_err();
    assert_eq!(foreign.diagnostics[0].code, Code::ForeignTensor);
    assert_eq!(context.resolve(&newer), newer);
    assert_eq!(context.resolve(&known), known);
}

/// A dimension is one axis, whatever text is in it.
#[test]
fn what_is_no_name_or_no_size_is_refused() {
    let mut context = DimContext::new();
    let names = ["", "a,b", "3", "_x", "a b", "n:rgb", "*", "?", "2*n", "...", "n|", "n: 1..2"];
    for name in names {
        let said = context.unify_dims(&Dim::named(name), &Dim::from(3)).unwrap_err();
        assert_eq!(said.diagnostics[0].code, Code::NotAName, "{name:?}");
        let said = context.unify_dims(&Dim::from(3), &Dim::ranged(name, 1, 2)).unwrap_err();
        assert_eq!(said.diagnostics[0].code, Code::NotAName, "{name:?}");
    }
    let large = Dim::from(u64::MAX);
    let said = context.unify_dims(&large, &large).unwrap_err();
    assert_eq!(said.diagnostics[0].code, Code::NumberTooLarge);
    let said = context.unify_dims(&Dim::ranged("n", 3, 2), &Dim::from(3)).unwrap_err();
    assert_eq!(said.diagnostics[0].code, Code::RangeEmpty);
}

#[test]
fn many_axes_are_exchanged_and_summed_over() {
    let sizes: Vec<u64> = (1..=60).collect();
    let shape: TensorShape = sizes.iter().copied().map(Dim::from).collect();
    let mut exchanged = sizes.clone();
    exchanged.swap(1, 58);
    let found = DimContext::new().infer_transpose_shape(&shape, 1, 58).unwrap();
    assert_eq!(found, exchanged.into_iter().map(Dim::from).collect());
    let found = DimContext::new().infer_reduction_shape(&shape, 59, false).unwrap();
    assert_eq!(found, sizes[..59].iter().copied().map(Dim::from).collect());
}
