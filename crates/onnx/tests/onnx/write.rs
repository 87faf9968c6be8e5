//! Models that are written back.

use std::io::Cursor;

use lozenge_onnx::{
    Annotations, Dim, Element, Model, TensorType, Type, ValueInfo, annotate, rewrite,
};

use crate::encode::{message, small, value};

fn info(name: &'static str, element: Element, shape: &[Dim<'static>]) -> ValueInfo<'static> {
    let ty = Type::Tensor(TensorType { element, shape: Some(shape.to_vec()) });
    ValueInfo { name: name.into(), ty }
}

fn only(value_info: Vec<ValueInfo<'static>>) -> Annotations<'static> {
    Annotations { value_info: Some(value_info), outputs: vec![] }
}

#[test]
fn without_annotations_the_file_is_the_same() {
    let file = small();
    assert_eq!(annotate(&file, &[]).unwrap(), file);
    assert_eq!(annotate(&file, &[Annotations::default(), Annotations::default()]).unwrap(), file);
    assert!(rewrite(Cursor::new(&file), &[]).unwrap().is_unchanged());
}

#[test]
fn value_info_takes_the_place_of_what_was_there() {
    let before = message()
        .nest(13, value("a", 1, &["2"]))
        .text(2, "g")
        .nest(11, value("x", 1, &[]))
        .nest(13, value("b", 1, &[]));
    let new = info("c", Element::Int64, &[Dim::Value(3), Dim::Param("n".into()), Dim::Unknown]);
    let expected = message()
        .text(2, "g")
        .nest(11, value("x", 1, &[]))
        .nest(13, value("c", 7, &["3", "n", ""]));
    assert_eq!(annotate(&before.clone().file(), &[only(vec![new])]).unwrap(), expected.file());
    let stripped = message().text(2, "g").nest(11, value("x", 1, &[]));
    assert_eq!(annotate(&before.file(), &[only(vec![])]).unwrap(), stripped.file());
}

#[test]
fn types_of_outputs_change_and_what_is_beside_them_stays() {
    let output = |ty: crate::encode::Message| ty.text(3, "a comment").int(999, 7);
    let file = message()
        .nest(12, output(value("y", 1, &["n"])))
        .nest(12, value("z", 1, &[]))
        .nest(12, message().text(1, "bare"));
    let outputs =
        vec![info("y", Element::Double, &[Dim::Value(4)]), info("bare", Element::Float, &[])];
    let graph = Annotations { value_info: None, outputs };
    let expected = message()
        .nest(12, output(value("y", 11, &["4"])))
        .nest(12, value("z", 1, &[]))
        .nest(12, value("bare", 1, &[]));
    assert_eq!(annotate(&file.file(), &[graph]).unwrap(), expected.file());
}

#[test]
fn an_output_that_says_so_already_keeps_its_bytes() {
    let file = message().nest(12, value("y", 1, &["n"])).file();
    let outputs = vec![info("y", Element::Float, &[Dim::Param("n".into())])];
    assert_eq!(annotate(&file, &[Annotations { value_info: None, outputs }]).unwrap(), file);
}

#[test]
fn graphs_inside_are_counted_as_the_reader_counts_them() {
    let file = small();
    let count = Model::read(&file).unwrap().graphs().count();
    let names = ["p", "q", "r", "s"];
    assert_eq!(count, names.len());
    for skip in 0..count {
        let mut graphs: Vec<_> =
            names.iter().map(|name| only(vec![info(name, Element::Bool, &[])])).collect();
        graphs[skip] = Annotations::default();
        let written = annotate(&file, &graphs).unwrap();
        let model = Model::read(&written).unwrap();
        for (i, graph) in model.graphs().enumerate() {
            let found: Vec<_> = graph.value_info.iter().map(|info| info.name.to_string()).collect();
            assert_eq!(found, [if i == skip { "between" } else { names[i] }]);
        }
    }
}

#[test]
fn a_graph_in_pieces_gets_its_value_info_once() {
    let piece = |op: &str| message().nest(1, message().text(4, op)).nest(13, value("old", 1, &[]));
    let file = message().nest(7, piece("A")).int(1, 8).nest(7, piece("B")).0;
    let written = annotate(&file, &[only(vec![info("new", Element::Float, &[])])]).unwrap();
    let piece = |op: &str| message().nest(1, message().text(4, op));
    let expected = message()
        .nest(7, piece("A"))
        .int(1, 8)
        .nest(7, piece("B").nest(13, value("new", 1, &[])))
        .0;
    assert_eq!(written, expected);
}

#[test]
fn every_type_is_read_as_it_was_written() {
    let tensor = TensorType { element: Element::Float8E4M3Fn, shape: None };
    let sparse = TensorType { element: Element::Other(77), shape: Some(vec![Dim::Value(-1)]) };
    let map = Type::Map { key: Element::String, value: Box::new(Type::Tensor(tensor)) };
    let all = [
        Type::Unknown,
        Type::Opaque,
        Type::SparseTensor(sparse),
        Type::Sequence(Box::new(Type::Optional(Box::new(map)))),
        Type::Optional(Box::default()),
    ];
    let infos: Vec<_> = all.into_iter().map(|ty| ValueInfo { name: "v".into(), ty }).collect();
    let written = annotate(&message().file(), &[only(infos.clone())]).unwrap();
    assert_eq!(Model::read(&written).unwrap().graph.value_info, infos);
}

#[test]
fn writing_from_a_source_gives_the_same_bytes() {
    let file = small();
    let graphs = [only(vec![info("p", Element::Bool, &[])])];
    let rewritten = rewrite(Cursor::new(&file), &graphs).unwrap();
    let mut written = vec![];
    rewritten.write(Cursor::new(&file), &mut written).unwrap();
    assert_eq!(written, annotate(&file, &graphs).unwrap());
    assert_eq!(rewritten.length(), written.len() as u64);
    assert!(!rewritten.is_unchanged());
    let cut = &file[..file.len() - 1];
    assert!(rewritten.write(Cursor::new(cut), &mut vec![]).is_err());
}

#[test]
fn what_is_not_a_model_is_not_written() {
    let error = annotate(b"version https://git-lfs.github.com/spec/v1\n", &[]).unwrap_err();
    assert!(error.to_string().starts_with("found a git-lfs pointer"), "{error}");
    assert!(annotate(&message().int(1, 8).0, &[]).is_err());
}
