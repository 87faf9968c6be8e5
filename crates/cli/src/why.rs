//! `lozenge why`.

use std::process::ExitCode;

use lozenge::{
    AxisPlace, Kind, Tensor,
    diagnostic::{Code, Diagnostic, Help, Sources, concise, full, json},
    query::Inferred,
};
use lozenge_notation::{Form, Label, NameId, PartForm, Slot, Use};

use crate::{
    args::{Format, Why},
    einsum, output,
};

pub(crate) fn run(args: &Why) -> ExitCode {
    let Some((place, shapes)) = args.shapes.split_last() else { return ExitCode::from(2) };
    let format = args.how.format;
    // Before anything else: without an axis the last shape is taken for one.
    let (tensor, _) = place.split_once('.').unwrap_or((place, ""));
    let names_tensor = tensor == "result" || tensor.starts_with("operand");
    if !names_tensor && tensor.parse::<usize>().is_err() || !place.contains('.') {
        output::message(&usage(place));
        return ExitCode::from(2);
    }
    let inferred = match einsum::query(&args.spec, shapes, &args.how).infer() {
        Ok(inferred) => inferred,
        Err(rejection) => {
            output::refuse(&rejection, format);
            return ExitCode::FAILURE;
        }
    };
    let place = match find(&inferred, place) {
        Ok(place) => place,
        Err(usage) => {
            output::message(&usage);
            return ExitCode::from(2);
        }
    };
    let because = match undetermined(&inferred, place) {
        Some(said) => Ok(said),
        None => inferred.session().why(inferred.closed(), place),
    };
    match because {
        Ok((said, mut sources)) => {
            einsum::warn(&inferred, format);
            match format {
                Format::Full => output::answer(&full(&said, &sources, output::look())),
                Format::Concise => output::answer(&concise(&said, &sources)),
                Format::Json => {
                    let mut all = vec![said];
                    all.extend(einsum::warnings(&inferred, &mut sources));
                    output::answer(&json(&all, &sources));
                }
            }
            ExitCode::SUCCESS
        }
        Err(rejection) => {
            output::refuse(&rejection, format);
            ExitCode::FAILURE
        }
    }
}

/// That nothing determines an axis, if nothing does.
fn undetermined(inferred: &Inferred, place: AxisPlace) -> Option<(Diagnostic, Sources)> {
    let AxisPlace { tensor, kind, axis, .. } = place;
    if !inferred.is_open(tensor, kind, axis) {
        return None;
    }
    let (_, slot, called) = inferred.tensors().find(|(other, ..)| *other == tensor)?;
    let headline = format!("nothing determines {kind} axis {axis} of `{called}`");
    let said = Diagnostic::new(Code::SizeFollows, headline);
    let sources = Sources::new().with("spec", inferred.spec().text());
    let Some(written) = inferred.written(tensor, slot, kind, axis) else {
        let ellipsis = slot.row(kind).ellipsis?;
        return Some((said.label(ellipsis.span, "one of these"), sources));
    };
    let said = said.label(written.span, "of any size");
    let said = match written.form {
        Form::Axis(Label::Named(id)) | Form::Runtime(id) => {
            said.help(Help::advice(format!("say it with `--set {}=…`", inferred.spec().name(id))))
        }
        _ => said,
    };
    Some((said, sources))
}

