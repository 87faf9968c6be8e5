//! Numbers as text: those that are given to a tensor, and those that it is claimed to hold.

use std::fmt::Write;

use ndarray::{ArrayD, IxDyn};

/// How many numbers are written out.
const WRITTEN: usize = 48;

/// The array of a shape that a text fills: `3 1 4`, `0..5` (with both ends), `0..` (as far as
/// needed), or one number for all.
///
/// # Panics
/// When it has another number of numbers.
pub(crate) fn read(text: &str, shape: &[usize]) -> ArrayD<f64> {
    let count = shape.iter().product();
    let mut numbers: Vec<f64> = Vec::with_capacity(count);
    let number =
        |word: &str| word.parse::<f64>().unwrap_or_else(|_| panic!("`{word}` is no number"));
    let words: Vec<&str> = text.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
    for word in &words {
        match word.split_once("..") {
            None if words.len() == 1 => numbers.resize(count, number(word)),
            None => numbers.push(number(word)),
            Some((first, last)) => {
                let last = (!last.is_empty()).then(|| number(last));
                let mut next = number(first);
                while last.map_or(numbers.len() < count, |last| next <= last) {
                    numbers.push(next);
                    next += 1.0;
                }
            }
        }
    }
    let given = numbers.len();
    ArrayD::from_shape_vec(IxDyn(shape), numbers)
        .unwrap_or_else(|_| panic!("{given} numbers for {count} places"))
}

/// Numbers in memory order: `,` ends a row, `;` a matrix. Of many, the first and the last, their
/// sum, and the sum of each times its place.
pub(crate) fn write(array: &ArrayD<f64>) -> String {
    if array.is_empty() {
        return "nothing".into();
    }
    let numbers: Vec<f64> = array.iter().copied().collect();
    let mut written = String::new();
    if numbers.len() > WRITTEN {
        for number in &numbers[..6] {
            let _ = write!(written, "{} ", shown(*number));
        }
        let weighted: f64 = (0_u32..).zip(&numbers).map(|(place, of)| f64::from(place) * of).sum();
        let (last, sum) = (numbers[numbers.len() - 1], numbers.iter().sum());
        let [last, sum, weighted] = [last, sum, weighted].map(shown);
        return format!("{written}… {last}, sum {sum}, weighted {weighted}");
    }
    let mut sizes = array.shape().iter().rev().copied();
    let row = sizes.next().unwrap_or(1);
    let matrix = row * sizes.next().unwrap_or(1);
    for (place, number) in numbers.iter().enumerate() {
        let sign = match place {
            0 => "",
            _ if place % matrix == 0 => "; ",
            _ if place % row == 0 => ", ",
            _ => " ",
        };
        let _ = write!(written, "{sign}{}", shown(*number));
    }
    written
}

/// A number, and never `-0`.
fn shown(number: f64) -> String {
    (number + 0.0).to_string()
}
