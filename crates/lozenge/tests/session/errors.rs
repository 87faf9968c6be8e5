//! The pages about programs are true, and what is said in them is the same in the three forms.
//!
//! With `UPDATE_EXPECT=1` pages and snapshots are written anew; read the difference before you keep
//! it.

use std::{fmt::Write, fs, path::PathBuf};

use lozenge::{
    Budget, Pointwise, Session, Site,
    diagnostic::{Code, Edit, Help, Report, concise, json},
    dims::{DimContext, TensorShape},
};

use crate::program::Program;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Compares a file with what it should be, or writes it.
fn keep(name: &str, wanted: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path(name), wanted).unwrap();
    }
    let written = fs::read_to_string(path(name)).unwrap_or_default();
    assert!(written == wanted, "{name} should be\n{wanted}");
}

#[test]
fn everyday_mistakes_are_shown_as_they_are_answered() {
    let name = "docs/mistakes.md";
    let (wanted, _) = spoken(&fs::read_to_string(path(name)).unwrap());
    keep(name, &wanted);
    assert!(wanted.matches("```program").count() >= 15);
}

/// What is found out only when the program is closed: its last line has nothing to do with it.
#[test]
fn a_program_without_a_solution_blames_those_that_disagree() {
    let said = Program::said(
        r#"data t000: 2,...
data t001: 2,3_basisa
t002 = exp t001 t001 t001
t003 = relu t000 t001
data t004: ...,2,3
square t002
t006 = where t004 t004 t003
t007 = relu t004 t004
t008 = transpose t001
same t004 t007
t010 = where t004
t011 = relu t007
data t013: 2,...
data t014
t017 = reshape t001
t018 = einsum "i...j => j...i" t006
t019 = einsum "i...j => j...i" t006
equal t018.i = t018.j
t021 = einsum "...i => i..." t013
t022 = einsum "...i => i..." t013
data t026: 2,3_basisa
t028 = relu t013 t014"#,
    );
    let text = said.to_string();
    assert_eq!(said.diagnostics[0].code, Code::BasisMismatch, "{text}");
    let labelled = |part: &str| text.lines().any(|line| line.contains(part) && line.contains('|'));
    assert!(!labelled("t028") && labelled("equal t018.i = t018.j"), "{text}");
}

/// Three axes disagree at once, and which of them is told depends on no order of lines.
#[test]
fn a_clash_is_the_same_in_every_order() {
    let orders = [
        r#"number 0.5
data t001: 2,3
t002 = reshape t001: 2|_
data t003: 2,3_basisa
t004 = einsum "...|...->... => ...|...->0..." t003
t005 = relu t004 t004 t001
t006 = relu t004 t003
t007 = add t005
t008 = add t005 t004 t005
t009 = einsum "i..r..; ..r.. => ..r..i" t008 t006
t010 = exp t009 t004 t003"#,
        r#"number 0.5
data t001: 2,3
data t003: 2,3_basisa
t004 = einsum "...|...->... => ...|...->0..." t003
t006 = relu t004 t003
t002 = reshape t001: 2|_
t005 = relu t004 t004 t001
t008 = add t005 t004 t005
t009 = einsum "i..r..; ..r.. => ..r..i" t008 t006
t007 = add t005
t010 = exp t009 t004 t003"#,
    ];
    let [one, other] = orders.map(|program| Program::said(program).diagnostics[0].code);
    assert_eq!(one, other);
}

/// What a step disagrees with is told, not what was chosen for other reasons: here a number of
/// axes.
#[test]
fn a_clash_is_the_same_when_closing_finds_it() {
    let orders = [
        r#"param t000
t001 = add t000
t002 = add t000
t003 = einsum "...i; ...i => ..." t002 t002
same t003 t001
t005 = einsum "a, ...; b, ... => a^b, ..." t003 t000 {a=3 b=2}
t006 = einsum "ij => ji" t005 {i=3}"#,
        r#"param t000
t001 = add t000
t002 = add t000
t003 = einsum "...i; ...i => ..." t002 t002
t005 = einsum "a, ...; b, ... => a^b, ..." t003 t000 {a=3 b=2}
t006 = einsum "ij => ji" t005 {i=3}
same t003 t001"#,
    ];
    let codes = orders.map(|program| Program::said(program).diagnostics[0].code);
    assert_eq!(codes, [Code::SizeMismatch; 2]);
}

