//! A node as one line of text, `y[n,8] = Gemm(x[n,4], w[8,5])`, and where in it its places are:
//! files have no text that a message could show.

use lozenge_calculus::number::index;
use lozenge_diagnostic::Span;

use super::super::{
    id::{NodeId, TensorId},
    inferred::Inferred,
    require::Place,
    text::{known_text, plain},
};
use crate::infer::{Elem, Source};

/// A node as a line.
pub(super) struct Line {
    pub(super) text: String,
    op: Span,
    operands: Vec<Operand>,
    result: Option<Operand>,
}

#[derive(Default, Clone)]
struct Operand {
    all: Span,
    axes: Vec<Span>,
    elements: Vec<Span>,
}

/// How many elements of a constant are shown.
const MOST_SHOWN: usize = 8;

impl Line {
    pub(super) fn of(inferred: &Inferred<'_, '_>, id: NodeId) -> Line {
        let record = inferred.node(id);
        let mut line =
            Line { text: String::new(), op: Span::empty(0), operands: vec![], result: None };
        for (number, output) in record.outputs.iter().flatten().enumerate() {
            if number > 0 {
                line.text.push_str(", ");
            }
            let operand = line.operand(inferred, *output);
            line.result.get_or_insert(operand);
        }
        line.text.push_str(" = ");
        let start = line.here();
        line.text.push_str(&plain(&record.node.op.to_lossy()));
        line.op = Span::new(start, line.here());
        line.text.push('(');
        for (number, (input, name)) in record.inputs.iter().zip(&record.node.inputs).enumerate() {
            if number > 0 {
                line.text.push_str(", ");
            }
            let operand = if let Some(input) = input {
                line.operand(inferred, *input)
            } else {
                let start = line.here();
                let name =
                    if name.is_empty() { "-".to_owned() } else { plain(&name.to_lossy()) + "?" };
                line.text.push_str(&name);
                Operand { all: Span::new(start, line.here()), ..Operand::default() }
            };
            line.operands.push(operand);
        }
        line.text.push(')');
        line
    }

    fn here(&self) -> u32 {
        index(self.text.len())
    }

    fn operand(&mut self, inferred: &Inferred<'_, '_>, id: TensorId) -> Operand {
        let record = inferred.tensor(id);
        let mut operand = Operand::default();
        let start = self.here();
        self.text.push_str(&plain(&record.name.to_lossy()));
        let is_stored = match record.source {
            Source::Initializer => true,
            Source::Node(node, _) => inferred.node(node).node.op == "Constant",
            Source::Input(_) => false,
        };
        let value = record.known.value.as_deref();
        let value = value.filter(|value| {
            is_stored
                && value.len() <= MOST_SHOWN
                && value.iter().any(|elem| elem.whole().is_some())
        });
        if let Some(value) = value {
            self.text.push('{');
            for (place, elem) in value.iter().enumerate() {
                if place > 0 {
                    self.text.push(',');
                }
                let start = self.here();
                match elem {
                    Elem::Whole(num) => self.text.push_str(&inferred.nums().text(*num)),
                    _ => self.text.push('?'),
                }
                operand.elements.push(Span::new(start, self.here()));
            }
            self.text.push('}');
        } else if let (Some(sizes), None) = (&record.known.shape, &record.known.container) {
            self.text.push('[');
            for (axis, size) in sizes.iter().enumerate() {
                if axis > 0 {
                    self.text.push(',');
                }
                let start = self.here();
                self.text.push_str(&inferred.nums().text(*size));
                operand.axes.push(Span::new(start, self.here()));
            }
            self.text.push(']');
        } else {
            let text = known_text(inferred.nums(), &record.known);
            self.text.push_str(&text);
        }
        operand.all = Span::new(start, self.here());
        operand
    }

    /// Where a place of the node is.
    pub(super) fn span(&self, place: Place) -> Span {
        let operand = |input: usize| self.operands.get(input);
        match place {
            Place::Node | Place::Attribute(_) => self.op,
            Place::Input(input) => operand(input).map_or(self.op, |operand| operand.all),
            Place::Axis(input, axis) => {
                let Some(operand) = operand(input) else { return self.op };
                operand.axes.get(axis).copied().unwrap_or(operand.all)
            }
            Place::Element(input, element) => {
                let Some(operand) = operand(input) else { return self.op };
                operand.elements.get(element).copied().unwrap_or(operand.all)
            }
            Place::Result(axis) => {
                let Some(operand) = &self.result else { return self.op };
                operand.axes.get(axis).copied().unwrap_or(operand.all)
            }
        }
    }
}
