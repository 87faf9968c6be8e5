//! Colours of constraints and variables: numbers that are alike where what is around them is.

use std::ops::Range;

use lozenge_calculus::{
    constraint::{Border, Constraint, Fill, Relation, SizeRelation},
    term::{RowTerm, Variable},
};

use super::{
    parts::{Asked, Parts, sorted},
    pieces::{END_OF_ROW, Piece, pieces, pieces_of_rows},
};
use crate::{
    Kind,
    session::{program::Program, step::StepId},
};

/// The colours of a program, as far as they were found.
pub(super) struct Colours {
    /// The constraints: those of one part together, in the order of heights.
    asked: Vec<Asked>,
    /// Which part each constraint belongs to.
    parts: Vec<usize>,
    /// The colours of the constraints, and of the sides of those that are equalities.
    constraints: Vec<(u64, [u64; 2])>,
    /// The colours of dimension variables, row variables, named sizes and bases, one after another.
    variables: Vec<u64>,
    /// The variables and names of one part together.
    nodes: Vec<usize>,
    /// Where those of row variables, named sizes and bases begin.
    begins: [usize; 3],
    /// The rows of every tensor, with the step that makes it. No constraint may join them, but what
    /// is of one tensor belongs together.
    tensors: Vec<(usize, [RowTerm; 3])>,
    /// The steps with their operands, and the colours of the steps: where shapes are known, no
    /// constraint says which tensors are operands of which.
    operands: Vec<[usize; 2]>,
    steps: Vec<u64>,
    /// The steps of one part together.
    members: Vec<usize>,
    /// The colours of steps, while these are found.
    told: Vec<u64>,
    /// What the constraints of a level say of the variables in them, and which those are.
    news: Vec<Option<u64>>,
    touched: Vec<usize>,
}

/// What colours are made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The order of constraints, and that of variables.
    Constraints,
    /// The order of variables alone.
    Variables,
}

/// What belongs to one part of a program.
struct Part {
    /// The constraints of one height each.
    levels: Vec<Range<usize>>,
    nodes: Range<usize>,
    members: Range<usize>,
    tensors: Range<usize>,
    operands: Range<usize>,
}

impl Part {
    fn asked(&self) -> Range<usize> {
        let end = |level: Option<&Range<usize>>| level.map_or(0, |level| level.end);
        self.levels.first().map_or(0, |level| level.start)..end(self.levels.last())
    }
}

/// How often passes are repeated while they tell more apart; in a large part they are not.
const MOST_ROUNDS: usize = 4;

/// How many constraints make a part or a program large.
const LARGE: usize = 10_000;

/// How many passes of colouring are spent on telling apart what is alike, in constraints: so a
/// large part takes a bounded number of passes, and a small one as many as it has such things.
const WORK: usize = 1 << 15;

