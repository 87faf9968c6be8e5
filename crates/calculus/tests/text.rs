//! The text form: what it accepts, what it prints, what it says to what it does not accept.

// expect-test writes its own raw strings, and hands them over by value.
#![allow(clippy::needless_raw_string_hashes, clippy::needless_pass_by_value)]

use expect_test::{Expect, expect};
use lozenge_calculus::{constraint::Constraint, dim::Dim, text::Names};

/// Parses a store and prints it back.
fn check(text: &str, printed: Expect) {
    let mut names = Names::new();
    let store = names.parse_store(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let lines: Vec<String> = store.iter().map(|c| names.show(c).to_string()).collect();
    printed.assert_eq(&lines.join("\n"));
    let again = names.parse_store(&lines.join("\n")).unwrap();
    assert_eq!(store, again, "parse after print");
}

/// Parses a constraint that is none, and shows what is said and about which part of it.
fn check_error(text: &str, expected: Expect) {
    let error = Names::new().parse::<Constraint>(text).unwrap_err();
    let about = &text[error.span.clone()];
    expected.assert_eq(&format!("{error}: `{about}`"));
}

#[test]
fn dimensions() {
    check("3 = 3_default", expect!["3 = 3"]);
    check(
        "?a<=1_;1_rgb <= ?7",
        expect![[r#"
        ?a ⊑ 1_
        1_rgb ⊑ ?7"#]],
    );
    check("batch = batch_tokens", expect!["batch = batch_tokens"]);
    check(r#""seq len"_"a\"b\\c\nd" = 3_"7""#, expect![[r#""seq len"_"a\"b\\c\nd" = 3_"7""#]]);
    check("?my_var ⊑ 3_rgb_linear", expect!["?my_var ⊑ 3_rgb_linear"]);
    check(
        "?'3 ⊑ \"seq_len\"_b; ⟨'0⟩ ≈ ⟨w_in⟩\n",
        expect![[r#"
        ?'3 ⊑ "seq_len"_b
        ⟨'0⟩ ≈ ⟨w_in⟩"#]],
    );
    check("?α ⊑ #0_?4", expect!["?α ⊑ #0_?4"]);
    check("?a ⊑ 0", expect!["?a ⊑ 0"]);
    check("9223372036854775807 = 1", expect!["9223372036854775807 = 1"]);
}

#[test]
fn rows() {
    check("[3].<r1>.[4] <= [].<>.[3,5,4]", expect!["[3]⟨r1⟩[4] ⊑ ◊[3,5,4]"]);
    check("<r> ~ <>", expect!["⟨r⟩ ≈ ◊"]);
    check("[ 3 , ?a ] · ⟨ 12 ⟩ ≈ ◇ · [ 1_ ]", expect!["[3,?a]⟨12⟩ ≈ ◊[1_]"]);
}

#[test]
fn origins_and_comments() {
    check(
        "?a = 3 @7 // why\n\n // nothing\n; 3 = ?b @0",
        expect![[r#"
        ?a = 3 @7
        3 = ?b"#]],
    );
}

#[test]
fn the_same_name_is_the_same_variable() {
    let mut names = Names::new();
    let [first, second]: [Constraint; 2] =
        ["?a ⊑ ?b", "?0 ⊑ ?1"].map(|text| names.parse(text).unwrap());
    assert_eq!(first, second, "names count from 0 in order of appearance");
    // A new name never takes an index that was mentioned.
    assert_eq!(names.parse::<Constraint>("?9 = ?c").unwrap().to_string(), "?9 = ?10");
    // Sorts have separate name spaces.
    assert_eq!(
        names.parse::<Constraint>("[a_a]<a> ~ <b>").unwrap().to_string(),
        "[#0_?1]⟨0⟩ ≈ ⟨1⟩"
    );
}

#[test]
fn errors() {
    check_error(
        "",
        expect!["expected a dimension (`3`, `3_rgb`, `1_`, `batch` or `?a`), at byte 0: ``"],
    );
    check_error(
        "5_ ⊑ ?a",
        expect![
            "a basis should follow `_`; only the claim-free unit is written `1_`, at byte 0: `5_`"
        ],
    );
    check_error(
        "?a ⊑ 9223372036854775808",
        expect!["a size is at most 9223372036854775807, at byte 7: `9223372036854775808`"],
    );
    check_error(
        "[3] ⊑ ◊",
        expect!["expected a marker (`◊`, `<>` or a row variable `<r>`), at byte 4: `⊑`"],
    );
    check_error(
        "[3] <= ◊",
        expect!["expected a marker (`◊`, `<>` or a row variable `<r>`), at byte 4: `<`"],
    );
    check_error("[3]<r> = ◊", expect!["rows are equated with `≈` (or `~`), at byte 7: `=`"]);
    check_error("3 ~ 4", expect!["dimensions are equated with `=`, at byte 2: `~`"]);
    check_error(
        "3 ⊑ ◊[3]",
        expect!["a dimension stands on one side and a row on the other, at byte 0: `3 ⊑ ◊[3]`"],
    );
    check_error(
        "<r ~ ◊",
        expect!["expected the closing angle bracket of the row variable, at byte 3: `~`"],
    );
    check_error("<> ~ <r>.", expect!["expected a flank in brackets, at byte 9: ``"]);
    check_error("[3 4]◊ ~ ◊", expect!["expected `,` or `]`, at byte 3: `4`"]);
    check_error(
        "3 < 4",
        expect!["expected `=`, `≈` (or `~`), `⊑` (or `<=`) or `≥` (or `>=`), at byte 2: `<`"],
    );
    check_error(
        "?x = 2*",
        expect!["expected a dimension (`3`, `3_rgb`, `1_`, `batch` or `?a`), at byte 7: ``"],
    );
    check_error(
        "?x = ^[",
        expect!["expected a dimension (`3`, `3_rgb`, `1_`, `batch` or `?a`), at byte 7: ``"],
    );
    check_error("?x = ^[?a", expect!["expected `,` or `]`, at byte 9: ``"]);
    check_error("|⟨r⟩ = 3", expect!["expected `,` or `|`, at byte 9: `=`"]);
    check_error(
        "|⟨r⟩| ≥ 3",
        expect!["expected `=` or, for exact axes, `≈` (or `~`), at byte 10: `≥`"],
    );
    check_error(
        "?x = 0*?y",
        expect!["a stride, dilation or divisor is a number from 1 to 4294967295, at byte 5: `0`"],
    );
    check_error(
        "?x = 5000000000*?y",
        expect![
            "a stride, dilation or divisor is a number from 1 to 4294967295, at byte 5: `5000000000`"
        ],
    );
    check_error(
        "|⟨r⟩| = 2*?v/0",
        expect!["a stride, dilation or divisor is a number from 1 to 4294967295, at byte 17: `0`"],
    );
    check_error("?x ≥ ", expect!["expected a number, at byte 7: ``"]);
    check_error(
        "?x = 2*?o<+",
        expect!["expected a dimension (`3`, `3_rgb`, `1_`, `batch` or `?a`), at byte 11: ``"],
    );
    check_error("3 = 4 5", expect!["expected the end of the text, at byte 6: `5`"]);
    check_error("? = 4", expect!["expected a name or an index, at byte 1: ` `"]);
    check_error("\"a = 4", expect![[r#"the quote is not closed, at byte 0: `"a = 4`"#]]);
    check_error(
        r#""\t" = 4"#,
        expect![[r#"an escape is one of `\"`, `\\`, `\n`, at byte 1: `\t`"#]],
    );
    check_error("\"\" = 4", expect![[r#"a name has at least one character, at byte 0: `""`"#]]);
    check_error(
        "?4294967296 = 4",
        expect!["an index is at most 4294967295, at byte 1: `4294967296`"],
    );
    check_error("#4294967294 = a", expect!["all indices of this sort are taken, at byte 14: `a`"]);
    check_error("3 = 3 @", expect!["expected an index, at byte 7: ``"]);
}

#[test]
fn a_ground_dimension_has_no_variable() {
    let error = Names::new().parse::<Dim>("?a").unwrap_err();
    assert_eq!(error.to_string(), "a variable stands where none may, at byte 0");
}
