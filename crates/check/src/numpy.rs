//! NumPy's broadcasting: specifications of `einsum` and shapes of pointwise operands, with ones,
//! zeros, ellipses, repeats and mistakes.
//!
//! Here a session's answers are held against NumPy's rules, written down once more in `plain`; the
//! command `numpy` of `xtask` holds them against NumPy.

mod case;
mod plain;

pub use case::{Case, Made};
use lozenge::{Einsum, Kind, Report, Session, Tensor};
use lozenge_lower::Nest;
use lozenge_notation::{Dialect, parse_as};
use ndarray::ArrayD;

use case::{MOST_ELEMENTS, element};

use crate::{Generator, Mismatch, mismatch::counts};

counts! {
    /// What became of cases.
    pub struct Counts {
        /// The specifications that are accepted, and those that are refused.
        pub specifications: [u64; 2],
        /// The pointwise operations that are accepted, and those that are refused.
        pub pointwise: [u64; 2],
        /// The results that were computed.
        pub computed: u64,
    }
}

impl Counts {
    /// Counts a case, and what comes of it.
    pub fn add(&mut self, case: &Case, made: Option<&Made>) {
        let of = if case.spec.is_some() { &mut self.specifications } else { &mut self.pointwise };
        of[usize::from(made.is_none())] += 1;
        self.computed += u64::from(made.is_some_and(|made| made.elements.is_some()));
    }
}

/// Draws a specification or pointwise operands, and holds the answer against NumPy's rules.
///
/// # Errors
/// When one accepts what the other refuses, or their results differ.
pub fn check(rng: &mut Generator, counts: &mut Counts) -> Result<(), Mismatch> {
    let case = if rng.bool() { specification(rng) } else { pointwise(rng) };
    let (ours, plain) = (answer(&case), plain::answer(&case));
    counts.add(&case, plain.as_ref());
    if ours.as_ref().ok() != plain.as_ref() {
        let Case { spec, shapes } = &case;
        return Err(format!("{spec:?} {shapes:?}: {ours:?}, but {plain:?} by the rules").into());
    }
    Ok(())
}

/// The sizes of letters, of which a few are drawn as ones.
fn size(rng: &mut Generator) -> u64 {
    match rng.u8(0..40) {
        0 => 0,
        1..=6 => 1,
        n => u64::from(n % 3) + 2,
    }
}

/// A text close to a specification of NumPy's, and shapes close to those that it reads.
pub fn specification(rng: &mut Generator) -> Case {
    let mut letters: Vec<char> = ('a'..='z').chain('A'..='Z').collect();
    rng.shuffle(&mut letters);
    letters.truncate(rng.usize(1..=5));
    let sizes: Vec<u64> = letters.iter().map(|_| size(rng)).collect();
    let common: Vec<u64> = (0..rng.usize(0..=2)).map(|_| size(rng)).collect();
    let has_ellipses = rng.u8(0..3) == 0;
    let (mut operands, mut shapes) = (vec![], vec![]);
    for _ in 0..rng.usize(1..=3) {
        let mut entries: Vec<usize> =
            (0..rng.usize(0..=3)).map(|_| rng.usize(0..letters.len())).collect();
        if rng.u8(0..3) > 0 {
            entries.sort_unstable();
            entries.dedup();
            rng.shuffle(&mut entries);
        }
        let mut text: Vec<String> = entries.iter().map(|at| letters[*at].to_string()).collect();
        // An operand has some ones of its own: all places of a letter, or one of them.
        let ones: Vec<bool> = letters.iter().map(|_| rng.u8(0..5) == 0).collect();
        let read = |at: &usize| if ones[*at] { 1 } else { sizes[*at] };
        let mut shape: Vec<u64> = entries.iter().map(read).collect();
        if has_ellipses && rng.u8(0..4) > 0 {
            let place = rng.usize(0..=text.len());
            let kept = rng.usize(0..=common.len());
            let or_one = |n: &u64| if rng.u8(0..5) == 0 { 1 } else { *n };
            let taken: Vec<u64> = common[kept..].iter().map(or_one).collect();
            shape.splice(place..place, taken);
            text.insert(place, "...".to_owned());
        }
        match rng.u8(0..25) {
            0 if !shape.is_empty() => {
                let place = rng.usize(0..shape.len());
                shape[place] = size(rng);
            }
            1 => shape.push(size(rng)),
            2 => drop(shape.pop()),
            _ => {}
        }
        operands.push(text.concat());
        shapes.push(shape);
    }
    let comma = if rng.u8(0..6) == 0 { ", " } else { "," };
    let mut spec = operands.join(comma);
    if rng.u8(0..4) > 0 {
        let mut result: Vec<char> = letters.clone();
        result.retain(|letter| spec.contains(*letter));
        rng.shuffle(&mut result);
        result.truncate(rng.usize(0..=result.len()));
        let mut result: Vec<String> = result.iter().map(char::to_string).collect();
        if has_ellipses != (rng.u8(0..8) == 0) {
            result.insert(rng.usize(0..=result.len()), "...".to_owned());
        }
        match rng.u8(0..40) {
            0 => result.push(letters[0].to_string()),
            1 => result.push("q".to_owned()),
            _ => {}
        }
        spec += if rng.u8(0..6) == 0 { " -> " } else { "->" };
        spec += &result.concat();
    }
    Case { spec: Some(spec), shapes }
}

