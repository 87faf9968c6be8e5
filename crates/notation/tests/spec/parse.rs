//! Parsing beyond the pages: several mistakes at once, spans, dialects, limits.

use expect_test::{Expect, expect};
use lozenge_diagnostic::{Applicability, Code, Sources, concise};
use lozenge_notation::{
    Dialect, Form, Kind, NameId, Shape, Spec, Style, Use, parse, parse_as, parse_shape,
};

use crate::support::{reading, shape_reading};

fn check(text: &str, said: &Expect) {
    let sources = Sources::new().with("spec", text);
    let diagnostics = parse(text).diagnostics;
    let lines: Vec<String> = diagnostics.iter().map(|said| concise(said, &sources)).collect();
    said.assert_eq(&lines.join("\n"));
}

#[test]
fn several_mistakes_are_reported_at_once() {
    check(
        "o+k, _^a, (b c; 2z => ..x, @, 3^0^q, a b+",
        &expect![[r"
            spec:1:1: error[missing-marker]: the window `o+k` has no border marker
            spec:1:6: error[fresh-in-concat]: `_` cannot be a part of a concatenation
            spec:1:11: error[unbalanced-parenthesis]: this `(` is not closed
            spec:1:17: error[joined-number]: `2z` is neither a number nor a name
            spec:1:23: error[lone-dots]: `..x` is no ellipsis
            spec:1:28: error[missing-term]: `@` needs a name right behind it
            spec:1:33: error[zero-part]: nothing is computed with 0 elements
            spec:1:41: error[missing-term]: `+` has nothing after it"]],
    );
}

#[test]
fn what_could_not_be_read_is_left_out() {
    let parsed = parse("a, o+k, b; c&d, e => a, 2*, b");
    assert_eq!(reading(&parsed.spec), "output[a b]; output[e] ⇒ output[a b]");
}

#[test]
fn reading_goes_on_at_the_next_entry() {
    let after = |text: &str| reading(&parse(text).spec);
    assert_eq!(after("2*(a b) c, d => d"), "output[c d] ⇒ output[d]");
    assert_eq!(after("a^(b c)^d e, f => f"), "output[e f] ⇒ output[f]");
    assert_eq!(after("2*3*a b => b"), "output[b] ⇒ output[b]");
    assert_eq!(after("@t+1, b => b"), "output[b] ⇒ output[b]");
    assert_eq!(after("(a b)^c d => d"), "output[d] ⇒ output[d]");
    assert_eq!(after("a<<+b, c => c"), "output[c] ⇒ output[c]");
}

#[test]
fn at_most_twenty_diagnostics_are_given() {
    let text = "o+k, ".repeat(1000) + "=> o";
    assert_eq!(parse(&text).diagnostics.len(), 20);
}

#[test]
fn spans_are_those_of_the_text() {
    let text = " a , 2*o<+3*k | (h w) -> @t ..r.. ; x^3 => 0 ";
    let spec: Spec = text.parse().unwrap();
    let operand = &spec.operands()[0];
    assert_eq!(operand.span.of(text), "a , 2*o<+3*k | (h w) -> @t ..r..");
    assert_eq!(operand.row(Kind::Batch).span.of(text), "a , 2*o<+3*k");
    let (_, batch) = spec.axes(operand.row(Kind::Batch));
    assert_eq!(batch[1].span.of(text), "2*o<+3*k");
    let Form::Affine(id) = batch[1].form else { panic!() };
    let affine = spec.affine(id);
    let window = affine.window.unwrap();
    let spans = [affine.stride_span, affine.over_span, window.dilation_span, window.kernel_span];
    assert_eq!(spans.map(|span| span.of(text)), ["2", "o", "3", "k"]);
    let (_, input) = spec.axes(operand.row(Kind::Input));
    assert_eq!(input[0].span.of(text), "(h w)");
    let Form::Merged(factors) = input[0].form else { panic!() };
    assert_eq!(spec.parts(factors)[1].span.of(text), "w");
    let output = operand.row(Kind::Output);
    assert_eq!(output.ellipsis.unwrap().span.of(text), "..r..");
    assert_eq!(spec.axes(output).0[0].span.of(text), "@t");
    assert_eq!(spec.result().span.of(text), "0");
}

#[test]
fn names_have_one_use_each() {
    let spec: Spec = "s*o<+k, @t, ..r..; k => o, ..r..".parse().unwrap();
    let uses: Vec<(&str, Use)> =
        spec.names().map(|id| (spec.name(id), spec.name_use(id))).collect();
    let wanted = [
        ("s", Use::Coefficient),
        ("o", Use::Axis),
        ("k", Use::Axis),
        ("t", Use::Index),
        ("r", Use::Row),
    ];
    assert_eq!(uses, wanted);
    assert_eq!(spec.find("k").map(NameId::index), Some(2));
    assert_eq!(spec.find("q"), None);
}

#[test]
fn many_names_are_told_apart() {
    // More than are looked through one by one, letters before and after.
    let words: Vec<String> = (0..1000).map(|i| format!("name{i}")).collect();
    let text = format!("a, {}, b, {} => b, a, name7", words.join(", "), words.join(", "));
    let spec: Spec = text.parse().unwrap();
    assert_eq!(spec.name_count(), 1002);
    let (_, axes) = spec.axes(spec.result().row(Kind::Output));
    let names = axes.iter().map(|axis| match axis.form {
        Form::Axis(label) => spec.name(label.name().unwrap()),
        _ => "",
    });
    assert_eq!(names.collect::<Vec<_>>(), ["b", "a", "name7"]);
}

#[test]
fn one_reading_three_spellings() {
    let specs = ["bchw => bhwc", "b c h w => b h w c", "b, c, h, w => b, h, w, c"];
    let specs = specs.map(|text| text.parse::<Spec>().unwrap());
    let styles = specs.each_ref().map(Spec::style);
    assert_eq!(styles, [Style::Letters, Style::Blanks, Style::Commas]);
    assert!(specs[0].same(&specs[1]) && specs[1].same(&specs[2]));
    assert!(!specs[0].same(&"bchw => bhcw".parse().unwrap()));
    // Each prints as it was written.
    assert!(specs.iter().all(|spec| spec.to_string() == spec.text()));
}

#[test]
fn what_says_the_same_prints_the_same() {
    let same = |text: &str, printed: &str| {
        assert_eq!(text.parse::<Spec>().unwrap().to_string(), printed, "{text}");
    };
    same("b | i->o=>o", "b|i->o => o");
    same("|->x => x", "x => x");
    same("k + 2 * o < + 1 ; k=>o", "2*o<+1+k; k => o");
    same("1*o<+1*k; k => o", "o<+k; k => o");
    same("1*i => i", "i, => i");
    same("(a) (b,c) => a", "a, (b c) => a");
    same("a,... ,b,=>b", "a, ..., b => b");
    same("=>", "=>");
    same("; ij =>", "; ij =>");
    same("i; ; j => ", "i;; j =>");
    same("height,=>height", "height, => height");
    same("b|=>", "b| =>");
    same("b,c| ->=>", "b, c | =>");
}

#[test]
fn other_notations_are_read_on_request() {
    let check = |text: &str, ours: &str| {
        let parsed = parse_as(text, Dialect::Numpy);
        assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
        assert_eq!(parsed.spec.to_string(), ours, "{text}");
        // And the same by the edit of the mistake it is without the request.
        let said = parse(text).diagnostics.remove(0);
        assert_eq!(said.code, Code::ForeignArrow);
        assert_eq!(said.helps[0].apply(text), ours);
    };
    check("ij,jk->ik", "ij; jk => ik");
    check("ij, jk -> ik", "ij; jk => ik");
    check("ii->", "ii =>");
    check("...ij,...jk->...ik", "...ij; ...jk => ...ik");
    check("b c h w -> b h w c", "b c h w => b h w c");
    check("b (h h2) w -> (b h2) h w", "b (h h2) w => (b h2) h w");
    check("b c (h 2) (w 2) -> b c h w", "b c (h 2) (w 2) => b c h w");
    check("b c h w -> b c () ()", "b c h w => b c (1) (1)");
    check("h w -> h w 3", "h w => h w (3)");
    check("h 1 w -> h w", "h (1) w => h w");
    check("batch i, i j -> batch j", "batch i; i j => batch j");
    check("h1->h1", "h1, => h1");
}

#[test]
fn another_notation_has_no_kinds_and_no_operators() {
    for text in ["b|i->o", "a^b->a", "o<+k,k->o", "i;j->k", "i j, j k", "ij=>ji"] {
        let said = parse_as(text, Dialect::Numpy).diagnostics;
        assert!(said.iter().any(lozenge_diagnostic::Diagnostic::is_error), "{text}");
    }
}

#[test]
fn the_last_arrow_may_be_the_wrong_one() {
    let edit = |text: &str| {
        let said = parse(text).diagnostics.remove(0);
        assert_eq!(said.code, Code::ForeignArrow);
        said.helps[0].apply(text)
    };
    assert_eq!(edit("i; j -> i"), "i; j => i");
    assert_eq!(edit("b|i->o; b|h->i -> b|h"), "b|i->o; b|h->i => b|h");
    assert_eq!(edit("b|h->o; b|i->h -> b|i->o"), "b|h->o; b|i->h => b|i->o");
    assert_eq!(edit("ij; jk = ik"), "ij; jk => ik");
    assert_eq!(edit("ij --> ji"), "ij => ji");
    assert_eq!(edit("o<+k; k -> o"), "o<+k; k => o");
    // But not where it stands between kinds: then the result is missing.
    assert_eq!(parse("b|i->o; b|h->i").diagnostics[0].code, Code::MissingResult);
}

#[test]
fn letters_of_any_script_are_names() {
    let spec: Spec = "αβ; βγ => αγ".parse().unwrap();
    assert_eq!(reading(&spec), "output[α β]; output[β γ] ⇒ output[α γ]");
    let spec: Spec = "höhe, breite => breite, höhe".parse().unwrap();
    assert_eq!(spec.name_count(), 2);
}

#[test]
fn words_that_may_be_letters_are_warned_of() {
    let codes =
        |text: &str| parse(text).diagnostics.iter().map(|said| said.code).collect::<Vec<_>>();
    assert_eq!(codes("batch seq => seq batch"), []);
    assert_eq!(codes("b ij; b jk => b ik"), [Code::LettersOrWords]);
    assert_eq!(codes("b c hw => b c"), [Code::LettersOrWords]);
    assert_eq!(codes("b c hw => b c h w"), [Code::LettersOrWords]);
    assert_eq!(codes("bhwc => b(hw)c"), [Code::LettersOrWords]);
    assert_eq!(codes("b h w c => b (hw) c"), [Code::LettersOrWords]);
    assert_eq!(codes("b, c, hw => b, c"), []);
    // Words whose letters are nowhere else are words.
    assert_eq!(codes("b c height => b c"), []);
    assert_eq!(codes("batch seq dim => batch dim"), []);
    assert_eq!(codes("2^i^rest => i"), []);
    assert_eq!(codes("b h2 => b"), []);
    // Commas between operands, and no word of the result in them.
    assert_eq!(codes("ij,jk=>ik"), [Code::LettersOrWords]);
    assert_eq!(codes("a, b => ab"), [Code::LettersOrWords]);
    assert_eq!(codes("in, out => out, in, io"), []);
    // What is read is kept with what was warned of, for whoever puts it to use.
    let spec: Spec = "b ij; b jk => b ik".parse().unwrap();
    assert_eq!(spec.warnings(), parse("b ij; b jk => b ik").diagnostics);
    assert!("batch seq => seq batch".parse::<Spec>().unwrap().warnings().is_empty());
}

#[test]
fn coefficients_are_bound() {
    let spec: Spec = "s*o<+d*k+1, t*i; k => o, i".parse().unwrap();
    let set = |numbers: [u64; 3]| {
        move |name: &str| ["s", "d", "t"].iter().position(|n| *n == name).map(|i| numbers[i])
    };
    assert_eq!(spec.bind(set([2, 3, 4])).unwrap().to_string(), "2*o<+1+3*k, 4*i; k => o, i");
    // A stride of 1 is none.
    assert_eq!(spec.bind(set([2, 1, 1])).unwrap().to_string(), "2*o<+1+k, i; k => o, i");
    let codes = |numbers| {
        let rejection = spec.bind(set(numbers)).unwrap_err();
        rejection.diagnostics.iter().map(|said| said.code).collect::<Vec<_>>()
    };
    assert_eq!(codes([1, 1, 1]), [Code::OffsetPastStride]);
    assert_eq!(codes([0, 1, 0]), [Code::ZeroCoefficient, Code::ZeroCoefficient]);
    assert!(spec.bind(|name| (name == "s").then_some(2)).is_err());
}

#[test]
fn the_implicit_result_is_that_of_numpy() {
    let ours = |text: &str| parse_as(text, Dialect::Numpy).ok().unwrap().to_string();
    assert_eq!(ours("ij,jk"), "ij; jk => ik");
    assert_eq!(ours("ba"), "ba => ab");
    assert_eq!(ours("...ij,...jk"), "...ij; ...jk => ...ik");
    assert_eq!(ours("ii"), "ii =>");
    // Spans are those of what has the result; and with `;` it is not NumPy's.
    assert_eq!(parse_as("ij,jk", Dialect::Numpy).spec.text(), "ij;jk => ik");
    assert!(parse_as("R;", Dialect::Numpy).ok().is_err());
    let said = parse("...ij,...jk").diagnostics;
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].helps[0].apply("...ij,...jk"), "...ij;...jk => ...ik");
}

