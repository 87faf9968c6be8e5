//! Records seen from another slot: gradients of sums of products, and the reverse of a
//! concatenation.

use lozenge::{
    Accumulation, Assignment, Session,
    project::{Decision, Margin, Slot, Statement, Write},
};
use lozenge_lower::{Nest, execute, execute_into};
use ndarray::{Array, ArrayD, Axis, IxDyn};

fn assignment(spec: &str, numbers: &[(&str, u64)], shapes: &[&str]) -> Assignment {
    let mut session = Session::new();
    let operands: Vec<_> = shapes.iter().map(|shape| session.data("x", shape).unwrap()).collect();
    let result = session.einsum_with(spec, numbers, &operands).unwrap();
    session.assignment(&session.close().unwrap(), result).unwrap()
}

/// The operation seen from an operand: it is written; the result is read, then the other operands.
fn towards(made: &Assignment, operand: usize) -> Nest {
    let written = Slot::operand(operand);
    let read: Vec<Slot> = made.record().slots().filter(|slot| *slot != written).collect();
    Nest::new(made.seen_from(&[written], &read))
}

/// A concatenation taken apart: the result is read, and at each point the operand that takes part
/// is written.
fn apart(made: &Assignment) -> Nest {
    let operands: Vec<Slot> = made.record().operands().collect();
    let apart = made.seen_from(&operands, &[Slot::RESULT]);
    Nest::new(apart.accumulating(Accumulation::Add, Statement::Erasing))
}

fn run(made: &Assignment, operands: &[ArrayD<f64>]) -> ArrayD<f64> {
    let views: Vec<_> = operands.iter().map(ArrayD::view).collect();
    execute(&Nest::new(made.clone()), &[], &views).unwrap()
}

fn counted(sizes: &[usize]) -> ArrayD<f64> {
    let count = sizes.iter().product::<usize>();
    let numbers = (0..u32::try_from(count).unwrap()).map(|n| f64::from(n % 7) - 2.0);
    Array::from_iter(numbers).into_shape_with_order(IxDyn(sizes)).unwrap()
}

/// `Σ result · weights`, whose gradient towards an operand is the view that reads the weights.
fn loss(made: &Assignment, operands: &[ArrayD<f64>], weights: &ArrayD<f64>) -> f64 {
    (run(made, operands) * weights).sum()
}

/// Holds every gradient against differences of the loss, which is linear in each operand. It is
/// accumulated, twice, into what is there before.
fn check(spec: &str, numbers: &[(&str, u64)], shapes: &[(&str, &[usize])]) {
    let shapes_of: Vec<&str> = shapes.iter().map(|(shape, _)| *shape).collect();
    let made = assignment(spec, numbers, &shapes_of);
    let operands: Vec<ArrayD<f64>> = shapes.iter().map(|(_, sizes)| counted(sizes)).collect();
    let weights = counted(run(&made, &operands).shape()).mapv(|n| n * 0.5 + 1.0);
    for number in 0..operands.len() {
        let before = counted(operands[number].shape()).mapv(|n| 3.0 * n + 1.0); // never 0
        let mut gradient = before.clone();
        let nest = towards(&made, number);
        let read: Vec<_> = [&weights]
            .into_iter()
            .chain(operands.iter().enumerate().filter(|(n, _)| *n != number).map(|(_, x)| x))
            .map(ArrayD::view)
            .collect();
        for times in [1.0, 2.0] {
            let written = &mut [gradient.view_mut()];
            execute_into(&nest, &[], &read, written).unwrap();
            for (at, accumulated) in gradient.indexed_iter() {
                let mut moved = operands.clone();
                moved[number][&at] += 1.0;
                let slope = loss(&made, &moved, &weights) - loss(&made, &operands, &weights);
                let expected = before[&at] + times * slope;
                let same = (accumulated - expected).abs() < 1e-9;
                assert!(same, "{spec}, operand {number} at {at:?}, {times} times");
            }
        }
    }
}

