//! Reads a specification, and the shapes of its operands if they are given:
//!
//! ```sh
//! cargo run -q -p lozenge-spec --example read -- 'ij; jk => ik' 2,3 5,4
//! cargo run -q -p lozenge-spec --example read -- --numpy 'ij,jk->ik'
//! ```
//!
//! It prints the specification in its normal spelling, or what is wrong with it.

#![allow(clippy::print_stdout, clippy::print_stderr)] // it is a command

use std::{env, process::ExitCode};

use lozenge_spec::{
    Dialect, Shape, Spec,
    diagnostic::{Rejection, Sources},
    parse_as,
};

fn main() -> ExitCode {
    let mut args: Vec<String> = env::args().skip(1).collect();
    let numpy = args.first().is_some_and(|arg| arg == "--numpy");
    if numpy {
        args.remove(0);
    }
    let asks = |arg: &String| arg.starts_with("--") && !arg.contains('>');
    let Some((text, shapes)) = args.split_first().filter(|(first, _)| !asks(first)) else {
        eprintln!("usage: read [--numpy] SPEC [SHAPE...]");
        return ExitCode::from(2);
    };
    match read(text, if numpy { Dialect::Numpy } else { Dialect::Lozenge }, shapes) {
        Ok(spec) => {
            println!("{spec}");
            ExitCode::SUCCESS
        }
        Err(rejection) => {
            eprintln!("{rejection}");
            ExitCode::FAILURE
        }
    }
}

fn read(text: &str, dialect: Dialect, shapes: &[String]) -> Result<Spec, Rejection> {
    let parsed = parse_as(text, dialect);
    if !parsed.diagnostics.is_empty() {
        let sources = Sources::new().with("spec", text);
        let said = Rejection { sources, diagnostics: parsed.diagnostics.clone() };
        if said.diagnostics.iter().any(lozenge_spec::diagnostic::Diagnostic::is_error) {
            return Err(said);
        }
        eprintln!("{said}\n"); // warnings
    }
    if !shapes.is_empty() {
        let shapes: Vec<Shape> =
            shapes.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        parsed.spec.fit(&shapes)?;
    }
    Ok(parsed.spec)
}
