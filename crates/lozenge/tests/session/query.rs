//! What nothing determines of an einsum that is asked about by itself.

use expect_test::{Expect, expect};
use lozenge::query::{Assumed, NoLoops, OpenRow, Query, Unnamed};

/// The shapes, and what nothing determines of them.
fn check(spec: &str, shapes: &[&str], expected: &Expect) {
    let inferred = Query::new(spec, shapes.iter().copied()).infer().unwrap();
    let closed = inferred.closed();
    let shapes: Vec<String> =
        inferred.tensors().map(|(tensor, ..)| closed.shape(tensor).unwrap().to_string()).collect();
    let names = inferred.undetermined_names();
    let names: Vec<&str> = names.into_iter().map(|id| inferred.spec().name(id)).collect();
    let rows: Vec<String> = inferred.open_rows().iter().map(row).collect();
    let is_determined = inferred.is_determined();
    assert!(!is_determined || names.is_empty() && rows.is_empty());
    expected.assert_eq(&format!("{shapes:?} names {names:?} rows {rows:?} all {is_determined}"));
}

/// The loops and what was taken for them, or what would be enough.
fn check_loops(spec: &str, shapes: &[&str], expected: &Expect) {
    let said = match Query::new(spec, shapes.iter().copied()).loops() {
        Ok(looped) => {
            let name = |id| looped.inferred.spec().name(id).to_owned();
            let assumed = looped.assumed.iter().map(|assumed| match assumed {
                Assumed::Ranges(names) => {
                    let names: Vec<String> = names.iter().copied().map(name).collect();
                    format!("ranges of {}", names.join(", "))
                }
                Assumed::Size { tensor, axis, name } => match axis {
                    Unnamed::InEllipsis(text) => format!("{name} in {text} of {tensor}"),
                    Unnamed::At(text) => format!("{name} at {text} of {tensor}"),
                    Unnamed::Written(text) => format!("{name} for {text} of {tensor}"),
                },
                Assumed::NoAxes(rows) => {
                    let rows: Vec<String> = rows.iter().map(row).collect();
                    format!("no axes in {}", rows.join(", "))
                }
            });
            let assumed: Vec<String> = assumed.collect();
            let record = looped.assignment.record();
            let loops: Vec<String> = record
                .loops()
                .map(|(id, _)| {
                    format!("{}:{}", looped.assignment.name(id), looped.assignment.extent(id))
                })
                .collect();
            format!("{} assumed {assumed:?}", loops.join(" "))
        }
        Err(NoLoops::Refused(report)) => format!("refused: {}", report.diagnostics[0].headline),
        Err(NoLoops::Undetermined(found)) => {
            let name = |id: &_| found.spec.name(*id);
            let names: Vec<&str> = found.names.iter().map(name).collect();
            let computed: Vec<&str> =
                found.computed.iter().map(|span| span.of(found.spec.text())).collect();
            let enough: Option<Vec<&str>> =
                found.enough.as_ref().map(|names| names.iter().map(name).collect());
            format!("needs {names:?} computed {computed:?} enough {enough:?}")
        }
    };
    expected.assert_eq(&said);
}

fn row(row: &OpenRow) -> String {
    row.kind.map_or_else(|| row.text.clone(), |kind| format!("{kind} {}", row.text))
}

#[test]
fn what_follows_from_the_shapes_is_determined() {
    check(
        "ij; jk => ik",
        &["2,3", "3,4"],
        &expect![[r#"["2,3", "3,4", "2,4"] names [] rows [] all true"#]],
    );
    check(
        "ij; jk => ik",
        &["2,_", "3,4"],
        &expect![[r#"["2,3", "3,4", "2,4"] names [] rows [] all true"#]],
    );
}

#[test]
fn names_that_no_shape_has_are_undetermined() {
    check(
        "ij; jk => ik",
        &[],
        &expect![[r#"["1_,1_", "1_,1_", "1_,1_"] names ["i", "j", "k"] rows [] all false"#]],
    );
    check(
        "ij; jk => ik",
        &["2,3", "_"],
        &expect![[r#"["2,3", "3,1_", "2,1_"] names ["k"] rows [] all false"#]],
    );
    check(
        "i j; j => @k i",
        &["_", "3"],
        &expect![[r#"["1_,3", "3", "1_,1_"] names ["i", "k"] rows [] all false"#]],
    );
}

#[test]
fn ellipses_that_no_shape_fills_take_no_axes() {
    check("...i => i...", &["_"], &expect![[r#"["1_", "1_"] names ["i"] rows ["..."] all false"#]]);
    check(
        "...|i->o => ...|o->i",
        &["_"],
        &expect![[r#"["1_->1_", "1_->1_"] names ["i", "o"] rows ["batch ..."] all false"#]],
    );
    check(
        "..a.. i => i",
        &["_"],
        &expect![[r#"["1_", "1_"] names ["i"] rows ["..a.."] all false"#]],
    );
}

#[test]
fn what_is_one_or_meets_something_is_one() {
    check(
        "i; j => i j",
        &["?", "3"],
        &expect![[r#"["1_", "3", "1_,3"] names [] rows [] all true"#]],
    );
}

#[test]
fn undetermined_sizes_are_called_by_names() {
    check_loops("ij; jk => ik", &[], &expect!["i:I k:K j:J assumed []"]);
    check_loops("ij; jk => ik", &["I,_", "_"], &expect!["i:I k:K j:J assumed []"]);
    check_loops("i _ => i", &["2,_"], &expect![[r#"i:2 j:J assumed ["J for _ of operand 1"]"#]]);
    check_loops("...i => i...", &["_"], &expect![[r#"i:I assumed ["no axes in ..."]"#]]);
    check_loops("i, 0 => i", &["2,_"], &expect![[r#"i:2 assumed ["J at 0 of operand 1"]"#]]);
    check_loops("i, @k => i", &["2,_"], &expect![[r#"i:2 assumed ["ranges of k"]"#]]);
}

#[test]
fn what_would_be_enough_is_found_by_trying() {
    check_loops("2*o<+k; k => o", &["_", "_"], &expect!["o:O k:K assumed []"]);
    check_loops("(a b) => a b", &["12"], &expect!["a:A b:12/A assumed []"]);
    check_loops("(a b c) => a b c", &["n"], &expect!["a:A b:B c:n/(A*B) assumed []"]);
    check_loops("o=+_ => o", &["5"], &expect![[r#"needs [] computed ["o=+_"] enough Some([])"#]]);
}

#[test]
fn what_does_not_fit_is_refused() {
    check_loops(
        "ij; jk => ik",
        &["2,3", "4,5"],
        &expect!["refused: axis `j` is 3 in operand 1 and 4 in operand 2"],
    );
    check_loops(
        "ij; jk => ik",
        &["2,3,4"],
        &expect!["refused: the specification reads 2 operands, 1 is given"],
    );
}
