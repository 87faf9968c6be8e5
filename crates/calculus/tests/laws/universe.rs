//! The small universe of the exhaustive laws: the claim-free unit and three atoms of two bases.

use lozenge_calculus::{
    dim::{Basis, Dim},
    row::{Flanks, Rigid, Row},
    size::Size,
    text::{Names, Parse},
};

pub(crate) fn parse<T: Parse>(text: &str) -> T {
    Names::new().parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub(crate) fn row(text: &str) -> Row {
    parse(text)
}

pub(crate) fn dim(text: &str) -> Dim {
    parse(text)
}

/// Two atoms that share a basis, two that share a size, and the unit.
pub(crate) fn dims() -> [Dim; 4] {
    let tagged = Dim::atom(Size::int(2).unwrap(), Basis::new(1));
    [Dim::Unit, dim("2"), dim("3"), tagged]
}

/// All sequences of exactly `n` dimensions.
pub(crate) fn sequences(n: usize) -> Vec<Vec<Dim>> {
    (0..n).fold(vec![vec![]], |shorter, _| {
        let longer = |s: &Vec<Dim>| dims().map(|d| [s.as_slice(), &[d]].concat());
        shorter.iter().flat_map(longer).collect()
    })
}

/// All marked rows up to this rank.
pub(crate) fn rows(max_rank: usize) -> Vec<Row> {
    let splits =
        |s: Vec<Dim>| (0..=s.len()).map(move |at| Flanks::new(s[..at].to_vec(), s[at..].to_vec()));
    (0..=max_rank).flat_map(sequences).flat_map(splits).collect()
}

/// All rigid rows up to this rank.
pub(crate) fn rigid_rows(max_rank: usize) -> Vec<Rigid> {
    (0..=max_rank).flat_map(sequences).map(Rigid::new).collect()
}

/// Asserts that `refines` is reflexive, antisymmetric and transitive on `items`.
pub(crate) fn assert_partial_order<T: PartialEq + std::fmt::Debug>(
    items: &[T],
    refines: impl Fn(&T, &T) -> bool,
) {
    for a in items {
        assert!(refines(a, a), "{a:?} does not refine itself");
        for b in items {
            if !refines(a, b) {
                continue;
            }
            assert!(a == b || !refines(b, a), "{a:?} and {b:?} refine each other");
            for c in items {
                assert!(!refines(b, c) || refines(a, c), "{a:?} ⊑ {b:?} ⊑ {c:?}, not transitively");
            }
        }
    }
}

/// Asserts that `top` is above all `items` and that nothing else is.
pub(crate) fn assert_only_top<T: PartialEq + std::fmt::Debug>(
    items: &[T],
    top: &T,
    refines: impl Fn(&T, &T) -> bool,
) {
    for candidate in items {
        let above_all = items.iter().all(|item| refines(item, candidate));
        assert_eq!(above_all, candidate == top, "{candidate:?}");
    }
}
