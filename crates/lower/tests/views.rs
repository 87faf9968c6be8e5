//! Records seen from another slot: gradients of sums of products, and the reverse of a concatenation.

use lozenge::{
    Session,
    project::{Decision, Margin, Record, Slot, Statement, Write},
};
use lozenge_lower::{Accumulate, Combine, execute, execute_view};
use ndarray::{Array, ArrayD, Axis, IxDyn};

fn record(spec: &str, numbers: &[(&str, u64)], shapes: &[&str]) -> Record {
    let mut session = Session::new();
    let operands: Vec<_> = shapes.iter().map(|shape| session.data("x", shape).unwrap()).collect();
    let result = session.einsum_with(spec, numbers, &operands).unwrap();
    session.record(&session.close().unwrap(), result).unwrap()
}

fn counted(sizes: &[usize]) -> ArrayD<f64> {
    let count = sizes.iter().product::<usize>();
    let numbers = (0..u32::try_from(count).unwrap()).map(|n| f64::from(n % 7) - 2.0);
    Array::from_iter(numbers).into_shape_with_order(IxDyn(sizes)).unwrap()
}

/// `Σ result · weights`, whose gradient towards an operand is the view that reads the weights.
fn loss(record: &Record, operands: &[ArrayD<f64>], weights: &ArrayD<f64>) -> f64 {
    let views: Vec<_> = operands.iter().map(ArrayD::view).collect();
    let result = execute(record, Combine::Multiply, Accumulate::Sum, &[], &views).unwrap();
    (result * weights).sum()
}

/// Holds every gradient against differences of the loss, which is linear in each operand. It is accumulated,
/// twice, into what is there before.
fn check(spec: &str, numbers: &[(&str, u64)], shapes: &[(&str, &[usize])]) {
    let record = record(spec, numbers, &shapes.iter().map(|(shape, _)| *shape).collect::<Vec<_>>());
    let operands: Vec<ArrayD<f64>> = shapes.iter().map(|(_, sizes)| counted(sizes)).collect();
    let views: Vec<_> = operands.iter().map(ArrayD::view).collect();
    let result = execute(&record, Combine::Multiply, Accumulate::Sum, &[], &views).unwrap();
    let weights = counted(result.shape()).mapv(|n| n * 0.5 + 1.0);
    for number in 0..operands.len() {
        let before = counted(operands[number].shape()).mapv(|n| 3.0 * n + 1.0); // never 0
        let mut gradient = before.clone();
        let view = record.towards(Slot::operand(number));
        let read: Vec<_> = [&weights]
            .into_iter()
            .chain(operands.iter().enumerate().filter(|(n, _)| *n != number).map(|(_, x)| x))
            .map(ArrayD::view)
            .collect();
        let how = (Combine::Multiply, Accumulate::Sum);
        for times in [1.0, 2.0] {
            let written = &mut [gradient.view_mut()];
            execute_view(&view, Statement::Accumulating, how, &[], &read, written).unwrap();
            for (at, accumulated) in gradient.indexed_iter() {
                let mut moved = operands.clone();
                moved[number][&at] += 1.0;
                let slope = loss(&record, &moved, &weights) - loss(&record, &operands, &weights);
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
    let record = record("a, c; b, c => a^b, c", &[], &["2,2", "3,2"]);
    let joined = counted(&[5, 2]);
    let (mut first, mut second) = (ArrayD::zeros(IxDyn(&[2, 2])), ArrayD::zeros(IxDyn(&[3, 2])));
    let view = record.apart();
    let store = Decision { initialise: false, write: Write::Store };
    assert_eq!(view.decisions(Statement::Erasing).collect::<Vec<_>>(), [store, store]);
    let how = (Combine::Multiply, Accumulate::Sum);
    let written = &mut [first.view_mut(), second.view_mut()];
    execute_view(&view, Statement::Erasing, how, &[], &[joined.view()], written).unwrap();
    let (above, below) = joined.view().split_at(Axis(0), 2);
    assert_eq!((first.view(), second.view()), (above, below));
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
