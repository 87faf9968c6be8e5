//! What changed between two models: shapes by the names of values, and conditions.

use std::collections::BTreeMap;

use super::{
    super::inferred::Inferred,
    requires::conditions,
    shapes::{Row, rows},
};

/// A change from one model to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What it is of: an input, an output, a node's value, a stored weight, or a condition.
    pub kind: &'static str,
    /// The name; the condition itself.
    pub name: String,
    /// What was there before.
    pub before: Option<String>,
    /// What is there after.
    pub after: Option<String>,
}

/// All changes, the conditions first, then inputs and outputs, then the rest.
pub fn diff(before: &mut Inferred<'_, '_>, after: &mut Inferred<'_, '_>) -> Vec<Change> {
    let mut changes = vec![];
    let texts = |inferred: &mut Inferred<'_, '_>| -> Vec<String> {
        let all = conditions(inferred).into_iter().filter(|condition| !condition.is_at_run);
        all.map(|condition| condition.text).collect()
    };
    let (old, new) = (texts(before), texts(after));
    for text in old.iter().filter(|text| !new.contains(text)) {
        changes.push(Change {
            kind: "condition",
            name: text.clone(),
            before: Some(text.clone()),
            after: None,
        });
    }
    for text in new.iter().filter(|text| !old.contains(text)) {
        changes.push(Change {
            kind: "condition",
            name: text.clone(),
            before: None,
            after: Some(text.clone()),
        });
    }
    let table = |inferred: &Inferred<'_, '_>| -> Vec<Row> {
        rows(inferred).into_iter().filter(|row| row.graph.is_none()).collect()
    };
    let (old, new) = (table(before), table(after));
    let by_name = |rows: &[Row]| -> BTreeMap<String, String> {
        rows.iter()
            .map(|row| (row.name.clone(), format!("{} {}", row.element, row.shape)))
            .collect()
    };
    let (old_texts, new_texts) = (by_name(&old), by_name(&new));
    let mut of_values = vec![];
    for row in &old {
        let (before, after) = (old_texts.get(&row.name), new_texts.get(&row.name));
        if before != after {
            of_values.push(Change {
                kind: row.kind,
                name: row.name.clone(),
                before: before.cloned(),
                after: after.cloned(),
            });
        }
    }
    for row in new.iter().filter(|row| !old_texts.contains_key(&row.name)) {
        let after = new_texts.get(&row.name).cloned();
        of_values.push(Change { kind: row.kind, name: row.name.clone(), before: None, after });
    }
    of_values.sort_by_key(|change| match change.kind {
        "input" => 0,
        "output" => 1,
        "node" => 2,
        _ => 3,
    });
    changes.extend(of_values);
    changes
}
