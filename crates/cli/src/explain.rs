//! `lozenge explain`: the pages about codes, which are those of the book.

use std::process::ExitCode;

use lozenge::diagnostic::Code;

use crate::output::{answer, message};

/// The pages, by code, in order.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

pub(crate) fn run(code: Option<&str>) -> ExitCode {
    let Some(code) = code else {
        for code in Code::ALL {
            let (name, severity) = (code.name(), code.severity().name());
            answer(&format!("{name:22} {severity:7}  {}", code.summary()));
        }
        return ExitCode::SUCCESS;
    };
    // As it is printed, too: `error[size-mismatch]`.
    let name = code.split(['[', ']']).nth(1).unwrap_or(code).to_lowercase();
    if let Some((_, page)) = PAGES.iter().find(|(page, _)| *page == name) {
        answer(page.trim_end());
        return ExitCode::SUCCESS;
    }
    message(&format!("there is no code `{code}`"));
    let words: Vec<&str> = name.split('-').filter(|word| word.len() > 2).collect();
    let is_near = |code: &&&Code| words.iter().any(|word| code.name().contains(word));
    let near: Vec<&str> =
        Code::ALL.iter().filter(|code| is_near(&code)).map(|code| code.name()).collect();
    if near.is_empty() {
        message("`lozenge explain` lists all of them");
    } else {
        message(&format!("did you mean {}?", near.join(", ")));
    }
    ExitCode::from(2)
}
