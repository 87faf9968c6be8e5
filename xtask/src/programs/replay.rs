//! A program that was drawn, built again with the steps that are refused, for whoever reads what is said of them.

use lozenge::{Rejection, Session};

use super::{
    build::{Built, Made},
    draw::Drawn,
    examine::with_step,
    spelling::Spelling,
};

/// Builds a program that was drawn, and tells what is said of each step that is refused on the way.
pub(crate) fn replayed(drawn: &Drawn, mut refused: impl FnMut(&Rejection)) -> Session {
    let steps = &drawn.program.steps;
    let mut built = Built::nothing(0);
    let spelling = Spelling::plain(&drawn.program);
    for place in 0..=steps.len() {
        built.made.push(Made::Nothing);
        for (_, step) in drawn.refused.iter().filter(|(before, _)| *before == place) {
            let tried = with_step(&drawn.program, place, step);
            if let Err(rejection) = built.add(&Spelling::plain(&tried), place) {
                refused(&rejection);
            }
        }
        if place < steps.len() {
            match built.add(&spelling, place) {
                Ok(made) => built.made[place] = made,
                Err(rejection) => refused(&rejection),
            }
        }
    }
    built.session
}
