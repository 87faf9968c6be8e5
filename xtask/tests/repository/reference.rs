//! Keeps `docs/reference-cases.md` true: every case of the collection has a test that exists, that
//! names the case, and in which stands what the page quotes. So a row cannot point at nothing, and
//! a test cannot change its verdict unseen.

use std::{collections::BTreeSet, fs};

use crate::support::{files, read, root};

/// The letters of the collection, and how many cases each has: 217 together.
const LETTERS: [(char, usize); 11] = [
    ('A', 23),
    ('B', 30),
    ('C', 18),
    ('D', 20),
    ('E', 20),
    ('F', 36),
    ('G', 14),
    ('H', 17),
    ('I', 16),
    ('J', 13),
    ('K', 10),
];

/// Cases about gradients of a maximum, which are not there yet.
const LATER: [&str; 2] = ["H9", "H11"];

/// Folders of the book whose blocks are tests: the fence of a block, and the test that runs all of
/// them.
const RUN: [(&str, &str, &str); 3] = [
    ("cases", "constraints", "crates/check/tests/literate.rs::literate_cases"),
    ("programs", "program", "crates/lozenge/tests/session/cases.rs::programs_of_the_book"),
    ("values", "values", "crates/lower/tests/values/pages.rs::values_of_the_book"),
];

/// The lines of a block of a page, or of a test.
type Block = Vec<String>;

/// A row of the page.
struct Row {
    case: String,
    /// What is said, text by text; each group by one block.
    groups: Vec<Vec<String>>,
    places: Vec<String>,
    remark: String,
}

/// The names of all cases, in order.
fn cases() -> Vec<String> {
    let of = |(letter, count)| (1..=count).map(move |number| format!("{letter}{number}"));
    LETTERS.into_iter().flat_map(of).collect()
}

/// The cells of a row of a table; `\|` is a bar in a cell.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in line.trim_matches('|').chars() {
        let cell = cells.last_mut().expect("there is one from the beginning");
        match c {
            '|' if !escaped => cells.push(String::new()),
            '\\' => {}
            _ => cell.push(c),
        }
        escaped = c == '\\';
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// The texts between backticks, in groups that a semicolon outside of them ends.
fn groups(cell: &str) -> Vec<Vec<String>> {
    let mut groups = vec![vec![]];
    for (at, piece) in cell.split('`').enumerate() {
        if at % 2 == 1 {
            groups.last_mut().expect("there is one from the beginning").push(piece.to_owned());
        } else if piece.contains(';') {
            groups.push(vec![]);
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Places are links into the book, and tests between backticks.
fn places(cell: &str) -> Vec<String> {
    let links = cell.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let tests = cell.split('`').skip(1).step_by(2);
    links.chain(tests).map(str::to_owned).collect()
}

fn rows() -> Vec<Row> {
    let page = read("docs/reference-cases.md");
    let lines = page.lines().filter(|line| line.starts_with('|'));
    let lines = lines.filter(|line| !line.starts_with("|---") && !line.starts_with("| case"));
    let row = |line: &str| {
        let cells: [String; 4] = cells(line).try_into().unwrap_or_else(|_| panic!("{line}"));
        let [case, said, place, remark] = cells;
        Row { case, groups: groups(&said), places: places(&place), remark }
    };
    lines.map(row).collect()
}

/// The cases that a heading or a comment begins with: `B1`, `B4 to B8`, `I1 to I3, I8`.
fn named(text: &str) -> Vec<String> {
    let names = text.split([':', '.']).next().unwrap_or_default();
    let number = |word: &str| {
        let mut chars = word.chars();
        let letter = chars.next().filter(|c| LETTERS.iter().any(|(letter, _)| letter == c))?;
        let digits = chars.as_str();
        let plain = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        plain.then(|| digits.parse::<usize>().ok().map(|number| (letter, number))).flatten()
    };
    let (mut found, mut last, mut through) = (vec![], None, false);
    for word in names.split([' ', ',']).filter(|word| !word.is_empty()) {
        let Some((letter, to)) = number(word) else {
            through = word == "to";
            continue;
        };
        let from = match last {
            Some((begun, from)) if through && begun == letter => from + 1,
            _ => to,
        };
        found.extend((from..=to).map(|number| format!("{letter}{number}")));
        (last, through) = (Some((letter, to)), false);
    }
    found
}

/// The anchor of a heading, as the book makes it.
fn anchor(heading: &str) -> String {
    let kept = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    };
    heading.chars().filter_map(kept).collect()
}

/// The headings of a page, each with the blocks below it that have this fence.
fn sections(page: &str, fence: &str) -> Vec<(String, Vec<Block>)> {
    let mut sections: Vec<(String, Vec<Block>)> = vec![];
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(opened) = line.strip_prefix("```") {
            let block = lines.by_ref().take_while(|line| *line != "```").map(str::to_owned);
            let block: Block = block.collect();
            if let Some((_, blocks)) = sections.last_mut().filter(|_| opened == fence) {
                blocks.push(block);
            }
        } else if line.starts_with('#') {
            sections.push((line.trim_start_matches('#').trim().to_owned(), vec![]));
        }
    }
    sections
}

/// The body of the test `file::name`.
fn test(path: &str) -> Result<Block, String> {
    let (file, name) = path.split_once("::").ok_or_else(|| format!("{path} names no test"))?;
    let source =
        fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))?;
    let begins = format!("#[test]\nfn {name}() {{\n");
    let body = source.split(&begins).nth(1).ok_or_else(|| format!("there is no test {path}"))?;
    let body = body.split("\n}\n").next().unwrap_or_default();
    Ok(body.lines().map(|line| line.trim().to_owned()).collect())
}

