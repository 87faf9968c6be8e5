//! A small tensor framework: its own syntax, its own operations, its own error positions. Lozenge infers the shapes.
//!
//! ```sh
//! cargo run -p lozenge-lower --example framework
//! ```
//!
//! `docs/embedding.md` goes through it step by step.

#![allow(clippy::print_stdout)] // an example shows what it does

use std::{collections::BTreeMap, error::Error, f64::consts, sync::Arc};

use lozenge::{
    About, Accumulation, Closed, Compose, Einsum, Expression, Kind, Misfit, Operation, Pointwise,
    Rejection, Role, Scheme, Session, Site, Spec, Tensor, Terminal, Unary,
    diagnostic::{Place, Sources, Span},
    term::{Dim, RowTerm},
};
use lozenge_lower::Nest;

const TRANSFORMER: &str = r#"x: batch, seq | 512
n = layer_norm(x, gain1, shift1)
q[8, 64] = wq @ n
k = wk @ n
v[8, 64] = wv @ n
scores = einsum("b q|h d; b k|h d => b q|k->h", q, k) / 8
mixed = einsum("b q|k->h; b k|h d => b q|h d", softmax(scores), v)
r = x + wo @ mixed
h[2048] = gelu(w1 @ layer_norm(r, gain2, shift2) + b1)
y = r + w2 @ h + b2
"#;

const LENET: &str = "image: batch | 32, 32
label: batch | 10
c1 = relu(conv(image, kernel1, b1, kh=5, kw=5, out=6))
p1 = max_pool(c1, size=2)
c2 = relu(conv(p1, kernel2, b2, kh=5, kw=5, out=16))
p2 = max_pool(c2, size=2)
h1[120] = relu(w1 @ flatten(p2) + b3)
h2[84] = relu(w2 @ h1 + b4)
error = w3 @ h2 + b5 - label
";

const MISTAKEN: &str = "x: batch, seq | 512
place: seq | 256
h[512] = relu(w @ layer_norm(x + place, gain, shift))
";

const CONV: &str = "...|oh<+kh, ow<+kw, ..in..; kh, kw, ..in..->out => ...|oh, ow, out";
const BIAS: &str = "...|..., out; out => ...|..., out";
const MAX_POOL: &str = "...|size*oh<+kh, size*ow<+kw, c => ...|oh, ow, c";
const FLATTEN: &str = "...|h, w, c => ...|(h w c)";
const OVER_INPUT: &str = "...|..i..->... => ...|...";
const OVER_OUTPUT: &str = "...|... => ...|";

/// The largest element of every window of `size` by `size`.
#[derive(Debug)]
struct MaxPool {
    size: u64,
}

impl Operation for MaxPool {
    fn name(&self) -> &'static str {
        "max_pool"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let numbers = ["size", "kh", "kw"].map(|name| (name, self.size));
        Einsum::with(MAX_POOL, &numbers)?.by(Accumulation::Max).scheme(operands)
    }
}

/// The statement `h[2048]`: the output axes of `h` have these sizes.
#[derive(Debug)]
struct Axes(Vec<Dim>);

impl Operation for Axes {
    fn name(&self) -> &'static str {
        "axes"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.expect_operands(1)?;
        let about = About::Row { operand: 0, kind: Kind::Output };
        let said = RowTerm::closed([], self.0.iter().map(|dim| (*dim).into()));
        scheme.same_row(about, scheme.operand(0, Kind::Output), said);
        Ok(scheme.into())
    }
}

/// The usual approximation of x·Φ(x).
fn gelu() -> Pointwise {
    let x = || Expression::read(0);
    let number = |value: f64| Expression::from(value);
    let scale = number(consts::FRAC_2_SQRT_PI * consts::FRAC_1_SQRT_2);
    let inner = scale * (x() + number(0.044_715) * x() * x() * x());
    Pointwise::computing("gelu", number(0.5) * x() * (number(1.0) + inner.unary(Unary::Tanh)))
}

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A line of a model in tokens, each with the byte that it begins at.
struct Line<'a> {
    file: &'a str,
    number: usize,
    text: &'a str,
    tokens: Vec<(usize, &'a str)>,
    next: usize,
}