/// The axis that `result.1`, `operand2.k` or `result.input.0` is.
fn find(inferred: &Inferred, text: &str) -> Result<AxisPlace, String> {
    let usage = || usage(text);
    let (tensor, axis) = text.split_once('.').ok_or_else(usage)?;
    let number = tensor.trim_start_matches("operand").trim();
    let (tensor, slot) = match number.parse::<usize>() {
        _ if tensor == "result" => (inferred.result(), inferred.spec().result()),
        Ok(number) if (1..=inferred.operands().len()).contains(&number) => {
            (inferred.operands()[number - 1], &inferred.spec().operands()[number - 1])
        }
        Ok(number) => {
            let count = inferred.operands().len();
            return Err(format!("there is no operand {number}, only {count}"));
        }
        Err(_) => return Err(usage()),
    };
    if let Some((kind, axis)) = axis.split_once('.') {
        let kind = Kind::ALL.into_iter().find(|k| k.name() == kind).ok_or_else(usage)?;
        return Ok(AxisPlace::new(tensor, kind, axis.parse().map_err(|_| usage())?));
    }
    let rank = |tensor: Tensor, kind| inferred.rank(tensor, kind);
    if let Ok(mut axis) = axis.parse::<usize>() {
        for kind in Kind::ALL {
            let count = rank(tensor, kind);
            if axis < count || kind == Kind::Output {
                return Ok(AxisPlace::new(tensor, kind, axis));
            }
            axis -= count;
        }
    }
    // By its name in the specification.
    for kind in Kind::ALL {
        let (before, after) = inferred.spec().axes(slot.row(kind));
        let is_it = |written: &lozenge_notation::Axis| matches!(written.form, Form::Axis(Label::Named(id)) | Form::Runtime(id) if inferred.spec().name(id) == axis);
        if let Some(axis) = before.iter().position(is_it) {
            return Ok(AxisPlace::new(tensor, kind, axis));
        }
        if let Some(place) = after.iter().position(is_it) {
            let axis = rank(tensor, kind) - after.len() + place;
            return Ok(AxisPlace::new(tensor, kind, axis));
        }
    }
    Err(elsewhere(inferred, slot, number, axis).unwrap_or_else(usage))
}

/// The message for a name of the specification that is not an axis of the tensor.
fn elsewhere(inferred: &Inferred, slot: &Slot, number: &str, name: &str) -> Option<String> {
    let spec = inferred.spec();
    let id = spec.find(name)?;
    let is_result = number == "result";
    let called = if is_result { "the result".to_owned() } else { format!("operand {number}") };
    let mut has: Vec<String> = vec![];
    let mut inside = None;
    for row in Kind::ALL.map(|kind| slot.row(kind)) {
        let (before, after) = spec.axes(row);
        let texts = |axes: &[lozenge_notation::Axis]| -> Vec<String> {
            axes.iter().map(|axis| axis.span.of(spec.text()).to_owned()).collect()
        };
        has.extend(texts(before));
        has.extend(row.ellipsis.map(|ellipsis| ellipsis.span.of(spec.text()).to_owned()));
        has.extend(texts(after));
        let is_inside = |axis: &&lozenge_notation::Axis| names(inferred, axis).contains(&id);
        inside = inside.or(before.iter().chain(after).find(is_inside).map(|axis| axis.span));
    }
    let has = if has.is_empty() { "no axes".to_owned() } else { format!("`{}`", has.join("`, `")) };
    Some(match (spec.name_use(id), inside) {
        (Use::Axis, Some(whole)) => {
            let whole = whole.of(spec.text());
            format!(
                "`{name}` is no axis of {called} by itself, only in `{whole}`; {called} has {has}"
            )
        }
        (Use::Axis, None) if is_result => {
            format!("`{name}` is no axis of the result: it is summed; the result has {has}")
        }
        (Use::Axis | Use::Index, _) => {
            format!("`{name}` is no axis of {called}, which has {has}")
        }
        (Use::Row, _) => {
            format!("`{name}` is a row of axes; one of them is asked for by its number")
        }
        (Use::Coefficient, _) => format!("`{name}` is a stride or dilation, not an axis"),
    })
}

/// The names that an axis is computed from.
fn names(inferred: &Inferred, axis: &lozenge_notation::Axis) -> Vec<NameId> {
    let spec = inferred.spec();
    let labels: Vec<Label> = match axis.form {
        Form::Affine(id) => {
            let affine = spec.affine(id);
            [affine.over].into_iter().chain(affine.window.map(|window| window.kernel)).collect()
        }
        Form::Concat(parts) | Form::Merged(parts) => {
            let label = |part: &lozenge_notation::Part| match part.form {
                PartForm::Axis(label) => Some(label),
                PartForm::Size(_) => None,
            };
            spec.parts(parts).iter().filter_map(label).collect()
        }
        Form::Axis(_) | Form::Fixed(_) | Form::Runtime(_) => vec![],
    };
    labels.into_iter().filter_map(Label::name).collect()
}

fn usage(text: &str) -> String {
    format!(
        "`{text}` is no axis: the last argument is one, `result.1`, `operand2.0`, `result.input.0` or, by \
         its name, `result.k`"
    )
}
