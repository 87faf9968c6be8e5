//! Edits are tried before they are offered: one that does not mend is not a help.
//!
//! This runs only where something is wrong, and only for texts that a person could have typed.

use lozenge_diagnostic::{Applicability, Diagnostic, Help, SourceId};

/// Edits of texts up to this length are tried; longer texts, which nobody typed, get none.
const TRIED: usize = 4096;

/// Keeps of each help with edits of `text` only what mends: after it there are fewer errors than
/// before, or, where a warning is mended, no more errors and that warning no longer. What brings up
/// another mistake is not certain.
pub(crate) fn keep_mending(
    said: &mut [Diagnostic],
    text: &str,
    after: impl Fn(&str) -> Vec<Diagnostic>,
) {
    if text.len() > TRIED {
        said.iter_mut().flat_map(|said| &mut said.helps).for_each(|help| help.edits.clear());
        return;
    }
    let before: Vec<_> = said.iter().map(|said| (said.code, said.is_error())).collect();
    let errors = before.iter().filter(|(_, error)| *error).count();
    for diagnostic in said {
        let (code, is_error) = (diagnostic.code, diagnostic.is_error());
        diagnostic.helps.retain_mut(|help| {
            if help.edits.is_empty() || !is_about_first(help) {
                return true;
            }
            let left = after(&help.apply(text));
            let still = left.iter().filter(|said| said.is_error()).count();
            let other = left.iter().any(|said| !before.contains(&(said.code, said.is_error())));
            if help.applicability == Applicability::Certain && other {
                help.applicability = Applicability::Choice;
            }
            let warned = left.iter().any(|said| said.code == code);
            if is_error { still < errors } else { still <= errors && !warned }
        });
    }
}

fn is_about_first(help: &Help) -> bool {
    help.edits.iter().all(|edit| edit.place.source == SourceId::FIRST)
}