impl<'a> Line<'a> {
    fn new(file: &'a str, number: usize, text: &'a str) -> Line<'a> {
        let (mut tokens, mut at) = (vec![], 0);
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let end = match first {
                '"' => rest[1..].find('"').map(|end| end + 2),
                _ if is_word(first) => rest.find(|c| !is_word(c)),
                _ => Some(first.len_utf8()),
            };
            let token = &rest[..end.unwrap_or(rest.len())];
            tokens.extend((!first.is_whitespace()).then_some((at, token)));
            at += token.len();
        }
        Line { file, number, text, tokens, next: 0 }
    }

    fn peek(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.next + ahead).map_or("", |(_, token)| token)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |(at, _)| *at)
    }

    fn site(&self, at: usize) -> Site {
        Site::line(self.file, self.number, self.text[..at].chars().count() + 1)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let is_next = self.peek(0) == sign;
        self.next += usize::from(is_next);
        is_next
    }

    fn take<T>(&mut self, what: &str, read: impl Fn(&'a str) -> Option<T>) -> Outcome<T> {
        let found = read(self.peek(0));
        let found = found.ok_or_else(|| self.mistake(self.at(), &format!("{what} is expected")));
        self.next += 1;
        found
    }

    fn need(&mut self, sign: &str) -> Outcome<()> {
        self.take(&format!("`{sign}`"), |token| (token == sign).then_some(()))
    }

    fn mistake(&self, at: usize, what: &str) -> Box<dyn Error> {
        format!("{}:{}:{}: {what}", self.file, self.number, at + 1).into()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

fn name(token: &str) -> Option<&str> {
    token.starts_with(char::is_alphabetic).then_some(token)
}

/// A model, built line by line.
struct Model<'a> {
    session: Session,
    /// Where the next operation stands.
    site: Site,
    tensors: BTreeMap<&'a str, Tensor>,
    parameters: Vec<&'a str>,
}

impl<'a> Model<'a> {
    fn infer(file: &'a str, text: &'a str) -> Outcome<(Model<'a>, Closed)> {
        let (session, site) = (Session::new(), Site::text(file));
        let mut model = Model { session, site, tensors: BTreeMap::new(), parameters: vec![] };
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty());
        let read = lines.try_for_each(|(i, line)| model.statement(Line::new(file, i + 1, line)));
        match read.and_then(|()| Ok(model.session.close()?)) {
            Ok(closed) => Ok((model, closed)),
            Err(mistake) => Err(match mistake.downcast() {
                Ok(rejection) => in_own_lines(*rejection, file, text).into(),
                Err(other) => other,
            }),
        }
    }

    /// `x: batch | 784`, `y = relu(x)` or `y[10] = w @ x`.
    fn statement(&mut self, mut line: Line<'a>) -> Outcome<()> {
        let start = line.site(line.at());
        let name = line.take("a name", name)?;
        let mut sizes = vec![];
        let tensor = if line.eat(":") {
            self.site = start;
            self.apply(Terminal::data(name, &line.text[line.at()..]), &[])?
        } else {
            if line.eat("[") {
                while sizes.is_empty() || line.eat(",") {
                    sizes.push(line.take("a size", |token| Dim::int(token.parse().ok()?).ok())?);
                }
                line.need("]")?;
            }
            line.need("=")?;
            let tensor = self.expression(&mut line, 0)?;
            line.take("the end", |token| token.is_empty().then_some(()))?;
            if !sizes.is_empty() {
                self.session.require_at(start, Axes(sizes), &[tensor])?;
            }
            self.session.name(tensor, name);
            tensor
        };
        self.tensors.insert(name, tensor);
        Ok(())
    }

    /// Operands with signs between them; those of the next level bind more tightly.
    fn expression(&mut self, line: &mut Line<'a>, level: usize) -> Outcome<Tensor> {
        const LEVELS: [&[&str]; 2] = [&["+", "-"], &["*", "/", "@"]];
        let Some(signs) = LEVELS.get(level) else { return self.operand(line) };
        let start = line.at();
        let mut value = self.expression(line, level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| line.eat(sign)) {
            let operands = [value, self.expression(line, level + 1)?];
            self.site = line.site(start);
            value = match *sign {
                "@" => self.apply(Compose, &operands)?,
                sign => self.pointwise(sign, &operands)?,
            };
            // Messages name a result as the model's author wrote it.
            self.session.name(value, line.text[start..line.at()].trim_end());
        }
        Ok(value)
    }

    fn operand(&mut self, line: &mut Line<'a>) -> Outcome<Tensor> {
        let start = line.at();
        if line.eat("(") {
            let value = self.expression(line, 0)?;
            line.need(")")?;
            return Ok(value);
        }
        if line.peek(0).parse::<f64>().is_ok() && name(line.peek(0)).is_none() {
            self.site = line.site(start);
            return self.apply(Terminal::number(line.take("a number", Some)?), &[]);
        }
        let name = line.take("an operand", name)?;
        if line.eat("(") {
            let value = self.call(line, start, name)?;
            self.session.name(value, line.text[start..line.at()].trim_end());
            return Ok(value);
        }
        if let Some(tensor) = self.tensors.get(name) {
            return Ok(*tensor);
        }
        // A name that nothing defines is a parameter. Its uses say what shape it has.
        self.site = line.site(start);
        let tensor = self.apply(Terminal::unknown(name, Role::Parameter), &[])?;
        self.tensors.insert(name, tensor);
        self.parameters.push(name);
        Ok(tensor)
    }

    fn call(&mut self, line: &mut Line<'a>, start: usize, function: &str) -> Outcome<Tensor> {
        let (mut spec, mut numbers, mut operands) = ("", vec![], vec![]);
        while operands.is_empty() && spec.is_empty() || line.eat(",") {
            if line.peek(0).starts_with('"') {
                spec = line.take("a specification", |token| Some(token.trim_matches('"')))?;
            } else if line.peek(1) == "=" {
                let name = line.take("a name", name)?;
                line.need("=")?;
                numbers.push((name, line.take("a number", |token| token.parse().ok())?));
            } else {
                operands.push(self.expression(line, 0)?);
            }
        }
        line.need(")")?;
        self.site = line.site(start);
        match (function, &numbers[..], &operands[..]) {
            ("einsum", ..) => self.einsum(spec, &numbers, &operands),
            ("flatten", ..) => self.einsum(FLATTEN, &[], &operands),
            ("conv", _, &[x, kernel, bias]) => {
                let windows = self.einsum(CONV, &numbers, &[x, kernel])?;
                let sum = Einsum::new(BIAS)?.of_elements(Expression::read(0) + Expression::read(1));
                self.apply(sum, &[windows, bias])
            }
            ("max_pool", &[("size", size)], _) => self.apply(MaxPool { size }, &operands),
            ("gelu", ..) => self.apply(gelu(), &operands),
            ("softmax", _, &[x]) => self.softmax(x),
            ("layer_norm", _, &[x, gain, shift]) => self.layer_norm(x, gain, shift),
            _ if Unary::named(function).is_some() => self.pointwise(function, &operands),
            _ => Err(line.mistake(start, &format!("`{function}` is not called like this"))),
        }
    }

    /// Weights over the input axes of `x`, with the sum 1.
    fn softmax(&mut self, x: Tensor) -> Outcome<Tensor> {
        let largest = self.apply(Einsum::new(OVER_INPUT)?.by(Accumulation::Max), &[x])?;
        let below = self.pointwise("-", &[x, largest])?;
        let power = self.pointwise("exp", &[below])?;
        let sum = self.einsum(OVER_INPUT, &[], &[power])?;
        self.pointwise("/", &[power, sum])
    }

    /// `x` with the mean 0 and the variance 1 over its output axes, then scaled and shifted by parameters.
    fn layer_norm(&mut self, x: Tensor, gain: Tensor, shift: Tensor) -> Outcome<Tensor> {
        let mean = self.mean(x)?;
        let centred = self.pointwise("-", &[x, mean])?;
        let square = self.pointwise("*", &[centred, centred])?;
        let variance = self.mean(square)?;
        let tiny = self.apply(Terminal::number("0.00001"), &[])?;
        let variance = self.pointwise("+", &[variance, tiny])?; // nothing is divided by 0
        let scale = self.pointwise("recip_sqrt", &[variance])?;
        let scaled = self.pointwise("*", &[centred, scale, gain])?;
        self.pointwise("+", &[scaled, shift])
    }

    fn mean(&mut self, x: Tensor) -> Outcome<Tensor> {
        let sum = self.einsum(OVER_OUTPUT, &[], &[x])?;
        // The sum of ones is the number of elements, whatever the shape turns out to be.
        let count = self.apply(Einsum::new(OVER_OUTPUT)?.of_elements(1.0.into()), &[x])?;
        self.pointwise("/", &[sum, count])
    }

    fn einsum(&mut self, spec: &str, sizes: &[(&str, u64)], of: &[Tensor]) -> Outcome<Tensor> {
        let einsum = spec.parse().and_then(|spec: Spec| Einsum::of(spec, sizes));
        self.apply(einsum.map_err(|rejection| self.site.blame(rejection))?, of)
    }

    fn pointwise(&mut self, function: &str, operands: &[Tensor]) -> Outcome<Tensor> {
        self.apply(Pointwise::new(function.to_owned()), operands)
    }

    fn apply(&mut self, done: impl Operation + 'static, operands: &[Tensor]) -> Outcome<Tensor> {
        Ok(self.session.apply_at(self.site.clone(), done, operands)?)
    }

    /// Prints the shape of every parameter, and holds them against what they should be.
    fn expect(&self, shapes: &Closed, all: &str) -> Outcome<()> {
        let shape = |name: &&str| Ok(format!("{name}: {}", shapes.shape(self.tensors[name])?));
        let found: Vec<String> = self.parameters.iter().map(shape).collect::<Outcome<_>>()?;
        println!("{}", found.join("\n"));
        assert_eq!(found.join("; "), all);
        assert!(shapes.notes().is_empty(), "nothing to warn of");
        Ok(())
    }
}