/// Of several clashes in one step, one of sizes is told before one of bases, in any order of lines.
#[test]
fn a_clash_of_sizes_is_told_before_one_of_bases() {
    let orders = [
        r#"number 0.5
param t001
t002 = einsum "i..r..; ..r.. => ..r..i" 0.5 t001
data t003: 2,3_basisa
data t004: ...,3
t005 = exp t004 t001 t004
t006 = einsum "i => ij" t005
t007 = einsum "i... => ...i" t003
t008 = einsum "i..r..j => j..r..i" t006
t009 = einsum "...|...->...i => ...|...->..." t007
t010 = add t009 t003
t011 = einsum "...|...->...i => ...|...->..." t007
t012 = einsum "i => i0" t011
t013 = add t010 t012 t008"#,
        r#"number 0.5
param t001
data t003: 2,3_basisa
data t004: ...,3
t005 = exp t004 t001 t004
t007 = einsum "i... => ...i" t003
t009 = einsum "...|...->...i => ...|...->..." t007
t010 = add t009 t003
t011 = einsum "...|...->...i => ...|...->..." t007
t012 = einsum "i => i0" t011
t006 = einsum "i => ij" t005
t008 = einsum "i..r..j => j..r..i" t006
t013 = add t010 t012 t008
t002 = einsum "i..r..; ..r.. => ..r..i" 0.5 t001"#,
    ];
    let codes = orders.map(|program| Program::said(program).diagnostics[0].code);
    assert_eq!(codes, [Code::SizeMismatch; 2]);
}

/// Elements that do not fill a shape are told as such, whether a step is refused or the program
/// does not close.
#[test]
fn elements_that_are_left_over_are_told_when_closing_finds_them() {
    let orders = [
        "data t000: 6
t001 = exp t000
number 2.5
t003 = bit_cast 8 16 t001
same t001 t003
data t005: 3,..rowa..|..rowa..
t006 = add 2.5
data t007: 24 elements
t008 = reshape t005 6",
        "data t005: 3,..rowa..|..rowa..
t008 = reshape t005 6
data t000: 6
t001 = exp t000
t003 = bit_cast 8 16 t001
same t001 t003",
    ];
    let codes = orders.map(|program| Program::said(program).diagnostics[0].code);
    assert_eq!(codes, [Code::ElementsMismatch; 2]);
}

/// What no text of a program can raise, raised through the Rust interface.
#[test]
fn what_only_rust_can_get_wrong() {
    let mut other = Session::new();
    let x = other.data("x", "2,3").unwrap();
    let site = || Site::line("main.rs", 3, 9);
    let foreign = Session::new().at(site()).apply(Pointwise::new("relu"), &[x]).unwrap_err();
    let mut session = Session::with_budget(Budget::DEFAULT.with_steps(1));
    let y = session.data("y", "2,3").unwrap();
    let exhausted = session.at(site()).apply(Pointwise::new("+"), &[y, y]).unwrap_err();
    let mut session = Session::new();
    let y = session.data("y", "2,3").unwrap();
    let closed = session.close().unwrap();
    let z = session.pointwise("relu", &[y]).unwrap();
    let newer = site().blame(session.assignment(&closed, z).unwrap_err());
    let size = session.new_size("d");
    let unnamed = session.set_named(size, "seq len").unwrap_err();
    let unsaid = session.at(site()).declare("seq is even").unwrap_err();
    let (mut context, scalar) = (DimContext::new(), TensorShape::default());
    let absent = context.at(site()).infer_reduction_shape(&scalar, 0, false).unwrap_err();
    for (code, said) in [
        (Code::ForeignTensor, foreign),
        (Code::WorkExhausted, exhausted),
        (Code::NewerTensor, newer),
        (Code::NotAName, site().blame(unnamed)),
        (Code::NotARelation, unsaid),
        (Code::NoSuchAxis, absent),
    ] {
        assert_eq!(said.diagnostics[0].code, code);
        let line = concise(&said.diagnostics[0], &said.sources);
        let all = json(&said.diagnostics, &said.sources);
        let name = format!("crates/lozenge/tests/session/said/{code}.txt");
        keep(&name, &format!("{said}\n{line}\n{all}\n"));
    }
}

