//! What a session promises, through the Rust interface.

use std::sync::Arc;

use lozenge::{
    AxisPlace, Budget, Closed, Einsum, Kind, Misfit, Operation, PartialShape, Policy, Report,
    Scheme, SchemePart, Session, Shape, Site, SizeVar, Tensor,
    diagnostic::{Code, Source, Span, concise, json},
    term::{RowTerm, SizeRelation},
};

#[test]
fn sessions_and_what_they_close_to_may_go_anywhere() {
    fn anywhere<T: Send + Sync + 'static>() {}
    fn forks<T: Clone>() {}
    anywhere::<Session>();
    anywhere::<Closed>();
    anywhere::<Tensor>();
    anywhere::<SizeVar>();
    anywhere::<Shape>();
    anywhere::<PartialShape>();
    forks::<Session>();
}

#[test]
fn a_message_names_the_lines_of_the_caller() {
    let mut session = Session::new();
    let line = line!();
    let a = session.data("a", "2,3").unwrap();
    let b = session.data("b", "2,4").unwrap();
    let refused = session.pointwise("+", &[a, b]).unwrap_err();
    let said = refused.to_string();
    // The lines are not at hand. What they ask is told beside their places, never as if it stood
    // there.
    for (shown, at) in [("data a: 2,3", 1), ("data b: 2,4", 2), ("a + b", 3)] {
        let place = format!("{}:{}:", file!(), line + at);
        let (_, behind) = said.split_once(&place).unwrap();
        let told = behind.lines().nth(1).unwrap();
        assert_eq!(told.trim(), format!("= note: {shown}"), "{said}");
    }
    assert!(!said.contains(" | "), "{said}");
    let said = concise(&refused.diagnostics[0], &refused.sources);
    let place = format!("{}:{}:", file!(), line + 3);
    assert!(said.starts_with(&place), "{said} does not begin with {place}");
}

/// An operation that fails to read its own specification says so at the line that asks for it, and
/// the text is told.
#[test]
fn an_operation_that_cannot_be_made_is_told_where_it_is_asked_for() {
    #[derive(Debug)]
    struct Pool;
    impl Operation for Pool {
        fn name(&self) -> &'static str {
            "pool"
        }
        fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
            Einsum::new("...|h,w->c => ...|h)->c")?.scheme(operands)
        }
    }
    let model = Source::new("model", "x = image\ny = pool x");
    let mut session = Session::new();
    let x = session.at(Site::of(&model, 0..9)).data("x", "8|4,4->3").unwrap();
    let pool = Site::of(&model, 10..20);
    let refused = session.at(pool).apply(Pool, &[x]).unwrap_err();
    let names: Vec<&str> = refused.sources.iter().map(|source| &*source.name).collect();
    assert_eq!(names, ["model"]);
    let label = &refused.diagnostics[0].labels[0];
    assert_eq!(label.place.span, Span::new(10, 20));
    let told = label.told.as_ref().unwrap();
    assert_eq!(told.span.of(&told.text), ")");
}

#[test]
fn what_is_refused_leaves_no_trace() {
    let mut session = Session::new();
    let x = session.data("x", "3").unwrap();
    let w = session.parameter_of("w", "...->2").unwrap();
    let before = session.clone();
    assert!(session.data("y", "0*n").is_err());
    assert!(session.einsum("ij => ij", &[x]).is_err());
    let five = session.data("five", "5").unwrap();
    let product = session.compose(w, x).unwrap();
    assert!(session.compose(w, five).is_err());
    assert_eq!(session.shape(w).unwrap().to_string(), "...,3->2");

    let mut clean = before;
    let same = clean.compose(w, x).unwrap();
    let shapes = [session.close().unwrap(), clean.close().unwrap()];
    assert_eq!(shapes[0].shape(w).unwrap(), shapes[1].shape(w).unwrap());
    assert_eq!(shapes[0].shape(product).unwrap(), shapes[1].shape(same).unwrap());
}

