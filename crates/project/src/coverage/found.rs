//! What is found about the cells of an occurrence, all of them or those of a group of axes.

/// How the points of a product space are spread over the cells of an occurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Whether no cell is written twice.
    pub injective: Option<bool>,
    /// Whether every cell is written.
    pub onto: Option<bool>,
    /// How many cells are written.
    pub cells: Option<u128>,
    /// The number of points at which this occurrence takes part and something happens.
    pub points: Option<u128>,
}

impl Coverage {
    /// Whether every cell is written exactly once.
    pub fn bijective(self) -> Option<bool> {
        both(self.injective, self.onto)
    }

    /// The coverage of an occurrence that no point reaches.
    pub(super) const NONE: Coverage =
        Coverage { injective: Some(true), onto: Some(false), cells: Some(0), points: Some(0) };

    /// The coverage of a single cell by a single point.
    pub(super) const ONE: Coverage =
        Coverage { injective: Some(true), onto: Some(true), cells: Some(1), points: Some(1) };

    /// The coverage of pairs of cells by pairs of points.
    pub(super) fn times(self, other: Coverage) -> Coverage {
        if self.points == Some(0) || other.points == Some(0) {
            return Coverage::NONE;
        }
        let product = |one: Option<u128>, two: Option<u128>| one?.checked_mul(two?);
        Coverage {
            injective: both(self.injective, other.injective),
            onto: both(self.onto, other.onto),
            cells: product(self.cells, other.cells),
            points: product(self.points, other.points),
        }
    }

    pub(super) fn is_known(self) -> bool {
        self.injective.is_some()
            && self.onto.is_some()
            && self.cells.is_some()
            && self.points.is_some()
    }
}

/// Whether both statements hold; `None` where that is not known.
pub(super) fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(true), Some(true)) => Some(true),
        (Some(false), _) | (_, Some(false)) => Some(false),
        (None, _) | (_, None) => None,
    }
}