/// The page with what is said about its programs as it is; and that of the first.
fn spoken(page: &str) -> (String, Report) {
    let mut written = String::new();
    let mut first: Option<Report> = None;
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("```program\n") {
        let (steps, after) = after.split_once("```\n").expect("a block ends");
        let _ = write!(written, "{before}```program\n{steps}```\n");
        let said = Program::said(steps);
        rest = after;
        if let Some(shown) = after.strip_prefix("\n```text\n") {
            (_, rest) = shown.split_once("```\n").expect("a block ends");
            let _ = write!(written, "\n```text\n{said}\n```\n");
            first.get_or_insert(said);
        } else {
            assert!(said.diagnostics.is_empty(), "{steps} should be accepted:\n{said}");
        }
    }
    (written + rest, first.expect("a page has an example"))
}

/// What is told with edits, each tried on the text of the program.
const MENDED: [Code; 5] = [
    Code::HiddenSize,
    Code::HiddenRank,
    Code::DataSizedParameter,
    Code::PointwiseParameter,
    Code::ResultOnlyName,
];

#[test]
fn every_edit_of_a_program_mends_it() {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return; // other tests are writing the pages that this one reads
    }
    let pages = MENDED.map(|code| format!("docs/errors/{code}.md"));
    let mut edits = 0;
    for name in
        pages.iter().map(String::as_str).chain(["docs/mistakes.md", "docs/programs/operations.md"])
    {
        let page = fs::read_to_string(path(name)).unwrap();
        for block in page.split("```program\n").skip(1) {
            let steps = block.split("```\n").next().unwrap().split("---\n").next().unwrap();
            let said = Program::said(steps);
            let mut all: Vec<&Edit> = vec![];
            for diagnostic in said.diagnostics.iter().filter(|said| MENDED.contains(&said.code)) {
                let helps = diagnostic.helps.iter().filter(|help| !help.edits.is_empty());
                for (place, help) in helps.enumerate() {
                    edits += 1;
                    if diagnostic.is_error() {
                        assert_eq!(place, 0, "{name}: one way out");
                        for edit in &help.edits {
                            // What another help has mended already says this too.
                            if all.iter().all(|known| known.place != edit.place) {
                                all.push(edit);
                            }
                        }
                        continue;
                    }
                    let mended = help.apply(steps);
                    let left = Program::said(&mended);
                    let again = left.diagnostics.iter().any(|it| it.code == diagnostic.code);
                    assert!(!again, "{name}: {mended}\n{left}");
                }
            }
            // All that is missing is said, and the program closes.
            let all = Help::certain("", all.into_iter().cloned()).apply(steps);
            let left = Program::said(&all);
            let errors: Vec<_> = left
                .diagnostics
                .iter()
                .filter(|it| MENDED.contains(&it.code) && it.is_error())
                .collect();
            assert!(errors.is_empty(), "{name}: {all}\n{left}");
        }
    }
    assert!(edits >= 20, "{edits} edits");
}

#[test]
fn every_page_about_programs_is_true() {
    let mut pages = 0;
    for code in Code::ALL {
        let name = format!("docs/errors/{code}.md");
        let page = fs::read_to_string(path(&name)).unwrap();
        if !page.contains("```program\n") {
            continue;
        }
        pages += 1;
        let (wanted, said) = spoken(&page);
        keep(&name, &wanted);
        let codes: Vec<Code> = said.diagnostics.iter().map(|said| said.code).collect();
        assert_eq!(codes.first(), Some(code), "{name} raises {codes:?}");
        let lines: Vec<String> =
            said.diagnostics.iter().map(|line| concise(line, &said.sources)).collect();
        let snapshot =
            format!("{}\n{}\n", lines.join("\n"), json(&said.diagnostics, &said.sources));
        keep(&format!("crates/lozenge/tests/session/said/{code}.txt"), &snapshot);
    }
    assert_eq!(pages, 32);
}

/// What clashes is the same thing wherever the search found that steps disagree: in one, or when
/// the program is closed.
#[test]
fn steps_that_disagree_do_so_for_one_reason() {
    let steps = ["e = relu c b", "g = einsum \"i..r..; ..r.. => ..r..i\" f e"];
    let known = ["l = relu d", "h = add d c d", "i = einsum \"... i => ... 2*i\" h", "set i.i = 3"];
    for order in [[&steps[..], &known], [&known[..], &steps]] {
        let before = "data a: 2,3\ndata b: 2,3_basis\nk = reshape a 2|_\n\
                      c = einsum \"...|...->... => ...|...->0...\" b\nd = relu c c a\nf = add d c d";
        let text = format!("{before}\n{}", order.concat().join("\n"));
        let said = Program::said(&text);
        let codes: Vec<Code> = said.diagnostics.iter().map(|said| said.code).collect();
        assert_eq!(codes, [Code::BasisMismatch], "{text}");
    }
}
