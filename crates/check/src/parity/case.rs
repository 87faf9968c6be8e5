//! An operation with its numbers, which both sides get, and what its numbers alone say.

use lozenge::diagnostic::Code;
use serde::Serialize;

use crate::{
    Generator,
    border::{Border, Slide},
};

/// An operation and its numbers. Channels are last, as the axes of memory are read.
#[derive(Serialize, Debug)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub enum Case {
    /// Of `[batch, sizes.., channels]` with `[kernels.., read, written]`.
    Convolution { batch: u64, windows: Vec<Window>, channels: u64, read: u64, written: u64 },
    /// Of `[batch, sizes.., channels]`.
    Pool { batch: u64, windows: Vec<Window>, channels: u64 },
    /// Along an axis that is there.
    Concatenate { shapes: Vec<Vec<u64>>, axis: usize },
    /// Along a new axis.
    Stack { shapes: Vec<Vec<u64>>, axis: usize },
    /// Of an axis into parts that fill it.
    Split { shape: Vec<u64>, axis: usize, parts: Vec<u64> },
    /// Of `[batch, sizes.., channels]`, a block after another among the channels.
    SpaceToDepth { batch: u64, sizes: Vec<u64>, blocks: Vec<u64>, channels: u64 },
    /// The way back.
    DepthToSpace { batch: u64, sizes: Vec<u64>, blocks: Vec<u64>, channels: u64 },
}

/// A window that slides along an axis of this size.
#[derive(Serialize, Clone, Copy, Debug)]
pub struct Window {
    pub size: u64,
    #[serde(flatten)]
    pub slide: Slide,
    pub offset: u64,
}

/// What JAX and Lozenge should say, by the numbers alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// The same shapes.
    Shapes,
    /// JAX gives shapes where Lozenge has this to say, as documented.
    Documented(Code),
    /// Neither gives a shape, and Lozenge says this.
    Refused(Code),
}

/// The share of cases, in percent, that are drawn so that they do not fit.
const UNFIT: u8 = 20;

/// The most that a case may have: places of a window, elements of a batch, windows.
#[derive(Clone, Copy)]
pub struct Limits {
    steps: u64,
    batch: u64,
    windows: u8,
}

impl Limits {
    /// Where shapes are compared.
    pub const SHAPES: Limits = Limits { steps: 64, batch: 16, windows: 3 };
    /// Where values are.
    pub const VALUES: Limits = Limits { steps: 5, batch: 3, windows: 2 };
}

impl Window {
    fn draw(rng: &mut Generator, limits: Limits) -> Window {
        loop {
            let (stride, dilation, kernel) = (rng.u64(1..=4), rng.u64(1..=3), rng.u64(1..=7));
            let mut border = Border::draw(rng, 5);
            if rng.bool() {
                border.margins = [0; 2];
            }
            let slide = Slide { border, stride, dilation, kernel };
            let offset = if rng.bool() { rng.u64(..stride) } else { 0 };
            let size = slide.size(rng.u64(1..=limits.steps), rng.u64(..stride));
            if let Some(size) = size {
                return Window { size, slide, offset };
            }
        }
    }

    /// One that does not fit: a part of a step is left that may not be, or no window lies there.
    fn draw_unfit(rng: &mut Generator, limits: Limits) -> Window {
        loop {
            let window = Window::draw(rng, limits);
            let past = window.size + rng.u64(1..=4);
            let size = if rng.bool() { rng.u64(1..=window.slide.span()) } else { past };
            let window = Window { size, ..window };
            if !window.fits() {
                return window;
            }
        }
    }

    fn fits(&self) -> bool {
        self.slide.places(self.size).is_some()
    }
}

impl Case {
    /// Any of the operations, with numbers that mostly fit.
    pub fn draw(rng: &mut Generator) -> Case {
        let unfit = rng.u8(..100) < UNFIT;
        match rng.u8(..10) {
            0..=4 => Case::draw_windows(rng, unfit, Limits::SHAPES),
            5 => {
                let mut shapes = draw_shapes(rng, 1);
                let axis = rng.usize(..shapes[0].len());
                for shape in &mut shapes {
                    shape[axis] = rng.u64(1..=9);
                }
                if unfit && shapes[0].len() > 1 {
                    let other = (axis + 1) % shapes[0].len();
                    shapes[0][other] += 1;
                }
                Case::Concatenate { shapes, axis }
            }
            6 => {
                let mut shapes = draw_shapes(rng, 0);
                let axis = rng.usize(..=shapes[0].len());
                if let Some(size) = shapes[0].first_mut().filter(|_| unfit) {
                    *size += 1;
                }
                Case::Stack { shapes, axis }
            }
            7 => {
                let mut shape = draw_shapes(rng, 1).swap_remove(0);
                let axis = rng.usize(..shape.len());
                let parts: Vec<u64> = (0..rng.u8(2..=5)).map(|_| rng.u64(1..=9)).collect();
                shape[axis] = parts.iter().sum();
                Case::Split { shape, axis, parts }
            }
            way => draw_blocks(rng, unfit, way == 8),
        }
    }

    /// A convolution, or a pool.
    pub fn draw_windows(rng: &mut Generator, unfit: bool, limits: Limits) -> Case {
        let [batch, channels, written] = [0; 3].map(|_| rng.u64(1..=limits.batch));
        if rng.u8(..5) < 2 {
            return Case::Pool { batch, windows: draw_windows(rng, unfit, limits), channels };
        }
        // Of those that do not fit, a few have a kernel for other channels.
        let other_channels = unfit && rng.u8(..4) == 0;
        let windows = draw_windows(rng, unfit && !other_channels, limits);
        let read = channels + u64::from(other_channels);
        Case::Convolution { batch, windows, channels, read, written }
    }

