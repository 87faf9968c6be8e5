//! What an operation means, by plain enumeration: every axis variable has a value, equal ones the
//! same.
//!
//! Nothing here is shared with the implementation: the least equivalence is a closed matrix, rows
//! are aligned by counting from their edges, and the points of the product space are all values of
//! all classes.

use std::collections::BTreeSet;

use lozenge_calculus::{
    constraint::{Border, Fill, Relation, SizeRelation},
    dim::Dim,
    size::{Size, SizeKind},
    term::{DimTerm, RowTerm},
};
use lozenge_project::{Access, Supplied};

use super::operation::Owned;

/// What is known of an operation's axes.
pub(super) struct Plain {
    pub(super) sizes: Vec<u64>,
    /// By variable, the least that is equal to it.
    pub(super) class: Vec<usize>,
    /// By class.
    pub(super) pins: Vec<Vec<Supplied>>,
    pub(super) derived: Vec<(usize, Form)>,
    pub(super) out_of_bounds: bool,
    /// Whether an axis begins at two positions, or at a later one though it cannot.
    pub(super) begins_badly: bool,
    /// Whether a valid window begins late, and so reaches past the end of its axis.
    pub(super) is_past_end: bool,
}

/// What is wrong where concatenations share parts.
pub(super) const CROSSED: &str = "concatenations of one occurrence share some of their parts only";

/// Whether an axis may begin later than at its first position.
#[derive(Clone, Copy)]
pub(super) enum Late {
    Never,
    /// By less than its stride.
    Below(u64),
    /// A window may, wherever.
    Freely,
}

#[derive(Clone)]
pub(super) enum Form {
    Affine {
        terms: Vec<(i128, usize)>,
        offset: i128,
        padded: bool,
        late: Late,
    },
    /// The parts that are axes, and where they begin.
    Concat(Vec<(usize, i128)>),
}

pub(super) fn int(size: Size) -> u64 {
    match size.kind() {
        SizeKind::Int(n) => n,
        _ => 0,
    }
}

impl Plain {
    pub(super) fn of(operation: &Owned) -> Plain {
        let mut reading = Reading {
            operation,
            sizes: operation.sizes.iter().map(|size| int(*size)).collect(),
            equal: vec![],
            pins: vec![],
            derived: vec![],
        };
        for constraint in &operation.constraints {
            reading.relation(&constraint.relation);
        }
        let mut out_of_bounds = false;
        for (term, access) in &operation.accesses {
            if let (DimTerm::Var(var), Access::At(at)) = (term, access) {
                reading.pins.push((var.index() as usize, *at));
                if let Supplied::Fix(position) = at {
                    out_of_bounds |= *position >= reading.sizes[var.index() as usize];
                }
            }
        }
        let Reading { sizes, equal, pins, derived, .. } = reading;
        let class = least_equivalence(sizes.len(), &equal);
        let mut of_class = vec![vec![]; sizes.len()];
        for (var, at) in pins {
            of_class[class[var]].push(at);
        }
        let derived = derived.into_iter().map(|(whole, form)| (class[whole], form)).collect();
        let mut plain = Plain {
            sizes,
            class,
            pins: of_class,
            derived,
            out_of_bounds,
            begins_badly: false,
            is_past_end: false,
        };
        plain.begin(operation);
        plain
    }

    /// Has computed axes begin where the operation says so.
    fn begin(&mut self, operation: &Owned) {
        let mut begins: Vec<Option<u64>> = vec![None; self.sizes.len()];
        for (term, access) in &operation.accesses {
            let (DimTerm::Var(var), Access::From(begin)) = (term, access) else { continue };
            let class = self.class[var.index() as usize];
            let known = begins[class].replace(*begin);
            self.begins_badly |= known.is_some_and(|known| known != *begin);
            // Each of several is looked at: which of two mistakes is told first is not said.
            let mut of_class = self.derived.iter().filter(|(whole, _)| *whole == class);
            self.out_of_bounds |= of_class.any(|(_, form)| {
                matches!(form, Form::Affine { late: Late::Below(stride), .. } if begin >= stride)
            });
        }
        for (class, begin) in begins.into_iter().enumerate() {
            let Some(begin @ 1..) = begin else { continue };
            let mut moved = false;
            for (_, form) in self.derived.iter_mut().filter(|(whole, _)| *whole == class) {
                let Form::Affine { offset, padded, late, .. } = form else {
                    continue;
                };
                match *late {
                    Late::Never => continue,
                    Late::Below(_) => {}
                    // It reaches so much further, and what is there is skipped.
                    Late::Freely => {
                        self.is_past_end |= !*padded;
                        *padded = true;
                    }
                }
                moved = true;
                *offset += i128::from(begin);
            }
            self.begins_badly |= !moved;
        }
    }

