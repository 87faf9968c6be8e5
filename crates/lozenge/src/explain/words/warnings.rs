//! Words about programs that close, and about warnings that are left out.

use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Place, Report, Sources, Span};

use crate::{Kind, Site, number::index};

/// An error that somebody wants to be told no more.
pub(crate) fn allowed_error(site: &Site, code: Code) -> Report {
    let text = format!("allow {code}");
    let whole = Span::new(0, index(text.len()));
    let said = Diagnostic::new(Code::AllowedError, format!("`{code}` is an error and stays one"))
        .label(whole, "only warnings and notes can be left out");
    site.blame(Report { sources: Sources::new().with("allow", text), diagnostics: vec![said] })
}

/// The same specification in other steps.
pub(in super::super) fn same_specification(said: Diagnostic, others: usize) -> Diagnostic {
    match others {
        0 => said,
        1 => said.note("the same specification is in another step"),
        n => said.note(format!("the same specification is in {n} other steps")),
    }
}

/// A tensor that is written with an axis of 0.
pub(in super::super) fn empty_axis(place: Place, name: &str) -> Diagnostic {
    Diagnostic::new(Code::EmptyAxis, format!("`{name}` has an axis of size 0"))
        .label(place, "has no elements")
        .note("loops over it never run; where it grows later, a name says so: `past: 0..`")
}

/// A size that is too large to be written out.
pub(in super::super) fn capped(place: Place, name: &str) -> Diagnostic {
    let headline = format!("an axis of `{name}` is too large to be written out");
    Diagnostic::new(Code::CappedSize, headline)
        .label(place, "is kept as it is computed")
        .note("computed in another way, it would not be known to be the same size")
}

/// A parameter that takes sizes by these names, which are of data: of one, where it has a name.
pub(in super::super) fn data_sized(
    place: Place,
    parameter: &str,
    axes: &[(Kind, usize, String)],
    data: Option<&str>,
) -> Diagnostic {
    let mut sizes: Vec<String> = vec![];
    for (.., size) in axes {
        let size = format!("`{size}`");
        if !sizes.contains(&size) {
            sizes.push(size);
        }
    }
    let names = sizes.join(", ");
    let data = data.map_or("data".to_owned(), |data| format!("the data `{data}`"));
    let of_data = match &sizes[..] {
        [_] => format!("a size of {data}"),
        _ => format!("sizes of {data}"),
    };
    let headline = match axes {
        [(kind, axis, _)] => {
            format!("{kind} axis {axis} of the parameter `{parameter}` is {names}, {of_data}")
        }
        _ => format!("axes of the parameter `{parameter}` are {names}, {of_data}"),
    };
    let label = match axes {
        [(kind, axis, _)] => format!("takes {names} as its {kind} axis {axis}"),
        _ => format!("takes {names}"),
    };
    Diagnostic::new(Code::DataSizedParameter, headline)
        .label(place, label)
        .note("a parameter of such a size is of use with data of that size only")
}

/// A parameter that took axes from pointwise operations.
pub(in super::super) fn pointwise(
    place: Place,
    parameter: &str,
    shape: &str,
    rank: usize,
) -> Diagnostic {
    let headline = format!(
        "the parameter `{parameter}` took {rank} axes, `{shape}`, from pointwise operations only"
    );
    Diagnostic::new(Code::PointwiseParameter, headline)
        .label(place, "declared without a shape")
        .note("what is only broadcast takes all axes that it meets; a bias or a scale has one, as a rule")
}

/// The operand that a parameter meets in a pointwise operation, with its shape.
pub(in super::super) fn meets(other: Option<&(String, String)>) -> String {
    match other {
        Some((name, shape)) => format!("meets `{name}`, which is `{shape}`"),
        None => "used here".to_owned(),
    }
}

/// Where data declares a named size.
pub(in super::super) fn introduced(size: &str) -> String {
    format!("`{size}` is declared here")
}

/// A use of a parameter through which it has a named size.
pub(in super::super) fn takes(size: &str) -> String {
    format!("takes `{size}` here")
}

/// A step through which a size came.
pub(in super::super) fn gives(size: &str) -> String {
    format!("gives it `{size}`")
}

pub(in super::super) fn one_axis_meant(edit: Edit) -> Help {
    Help::choice("where only the last axis is meant", [edit])
}

pub(in super::super) fn say_all(edit: Edit) -> Help {
    Help::choice("where it is meant, say so", [edit])
}

pub(in super::super) fn say_another(parameter: &str, size: &str) -> Help {
    Help::advice(format!(
        "where `{size}` is not meant, declare `{parameter}` with the size that is: the use that does not fit \
         is then named"
    ))
}

pub(in super::super) fn or_allow(code: Code) -> Help {
    Help::advice(format!("where all such are meant, allow `{code}`"))
}
