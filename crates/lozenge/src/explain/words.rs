//! The words of messages about programs: headlines, notes, and most labels.

mod axes;
mod clash;
mod holes;
mod misfit;
pub(crate) mod misuse;
mod names;
mod warnings;

use lozenge_calculus::{
    constraint::{Border, Fill, SizeRelation},
    dim::Dim,
    size::divides,
    term::DimTerm,
};
use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Place, Report, Sources};
use lozenge_notation::Kind;
use lozenge_project::NoLoops;
use lozenge_solve::{Exhausted, close::Commitment};

use crate::{
    Axis, Inference, Operation, PartialShape, SchemePart,
    session::{program::Program, step::StepId},
    shape::Size,
    text::in_one_line,
};

pub(crate) use axes::{axis_of, counted};
use clash::about_clash;
pub(crate) use clash::clash_code;
pub(super) use clash::{does_not_fit, takes_fewer};
pub(super) use holes::{
    Hole, MOST_NAMED, all_follow, also_missing, declare, follows, hidden, not_tried, say_sizes,
};
use misuse::alone;
pub(crate) use misuse::{foreign_tensor, nothing_to_capture};
pub(super) use names::{
    based, beyond, circular, names_related, out_of_range, pinned, pinned_by, range_declared,
    range_empty, refuted, required, specialised, taken_already, tied, with_values,
};
pub(crate) use warnings::allowed_error;
pub(super) use warnings::{
    capped, data_sized, empty_axis, gives, introduced, meets, one_axis_meant, or_allow, pointwise,
    same_specification, say_all, say_another, takes,
};

/// The most steps that a message shows of those that disagree.
pub(crate) const MOST_STEPS: usize = 4;

/// A refusal that nobody reads.
pub(crate) fn unread() -> Report {
    Report { sources: Sources::new(), diagnostics: vec![] }
}

pub(crate) fn no_operation(called: &str) -> String {
    format!("`{called}` has no loop nest: no operation makes it")
}

/// Why an operation has no loop nest: the code, the headline, the notes.
pub(crate) fn no_loops(called: &str, conflict: NoLoops) -> (Code, String, Vec<String>) {
    let [first, second] = match conflict {
        NoLoops::Ambiguous(both) => both.map(|number| number + 1),
        NoLoops::Unread(number) => [number + 1; 2],
        _ => [0; 2],
    };
    match conflict {
        NoLoops::Ambiguous(_) => (
            Code::AmbiguousParts,
            format!("operands {first} and {second} are both read for one part of a concatenation"),
            vec![
                "the parts of a concatenation are visited one after another; where an operand takes no \
                 part in one of them, only one operand can be read in each"
                    .to_owned(),
            ],
        ),
        NoLoops::Unread(_) => (
            Code::ExcludedParts,
            format!("operand {first} is never read: nothing is written where it could be"),
            vec![
                "the parts of a concatenation are visited one after another, and the result has none \
                 of this operand's"
                    .to_owned(),
            ],
        ),
        NoLoops::Nowhere => (
            Code::ExcludedParts,
            "nothing is ever written: the parts of the concatenations exclude each other".to_owned(),
            vec![
                "the parts of a concatenation are visited one after another; an axis of another part \
                 is not there meanwhile"
                    .to_owned(),
            ],
        ),
        NoLoops::Crossed(slot) => {
            let called = match slot.0 {
                0 => "the result".to_owned(),
                operand => format!("operand {operand}"),
            };
            (
                Code::ExcludedParts,
                format!("concatenations of {called} share some of their parts only"),
                vec![
                    "the parts of concatenations that share one are visited one after another, so that \
                     the others would never be there together, and their elements left out"
                        .to_owned(),
                ],
            )
        }
        conflict => (Code::NoLoops, format!("`{called}` has no loop nest: {conflict}"), vec![]),
    }
}

/// An index that is computed with the size of an axis, which is no number.
pub(crate) fn symbolic_index(place: Place, called: &str, name: &str, size: &Axis) -> Diagnostic {
    let headline = format!(
        "`{called}` has no loop nest: an index is computed with the size of `{name}`, and `{size}` is no \
         number"
    );
    Diagnostic::new(Code::NoLoops, headline)
        .label(place, format!("is `{size}`, which stays symbolic"))
        .help(Help::advice(format!("a number in place of the size `{size}`")))
}

pub(crate) fn exhausted(place: Place, exhausted: Exhausted) -> Diagnostic {
    Diagnostic::new(Code::WorkExhausted, exhausted.to_string()).label(place, "while adding this")
}

