//! Pages of the book that are specification and test at once.
//!
//! A block has steps, a line `---`, and claims. With `UPDATE_EXPECT=1` the claims are written anew.

use std::{fmt::Write, fs, path::Path};

/// Holds the claims of every block with this fence, in the pages of a directory of the book,
/// against what `outcome` finds for its steps and claims. There are at least so many blocks.
pub(crate) fn hold(dir: &str, fence: &str, least: usize, outcome: impl Fn(&str, &str) -> String) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(dir);
    let mut pages: Vec<_> = fs::read_dir(dir).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let opening = format!("```{fence}\n");
    let (mut failures, mut blocks) = (vec![], 0);
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let mut written = String::new();
        let mut rest = &text[..];
        while let Some((before, after)) = rest.split_once(&opening) {
            let (block, after) = after.split_once("```\n").expect("a block ends");
            let (steps, claims) = block.split_once("---\n").expect("a line `---`");
            let found = outcome(steps, claims);
            blocks += 1;
            if found != claims {
                let line = 1 + text[..text.len() - rest.len() + before.len()].matches('\n').count();
                let place = format!("{}:{line}", page.display());
                failures.push(format!("{place}\n{steps}---\n{found}not\n{claims}"));
            }
            let _ = write!(written, "{before}{opening}{steps}---\n{found}```\n");
            rest = after;
        }
        if update {
            fs::write(&page, written + rest).unwrap();
        }
    }
    assert!(update || failures.is_empty(), "{}", failures.join("\n"));
    assert!(blocks >= least, "only {blocks} blocks were found");
}