#[test]
fn trees_of_wrong_texts_can_be_used() {
    // What is not as a tree should be is not in it, so that nobody has to look out for it.
    let shapes = |texts: &[&str]| -> Vec<Shape> {
        texts.iter().map(|text| parse_shape(text).shape).collect()
    };
    for (text, operands) in [
        ("(a 0) => a", &["5"][..]),
        ("(a b); b => a", &["3", "0"]),
        ("o<+k; k => o", &["3", "0"]),
        ("i0 => i", &["3,0"]),
        ("0^a => a", &["5"]),
        ("i+2 => i", &["5"]),
        ("0*i => i", &["5"]),
    ] {
        let _ = parse(text).spec.fit(&shapes(operands));
    }
    let spec: Spec = "s*o<+k; k => o".parse().unwrap();
    assert!(spec.bind(|_| Some(u64::MAX)).is_err());
    let largest = spec.bind(|_| Some((1 << 63) - 1)).unwrap();
    assert!(largest.fit(&shapes(&["5", "2"])).is_err());
}

#[test]
fn an_offset_changes_no_size() {
    let fit = |text: &str, operands: &[&str]| {
        let operands: Vec<Shape> = operands.iter().map(|text| text.parse().unwrap()).collect();
        let said = text.parse::<Spec>().unwrap().fit(&operands);
        said.err().map(|rejection| rejection.diagnostics[0].headline.clone())
    };
    for window in ["2*o<+k", "2*o<+1+k"] {
        let by_kernel = format!("{window}; k => o");
        assert_eq!(fit(&by_kernel, &["9", "3"]), None);
        let refused = "windows of 3 in steps of 2 do not fill size 10".to_owned();
        assert_eq!(fit(&by_kernel, &["10", "3"]), Some(refused));
        assert_eq!(fit(&by_kernel, &["3", "3"]), None);
        let refused = "a window of 4 does not fit into an axis of size 3".to_owned();
        assert_eq!(fit(&by_kernel, &["3", "4"]), Some(refused));
        let by_both = format!("{window}; o; k => o");
        assert_eq!(fit(&by_both, &["9", "4", "3"]), None);
        assert!(fit(&by_both, &["9", "3", "3"]).is_some());
        assert!(fit(&by_both, &["9", "4", "2"]).is_some());
    }
    for by_steps in ["2*o<+2*k; o => k", "2*o<+1+2*k; o => k"] {
        assert_eq!(fit(by_steps, &["9", "3"]), None);
        let refused = "no window fits 3 times along `o` into an axis of size 10".to_owned();
        assert_eq!(fit(by_steps, &["10", "3"]), Some(refused));
    }
    for padded in ["2*o=+k", "2*o=+1+k"] {
        assert_eq!(fit(&format!("{padded}; k => o"), &["8", "3"]), None);
        assert!(fit(&format!("{padded}; k => o"), &["9", "3"]).is_some());
    }
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let fit = |text: &str, operands: &[&str]| {
        let operands: Vec<Shape> = operands.iter().map(|text| text.parse().unwrap()).collect();
        let said = text.parse::<Spec>().unwrap().fit(&operands);
        said.err().map(|rejection| {
            rejection.diagnostics.iter().map(|said| said.headline.clone()).collect::<Vec<_>>()
        })
    };
    let refused = |text: &str, operands: &[&str], headline: &str| {
        assert_eq!(fit(text, operands), Some(vec![headline.to_owned()]), "{text}");
    };
    refused("i i => i", &["3,4"], "axis `i` is 3 and 4 in operand 1");
    refused("2*i; i => i", &["6", "4"], "axis `i` is 4 in operand 2, but operand 1 makes it 3");
    refused("3^a => a", &["3"], "nothing is left for `a` in `3^a`: the rest is 3, the axis has 3");
    let several = "nothing is left for `b` in `3^a^b`: the rest is 3, the axis has 3";
    refused("3^a^b => b", &["3"], several);
    refused(
        "b|i->o => b",
        &["2,3,4"],
        "operand 1 has axes 3 output, the specification reads 1 batch, 1 input, 1 output",
    );
    refused("b (1) h => b h", &["2,5,3"], "the factors of `(1)` are 1, the axis has 5");
    // What is not known is not refused.
    assert_eq!(fit("ij; jk => ik", &["_,3", "...,4"]), None);
    assert_eq!(fit("a^b => a", &["5"]), None);
    assert_eq!(fit("a^b; a => a", &["5", "5"]), None);
    assert_eq!(fit("...|i => i", &["2,3|4"]), None);
}