    /// Whether a class has two sizes.
    pub(super) fn sizes_conflict(&self) -> bool {
        (0..self.sizes.len()).any(|var| self.sizes[var] != self.sizes[self.class[var]])
    }

    /// Whether a class is pinned twice.
    pub(super) fn pins_conflict(&self) -> bool {
        self.pins.iter().any(|pins| pins.iter().any(|pin| *pin != pins[0]))
    }

    /// The class whose loop an axis shares, as far as it is computed from one alone and unchanged.
    pub(super) fn base(&self, var: usize) -> usize {
        self.only(var, false)
    }

    /// The same; with `parts`, a part of a concatenation is a loop of its own even if it has one
    /// element.
    fn only(&self, var: usize, parts: bool) -> usize {
        let class = self.class[var];
        let form = self.derived.iter().find(|(whole, _)| *whole == class);
        let only = match form.map(|(_, form)| form) {
            None => None,
            Some(Form::Affine { terms, .. }) => {
                let mut several = terms.iter().filter(|(_, of)| !self.is_constant(*of, parts));
                several.next().filter(|_| several.next().is_none()).map(|(_, of)| *of)
            }
            Some(Form::Concat(parts)) => parts.first().map(|(of, _)| *of),
        };
        only.filter(|of| self.class[*of] != class).map_or(class, |of| self.only(of, parts))
    }

    /// Whether an axis is at one position, whatever the loops are at.
    fn is_constant(&self, var: usize, parts: bool) -> bool {
        let class = self.class[var];
        let form = self.derived.iter().find(|(whole, _)| *whole == class);
        let is_computed = match form.map(|(_, form)| form) {
            None => false,
            Some(Form::Affine { terms, .. }) => {
                terms.iter().all(|(_, of)| self.is_constant(*of, parts))
            }
            Some(Form::Concat(of)) => match of[..] {
                [] => true,
                [(only, _)] => self.is_constant(only, parts),
                _ => false,
            },
        };
        let is_single = self.sizes[class] == 1 && !(parts && self.is_part(class));
        is_single || !self.pins[class].is_empty() || is_computed
    }

    /// The largest values of supplied indices, and one more.
    pub(super) fn ranges(&self) -> Vec<u64> {
        let mut ranges = vec![u64::MAX; 4];
        for (class, pins) in self.pins.iter().enumerate() {
            for pin in pins {
                if let Supplied::Symbol(id) = pin {
                    let range = &mut ranges[id.0 as usize];
                    *range = (*range).min(self.sizes[class]);
                }
            }
        }
        ranges
    }

    /// The classes that an axis needs values for.
    fn needs(&self, var: usize, needed: &mut BTreeSet<usize>, together: &mut Vec<Vec<usize>>) {
        let class = self.class[var];
        if !self.pins[class].is_empty() {
            return;
        }
        match self.derived.iter().find(|(whole, _)| *whole == class).map(|(_, form)| form) {
            None => {
                needed.insert(class);
            }
            Some(Form::Affine { terms, .. }) => {
                for (_, of) in terms {
                    self.needs(*of, needed, together);
                }
            }
            Some(Form::Concat(parts)) => {
                for (of, _) in parts {
                    self.needs(*of, needed, together);
                }
                together.push(parts.iter().map(|(of, _)| self.only(*of, true)).collect());
            }
        }
    }

