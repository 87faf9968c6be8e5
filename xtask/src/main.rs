//! Repository chores and bars: `cargo run --release -p xtask -- <command>`.

mod algebra;
mod blocks;
mod callgrind;
mod cases;
mod clock;
mod einsum_latency;
mod examples;
mod fuzz;
mod gradients;
mod helps;
mod large_maps;
mod large_texts;
mod numeric;
mod numpy;
mod onnx;
mod parallel;
mod parity;
mod programs;
mod projections;
mod puzzles;
mod python;
mod record;
mod refusals;
mod rooms;
mod same;
mod scale;
mod seeds;
mod sizes;
mod solver;
mod spec_cost;
mod symbols;
mod values;
mod z3;

use cases::Cases;
use clap::Parser;

/// Checks of the repository that are too slow, or too large, for the test suite.
#[derive(Parser)]
enum Command {
    /// Holds the oracle against plain enumeration.
    OracleCheck(Cases),
    /// Holds the solver against brute force, on random stores.
    Differential(solver::Differential),
    /// Measures time and memory per operation of large programs.
    Scale(scale::Args),
    /// Counts the instructions of decoder blocks: shapes, gradients, all loop nests.
    Blocks(blocks::Args),
    /// Checks what every step of the solver keeps.
    Preservation(Cases),
    /// Checks what must not change the answer.
    Metamorphic(Cases),
    /// Checks what closed values do not depend on, and what they are best among.
    Closing(Cases),
    /// Checks that what is bound is forced, and that what is not has two values.
    Forced(Cases),
    /// Checks that explanations explain: conflicting sets, chains and their derivations.
    Explain(Cases),
    /// Holds relations between sizes against z3 and against enumeration.
    Sizes(sizes::Args),
    /// Holds programs with open sizes against the same programs with numbers.
    Symbols(Cases),
    /// Holds what equations between open sizes say against z3 and against enumeration.
    Algebra(Cases),
    /// Checks that cycles of ranks are found at once, and that systems with ranks end.
    Ranks(Cases),
    /// Checks that rolling back leaves nothing behind.
    Snapshots(Cases),
    /// Prints and parses generated constraints.
    TextCheck(Cases),
    /// Spells, parses and prints generated specifications and shapes.
    SpecCheck(Cases),
    /// Counts the instructions of parsing a specification, with callgrind.
    SpecCost(spec_cost::Args),
    /// Holds shapes against those of einops and JAX.
    Parity(parity::Args),
    /// Holds NumPy's broadcasting, of specifications and pointwise, against NumPy.
    Numpy(numpy::Args),
    /// Holds inference on ONNX models against ONNX Runtime, and beside other tools.
    Onnx(onnx::Args),
    /// Holds the solutions of puzzles against NumPy.
    Puzzles(puzzles::Args),
    /// Holds the numbers of the pages about values against NumPy.
    Values,
    /// Holds the elements of random specifications against NumPy and JAX.
    Numeric(numeric::Args),
    /// Holds gradients against central differences and JAX.
    Gradients(gradients::Args),
    /// Holds the models of `examples/`, their gradients and their training against JAX.
    Examples(examples::Args),
    /// Holds loop nests against plain enumeration.
    Projections(Cases),
    /// Checks what must not change the shapes of random programs.
    Programs(Cases),
    /// Runs the checks of the solver and of sessions from several seeds.
    Seeds(seeds::Args),
    /// Counts and times an einsum from its text to closed shapes, beside what others take.
    EinsumLatency(einsum_latency::Args),
    /// Counts the instructions of refusing a step at the end of many transformer blocks, with
    /// callgrind.
    Refusals(refusals::Args),
    /// Executes the edits that are offered for mistaken specifications beside what they claim.
    Helps(Cases),
    /// Records what is said and inferred, as hashes: the same before and after a change of
    /// structure.
    Record(record::Args),
    /// Compares what is said and inferred with what an older state says and infers.
    Same(same::Args),
    /// Counts what is in which room of the sources: methods, files, numbers that have no type of
    /// their own.
    Rooms(rooms::Args),
    /// Runs a fuzz target with cargo-fuzz, on the stable toolchain.
    Fuzz(fuzz::Args),
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::OracleCheck(args) => solver::oracle_check(&args),
        Command::Differential(args) => solver::differential(&args),
        Command::Scale(args) => scale::run(&args),
        Command::Blocks(args) => blocks::run(&args),
        Command::Preservation(args) => solver::preservation(&args),
        Command::Metamorphic(args) => solver::metamorphic(&args),
        Command::Closing(args) => solver::closing(&args),
        Command::Forced(args) => solver::forced(&args),
        Command::Explain(args) => solver::explain(&args),
        Command::Symbols(args) => symbols::run(&args),
        Command::Algebra(args) => algebra::run(&args),
        Command::Sizes(args) => sizes::run(&args),
        Command::Ranks(args) => solver::ranks(&args),
        Command::Snapshots(args) => solver::snapshots(&args),
        Command::TextCheck(args) => solver::text_check(&args),
        Command::SpecCheck(args) => solver::spec_check(&args),
        Command::SpecCost(args) => spec_cost::run(&args),
        Command::Parity(args) => parity::run(&args),
        Command::Numpy(args) => numpy::run(&args),
        Command::Onnx(args) => onnx::run(&args),
        Command::Puzzles(args) => puzzles::run(&args),
        Command::Values => values::run(),
        Command::Numeric(args) => numeric::run(&args),
        Command::Gradients(args) => gradients::run(&args),
        Command::Examples(args) => examples::run(&args),
        Command::Projections(args) => projections::run(&args),
        Command::Programs(args) => programs::run(&args),
        Command::Seeds(args) => seeds::run(&args),
        Command::EinsumLatency(args) => einsum_latency::run(&args),
        Command::Refusals(args) => refusals::run(&args),
        Command::Helps(args) => helps::run(&args),
        Command::Record(args) => record::run(&args),
        Command::Same(args) => same::run(&args),
        Command::Rooms(args) => rooms::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;
    use lozenge_check::CHECKERS;

    use super::Command;

    /// Commands that draw cases and are not checkers: `puzzles` draws inputs for the blocks of a
    /// page, which NumPy judges; the others compare two states.
    const NO_CHECKERS: [&str; 3] = ["puzzles", "record", "same"];

    #[test]
    fn commands_and_the_list_of_checkers_have_the_same_names() {
        let command = Command::command();
        let commands: BTreeSet<&str> =
            command.get_subcommands().map(clap::Command::get_name).collect();
        let listed: BTreeSet<&str> =
            CHECKERS.iter().filter_map(|checker| checker.name().split('/').next()).collect();
        let unknown: Vec<_> = listed.difference(&commands).collect();
        assert!(unknown.is_empty(), "checkers that no command runs: {unknown:?}");
        for command in command.get_subcommands() {
            let draws = command
                .get_arguments()
                .any(|of| matches!(of.get_id().as_str(), "cases" | "mutate"));
            let name = command.get_name();
            if draws && !NO_CHECKERS.contains(&name) {
                assert!(listed.contains(name), "{name} is not in the list of checkers");
            }
        }
    }
}