#[test]
fn edits_do_not_change_what_they_do_not_mend() {
    // What a search over short texts found: neighbours glued together, letters made words, names
    // that were not new.
    let certain = |text: &str| {
        let said = parse(text).diagnostics;
        let helps = said.iter().flat_map(|said| &said.helps);
        let certain = helps.filter(|help| help.applicability == Applicability::Certain);
        certain.map(|help| help.apply(text)).collect::<Vec<_>>()
    };
    assert_eq!(certain("(h(w c)) => h"), ["(h w c) => h"]);
    assert_eq!(certain("((a)b)=>a"), ["(a b)=>a"]);
    assert_eq!(certain("a, b)c => a"), ["a, b c => a"]);
    assert_eq!(certain(",height => height"), [""; 0]);
    assert_eq!(certain("abc&d=>abc"), [""; 0]);
    assert_eq!(certain("..batch..=>ba"), ["..b2..=>ba"]);
    assert_eq!(certain("(a)@a=>"), ["(a)@i=>"]);
    assert_eq!(certain("1*a,@a=>"), ["1*a,@i=>"]);
    let bracketed = parse("a, [b]c => a").diagnostics.remove(0);
    assert_eq!(bracketed.helps[0].apply("a, [b]c => a"), "a, b c => a");
    let clash = parse_shape("a:rgb,..a..").diagnostics.remove(0);
    assert_eq!(clash.helps[0].apply("a:rgb,..a.."), "a:rgb,..as..");
}

