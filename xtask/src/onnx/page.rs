//! The page about model files, `docs/models.md`: what it shows is what the command says of five
//! real models.
//!
//! Lines of `… n lines` stand for that many that are left out, or for any number without one; a
//! line that ends with `…` goes on.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, ensure};

use super::{
    corpus::{Study, python, target},
    sarif::command,
};

pub(crate) fn run(study: &Study) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/models.md"))?;
    let folder = target().join("page");
    fs::create_dir_all(&folder)?;
    place_models(&page, study, &folder)?;
    let blocks = |kind: &str| -> Vec<String> {
        let begin = format!("```{kind}\n");
        let parts = page.split(&begin).skip(1);
        parts.filter_map(|part| Some(part.split_once("\n```")?.0.to_owned())).collect()
    };
    for script in blocks("python") {
        let mut python = python()?.program("python");
        let status = python.args(["-c", &script]).current_dir(&folder).status()?;
        ensure!(status.success(), "the page's Python fails");
    }
    let command = fs::canonicalize(command()?)?;
    let (mut checked, mut others) = (0, 0);
    for block in blocks("text") {
        let Some((line, shown)) = block.split_once('\n') else { continue };
        let Some(words) = line.strip_prefix("$ lozenge ") else { continue };
        let mut lozenge = Command::new(&command);
        let output = lozenge.args(words.split(' ')).current_dir(&folder).output()?;
        let said = String::from_utf8([output.stdout, output.stderr].concat())?;
        checked += 1;
        if !fits(&shown.lines().collect::<Vec<_>>(), &said.trim_end().lines().collect::<Vec<_>>()) {
            others += 1;
            println!("OTHERWISE: {line}\n{said}");
        }
    }
    println!("blocks={checked} otherwise={others}");
    ensure!(others == 0, "the page shows something else {others} times");
    Ok(())
}

/// Puts the models of the page's table where its commands look for them.
fn place_models(page: &str, study: &Study, folder: &Path) -> anyhow::Result<()> {
    let files = study.corpus()?.files;
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.contains(".onnx` | `"));
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, file, package, path, ..] = cells[..] else { continue };
        let package = package.split('`').next().unwrap_or_default();
        let name = format!("{package}/{}", path.replace('/', "__"));
        let model = files.iter().find(|file| file.name == name);
        let model: PathBuf = model.with_context(|| format!("no {name}"))?.path.clone();
        fs::copy(model, folder.join(file))?;
    }
    Ok(())
}

/// Whether lines are those of the page.
fn fits(shown: &[&str], said: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else { return said.is_empty() };
    let Some(left_out) = first.strip_prefix("… ").filter(|_| said.first() != Some(first)) else {
        let is_same = |own: &str| match first.trim_end().strip_suffix('…') {
            Some(begin) => own.starts_with(begin.trim_end_matches([' ', ','])),
            None => own.trim_end() == first.trim_end(),
        };
        return said.split_first().is_some_and(|(own, after)| is_same(own) && fits(rest, after));
    };
    let count = left_out.strip_suffix(" lines").and_then(|count| count.parse::<usize>().ok());
    match count {
        Some(count) => said.get(count..).is_some_and(|after| fits(rest, after)),
        None => (0..=said.len()).any(|count| fits(rest, &said[count..])),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn lines_are_left_out_as_many_as_are_told() {
        let said = ["a", "b", "c", "d"];
        assert!(fits(&["a", "… 2 lines", "d"], &said));
        assert!(fits(&["a", "… more", "d"], &said));
        assert!(!fits(&["a", "… 1 lines", "d"], &said));
        assert!(!fits(&["a", "b", "c"], &said));
    }
}
