//! Colours of constraints and variables: numbers that are alike where what is around them is.

use std::ops::Range;

use lozenge_core::{
    constraint::{Constraint, Count, Relation, SizeRelation},
    dim::{Basis, Dim},
    size::SizeKind,
    term::{DimTerm, RowTerm, Variable},
};

use crate::{Kind, session::program::Program};

/// The colours of a program, as far as they were found.
pub(super) struct Colours<'a> {
    /// The constraints, each with its height, in the order of that.
    asked: &'a [(u32, Constraint)],
    /// The constraints of one height each.
    levels: Vec<Range<usize>>,
    /// The colours of the constraints, and of the sides of those that are equalities.
    constraints: Vec<(u64, [u64; 2])>,
    /// The colours of dimension variables, row variables, named sizes and bases, one after another.
    variables: Vec<u64>,
    /// Where those of row variables, named sizes and bases begin.
    begins: [usize; 3],
    /// The rows of every tensor, with the step that makes it. No constraint may join them, but what is of one
    /// tensor belongs together.
    tensors: Vec<(usize, [RowTerm; 3])>,
    /// The steps with their operands, and the colours of the steps: where shapes are known, no constraint says
    /// which tensors are operands of which.
    operands: Vec<[usize; 2]>,
    steps: Vec<u64>,
    /// What the constraints of a level say of the variables in them, and which those are.
    news: Vec<Option<u64>>,
    touched: Vec<usize>,
}

/// How often passes are repeated while they tell more apart; in a large program they are not.
const MOST_ROUNDS: usize = 4;

/// How many constraints make a program large.
const LARGE: usize = 10_000;

/// A piece of a constraint.
#[derive(Clone, Copy)]
enum Piece {
    /// Something that has no name.
    Word(u64),
    /// A variable or a name.
    Node(usize),
}

