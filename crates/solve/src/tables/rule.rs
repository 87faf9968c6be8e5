//! The rules by their names, and the two classes of what they do.

use core::fmt;

/// Makes the type of the rules, the list of all of them and their names from one list.
macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $name:literal,)*) => {
        /// The rules of the calculus, in its order. `Display` gives the name used in the documents.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// All rules, in order.
            pub const ALL: [Rule; [$($name),*].len()] = [$(Rule::$rule),*];

            /// The name that the documents use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Rule::$rule => $name,)*
                }
            }
        }
    };
}

rules! {
    /// `t = t`.
    DeRefl = "DE-refl",
    /// Two different dimensions are equated.
    DeClash = "DE-clash",
    /// A variable is equated with a term.
    DeBind = "DE-bind",
    /// Everything refines the claim-free unit.
    DiTop = "DI-top",
    /// `t ⊑ t`.
    DiRefl = "DI-refl",
    /// Two dimensions, compared.
    DiGround = "DI-ground",
    /// Below an atom there is only that atom.
    DiPin = "DI-pin",
    /// The claim-free unit refines only itself.
    DiPinTop = "DI-pin-top",
    /// An atom below a variable; two different ones make it the unit.
    DiCap = "DI-cap",
    /// A variable below a variable.
    DiAdj = "DI-adj",
    /// A cycle of adjacencies.
    DiAntisym = "DI-antisym",
    /// Two closed rows are equated.
    ReClosed = "RE-closed",
    /// An open row is equated with a closed one.
    ReOpenClosed = "RE-open-closed",
    /// Two open rows are equated, one of which has the longer flank on both sides.
    ReNested = "RE-nested",
    /// Two open rows are equated, each of which has one longer flank.
    ReCross = "RE-cross",
    /// The same variable on both sides, with nothing around it.
    ReSameEmpty = "RE-same-empty",
    /// The same variable on both sides, with more around it on one of them.
    ReSameOccurs = "RE-same-occurs",
    /// The same variable on both sides, shifted.
    ReSameRot = "RE-same-rot",
    /// The operand is closed.
    RiClosedOp = "RI-closed-op",
    /// The result is closed and shorter than the flanks of the operand.
    RiShortClosed = "RI-short-closed",
    /// What the result has beyond the flanks of the operand is below the operand's variable.
    RiCap = "RI-cap",
    /// A row variable below a row variable.
    RiAdj = "RI-adj",
    /// A cycle of adjacencies between rows.
    RiAntisym = "RI-antisym",
    /// A flank of the result is too short, and none too long.
    RiDeficit = "RI-deficit",
    /// The result is too short on one side and too long on the other.
    RiShift = "RI-shift",
    /// The same variable on both sides.
    RiSelf = "RI-self",
    /// The ranks that all row constraints together ask for.
    Ranks = "ranks",
    /// A relation between sizes leaves one value.
    SizeSolve = "size-solve",
    /// A relation between sizes leaves none.
    SizeClash = "size-clash",
    /// A relation between sizes gives a variable a least size.
    SizeBound = "size-bound",
    /// A relation between sizes holds, or cannot be decided yet.
    SizeKeep = "size-keep",
}

/// Whether a step follows from the constraints, or also chooses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Every marked solution survives it.
    Semantic,
    /// It also chooses where a marker stands.
    Policy,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
