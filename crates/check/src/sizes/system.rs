//! Random systems of relations between sizes, with a meaning of their own: nothing here knows how
//! `lozenge-calculus` computes.

use std::fmt::Write as _;

use lozenge_calculus::{
    constraint::{Constraint, Count, OriginId, Part, Relation, SizeRelation},
    dim::Dim,
    term::{DimTerm, DimVar, RowTerm},
};

use crate::{
    Generator,
    border::{Border, Ends, Slide},
};

/// A system over the sizes of some variables.
pub(crate) struct System {
    /// Whether each variable may be 0.
    pub(crate) discardable: Vec<bool>,
    pub(crate) relations: Vec<Rel>,
}

/// A relation; variables by index.
#[derive(Clone, Debug)]
pub(crate) enum Rel {
    Known(usize, u64),
    Strided { whole: usize, stride: u64, over: usize, loose: bool },
    Window { whole: usize, stride: u64, over: usize, dilation: u64, kernel: usize, border: Border },
    Concat { whole: usize, parts: Vec<usize> },
    Merged { whole: usize, parts: Vec<usize> },
    Total { axes: Vec<usize>, divided_by: Vec<usize>, count: u64 },
    TotalStrided { axes: Vec<usize>, coefficient: u64, dim: usize, denominator: u64 },
    AtLeast(usize, u64),
}

impl Rel {
    /// Whether sizes satisfy it.
    pub(crate) fn holds(&self, sizes: &[u64]) -> bool {
        let product = |vars: &[usize]| vars.iter().map(|var| sizes[*var]).product::<u64>();
        match self {
            Rel::Known(var, n) => sizes[*var] == *n,
            Rel::Strided { whole, stride, over, loose: false } => {
                sizes[*whole] == stride * sizes[*over]
            }
            Rel::Strided { whole, stride, over, loose: true } => {
                sizes[*whole].div_ceil(*stride) == sizes[*over]
            }
            Rel::Window { whole, stride, over, dilation, kernel, border } => {
                // The kernel of a padded window may have none.
                let kernel = sizes[*kernel].max(u64::from(border.is_padded()));
                let (stride, dilation) = (*stride, *dilation);
                kernel > 0 && {
                    let slide = Slide { border: *border, stride, dilation, kernel };
                    let places = slide.places(sizes[*whole]).map_or(0, |places| places.len());
                    places > 0 && u64::try_from(places) == Ok(sizes[*over])
                }
            }
            Rel::Concat { whole, parts } => {
                sizes[*whole] == parts.iter().map(|part| sizes[*part]).sum::<u64>()
            }
            Rel::Merged { whole, parts } => sizes[*whole] == product(parts),
            Rel::Total { axes, divided_by, count } => product(axes) * product(divided_by) == *count,
            Rel::TotalStrided { axes, coefficient, dim, denominator } => {
                product(axes) * denominator == coefficient * sizes[*dim]
            }
            Rel::AtLeast(var, least) => sizes[*var] >= *least,
        }
    }

