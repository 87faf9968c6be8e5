//! What tests of numbers share.

use lozenge_tensor::{Graph, Machine, Tensor};

/// The elements of tensors after one run, in double precision.
pub(crate) fn run(graph: &Graph, outputs: &[Tensor<'_>]) -> Vec<Vec<f64>> {
    let checked = graph.check().unwrap_or_else(|report| panic!("{report}"));
    let program = checked.program(outputs).unwrap_or_else(|report| panic!("{report}"));
    let mut machine = Machine::in_double(&program).unwrap();
    machine.run(&[]).unwrap_or_else(|error| panic!("{error}\n{program}"));
    let of =
        |tensor: &Tensor<'_>| machine.array(program.of(*tensor).unwrap()).iter().copied().collect();
    outputs.iter().map(of).collect()
}