#[test]
fn reading_commits_nothing() {
    let mut session = Session::new();
    let x = session.constant("x");
    let three = session.data("three", "3").unwrap();
    session.pointwise("+", &[x, three]).unwrap();
    assert_eq!(session.close().unwrap().shape(x).unwrap().to_string(), "3");
    assert_eq!(session.shape(x).unwrap().to_string(), "...|...->...");
    // Another use, with which 3 does not hold any more.
    let four = session.data("four", "4").unwrap();
    session.pointwise("+", &[x, four]).unwrap();
    assert_eq!(session.close().unwrap().shape(x).unwrap().to_string(), "1_");
}

#[test]
fn an_axis_that_is_not_known_has_a_bound() {
    let mut session = Session::new();
    let x = session.data("x", "_").unwrap();
    let three = session.data("three", "3").unwrap();
    session.pointwise("+", &[x, three]).unwrap();
    let bound = session.bound(x, Kind::Output, 0).unwrap();
    assert_eq!(bound.map(|axis| axis.to_string()).as_deref(), Some("3"));
    assert_eq!(session.bound(three, Kind::Output, 0).unwrap(), None);
}

#[test]
fn captured_sizes_are_read_before_and_after_closing() {
    let mut session = Session::new();
    let a = session.data("a", "2,3,4").unwrap();
    let r = session.einsum("a, ..r.. => ..r.., a", &[a]).unwrap();
    let [row, axis] = ["r", "a"].map(|name| session.capture(r, name).unwrap());
    assert_eq!(session.known(row).map(|size| size.to_string()).as_deref(), Some("12"));
    let closed = session.close().unwrap();
    assert_eq!(closed.size(row), Some(12));
    assert_eq!(closed.axis(axis).map(|axis| axis.to_string()).as_deref(), Some("2"));
    assert_eq!(closed.axis(row), None);
    assert_eq!(session.capture(r, "nobody").unwrap_err().diagnostics[0].code, Code::UnknownName);
}

#[test]
fn a_size_is_called_by_what_a_shape_can_have() {
    let mut session = Session::new();
    let x = session.data("x", "_,_").unwrap();
    let y = session.einsum("ij => ij", &[x]).unwrap();
    let [i, j] = ["i", "j"].map(|name| session.capture(y, name).unwrap());
    for text in
        ["", "3", "_", "1_", "a b", "a,b", " a", "a|", "a->", "...", "..a..", "3_rgb", "a:", "a\n"]
    {
        let refused = session.set_named(i, text).unwrap_err();
        assert_eq!(refused.diagnostics[0].code, Code::NotAName, "{text}");
    }
    session.set_named(i, "seq_len").unwrap();
    session.set_named(j, "c:rgb").unwrap();
    let known = session.shape(y).unwrap().to_string();
    assert_eq!(known, "seq_len,c:rgb");
    let declared = session.data("declared", &known).unwrap();
    session.same_shape(y, declared).unwrap();
    assert_eq!(session.close().unwrap().shape(declared).unwrap().to_string(), known);
}

#[test]
fn a_budget_ends_what_would_take_long() {
    let mut session = Session::with_budget(Budget::DEFAULT.with_steps(1));
    let x = session.data("x", "2,3").unwrap();
    let refused = session.pointwise("+", &[x, x]).unwrap_err();
    assert_eq!(refused.diagnostics[0].code, Code::WorkExhausted);
    let said = refused.to_string();
    assert!(said.starts_with("error[work-exhausted]: the budget of solver steps is used up"));
    assert!(json(&refused.diagnostics, &refused.sources).contains("\"work-exhausted\""));
}

#[test]
fn policies_choose_or_do_not() {
    let mut session = Session::new();
    let x = session.constant("x");
    let three = session.data("three", "3").unwrap();
    session.pointwise("+", &[x, three]).unwrap();
    let shape =
        |policy| session.close_by(policy).map(|closed| closed.shape(x).unwrap().to_string()).ok();
    assert_eq!(shape(Policy::Default).as_deref(), Some("3"));
    assert_eq!(shape(Policy::Upward).as_deref(), Some(""));
    assert_eq!(shape(Policy::Refuse), None);
}

