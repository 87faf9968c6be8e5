//! Sizes that grow: each program closes within the budget, and what is too large for a number is a
//! size by its definition.

use lozenge::{Session, Tensor, diagnostic::Code};

/// The shape of a tensor, and what is required.
fn closed(session: &Session, tensor: Tensor) -> (String, Vec<String>) {
    let closed = session.close().unwrap();
    (closed.shape(tensor).unwrap().to_string(), closed.requirements().collect())
}

#[test]
fn halved_again_and_again() {
    let mut session = Session::new();
    let mut x = session.data("x", "seq").unwrap();
    for _ in 0..60 {
        x = session.einsum("2*o => o", &[x]).unwrap();
    }
    let (shape, required) = closed(&session, x);
    assert_eq!(shape, format!("seq/{}", 1_u64 << 60));
    assert_eq!(required, [format!("{} divides seq", 1_u64 << 60)]);
    // Beyond the largest divisor there are quotients of quotients.
    for _ in 0..20 {
        x = session.einsum("2*o => o", &[x]).unwrap();
    }
    let (shape, required) = closed(&session, x);
    assert!(shape.starts_with(&format!("seq/{}/", 1_u64 << 63)), "{shape}");
    assert!(required.contains(&format!("{} divides seq", 1_u64 << 63)), "{required:?}");
}

#[test]
fn reshaped_again_and_again() {
    let mut session = Session::new();
    let mut x = session.data("x", "batch,seq,6").unwrap();
    for turn in 0..500 {
        x = session.reshape_to(x, ["_,3", "seq,_,2", "_", "batch,seq,6"][turn % 4]).unwrap();
    }
    assert_eq!(closed(&session, x), ("batch,seq,6".to_owned(), vec![]));
}

#[test]
fn concatenated_again_and_again() {
    let mut session = Session::new();
    let x = session.data("x", "n").unwrap();
    let mut all = x;
    for _ in 0..10_000 {
        all = session.einsum("a; b => a^b", &[all, x]).unwrap();
    }
    assert_eq!(closed(&session, all), ("10001*n".to_owned(), vec![]));
}

#[test]
fn many_parts_at_once() {
    let spec = |parts: &[String]| format!("{} => {}", parts.join("; "), parts.join("^"));
    let mut session = Session::new();
    let parts: Vec<String> = (0..10_000).map(|part| format!("p{part}")).collect();
    let x = session.data("x", "n").unwrap();
    let y = session.einsum(&spec(&parts), &vec![x; parts.len()]).unwrap();
    assert_eq!(closed(&session, y), ("10000*n".to_owned(), vec![]));
    one_of_each_name(&parts, &spec(&parts));
}

/// An operation on tensors with one axis each, by these names, requires nothing, and has an axis
/// that is computed from all of them.
fn one_of_each_name(names: &[String], spec: &str) {
    let mut session = Session::new();
    let of: Vec<Tensor> = names.iter().map(|name| session.data("x", name).unwrap()).collect();
    let made = session.einsum(spec, &of).unwrap();
    let (shape, required) = closed(&session, made);
    let has_all = names.iter().all(|name| shape.contains(name));
    assert!(has_all && required.is_empty(), "{}", &shape[..100]);
}

#[test]
fn many_axes_in_one() {
    let parts: Vec<String> = (0..1000).map(|part| format!("p{part}")).collect();
    one_of_each_name(&parts, &format!("{} => ({})", parts.join("; "), parts.join(" ")));
}

/// Six sums of thirteen names have some five million products of their terms: they are not
/// multiplied out.
#[test]
fn long_sums_under_products() {
    let mut session = Session::new();
    let mut product: Option<Tensor> = None;
    for factor in 0..6 {
        let mut sum = session.data("x", &format!("n{factor}")).unwrap();
        for term in 0..12 {
            let next = session.data("y", &format!("m{factor}x{term}")).unwrap();
            sum = session.einsum("a; b => a^b", &[sum, next]).unwrap();
        }
        product = Some(match product {
            Some(product) => session.einsum("a; b => (a b)", &[product, sum]).unwrap(),
            None => sum,
        });
    }
    let product = product.unwrap();
    let same = session.einsum("a => a", &[product]).unwrap();
    let (shape, required) = closed(&session, same);
    assert_eq!(closed(&session, product), (shape.clone(), vec![]));
    assert!(shape.len() < 100_000 && required.is_empty(), "{} characters", shape.len());
}

#[test]
fn strides_without_a_common_divisor() {
    let mut session = Session::new();
    let mut x = session.data("x", "n").unwrap();
    let two = session.data("two", "2").unwrap();
    for stride in [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53] {
        x = session.einsum(&format!("{stride}*o => o"), &[x]).unwrap();
        x = session.einsum("o; i => (o i)", &[x, two]).unwrap();
        x = session.einsum("o => 1^o", &[x]).unwrap();
    }
    let (shape, required) = closed(&session, x);
    assert_eq!(shape, "(32768*n+16936914342472604067)/16294579238595022365");
    assert!(!required.is_empty());
}

/// A size beyond the cap is told where it comes from, not wherever it is.
#[test]
fn what_is_too_large_to_be_written_out_is_told_once() {
    let mut session = Session::new();
    let x = session.data("x", "a+1,b+1,c+1,d+1,e+1,f+1,g+1").unwrap();
    let mut y = session.einsum("a b c d e f g => (a b c d e f g)", &[x]).unwrap();
    for _ in 0..5 {
        y = session.pointwise("relu", &[y]).unwrap();
    }
    let closed = session.close().unwrap();
    let told = closed.notes().iter().filter(|said| said.code == Code::CappedSize);
    assert_eq!(told.count(), 1, "{:?}", closed.notes());
    let names = ["a", "b", "c", "d", "e", "f", "g"].map(|name| (name, 2));
    let at = closed.at(&names).unwrap();
    assert_eq!(at.shape(y).unwrap().to_string(), 3_u64.pow(7).to_string());
}