#[test]
fn gradients_are_views_of_the_record() {
    check("ij; jk => ik", &[], &[("2,3", &[2, 3]), ("3,4", &[3, 4])]);
    check("ii => i", &[], &[("3,3", &[3, 3])]);
    check("i => i j", &[("j", 3)], &[("4", &[4])]);
    check("o=+k; k => o", &[], &[("5", &[5]), ("3", &[3])]);
    // Windows that reach past the end, read and written.
    check("2*o<+1+2*k, c; k, c -> d => o, d", &[], &[("7,2", &[7, 2]), ("2,2->3", &[3, 2, 2])]);
    check("o; k => 3*o<+2+k", &[], &[("3", &[3]), ("4", &[4])]);
    check("2*o<+1+k; k => o", &[], &[("5", &[5]), ("1", &[1])]);
    check("(h w), c => w, h", &[("w", 2)], &[("6,2", &[6, 2])]);
    check("a; b; c => a^1^b^c", &[], &[("2", &[2]), ("1", &[1]), ("3", &[3])]);
    check("a^b, c; c => a", &[("a", 2)], &[("5,2", &[5, 2]), ("2", &[2])]);
}

#[test]
fn a_concatenation_is_taken_apart() {
    let made = assignment("a, c; b, c => a^b, c", &[], &["2,2", "3,2"]);
    let joined = counted(&[5, 2]);
    let (mut first, mut second) = (ArrayD::zeros(IxDyn(&[2, 2])), ArrayD::zeros(IxDyn(&[3, 2])));
    let nest = apart(&made);
    let store = Decision::new(false, Write::Store);
    assert_eq!(nest.decisions().collect::<Vec<_>>(), [store, store]);
    let written = &mut [first.view_mut(), second.view_mut()];
    execute_into(&nest, &[], &[joined.view()], written).unwrap();
    let (above, below) = joined.view().split_at(Axis(0), 2);
    assert_eq!((first.view(), second.view()), (above, below));
}

/// The gradients of `Σ result · weights` towards each operand.
fn gradients(
    made: &Assignment,
    operands: &[ArrayD<f64>],
    weights: &ArrayD<f64>,
) -> Vec<ArrayD<f64>> {
    let gradient = |number: usize| {
        let others = operands.iter().enumerate().filter(|(other, _)| *other != number);
        let read: Vec<_> = [weights].into_iter().chain(others.map(|(_, x)| x)).collect();
        let read: Vec<_> = read.into_iter().map(ArrayD::view).collect();
        let mut gradient = ArrayD::zeros(operands[number].raw_dim());
        let written = &mut [gradient.view_mut()];
        execute_into(&towards(made, number), &[], &read, written).unwrap();
        gradient
    };
    (0..operands.len()).map(gradient).collect()
}

fn array(sizes: &[usize], numbers: &[f64]) -> ArrayD<f64> {
    ArrayD::from_shape_vec(IxDyn(sizes), numbers.to_vec()).unwrap()
}

#[test]
fn a_product_of_three_has_the_gradients_of_a_chain() {
    // F31
    let three = assignment("ij;jk;km => im", &[], &["2,2"; 3]);
    let two = assignment("ij;jk => ik", &[], &["2,2"; 2]);
    let square = |numbers: &[f64]| array(&[2, 2], numbers);
    let [a, b, c] = [[1., 2., 3., 4.], [0., 1., 1., 0.], [1., 0., 0., 1.]].map(|of| square(&of));
    let (all, ones) = ([a.clone(), b.clone(), c.clone()], square(&[1.; 4]));
    assert_eq!(run(&three, &all), square(&[2., 1., 4., 3.]));
    let ab = run(&two, &[a.clone(), b.clone()]);
    let outer = gradients(&two, &[ab, c], &ones);
    let inner = gradients(&two, &[a, b], &outer[0]);
    let found = gradients(&three, &all, &ones);
    assert_eq!(found, [&inner[0], &inner[1], &outer[1]].map(Clone::clone));
    assert_eq!(found[1..], [square(&[4., 4., 6., 6.]), square(&[6., 6., 4., 4.])]);
}

