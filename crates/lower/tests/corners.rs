//! Corners that were cut once: what people and operations of their own can do to loops.

use std::sync::Arc;

use lozenge::{
    About, Kind, Loops, Operation, Rejection, Scheme, Session,
    diagnostic::Code,
    term::{DimTerm, RowTerm, SizeRelation},
};
use lozenge_lower::{Accumulate, Combine, ExecuteError, execute};
use ndarray::array;

fn loops(spec: &str, numbers: &[(&str, u64)], shapes: &[&str]) -> Loops {
    let mut session = Session::new();
    let operands: Vec<_> = shapes.iter().map(|shape| session.data("x", shape).unwrap()).collect();
    let result = session.einsum_with(spec, numbers, &operands).unwrap();
    session.name(result, "r");
    session.loops(&session.close().unwrap(), result).unwrap()
}

#[test]
fn a_loop_has_the_name_of_its_axis_and_no_other_has_it() {
    let text = loops("...; ...|i => ...|..., i", &[], &["2", "3|4"]).to_string();
    assert!(text.contains("r[batch|output, i] = x[output] * x2[batch|i]"), "{text}");
    for spec in ["..., output0 => output0, ...", "..r.., r0 => ..r.., r0"] {
        let made = loops(spec, &[], &["2,3,4"]);
        let mut names: Vec<&str> = made.record().loops().map(|(id, _)| made.name(id)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 3, "{made}");
    }
    let mut session = Session::new();
    let x = session.data("x", "2->3").unwrap();
    let turned = session.transpose(x).unwrap();
    let text = session.loops(&session.close().unwrap(), turned).unwrap().to_string();
    assert!(text.ends_with("(transpose x)[j->i] = x[i->j]\n"), "{text}");
}

#[test]
fn very_many_nests_are_not_all_written_out() {
    let axes = |order: [char; 3]| {
        let axis = |i: usize| order.map(|part| format!("{part}{i}")).join("^");
        (0..12).map(axis).collect::<Vec<_>>().join(", ")
    };
    let spec = format!("{} => {}", axes(['a', 'b', 'c']), axes(['c', 'b', 'a']));
    let names: Vec<String> = (0..12).flat_map(|i| [format!("a{i}"), format!("b{i}")]).collect();
    let numbers: Vec<(&str, u64)> = names.iter().map(|name| (&name[..], 1)).collect();
    let text = loops(&spec, &numbers, &[&["3"; 12].join(",")]).to_string();
    assert!(text.ends_with("… and so on, for every choice of parts\n"), "{text}");
    assert!(text.lines().count() < 1000);
}

#[test]
fn what_is_stored_is_accumulated_once() {
    let once = loops("i, j => i", &[], &["2,1"]);
    let x = array![[5.0], [0.0]].into_dyn();
    let any = execute(once.record(), Combine::Multiply, Accumulate::Or, &[], &[x.view()]);
    assert_eq!(any.unwrap(), array![1.0, 0.0].into_dyn());
}

#[test]
fn what_cannot_be_computed_is_an_error() {
    let huge = loops("0 => i, j", &[("i", 1 << 40), ("j", 1 << 40)], &["1"]);
    let one = array![1.0].into_dyn();
    let run = |loops: &Loops, indices: &[u64]| {
        execute(loops.record(), Combine::Multiply, Accumulate::Sum, indices, &[one.view()])
    };
    assert_eq!(run(&huge, &[]), Err(ExecuteError::TooLarge));
    let slice = loops("@t => 0", &[], &["1"]);
    assert!(matches!(run(&slice, &[]), Err(ExecuteError::Supplied(_))));
    assert!(matches!(run(&slice, &[1]), Err(ExecuteError::Supplied(_))));
    assert_eq!(run(&slice, &[0]).unwrap(), one);
}

/// Every second element from a position on.
#[derive(Debug)]
struct From(u64);

