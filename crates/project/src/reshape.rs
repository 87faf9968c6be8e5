//! The loops of a reshape: the same elements in another shape, in the order of memory.
//!
//! Constraints say only how many elements there are, so the loops come from both shapes. Where the
//! axes before a place have as many elements in both, both are cut there; what is between two cuts
//! is a *block*. If the strides of both shapes in a block divide one another in order, the block
//! has a **common refinement**: a loop for every stride, and every axis is a sum of multiples of
//! loops. Otherwise it has one flat loop, of whose value the axes are digits.
//!
//! The slowest axis of a block is in no stride, so its size may be open. Where another one is, the
//! block has loops only if it is one axis in one of the shapes: that is merged from those of the
//! other.

use alloc::{collections::BTreeMap, vec, vec::Vec};

use smallvec::SmallVec;

use lozenge_calculus::{
    number::index,
    size::{Polynomial, Size, Sizes, divides, stride},
};

use super::{
    NoLoops,
    equation::AxisId,
    index::{Affine, Digit, Index, LoopId, Term},
    record::{AxisMap, Record},
};

/// The record of a reshape from the operand's shape to the result's, axes in memory order.
///
/// ```
/// use lozenge_project::reshape;
/// use lozenge_calculus::size::{Size, Sizes};
///
/// let mut table = Sizes::default();
/// let sizes = |sizes: &[u64]| sizes.iter().map(|n| Size::int(*n).unwrap()).collect::<Vec<_>>();
/// let record = reshape(&sizes(&[4, 3]), &sizes(&[2, 6]), &mut table)?;
/// assert_eq!(record.to_string(), "(i0:2, i1:2, i2:3) -> [2*i0+i1, i2]; [i0, 3*i1+i2]");
/// let record = reshape(&sizes(&[3, 4]), &sizes(&[2, 6]), &mut table)?;
/// assert_eq!(record.to_string(), "(i0:12) -> [i0/4, i0%4]; [i0/6, i0%6]");
/// # Ok::<(), lozenge_project::NoLoops>(())
/// ```
///
/// # Errors
/// When the shapes have different numbers of elements, or an open size is moved past another axis.
/// Sizes are of the table, and so are those that are made.
pub fn reshape(result: &[Size], operand: &[Size], sizes: &mut Sizes) -> Result<Record, NoLoops> {
    let mut loops = Loops { extents: vec![], axes: vec![] };
    let both = [result, operand];
    loops.axes.extend(both.iter().flat_map(|shape| {
        shape.iter().map(|size| AxisMap {
            index: Index::Fix(0),
            size: *size,
            margin: None,
            // Each element is somewhere, so every position of an axis is.
            is_to_end: size.count().is_none(),
        })
    }));
    let is_empty = |size: &Size| *size == Size::ZERO || *size == Size::EMPTY;
    if both.iter().all(|shape| shape.iter().any(is_empty)) {
        // Nothing is ever copied, whatever the other axes are.
        let id = loops.run(Size::ZERO);
        for axis in loops.axes.iter_mut().filter(|axis| is_empty(&axis.size)) {
            axis.index = Index::Iter(id);
        }
    } else {
        for [in_result, in_operand] in blocks(result, operand, sizes)? {
            let in_operand = in_operand.map(|axis| axis + result.len());
            loops.block(&[in_result, in_operand], sizes)?;
        }
    }
    let end = |axes: usize| u32::try_from(axes).map_err(|_| NoLoops::Overflow);
    let slots = vec![end(result.len())?, end(result.len() + operand.len())?];
    let Loops { extents, axes } = loops;
    Ok(Record { extents, factors: vec![], axes, slots, of_ids: vec![] })
}

/// Axes that have more than one element, by their places.
#[derive(Clone)]
struct Block(Vec<usize>);

impl Block {
    fn map(self, of: impl Fn(usize) -> usize) -> Block {
        Block(self.0.into_iter().map(of).collect())
    }
}

/// The blocks of both shapes, as small as possible.
fn blocks(
    result: &[Size],
    operand: &[Size],
    sizes: &mut Sizes,
) -> Result<Vec<[Block; 2]>, NoLoops> {
    // How many elements the axes up to each have: as the axes have more than one, always more.
    let mut cuts = |shape: &[Size]| {
        let mut before = Polynomial::constant(1);
        let mut cuts = vec![];
        for (axis, size) in shape.iter().enumerate().filter(|(_, size)| **size != Size::ONE) {
            before = sizes.product(&before, &sizes.form(*size));
            cuts.push((before.clone(), axis));
        }
        cuts
    };
    let (ours, theirs) = (cuts(result), cuts(operand));
    let places: BTreeMap<&Polynomial, usize> =
        theirs.iter().enumerate().map(|(place, (elements, _))| (elements, place)).collect();
    let axes = |cuts: &[(Polynomial, usize)]| Block(cuts.iter().map(|(_, axis)| *axis).collect());
    let mut blocks = vec![];
    let [mut from, mut their_from] = [0, 0];
    for (place, (elements, _)) in ours.iter().enumerate() {
        if let Some(their_place) = places.get(elements) {
            let block = [axes(&ours[from..=place]), axes(&theirs[their_from..=*their_place])];
            blocks.push(block);
            (from, their_from) = (place + 1, their_place + 1);
        }
    }
    if from < ours.len() || their_from < theirs.len() {
        // That an open size is not 0, so that there are as many, is not seen here.
        let open = result.iter().chain(operand).position(|size| size.count().is_none());
        let open = open.and_then(|place| u32::try_from(place).ok());
        return Err(open.map_or(NoLoops::Recounted, |place| NoLoops::Symbolic(AxisId(place))));
    }
    Ok(blocks)
}

