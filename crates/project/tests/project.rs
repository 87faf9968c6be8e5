//! Loop nests: how maps cover their cells, and which axes share a loop.

use std::ops::Range;

use lozenge_calculus::{
    constraint::{Border, Constraint, OriginId, Relation, SizeRelation},
    size::{Size, SizeSymbol, Sizes},
    term::{DimTerm, DimVar, RowTerm},
};
use lozenge_project::{
    Access, AxisId, Budget, ClosedOperation, Decision, Index, NoLoops, Record, Slot, Statement,
    Supplied, SymbolId, Write, decide, project, reshape,
};

/// What is asked of variables by their numbers.
#[derive(Default)]
struct Asked {
    sizes: Vec<u64>,
    occurrences: Vec<Range<u32>>,
    constraints: Vec<Constraint>,
    accesses: Vec<(DimTerm, Access)>,
    /// The variables whose sizes are names.
    open: Vec<usize>,
}

fn var(number: u32) -> DimTerm {
    DimVar::new(number).into()
}

/// A size as a record has it where all are numbers.
fn number(size: u64) -> Size {
    if size == 0 { Size::ZERO } else { Size::int(size).unwrap() }
}

fn asked(sizes: &[u64], occurrences: &[Range<u32>]) -> Asked {
    let (sizes, occurrences) = (sizes.to_vec(), occurrences.to_vec());
    Asked { sizes, occurrences, ..Asked::default() }
}

impl Asked {
    fn relation(mut self, relation: Relation) -> Asked {
        self.constraints.push(relation.with_origin(OriginId::default()));
        self
    }

    fn same(self, one: u32, other: u32) -> Asked {
        self.relation(Relation::DimEq(var(one), var(other)))
    }

    fn window(self, whole: u32, steps: [u32; 2], within: [u32; 2]) -> Asked {
        self.sliding(whole, steps, within, false)
    }

    fn padded(self, whole: u32, steps: [u32; 2], within: [u32; 2]) -> Asked {
        self.sliding(whole, steps, within, true)
    }

    fn sliding(
        self,
        whole: u32,
        [stride, over]: [u32; 2],
        [dilation, kernel]: [u32; 2],
        padded: bool,
    ) -> Asked {
        let (whole, over, kernel) = (var(whole), var(over), var(kernel));
        let border = if padded { Border::PADDED } else { Border::VALID };
        let window = SizeRelation::Window { whole, stride, over, dilation, kernel, border };
        self.relation(Relation::Size(window))
    }

    fn concat(self, whole: u32, parts: &[u32]) -> Asked {
        let parts = parts.iter().map(|part| var(*part).into()).collect();
        self.relation(Relation::Size(SizeRelation::Concat { whole: var(whole), parts }))
    }

    fn merged(self, whole: u32, parts: &[u32]) -> Asked {
        let parts = parts.iter().map(|part| var(*part)).collect();
        self.relation(Relation::Size(SizeRelation::Merged { whole: var(whole), parts }))
    }

    fn access(mut self, number: u32, access: Access) -> Asked {
        self.accesses.push((var(number), access));
        self
    }

    /// A size that is a name.
    fn open(mut self, number: u32) -> Asked {
        self.open.push(number as usize);
        self
    }

    fn project(&self) -> Result<Record, NoLoops> {
        let mut sizes: Vec<Size> = self.sizes.iter().map(|size| number(*size)).collect();
        for (name, place) in (0..).zip(&self.open) {
            sizes[*place] = Size::symbol(SizeSymbol::new(name));
        }
        project(&ClosedOperation {
            sizes: &sizes,
            table: &Sizes::default(),
            rows: &[],
            occurrences: &self.occurrences,
            constraints: &self.constraints,
            accesses: &self.accesses,
        })
    }

    /// Checks the record, and whether its result is injective and onto, by closed forms.
    #[track_caller]
    fn check(&self, record: &str, injective: bool, onto: bool) {
        let made = self.project().expect("it has loops");
        assert_eq!(made.to_string(), record);
        let told = made.coverage(Slot::RESULT, Budget::of_points(0));
        assert_eq!((told.injective, told.onto), (Some(injective), Some(onto)), "{made}");
    }

