//! Rules of the user's: what they say of a node, and what is said of those that cannot be read.

use std::{fmt::Write as _, sync::Arc};

use lozenge_onnx::{
    Model,
    infer::{CustomRules, Options, infer},
};

use crate::operators::{file, needs_of, outputs_of};

/// Checks cases: rules of `Own`, the attributes of a node, its inputs, its outputs, and what has to
/// hold.
pub(crate) fn check(cases: &[(&str, &str, &str, &str, &str)]) {
    let mut failed = String::new();
    for (rules, attributes, inputs, outputs, needs) in cases {
        let count = outputs.split(';').count();
        let bytes = file(format!("org.own::Own@1 {attributes}").trim(), inputs, count);
        let model = Model::read(&bytes).unwrap();
        let rules = CustomRules::parse("own.rules", rules).unwrap();
        let options = Options { rules: Arc::new(rules), ..Options::default() };
        let inferred = infer(&model, &options);
        let found = (outputs_of(&inferred, count), needs_of(&inferred));
        if (&found.0[..], &found.1[..]) != (*outputs, *needs) {
            writeln!(failed, "{attributes}: {inputs}\n  found  {found:?}").unwrap();
            writeln!(failed, "  wanted {:?}", (outputs, needs)).unwrap();
        }
    }
    assert!(failed.is_empty(), "\n{failed}");
}

#[test]
fn axes_and_rows() {
    check(&[
        ("org.own::Own: a, b => b, a", "", "n 3", "3 n", ""),
        ("org.own::Own: i, k; j, k => i, j", "", "n 3; 4 m", "n 4", "m = 3"),
        ("org.own::Own: i, k; j, k => i, j", "", "n 3; 4 5", "n 4", "never 3 = 5"),
        // Rows stretch to each other; an ellipsis without a name is a row.
        ("org.own::Own: ..x..; ..x.. => ..x..", "", "n 1; m", "n m", ""),
        ("org.own::Own: ..., i; ..., j => ..., j, i", "", "b n 3; n 4", "b n 4 3", ""),
        ("org.own::Own: ..l.., i; ..q.. => ..l..", "", "a b 3; c d", "a b", ""),
        // An operand fewer than the node has inputs.
        ("org.own::Own: a, b => a", "", "n 3; 5 5 5", "n", ""),
        ("org.own::Own: ; a => a", "", "; n", "n", ""),
        ("org.own::Own: abc => cab", "", "n 3 4", "4 n 3", ""),
    ]);
}

#[test]
fn computed_axes() {
    check(&[
        ("org.own::Own: b, (c k) => b, c, k\n  k = 2", "", "n 6", "n 3 2", ""),
        ("org.own::Own: b, (c k) => b, c, k\n  k = 2", "", "n m", "n m/2 2", "2 | m"),
        ("org.own::Own: b, (c k) => b, c, k\n  k = size", "size=4", "n m", "n m/4 4", "4 | m"),
        ("org.own::Own: b, (c 2) => b, c", "", "n 6", "n 3", ""),
        ("org.own::Own: a^b; a => b", "", "5; 2", "3", ""),
        ("org.own::Own: a, b => (a b)", "", "n 3", "3*n", ""),
        ("org.own::Own: a; b => a^b", "", "n; m", "m+n", ""),
        ("org.own::Own: 2*i => i", "", "n", "n/2", "2 | n"),
        ("org.own::Own: 2*i~ => i", "", "n", "n-floor(n/2)", ""),
        ("org.own::Own: i => 2*i", "", "n", "2*n", ""),
        ("org.own::Own: 3, i => i", "", "n m", "m", "n-4 >= 0"),
        ("org.own::Own: @g, i; q => q, i", "", "n m; 5", "5 m", ""),
        ("org.own::Own: o<+k; k => o", "", "n; 3", "n-2", "n-3 >= 0"),
        ("org.own::Own: 2*o<+k; k => o", "", "n; 3", "(n-1)/2", "n-3 >= 0; 2 | n-3"),
        ("org.own::Own: 2*o~+k; k => o", "", "n; 3", "ceil(n/2)-1", "n-3 >= 0"),
        ("org.own::Own: 2*o~[1,1]+k; k => o", "", "8; 3", "4", ""),
        ("org.own::Own: 2*o=~+k; k => o", "", "n; 3", "n-floor(n/2)", ""),
        ("org.own::Own: 2*o=+k; k => o", "", "n; 3", "n/2", "2 | n"),
    ]);
}

