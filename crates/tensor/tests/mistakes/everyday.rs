//! The everyday mistakes of `docs/mistakes.md`, as far as they can be made here.

use expect_test::expect;

use crate::check;

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
fn a_step_that_is_set_and_windows_that_do_not_fill_the_axis() {
    check(
        |graph| {
            let image = graph.data("image", "28");
            let _ = graph.einsum_with("s*o<+k => o", &[("k", 3), ("s", 2)], &[image]);
        },
        expect![[r#"
            error[stride-mismatch]: windows of 3 in steps of 2 do not fill size 28
             --> mistakes.rs:+3:27
              = note: einsum "s*o<+k => o" image {k=3 s=2}
                              ^^^^^^             --------- `k` is 3
                              |
                              does not fit
             ::: mistakes.rs:+2:31
              = note: data image: 28
                                  -- `image` has 28 here
              = note: sizes that fit are 27, 29
        "#]],
    );
}

#[test]
fn three_axes_in_another_order() {
    check(
        |graph| {
            let (x, y) = (graph.data("x", "2,3,4"), graph.data("y", "4,2,3"));
            let _ = graph.einsum("i,j,k; i,j,k => i", &[x, y]);
        },
        expect![[r#"
            error[size-mismatch]: axis `i` is 2 in `x` and 4 in `y`
             --> mistakes.rs:+3:27
              = note: einsum "i,j,k; i,j,k => i" x y
                              - 2    ^ 4
             ::: mistakes.rs:+2:33
              = note: data x: 2,3,4
                              - 2
             ::: mistakes.rs:+2:59
              = note: data y: 4,2,3
                              - 4
              = note: and axis `j` is 3 in `x` and 2 in `y`, axis `k` is 4 in `x` and 3 in
                      `y`
              = help: `x` with its axes in another order: `einsum "j,k,i; i,j,k => i" x y`
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
