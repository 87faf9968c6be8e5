//! Random programs, step by step.

use lozenge::{Report, Session};

use crate::Generator;

use super::{
    build::{Built, Made},
    model::{Einsum, Program, SizeOf, Step},
    names::OPERATIONS,
    spelling::Spelling,
    templates::{SHAPES, SPECS, is_of_parameter},
};

/// A program that was drawn: the steps that were taken, and those that were refused and when.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    pub program: Program,
    /// Each with how many steps came before.
    pub refused: Vec<(usize, Step)>,
}

/// A program in which so many steps were refused ends.
const MOST_REFUSED: usize = 40;

/// Whether a step is of a kind.
type IsKind = fn(&Step) -> bool;

/// Kinds of steps that a program may have or not, with how many of five programs may. One that has
/// everything seldom closes.
const KINDS: [(IsKind, u8); 4] = [
    (Step::is_counted, 2),
    (|step| step.is_statement() || *step == Step::Size, 3),
    (|step| matches!(step, Step::Parameter(_)), 2),
    (|step| step.shape().is_some_and(|shape| shape.contains('N')), 2),
];

/// A program of 2 to 24 operations and statements, more often a small one.
pub fn draw(rng: &mut Generator) -> Drawn {
    draw_told(rng, &mut |_| {}).0
}

/// A random program with its session. What is said of each step that is refused is told.
pub fn draw_told(rng: &mut Generator, refused: &mut dyn FnMut(&Report)) -> (Drawn, Session) {
    let excluded = KINDS.map(|(kind, share)| (kind, rng.u8(..5) >= share));
    let mut drawn = Drawn::default();
    let mut built = Built::nothing(0);
    let wanted = if rng.bool() { rng.usize(2..=8) } else { rng.usize(6..=24) };
    let mut taken = 0;
    while taken < wanted && drawn.refused.len() < MOST_REFUSED {
        let step = draw_step(rng, &drawn.program.steps);
        if excluded.iter().any(|(kind, is_excluded)| *is_excluded && kind(&step)) {
            continue;
        }
        let is_terminal = step.is_terminal();
        if drawn.take(&mut built, step, refused) && !is_terminal {
            taken += 1;
        }
    }
    // What is done twice and used by nothing can differ in nothing.
    let operations = drawn.program.steps.iter().filter(|step| step.is_operation());
    let operations: Vec<Step> = operations.cloned().collect();
    if let Some(step) = rng.choice(operations).filter(|_| rng.u8(..3) == 0) {
        if drawn.take(&mut built, step.clone(), refused) {
            drawn.take(&mut built, step, refused);
        }
    }
    (drawn, built.session)
}

impl Drawn {
    /// Adds a step, if the session takes it.
    fn take(&mut self, built: &mut Built, step: Step, refused: &mut dyn FnMut(&Report)) -> bool {
        let place = self.program.steps.len();
        self.program.steps.push(step);
        built.made.push(Made::Nothing);
        match built.add(&Spelling::plain(&self.program), place) {
            Ok(made) => {
                built.made[place] = made;
                return true;
            }
            Err(rejection) => refused(&rejection),
        }
        built.made.pop();
        self.refused.extend(self.program.steps.pop().map(|step| (place, step)));
        false
    }
}

fn draw_step(rng: &mut Generator, before: &[Step]) -> Step {
    let tensors: Vec<usize> =
        (0..before.len()).filter(|place| before[*place].is_tensor()).collect();
    if tensors.len() < 2 || rng.u8(..7) == 0 {
        // As one that is there already, so that only uses tell them apart.
        let terminals = before.iter().filter(|step| step.is_terminal()).collect::<Vec<_>>();
        let again = rng.choice(terminals).filter(|_| rng.u8(..4) == 0);
        return again.cloned().unwrap_or_else(|| draw_terminal(rng));
    }
    if rng.u8(..6) == 0 {
        if let Some(step) = draw_again(rng, before) {
            return step;
        }
    }
    // Recent ones more often: programs are deep.
    let mut operand = || {
        let back = rng.usize(..tensors.len()).min(rng.usize(..tensors.len()));
        tensors[tensors.len() - 1 - back]
    };
    let [a, b, c] = [operand(), operand(), operand()];
    match rng.u8(..27) {
        0..=7 => Step::Pointwise(rng.usize(..OPERATIONS), [a, b, c][..rng.usize(1..=3)].to_vec()),
        8..=10 => Step::Compose([a, b]),
        11 => Step::ComposeAccumulate([a, b, c]),
        12 => Step::Transpose(a),
        13..=20 => {
            let spec = rng.usize(..SPECS.len());
            let operands = [a, b, c][..SPECS[spec].operands()].to_vec();
            Step::Einsum(Einsum { spec, sizes: draw_sizes(rng, spec), operands })
        }
        21 => Step::Reshape(rng.bool().then(|| rng.usize(..SHAPES.len())), a),
        22 => {
            let widths = [(8, 16), (16, 8), (32, 8), (8, 32), (64, 32), (16, 16)];
            let (from, to) = widths[rng.usize(..widths.len())];
            Step::BitCast(from, to, a)
        }
        _ => draw_statement(rng, before, [a, b]),
    }
}