impl<'a> Colours<'a> {
    /// The colours of a program that asks this, before anything is known but what its leaves are.
    pub(super) fn new(program: &Program, asked: &'a [(u32, Constraint)]) -> Colours<'a> {
        let [dims, rows] = program.variable_counts();
        let [bases, sizes] = program.words.lens();
        let begins = [dims, dims + rows, dims + rows + sizes];
        let mut variables = Vec::with_capacity(begins[2] + bases + 1);
        for (sort, count) in (1..).zip([dims, rows, sizes, bases + 1]) {
            variables.extend(std::iter::repeat_n(mixed(0, sort), count));
        }
        let mut levels: Vec<Range<usize>> = vec![];
        for (place, (height, _)) in asked.iter().enumerate() {
            match levels.last_mut().filter(|level| asked[level.start].0 == *height) {
                Some(level) => level.end = place + 1,
                None => levels.push(place..place + 1),
            }
        }
        let constraints = vec![(0, [0; 2]); asked.len()];
        let (news, touched) = (vec![None; variables.len()], vec![]);
        let made = (0..program.len()).filter(|step| program.steps[*step as usize].has_result);
        let rows = |step| (step as usize, Kind::ALL.map(|kind| program.row(step, kind)));
        let tensors = made.map(rows).collect();
        let of = |step| program.operands_of(step).iter().map(move |of| [step, *of]);
        let operands = (0..program.len()).flat_map(of);
        let operands = operands.map(|pair| pair.map(|step| step as usize)).collect();
        let steps = program.steps.iter().map(|step| u64::from(step.has_result)).collect();
        let mut colours = Colours {
            asked,
            levels,
            constraints,
            variables,
            begins,
            tensors,
            operands,
            steps,
            news,
            touched,
        };
        for leaf in &program.leaves {
            let node = colours.node(leaf.var);
            let what = [leaf.role as u64, leaf.kind as u64, leaf.axis.into()];
            colours.variables[node] = what.into_iter().fold(colours.variables[node], mixed);
        }
        colours
    }

    /// Passes up and down while that tells more apart.
    pub(super) fn refine(&mut self) {
        let mut told_apart = 0;
        let rounds = if self.asked.len() > LARGE { 1 } else { MOST_ROUNDS };
        for _ in 0..rounds {
            for level in 0..self.levels.len() {
                self.pass(level);
            }
            self.join_rows();
            for level in (0..self.levels.len()).rev() {
                self.pass(level);
            }
            let mut colours: Vec<u64> = self.variables.clone();
            colours.sort_unstable();
            colours.dedup();
            if colours.len() == told_apart {
                break;
            }
            told_apart = colours.len();
        }
        // What the variables are by now tells constraints apart once more.
        for place in 0..self.asked.len() {
            self.constraints[place] = self.colour(place);
        }
    }

    /// Colours the constraints of a level by their variables, and then these by those.
    fn pass(&mut self, level: usize) {
        for place in self.levels[level].clone() {
            let (colour, sides) = self.colour(place);
            self.constraints[place] = (colour, sides);
            let Colours { asked, news, touched, begins, .. } = self;
            let mut tell = |which: u64, position: u64, piece: Piece| {
                if let Piece::Node(node) = piece {
                    let told = news[node].get_or_insert_with(|| {
                        touched.push(node);
                        0
                    });
                    // A sum, so that it does not matter which constraint came first.
                    *told = told.wrapping_add(mixed(mixed(colour, which), position));
                }
            };
            pieces(&asked[place].1.relation, begins, &mut |side, position, piece| {
                let is_equality = sides != [0; 2];
                let which = if is_equality { sides[side] } else { side as u64 };
                tell(which, position, piece);
            });
        }
        self.hear();
    }

    /// Colours the rows of each tensor by each other, and by the tensors that it is made of or used for.
    fn join_rows(&mut self) {
        let Colours { tensors, operands, steps, variables, news, touched, begins, .. } = self;
        let mut nodes = vec![];
        let mut of_step = vec![];
        for (step, rows) in tensors {
            let colour = &mut steps[*step];
            let mut each = |_: usize, position: u64, piece: Piece| {
                let word = match piece {
                    Piece::Word(word) => word,
                    Piece::Node(node) => {
                        nodes.push(node);
                        variables[node]
                    }
                };
                *colour = mixed(mixed(*colour, position), word);
            };
            Walk { begins, side: 0, position: 0, each: &mut each }.rows(rows);
            of_step.push((*step, nodes.len()));
        }
        for _ in 0..MOST_ROUNDS {
            // Sums, so that the order of operands does not matter: where it does, constraints say so.
            let mut told = vec![0_u64; steps.len()];
            for [step, operand] in operands.iter().copied() {
                told[step] = told[step].wrapping_add(mixed(steps[operand], 1));
                told[operand] = told[operand].wrapping_add(mixed(steps[step], 2));
            }
            for (colour, told) in steps.iter_mut().zip(told) {
                *colour = mixed(*colour, told);
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
            let told = self.news[node].take().unwrap_or(0);
            self.variables[node] = mixed(self.variables[node], told);
        }
    }

    /// The colour of a constraint as its variables are coloured, and those of its sides where it is an
    /// equality.
    fn colour(&self, place: usize) -> (u64, [u64; 2]) {
        let (height, constraint) = &self.asked[place];
        let relation = &constraint.relation;
        let mut sides = [0_u64; 2];
        pieces(relation, &self.begins, &mut |side, position, piece| {
            let word = match piece {
                Piece::Word(word) => word,
                Piece::Node(node) => self.variables[node],
            };
            sides[side] = mixed(mixed(sides[side], position), word);
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

    /// The places of the constraints in canonical order, and whether the sides of each are to be exchanged.
    pub(super) fn order(&self) -> Vec<(usize, bool)> {
        let mut order: Vec<usize> = (0..self.asked.len()).collect();
        order.sort_by_key(|place| self.key(*place)); // stable
        let is_turned = |place: usize| {
            let (_, [left, right]) = self.constraints[place];
            (place, right < left)
        };
        order.into_iter().map(is_turned).collect()
    }

    /// What decides where a constraint comes: the height of its operation; whether it says where a row is broadcast,
    /// as a specification with `...` does; its colour.
    fn key(&self, place: usize) -> (u32, bool, u64) {
        let (height, constraint) = &self.asked[place];
        let says_where = match &constraint.relation {
            Relation::RowEq(left, right) => left.var.is_some() && right.var.is_some(),
            _ => false,
        };
        (*height, !says_where, self.constraints[place].0)
    }

    /// The first constraint that has the colour of another and is not the same.
    pub(super) fn first_tie(&self) -> Option<usize> {
        let order = self.order();
        let tied = |pair: &[(usize, bool)]| {
            let [first, second] = [pair[0].0, pair[1].0];
            self.key(first) == self.key(second)
                && !is_same(&self.asked[first].1, &self.asked[second].1)
        };
        // Of those of one colour the one that was built first.
        order.windows(2).find(|pair| tied(pair)).map(|pair| pair[0].0)
    }

    /// Gives a constraint a colour of its own.
    pub(super) fn tell_apart(&mut self, place: usize) {
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
            SizeRelation::Strided { .. } => 5,
            SizeRelation::Window { padded: false, .. } => 6,
            SizeRelation::Window { padded: true, .. } => 7,
            SizeRelation::Concat { .. } => 8,
            SizeRelation::Merged { .. } => 9,
            SizeRelation::Total { .. } => 10,
            SizeRelation::Exact { .. } => 11,
            SizeRelation::AtLeast { .. } => 12,
        },
    }
}

/// Goes through the terms of a constraint: which side, where in it, and what.
fn pieces(relation: &Relation, begins: &[usize; 3], each: &mut dyn FnMut(usize, u64, Piece)) {
    let mut walk = Walk { begins, side: 0, position: 0, each };
    match relation {
        Relation::DimEq(left, right) | Relation::DimIneq(left, right) => {
            walk.dim(*left);
            walk.turn();
            walk.dim(*right);
        }
        Relation::RowEq(left, right) | Relation::RowIneq(left, right) => {
            walk.row(left);
            walk.turn();
            walk.row(right);
        }
        Relation::Size(relation) => walk.size(relation),
    }
}

/// A walk through a constraint.
struct Walk<'a> {
    begins: &'a [usize; 3],
    side: usize,
    position: u64,
    each: &'a mut dyn FnMut(usize, u64, Piece),
}

impl Walk<'_> {
    fn turn(&mut self) {
        (self.side, self.position) = (1, 0);
    }

    fn piece(&mut self, piece: Piece) {
        (self.each)(self.side, self.position, piece);
        self.position += 1;
    }

    fn word(&mut self, word: u64) {
        self.piece(Piece::Word(word));
    }

    fn dim(&mut self, term: DimTerm) {
        match term {
            DimTerm::Var(var) => self.piece(Piece::Node(var.index() as usize)),
            DimTerm::Dim(Dim::Unit) => self.word(u64::MAX),
            DimTerm::Dim(Dim::Atom { size, basis }) => {
                match size.kind() {
                    // Nobody gives a computed size.
                    SizeKind::Int(n) => self.word(n),
                    SizeKind::Computed(number) => self.word(number.into()),
                    SizeKind::Symbol(symbol) => {
                        self.piece(Piece::Node(self.begins[1] + symbol.index() as usize));
                    }
                }
                if basis != Basis::DEFAULT {
                    self.piece(Piece::Node(self.begins[2] + basis.index() as usize));
                }
            }
        }
    }

    fn row(&mut self, row: &RowTerm) {
        // Flanks are read from the outer edges.
        for entry in row.flanks.lead() {
            self.dim(*entry);
        }
        self.position = 1 << 32;
        for entry in row.flanks.trail().iter().rev() {
            self.dim(*entry);
        }
        self.position = 1 << 33;
        match row.var {
            Some(var) => self.piece(Piece::Node(self.begins[0] + var.index() as usize)),
            None => self.word(0),
        }
    }

    fn rows(&mut self, rows: &[RowTerm]) {
        for (place, row) in (1..).zip(rows) {
            let before = self.position;
            self.row(row);
            self.position = before + (place << 36);
        }
    }

    fn size(&mut self, relation: &SizeRelation) {
        match relation {
            SizeRelation::Strided { whole, stride, over } => {
                self.dim(*whole);
                self.word((*stride).into());
                self.dim(*over);
            }
            SizeRelation::Window { whole, stride, over, dilation, kernel, padded: _ } => {
                self.dim(*whole);
                self.word((*stride).into());
                self.dim(*over);
                self.word((*dilation).into());
                self.dim(*kernel);
            }
            SizeRelation::Concat { whole, parts } => {
                self.dim(*whole);
                for part in parts {
                    self.word(part.discardable.into());
                    self.dim(part.dim);
                }
            }
            SizeRelation::Merged { whole, parts } => {
                self.dim(*whole);
                for part in parts {
                    self.dim(*part);
                }
            }
            SizeRelation::Total { rows, divided_by, count } => {
                match count {
                    Count::Number(n) => self.word(*n),
                    Count::Strided { coefficient, dim, denominator } => {
                        self.word(*coefficient);
                        self.word(*denominator);
                        self.dim(*dim);
                    }
                    Count::Rows { coefficient, rows, denominator } => {
                        self.word(*coefficient);
                        self.word(*denominator);
                        self.turn();
                        self.rows(rows);
                        self.side = 0;
                    }
                }
                for divisor in divided_by {
                    self.dim(*divisor);
                }
                self.rows(rows);
            }
            SizeRelation::Exact { rows, axes } => {
                for axis in axes {
                    self.dim(*axis);
                }
                self.rows(rows);
            }
            SizeRelation::AtLeast { dim, least } => {
                self.dim(*dim);
                self.word(*least);
            }
        }
    }
}

/// A number that is made of two and looks like no other.
fn mixed(one: u64, other: u64) -> u64 {
    let mixed = (one ^ other.rotate_left(32)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)).wrapping_add(other)
}
