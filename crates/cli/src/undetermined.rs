//! Messages about what nothing determines of an einsum, with options to type.

use lozenge::{
    Report, Spec,
    diagnostic::{Code, Diagnostic, Help, Sources, Span},
    query::{Assumed, Inferred, OpenRow, Undetermined, Unnamed},
};
use lozenge_notation::{NameId, Use};

/// The remarks on names and rows that nothing determines.
pub(crate) fn undetermined(inferred: &Inferred) -> Vec<String> {
    let names = nothing_determines(inferred.spec(), &inferred.undetermined_names());
    let rows = inferred.open_rows();
    let rows = (!rows.is_empty()).then(|| no_axes(&rows));
    names.into_iter().chain(rows).collect()
}

/// The remarks on sizes and rows that were assumed where nothing determines them.
pub(crate) fn assumed(inferred: &Inferred, assumed: &[Assumed]) -> Vec<String> {
    let said = |assumed: &Assumed| match assumed {
        Assumed::Ranges(names) => nothing_determines(inferred.spec(), names),
        Assumed::Size { tensor, axis, name } => {
            let axis = match axis {
                Unnamed::InEllipsis(text) => format!("an axis of `{text}`"),
                Unnamed::At(text) => format!("the axis at `{text}`"),
                Unnamed::Written(text) => format!("`{text}`"),
            };
            Some(format!("nothing determines the size of {axis} in {tensor}; it is called {name}"))
        }
        Assumed::NoAxes(rows) => Some(format!("{}; taken as none", no_axes(rows))),
    };
    assumed.iter().filter_map(said).collect()
}

/// That nothing determines these names, and what to type.
fn nothing_determines(spec: &Spec, names: &[NameId]) -> Option<String> {
    let word = |id: &NameId| match spec.name_use(*id) {
        Use::Index => format!("the range of {}", spec.name(*id)),
        _ => spec.name(*id).to_owned(),
    };
    let all: Vec<String> = names.iter().map(word).collect();
    let said =
        || format!("nothing determines {}; say it with `{}`", all.join(", "), options(spec, names));
    (!names.is_empty()).then(said)
}

/// That nothing determines the axes of these rows.
fn no_axes(rows: &[OpenRow]) -> String {
    let row = |row: &OpenRow| match row.kind {
        Some(kind) => format!("`{}` of the {kind}", row.text),
        None => format!("`{}`", row.text),
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("nothing determines the axes of {}", rows.join(" and "))
}

/// That there are no loops without numbers for what nothing determines.
pub(crate) fn no_loops(undetermined: &Undetermined) -> Report {
    let Undetermined { spec, names, computed, enough, .. } = undetermined;
    let sources = Sources::new().with("spec", spec.text());
    let texts = computed.iter().map(|span| span.of(spec.text()));
    let all: Vec<String> = names
        .iter()
        .map(|id| spec.name(*id))
        .chain(texts)
        .map(|text| format!("`{text}`"))
        .collect();
    let headline = format!("`result` has no loop nest: nothing determines {}", all.join(", "));
    let spans = names.iter().map(|id| spec.name_span(*id));
    let spans: Vec<Span> = spans.chain(computed.iter().copied()).collect();
    let mut said = Diagnostic::new(Code::NoLoops, headline);
    for span in spans {
        said = said.label(span, "of no known size");
    }
    if !computed.is_empty() {
        said = said.help(Help::advice("a name in place of `_`, which then can be set"));
    }
    match enough.as_deref() {
        Some([]) => {}
        Some(names) => {
            let advice = format!("give shapes, or `{}`", options(spec, names));
            said = said.help(Help::advice(advice));
        }
        None => said = said.help(Help::advice("give shapes")),
    }
    Report { sources, diagnostics: vec![said] }
}

/// The options of the command that give names sizes.
fn options(spec: &Spec, names: &[NameId]) -> String {
    let each: Vec<String> = names.iter().map(|id| format!("--set {}=…", spec.name(*id))).collect();
    each.join(" ")
}
