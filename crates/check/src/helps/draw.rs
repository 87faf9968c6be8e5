//! Specifications with operands that fit them, and mistakes.

use lozenge::Spec;

use crate::Generator;

use super::execute::{Operand, execute};

/// A mistaken specification with its operands, and what was meant.
pub(crate) struct Case {
    pub(crate) mistake: &'static str,
    pub(crate) spec: String,
    pub(crate) given: Vec<Operand>,
    /// What somebody wanted to have computed of these operands, where that is known.
    pub(crate) meant: Option<Operand>,
}

/// An entry of an operand: how it is written, and how large its axes are; an ellipsis has any
/// number of them.
#[derive(Clone, Debug)]
struct Drawn {
    text: String,
    sizes: Vec<usize>,
}

impl Drawn {
    fn axis(text: impl Into<String>, size: usize) -> Drawn {
        Drawn { text: text.into(), sizes: vec![size] }
    }
}

/// A specification, in parts.
#[derive(Clone, Debug)]
struct Draft {
    operands: Vec<[Vec<Drawn>; 3]>,
    result: [Vec<String>; 3],
    sign: &'static str,
}

impl Draft {
    fn text(&self) -> String {
        let row = |axes: Vec<&str>| axes.join(self.sign);
        let slot = |[batch, input, output]: [String; 3]| {
            let batch = if batch.is_empty() { batch } else { batch + "|" };
            let input = if input.is_empty() { input } else { input + "->" };
            batch + &input + &output
        };
        let of_operand = |rows: &[Vec<Drawn>; 3]| {
            slot(rows.each_ref().map(|axes| row(axes.iter().map(|axis| &axis.text[..]).collect())))
        };
        let operands: Vec<String> = self.operands.iter().map(of_operand).collect();
        let result =
            slot(self.result.each_ref().map(|axes| row(axes.iter().map(|n| &n[..]).collect())));
        format!("{} => {result}", operands.join("; "))
    }

    fn operands(&self, rng: &mut Generator) -> Vec<Operand> {
        let number = |rng: &mut Generator| f64::from(rng.i8(-4..=4));
        let rows = |rows: &[Vec<Drawn>; 3]| {
            rows.each_ref().map(|axes| axes.iter().flat_map(|axis| axis.sizes.clone()).collect())
        };
        self.operands.iter().map(|of| Operand::new(rows(of), || number(rng))).collect()
    }
}

const NAMES: [&str; 6] = ["i", "j", "k", "m", "n", "p"];

/// Indices that are supplied at run time.
const INDICES: [&str; 2] = ["s", "t"];

const ELLIPSIS: &str = "...";

/// Draws a specification that fits its operands.
fn draft(rng: &mut Generator) -> Draft {
    let sizes: Vec<usize> = NAMES.iter().map(|_| rng.usize(2..=5)).collect();
    let pool = rng.usize(2..=NAMES.len());
    let mut operands: Vec<[Vec<Drawn>; 3]> = vec![];
    for _ in 0..rng.usize(1..=3) {
        let mut rows: [Vec<Drawn>; 3] = Default::default();
        for _ in 0..rng.usize(1..=4) {
            let name = rng.usize(..pool);
            let kind = if rng.u8(..4) == 0 { rng.usize(..2) } else { 2 };
            let mut axis = Drawn::axis(NAMES[name], sizes[name]);
            match rng.u8(..16) {
                0 | 1 => axis.text = rng.usize(..sizes[name]).to_string(),
                2 => axis.text = format!("@{}", INDICES[rng.usize(..INDICES.len())]),
                _ => {}
            }
            rows[kind].push(axis);
        }
        operands.push(rows);
    }
    let mut names: Vec<String> = vec![];
    for axis in operands.iter().flatten().flatten() {
        if !names.contains(&axis.text) && axis.text.starts_with(char::is_alphabetic) {
            names.push(axis.text.clone());
        }
    }
    // An index of run time, in two places.
    if rng.u8(..3) == 0 {
        let index = INDICES[rng.usize(..INDICES.len())];
        for _ in 0..2 {
            let operand = rng.usize(..operands.len());
            let rows = &mut operands[operand];
            let place = rng.usize(..=rows[2].len());
            rows[2].insert(place, Drawn::axis(format!("@{index}"), sizes[0]));
        }
    }
    // A window, whose kernel is an operand.
    if rng.u8(..3) == 0 {
        let [steps, kernel, stride] = [rng.usize(2..=4), rng.usize(2..=3), rng.usize(1..=3)];
        let text = if stride == 1 { "o<+w".to_owned() } else { format!("{stride}*o<+w") };
        let size = stride * (steps - 1) + kernel;
        let operand = rng.usize(..operands.len());
        operands[operand][2].push(Drawn::axis(text, size));
        operands.push([vec![], vec![], vec![Drawn::axis("w", kernel)]]);
        names.push("o".to_owned());
    }
    // A merged axis, or one part after another.
    if rng.bool() {
        let operand = rng.usize(..operands.len());
        let [a, b] = [rng.usize(..pool), rng.usize(..pool)];
        if a != b && [a, b].iter().all(|name| names.iter().any(|n| n == NAMES[*name])) {
            let (text, size) = if rng.bool() {
                (format!("({} {})", NAMES[a], NAMES[b]), sizes[a] * sizes[b])
            } else {
                (format!("{}^{}", NAMES[a], NAMES[b]), sizes[a] + sizes[b])
            };
            operands[operand][2].push(Drawn::axis(text, size));
        }
    }
    // Axes without names, of one kind.
    let kind = if rng.bool() { 2 } else { rng.usize(..2) };
    let unnamed = rng.bool().then(|| {
        let taken: Vec<usize> = (0..rng.usize(0..=2)).map(|_| rng.usize(2..=4)).collect();
        for rows in &mut operands {
            if rng.u8(..3) > 0 {
                let place = rng.usize(..=rows[kind].len());
                let taken = Drawn { text: ELLIPSIS.to_owned(), sizes: taken.clone() };
                rows[kind].insert(place, taken);
            }
        }
        kind
    });
    rng.shuffle(&mut names);
    names.truncate(rng.usize(0..=names.len().min(4)));
    let mut result: [Vec<String>; 3] = Default::default();
    for name in names {
        let kind = if rng.u8(..4) == 0 { rng.usize(..2) } else { 2 };
        result[kind].push(name);
    }
    if let Some(kind) = unnamed.filter(|_| rng.u8(..4) > 0) {
        let place = rng.usize(..=result[kind].len());
        result[kind].insert(place, ELLIPSIS.to_owned());
    }
    Draft { operands, result, sign: if rng.bool() { ", " } else { " " } }
}

