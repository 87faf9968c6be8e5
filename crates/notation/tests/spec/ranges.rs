//! Ranges in shapes: `batch: 1..64`.

use lozenge_diagnostic::Code;
use lozenge_notation::{DimForm, Kind, Range, Shape, parse_shape};

fn ranges(text: &str) -> Vec<Option<(u64, Option<u64>, bool)>> {
    let shape: Shape = text.parse().unwrap();
    let (before, after) = shape.dims(shape.row(Kind::Output));
    let written = |range: Range| (range.low, range.high, range.any);
    before.iter().chain(after).map(|dim| dim.range.map(written)).collect()
}

#[test]
fn a_name_may_have_a_range() {
    let batch = Some((1, Some(64), false));
    for text in ["batch:1..64,784", "batch: 1..64, 784", "batch:  1..64 784", "batch :1..64,784"] {
        assert_eq!(ranges(text), [batch, None], "{text}");
    }
    assert_eq!(
        ranges("past: 0..,...,c:rgb:3..9"),
        [Some((0, None, false)), Some((3, Some(9), false))]
    );
    assert_eq!(
        ranges("any n, any m: 2..4, k"),
        [Some((1, None, true)), Some((2, Some(4), true)), None]
    );
    // A name like others.
    assert_eq!(ranges("any, n"), [None, None]);
}

#[test]
fn a_shape_with_ranges_is_printed_as_it_is_read() {
    for text in ["batch:1..64,784", "any batch|seq:8..->c:rgb:3..9,1_", "any n,past:0..4096"] {
        let shape: Shape = text.parse().unwrap();
        assert_eq!(shape.to_string(), text);
    }
}

#[test]
fn what_is_no_range_is_refused() {
    let code = |text: &str| parse_shape(text).diagnostics.first().map(|said| said.code);
    assert_eq!(code("n:5..3"), Some(Code::RangeEmpty));
    assert_eq!(code("n:5"), Some(Code::MissingBasis));
    assert_eq!(code("3:1..5"), Some(Code::StrayBasis));
    assert_eq!(code("_:1..5"), Some(Code::StrayBasis));
    assert_eq!(code(":1..5"), Some(Code::SpecForShape));
    for large in
        ["n:99999999999999999999..", "n:1..99999999999999999999", "n: 1..9223372036854775808"]
    {
        assert_eq!(code(large), Some(Code::NumberTooLarge), "{large}");
    }
    assert!(code("n:1...5").is_some());
    assert!(code("n:1..5x").is_some());
    let shape = parse_shape("n:1..5").ok().unwrap();
    let (_, dims) = shape.dims(shape.row(Kind::Output));
    assert!(matches!(dims[0].form, DimForm::Known(..)));
    assert_eq!(dims[0].span.of(shape.text()), "n");
}