    /// In SMT-LIB.
    fn smt(&self) -> String {
        let sum = |vars: &[usize]| match vars {
            [] => "0".to_owned(),
            vars => format!("(+ 0 {})", names(vars)),
        };
        let product = |vars: &[usize]| match vars {
            [] => "1".to_owned(),
            vars => format!("(* 1 {})", names(vars)),
        };
        match self {
            Rel::Known(var, n) => format!("(= x{var} {n})"),
            Rel::Strided { whole, stride, over, loose } => {
                let ends = if *loose { Ends::PaddedLoose } else { Ends::Padded };
                steps(ends, *whole, *stride, *over)
            }
            Rel::Window { whole, stride, over, border, .. } if border.is_padded() => {
                steps(border.ends, *whole, *stride, *over)
            }
            Rel::Window { whole, stride, over, dilation, kernel, border } => {
                let number =
                    |n: i32| if n < 0 { format!("(- {})", n.abs()) } else { n.to_string() };
                let [left, right] = border.margins.map(number);
                let span = format!("(+ 1 (* {dilation} (- x{kernel} 1)))");
                let last = format!("(- (* {stride} (- x{over} 1)) {left})");
                let beyond = format!("(- (+ {last} {span}) (+ x{whole} {right}))");
                match border.ends {
                    Ends::Whole => format!("(< (- {stride}) {beyond} 1)"),
                    // The next one lacks a step, or does not begin on the axis.
                    Ends::Begun => format!(
                        "(and (< {beyond} {stride}) (< {last} x{whole}) \
                         (or (>= (+ {beyond} {stride}) {stride}) (>= (+ {last} {stride}) x{whole})))"
                    ),
                    _ => format!("(= {beyond} 0)"),
                }
            }
            Rel::Concat { whole, parts } => format!("(= x{whole} {})", sum(parts)),
            Rel::Merged { whole, parts } => format!("(= x{whole} {})", product(parts)),
            Rel::Total { axes, divided_by, count } => {
                format!("(= (* {} {}) {count})", product(axes), product(divided_by))
            }
            Rel::TotalStrided { axes, coefficient, dim, denominator } => {
                format!("(= (* {denominator} {}) (* {coefficient} x{dim}))", product(axes))
            }
            Rel::AtLeast(var, least) => format!("(>= x{var} {least})"),
        }
    }

    /// As the solver is asked.
    fn relation(&self, discardable: &[bool]) -> Relation {
        let var = |var: &usize| DimTerm::Var(dim_var(*var));
        let all = |vars: &[usize]| -> Vec<DimTerm> { vars.iter().map(var).collect() };
        let small = |n: &u64| u32::try_from(*n).unwrap_or(u32::MAX);
        Relation::Size(match self {
            Rel::Known(x, n) => {
                return Relation::DimEq(var(x), Dim::int(*n).map_or(DimTerm::UNIT, DimTerm::Dim));
            }
            Rel::Strided { whole, stride, over, loose } => SizeRelation::Strided {
                whole: var(whole),
                stride: small(stride),
                over: var(over),
                loose: *loose,
            },
            Rel::Window { whole, stride, over, dilation, kernel, border } => SizeRelation::Window {
                whole: var(whole),
                stride: small(stride),
                over: var(over),
                dilation: small(dilation),
                kernel: var(kernel),
                border: border.constraint(),
            },
            Rel::Concat { whole, parts } => {
                let part = |x: &usize| Part { dim: var(x), discardable: discardable[*x] };
                SizeRelation::Concat { whole: var(whole), parts: parts.iter().map(part).collect() }
            }
            Rel::Merged { whole, parts } => {
                SizeRelation::Merged { whole: var(whole), parts: all(parts) }
            }
            Rel::Total { axes, divided_by, count } => SizeRelation::Total {
                rows: vec![RowTerm::closed([], all(axes))],
                divided_by: all(divided_by),
                count: Count::Number(*count),
            },
            Rel::TotalStrided { axes, coefficient, dim, denominator } => SizeRelation::Total {
                rows: vec![RowTerm::closed(all(axes), [])],
                divided_by: vec![],
                count: Count::Strided {
                    coefficient: *coefficient,
                    dim: var(dim),
                    denominator: *denominator,
                },
            },
            Rel::AtLeast(x, least) => SizeRelation::AtLeast { dim: var(x), least: *least },
        })
    }

    fn uses(&self, var: usize) -> bool {
        match self {
            Rel::Known(..) => false,
            Rel::AtLeast(x, _) => *x == var,
            Rel::Strided { whole, over, .. } => [*whole, *over].contains(&var),
            Rel::Window { whole, over, kernel, .. } => [*whole, *over, *kernel].contains(&var),
            // As a part of a concatenation it may be 0.
            Rel::Concat { whole, .. } => *whole == var,
            Rel::Merged { whole, parts } => *whole == var || parts.contains(&var),
            Rel::Total { axes, divided_by, .. } => axes.contains(&var) || divided_by.contains(&var),
            Rel::TotalStrided { axes, dim, .. } => axes.contains(&var) || *dim == var,
        }
    }
}

