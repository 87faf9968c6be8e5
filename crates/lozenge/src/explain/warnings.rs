//! Warnings about programs that close, though perhaps not as was meant.
//!
//! A specification may say something that hardly anybody means, and a parameter whose shape nobody
//! said may take a shape that hardly anybody wants. Whoever means it says so in the declaration, or
//! [allows](Session::allow) the warning.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_calculus::{
    constraint::Vars,
    dim::Dim,
    size::{Size, SizeKind},
    term::{DimTerm, Grounding, Variable},
};
use lozenge_diagnostic::{Code, Diagnostic};
use lozenge_notation::{Kind, NameId};
use lozenge_solve::{
    Solver,
    close::{Closed as Values, Role},
    explain::Target,
};

use crate::{
    Inference, Shape,
    session::{program::Leaf, step::StepId},
    shape::RowView,
};

use super::{declare, listing::Listing, why, words};

/// The most warnings of a kind that are told; the others show when these are mended.
pub(super) const MOST_WARNINGS: usize = 8;

/// Warnings about specifications, each once however many steps have it.
pub(super) fn specifications(
    inference: &Inference,
    solver: &Solver,
    listing: &mut Listing<'_>,
) -> Vec<Diagnostic> {
    let program = &inference.program;
    let mut stated: Option<BTreeSet<Variable>> = None;
    // The first step, its warning, and the number of other steps with the same text and headline.
    let mut found: Vec<(StepId, Diagnostic, usize)> = vec![];
    let mut places: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for (step, made) in program.step_ids().zip(&program.steps) {
        let Some(spec) = made.operation.spec() else { continue };
        let parsed = spec.warnings().iter().filter(|said| !inference.allows(said.code)).cloned();
        let mut said: Vec<Diagnostic> = parsed.collect();
        // Where words are taken for letters, names that are nowhere else come from that.
        if said.is_empty() && !inference.allows(Code::ResultOnlyName) {
            let is_given = |id: NameId| {
                let name = spec.name(id);
                if made.operation.sizes().iter().any(|(set, _)| *set == name) {
                    return true;
                }
                let stated = stated.get_or_insert_with(|| stated_sizes(inference, solver));
                made.named(name).is_some_and(|(var, _)| stated.contains(&var))
            };
            said.extend(spec.result_only(is_given));
        }
        for said in said {
            let next = found.len();
            let place = *places.entry((spec.text(), said.headline.clone())).or_insert(next);
            match found.get_mut(place) {
                Some((.., others)) => *others += 1,
                None => found.push((step, said, 0)),
            }
        }
    }
    found.truncate(MOST_WARNINGS);
    let told = |(step, said, others): (StepId, Diagnostic, usize)| {
        let (source, start) = listing.text_start(step);
        words::same_specification(said.moved(|_| (source, start)), others)
    };
    found.into_iter().map(told).collect()
}

/// The variables that statements speak of: somebody has said something of their sizes.
fn stated_sizes(inference: &Inference, solver: &Solver) -> BTreeSet<Variable> {
    let program = &inference.program;
    let is_stated = |step: StepId| !program.steps[step.place()].has_result;
    let stated = solver.given().filter(|given| is_stated(program.origin(given.origin).0));
    let mut all = BTreeSet::new();
    for constraint in stated {
        let vars = Vars::of([&constraint]);
        all.extend(vars.dims.into_iter().map(Variable::Dim));
        all.extend(vars.rows.into_iter().map(Variable::Row));
    }
    all
}

/// An axis of a parameter that its declaration does not say.
struct Taken {
    leaf: Leaf,
    /// Which axis of what the leaf leaves open.
    axis: usize,
    size: Size,
}

impl Taken {
    /// All of a leaf.
    fn of(leaf: &Leaf, ground: &Grounding) -> Vec<Taken> {
        let taken = |axis: usize, dim: Dim| {
            let Dim::Atom { size, .. } = dim else { return None };
            Some(Taken { leaf: *leaf, axis, size })
        };
        match leaf.var {
            Variable::Dim(var) => taken(0, ground.dim(var.into())).into_iter().collect(),
            Variable::Row(var) => {
                let row = ground.row_var(var);
                let axes = row.flat().iter().enumerate();
                axes.filter_map(|(axis, dim)| taken(axis, *dim)).collect()
            }
        }
    }

    fn target(&self) -> Target {
        match self.leaf.var {
            Variable::Dim(var) => Target::Dim(var),
            Variable::Row(var) => Target::Axis(var, self.axis),
        }
    }

    /// Its place in the row of its kind.
    fn place(&self) -> usize {
        usize::from(self.leaf.axis) + self.axis
    }
}