    /// The index of an axis, while these classes have these values; whether outside of it is
    /// skipped.
    fn index(&self, var: usize, values: &[Option<u64>], symbols: &[u64]) -> Option<(i128, bool)> {
        let class = self.class[var];
        match self.pins[class].first() {
            Some(Supplied::Fix(position)) => return Some((i128::from(*position), false)),
            Some(Supplied::Symbol(id)) => {
                return Some((i128::from(symbols[id.0 as usize]), false));
            }
            None => {}
        }
        match self.derived.iter().find(|(whole, _)| *whole == class).map(|(_, form)| form) {
            None => values[class].map(|value| (i128::from(value), false)),
            Some(Form::Affine { terms, offset, padded, .. }) => {
                let mut sum = *offset;
                for (coefficient, of) in terms {
                    sum += coefficient * self.index(*of, values, symbols)?.0;
                }
                Some((sum, *padded))
            }
            Some(Form::Concat(parts)) => {
                let part = |(of, begin): &(usize, i128)| {
                    Some((begin + self.index(*of, values, symbols)?.0, false))
                };
                if parts.is_empty() { Some((0, false)) } else { parts.iter().find_map(part) }
            }
        }
    }

    /// The indices of all axes of all occurrences at every point at which something happens, in
    /// order; and what is wrong with who takes part.
    pub(super) fn points(
        &self,
        operation: &Owned,
        symbols: &[u64],
    ) -> (Vec<u128>, Option<&'static str>) {
        let (mut needed, mut together) = (BTreeSet::new(), vec![]);
        for axis in operation.occurrences.iter().flat_map(Clone::clone) {
            self.needs(axis as usize, &mut needed, &mut together);
        }
        // Parts of one concatenation exclude each other.
        let mut groups: Vec<BTreeSet<usize>> =
            needed.iter().map(|class| BTreeSet::from([*class])).collect();
        for parts in together {
            let (touched, mut rest): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| parts.iter().any(|part| group.contains(part)));
            rest.push(touched.into_iter().flatten().collect());
            groups = rest;
        }
        groups.retain(|group| !group.is_empty());
        let mut values = vec![None; self.sizes.len()];
        let mut found = Found::default();
        self.visit(operation, symbols, &groups, &mut values, &mut found);
        found.points.sort_unstable();
        let operands = operation.occurrences.len() - 1;
        let all: u32 = (1 << operands) - 1;
        let everybody = found.taking_part.iter().all(|present| *present == all);
        let one_each = found.taking_part.iter().all(|present| present.is_power_of_two());
        let read = found.taking_part.iter().fold(0, |read, present| read | present);
        let wrong = if self.is_crossed(operation, &groups) {
            Some(CROSSED)
        } else if read != all {
            Some("an operand is never read")
        } else if !everybody && !one_each {
            Some("two operands are read where elsewhere one is")
        } else {
            None
        };
        (found.points, wrong)
    }

    /// Whether an occurrence has two concatenations of one group, and a part of each that are in
    /// none together.
    fn is_crossed(&self, operation: &Owned, groups: &[BTreeSet<usize>]) -> bool {
        let lists = |axes: std::ops::Range<u32>| {
            let (mut needed, mut together) = (BTreeSet::new(), vec![]);
            axes.for_each(|axis| self.needs(axis as usize, &mut needed, &mut together));
            together.retain(|parts| parts.len() > 1);
            together
        };
        let all: Vec<Vec<usize>> = operation.occurrences.iter().cloned().flat_map(lists).collect();
        let strangers = |one: usize, other: usize| {
            groups.iter().any(|group| group.contains(&one) && group.contains(&other))
                && !all.iter().any(|parts| parts.contains(&one) && parts.contains(&other))
        };
        operation.occurrences.iter().cloned().map(lists).any(|lists| {
            let pairs = lists.iter().flat_map(|one| lists.iter().map(move |other| (one, other)));
            pairs.into_iter().any(|(one, other)| {
                one.iter().any(|one| other.iter().any(|other| strangers(*one, *other)))
            })
        })
    }

    fn visit(
        &self,
        operation: &Owned,
        symbols: &[u64],
        groups: &[BTreeSet<usize>],
        values: &mut Vec<Option<u64>>,
        found: &mut Found,
    ) {
        let Some((group, rest)) = groups.split_first() else {
            self.at(operation, symbols, values, found);
            return;
        };
        for class in group {
            for value in 0..self.sizes[*class] {
                values[*class] = Some(value);
                self.visit(operation, symbols, rest, values, found);
            }
            values[*class] = None;
        }
    }

    fn at(&self, operation: &Owned, symbols: &[u64], values: &[Option<u64>], found: &mut Found) {
        let mut key = Key::default();
        let (mut present, mut inside) = (0_u32, true);
        let mut needed = BTreeSet::new();
        for (slot, axes) in operation.occurrences.iter().enumerate() {
            let indices: Option<Vec<(i128, bool)>> =
                axes.clone().map(|axis| self.index(axis as usize, values, symbols)).collect();
            let Some(indices) = indices else {
                if slot == 0 {
                    return;
                }
                axes.clone().for_each(|_| key.push(None));
                continue;
            };
            present |= u32::from(slot > 0) << slot.saturating_sub(1);
            axes.clone().for_each(|axis| self.needs(axis as usize, &mut needed, &mut vec![]));
            for (axis, (index, padded)) in axes.clone().zip(indices) {
                let size = i128::from(self.sizes[axis as usize]);
                inside &= !padded || (0..size).contains(&index);
                key.push(Some(index));
            }
        }
        if present == 0 && operation.occurrences.len() > 1 {
            return;
        }
        found.taking_part.insert(present);
        // What only those need that are absent does not matter: such points are one.
        let seen = needed.iter().filter_map(|class| Some((*class, values[*class]?)));
        if found.seen.insert(seen.collect()) && inside {
            found.points.push(key.0);
        }
    }
}

