//! Parts of a program that have nothing to do with each other: each closes alone to what it closes to in the whole.

use super::{
    examine::Plain,
    failure::{Failure, Kind},
    model::Program,
    outcome::{Outcome, Values},
    templates::places,
};

/// Two programs as one, built one after the other.
pub(crate) fn beside(one: &Program, other: &Program) -> Program {
    let mut steps = one.steps.clone();
    for step in &other.steps {
        let mut step = step.clone();
        step.uses_mut().into_iter().for_each(|used| *used += one.steps.len());
        steps.push(step);
    }
    Program { steps }
}

/// Every part alone closes to the same as in the whole. Gives the number of parts, or `None` where the whole or one of
/// them is undecided.
pub(crate) fn check(program: &Program) -> Result<Option<u64>, Failure> {
    let parts = parts(program);
    let fails = |alone: String, whole: String| {
        let said = [format!("alone\n{alone}\nand in the whole\n{whole}"), String::new()];
        Failure { kind: Kind::Apart, program: program.clone(), other: None, said }
    };
    let whole = Plain::new(program);
    let mut codes = vec![];
    for part in &parts {
        let alone = program.retain(|place| part.contains(&place));
        let alone = match (Plain::new(&alone), &whole) {
            (Ok(alone), _) if alone.outcome.is_undecided() => return Ok(None),
            (Ok(alone), _) => (alone.outcome.clone(), alone.said()),
            (Err(_), Err(_)) => return Ok(Some(0)),
            // What is undecided is not asked again after every step, so it shows when the whole is closed.
            (Err(refused), Ok(whole)) if whole.outcome.rejects(refused.code) => return Ok(Some(0)),
            (Err(_), Ok(whole)) if whole.outcome.is_undecided() => return Ok(None),
            (Err(refused), Ok(whole)) => return Err(fails(refused.to_string(), whole.said())),
        };
        match (alone.0, &whole) {
            (Outcome::Codes(of_part), _) => codes.extend(of_part),
            (Outcome::Values(values), Ok(whole)) => {
                let Outcome::Values(Values { steps, .. }) = &whole.outcome else { continue };
                let same = part.iter().map(|place| &steps[*place]).eq(&values.steps);
                if !same {
                    return Err(fails(alone.1, whole.said()));
                }
            }
            (Outcome::Values(_), Err(_)) => {}
        }
    }
    match whole {
        // No part closes: that shows at a step here, and after all of them there.
        Err(refused) if codes.contains(&refused.code) => Ok(Some(parts.len() as u64)),
        Err(refused) => Err(fails(format!("accepted, {codes:?}"), refused.to_string())),
        Ok(whole) if whole.outcome.is_undecided() => Ok(None),
        Ok(whole) => {
            // What is found out after something else is wrong is not said.
            let is_same = match &whole.outcome {
                Outcome::Codes(found) => found.iter().all(|code| codes.contains(code)),
                Outcome::Values(_) => codes.is_empty(),
            };
            let same = is_same.then_some(Some(parts.len() as u64));
            same.ok_or_else(|| fails(format!("{codes:?}"), whole.said()))
        }
    }
}

/// The places of the steps of each part. Steps that mention the same name belong together.
pub(super) fn parts(program: &Program) -> Vec<Vec<usize>> {
    let mut part: Vec<usize> = (0..program.steps.len()).collect();
    let mut named: Vec<((char, usize), usize)> = vec![];
    for (place, step) in program.steps.iter().enumerate() {
        let mut with = step.uses();
        for (kind, number, _) in step.shape().map(places).unwrap_or_default() {
            let first = named.iter().find(|(name, _)| *name == (kind, number));
            with.extend(first.map(|(_, first)| *first));
            named.push(((kind, number), place));
        }
        for used in with {
            let (from, to) = (part[used], part[place]);
            part.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
        }
    }
    let mut parts: Vec<Vec<usize>> = vec![vec![]; program.steps.len()];
    part.iter().enumerate().for_each(|(place, of)| parts[*of].push(place));
    parts.retain(|part| !part.is_empty());
    parts
}
