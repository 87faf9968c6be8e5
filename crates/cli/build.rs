//! Puts the pages about codes into the binary.

use std::{env, error::Error, fmt::Write, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=errors");
    let dir = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("errors");
    let mut pages: Vec<_> =
        fs::read_dir(&dir)?.map(|page| Ok(page?.path())).collect::<Result<_, std::io::Error>>()?;
    pages.sort();
    let mut table = String::from("&[\n");
    for page in pages {
        let code = page.file_stem().and_then(|stem| stem.to_str()).ok_or("a page has a name")?;
        writeln!(table, "({code:?}, include_str!({:?})),", page.display().to_string())?;
    }
    table.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("pages.rs"), table)?;
    Ok(())
}
