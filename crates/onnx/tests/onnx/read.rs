//! What is read of files that are well formed, however strange.

use lozenge_onnx::{AttributeValue, Data, Dim, Element, Model, Text, Type};

use crate::encode::{message, small, value};

#[test]
fn everything_of_a_small_model_is_read() {
    let file = small();
    let model = Model::read(&file).unwrap();
    assert_eq!(
        (model.ir_version, model.opset(""), model.opset("ai.onnx")),
        (8, Some(17), Some(17))
    );
    assert_eq!(model.opset("com.microsoft"), None);
    assert_eq!(model.producer, "tests");
    assert_eq!(model.metadata, [("key".into(), "value".into())]);
    assert_eq!(model.functions[0].nodes[0].op, "Relu");
    assert_eq!((model.functions[0].name, model.functions[0].domain), ("F".into(), "local".into()));
    assert_eq!(model.functions[0].opset(""), Some(17));
    assert_eq!(model.count_nodes(), 5); // If, three branches of one node, Relu
    let names: Vec<_> = model.graphs().map(|graph| graph.name.to_string()).collect();
    assert_eq!(names, ["g", "branch", "branch", "branch"]);

    let node = &model.graph.nodes[0];
    assert_eq!((node.op, node.name, node.domain), ("If".into(), "first".into(), "ai.onnx".into()));
    assert_eq!(node.inputs, ["x", ""]);
    let attribute = |name| node.attribute(name).unwrap();
    assert_eq!(attribute("axes").ints().unwrap().collect::<Vec<_>>(), [-1, 300]);
    assert_eq!(attribute("alpha").float(), Some(0.5));
    assert_eq!(attribute("scales").floats().unwrap().collect::<Vec<_>>(), [1.0, 0.0, 0.0]);
    assert_eq!(attribute("then_branch").graph().unwrap().nodes[0].outputs, ["inner"]);
    assert_eq!(attribute("t").tensor().unwrap().ints(2), Ok(vec![-1, -1]));
    assert!(attribute("axes").tensor().is_none() && node.attribute("none").is_none());

    let [raw, listed, far] = &model.graph.initializers[..] else { panic!("three initializers") };
    assert_eq!((raw.element, raw.dims().collect::<Vec<_>>()), (Element::Int64, vec![2]));
    assert_eq!(listed.floats(3), Ok(vec![0.0; 3]));
    assert!(matches!(far.data, Data::External(_)));
    let sparse = &model.graph.sparse_initializers[0];
    assert_eq!(
        (sparse.values.name, sparse.dims().collect::<Vec<_>>()),
        ("shape".into(), vec![4, 5])
    );
}

#[test]
fn sizes_are_what_the_file_says() {
    let file = small();
    let model = Model::read(&file).unwrap();
    let shape =
        |ty: &Type<'_>| ty.as_tensor().unwrap().shape.clone().unwrap().iter().map(said).collect();
    let input: Vec<String> = shape(&model.graph.inputs[0].ty);
    assert_eq!(input, ["batch", "-1", "?", "floor(x/2) + 1"]);
    let unranked = message().text(1, "x").nest(2, message().nest(1, message().int(1, 1)));
    let file = message().nest(11, unranked).nest(11, message().text(1, "y")).file();
    let model = Model::read(&file).unwrap();
    assert_eq!(model.graph.inputs[0].ty.as_tensor().unwrap().shape, None);
    assert_eq!(model.graph.inputs[1].ty, Type::Unknown);
}

fn said(dim: &Dim<'_>) -> String {
    match dim {
        Dim::Unknown => "?".into(),
        Dim::Value(value) => value.to_string(),
        Dim::Param(name) => name.to_string(),
    }
}

#[test]
fn texts_need_not_be_utf8() {
    let node = message().bytes(3, b"caf\xe9").text(4, "Op");
    let file = message().nest(1, node).file();
    let model = Model::read(&file).unwrap();
    assert_eq!(model.graph.nodes[0].name, Text(b"caf\xe9"));
    assert_eq!(format!("{:?}", model.graph.nodes[0].name), "\"caf\u{fffd}\"");
}

#[test]
fn pieces_of_a_message_are_merged() {
    let piece = |name: &str| message().nest(1, message().text(4, name));
    let file =
        message().nest(7, piece("A").text(2, "old")).int(1, 8).nest(7, piece("B").text(2, "new"));
    let model = Model::read(&file.0).unwrap();
    let ops: Vec<_> = model.graph.nodes.iter().map(|node| node.op.to_string()).collect();
    assert_eq!((model.graph.name, ops), ("new".into(), vec!["A".to_owned(), "B".to_owned()]));

    let in_attribute = message().text(1, "body").nest(6, piece("A")).nest(6, piece("B"));
    let file = message().nest(1, in_attribute.node()).file();
    let model = Model::read(&file).unwrap();
    assert_eq!(model.graph.nodes[0].attribute("body").unwrap().graph().unwrap().nodes.len(), 2);

    // The type in two pieces: the element type in one, half of the shape in each.
    let dims = |size| message().nest(2, message().nest(1, message().int(1, size)));
    let first = message().nest(1, dims(2).int(1, 7));
    let info = message().text(1, "x").nest(2, first).nest(2, message().nest(1, dims(3)));
    let file = message().nest(11, info).file();
    let model = Model::read(&file).unwrap();
    let tensor = model.graph.inputs[0].ty.as_tensor().unwrap().clone();
    assert_eq!(tensor.element, Element::Int64);
    assert_eq!(tensor.shape, Some(vec![Dim::Value(2), Dim::Value(3)]));
}

