//! `lozenge loops FILE NODE`: a node as an einsum, whose loops the command derives as those of any
//! other.

use std::{path::Path, process::ExitCode};

use lozenge_onnx::infer::answer::{Einsum, einsum, node_called};

use super::{args::Look, file::with_model, near::did_you_mean};
use crate::output;

/// The node with this name, or that gives the value with this name, as an einsum.
pub(crate) fn einsum_of(file: &Path, node: &str, look: &Look) -> Result<Einsum, ExitCode> {
    let mut found = None;
    let code = with_model(file, look, |_, _, inferred| {
        let by_name = inferred.nodes().find(|(_, record)| record.node.name == *node);
        let by_output = || {
            inferred
                .nodes()
                .find(|(_, record)| record.node.outputs.iter().any(|name| *name == *node))
        };
        let Some(id) = by_name.or_else(by_output).map(|(id, _)| id) else {
            let names: Vec<String> =
                inferred.nodes().map(|(_, record)| record.node.name.to_string()).collect();
            let near = did_you_mean(node, names.iter().map(String::as_str));
            output::message(&format!(
                "the model has no node `{node}`, and none that gives a value of that name{near}"
            ));
            return ExitCode::from(2);
        };
        found = einsum(inferred, id);
        if found.is_none() {
            let op = inferred.node(id).node.op.to_string();
            output::message(&format!(
                "{} has no loops: its operator, `{op}`, is not said by a specification, or its shapes are open",
                node_called(inferred, id)
            ));
            return ExitCode::FAILURE;
        }
        ExitCode::SUCCESS
    });
    found.ok_or(code)
}