#[test]
fn numbers_of_the_node() {
    let steps = "org.own::Own: b, s*o~+k => b, o, k\n  s = strides.1 or 3\n  k = operand2.0";
    check(&[
        (steps, "strides=[1,2]", "n 9; =[3]", "n 4 3", ""),
        (steps, "", "n 9; =[3]", "n 3 3", ""),
        // What only a run tells has a name.
        ("org.own::Own: n, c => n, k\n  k = operand2", "", "n 5; int64", "n Own_0", ""),
        ("org.own::Own: n, c => n, k", "", "n 5", "n Own_0", ""),
        ("org.own::Own: (a b) => a, b", "", "n", "Own_0 n/Own_0", "Own_0 | n"),
        (
            "org.own::Own: n, c => n\norg.own::Own[1]: n, c => c, n\n  gives int64",
            "",
            "n 5",
            "n; int64 5 n",
            "",
        ),
        ("org.own::Own: n => n\n gives bool # a mask", "", "m", "bool m", ""),
        (
            "org.own::Own: n, (c k) => n, c\n  k = groups",
            "",
            "n 5",
            "undefined Some(Unbound(\"groups\"))",
            "",
        ),
        (
            "org.own::Own: s*o~ => o\n  s = operand2",
            "",
            "n; int64",
            "undefined Some(Unbound(\"s\"))",
            "",
        ),
    ]);
}

/// Signs for a size without a name are no names: two of them are two sizes.
#[test]
fn sizes_without_names() {
    for sign in ["?", "-1", "None"] {
        let bytes = file("Relu@14", &format!("{sign} {sign}"), 1);
        let model = Model::read(&bytes).unwrap();
        let inferred = infer(&model, &Options::default());
        assert_eq!(outputs_of(&inferred, 1), "i0_0 i0_1", "{sign}");
    }
    // A name that is freed at one input is another size there.
    let bytes = file("Add@14", "n; n", 1);
    let model = Model::read(&bytes).unwrap();
    let free = vec![("i1".to_owned(), 0)];
    let inferred = infer(&model, &Options { free, ..Options::default() });
    assert_eq!(needs_of(&inferred), "n ~ i1_0");
}

/// A rule of the user's is asked before that of ONNX.
#[test]
fn rules_take_precedence() {
    let bytes = file("Relu@14", "n 3", 1);
    let model = Model::read(&bytes).unwrap();
    let rules = CustomRules::parse("own.rules", "Relu: a, b => b, a").unwrap();
    let inferred = infer(&model, &Options { rules: Arc::new(rules), ..Options::default() });
    assert_eq!(outputs_of(&inferred, 1), "3 n");
}

#[test]
fn mistakes_have_places() {
    let said = |text: &str| {
        let rejection = CustomRules::parse("own.rules", text).unwrap_err();
        let one = |said: &lozenge_diagnostic::Diagnostic| {
            let at = said.place().unwrap().span;
            format!("{}: `{}`", said.headline, at.of(text))
        };
        rejection.diagnostics.iter().map(one).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(said("# one\nOwn a => a\n"), "a rule without a `:`: `Own a => a`");
    assert_eq!(said("com.own:Own: a => a"), "a rule without an operator: `com.own`");
    assert_eq!(said(": a => a"), "a rule without an operator: ``");
    assert_eq!(said("Own[x]: a => a"), "an output that is not a number: `Own[x]`");
    assert_eq!(said("Own: a => a\nOwn: b => b\n"), "an output with two rules: `Own`");
    assert_eq!(
        said("Own: b|c => c"),
        "a tensor of a model file has one row of axes, without `|` and `->`: `b`"
    );
    assert_eq!(
        said("Own: a, a_name_of_many_many_letters => a"),
        "a name of an axis has at most 23 letters in a rule: `a_name_of_many_many_letters`"
    );
    assert_eq!(said("  k = 3"), "a line that belongs to no rule: `k = 3`");
    assert_eq!(said("Own: a => a\n  b = 3"), "the rule has no axis or step called `b`: `b`");
    assert_eq!(
        said("Own: ..a.. => ..a..\n  a = 3"),
        "the rule has no axis or step called `a`: `a`"
    );
    assert_eq!(said("Own: a => a\n  a = x y"), "a number that cannot be read: `x y`");
    assert_eq!(said("Own: a => a\n  a = operand0"), "a number that cannot be read: `operand0`");
    assert_eq!(said("Own: a => a\n  a = 3\n  a = 4"), "a name with two numbers: `a`");
    assert_eq!(said("Own: a => a\n  gives flat"), "no type of elements: `gives flat`");
    assert_eq!(
        said("Own: a => a\n  whatever"),
        "a line below a rule that says nothing: `whatever`"
    );
    // What belongs to a rule that cannot be read is not said to be wrong too, and lines after it
    // are read.
    assert_eq!(
        said("Own: (a => a\n  k = 3\nOther a"),
        "this `(` is not closed: `(`\na rule without a `:`: `Other a`"
    );
}
