//! What is said to everyday mistakes: those of `docs/mistakes.md` and those of tensors alone.
//!
//! Every message points into this file. Its lines are counted from where the test calls [`check`],
//! so that a message that becomes longer does not change those below.

// expect-test writes raw strings, and takes what it holds.
#![allow(clippy::needless_raw_string_hashes, clippy::needless_pass_by_value)]

use std::{panic::Location, time::Instant};

use expect_test::{Expect, expect};
use lozenge::Pointwise;
use lozenge_tensor::{Accumulation, Definition, ElementType, Graph, Report, read, slot};

/// What checking a graph, or making its program, says.
#[track_caller]
fn check(build: impl Fn(&Graph), expected: Expect) {
    let at = Location::caller();
    let graph = Graph::new();
    build(&graph);
    let said = match graph.check() {
        Err(report) => report.to_string(),
        Ok(checked) => {
            let notes = Report {
                diagnostics: checked.notes().to_vec(),
                sources: checked.closed().sources().clone(),
            };
            checked.program(&[]).err().unwrap_or(notes).to_string()
        }
    };
    expected.assert_eq(&counted_from(at, &said));
}

/// A message with lines of this file counted from one.
fn counted_from(at: &Location<'_>, said: &str) -> String {
    let mut told = String::new();
    let mut rest = said;
    while let Some((before, after)) = rest.split_once(concat!(file!(), ":")) {
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let line: u32 = after[..digits].parse().unwrap();
        told.push_str(before);
        told.push_str("mistakes.rs:+");
        told.push_str(&(line - at.line()).to_string());
        rest = &after[digits..];
    }
    let mut told = told + rest;
    if !told.is_empty() && !told.ends_with('\n') {
        told.push('\n');
    }
    told
}

