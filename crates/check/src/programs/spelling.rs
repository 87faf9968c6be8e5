//! Spellings of one program: in which order it is built, in which order operands are listed, what
//! everything is called. None of it may be seen in what is inferred.

use crate::Generator;

use super::{
    model::{Program, SizeOf, Step},
    names::Names,
};

/// One way to write a program.
#[derive(Clone, Debug)]
pub struct Spelling {
    /// The order in which steps are built.
    pub order: Vec<usize>,
    /// The steps with their operands and given sizes as they are listed.
    pub steps: Vec<Step>,
    pub names: Names,
}

/// What is changed about a spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transformation {
    /// Operations and statements in another order, after all terminals.
    Order,
    /// Terminals in another order, before everything else.
    Declarations,
    /// The operands of pointwise operations exchanged.
    Operands,
    /// The sides of `same` and `equal` exchanged.
    Sides,
    /// Other names at random.
    Renamed,
    /// Other names, in reverse alphabetical order.
    Reversed,
    /// Sizes listed in another order in `{…}`.
    Sizes,
    /// Two operations built in the other order of which `{…}` tells one from the other.
    Twins,
    /// All of it at once, and terminals among the other steps.
    All,
}

impl Transformation {
    pub const ALL: [Transformation; 9] = [
        Transformation::Order,
        Transformation::Declarations,
        Transformation::Operands,
        Transformation::Sides,
        Transformation::Renamed,
        Transformation::Reversed,
        Transformation::Sizes,
        Transformation::Twins,
        Transformation::All,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Transformation::Order => "order of steps",
            Transformation::Declarations => "order of declarations",
            Transformation::Operands => "operands exchanged",
            Transformation::Sides => "sides exchanged",
            Transformation::Renamed => "renamed",
            Transformation::Reversed => "renamed backwards",
            Transformation::Sizes => "sizes listed otherwise",
            Transformation::Twins => "twins exchanged",
            Transformation::All => "all at once",
        }
    }
}

impl Spelling {
    /// A program as it was drawn.
    pub fn plain(program: &Program) -> Spelling {
        Spelling {
            order: (0..program.steps.len()).collect(),
            steps: program.steps.clone(),
            names: Names::plain(program),
        }
    }

    /// Another spelling of a program, which differs from the plain one in this; `None` where
    /// nothing can be changed.
    pub fn other(
        program: &Program,
        transformation: Transformation,
        rng: &mut Generator,
    ) -> Option<Spelling> {
        let mut other = Spelling::plain(program);
        let places = 0..program.steps.len();
        let is_terminal = |place: &usize| program.steps[*place].is_terminal();
        match transformation {
            Transformation::Order => {
                let mut ranks: Vec<u32> = places.map(|_| rng.u32(1..)).collect();
                (0..ranks.len()).filter(is_terminal).for_each(|place| ranks[place] = 0);
                other.order = in_order(program, &ranks);
            }
            Transformation::Declarations => {
                let terminals: Vec<usize> = places.clone().filter(is_terminal).collect();
                let mut moved = terminals.clone();
                rng.shuffle(&mut moved);
                let rest = places.filter(|place| !is_terminal(place));
                other.order = moved.into_iter().chain(rest).collect();
            }
            Transformation::Operands => other.exchange(Step::is_operation, rng),
            Transformation::Sides => other.exchange(Step::is_statement, rng),
            Transformation::Renamed => other.names = Names::random(program, rng),
            Transformation::Reversed => other.names = Names::reversed(program),
            Transformation::Sizes => other.list_sizes(rng),
            Transformation::Twins => {
                let twins = program.twins();
                let [first, second] = *rng.choice(&twins)?;
                other.order = exchanged(program, first, second);
            }
            Transformation::All => {
                let ranks: Vec<u32> = places.map(|_| rng.u32(..)).collect();
                other.order = in_order(program, &ranks);
                other.exchange(Step::is_commutative, rng);
                other.list_sizes(rng);
                other.names = Names::random(program, rng);
            }
        }
        let plain = Spelling::plain(program);
        let renames = matches!(transformation, Transformation::Renamed | Transformation::Reversed);
        (renames || other.order != plain.order || other.steps != plain.steps).then_some(other)
    }

    /// Exchanges what commutes in these steps.
    fn exchange(&mut self, of: impl Fn(&Step) -> bool, rng: &mut Generator) {
        for step in self.steps.iter_mut().filter(|step| of(step)) {
            match step {
                Step::Pointwise(_, operands) => rng.shuffle(operands),
                Step::Same(operands) => operands.reverse(),
                Step::Equal(sizes) => sizes.reverse(),
                _ => {}
            }
        }
    }

    fn list_sizes(&mut self, rng: &mut Generator) {
        for step in &mut self.steps {
            if let Step::Einsum(einsum) = step {
                rng.shuffle(&mut einsum.sizes);
            }
        }
    }

    /// The name of a size that a statement is about, as it is written: `y.j`, or `d`.
    pub fn size_name(&self, size: SizeOf) -> String {
        let step = &self.names.steps[size.step()];
        match size {
            SizeOf::New(_) => step.clone(),
            SizeOf::Label(place, label) => format!("{step}.{}", self.names.of_label(place, label)),
        }
    }
}

/// The order in which every step comes after those it refers to, and otherwise one of lower rank
/// first.
fn in_order(program: &Program, ranks: &[u32]) -> Vec<usize> {
    let mut order = vec![];
    let mut done = vec![false; program.steps.len()];
    while order.len() < program.steps.len() {
        let is_ready = |place: &usize| {
            !done[*place] && program.steps[*place].uses().iter().all(|used| done[*used])
        };
        let ready = (0..program.steps.len()).filter(is_ready);
        let Some(next) = ready.min_by_key(|place| (ranks[*place], *place)) else { break };
        done[next] = true;
        order.push(next);
    }
    order
}

/// The order with the second of two steps, and all that it needs, right before the first. It does
/// not need the first.
fn exchanged(program: &Program, first: usize, second: usize) -> Vec<usize> {
    let mut needed = vec![false; program.steps.len()];
    needed[second] = true;
    for place in (0..=second).rev().filter(|place| *place > first) {
        if needed[place] {
            program.steps[place].uses().into_iter().for_each(|used| needed[used] = true);
        }
    }
    let is_moved = |place: &usize| *place > first && needed[*place];
    let places = 0..program.steps.len();
    let before = places.clone().filter(|place| *place < first);
    let moved = places.clone().filter(is_moved);
    let after = places.filter(|place| *place >= first && !is_moved(place));
    before.chain(moved).chain(after).collect()
}
