//! Axes that share loops, and how their cells are covered.

use alloc::{vec, vec::Vec};
use core::cell::Cell;

use lozenge_calculus::size::Size;

use super::{
    super::index::LoopId,
    found::{Coverage, both},
    linear::Linear,
};

/// An axis, or the condition that its index is on it.
pub(super) struct Axis<'a> {
    pub(super) index: &'a Linear,
    pub(super) size: Size,
    pub(super) is_to_end: bool,
}

impl<'a> Axis<'a> {
    pub(super) fn new(index: &'a Linear, size: Size) -> Axis<'a> {
        Axis { index, size, is_to_end: false }
    }
}

/// Loops that are connected by axes and conditions.
pub(super) struct Group<'a> {
    pub(super) loops: Vec<(LoopId, Option<u64>)>,
    pub(super) axes: Vec<Axis<'a>>,
    pub(super) conditions: Vec<Axis<'a>>,
    /// By loop.
    pub(super) extents: &'a [Size],
}

/// The set of values that an index takes.
enum Values {
    /// This many values, one after another.
    Interval(u128),
    /// One after another, as many as an open loop makes them.
    Open,
    WithHoles,
    Unknown,
}

impl Group<'_> {
    /// The coverage of a group, by a closed form or else by counting.
    pub(super) fn coverage(&self, left: &Cell<u64>) -> Coverage {
        if self.points() == Some(0) {
            return Coverage::NONE;
        }
        let found = match &self.conditions[..] {
            [] => self.closed_form(),
            [condition] => self.window(condition, left).unwrap_or_else(|| self.determined()),
            [_, _, ..] => self.determined(),
        };
        if found.is_known() { found } else { self.counted(left).unwrap_or(found) }
    }

    /// The coverage that conditions cannot change: indices that determine all loops write nothing
    /// twice.
    fn determined(&self) -> Coverage {
        let injective = self.is_determined(&self.axes).then_some(true);
        Coverage { injective, ..Coverage::default() }
    }

    /// How many points there are, conditions aside.
    fn points(&self) -> Option<u128> {
        let extents = self.loops.iter().map(|(_, extent)| extent.map(u128::from));
        extents.into_iter().try_fold(1_u128, |product, extent| product.checked_mul(extent?))
    }

    /// Without conditions.
    fn closed_form(&self) -> Coverage {
        let points = self.points();
        match &self.axes[..] {
            // Nothing of what is written depends on these loops: they reduce.
            [] => {
                let many =
                    self.loops.iter().any(|(_, extent)| extent.is_some_and(|extent| extent > 1));
                let injective = if many { Some(false) } else { points.map(|points| points <= 1) };
                Coverage { injective, onto: Some(true), cells: Some(1), points }
            }
            [axis] => self.one_axis(axis, points),
            axes => {
                let is_determined = self.is_determined(axes);
                let sizes = axes.iter().map(|axis| axis.size.count());
                let all =
                    sizes.into_iter().try_fold(1_u128, |product, n| product.checked_mul(n?.into()));
                let (injective, onto) = match (points, all) {
                    (Some(points), Some(all)) if is_determined => (Some(true), Some(points == all)),
                    (Some(points), Some(all)) if points < all => (None, Some(false)),
                    (Some(points), Some(all)) if points > all => (Some(false), None),
                    (_, _) => (is_determined.then_some(true), None),
                };
                Coverage { injective, onto, cells: points.filter(|_| is_determined), points }
            }
        }
    }

    fn one_axis(&self, axis: &Axis<'_>, points: Option<u128>) -> Coverage {
        if let [(_, id)] = axis.index.terms[..] {
            // As many cells as the loop has values.
            let onto = if self.extents[id.0 as usize] == axis.size {
                Some(true)
            } else {
                points.zip(axis.size.count()).map(|(points, size)| points == u128::from(size))
            };
            return Coverage { injective: Some(true), onto, cells: points, points };
        }
        let injective = self.injective(&axis.index.terms);
        let size = axis.size.count().map(u128::from);
        let is_to_end = axis.is_to_end && axis.index.offset == 0;
        let (onto, cells) = match self.values(axis.index) {
            Values::Open if is_to_end => (Some(true), points),
            _ if injective == Some(true) => (points.zip(size).map(|(a, b)| a == b), points),
            Values::Interval(cells) => (size.map(|size| cells == size), Some(cells)),
            Values::WithHoles => (Some(false), None),
            Values::Open | Values::Unknown => (None, None),
        };
        Coverage { injective, onto, cells, points }
    }

    /// Whether a sum of multiples of loops takes each value once. Exact for one and two terms; for
    /// more, as far as each coefficient exceeds all that the smaller ones can add up to.
    fn injective(&self, terms: &[(i64, LoopId)]) -> Option<bool> {
        match terms {
            [] | [_] => Some(true),
            [(a, i), (b, j)] => {
                // a·δi + b·δj = 0 has the solutions (b, −a)·t/g, the least of which must be out of
                // range.
                let divisor = gcd(a.unsigned_abs(), b.unsigned_abs());
                let fits =
                    |step: u64, id: &LoopId| Some(step < self.extents[id.0 as usize].count()?);
                let steps = [a, b].map(|coefficient| coefficient.unsigned_abs() / divisor);
                Some(!both(fits(steps[1], i), fits(steps[0], j))?)
            }
            terms => {
                let mut reach = 0_u128;
                let mut terms = self.by_coefficient(terms)?.into_iter();
                // How far that of the largest coefficient goes does not matter.
                let outer = terms.next_back();
                for (coefficient, last) in terms {
                    let last = last?;
                    if last > 0 && coefficient <= reach {
                        return None;
                    }
                    reach = reach.checked_add(coefficient.checked_mul(last)?)?;
                }
                outer
                    .is_none_or(|(coefficient, last)| last == Some(0) || coefficient > reach)
                    .then_some(true)
            }
        }
    }

    /// The coefficients, smallest first, with the last values of their loops, where these are
    /// numbers. `None` if one is negative, or a loop is empty.
    fn by_coefficient(&self, terms: &[(i64, LoopId)]) -> Option<Vec<(u128, Option<u128>)>> {
        let of_term = |(coefficient, id): &(i64, LoopId)| {
            let last = match self.extents[id.0 as usize].count() {
                Some(extent) => Some(u128::from(extent.checked_sub(1)?)),
                None => None,
            };
            Some((u128::from(u64::try_from(*coefficient).ok()?), last))
        };
        let mut sorted: Vec<_> = terms.iter().map(of_term).collect::<Option<_>>()?;
        // What is known first.
        sorted.sort_unstable_by_key(|(coefficient, last)| (*coefficient, last.is_none(), *last));
        Some(sorted)
    }

    /// The values of a sum of multiples. There is no hole between them if and only if each
    /// coefficient is at most one more than all that the smaller ones add up to.
    fn values(&self, index: &Linear) -> Values {
        let Some(terms) = self.by_coefficient(&index.terms) else { return Values::Unknown };
        let mut reach = 0_u128;
        let mut terms = terms.into_iter().peekable();
        while let Some((coefficient, last)) = terms.next() {
            let Some(last) = last else {
                let is_next = terms.peek().is_none() && coefficient <= reach + 1;
                return if is_next { Values::Open } else { Values::Unknown };
            };
            if last == 0 {
                continue;
            }
            if coefficient > reach + 1 {
                return Values::WithHoles;
            }
            let more = coefficient.checked_mul(last).and_then(|more| reach.checked_add(more));
            let Some(more) = more.filter(|more| *more < u128::MAX) else { return Values::Unknown };
            reach = more;
        }
        Values::Interval(reach + 1)
    }

    /// Whether the indices of several axes determine all loops, one axis after another.
    fn is_determined(&self, axes: &[Axis<'_>]) -> bool {
        let mut known: Vec<LoopId> = vec![];
        loop {
            let before = known.len();
            for axis in axes {
                let open = axis.index.terms.iter().filter(|(_, id)| !known.contains(id));
                let open: Vec<(i64, LoopId)> = open.copied().collect();
                if self.injective(&open) == Some(true) {
                    known.extend(open.iter().map(|(_, id)| *id));
                }
            }
            if known.len() == self.loops.len() {
                return true;
            }
            if known.len() == before {
                return false;
            }
        }
    }

    /// With one condition on two loops, `0 ≤ a·i + b·j + c < size`: a window that is padded, or
    /// that begins late and reaches past the end.
    fn window(&self, condition: &Axis<'_>, left: &Cell<u64>) -> Option<Coverage> {
        let [_, _] = self.loops[..] else { return None };
        let [one, other] = condition.index.terms[..] else { return None };
        let extent = |id: LoopId| self.extents[id.0 as usize].count();
        let spread = |fixed: (i64, LoopId), moves: (i64, LoopId)| {
            let (fixed, moves) = ((fixed.0, extent(fixed.1)?), (moves.0, extent(moves.1)?));
            Spread::new(condition, fixed, moves, left)
        };
        let points = spread(one, other).or_else(|| spread(other, one))?.points;
        let found = match &self.axes[..] {
            [] => Coverage {
                injective: Some(points <= 1),
                onto: Some(true),
                cells: Some(1),
                points: Some(points),
            },
            [axis] if axis.index == condition.index => {
                // What such an axis itself is read or written at, or another with the same index.
                let loops = [(one.0, extent(one.1)?), (other.0, extent(other.1)?)];
                let repeated = repeated(condition, loops, left)?;
                let cells = points.checked_sub(repeated)?;
                Coverage {
                    injective: Some(repeated == 0),
                    onto: Some(cells == u128::from(axis.size.count()?)),
                    cells: Some(cells),
                    points: Some(points),
                }
            }
            [axis] => {
                // One of the two loops; over the other it is accumulated.
                let [(_, id)] = axis.index.terms[..] else { return None };
                let each = if id == one.1 { spread(one, other)? } else { spread(other, one)? };
                Coverage {
                    injective: Some(each.most <= 1),
                    onto: Some(each.cells == u128::from(axis.size.count()?)),
                    cells: Some(each.cells),
                    points: Some(points),
                }
            }
            axes if self.is_determined(axes) => {
                let sizes = axes.iter().map(|axis| axis.size.count().map(u128::from));
                let all = sizes.into_iter().try_fold(1, |all: u128, n| all.checked_mul(n?))?;
                Coverage {
                    injective: Some(true),
                    onto: Some(points == all),
                    cells: Some(points),
                    points: Some(points),
                }
            }
            [_, _, ..] => return None,
        };
        Some(if points == 0 { Coverage::NONE } else { found })
    }

    /// The coverage of a group, by visiting every point.
    fn counted(&self, left: &Cell<u64>) -> Option<Coverage> {
        let points = self.points().filter(|points| *points <= u128::from(left.get()))?;
        left.set(left.get().checked_sub(u64::try_from(points).ok()?)?);
        let sizes: Option<Vec<i128>> =
            self.axes.iter().map(|axis| axis.size.count().map(i128::from)).collect();
        let sizes = sizes?;
        let all = sizes.iter().try_fold(1_i128, |product, size| product.checked_mul(*size))?;
        let mut values = vec![0_u64; self.loops.len()];
        let mut cells: Vec<i128> = Vec::with_capacity(usize::try_from(points).ok()?);
        let conditions: Option<Vec<i128>> =
            self.conditions.iter().map(|axis| axis.size.count().map(i128::from)).collect();
        let conditions = conditions?;
        loop {
            let at = |index: &Linear| {
                let value = |id: LoopId| {
                    let place = self.loops.iter().position(|(other, _)| *other == id);
                    place.map_or(0, |place| i128::from(values[place]))
                };
                let terms = index.terms.iter();
                terms.fold(index.offset, |sum, (c, id)| sum + i128::from(*c) * value(*id))
            };
            let inside = |(axis, size): (&Axis<'_>, &i128)| (0..*size).contains(&at(axis.index));
            if self.conditions.iter().zip(&conditions).all(inside) {
                let cell =
                    |cell: i128, (axis, size): (&Axis<'_>, &i128)| cell * size + at(axis.index);
                cells.push(self.axes.iter().zip(&sizes).fold(0, cell));
            }
            let next = (0..values.len()).rev().find(|place| {
                values[*place] += 1;
                let wraps = Some(values[*place]) == self.loops[*place].1;
                if wraps {
                    values[*place] = 0;
                }
                !wraps
            });
            if next.is_none() {
                break;
            }
        }
        let live = cells.len() as u128;
        cells.sort_unstable();
        cells.dedup();
        let reached = cells.len() as u128;
        Some(Coverage {
            injective: Some(reached == live),
            onto: Some(u128::try_from(all) == Ok(reached)),
            cells: Some(reached),
            points: Some(live),
        })
    }
}

/// How a condition on two loops is satisfied, one value of the first after another.
struct Spread {
    /// How often at all.
    points: u128,
    /// For how many values of the first at least once.
    cells: u128,
    /// For one value of the first at most.
    most: u128,
}

/// The values of a loop that are looked at one by one without being charged to the budget.
const FREE: u64 = 1 << 8;

impl Spread {
    /// `0 ≤ a·i + b·j + c < size` with `i` of the first and `j` of the second. Where the window is
    /// all inside, every `j` satisfies it; only at the borders the values of `i` are looked at.
    fn new(
        condition: &Axis<'_>,
        first: (i64, u64),
        second: (i64, u64),
        left: &Cell<u64>,
    ) -> Option<Spread> {
        Spread::shifted(condition, 0, first, second, left)
    }

    /// The spread of a condition whose index is moved by `by`.
    fn shifted(
        condition: &Axis<'_>,
        by: i128,
        first: (i64, u64),
        second: (i64, u64),
        left: &Cell<u64>,
    ) -> Option<Spread> {
        let (a, rows) = (i128::from(first.0), i128::from(first.1));
        let (b, columns) = (i128::from(second.0), i128::from(second.1));
        let (c, size) = (condition.index.offset + by, i128::from(condition.size.count()?));
        if a <= 0 || b <= 0 {
            return None;
        }
        // From where on a·i + c ≥ 0, and up to where a·i + b·(columns − 1) + c < size.
        let ceiling = |n: i128, by: i128| (n + by - 1).div_euclid(by);
        let from = ceiling(-c, a).clamp(0, rows);
        let to = ceiling(size - c - b * (columns - 1), a).clamp(from, rows);
        let visited = u64::try_from(from + (rows - to)).ok()?.saturating_sub(FREE);
        left.set(left.get().checked_sub(visited)?);
        let middle = u128::try_from(to - from).ok()?;
        let all = u128::try_from(columns).ok()?;
        let mut spread = Spread {
            points: middle.checked_mul(all)?,
            cells: middle,
            most: if middle > 0 { all } else { 0 },
        };
        for i in (0..from).chain(to..rows) {
            let base = a * i + c;
            let begin = ceiling((-base).max(0), b);
            let end = ceiling((size - base).max(0), b).min(columns);
            let count = (end - begin).max(0).unsigned_abs();
            spread.points = spread.points.checked_add(count)?;
            spread.cells += u128::from(count > 0);
            spread.most = spread.most.max(count);
        }
        Some(spread)
    }
}

/// How many points that satisfy a condition `0 ≤ a·i + b·j + c < size` have the same index as an
/// earlier one.
///
/// With `g` the common divisor of `a` and `b`, the index at `(i, j)` is that at `(i + b/g, j −
/// a/g)`, and at none between. So the later ones of such pairs are the points of a smaller box,
/// whose index is larger by `a·b/g`; and as both have one index, the condition holds for both or
/// for neither.
fn repeated(condition: &Axis<'_>, loops: [(i64, u64); 2], left: &Cell<u64>) -> Option<u128> {
    let [(a, rows), (b, columns)] = loops;
    let divisor = gcd(a.unsigned_abs(), b.unsigned_abs());
    let [step, back] = [b, a].map(|coefficient| coefficient.unsigned_abs() / divisor);
    let (Some(rows @ 1..), Some(columns @ 1..)) =
        (rows.checked_sub(step), columns.checked_sub(back))
    else {
        return Some(0);
    };
    let by = i128::from(a) * i128::from(step);
    let spread = |first, second| Spread::shifted(condition, by, first, second, left);
    let pairs = spread((a, rows), (b, columns)).or_else(|| spread((b, columns), (a, rows)));
    pairs.map(|pairs| pairs.points)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
