//! What is declared of names.

use lozenge::{Session, diagnostic::Code};

use crate::{names::answer, program::Program};

/// The shapes of all tensors, and what is required.
#[track_caller]
fn closed(text: &str) -> (Vec<String>, Vec<String>) {
    let program = Program::build(text).unwrap_or_else(|said| panic!("{said}"));
    let closed = program.session.close().unwrap_or_else(|said| panic!("{said}"));
    let tensors = program.session.tensors();
    let shapes = tensors.map(|tensor| closed.shape(tensor).unwrap().to_string()).collect();
    (shapes, closed.requirements().collect())
}

#[test]
fn what_is_declared_is_not_required() {
    // What is declared, what is asked for, and what is still required.
    let cases: [(&str, &str, &[&str]); 9] = [
        ("8 divides seq", "data x: seq/4", &[]),
        ("8 divides seq", "data x: seq/16", &["16 divides seq"]),
        ("15 divides n-12", "data x: n/3", &[]),
        ("n >= m", "data x: n-m", &["n >= m+1"]),
        ("n >= m+1", "data x: n-m", &[]),
        ("n+m >= 9", "data x: n+m-8", &[]),
        ("n+2*m <= 9", "data x: 10-n-m", &[]),
        ("n <= 9", "data x: 10-n", &[]),
        ("m divides n", "data x: n/m", &[]),
    ];
    for (declared, asked, required) in cases {
        let behind = closed(&format!("{asked}\ndeclare {declared}"));
        assert_eq!(behind.1, required, "{declared}, {asked}");
        assert_eq!(closed(&format!("declare {declared}\n{asked}")), behind);
        assert!(!closed(asked).1.is_empty(), "{asked}");
    }
}

#[test]
fn a_declared_name_is_what_it_is_computed_as() {
    let programs: [&[&str]; 6] = [
        &[
            "declare total = past+seq",
            "data cache: past,64",
            "data new: seq,64",
            "data mask: total",
            "k = einsum \"p d; s d => p^s d\" cache new",
            "r = einsum \"t d; t => t d\" k mask",
        ],
        // One from another.
        &[
            "declare total = 2*seq",
            "declare seq = 3*n",
            "data x: total,seq",
            "data y: 6*n,3*n",
            "z = add x y",
        ],
        // With the range of what is computed.
        &[
            "declare total = past+seq",
            "range total: 4..64",
            "data x: total",
            "y = einsum \"o<+k => o\" x {k=4}",
        ],
        // A number is found for what it is computed from.
        &["declare n = 3*m", "data x: n", "data y: 12", "z = add x y"],
        &["declare n = m", "data x: n", "data y: m", "z = add x y"],
        // Refused in every order.
        &["declare n = m+k", "data x: n", "data y: 12", "z = add x y"],
    ];
    for lines in programs {
        // Wherever it stands before the step that needs it.
        let first = answer(&lines.join("\n"));
        for place in 1..lines.len() - 1 {
            let mut lines = lines.to_vec();
            lines[..=place].rotate_left(1);
            assert_eq!(answer(&lines.join("\n")), first, "{}", lines.join("\n"));
        }
    }
    let (shapes, required) = closed(&programs[0].join("\n"));
    assert_eq!(shapes, ["past,64", "seq,64", "past+seq", "past+seq,64", "past+seq,64"]);
    assert!(required.is_empty());
    assert_eq!(closed(&programs[1].join("\n")).0[0], "6*n,3*n");
    assert!(closed(&programs[2].join("\n")).1.is_empty());
}

#[test]
fn values_have_to_be_as_declared() {
    let mut session = Session::new();
    session.declare("8 divides seq").unwrap();
    session.declare("total = past+seq").unwrap();
    session.range("total", 1..=64).unwrap();
    let x = session.data("x", "total,seq").unwrap();
    let closed = session.close().unwrap();
    let at = |values: &[(&str, u64)]| closed.at(values).map(|at| at.shape(x).unwrap().to_string());
    assert_eq!(at(&[("past", 2), ("seq", 8)]).unwrap(), "10,8");
    assert_eq!(at(&[("past", 2), ("seq", 8), ("total", 10)]).unwrap(), "10,8");
    assert_eq!(at(&[("past", 2), ("seq", 9)]).unwrap_err(), ["8 divides seq"]);
    assert_eq!(at(&[("past", 60), ("seq", 8)]).unwrap_err(), ["past+seq <= 64"]);
    let other = at(&[("past", 2), ("seq", 8), ("total", 11)]).unwrap_err();
    assert_eq!(other, ["total = past+seq"]);
}

#[test]
fn what_cannot_be_declared_changes_nothing() {
    let cases = [
        ("n is even", Code::NotARelation),
        ("n", Code::NotARelation),
        ("n = 3 4", Code::NotARelation),
        ("n = b|3", Code::NotARelation),
        ("n = 3_rgb", Code::NotARelation),
        ("n = ...", Code::NotARelation),
        ("past = total-4", Code::NotARelation),
        ("8 divides 12", Code::SizeMismatch),
        ("2*n = 3*m", Code::SizeMismatch),
        ("total = m", Code::SizeMismatch),
        ("n = past/0", Code::ZeroPart),
        ("n <= 3", Code::RangeEmpty),
    ];
    let build = || {
        let mut session = Session::new();
        let x = session.data("x", "total,n").unwrap();
        session.declare("total = past+seq").unwrap();
        session.range("n", 4..).unwrap();
        (session, x)
    };
    let closed = |session: &Session, x| {
        let closed = session.close().unwrap();
        (closed.shape(x).unwrap().to_string(), closed.requirements().collect::<Vec<_>>())
    };
    let (session, x) = build();
    let expected = closed(&session, x);
    for (text, code) in cases {
        let (mut session, x) = build();
        let said = session.declare(text).expect_err(text);
        assert_eq!(said.diagnostics[0].code, code, "{text}: {said}");
        assert_eq!(closed(&session, x), expected, "{text}");
        // It can go on.
        session.declare("8 divides seq").unwrap();
        let y = session.data("y", "seq/8,total-past").unwrap();
        assert_eq!(closed(&session, y), ("seq/8,seq".to_owned(), vec![]));
    }
    let (mut session, _) = build();
    let said = session.any("total", 1..).unwrap_err();
    assert_eq!(said.diagnostics[0].code, Code::PinnedSize);
    let mut free = Session::new();
    free.any("n", 1..).unwrap();
    let said = free.declare("n = 2*m").unwrap_err();
    assert_eq!(said.diagnostics[0].code, Code::PinnedSize);
    free.data("x", "n,2*m").unwrap();
    assert!(free.close().is_ok());
    let said = session.data("y", "total:rgb").unwrap_err();
    assert_eq!(said.diagnostics[0].code, Code::StrayBasis);
    let said = Session::new().data("y", "n:rgb").map(|_| ());
    assert!(said.is_ok());
}

/// Nothing is left of `m-1` where `m` is 1, and 2 divides that.
#[test]
fn a_number_divides_nothing() {
    for declared in
        ["declare 2 divides m-1\ndeclare m <= 1", "declare m <= 1\ndeclare 2 divides m-1"]
    {
        assert_eq!(closed(&format!("data x: m,2\n{declared}")).1, [""; 0]);
    }
    for (declared, asked) in
        [("5 divides n-2*m", "data x: (n+3*m)/5"), ("3 divides n-m+1", "data x: (2*n+m+2)/3")]
    {
        assert_eq!(closed(&format!("declare {declared}\n{asked}")).1, [""; 0], "{declared}");
        assert_eq!(closed(asked).1.len(), 1, "{asked}");
    }
}
