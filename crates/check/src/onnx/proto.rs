//! Messages of protobuf as bytes: making and changing models takes them apart no further.

use lozenge_onnx::wire::{Fields, Value};

/// A field of a message, taken apart no further.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub number: u64,
    /// The bytes of a text, a message or a list; none for a number.
    pub content: Option<Vec<u8>>,
    /// The field as it stands in its message.
    encoding: Vec<u8>,
}

/// The fields of a message; none if it is not one.
pub fn parts(message: &[u8]) -> Option<Vec<Part>> {
    let mut fields = Fields::new(message);
    let mut parts = vec![];
    while let Some(field) = fields.read().ok()? {
        let content = match field.value {
            Value::Bytes(bytes) => Some(bytes.to_vec()),
            Value::Varint(_) | Value::Fixed32(_) | Value::Fixed64(_) => None,
        };
        parts.push(Part { number: field.number, content, encoding: field.encoding.to_vec() });
    }
    Some(parts)
}

/// The message of these fields.
pub fn joined(parts: &[Part]) -> Vec<u8> {
    parts.iter().flat_map(|part| part.encoding.iter().copied()).collect()
}

impl Part {
    /// A field that is bytes.
    pub fn bytes(number: u64, content: Vec<u8>) -> Part {
        let mut encoding = vec![];
        put(&mut encoding, number << 3 | 2);
        put(&mut encoding, content.len() as u64);
        encoding.extend_from_slice(&content);
        Part { number, content: Some(content), encoding }
    }

    /// A field that is a number.
    pub fn int(number: u64, value: i64) -> Part {
        let mut encoding = vec![];
        put(&mut encoding, number << 3);
        put(&mut encoding, u64::from_ne_bytes(value.to_ne_bytes()));
        Part { number, content: None, encoding }
    }

    /// The number that it is, if it is one.
    pub fn value(&self) -> Option<u64> {
        let field = Fields::new(&self.encoding).read().ok()??;
        if let Value::Varint(value) = field.value { Some(value) } else { None }
    }
}

/// A message of these fields.
pub fn message(fields: impl IntoIterator<Item = Part>) -> Vec<u8> {
    joined(&fields.into_iter().collect::<Vec<_>>())
}

fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// A model of one graph: `Add` and `Relu` in turns, of a tensor of batch × 64.
pub fn chain(nodes: usize) -> Vec<u8> {
    let text = |number, text: &str| Part::bytes(number, text.as_bytes().to_vec());
    let dim = |part| Part::bytes(1, message([part]));
    let shape = message([dim(text(2, "batch")), dim(Part::int(1, 64))]);
    let tensor = message([Part::int(1, 1), Part::bytes(2, shape)]);
    let input = message([text(1, "x0"), Part::bytes(2, message([Part::bytes(1, tensor)]))]);
    let node = |place: usize| {
        let before = format!("x{place}");
        let mut parts = vec![text(1, &before)];
        if place % 2 == 0 {
            parts.push(text(1, "x0"));
        }
        parts.push(text(2, &format!("x{}", place + 1)));
        parts.push(text(4, if place % 2 == 0 { "Add" } else { "Relu" }));
        Part::bytes(1, joined(&parts))
    };
    let mut graph: Vec<Part> = (0..nodes).map(node).collect();
    graph.push(text(2, "chain"));
    graph.push(Part::bytes(11, input));
    graph.push(Part::bytes(12, message([text(1, &format!("x{nodes}"))])));
    let opset = message([Part::int(2, 17)]);
    message([Part::int(1, 8), Part::bytes(7, joined(&graph)), Part::bytes(8, opset)])
}

#[cfg(test)]
mod tests {
    use lozenge_onnx::{Model, infer};

    use super::{chain, joined, parts};

    #[test]
    fn a_chain_is_a_model_and_is_the_same_when_joined_again() {
        let bytes = chain(5);
        let model = Model::read(&bytes).unwrap();
        assert_eq!(model.graph.nodes.len(), 5);
        let inferred = infer::infer(&model, &infer::Options::default());
        let last = inferred.tensor(inferred.find("x5").unwrap());
        assert_eq!(last.known.rank(), Some(2));
        assert_eq!(joined(&parts(&bytes).unwrap()), bytes);
    }
}