/// In SMT-LIB, that there is a place for every step.
fn steps(ends: Ends, whole: usize, stride: u64, over: usize) -> String {
    match ends {
        Ends::PaddedLoose => {
            format!("(< (* {stride} (- x{over} 1)) x{whole} (+ 1 (* {stride} x{over})))")
        }
        _ => format!("(= x{whole} (* {stride} x{over}))"),
    }
}

fn names(vars: &[usize]) -> String {
    vars.iter().map(|var| format!("x{var}")).collect::<Vec<_>>().join(" ")
}

/// The solver's variable.
pub(crate) fn dim_var(index: usize) -> DimVar {
    DimVar::new(u32::try_from(index).unwrap_or(u32::MAX))
}

/// How large a system may be.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) vars: usize,
    pub(crate) relations: usize,
    pub(crate) most: u64,
    /// Only windows and concatenations.
    pub(crate) windows: bool,
}

impl System {
    /// A system that mostly has a solution: sizes are drawn, relations that they satisfy, and then
    /// some of the sizes are told, now and then a wrong one.
    pub(crate) fn draw(rng: &mut Generator, limits: Limits) -> System {
        let mut sizes: Vec<u64> = vec![];
        let mut relations: Vec<Rel> = vec![];
        let first = rng.usize(1..limits.vars.max(2));
        for _ in 0..first {
            sizes.push(rng.u64(1..=limits.most.min(9)));
        }
        for _ in 0..rng.usize(1..=limits.relations) {
            let relation = draw_relation(rng, limits, &mut sizes);
            relations.extend(relation);
        }
        let may_be_empty = |var: usize| {
            let part = |rel: &Rel| matches!(rel, Rel::Concat { parts, .. } if parts.contains(&var));
            !relations.iter().any(|rel| rel.uses(var)) && relations.iter().any(part)
        };
        let discardable = (0..sizes.len()).map(|var| may_be_empty(var) && rng.u8(0..3) == 0);
        let discardable = discardable.collect();
        for (var, size) in sizes.iter().enumerate() {
            match rng.u8(0..20) {
                0..=8 => relations.push(Rel::Known(var, *size)),
                9 => relations.push(Rel::Known(var, rng.u64(1..=limits.most))),
                10 => relations.push(Rel::AtLeast(var, rng.u64(1..=*size + 1))),
                _ => {}
            }
        }
        rng.shuffle(&mut relations);
        System { discardable, relations }
    }

    /// The least size of a variable.
    pub(crate) fn least(&self, var: usize) -> u64 {
        u64::from(!self.discardable[var])
    }

    pub(crate) fn constraints(&self) -> Vec<Constraint> {
        let relation = |(origin, rel): (u32, &Rel)| {
            rel.relation(&self.discardable).with_origin(OriginId::new(origin))
        };
        (0..).zip(&self.relations).map(relation).collect()
    }

    /// All solutions with sizes up to `most`.
    pub(crate) fn solutions(&self, most: u64) -> Vec<Vec<u64>> {
        let mut found = vec![];
        let mut sizes: Vec<u64> = (0..self.discardable.len()).map(|var| self.least(var)).collect();
        loop {
            if self.relations.iter().all(|rel| rel.holds(&sizes)) {
                found.push(sizes.clone());
            }
            let Some(var) = (0..sizes.len()).find(|var| sizes[*var] < most) else { return found };
            sizes[var] += 1;
            for (before, size) in sizes.iter_mut().enumerate().take(var) {
                *size = self.least(before);
            }
        }
    }