/// A message about the lines that a model's author wrote. Lozenge writes a step in its own notation, and knows at
/// which line and column of the model it stands.
fn in_own_lines(mut rejection: Rejection, file: &str, model: &str) -> Rejection {
    let moved = |place: Place| {
        let source = rejection.sources.get(place.source)?;
        let at = source.stands_at?;
        let line = model.lines().nth(at.line - 1)?;
        let column = line.char_indices().nth(at.column - 1)?.0;
        let own = &line[column..];
        let words = source.text.get(place.span.range())?.split(" = ").next()?;
        let words = words.strip_prefix("param ").unwrap_or(words);
        let words = words.strip_prefix('(').and_then(|w| w.strip_suffix(')')).unwrap_or(words);
        let is_whole = |at: usize| !own[..at].ends_with(is_word);
        let found = own.match_indices(words).find(|(at, _)| is_whole(*at));
        let (found, length) = found.map_or((0, own.len()), |(at, _)| (at, words.len()));
        let before: usize = model.split_inclusive('\n').take(at.line - 1).map(str::len).sum();
        let start = u32::try_from(before + column + found).ok()?;
        Some(Span::new(start, start + u32::try_from(length).ok()?).into())
    };
    for diagnostic in &mut rejection.diagnostics {
        for label in &mut diagnostic.labels {
            label.place = moved(label.place).unwrap_or(Span::new(0, 0).into());
        }
        // Edits are in Lozenge's notation. What a help says in words holds for a model, too.
        diagnostic.helps.iter_mut().for_each(|help| help.edits.clear());
    }
    Rejection { sources: Sources::new().with(file, model), ..rejection }
}