#[test]
fn why_of_an_axis_that_is_not_there() {
    let mut session = Session::new();
    let tensor = session.data("x", "2,3").unwrap();
    let closed = session.close().unwrap();
    let place = AxisPlace::new(tensor, Kind::Batch, 0);
    let refused = session.why(&closed, place).unwrap_err();
    assert_eq!(
        refused.diagnostics[0].headline,
        "`x`, which is `2,3`, has no batch axes, so no axis 0"
    );
}

#[test]
fn a_chain_of_unnamed_operations_is_written_out() {
    let mut session = Session::new();
    let x = session.data("x", "3").unwrap();
    let w = session.data("w", "3->2").unwrap();
    let product = session.compose(w, x).unwrap();
    let active = session.pointwise("relu", &[product]).unwrap();
    let more = session.pointwise("+", &[active, active]).unwrap();
    let most = session.pointwise("-", &[more, x]);
    assert_eq!(session.display_name(product), "w * x");
    assert_eq!(session.display_name(active), "relu (w * x)");
    assert_eq!(session.display_name(more), "(relu t2) + (relu t2)");
    assert!(most.unwrap_err().to_string().contains("is 2"), "both sizes are named");
    session.set_name(active, "hidden");
    assert_eq!(session.display_name(more), "hidden + hidden");
}

#[test]
fn what_is_counted_is_known_before_a_size_is_chosen() {
    let mut session = Session::new();
    let p = session.parameter("p");
    let d = session.data("d", "...,3").unwrap();
    session.einsum("...i; ...i => ...", &[p, d]).unwrap();
    // Three bytes are no whole number of elements of two.
    session.bit_cast(p, 8, 16).unwrap();
    assert!(session.close().is_err());
}

#[test]
fn what_fits_only_where_nothing_says_so_does_not_close() {
    let mut session = Session::new();
    let d = session.data("d", "2,3").unwrap();
    let z = session.data("z", "1_,3").unwrap();
    let r = session.einsum("...i; ...i => ...", &[d, d]).unwrap();
    session.reshape(d).unwrap();
    // A later step may say where `r` is broadcast; when the program is closed, none has.
    session.pointwise("+", &[r, z]).unwrap();
    let refused = session.close().unwrap_err();
    assert_eq!(refused.diagnostics[0].code, Code::ChoiceConflict);
}

#[test]
fn no_tensor_has_an_axis_without_elements() {
    let mut session = Session::new();
    let d = session.data("d", "2|1_->").unwrap();
    let t = session.transpose(d).unwrap();
    let joined = session.einsum("c|->f; c|->b => c^b,", &[t, t]).unwrap();
    let closed = session.close().unwrap();
    assert_eq!(closed.shape(t).unwrap().to_string(), "2|1_");
    assert_eq!(closed.shape(joined).unwrap().to_string(), "3");
}

#[test]
fn refused_steps_cost_nothing_of_the_budget() {
    let mut session = Session::with_budget(Budget::DEFAULT.with_steps(40));
    let a = session.data("a", "2,3").unwrap();
    let b = session.data("b", "4,5").unwrap();
    for _ in 0..50 {
        let refused = session.pointwise("+", &[a, b]).unwrap_err();
        assert_eq!(refused.diagnostics[0].code, Code::SizeMismatch);
    }
    session.pointwise("+", &[a, a]).unwrap();
}

#[test]
fn what_nothing_places_is_an_output() {
    let mut session = Session::new();
    let x = session.data("x", "32|64").unwrap();
    let y = session.reshape(x).unwrap();
    assert_eq!(session.close().unwrap().shape(y).unwrap().to_string(), "2048");
}

#[test]
fn a_captured_size_keeps_its_name_in_a_fork() {
    let mut session = Session::new();
    let x = session.data("x", "2,3").unwrap();
    let y = session.einsum("ij => ji", &[x]).unwrap();
    let fork = session.clone();
    let j = fork.capture(y, "j").unwrap();
    let refused = session.set(j, 9).unwrap_err().to_string();
    assert!(refused.contains("set j = 9"), "{refused}");
}

