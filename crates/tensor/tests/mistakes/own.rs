//! Mistakes that only tensors have: element types, names of slots, statements, several at once.

use std::time::Instant;

use expect_test::expect;
use lozenge::Pointwise;
use lozenge_tensor::{Accumulation, Definition, ElementType, Graph, read, slot};

use crate::check;

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
            let rate = graph.literal(0.1);
            graph.update(b).subtract(read(rate) * by_w);
            graph.update(b).subtract(graph.data("steps", "5->12"));
            graph.update(w).subtract(read(by_b));
            graph.update(w).set(w.transpose());
            graph.update(b).composing().add(read(w) * by_b);
            graph.update(b).by("i, j => i").erasing().accumulate(Accumulation::Max, by_b);
        },
        expect![[r#"
            error[size-mismatch]: output axis 0 of `w.grad` is 10, output axis 0 of `b` is
                                  12
             --> mistakes.rs:+8:19
              = note: b =- 0.1 * w.grad
                      ^          ------ has 10 on output axis 0
                      |
                      has 12 on output axis 0
             ::: mistakes.rs:+4:27
              = note: param b: 12
                               -- 12 is declared here
            error[rank-mismatch]: `steps` has 1 input axis, `b` has no input axes
             --> mistakes.rs:+9:19
              = note: b =- steps
                      -    ^^^^^ has 1
                      |
                      has 0
            error[size-mismatch]: output axis 0 of `b.grad` is 12, output axis 0 of `w` is
                                  10
             --> mistakes.rs:+10:19
              = note: w =- b.grad
                      ^    ------ has 12 on output axis 0
                      |
                      has 10 on output axis 0
             ::: mistakes.rs:+3:27
              = note: param w: 784->10
                                    -- 10 is declared here
            error[size-mismatch]: input axis 0 of `transpose w` is 10, input axis 0 of `w`
                                  is 784
             --> mistakes.rs:+11:19
              = note: w =: (transpose w)
                      ^    ------------- has 10 on input axis 0
                      |
                      has 784 on input axis 0
             ::: mistakes.rs:+3:27
              = note: param w: 784->10
                               ---  -- 10 is declared here
                               |
                               784 is declared here
             ::: mistakes.rs:+11:35
              = note: transpose w
                      ----------- gives it 10
            error[size-mismatch]: input axis 0 of `w` takes 784, output axis 0 of `b.grad`
                                  gives 12
             --> mistakes.rs:+12:19
              = note: b =+ w * b.grad ~logic:"@"
                           -   ^^^^^^ gives 12 on output axis 0
                           |
                           takes 784 on input axis 0
             ::: mistakes.rs:+3:27
              = note: param w: 784->10
                               --- 784 is declared here
            error[rank-mismatch]: `b.grad` has 1 output axis, the specification reads 2
             --> mistakes.rs:+13:19
              = note: b =:@^ b.grad ~logic:"i, j => i"
                                            ^^^^ reads 2
             ::: mistakes.rs:+6:38
              = note: b.grad: 12
                              -- has 1
              = help: the operand needs 1 more, or the specification 1 fewer
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
            error[row-mismatch]: `...` takes `3` in `[a]` and `4` in `[c]`
             --> mistakes.rs:+4:27
              = note: einsum "...|...->part0, ...; ...|...->part1, ... => ...|...->part0^...
                                              --- takes `3`        ^^^ takes `4`
              = note: [a]: 1,3
                             - `3`
              = note: [c]: 1,4
                             - `4`
              = help: if they are two rows, a name of its own; that of `[c]` is then summed
                      over by itself:
                      `einsum "...|...->part0, ...; ...|...->part1, ..rest.. => ...|...->part0^part1, ..." [a] [c]`
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
            error[row-mismatch]: `...` takes `3` in `[a]` and `4` in `[c]`
             --> mistakes.rs:+7:27
              = note: einsum "...|...->..., a; ...|...->..., b => ...|...->..., a^b" [a] [c]
                                       --- takes `3`    ^^^ takes `4`
              = note: [a]: 3,1
                           - `3`
              = note: [c]: 4,1
                           - `4`
              = help: if they are two rows, a name of its own; that of `[c]` is then summed
                      over by itself:
                      `einsum "...|...->..., a; ...|...->..rest.., b => ...|...->..., a^b" [a] [c]`
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
