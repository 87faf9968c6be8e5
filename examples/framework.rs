//! A small tensor framework: its own syntax, its own operations, its own error positions. Lozenge
//! infers the shapes.
//!
//! ```sh
//! cargo run -p lozenge-lower --example framework
//! ```
//!
//! `docs/embedding.md` goes through it step by step.

#![allow(clippy::print_stdout)] // an example shows what it does

use std::{collections::BTreeMap, error::Error, f64::consts, ops::Range, sync::Arc};

use lozenge::{
    Accumulation, Closed, Compose, Einsum, Expression, Kind, Misfit, Operation, Pointwise, Role,
    Scheme, SchemePart, Session, Site, Tensor, Terminal, Unary,
    diagnostic::Source,
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
        let about = SchemePart::Row { operand: 0, kind: Kind::Output };
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

/// A line of a model in tokens, each with the byte of the model that it begins at.
struct Line<'a> {
    model: &'a Source,
    text: &'a str,
    tokens: Vec<(usize, &'a str)>,
    end: usize,
    next: usize,
}

impl<'a> Line<'a> {
    /// The line of the model that has these bytes.
    fn new(model: &'a Source, bytes: Range<usize>) -> Line<'a> {
        let text = model.text().unwrap_or_default();
        let (mut tokens, mut at) = (vec![], bytes.start);
        while let Some(first) = text[at..bytes.end].chars().next() {
            let rest = &text[at..bytes.end];
            let end = match first {
                '"' => rest[1..].find('"').map(|end| end + 2),
                _ if is_word(first) => rest.find(|c| !is_word(c)),
                _ => Some(first.len_utf8()),
            };
            let token = &rest[..end.unwrap_or(rest.len())];
            tokens.extend((!first.is_whitespace()).then_some((at, token)));
            at += token.len();
        }
        Line { model, text, tokens, end: bytes.end, next: 0 }
    }

    fn peek(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.next + ahead).map_or("", |(_, token)| token)
    }

    /// Where the next token begins.
    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |(at, _)| *at)
    }

    /// What was read from this byte on.
    fn since(&self, start: usize) -> Range<usize> {
        let last = self.next.checked_sub(1).and_then(|last| self.tokens.get(last));
        start..last.map_or(start, |(at, token)| at + token.len())
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
        let place = self.model.position(u32::try_from(at).unwrap_or(u32::MAX));
        format!("{}:{}:{}: {what}", self.model.name, place.line, place.column).into()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

fn name(token: &str) -> Option<&str> {
    token.starts_with(char::is_alphabetic).then_some(token)
}

/// A tensor, and where the expression is that it is the value of.
type Value = (Tensor, Range<usize>);

/// A model, built line by line.
struct Model<'a> {
    session: Session,
    /// Where the next operation stands.
    site: Site,
    tensors: BTreeMap<&'a str, Tensor>,
    parameters: Vec<&'a str>,
}

impl<'a> Model<'a> {
    fn infer(model: &'a Source) -> Outcome<(Model<'a>, Closed)> {
        let (session, site) = (Session::new(), Site::whole(model));
        let mut built = Model { session, site, tensors: BTreeMap::new(), parameters: vec![] };
        let mut start = 0;
        for line in model.text().unwrap_or_default().split_inclusive('\n') {
            built.statement(Line::new(model, start..start + line.trim_end().len()))?;
            start += line.len();
        }
        let closed = built.session.close()?;
        Ok((built, closed))
    }

    /// `x: batch | 784`, `y = relu(x)` or `y[10] = w @ x`.
    fn statement(&mut self, mut line: Line<'a>) -> Outcome<()> {
        let start = line.at();
        let name = line.take("a name", name)?;
        let mut sizes = vec![];
        let tensor = if line.eat(":") {
            let shape = line.at()..line.end;
            self.site = Site::of(line.model, start..line.end).saying(shape.clone());
            self.apply(Terminal::data(name, &line.text[shape]), &[])?
        } else {
            if line.eat("[") {
                while sizes.is_empty() || line.eat(",") {
                    sizes.push(line.take("a size", |token| Dim::int(token.parse().ok()?).ok())?);
                }
                line.need("]")?;
            }
            let said = Site::of(line.model, line.since(start));
            line.need("=")?;
            let (tensor, _) = self.expression(&mut line, 0)?;
            line.take("the end", |token| token.is_empty().then_some(()))?;
            if !sizes.is_empty() {
                self.session.at(said).require(Axes(sizes), &[tensor])?;
            }
            self.session.set_name(tensor, name);
            tensor
        };
        self.tensors.insert(name, tensor);
        Ok(())
    }

    /// Operands with signs between them; those of the next level bind more tightly.
    fn expression(&mut self, line: &mut Line<'a>, level: usize) -> Outcome<Value> {
        const LEVELS: [&[&str]; 2] = [&["+", "-"], &["*", "/", "@"]];
        let Some(signs) = LEVELS.get(level) else { return self.operand(line) };
        let start = line.at();
        let mut value = self.expression(line, level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| line.eat(sign)) {
            let operands = [value, self.expression(line, level + 1)?];
            let whole = line.since(start);
            self.stands(line, &whole, &operands);
            let operands = operands.map(|(tensor, _)| tensor);
            let tensor = match *sign {
                "@" => self.apply(Compose, &operands)?,
                sign => self.pointwise(sign, &operands)?,
            };
            // Messages name a result as the model's author wrote it.
            self.session.set_name(tensor, &line.text[whole.clone()]);
            value = (tensor, whole);
        }
        Ok(value)
    }

    /// The next operation is asked for by these bytes of the model, with these operands.
    fn stands(&mut self, line: &Line<'a>, whole: &Range<usize>, operands: &[Value]) {
        let operands = operands.iter().map(|(_, bytes)| bytes.clone());
        self.site = Site::of(line.model, whole.clone()).with_operands(operands);
    }

