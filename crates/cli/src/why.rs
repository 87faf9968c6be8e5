//! `lozenge why`.

use std::process::ExitCode;

use lozenge::{
    AxisPlace, Kind, Tensor,
    diagnostic::{concise, full, json},
};
use lozenge_spec::{Form, Label};

use crate::{Format, Why, einsum, einsum::Inferred, output};

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
    let inferred = match einsum::infer(&args.spec, shapes, &args.how) {
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
    match inferred.session.why(&inferred.closed, place) {
        Ok((said, sources)) => {
            match format {
                Format::Full => output::answer(&full(&said, &sources, output::look())),
                Format::Concise => output::answer(&concise(&said, &sources)),
                Format::Json => output::answer(&json([&said], &sources)),
            }
            ExitCode::SUCCESS
        }
        Err(rejection) => {
            output::refuse(&rejection, format);
            ExitCode::FAILURE
        }
    }
}

/// The axis that `result.1`, `operand2.k` or `result.input.0` is.
fn find(inferred: &Inferred, text: &str) -> Result<AxisPlace, String> {
    let usage = || usage(text);
    let (tensor, axis) = text.split_once('.').ok_or_else(usage)?;
    let number = tensor.trim_start_matches("operand").trim();
    let (tensor, slot) = match number.parse::<usize>() {
        _ if tensor == "result" => (inferred.result, inferred.spec.result()),
        Ok(number) if (1..=inferred.operands.len()).contains(&number) => {
            (inferred.operands[number - 1], &inferred.spec.operands()[number - 1])
        }
        Ok(number) => {
            let count = inferred.operands.len();
            return Err(format!("there is no operand {number}, only {count}"));
        }
        Err(_) => return Err(usage()),
    };
    if let Some((kind, axis)) = axis.split_once('.') {
        let kind = Kind::ALL.into_iter().find(|k| k.name() == kind).ok_or_else(usage)?;
        return Ok(AxisPlace { tensor, kind, axis: axis.parse().map_err(|_| usage())? });
    }
    let rank =
        |tensor: Tensor, kind| inferred.closed.shape(tensor).map_or(0, |s| s.row(kind).len());
    if let Ok(mut axis) = axis.parse::<usize>() {
        for kind in Kind::ALL {
            let count = rank(tensor, kind);
            if axis < count || kind == Kind::Output {
                return Ok(AxisPlace { tensor, kind, axis });
            }
            axis -= count;
        }
    }
    // By its name in the specification.
    for kind in Kind::ALL {
        let (before, after) = inferred.spec.axes(slot.row(kind));
        let is_it = |written: &lozenge_spec::Axis| matches!(written.form, Form::Axis(Label::Named(id)) if inferred.spec.name(id) == axis);
        if let Some(axis) = before.iter().position(is_it) {
            return Ok(AxisPlace { tensor, kind, axis });
        }
        if let Some(place) = after.iter().position(is_it) {
            let axis = rank(tensor, kind) - after.len() + place;
            return Ok(AxisPlace { tensor, kind, axis });
        }
    }
    Err(usage())
}

fn usage(text: &str) -> String {
    format!(
        "`{text}` is no axis: the last argument is one, `result.1`, `operand2.0`, `result.input.0` or, by \
         its name, `result.k`"
    )
}