/// Draws a mistaken specification; `None` where the mistake could not be made.
pub(crate) fn case(rng: &mut Generator) -> Option<Case> {
    let draft = draft(rng);
    let intended = draft.text();
    intended.parse::<Spec>().ok()?;
    let operands = draft.operands(rng);
    let wanted = execute(&intended, &operands).ok()?;
    if rng.bool() {
        return of_operands(&draft, &operands, wanted, rng);
    }
    let (mistake, spec) = of_specification(&draft, rng)?;
    Some(Case { mistake, spec, given: operands, meant: Some(wanted) })
}

/// Operands that are not what the specification reads.
fn of_operands(
    draft: &Draft,
    operands: &[Operand],
    wanted: Operand,
    rng: &mut Generator,
) -> Option<Case> {
    let number = rng.usize(..operands.len());
    let mut given = operands.to_vec();
    let spec = draft.text();
    match rng.u8(..6) {
        0 => {
            // An operand whose axes lie in another order.
            let kind = rng.usize(..3);
            let sizes = &operands[number].rows[kind];
            let mut order: Vec<usize> = (0..sizes.len()).collect();
            rng.shuffle(&mut order);
            let before: usize = operands[number].rows[..kind].iter().map(Vec::len).sum();
            let mut axes: Vec<usize> = (0..operands[number].elements.ndim()).collect();
            for (place, from) in order.iter().enumerate() {
                axes[before + place] = before + from;
            }
            let mut rows = operands[number].rows.clone();
            rows[kind] = order.iter().map(|from| sizes[*from]).collect();
            let elements = operands[number].elements.clone().permuted_axes(axes);
            given[number] = Operand::of(rows, elements.as_standard_layout().into_owned());
            Some(Case {
                mistake: "axes of an operand in another order",
                spec,
                given,
                meant: Some(wanted),
            })
        }
        1 => {
            // An axis more than are read.
            let kind = rng.usize(..3);
            let mut rows = operands[number].rows.clone();
            let place = rng.usize(..=rows[kind].len());
            rows[kind].insert(place, rng.usize(2..=3));
            given[number] = Operand::new(rows, || f64::from(rng.i8(-4..=4)));
            Some(Case { mistake: "an axis more", spec, given, meant: None })
        }
        kind @ (2 | 3) => {
            // An axis fewer, or of another size.
            let row = rng.usize(..3);
            let mut rows = operands[number].rows.clone();
            (!rows[row].is_empty()).then_some(())?;
            let place = rng.usize(..rows[row].len());
            let mistake = if kind == 2 {
                rows[row].remove(place);
                "an axis fewer"
            } else {
                rows[row][place] = rng.usize(1..=9);
                "an axis of another size"
            };
            given[number] = Operand::new(rows, || f64::from(rng.i8(-4..=4)));
            Some(Case { mistake, spec, given, meant: None })
        }
        4 => {
            // A part or a factor of another size.
            let mut slots = draft.operands.iter().enumerate();
            let (number, place, larger) = slots.find_map(|(number, rows)| {
                let place = rows[2].iter().position(|axis| axis.text.contains(['^', '(']))?;
                let axis = &rows[2][place];
                let name = axis.text.trim_matches(['(', ')']).split([' ', '^']).next()?;
                let is_it = |axis: &&Drawn| axis.text == name;
                let size = draft.operands.iter().flatten().flatten().find(is_it)?.sizes[0];
                let before = rows[2][..place].iter().map(|axis| axis.sizes.len()).sum::<usize>();
                let by = if axis.text.contains('^') { 1 } else { size };
                Some((number, before, axis.sizes[0] + by))
            })?;
            let mut rows = operands[number].rows.clone();
            rows[2][place] = larger;
            given[number] = Operand::new(rows, || f64::from(rng.i8(-4..=4)));
            Some(Case { mistake: "a part of another size", spec, given, meant: None })
        }
        _ => {
            // A kernel that is too large.
            let is_kernel =
                |rows: &[Vec<Drawn>; 3]| matches!(&rows[2][..], [axis] if axis.text == "w");
            let number = draft.operands.iter().position(is_kernel)?;
            let rows = [vec![], vec![], vec![rng.usize(4..=9)]];
            given[number] = Operand::new(rows, || f64::from(rng.i8(-4..=4)));
            Some(Case { mistake: "a kernel too large", spec, given, meant: None })
        }
    }
}