fn main() -> Outcome<()> {
    let (transformer, shapes) = Model::infer("transformer", TRANSFORMER)?;
    println!("A transformer block: 8 heads of 64, then a layer of 2048.\n");
    transformer.expect(
        &shapes,
        "gain1: 512; shift1: 512; wq: 512->8,64; wk: 512->8,64; wv: 512->8,64; wo: 8,64->512; \
         w1: 512->2048; gain2: 512; shift2: 512; b1: 2048; w2: 2048->512; b2: 512",
    )?;
    let (lenet, shapes) = Model::infer("lenet", LENET)?;
    println!("\nA convnet: two convolutions, then three layers.\n");
    lenet.expect(
        &shapes,
        "kernel1: 5,5->6; b1: 6; kernel2: 5,5,6->16; b2: 16; w1: 400->120; b3: 120; \
         w2: 120->84; b4: 84; w3: 84->10; b5: 10",
    )?;
    let pool = lenet.session.assignment(&shapes, lenet.tensors["p2"])?;
    println!("\nThe loops of its second pool:\n\n{}", Nest::new(pool));

    let unsaid = LENET.replace("h1[120]", "h1");
    for (file, text, place) in [("mistaken", MISTAKEN, "3:34"), ("unsaid", &unsaid, "7:11")] {
        let mistake = Model::infer(file, text).err().ok_or("a mistake was not found")?.to_string();
        println!("{mistake}\n");
        assert!(mistake.contains(&format!("{file}:{place}\n")));
    }
    Ok(())
}