/// Holds the gradient towards the parts of a concatenation, which is that of the whole taken apart,
/// against differences of a loss.
#[track_caller]
fn goes_to_its_parts(
    gradient: &ArrayD<f64>,
    loss: impl Fn(&ArrayD<f64>) -> f64,
    expected: [&[f64]; 2],
) {
    let join = assignment("a; b => a^b", &[], &["3", "2"]);
    let parts = [array(&[3], &[1., 2., 3.]), array(&[2], &[4., 5.])];
    let mut found = parts.clone().map(|part| ArrayD::zeros(part.raw_dim()));
    let written = &mut found.each_mut().map(ArrayD::view_mut);
    let read = &[gradient.view()];
    execute_into(&apart(&join), &[], read, written).unwrap();
    for (part, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.as_slice().unwrap(), expected);
        for (at, slope) in found.indexed_iter() {
            let moved = |by: f64| {
                let mut parts = parts.clone();
                parts[part][&at] += by;
                loss(&run(&join, &parts))
            };
            let difference = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            assert!((difference - slope).abs() < 1e-6, "part {part} at {at:?}");
        }
    }
}

#[test]
fn the_gradient_of_a_concatenation_goes_to_its_parts() {
    // I1: of the sum of sines, the cosine of each part.
    let joined = array(&[5], &[1., 2., 3., 4., 5.]);
    let cosines = [1_f64, 2., 3., 4., 5.].map(f64::cos);
    let sines = |joined: &ArrayD<f64>| joined.mapv(f64::sin).sum();
    goes_to_its_parts(&joined.mapv(f64::cos), sines, [&cosines[..3], &cosines[3..]]);
    // I7: of the sum of a concatenation and zeros, a one for every element.
    let total = assignment("i => 0", &[], &["5"]);
    let ones = &gradients(&total, &[joined], &array(&[1], &[1.]))[0];
    let sum = |joined: &ArrayD<f64>| {
        let mut session = Session::new();
        let [x, zeros] = ["x", "zeros"].map(|name| session.data(name, "5").unwrap());
        let sum = session.pointwise("+", &[x, zeros]).unwrap();
        let added = session.assignment(&session.close().unwrap(), sum).unwrap();
        run(&added, &[joined.clone(), ArrayD::zeros(joined.raw_dim())]).sum()
    };
    goes_to_its_parts(ones, sum, [&[1.; 3], &[1.; 2]]);
}

#[test]
fn sizes_that_another_operation_made_equal_share_no_loop() {
    let mut session = Session::new();
    let a = session.data("a", "4").unwrap();
    let b = session.data("b", "...").unwrap();
    session.einsum("i; i => 0", &[a, b]).unwrap(); // both have 4
    let outer = session.einsum("i; j => i j", &[a, b]).unwrap();
    let closed = session.close().unwrap();
    let record = session.record(&closed, outer).unwrap();
    assert_eq!(record.to_string(), "(i0:4, i1:4) -> [i0, i1]; [i0], [i1]");
}

/// The margin of a tensor of 8 elements that is read so, each time in all the slots there are.
fn padded_for(readers: &[(&str, &[(&str, u64)])]) -> Margin {
    let mut session = Session::new();
    let x = session.data("x", "8").unwrap();
    for (spec, numbers) in readers {
        let slots = vec![x; 1 + spec.matches(';').count()];
        session.einsum_with(spec, numbers, &slots).unwrap();
    }
    session.margins(&session.close().unwrap(), x).unwrap()[0]
}

