//! Spells a model: one of the many texts that say it.

use lozenge_notation::Style;

use crate::{Generator, border::Border};

use super::model::{Axis, DimModel, Factor, Part, Row, ShapeModel, SpecModel, Tree};

/// Writes tokens with blanks where blanks do not matter.
struct Speller<'r> {
    rng: &'r mut Generator,
    style: Style,
    text: String,
    /// Whether something says that names are words.
    words: bool,
}

pub(super) fn spec(model: &SpecModel, style: Style, rng: &mut Generator) -> String {
    let mut s = Speller { rng, style, text: String::new(), words: false };
    for (i, operand) in model.operands.iter().enumerate() {
        if i > 0 {
            s.sign(";");
        }
        s.slot(operand, Speller::axis);
    }
    s.sign("=>");
    s.slot(&model.result, Speller::axis);
    if style != Style::Letters && !s.words {
        // A comma behind any last axis makes words of all names; where there is none it is not
        // needed.
        let mut text = s.text;
        let entry = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if let Some((at, last)) = text.char_indices().rev().find(|(_, c)| entry(*c)) {
            text.insert(at + last.len_utf8(), ',');
        }
        return text;
    }
    s.text
}

pub(super) fn shape(model: &ShapeModel, rng: &mut Generator) -> String {
    // Behind a blank a star is a product.
    let has_star = |row: &Row<DimModel>| {
        let dims = row.before.iter().chain(&row.after);
        dims.into_iter().any(|dim| matches!(dim, DimModel::AtRunTime(_)))
    };
    let has_blanks = rng.bool() && !model.iter().any(has_star);
    let style = if has_blanks { Style::Blanks } else { Style::Commas };
    let mut s = Speller { rng, style, text: String::new(), words: true };
    s.slot(model, Speller::dim);
    s.text
}

