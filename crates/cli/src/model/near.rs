//! Names that are like one that a model does not have.

/// How many names are suggested at most.
const FEW: usize = 3;

/// What to add to a message about an unknown name: `` ; did you mean `output0`?``, or nothing.
///
/// Names a few letters apart are suggested, and longer ones that it is a part of; the nearest
/// first.
pub(crate) fn did_you_mean<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> String {
    let wanted = name.to_lowercase();
    let most = (wanted.chars().count() / 4).max(2);
    let mut near: Vec<(usize, &str)> = all
        .filter_map(|other| {
            let own = other.to_lowercase();
            let is_part = wanted.len() > 2 && own.contains(&wanted);
            let is_far = own.len().abs_diff(wanted.len()) > most;
            let distance = || strsim::damerau_levenshtein(&wanted, &own);
            match (is_part, is_far) {
                (true, true) => Some((own.len() - wanted.len(), other)),
                (false, true) => None,
                _ => Some((distance(), other)).filter(|(distance, _)| is_part || *distance <= most),
            }
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(FEW);
    let names: Vec<String> = near.iter().map(|(_, name)| format!("`{name}`")).collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => format!("; did you mean {last}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn near_names() {
        let all =
            || ["images", "output0", "/model.0/Conv_output_0", "/model.0/conv/Conv"].into_iter();
        assert_eq!(did_you_mean("imags", all()), "; did you mean `images`?");
        assert_eq!(
            did_you_mean("output", all()),
            "; did you mean `output0` or `/model.0/Conv_output_0`?"
        );
        assert_eq!(
            did_you_mean("/model.0/conv/conv", all()),
            "; did you mean `/model.0/conv/Conv`?"
        );
        assert_eq!(did_you_mean("z", all()), "");
    }
}