/// A specification that is not what was meant, and what is wrong with it.
fn of_specification(draft: &Draft, rng: &mut Generator) -> Option<(&'static str, String)> {
    let mut mistaken = draft.clone();
    let number = rng.usize(..mistaken.operands.len());
    let rows = &mut mistaken.operands[number];
    let is_plain = |axis: &Drawn| NAMES.contains(&&axis.text[..]);
    match rng.u8(..6) {
        0 | 1 => {
            // A name for another.
            let kind = rng.usize(..3);
            (!rows[kind].is_empty()).then_some(())?;
            let place = rng.usize(..rows[kind].len());
            is_plain(&rows[kind][place]).then_some(())?;
            NAMES[rng.usize(..NAMES.len())].clone_into(&mut rows[kind][place].text);
            Some(("a name for another", mistaken.text()))
        }
        2 => {
            // Axes of a row exchanged in the specification.
            let kind = rng.usize(..3);
            (rows[kind].len() > 1).then_some(())?;
            let [a, b] = [rng.usize(..rows[kind].len()), rng.usize(..rows[kind].len())];
            let texts = [rows[kind][a].text.clone(), rows[kind][b].text.clone()];
            [rows[kind][b].text, rows[kind][a].text] = texts;
            Some(("two axes exchanged", mistaken.text()))
        }
        3 => {
            // Another step, another position.
            let all = mistaken.operands.iter_mut().flatten().flatten();
            let mut computed: Vec<&mut Drawn> = all.filter(|axis| !is_plain(axis)).collect();
            (!computed.is_empty()).then_some(())?;
            let place = rng.usize(..computed.len());
            let axis = &mut *computed[place];
            if let Ok(index) = axis.text.parse::<usize>() {
                axis.text = (index + rng.usize(1..=6)).to_string();
            } else if let Some((_, over)) = axis.text.split_once('*') {
                axis.text = format!("{}*{over}", rng.usize(1..=9));
            } else if axis.text.starts_with('o') {
                axis.text = format!("{}*{}", rng.usize(2..=9), axis.text);
            }
            Some(("another step or position", mistaken.text()))
        }
        4 => {
            // Something that is not written, of an operand or of the result.
            let kind = rng.usize(..3);
            if rng.u8(..4) == 0 {
                let entries = &mut mistaken.result[kind];
                (!entries.is_empty()).then_some(())?;
                entries.remove(rng.usize(..entries.len()));
            } else {
                // Most often that there are others.
                let all = rows.iter().position(|row| row.iter().any(|of| of.text == ELLIPSIS));
                let entries = &mut rows[all.filter(|_| rng.u8(..4) > 0).unwrap_or(kind)];
                (!entries.is_empty()).then_some(())?;
                let unnamed = entries.iter().position(|of| of.text == ELLIPSIS);
                entries.remove(unnamed.unwrap_or_else(|| rng.usize(..entries.len())));
            }
            Some(("an entry forgotten", mistaken.text()))
        }
        _ => {
            // A sign mistyped.
            Some(("mistyped", mistyped(&draft.text(), rng)?))
        }
    }
}

fn mistyped(spec: &str, rng: &mut Generator) -> Option<String> {
    const SIGNS: [(&str, &str); 16] = [
        ("=>", "->"),
        ("=>", "="),
        ("=>", "⇒"),
        ("; ", ", "),
        (" => ", " => => "),
        ("<+", "+"),
        ("(", "(("),
        (")", ""),
        (", ", ", , "),
        ("i", "[i]"),
        ("->", "→"),
        ("*o", "o"),
        ("...", ".."),
        ("...", "…"),
        ("@", ""),
        ("^", "+"),
    ];
    let (right, wrong) = SIGNS[rng.usize(..SIGNS.len())];
    spec.contains(right).then(|| spec.replacen(right, wrong, 1))
}
