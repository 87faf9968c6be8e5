//! The loops of a reshape: the same elements in another shape, in the order of memory.
//!
//! Constraints say only how many elements there are, so the loops come from both shapes. Where the axes before a place
//! have as many elements in both, both are cut there; what is between two cuts is a *block*. If the strides of both
//! shapes in a block divide one another in order, the block has a **common refinement**: a loop for every stride, and
//! every axis is a sum of multiples of loops. Otherwise it has one flat loop, of whose value the axes are digits.

use alloc::{collections::BTreeMap, vec, vec::Vec};

use smallvec::SmallVec;

use crate::size::{Size, SizeKind};

use super::{
    Conflict,
    equation::Id,
    record::{Affine, AxisMap, Digit, Index, LoopId, Record, Term},
};

/// The number of elements of some axes: a number, times sizes that stay symbolic, in order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Elements(u64, Vec<Size>);

impl Elements {
    const ONE: Elements = Elements(1, Vec::new());

    fn times(mut self, size: Size) -> Option<Elements> {
        match size.kind() {
            SizeKind::Int(count) => self.0 = self.0.checked_mul(count)?,
            SizeKind::Symbol(_) | SizeKind::Computed(_) => {
                let place = self.1.binary_search(&size).unwrap_or_else(|place| place);
                self.1.insert(place, size);
            }
        }
        Some(self)
    }
}

/// The record of a reshape from the operand's shape to the result's, axes in memory order.
///
/// ```
/// use lozenge_core::{project::reshape, size::Size};
///
/// let sizes = |sizes: &[u64]| sizes.iter().map(|n| Size::int(*n).unwrap()).collect::<Vec<_>>();
/// let record = reshape(&sizes(&[4, 3]), &sizes(&[2, 6]))?;
/// assert_eq!(record.to_string(), "(i0:2, i1:2, i2:3) -> [2*i0+i1, i2]; [i0, 3*i1+i2]");
/// let record = reshape(&sizes(&[3, 4]), &sizes(&[2, 6]))?;
/// assert_eq!(record.to_string(), "(i0:12) -> [i0/4, i0%4]; [i0/6, i0%6]");
/// # Ok::<(), lozenge_core::project::Conflict>(())
/// ```
///
/// # Errors
/// When the shapes have different numbers of elements, or the same only if a size that stays symbolic is moved past
/// another axis.
pub fn reshape(result: &[Size], operand: &[Size]) -> Result<Record, Conflict> {
    let mut loops = Loops { extents: vec![], axes: vec![] };
    let both = [result, operand];
    loops.axes.extend(both.iter().flat_map(|shape| {
        shape.iter().map(|size| AxisMap { index: Index::Fix(0), size: *size, margin: None })
    }));
    if both.iter().all(|shape| shape.contains(&Size::ZERO)) {
        // Nothing is ever copied, whatever the other axes are.
        let id = loops.run(Size::ZERO);
        for axis in loops.axes.iter_mut().filter(|axis| axis.size == Size::ZERO) {
            axis.index = Index::Iter(id);
        }
    } else {
        for [in_result, in_operand] in blocks(result, operand)? {
            loops.block(in_result, in_operand.map(|axis| axis + result.len()))?;
        }
    }
    let end = |axes: usize| u32::try_from(axes).map_err(|_| Conflict::Overflow);
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
fn blocks(result: &[Size], operand: &[Size]) -> Result<Vec<[Block; 2]>, Conflict> {
    // How many elements the axes up to each have: as the axes have more than one, always more.
    let cuts = |shape: &[Size]| {
        let mut before = Elements::ONE;
        let mut cuts = vec![];
        for (axis, size) in shape.iter().enumerate().filter(|(_, size)| **size != Size::ONE) {
            before = before.times(*size).ok_or(Conflict::Overflow)?;
            cuts.push((before.clone(), axis));
        }
        Ok(cuts)
    };
    let (ours, theirs) = (cuts(result)?, cuts(operand)?);
    let places: BTreeMap<&Elements, usize> =
        theirs.iter().enumerate().map(|(place, (elements, _))| (elements, place)).collect();
    let axes = |cuts: &[(Elements, usize)]| Block(cuts.iter().map(|(_, axis)| *axis).collect());
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
        // A size that is computed from others is not seen to be their product here.
        let open = result.iter().chain(operand).position(|size| size.count().is_none());
        let open = open.and_then(|place| u32::try_from(place).ok());
        return Err(open.map_or(Conflict::Recounted, |place| Conflict::Symbolic(Id(place))));
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
        LoopId(u32::try_from(self.extents.len() - 1).unwrap_or(u32::MAX))
    }

    fn block(&mut self, result: Block, operand: Block) -> Result<(), Conflict> {
        if let ([one], [other]) = (&result.0[..], &operand.0[..]) {
            let id = self.run(self.axes[*one].size);
            self.axes[*one].index = Index::Iter(id);
            self.axes[*other].index = Index::Iter(id);
            return Ok(());
        }
        let result = self.strides(result)?;
        let operand = self.strides(operand)?;
        let mut strides: Vec<u64> = result.iter().chain(&operand).map(|axis| axis.1).collect();
        strides.sort_unstable_by(|one, other| other.cmp(one));
        strides.dedup();
        let all = result.first().map_or(1, |(_, stride, size)| stride * size);
        let is_chain = strides.windows(2).all(|pair| pair[0] % pair[1] == 0);
        let extent = |count: u64| Size::int(count).map_err(|_| Conflict::Overflow);
        if is_chain {
            let mut above = all;
            let mut refined: Vec<(LoopId, u64)> = vec![];
            for stride in strides {
                refined.push((self.run(extent(above / stride)?), stride));
                above = stride;
            }
            for (axis, stride, size) in result.into_iter().chain(operand) {
                self.axes[axis].index = summed(&refined, stride, size)?;
            }
        } else {
            let of = self.run(extent(all)?);
            for (axis, divisor, size) in result.into_iter().chain(operand) {
                let modulus = (divisor * size < all).then_some(size);
                self.axes[axis].index = Index::Digit(Digit { of, divisor, modulus });
            }
        }
        Ok(())
    }

    /// The axes of a block with their strides in it and their sizes.
    fn strides(&self, block: Block) -> Result<Vec<(usize, u64, u64)>, Conflict> {
        let mut stride = 1_u64;
        let mut strides = Vec::with_capacity(block.0.len());
        for axis in block.0.into_iter().rev() {
            let place = Id(u32::try_from(axis).unwrap_or(u32::MAX));
            let size = self.axes[axis].size.count().ok_or(Conflict::Symbolic(place))?;
            strides.push((axis, stride, size));
            stride = stride.checked_mul(size).ok_or(Conflict::Overflow)?;
        }
        strides.reverse();
        Ok(strides)
    }
}

/// The index of an axis over the loops of a refinement: those whose strides are at least its own, and below the next.
fn summed(refined: &[(LoopId, u64)], stride: u64, size: u64) -> Result<Index, Conflict> {
    let mut terms = SmallVec::new();
    for (id, own) in refined.iter().filter(|(_, own)| *own >= stride && *own < stride * size) {
        let coefficient = i64::try_from(own / stride).map_err(|_| Conflict::Overflow)?;
        terms.push((coefficient, Term::Loop(*id)));
    }
    Affine { terms, offset: 0 }.try_into()
}
