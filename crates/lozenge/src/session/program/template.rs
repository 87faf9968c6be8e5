//! Steps that are told by a template, with names in the places of their operands.

use std::ops::Range;

/// A template with names in the places of its operands, and where each is first.
pub(super) fn filled(template: &str, names: &[String]) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let mut places = vec![0..0; names.len()];
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let hole = after.split_once('}');
        let number = hole.and_then(|(number, _)| number.parse::<usize>().ok());
        let number = number.filter(|number| *number < names.len());
        if let (Some((_, after)), Some(number)) = (hole, number) {
            if places[number].is_empty() {
                places[number] = text.len()..text.len() + names[number].len();
            }
            text.push_str(&names[number]);
            rest = after;
        } else {
            text.push('{');
            rest = after;
        }
    }
    (text + rest, places)
}
