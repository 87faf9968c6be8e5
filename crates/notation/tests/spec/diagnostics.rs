//! Diagnostics as values: places, edits, and what renderers do with odd texts.

use expect_test::expect;
use lozenge_diagnostic::{
    Code, Diagnostic, Edit, Help, Look, Place, Position, Report, Source, SourceId, Sources, Span,
    Told, concise, full, json,
};

use crate::support::{keep, page, said};

#[test]
fn the_page_shows_the_forms_as_they_are() {
    const NAME: &str = "docs/diagnostics.md";
    let page = page(NAME);
    let block = |fence: &str| {
        let start = page.find(fence).expect(fence) + fence.len();
        (start, start + page[start..].find("```").expect("a block ends"))
    };
    let (start, end) = block("```notation\n");
    let rejection = said(page[start..end].trim());
    let Report { sources, diagnostics } = &rejection;
    let mut wanted = page.clone();
    // From the back, so that what is before stays where it is.
    let (start, end) = block("```json\n");
    wanted.replace_range(start..end, &(json(diagnostics, sources) + "\n"));
    let (start, end) = block("`source:line:column: severity[code]: headline`:\n\n```text\n");
    wanted.replace_range(start..end, &(concise(&diagnostics[0], sources) + "\n"));
    let (start, end) = block("```\n\n```text\n");
    wanted.replace_range(start..end, &format!("{rejection}\n"));
    keep(NAME, &wanted);
}

fn source(text: &str) -> Source {
    Source::new("file", text)
}

#[test]
fn positions_count_characters() {
    let source = source("aé\nb→c");
    let at = |byte| {
        let Position { line, column } = source.position(byte);
        (line, column)
    };
    assert_eq!(
        [0, 1, 3, 4, 5, 8, 9, 99].map(at),
        [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (2, 4), (2, 4)]
    );
}

