//! The programs that are measured, by their forms.

use std::hint::black_box;

use clap::ValueEnum;
use lozenge_calculus::{
    constraint::{Border, ConstraintRef, OriginId, Part, RelationRef, SizeRelation},
    dim::Dim,
    term::{DimTerm, DimVar, RowTerm, RowVar},
};
use lozenge_solve::close::{Policy, Role, Roles, close};

use super::front::{Front, Program, Shape, closed};

/// What a program looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Form {
    /// Layers of compose, bias, pointwise and residual, each on the one before.
    Chain,
    /// Every operation adds data to the same parameter, whose shape is unknown.
    FanOut,
    /// A running sum of parameters of unknown shape, whose shape is known at the end.
    FanIn,
    /// Tensors of unknown shape, equated in the order that makes the longest paths.
    Equated,
    /// Adjacencies that join pairs, and then the pairs to a chain.
    Joined,
    /// Rings of a thousand adjacencies.
    Rings,
    /// Images through padded and strided windows, and back up to their size.
    Convs,
    /// A running sum of parameters, whose shape is known at the end, solved and closed.
    Closed,
}

impl Form {
    /// The program of this form as bare constraints.
    pub(super) fn build(self, ops: u32) -> anyhow::Result<Program> {
        match self {
            Form::Chain => chain(ops),
            Form::FanOut => fan_out(ops),
            Form::FanIn => fan_in(ops),
            Form::Equated => equated(ops),
            Form::Joined => joined(ops),
            Form::Rings => rings(ops),
            Form::Convs => convs(ops),
            Form::Closed => closed_sum(ops),
        }
    }
}

/// Layers of compose, bias, pointwise and residual, each on the one before.
pub(super) fn chain<F: Front>(ops: u32) -> anyhow::Result<F> {
    let mut program = F::default();
    let mut hidden = program.data()?;
    let bias = program.bias()?;
    while program.ops() < ops {
        let weight = program.parameter();
        let product = program.compose(&weight, &hidden)?;
        let biased = program.pointwise("+", &[&product, &bias])?;
        let active = program.pointwise("relu", &[&biased])?;
        hidden = program.pointwise("+", &[&active, &hidden])?;
    }
    Ok(program)
}

/// Every operation adds data to the same parameter, whose shape is unknown.
pub(super) fn fan_out<F: Front>(ops: u32) -> anyhow::Result<F> {
    let mut program = F::default();
    let parameter = program.unknown();
    let data = program.data()?;
    while program.ops() < ops {
        program.pointwise("+", &[&parameter, &data])?;
    }
    Ok(program)
}

/// A running sum of parameters of unknown shape, whose shape is known at the end.
pub(super) fn fan_in<F: Front>(ops: u32) -> anyhow::Result<F> {
    let mut program = F::default();
    let mut sum = program.parameter();
    while program.ops() + 1 < ops {
        let next = program.parameter();
        sum = program.pointwise("+", &[&sum, &next])?;
    }
    let data = program.data()?;
    program.pointwise("+", &[&sum, &data])?;
    Ok(program)
}

/// A running sum of parameters as in `fan_in`, with all of them closed.
fn closed_sum(ops: u32) -> anyhow::Result<Program> {
    let program: Program = fan_in(ops)?;
    // Every row that is unknown: leaves and results are closed alike, which is more than enough.
    let roles = Roles::new((0..program.rows).map(|row| (RowVar::new(row), Role::Leaf)));
    black_box(close(&program.solver.solved(), &roles, Policy::Default)?);
    Ok(program)
}

/// Tensors of unknown shape that are equated from the last to the first, the order in which
/// variables that become one make the longest paths, and each used once more.
fn equated(ops: u32) -> anyhow::Result<Program> {
    let mut program = Program::default();
    let shapes: Vec<Shape> = (0..ops / 2).map(|_| program.unknown()).collect();
    let nothing = [closed(&[]), closed(&[]), closed(&[])];
    for shape in &shapes {
        program.finish(shape.iter().zip(&nothing))?; // so that they are known in this order
    }
    for pair in shapes.windows(2).rev() {
        let relation = |(left, right)| RelationRef::RowEq(left, right);
        let origin = OriginId::new(program.ops);
        let equal = pair[1].iter().zip(&pair[0]).map(relation);
        program.solver.extend(equal.map(|relation| ConstraintRef { relation, origin }))?;
        let last = &shapes[shapes.len() - 1];
        program.finish(last.iter().zip(&nothing))?;
    }
    Ok(program)
}

/// Adjacencies `r_i ⊑ r_{i+1}`, first for even `i` and then for odd.
fn joined(ops: u32) -> anyhow::Result<Program> {
    let mut program = Program::default();
    let rows: Vec<RowTerm> = (0..=ops).map(|_| program.unknown_row()).collect();
    let even = rows.windows(2).step_by(2);
    for pair in even.chain(rows.windows(2).skip(1).step_by(2)) {
        program.finish([(&pair[0], &pair[1])])?;
    }
    Ok(program)
}

/// Rings of adjacencies, each of which makes a thousand variables one.
fn rings(ops: u32) -> anyhow::Result<Program> {
    let mut program = Program::default();
    while program.ops < ops {
        let rows: Vec<RowTerm> = (0..1000).map(|_| program.unknown_row()).collect();
        for (i, row) in rows.iter().enumerate() {
            program.finish([(&rows[(i + 1) % rows.len()], row)])?;
        }
    }
    Ok(program)
}

/// Images through windows: one padded that keeps the size, one padded with a stride of 2, a valid
/// one, and one that is read the other way round, so that sizes come back to where they were.
fn convs(ops: u32) -> anyhow::Result<Program> {
    let mut program = Program::default();
    let mut dims = 0;
    let mut new_dim = || {
        dims += 1;
        DimTerm::Var(DimVar::new(dims - 1))
    };
    let known = |n| DimTerm::Dim(Dim::int(n).unwrap_or(Dim::Unit));
    let mut image = [known(64), known(64)];
    while program.ops < ops {
        let result = [new_dim(), new_dim()];
        let [height, width] = [0, 1].map(|i| {
            let (read, written, kernel) = (image[i], result[i], known(3));
            let window = |stride, border| SizeRelation::Window {
                whole: read,
                stride,
                over: written,
                dilation: 1,
                kernel,
                border,
            };
            match program.ops % 4 {
                0 => window(1, Border::PADDED),
                1 => window(2, Border::PADDED),
                2 => window(1, Border::VALID), // 32 to 30
                _ => SizeRelation::Concat {
                    whole: written,
                    parts: [read, known(34)].map(Part::from).to_vec(),
                },
            }
        });
        let row = RowTerm::closed([], result);
        let next = RowTerm::from(RowVar::new(program.rows));
        program.rows += 1;
        let origin = OriginId::new(program.ops);
        let relations = [
            RelationRef::Size(&height),
            RelationRef::Size(&width),
            RelationRef::RowEq(&next, &row),
        ];
        program.solver.extend(relations.map(|relation| ConstraintRef { relation, origin }))?;
        program.ops += 1;
        program.axes += 4;
        image = result;
    }
    Ok(program)
}

/// The name of a form on the command line.
pub(super) fn name(form: Form) -> String {
    form.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}