/// The blocks at a place, if it names the case.
fn blocks(place: &str, case: &str) -> Result<Vec<Block>, String> {
    let names = |text: &str| named(text).iter().any(|name| name == case);
    let Some((page, wanted)) = place.split_once('#') else {
        let body = test(place)?;
        let comments = body.iter().filter_map(|line| line.strip_prefix("// "));
        let said = comments.into_iter().any(names);
        return if said { Ok(vec![body]) } else { Err(format!("no comment names it in {place}")) };
    };
    let run = RUN.iter().find(|(folder, ..)| page.starts_with(&format!("{folder}/")));
    let (_, fence, runner) = run.ok_or_else(|| format!("blocks of {page} are not run"))?;
    test(runner)?;
    let file = root().join("docs").join(page);
    let text = fs::read_to_string(file).map_err(|error| format!("{page}: {error}"))?;
    let sections = sections(&text, fence);
    let mut found = sections.into_iter().filter(|(heading, _)| anchor(heading) == wanted);
    let (heading, blocks) = found.next().ok_or_else(|| format!("there is no {place}"))?;
    if !names(&heading) || found.next().is_some() {
        return Err(format!("the heading of {place} does not name it, or there are two"));
    }
    Ok(blocks)
}

/// Whether a block has a text: whole lines, one after another, of which a `…` leaves out the
/// beginning or the end.
fn says(block: &Block, text: &str) -> bool {
    let wanted: Vec<&str> = text.split(" ⏎ ").collect();
    let is = |line: &str, wanted: &str| {
        let end = wanted.strip_prefix('…');
        let rest = end.unwrap_or(wanted);
        match (end.is_some(), rest.strip_suffix('…')) {
            (false, None) => line == rest,
            (true, None) => line.ends_with(rest),
            (false, Some(rest)) => line.starts_with(rest),
            (true, Some(rest)) => line.contains(rest),
        }
    };
    block.windows(wanted.len()).any(|lines| lines.iter().zip(&wanted).all(|(l, w)| is(l, w)))
}

