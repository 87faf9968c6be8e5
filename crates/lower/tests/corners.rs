//! Corners that were cut once: what people and operations of their own can do to loops.

use std::sync::Arc;

use lozenge::{
    Accumulation, Einsum, Kind, Misfit, Operation, Scheme, SchemePart, Session, Tensor,
    diagnostic::Code,
    project::Statement,
    term::{DimTerm, RowTerm, SizeRelation},
};
use lozenge_lower::{ExecuteError, Nest, execute, execute_into};
use ndarray::array;

fn nest_of(session: &Session, tensor: Tensor) -> Nest {
    Nest::new(session.assignment(&session.close().unwrap(), tensor).unwrap())
}

fn loops(spec: &str, numbers: &[(&str, u64)], shapes: &[&str]) -> Nest {
    let mut session = Session::new();
    let operands: Vec<_> = shapes.iter().map(|shape| session.data("x", shape).unwrap()).collect();
    let result = session.einsum_with(spec, numbers, &operands).unwrap();
    session.set_name(result, "r");
    nest_of(&session, result)
}

#[test]
fn a_loop_has_the_name_of_its_axis_and_no_other_has_it() {
    let text = loops("...; ...|i => ...|..., i", &[], &["2", "3|4"]).to_string();
    assert!(text.contains("r[batch|output, i] = x[output] * x2[batch|i]"), "{text}");
    for spec in ["..., output0 => output0, ...", "..r.., r0 => ..r.., r0"] {
        let made = loops(spec, &[], &["2,3,4"]);
        let assigned = made.assignment();
        let loops = assigned.record().loops();
        let mut names: Vec<&str> = loops.map(|(id, _)| assigned.name(id)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 3, "{made}");
    }
    let mut session = Session::new();
    let x = session.data("x", "2->3").unwrap();
    let turned = session.transpose(x).unwrap();
    let text = nest_of(&session, turned).to_string();
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
    let once = once.assignment().clone().accumulating(Accumulation::Or, Statement::Erasing);
    let x = array![[5.0], [0.0]].into_dyn();
    let any = execute(&Nest::new(once), &[], &[x.view()]);
    assert_eq!(any.unwrap(), array![1.0, 0.0].into_dyn());
}

#[test]
fn what_cannot_be_computed_is_an_error() {
    let huge = loops("0 => i, j", &[("i", 1 << 40), ("j", 1 << 40)], &["1"]);
    let one = array![1.0].into_dyn();
    let run = |nest: &Nest, indices: &[u64]| execute(nest, indices, &[one.view()]);
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

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        let (whole, over): (DimTerm, DimTerm) =
            (scheme.fresh_axis().into(), scheme.fresh_axis().into());
        scheme.begin(whole, self.0);
        scheme.relate(
            SchemePart::Whole,
            SizeRelation::Strided { whole, stride: 2, over, loose: false },
        );
        let row = scheme.operand(0, Kind::Output);
        scheme.same_row(SchemePart::Whole, RowTerm::closed([], [whole]), row);
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
    let refused = session.assignment(&closed, x).unwrap_err();
    assert_eq!(refused.diagnostics[0].headline, "`x` has no loop nest: no operation makes it");
}

#[test]
fn only_arrays_that_the_caller_gives_are_counted() {
    let product = loops("i; i => i", &[], &["2", "2"]);
    let x = array![1.0, 2.0].into_dyn();
    let alone = execute(&product, &[], &[x.view()]);
    assert_eq!(alone, Err(ExecuteError::Arrays { wanted: 3, given: 2 }));
}

