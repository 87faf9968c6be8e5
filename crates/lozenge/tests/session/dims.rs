//! Dimensions as text, a question a line, for cases and pages.
//!
//! ```text
//! 64 = α                  two dimensions are unified; a Greek letter is a variable
//! [4, α] = [4, batch]     two shapes are unified
//! [4, α] @ [8, 16]        a product of matrices
//! [3, 4] + [4]            broadcast
//! [4, 6] -> [2, 12]       reshaped
//! transpose [2, 3] 0 1
//! sum [2, 3] 0; sum [2, 3] 0 keep
//! spec batch 32 1 64      name, sample, least, largest; `_` for what is not said
//! ```
//!
//! Each is answered with a line; then come the variables that are known, and what is required.

use std::{collections::BTreeMap, fmt::Write};

use lozenge::{
    Report,
    dims::{Dim, DimContext, DimRange, DimSpec, DimVar, TensorShape},
};

/// A context, and its variables by their names.
#[derive(Default)]
struct Asked {
    context: DimContext,
    vars: BTreeMap<String, DimVar>,
}

/// What is answered.
pub(crate) fn outcome(questions: &str, _claims: &str) -> String {
    let mut asked = Asked::default();
    let mut found = String::new();
    for line in questions.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let _ = match asked.ask(line) {
            Ok(answer) => writeln!(found, "{answer}"),
            Err(rejection) => writeln!(found, "{}", headline(&rejection)),
        };
    }
    for (name, var) in &asked.vars {
        let known = asked.context.resolve(&var.clone().into());
        if known != Dim::Var(var.clone()) {
            let _ = writeln!(found, "{name} = {known}");
        }
    }
    match asked.context.requirements() {
        Ok(requirements) => {
            for requirement in requirements {
                let _ = writeln!(found, "requires {requirement}");
            }
        }
        Err(rejection) => {
            let _ = writeln!(found, "{}", headline(&rejection));
        }
    }
    found
}

fn headline(rejection: &Report) -> String {
    let said = &rejection.diagnostics[0];
    format!("error[{}]: {}", said.code, said.headline)
}

impl Asked {
    fn ask(&mut self, line: &str) -> Result<String, Report> {
        let is_shape = line.starts_with('[');
        if let Some(said) = line.strip_prefix("spec ") {
            return Ok(spec(said).to_dim()?.to_string());
        }
        if let Some((shape, words)) =
            line.strip_prefix("transpose ").and_then(|rest| rest.rsplit_once("] "))
        {
            let axes: Vec<i64> =
                words.split_whitespace().map(|word| word.parse().unwrap()).collect();
            let shape = self.shape(shape);
            return Ok(self.context.infer_transpose_shape(&shape, axes[0], axes[1])?.to_string());
        }
        if let Some((shape, words)) =
            line.strip_prefix("sum ").and_then(|rest| rest.rsplit_once("] "))
        {
            let (axis, keep) = words.split_once(' ').unwrap_or((words, ""));
            let shape = self.shape(shape);
            let left =
                self.context.infer_reduction_shape(&shape, axis.parse().unwrap(), keep == "keep");
            return Ok(left?.to_string());
        }
        if let Some((input, output)) = line.split_once(" -> ") {
            let (input, output) = (self.shape(input), self.shape(output));
            self.context.verify_reshape(&input, &output)?;
            return Ok("the same elements".to_owned());
        }
        if let Some((left, right)) = line.split_once(" @ ") {
            let (left, right) = (self.shape(left), self.shape(right));
            return Ok(self.context.infer_matmul_shape(&left, &right)?.to_string());
        }
        if let Some((left, right)) = line.split_once(" = ") {
            if is_shape {
                let (left, right) = (self.shape(left), self.shape(right));
                return Ok(self.context.unify_shapes(&left, &right)?.to_string());
            }
            let (left, right) = (self.dim(left), self.dim(right));
            return Ok(self.context.unify_dims(&left, &right)?.to_string());
        }
        let shapes: Vec<TensorShape> = line.split(" + ").map(|shape| self.shape(shape)).collect();
        Ok(self.context.infer_broadcast_shape(&shapes)?.to_string())
    }

    fn shape(&mut self, text: &str) -> TensorShape {
        let inner = text.trim().trim_matches(['[', ']']);
        inner
            .split(',')
            .map(str::trim)
            .filter(|dim| !dim.is_empty())
            .map(|dim| self.dim(dim))
            .collect()
    }

    fn dim(&mut self, text: &str) -> Dim {
        match text {
            "*" => return Dim::Dynamic,
            "?" => return Dim::Broadcast,
            _ => {}
        }
        if let Ok(size) = text.parse() {
            return Dim::Literal(size);
        }
        if text.starts_with(|c| ('α'..='ω').contains(&c)) {
            let context = &mut self.context;
            let var = self.vars.entry(text.to_owned()).or_insert_with(|| context.var(text));
            return var.clone().into();
        }
        let Some((name, range)) = text.split_once(": ") else { return Dim::named(text) };
        let (min, max) = range.split_once("..").unwrap();
        let range = DimRange::new(min.parse().unwrap(), max.parse().ok());
        Dim::Named { name: name.into(), range: Some(range) }
    }
}

fn spec(text: &str) -> DimSpec {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [name, sample, min, max] = words[..] else { panic!("not four words: {text}") };
    DimSpec {
        name: (name != "_").then(|| name.to_owned()),
        sample: sample.parse().unwrap(),
        min: min.parse().ok(),
        max: max.parse().ok(),
    }
}
