//! The command, run as people run it: every console block of the README and of the book's page
//! about it.
//!
//! With `UPDATE_EXPECT=1` the blocks are written anew; read the difference before you keep it.

use std::{
    fmt::Write,
    fs,
    path::PathBuf,
    process::{Command, Output},
};

const PAGES: [&str; 17] = [
    "README.md",
    "docs/command.md",
    "docs/loops.md",
    "docs/gradients.md",
    "docs/models/rules.md",
    "docs/errors/unreadable-model.md",
    "docs/errors/axis-too-short.md",
    "docs/errors/missing-input.md",
    "docs/errors/bad-attribute.md",
    "docs/errors/undefined-value.md",
    "docs/errors/branch-mismatch.md",
    "docs/errors/unknown-operator.md",
    "docs/errors/bad-rule.md",
    "docs/errors/declared-shape.md",
    "docs/errors/stretched-both.md",
    "docs/errors/stretched-axis.md",
    "docs/errors/open-shape.md",
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The words of a command line, with single quotes as a shell reads them.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    for (i, part) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn lozenge(words: &[String]) -> Output {
    // The models of the pages are those of the tests.
    let mut command = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    command.current_dir(path("crates/cli/tests/models"));
    command.args(words).env_remove("COLUMNS").output().unwrap()
}

/// What a terminal shows: both outputs, here the standard output first.
fn shown(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(both).unwrap().trim_end().to_owned()
}

/// A console block with what its commands answer.
fn answered(block: &str) -> String {
    let mut answered = vec![];
    for line in block.lines() {
        let Some(command) = line.strip_prefix("$ ") else { continue };
        answered.push(line.to_owned());
        if command == "echo $?" {
            continue;
        }
        let words = words(command);
        assert_eq!(words[0], "lozenge", "{command}");
        let output = lozenge(&words[1..]);
        assert!(output.status.code().is_some_and(|code| code < 2), "{command}: {}", shown(&output));
        let shown = shown(&output);
        if !shown.is_empty() {
            answered.push(shown);
        }
    }
    answered.join("\n") + "\n"
}

#[test]
fn pages_show_what_is_answered() {
    let mut blocks = 0;
    for name in PAGES {
        let page = fs::read_to_string(path(name)).unwrap();
        let mut written = String::new();
        let mut rest = &page[..];
        while let Some((before, after)) = rest.split_once("```console\n") {
            let (block, after) = after.split_once("```\n").expect("a block ends");
            blocks += 1;
            let _ = write!(written, "{before}```console\n{}```\n", answered(block));
            rest = after;
        }
        written += rest;
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(path(name), &written).unwrap();
        } else {
            assert!(written == page, "{name} should be\n{written}");
        }
    }
    assert!(blocks >= 8, "{blocks} blocks");
}

/// The pictures of the book.
const PICTURES: [(&str, &str); 6] = [
    ("matmul", "loops 'ij; jk => ik' 2,3 3,4"),
    ("attention", "loops '... s | h d; ... t | h d => ... s | t -> h' '2,64|8,32' '2,48|8,32'"),
    (
        "convolution",
        "loops 'b, oh=+kh, ow=+kw, c; kh, kw, c -> d => b, oh, ow, d' 8,32,32,3 '3,3,3->16'",
    ),
    ("concatenation", "loops 'a, c; b, c => a^b, c' 3,4 2,4"),
    ("diagonal", "loops 'ii => i' 4,4"),
    ("gradient", "loops 'ij; jk => ik' 2,3 3,4 --towards operand1"),
];

#[test]
fn pictures_are_those_of_the_book() {
    for (name, command) in PICTURES {
        let kept = path(&format!("docs/loops/{name}.svg"));
        let drawn = std::env::temp_dir().join(format!("lozenge-{}-{name}.svg", std::process::id()));
        let mut words = words(command);
        words.extend(["--svg".to_owned(), drawn.display().to_string()]);
        assert!(lozenge(&words).status.success(), "{command}");
        let picture = fs::read_to_string(&drawn).unwrap();
        fs::remove_file(&drawn).unwrap();
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&kept, &picture).unwrap();
        }
        assert!(fs::read_to_string(&kept).unwrap_or_default() == picture, "{name}.svg is another");
    }
}