#[test]
fn a_name_with_a_line_break_is_written_in_one_line() {
    let mut session = Session::new();
    let x = session.data("a\nb", "2").unwrap();
    let y = session.data("c", "3").unwrap();
    let refused = session.pointwise("+\n", &[x, y]).unwrap_err();
    assert!(!refused.diagnostics[0].headline.contains('\n'));
    assert!(refused.to_string().contains("data a b: 2"));
}

#[test]
fn an_edit_that_would_not_mend_is_not_offered() {
    let mut session = Session::new();
    let w = session.data("w", "1->5").unwrap();
    let x = session.data("x", "3").unwrap();
    assert!(session.compose(w, x).unwrap_err().diagnostics[0].helps.is_empty());
    let [a, b] = ["1,2", "3,4"].map(|shape| session.data("t", shape).unwrap());
    assert!(session.pointwise("+", &[a, b]).unwrap_err().diagnostics[0].helps.is_empty());
    let [a, b] = ["1,2", "3,2"].map(|shape| session.data("t", shape).unwrap());
    assert_eq!(session.pointwise("+", &[a, b]).unwrap_err().diagnostics[0].helps.len(), 1);
}

/// Adds its operands up, beginning with one of them, which may not be there.
#[derive(Debug)]
struct From {
    initial: usize,
}

impl Operation for From {
    fn name(&self) -> &'static str {
        "from"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        for operand in 0..operands {
            scheme.broadcast_rows(operand, [(Kind::Output, Kind::Output)]);
        }
        scheme.begin_with(self.initial)?;
        Ok(scheme.into())
    }
}

#[test]
fn an_operation_begins_with_an_operand_that_it_has() {
    let from = |initial: usize| From { initial };
    let mut session = Session::new();
    let [x, y] = ["x", "y"].map(|name| session.data(name, "3").unwrap());
    let sum = session.apply(from(1), &[x, y]).unwrap();
    let made = session.assignment(&session.close().unwrap(), sum).unwrap();
    assert_eq!((made.initial(), made.value().to_string()), (Some(1), "x0".to_owned()));
    for initial in [2, 7, usize::MAX] {
        let line = line!() + 1;
        let refused = session.apply(from(initial), &[x, y]).unwrap_err();
        assert_eq!(refused.diagnostics[0].code, Code::OperandCount);
        let said = concise(&refused.diagnostics[0], &refused.sources);
        let place = format!("{}:{line}:", file!());
        assert!(said.starts_with(&place), "{said}");
    }
    let headline = |refused: Report| refused.diagnostics[0].headline.clone();
    assert_eq!(
        headline(session.apply(from(2), &[x, y]).unwrap_err()),
        "the result begins with operand 3, and there are 2 operands"
    );
    assert_eq!(
        headline(session.require(from(0), &[]).unwrap_err()),
        "the result begins with operand 1, and there are no operands"
    );
    assert_eq!(session.tensors().count(), 3); // nothing is left of what was refused
}

#[test]
fn what_was_read_may_be_left_unsaid() {
    let mut session = Session::new();
    let x = session.data("x", "8,8,32").unwrap();
    let bias = session.parameter("bias");
    session.pointwise("+", &[x, bias]).unwrap();
    let before = session.clone();
    let codes = |session: &Session| -> Vec<Code> {
        session.close().unwrap().notes().iter().map(|note| note.code).collect()
    };
    assert_eq!(codes(&session), [Code::PointwiseParameter]);
    session.allow(Code::StretchedParameter).unwrap();
    assert_eq!(codes(&session), [Code::PointwiseParameter]);
    session.allow(Code::PointwiseParameter).unwrap();
    assert_eq!(codes(&session), []);
    assert_eq!(codes(&session.clone()), []);
    // It is a value of the session, and of its clones made since.
    assert_eq!(codes(&before), [Code::PointwiseParameter]);
    // An error stays one.
    let line = line!() + 1;
    let refused = session.allow(Code::SizeMismatch).unwrap_err();
    assert_eq!(refused.diagnostics[0].code, Code::AllowedError);
    assert!(refused.to_string().contains(&format!("sessions.rs:{line}:")), "{refused}");
    let y = session.data("y", "7").unwrap();
    assert_eq!(
        session.pointwise("+", &[x, y]).unwrap_err().diagnostics[0].code,
        Code::SizeMismatch
    );
}

