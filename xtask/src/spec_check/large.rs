//! Texts as large as are read, made to be slow: reading them takes time in proportion.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use anyhow::ensure;
use lozenge_spec::{
    Dialect, MAX_LEN,
    diagnostic::{Look, Sources, concise, full, json},
    parse, parse_as, parse_shape,
};

/// What large texts are made of, over and over, and how they end.
const PIECES: &[(&str, &str)] = &[
    ("a", "=>a"),
    ("a ", "=>a"),
    ("a,", "=>a"),
    ("ab ", "=>a"),
    ("a;", "=>a"),
    ("a|", "=>a"),
    ("a->", "=>a"),
    ("a->", ""),
    ("a=>", "a"),
    ("a^", "b=>a"),
    ("2*", "a=>a"),
    ("a+", "b=>a"),
    ("a<+k,", "=>a"),
    ("a<", "=>a"),
    ("(", "=>a"),
    (")", "=>a"),
    ("(a ", "=>a"),
    ("(a b)", "=>a"),
    ("a&", "b=>a"),
    (".", "=>a"),
    ("...", "=>a"),
    ("..a ", "=>a"),
    ("..a..", "=>a"),
    ("..rest.. rest;", "=>a"),
    ("@", "=>a"),
    ("@a", "=>a"),
    ("_", "=>a"),
    ("_^", "a=>a"),
    ("_a ", "=>a"),
    ("9", "=>a"),
    ("1 ", "=>a"),
    ("0^", "a=>a"),
    ("é", "=>a"),
    ("→", "=>a"),
    ("[", "=>a"),
    ("-", "=>a"),
    ("-1 ", "=>a"),
    (" ", "=>a"),
    ("\n", "=>a"),
    ("\u{0}", ""),
];

/// A large text is this many times as long as a small one.
const TIMES: u32 = 16;

/// The time to read a text as a specification; and in every way, print it and speak of it.
fn time(text: &str) -> [Duration; 2] {
    let start = Instant::now();
    let parsed = parse(text);
    let read = start.elapsed();
    let sources = Sources::new().with("spec", text);
    let numpy = parse_as(text, Dialect::Numpy);
    let shape = parse_shape(text);
    black_box([parsed.spec.to_string(), numpy.spec.to_string(), shape.shape.to_string()]);
    let said = [parsed.diagnostics, numpy.diagnostics, shape.diagnostics].concat();
    black_box(json(&said, &sources));
    for said in said.iter().step_by(10) {
        black_box([concise(said, &sources), full(said, &sources, Look::PLAIN)]);
    }
    [read, start.elapsed()]
}

/// A piece over and over, each time with other names, so that the table of names grows.
fn distinct(piece: &str, length: usize) -> String {
    let mut text = String::new();
    let mut i = 0;
    while text.len() < length {
        text.push_str(&piece.replace('0', &i.to_string()));
        i += 1;
    }
    text.truncate(length);
    text
}

pub(super) fn run() -> anyhow::Result<()> {
    let small = MAX_LEN / TIMES as usize;
    let repeat = |piece: &str, end: &str, length: usize| {
        piece.repeat((length - end.len()) / piece.len()) + end
    };
    let mut slowest = (Duration::ZERO, "");
    let mut steepest = (0.0, "");
    let mut judge = |name: &'static str, text: &dyn Fn(usize) -> String| {
        let best = |length, tries: u32| {
            let text = text(length);
            (0..tries)
                .map(|_| time(&text))
                .fold([Duration::MAX; 2], |a, b| [a[0].min(b[0]), a[1].min(b[1])])
        };
        let [_, fast] = best(small, 2);
        let [read, slow] = best(MAX_LEN, 1);
        // A floor under the small one: a clock has noise, quadratic time has none to hide in.
        let fast = fast.max(Duration::from_micros(200));
        let growth = slow.as_secs_f64() / fast.as_secs_f64();
        slowest = slowest.max((read, name));
        if growth > steepest.0 {
            steepest = (growth, name);
        }
    };
    for (piece, end) in PIECES {
        judge(piece, &|length| repeat(piece, end, length));
    }
    judge("distinct words", &|length| distinct("w0,", length - 3) + "=>a");
    judge("clashes in what is left out", &|length| distinct("..x0..,x0;", length - 6) + "=>a;b");
    judge("clashes in kinds", &|length| distinct("..x0..,x0|", length - 3) + "=>a");
    let (slow, name) = slowest;
    println!(
        "large: {} kinds of {MAX_LEN} bytes; slowest to read {} ms ({name:?}); growth of reading, \
         printing and rendering at most {:.1} x for {TIMES} x ({:?})",
        PIECES.len() + 3,
        slow.as_millis(),
        steepest.0,
        steepest.1,
    );
    ensure!(slow < Duration::from_secs(1), "{name:?} takes a second or more");
    ensure!(steepest.0 < 4.0 * f64::from(TIMES), "{:?} is not linear", steepest.1);
    Ok(())
}