#[test]
fn of_alternatives_the_last_stands() {
    let ty = message()
        .nest(1, message().int(1, 1))
        .nest(4, message().nest(1, message().nest(1, message().int(1, 7))));
    let file = message().nest(11, message().nest(2, ty)).file();
    let model = Model::read(&file).unwrap();
    let Type::Sequence(inner) = &model.graph.inputs[0].ty else { panic!("a sequence") };
    assert_eq!(inner.as_tensor().unwrap().element, Element::Int64);
    let map = message()
        .int(1, 8)
        .nest(2, message().nest(9, message().nest(1, message().nest(8, message()))));
    let file = message().nest(11, message().nest(2, message().nest(5, map))).file();
    let model = Model::read(&file).unwrap();
    let Type::Map { key: Element::String, value } = &model.graph.inputs[0].ty else { panic!() };
    assert!(matches!(&**value, Type::Optional(inner) if matches!(**inner, Type::SparseTensor(_))));
}

#[test]
fn lists_are_packed_or_not_or_both() {
    let attribute = message()
        .text(1, "a")
        .int(8, 1)
        .packed(8, &[2, 1 << 40])
        .packed(8, &[])
        .int(3, 9)
        .int(8, -4)
        .int(20, 7);
    let file = message().nest(1, attribute.node()).file();
    let model = Model::read(&file).unwrap();
    let ints = model.graph.nodes[0].attribute("a").unwrap().ints().unwrap();
    assert_eq!(ints.collect::<Vec<_>>(), [1, 2, 1 << 40, -4]);
    let strings = message().text(1, "a").bytes(9, b"x").bytes(9, b"\xff").int(20, 8);
    let file = message().nest(1, strings.node()).file();
    let model = Model::read(&file).unwrap();
    let strings = model.graph.nodes[0].attribute("a").unwrap().strings().unwrap();
    assert_eq!(strings.collect::<Vec<_>>(), [Text(b"x"), Text(b"\xff")]);
}

#[test]
fn an_attribute_is_what_its_type_says() {
    let read = |attribute| {
        let file = message().nest(1, crate::encode::Message::node(attribute)).file();
        let model = Model::read(&file).unwrap();
        format!("{:?}", model.graph.nodes[0].attribute("a").unwrap())
            .split('(')
            .next()
            .unwrap()
            .to_owned()
    };
    let attribute = || message().text(1, "a");
    assert_eq!(read(attribute().int(3, 4).text(4, "s").int(20, 3)), "String");
    assert_eq!(read(attribute().int(20, 2)), "Int"); // 0, which needs no bytes
    assert_eq!(read(attribute().int(3, 4)), "Int"); // no type, as in version 1
    assert_eq!(read(attribute().int(8, 4)), "Ints");
    assert_eq!(read(attribute().int(20, 99).int(3, 4)), "None");
    assert_eq!(read(attribute().int(20, 4)), "None");
    assert_eq!(read(attribute().text(21, "outer").int(20, 2)), "Reference");
    assert_eq!(read(attribute().nest(14, message()).int(20, 13)), "Type");
    assert_eq!(read(attribute().nest(15, message()).nest(15, message()).int(20, 14)), "Types");
    assert_eq!(read(attribute().nest(10, message()).int(20, 9)), "Tensors");
    assert_eq!(read(attribute().nest(22, message()).int(20, 11)), "SparseTensor");
    assert_eq!(read(attribute().nest(23, message()).int(20, 12)), "SparseTensors");
    assert!(matches!(AttributeValue::default(), AttributeValue::None));
}

#[test]
fn unknown_fields_are_passed_over() {
    let graph =
        message().int(900, 1).double(901, 1.0).float(902, 1.0).bytes(903, b"?").text(2, "g");
    let file = graph.nest(11, value("x", 1, &[])).file();
    assert_eq!(Model::read(&file).unwrap().graph.inputs.len(), 1);
}

/// A fuzzer found that the node of the default was not counted.
#[test]
fn graphs_of_defaults_are_counted() {
    let body = message().nest(1, message().text(4, "Relu"));
    let default = message().text(1, "body").nest(6, body);
    let mut file = message().file();
    file.extend(message().nest(25, message().nest(11, default)).0);
    assert_eq!(Model::read(&file).unwrap().count_nodes(), 1);
    lozenge_onnx::testing::any_bytes(&file);
}
