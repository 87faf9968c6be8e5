//! What the tests of this crate share: readings of trees that owe nothing to the printer, and
//! pages.

use std::{env, fs, path::PathBuf};

use lozenge_diagnostic::{Diagnostic, Report, Sources};
use lozenge_notation::{
    Affine, Axis, Border, Coefficient, Dialect, DimForm, Form, Kind, Label, Part, PartForm, Row,
    Shape, Size, Slot, Spec, parse_as, parse_shape,
};

/// A path of the repository.
pub(crate) fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// A page of the repository.
pub(crate) fn page(name: &str) -> String {
    let path = path(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Holds a page against what it should say, or writes that, with `UPDATE_EXPECT=1`.
pub(crate) fn keep(name: &str, wanted: &str) {
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path(name), wanted).unwrap();
    } else {
        let page = page(name);
        let differing = page.lines().zip(wanted.lines()).find(|(is, should)| is != should);
        assert!(page == wanted, "{name} differs; UPDATE_EXPECT=1 writes it: {differing:#?}");
    }
}

/// What a specification says, slot by slot: `batch[..] input[..] output[..]`.
pub(crate) fn reading(spec: &Spec) -> String {
    let operands: Vec<String> = spec.operands().iter().map(|it| slot(spec, it)).collect();
    format!("{} ⇒ {}", operands.join("; "), slot(spec, spec.result()))
}

fn slot(spec: &Spec, slot: &Slot) -> String {
    let row = |kind: Kind| {
        let row = slot.row(kind);
        let (before, after) = spec.axes(row);
        let mut entries: Vec<String> = before.iter().map(|it| axis(spec, it)).collect();
        entries.extend(ellipsis(row, kind, |id| spec.name(id)));
        entries.extend(after.iter().map(|it| axis(spec, it)));
        (!row.is_empty()).then(|| format!("{kind}[{}]", entries.join(" ")))
    };
    let rows: Vec<String> = Kind::ALL.into_iter().filter_map(row).collect();
    if rows.is_empty() { "no axes".to_owned() } else { rows.join(" ") }
}

fn ellipsis<'a>(
    row: &Row,
    kind: Kind,
    name: impl Fn(lozenge_notation::NameId) -> &'a str,
) -> Option<String> {
    let variable = row.ellipsis?.name.map_or(kind.name(), name);
    Some(format!("⟨{variable}⟩"))
}

fn axis(spec: &Spec, axis: &Axis) -> String {
    let parts = |parts| spec.parts(parts).iter().map(|it| part(spec, it)).collect::<Vec<_>>();
    match axis.form {
        Form::Axis(it) => label(spec, it),
        Form::Fixed(index) => format!("#{index}"),
        Form::Runtime(index) => format!("#{}", spec.name(index)),
        Form::Affine(id) => affine(spec, spec.affine(id)),
        Form::Concat(range) => format!("concat({})", parts(range).join(" ")),
        Form::Merged(range) => format!("merged({})", parts(range).join(" ")),
    }
}

fn label(spec: &Spec, label: Label) -> String {
    label.name().map_or("fresh".into(), |id| spec.name(id).into())
}

fn part(spec: &Spec, part: &Part) -> String {
    match part.form {
        PartForm::Axis(it) => label(spec, it),
        PartForm::Size(size) => size.to_string(),
    }
}

fn affine(spec: &Spec, affine: &Affine) -> String {
    let times = |coefficient| match coefficient {
        Coefficient::Number(number) => number.to_string(),
        Coefficient::Named(id) => spec.name(id).to_owned(),
    };
    let over = format!("{}·{}", times(affine.stride), label(spec, affine.over));
    let offset = affine.offset;
    match affine.window {
        None if affine.loose => format!("loose stride({over} + {offset})"),
        None => format!("stride({over} + {offset})"),
        Some(window) => {
            let border = match window.border {
                Border::Valid => "valid",
                Border::Whole => "whole",
                Border::Begun => "begun",
                Border::Padded => "padded",
                Border::PaddedLoose => "loosely padded",
            };
            let margins = match window.margins {
                [0, 0] => String::new(),
                [left, right] => format!(" in {left} + axis + {right}"),
            };
            let kernel = format!("{}·{}", times(window.dilation), label(spec, window.kernel));
            format!("{border}({over} + {kernel} + {offset}{margins})")
        }
    }
}

