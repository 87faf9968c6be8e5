//! The concise form: one line.

use super::{Diagnostic, Sources};

/// One line: place, severity, code, headline. For logs and for tools that read lines.
pub fn concise(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let Diagnostic { code, headline, .. } = diagnostic;
    let severity = diagnostic.severity().name();
    let place = diagnostic.place().and_then(|place| {
        let source = sources.get(place.source)?;
        let position = source.position(place.span.start);
        Some(format!("{}:{}:{}: ", source.name, position.line, position.column))
    });
    format!("{}{severity}[{code}]: {headline}", place.unwrap_or_default())
}