    fn operand(&mut self, line: &mut Line<'a>) -> Outcome<Value> {
        let start = line.at();
        if line.eat("(") {
            let value = self.expression(line, 0)?;
            line.need(")")?;
            return Ok(value);
        }
        if line.peek(0).parse::<f64>().is_ok() && name(line.peek(0)).is_none() {
            let number = Terminal::number(line.take("a number", Some)?);
            self.stands(line, &line.since(start), &[]);
            return Ok((self.apply(number, &[])?, line.since(start)));
        }
        let name = line.take("an operand", name)?;
        if line.eat("(") {
            let tensor = self.call(line, start, name)?;
            self.session.set_name(tensor, &line.text[line.since(start)]);
            return Ok((tensor, line.since(start)));
        }
        if let Some(tensor) = self.tensors.get(name) {
            return Ok((*tensor, line.since(start)));
        }
        // A name that nothing defines is a parameter. Its uses say what shape it has.
        self.stands(line, &line.since(start), &[]);
        let tensor = self.apply(Terminal::undeclared(name, Role::Parameter), &[])?;
        self.tensors.insert(name, tensor);
        self.parameters.push(name);
        Ok((tensor, line.since(start)))
    }

    fn call(&mut self, line: &mut Line<'a>, start: usize, function: &str) -> Outcome<Tensor> {
        let (mut spec, mut numbers, mut operands) = (0..0, vec![], vec![]);
        while operands.is_empty() && spec.is_empty() || line.eat(",") {
            if line.peek(0).starts_with('"') {
                let quoted = line.at();
                line.take("a specification", |token| token.get(1..token.len() - 1))?;
                spec = quoted + 1..line.since(quoted).end - 1;
            } else if line.peek(1) == "=" {
                let name = line.take("a name", name)?;
                line.need("=")?;
                numbers.push((name, line.take("a number", |token| token.parse().ok())?));
            } else {
                operands.push(self.expression(line, 0)?);
            }
        }
        line.need(")")?;
        let whole = line.since(start);
        self.stands(line, &whole, &operands);
        let tensors: Vec<Tensor> = operands.iter().map(|(tensor, _)| *tensor).collect();
        match (function, &numbers[..], &tensors[..]) {
            ("einsum", ..) => {
                self.site = self.site.clone().saying(spec.clone());
                self.einsum(&line.text[spec], &numbers, &tensors)
            }
            ("gelu", ..) => self.apply(gelu(), &tensors),
            ("max_pool", &[("size", size)], _) => self.apply(MaxPool { size }, &tensors),
            _ if Unary::named(function).is_some() => self.pointwise(function, &tensors),
            _ => {
                // What follows is made of several operations, whose operands are others.
                self.stands(line, &whole, &[]);
                match (function, &numbers[..], &tensors[..]) {
                    ("flatten", ..) => self.einsum(FLATTEN, &[], &tensors),
                    ("conv", _, &[x, kernel, bias]) => {
                        let windows = self.einsum(CONV, &numbers, &[x, kernel])?;
                        let sum = Expression::read(0) + Expression::read(1);
                        self.apply(Einsum::new(BIAS)?.of_elements(sum), &[windows, bias])
                    }
                    ("softmax", _, &[x]) => self.softmax(x),
                    ("layer_norm", _, &[x, gain, shift]) => self.layer_norm(x, gain, shift),
                    _ => Err(line.mistake(start, &format!("`{function}` is not called like this"))),
                }
            }
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

    /// `x` with the mean 0 and the variance 1 over its output axes, then scaled and shifted by
    /// parameters.
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
        Ok(self.session.at(self.site.clone()).einsum_with(spec, sizes, of)?)
    }

    fn pointwise(&mut self, function: &str, operands: &[Tensor]) -> Outcome<Tensor> {
        self.apply(Pointwise::new(function.to_owned()), operands)
    }

    fn apply(&mut self, done: impl Operation + 'static, operands: &[Tensor]) -> Outcome<Tensor> {
        Ok(self.session.at(self.site.clone()).apply(done, operands)?)
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

fn main() -> Outcome<()> {
    let transformer = Source::new("transformer", TRANSFORMER);
    let (transformer, shapes) = Model::infer(&transformer)?;
    println!("A transformer block: 8 heads of 64, then a layer of 2048.\n");
    transformer.expect(
        &shapes,
        "gain1: 512; shift1: 512; wq: 512->8,64; wk: 512->8,64; wv: 512->8,64; wo: 8,64->512; \
         w1: 512->2048; gain2: 512; shift2: 512; b1: 2048; w2: 2048->512; b2: 512",
    )?;
    let lenet = Source::new("lenet", LENET);
    let (lenet, shapes) = Model::infer(&lenet)?;
    println!("\nA convnet: two convolutions, then three layers.\n");
    lenet.expect(
        &shapes,
        "kernel1: 5,5->6; b1: 6; kernel2: 5,5,6->16; b2: 16; w1: 400->120; b3: 120; \
         w2: 120->84; b4: 84; w3: 84->10; b5: 10",
    )?;
    let pool = lenet.session.assignment(&shapes, lenet.tensors["p2"])?;
    println!("\nThe loops of its second pool:\n\n{}", Nest::new(pool));

    let unsaid = LENET.replace("h1[120]", "h1");
    for (name, text, place) in [("mistaken", MISTAKEN, "3:34"), ("unsaid", &unsaid, "7:11")] {
        let model = Source::new(name, text);
        let mistake = Model::infer(&model).err().ok_or("a mistake was not found")?.to_string();
        println!("{mistake}\n");
        assert!(mistake.contains(&format!("{name}:{place}\n")));
    }
    Ok(())
}