#[derive(Default)]
struct Found {
    points: Vec<u128>,
    /// By the values that matter.
    seen: BTreeSet<Vec<(usize, u64)>>,
    /// The sets of operands that take part somewhere.
    taking_part: BTreeSet<u32>,
}

/// The indices of all axes, six bits each.
#[derive(Default)]
pub(super) struct Key(pub(super) u128);

impl Key {
    pub(super) fn push(&mut self, index: Option<i128>) {
        let bits = index.map_or(63, |index| u128::try_from(index.clamp(0, 62)).unwrap_or(62));
        self.0 = self.0 << 6 | bits;
    }
}

/// The least member of everything's class, by closing the matrix.
pub(super) fn least_equivalence(count: usize, pairs: &[[usize; 2]]) -> Vec<usize> {
    let mut same = vec![vec![false; count]; count];
    for (i, row) in same.iter_mut().enumerate() {
        row[i] = true;
    }
    for [one, other] in pairs {
        same[*one][*other] = true;
        same[*other][*one] = true;
    }
    for middle in 0..count {
        let through = same[middle].clone();
        for row in same.iter_mut().filter(|row| row[middle]) {
            row.iter_mut().zip(&through).for_each(|(same, through)| *same |= through);
        }
    }
    same.iter().map(|row| row.iter().position(|same| *same).unwrap_or(0)).collect()
}

struct Reading<'a> {
    operation: &'a Owned,
    sizes: Vec<u64>,
    equal: Vec<[usize; 2]>,
    pins: Vec<(usize, Supplied)>,
    derived: Vec<(usize, Form)>,
}

