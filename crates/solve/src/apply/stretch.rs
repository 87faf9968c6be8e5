//! Steps of NumPy's broadcasting, in which an explicit 1 stretches.

use smallvec::SmallVec;

use lozenge_calculus::{dim::Dim, size::Size};

use crate::{
    apply::sizes::{Relation, taken},
    budget::Exhausted,
    config::Config,
    reading::view::View,
    rules::step::Taken,
    tables::{
        cause::Cause,
        list::Tables,
        node::{DimRef, Segment, Sign},
        rule::{Class, Rule},
        sizes::{Kind, SizePart, Span},
        trace::Entry,
    },
    why::conflict::Stop,
};

/// What is known of the number of elements of an axis.
enum Elements {
    /// One, and it is this dimension.
    One(Dim),
    /// Not one, because of this.
    NotOne(Cause),
    Unknown,
}

impl Relation<'_> {
    /// Rows are stretched axis by axis, once it is known where their axes stand: when all operands
    /// are closed.
    pub(super) fn stretch_rows(&mut self) -> Result<Taken, Stop> {
        let view = |tables: &Tables, at| tables.rows.view(tables.relations.rows.get(at));
        let operands: SmallVec<[View; 3]> =
            self.rel.rows.range().skip(1).map(|at| view(&self.config.tables, at)).collect();
        if let Some(open) = operands.iter().find_map(|operand| operand.var) {
            if let Some(given) = self.rel.cause.as_given() {
                let mut progress = self.config.tables.givens.progress.get(given);
                self.config.tables.watch(given, Some(open), &mut progress.next_right, false);
                self.config.tables.givens.progress.set(given, progress);
            }
            return Ok(taken(Rule::SizeKeep));
        }
        self.config.tables.finish(self.id);
        let rank = |view: &View| view.lead.len() + view.trail.len();
        let Some(most) = operands.iter().map(rank).max() else { return Ok(taken(Rule::SizeKeep)) };
        let result = view(&self.config.tables, self.rel.rows.at);
        // The marker stands as late as in one of the longest operands.
        let longest = operands.iter().filter(|operand| rank(operand) == most);
        let lead = longest.map(|longest| longest.lead.len()).max().unwrap_or(0);
        let new = lead.checked_sub(result.lead.len());
        let new = new.zip((most - lead).checked_sub(result.trail.len()));
        let Some((lead, trail)) = new.filter(|new| *new == (0, 0) || result.var.is_some()) else {
            return Err(self.config.fails(
                Rule::SizeClash,
                None,
                self.rel.cause,
                [DimRef::UNIT; 2],
            ));
        };
        if let Some(node) = result.var {
            let (Ok(lead_len), Ok(trail_len)) = (u16::try_from(lead), u16::try_from(trail)) else {
                return Err(Stop::from(Exhausted::Rank));
            };
            let at = self.config.tables.rows.axes.end();
            for _ in 0..lead + trail {
                let axis = DimRef::node(self.config.tables.dims.new_dim());
                self.config.tables.rows.axes.push(axis);
                self.config.tables.counts.minted += 1;
            }
            if self.config.tables.counts.minted > self.config.options.budget.minted {
                return Err(Stop::from(Exhausted::Minted));
            }
            let entry = Entry::row(Rule::SizeSolve, Class::Semantic, self.rel.cause);
            self.config.bind_row(
                node,
                Segment { at, lead: lead_len, trail: trail_len },
                None,
                entry,
            );
        }
        let result = view(&self.config.tables, self.rel.rows.at);
        for place in 0..most {
            let mut parts: SmallVec<[SizePart; 4]> = SmallVec::new();
            for row in [&result].into_iter().chain(&operands) {
                let Some(dim) = facing(row, most, place) else { continue };
                parts.push(SizePart { dim, coefficient: 1, discardable: false });
            }
            let stretched = self.config.tables.add_relation(
                Kind::StretchedAxes,
                &parts,
                Span::empty(),
                self.rel.cause,
            );
            self.config.tables.enqueue_size(stretched);
        }
        Ok(taken(Rule::SizeSolve))
    }

    /// An operand that is known not to be of one element is the result. Where it is known of all
    /// that they are, so is the result.
    pub(super) fn stretch_axes(&mut self) -> Result<Taken, Stop> {
        let parts: SmallVec<[SizePart; 8]> =
            self.config.tables.relations.parts(self.rel.parts).collect();
        let Some((result, operands)) = parts.split_first() else {
            return Ok(taken(Rule::SizeKeep));
        };
        let mut ones: SmallVec<[Dim; 4]> = SmallVec::new();
        let mut unknown: SmallVec<[DimRef; 4]> = SmallVec::new();
        let mut is_stretched = false;
        for operand in operands {
            match self.config.elements(operand.dim, self.rel.cause) {
                Elements::One(dim) => ones.push(dim),
                Elements::Unknown => unknown.push(operand.dim),
                Elements::NotOne(cause) => {
                    is_stretched = true;
                    self.config.tables.enqueue_dim(Sign::Eq, [result.dim, operand.dim], cause);
                }
            }
        }
        let found = match unknown[..] {
            [] if is_stretched => None,
            [] => match Dim::stretched(ones) {
                Some(one) => Some(self.config.tables.dims.met.intern(one)),
                None => return Err(self.size_fails(&[])),
            },
            // Something must be what the result is.
            [only]
                if !is_stretched
                    && matches!(
                        self.config.elements(result.dim, self.rel.cause),
                        Elements::NotOne(_)
                    ) =>
            {
                Some(only)
            }
            [first, ref others @ ..]
                if ones.is_empty()
                    && !is_stretched
                    && others.iter().all(|other| {
                        self.config.tables.dims.resolve(*other)
                            == self.config.tables.dims.resolve(first)
                    }) =>
            {
                Some(first)
            }
            [..] => return Ok(taken(Rule::SizeKeep)),
        };
        self.config.tables.finish(self.id);
        if let Some(found) = found {
            let cause = self.config.tables.joined_sizes(self.rel.cause, &parts);
            self.config.tables.enqueue_dim(Sign::Eq, [result.dim, found], cause);
        }
        Ok(taken(Rule::SizeSolve))
    }
}

impl Config {
    /// What is known of the number of elements of an axis, because of this and of what is known of
    /// it.
    fn elements(&mut self, axis: DimRef, cause: Cause) -> Elements {
        let end = self.tables.dims.find(axis);
        match (
            self.tables.dims.met(end),
            end.as_node().and_then(|node| self.tables.dims.least_above_one(node)),
        ) {
            (Some(dim), _) if dim.size() == Size::ONE => Elements::One(dim),
            (Some(_), _) => Elements::NotOne(cause),
            (None, Some(least)) => {
                Elements::NotOne(self.tables.trace.joint(cause, least.cause, [axis, least.via]))
            }
            (None, None) => Elements::Unknown,
        }
    }
}

/// The axis of a closed row that stands at a place of its expansion to a rank.
fn facing(row: &View, rank: usize, place: usize) -> Option<DimRef> {
    let from_the_end = rank - 1 - place;
    if place < row.lead.len() {
        Some(row.front(place))
    } else if from_the_end < row.trail.len() {
        Some(row.back(from_the_end))
    } else {
        None
    }
}
