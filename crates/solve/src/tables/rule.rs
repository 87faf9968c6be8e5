//! The rules by their names, and the two classes of what they do.

use core::fmt;

/// The rules of the calculus, in its order. `Display` gives the name used in the documents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Rule {
    /// `t = t`.
    DeRefl,
    /// Two different dimensions are equated.
    DeClash,
    /// A variable is equated with a term.
    DeBind,
    /// Everything refines the claim-free unit.
    DiTop,
    /// `t ⊑ t`.
    DiRefl,
    /// Two dimensions, compared.
    DiGround,
    /// Below an atom there is only that atom.
    DiPin,
    /// The claim-free unit refines only itself.
    DiPinTop,
    /// An atom below a variable; two different ones make it the unit.
    DiCap,
    /// A variable below a variable.
    DiAdj,
    /// A cycle of adjacencies.
    DiAntisym,
    /// Two closed rows are equated.
    ReClosed,
    /// An open row is equated with a closed one.
    ReOpenClosed,
    /// Two open rows are equated, one of which has the longer flank on both sides.
    ReNested,
    /// Two open rows are equated, each of which has one longer flank.
    ReCross,
    /// The same variable on both sides, with nothing around it.
    ReSameEmpty,
    /// The same variable on both sides, with more around it on one of them.
    ReSameOccurs,
    /// The same variable on both sides, shifted.
    ReSameRot,
    /// The operand is closed.
    RiClosedOp,
    /// The result is closed and shorter than the flanks of the operand.
    RiShortClosed,
    /// What the result has beyond the flanks of the operand is below the operand's variable.
    RiCap,
    /// A row variable below a row variable.
    RiAdj,
    /// A cycle of adjacencies between rows.
    RiAntisym,
    /// A flank of the result is too short, and none too long.
    RiDeficit,
    /// The result is too short on one side and too long on the other.
    RiShift,
    /// The same variable on both sides.
    RiSelf,
    /// The ranks that all row constraints together ask for.
    Ranks,
    /// A relation between sizes leaves one value.
    SizeSolve,
    /// A relation between sizes leaves none.
    SizeClash,
    /// A relation between sizes gives a variable a least size.
    SizeBound,
    /// A relation between sizes holds, or cannot be decided yet.
    SizeKeep,
}

/// Whether a step follows from the constraints, or also chooses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Every marked solution survives it.
    Semantic,
    /// It also chooses where a marker stands.
    Policy,
}

impl Rule {
    /// All rules, in order.
    pub const ALL: [Rule; 31] = [
        Rule::DeRefl,
        Rule::DeClash,
        Rule::DeBind,
        Rule::DiTop,
        Rule::DiRefl,
        Rule::DiGround,
        Rule::DiPin,
        Rule::DiPinTop,
        Rule::DiCap,
        Rule::DiAdj,
        Rule::DiAntisym,
        Rule::ReClosed,
        Rule::ReOpenClosed,
        Rule::ReNested,
        Rule::ReCross,
        Rule::ReSameEmpty,
        Rule::ReSameOccurs,
        Rule::ReSameRot,
        Rule::RiClosedOp,
        Rule::RiShortClosed,
        Rule::RiCap,
        Rule::RiAdj,
        Rule::RiAntisym,
        Rule::RiDeficit,
        Rule::RiShift,
        Rule::RiSelf,
        Rule::Ranks,
        Rule::SizeSolve,
        Rule::SizeClash,
        Rule::SizeBound,
        Rule::SizeKeep,
    ];

    /// The name that the documents use.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::DeRefl => "DE-refl",
            Rule::DeClash => "DE-clash",
            Rule::DeBind => "DE-bind",
            Rule::DiTop => "DI-top",
            Rule::DiRefl => "DI-refl",
            Rule::DiGround => "DI-ground",
            Rule::DiPin => "DI-pin",
            Rule::DiPinTop => "DI-pin-top",
            Rule::DiCap => "DI-cap",
            Rule::DiAdj => "DI-adj",
            Rule::DiAntisym => "DI-antisym",
            Rule::ReClosed => "RE-closed",
            Rule::ReOpenClosed => "RE-open-closed",
            Rule::ReNested => "RE-nested",
            Rule::ReCross => "RE-cross",
            Rule::ReSameEmpty => "RE-same-empty",
            Rule::ReSameOccurs => "RE-same-occurs",
            Rule::ReSameRot => "RE-same-rot",
            Rule::RiClosedOp => "RI-closed-op",
            Rule::RiShortClosed => "RI-short-closed",
            Rule::RiCap => "RI-cap",
            Rule::RiAdj => "RI-adj",
            Rule::RiAntisym => "RI-antisym",
            Rule::RiDeficit => "RI-deficit",
            Rule::RiShift => "RI-shift",
            Rule::RiSelf => "RI-self",
            Rule::Ranks => "ranks",
            Rule::SizeSolve => "size-solve",
            Rule::SizeClash => "size-clash",
            Rule::SizeBound => "size-bound",
            Rule::SizeKeep => "size-keep",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
