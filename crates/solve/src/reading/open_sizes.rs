//! The frontier of relations between sizes: what is open, and what closing can choose for it.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};

use smallvec::SmallVec;

use lozenge_calculus::{
    constraint::{bases_agree, count},
    dim::{Basis, Dim},
    size::{Side, Sides, fills, lacking, plus},
    term::{DimTerm, DimVar, RowVar},
};

use crate::{
    reading::frontier::AxisTerm,
    tables::{
        cause::Cause,
        ids::{DimNode, Id, RelationId},
        list::{Dims, Tables},
        node::DimRef,
        sizes::{Form, Kind, Least, SizePart, SizeRel},
    },
};

/// The stages in which closing settles relations between sizes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum SizeStage {
    Found,
    Rows,
    Stretched,
    LeftOut,
    Filled,
    Least,
    Rest,
}

/// The next choice when relations are settled one after another.
pub(crate) enum NextSize {
    /// The sequence is at its end.
    End,
    /// No choice for the relation or variable at this place.
    Nothing,
    /// A choice for it, and the cause of what is open.
    Choose(Cause, OpenSize),
}

/// A choice that closing can make to settle a relation between sizes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum OpenSize {
    /// The number of axes, at most `most`, that a row has beside its known ones. A relation counts
    /// its elements, or lists its axes.
    Row { var: RowVar, most: usize },
    /// The size of a part that may be left out. Beside an open size there is nothing else to
    /// choose.
    Discardable { axis: AxisTerm, least: u64, beside_open: bool },
    /// The size of an axis, at least this. Beside an open size there is nothing else to choose.
    Axis { axis: AxisTerm, least: u64, beside_open: bool },
    /// The whole of a loose relation whose other parts are known: up to `most` may be left over,
    /// and beside an open size nothing.
    Filled { axis: AxisTerm, relation: RelationId, most: u64, beside_open: bool },
    /// The axes of a row that is stretched: `more` beside its known ones.
    StretchedRow { var: RowVar, more: usize },
    /// The dimension of an axis that is stretched, if it is not the unit.
    Stretched { axis: AxisTerm, to: Dim },
    /// The atom of an axis whose size was found: of this basis, unless something says otherwise.
    Sized { axis: AxisTerm, size: u64, basis: Basis },
}

impl OpenSize {
    /// Whether the choice is of an axis beside an open size.
    pub(crate) fn is_beside_open(self) -> bool {
        match self {
            OpenSize::Discardable { beside_open, .. }
            | OpenSize::Axis { beside_open, .. }
            | OpenSize::Filled { beside_open, .. } => beside_open,
            OpenSize::Row { .. }
            | OpenSize::Sized { .. }
            | OpenSize::StretchedRow { .. }
            | OpenSize::Stretched { .. } => false,
        }
    }
}

/// Relations between sizes that are open, and what can be chosen for them.
#[derive(Clone, Copy)]
pub(crate) struct OpenSizes<'a> {
    pub(crate) tables: &'a Tables,
}

impl Tables {
    pub(crate) fn open_sizes(&self) -> OpenSizes<'_> {
        OpenSizes { tables: self }
    }
}