    /// The operation's name.
    pub fn name(&self) -> &'static str {
        match self {
            Case::Convolution { .. } => "convolution",
            Case::Pool { .. } => "pool",
            Case::Concatenate { .. } => "concatenate",
            Case::Stack { .. } => "stack",
            Case::Split { .. } => "split",
            Case::SpaceToDepth { .. } => "space to depth",
            Case::DepthToSpace { .. } => "depth to space",
        }
    }

    /// What should come of the case.
    pub fn expected(&self) -> Expected {
        let fit = |windows: &[Window]| windows.iter().all(Window::fits);
        let same = |one: &[u64], two: &[u64], but: Option<usize>| {
            one.iter().zip(two).enumerate().all(|(place, (a, b))| a == b || Some(place) == but)
        };
        let (fits, otherwise) = match self {
            Case::Convolution { channels, read, .. } if channels != read => {
                (false, Expected::Refused(Code::SizeMismatch))
            }
            Case::Convolution { windows, .. } | Case::Pool { windows, .. } => {
                (fit(windows), Expected::Documented(Code::StrideMismatch))
            }
            Case::Concatenate { shapes, axis } => {
                let fits = shapes.iter().all(|shape| same(shape, &shapes[0], Some(*axis)));
                (fits, Expected::Refused(Code::SizeMismatch))
            }
            Case::Stack { shapes, .. } => {
                let fits = shapes.iter().all(|shape| same(shape, &shapes[0], None));
                (fits, Expected::Refused(Code::SizeMismatch))
            }
            Case::Split { .. } => return Expected::Shapes,
            Case::SpaceToDepth { sizes, blocks, .. } => {
                let fits = sizes.iter().zip(blocks).all(|(size, block)| size % block == 0);
                (fits, Expected::Refused(Code::MergeMismatch))
            }
            Case::DepthToSpace { blocks, channels, .. } => {
                let fits = channels % blocks.iter().product::<u64>() == 0;
                (fits, Expected::Refused(Code::MergeMismatch))
            }
        };
        if fits { Expected::Shapes } else { otherwise }
    }

    /// The shapes of the results, where everything fits.
    pub fn shapes(&self) -> Option<Vec<Vec<u64>>> {
        let slid = |windows: &[Window]| -> Option<Vec<u64>> {
            let places = windows.iter().map(|window| window.slide.places(window.size));
            places.map(|places| u64::try_from(places?.len()).ok()).collect()
        };
        let image = |batch: u64, sizes: Vec<u64>, channels: u64| {
            vec![[&[batch][..], &sizes, &[channels]].concat()]
        };
        let paired = |sizes: &[u64], blocks: &[u64], of: fn(u64, u64) -> u64| {
            sizes.iter().zip(blocks).map(|(size, block)| of(*size, *block)).collect()
        };
        Some(match self {
            Case::Convolution { batch, windows, written, .. } => {
                image(*batch, slid(windows)?, *written)
            }
            Case::Pool { batch, windows, channels } => image(*batch, slid(windows)?, *channels),
            Case::Concatenate { shapes, axis } => {
                let mut shape = shapes[0].clone();
                shape[*axis] = shapes.iter().map(|shape| shape[*axis]).sum();
                vec![shape]
            }
            Case::Stack { shapes, axis } => {
                let mut shape = shapes[0].clone();
                shape.insert(*axis, u64::try_from(shapes.len()).ok()?);
                vec![shape]
            }
            Case::Split { shape, axis, parts } => {
                let part = |size: &u64| {
                    let mut shape = shape.clone();
                    shape[*axis] = *size;
                    shape
                };
                parts.iter().map(part).collect()
            }
            Case::SpaceToDepth { batch, sizes, blocks, channels } => {
                let small = paired(sizes, blocks, |size, block| size / block);
                image(*batch, small, channels * blocks.iter().product::<u64>())
            }
            Case::DepthToSpace { batch, sizes, blocks, channels } => {
                let large = paired(sizes, blocks, |size, block| size * block);
                image(*batch, large, channels / blocks.iter().product::<u64>())
            }
        })
    }
}

/// A few, of which one does not fit where that is asked for.
fn draw_windows(rng: &mut Generator, unfit: bool, limits: Limits) -> Vec<Window> {
    let count = rng.u8(1..=limits.windows);
    let mut windows: Vec<_> = (0..count).map(|_| Window::draw(rng, limits)).collect();
    if unfit {
        let axis = rng.usize(..windows.len());
        windows[axis] = Window::draw_unfit(rng, limits);
    }
    windows
}

/// Two to four times the same shape, with so many axes at least.
fn draw_shapes(rng: &mut Generator, least: u8) -> Vec<Vec<u64>> {
    let shape: Vec<u64> = (0..rng.u8(least..=5)).map(|_| rng.u64(1..=9)).collect();
    vec![shape; rng.usize(2..=4)]
}

fn draw_blocks(rng: &mut Generator, unfit: bool, to_depth: bool) -> Case {
    let (batch, mut channels) = (rng.u64(1..=32), rng.u64(1..=16));
    let axes = rng.u8(1..=3);
    let blocks: Vec<u64> = (0..axes).map(|_| rng.u64(2..=4)).collect();
    let mut sizes: Vec<u64> = (0..axes).map(|_| rng.u64(1..=9)).collect();
    if to_depth {
        for (size, block) in sizes.iter_mut().zip(&blocks) {
            *size *= block;
        }
        sizes[0] += u64::from(unfit);
        Case::SpaceToDepth { batch, sizes, blocks, channels }
    } else {
        channels = channels * blocks.iter().product::<u64>() + u64::from(unfit);
        Case::DepthToSpace { batch, sizes, blocks, channels }
    }
}