    /// Checks what is done with the result where it is erased, and where it is added to.
    #[track_caller]
    fn decides(&self, initialise: bool, write: Write) {
        let made = self.project().expect("it has loops");
        let told = made.coverage(Slot::RESULT, Budget::default());
        let decided = |statement| decide(statement, told.injective, told.onto);
        assert_eq!(decided(Statement::Erasing), Decision::new(initialise, write), "{made}");
        let adds = Decision::new(false, Write::Accumulate);
        assert_eq!(decided(Statement::Accumulating), adds, "{made}");
    }
}

#[test]
fn section_j_of_the_cases() {
    // The result is variable 0 and what follows; the operand is a tensor of the loops.
    let affine = |sizes: [u64; 3], stride: u32, dilation: u32| {
        let [whole, over, kernel] = sizes;
        asked(&[whole, over, kernel], &[0..1, 1..3]).window(0, [stride, 1], [dilation, 2])
    };
    // J1, J2
    affine([8, 4, 2], 2, 1).check("(i0:4, i1:2) -> [2*i0+i1]; [i0, i1]", true, true);
    affine([15, 5, 3], 3, 1).check("(i0:5, i1:3) -> [3*i0+i1]; [i0, i1]", true, true);
    // J3: the triangle.
    let triangle = asked(&[4, 6, 4, 3], &[0..2, 2..4]).same(0, 2).window(1, [1, 2], [1, 3]);
    triangle.check("(i0:4, i1:3) -> [i0, i0+i1]; [i0, i1]", true, false);
    // J4, J5
    affine([5, 3, 3], 1, 1).check("(i0:3, i1:3) -> [i0+i1]; [i0, i1]", false, true);
    affine([11, 5, 3], 2, 1).check("(i0:5, i1:3) -> [2*i0+i1]; [i0, i1]", false, true);
    // J6: 3a+4b is never the same twice, for a below 3 and b below 2.
    affine([11, 3, 2], 3, 4).check("(i0:3, i1:2) -> [3*i0+4*i1]; [i0, i1]", true, false);
    // J7: a contraction.
    asked(&[4, 4, 3], &[0..1, 1..3]).same(0, 1).check(
        "(i0:4, i1:3) -> [i0]; [i0, i1]",
        false,
        true,
    );
    // J8
    let blocks = affine([6, 3, 2], 2, 1);
    blocks.check("(i0:3, i1:2) -> [2*i0+i1]; [i0, i1]", true, true);
    blocks.decides(false, Write::Store);
    triangle.decides(true, Write::Store);
    affine([5, 3, 3], 1, 1).decides(true, Write::Accumulate);
    // J9: a diagonal.
    let diagonal = asked(&[5, 5, 5], &[0..2, 2..3]).same(0, 2).same(1, 2);
    diagonal.check("(i0:5) -> [i0, i0]; [i0]", true, false);
    diagonal.decides(true, Write::Store);
    // J10
    asked(&[4, 3, 4], &[0..2, 2..3]).same(0, 2).access(1, Access::At(Supplied::Fix(0))).check(
        "(i0:4) -> [i0, 0]; [i0]",
        true,
        false,
    );
    // J11
    asked(&[3, 2, 2, 3], &[0..2, 2..4]).same(0, 3).same(1, 2).check(
        "(i0:3, i1:2) -> [i0, i1]; [i1, i0]",
        true,
        true,
    );
    // J12
    asked(&[1, 1, 1], &[0..2, 2..3]).check("() -> [0, 0]; [0]", true, true);
    // J13
    let strided = SizeRelation::Strided { whole: var(0), stride: 2, over: var(1), loose: false };
    asked(&[6, 3], &[0..1, 1..2]).relation(Relation::Size(strided)).check(
        "(i0:3) -> [2*i0]; [i0]",
        true,
        false,
    );
}

#[test]
fn an_operand_is_broadcast_in_its_middle() {
    for middle in [5, 3] {
        // D19: the result has no marker of its own; the operand is [3]◊[4].
        let result = RowTerm::closed([], [var(0), var(1), var(2)]);
        let operand = RowTerm::closed([var(3)], [var(4)]);
        let record = asked(&[3, middle, 4, 3, 4], &[0..3, 3..5])
            .relation(Relation::RowIneq(result, operand))
            .project();
        let expected = format!("(i0:3, i1:{middle}, i2:4) -> [i0, i1, i2]; [i0, i2]");
        assert_eq!(record.map(|record| record.to_string()), Ok(expected));
    }
}