impl OpenSizes<'_> {
    /// The wholes of the relations that are open: they follow from their parts.
    pub(crate) fn open_wholes(self) -> BTreeSet<AxisTerm> {
        let has_whole = |relation: &SizeRel| match relation.kind {
            Kind::Linear { form, .. } => form != Form::Difference,
            Kind::Product { of_elements, .. } => !of_elements,
            Kind::StretchedAxes => true,
            Kind::StretchedRows | Kind::Total { .. } | Kind::Exact => false,
        };
        let open = self
            .tables
            .relations
            .all
            .iter()
            .filter(|relation| !relation.done && has_whole(relation));
        let whole = |relation: SizeRel| self.tables.relations.parts.get(relation.parts.at).dim;
        open.map(|relation| self.tables.dims.root(AxisTerm(whole(relation)))).collect()
    }

    /// The choice that closing has at this stage at a place of the sequence of all relations and
    /// then all dimension variables: for a relation that is open, or for a variable with a least
    /// size.
    pub(crate) fn open_size(
        self,
        stage: SizeStage,
        place: usize,
        may_choose: &dyn Fn(OpenSize) -> bool,
    ) -> NextSize {
        let beyond = place.checked_sub(self.tables.relations.all.len() as usize);
        if let Some(node) = beyond.map(DimNode::at) {
            let by_axis = matches!(stage, SizeStage::Found | SizeStage::Least);
            if !by_axis || self.tables.dims.facts.is_empty() || !self.tables.dims.states.has(node) {
                return NextSize::End;
            }
            let Some(known) = self.tables.dims.least_of(node) else { return NextSize::Nothing };
            let axis = AxisTerm(DimRef::node(node));
            let open = match (stage, known) {
                (_, Least { exact: Some(basis), size: size @ 2.., .. })
                | (SizeStage::Found, Least { exact: Some(basis), size, .. }) => {
                    OpenSize::Sized { axis, size, basis }
                }
                (SizeStage::Least, Least { size: least @ 2.., .. }) => {
                    OpenSize::Axis { axis, least, beside_open: false }
                }
                (_, _) => return NextSize::Nothing,
            };
            // What is found is nobody's choice but for what is not its size.
            return if stage == SizeStage::Found || may_choose(open) {
                NextSize::Choose(known.cause, open)
            } else {
                NextSize::Nothing
            };
        }
        let id = RelationId::at(place);
        let relation = self.tables.relations.all.get(id);
        if stage == SizeStage::Found || relation.done {
            return NextSize::Nothing;
        }
        let beside_open = self.names_a_size(relation);
        let found = if relation.kind.is_stretched() {
            self.open_stretch(relation, stage, may_choose)
        } else if relation.rows.len > 0 {
            if stage != SizeStage::Rows {
                return NextSize::Nothing;
            }
            let rows = relation.rows.range().map(|at| self.tables.relations.rows.get(at));
            let mut open: Vec<RowVar> = rows
                .filter(|row| self.tables.rows.tail(*row).is_some())
                .filter_map(|row| Some(self.tables.rows.slots.at(row.slot.get()?).var))
                .collect();
            // The last that was made keeps its axes: in a program that is the output, wherever in
            // memory it stands.
            open.sort_unstable();
            open.dedup();
            let most = match relation.kind {
                Kind::Exact => relation.parts.len as usize,
                _ => 1,
            };
            open.iter().map(|var| OpenSize::Row { var: *var, most }).find(|open| may_choose(*open))
        } else if self.holds_at_top(relation) && !self.has_left_out(relation) {
            None
        } else if let Some((axis, most)) = self.loose_whole(relation) {
            let most = if beside_open { 0 } else { most };
            let open = OpenSize::Filled { axis, relation: id, most, beside_open };
            (stage >= SizeStage::Filled && may_choose(open)).then_some(open)
        } else {
            let other_basis = self.sums_at_top(relation);
            let range = relation.parts.range();
            // The whole comes last: it follows from its parts.
            let order = range.clone().skip(1).chain(range.take(1));
            let mut parts = order.map(|at| self.tables.relations.parts.get(at));
            let open = |part: SizePart| {
                let node = self.tables.dims.resolve(part.dim).as_node()?;
                let axis = AxisTerm(DimRef::node(node));
                let known = self.tables.dims.least_of(node);
                if let Some(Least { exact: Some(basis), size, .. }) = known {
                    // Its size is no choice; but one element has a basis if it is not the unit.
                    let open = OpenSize::Sized { axis, size, basis };
                    let may_be_atom = size == 1 && stage == SizeStage::Rest && other_basis;
                    return (may_be_atom && may_choose(open)).then_some(open);
                }
                let least = known.map(|least| least.size);
                let left_out = self.tables.dims.may_be_left_out(part, node);
                let (at, open) = match (left_out, least) {
                    (true, None) => {
                        let open = OpenSize::Discardable { axis, least: 0, beside_open };
                        (SizeStage::LeftOut, open)
                    }
                    (_, Some(least @ 2..)) => {
                        (SizeStage::Least, OpenSize::Axis { axis, least, beside_open })
                    }
                    (_, least) => {
                        let least = least.unwrap_or(1);
                        (SizeStage::Rest, OpenSize::Axis { axis, least, beside_open })
                    }
                };
                (part.coefficient != 0 && at <= stage && may_choose(open)).then_some(open)
            };
            parts.find_map(open)
        };
        found.map_or(NextSize::Nothing, |open| NextSize::Choose(relation.cause, open))
    }

    /// The whole of a loose relation, where everything else of it is known, and how much may be
    /// left over.
    fn loose_whole(self, relation: SizeRel) -> Option<(AxisTerm, u64)> {
        let Kind::Linear { slack: slack @ 1.., .. } = relation.kind else { return None };
        let mut parts = self.tables.relations.parts(relation.parts);
        let is_open = |part: SizePart| {
            let is_known = self.tables.dims.met(self.tables.dims.resolve(part.dim)).is_some();
            !is_known && self.tables.dims.exact_of(part.dim).is_none()
        };
        let whole = parts.next().filter(|whole| is_open(*whole))?;
        let others_known = parts.all(|part| part.coefficient == 0 || !is_open(part));
        others_known.then_some((AxisTerm(whole.dim), slack.into()))
    }

    /// The axes of open relations that an axis is in, and of those that these are in: what follows
    /// from it if nothing else.
    pub(crate) fn together_with(self, axis: AxisTerm) -> BTreeSet<AxisTerm> {
        let mut together = BTreeSet::from([self.tables.dims.root(axis)]);
        loop {
            let before = together.len();
            for relation in self.tables.relations.all.iter().filter(|relation| !relation.done) {
                let axis =
                    |part: SizePart| self.tables.dims.resolve(part.dim).as_node().map(DimRef::node);
                let axes = self.tables.relations.parts(relation.parts).filter_map(axis);
                let axes: SmallVec<[AxisTerm; 8]> =
                    axes.map(|axis| self.tables.dims.root(AxisTerm(axis))).collect();
                if axes.iter().any(|axis| together.contains(axis)) {
                    together.extend(axes);
                }
            }
            if together.len() == before {
                return together;
            }
        }
    }

    /// The axes whose sizes open relations wait for.
    pub(crate) fn open_axes(self) -> BTreeSet<AxisTerm> {
        let open = self.tables.relations.all.iter().filter(|relation| !relation.done);
        let parts = open.flat_map(|relation| self.tables.relations.parts(relation.parts));
        let axis = |part: SizePart| self.tables.dims.resolve(part.dim).as_node().map(DimRef::node);
        parts.filter_map(axis).map(|axis| self.tables.dims.root(AxisTerm(axis))).collect()
    }

    /// Whether a part of a relation may be left out, and nobody has said whether it is.
    pub(crate) fn has_left_out(self, relation: SizeRel) -> bool {
        let is_open = |part: SizePart| {
            let node = self.tables.dims.resolve(part.dim).as_node();
            node.is_some_and(|node| {
                self.tables.dims.may_be_left_out(part, node)
                    && self.tables.dims.least_of(node).is_none()
            })
        };
        self.tables.relations.parts(relation.parts).any(is_open)
    }

    /// Whether a part of a relation is a named size.
    pub(crate) fn names_a_size(self, relation: SizeRel) -> bool {
        // Exact axes are equated, whatever they are, and so are those that are stretched.
        relation.kind != Kind::Exact
            && !relation.kind.is_stretched()
            && self.tables.relations.parts(relation.parts).any(|part| {
                self.tables
                    .dims
                    .met(self.tables.dims.resolve(part.dim))
                    .is_some_and(|dim| count(dim).is_none())
            })
    }

    /// Whether a relation holds when every unbound variable is at its top.
    pub(crate) fn holds_at_top(self, relation: SizeRel) -> bool {
        let claims_bases =
            matches!(relation.kind, Kind::Linear { form, .. } if form != Form::Difference);
        self.sums_at_top(relation) && (!claims_bases || self.bases_at_top(relation))
    }

    /// Whether the bases of a relation agree when every unbound variable is at its top, which has
    /// none.
    fn bases_at_top(self, relation: SizeRel) -> bool {
        let counts = |part: &SizePart| part.coefficient != 0;
        let top = |part: SizePart| self.tables.dims.top(part.dim).into();
        let mut tops = self.tables.relations.parts(relation.parts).filter(counts).map(top);
        let Some(whole) = tops.next() else { return true };
        let parts: SmallVec<[DimTerm; 8]> = tops.collect();
        bases_agree(whole, &parts)
    }

    /// Whether the sizes of a relation are right when every unbound variable is at its top.
    fn sums_at_top(self, relation: SizeRel) -> bool {
        let not_the_unit = |part: SizePart| {
            let node = self.tables.dims.resolve(part.dim).as_node();
            node.is_some_and(|node| self.tables.dims.least_above_one(node).is_some())
        };
        if self.tables.relations.parts(relation.parts).any(not_the_unit) {
            return false;
        }
        let top = |dim: DimRef| count(self.tables.dims.top(dim));
        match relation.kind {
            Kind::Linear { constant, slack, form } => {
                let least = self.tables.relations.least_kernel(relation, form);
                let missing = least.map_or(Some(0), |(kernel, least)| {
                    lacking(top(kernel.dim)?, kernel.coefficient, least)
                });
                let Some(missing) = missing else { return false };
                let add = |sum, part: SizePart| plus(sum, part.coefficient, top(part.dim)?);
                let sum = self
                    .tables
                    .relations
                    .parts(relation.parts)
                    .try_fold(i128::from(constant) + missing, add);
                sum.is_some_and(|sum| fills(sum, slack))
            }
            Kind::Product { left, right, .. } => {
                let times = |sides: Sides, part: SizePart| {
                    sides.times(Side::of_power(part.coefficient), top(part.dim)?)
                };
                let sides = self
                    .tables
                    .relations
                    .parts(relation.parts)
                    .try_fold(Sides::new(left, right), times);
                sides.is_some_and(|sides| sides.left == sides.right)
            }
            Kind::StretchedAxes => {
                let mut tops = self
                    .tables
                    .relations
                    .parts(relation.parts)
                    .map(|part| self.tables.dims.top(part.dim));
                let result = tops.next();
                Dim::stretched(tops) == result
            }
            Kind::StretchedRows | Kind::Total { .. } | Kind::Exact => false,
        }
    }
}

impl Dims {
    /// The program's dimension variables, by the axes that they were found to be.
    pub(crate) fn axis_names(&self) -> BTreeMap<AxisTerm, DimVar> {
        let mut names = BTreeMap::new();
        for var in self.vars.keys().iter().copied() {
            if let Some(axis) = self.axis(var) {
                names.entry(self.root(axis)).or_insert(var);
            }
        }
        names
    }

    /// The variable that an unbound axis is: by its name, or as one that a rule minted.
    pub(crate) fn axis_var(&self, axis: AxisTerm, names: &BTreeMap<AxisTerm, DimVar>) -> DimVar {
        let named = names.get(&self.root(axis)).copied();
        named.unwrap_or_else(|| axis.0.as_node().unwrap_or(DimNode::new(0)).minted())
    }
}