/// What a part of a specification has to do with a size.
pub(crate) fn part(operation: &dyn Operation, about: SchemePart) -> String {
    let Some(spec) = operation.spec() else { return "declared here".to_owned() };
    match about {
        SchemePart::Name(name) => {
            let name = spec.names().nth(name as usize).map_or("", |id| spec.name(id));
            let size = operation.sizes().into_iter().find(|(set, _)| *set == name);
            size.map_or_else(
                || "set here".to_owned(),
                |(_, size)| format!("`{name}` is set to {size}"),
            )
        }
        SchemePart::Axis { slot, .. } if usize::from(slot) == spec.operands().len() => {
            "written here".to_owned()
        }
        _ => "read here".to_owned(),
    }
}

/// A captured size that is known to be another.
pub(crate) fn size_set(place: Place, [first, second]: &[Axis; 2]) -> Diagnostic {
    let headline = format!("one size is {first} and {second}");
    Diagnostic::new(clash_code(first, second), headline).label(place, format!("is {first} already"))
}

/// A captured row that has another number of elements.
pub(crate) fn row_set(place: Place, known: Option<u64>, number: u64) -> Diagnostic {
    let headline = match known {
        Some(known) => format!("a row has {known} elements, not {number}"),
        None => format!("a row cannot have {number} elements"),
    };
    Diagnostic::new(Code::ElementsMismatch, headline).label(place, "another number is known")
}

/// The diagnostic for two known sizes where one is not the given multiple of the other, or for one
/// size that is not a multiple of the factor.
pub(crate) fn not_scaled(
    place: Place,
    factor: u32,
    sizes: &[Option<Axis>; 2],
) -> Option<Diagnostic> {
    let count = |axis: &Option<Axis>| axis.as_ref().and_then(Axis::count);
    let headline = match (count(&sizes[0]), count(&sizes[1])) {
        (Some(large), Some(small)) => format!("{large} is not {factor} times {small}"),
        (Some(large), None) if !divides(factor.into(), large) => {
            format!("{large} is not a multiple of {factor}")
        }
        _ => return None,
    };
    Some(Diagnostic::new(Code::StrideMismatch, headline).label(place, "asks for it"))
}

/// Numbers of elements that differ.
pub(crate) fn elements(
    place: Place,
    operand: Option<&(String, PartialShape)>,
    result: &PartialShape,
) -> Diagnostic {
    let counted = |shape: &PartialShape| {
        shape.elements().map_or(String::new(), |n| format!(", {n} elements"))
    };
    let headline = match operand {
        Some((name, shape)) => format!(
            "`{name}`, which is `{shape}`{}, does not fill `{result}`{}",
            counted(shape),
            counted(result),
        ),
        None => format!("no shape has this number of elements: `{result}`"),
    };
    Diagnostic::new(Code::ElementsMismatch, headline).label(place, "another number of elements")
}

/// A step that disagrees with others.
pub(crate) fn disagree(
    code: Code,
    here: &str,
    clash: Option<&[Axis; 2]>,
    others: usize,
) -> Diagnostic {
    let with = match others {
        0 => "by itself".to_owned(),
        1 => "with an earlier step".to_owned(),
        n => format!("with {n} earlier steps"),
    };
    let headline = match (code, clash) {
        (Code::RankConflict, _) => format!("no number of axes fits `{here}` {with}"),
        (Code::ChoiceConflict, _) => {
            format!("no place to insert axes was found with which `{here}` fits {with}")
        }
        (_, Some([first, second])) => {
            format!("an axis would be {first} and {second} in `{here}` {with}")
        }
        (_, None) => format!("no sizes fit `{here}` {with}"),
    };
    let said = Diagnostic::new(code, headline);
    match (code, clash) {
        (Code::ChoiceConflict, _) => said.note(
            "whether it fits depends on where rows are broadcast, and not all places were tried: the \
             search is bounded. A declared shape, or a specification with `...`, says where",
        ),
        (Code::SizeMismatch | Code::BasisMismatch, Some([first, second])) => {
            about_clash(said, first, second)
        }
        _ => said,
    }
}

pub(crate) fn and_others(said: Diagnostic, steps: usize) -> Diagnostic {
    match steps.checked_sub(MOST_STEPS) {
        None | Some(0) => said,
        Some(1) => said.note("and one step before"),
        Some(more) => said.note(format!("and {more} steps before")),
    }
}

/// Whether all of the steps that are shown and counted are needed, where that was not found out.
pub(crate) fn perhaps_fewer(said: Diagnostic, is_least: bool) -> Diagnostic {
    const FEWER: &str = "fewer of these steps may be enough: to find out would take too long";
    if is_least || said.notes.iter().any(|note| note == FEWER) {
        return said;
    }
    said.note(FEWER)
}