#[test]
fn a_tensor_is_padded_for_all_that_read_it() {
    let k3: (&str, &[_]) = ("o=+k => o", &[("k", 3)]);
    let k5: (&str, &[_]) = ("o=+k => o", &[("k", 5)]);
    let dilated: (&str, &[_]) = ("o=+2*k => o", &[("k", 2)]);
    assert_eq!(padded_for(&[k3, k5, dilated]), Margin { left: 2, right: 2 });
    let late: (&str, &[_]) = ("3*o<+2+k => o", &[("k", 2)]);
    assert_eq!(padded_for(&[late]), Margin { left: 0, right: 2 });
    assert_eq!(padded_for(&[late, k3]), Margin { left: 1, right: 2 });
}

#[test]
fn each_side_is_padded_for_whoever_reads_farthest_there() {
    let left: (&str, &[_]) = ("2*o=+k => o", &[("k", 5)]);
    let right: (&str, &[_]) = ("o=+k => o", &[("k", 4)]);
    assert_eq!(padded_for(&[left]), Margin { left: 2, right: 1 });
    assert_eq!(padded_for(&[right]), Margin { left: 1, right: 2 });
    let both = Margin { left: 2, right: 2 };
    assert_eq!(padded_for(&[left, right]), both);
    assert_eq!(padded_for(&[right, left]), both);
    // One operation that reads it twice.
    let numbers: &[_] = &[("k", 5), ("l", 4)];
    assert_eq!(padded_for(&[("2*o=+k; p=+l => o, p", numbers)]), both);
    assert_eq!(padded_for(&[("p=+l; 2*o=+k => o, p", numbers)]), both);
}

#[test]
fn buffers_are_as_long_as_windows_reach() {
    let mut session = Session::new();
    let mut convolved = |stride: u32, mark: char, size: u32| {
        let x = session.data("x", &format!("{size},{size},1")).unwrap();
        let w = session.data("w", "3,3,1->4").unwrap();
        let spec = format!(
            "{stride}*oh{mark}+kh, {stride}*ow{mark}+kw, ..ic..; kh, kw, ..ic.. -> ..oc.. => oh, ow, ..oc.."
        );
        let result = session.einsum(&spec, &[x, w]).unwrap();
        let closed = session.close().unwrap();
        let margins = session.margins(&closed, x).unwrap();
        (closed.shape(result).unwrap().to_string(), margins)
    };
    let none = Margin::default();
    let both = Margin { left: 1, right: 1 };
    let left = Margin { left: 1, right: 0 };
    // H1: a window of 3 reaches one element beyond each end.
    assert_eq!(convolved(1, '=', 5), ("5,5,4".into(), vec![both, both, none]));
    // H2
    assert_eq!(convolved(1, '<', 5), ("3,3,4".into(), vec![none; 3]));
    // H3: in steps of 2 the last window ends with the axis.
    assert_eq!(convolved(2, '=', 6), ("3,3,4".into(), vec![left, left, none]));

    // H16: a dilated window reaches farther.
    let x = session.data("x", "7").unwrap();
    let w = session.data("w", "3").unwrap();
    let dilated = session.einsum("o=+2*k; k => o", &[x, w]).unwrap();
    // H17: the slice is padded, not what it is cut from.
    let images = session.data("images", "2,4|3,3,1").unwrap();
    let w = session.data("w", "3,3,1->4").unwrap();
    let slice =
        session.einsum_with("@step, ...|... => ...|...", &[("step", 2)], &[images]).unwrap();
    let spec = "...|oh=+kh, ow=+kw, ..ic..; kh, kw, ..ic.. -> ..oc.. => ...|oh, ow, ..oc..";
    let result = session.einsum(spec, &[slice, w]).unwrap();
    let closed = session.close().unwrap();
    let margins = |tensor| session.margins(&closed, tensor).unwrap();
    assert_eq!(closed.shape(dilated).unwrap().to_string(), "7");
    assert_eq!(margins(x), [Margin { left: 2, right: 2 }]);
    assert_eq!(closed.shape(result).unwrap().to_string(), "4|3,3,4");
    assert_eq!(margins(images), [none; 5]);
    assert_eq!(margins(slice), [none, both, both, none]);
}