#[test]
fn a_named_size_is_of_data_however_often_it_is_declared() {
    let headline = |session: &Session| {
        let closed = session.close().unwrap();
        closed.notes().first().map(|note| note.headline.clone())
    };
    let mut session = Session::new();
    session.data("mask", "seq").unwrap();
    let x = session.data("x", "batch|seq").unwrap();
    let w = session.parameter_of("w", "...->16").unwrap();
    session.compose(w, x).unwrap();
    let expected = "input axis 0 of the parameter `w` is `seq`, a size of the data `x`";
    assert_eq!(headline(&session).unwrap(), expected);
    // Not where the declaration has the name, and not where it is no data that has it.
    let mut session = Session::new();
    let x = session.data("x", "batch|seq").unwrap();
    let w = session.parameter_of("w", "seq->16").unwrap();
    let h = session.compose(w, x).unwrap();
    let hidden = session.parameter_of("hidden", "16->width").unwrap();
    let g = session.compose(hidden, h).unwrap();
    let scale = session.parameter("scale");
    session.pointwise("*.", &[g, scale]).unwrap();
    assert_eq!(session.close().unwrap().shape(scale).unwrap().to_string(), "width");
    assert_eq!(headline(&session), None);
}

#[test]
fn a_parameter_that_is_warned_of_twice_is_told_once() {
    let mut session = Session::new();
    let x = session.data("x", "batch,seq,32").unwrap();
    let bias = session.parameter("bias");
    session.pointwise("+", &[x, bias]).unwrap();
    let codes = |session: &Session| -> Vec<Code> {
        session.close().unwrap().notes().iter().map(|note| note.code).collect()
    };
    assert_eq!(codes(&session), [Code::DataSizedParameter]);
    session.allow(Code::DataSizedParameter).unwrap();
    assert_eq!(codes(&session), [Code::PointwiseParameter]);
}

#[test]
fn what_is_said_of_a_specification_is_said_once() {
    let mut session = Session::new();
    let x = session.data("x", "2,3,3").unwrap();
    let line = line!() + 2;
    for _ in 0..5 {
        session.einsum("... ij => ... ji", &[x]).unwrap();
    }
    let y = session.data("y", "2,3").unwrap();
    session.einsum("ij => il", &[y]).unwrap();
    let meant = session.einsum_with("ij => il", &[("l", 5)], &[y]).unwrap();
    let named = session.einsum("ij => im", &[y]).unwrap();
    let m = session.capture(named, "m").unwrap();
    session.set_named(m, "heads").unwrap();
    let closed = session.close().unwrap();
    assert_eq!(closed.shape(meant).unwrap().to_string(), "2,5");
    let codes: Vec<Code> = closed.notes().iter().map(|note| note.code).collect();
    assert_eq!(codes, [Code::LettersOrWords, Code::ResultOnlyName]);
    let first = &closed.notes()[0];
    let place = format!("{}:{line}:", file!());
    assert!(concise(first, closed.sources()).starts_with(&place));
    assert_eq!(first.notes[1], "the same specification is in 4 other steps");
    // What is left out does not hide what came from it.
    session.allow(Code::LettersOrWords).unwrap();
    let notes = session.close().unwrap().notes().len();
    assert_eq!(notes, 2, "`ji` and `l` are names of results only");
}

/// Blocks of a network one after another, each with a width of its own, all of one width that
/// nobody says.
fn without_widths(session: &mut Session, blocks: usize) {
    let mut x = session.data("x", "batch|_").unwrap();
    for block in 0..blocks {
        let [up, down] = ["up", "down"].map(|name| session.parameter(&format!("{name}{block}")));
        let scale = session.parameter(&format!("scale{block}"));
        let scaled = session.pointwise("*.", &[x, scale]).unwrap();
        let wide = session.compose(up, scaled).unwrap();
        let narrow = session.compose(down, wide).unwrap();
        x = session.pointwise("+", &[x, narrow]).unwrap();
    }
}

