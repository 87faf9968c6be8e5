//! What an editor does with what is said: underlines labels in the text of a front end that has a
//! syntax of its own, and makes edits.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use lozenge::{
    Compose, Einsum, Operation, Pointwise, Report, Reshape, Role, Session, Site, Tensor, Terminal,
    Transpose,
    diagnostic::{Applicability, Source, json},
};
use serde_json::Value;

/// A language of calls: `let y = add(matmul(w, x), b);`.
struct Reader<'a> {
    source: &'a Source,
    text: &'a str,
    at: usize,
    session: Session,
    tensors: BTreeMap<&'a str, Tensor>,
}

/// An argument, and where it is written.
enum Argument<'a> {
    Tensor(Tensor, Range<usize>),
    Text(&'a str, Range<usize>),
    Size(&'a str, u64, Range<usize>),
}

/// Why a text is no program: it cannot be read, or what it asks for is refused.
#[derive(Debug)]
enum Mistake {
    Syntax(#[expect(dead_code, reason = "a test that fails prints it")] String),
    Refused(Report),
}

impl From<Report> for Mistake {
    fn from(rejection: Report) -> Mistake {
        Mistake::Refused(rejection)
    }
}

/// Reads a program and closes it.
fn run(text: &str) -> Result<(), Mistake> {
    let source = Source::new("model.lang", text);
    let text = source.text().unwrap();
    let (session, tensors) = (Session::new(), BTreeMap::new());
    let mut reader = Reader { source: &source, text, at: 0, session, tensors };
    while !reader.peek("") {
        reader.statement()?;
    }
    reader.session.close()?;
    Ok(())
}

impl<'a> Reader<'a> {
    fn blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            if !self.text[self.at..].starts_with("//") {
                return;
            }
            self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
        }
    }

    /// Whether this comes next; nothing is the end.
    fn peek(&mut self, sign: &str) -> bool {
        self.blank();
        let rest = &self.text[self.at..];
        if sign.is_empty() { rest.is_empty() } else { rest.starts_with(sign) }
    }

    fn eat(&mut self, sign: &str) -> bool {
        let is_next = self.peek(sign);
        self.at += if is_next { sign.len() } else { 0 };
        is_next
    }

    fn need(&mut self, sign: &str) -> Result<(), Mistake> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(Mistake::Syntax(format!("`{sign}` is expected at {}", &self.text[self.at..])))
    }

    fn word(&mut self) -> Result<(&'a str, Range<usize>), Mistake> {
        self.blank();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if end == 0 {
            return Err(Mistake::Syntax(format!("a word is expected at {rest}")));
        }
        self.at += end;
        Ok((&rest[..end], self.at - end..self.at))
    }

    fn statement(&mut self) -> Result<(), Mistake> {
        if !self.eat("let ") {
            let start = self.at;
            let (function, _) = self.word()?;
            self.call(function, start, None)?;
            return self.need(";");
        }
        let (name, _) = self.word()?;
        self.need("=")?;
        self.blank();
        let start = self.at;
        let (function, _) = self.word()?;
        let Argument::Tensor(tensor, _) = self.call(function, start, Some(name))? else {
            return Err(Mistake::Syntax("no value".into()));
        };
        self.session.set_name(tensor, name);
        self.tensors.insert(name, tensor);
        self.need(";")
    }

    fn argument(&mut self) -> Result<Argument<'a>, Mistake> {
        if self.eat("\"") {
            let start = self.at;
            let end = self.text[start..].find('"').map(|end| start + end);
            let end = end.ok_or_else(|| Mistake::Syntax("a text has no end".into()))?;
            self.at = end + 1;
            return Ok(Argument::Text(&self.text[start..end], start..end));
        }
        let (word, bytes) = self.word()?;
        if self.eat("=") {
            let (number, end) = self.word()?;
            let number = number.parse().map_err(|_| Mistake::Syntax("no number".into()))?;
            return Ok(Argument::Size(word, number, bytes.start..end.end));
        }
        if self.peek("(") {
            return self.call(word, bytes.start, None);
        }
        match self.tensors.get(word) {
            Some(tensor) => Ok(Argument::Tensor(*tensor, bytes)),
            None => Err(Mistake::Syntax(format!("nothing is called {word}"))),
        }
    }

    fn call(
        &mut self,
        function: &str,
        start: usize,
        name: Option<&str>,
    ) -> Result<Argument<'a>, Mistake> {
        let (mut tensors, mut operands, mut texts, mut sizes) = (vec![], vec![], vec![], vec![]);
        let mut given: Option<Range<usize>> = None;
        self.need("(")?;
        while !self.eat(")") {
            match self.argument()? {
                Argument::Tensor(tensor, bytes) => {
                    tensors.push(tensor);
                    operands.push(bytes);
                }
                Argument::Text(text, bytes) => texts.push((text, bytes)),
                Argument::Size(name, size, bytes) => {
                    sizes.push((name, size));
                    given = Some(given.map_or(bytes.start, |given| given.start)..bytes.end);
                }
            }
            if !self.peek(")") {
                self.need(",")?;
            }
        }
        let bytes = start..self.at;
        let mut site = Site::of(self.source, bytes.clone()).with_operands(operands);
        if let Some((_, bytes)) = texts.first() {
            site = site.saying(bytes.clone());
        }
        if let Some(given) = given {
            site = site.with_sizes(given);
        }
        let text = texts.first().map(|(text, _)| *text);
        let name = name.unwrap_or("value");
        let operation: Arc<dyn Operation> = match (function, text) {
            ("data", Some(shape)) => Arc::new(Terminal::data(name, shape)),
            ("data", None) => Arc::new(Terminal::undeclared(name, Role::Leaf)),
            ("weight", Some(shape)) => Arc::new(Terminal::parameter(name, shape)),
            ("weight", None) => Arc::new(Terminal::undeclared(name, Role::Parameter)),
            ("einsum", Some(spec)) => {
                let spec = spec.parse().and_then(|spec: lozenge::Spec| Einsum::of(spec, &sizes));
                Arc::new(spec.map_err(|rejection| site.blame(rejection))?)
            }
            ("matmul", _) => Arc::new(Compose),
            ("transposed", _) => Arc::new(Transpose),
            ("reshaped", Some(shape)) => Arc::new(Reshape::to(shape)),
            ("same", _) => {
                self.session.at(site).same_shape(tensors[0], tensors[1])?;
                return Ok(Argument::Text("", bytes));
            }
            _ => Arc::new(Pointwise::new(function.to_owned())),
        };
        let tensor = self.session.at(site).apply(operation, &tensors)?;
        Ok(Argument::Tensor(tensor, bytes))
    }
}

