//! What a session promises, through the Rust interface.

use lozenge::{
    AxisPlace, Budget, Captured, Closed, Kind, PartialShape, Policy, Session, Shape, Tensor,
    diagnostic::{Code, concise, json},
};

#[test]
fn sessions_and_what_they_close_to_may_go_anywhere() {
    fn anywhere<T: Send + Sync + 'static>() {}
    fn forks<T: Clone>() {}
    anywhere::<Session>();
    anywhere::<Closed>();
    anywhere::<Tensor>();
    anywhere::<Captured>();
    anywhere::<Shape>();
    anywhere::<PartialShape>();
    forks::<Session>();
}

#[test]
fn a_message_names_the_lines_of_the_caller() {
    let mut session = Session::new();
    let line = line!();
    let a = session.data("a", "2,3").unwrap();
    let b = session.data("b", "2,4").unwrap();
    let refused = session.pointwise("+", &[a, b]).unwrap_err();
    let said = refused.to_string();
    for (shown, at) in [("data a: 2,3", 1), ("data b: 2,4", 2), ("a + b", 3)] {
        assert!(said.contains(&format!("{} | {shown}", line + at)), "{said}");
    }
    let said = concise(&refused.diagnostics[0], &refused.sources);
    let place = format!("{}:{}:", file!(), line + 3);
    assert!(said.starts_with(&place), "{said} does not begin with {place}");
}

#[test]
fn what_is_refused_leaves_no_trace() {
    let mut session = Session::new();
    let x = session.data("x", "3").unwrap();
    let w = session.parameter_of("w", "...->2").unwrap();
    let before = session.clone();
    assert!(session.data("y", "0").is_err());
    assert!(session.einsum("ij => ij", &[x]).is_err());
    let five = session.data("five", "5").unwrap();
    let product = session.compose(w, x).unwrap();
    assert!(session.compose(w, five).is_err());
    assert_eq!(session.shape(w).unwrap().to_string(), "...,3->2");

    let mut clean = before;
    let same = clean.compose(w, x).unwrap();
    let shapes = [session.close().unwrap(), clean.close().unwrap()];
    assert_eq!(shapes[0].shape(w).unwrap(), shapes[1].shape(w).unwrap());
    assert_eq!(shapes[0].shape(product).unwrap(), shapes[1].shape(same).unwrap());
}

#[test]
fn reading_commits_nothing() {
    let mut session = Session::new();
    let x = session.unknown("x");
    let three = session.data("three", "3").unwrap();
    session.pointwise("+", &[x, three]).unwrap();
    assert_eq!(session.close().unwrap().shape(x).unwrap().to_string(), "3");
    assert_eq!(session.shape(x).unwrap().to_string(), "...|...->...");
    // Another use, with which 3 does not hold any more.
    let four = session.data("four", "4").unwrap();
    session.pointwise("+", &[x, four]).unwrap();
    assert_eq!(session.close().unwrap().shape(x).unwrap().to_string(), "1_");
}

#[test]
fn an_axis_that_is_not_known_has_a_bound() {
    let mut session = Session::new();
    let x = session.data("x", "_").unwrap();
    let three = session.data("three", "3").unwrap();
    session.pointwise("+", &[x, three]).unwrap();
    let bound = session.bound(x, Kind::Output, 0).unwrap();
    assert_eq!(bound.map(|axis| axis.to_string()).as_deref(), Some("3"));
    assert_eq!(session.bound(three, Kind::Output, 0).unwrap(), None);
}