#[test]
fn what_another_operation_made_equal_shares_no_loop_here() {
    // a[i,j] and b[j,k] of one size, made so by a product elsewhere; here they are added up side by
    // side.
    let outer = asked(&[3, 3, 3, 3], &[0..2, 2..3, 3..4]).same(0, 2).same(1, 3);
    let record = outer.project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:3, i1:3) -> [i0, i1]; [i0], [i1]");
}

#[test]
fn a_valid_window_that_begins_later_skips_what_is_beyond() {
    let late = asked(&[3, 7, 3, 2], &[0..1, 1..2]).same(0, 2).window(1, [2, 2], [2, 3]);
    let late = late.access(1, Access::From(1));
    let record = late.project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:3, i1:2) -> [i0]; [2*i0+2*i1+1 pad 0,1]");
    let told = record.coverage(Slot::RESULT, Budget::default());
    assert_eq!(told.points, Some(5));
}

#[test]
fn an_open_loop_is_the_last_that_matters() {
    // Of stride·i0 + i1, with the sizes of the whole and of the loops, one of which is open.
    let injective = |sizes: [u64; 3], stride: u32, open: u32| {
        let made = asked(&sizes, &[0..1, 1..3]).window(0, [stride, 1], [1, 2]).open(0).open(open);
        let record = made.project().expect("it has loops");
        record.coverage(Slot::RESULT, Budget::default()).injective
    };
    assert_eq!(injective([0, 0, 3], 3, 1), Some(true));
    assert_eq!(injective([0, 0, 3], 4, 1), Some(true));
    assert_eq!(injective([0, 0, 3], 2, 1), None);
    assert_eq!(injective([0, 4, 0], 2, 2), None);
    assert_eq!(injective([0, 1, 0], 2, 2), Some(true));
    // Three loops in one axis: the outer one is open.
    let made = asked(&[0, 0, 4, 8], &[0..1, 1..4]).merged(0, &[1, 2, 3]).open(0).open(1);
    let record = made.project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:n1, i1:4, i2:8) -> [32*i0+8*i1+i2]; [i0, i1, i2]");
    assert_eq!(record.coverage(Slot::RESULT, Budget::default()).injective, Some(true));
}

/// `stride*o<+offset+dilation*k; k => o`, with the sizes of `o` and `k`.
fn late([steps, stride]: [u64; 2], [kernel, dilation]: [u64; 2], offset: u64) -> Asked {
    let whole = stride * (steps - 1) + dilation * (kernel - 1) + 1;
    let small = |n: u64| u32::try_from(n).expect("it is small");
    // The result has the steps alone; the second operand is the window.
    let made = asked(&[steps, whole, kernel, steps, kernel], &[0..1, 1..2, 2..3]);
    let made = made.same(0, 3).same(2, 4).window(1, [small(stride), 3], [small(dilation), 4]);
    made.access(1, Access::From(offset))
}

#[test]
fn what_a_window_past_the_end_covers_is_known_without_visiting_it() {
    // By slot: injective, onto, cells and points.
    let covers = |made: &Asked, expected: [(bool, bool, u128); 3], points: u128| {
        let record = made.project().expect("it has loops");
        for (slot, (injective, onto, cells)) in record.slots().zip(expected) {
            let told = record.coverage(slot, Budget::of_points(0));
            assert_eq!((told.injective, told.onto), (Some(injective), Some(onto)), "{record}");
            assert_eq!((told.cells, told.points), (Some(cells), Some(points)), "{record}");
        }
    };
    let m = 1_000_000;
    // 2·o + k + 1: the last of 3 is cut from the last window; the first element is never read.
    let all = (false, true, m);
    covers(
        &late([1_000_000, 2], [3, 1], 1),
        [all, (false, false, 2 * m), (false, true, 3)],
        3 * m - 1,
    );
    // 3·o + k + 1: between two windows there is an element that nobody reads.
    covers(
        &late([1_000_000, 3], [2, 1], 1),
        [all, (true, false, 2 * m - 1), (false, true, 2)],
        2 * m - 1,
    );
    // 3·o + 3·k + 2: every third, and most of them again.
    covers(
        &late([1_000_000, 3], [4, 3], 2),
        [all, (false, false, m + 2), (false, true, 4)],
        4 * m - 1,
    );
    // 4·o + 6·k + 3: three steps on, a window meets this one two positions earlier.
    covers(
        &late([1_000_000, 4], [5, 6], 3),
        [all, (false, false, 2 * m + 8), (false, true, 5)],
        5 * m - 1,
    );
    // 2·o + 1: the last window has nothing to read, and its cell is never written.
    let one = m - 1;
    covers(
        &late([1_000_000, 2], [1, 1], 1),
        [(true, false, one), (true, false, one), (false, true, 1)],
        one,
    );
    late([1_000_000, 2], [1, 1], 1).decides(true, Write::Store);
    late([1_000_000, 2], [3, 1], 1).decides(true, Write::Accumulate);
}

