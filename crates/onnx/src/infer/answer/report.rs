//! Diagnostics about a model, with the lines of nodes that they mark.

use std::collections::HashMap;

use lozenge_diagnostic::{Diagnostic, Place as Marked, Source, SourceId, Sources};

use super::{
    super::{id::NodeId, inferred::Inferred, require::Place},
    line::Line,
    name::node_plain,
};

/// One thing to say about a model.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What is said.
    pub diagnostic: Diagnostic,
    /// The node that it is about, by its name.
    pub node: Option<String>,
}

/// What is said about a model. Each source is a node, as a line.
#[derive(Debug, Clone, Default)]
pub struct ModelReport {
    /// The nodes.
    pub sources: Sources,
    /// What is said of them.
    pub findings: Vec<Finding>,
    /// How many places that do not fit are not said.
    pub left_out: usize,
    lines: HashMap<NodeId, SourceId>,
}

impl ModelReport {
    /// The source that shows a node, with the line.
    fn source(&mut self, inferred: &Inferred<'_, '_>, node: NodeId) -> (SourceId, Line) {
        let line = Line::of(inferred, node);
        let id = *self.lines.entry(node).or_insert_with(|| {
            self.sources.push(Source::new(node_plain(inferred, node), &line.text[..]))
        });
        (id, line)
    }

    /// Says something of a node, with labels at places in it.
    pub(super) fn say(
        &mut self,
        inferred: &Inferred<'_, '_>,
        node: NodeId,
        diagnostic: Diagnostic,
        labels: impl IntoIterator<Item = (Place, String)>,
    ) {
        let (source, line) = self.source(inferred, node);
        let mut diagnostic = diagnostic;
        for (place, text) in labels {
            let span = line.span(place);
            // One mark says one thing.
            let is_marked = diagnostic.labels.iter().any(|label| label.place.span == span);
            if !is_marked {
                diagnostic = diagnostic.label(Marked { source, span }, text);
            }
        }
        let node = Some(node_plain(inferred, node));
        self.findings.push(Finding { diagnostic, node });
    }

    /// Says something that is about no node.
    pub fn say_of_all(&mut self, diagnostic: Diagnostic) {
        self.findings.push(Finding { diagnostic, node: None });
    }

    /// Whether something is an error.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.diagnostic.is_error())
    }
}
