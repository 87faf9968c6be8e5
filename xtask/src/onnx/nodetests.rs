//! ONNX's own tests of operators, held against what inference says of their outputs.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
};

use anyhow::ensure;
use lozenge_onnx::{
    Model,
    infer::{Inferred, Options, infer},
};
use serde::Deserialize;

use super::{
    corpus::{python, target},
    values::{conflicts, unmet},
};

/// A test: a model, and what its outputs are.
#[derive(Deserialize)]
struct Case {
    mode: String,
    #[serde(rename = "case")]
    name: String,
    operators: Vec<String>,
    outputs: Vec<String>,
    shapes: Vec<Vec<i64>>,
    names: HashMap<String, i64>,
}

/// What inference says of a test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// The sizes that the test has.
    Exact,
    /// Some size has no value, none has another.
    Open,
    /// Another size, or another rank.
    Wrong,
    /// That it cannot run, or nothing at all.
    Error,
}

const VERDICTS: [&str; 4] = ["exact", "open", "wrong", "error"];

/// What has to be shown, by mode: the least that are exact.
const BARS: [(&str, usize); 2] = [("value", 1690), ("open", 1580)];

pub(crate) fn run(most: Option<usize>) -> anyhow::Result<()> {
    let folder = target().join("nodetests");
    let list = folder.join("cases.jsonl");
    if !list.exists() {
        fs::create_dir_all(&folder)?;
        let said = python()?.run(include_str!("nodetests.py"), &[&folder.to_string_lossy()[..]])?;
        fs::write(&list, said)?;
    }
    let text = fs::read_to_string(&list)?;
    let cases: Vec<Case> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut failing: BTreeMap<(Verdict, &str, String), Vec<String>> = BTreeMap::new();
    for case in &cases {
        let bytes = fs::read(folder.join(&case.mode).join(format!("{}.onnx", case.name)))?;
        let (verdict, why) = catch_unwind(AssertUnwindSafe(|| examined(case, &bytes)))
            .unwrap_or_else(|_| (Verdict::Error, "panic".to_owned()));
        counts.entry(&case.mode).or_default()[verdict as usize] += 1;
        if verdict != Verdict::Exact {
            let key = (verdict, &case.mode[..], case.operators.join("+"));
            failing.entry(key).or_default().push(format!("{}: {why}", case.name));
        }
    }
    if let Some(most) = most {
        print_failing(&failing, most);
    }
    for (mode, counts) in &counts {
        let all: usize = counts.iter().sum();
        let said: Vec<String> =
            VERDICTS.iter().zip(counts).map(|(name, count)| format!("{name}={count}")).collect();
        println!("{mode:6} cases={all} {}", said.join(" "));
    }
    let mistakes: usize = counts.values().map(|[_, _, wrong, error]| wrong + error).sum();
    ensure!(mistakes == 0, "{mistakes} wrong or refused");
    for (mode, least) in BARS {
        let [exact, ..] = counts.get(mode).copied().unwrap_or_default();
        ensure!(exact >= least, "{mode}: {exact} exact, at least {least} are wanted");
    }
    Ok(())
}

fn print_failing(failing: &BTreeMap<(Verdict, &str, String), Vec<String>>, most: usize) {
    for ((verdict, mode, operators), cases) in failing.iter().rev() {
        println!("{} {mode} {operators}: {}", VERDICTS[*verdict as usize], cases.len());
        for case in cases.iter().take(most) {
            println!("    {case}");
        }
    }
}

fn examined(case: &Case, bytes: &[u8]) -> (Verdict, String) {
    let model = match Model::read(bytes) {
        Ok(model) => model,
        Err(error) => return (Verdict::Error, error.to_string()),
    };
    let inferred = infer(&model, &Options::default());
    let value = |name: &str| case.names.get(name).copied();
    let unmet = unmet(&inferred, &value).into_iter().map(|unmet| unmet.text);
    if let Some(why) = conflicts(&inferred).into_iter().chain(unmet).next() {
        return (Verdict::Error, why);
    }
    let outputs = case.outputs.iter().zip(&case.shapes);
    let verdicts = outputs.map(|(name, shape)| output(&inferred, name, shape, &value));
    verdicts.max().unwrap_or((Verdict::Exact, String::new()))
}

fn output(
    inferred: &Inferred<'_, '_>,
    name: &str,
    shape: &[i64],
    value: &impl Fn(&str) -> Option<i64>,
) -> (Verdict, String) {
    let Some(id) = inferred.find(name) else { return (Verdict::Error, format!("no {name}")) };
    let tensor = inferred.tensor(id);
    let nums = inferred.nums();
    let Some(sizes) = &tensor.known.shape else {
        return (Verdict::Open, format!("{name}: {:?}", tensor.stop));
    };
    let known: Vec<Option<i64>> = sizes.iter().map(|size| nums.value(*size, value)).collect();
    let sizes: Vec<String> = sizes.iter().map(|size| nums.text(*size)).collect();
    let is_wrong = |(known, size): (&Option<i64>, &i64)| known.is_some_and(|known| known != *size);
    let verdict = if known.len() != shape.len() || known.iter().zip(shape).any(is_wrong) {
        Verdict::Wrong
    } else if known.iter().all(Option::is_some) {
        Verdict::Exact
    } else {
        Verdict::Open
    };
    (verdict, format!("{name}: [{}] is {shape:?}", sizes.join(", ")))
}