impl Reading<'_> {
    fn var(&mut self, term: DimTerm) -> usize {
        match term {
            DimTerm::Var(var) => var.index() as usize,
            DimTerm::Dim(dim) => {
                self.sizes.push(match dim {
                    Dim::Unit => 1,
                    Dim::Atom { size, .. } => int(size),
                });
                self.sizes.len() - 1
            }
        }
    }

    /// The variables of a row, and how many are before its marker.
    fn row(&mut self, row: &RowTerm) -> (Vec<usize>, usize) {
        let mut axes: Vec<usize> = row.flanks.lead().iter().map(|term| self.var(*term)).collect();
        let mut marker = axes.len();
        if let Some(var) = row.var {
            let inner = &self.operation.rows[var.index() as usize];
            axes.extend(inner.flat().iter().map(|var| var.index() as usize));
            marker += inner.lead().len();
        }
        axes.extend(row.flanks.trail().iter().map(|term| self.var(*term)).collect::<Vec<_>>());
        (axes, marker)
    }

    fn below(&mut self, result: usize, operand: usize) {
        if self.sizes[operand] == 1 {
            self.pins.push((operand, Supplied::Fix(0)));
        } else {
            self.equal.push([result, operand]);
        }
    }

    fn relation(&mut self, relation: &Relation) {
        match relation {
            Relation::DimEq(one, other) => {
                let pair = [self.var(*one), self.var(*other)];
                self.equal.push(pair);
            }
            Relation::DimIneq(result, operand) => {
                let (result, operand) = (self.var(*result), self.var(*operand));
                self.below(result, operand);
            }
            Relation::RowEq(one, other) => {
                let ((one, _), (other, _)) = (self.row(one), self.row(other));
                self.equal.extend(one.into_iter().zip(other).map(|(one, other)| [one, other]));
            }
            Relation::RowIneq(result, operand) => {
                let ((result, _), (operand, marker)) = (self.row(result), self.row(operand));
                for (place, axis) in operand.iter().enumerate() {
                    let from_the_end = operand.len() - place;
                    let facing = if place < marker { place } else { result.len() - from_the_end };
                    self.below(result[facing], *axis);
                }
            }
            Relation::Size(relation) => self.size(relation),
        }
    }

    fn size(&mut self, relation: &SizeRelation) {
        match relation {
            SizeRelation::Strided { whole, stride, over, loose } => {
                let terms = vec![(i128::from(*stride), self.var(*over))];
                let whole = self.var(*whole);
                // Where the last step is only begun there may be nothing so late.
                let late = if *loose { Late::Freely } else { Late::Below(u64::from(*stride)) };
                self.derived.push((whole, Form::Affine { terms, offset: 0, padded: false, late }));
            }
            SizeRelation::Window { whole, stride, over, dilation, kernel, border } => {
                let (over, kernel) = (self.var(*over), self.var(*kernel));
                let span = 1 + u64::from(*dilation) * (self.sizes[kernel] - 1);
                let (offset, padded) = match *border {
                    Border::Padded { .. } => (-i128::from((span - 1) / 2), true),
                    Border::Margins { left, right, fill } => (
                        -i128::from(left),
                        left > 0 || right > 0 || fill == Fill::Begun && *stride > 1,
                    ),
                };
                let terms = vec![(i128::from(*stride), over), (i128::from(*dilation), kernel)];
                let whole = self.var(*whole);
                let late = Late::Freely;
                self.derived.push((whole, Form::Affine { terms, offset, padded, late }));
            }
            SizeRelation::Merged { whole, parts } => {
                let parts: Vec<usize> = parts.iter().map(|part| self.var(*part)).collect();
                let stride = |place: usize| -> u64 {
                    parts[place + 1..].iter().map(|part| self.sizes[*part]).product()
                };
                let terms = (0..parts.len()).map(|place| (i128::from(stride(place)), parts[place]));
                let terms = terms.collect();
                let form = Form::Affine { terms, offset: 0, padded: false, late: Late::Never };
                let whole = self.var(*whole);
                self.derived.push((whole, form));
            }
            SizeRelation::Concat { whole, parts } => {
                let (mut axes, mut begin) = (vec![], 0);
                for part in parts {
                    let var = self.var(part.dim);
                    if part.dim.var().is_some() {
                        axes.push((var, begin));
                    }
                    begin += i128::from(self.sizes[var]);
                }
                let whole = self.var(*whole);
                self.derived.push((whole, Form::Concat(axes)));
            }
            SizeRelation::Stretch { result, operands } => {
                for operand in operands {
                    self.relation(&Relation::RowIneq(result.clone(), operand.clone()));
                }
            }
            SizeRelation::Total { .. }
            | SizeRelation::Exact { .. }
            | SizeRelation::AtLeast { .. } => {}
        }
    }
}
