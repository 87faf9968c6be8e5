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

/// Numbers are below 2^63, wherever they stand; one that is not is told, and not taken for another.
#[test]
fn numbers_that_are_no_sizes_are_refused() {
    let large = ["9223372036854775808", "18446744073709551616", "99999999999999999999999999"];
    for number in large {
        for text in ["#", "n:#..", "n:2..#", "2*#", "#_rgb", "(n+#)/2"] {
            let text = text.replace('#', number);
            let said = parse_shape(&text).diagnostics;
            assert_eq!(said.first().map(|said| said.code), Some(Code::NumberTooLarge), "{text}");
        }
        for text in ["#^a => a", "a, # => a", "(h #) => h", "#*o<+k; k => o", "a<#+k; k => a"] {
            let text = text.replace('#', number);
            let said = lozenge_notation::parse(&text).diagnostics;
            let is_told = said.iter().any(|said| said.code == Code::NumberTooLarge);
            assert!(is_told, "{text}: {said:?}");
        }
    }
    // The largest that is one.
    let shape: Shape = "9223372036854775807".parse().unwrap();
    let row = shape.dims(shape.row(Kind::Output)).1;
    let size = lozenge_notation::Size::Number(i64::MAX.unsigned_abs());
    assert!(matches!(row[0].form, DimForm::Known(found, None) if found == size));
}
