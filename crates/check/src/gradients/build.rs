//! A composition as a graph, by the public interface alone, and what its program computes.

use lozenge::{Einsum, Reshape};
use lozenge_tensor::{
    Accumulation, Binary, Checked, ElementType, Expression, Form, Graph, Machine, Program, Region,
    Tensor, Ternary, Unary, read,
};

use super::model::{Composition, Node, Op, Spec, Update, in_memory, text};
use crate::numeric::Combine;

/// A spelling of a composition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spelling {
    Plain,
    /// Leaves are parameters, in reverse, by other names, and what commutes is exchanged.
    Other,
}

/// A composition that is a graph.
pub(super) struct Built<'g> {
    pub(super) tensors: Vec<Tensor<'g>>,
    pub(super) loss: Tensor<'g>,
    spelling: Spelling,
}

pub(super) fn leaf_name(place: usize, spelling: Spelling) -> String {
    match spelling {
        Spelling::Plain => format!("x{place}"),
        Spelling::Other => format!("leaf_{}", 1000 - place),
    }
}

/// Builds the weighted sum of a composition.
pub(super) fn build<'g>(
    graph: &'g Graph,
    composition: &Composition,
    spelling: Spelling,
) -> Built<'g> {
    let nodes = &composition.nodes;
    let mut leaves: Vec<Option<Tensor<'g>>> = vec![None; nodes.len()];
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    if spelling == Spelling::Other {
        order.reverse();
    }
    for place in order {
        if let Op::Leaf { wanted, .. } = &nodes[place].op {
            let (name, shape) = (leaf_name(place, spelling), text(&nodes[place].shape));
            let leaf = match spelling {
                Spelling::Other if *wanted => graph.parameter_of(&name, &shape),
                _ => graph.data(&name, &shape),
            };
            leaves[place] = Some(if *wanted { leaf } else { leaf.named(&name) });
        }
    }
    let mut tensors: Vec<Tensor<'g>> = vec![];
    for (place, node) in nodes.iter().enumerate() {
        let of: Vec<Tensor<'g>> = node.of.iter().map(|of| tensors[*of]).collect();
        let of_nodes: Vec<&Node> = node.of.iter().map(|of| &nodes[*of]).collect();
        let made = leaves[place].unwrap_or_else(|| apply(graph, node, &of, &of_nodes, spelling));
        tensors.push(made);
    }
    let weights = graph.data("weights", &text(&composition.result()));
    let last = tensors.last().copied().unwrap_or(weights);
    let loss = match spelling {
        Spelling::Plain => (last * weights).sum(),
        Spelling::Other => (weights * last).sum(),
    };
    Built { tensors, loss, spelling }
}

fn apply<'g>(
    graph: &'g Graph,
    node: &Node,
    of: &[Tensor<'g>],
    of_nodes: &[&Node],
    spelling: Spelling,
) -> Tensor<'g> {
    match (&node.op, of) {
        (Op::Number { number }, _) => graph.literal(*number),
        (Op::Unary { name }, [x]) => Unary::named(name).map_or(*x, |primitive| x.unary(primitive)),
        (Op::Binary { name }, [a, b]) => {
            let primitive = Binary::named(name).unwrap_or(Binary::First);
            let commutes =
                matches!(primitive, Binary::Add | Binary::Multiply | Binary::Max | Binary::Min);
            let is_other = commutes && spelling == Spelling::Other;
            let (a, b) = if is_other { (b, a) } else { (a, b) };
            a.binary(primitive, *b)
        }
        (Op::Ternary { name }, [a, b, c]) => match Ternary::named(name) {
            Some(Ternary::Where) => graph.choose(a.less(0.25), *b, *c),
            Some(Ternary::MultiplyAdd) => graph.multiply_add(*a, *b, *c),
            _ => graph.apply(lozenge::Pointwise::new("mul3"), of),
        },
        (Op::Compose, [w, x]) => w.compose(*x),
        (Op::Transpose, [x]) => x.transpose(),
        (Op::Spec(spec), _) => specified(graph, spec, of),
        (Op::Reshape { is_said: true }, [x]) => x.reshape(&text(&node.shape)),
        (Op::Reshape { is_said: false }, [x]) => {
            let reshaped = graph.apply(Reshape::new(), &[*x]);
            // Data that nobody gives is 0.
            reshaped + graph.data("zeros", &text(&node.shape))
        }
        (Op::Concat, _) => graph.concat(of),
        (Op::Stack, _) => graph.stack(of),
        (Op::Interleave, [even, odd]) => graph.interleave(*even, *odd),
        (Op::Gather, [table, indices]) => {
            let rest = names("d", of_nodes[0].shape[2].len() - 1);
            let places = names("s", of_nodes[1].shape[2].len());
            let spec = format!("v,{rest}; {places} => {places}{rest}");
            table.gather(&spec, "v", *indices)
        }
        (Op::Mean { spec }, [x]) => x.mean(spec),
        (Op::Count { is_root }, [x]) => {
            let count = graph.ratio_of(*x, x.sum());
            if *is_root { *x / count.sqrt() } else { *x * count }
        }
        (Op::Size { spec, axis }, [x]) => {
            let sum = x.einsum(spec);
            sum / graph.size_of(sum, axis)
        }
        (Op::Stop, [x]) => x.stop_gradient(),
        (Op::Convert, [x]) => x.to(ElementType::F64).to(ElementType::F32),
        (Op::Update(update), [target, read @ ..]) => updated(graph, update, *target, read),
        (_, _) => graph.literal(0.0),
    }
}

fn names(stem: &str, count: usize) -> String {
    (0..count).map(|place| format!("{stem}{place},")).collect::<Vec<_>>().concat()
}