#[test]
fn one_condition_twice_is_one() {
    // 2·o + k + 1, read and written: each cell as often as it is read.
    let large = 1_000_000;
    let whole = 2 * (large - 1) + 2;
    let made = asked(&[whole, whole, large, 2], &[0..1, 1..2]);
    let made = made.window(0, [2, 2], [1, 3]).window(1, [2, 2], [1, 3]);
    let made = made.access(0, Access::From(1)).access(1, Access::From(1));
    made.check("(i0:1000000, i1:2) -> [2*i0+i1+1 pad 0,1]; [2*i0+i1+1 pad 0,1]", true, false);
}

#[test]
fn a_condition_on_no_loop_holds_everywhere_or_nowhere() {
    // Read at 1 of an axis of one element: nothing is ever written.
    let beyond = asked(&[4, 1, 4, 1, 1], &[0..1, 1..3]).same(0, 2).window(1, [2, 3], [1, 4]);
    let record = beyond.access(1, Access::From(1)).project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:4) -> [i0]; [1 pad 0,1, i0]");
    for slot in record.slots() {
        let told = record.coverage(slot, Budget::default());
        assert_eq!((told.injective, told.onto), (Some(true), Some(false)));
        assert_eq!((told.cells, told.points), (Some(0), Some(0)));
    }
}

#[test]
fn what_is_perhaps_never_written_is_not_known_to_be_written_twice() {
    // i + 3·k − 1 and k + 3·i − 1 are never both 0 or 1: nothing is read, whatever j is.
    let nothing = asked(&[2, 2, 2, 2, 2], &[0..0, 2..5]);
    let nothing = nothing.padded(2, [1, 0], [3, 1]).padded(3, [1, 1], [3, 0]);
    let record = nothing.project().expect("it has loops");
    assert_eq!(
        record.to_string(),
        "(i0:2, i1:2, i2:2) -> []; [i0+3*i1-1 pad 1,2, 3*i0+i1-1 pad 1,2, i2]"
    );
    assert_eq!(record.coverage(Slot::RESULT, Budget::of_points(0)).injective, None);
    assert_eq!(record.coverage(Slot::RESULT, Budget::default()).injective, Some(true));
}

#[test]
fn a_condition_on_one_loop_leaves_a_part_of_its_range() {
    // 3·i − 1 of an axis of two elements is −1 or 2: nothing is read, whatever j is.
    let nothing = asked(&[1, 2, 2, 2], &[0..0, 1..3]).padded(1, [1, 3], [2, 3]);
    let record = nothing.project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:2, i1:2) -> []; [3*i0-1 pad 1,1, i1]");
    let told = record.coverage(Slot::RESULT, Budget::of_points(0));
    assert_eq!((told.injective, told.points), (Some(true), Some(0)));
    // The same where another condition is on that loop too, which is then asked of nothing.
    let nothing = asked(&[2, 2, 2, 2], &[0..0, 2..4]);
    let nothing = nothing.padded(2, [1, 0], [2, 0]).padded(3, [1, 0], [1, 1]);
    let record = nothing.project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:2, i1:2) -> []; [3*i0-1 pad 1,1, i0+i1 pad 0,1]");
    assert_eq!(record.coverage(Slot::RESULT, Budget::default()).points, Some(0));
    // 3·i − 8 of an axis of nine is inside for i from 3 to 5, so that three cells of nine are
    // written.
    let some = asked(&[9, 9, 9], &[2..3, 0..1]).same(2, 1).padded(0, [1, 1], [2, 1]);
    some.check("(i0:9) -> [i0]; [3*i0-8 pad 8,8]", true, false);
    let record = some.project().expect("it has loops");
    for slot in record.slots() {
        let told = record.coverage(slot, Budget::of_points(0));
        assert_eq!((told.onto, told.cells, told.points), (Some(false), Some(3), Some(3)));
    }
}