/// The loops and maps under construction.
struct Loops {
    extents: Vec<Size>,
    axes: Vec<AxisMap>,
}

impl Loops {
    fn run(&mut self, extent: Size) -> LoopId {
        self.extents.push(extent);
        LoopId(index(self.extents.len() - 1))
    }

    fn block(&mut self, both: &[Block; 2], sizes: &mut Sizes) -> Result<(), NoLoops> {
        let [result, operand] = both;
        if let ([one], [other]) = (&result.0[..], &operand.0[..]) {
            let id = self.run(self.axes[*one].size);
            self.axes[*one].index = Index::Iter(id);
            self.axes[*other].index = Index::Iter(id);
            return Ok(());
        }
        let (result, operand) = match (self.strides(result), self.strides(operand)) {
            (Ok(result), Ok(operand)) => (result, operand),
            (of_result, of_operand) => {
                return match (&result.0[..], &operand.0[..]) {
                    ([whole], parts) | (parts, [whole]) => {
                        self.merge(*whole, parts);
                        Ok(())
                    }
                    (_, _) => of_result.and(of_operand).map(|_| ()),
                };
            }
        };
        let strides = result.iter().chain(&operand).map(|axis| axis.stride);
        let mut strides: Vec<u64> = strides.collect();
        strides.sort_unstable_by(|one, other| other.cmp(one));
        strides.dedup();
        let all = result.first().map_or_else(
            || Polynomial::constant(1),
            |axis| {
                let stride = Polynomial::constant(axis.stride.into());
                sizes.product(&sizes.form(self.axes[axis.place].size), &stride)
            },
        );
        let is_chain = strides.windows(2).all(|pair| divides(pair[1], pair[0]));
        if is_chain {
            let mut above = all;
            let mut refined: Vec<(LoopId, u64)> = vec![];
            for stride in strides {
                let by = Polynomial::constant(stride.into());
                let extent = sizes.quotient(&above, &by);
                let extent = sizes.size(&extent).ok_or(NoLoops::Overflow)?;
                refined.push((self.run(extent), stride));
                above = by;
            }
            for axis in result.iter().chain(&operand) {
                self.axes[axis.place].index = summed(&refined, axis)?;
            }
        } else {
            let of = self.run(sizes.size(&all).ok_or(NoLoops::Overflow)?);
            for axis in result.iter().chain(&operand) {
                let (divisor, modulus) = (axis.stride, axis.size);
                self.axes[axis.place].index = Index::Digit(Digit { of, divisor, modulus });
            }
        }
        Ok(())
    }

    /// One axis that is as many axes of the other shape, one inside the other.
    fn merge(&mut self, whole: usize, parts: &[usize]) {
        let mut digits = Vec::with_capacity(parts.len());
        for part in parts {
            let size = self.axes[*part].size;
            let id = self.run(size);
            self.axes[*part].index = Index::Iter(id);
            digits.push((id, size));
        }
        self.axes[whole].index = Index::Merged(digits);
    }

    /// The axes of a block with their strides in it.
    fn strides(&self, block: &Block) -> Result<Vec<Strided>, NoLoops> {
        let mut own = 1_u64;
        let mut strides = Vec::with_capacity(block.0.len());
        for (number, place) in block.0.iter().copied().enumerate().rev() {
            // Nothing stands before the first, so its size does not matter.
            if number == 0 {
                strides.push(Strided { place, stride: own, size: None });
                break;
            }
            let id = AxisId(index(place));
            let size = self.axes[place].size.count().ok_or(NoLoops::Symbolic(id))?;
            strides.push(Strided { place, stride: own, size: Some(size) });
            own = stride(own, size).ok_or(NoLoops::Overflow)?;
        }
        strides.reverse();
        Ok(strides)
    }
}

/// An axis of a block.
struct Strided {
    place: usize,
    /// How many elements of the block are between two positions.
    stride: u64,
    /// The size of the axis; not needed for the slowest one, which makes no stride.
    size: Option<u64>,
}

/// The index of an axis over the loops of a refinement: those whose strides are at least its own,
/// and below the next.
fn summed(refined: &[(LoopId, u64)], axis: &Strided) -> Result<Index, NoLoops> {
    let mut terms = SmallVec::new();
    let next = axis.size.and_then(|size| stride(axis.stride, size));
    let is_of = |own: u64| own >= axis.stride && next.is_none_or(|next| own < next);
    for (id, own) in refined.iter().filter(|(_, own)| is_of(*own)) {
        let coefficient = i64::try_from(own / axis.stride).map_err(|_| NoLoops::Overflow)?;
        terms.push((coefficient, Term::Loop(*id)));
    }
    Affine { terms, offset: 0 }.try_into()
}