fn specified<'g>(graph: &'g Graph, spec: &Spec, of: &[Tensor<'g>]) -> Tensor<'g> {
    let numbers: Vec<(&str, u64)> =
        spec.numbers.iter().map(|(name, number)| (name.as_str(), *number)).collect();
    let (by, all) = (accumulation(spec.accumulate), 0..of.len());
    let value = match spec.combine {
        Combine::Multiply => Expression::fold(Binary::Multiply, all),
        Combine::Add => Expression::fold(Binary::Add, all),
    };
    // By each of the methods that can say it.
    match (spec.combine, by, &numbers[..]) {
        (Combine::Multiply, Accumulation::Add, _) => graph.einsum_with(&spec.text, &numbers, of),
        (Combine::Multiply, by, []) => graph.einsum_by(&spec.text, by, of),
        (Combine::Add, by, []) => graph.einsum_of(&spec.text, value, by, of),
        (_, by, _) => match Einsum::with(&spec.text, &numbers) {
            Ok(einsum) => graph.apply(einsum.of_elements(value).by(by), of),
            Err(_) => graph.einsum_with(&spec.text, &numbers, of),
        },
    }
}

pub(super) fn accumulation(name: &str) -> Accumulation {
    match name {
        "max" => Accumulation::Max,
        "min" => Accumulation::Min,
        "product" => Accumulation::Multiply,
        "subtract" => Accumulation::Subtract,
        "divide" => Accumulation::Divide,
        _ => Accumulation::Add,
    }
}

fn updated<'g>(
    graph: &'g Graph,
    update: &Update,
    target: Tensor<'g>,
    of: &[Tensor<'g>],
) -> Tensor<'g> {
    let assign = graph.update(target);
    let assign = if update.is_forward { assign.in_region(Region::Forward) } else { assign };
    let assign = match update.logic {
        "compose" => assign.composing(),
        "transpose" => assign.transposing(),
        "spec" => assign.by(&update.spec),
        _ => assign,
    };
    let value = match of {
        [one] => read(*one).unary(Unary::Sin),
        [one, other, ..] => read(*one) * read(*other),
        [] => 0.0.into(),
    };
    match update.by {
        "add" => assign.add(value),
        "subtract" => assign.subtract(value),
        _ => assign.set(value),
    }
}

impl Built<'_> {
    /// The program of these tensors. Where statements replace tensors, in single assignment, so
    /// that what was replaced can be read.
    pub(super) fn program(
        &self,
        checked: &Checked<'_>,
        composition: &Composition,
        outputs: &[Tensor<'_>],
    ) -> Result<Program, String> {
        let replaces = composition.nodes.iter().any(|node| matches!(node.op, Op::Update(_)));
        let form = if replaces || self.spelling == Spelling::Other {
            Form::SingleAssignment
        } else {
            Form::InPlace
        };
        checked.program_in(form, None, outputs).map_err(|report| report.to_string())
    }

    /// Holds every inferred shape against the one that the composition has.
    pub(super) fn hold_shapes(
        &self,
        checked: &Checked<'_>,
        composition: &Composition,
    ) -> Result<(), String> {
        for (node, tensor) in composition.nodes.iter().zip(&self.tensors) {
            let shape = checked.shape(*tensor).map_err(|report| report.to_string())?;
            let own: Option<Vec<u64>> =
                [lozenge::Kind::Batch, lozenge::Kind::Output, lozenge::Kind::Input]
                    .iter()
                    .map(|kind| shape.sizes(*kind))
                    .collect::<Option<Vec<_>>>()
                    .map(|rows| rows.concat());
            // What meets a number has its unit.
            let long = |sizes: &[u64]| -> Vec<u64> {
                sizes.iter().copied().filter(|size| *size != 1).collect()
            };
            let may_stretch = node.shape.iter().flatten().any(|axis| axis.is_unit);
            let is_same = own.is_some_and(|own| long(&own) == long(&in_memory(&node.shape)));
            if !is_same && !may_stretch {
                return Err(format!(
                    "`{tensor:?}` is {shape}, not {}: {:?}",
                    text(&node.shape),
                    node.op
                ));
            }
        }
        Ok(())
    }

    /// Gives the leaves of a composition their elements.
    pub(super) fn set(
        &self,
        machine: &mut Machine<'_>,
        program: &Program,
        composition: &Composition,
    ) -> Result<(), String> {
        for (place, node) in composition.nodes.iter().enumerate() {
            if let Op::Leaf { values, .. } = &node.op {
                set(machine, program, &leaf_name(place, self.spelling), values)?;
            }
        }
        set(machine, program, "weights", &composition.weights)
    }
}

/// Gives a variable its elements, if the program needs it.
pub(super) fn set(
    machine: &mut Machine<'_>,
    program: &Program,
    name: &str,
    values: &[f64],
) -> Result<(), String> {
    if program.named(name).is_none() {
        return Ok(());
    }
    machine.set(name, values).map_err(|error| error.to_string())
}

/// Runs a program at the indices of a composition.
pub(super) fn run(machine: &mut Machine<'_>, composition: &Composition) -> Result<(), String> {
    let specs = composition.nodes.iter().filter_map(|node| match &node.op {
        Op::Spec(spec) => Some(&spec.indices),
        _ => None,
    });
    let indices: Vec<(&str, u64)> =
        specs.flatten().map(|(name, index)| (name.as_str(), *index)).collect();
    machine.run(&indices).map_err(|error| error.to_string())
}

/// The elements of a tensor; of one that the program does not compute, none.
pub(super) fn found(machine: &Machine<'_>, program: &Program, tensor: Tensor<'_>) -> Vec<f64> {
    program.of(tensor).map_or_else(Vec::new, |id| machine.array(id).iter().copied().collect())
}