#[test]
fn loops_are_there_for_programs() {
    let json = |line: &str| -> serde_json::Value {
        let output = lozenge(&words(line));
        assert!(output.status.success(), "{line}: {}", shown(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let made = json("loops 'o=+k; k => o' 5 3 --format json");
    assert_eq!(made["schema"], "lozenge-loops/1");
    assert_eq!(made["product_space"][1][0]["reduction"], true);
    let read = serde_json::json!({
        "kind": "output",
        "size": 5,
        "code": "o+k-1",
        "index": { "sum": {
            "terms": [{ "coefficient": 1, "loop": "o" }, { "coefficient": 1, "loop": "k" }],
            "offset": -1,
        } },
        "margin": [1, 1],
    });
    assert_eq!(made["operands"][0]["axes"][0], read);
    assert_eq!(made["multiply_adds"], 13);
    assert_eq!((&made["initialise"], &made["write"]), (&true.into(), &"accumulate".into()));
    let made = json("loops 'a^b, @t, 3 => a^b' 5,4,4 --set a=3 --format json");
    let index = |axis: usize| &made["operands"][0]["axes"][axis]["index"];
    let parts = serde_json::json!([{ "loop": "a", "begin": 0 }, { "loop": "b", "begin": 3 }]);
    assert_eq!(index(0)["parts"], parts);
    assert_eq!(index(1)["sum"]["terms"][0]["supplied"], "t");
    assert_eq!(index(2)["sum"], serde_json::json!({ "terms": [], "offset": 3 }));
    let symbolic = json("loops 'ij; jk => ik' --format json");
    assert_eq!(symbolic["product_space"][0][0]["extent"], "I");
    assert_eq!(symbolic["multiply_adds"], "I·J·K");
}

#[test]
fn a_gradient_is_towards_an_operand() {
    let spec = "loops 'ij; jk => ik' 2,3 3,4";
    for (towards, answer) in [
        ("operand3", "there is no operand 3; a gradient is towards `operand1` or `operand2`"),
        ("operand0", "there is no operand 0; a gradient is towards `operand1` or `operand2`"),
        ("result", "a gradient is of the result, towards an operand: `operand1` or `operand2`"),
        ("w", "`w` is no operand; a gradient is towards `operand1` or `operand2`"),
    ] {
        let output = lozenge(&words(&format!("{spec} --towards {towards}")));
        assert_eq!((output.status.code(), &shown(&output)[..]), (Some(2), answer));
    }
    let made = said("loops 'ij => i' 2,3 --towards 2");
    assert_eq!(made, "there is no operand 2; a gradient is towards `operand1`, the only one");
    let made = said("loops 'ij => i' 2,3 --towards 1 --format concise");
    assert_eq!(made, "(i:2 j:3) operand1.grad[i, j] += result.grad[i]");
    // An operand that is read only where another part runs is not there.
    let made = said("loops 'a, c; b, c => a^b, c' 3,4 2,4 --towards operand1 --format concise");
    assert_eq!(made, "(a:3|b:2 c:4) operand1.grad[a, c] += result.grad[a | b+3, c]");
}

#[test]
fn gradients_are_there_for_programs() {
    let output = lozenge(&words("loops 'i, j => i' 3,4 --by max --towards operand1 --format json"));
    let made: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(made["result"]["name"], "operand1.grad");
    let read: Vec<&str> = made["operands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tensor| tensor["name"].as_str().unwrap())
        .collect();
    assert_eq!(read, ["result.grad", "result", "result.winners", "operand1"]);
    assert_eq!(made["before"][0]["result"]["name"], "result.winners");
    assert_eq!(made["before"][0]["product_space"][1][0]["reduction"], true);
    let output = lozenge(&words("loops 'i, j => i' 3,4 --format json"));
    assert!(!String::from_utf8(output.stdout).unwrap().contains("before"));
}

#[test]
fn the_node_of_a_model_says_how_it_accumulates() {
    let made = said("loops fits.onnx fc --by max");
    assert_eq!(made, "of a model the node says how elements are accumulated: leave out `--by`");
    let made = said("loops pyramid.onnx join --towards operand3");
    assert!(made.contains("there is no operand 3"), "{made}");
}

#[test]
fn a_window_past_the_end_is_guarded_and_said() {
    let made = said("loops '2*o<+1+k; k => o' 9 3");
    let guarded = "    if 2*o+k+1 < 9:\n      result[o] += operand1[2*o+k+1] * operand2[k]\n";
    assert!(made.contains(guarded), "{made}");
    assert!(made.contains("skipped outside of the axis: 2*o+k+1 by 0,1\n"), "{made}");
    assert!(made.contains("11 multiply-adds; reads 11 elements (44 bytes), writes 4 "), "{made}");
    let note = "the last window of `2*o<+1+k` reaches 1 position past the end of output axis 0 of \
                `operand 1`";
    for task in ["einsum", "loops"] {
        let made = said(&format!("{task} '2*o<+1+k; k => o' 9 3"));
        assert!(made.contains("note[window-past-end]: the last window of `2*o<+1+k` "), "{made}");
        let line = format!("spec:1:1: note[window-past-end]: {note}");
        let made = said(&format!("{task} '2*o<+1+k; k => o' 9 3 --format concise"));
        assert!(made.ends_with(&line), "{made}");
        assert!(!said(&format!("{task} '2*o<+k; k => o' 9 3")).contains("window-past-end"));
    }
    let made = said("loops '2*o<+1+k; k => o' 9 3 --format concise");
    assert!(made.contains(" += operand1[2*o+k+1] * operand2[k] where 2*o+k+1 < 9\n"), "{made}");
    // What is written past the end is left out.
    let made = said("loops 'o; k => 2*o<+1+k' 4 3 --format concise");
    assert!(made.contains(" where 2*o+k+1 < 9\n"), "{made}");
    assert!(made.ends_with("past the end of output axis 0 of `result`"), "{made}");
    // An end that is not passed needs no condition.
    let made = said("loops '2*o=+k; k => o' 6 3 --format concise");
    assert!(made.ends_with(" where 0 <= 2*o+k-1"), "{made}");
    let made = said("loops 'o=+k; k => o' 6 2 --format concise");
    assert!(made.ends_with(" where o+k < 6"), "{made}");
    assert_eq!(code("einsum '2*o<+1+k; k => o' 10 3"), Some(1));
    // For programs, with the rest.
    for (task, field) in [("einsum", "notes"), ("loops", "diagnostics")] {
        let output = lozenge(&words(&format!("{task} '2*o<+1+k; k => o' 9 3 --format json")));
        let made: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(output.stderr.is_empty());
        assert_eq!(made[field]["diagnostics"][0]["code"], "window-past-end");
        assert_eq!(made["warnings"]["diagnostics"], serde_json::json!([]));
        if task == "loops" {
            assert_eq!(made["operands"][0]["axes"][0]["margin"], serde_json::json!([0, 1]));
        }
    }
}

/// What a command line answers, all of it.
fn said(line: &str) -> String {
    shown(&lozenge(&words(line)))
}

#[test]
fn loops_do_not_have_the_names_of_tensors() {
    let made = said("loops 'operand1, result => result,' 2,3");
    assert!(made.contains("result[result_] += operand1[operand1_, result_]"), "{made}");
    let made = said("loops 'i, _, @j => i' 2,3,4 --format concise");
    assert!(made.ends_with("operand1[i, k, @j]"), "{made}");
}

#[test]
fn loops_do_not_have_the_names_of_sizes() {
    let made = said("loops 'b, h; h => b, h' b,h h");
    assert!(
        made.starts_with("for b_ in 0..b:\n  for h_ in 0..h:\n    result[b_, h_] = "),
        "{made}"
    );
    // Those that nobody wrote get a letter.
    let made = said("loops '... | i => ... | i' 'batch|3'");
    assert!(made.starts_with("for j in 0..batch:\n  for i in 0..3:\n"), "{made}");
    // Nor those of which a bound is computed.
    let made = said("loops '2*o<+k; k => o' o 3 --format concise --allow size-required");
    assert!(made.starts_with("(o_:(o-1)/2 k:3) "), "{made}");
}

#[test]
fn a_size_that_nothing_determines_is_none_that_was_given() {
    let made = said("loops 'ij; jk => ik' k,3 _");
    assert!(made.contains("for i in 0..k:\n  for k_ in 0..K:\n"), "{made}");
    assert!(made.contains("\nresult    k,K  "), "{made}");
    let made = said("loops 'i, k; k, k2 => i, k2' k,_ _ --format concise");
    assert!(made.starts_with("(i:k k2:K2 k_:K) "), "{made}");
}

#[test]
fn the_range_of_an_index_is_not_guessed() {
    let remark = "\nnothing determines the range of t; say it with `--set t=…`";
    let made = said("einsum 'i => @t, i' 3");
    assert!(made.contains("result     t=_,3\n") && made.ends_with(remark), "{made}");
    let made = said("loops 'i => @t, i' 3");
    assert!(made.contains("result    T,3  [@t, i]") && made.ends_with(remark), "{made}");
    let made = said("loops 'i => @t, i' 3 --format json");
    assert!(made.contains("\"notes\": [\n    \"nothing determines the range of t;"), "{made}");
    let made = said("einsum 'i => @t, i' 3 --set t=4");
    assert!(made.ends_with("\ni = 3  t = 4"), "{made}");
}

#[test]
fn what_has_no_name_is_not_guessed() {
    let made = said("loops 'i, _ => i'");
    assert!(made.contains("result[i] += operand1[i, j]") && made.contains("operand1  I,J  "));
    let remark = "\nnothing determines the size of `_` in operand 1; it is called J";
    assert!(made.ends_with(remark), "{made}");
    // Not by a name that anything has.
    let made = said("loops 'i, j, _, @k => i' l,m,_,_ --format concise");
    assert!(made.starts_with("(i:l j:m n:N) "), "{made}");
    let made = said("loops '..., i => ...' _,3,4 --format concise");
    assert!(made.starts_with("(output0:J output1:3 i:4) "), "{made}");
    assert!(said("loops '0, i => i' _,3").contains("\noperand1  J,3  [0, i]\n"));
    let made = said("loops '...i => ...'");
    assert!(made.ends_with("\nnothing determines the axes of `...`; taken as none"), "{made}");
    let made = said("loops '... | i => ... | i' --format concise");
    assert!(made.ends_with("the axes of `...` of the batch; taken as none"), "{made}");
    assert_eq!(said("einsum '..., i, _ => ...' --format concise"), "...,i=_,_ => ...");
    assert_eq!(said("einsum 'i; j => i^j' 2 _ --format concise"), "2; j=_ => _");
    assert!(said("einsum '...i => ...' 2,3,4").starts_with("operand 1  2,3,4\nresult     2,3\n"));
    // A window that nothing determines.
    let made = said("loops 'o=+_ => o' 4");
    assert!(made.contains("nothing determines `o=+_`\n"), "{made}");
    assert!(made.ends_with("= help: a name in place of `_`, which then can be set"), "{made}");
}

#[test]
fn without_loops_it_is_said_which_sizes_are_enough() {
    for (line, enough) in [
        ("loops 'oh=+kh; kh => oh'", "--set kh=…"),
        ("loops 'oh=+kh, c; kh => oh, c' 9,_ _", "--set kh=…"),
    ] {
        let made = said(line);
        assert!(made.starts_with("error[no-loops]: `result` has no loop nest: nothing"), "{made}");
        assert!(made.ends_with(&format!("= help: give shapes, or `{enough}`")), "{made}");
        assert_eq!(code(line), Some(1));
    }
    // What is computed from names is a size, and so is where a part begins; what has to hold of
    // them is said.
    let made = said("loops '(a b), c => a, c' 12,_");
    assert!(made.contains("result[a, c] += operand1[a*(12/A) + b, c]\n"), "{made}");
    assert!(made.contains("\n12·C additions; "), "{made}");
    assert!(
        made.contains("note[size-required]: this fits where A divides 12\n --> spec:1:1\n"),
        "{made}"
    );
    assert!(said("loops 'a^b => b'").contains("for b in 0..B:\n  result[b] = operand1[b+A]\n"));
    assert!(said("loops '2*o<+k; k => o'").contains("result[o] += operand1[2*o+k] * operand2[k]"));
    // Where sizes are not what is missing, what is.
    assert!(said("loops 'a^b; a => a^b'").starts_with("error[ambiguous-parts]"));
}

#[test]
fn why_says_what_einsum_and_loops_say() {
    for (line, answer) in [
        ("'ij; jk => ik' k,3 _ result.k", "nothing determines output axis 1 of `result`"),
        ("'i => @t, i' 3 result.t", "nothing determines output axis 0 of `result`"),
        ("'i, _ => i' 3,_ operand1.1", "nothing determines output axis 1 of `operand 1`"),
        ("'i; j => i^j' 2 _ result.0", "nothing determines output axis 0 of `result`"),
    ] {
        let made = said(&format!("why {line}"));
        assert!(made.starts_with(&format!("note[size-follows]: {answer}\n")), "{made}");
    }
}

#[test]
fn a_name_that_is_no_axis_of_a_tensor_is_somewhere_else() {
    for (line, answer) in [
        (
            "'ij; jk => ik' 2,3 3,4 result.j",
            "`j` is no axis of the result: it is summed; the result has `i`, `k`",
        ),
        ("'ij; jk => ik' 2,3 3,4 operand1.k", "`k` is no axis of operand 1, which has `i`, `j`"),
        (
            "'a; b => a^b' 2 3 result.a",
            "`a` is no axis of the result by itself, only in `a^b`; the result has `a^b`",
        ),
        (
            "'..r.., i => ..r..' 2,3 result.r",
            "`r` is a row of axes; one of them is asked for by its number",
        ),
    ] {
        let line = format!("why {line}");
        assert_eq!(said(&line), answer);
        assert_eq!(code(&line), Some(2));
    }
}

#[test]
fn an_operand_that_is_not_known_can_be_left_open() {
    let help = "help: `_` for an operand whose shape is not known";
    let made = said("einsum 'ij; jk => ik' k,3");
    assert!(made.starts_with("error[operand-count]") && made.contains(help), "{made}");
    assert!(!said("einsum 'ij => i' k,3 4").contains(help));
}

fn code(line: &str) -> Option<i32> {
    lozenge(&words(line)).status.code()
}

#[test]
fn exit_codes_say_what_happened() {
    assert_eq!(code("einsum 'ij; jk => ik' 2,3 3,4"), Some(0));
    assert_eq!(code("einsum 'ij; jk => ik' 2,3 5,4"), Some(1));
    assert_eq!(code("einsum 'ij; jk' 2,3 5,4"), Some(1));
    assert_eq!(code("einsum 'ij; jk => ik' 2,3"), Some(1));
    assert_eq!(code("einsum"), Some(2));
    assert_eq!(code("einsum 'i => i' 3 --set i"), Some(2));
    assert_eq!(code("einsum 'i => i' 3 --format xml"), Some(2));
    assert_eq!(code("why 'ij; jk => ik' 2,3 3,4 result.0"), Some(0));
    assert_eq!(code("why 'ij; jk => ik' 2,3 3,4 result"), Some(2));
    assert_eq!(code("why 'ij; jk => ik' 2,3 3,4 operand9.0"), Some(2));
    assert_eq!(code("why 'ij; jk => ik' 2,3 3,4 result.7"), Some(1));
    assert_eq!(code("explain size-mismatch"), Some(0));
    assert_eq!(code("explain nonsense"), Some(2));
    assert_eq!(code("nonsense"), Some(2));
}

#[test]
fn a_specification_that_is_hardly_meant_is_warned_of_everywhere() {
    let warning = "warning[result-only-name]: `l` is an axis of the result only";
    for line in [
        "einsum 'ij; jk => il' 2,3 3,4",
        "loops 'ij; jk => il' 2,3 3,4",
        "why 'ij; jk => il' 2,3 3,4 result.i",
    ] {
        assert!(said(line).contains(&format!("{warning}\n")), "{line}");
        assert!(said(&format!("{line} --format concise")).contains(&format!(": {warning}")));
        assert_eq!(code(line), Some(0));
        let json = said(&format!("{line} --format json"));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        // The answer to `why` is a diagnostic itself, and comes first.
        let diagnostics = match &value["warnings"] {
            serde_json::Value::Null => &value["diagnostics"][1],
            warnings => &warnings["diagnostics"][0],
        };
        assert_eq!(diagnostics["code"], "result-only-name", "{json}");
        for meant in
            ["--set l=5", "--allow result-only-name", "--allow result-only-name --format json"]
        {
            let made = said(&format!("{line} {meant}"));
            assert!(!made.contains("result-only-name"), "{made}");
        }
    }
    // Of two readings of one text, the one.
    let made = said("einsum '... ij => ... ji' 2,3 --format concise");
    assert_eq!(made.matches("warning[").count(), 1, "{made}");
    let made = said("einsum --numpy 'ij,jk->il' 2,3 3,4");
    assert!(made.contains("1 + ij,jk->ik\n"), "{made}");
}

#[test]
fn only_warnings_and_notes_can_be_left_out() {
    let line = "einsum 'i => i' 3 --allow size-mismatch";
    let made = said(line);
    assert!(made.contains("`size-mismatch` is an error, and only warnings and notes"), "{made}");
    assert_eq!(code(line), Some(2));
    let made = said("einsum 'i => i' 3 --allow nonsense");
    assert!(made.contains("there is no such code, `lozenge explain` lists all of them"), "{made}");
}

#[test]
fn examples_in_help_texts_work() {
    let mut examples = 0;
    for task in ["einsum", "why", "explain", "check", "pins"] {
        let help = shown(&lozenge(&words(&format!("{task} --help"))));
        for line in help.lines().filter_map(|line| line.strip_prefix("  lozenge ")) {
            // What is said about it stands after several blanks.
            let line = line.split("   ").next().unwrap().replace("model.onnx", "fits.onnx");
            let output = lozenge(&words(&line));
            assert!(output.status.success(), "{line}: {}", shown(&output));
            examples += 1;
        }
    }
    assert!(examples >= 10, "{examples} examples");
}

#[test]
fn every_code_can_be_explained() {
    let all = shown(&lozenge(&words("explain")));
    assert!(all.lines().count() > 60);
    for line in all.lines() {
        let code = line.split_whitespace().next().unwrap().to_owned();
        let page = shown(&lozenge(&["explain".to_owned(), code.clone()]));
        assert!(page.starts_with(&format!("# {code}\n")), "{page}");
    }
    // As a message prints it, too.
    assert!(shown(&lozenge(&words("explain error[size-mismatch]"))).starts_with("# size-mismatch"));
}

#[test]
fn json_is_json() {
    for (line, schema) in [
        ("einsum 'ij; jk => ik' 2,3 _ --format json", "lozenge-einsum/1"),
        ("einsum 'ij; jk => ik' 2,3 5,4 --format json", "lozenge-diagnostics/2"),
        ("einsum 'ij,jk->ik' 2,3 5,4 --format json", "lozenge-diagnostics/2"),
        ("why 'ij; jk => ik' 2,3 3,4 result.1 --format json", "lozenge-diagnostics/2"),
    ] {
        let output = lozenge(&words(line));
        assert!(output.stderr.is_empty(), "{line}: {}", shown(&output));
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["schema"], schema, "{line}");
    }
}

#[test]
fn a_size_beyond_all_sizes_is_refused_and_does_not_stretch() {
    for line in [
        "einsum 'ij; jk => ik' 2,9223372036854775808 3,4",
        "einsum 'ij; jk => ik' 2,99999999999999999999999 1_,4",
        "einsum '9223372036854775808*o, i => o i' 2,3",
        "einsum '(i 9223372036854775808) => i' 8",
        "einsum 'ij => ji' _ --set i=9223372036854775808",
        "einsum 'ij => ji' _ --set i=99999999999999999999999",
        "einsum 'ij => ji' n,3 --declare 'n = 9223372036854775808'",
        "loops 'ij => ji' 2,9223372036854775808",
        "why 'ij => ji' 2,9223372036854775808 result.0",
    ] {
        let said = said(line);
        assert!(code(line).is_some_and(|code| code > 0), "{line}: {said}");
        let is_told = ["larger than any size", "too large", "at most", "is not a number"]
            .map(|why| said.contains(why));
        assert!(is_told.contains(&true), "{line}: {said}");
    }
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = lozenge(&words(&format!("completions {shell}")));
        assert!(output.status.success() && shown(&output).contains("lozenge"), "{shell}");
    }
}