#[test]
fn a_width_that_is_missing_everywhere_is_told_once() {
    let mut session = Session::new();
    without_widths(&mut session, 3);
    let refused = session.close().unwrap_err();
    let headlines: Vec<&str> =
        refused.diagnostics.iter().map(|said| said.headline.as_str()).collect();
    let own = |n: usize| {
        format!(
            "nothing says how many output axes the parameter `up{n}` has, so the input axes of `down{n}` are not \
             known"
        )
    };
    let of_all = "nothing says how large output axis 0 of `x` is, so input axis 0 of `up0`, output axis 0 of \
                  `down0` and 7 more are not known";
    assert_eq!(headlines, [of_all, &own(0), &own(1), &own(2)]);
    let all = "from it follow input axis 0 of `up0`, `up1`, `up2`; output axis 0 of `down0`, `scale0`, `down1`, \
               `scale1`, `down2`, `scale2`; any one of these sizes is enough";
    assert_eq!(refused.diagnostics[0].notes, [all]);
}

#[test]
fn very_many_widths_are_told_up_to_a_number() {
    for blocks in [40, 4_000] {
        let mut session = Session::new();
        without_widths(&mut session, blocks);
        let refused = session.close().unwrap_err();
        assert_eq!(refused.diagnostics.len(), 20);
        assert!(
            refused.diagnostics[0]
                .headline
                .starts_with("nothing says how large output axis 0 of `x`")
        );
    }
}

/// Every second element, with names for its sizes that are not the first of its variables.
#[derive(Debug)]
struct Halved;

impl Operation for Halved {
    fn name(&self) -> &'static str {
        "halved"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        let [_, whole, over] = [scheme.fresh_axis(), scheme.fresh_axis(), scheme.fresh_axis()];
        scheme.name_size("half", over);
        scheme.name_size("whole", whole);
        let relation = SizeRelation::Strided {
            whole: whole.into(),
            stride: 2,
            over: over.into(),
            loose: false,
        };
        scheme.relate(SchemePart::Whole, relation);
        let row = scheme.operand(0, Kind::Output);
        scheme.same_row(SchemePart::Whole, RowTerm::closed([], [whole.into()]), row);
        scheme.declare(Kind::Output, RowTerm::closed([], [over.into()]));
        Ok(scheme.into())
    }
}

#[test]
fn names_that_an_operation_declares_are_captured() {
    let mut session = Session::new();
    let x = session.data("x", "...").unwrap();
    let y = session.apply(Halved, &[x]).unwrap();
    let half = session.capture(y, "half").unwrap();
    session.set(half, 2).unwrap();
    let whole = session.capture(y, "whole").unwrap();
    let closed = session.close().unwrap();
    assert_eq!((closed.size(half), closed.size(whole)), (Some(2), Some(4)));
    let refused = session.capture(y, "third").unwrap_err();
    assert_eq!(
        refused.diagnostics[0].headline,
        "the operation that made `halved x` has no size `third` to capture"
    );
    assert_eq!(refused.diagnostics[0].notes, ["it has `half`, `whole`"]);
}

/// A row that a leading flank was broadcast to is closed by one whose marker stands in front. Which
/// of the two stands does not depend on what was said first.
#[test]
fn where_a_row_is_broadcast_does_not_depend_on_the_order_of_steps() {
    let marker = |is_said_first: bool| {
        let mut session = Session::new();
        let half = session.number(0.5);
        let x = session.data("x", "2|3->4").unwrap();
        let y = session.data("y", "_,...").unwrap();
        let relu = session.pointwise("relu", &[half]).unwrap();
        if is_said_first {
            session.compose_accumulate(relu, relu, x).unwrap();
        }
        let product = session.compose(x, relu).unwrap();
        if is_said_first {
            session.same_shape(x, product).unwrap();
        }
        session.compose(product, y).unwrap();
        if !is_said_first {
            session.same_shape(x, product).unwrap();
            session.compose_accumulate(relu, relu, x).unwrap();
        }
        session.close().unwrap().shape(product).unwrap().marker(Kind::Input)
    };
    assert_eq!(marker(true), marker(false));
}
