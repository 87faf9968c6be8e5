//! Words about named sizes: ranges, numbers, requirements.

use lozenge_diagnostic::{Code, Diagnostic, Help};

/// What has to hold of named sizes.
pub(in super::super) fn required(requirement: &str) -> Diagnostic {
    Diagnostic::new(Code::SizeRequired, format!("this fits where {requirement}"))
}

/// The few values of a name for which something holds.
pub(in super::super) fn with_values(said: Diagnostic, name: &str, values: &[i128]) -> Diagnostic {
    said.note(format!("that is where `{name}` is {}", listed(values, " or ")))
}

/// A name that has to be a number.
pub(in super::super) fn specialised(name: &str, value: u64) -> Diagnostic {
    Diagnostic::new(Code::SpecialisedSize, format!("`{name}` is {value}, as it has to be here"))
        .note(format!("with `any {name}` this is an error: then it has to stay free"))
}

/// Ranges without a common value.
pub(in super::super) fn range_empty(name: &str) -> Diagnostic {
    Diagnostic::new(Code::RangeEmpty, format!("the ranges of `{name}` have no value in common"))
}

/// A value outside of a range.
pub(in super::super) fn out_of_range(name: &str, value: u64, range: &str) -> Diagnostic {
    let headline = format!("`{name}` would have to be {value}, which {range} does not have");
    Diagnostic::new(Code::OutOfRange, headline)
}

/// What nothing in a range satisfies.
pub(in super::super) fn refuted(required: Option<&str>) -> Diagnostic {
    let headline = match required {
        Some(required) => format!("this fits where {required}: no value in range does"),
        None => "no value in range fits".to_owned(),
    };
    Diagnostic::new(Code::OutOfRange, headline)
}

/// A requirement on a size known at run time that does not fit what else is asked.
pub(in super::super) fn beyond(required: &str) -> Diagnostic {
    let headline = format!("this fits where {required}, which does not fit what is asked before");
    Diagnostic::new(Code::SizeMismatch, headline)
}

/// What a size known at run time is taken for where something is refused.
pub(in super::super) fn taken_already(required: &str) -> String {
    format!("that is where {required}, which is asked as well")
}

/// A name that has to stay free and would be a number.
pub(in super::super) fn pinned(name: &str, value: u64) -> Diagnostic {
    Diagnostic::new(Code::PinnedSize, format!("`{name}` has to stay free, and would be {value}"))
}

/// The diagnostic for a name that has to stay free and would be constrained.
pub(in super::super) fn pinned_by(
    name: &str,
    range: &str,
    required: &str,
    failing: &[i128],
) -> Diagnostic {
    let headline =
        format!("`{name}` may be anything in {range}, but this fits only where {required}");
    let said = Diagnostic::new(Code::PinnedSize, headline);
    if failing.is_empty() {
        return said;
    }
    said.note(format!("it fails where `{name}` is {}", listed(failing, ", ")))
}

/// Numbers one after another, with this before the last one.
fn listed(numbers: &[i128], before_last: &str) -> String {
    let numbers: Vec<String> = numbers.iter().map(i128::to_string).collect();
    match &numbers[..] {
        [others @ .., last] if !others.is_empty() => {
            format!("{}{before_last}{last}", others.join(", "))
        }
        _ => numbers.concat(),
    }
}

/// A name that is computed, with a basis.
pub(in super::super) fn based(name: &str) -> Diagnostic {
    Diagnostic::new(Code::StrayBasis, format!("`{name}` is computed from others, and has no basis"))
}

/// A declaration that relates names without saying what one of them is.
pub(in super::super) fn names_related(said: Diagnostic) -> Diagnostic {
    said.help(Help::advice(
        "different names are different sizes: an equality of several has a name alone on one side, as in \
         `n = 3*m`",
    ))
}

/// A name that has to stay free and is computed.
pub(in super::super) fn tied(name: &str) -> Diagnostic {
    let headline = format!("`{name}` has to stay free, and is computed from others");
    Diagnostic::new(Code::PinnedSize, headline)
}

/// A name that is computed from itself.
pub(in super::super) fn circular(name: &str) -> Diagnostic {
    Diagnostic::new(Code::NotARelation, format!("`{name}` would be computed from itself"))
}

/// Where a range is declared.
pub(in super::super) fn range_declared(name: &str, range: &str, any: bool) -> String {
    let any = if any { "any value in " } else { "" };
    format!("`{name}` is {any}{range} here")
}
