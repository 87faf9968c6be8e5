//! Handles: which session takes them, and what is said of one that is not taken.

use std::{fmt::Debug, mem::size_of, panic::Location};

use lozenge::{
    AxisPlace, Closed, Compose, Kind, Pointwise, Report, Session, Tensor,
    diagnostic::{Code, concise},
    project::Margin,
};

/// Asserts that something is refused by this code, at the line that calls this.
#[track_caller]
fn refused<T: Debug>(code: Code, result: Result<T, Report>) -> Report {
    let here = Location::caller();
    let refused = result.unwrap_err();
    let said = concise(&refused.diagnostics[0], &refused.sources);
    let place = format!("{}:{}:", here.file(), here.line());
    assert!(said.starts_with(&place), "{said} does not begin with {place}");
    assert_eq!(refused.diagnostics[0].code, code, "{said}");
    refused
}

#[track_caller]
fn foreign<T: Debug>(result: Result<T, Report>) {
    refused(Code::ForeignTensor, result);
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

    let size = one.new_size("d");
    assert!(two.set(size, 3).is_err());
    assert!(fork.set(size, 3).is_err());
}

#[test]
fn a_foreign_handle_is_refused_at_the_line_of_the_caller() {
    let mut theirs = Session::new();
    let x = theirs.data("x", "3").unwrap();
    let y = theirs.einsum("i => i", &[x]).unwrap();
    let size = theirs.capture(y, "i").unwrap();

    let mut ours = Session::new();
    let own = ours.data("own", "3").unwrap();
    let own_size = ours.new_size("d");
    foreign(ours.apply(Compose, &[own, x]));
    foreign(ours.require(Pointwise::new("relu"), &[x]));
    foreign(ours.pointwise("relu", &[x]));
    foreign(ours.compose(x, own));
    foreign(ours.compose(own, x));
    foreign(ours.compose_accumulate(own, own, x));
    foreign(ours.transpose(x));
    foreign(ours.einsum("i => i", &[x]));
    foreign(ours.einsum_with("i => i", &[("i", 3)], &[x]));
    foreign(ours.reshape(x));
    foreign(ours.reshape_to(x, "3"));
    foreign(ours.bit_cast(x, 8, 16));
    foreign(ours.same_shape(own, x));
    foreign(ours.input_equals_output(x));
    foreign(ours.capture(y, "i"));
    foreign(ours.set(size, 3));
    foreign(ours.set_named(size, "n"));
    foreign(ours.equal(own_size, size));
    foreign(ours.equal(size, own_size));
    foreign(ours.scale(2, own_size, size));
    foreign(ours.shape(x));
    foreign(ours.bound(x, Kind::Output, 0));

    let closed = ours.close().unwrap();
    foreign(closed.shape(x));
    foreign(ours.record(&closed, y));
    foreign(ours.assignment(&closed, y));
    foreign(ours.margins(&closed, x));
    foreign(ours.why(&closed, AxisPlace::new(x, Kind::Output, 0)));

    // What has no error to give gives nothing.
    assert_eq!((ours.known(size), closed.size(size), closed.axis(size)), (None, None, None));
    assert_eq!(ours.display_name(x), "");
    ours.set_name(x, "stolen");
    assert_eq!([ours.display_name(own), theirs.display_name(x)], ["own", "x"]);
}

#[test]
fn a_closed_program_of_another_session_is_spoken_of_as_such() {
    #[track_caller]
    fn not_with(session: &Session, closed: &Closed, tensor: Tensor) {
        let said = refused(Code::ForeignTensor, session.record(closed, tensor));
        assert_eq!(said.diagnostics[0].headline, "the closed program here is of another session");
        foreign(session.assignment(closed, tensor));
        foreign(session.margins(closed, tensor));
        foreign(session.why(closed, AxisPlace::new(tensor, Kind::Output, 0)));
    }
    let mut session = Session::new();
    let [x, other] = ["x", "other"].map(|name| session.data(name, "7").unwrap());
    let y = session.einsum("i => i", &[x]).unwrap();
    not_with(&session, &Session::new().close().unwrap(), y);

    // A clone has all that was there before, so what it closes to is of use here, and the other way
    // round.
    let mut fork = session.clone();
    for closed in [session.close().unwrap(), fork.close().unwrap()] {
        assert!(session.assignment(&closed, y).is_ok());
        assert!(fork.assignment(&closed, y).is_ok());
    }
    // When both have gone on, the steps since are others: their margins would be taken for those of
    // here.
    let [here, there] = [(&mut session, x), (&mut fork, other)].map(|(session, read)| {
        let w = session.data("w", "3").unwrap();
        session.einsum("o=+k; k => o", &[read, w]).unwrap();
        session.close().unwrap()
    });
    assert_eq!(session.margins(&here, x).unwrap(), [Margin { left: 1, right: 1 }]);
    assert_eq!(fork.margins(&there, x).unwrap(), [Margin::default()]);
    not_with(&session, &there, y);
    not_with(&fork, &here, y);
    assert_eq!(there.shape(y).unwrap(), here.shape(y).unwrap());
}