/// Warnings about what parameters took that nobody said, at most one for each.
pub(super) fn parameters(
    inference: &Inference,
    solver: &Solver,
    values: &Values,
    listing: &mut Listing<'_>,
) -> Vec<Diagnostic> {
    let program = &inference.program;
    let mut parameters: BTreeMap<StepId, Vec<Taken>> = BTreeMap::new();
    for leaf in program.leaves.iter().filter(|leaf| leaf.role == Role::Parameter) {
        let taken = Taken::of(leaf, values.grounding());
        if !taken.is_empty() {
            parameters.entry(leaf.step).or_default().extend(taken);
        }
    }
    let by_name = of_data(inference, &parameters);
    let pointwise = pointwise_only(inference, &parameters);
    let mut told: [usize; 2] = [0; 2];
    let mut diagnostics = vec![];
    for (step, taken) in &parameters {
        let shape = || program.closed_shape(values, *step);
        let is_pointwise = pointwise.contains(step);
        let of_data = by_name.get(step).filter(|_| !inference.allows(Code::DataSizedParameter));
        let said = if let Some(data) = of_data {
            told[0] += 1;
            (told[0] <= MOST_WARNINGS).then(|| {
                let taken: Vec<&Taken> = taken.iter().filter(|it| is_named(it.size)).collect();
                data_sized(inference, solver, values, listing, &taken, data)
            })
        } else if is_pointwise && !inference.allows(Code::PointwiseParameter) {
            told[1] += 1;
            (told[1] <= MOST_WARNINGS)
                .then(|| pointwise_axes(inference, values, listing, *step, &shape()))
        } else {
            None
        };
        let Some(mut said) = said else { continue };
        let shape = shape();
        let last = shape.row(Kind::Output).last().filter(|_| is_pointwise);
        let last =
            last.and_then(|last| declare::whole(inference, listing, *step, &last.to_string()));
        let all = declare::whole(inference, listing, *step, &shape.to_string());
        said.helps.extend(last.map(words::one_axis_meant));
        said.helps.extend(all.map(words::say_all));
        let code = said.code;
        diagnostics.push(said.help(words::or_allow(code)));
    }
    diagnostics
}

fn is_named(size: Size) -> bool {
    matches!(size.kind(), SizeKind::Symbol(_))
}

/// A named size that data introduces: which step, and where in it.
#[derive(Clone, Copy)]
struct OfData {
    step: StepId,
    kind: Kind,
    axis: usize,
    dim: Dim,
}

/// The parameters that take a size by a name which they do not write and data does, with the data.
fn of_data(
    inference: &Inference,
    parameters: &BTreeMap<StepId, Vec<Taken>>,
) -> BTreeMap<StepId, Vec<OfData>> {
    let program = &inference.program;
    let writes = |step: StepId, size: Size| {
        let rows = Kind::ALL.map(|kind| program.row_view(step, kind));
        rows.into_iter().any(|row| entries(row).iter().any(|term| size_of(term) == Some(size)))
    };
    let mut named: BTreeMap<StepId, BTreeSet<Size>> = BTreeMap::new();
    for (step, taken) in parameters {
        let sizes = taken.iter().map(|it| it.size).filter(|size| is_named(*size));
        let sizes: BTreeSet<Size> = sizes.filter(|size| !writes(*step, *size)).collect();
        if !sizes.is_empty() {
            named.insert(*step, sizes);
        }
    }
    if named.is_empty() {
        return BTreeMap::new();
    }
    let mut data: BTreeMap<Size, Vec<OfData>> = BTreeMap::new();
    for (step, made) in program.step_ids().zip(&program.steps) {
        if made.operation.role() != Some(Role::Leaf) {
            continue;
        }
        for kind in Kind::ALL {
            for (axis, term) in entries(program.row_view(step, kind)).iter().enumerate() {
                if let Some(dim) = term.ground().filter(|dim| is_named(dim.size())) {
                    data.entry(dim.size()).or_default().push(OfData { step, kind, axis, dim });
                }
            }
        }
    }
    let declared = |sizes: BTreeSet<Size>| -> Vec<OfData> {
        sizes.iter().filter_map(|size| data.get(size)).flatten().copied().collect()
    };
    let found = named.into_iter().map(|(step, sizes)| (step, declared(sizes)));
    found.filter(|(_, data)| !data.is_empty()).collect()
}

fn entries(row: RowView<'_>) -> &[DimTerm] {
    match row {
        RowView::Term(term) => term.flanks.flat(),
        RowView::NoAxes | RowView::Var(_) => &[],
    }
}

fn size_of(term: &DimTerm) -> Option<Size> {
    term.ground().map(Dim::size)
}