/// Programs with a mistake each.
const MISTAKEN: &str = include_str!("editor/mistaken.lang");

#[test]
fn labels_lie_in_the_text_and_edits_make_programs() {
    let (mut programs, mut labels, mut edits) = (0, 0, 0);
    let mut failures: Vec<String> = vec![];
    for text in MISTAKEN.split("----\n") {
        programs += 1;
        let rejection = match run(text) {
            Err(Mistake::Refused(rejection)) => rejection,
            other => {
                failures.push(format!("{text}is no mistake: {other:?}"));
                continue;
            }
        };
        let said: Value =
            serde_json::from_str(&json(&rejection.diagnostics, &rejection.sources)).unwrap();
        assert_eq!(said["schema"], "lozenge-diagnostics/2");
        // There is one source: the text of the program.
        assert_eq!(said["sources"].as_array().unwrap().len(), 1, "{text}{rejection}");
        assert_eq!(said["sources"][0]["text"], text);
        let bytes = |place: &Value| -> Range<usize> {
            let [start, end] = ["start", "end"].map(|end| place[end].as_u64().unwrap());
            let bytes = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
            assert!(text.get(bytes.clone()).is_some(), "{text}{rejection}: {bytes:?}");
            bytes
        };
        for diagnostic in said["diagnostics"].as_array().unwrap() {
            assert!(!diagnostic["labels"].as_array().unwrap().is_empty(), "{text}{rejection}");
            for label in diagnostic["labels"].as_array().unwrap() {
                let _ = bytes(&label["place"]);
                labels += 1;
            }
            for help in diagnostic["helps"].as_array().unwrap() {
                let mut edited = text.to_owned();
                for edit in help["edits"].as_array().unwrap().iter().rev() {
                    edited.replace_range(
                        bytes(&edit["place"]),
                        edit["replacement"].as_str().unwrap(),
                    );
                }
                if edited != text {
                    edits += 1;
                    let left = run(&edited);
                    if let Err(mistake) = left {
                        failures
                            .push(format!("{rejection}\n{}:\n{edited}{mistake:?}", help["text"]));
                    }
                }
            }
        }
        let is_certain =
            |help: &&lozenge::diagnostic::Help| help.applicability == Applicability::Certain;
        let helps = rejection.diagnostics.iter().flat_map(|said| &said.helps);
        assert!(helps.filter(is_certain).count() <= 1, "{rejection}");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(programs >= 50, "{programs} programs");
    assert!(labels >= 100 && edits >= 35, "{labels} labels, {edits} edits");
}
