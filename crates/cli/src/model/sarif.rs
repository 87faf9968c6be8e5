//! Reports as SARIF 2.1.0, for code scanning: rules are codes, logical locations are nodes.

use std::path::Path;

use lozenge::diagnostic::{Code, Severity};
use lozenge_onnx::infer::answer::ModelReport;
use serde_json::{Value, json};

use crate::output;

/// The schema that the form follows.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A report as a SARIF log with one run.
pub(crate) fn sarif(report: &ModelReport, file: &Path) -> String {
    let mut codes: Vec<Code> =
        report.findings.iter().map(|finding| finding.diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes
        .iter()
        .map(|code| {
            json!({
                "id": code.name(),
                "shortDescription": { "text": code.summary() },
                "help": { "text": format!("lozenge explain {code}") },
                "defaultConfiguration": { "level": level(code.severity()) },
            })
        })
        .collect();
    let results: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let said = &finding.diagnostic;
            // What is wrong with the whole model is at no node.
            let node = finding.node.as_deref().unwrap_or("");
            let parts = std::iter::once(said.headline.clone())
                .chain(said.notes.iter().map(|note| format!("note: {note}")))
                .chain(said.helps.iter().map(|help| format!("help: {}", help.text)));
            let mut location = json!({
                "physicalLocation": { "artifactLocation": { "uri": uri(file) } },
            });
            if let Some(node) = &finding.node {
                location["logicalLocations"] = json!([{
                    "name": node,
                    "fullyQualifiedName": node,
                    "kind": "element",
                }]);
            }
            json!({
                "ruleId": said.code.name(),
                "ruleIndex": codes.partition_point(|code| *code < said.code),
                "level": level(said.severity()),
                "message": { "text": parts.collect::<Vec<_>>().join("\n") },
                "locations": [location],
                "partialFingerprints": {
                    "lozenge/1": format!("{}:{node}", said.code),
                },
            })
        })
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "lozenge",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "results": results,
            "columnKind": "unicodeCodePoints",
        }],
    });
    output::record(&log)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A path as a relative reference: with slashes, and what a URI does not take escaped.
fn uri(file: &Path) -> String {
    let text = file.display().to_string().replace('\\', "/");
    let written = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(written).collect()
}