fn draw_terminal(rng: &mut Generator) -> Step {
    match rng.u8(..20) {
        0 => Step::Number,
        1..=3 => Step::Unknown,
        4..=5 => Step::Parameter(None),
        6 => {
            let shape = rng.usize(..SHAPES.len());
            Step::Parameter(Some(shape).filter(|shape| is_of_parameter(SHAPES[*shape])))
        }
        7 => Step::Elements([1, 2, 4, 6, 12, 24][rng.usize(..6)]),
        8 => Step::Array((0..rng.usize(1..=3)).map(|_| rng.u64(1..=4)).collect()),
        9 => Step::Size,
        _ => Step::Data(rng.usize(..SHAPES.len())),
    }
}

/// An operation that is there, once more: as it is, or with other sizes in `{…}`; on the same
/// operands, or on terminals that are declared alike.
fn draw_again(rng: &mut Generator, before: &[Step]) -> Option<Step> {
    let operations = before.iter().filter(|step| step.is_operation());
    let einsums = before.iter().filter(|step| matches!(step, Step::Einsum(_)));
    let mut step = if rng.bool() {
        rng.choice(operations.collect::<Vec<_>>())?.clone()
    } else {
        rng.choice(einsums.collect::<Vec<_>>())?.clone()
    };
    if let Step::Einsum(einsum) = &mut step {
        if rng.u8(..3) > 0 {
            einsum.sizes = draw_sizes(rng, einsum.spec);
        }
    }
    if rng.u8(..3) == 0 {
        for operand in step.uses_mut() {
            let declared = &before[*operand];
            let alike = |place: &usize| declared.is_terminal() && before[*place] == *declared;
            let alike: Vec<usize> = (0..before.len()).filter(alike).collect();
            *operand = rng.choice(alike).unwrap_or(*operand);
        }
    }
    Some(step)
}

fn draw_sizes(rng: &mut Generator, spec: usize) -> Vec<(char, u64)> {
    let mut given = vec![];
    for axis in SPECS[spec].axes {
        if rng.u8(..5) < 2 {
            given.push((*axis, rng.u64(2..=4)));
        }
    }
    given
}

fn draw_statement(rng: &mut Generator, before: &[Step], [a, b]: [usize; 2]) -> Step {
    let mut axes = vec![];
    let mut rows = vec![];
    for (place, step) in before.iter().enumerate() {
        match step {
            Step::Size => axes.push(SizeOf::New(place)),
            Step::Einsum(einsum) => {
                let template = einsum.template();
                axes.extend(template.axes.iter().map(|axis| SizeOf::Label(place, *axis)));
                rows.extend(template.rows.iter().map(|row| SizeOf::Label(place, *row)));
            }
            _ => {}
        }
    }
    let all = [axes.as_slice(), rows.as_slice()].concat();
    match rng.u8(..10) {
        3..=5 if !all.is_empty() => {
            let number = [2, 3, 4, 6, 12][rng.usize(..5)];
            Step::Set(all[rng.usize(..all.len())], number)
        }
        6..=7 if all.len() > 1 => {
            Step::Equal([all[rng.usize(..all.len())], all[rng.usize(..all.len())]])
        }
        8..=9 if axes.len() > 1 => {
            let sizes = [axes[rng.usize(..axes.len())], axes[rng.usize(..axes.len())]];
            Step::Scale(rng.u32(2..=3), sizes)
        }
        0 => Step::Square(a),
        _ => Step::Same([a, b]),
    }
}
