//! Any text parses or is refused with a span inside it; what parses prints and parses back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lozenge_calculus::text::Names;

fuzz_target!(|text: &str| {
    let mut names = Names::new();
    match names.parse_store(text) {
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some(), "{error}: {:?}", error.span);
            assert!(!error.to_string().is_empty());
        }
        Ok(store) => {
            let printed: Vec<String> = store.iter().map(|c| names.show(c).to_string()).collect();
            assert_eq!(names.parse_store(&printed.join("\n")).as_ref(), Ok(&store));
        }
    }
});