/// Other axes that one mistake shows on.
pub(super) fn and_so(others: &[String]) -> Option<String> {
    (!others.is_empty()).then(|| format!("and {}", others.join(", ")))
}

/// The size of a dimension in words.
pub(crate) fn size(inference: &Inference, dim: Dim) -> Axis {
    inference.naming().axis(dim)
}

/// Whether it is a 1 that somebody wrote.
pub(crate) fn is_one(axis: &Axis) -> bool {
    matches!(axis, Axis::Sized { size: Size::Number(1), .. })
}

pub(crate) fn no_axis(
    program: &Program,
    tensor: StepId,
    kind: Kind,
    axis: usize,
    shape: &crate::Shape,
) -> Report {
    let name = program.display_name(tensor);
    let has = match shape.row(kind).len() {
        0 => format!("no {kind} axes"),
        n => counted(n, &format!("{kind} axis")),
    };
    alone(Code::UnknownName, format!("`{name}`, which is `{shape}`, has {has}, so no axis {axis}"))
}

pub(crate) fn unused_parameter(place: Place, name: &str) -> Diagnostic {
    Diagnostic::new(Code::UnusedParameter, format!("nothing uses the parameter `{name}`"))
        .label(place, "so nothing says what shape it has")
}

/// A leaf that cannot be what some of its uses ask for.
pub(crate) fn disputed(
    code: Code,
    place: Place,
    name: &str,
    kind: Kind,
    commitment: &Commitment,
) -> Diagnostic {
    let what = match commitment.axis {
        Some(axis) => format!("{kind} axis {axis} of `{name}`"),
        None => format!("the {kind} axes of `{name}`"),
    };
    let headline = match code {
        Code::BroadcastInstead => format!("{what}: its uses do not agree, so it is broadcast"),
        _ => format!("{what}: its uses do not agree"),
    };
    Diagnostic::new(code, headline).label(place, "declared here")
}

/// A parameter that is broadcast, which nobody asked for.
pub(crate) fn stretched(place: Place, name: &str, kind: Kind, axis: usize) -> Diagnostic {
    let headline = format!(
        "{kind} axis {axis} of the parameter `{name}` is `1_`: its uses ask for different sizes"
    );
    Diagnostic::new(Code::StretchedParameter, headline)
        .label(place, "declared here")
        .note("an axis that is used with two sizes is broadcast; for a weight that is hardly ever meant")
        .help(Help::advice(format!("declare the size of `{name}` that is meant, or `1_`")))
}

/// Of a step it was not found out whether it fits.
pub(crate) fn undecided(place: Place, here: &str) -> Diagnostic {
    Diagnostic::new(Code::Unsettled, format!("no shapes were found with which `{here}` fits"))
        .label(place, "waits for what nothing says")
        .note("there may be some: the search is bounded. A shape or a size that is said ends it")
}

pub(crate) fn unsettled(code: Code, place: Place) -> Diagnostic {
    let headline = match code {
        Code::NeedsChoice => "several shapes fit, and nothing says which",
        _ => "no shape was found that fits",
    };
    Diagnostic::new(code, headline).label(place, "waits for what nothing says")
}

/// How a size is computed, with the sizes that it is computed from.
pub(crate) fn equation(relation: &SizeRelation, size: impl Fn(DimTerm) -> Axis) -> Option<String> {
    let joined = |terms: Vec<DimTerm>, sign: &str| {
        let terms: Vec<String> = terms.into_iter().map(|term| size(term).to_string()).collect();
        terms.join(sign)
    };
    Some(match relation {
        SizeRelation::Strided { whole, stride, over, loose } => {
            steps(&size(*whole), *stride, &size(*over), *loose)
        }
        SizeRelation::Window { whole, stride, over, border: Border::Padded { loose }, .. } => {
            let steps = steps(&size(*whole), *stride, &size(*over), *loose);
            format!("{steps}, padded for its windows")
        }
        SizeRelation::Window {
            whole,
            stride,
            over,
            dilation,
            kernel,
            border: Border::Margins { left, right, fill },
        } => {
            let [whole, over, kernel] = [whole, over, kernel].map(|term| size(*term));
            let signed = |n: i32| match n {
                0 => String::new(),
                ..0 => format!(" − {}", n.unsigned_abs()),
                1.. => format!(" + {n}"),
            };
            let margins = format!("{}{}", signed(*left), signed(*right));
            let rest = match fill {
                Fill::Exact => String::new(),
                Fill::Whole => format!(" + {}", rest(*stride)),
                Fill::Begun => format!(" − {}", rest(*stride)),
            };
            format!(
                "{whole}{margins} = {stride}·({over} − 1) + {dilation}·({kernel} − 1) + 1{rest}, the \
                 places of windows"
            )
        }
        SizeRelation::Concat { whole, parts } => {
            let parts = parts.iter().map(|part| part.dim).collect();
            format!("{} = {}, one after another", size(*whole), joined(parts, " + "))
        }
        SizeRelation::Merged { whole, parts } => {
            format!("{} = {}, all in one axis", size(*whole), joined(parts.clone(), " · "))
        }
        SizeRelation::Total { .. }
        | SizeRelation::Exact { .. }
        | SizeRelation::AtLeast { .. }
        | SizeRelation::Stretch { .. } => return None,
    })
}

