//! Theorem 7.4 for sets of equations: when the solver fails, and what it finds.

use anyhow::ensure;
use lozenge_calculus::size::Size;
use lozenge_project::{
    AxisId, NoLoops, Supplied, SymbolId,
    testing::{Classes, Equation, IndexTerm},
};

use crate::{Generator, mismatch::counts};

use super::plain::least_equivalence;

counts! {
    /// Counts of sets that were solved, and of those that failed, by the reason.
    pub struct Solved {
        pub fine: u64,
        pub sizes: u64,
        pub pins: u64,
        pub supplied: u64,
    }
}

fn supplied(rng: &mut Generator) -> Supplied {
    match rng.u8(..4) {
        0 => Supplied::Symbol(SymbolId(rng.u32(..2))),
        _ => Supplied::Fix(rng.u64(..2)),
    }
}

fn equation(rng: &mut Generator, ids: u32) -> Equation {
    let proj = |rng: &mut Generator| IndexTerm::Proj(AxisId(rng.u32(..ids)));
    match rng.u8(..16) {
        0..=6 => Equation::Eq(proj(rng), proj(rng)),
        7 | 8 => Equation::Eq(proj(rng), IndexTerm::Sol(supplied(rng))),
        9 => Equation::Eq(IndexTerm::Sol(supplied(rng)), proj(rng)),
        10 if rng.u8(..3) == 0 => {
            Equation::Eq(IndexTerm::Sol(supplied(rng)), IndexTerm::Sol(supplied(rng)))
        }
        11 => Equation::Iter(IndexTerm::Sol(supplied(rng))),
        _ => Equation::Iter(proj(rng)),
    }
}

pub(super) fn check(rng: &mut Generator, counts: &mut Solved) -> anyhow::Result<()> {
    let ids = rng.u32(1..=8);
    let several = rng.bool();
    let size = |rng: &mut Generator| Size::int(if several { rng.u64(2..=3) } else { 2 });
    let sizes: Vec<Size> = (0..ids).map(|_| size(rng).unwrap_or(Size::ZERO)).collect();
    let mut equations: Vec<Equation> = (0..rng.usize(..=10)).map(|_| equation(rng, ids)).collect();
    one(&sizes, &equations, counts)?;
    for _ in 0..2 {
        rng.shuffle(&mut equations);
        for equation in &mut equations {
            if let (Equation::Eq(one, other), true) = (&*equation, rng.bool()) {
                *equation = Equation::Eq(*other, *one); // it is symmetric
            }
        }
        one(&sizes, &equations, &mut Solved::default())?;
    }
    Ok(())
}

fn one(sizes: &[Size], equations: &[Equation], counts: &mut Solved) -> anyhow::Result<()> {
    let mut pairs = vec![];
    let mut pins: Vec<(usize, Supplied)> = vec![];
    let mut visited = vec![];
    let mut disagree = false;
    for equation in equations {
        match *equation {
            Equation::Eq(IndexTerm::Proj(p), IndexTerm::Proj(q)) => {
                pairs.push([p, q].map(|id| id.0 as usize));
            }
            Equation::Eq(IndexTerm::Proj(p), IndexTerm::Sol(i))
            | Equation::Eq(IndexTerm::Sol(i), IndexTerm::Proj(p)) => {
                pins.push((p.0 as usize, i));
            }
            Equation::Eq(IndexTerm::Sol(i), IndexTerm::Sol(j)) => disagree |= i != j,
            Equation::Iter(IndexTerm::Proj(p)) => visited.push(p.0 as usize),
            Equation::Iter(IndexTerm::Sol(_)) => {}
        }
    }
    let class = least_equivalence(sizes.len(), &pairs);
    let two_sizes = (0..sizes.len()).any(|id| sizes[id] != sizes[class[id]]);
    let of =
        |id: usize| pins.iter().filter(|(p, _)| class[*p] == class[id]).map(|(_, i)| *i).collect();
    let pinned: Vec<Vec<Supplied>> = (0..sizes.len()).map(of).collect();
    let two_pins = pinned.iter().any(|pins| pins.iter().any(|pin| *pin != pins[0]));
    match Classes::solve(sizes, equations) {
        Err(conflict) => {
            let is_so = match conflict {
                NoLoops::Sizes(_) => two_sizes,
                NoLoops::Pins(..) => two_pins,
                NoLoops::Supplied(_) => disagree,
                _ => false,
            };
            ensure!(is_so, "{sizes:?} {equations:?}: {conflict:?}");
            match conflict {
                NoLoops::Sizes(_) => counts.sizes += 1,
                NoLoops::Pins(..) => counts.pins += 1,
                _ => counts.supplied += 1,
            }
        }
        Ok(classes) => {
            ensure!(
                !two_sizes && !two_pins && !disagree,
                "{sizes:?} {equations:?} should fail: {two_sizes} {two_pins} {disagree}"
            );
            for (id, least) in (0..).map(AxisId).zip(&class) {
                let found = classes.class(id);
                let place = id.0 as usize;
                let iterated = visited.iter().any(|other| class[*other] == *least);
                ensure!(
                    found.0 as usize == *least
                        && classes.size(found) == sizes[place]
                        && classes.pinned(found) == pinned[place].first().copied()
                        && classes.is_iterated(found) == iterated,
                    "{sizes:?} {equations:?}: {id:?} is {found:?}"
                );
            }
            counts.fine += 1;
        }
    }
    Ok(())
}
