//! Sizes at the ends of what a size can be: none stretches to another, and none is taken for
//! another.

use lozenge::{
    Kind, Report, Session,
    diagnostic::Code,
    dims::{Dim, DimContext, TensorShape},
};

/// The largest size, and the least number that is none.
const LARGEST: u64 = u64::MAX / 2;
const TOO_LARGE: u64 = LARGEST + 1;

fn code<T>(refused: Result<T, Report>) -> Option<Code> {
    refused.err().map(|said| said.diagnostics[0].code)
}

#[test]
fn very_many_axes_and_operands() {
    let mut session = Session::new();
    let wide = session.data("wide", &vec!["2"; 70_000].join(",")).unwrap();
    assert!(session.pointwise("relu", &[wide]).is_err()); // the budget of ranks
    let sized = session.data_of_sizes("sized", &vec![2; 70_000], &[], &[5]).unwrap();
    assert_eq!(session.shape(sized).unwrap().row(Kind::Output).axes().len(), 1);
    let one = session.data("one", "3").unwrap();
    let spec = format!("{}=>a", vec!["a"; 70_000].join(";"));
    let sum = session.einsum(&spec, &vec![one; 70_000]).unwrap();
    assert_eq!(session.shape(sum).unwrap().to_string(), "3");
}

#[test]
fn sizes_beyond_all_sizes_are_refused_as_such() {
    let refused = Some(Code::NumberTooLarge);
    let mut session = Session::new();
    let x = session.data("x", "2,3").unwrap();
    for size in [TOO_LARGE, u64::MAX] {
        assert_eq!(code(session.data_of_sizes("d", &[], &[], &[size])), refused);
        assert_eq!(code(session.data_of_elements("d", size)), refused);
        assert_eq!(code(session.data_in_memory("d", &[2, size])), refused);
        for shape in [format!("{size}"), format!("2,{size}_rgb"), format!("n+{size}")] {
            assert_eq!(code(session.data("d", &shape)), refused, "{shape}");
            assert_eq!(code(session.parameter_of("w", &shape)), refused, "{shape}");
        }
        assert_eq!(code(session.declare(&format!("{size} divides n"))), refused);
        assert_eq!(code(session.reshape_to(x, &format!("{size}"))), refused);
        assert!(session.einsum(&format!("{size}*o, i => o i"), &[x]).is_err());
        assert!(session.einsum(&format!("(i {size}) j => i j"), &[x]).is_err());
    }
    assert_eq!(code(session.data_of_elements("d", 0)), Some(Code::ZeroPart));
    assert_eq!(session.tensors().count(), 1, "what is refused is not there");
}

#[test]
fn captured_sizes_beyond_all_sizes_are_refused_as_such() {
    let mut session = Session::new();
    let x = session.constant("x");
    let y = session.einsum("i => i", &[x]).unwrap();
    let i = session.capture(y, "i").unwrap();
    let free = session.new_size("free");
    for size in [i, free] {
        assert_eq!(code(session.set(size, TOO_LARGE)), Some(Code::NumberTooLarge));
        assert_eq!(session.known(size), None, "what is refused is not known");
    }
    let given = [("i", TOO_LARGE)];
    assert_eq!(code(session.einsum_with("i => i", &given, &[x])), Some(Code::NumberTooLarge));
    session.set(i, LARGEST).unwrap();
    let closed = session.close().unwrap();
    assert_eq!(closed.shape(y).unwrap().sizes(Kind::Output), Some(vec![LARGEST]));
    // A sum and a product that are no sizes fit nothing, whatever they wrap around to.
    for spec in ["i; i => i^i", "i; i => (i i)"] {
        let mut fork = session.clone();
        let joined = fork.einsum(spec, &[y, y]).and_then(|_| fork.close().map(|_| ()));
        assert!(joined.is_err(), "{spec}");
    }
}

#[test]
fn dimensions_beyond_all_sizes_do_not_stretch() {
    let refused = Some(Code::NumberTooLarge);
    let mut context = DimContext::new();
    let (fits, large) = (TensorShape::from([Dim::from(6)]), Dim::Literal(TOO_LARGE));
    assert_eq!(code(context.unify_dims(&large, &Dim::from(1))), refused);
    let large = TensorShape::from([large]);
    assert_eq!(code(context.unify_shapes(&fits, &large)), refused);
    assert_eq!(code(context.infer_broadcast_shape(&[fits.clone(), large.clone()])), refused);
    assert_eq!(code(context.verify_reshape(&fits, &large)), refused);
}

#[test]
fn a_range_that_ends_beyond_all_sizes_bounds_nothing() {
    let mut session = Session::new();
    session.declare("total = past+seq").unwrap();
    session.range("total", 1..=u64::MAX).unwrap();
    let x = session.data("x", "total").unwrap();
    assert_eq!(session.close().unwrap().shape(x).unwrap().to_string(), "past+seq");
}

#[test]
fn axes_that_are_written_as_0_are_told_however_they_are_written() {
    let mut session = Session::new();
    let sized = session.data_of_sizes("sized", &[], &[], &[0, 3]).unwrap();
    let array = session.data_in_memory("array", &[2, 0]).unwrap();
    let data = session.data("data", "0,3").unwrap();
    let set = session.einsum("n, d => d", &[data]).unwrap();
    session.set(session.capture(set, "n").unwrap(), 0).unwrap();
    let closed = session.close().unwrap();
    let shapes = [sized, array].map(|tensor| closed.shape(tensor).unwrap().to_string());
    assert_eq!(shapes, ["0,3", "2,0"]);
    let told = closed.notes().iter().filter(|said| said.code == Code::EmptyAxis);
    assert_eq!(told.count(), 4);
    let record = session.record(&closed, set).unwrap();
    assert_eq!(record.to_string(), "(i0:3, i1:0) -> [i0]; [i1, i0]");
}
