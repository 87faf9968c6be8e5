//! The programs that are drawn.

use crate::{
    Generator,
    border::{Border, Ends},
};

/// The names of open sizes.
pub(super) const NAMES: [&str; 5] = ["n", "m", "batch", "past", "seq"];

/// A program: declarations, and steps over tensors by their numbers.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) terminals: Vec<Terminal>,
    /// What is said of the values of names, both ends included.
    pub(super) ranges: Vec<Option<(u64, u64)>>,
    pub(super) steps: Vec<Step>,
    /// Which names are known at run time only.
    pub(super) late: Vec<bool>,
    /// Whether those of them that stand in one place are not written.
    pub(super) is_fresh: bool,
    /// Two values of a name for which sizes are equal that have to be.
    pub(super) roots: Option<(usize, [u64; 2])>,
}

/// Data, or a parameter.
#[derive(Clone, Debug)]
pub(super) struct Terminal {
    pub(super) is_parameter: bool,
    pub(super) said: Said,
}

/// What is said of the shape of a terminal.
#[derive(Clone, Debug)]
pub(super) enum Said {
    Axes(Vec<Axis>),
    /// Nothing; it is used as if it had this many axes.
    Nothing(usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Axis {
    Name(usize),
    Number(u64),
    /// A name, and what is computed from it and another name or a number.
    Computed(usize, char, Operand),
    /// A number times a name, less another number.
    Less(u64, usize, u64),
    /// Its uses say which.
    Unknown,
    /// Its uses say which, or it is one element.
    Met,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Name(usize),
    Number(u64),
}

#[derive(Debug)]
pub(super) enum Step {
    Einsum {
        text: String,
        sizes: Vec<(&'static str, u64)>,
        operands: Vec<usize>,
        what: &'static str,
    },
    Sum(usize, usize),
    /// With NumPy's broadcasting: pointwise, or a product of matrices.
    Stretched(Vec<usize>),
    Product(usize, usize),
    Reshape(String, usize),
    /// What was captured of two steps is the same, or of one is a number. Makes what was made last.
    Equal(usize, usize),
    Set(usize, u64),
}

/// Whether something would be guessed in a step: how many axes `...` has, or how many elements what
/// is stretched and counted.
fn is_guessed(terminals: &[Terminal], steps: &[Step], step: &Step) -> bool {
    let is_unsaid =
        |of: &usize| terminals.get(*of).is_some_and(|of| matches!(of.said, Said::Nothing(_)));
    let is_met = |of: &Terminal| of.axes().iter().any(|axis| matches!(axis, Axis::Met));
    match step {
        Step::Product(a, b) => is_unsaid(a) || is_unsaid(b),
        Step::Stretched(operands) => {
            let is_counted = |step: &Step| matches!(step, Step::Reshape(..));
            operands.iter().any(is_unsaid) && steps.iter().any(is_counted)
        }
        Step::Reshape(..) => {
            let is_stretched = |step: &Step| matches!(step, Step::Stretched(operands) if operands.iter().any(is_unsaid));
            steps.iter().any(is_stretched) || terminals.iter().any(is_met)
        }
        _ => false,
    }
}

fn letters(rank: usize) -> Vec<String> {
    ('a'..).take(rank).map(String::from).collect()
}

impl Program {
    pub(super) fn draw(rng: &mut Generator) -> Program {
        let names = rng.usize(1..=NAMES.len());
        let axis = |rng: &mut Generator| match rng.u8(..4) {
            0 => Axis::Number([2, 3, 4, 6, 8][rng.usize(..5)]),
            1 if rng.bool() => {
                let by = if rng.bool() {
                    Operand::Name(rng.usize(..names))
                } else {
                    Operand::Number(rng.u64(1..5))
                };
                Axis::Computed(rng.usize(..names), ['+', '-', '*', '/'][rng.usize(..4)], by)
            }
            _ => Axis::Name(rng.usize(..names)),
        };
        let ranges = (0..names).map(|_| {
            let low = [0, 1, 2, 5, 24][rng.usize(..5)];
            (rng.u8(..4) == 0).then(|| (low, low + rng.u64(100..3_000)))
        });
        let ranges: Vec<Option<(u64, u64)>> = ranges.collect();
        let mut terminals: Vec<Terminal> = vec![];
        for _ in 0..rng.usize(1..4) {
            let rank = rng.usize(1..4);
            terminals.push(Terminal::data((0..rank).map(|_| axis(rng)).collect()));
        }
        if rng.u8(..3) == 0 {
            let rank = rng.usize(1..4);
            let mut or_unknown = |_| match rng.u8(..6) {
                0 => Axis::Met,
                1 | 2 => Axis::Unknown,
                _ => Axis::Name(rng.usize(..names)),
            };
            let some = (0..rank).map(&mut or_unknown).collect();
            let said = if rng.bool() { Said::Nothing(rank) } else { Said::Axes(some) };
            terminals.push(Terminal { is_parameter: rng.bool(), said });
        }
        let has_ones = rng.u8(..3) == 0;
        if has_ones {
            let rank = rng.usize(1..4);
            let or_one = |rng: &mut Generator| if rng.bool() { Axis::Number(1) } else { axis(rng) };
            terminals.push(Terminal::data((0..rank).map(|_| or_one(rng)).collect()));
        }
        // What windows slide with.
        terminals.push(Terminal::data(vec![Axis::Number(3)]));
        let kernel = terminals.len() - 1;
        let alike = (rng.u8(..8) == 0).then(|| rng.usize(..names));
        let roots = alike.filter(|name| ranges[*name].is_none()).map(|name| {
            let low = rng.u64(2..6);
            (name, [low, low + rng.u64(1..6)])
        });
        if let Some((name, [one, other])) = roots {
            terminals.push(Terminal::data(vec![Axis::Name(name); 2]));
            terminals.push(Terminal::data(vec![Axis::Less(one + other, name, one * other)]));
        }
        let count = terminals.len();
        let mut ranks: Vec<usize> = terminals.iter().map(Terminal::rank).collect();
        let mut steps: Vec<Step> = vec![];
        if roots.is_some() {
            // (n − p)·(n − q) = 0.
            let (text, what) = ("a, b => (a b)".to_owned(), "equal for two values");
            steps.push(Step::Einsum { text, sizes: vec![], operands: vec![count - 2], what });
            let operands = if rng.bool() { (count, count - 1) } else { (count - 1, count) };
            steps.push(Step::Sum(operands.0, operands.1));
            ranks.extend([1, 1]);
        }
        for _ in 0..rng.usize(1..8) {
            // The last ones more often, so that sizes are computed from computed ones.
            let last = ranks.len();
            let of = if rng.bool() { last - 1 } else { rng.usize(..last) };
            let (mut step, mut rank) = Step::draw(rng, of, &ranks, kernel);
            if is_guessed(&terminals, &steps, &step) {
                (step, rank) = (Step::Sum(of, of), ranks[of]);
            }
            if matches!(step, Step::Reshape(_, of) if is_sum(&steps, count, of)) {
                (step, rank) = (Step::Sum(of, of), ranks[of]);
            }
            steps.push(step);
            ranks.push(rank);
        }
        let captures: Vec<usize> =
            (0..steps.len()).filter(|step| steps[*step].captures()).collect();
        if !captures.is_empty() && rng.u8(..4) == 0 {
            let one = captures[rng.usize(..captures.len())];
            steps.push(if rng.bool() {
                Step::Equal(one, captures[rng.usize(..captures.len())])
            } else {
                Step::Set(one, [2, 3, 4, 8, 24][rng.usize(..5)])
            });
        }
        let late = rng.u8(..6);
        let is_root = |name: usize| roots.is_some_and(|(root, _)| root == name);
        let is_late = |name: usize| !is_root(name) && (late == 0 || late == 1 && rng.bool());
        let late = (0..names).map(is_late).collect();
        Program { terminals, ranges, steps, late, is_fresh: rng.bool(), roots }
    }

    /// The axes of terminals, each with the number of its terminal.
    fn axes(&self) -> impl Iterator<Item = (usize, Axis)> + '_ {
        let numbered = self.terminals.iter().enumerate();
        numbered.flat_map(|(number, of)| of.axes().iter().map(move |axis| (number, *axis)))
    }

    /// Whether a name is known at run time, and no axis is called like that.
    pub(super) fn is_fresh(&self, name: usize) -> bool {
        let uses = self.axes().map(|(_, axis)| axis.uses(name)).sum::<usize>();
        self.is_fresh && self.late[name] && self.ranges[name].is_none() && uses == 1
    }

    /// What a name is called in the program.
    pub(super) fn called(&self, name: usize) -> String {
        let is_it = |(_, axis): &(usize, Axis)| matches!(axis, Axis::Name(own) if *own == name);
        match self.axes().find(is_it) {
            Some((number, _)) if self.late.get(name).is_some() && self.is_fresh(name) => {
                let mut before = self.terminals[number].axes().iter();
                let before = before.by_ref().take_while(|axis| !is_it(&(number, **axis)));
                let is_fresh =
                    |axis: &&Axis| matches!(axis, Axis::Name(own) if self.is_fresh(*own));
                format!("d{number}_{}", before.filter(is_fresh).count())
            }
            _ => NAMES[name].to_owned(),
        }
    }

    /// Whether all names are known at run time: then only what holds for no values is refused.
    pub(super) fn is_all_late(&self) -> bool {
        let is_said = |name: usize| {
            self.axes().any(|(_, axis)| matches!(axis, Axis::Name(own) if own == name))
        };
        let is_used = |name: usize| self.axes().any(|(_, axis)| axis.uses(name) > 0);
        (0..self.late.len()).all(|name| !is_used(name) || self.late[name] && is_said(name))
    }
}

impl Axis {
    /// The number of axes in which it has a name.
    fn uses(self, name: usize) -> usize {
        match self {
            Axis::Name(own)
            | Axis::Less(_, own, _)
            | Axis::Computed(own, _, Operand::Number(_)) => usize::from(own == name),
            Axis::Computed(own, _, Operand::Name(by)) => {
                usize::from(own == name) + usize::from(by == name)
            }
            Axis::Number(_) | Axis::Unknown | Axis::Met => 0,
        }
    }
}

/// Whether a tensor is a sum, or what one is stretched to: it may be broadcast so that its elements
/// fill a shape that those of its operands do not. The first tensors are not made by steps.
fn is_sum(steps: &[Step], terminals: usize, of: usize) -> bool {
    let made = of.checked_sub(terminals).and_then(|made| steps.get(made));
    match made {
        Some(Step::Sum(..)) => true,
        Some(Step::Stretched(operands)) => {
            operands.iter().any(|operand| is_sum(steps, terminals, *operand))
        }
        Some(Step::Product(a, b)) => [a, b].iter().any(|of| is_sum(steps, terminals, **of)),
        _ => false,
    }
}

impl Terminal {
    fn data(axes: Vec<Axis>) -> Terminal {
        Terminal { is_parameter: false, said: Said::Axes(axes) }
    }

    fn rank(&self) -> usize {
        match &self.said {
            Said::Axes(axes) => axes.len(),
            Said::Nothing(rank) => *rank,
        }
    }

    /// Whether an axis of it is not said.
    pub(super) fn is_open(&self) -> bool {
        match &self.said {
            Said::Axes(axes) => axes.iter().any(|axis| matches!(axis, Axis::Unknown | Axis::Met)),
            Said::Nothing(_) => true,
        }
    }

    /// Its axes, as far as they are said.
    pub(super) fn axes(&self) -> &[Axis] {
        match &self.said {
            Said::Axes(axes) => axes,
            Said::Nothing(_) => &[],
        }
    }
}

impl Step {
    /// A step on a tensor, and the rank of what it makes.
    fn draw(rng: &mut Generator, of: usize, ranks: &[usize], kernel: usize) -> (Step, usize) {
        let rank = ranks[of];
        let axes = letters(rank);
        let at = rng.usize(..rank);
        let einsum = |text: String, sizes: Vec<(&'static str, u64)>, operands: Vec<usize>, what| {
            Step::Einsum { text, sizes, operands, what }
        };
        // One axis written otherwise in the operand, or in the result.
        let with = |text: &str| {
            let mut axes = axes.clone();
            text.clone_into(&mut axes[at]);
            axes.join(", ")
        };
        match rng.u8(..15) {
            13 | 14 => Step::stretched(rng, of, ranks),
            0 | 1 if rank > 1 => {
                let at = at.min(rank - 2);
                let mut made = axes.clone();
                let second = made.remove(at + 1);
                made[at] = format!("({} {second})", axes[at]);
                let text = format!("{} => {}", axes.join(", "), made.join(", "));
                (einsum(text, vec![], vec![of], "merged"), rank - 1)
            }
            2 if rank < 4 => {
                let size = [2, 3, 4][rng.usize(..3)];
                let text = format!("{} => {}", with("(x y)"), with("x, y"));
                (einsum(text, vec![("y", size)], vec![of], "split"), rank + 1)
            }
            3 => {
                let others: Vec<usize> = (0..ranks.len()).filter(|o| ranks[*o] == rank).collect();
                let other = others[rng.usize(..others.len())];
                let text = format!("{}; {} => {}", with("x"), with("y"), with("x^y"));
                (einsum(text, vec![], vec![of, other], "concatenated"), rank)
            }
            4 => {
                let text = format!("{} => {}", with("x"), with("x^3"));
                (einsum(text, vec![], vec![of], "with a number"), rank)
            }
            5 | 6 | 12 => {
                let mut border = Border::draw(rng, 2);
                if rng.bool() {
                    border.margins = [0; 2];
                }
                let what = match border.ends {
                    _ if border.margins != [0; 2] => "window with margins",
                    Ends::Valid => "valid window",
                    Ends::Whole => "whole window",
                    Ends::Begun => "begun window",
                    Ends::Padded => "padded window",
                    Ends::PaddedLoose => "loosely padded window",
                };
                let (stride, dilation) = (rng.u8(1..4), rng.u8(1..3));
                let window = format!("{stride}*x{}+{dilation}*k", border.text());
                // Now and then the axis is written, and closing says how long it is.
                let axes = [with(&window), with("x")];
                let is_written = border.ends != Ends::Padded && rng.u8(..4) == 0;
                let [read, written] = if is_written { [1, 0] } else { [0, 1] };
                let text = format!("{}; k => {}", axes[read], axes[written]);
                (einsum(text, vec![], vec![of, kernel], what), rank)
            }
            7 => {
                let (strided, what) =
                    if rng.bool() { ("2*x", "strided") } else { ("3*x~", "loosely strided") };
                let text = format!("{} => {}", with(strided), with("x"));
                (einsum(text, vec![], vec![of], what), rank)
            }
            8 => {
                let mut made = axes.clone();
                made.rotate_left(at);
                let text = format!("{} => {}", axes.join(", "), made.join(", "));
                (einsum(text, vec![], vec![of], "transposed"), rank)
            }
            9 => {
                let other = rng.usize(..ranks.len());
                let mut theirs: Vec<String> =
                    ('p'..).take(ranks[other]).map(String::from).collect();
                let place = rng.usize(..theirs.len());
                theirs[place].clone_from(&axes[at]);
                let mine = axes.iter().filter(|axis| **axis != axes[at]);
                let rest = theirs.iter().filter(|axis| **axis != axes[at]);
                let made: Vec<String> = mine.chain(rest).take(3).cloned().collect();
                if made.is_empty() {
                    return (Step::Sum(of, of), rank);
                }
                let text =
                    format!("{}; {} => {}", axes.join(", "), theirs.join(", "), made.join(", "));
                (einsum(text, vec![], vec![of, other], "contracted"), made.len())
            }
            10 => {
                let others: Vec<usize> = (0..ranks.len()).filter(|o| ranks[*o] == rank).collect();
                (Step::Sum(of, others[rng.usize(..others.len())]), rank)
            }
            _ => {
                let shapes = [("_", 1), ("_,2", 2), ("_,3", 2), ("2,_", 2), ("_,2,2", 3)];
                let (shape, rank) = shapes[rng.usize(..shapes.len())];
                (Step::Reshape(shape.to_owned(), of), rank)
            }
        }
    }

    /// A step with NumPy's broadcasting, and the rank of what it makes.
    fn stretched(rng: &mut Generator, of: usize, ranks: &[usize]) -> (Step, usize) {
        let matrices: Vec<usize> = (0..ranks.len()).filter(|other| ranks[*other] > 1).collect();
        if rng.bool() && ranks[of] > 1 {
            let other = matrices[rng.usize(..matrices.len())];
            return (Step::Product(of, other), ranks[of].max(ranks[other]));
        }
        let mut operands: Vec<usize> =
            (0..rng.usize(0..3)).map(|_| rng.usize(..ranks.len())).collect();
        operands.insert(rng.usize(..=operands.len()), of);
        let rank = operands.iter().map(|of| ranks[*of]).max().unwrap_or(0);
        (Step::Stretched(operands), rank)
    }

    /// Whether it is an operation with an axis `x`.
    pub(super) fn captures(&self) -> bool {
        matches!(self, Step::Einsum { text, .. } if text.contains('x'))
    }

    pub(super) fn construct(&self) -> &'static str {
        match self {
            Step::Equal(..) | Step::Set(..) => "captured",
            Step::Einsum { what, .. } => what,
            Step::Sum(..) => "sum",
            Step::Stretched(..) => "stretched",
            Step::Product(..) => "product of matrices",
            Step::Reshape(..) => "reshape",
        }
    }
}
