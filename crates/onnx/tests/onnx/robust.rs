//! Every way to cut a small model short, and to change one byte of it.

use lozenge_onnx::{
    Model,
    testing::{any_bytes, assemble},
};

use crate::encode::small;

#[test]
fn cut_short_anywhere() {
    let file = small();
    for end in 0..file.len() {
        any_bytes(&file[..end]);
    }
    any_bytes(&file);
}

#[test]
fn any_byte_changed() {
    let file = small();
    for at in 0..file.len() {
        let mut changed = file.clone();
        let flipped = (0..8).map(|bit| file[at] ^ 1 << bit);
        // Other lengths, other fields, and numbers that go on.
        let others =
            [0, 1, 2, 0x7f, 0x80, 0xff, file[at].wrapping_add(1), file[at].wrapping_sub(1)];
        for byte in flipped.chain(others) {
            changed[at] = byte;
            any_bytes(&changed);
        }
    }
}

#[test]
fn any_byte_left_out_or_doubled() {
    let file = small();
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed.remove(at);
        any_bytes(&changed);
        changed.insert(at, file[at]);
        assert_eq!(changed, file);
        changed.insert(at, file[at]);
        any_bytes(&changed);
    }
}

/// What the fuzzer's recipes say: a graph (field 7) with a node (1) with the text `Relu` as
/// field 4.
#[test]
fn recipes_become_models() {
    let recipe = [&[7 << 3, 0, 1 << 3, 0, 4 << 3 | 4, 4][..], b"Relu"].concat();
    let file = assemble(&recipe);
    assert_eq!(Model::read(&file).unwrap().graph.nodes[0].op, "Relu");
    // Numbers from a generator of our own: the next is the last, multiplied.
    let mut state = 7u64;
    for _ in 0..20_000 {
        let mut recipe = recipe.clone();
        for _ in 0..64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            recipe.push(state.to_be_bytes()[0]);
        }
        any_bytes(&assemble(&recipe));
    }
}

/// A list of a million numbers costs its bytes, whichever way it is written.
#[test]
fn long_lists_stay_in_the_file() {
    use crate::encode::message;
    let numbers = 1_000_000;
    let mut unpacked = message().text(1, "a").int(20, 7);
    for _ in 0..numbers {
        unpacked = unpacked.int(8, 5);
    }
    let packed = message().text(1, "a").bytes(8, &vec![5; numbers]).int(20, 7);
    for attribute in [unpacked, packed] {
        let file = message().nest(1, attribute.node()).file();
        let model = Model::read(&file).unwrap();
        let ints = model.graph.nodes[0].attribute("a").unwrap().ints().unwrap();
        assert_eq!(ints.clone().count(), numbers);
        assert!(ints.clone().all(|value| value == 5));
    }
}
