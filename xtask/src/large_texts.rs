//! Texts as large as are read, made to be slow: reading them takes time in proportion.

use std::{hint::black_box, time::Duration};

use anyhow::ensure;
use lozenge_diagnostic::{Look, Sources, concise, full, json};
use lozenge_notation::{Dialect, MAX_LEN, parse, parse_as, parse_shape};

use crate::clock::Clock;

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
    ("a~[", "=>a"),
    ("a~[1,", "=>a"),
    ("2*a~[1]+k,", "=>a"),
    ("a> ", "=>a"),
    ("a>+k ", "=>a"),
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

/// A text is timed at most this often; the best ratio counts. What is not linear is slow every
/// time, and what else the machine does, with the caches that both have, is not.
const TRIES: usize = 8;

/// A text of the length of the large ones without anything unusual, beside which they are read.
const ORDINARY: &str = "a, b, c, d; ";

/// The slowest text takes at most this many times as long to read as an ordinary one.
const MOST_TO_ORDINARY: f64 = 30.0;

/// A large text takes at most this many times as long as small ones of the same length together.
const MOST_TO_SMALL: f64 = 4.0;

/// The time to read a text as a specification; and in every way, print it and speak of it.
fn time(text: &str) -> [Duration; 2] {
    let start = Clock::now();
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

pub(crate) fn run() -> anyhow::Result<()> {
    let ordinary = repeat(ORDINARY, "=>a", MAX_LEN);
    let mut slowest = (0.0, "");
    let mut steepest = (0.0, "");
    let mut judge = |name: &'static str, text: &dyn Fn(usize) -> String| {
        let (small, large) = (text(MAX_LEN / TIMES as usize), text(MAX_LEN));
        let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
        let (mut to_ordinary, mut to_small) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..TRIES {
            // Right after each other, and as much text each, so that a busy machine slows all of
            // them.
            let ordinary = time(&ordinary)[0];
            let [read, all] = time(&large);
            to_ordinary = to_ordinary.min(ratio(read, ordinary));
            to_small = to_small.min(ratio(all, (0..TIMES).map(|_| time(&small)[1]).sum()));
            if to_ordinary < MOST_TO_ORDINARY && to_small < MOST_TO_SMALL {
                break;
            }
        }
        if to_ordinary > slowest.0 {
            slowest = (to_ordinary, name);
        }
        if to_small > steepest.0 {
            steepest = (to_small, name);
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