#[test]
fn the_axis_that_is_padded_is_not_any_of_its_index() {
    // `o=+k; o<+k =>`: the second has an element that the first has not.
    let asked = asked(&[5, 2, 5, 6], &[0..0, 2..3, 3..4]);
    let record =
        asked.padded(2, [1, 0], [1, 1]).window(3, [1, 0], [1, 1]).project().expect("it has loops");
    let coverage = record.coverage(Slot::operand(1), Budget::of_points(0));
    assert_eq!((coverage.cells, coverage.onto), (Some(5), Some(false)), "{record}");
}

#[test]
fn supplied_indices_count_as_one_position() {
    // x[c=+c], y[@s, a, a^c]: two runs that meet in the one cell, counted.
    let symbol = Access::At(Supplied::Symbol(SymbolId(0)));
    let coupled = asked(&[4, 4, 4, 4, 4, 8, 4], &[0..0, 2..3, 3..6])
        .padded(2, [1, 0], [1, 0])
        .same(4, 1)
        .concat(5, &[1, 0])
        .access(3, symbol);
    let record = coupled.project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:4 | i1:4) -> []; [2*i0-1 pad 1,2], [s0, i1, i1 | i0+4]");
    let told = record.coverage(Slot::RESULT, Budget::default());
    assert_eq!((told.injective, told.onto, told.points), (Some(false), Some(true), Some(6)));
}

#[test]
fn a_margin_counts_where_a_supplied_index_may_be() {
    // 3·@s + k − 2, for s and k below 5, of an axis of 15.
    let symbol = Access::At(Supplied::Symbol(SymbolId(0)));
    let moved = asked(&[15, 5, 5, 5], &[0..0, 0..2]).padded(0, [3, 1], [1, 2]).access(1, symbol);
    let record = moved.project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:5) -> []; [i0+3*s0-2 pad 2,0, s0]");
    assert_eq!(record.coverage(Slot::RESULT, Budget::default()).points, None);
    let wide = asked(&[5, 5, 5, 5], &[0..0, 0..2]).padded(0, [1, 1], [1, 2]).access(1, symbol);
    let record = wide.project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:5) -> []; [i0+s0-2 pad 2,2, s0]");
    // The same index reads an axis of 3 as well, so that it is never 3 or 4. Nothing makes the two
    // axes equal: one index says where both are read, not how long they are.
    let narrow = asked(&[5, 5, 5, 3], &[0..0, 0..2, 3..4]).padded(0, [1, 1], [1, 2]);
    let narrow = narrow.access(1, symbol).access(3, symbol);
    let record = narrow.project().expect("it has loops");
    assert_eq!(record.to_string(), "(i0:5) -> []; [i0+s0-2 pad 2,0, s0], [s0]");
}

#[test]
fn a_part_is_not_in_two_places_at_once() {
    let twice = asked(&[4, 2, 2], &[0..1, 1..2]).concat(0, &[1, 2]).same(1, 2);
    let twice = twice.access(1, Access::At(Supplied::Fix(0)));
    assert!(matches!(twice.project(), Err(NoLoops::Nested(_) | NoLoops::Derived(_))));
}

#[test]
fn an_axis_begins_at_one_position_whoever_says_so() {
    let strided = || {
        let stride = SizeRelation::Strided { whole: var(1), stride: 2, over: var(2), loose: false };
        let made = asked(&[8, 8, 4, 4], &[3..4, 0..1]).relation(Relation::Size(stride));
        made.same(0, 1).same(2, 3)
    };
    let from = Access::From;
    // The operand's axis and the one that is computed are one.
    for axis in [0, 1] {
        let record = strided().access(axis, from(1)).project().expect("it has loops");
        assert_eq!(record.to_string(), "(i0:4) -> [i0]; [2*i0+1]");
    }
    let twice = strided().access(0, from(1)).access(1, from(1));
    assert!(twice.project().is_ok());
    for [one, other] in [[0, 1], [1, 0]] {
        let torn = strided().access(0, from(one)).access(1, from(other));
        assert_eq!(torn.project(), Err(NoLoops::Start(AxisId(0))));
    }
    assert_eq!(strided().access(3, from(1)).project(), Err(NoLoops::Start(AxisId(2))));
    assert_eq!(strided().access(0, from(2)).project(), Err(NoLoops::OutOfBounds(AxisId(0))));
}