impl Colours {
    /// The colours of a program that asks this, before anything is known but what its leaves are.
    pub(super) fn new(program: &Program, asked: Vec<Asked>, wanted: Wanted) -> Colours {
        let [dims, rows] = program.variable_counts();
        let [bases, sizes] = program.name_table.lens();
        let begins = [dims, dims + rows, dims + rows + sizes];
        let mut variables = Vec::with_capacity(begins[2] + bases + 1);
        for (sort, count) in (1..).zip([dims, rows, sizes, bases + 1]) {
            variables.extend(std::iter::repeat_n(mixed(0, sort), count));
        }
        let constraints = vec![(0, [0; 2]); asked.len()];
        let (news, touched) = (vec![None; variables.len()], vec![]);
        let made = program.step_ids().filter(|step| program.steps[step.place()].has_result);
        let rows = |step: StepId| (step.place(), Kind::ALL.map(|kind| program.row(step, kind)));
        let mut tensors: Vec<(usize, [RowTerm; 3])> = made.map(rows).collect();
        let of = |step: StepId| program.operands_of(step).iter().map(move |of| [step, *of]);
        let operands = program.step_ids().flat_map(of);
        let mut operands: Vec<[usize; 2]> = operands.map(|pair| pair.map(StepId::place)).collect();
        let steps: Vec<u64> = program.steps.iter().map(|step| u64::from(step.has_result)).collect();
        let whose = Parts::new(program, variables.len(), &begins, &asked, &tensors, &operands);
        let of_step = |step: usize| whose.of_steps[step];
        let mut asked = sorted(asked, |Asked { step, height, constraint }| {
            (of_step(*step), *height, constraint.origin)
        });
        let parts = asked.iter().map(|asked| of_step(asked.step)).collect();
        let of_asked = whose.group(&mut asked, |asked| of_step(asked.step));
        let of_tensors = whose.group(&mut tensors, |(step, _)| of_step(*step));
        let of_operands = whose.group(&mut operands, |[step, _]| of_step(*step));
        let mut nodes: Vec<usize> =
            (0..variables.len()).filter(|node| whose.of_nodes[*node].is_some()).collect();
        // Only nodes of parts are grouped; others would come after all parts.
        let part_of = |node: &usize| whose.of_nodes[*node].unwrap_or(whose.count);
        let of_nodes = whose.group(&mut nodes, part_of);
        let mut members: Vec<usize> = (0..steps.len()).collect();
        let of_members = whose.group(&mut members, |step| of_step(*step));
        let part = |number: usize| Part {
            levels: levels(&asked, of_asked[number].clone()),
            nodes: of_nodes[number].clone(),
            members: of_members[number].clone(),
            tensors: of_tensors[number].clone(),
            operands: of_operands[number].clone(),
        };
        let all: Vec<Part> = (0..whose.count).map(part).collect();
        let told = vec![0; steps.len()];
        let mut colours = Colours {
            asked,
            parts,
            constraints,
            variables,
            nodes,
            begins,
            tensors,
            operands,
            steps,
            members,
            told,
            news,
            touched,
        };
        for leaf in &program.leaves {
            let node = colours.node(leaf.var);
            let what = [leaf.role as u64, leaf.kind as u64, leaf.axis.into()];
            colours.variables[node] = what.into_iter().fold(colours.variables[node], mixed);
        }
        let mut left = WORK;
        for part in &all {
            if colours.asked.len() <= LARGE {
                left = WORK;
            }
            loop {
                colours.refine(part);
                let less = left.checked_sub(part.asked().len());
                if less.is_some() || wanted == Wanted::Constraints {
                    colours.colour_constraints(part);
                }
                let Some(less) = less else { break };
                let Some(tied) = colours.first_tie(part) else { break };
                left = less;
                colours.tell_apart(tied);
            }
        }
        colours
    }

    /// Passes up and down through a part while that tells more apart.
    fn refine(&mut self, part: &Part) {
        let mut told_apart = 0;
        let rounds = if part.asked().len() > LARGE { 1 } else { MOST_ROUNDS };
        for round in 1..=rounds {
            for level in &part.levels {
                self.pass(level.clone());
            }
            self.join_rows(part);
            for level in part.levels.iter().rev() {
                self.pass(level.clone());
            }
            if round == rounds {
                break; // and nobody asks how many it told apart
            }
            let nodes = self.nodes[part.nodes.clone()].iter();
            let mut colours: Vec<u64> = nodes.map(|node| self.variables[*node]).collect();
            colours.sort_unstable();
            colours.dedup();
            if colours.len() == told_apart {
                break;
            }
            told_apart = colours.len();
        }
    }

    /// Colours the constraints of a part by what its variables are by now.
    fn colour_constraints(&mut self, part: &Part) {
        for place in part.asked() {
            self.constraints[place] = self.colour(place, |_, _, _| {});
        }
    }

    /// Colours the constraints of a level by their variables, and then these by those.
    fn pass(&mut self, level: Range<usize>) {
        let mut nodes: Vec<(usize, u64, usize)> = vec![];
        for place in level {
            nodes.clear();
            let (colour, sides) = self.colour(place, |side, position, node| {
                nodes.push((side, position, node));
            });
            self.constraints[place] = (colour, sides);
            let is_equality = sides != [0; 2];
            for (side, position, node) in &nodes {
                let which = if is_equality { sides[*side] } else { *side as u64 };
                let told = self.news[*node].get_or_insert_with(|| {
                    self.touched.push(*node);
                    0
                });
                // A sum, so that it does not matter which constraint came first.
                *told = told.wrapping_add(mixed(mixed(colour, which), *position));
            }
        }
        self.hear();
    }