/// Whether the places of a row exist, name its case and say what it says.
fn holds(row: &Row) -> Result<(), String> {
    if LATER.contains(&row.case.as_str()) {
        let empty = row.groups.is_empty() && row.places.is_empty();
        let said = row.remark.starts_with("later");
        return if empty && said { Ok(()) } else { Err("it is for later".into()) };
    }
    if row.groups.is_empty() || row.places.is_empty() {
        return Err("it has no test".into());
    }
    let mut shown = vec![false; row.groups.len()];
    for place in &row.places {
        let blocks = blocks(place, &row.case)?;
        let says_all = |group: &Vec<String>| {
            blocks.iter().any(|block| group.iter().all(|text| says(block, text)))
        };
        let here: Vec<bool> = row.groups.iter().map(says_all).collect();
        if !here.contains(&true) {
            return Err(format!("{place} says nothing of this"));
        }
        shown.iter_mut().zip(here).for_each(|(shown, here)| *shown |= here);
    }
    let missing = row.groups.iter().zip(shown).find(|(_, shown)| !shown);
    missing.map_or(Ok(()), |(group, _)| Err(format!("no block has all of {group:?}")))
}

#[test]
fn every_reference_case_has_a_test() {
    let rows = rows();
    let mut failures = vec![];
    for row in &rows {
        let place = if row.places.is_empty() { row.remark.clone() } else { row.places.join(", ") };
        println!("{:<4} {place}", row.case);
        if let Err(what) = holds(row) {
            failures.push(format!("{}: {what}", row.case));
        }
    }
    let listed: Vec<&str> = rows.iter().map(|row| row.case.as_str()).collect();
    let cases = cases();
    assert_eq!(cases.len(), 217);
    let missing = cases.iter().map(String::as_str).filter(|case| !listed.contains(case));
    let missing: Vec<&str> = missing.collect();
    assert!(missing.is_empty(), "docs/reference-cases.md has no row for {missing:?}");
    assert!(listed == cases, "docs/reference-cases.md has each case once, in order: {listed:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_list_of_reference_cases_is_complete() {
    // The collection lies beside a clone that CI makes, and beside no other.
    let beside = "../shared/reference/cases.md";
    let Ok(collection) = fs::read_to_string(root().join(beside)) else {
        return println!("there is no {beside}");
    };
    let first = |line: &str| line.strip_prefix("| ")?.split(' ').next().map(str::to_owned);
    let collected: Vec<String> =
        collection.lines().filter_map(first).filter(|word| named(word) == [word.clone()]).collect();
    assert_eq!(collected, cases());
}

#[test]
fn headings_name_cases_that_there_are() {
    let cases: BTreeSet<String> = cases().into_iter().collect();
    let mut seen = 0;
    for (folder, fence, _) in RUN {
        for path in files(&format!("docs/{folder}"), "md") {
            for (heading, _) in sections(&read(&path), fence) {
                for name in named(&heading) {
                    assert!(cases.contains(&name), "{path}: {heading}: there is no case {name}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 217, "{seen} headings name a case");
}

#[test]
fn the_reader_of_the_table_reads_it() {
    assert_eq!(cells(r"| F1 | `a\|b`, `c`; `d` | x | |"), ["F1", "`a|b`, `c`; `d`", "x", ""]);
    assert_eq!(groups("`a; b`, `c`; `d`"), [vec!["a; b", "c"], vec!["d"]]);
    assert_eq!(places("[p](p.md#a), [p](p.md#b), `f.rs::t`"), ["p.md#a", "p.md#b", "f.rs::t"]);
    assert_eq!(named("I1 to I3, I8"), ["I1", "I2", "I3", "I8"]);
    assert_eq!(named("D7 to D9, closed"), ["D7", "D8", "D9"]);
    assert_eq!(named("B20, B24. Two of A1"), ["B20", "B24"]);
    assert_eq!(named("10.3. Reversed F1"), [""; 0]);
    assert_eq!(anchor("A1, A2. Not even with `default`"), "a1-a2-not-even-with-default");
    let block: Block = ["one two", "three"].map(str::to_owned).into();
    for (text, said) in [
        ("one two", true),
        ("one", false),
        ("one…", true),
        ("…two", true),
        ("…two ⏎ three", true),
        ("…e t…", true),
        ("three ⏎ one two", false),
        ("…four…", false),
    ] {
        assert_eq!(says(&block, text), said, "{text}");
    }
}