#[test]
fn handles_are_of_their_session() {
    let mut one = Session::new();
    let mut two = Session::new();
    let x = one.data("x", "3").unwrap();
    let refused = two.pointwise("relu", &[x]).unwrap_err();
    assert_eq!(refused.diagnostics[0].code, Code::ForeignTensor);
    assert!(two.shape(x).is_err());

    // A clone has the same past, and neither knows what the other made since.
    let mut fork = one.clone();
    let in_fork = fork.pointwise("relu", &[x]).unwrap();
    let in_one = one.pointwise("exp", &[x]).unwrap();
    assert!(one.shape(in_fork).is_err());
    assert!(fork.shape(in_one).is_err());
    assert!(fork.clone().shape(in_fork).is_ok());
    let closed = one.close().unwrap();
    assert!(closed.shape(in_one).is_ok());
    assert!(closed.shape(in_fork).is_err());
    let later = one.pointwise("relu", &[x]).unwrap();
    assert!(closed.shape(later).is_err());

    let size = one.size("d");
    assert!(two.set(size, 3).is_err());
    assert!(fork.set(size, 3).is_err());
}

#[test]
fn captured_sizes_are_read_before_and_after_closing() {
    let mut session = Session::new();
    let a = session.data("a", "2,3,4").unwrap();
    let r = session.einsum("a, ..r.. => ..r.., a", &[a]).unwrap();
    let [row, axis] = ["r", "a"].map(|name| session.capture(r, name).unwrap());
    assert_eq!(session.known(row).map(|size| size.to_string()).as_deref(), Some("12"));
    let closed = session.close().unwrap();
    assert_eq!(closed.size(row), Some(12));
    assert_eq!(closed.axis(axis).map(|axis| axis.to_string()).as_deref(), Some("2"));
    assert_eq!(closed.axis(row), None);
    assert_eq!(session.capture(r, "nobody").unwrap_err().diagnostics[0].code, Code::UnknownName);
}

#[test]
fn a_budget_ends_what_would_take_long() {
    let mut session = Session::with_budget(Budget { steps: 1, ..Budget::default() });
    let x = session.data("x", "2,3").unwrap();
    let refused = session.pointwise("+", &[x, x]).unwrap_err();
    assert_eq!(refused.diagnostics[0].code, Code::WorkExhausted);
    let said = refused.to_string();
    assert!(said.starts_with("error[work-exhausted]: the budget of solver steps is used up"));
    assert!(json(&refused.diagnostics, &refused.sources).contains("\"work-exhausted\""));
}

#[test]
fn policies_choose_or_do_not() {
    let mut session = Session::new();
    let x = session.unknown("x");
    let three = session.data("three", "3").unwrap();
    session.pointwise("+", &[x, three]).unwrap();
    let shape =
        |policy| session.close_by(policy).map(|closed| closed.shape(x).unwrap().to_string()).ok();
    assert_eq!(shape(Policy::Default).as_deref(), Some("3"));
    assert_eq!(shape(Policy::Upward).as_deref(), Some(""));
    assert_eq!(shape(Policy::Refuse), None);
}

#[test]
fn why_of_an_axis_that_is_not_there() {
    let mut session = Session::new();
    let tensor = session.data("x", "2,3").unwrap();
    let closed = session.close().unwrap();
    let place = AxisPlace { tensor, kind: Kind::Batch, axis: 0 };
    let refused = session.why(&closed, place).unwrap_err();
    assert_eq!(
        refused.diagnostics[0].headline,
        "`x`, which is `2,3`, has no batch axes, so no axis 0"
    );
}

#[test]
fn a_chain_of_unnamed_operations_is_written_out() {
    let mut session = Session::new();
    let x = session.data("x", "3").unwrap();
    let w = session.data("w", "3->2").unwrap();
    let product = session.compose(w, x).unwrap();
    let active = session.pointwise("relu", &[product]).unwrap();
    let more = session.pointwise("+", &[active, active]).unwrap();
    let most = session.pointwise("-", &[more, x]);
    assert_eq!(session.called(product), "w * x");
    assert_eq!(session.called(active), "relu (w * x)");
    assert_eq!(session.called(more), "(relu t2) + (relu t2)");
    assert!(most.unwrap_err().to_string().contains("is 2"), "both sizes are named");
    session.name(active, "hidden");
    assert_eq!(session.called(more), "hidden + hidden");
}