#[test]
fn a_product_element_by_element_was_meant() {
    check(
        |graph| {
            let (a, b) = (graph.data("a", "3"), graph.data("b", "3"));
            let _ = a.compose(b);
        },
        expect![[r#"
            error[rank-mismatch]: `b` gives 1 output axis, `a` takes no input axes
             --> mistakes.rs:+3:23
              = note: a * b
                      -   ^ gives 1
                      |
                      takes 0
              = help: element by element, a pointwise product of `a` and `b` fits
              = help: the transpose of `a` fits
        "#]],
    );
}

#[test]
fn a_weight_the_wrong_way_round() {
    check(
        |graph| {
            let x = graph.data("x", "32|784");
            let w = graph.data("w", "10->784");
            let _ = w.compose(x);
        },
        expect![[r#"
            error[size-mismatch]: input axis 0 of `w` takes 10, output axis 0 of `x` gives
                                  784
             --> mistakes.rs:+4:23
              = note: w * x
                      -   ^ gives 784 on output axis 0
                      |
                      takes 10 on input axis 0
             ::: mistakes.rs:+3:27
              = note: data w: 10->784
                              -- 10 is declared here
             ::: mistakes.rs:+2:27
              = note: data x: 32|784
                                 --- 784 is declared here
              = help: the transpose of `w` fits
        "#]],
    );
}

#[test]
fn operands_exchanged() {
    check(
        |graph| {
            let x = graph.data("x", "32|784");
            let w = graph.data("w", "784->10");
            let _ = x.compose(w);
        },
        expect![[r#"
            error[rank-mismatch]: `w` gives 1 output axis, `x` takes no input axes
             --> mistakes.rs:+4:23
              = note: x * w
                      -   ^ gives 1
                      |
                      takes 0
              = help: the other way round, `w * x` fits
        "#]],
    );
}

#[test]
fn a_1_that_does_not_stretch() {
    check(
        |graph| {
            let scores = graph.data("scores", "32|10,1");
            let mask = graph.data("mask", "32|10,4");
            let _ = scores * mask;
        },
        expect![[r#"
            error[size-mismatch]: output axis 1 of `scores` is 1, output axis 1 of `mask` is
                                  4
             --> mistakes.rs:+4:21
              = note: scores * mask
                      ------   ^^^^ has 4 on output axis 1
                      |
                      has 1 on output axis 1
             ::: mistakes.rs:+2:32
              = note: data scores: 32|10,1
                                         - 1 is declared here
             ::: mistakes.rs:+3:30
              = note: data mask: 32|10,4
                                       - 4 is declared here
              = help: an explicit 1 does not stretch, `1_` does: `data scores: 32|10,1_`
        "#]],
    );
}

#[test]
fn a_hidden_size_that_changed_in_one_place_only() {
    check(
        |graph| {
            let x = graph.data("x", "32|784");
            let w1 = graph.parameter_of("w1", "784->128");
            let w2 = graph.parameter_of("w2", "64->10");
            let hidden = w1.compose(x).relu();
            let _ = w2.compose(hidden);
        },
        expect![[r#"
            error[size-mismatch]: input axis 0 of `w2` takes 64, output axis 0 of
                                  `relu (w1 * x)` gives 128
             --> mistakes.rs:+6:24
              = note: w2 * (relu t3)
                      --   ^^^^^^^^^ gives 128 on output axis 0
                      |
                      takes 64 on input axis 0
             ::: mistakes.rs:+4:28
              = note: param w2: 64->10
                                -- 64 is declared here
             ::: mistakes.rs:+5:40
              = note: relu (w1 * x)
                      ------------- gives it 128
             ::: mistakes.rs:+3:28
              = note: param w1: 784->128
                                     --- 128 is declared here
             ::: mistakes.rs:+5:29
              = note: w1 * x
                      ------ gives it 128
        "#]],
    );
}

#[test]
fn a_hidden_size_that_nobody_wrote() {
    check(
        |graph| {
            let x = graph.data("x", "32|784");
            let labels = graph.data("labels", "32|10");
            let (w1, w2) = (graph.parameter("w1"), graph.parameter("w2"));
            let loss = (w2.compose(w1.compose(x).relu()) - labels).pow(2.0).sum();
            graph.gradients(loss, [w1, w2]);
        },
        expect![[r#"
            error[hidden-rank]: nothing says how many output axes the parameter `w1` has, so
                                the input axes of `w2` are not known
             --> mistakes.rs:+4:35
              = note: param w1
                      ^^^^^^^^ declared without
             ::: mistakes.rs:+4:58
              = note: param w2
                      -------- the input axes follow
              = note: any one of these sizes is enough
              = help: say which axes it has, for example one of 64: `param w1: ...->64`
        "#]],
    );
}

#[test]
fn a_bias_of_another_size() {
    check(
        |graph| {
            let x = graph.data("x", "32|784");
            let w = graph.parameter_of("w", "784->10");
            let y = w.compose(x) + graph.data("b", "12");
            let _ = y.relu();
        },
        expect![[r#"
            error[size-mismatch]: output axis 0 of `w * x` is 10, output axis 0 of `b` is 12
             --> mistakes.rs:+4:21
              = note: (w * x) + b
                      -------   ^ has 12 on output axis 0
                      |
                      has 10 on output axis 0
             ::: mistakes.rs:+3:27
              = note: param w: 784->10
                                    -- 10 is declared here
             ::: mistakes.rs:+4:23
              = note: w * x
                      ----- gives it 10
             ::: mistakes.rs:+4:42
              = note: data b: 12
                              -- 12 is declared here
        "#]],
    );
}

#[test]
fn a_bias_for_each_pixel() {
    check(
        |graph| {
            let image = graph.data("image", "batch|8,8,32");
            let _ = image + graph.parameter("bias");
        },
        expect![[r#"
            warning[pointwise-parameter]: the parameter `bias` took 3 axes, `8,8,32`, from
                                          pointwise operations only
             --> mistakes.rs:+3:35
              = note: param bias
                      ^^^^^^^^^^ declared without a shape
             ::: mistakes.rs:+3:21
              = note: image + bias
                              ---- meets `image`, which is `batch|8,8,32`
              = note: what is only broadcast takes all axes that it meets; a bias or a scale
                      has one, as a rule
              = help: where only the last axis is meant: `param bias: 32`
              = help: where it is meant, say so: `param bias: 8,8,32`
              = help: where all such are meant, allow `pointwise-parameter`
        "#]],
    );
}

#[test]
fn a_weight_that_takes_the_length_of_a_sequence() {
    check(
        |graph| {
            let x = graph.data("x", "batch,seq|512");
            let mixed = graph.einsum("b q|d; b k|d => b q|k", &[x, x]);
            let _ = graph.parameter("wo").compose(mixed) + x;
        },
        expect![[r#"
            warning[data-sized-parameter]: input axis 0 of the parameter `wo` is `seq`, a
                                           size of the data `x`
             --> mistakes.rs:+4:27
              = note: param wo
                      ^^^^^^^^ takes `seq` as its input axis 0
             ::: mistakes.rs:+2:27
              = note: data x: batch,seq|512
                                    --- `seq` is declared here
             ::: mistakes.rs:+4:43
              = note: wo * (einsum "b q|d; b k|d => b q|k" x x)
                      -- takes `seq` here
             ::: mistakes.rs:+3:31
              = note: einsum "b q|d; b k|d => b q|k" x x
                      ---------------------------------- gives it `seq`
              = note: a parameter of such a size is of use with data of that size only
              = help: where `seq` is not meant, declare `wo` with the size that is: the use
                      that does not fit is then named
              = help: where it is meant, say so: `param wo: seq->512`
              = help: where all such are meant, allow `data-sized-parameter`
        "#]],
    );
}

#[test]
fn a_name_mistyped_in_the_result() {
    check(
        |graph| {
            let (a, b) = (graph.data("a", "2,3"), graph.data("b", "3,4"));
            let _ = graph.einsum("ij; jk => il", &[a, b]);
        },
        expect![[r#"
            warning[result-only-name]: `l` is an axis of the result only
             --> mistakes.rs:+3:27
              = note: einsum "ij; jk => il" a b
                                   -     ^ no operand has it
                                   |
                                   the result has no `k`
              = note: nothing is read along `l`: the result is the same all along it
              = help: where it is meant, its size says so: `l=…`
              = help: where `k` is meant: `einsum "ij; jk => ik" a b`
        "#]],
    );
}

#[test]
fn colours_and_coordinates() {
    check(
        |graph| {
            let pixels = graph.data("pixels", "32|3_rgb");
            let points = graph.data("points", "32|3_xyz");
            let _ = pixels + points;
        },
        expect![[r#"
            error[basis-mismatch]: output axis 0 of `pixels` is 3_rgb, output axis 0 of
                                   `points` is 3_xyz
             --> mistakes.rs:+4:21
              = note: pixels + points
                      ------   ^^^^^^ has 3_xyz on output axis 0
                      |
                      has 3_rgb on output axis 0
             ::: mistakes.rs:+2:32
              = note: data pixels: 32|3_rgb
                                      ----- 3_rgb is declared here
             ::: mistakes.rs:+3:32
              = note: data points: 32|3_xyz
                                      ----- 3_xyz is declared here
              = note: axes of one size and two bases are two axes: three colours are not
                      three coordinates
        "#]],
    );
}

#[test]
fn a_batch_that_the_specification_does_not_know() {
    check(
        |graph| {
            let (a, b) = (graph.data("a", "8,2,3"), graph.data("b", "3,4"));
            let _ = graph.einsum("ij; jk => ik", &[a, b]);
        },
        expect![[r#"
            error[rank-mismatch]: `a` has 3 output axes, the specification reads 2
             --> mistakes.rs:+3:27
              = note: einsum "ij; jk => ik" a b
                              ^^ reads 2
             ::: mistakes.rs:+2:33
              = note: data a: 8,2,3
                              ----- has 3
              = help: `...` takes the axes that are not named, and the result keeps them:
                      `einsum "...ij; jk => ...ik" a b`
              = help: `...` takes the axes that are not named, and they are summed over:
                      `einsum "...ij; jk => ik" a b`
        "#]],
    );
}

#[test]
fn an_operand_transposed() {
    check(
        |graph| {
            let (a, b) = (graph.data("a", "2,3"), graph.data("b", "4,3"));
            let _ = graph.einsum("ij; jk => ik", &[a, b]);
        },
        expect![[r#"
            error[size-mismatch]: axis `j` is 3 in `a` and 4 in `b`
             --> mistakes.rs:+3:27
              = note: einsum "ij; jk => ik" a b
                               -  ^ 4
                               |
                               3
             ::: mistakes.rs:+2:33
              = note: data a: 2,3
                                - 3
             ::: mistakes.rs:+2:57
              = note: data b: 4,3
                              - 4
              = help: `b` with two axes exchanged: `einsum "ij; kj => ik" a b`
              = help: if they are two axes, two names; that of `b` is then summed over by
                      itself, not with the other: `einsum "ij; lk => ik" a b`
        "#]],
    );
}

#[test]
fn another_number_of_elements() {
    check(
        |graph| {
            let _ = graph.data("image", "28,28,3").reshape("784");
        },
        expect![[r#"
            error[elements-mismatch]: `image`, which is `28,28,3`, 2352 elements, does not
                                      fill `784`, 784 elements
             --> mistakes.rs:+2:52
              = note: reshape image to 784
                      ^^^^^^^^^^^^^^^^^^^^ another number of elements
        "#]],
    );
}

#[test]
fn an_operand_too_many() {
    check(
        |graph| {
            let [q, k, v] = ["q", "k", "v"].map(|name| graph.data(name, "8,64"));
            let _ = graph.einsum("sd; td => st", &[q, k, v]);
        },
        expect![[r#"
            error[operand-count]: the specification reads 2 operands, 3 are given
             --> mistakes.rs:+3:27
              = note: sd; td => st
                          ^^ the last operand it reads
              = help: one row more for each operand; `...` is any output axes:
                      `sd; td; ... => st`
        "#]],
    );
}

#[test]
fn a_window_that_does_not_fill_its_axis() {
    check(
        |graph| {
            let image = graph.data("image", "28");
            let kernel = graph.data("kernel", "3");
            let _ = graph.einsum("2*o<+k; k => o", &[image, kernel]);
        },
        expect![[r#"
            error[stride-mismatch]: windows of 3 in steps of 2 do not fill size 28
             --> mistakes.rs:+4:27
              = note: einsum "2*o<+k; k => o" image kernel
                              ^^^^^^ does not fit
             ::: mistakes.rs:+2:31
              = note: data image: 28
                                  -- `image` has 28 here
             ::: mistakes.rs:+3:32
              = note: data kernel: 3
                                   - `k` is 3
              = note: sizes that fit are 27, 29
              = help: as many whole windows as fit; what is left over is not read:
                      `einsum "2*o~+k; k => o" image kernel`
        "#]],
    );
}

#[test]
fn a_parameter_left_over() {
    check(
        |graph| {
            graph.parameter("old");
        },
        expect![[r#"
            error[unused-parameter]: nothing uses the parameter `old`
             --> mistakes.rs:+2:19
              = note: param old
                      ^^^^^^^^^ so nothing says what shape it has
        "#]],
    );
}

#[test]
fn a_number_of_heads_that_does_not_divide() {
    check(
        |graph| {
            let q = graph.data("q", "32,512");
            let _ = graph.einsum_with("s (h d) => s h d", &[("h", 7)], &[q]);
        },
        expect![[r#"
            error[merge-mismatch]: 512 is not a multiple of 7, as `(h d)` says
             --> mistakes.rs:+3:27
              = note: einsum "s (h d) => s h d" q {h=7}
                                ^^^^^ 7 here      ----- `h` is 7
             ::: mistakes.rs:+2:27
              = note: data q: 32,512
                                 --- `q` has 512 here
        "#]],
    );
}

#[test]
fn a_position_past_the_end() {
    check(
        |graph| {
            let _ = graph.data("rows", "4,3").einsum("4 i => i");
        },
        expect![[r#"
            error[index-past-end]: position 4 of an axis of size 4 in `rows`
             --> mistakes.rs:+2:47
              = note: einsum "4 i => i" rows
                              ^ positions are 0 to 3
             ::: mistakes.rs:+2:27
              = note: data rows: 4,3
                                 - size 4
              = help: position 3, its last: `einsum "3 i => i" rows`
        "#]],
    );
}

#[test]
fn a_specification_with_a_slip() {
    check(
        |graph| {
            let (a, b) = (graph.data("a", "2,3"), graph.data("b", "3,4"));
            let _ = graph.einsum("ij; jk = ik", &[a, b]);
            let _ = graph.data("c", "2,,3");
        },
        expect![[r#"
            error[foreign-arrow]: the result follows `=>`, not `=`
             --> mistakes.rs:+3:27
              = note: ij; jk = ik
                             ^ no arrow
              = help: where this begins the result: `ij; jk => ik`
            error[empty-entry]: there is no axis before this comma
             --> mistakes.rs:+4:27
              = note: 2,,3
                        ^ a comma stands between two axes, or behind the last
              = help: without it: `2,3`
        "#]],
    );
}

#[test]
fn a_name_of_a_size_that_is_not_there() {
    check(
        |graph| {
            let scores = graph.einsum("sd; td => st", &[graph.data("q", "8,64"); 2]);
            let _ = scores / graph.size_of(scores, "dim").sqrt();
            graph.set_size(scores, "u", 3);
            graph.declare("8 divide seq");
            graph.equal_sizes((scores, "s"), (scores, "d"));
        },
        expect![[r#"
            error[unknown-name]: there is no `dim` here
             --> mistakes.rs:+3:36
              = note: sd; td => st
                      ^^^^^^^^^^^^ it has `s`, `d`, `t`
            error[unknown-name]: there is no `u` here
             --> mistakes.rs:+4:19
              = note: sd; td => st
                      ^^^^^^^^^^^^ it has `s`, `d`, `t`
            error[not-a-relation]: `8 divide seq` says nothing of sizes
             --> mistakes.rs:+5:19
              = note: declare 8 divide seq
                      ^^^^^^^^^^^^^^^^^^^^ here
              = note: what can be declared is between two sizes: `8 divides seq`,
                      `total = past+seq`, `n >= m`, `n+m <= 512`
            error[size-mismatch]: one size is 8 and 64
             --> mistakes.rs:+6:19
              = note: equal s = d
                      ^^^^^^^^^^^ is 8 already
             ::: mistakes.rs:+2:63
              = note: data q: 8,64
                              - -- 64 is declared here
                              |
                              8 is declared here
             ::: mistakes.rs:+2:32
              = note: einsum "sd; td => st" q q
                              --
                              |
                              read here
                              read here
        "#]],
    );
}

#[test]
fn several_mistakes_are_said_together_and_none_twice() {
    check(
        |graph| {
            let x = graph.data("x", "32|784");
            let bad = graph.data("w", "10->784").compose(x);
            let worse = (bad + 1.0).relu() * bad; // nothing is said of this
            let hidden = graph.parameter("hidden").compose(x); // nor of what a refused step uses
            let _ = worse - hidden;
            let unrelated = graph.parameter("unrelated").compose(x);
            let _ = graph.parameter("after").compose(unrelated) + graph.data("labels", "32|10");
            let _ = graph.literal([1.0, 2.0]) + graph.literal([1.0, 2.0, 3.0]);
            graph.gradients(worse, [x]);
        },
        expect![[r#"
            error[size-mismatch]: input axis 0 of `w` takes 10, output axis 0 of `x` gives
                                  784
             --> mistakes.rs:+3:50
              = note: w * x
                      -   ^ gives 784 on output axis 0
                      |
                      takes 10 on input axis 0
             ::: mistakes.rs:+3:29
              = note: data w: 10->784
                              -- 10 is declared here
             ::: mistakes.rs:+2:27
              = note: data x: 32|784
                                 --- 784 is declared here
              = help: the transpose of `w` fits
            error[size-mismatch]: output axis 0 of `literal` is 2, output axis 0 of
                                  `literal` is 3
             --> mistakes.rs:+9:21
              = note: literal + literal
                      -------   ^^^^^^^ has 3 on output axis 0
                      |
                      has 2 on output axis 0
             ::: mistakes.rs:+9:27
              = note: data literal: 2
                                    - 2 is declared here
             ::: mistakes.rs:+9:55
              = note: data literal: 3
                                    - 3 is declared here
            error[hidden-rank]: nothing says how many output axes the parameter `unrelated`
                                has, so the input axes of `after` are not known
             --> mistakes.rs:+7:35
              = note: param unrelated
                      ^^^^^^^^^^^^^^^ declared without
             ::: mistakes.rs:+8:27
              = note: param after
                      ----------- the input axes follow
              = note: any one of these sizes is enough
              = help: say which axes it has, for example one of 64:
                      `param unrelated: ...->64`
        "#]],
    );
}

#[test]
fn two_element_types() {
    check(
        |graph| {
            let weights = graph.data("weights", "3").to(ElementType::F16).named("weights");
            let counts = graph.data("counts", "3").to(ElementType::I32).named("counts");
            let sums = weights + weights;
            let _ = sums * counts;
        },
        expect![[r#"
            error[mixed-types]: `weights + weights` is f16, `counts` is i32
             --> mistakes.rs:+5:21
             ::: mistakes.rs:+2:54
              = note: f16 is said here
             ::: mistakes.rs:+3:52
              = note: i32 is said here
              = note: element types are never converted unless somebody says so
              = help: convert one of them: `.to(ElementType::F32)`
        "#]],
    );
    check(
        |graph| {
            let counts = graph.data("counts", "3").to(ElementType::I32);
            let _ = counts * 0.5;
            let _ = counts.exp();
            let x = graph.data("x", "3");
            let _ = x.less(1.0) + x;
            let _ = graph.choose(x, counts, x.exp());
        },
        expect![[r#"
            error[mixed-types]: `to_i32 counts` is i32, `0.5` is a float
             --> mistakes.rs:+3:21
             ::: mistakes.rs:+2:52
              = note: i32 is said here
              = note: element types are never converted unless somebody says so
              = help: convert one of them: `.to(ElementType::F32)`
            error[mixed-types]: `to_i32 counts` is i32, the operation takes a float
             --> mistakes.rs:+4:28
             ::: mistakes.rs:+2:52
              = note: i32 is said here
              = note: element types are never converted unless somebody says so
              = help: convert one of them: `.to(ElementType::F32)`
            error[mixed-types]: `x < 1` is bool, `x` is a float
             --> mistakes.rs:+6:21
             ::: mistakes.rs:+6:23
              = note: bool is said here
              = note: a float is said here
              = note: element types are never converted unless somebody says so
              = help: convert one of them: `.to(ElementType::F32)`
            error[mixed-types]: `to_i32 counts` is i32, `x` is a float
             --> mistakes.rs:+7:27
             ::: mistakes.rs:+2:52
              = note: i32 is said here
             ::: mistakes.rs:+6:23
              = note: a float is said here
              = note: element types are never converted unless somebody says so
              = help: convert one of them: `.to(ElementType::F32)`
        "#]],
    );
    check(
        |graph| {
            let table = graph.parameter_of("table", "100,16");
            let words = graph.data("words", "8");
            let _ = words * 0.5;
            let _ = table.gather("v d; s => s d", "v", words);
        },
        expect![[r#"
            error[mixed-types]: `words` is a float, the operation takes i32 or i64
             --> mistakes.rs:+5:27
             ::: mistakes.rs:+4:21
              = note: a float is said here
              = note: element types are never converted unless somebody says so
              = help: convert one of them: `.to(ElementType::F32)`
        "#]],
    );
    check(
        |graph| {
            let w = graph.parameter_of("w", "3");
            let half = w.to(ElementType::F16);
            graph.update(w).subtract(half);
            let y = w.exp();
            graph.update(w).set(y.to(ElementType::I64));
        },
        expect![[r#"
            error[mixed-types]: `w` is f16, `w =: (to_i64 t3)` is i64
             --> mistakes.rs:+6:19
             ::: mistakes.rs:+3:26
              = note: f16 is said here
             ::: mistakes.rs:+6:35
              = note: i64 is said here
              = note: element types are never converted unless somebody says so
              = help: convert one of them: `.to(ElementType::F32)`
        "#]],
    );
}

#[test]
fn a_ragged_literal() {
    check(
        |graph| {
            let _ = graph.literal(vec![vec![1.0, 2.0, 3.0], vec![4.0, 5.0]]);
        },
        expect![[r#"
            error[ragged-literal]: lists at depth 1 of a literal have 3 elements and 2
             --> mistakes.rs:+2:27
              = note: every list of a depth has one length
        "#]],
    );
}

#[test]
fn a_tensor_of_another_graph() {
    check(
        |graph| {
            let other = Graph::new();
            let x = other.data("x", "3");
            let _ = graph.data("y", "3") + x;
            graph.gradients(x, [x]);
            let _ = graph.stack(&[graph.data("z", "3"), x]);
            graph.update(graph.kept("total")).add(x);
        },
        expect![[r#"
            error[foreign-tensor]: a tensor here is of another graph
             --> mistakes.rs:+4:21
              = note: a tensor is of use in the graph that made it
            error[foreign-tensor]: a tensor here is of another graph
             --> mistakes.rs:+5:19
              = note: a tensor is of use in the graph that made it
            error[foreign-tensor]: a tensor here is of another graph
             --> mistakes.rs:+6:27
              = note: a tensor is of use in the graph that made it
            error[foreign-tensor]: a tensor here is of another graph
             --> mistakes.rs:+7:19
              = note: a tensor is of use in the graph that made it
        "#]],
    );
}

#[test]
fn names_that_claim_no_slot() {
    check(
        |graph| {
            let squared = Definition::of(Pointwise::new("squared"))
                .forward(slot("v").set(slot("x") * slot("v1")))
                .backward(slot("g2").add(slot("g") * slot("mask_rhs1")))
                .backward(slot("v1").add(slot("g1")));
            let _ = graph.define(&squared, &[graph.data("a", "3")]);
        },
        expect![[r#"
            error[no-slot]: `x` claims no tensor of the operation
             --> mistakes.rs:+3:40
              = note: `v` and `g` are the result and its gradient, `v1` and `g1` the first
                      operand's, and so on
              = note: a name that ends in `_rhs1` is an intermediate with the shape of the
                      first operand
            error[no-slot]: `mask_rhs1` is read and nothing writes it
             --> mistakes.rs:+4:54
              = note: an intermediate is written by a statement before those that read it
            error[no-slot]: `g2` claims no tensor of the operation
             --> mistakes.rs:+4:27
              = note: `v` and `g` are the result and its gradient, `v1` and `g1` the first
                      operand's, and so on
              = note: a name that ends in `_rhs1` is an intermediate with the shape of the
                      first operand
            error[no-slot]: `g1` cannot be read here
             --> mistakes.rs:+5:42
              = note: of gradients, only `g` is there to be read, by statements that write
                      gradients
            error[no-slot]: `v1` cannot be written backward
             --> mistakes.rs:+5:27
        "#]],
    );
}

#[test]
fn updates_that_do_not_fit() {
    check(
        |graph| {
            let x = graph.data("x", "32|784");
            let w = graph.parameter_of("w", "784->10");
            let b = graph.parameter_of("b", "12");
            let loss = w.compose(x).relu().sum() + b.sum();
            let [by_w, by_b] = graph.gradients(loss, [w, b]);
            let rate = graph.number(0.1);
            graph.update(b).subtract(read(rate) * by_w);
            graph.update(w).subtract(read(by_b));
            graph.update(w).set(w.transpose());
            graph.update(b).composing().add(read(w) * by_b);
            graph.update(b).by("i, j => i").erasing().accumulate(Accumulation::Max, by_b);
        },
        expect![[r#"
            error[rank-conflict]: no number of axes fits `b =- 0.1 * w.grad` by itself
             --> mistakes.rs:+8:19
              = note: b =- 0.1 * w.grad
                      ^^^^^^^^^^^^^^^^^ does not fit
            error[size-mismatch]: an axis would be 10 and 12 in `w =- b.grad` by itself
             --> mistakes.rs:+9:19
              = note: w =- b.grad
                      ^^^^^^^^^^^ does not fit
            error[size-mismatch]: an axis would be 784 and 10 in `w =: (transpose w)` with
                                  an earlier step
             --> mistakes.rs:+10:19
              = note: w =: (transpose w)
                      ^^^^^^^^^^^^^^^^^^ does not fit
             ::: mistakes.rs:+10:35
              = note: transpose w
                      ----------- with this
            error[size-mismatch]: input axis 0 of `w` takes 784, output axis 0 of `b.grad`
                                  gives 12
             --> mistakes.rs:+11:19
              = note: b =+ w * b.grad ~logic:"@"
                           -   ^^^^^^ gives 12 on output axis 0
                           |
                           takes 784 on input axis 0
             ::: mistakes.rs:+3:27
              = note: param w: 784->10
                               --- 784 is declared here
            error[operand-count]: the specification reads 1 operand, 2 are given
             --> mistakes.rs:+12:19
              = note: b =:@^ b.grad ~logic:"i, j => i"
                                            ^^^^ the last operand it reads
              = help: `;` between operands: 2 of them: `b =:@^ b.grad ~logic:"i; j => i"`
              = help: one row more for each operand; `...` is any output axes:
                      `b =:@^ b.grad ~logic:"i, j; ... => i"`
        "#]],
    );
}

#[test]
fn gradients_of_another_shape() {
    check(
        |graph| {
            let x = graph.data("x", "3");
            let [slope] = graph.gradients((x * x).sum(), [x]);
            let _ = slope + graph.data("y", "4");
            let [curvature] = graph.gradients(slope, [x]);
            let _ = curvature.named("curvature") * graph.data("z", "5");
        },
        expect![[r#"
            error[size-mismatch]: output axis 0 of `x.grad` is 3, output axis 0 of `y` is 4
             --> mistakes.rs:+4:21
              = note: x.grad + y
                      ------   ^ has 4 on output axis 0
                      |
                      has 3 on output axis 0
             ::: mistakes.rs:+4:35
              = note: data y: 4
                              - 4 is declared here
            error[size-mismatch]: output axis 0 of `curvature` is 3, output axis 0 of `z` is
                                  5
             --> mistakes.rs:+6:21
              = note: curvature * z
                      ---------   ^ has 5 on output axis 0
                      |
                      has 3 on output axis 0
             ::: mistakes.rs:+6:58
              = note: data z: 5
                              - 5 is declared here
        "#]],
    );
}

#[allow(clippy::too_many_lines)] // what is said of six of them
#[test]
fn helpers_of_several_operations_point_to_the_caller() {
    check(
        |graph| {
            let (a, b) = (graph.data("a", "3"), graph.data("b", "3,4"));
            let c = graph.data("c", "4");
            let _ = graph.stack(&[a, c]);
            let _ = graph.concat(&[b, c]);
            graph.concat(&[]);
            let _ = graph.interleave(a, c);
            let _ = a.mean("ij => i");
            let _ = graph.choose(a, b, c);
            let _ = graph.multiply_add(a, a, c);
            let _ = 2.0 * a - c;
            let _ = a.greater(c);
            let _ = a.gather("v d; s => s d", "v", c);
        },
        expect![[r#"
            error[row-mismatch]: `...` takes `3` in
                                 `einsum "...|...->... => ...|...->0, ..." a` and `4` in
                                 `einsum "...|...->... => ...|...->0, ..." c`
             --> mistakes.rs:+4:27
              = note: einsum "...|...->part0, ...; ...|...->part1, ... => ...|...->part0^...
                                              --- takes `3`        ^^^ takes `4`
              = note: einsum "...|...->... => ...|...->0, ..." a: _,3
                                                                    - `3`
              = note: einsum "...|...->... => ...|...->0, ..." c: _,4
                                                                    - `4`
              = help: if they are two rows, a name of its own; that of
                      `einsum "...|...->... => ...|...->0, ..." c` is then summed over by
                      itself:
                      `einsum "...|...->part0, ...; ...|...->part1, ..rest.. => ...|...->part0^part1, ..." (einsum "...|...->... => ...|...->0, ..." a) (einsum "...|...->... => ...|...->0, ..." c)`
            error[row-mismatch]: `...` takes `4` in `b` and no axes in `c`
             --> mistakes.rs:+5:27
              = note: einsum "...|...->part0, ...; ...|...->part1, ... => ...|...->part0^...
                                              --- takes `4`        ^^^ takes no axes
             ::: mistakes.rs:+2:55
              = note: data b: 3,4
                                - `4`
              = note: NumPy broadcasts the axes that `...` takes; here they are equal in all
                      operands
              = help: if they are two rows, a name of its own; that of `c` is then summed
                      over by itself:
                      `einsum "...|...->part0, ...; ...|...->part1, ..rest.. => ...|...->part0^part1, ..." b c`
            error[operand-count]: no tensors to join
             --> mistakes.rs:+6:19
              = note: what has no parts has no shape either
            error[row-mismatch]: `...` takes `3` in
                                 `einsum "...|...->... => ...|...->..., 0" a` and `4` in
                                 `einsum "...|...->... => ...|...->..., 0" c`
             --> mistakes.rs:+7:27
              = note: einsum "...|...->..., a; ...|...->..., b => ...|...->..., a^b" (ein...
                                       --- takes `3`    ^^^ takes `4`
              = note: einsum "...|...->... => ...|...->..., 0" a: 3,_
                                                                  - `3`
              = note: einsum "...|...->... => ...|...->..., 0" c: 4,_
                                                                  - `4`
              = help: if they are two rows, a name of its own; that of
                      `einsum "...|...->... => ...|...->..., 0" c` is then summed over by
                      itself:
                      `einsum "...|...->..., a; ...|...->..rest.., b => ...|...->..., a^b" (einsum "...|...->... => ...|...->..., 0" a) (einsum "...|...->... => ...|...->..., 0" c)`
            error[rank-mismatch]: `a` has 1 output axis, the specification reads 2
             --> mistakes.rs:+8:23
              = note: einsum "ij => i" a
                              ^^ reads 2
             ::: mistakes.rs:+2:33
              = note: data a: 3
                              - has 1
              = help: the operand needs 1 more, or the specification 1 fewer
            error[size-mismatch]: output axis 0 of `a` is 3, output axis 1 of `b` is 4
             --> mistakes.rs:+9:27
              = note: where a b c
                            - ^ has 4 on output axis 1
                            |
                            has 3 on output axis 0
             ::: mistakes.rs:+2:33
              = note: data a: 3
                              - 3 is declared here
             ::: mistakes.rs:+2:55
              = note: data b: 3,4
                                - 4 is declared here
            error[size-mismatch]: output axis 0 of `a` is 3, output axis 0 of `c` is 4
             --> mistakes.rs:+10:27
              = note: fma a a c
                            - ^ has 4 on output axis 0
                            |
                            has 3 on output axis 0
             ::: mistakes.rs:+2:33
              = note: data a: 3
                              - 3 is declared here
             ::: mistakes.rs:+3:27
              = note: data c: 4
                              - 4 is declared here
            error[size-mismatch]: output axis 0 of `2 * a` is 3, output axis 0 of `c` is 4
             --> mistakes.rs:+11:21
              = note: (2 * a) - c
                      -------   ^ has 4 on output axis 0
                      |
                      has 3 on output axis 0
              = note: 2 * a
                      ----- gives it 3
             ::: mistakes.rs:+2:33
              = note: data a: 3
                              - 3 is declared here
             ::: mistakes.rs:+3:27
              = note: data c: 4
                              - 4 is declared here
            error[size-mismatch]: output axis 0 of `c` is 4, output axis 0 of `a` is 3
             --> mistakes.rs:+12:23
              = note: c < a
                      -   ^ has 3 on output axis 0
                      |
                      has 4 on output axis 0
             ::: mistakes.rs:+3:27
              = note: data c: 4
                              - 4 is declared here
             ::: mistakes.rs:+2:33
              = note: data a: 3
                              - 3 is declared here
            error[rank-mismatch]: `a` has 1 output axis, the specification reads 2
             --> mistakes.rs:+13:23
              = note: einsum "v; v d; s => s d" range a c
                                 ^^^ reads 2
             ::: mistakes.rs:+2:33
              = note: data a: 3
                              - has 1
              = help: the operand needs 1 more, or the specification 1 fewer
        "#]],
    );
}

#[test]
fn a_statement_that_writes_a_cell_twice() {
    check(
        |graph| {
            let total = graph.parameter_of("total", "3");
            let x = graph.data("x", "3,4");
            graph.update(total).by("i, j => i").set(x);
        },
        expect![[r#"
            error[many-elements]: a cell of `total` is set to many elements
             --> mistakes.rs:+4:19
              = note: `=:` keeps one of them, and nothing says which
              = help: accumulate: `=:+` adds them, `=:@^` keeps the largest
        "#]],
    );
}

#[test]
fn a_tensor_read_after_it_is_replaced() {
    check(
        |graph| {
            let w = graph.parameter_of("w", "3");
            graph.update(w).set(w * 0.5);
            graph.update(graph.kept("seen")).set(read(w) + 1.0);
        },
        expect![[r#"
            error[stale-read]: `w` is read after an assignment has replaced it
             --> mistakes.rs:+4:19
             ::: mistakes.rs:+3:19
              = note: it is replaced here
              = help: read what the assignment gave, or make the statement before it
        "#]],
    );
}

/// A poisoned chain says nothing after its first step, of its parameters neither, however long it
/// is, and it takes time in proportion to its length.
#[test]
fn a_poisoned_chain_has_one_error() {
    let chain = |length: usize| {
        let graph = Graph::new();
        let mut x = graph.data("x", "3").compose(graph.data("y", "3"));
        for number in 0..length {
            x = graph.parameter(&format!("w{number}")).compose(x).relu();
        }
        let said = graph.check().unwrap_err();
        assert_eq!(said.diagnostics.len(), 1, "{said}");
    };
    let time = |length: usize| {
        let before = Instant::now();
        chain(length);
        before.elapsed().as_secs_f64()
    };
    let (short, long) = (time(1_000), time(10_000));
    assert!(long < 40.0 * short + 1.0, "{short} {long}");
}
