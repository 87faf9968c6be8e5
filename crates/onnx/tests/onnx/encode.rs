//! A tiny encoder: messages for tests, built field by field.

/// A message that is being built.
#[derive(Debug, Clone, Default)]
pub(crate) struct Message(pub(crate) Vec<u8>);

pub(crate) fn message() -> Message {
    Message::default()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = vec![];
    loop {
        let low = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        if value == 0 {
            out.push(low);
            return out;
        }
        out.push(low | 0x80);
    }
}

impl Message {
    fn key(mut self, number: u64, wire_type: u64) -> Self {
        self.0.extend(varint(number << 3 | wire_type));
        self
    }

    pub(crate) fn int(self, number: u64, value: i64) -> Self {
        let mut this = self.key(number, 0);
        this.0.extend(varint(u64::from_ne_bytes(value.to_ne_bytes())));
        this
    }

    pub(crate) fn bytes(self, number: u64, bytes: &[u8]) -> Self {
        let mut this = self.key(number, 2);
        this.0.extend(varint(bytes.len() as u64));
        this.0.extend(bytes);
        this
    }

    pub(crate) fn text(self, number: u64, text: &str) -> Self {
        self.bytes(number, text.as_bytes())
    }

    #[expect(clippy::needless_pass_by_value, reason = "messages are built where they are nested")]
    pub(crate) fn nest(self, number: u64, inner: Message) -> Self {
        self.bytes(number, &inner.0)
    }

    pub(crate) fn float(self, number: u64, value: f32) -> Self {
        let mut this = self.key(number, 5);
        this.0.extend(value.to_le_bytes());
        this
    }

    pub(crate) fn double(self, number: u64, value: f64) -> Self {
        let mut this = self.key(number, 1);
        this.0.extend(value.to_le_bytes());
        this
    }

    pub(crate) fn packed(self, number: u64, values: &[i64]) -> Self {
        let encoded: Vec<u8> = values
            .iter()
            .flat_map(|value| varint(u64::from_ne_bytes(value.to_ne_bytes())))
            .collect();
        self.bytes(number, &encoded)
    }

    /// The file of a model whose graph this is.
    pub(crate) fn file(self) -> Vec<u8> {
        let opset = message().text(1, "").int(2, 17);
        message().int(1, 8).text(2, "tests").nest(7, self).nest(8, opset).0
    }

    /// The message of a node whose only attribute this is.
    pub(crate) fn node(self) -> Message {
        message().text(4, "Op").nest(5, self)
    }
}

/// An input or output of the given element type and axes; a name is a parameter, a number a size.
pub(crate) fn value(name: &str, element: i64, axes: &[&str]) -> Message {
    message().text(1, name).nest(2, tensor(element, axes))
}

/// An input that is a sequence of tensors of the given element type and axes.
pub(crate) fn sequence_of(name: &str, element: i64, axes: &[&str]) -> Message {
    message().text(1, name).nest(2, message().nest(4, message().nest(1, tensor(element, axes))))
}

/// The type of a tensor.
fn tensor(element: i64, axes: &[&str]) -> Message {
    let shape = axes.iter().fold(message(), |shape, axis| {
        let dim = match axis.parse() {
            Ok(size) => message().int(1, size),
            Err(_) if axis.is_empty() => message(),
            Err(_) => message().text(2, axis),
        };
        shape.nest(1, dim)
    });
    message().nest(1, message().int(1, element).nest(2, shape))
}

/// The file of a small model that has something of everything.
pub(crate) fn small() -> Vec<u8> {
    let raw = message().int(1, 2).int(2, 7).text(8, "shape").bytes(9, &[0xff; 16]);
    let listed = message().packed(1, &[3]).int(2, 1).packed(4, &[]).bytes(4, &[0; 12]).text(8, "w");
    let entry = |key: &str, value: &str| message().text(1, key).text(2, value);
    let external = message()
        .int(1, 4)
        .int(2, 7)
        .text(8, "far")
        .nest(13, entry("location", "weights/a.bin"))
        .nest(13, entry("offset", "8"))
        .nest(13, entry("length", "32"))
        .int(14, 1);
    let sparse = message().nest(1, raw.clone()).nest(2, listed.clone()).packed(3, &[4, 5]);
    let branch = message()
        .nest(1, message().text(2, "inner").text(4, "Constant"))
        .nest(12, value("inner", 1, &["n"]))
        .nest(13, value("between", 7, &[]))
        .text(2, "branch");
    let node = message()
        .text(1, "x")
        .text(1, "")
        .text(2, "y")
        .text(3, "first")
        .text(4, "If")
        .text(7, "ai.onnx")
        .nest(5, message().text(1, "then_branch").nest(6, branch.clone()).int(20, 5))
        .nest(5, message().text(1, "many").nest(11, branch.clone()).nest(11, branch).int(20, 10))
        .nest(5, message().text(1, "axes").int(8, -1).int(8, 300).int(20, 7))
        .nest(5, message().text(1, "alpha").float(2, 0.5).int(20, 1))
        .nest(5, message().text(1, "t").nest(5, raw.clone()).int(20, 4))
        .nest(5, message().text(1, "scales").float(7, 1.0).bytes(7, &[0; 8]).int(20, 6));
    let graph = message()
        .nest(1, node)
        .text(2, "g")
        .nest(5, raw)
        .nest(5, listed)
        .nest(5, external)
        .nest(15, sparse)
        .nest(11, value("x", 1, &["batch", "-1", "", "floor(x/2) + 1"]))
        .nest(12, value("y", 1, &["batch"]))
        .nest(13, value("between", 9, &["3"]));
    let function = message()
        .text(1, "F")
        .text(10, "local")
        .text(4, "a")
        .text(5, "b")
        .nest(7, message().text(1, "a").text(2, "b").text(4, "Relu"))
        .nest(9, message().text(1, "").int(2, 17));
    let mut file = graph.file();
    file.extend(message().nest(25, function).nest(14, entry("key", "value")).0);
    file
}
