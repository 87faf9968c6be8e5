//! The operations that have gradients: each is drawn on a tensor that is there.

use super::{draw::Drawing, entries, specs};

/// An operation of the table.
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// Applies it to a tensor, with other operands as it needs them; `None` where it does not suit.
    pub(super) draw: fn(&mut Drawing<'_>, usize) -> Option<usize>,
    /// Whether compositions have it less often.
    pub(super) is_rare: bool,
}

/// Rows of the table: a name, and what draws the operation.
macro_rules! entries {
    ($($name:literal $($rare:ident)? : $draw:expr,)*) => {
        &[$(Entry { name: $name, draw: $draw, is_rare: rare!($($rare)?) }),*]
    };
}

macro_rules! rare {
    () => {
        false
    };
    (rare) => {
        true
    };
}

/// Every operation that has gradients.
pub(super) const ENTRIES: &[Entry] = entries! {
    "relu": |d, x| entries::unary(d, "relu", x),
    "sat01" rare: |d, x| entries::unary(d, "sat01", x),
    "exp" rare: |d, x| entries::unary(d, "exp", x),
    "log" rare: |d, x| entries::of_positive(d, "log", x),
    "exp2" rare: |d, x| entries::unary(d, "exp2", x),
    "log2" rare: |d, x| entries::of_positive(d, "log2", x),
    "sin": |d, x| entries::unary(d, "sin", x),
    "cos": |d, x| entries::unary(d, "cos", x),
    "sqrt" rare: |d, x| entries::of_positive(d, "sqrt", x),
    "recip" rare: |d, x| entries::of_positive(d, "recip", x),
    "recip_sqrt" rare: |d, x| entries::of_positive(d, "recip_sqrt", x),
    "neg" rare: |d, x| entries::unary(d, "neg", x),
    "tanh": |d, x| entries::unary(d, "tanh", x),
    "trunc: none" rare: |d, x| entries::unary(d, "trunc", x),
    "arg1" rare: |d, x| entries::binary(d, "arg1", x),
    "arg2" rare: |d, x| entries::binary(d, "arg2", x),
    "add": |d, x| entries::binary(d, "add", x),
    "sub": |d, x| entries::binary(d, "sub", x),
    "mul": |d, x| entries::binary(d, "mul", x),
    "div" rare: |d, x| entries::by_positive(d, "div", x),
    "pow" rare: entries::power,
    "pow by a number" rare: entries::power_by_number,
    "relu_gate" rare: |d, x| entries::binary(d, "relu_gate", x),
    "sat01_gate" rare: |d, x| entries::binary(d, "sat01_gate", x),
    "mod" rare: |d, x| entries::by_positive(d, "mod", x),
    "max": |d, x| entries::binary(d, "max", x),
    "min": |d, x| entries::binary(d, "min", x),
    "where": |d, x| entries::ternary(d, "where", x),
    "fma" rare: |d, x| entries::ternary(d, "fma", x),
    "mul3" rare: |d, x| entries::ternary(d, "mul3", x),
    "stretching 1_": |d, x| entries::stretched(d, x),
    "stretching to more axes": |d, x| entries::longer(d, x),
    "minus its mean": entries::centred,
    "a number": entries::with_number,
    "compose: left": entries::composed_left,
    "compose: right": entries::composed_right,
    "transpose": entries::transpose,
    "reshape to a shape": |d, x| entries::reshape(d, x, true),
    "reshape by its use" rare: |d, x| entries::reshape(d, x, false),
    "concat": entries::concat,
    "stack": entries::stack,
    "interleave": entries::interleave,
    "gather": entries::gather,
    "mean": entries::mean,
    "count of elements" rare: entries::count,
    "size of an axis" rare: entries::size,
    "stop_gradient: none" rare: entries::stop,
    "conversion" rare: entries::convert,
    "update add": |d, x| entries::update(d, "add", x),
    "update subtract": |d, x| entries::update(d, "subtract", x),
    "update set" rare: |d, x| entries::update(d, "set", x),
    "=+": |d, x| specs::reduced(d, "sum", x),
    "=-" rare: |d, x| specs::reduced(d, "subtract", x),
    "=*": |d, x| specs::reduced(d, "product", x),
    "=/" rare: |d, x| specs::reduced(d, "divide", x),
    "=@^": |d, x| specs::reduced(d, "max", x),
    "=@-": |d, x| specs::reduced(d, "min", x),
    "permutation": specs::permuted,
    "contraction": specs::contraction,
    "contraction of three": specs::of_three,
    "inner product with itself": specs::with_itself,
    "diagonal": |d, x| specs::diagonal(d, x, true),
    "trace": |d, x| specs::diagonal(d, x, false),
    "diagonal, written" rare: specs::diagonal_written,
    "fixed index": specs::fixed,
    "fixed index, written" rare: specs::fixed_written,
    "stride" rare: specs::stride,
    "window summed": |d, x| specs::window(d, "sum", x),
    "window multiplied": |d, x| specs::window(d, "product", x),
    "window max": |d, x| specs::window(d, "max", x),
    "window min": |d, x| specs::window(d, "min", x),
    "windows kept": specs::windows_kept,
    "convolution": |d, x| specs::convolution(d, false, x),
    "tropical": |d, x| specs::convolution(d, true, x),
    "tropical product of matrices": specs::tropical,
    "merged": specs::merged,
    "split": specs::split,
    "repeated": specs::repeated,
    "slice": specs::slice,
    "padding": specs::padding,
    "concatenation": specs::concatenation,
    "any specification": specs::any,
};