    /// In SMT-LIB, with sizes up to `most`.
    pub(crate) fn smt(&self, most: u64) -> String {
        let mut text = String::new();
        for var in 0..self.discardable.len() {
            let least = self.least(var);
            let _ = writeln!(text, "(declare-const x{var} Int)(assert (<= {least} x{var} {most}))");
        }
        for rel in &self.relations {
            let _ = writeln!(text, "(assert {})", rel.smt());
        }
        text
    }
}

/// A relation that the sizes satisfy; what is computed is a new variable, or now and then an old
/// one.
fn draw_relation(rng: &mut Generator, limits: Limits, sizes: &mut Vec<u64>) -> Option<Rel> {
    let old = |rng: &mut Generator, sizes: &[u64]| rng.usize(..sizes.len());
    let some = |rng: &mut Generator, sizes: &[u64], most: usize| -> Vec<usize> {
        (0..rng.usize(1..=most)).map(|_| rng.usize(..sizes.len())).collect()
    };
    let kind = if limits.windows { rng.u8(1..4) } else { rng.u8(0..8) };
    let (stride, dilation) = (rng.u64(1..=3), rng.u64(1..=3));
    let snapshot: Vec<u64> = sizes.clone();
    let mut whole = |rng: &mut Generator, size: u64| new_or_old(rng, limits, sizes, size);
    Some(match kind {
        0 => {
            let (over, loose) = (old(rng, &snapshot), rng.bool());
            let less = if loose { rng.u64(..stride) } else { 0 };
            Rel::Strided { whole: whole(rng, stride * snapshot[over] - less)?, stride, over, loose }
        }
        1 | 2 => {
            let (over, kernel) = (old(rng, &snapshot), old(rng, &snapshot));
            let border = if rng.bool() { Border::VALID } else { Border::draw(rng, 3) };
            let slide = Slide { border, stride, dilation, kernel: snapshot[kernel] };
            let size = slide.size(snapshot[over], rng.u64(..stride))?;
            let whole = whole(rng, size)?;
            Rel::Window { whole, stride, over, dilation, kernel, border }
        }
        3 => {
            let parts = some(rng, &snapshot, 3);
            let size = parts.iter().map(|part| snapshot[*part]).sum();
            Rel::Concat { whole: whole(rng, size)?, parts }
        }
        4 => {
            let parts = some(rng, &snapshot, 3);
            let size = parts.iter().map(|part| snapshot[*part]).product();
            Rel::Merged { whole: whole(rng, size)?, parts }
        }
        5 => {
            let (axes, divided_by) = (some(rng, &snapshot, 3), some(rng, &snapshot, 1));
            let count = axes.iter().chain(&divided_by).map(|axis| snapshot[*axis]).product();
            Rel::Total { axes, divided_by, count }
        }
        6 => {
            let axes = some(rng, &snapshot, 2);
            let size: u64 = axes.iter().map(|axis| snapshot[*axis]).product();
            Rel::TotalStrided { axes, coefficient: 1, dim: whole(rng, size * 2)?, denominator: 2 }
        }
        _ => {
            let axes = some(rng, &snapshot, 2);
            let size: u64 = axes.iter().map(|axis| snapshot[*axis]).product();
            if size % 2 != 0 {
                return None;
            }
            Rel::TotalStrided { axes, coefficient: 2, dim: whole(rng, size / 2)?, denominator: 1 }
        }
    })
}

/// A variable of this size: a new one, an old one, or now and then one of another size.
fn new_or_old(
    rng: &mut Generator,
    limits: Limits,
    sizes: &mut Vec<u64>,
    size: u64,
) -> Option<usize> {
    let same = sizes.iter().position(|other| *other == size);
    if sizes.len() >= limits.vars || same.is_some() && rng.bool() {
        let any = rng.usize(..sizes.len());
        return same.or_else(|| (rng.u8(0..4) == 0).then_some(any));
    }
    if size > limits.most {
        return None;
    }
    sizes.push(size);
    Some(sizes.len() - 1)
}