    /// Colours the rows of each tensor by each other, and by the tensors that it is made of or used
    /// for.
    fn join_rows(&mut self, part: &Part) {
        let Colours { steps, told, variables, news, touched, begins, .. } = self;
        let tensors = &self.tensors[part.tensors.clone()];
        let operands = &self.operands[part.operands.clone()];
        let mut nodes = vec![];
        let mut of_step = vec![];
        for (step, rows) in tensors {
            let colour = &mut steps[*step];
            let each = |_: usize, position: u64, piece: Piece| {
                let word = match piece {
                    Piece::Word(word) => word,
                    Piece::Node(node) => {
                        nodes.push(node);
                        variables[node]
                    }
                };
                *colour = mixed(mixed(*colour, position), word);
            };
            pieces_of_rows(rows, begins, each);
            of_step.push((*step, nodes.len()));
        }
        for _ in 0..MOST_ROUNDS {
            // Sums, so that the order of operands does not matter: where it does, constraints say
            // so.
            for [step, operand] in operands.iter().copied() {
                told[step] = told[step].wrapping_add(mixed(steps[operand], 1));
                told[operand] = told[operand].wrapping_add(mixed(steps[step], 2));
            }
            for step in &self.members[part.members.clone()] {
                steps[*step] = mixed(steps[*step], std::mem::take(&mut told[*step]));
            }
        }
        let mut place = 0;
        for (step, end) in of_step {
            for (position, node) in (0..).zip(&nodes[place..end]) {
                let told = news[*node].get_or_insert_with(|| {
                    touched.push(*node);
                    0
                });
                *told = told.wrapping_add(mixed(steps[step], position));
            }
            place = end;
        }
        self.hear();
    }

    /// Colours the variables that something was told about.
    fn hear(&mut self) {
        for node in self.touched.drain(..) {
            let Some(told) = self.news[node].take() else { continue };
            self.variables[node] = mixed(self.variables[node], told);
        }
    }

    /// The colour of a constraint as its variables are coloured, and those of its sides where it is
    /// an equality. Gives every variable in it, and where it stands.
    fn colour(&self, place: usize, mut each: impl FnMut(usize, u64, usize)) -> (u64, [u64; 2]) {
        let Asked { height, constraint, .. } = &self.asked[place];
        let relation = &constraint.relation;
        let mut sides = [0_u64; 2];
        let are_alike = matches!(relation, Relation::Size(SizeRelation::Stretch { .. }));
        let mut operand = 0_u64;
        pieces(relation, &self.begins, |side, position, piece| {
            let word = match piece {
                Piece::Word(word) => word,
                Piece::Node(node) => {
                    each(side, position, node);
                    self.variables[node]
                }
            };
            if side == 0 || !are_alike {
                sides[side] = mixed(mixed(sides[side], position), word);
                return;
            }
            operand = mixed(mixed(operand, position), word);
            if position == END_OF_ROW {
                // Operands that are stretched come in any order.
                sides[side] = sides[side].wrapping_add(std::mem::take(&mut operand));
            }
        });
        let own = mixed(kind(relation), (*height).into());
        // What was told apart stays so.
        let own = mixed(own, self.constraints[place].0);
        match relation {
            // The sides of an equality are alike.
            Relation::DimEq(..) | Relation::RowEq(..) => {
                let [less, more] = if sides[0] < sides[1] { sides } else { [sides[1], sides[0]] };
                (mixed(mixed(own, less), more), sides)
            }
            Relation::DimIneq(..) | Relation::RowIneq(..) | Relation::Size(_) => {
                (mixed(mixed(own, sides[0]), sides[1]), [0; 2])
            }
        }
    }

    /// The constraints in canonical order, the sides of equalities too, and which parts they belong
    /// to.
    pub(super) fn ordered(self) -> (Vec<Constraint>, Vec<usize>) {
        let order = self.order(0..self.asked.len());
        let mut asked: Vec<Option<Constraint>> =
            self.asked.into_iter().map(|asked| Some(asked.constraint)).collect();
        let mut ordered = Vec::with_capacity(asked.len());
        let mut parts = Vec::with_capacity(asked.len());
        for place in order {
            let Some(mut constraint) = asked[place].take() else { continue };
            let (_, [left, right]) = self.constraints[place];
            if right < left {
                turn(&mut constraint.relation);
            }
            ordered.push(constraint);
            parts.push(self.parts[place]);
        }
        (ordered, parts)
    }

