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

/// Each time is the best of so many, taken in turns with the others.
const TRIES: usize = 3;

/// A text of the length of the large ones without anything unusual, beside which they are read.
const ORDINARY: &str = "a, b, c, d; ";

/// The slowest text takes at most this many times as long to read as an ordinary one.
const MOST_TO_ORDINARY: f64 = 30.0;

/// A large text takes at most this many times as long as small ones of the same length together.
const MOST_TO_SMALL: f64 = 4.0;

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

fn repeat(piece: &str, end: &str, length: usize) -> String {
    piece.repeat((length - end.len()) / piece.len()) + end
}

pub(super) fn run() -> anyhow::Result<()> {
    let ordinary = repeat(ORDINARY, "=>a", MAX_LEN);
    let mut slowest = (0.0, "");
    let mut steepest = (0.0, "");
    let mut judge = |name: &'static str, text: &dyn Fn(usize) -> String| {
        let (small, large) = (text(MAX_LEN / TIMES as usize), text(MAX_LEN));
        let [mut of_ordinary, mut of_small, mut of_read, mut of_large] = [Duration::MAX; 4];
        for _ in 0..TRIES {
            // In turns, so that whatever else the machine does slows all of them.
            of_ordinary = of_ordinary.min(time(&ordinary)[0]);
            of_small = of_small.min(time(&small)[1]).min(time(&small)[1]);
            let [read, all] = time(&large);
            (of_read, of_large) = (of_read.min(read), of_large.min(all));
        }
        let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
        let against_ordinary = ratio(of_read, of_ordinary);
        if against_ordinary > slowest.0 {
            slowest = (against_ordinary, name);
        }
        let growth = ratio(of_large, of_small * TIMES);
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
    println!(
        "large: {} kinds of {MAX_LEN} bytes; slowest to read {:.1} x an ordinary one ({:?}); reading, printing and \
         rendering at most {:.1} x as long as {TIMES} of a {TIMES}th ({:?})",
        PIECES.len() + 3,
        slowest.0,
        slowest.1,
        steepest.0,
        steepest.1,
    );
    ensure!(slowest.0 < MOST_TO_ORDINARY, "{:?} is slow to read", slowest.1);
    ensure!(steepest.0 < MOST_TO_SMALL, "{:?} is not linear", steepest.1);
    Ok(())
}
