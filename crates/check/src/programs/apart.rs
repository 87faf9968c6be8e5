//! Parts of a program that have nothing to do with each other: each closes alone to what it closes
//! to in the whole.

use super::{
    examine::Plain,
    failure::{Failure, Kind},
    model::Program,
    outcome::{Outcome, Values},
    templates::places,
};

/// Two programs as one, built one after the other.
pub fn beside(one: &Program, other: &Program) -> Program {
    let mut steps = one.steps.clone();
    for step in &other.steps {
        let mut step = step.clone();
        step.uses_mut().into_iter().for_each(|used| *used += one.steps.len());
        steps.push(step);
    }
    Program { steps }
}

/// Every part alone closes to the same as in the whole. Gives the number of parts, or `None` where
/// the whole or one of them is undecided.
pub fn check(program: &Program) -> Result<Option<u64>, Failure> {
    let parts = parts(program);
    let fails = |alone: String, whole: String| {
        let said = [format!("alone\n{alone}\nand in the whole\n{whole}"), String::new()];
        Failure { kind: Kind::Apart, program: program.clone(), other: None, said }
    };
    let whole = Plain::new(program);
    if whole.as_ref().is_ok_and(|whole| whole.outcome.is_undecided()) {
        return Ok(None);
    }
    // What is wrong with parts: it shows at a step or when all is closed, and what is found out
    // after something else is wrong is not said.
    let mut wrong = vec![];
    for part in &parts {
        let alone = program.retain(|place| part.contains(&place));
        let alone = match Plain::new(&alone) {
            Ok(alone) => alone,
            Err(refused) => {
                wrong.push(refused.code);
                continue;
            }
        };
        match &alone.outcome {
            undecided if undecided.is_undecided() => return Ok(None),
            Outcome::Codes(codes) => wrong.extend(codes),
            Outcome::Values(values) => {
                let Ok(whole) = &whole else { continue };
                let Outcome::Values(Values { steps, .. }) = &whole.outcome else { continue };
                let same = part.iter().map(|place| &steps[*place]).eq(&values.steps);
                if !same {
                    return Err(fails(alone.said(), whole.said()));
                }
            }
        }
    }
    let (said, is_same) = match &whole {
        Err(refused) => (refused.to_string(), wrong.contains(&refused.code)),
        Ok(whole) => {
            let is_same = match &whole.outcome {
                Outcome::Codes(found) => found.iter().all(|code| wrong.contains(code)),
                Outcome::Values(_) => wrong.is_empty(),
            };
            (whole.said(), is_same)
        }
    };
    is_same.then_some(Some(parts.len() as u64)).ok_or_else(|| fails(format!("{wrong:?}"), said))
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
