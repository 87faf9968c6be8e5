//! What is said of files that are no models, or damaged ones.

use lozenge_onnx::{Foreign, MAX_DEPTH, Mistake, Model};

use crate::encode::{Message, message};

fn check(file: &[u8], expected: &str) {
    let error = Model::read(file).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), expected);
    assert!(error.offset() <= file.len() as u64);
}

#[test]
fn what_is_not_a_model_is_named() {
    check(b"", "found an empty file, expected an ONNX model");
    check(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "found a git-lfs pointer, expected an ONNX model: fetch the file itself with `git lfs pull`",
    );
    check(b"\n<!DOCTYPE html>", "found a web page, expected an ONNX model: did the download fail?");
    check(b"ir_version: 8\n", "found a text, expected an ONNX model in its binary form");
    check(
        b"PK\x03\x04\x00\x00\x08\x08",
        "found a zip archive, expected an ONNX model: PyTorch's own files are such archives",
    );
    check(b"\x1f\x8b\x08", "found gzip data, expected an ONNX model: unpack it first");
    check(b"\x20\0\0\0ORTM", "found a model in ONNX Runtime's format, expected an ONNX model");
    check(b"\x20\0\0\0TFL3", "found a TensorFlow Lite model, expected an ONNX model");
    check(b"\x89PNG\r\n", "found a picture, expected an ONNX model");
    check(
        b"\x89HDF\r\n",
        "found an HDF5 file, expected an ONNX model: Keras's own files are such files",
    );
    check(
        b"\x40\x01\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\"}}",
        "found a safetensors file, expected an ONNX model: it has weights and no graph",
    );
    check(
        b"GGUF\x03\0\0\0",
        "found a GGUF file, expected an ONNX model: it has weights for llama.cpp, and no graph",
    );
    check(
        b"\x80\x02}q\0X\x01\0\0\0wq\x01",
        "found a pickle, expected an ONNX model: old versions of PyTorch save such files, and `torch.onnx.export` makes models of them",
    );
    // Of a text the beginning is looked at, whose last character may be cut.
    let text = format!("# Lozenge {}", "\u{25ca}".repeat(30));
    check(text.as_bytes(), "found a text, expected an ONNX model in its binary form");
    check(&message().int(1, 8).0, "found a message without a graph, expected an ONNX model");
    assert_eq!(Foreign::recognise(&message().file()), None);
}

#[test]
fn damage_is_said_with_its_place() {
    let in_node = |node: Message| message().nest(1, message()).nest(1, node).file();
    check(
        &in_node(message().nest(5, message().bytes(7, &[0; 6]))),
        "found a packed list of 6 bytes, expected a multiple of 4, at byte 17, in graph.node[1].attribute[0]",
    );
    check(
        &in_node(message().nest(5, message().bytes(8, &[0x80]))),
        "found a packed list of 1 bytes that ends inside a number, expected whole numbers, at byte 17, \
         in graph.node[1].attribute[0]",
    );
    check(
        &in_node(message().int(3, 1)),
        "found a number as field 3, expected a text, message or list, at byte 15, in graph.node[1]",
    );
    check(
        &in_node(Message(vec![0x1b])),
        "found a group as field 3, expected none in ONNX, at byte 15, in graph.node[1]",
    );
    check(
        &in_node(Message(vec![0x1e])),
        "found wire type 6 for field 3, expected 0, 1, 2 or 5, at byte 15, in graph.node[1]",
    );
    check(
        &in_node(Message(vec![0x02])),
        "found a field numbered 0, expected 1 or more, at byte 15, in graph.node[1]",
    );
    check(
        &in_node(Message(vec![0xff; 11])),
        "found a number that goes on after ten bytes, expected one of 64 bits, at byte 15, in graph.node[1]",
    );
    check(
        &in_node(message().nest(5, message().nest(5, message()).nest(5, message()))),
        "found a second piece of one tensor, expected it in one piece, at byte 19, in graph.node[1].attribute[0].t",
    );
    check(
        &message().nest(5, message().int(9, 1)).file(),
        "found a number as field 9, expected a text, message or list, at byte 13, in graph.initializer[0]",
    );
    let mut short = message().nest(1, message().text(4, "Relu")).file();
    short.truncate(14);
    check(&short, "found 3 more bytes, expected 8: the file is cut short or damaged, at byte 11");
}

#[test]
fn depth_is_bounded() {
    let nested = |levels: u32| {
        (1..levels)
            .fold(message(), |graph, _| message().nest(1, message().nest(6, graph).node()))
            .file()
    };
    let file = nested(MAX_DEPTH);
    assert_eq!(Model::read(&file).unwrap().graphs().count(), MAX_DEPTH as usize);
    let error = Model::read(&nested(MAX_DEPTH + 1)).map(|_| ()).unwrap_err();
    assert_eq!(error.mistake(), Mistake::TooDeep { most: MAX_DEPTH });
    assert_eq!(error.path().count(), 3 * MAX_DEPTH as usize + 1);

    let ty =
        |levels: u32| (0..levels).fold(message(), |ty, _| message().nest(4, message().nest(1, ty)));
    let file = |levels| message().nest(11, message().nest(2, ty(levels))).file();
    assert!(Model::read(&file(60)).is_ok());
    assert_eq!(
        Model::read(&file(100_000)).map(|_| ()).unwrap_err().mistake(),
        Mistake::TooDeep { most: MAX_DEPTH }
    );
}

#[test]
fn memory_is_bounded() {
    let empty = |number| (0..10_000).fold(message(), |graph, _| graph.bytes(number, &[])).file();
    for number in [1, 5, 15] {
        let file = empty(number);
        let error = Model::read(&file).map(|_| ()).unwrap_err();
        assert!(matches!(error.mistake(), Mistake::TooDense { .. }), "{number}: {error}");
    }
    // A name and a type are small enough to be taken even if they say nothing.
    assert_eq!(Model::read(&empty(13)).unwrap().graph.value_info.len(), 10_000);
    for number in [10, 11, 23] {
        let attribute = (0..10_000).fold(message(), |attribute, _| attribute.bytes(number, &[]));
        let file = message().nest(1, attribute.node()).file();
        let error = Model::read(&file).map(|_| ()).unwrap_err();
        assert!(matches!(error.mistake(), Mistake::TooDense { .. }), "{number}: {error}");
    }
}