/// The warning about a parameter that takes named sizes of data.
fn data_sized(
    inference: &Inference,
    solver: &Solver,
    values: &Values,
    listing: &mut Listing<'_>,
    taken: &[&Taken],
    data: &[OfData],
) -> Diagnostic {
    let program = &inference.program;
    let taken: Vec<&&Taken> =
        taken.iter().filter(|it| data.iter().any(|data| data.dim.size() == it.size)).collect();
    let first = taken[0];
    let parameter = first.leaf.step;
    let steps = program.steps_of(why::origins(solver, values, first.target()));
    // Of several declarations, one that the size came from.
    let is_near =
        |data: &&OfData| steps.iter().any(|step| program.operands_of(*step).contains(&data.step));
    let mut of_size = data.iter().filter(|data| data.dim.size() == first.size);
    let source = of_size.clone().find(is_near).or_else(|| of_size.next());
    let source = source.copied().unwrap_or(data[0]);

    let naming = program.name_table.with(values.sizes());
    let size = |size: Size| naming.named(size).to_string();
    let axes: Vec<(Kind, usize, String)> =
        taken.iter().map(|it| (it.leaf.kind, it.place(), size(it.size))).collect();
    let name = program.display_name(parameter);
    let place = declare::place(inference, listing, &first.leaf);
    let has = |size| data.iter().any(|it| it.step == source.step && it.dim.size() == size);
    let of_one = taken.iter().all(|it| has(it.size)).then(|| program.display_name(source.step));
    let mut said = words::data_sized(place, &name, &axes, of_one.as_deref());
    let OfData { step, kind, axis, dim } = source;
    let place = match why::declared(inference, step, kind, axis, dim) {
        Some(span) => listing.text(step, span),
        None => listing.step(step),
    };
    said = said.label(place, words::introduced(&size(dim.size())));
    // The use through which it came, and of the other steps the one beside it.
    let used = |step: &StepId| program.operands_of(*step).iter().position(|it| *it == parameter);
    let named = size(first.size);
    let of_use = steps.iter().find_map(|step| Some((*step, used(step)?)));
    if let Some((step, operand)) = of_use {
        said = said.label(listing.operand(step, operand), words::takes(&named));
    }
    let from = of_use.map_or(parameter, |(step, _)| step);
    let others = steps.iter().filter(|step| used(step).is_none());
    if let Some(beside) = others.min_by_key(|step| step.distance(from)) {
        said = said.label(listing.step(*beside), words::gives(&named));
    }
    said.help(words::say_another(&name, &named))
}

/// The parameters of which nothing is said, that are only broadcast, and that took two axes or
/// more.
fn pointwise_only(
    inference: &Inference,
    parameters: &BTreeMap<StepId, Vec<Taken>>,
) -> BTreeSet<StepId> {
    let program = &inference.program;
    let is_unsaid = |step: StepId| {
        let rows = Kind::ALL.map(|kind| program.row_view(step, kind));
        rows.iter().all(|row| !matches!(row, RowView::Term(_)))
    };
    let many = parameters.iter().filter(|(step, taken)| taken.len() > 1 && is_unsaid(**step));
    let mut many: BTreeSet<StepId> = many.map(|(step, _)| *step).collect();
    if many.is_empty() {
        return many;
    }
    for step in program.step_ids() {
        for (place, operand) in program.operands_of(step).iter().enumerate() {
            let is_copied = program.copied(step) == Some(place);
            if many.contains(operand) && !is_copied && !program.broadcasts(step, place) {
                many.remove(operand);
            }
        }
    }
    many
}

/// The warning about a parameter that took axes from pointwise operations.
fn pointwise_axes(
    inference: &Inference,
    values: &Values,
    listing: &mut Listing<'_>,
    parameter: StepId,
    shape: &Shape,
) -> Diagnostic {
    let program = &inference.program;
    let name = program.display_name(parameter);
    let place = listing.step(parameter);
    let mut said = words::pointwise(place, &name, &shape.to_string(), shape.rank());
    let uses = program.steps_after(parameter).filter_map(|step| {
        let operands = program.operands_of(step);
        operands.iter().position(|it| *it == parameter).map(|operand| (step, operand))
    });
    for (step, operand) in uses.take(words::MOST_STEPS) {
        let others: Vec<&StepId> =
            program.operands_of(step).iter().filter(|it| **it != parameter).collect();
        let met = match others[..] {
            [other] => {
                let shape = program.closed_shape(values, *other);
                Some((program.display_name(*other), shape.to_string()))
            }
            _ => None,
        };
        said = said.label(listing.operand(step, operand), words::meets(met.as_ref()));
    }
    said
}