#[test]
fn a_text_that_is_not_at_hand_is_told_beside_its_place() {
    let place = Position { line: 12, column: 5 };
    let mut sources = Sources::new();
    let source = sources.push(Source::unseen("model.py", place));
    assert_eq!(sources.get(source).unwrap().position(4), place);
    let at = Place { source, span: Span::empty(0) };
    let mut said = Diagnostic::new(Code::SizeMismatch, "10 and 12")
        .label(at, "is 12")
        .label(at, "is 10")
        .note("why");
    for (label, span) in said.labels.iter_mut().zip([Span::new(8, 9), Span::new(4, 5)]) {
        label.told = Some(Told { text: "y = w + b".into(), span });
    }
    expect![[r"
        error[size-mismatch]: 10 and 12
         --> model.py:12:5
          = note: y = w + b
                      -   ^ is 12
                      |
                      is 10
          = note: why"]]
    .assert_eq(&full(&said, &sources, Look::PLAIN));
    let json = json([&said], &sources);
    assert!(json.contains(r#""text": null"#) && json.contains(r#""start": null"#), "{json}");
}

#[test]
fn edits_apply_from_the_back() {
    let edits = [
        Edit::insert(3, "!"),
        Edit::replace(Span::new(0, 1), "xyz"),
        Edit::remove(Span::new(1, 2)),
    ];
    assert_eq!(Help::certain("", edits).apply("abc"), "xyzc!");
    assert_eq!(Help::certain("", [Edit::insert(9, "!")]).apply("abc"), "abc");
    // Not inside of a character.
    assert_eq!(Help::certain("", [Edit::insert(1, "!")]).apply("é"), "é");
}

#[test]
fn a_part_of_a_file_is_placed_in_it() {
    let said =
        lozenge_notation::parse("o+k; k => o").diagnostics.remove(0).moved(|_| (SourceId(1), 10));
    let sources = Sources::new().with("a", "").with("model.loz", "let y = \"\no+k; k => o\"");
    expect!["model.loz:2:1: error[missing-marker]: the window `o+k` has no border marker"]
        .assert_eq(&concise(&said, &sources));
    assert_eq!(said.helps[0].edits[0].place.span, Span::empty(11));
    assert_eq!(said.helps[0].edits[0].place.source, SourceId(1));
}

#[test]
fn labels_in_several_sources_are_shown_in_each() {
    let sources = Sources::new().with("spec", "i;i=>i").with("operand 1", "4");
    let place = |source, start| lozenge_diagnostic::Place {
        source: SourceId(source),
        span: Span::new(start, start + 1),
    };
    let said = Diagnostic::new(Code::SizeMismatch, "axis `i` is 5 and 4")
        .label(place(0, 2), "5")
        .label(place(1, 0), "4")
        .note("why");
    expect![[r"
        error[size-mismatch]: axis `i` is 5 and 4
         --> spec:1:3
          |
        1 | i;i=>i
          |   ^ 5
          |
         ::: operand 1:1:1
          |
        1 | 4
          | - 4
          |
          = note: why"]]
    .assert_eq(&full(&said, &sources, Look::PLAIN));
}

#[test]
fn places_outside_of_their_source_are_left_out() {
    let said = Diagnostic::new(Code::NameClash, "nowhere")
        .label(Span::new(5, 9), "behind the end")
        .help(Help::certain("there", [Edit::insert(7, "x")]));
    for sources in
        [Sources::new(), Sources::new().with("spec", ""), Sources::new().with("spec", "é")]
    {
        assert!(full(&said, &sources, Look::PLAIN).starts_with("error[name-clash]: nowhere"));
        assert!(concise(&said, &sources).ends_with("error[name-clash]: nowhere"));
        assert!(json([&said], &sources).contains("nowhere"));
    }
}

#[test]
fn long_lines_are_cut_to_the_width_and_words_wrapped() {
    let text = format!("{} o+k; k => o", "a ".repeat(200));
    let said = &lozenge_notation::parse(&text).diagnostics[0];
    let sources = Sources::new().with("spec", text);
    for width in [60, 80, 120] {
        let shown = full(said, &sources, Look { colour: false, width });
        let long = shown.lines().find(|line| line.chars().count() > width + 5);
        assert_eq!(long, None, "at {width}");
        // What is cut says so.
        assert!(shown.contains("| ...") && !shown.contains("1 | a a"), "{shown}");
    }
}

#[test]
fn edits_in_several_lines_are_shown_as_one() {
    let text = "[a,\n'b]\n; \"c\" => [a]";
    let sources = Sources::new().with("spec", text);
    let said = &lozenge_notation::parse(text).diagnostics[0];
    expect![[r#"
        error[unexpected-character]: the notation has no `[`
         --> spec:1:1
          |
        1 | [a,
          | ^ not a part of the notation
          |
        help: rows have no brackets
          |
        1 + a,
        2 + 'b
        3 + ; "c" => a
          |"#]]
    .assert_eq(&full(said, &sources, Look::PLAIN));
    // What a fuzzer found: the renderer's underlines began before the line.
    for said in lozenge_notation::parse("'\n''").diagnostics {
        assert!(!full(&said, &Sources::new().with("spec", "'\n''"), Look::PLAIN).is_empty());
    }
}

#[test]
fn colour_is_asked_for() {
    let sources = Sources::new().with("spec", "o+k => o");
    let said = &lozenge_notation::parse("o+k => o").diagnostics[0];
    let escape = '\u{1b}';
    assert!(full(said, &sources, Look { colour: true, width: 80 }).contains(escape));
    assert!(!full(said, &sources, Look::PLAIN).contains(escape));
}

#[test]
fn a_text_cannot_speak_to_the_terminal() {
    // What is quoted from a text is escaped, so that it can neither break a line nor colour one.
    for text in ["a\u{1b}[31m, b => a", "a,\u{7}\u{b} => a", "i, \u{2028}=> i"] {
        for said in lozenge_notation::parse(text).diagnostics {
            let sources = Sources::new().with("spec", text);
            let odd = |c: char| c.is_control();
            assert!(!concise(&said, &sources).contains(odd), "{text:?}");
            let shown = full(&said, &sources, Look::PLAIN);
            assert!(!shown.replace('\n', "").contains(odd), "{shown:?}");
        }
    }
}