#[test]
fn what_only_absent_operands_need_does_not_run() {
    // a, x; b, y => a^b: while `a` runs, nothing is summed over `y`.
    let made = asked(&[5, 2, 3, 3, 4, 2, 3], &[0..1, 1..3, 3..5]);
    let record = made.concat(0, &[5, 6]).same(1, 5).same(3, 6).project().expect("it has loops");
    let choices: Vec<Vec<bool>> = record.choices().collect();
    assert_eq!(record.to_string(), "(i0:2 | i1:3, i2:3, i3:4) -> [i0 | i1+2]; [i0, i2], [i1, i3]");
    assert_eq!(choices, [[true, false, true, false], [false, true, false, true]]);
    let told = record.coverage(Slot::RESULT, Budget::default());
    assert_eq!(told.points, Some(2 * 3 + 3 * 4));
}

#[test]
fn a_part_without_elements_leaves_the_others_alone() {
    let made = asked(&[3, 3, 0, 3, 0], &[0..1, 1..2, 2..3]);
    let record = made.concat(0, &[3, 4]).same(1, 3).same(2, 4).project().expect("it has loops");
    let told = record.coverage(Slot::RESULT, Budget::default());
    assert_eq!((told.bijective(), told.points), (Some(true), Some(3)));
    let empty = asked(&[0, 0], &[0..1, 1..2]).same(0, 1).project().expect("it has loops");
    let told = empty.coverage(Slot::RESULT, Budget::default());
    assert_eq!((told.bijective(), told.points), (Some(true), Some(0)));
}

#[test]
fn concatenations_that_share_some_parts_only_are_refused() {
    // a^b, c^b => a^b, c^b
    let made = asked(&[3, 3, 3, 3, 2, 1, 2], &[0..2, 2..4]);
    let made = made.concat(0, &[4, 5]).concat(1, &[6, 5]).concat(2, &[4, 5]).concat(3, &[6, 5]);
    assert_eq!(made.project(), Err(NoLoops::Crossed(Slot::operand(0))));
}

#[test]
fn what_meets_a_margin_at_a_supplied_index_is_not_known_in_parts_either() {
    // 3*@s=+2*k, k => k, a^b: where the padded axis is left depends on what is supplied.
    let symbol = Access::At(Supplied::Symbol(SymbolId(0)));
    let made = asked(&[15, 2, 8, 2, 8, 5, 2, 4, 4], &[0..3, 3..5]);
    let made = made.padded(0, [3, 5], [2, 6]).same(1, 6).same(3, 6).access(5, symbol);
    let made = made.concat(2, &[7, 8]).concat(4, &[7, 8]);
    let record = made.project().expect("it has loops");
    assert_eq!(
        record.to_string(),
        "(i0:2, i1:4 | i2:4) -> [2*i0+3*s0-1 pad 1,0, i0, i1 | i2+4]; [i0, i1 | i2+4]"
    );
    assert_eq!(record.coverage(Slot::operand(0), Budget::default()).onto, None);
}

/// All shapes of so many elements, of up to four axes.
fn shapes_of(elements: u64) -> Vec<Vec<u64>> {
    let mut shapes = vec![];
    let mut open: Vec<(Vec<u64>, u64)> = vec![(vec![], elements)];
    while let Some((shape, left)) = open.pop() {
        if left == 1 {
            shapes.push(shape.clone());
        }
        if shape.len() < 4 {
            let factors = (1..=left).filter(|factor| left % factor == 0);
            open.extend(factors.map(|factor| ([&shape[..], &[factor]].concat(), left / factor)));
        }
    }
    shapes
}

fn sizes(shape: &[u64]) -> Vec<Size> {
    shape.iter().map(|size| Size::int(*size).unwrap()).collect()
}