    fn order(&self, places: Range<usize>) -> Vec<usize> {
        sorted(places.collect(), |place| self.key(*place))
    }

    /// What decides where a constraint comes: the height of its operation; whether it says where a
    /// row is broadcast, as a specification with `...` does; its colour.
    fn key(&self, place: usize) -> (u32, bool, u64) {
        let Asked { height, constraint, .. } = &self.asked[place];
        let says_where = match &constraint.relation {
            Relation::RowEq(left, right) => left.var.is_some() && right.var.is_some(),
            _ => false,
        };
        (*height, !says_where, self.constraints[place].0)
    }

    /// The first constraint of a part that has the colour of another and is not the same.
    fn first_tie(&self, part: &Part) -> Option<usize> {
        let order = self.order(part.asked());
        let tied = |pair: &[usize]| {
            let [first, second] = [pair[0], pair[1]];
            self.key(first) == self.key(second)
                && !is_same(&self.asked[first].constraint, &self.asked[second].constraint)
        };
        // Of those of one colour the one that was built first.
        order.windows(2).find(|pair| tied(pair)).map(|pair| pair[0])
    }

    /// Gives a constraint a colour of its own.
    fn tell_apart(&mut self, place: usize) {
        self.constraints[place].0 = mixed(self.constraints[place].0, 1);
    }

    pub(super) fn of_variable(&self, var: Variable) -> u64 {
        self.variables[self.node(var)]
    }

    fn node(&self, var: Variable) -> usize {
        match var {
            Variable::Dim(var) => var.index() as usize,
            Variable::Row(var) => self.begins[0] + var.index() as usize,
        }
    }
}

/// The constraints of each height among some that are in the order of it.
fn levels(asked: &[Asked], places: Range<usize>) -> Vec<Range<usize>> {
    let mut levels: Vec<Range<usize>> = vec![];
    for place in places {
        match levels.last_mut().filter(|level| asked[level.start].height == asked[place].height) {
            Some(level) => level.end = place + 1,
            None => levels.push(place..place + 1),
        }
    }
    levels
}

/// Exchanges the sides of an equality, which mean the same.
fn turn(relation: &mut Relation) {
    match relation {
        Relation::DimEq(left, right) => std::mem::swap(left, right),
        Relation::RowEq(left, right) => std::mem::swap(left, right),
        Relation::DimIneq(..) | Relation::RowIneq(..) | Relation::Size(_) => {}
    }
}

/// Whether two constraints ask the same, whichever side of an equality is written first.
fn is_same(one: &Constraint, other: &Constraint) -> bool {
    match (&one.relation, &other.relation) {
        (Relation::DimEq(a, b), Relation::DimEq(c, d)) => (a, b) == (c, d) || (a, b) == (d, c),
        (Relation::RowEq(a, b), Relation::RowEq(c, d)) => (a, b) == (c, d) || (a, b) == (d, c),
        (one, other) => one == other,
    }
}

/// What a constraint asks, but for its terms.
fn kind(relation: &Relation) -> u64 {
    match relation {
        Relation::DimEq(..) => 1,
        Relation::DimIneq(..) => 2,
        Relation::RowEq(..) => 3,
        Relation::RowIneq(..) => 4,
        Relation::Size(relation) => match relation {
            SizeRelation::Strided { loose, .. } => {
                if *loose {
                    13
                } else {
                    5
                }
            }
            SizeRelation::Window { border, .. } => match border {
                Border::Margins { fill: Fill::Exact, .. } => 6,
                Border::Margins { fill: Fill::Whole, .. } => 14,
                Border::Margins { fill: Fill::Begun, .. } => 15,
                Border::Padded { loose: false } => 7,
                Border::Padded { loose: true } => 16,
            },
            SizeRelation::Concat { .. } => 8,
            SizeRelation::Merged { .. } => 9,
            SizeRelation::Total { .. } => 10,
            SizeRelation::Exact { .. } => 11,
            SizeRelation::AtLeast { .. } => 12,
            SizeRelation::Stretch { .. } => 17,
        },
    }
}

/// A number that is made of two and looks like no other.
fn mixed(one: u64, other: u64) -> u64 {
    let mixed = (one ^ other.rotate_left(32)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)).wrapping_add(other)
}