/// What may be left over of a step.
fn rest(stride: u32) -> String {
    format!("(0 to {})", stride - 1)
}

/// How many places steps have.
fn steps(whole: &Axis, stride: u32, over: &Axis, loose: bool) -> String {
    if loose {
        return format!("{whole} = {stride}·({over} − 1) + 1 + {}", rest(stride));
    }
    format!("{whole} = {stride}·{over}")
}

/// A size that cannot be computed.
pub(crate) fn symbolic(place: Place) -> Diagnostic {
    Diagnostic::new(
        Code::SymbolicSize,
        "several sizes that nobody says make up one that stays open",
    )
    .label(place, "they are related here")
    .note("a size by a name has no divisors or parts that could be guessed")
    .help(Help::advice("say all but one of the sizes, in braces or in a declaration"))
}

pub(crate) fn overlap(place: Place) -> Diagnostic {
    Diagnostic::new(Code::AxesOverlap, "it depends on sizes whether axes here are the same")
        .label(place, "taken to be the same, as their sizes are")
}

/// Axes that clash, but where an axis is inserted for their sake.
pub(crate) fn elsewhere(said: Diagnostic) -> Diagnostic {
    said.note("they are two axes only if something says where one is inserted: a specification with `...`")
}

/// A step that fits only if an axis is inserted where nothing says so.
pub(crate) fn misplaced(here: &str, yields: Place, seen_by: Place) -> Diagnostic {
    let headline = format!("`{here}` fits only if an axis is inserted where nothing says so");
    Diagnostic::new(Code::ChoiceConflict, headline)
        .label(seen_by, "does not fit otherwise")
        .label(yields, "would be broadcast elsewhere")
        .note("a shape is widened in front unless a specification with `...` says where")
}

/// A valid window that begins at an offset, and so reaches as far past the end of its axis;
/// `without` takes the offset away.
pub(crate) fn window_past_end(
    place: Place,
    window: &str,
    axis: &str,
    offset: u64,
    is_written: bool,
    without: Edit,
) -> Diagnostic {
    let window = in_one_line(window);
    let positions = counted(usize::try_from(offset).unwrap_or(usize::MAX), "position");
    let headline =
        format!("the last window of `{window}` reaches {positions} past the end of {axis}");
    let (note, help) = if is_written {
        (
            "an offset moves where windows are written and changes no size; what is past the end is \
             left out",
            format!(
                "to write all of it from position {offset} on, put room before it afterwards: \
                 `i => {offset}^i`"
            ),
        )
    } else {
        (
            "an offset moves where windows read and changes no size; what is past the end is skipped",
            format!(
                "to begin at position {offset} with every window inside, leave out what comes \
                 before it first: `{offset}^i => i`"
            ),
        )
    };
    Diagnostic::new(Code::WindowPastEnd, headline)
        .label(place, format!("begins at position {offset}"))
        .note(note)
        .help(Help::choice("without the offset, every window lies inside", [without]))
        .help(Help::advice(help))
}

/// A declaration of where a row is broadcast that does not hold, and the one that does, if it is
/// another one: because it is nearer to what the program is given, or else by how it is written.
pub(crate) fn competes(yields: Place, holds: Option<(Place, bool)>, seen_by: Place) -> Diagnostic {
    let Some((holds, is_nearer)) = holds else {
        let headline = "a row is broadcast elsewhere than it is declared to be";
        return Diagnostic::new(Code::PlacementCompetes, headline)
            .label(yields, "declares another place")
            .label(seen_by, "would not fit there")
            .note("it is the only place found with which everything fits");
    };
    let why = if is_nearer {
        "holds, as it is nearer to the terminals"
    } else {
        "holds, by its form: neither names nor the order of lines decide"
    };
    let headline = "two declarations say where a row is broadcast, and one of them holds";
    Diagnostic::new(Code::PlacementCompetes, headline)
        .label(yields, "declares another place")
        .label(holds, why)
        .label(seen_by, "is broadcast by it")
}