#[test]
fn a_reshape_copies_each_element_to_where_it_is_in_memory() {
    let (mut flat, mut refined) = (0, 0);
    for elements in [1, 2, 6, 8, 12] {
        let shapes = shapes_of(elements);
        for (result, operand) in shapes.iter().flat_map(|one| shapes.iter().map(move |o| (one, o)))
        {
            let record = reshape(&sizes(result), &sizes(operand), &mut Sizes::default()).unwrap();
            for coverage in record.coverages(Budget::of_points(0)) {
                assert_eq!(coverage.bijective(), Some(true), "{record}");
            }
            let mut points = 0;
            record.for_each_point(&[], &mut |point| {
                let place = |slot: Slot, shape: &[u64]| {
                    let at = record.position(slot, point).expect("on its axis");
                    at.iter().zip(shape).fold(0, |place, (at, size)| place * size + at)
                };
                let [to, from] = [place(Slot::RESULT, result), place(Slot::operand(0), operand)];
                assert_eq!(to, from, "{record}");
                points += 1;
            });
            assert_eq!(points, elements, "{record}");
            let mut indices = record.slots().flat_map(|slot| record.map(slot));
            let is_flat = indices.any(|axis| matches!(axis.index, Index::Digit(_)));
            *(if is_flat { &mut flat } else { &mut refined }) += 1;
        }
    }
    assert!(flat > 100 && refined > 1000, "{flat} {refined}");
}

#[test]
fn a_reshape_keeps_sizes_that_stay_symbolic() {
    let (n, m) = (Size::symbol(SizeSymbol::new(0)), Size::symbol(SizeSymbol::new(1)));
    let [two, three, four, six] = [2, 3, 4, 6].map(|size| Size::int(size).unwrap());
    let mut sizes = Sizes::default();
    let mut made = |result: &[Size], operand: &[Size]| {
        reshape(result, operand, &mut sizes).map(|record| record.to_string())
    };
    let is = |text: &str| Ok(text.to_owned());
    assert_eq!(
        made(&[n, two, three], &[n, six]),
        is("(i0:n0, i1:2, i2:3) -> [i0, i1, i2]; [i0, 3*i1+i2]")
    );
    assert_eq!(
        made(&[two, three, n], &[six, n]),
        is("(i0:2, i1:3, i2:n0) -> [i0, i1, i2]; [3*i0+i1, i2]")
    );
    assert!(matches!(made(&[two, n], &[n, two]), Err(NoLoops::Symbolic(_))));
    assert_eq!(made(&[two], &[three]), Err(NoLoops::Recounted));
    assert_eq!(made(&[Size::ZERO, three], &[n, Size::ZERO]), is("(i0:0) -> [i0, 0]; [0, i0]"));
    // What is computed: 2·n, n/2, n·m.
    let mut sizes = Sizes::default();
    let form = |size: Size| Sizes::default().form(size);
    let twice = sizes.product(&form(two), &form(n));
    let half = sizes.quotient(&form(n), &form(two));
    let area = sizes.product(&form(n), &form(m));
    let [twice, half, area] = [twice, half, area].map(|form| sizes.size(&form).unwrap());
    let mut made = |result: &[Size], operand: &[Size]| {
        reshape(result, operand, &mut sizes).map(|record| record.to_string())
    };
    assert_eq!(
        made(&[twice, three], &[n, six]),
        is("(i0:n0, i1:2, i2:3) -> [2*i0+i1, i2]; [i0, 3*i1+i2]")
    );
    assert_eq!(made(&[half, two], &[n]), is("(i0:c1, i1:2) -> [i0, i1]; [2*i0+i1]"));
    assert_eq!(made(&[area], &[n, m]), is("(i0:n0, i1:n1) -> [i0*n1 + i1]; [i0, i1]"));
    assert_eq!(
        made(&[half, six], &[n, three]),
        is("(i0:c1, i1:2, i2:3) -> [i0, 3*i1+i2]; [2*i0+i1, i2]")
    );
    // Six and four do not divide one another: a flat loop.
    let third = sizes.quotient(&sizes.form(twice), &form(three));
    let third = sizes.size(&third).unwrap();
    let record = reshape(&[n, four], &[third, six], &mut sizes).unwrap();
    assert!(record.to_string().ends_with(" -> [i0/4, i0%4]; [i0/6, i0%6]"), "{record}");
    for slot in record.slots() {
        assert_eq!(record.coverage(slot, Budget::default()).bijective(), Some(true));
    }
    let record = reshape(&[area, six], &[n, m, two, three], &mut sizes).unwrap();
    for slot in record.slots() {
        assert_eq!(record.coverage(slot, Budget::default()).bijective(), Some(true), "{record}");
    }
}