#[test]
fn a_tensor_that_is_newer_than_a_closed_program_is_told_so() {
    #[track_caller]
    fn newer<T: Debug>(result: Result<T, Report>) -> String {
        refused(Code::NewerTensor, result).diagnostics[0].headline.clone()
    }
    let mut session = Session::new();
    let x = session.data("x", "3").unwrap();
    let closed = session.close().unwrap();
    let y = session.einsum("i => i", &[x]).unwrap();
    session.set_name(y, "y");
    assert_eq!(newer(closed.shape(y)), "a tensor here was made after the program was closed");
    let by_name = "`y` was made after the program was closed";
    assert_eq!(newer(session.record(&closed, y)), by_name);
    assert_eq!(newer(session.assignment(&closed, y)), by_name);
    assert_eq!(newer(session.margins(&closed, y)), by_name);
    let place = AxisPlace::new(y, Kind::Output, 0);
    assert_eq!(newer(session.why(&closed, place)), by_name);
    assert_eq!(session.close().unwrap().shape(y).unwrap().to_string(), "3");

    // One that a clone made since is not newer; it is of another session.
    let mut fork = session.clone();
    let z = fork.einsum("i => i", &[x]).unwrap();
    foreign(closed.shape(z));
    foreign(session.close().unwrap().shape(z));
}

#[test]
fn a_handle_that_outlived_its_session_names_nothing() {
    let old = {
        let mut session = Session::new();
        for _ in 0..5 {
            session.constant("b");
        }
        session.constant("b")
    };
    let sessions: Vec<Session> = (0..2000).map(|_| Session::new()).collect();
    assert!(sessions.iter().all(|session| session.shape(old).is_err()));
}

/// Sessions of one program, made and dropped, so that their memory is used again.
#[test]
fn a_later_session_never_takes_the_handles_of_a_dropped_one() {
    let build = |session: &mut Session| {
        let x = session.data("x", "3").unwrap();
        let y = session.einsum("i => i", &[x]).unwrap();
        let size = session.capture(y, "i").unwrap();
        (y, size)
    };
    let (mut tensor, mut size) = build(&mut Session::new());
    for _ in 0..1000 {
        let mut later = Session::new();
        let (own, own_size) = build(&mut later);
        assert!(later.shape(tensor).is_err());
        assert!(later.set(size, 3).is_err());
        assert!(later.close().unwrap().shape(tensor).is_err());
        // Of a clone as well, which is dropped at once.
        let mut fork = later.clone();
        let in_fork = fork.pointwise("relu", &[own]).unwrap();
        drop(fork);
        let mut fork = later.clone();
        fork.pointwise("relu", &[own]).unwrap();
        assert!(fork.shape(in_fork).is_err());
        (tensor, size) = (own, own_size);
    }
}

#[test]
fn handles_are_small_and_do_not_show_their_session() {
    assert!(size_of::<Tensor>() <= 16);
    let build = || {
        let mut session = Session::new();
        let x = session.data("x", "3").unwrap();
        session.clone().pointwise("relu", &[x]).unwrap();
        session
    };
    let [one, two] = [build(), build()];
    assert_eq!(format!("{one:?}"), format!("{two:?}"));
    assert_eq!(format!("{:?}", one.clone()), format!("{:?}", two.clone()));
    assert_eq!(format!("{:?}", one.close().unwrap()), format!("{:?}", two.close().unwrap()));
    assert_eq!(format!("{:?}", one.tensors().next()), "Some(Tensor(0))");
}