/// Shapes of pointwise operands, most of which broadcast.
pub fn pointwise(rng: &mut Generator) -> Case {
    let common: Vec<u64> = (0..rng.usize(0..=5)).map(|_| size(rng)).collect();
    let mut shapes = vec![];
    for _ in 0..rng.usize(1..=4) {
        let from = rng.usize(0..=common.len());
        let mut shape = common[from..].to_vec();
        for axis in &mut shape {
            match rng.u8(0..30) {
                0..=7 => *axis = 1,
                8 => *axis = size(rng),
                _ => {}
            }
        }
        shapes.push(shape);
    }
    Case { spec: None, shapes }
}

/// What a session makes of a case.
///
/// # Errors
/// The headlines of what is said, where it is refused.
pub fn answer(case: &Case) -> Result<Made, String> {
    made(case).map_err(|report| {
        let said = report.diagnostics.iter().map(|said| said.headline.clone());
        said.collect::<Vec<String>>().join("; ")
    })
}

fn made(Case { spec, shapes }: &Case) -> Result<Made, Report> {
    let mut session = Session::new();
    let mut operands: Vec<Tensor> = vec![];
    for shape in shapes {
        let axes: Vec<String> = shape.iter().map(u64::to_string).collect();
        operands.push(session.data(&format!("x{}", operands.len()), &axes.join(",")[..])?);
    }
    let result = match spec {
        Some(spec) => {
            let einsum = Einsum::of(parse_as(spec, Dialect::Numpy).ok()?, &[])?;
            session.apply(einsum, &operands)?
        }
        None => session.pointwise_numpy("f", &operands)?,
    };
    let closed = session.close()?;
    let axes = closed.shape(result)?;
    let shape: Vec<u64> =
        axes.row(Kind::Output).iter().map(|axis| axis.count().unwrap_or(u64::MAX)).collect();
    let is_computed = spec.is_some() && shape.iter().product::<u64>() <= MOST_ELEMENTS;
    let elements = if is_computed {
        let assignment = session.assignment(&closed, result)?;
        computed(&Nest::new(assignment), shapes)
    } else {
        None
    };
    Ok(Made { shape, elements })
}

/// The elements that a nest makes of operands of these shapes; `None` where it does not.
fn computed(nest: &Nest, shapes: &[Vec<u64>]) -> Option<Vec<i64>> {
    let filled = |shape: &Vec<u64>| {
        let sizes: Option<Vec<usize>> = shape.iter().map(|n| usize::try_from(*n).ok()).collect();
        let sizes = sizes?;
        let count: usize = sizes.iter().product();
        ArrayD::from_shape_vec(sizes, (0..count).map(element).collect()).ok()
    };
    let operands: Option<Vec<ArrayD<i64>>> = shapes.iter().map(filled).collect();
    let operands = operands?;
    let views: Vec<_> = operands.iter().map(ArrayD::view).collect();
    let made = lozenge_lower::execute(nest, &[], &views).ok()?;
    Some(made.iter().copied().collect())
}