#[test]
fn the_first_sign_out_of_order_is_marked() {
    let marked = |text: &str| {
        let said = parse(text).diagnostics.remove(0);
        (said.headline.clone(), said.place().unwrap().span.start)
    };
    assert_eq!(marked("a->b->c|d=>"), ("a shape has one `->`".into(), 4));
    assert_eq!(marked("a|b|c|d=>"), ("a shape has one `|`".into(), 3));
    assert_eq!(marked("a->b|c|d=>"), ("the batch axes come before the input axes".into(), 4));
}

/// The sizes of a shape that are names, and the bases of all its sizes, which come after `of`.
fn sizes(text: &str) -> String {
    let shape = parse_shape(text).ok().unwrap();
    assert_eq!(shape.to_string(), text);
    shape_reading(&shape)
}

#[test]
fn a_size_has_the_names_that_an_axis_has() {
    assert_eq!(sizes("seq_len,seq_max"), "output[symbol seq_len, symbol seq_max]");
    assert_eq!(
        sizes("a__b,n_,x_2|é_1"),
        "batch[symbol a__b, symbol n_, symbol x_2] output[symbol é_1]"
    );
    assert_eq!(sizes("seq_len,..seq_max.."), "output[symbol seq_len, ⟨seq_max⟩]");
    // The same words are axes of a specification.
    for name in ["seq_len", "a__b", "n_", "x_2", "é_1"] {
        let spec = parse(&format!("{name}, b => b")).ok().unwrap();
        assert_eq!(reading(&spec), format!("output[{name} b] ⇒ output[b]"));
        assert_eq!(sizes(name), format!("output[symbol {name}]"));
    }
}

