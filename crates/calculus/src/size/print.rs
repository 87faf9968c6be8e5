//! Open sizes as people write them.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    SizeSymbol,
    polynomial::{Indeterminate, Monomial, Polynomial},
    requirement::Requirement,
    table::{Meaning, Sizes},
    word::Overflow,
};

/// The texts of names.
type Called<'a> = &'a dyn Fn(SizeSymbol) -> String;

impl Sizes {
    /// A form as it is written: `2*batch`, `past+seq`, `seq/8`, `floor((n-3)/2)`.
    pub fn written(&self, form: &Polynomial, called: Called<'_>) -> String {
        let by = form.denominator();
        let term = |(monomial, n): &(Monomial, i128)| {
            let text = self.term(monomial, n.unsigned_abs(), called);
            // What is added comes before what is subtracted, numbers come last.
            (*n < 0, monomial.is_empty(), text)
        };
        let mut terms: Vec<(bool, bool, String)> = form.terms().iter().map(term).collect();
        terms.sort_unstable();
        let is_sum = terms.len() > 1;
        let mut text = String::new();
        for (place, (is_negative, _, term)) in terms.into_iter().enumerate() {
            match (is_negative, place) {
                (true, _) => text.push('-'),
                (false, 0) => {}
                (false, _) => text.push('+'),
            }
            text += &term;
        }
        match (text.is_empty(), by) {
            (true, _) => "0".to_string(),
            (_, 1) => text,
            (_, _) if is_sum => format!("({text})/{by}"),
            (_, _) => format!("{text}/{by}"),
        }
    }

    fn term(&self, monomial: &Monomial, n: u128, called: Called<'_>) -> String {
        if monomial.is_empty() {
            return n.to_string();
        }
        let mut factors: Vec<String> = Vec::new();
        let is_product = n != 1 || monomial.iter().map(|(_, power)| *power).sum::<u32>() > 1;
        for (indeterminate, power) in monomial {
            let factor = self.written_atom(*indeterminate, called);
            let is_quotient =
                matches!(self.meaning(*indeterminate), Some(Meaning::Quotient { .. }));
            // Behind a factor it would be read as a quotient of the product.
            let factor = if is_product && is_quotient { format!("({factor})") } else { factor };
            factors.extend((0..*power).map(|_| factor.clone()));
        }
        factors.sort_unstable();
        if n != 1 {
            factors.insert(0, n.to_string());
        }
        factors.join("*")
    }

    fn written_atom(&self, indeterminate: Indeterminate, called: Called<'_>) -> String {
        let Some(meaning) = self.meaning(indeterminate) else {
            return called(SizeSymbol::new(indeterminate.0));
        };
        match meaning {
            Meaning::Floor { of, by } => {
                // ⌊(n + d − 1)/d⌋ is ⌈n/d⌉.
                let above = i128::from(*by) - 1;
                let up = Polynomial::constant(above);
                let (name, of) = match of.minus(&up) {
                    Ok(rest) if of.constant_term() == above => ("ceil", rest),
                    _ => ("floor", of.clone()),
                };
                format!("{name}({}/{by})", self.within(&of, called))
            }
            Meaning::Quotient { of, by } => {
                let text = self.written(by, called);
                let is_one = by.as_constant().is_some() || by.as_indeterminate().is_some();
                let by = if is_one { text } else { format!("({text})") };
                format!("{}/{by}", self.within(of, called))
            }
            Meaning::Least(a, b) => {
                format!("min({}, {})", self.written(a, called), self.written(b, called))
            }
            Meaning::Sum(a, b) => {
                format!("({}+{})", self.written(a, called), self.written(b, called))
            }
            Meaning::Product(a, b) => {
                format!("{}*{}", self.within(a, called), self.within(b, called))
            }
        }
    }

    /// The text of a form, in parentheses where it has several terms.
    fn within(&self, form: &Polynomial, called: Called<'_>) -> String {
        let text = self.written(form, called);
        if form.terms().len() > 1 { format!("({text})") } else { text }
    }

    /// A requirement as it is written: `8 divides seq`, `n >= 3`.
    pub fn written_requirement(&self, requirement: &Requirement, called: Called<'_>) -> String {
        match requirement {
            Requirement::Divides(by, of) => format!("{by} divides {}", self.written(of, called)),
            Requirement::AtLeast(of, least) => {
                let [left, right] = of.sides();
                let written = |form: &Polynomial| self.written(form, called);
                match (left == Polynomial::ZERO, right == Polynomial::ZERO) {
                    (_, true) => format!("{} >= {least}", written(&left)),
                    (true, false) => format!("{} <= {}", written(&right), -least),
                    (false, false) => {
                        let right = match right.plus(&Polynomial::constant(*least)) {
                            Ok(sum) => written(&sum),
                            Err(Overflow) => format!("{} + {least}", written(&right)),
                        };
                        format!("{} >= {right}", written(&left))
                    }
                }
            }
            Requirement::Exact(of, by) => {
                format!("{} divides {}", self.written(by, called), self.written(of, called))
            }
            Requirement::Zero(form) => {
                let [left, right] = form.sides();
                format!("{} = {}", self.written(&left, called), self.written(&right, called))
            }
        }
    }
}