#[test]
fn amounts_are_exact_or_say_that_they_are_not() {
    let told = |spec: &str, numbers: &[(&str, u64)], shapes: &[&str]| {
        let traffic = loops(spec, numbers, shapes).traffic();
        [traffic.points.clone(), traffic.all_read(), traffic.written]
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

/// In the pseudo-code a name is one thing: a loop, a tensor or a word.
#[test]
fn names_in_a_nest_are_told_apart() -> Result<(), lozenge::Report> {
    let mut session = Session::new();
    let (first, second) = (session.data("x", "2,3")?, session.data("x", "3,4")?);
    let product = session.einsum("x in; in for => x for", &[first, second])?;
    session.set_name(product, "x");
    let loops = nest_of(&session, product);
    let code = "\
x3 = 0
for x_ in 0..2:
  for for_ in 0..4:
    for in_ in 0..3:
      x3[x_, for_] += x[x_, in_] * x2[in_, for_]
";
    assert_eq!(loops.to_string(), code);
    // The same tensor twice is one name.
    let square = session.einsum("ij; ij => ij", &[first, first])?;
    session.set_name(square, "y");
    let loops = nest_of(&session, square);
    assert!(loops.to_string().ends_with("y[i, j] = x[i, j] * x[i, j]\n"), "{loops}");
    // Two tensors that are made alike.
    let [one, other] = [session.transpose(first)?, session.transpose(first)?];
    let sum = session.pointwise("+", &[one, other])?;
    session.set_name(sum, "sum");
    let loops = nest_of(&session, sum);
    assert!(loops.to_string().contains("= (transpose x)[i, j->] + t"), "{loops}");
    Ok(())
}

/// The operand that a result begins with is broadcast to its cells, each once, and the rest is
/// added to that.
#[test]
fn a_result_begins_with_an_operand() {
    let mut session = Session::new();
    let w = session.data("w", "3->2").unwrap();
    let x = session.data("x", "3").unwrap();
    let b = session.data("b", "1_").unwrap();
    let y = session.compose_accumulate(w, x, b).unwrap();
    session.set_name(y, "y");
    let nest = nest_of(&session, y);
    let code = "\
for i in 0..2:
  y[i] = b[0]
for i in 0..2:
  for j in 0..3:
    y[i] += w[j->i] * x[j]
";
    assert_eq!(nest.to_string(), code);
    let w = array![[1, 2, 3], [4, 5, 6]].into_dyn();
    let (x, b) = (array![1, 0, 2].into_dyn(), array![10].into_dyn());
    let y = execute::<i32>(&nest, &[], &[w.view(), x.view(), b.view()]).unwrap();
    assert_eq!(y, array![17, 26].into_dyn());
}

/// An operand with more elements than the result has cells says no one number to begin with.
#[derive(Debug)]
struct Begun;

impl Operation for Begun {
    fn name(&self) -> &'static str {
        "begun"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = (*Einsum::new("i; i => 0")?.scheme(operands)?).clone();
        scheme.begin_with(1)?;
        Ok(scheme.into())
    }
}

#[test]
fn a_result_does_not_begin_with_several_elements() {
    let mut session = Session::new();
    let x = session.data("x", "3").unwrap();
    let y = session.apply(Begun, &[x, x]).unwrap();
    let refused = session.assignment(&session.close().unwrap(), y).unwrap_err();
    assert_eq!(refused.diagnostics[0].code, Code::NoLoops);
    let headline = &refused.diagnostics[0].headline;
    assert!(headline.ends_with("it begins with an operand that has several elements for a cell"));
}

#[test]
fn what_only_an_embedder_knows_is_not_executed() {
    let mut session = Session::new();
    let x = session.data("x", "2").unwrap();
    let y = session.pointwise("gelu", &[x]).unwrap();
    session.set_name(y, "y");
    let nest = nest_of(&session, y);
    assert_eq!(nest.to_string(), "for i in 0..2:\n  y[i] = gelu(x[i])\n");
    let x = array![1.0, 2.0].into_dyn();
    let refused = execute(&nest, &[], &[x.view()]);
    assert_eq!(refused, Err(ExecuteError::Unknown("gelu".to_owned())));
    // Nothing was written before it was refused.
    let mut written = array![3.0, 4.0].into_dyn();
    execute_into(&nest, &[], &[x.view()], &mut [written.view_mut()]).unwrap_err();
    assert_eq!(written, array![3.0, 4.0].into_dyn());
}

/// What is executed at values, and not only where every size is a number.
#[test]
fn open_sizes_have_values_when_they_are_run() {
    let mut session = Session::new();
    let cache = session.data("cache", "past: 0..9, 2").unwrap();
    let new = session.data("new", "seq, 2").unwrap();
    let all = session.einsum("p d; s d => p^s d", &[cache, new]).unwrap();
    session.set_name(all, "all");
    let flat = session.einsum("p d => (p d)", &[all]).unwrap();
    let sum = session.einsum("p d => d", &[cache]).unwrap();
    let closed = session.close().unwrap();
    let assignment = |tensor| session.assignment(&closed, tensor).unwrap();
    let append = Nest::new(assignment(all));
    assert!(append.to_string().ends_with("    all[s+past, d] = new[s, d]\n"), "{append}");
    assert_eq!(append.coverage().bijective(), Some(true));
    assert_eq!(append.traffic().written.to_string(), "2·past + 2·seq");
    let one = array![[1.0, 2.0]].into_dyn();
    let open = execute(&append, &[], &[one.view(), one.view()]);
    assert_eq!(open, Err(ExecuteError::Symbolic));

    let new = array![[5.0, 6.0], [7.0, 8.0]].into_dyn();
    for past in 0..3 {
        let cache =
            ndarray::Array2::from_shape_fn((past, 2), |(p, d)| [[1.0, 2.0], [3.0, 4.0]][p][d]);
        let at = closed.at(&[("past", past as u64), ("seq", 2)]).unwrap();
        let valued = |tensor| Nest::new(assignment(tensor).at(&at).unwrap());
        let cache = cache.into_dyn();
        let made = execute(&valued(all), &[], &[cache.view(), new.view()]).unwrap();
        let wanted = ndarray::concatenate(ndarray::Axis(0), &[cache.view(), new.view()]).unwrap();
        assert_eq!(made, wanted);
        let made = execute(&valued(flat), &[], &[wanted.view()]).unwrap();
        assert_eq!(made, wanted.flatten().into_dyn());
        // Nothing to add is 0.
        let made = execute(&valued(sum), &[], &[cache.view()]).unwrap();
        assert_eq!(made, cache.sum_axis(ndarray::Axis(0)));
    }
    // A name without a value.
    assert!(assignment(all).at(&closed.at(&[("past", 1)]).unwrap()).is_none());
}

/// A part of an axis of open size that nothing reads is not covered by the others.
#[test]
fn parts_of_open_sizes_cover_what_they_say() {
    let bijective = |spec: &str, shapes: &[&str]| {
        let nest = loops(spec, &[], shapes);
        let coverage = nest.coverage();
        (coverage.injective, coverage.onto, nest.to_string().contains("r = 0"))
    };
    let once = (Some(true), Some(true), false);
    assert_eq!(bijective("a; b; c => a^b^c", &["n", "m", "k"]), once);
    assert_eq!(bijective("a; b => a^b", &["3", "m"]), once);
    assert_eq!(bijective("a i; b i => (i i) a^b", &["n,2", "m,2"]).1, Some(false));
    assert_eq!(bijective("a i; b i => a^b, i", &["n,k", "m,k"]), once);
    assert_eq!(bijective("a i; b i => a^b", &["n,k", "m,k"]).0, None);
    assert_eq!(bijective("a i; b i => a^b", &["n,2", "m,2"]).0, Some(false));
    assert_eq!(bijective("a, b, c => (c b a)", &["n,m,k"]), once);
    assert_eq!(bijective("a; b => 2^a^b", &["n", "m"]).1, None);
    assert_eq!(bijective("i => (i i)", &["n"]).1, None);
}

/// How far a window reaches over an axis of open size is known where sizes cancel.
#[test]
fn windows_over_open_sizes_are_guarded_where_they_can_leave() {
    let text = loops("2*o=+k; k => o", &[], &["n", "3"]).to_string();
    assert!(text.contains("    if 0 <= 2*o+k-1:\n"), "{text}");
    let text = loops("2*o=+k; k => o", &[], &["n", "4"]).to_string();
    assert!(text.contains("    if 0 <= 2*o+k-1 < n:\n"), "{text}");
    let text = loops("o=+3*k; k => o", &[], &["n", "3"]).to_string();
    assert!(text.contains("    if 0 <= o+3*k-3 < n:\n"), "{text}");
}