#[test]
fn a_basis_follows_the_underscore_of_a_number_and_the_colon_of_a_name() {
    assert_eq!(sizes("3_rgb,c:rgb"), "output[3 of rgb, symbol c of rgb]");
    assert_eq!(sizes("seq_len:tok_en,1_x_y"), "output[symbol seq_len of tok_en, 1 of x_y]");
    assert_eq!(sizes("n|m:a->_,1_"), "batch[symbol n] input[symbol m of a] output[unknown, unit]");
    // One name with and without a basis is one name.
    let shape = parse_shape("n,n:rgb,n:xyz").ok().unwrap();
    assert_eq!(shape.names().len(), 1);
}

#[test]
fn what_is_not_a_basis_is_spoken_of() {
    let said = |text: &str| {
        let sources = Sources::new().with("shape", text);
        let said = parse_shape(text).diagnostics;
        let lines = said.iter().map(|said| {
            let mended = said.helps.iter().filter(|help| !help.edits.is_empty());
            let mended: Vec<String> = mended.map(|help| help.apply(text)).collect();
            format!("{} ({})", concise(said, &sources), mended.join(" or "))
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let shapes = [
        "3_,4",
        "n:,4",
        "n: rgb,4",
        "n:_rgb",
        "batch:32,4",
        "n:2x",
        "n :rgb",
        ":rgb",
        "3:rgb",
        "3:4",
        "3:",
        "3_:rgb",
        "1_:rgb",
        "_:rgb",
        "3_rgb:xyz",
        "a:b:c",
        "a::b",
        "...:rgb",
        ":",
        "n:é, 3_",
        "_a:b",
        "3x:y",
    ];
    let all: Vec<String> = shapes.iter().map(|text| format!("{text}\n{}", said(text))).collect();
    expect![[r"
        3_,4
        shape:1:1: error[missing-basis]: `3_` has no basis after its underscore (3,4 or 3_rgb,4)
        n:,4
        shape:1:1: error[missing-basis]: `n:` has no basis after its colon (n,4 or n:rgb,4)
        n: rgb,4
        shape:1:1: error[missing-basis]: `n:` has no basis after its colon (n:rgb,4 or n rgb,4)
        n:_rgb
        shape:1:1: error[missing-basis]: `n:_rgb` has no basis after its colon (n or n:rgb)
        batch:32,4
        shape:1:1: error[missing-basis]: `batch:32` has no basis after its colon (32,4 or batch,4)
        n:2x
        shape:1:1: error[missing-basis]: `n:2x` has no basis after its colon (n or n:rgb)
        n :rgb
        shape:1:3: error[stray-basis]: `:rgb` is a basis without a size (n:rgb)
        :rgb
        shape:1:1: error[stray-basis]: `:rgb` is a basis without a size ()
        3:rgb
        shape:1:1: error[stray-basis]: `3:rgb` has a colon after its number (3_rgb)
        3:4
        shape:1:1: error[stray-basis]: `3:4` has a colon after its number (3,4)
        3:
        shape:1:1: error[stray-basis]: `3:` has a colon after its number (3)
        3_:rgb
        shape:1:1: error[stray-basis]: `3_:rgb` has a colon after its number (3_rgb)
        1_:rgb
        shape:1:1: error[stray-basis]: `1_:rgb` makes a claim about its basis (1_)
        _:rgb
        shape:1:1: error[stray-basis]: `_:rgb` has a basis and no size (_)
        3_rgb:xyz
        shape:1:1: error[stray-basis]: `3_rgb:xyz` has more than one basis (3_rgb)
        a:b:c
        shape:1:1: error[stray-basis]: `a:b:c` has more than one colon (a:b)
        a::b
        shape:1:1: error[stray-basis]: `a::b` has more than one colon (a:b)
        ...:rgb
        shape:1:4: error[stray-basis]: `:rgb` is a basis without a size ()
        :
        shape:1:1: error[stray-basis]: `:` is a basis without a size ()
        n:é, 3_
        shape:1:6: error[missing-basis]: `3_` has no basis after its underscore (n:é, 3 or n:é, 3_rgb)
        _a:b
        shape:1:1: error[underscore-name]: the name `_a:b` begins with an underscore (a:b or _)
        3x:y
        shape:1:1: error[joined-number]: `3x:y` is neither a number nor a name ()"]].assert_eq(&all.join("\n"));
}