/// What a shape says, in the same way.
pub(crate) fn shape_reading(shape: &Shape) -> String {
    let row = |kind: Kind| {
        let row = shape.row(kind);
        let (before, after) = shape.dims(row);
        let dim = |dim: &lozenge_notation::Dim| match dim.form {
            DimForm::Known(size, basis) => {
                let size = match size {
                    Size::Number(number) => number.to_string(),
                    Size::Named(id) => format!("symbol {}", shape.name(id)),
                };
                let basis = basis.map(|basis| format!(" of {}", basis.of(shape.text())));
                let is_late = dim.range.is_some_and(|range| range.at_run_time);
                size + if is_late { " at run time" } else { "" } + &basis.unwrap_or_default()
            }
            DimForm::Computed(_) => format!("computed {}", dim.span.of(shape.text())),
            DimForm::Unit => "unit".into(),
            DimForm::Unknown => "unknown".into(),
            DimForm::AtRunTime => "at run time".into(),
            DimForm::Met => "met".into(),
        };
        let mut entries: Vec<String> = before.iter().map(dim).collect();
        entries.extend(ellipsis(row, kind, |id| shape.name(id)));
        entries.extend(after.iter().map(dim));
        (!row.is_empty()).then(|| format!("{kind}[{}]", entries.join(", ")))
    };
    let rows: Vec<String> = Kind::ALL.into_iter().filter_map(row).collect();
    if rows.is_empty() { "no axes".to_owned() } else { rows.join(" ") }
}

/// What is said about a block: a specification or a shape, and what it is used with. A line `warn`
/// asks what use warns of.
pub(crate) fn said(block: &str) -> Report {
    let lines: Vec<(&str, &str)> =
        block.lines().map(|line| line.split_once(' ').unwrap_or((line, ""))).collect();
    let (what, text) = lines[0];
    let sources = Sources::new().with(what, text);
    if what == "shape" {
        return Report { sources, diagnostics: parse_shape(text).diagnostics };
    }
    let dialect = if what == "numpy" { Dialect::Numpy } else { Dialect::Lozenge };
    let parsed = parse_as(text, dialect);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return Report { sources, diagnostics: parsed.diagnostics };
    }
    if let Err(rejection) = used(&parsed.spec, &lines[1..]) {
        return rejection;
    }
    if lines.len() == 1 {
        return Report { sources, diagnostics: parsed.diagnostics };
    }
    let is_given = |name: &str| {
        let mut sets = lines.iter().filter(|line| line.0 == "set");
        sets.any(|(_, set)| set.split('=').next() == Some(name))
    };
    let only = parsed.spec.result_only(|id| is_given(parsed.spec.name(id)));
    let diagnostics = only.into_iter().filter(|_| lines.contains(&("warn", ""))).collect();
    Report { sources, diagnostics }
}

fn used(spec: &Spec, lines: &[(&str, &str)]) -> Result<(), Report> {
    let all = |what: &'static str| lines.iter().filter(move |line| line.0 == what);
    let number = |name: &str| {
        let set = all("set").find_map(|(_, set)| set.strip_prefix(name)?.strip_prefix('='));
        set.map(|number| number.parse().expect("a number"))
    };
    let spec = spec.bind(number)?;
    for (_, name) in all("capture") {
        spec.capture(name)?;
    }
    let operands: Vec<Shape> =
        all("operand").map(|(_, shape)| shape.parse()).collect::<Result<_, _>>()?;
    if operands.is_empty() { Ok(()) } else { spec.fit(&operands) }
}