impl Speller<'_> {
    fn blank(&mut self) {
        let blanks = ["", "", "", " ", " ", "\t", "  \n"];
        self.text.push_str(blanks[self.rng.usize(..blanks.len())]);
    }

    fn sign(&mut self, sign: &str) {
        self.blank();
        self.text.push_str(sign);
        self.blank();
    }

    fn slot<T>(&mut self, rows: &[Row<T>; 3], mut entry: impl FnMut(&mut Self, &T)) {
        let [batch, input, output] = rows;
        // A kind without axes may be written or left out.
        if !batch.is_empty() || self.rng.u8(..4) == 0 {
            self.row(batch, &mut entry);
            self.sign("|");
        }
        if !input.is_empty() || self.rng.u8(..4) == 0 {
            self.row(input, &mut entry);
            self.sign("->");
        }
        self.row(output, &mut entry);
    }

    fn row<T>(&mut self, row: &Row<T>, entry: &mut impl FnMut(&mut Self, &T)) {
        let mut first = true;
        for it in &row.before {
            self.separate(&mut first);
            entry(self, it);
        }
        if let Some(ellipsis) = &row.ellipsis {
            self.separate(&mut first);
            self.text.push_str(ellipsis);
        }
        for it in &row.after {
            self.separate(&mut first);
            entry(self, it);
        }
        if !first && self.style == Style::Commas && self.rng.u8(..6) == 0 {
            self.text.push(',');
            self.words = true;
        }
    }

    fn separate(&mut self, first: &mut bool) {
        if std::mem::take(first) {
            return;
        }
        match self.style {
            Style::Letters => {}
            Style::Blanks => self.text.push_str([" ", "  ", "\n"][self.rng.usize(..3)]),
            Style::Commas => {
                self.blank();
                self.text.push(',');
                self.blank();
            }
        }
        self.words |= self.style != Style::Letters;
    }

    fn axis(&mut self, axis: &Axis) {
        match axis {
            Axis::Plain(name) => match self.rng.u8(..20) {
                0 if self.style != Style::Letters => {
                    self.operator("(");
                    self.label(name.as_deref());
                    self.blank();
                    self.text.push(')');
                }
                1 if self.style != Style::Letters => {
                    self.text.push('1');
                    self.operator("*");
                    self.label(name.as_deref());
                }
                _ => self.label(name.as_deref()),
            },
            Axis::Fixed(index) => self.text.push_str(&index.to_string()),
            Axis::Runtime(name) => self.text.extend(["@", name]),
            Axis::Affine { stride, over, offset, loose, window } => {
                self.affine(stride, over.as_deref(), *offset, *loose, window.as_ref());
            }
            Axis::Concat(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        self.operator("^");
                    }
                    self.part(part);
                }
            }
            Axis::Merged(factors) => {
                self.operator("(");
                for (i, factor) in factors.iter().enumerate() {
                    if i > 0 {
                        self.text.push_str([" ", ", ", ",", " \t"][self.rng.usize(..4)]);
                    }
                    self.part(factor);
                }
                self.blank();
                self.text.push(')');
            }
        }
    }

    /// An operator, which only words have.
    fn operator(&mut self, sign: &str) {
        self.words = true;
        self.sign(sign);
    }

    /// The terms in any order; a 1 may be written, and an offset of 0.
    fn affine(
        &mut self,
        stride: &Factor,
        over: Option<&str>,
        offset: u64,
        loose: bool,
        window: Option<&(Border, Factor, Option<String>)>,
    ) {
        let mut terms = vec![0];
        if offset > 0 || self.rng.u8(..8) == 0 {
            terms.push(1);
        }
        if window.is_some() {
            terms.push(2);
        }
        self.rng.shuffle(&mut terms);
        for (i, term) in terms.iter().enumerate() {
            if i > 0 {
                self.operator("+");
            }
            match (term, window) {
                (0, _) => {
                    self.factor(stride);
                    self.label(over);
                    match window {
                        Some((border, ..)) => self.border(*border),
                        None if loose => self.operator("~"),
                        None => {}
                    }
                }
                (1, _) => self.text.push_str(&offset.to_string()),
                (_, Some((_, dilation, kernel))) => {
                    self.factor(dilation);
                    self.label(kernel.as_deref());
                }
                (_, None) => {}
            }
        }
    }

    /// A marker; its margins with commas or blanks between them, and one for both where they are
    /// the same.
    fn border(&mut self, border: Border) {
        let marker = Border { margins: [0; 2], ..border };
        self.operator(&marker.text());
        let [left, right] = border.margins;
        if border.margins != [0; 2] || !border.is_padded() && self.rng.u8(..8) == 0 {
            if left == right && self.rng.bool() {
                self.text.extend(["[", &left.to_string(), "]"]);
            } else {
                let between = [",", " ", ", "][self.rng.usize(..3)];
                let [left, right] = [left, right].map(|margin| margin.to_string());
                self.text.extend(["[", &left, between, &right, "]"]);
            }
        }
    }

    fn factor(&mut self, factor: &Factor) {
        match factor {
            Factor::Number(1) if self.rng.u8(..4) > 0 => return,
            Factor::Number(number) => self.text.push_str(&number.to_string()),
            Factor::Named(name) => self.text.push_str(name),
        }
        self.operator("*");
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::Axis(name) => self.label(name.as_deref()),
            Part::Size(size) => self.text.push_str(&size.to_string()),
        }
    }

    fn label(&mut self, name: Option<&str>) {
        self.text.push_str(name.unwrap_or("_"));
    }

    fn dim(&mut self, dim: &DimModel) {
        let (size, sign, basis) = match dim {
            DimModel::Computed(tree) => return self.tree(tree),
            DimModel::Number(number, basis) => (number.to_string(), "_", basis),
            DimModel::Named(name, basis) => (name.clone(), ":", basis),
            DimModel::Unit => ("1_".into(), "", &None),
            DimModel::Unknown => ("_".into(), "", &None),
            DimModel::Met => ("?".into(), "", &None),
            DimModel::AtRunTime(name) => (format!("*{}", name.as_deref().unwrap_or("")), "", &None),
        };
        self.text.push_str(&size);
        if let Some(basis) = basis {
            self.text.extend([sign, basis]);
        }
    }

    fn tree(&mut self, tree: &Tree) {
        match tree {
            Tree::Number(number) => self.text.push_str(&number.to_string()),
            Tree::Named(name) => self.text.push_str(name),
            Tree::Sum(terms) => {
                for (place, (minus, term)) in terms.iter().enumerate() {
                    if place > 0 {
                        self.sign(if *minus { "-" } else { "+" });
                    }
                    self.tree_part(term, matches!(term, Tree::Sum(_)));
                }
            }
            Tree::Product(factors) => {
                for (place, factor) in factors.iter().enumerate() {
                    if place > 0 {
                        self.sign("*");
                    }
                    let is_one = matches!(factor, Tree::Number(_) | Tree::Named(_));
                    let is_first = place == 0 && matches!(factor, Tree::Quotient(..));
                    self.tree_part(factor, !is_one && !is_first);
                }
            }
            Tree::Quotient(of, by) => {
                self.tree_part(of, matches!(**of, Tree::Sum(_) | Tree::Quotient(..)));
                for by in by {
                    self.sign("/");
                    self.tree_part(by, !matches!(by, Tree::Number(_) | Tree::Named(_)));
                }
            }
        }
    }

    /// A part of a computed size, in parentheses where these are needed, and elsewhere now and
    /// then.
    fn tree_part(&mut self, part: &Tree, needed: bool) {
        let in_parentheses = needed || self.rng.u8(..8) == 0;
        if in_parentheses {
            self.text.push('(');
        }
        self.tree(part);
        if in_parentheses {
            self.text.push(')');
        }
    }
}
