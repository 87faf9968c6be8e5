//! Any text parses or is refused in words: spans lie inside it, every form of every diagnostic renders,
//! every edit applies, and what parses prints and parses back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_notation::{Dialect, parse, parse_as, parse_shape};
use lozenge_diagnostic::{Diagnostic, Look, Sources, concise, full, json};

fuzz_target!(|text: &str| {
    for dialect in [Dialect::Lozenge, Dialect::Numpy] {
        let parsed = parse_as(text, dialect);
        speak(text, &parsed.diagnostics);
        if let Ok(spec) = parsed.ok() {
            let printed = spec.to_string();
            let again = parse(&printed).ok().unwrap();
            assert!(again.same(&spec), "{printed}");
            assert_eq!(again.to_string(), printed);
            if let Err(rejection) = spec.fit(&[]).and(spec.bind(|_| Some(3)).map(|_| ())) {
                speak(spec.text(), &rejection.diagnostics);
            }
        }
    }
    let parsed = parse_shape(text);
    speak(text, &parsed.diagnostics);
    if let Ok(shape) = parsed.ok() {
        let printed = shape.to_string();
        assert_eq!(parse_shape(&printed).ok().unwrap().to_string(), printed);
    }
});

fn speak(text: &str, diagnostics: &[Diagnostic]) {
    let sources = Sources::new().with("spec", text);
    for said in diagnostics {
        let spans = said.labels.iter().map(|label| label.place.span);
        let edits = said.helps.iter().flat_map(|help| &help.edits).map(|edit| edit.place.span);
        for span in spans.chain(edits) {
            assert!(text.get(span.range()).is_some(), "{}: {span:?}", said.code);
        }
        assert!(!concise(said, &sources).contains('\n'));
        assert!(!full(said, &sources, Look::PLAIN).is_empty());
        said.helps.iter().for_each(|help| drop(help.apply(text)));
    }
    assert!(!json(diagnostics, &sources).is_empty());
}
