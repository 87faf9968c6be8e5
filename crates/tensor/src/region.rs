//! The regions of a program, in the order in which they run.

/// A part of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Region {
    /// What runs once, before everything: initial values of parameters, of data, of what is kept.
    Initialise,
    /// The expressions.
    Forward,
    /// What sets every gradient to the number that it begins with: 1 for what is differentiated, 0
    /// for the others.
    ZeroGradients,
    /// What accumulates gradients.
    Backward,
    /// What changes parameters and what is kept from step to step.
    Update,
}

impl Region {
    /// All of them, in order.
    pub const ALL: [Region; 5] = [
        Region::Initialise,
        Region::Forward,
        Region::ZeroGradients,
        Region::Backward,
        Region::Update,
    ];

    /// Its name, as it is printed.
    pub const fn name(self) -> &'static str {
        match self {
            Region::Initialise => "initialise",
            Region::Forward => "forward",
            Region::ZeroGradients => "zero gradients",
            Region::Backward => "backward",
            Region::Update => "update",
        }
    }
}