impl Operation for From {
    fn name(&self) -> &'static str {
        "from"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Rejection> {
        let mut scheme = Scheme::new(operands);
        let (whole, over): (DimTerm, DimTerm) = (scheme.axis().into(), scheme.axis().into());
        scheme.begin(whole, self.0);
        scheme.size(About::Whole, SizeRelation::Strided { whole, stride: 2, over });
        let row = scheme.operand(0, Kind::Output);
        scheme.same_row(About::Whole, RowTerm::closed([], [whole]), row);
        scheme.declare(Kind::Output, RowTerm::closed([], [over]));
        Ok(scheme.into())
    }
}

#[test]
fn operations_of_others_are_not_trusted() {
    let mut session = Session::new();
    let x = session.data("x", "8").unwrap();
    let odd = session.apply(From(1), &[x]).unwrap();
    let beyond = session.apply(From(5), &[x]).unwrap();
    let closed = session.close().unwrap();
    assert_eq!(session.record(&closed, odd).unwrap().to_string(), "(i0:4) -> [i0]; [2*i0+1]");
    let refused = session.record(&closed, beyond).unwrap_err();
    assert_eq!(refused.diagnostics[0].code, Code::NoLoops);
    let refused = session.loops(&closed, x).unwrap_err();
    assert_eq!(refused.diagnostics[0].headline, "`x` has no loop nest: no operation makes it");
}

#[test]
fn only_arrays_that_the_caller_gives_are_counted() {
    let product = loops("i; i => i", &[], &["2", "2"]);
    let x = array![1.0, 2.0].into_dyn();
    let alone = execute(product.record(), Combine::Multiply, Accumulate::Sum, &[], &[x.view()]);
    assert_eq!(alone, Err(ExecuteError::Arrays { wanted: 2, given: 1 }));
}

#[test]
fn amounts_are_exact_or_say_that_they_are_not() {
    let told = |spec: &str, numbers: &[(&str, u64)], shapes: &[&str]| {
        let traffic = loops(spec, numbers, shapes).traffic();
        [traffic.multiply_adds.clone(), traffic.all_read(), traffic.written]
            .map(|amount| amount.to_string())
    };
    assert_eq!(told("i, i => i", &[], &["n,n"]), ["n", "n", "n"]);
    assert_eq!(told("@t, i => i", &[], &["n,n"]), ["n", "n", "n"]);
    assert_eq!(told("a^b, c => a, c", &[("a", 2)], &["5,n"]), ["2·n"; 3]);
    let blocks = told("a, c, x; b, d, x => a^b, c^d, x", &[], &["2,2,n", "1,3,n"]);
    assert_eq!(blocks, ["7·n", "7·n", "15·n"]);
    let window = told("o=+k, k => o", &[], &["1000000,3"]);
    assert_eq!(window, ["2,999,998", "2,999,998", "1,000,000"]);
    let window = told("o=+k => o, k", &[("k", 3)], &["2000000"]);
    assert_eq!(window, ["5,999,998", "2,000,000", "6,000,000"]);
    // The first element is not read, and past the end there is none.
    assert_eq!(told("2*o<+1+k; k => o", &[], &["9", "3"]), ["11", "11", "4"]);
    let late = told("3*o<+1+k; k => o", &[], &["2999999", "2"]);
    assert_eq!(late, ["1,999,999", "2,000,001", "1,000,000"]);
    let late = told("2*o<+1+k => o", &[("k", 1)], &["3999999"]);
    assert_eq!(late, ["1,999,999", "1,999,999", "2,000,000"]);
    assert_eq!(told("o; k => 2*o<+1+k", &[], &["4", "3"]), ["11", "7", "9"]);
    let huge = told("o=+k; k => o", &[], &["20000000", "20000001"]);
    assert_eq!(huge, ["at most 400,000,020,000,000", "at most 40,000,001", "20,000,000"]);
    let diagonal: Vec<String> = ["a", "b"]
        .map(|name| (0..14).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", "))
        .to_vec();
    let parts = (0..14).map(|i| format!("a{i}^b{i}")).collect::<Vec<_>>().join(", ");
    let twos = ["2"; 14].join(",");
    let blocks = told(&format!("{} => {parts}", diagonal.join("; ")), &[], &[&twos, &twos]);
    assert_eq!(blocks[0], "32,768");
}
