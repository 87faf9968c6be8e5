//! Elements of tensors, in each way that a file can hold them.

use lozenge_onnx::{Element, Model, Tensor, ValuesError};

use crate::encode::{Message, message};

/// What `look` finds of a tensor that a message is.
fn with<T>(tensor: Message, look: impl FnOnce(&Tensor<'_>) -> T) -> T {
    let file = message().nest(5, tensor).file();
    look(&Model::read(&file).unwrap().graph.initializers[0])
}

fn of(element: Element, dims: &[i64]) -> Message {
    let dims = dims.iter().fold(message(), |tensor, dim| tensor.int(1, *dim));
    dims.int(2, element.number().into())
}

fn ints(tensor: Message) -> Result<Vec<i64>, ValuesError> {
    with(tensor, |tensor| tensor.ints(64))
}

fn floats(tensor: Message) -> Result<Vec<f64>, ValuesError> {
    with(tensor, |tensor| tensor.floats(64))
}

#[test]
fn whole_numbers_as_bytes() {
    let check = |element, bytes: &[u8], expected: &[i64]| {
        let found = ints(of(element, &[expected.len().try_into().unwrap()]).bytes(9, bytes));
        assert_eq!(found.as_deref(), Ok(expected), "{element}");
    };
    check(
        Element::Int64,
        &[255, 255, 255, 255, 255, 255, 255, 255, 3, 0, 0, 0, 0, 0, 0, 0],
        &[-1, 3],
    );
    check(Element::Uint64, &[255; 8], &[-1]); // past 63 bits, and no size
    check(Element::Int32, &[254, 255, 255, 255, 0, 1, 0, 0], &[-2, 256]);
    check(Element::Uint32, &[254, 255, 255, 255], &[0xffff_fffe]);
    check(Element::Int16, &[255, 255, 1, 1], &[-1, 257]);
    check(Element::Uint16, &[255, 255], &[65535]);
    check(Element::Int8, &[255, 7], &[-1, 7]);
    check(Element::Uint8, &[255], &[255]);
    check(Element::Bool, &[0, 1, 2], &[0, 1, 1]);
    check(Element::Int4, &[0xf1, 0x08], &[1, -1, -8]);
    check(Element::Uint4, &[0xf1, 0x08], &[1, 15, 8, 0]);
    check(Element::Int2, &[0b11_10_01_00], &[0, 1, -2, -1]);
    check(Element::Uint2, &[0b11_10_01_00, 3], &[0, 1, 2, 3, 3]);
}

#[test]
fn whole_numbers_as_a_list() {
    assert_eq!(ints(of(Element::Int64, &[3]).packed(7, &[-1, 2]).int(7, 3)), Ok(vec![-1, 2, 3]));
    assert_eq!(ints(of(Element::Int32, &[2]).packed(5, &[-1, 2])), Ok(vec![-1, 2]));
    assert_eq!(ints(of(Element::Bool, &[2]).packed(5, &[0, 1])), Ok(vec![0, 1]));
    assert_eq!(ints(of(Element::Int4, &[3]).packed(5, &[0xf1, 0x08])), Ok(vec![1, -1, -8]));
    assert_eq!(ints(of(Element::Uint32, &[1]).packed(11, &[7])), Ok(vec![7]));
    assert_eq!(ints(of(Element::Int64, &[]).packed(7, &[9])), Ok(vec![9])); // a scalar
    assert_eq!(ints(of(Element::Int64, &[0])), Ok(vec![])); // none are there, and none are missing
    // What is listed in the field of another type does not count.
    assert_eq!(ints(of(Element::Int64, &[1]).packed(5, &[9])), Err(ValuesError::Missing));
}

#[test]
fn floating_point_numbers() {
    let raw: Vec<u8> = [0.5f32, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(floats(of(Element::Float, &[2]).bytes(9, &raw)), Ok(vec![0.5, -2.0]));
    assert_eq!(floats(of(Element::Float, &[2]).bytes(4, &raw)), Ok(vec![0.5, -2.0]));
    assert_eq!(floats(of(Element::Float, &[1]).float(4, 1.5)), Ok(vec![1.5]));
    assert_eq!(floats(of(Element::Double, &[1]).double(10, 1.5)), Ok(vec![1.5]));
    assert_eq!(floats(of(Element::Double, &[1]).bytes(9, &1.5f64.to_le_bytes())), Ok(vec![1.5]));
    let halves = [0x3c00u16, 0xc000, 0x7c00, 0x0001, 0x0400, 0x3555].map(u16::to_le_bytes).concat();
    let expected = vec![1.0, -2.0, f64::INFINITY, 2f64.powi(-24), 2f64.powi(-14), 1365.0 / 4096.0];
    assert_eq!(floats(of(Element::Float16, &[6]).bytes(9, &halves)), Ok(expected));
    assert_eq!(floats(of(Element::Float16, &[1]).packed(5, &[0x3c00])), Ok(vec![1.0]));
    assert_eq!(floats(of(Element::Bfloat16, &[1]).bytes(9, &[0x80, 0x3f])), Ok(vec![1.0]));
    assert!(floats(of(Element::Float16, &[1]).packed(5, &[0x7e00])).unwrap()[0].is_nan());
}

#[test]
fn texts() {
    let tensor = of(Element::String, &[2]).bytes(6, b"a").bytes(6, b"\xff");
    let texts =
        with(tensor, |tensor| tensor.strings().map(|text| text.0.to_vec()).collect::<Vec<_>>());
    assert_eq!(texts, [b"a".to_vec(), b"\xff".to_vec()]);
}

#[test]
fn elements_that_do_not_fit_the_sizes_are_refused() {
    let int64 = |dims| of(Element::Int64, dims);
    assert_eq!(ints(int64(&[65])), Err(ValuesError::TooMany { count: 65, most: 64 }));
    assert_eq!(ints(int64(&[-1])), Err(ValuesError::Uncountable));
    assert_eq!(ints(int64(&[-1, 0])), Err(ValuesError::Uncountable));
    assert_eq!(ints(int64(&[i64::MAX, i64::MAX])), Err(ValuesError::Uncountable));
    assert_eq!(ints(int64(&[i64::MAX, i64::MAX, 0])), Ok(vec![]));
    assert_eq!(
        ints(int64(&[2]).bytes(9, &[0; 8])),
        Err(ValuesError::Length { found: 8, expected: 16 })
    );
    assert_eq!(
        ints(int64(&[2]).packed(7, &[1])),
        Err(ValuesError::Count { found: 1, expected: 2 })
    );
    assert_eq!(
        ints(int64(&[2]).packed(7, &[1; 9])),
        Err(ValuesError::Count { found: 3, expected: 2 })
    );
    assert_eq!(ints(int64(&[2])), Err(ValuesError::Missing));
    assert_eq!(ints(int64(&[2]).int(14, 1)), Err(ValuesError::External));
    assert_eq!(ints(of(Element::Float, &[1])), Err(ValuesError::Element(Element::Float)));
    assert_eq!(floats(int64(&[1])), Err(ValuesError::Element(Element::Int64)));
    assert_eq!(ints(of(Element::Other(99), &[1])), Err(ValuesError::Element(Element::Other(99))));
    assert_eq!(
        ValuesError::TooMany { count: 65, most: 64 }.to_string(),
        "found 65 elements, expected 64 at most"
    );
}

#[test]
fn types_have_numbers_and_sizes() {
    for number in 0..=26 {
        let element = Element::of_number(number);
        assert_eq!(element.number(), number);
        assert!(!matches!(element, Element::Other(_)), "{number}");
    }
    assert_eq!(Element::of_number(27), Element::Other(27));
    assert_eq!(Element::Other(-1).number(), -1);
    assert_eq!(Element::Float4E2M1.bytes(5), Some(3));
    assert_eq!(Element::Complex128.bytes(u64::MAX), None);
}
