//! `lozenge`: the shapes of an einsum or of a model file, why they are what they are, its loops,
//! and what a message means.
//!
//! Exit codes: 0 inferred, 1 the shapes do not fit, 2 the command was used wrongly.

mod args;
mod einsum;
mod explain;
mod loops;
mod model;
mod output;
mod undetermined;
mod why;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use args::{By, Einsum, Format, Given, How, LoopNest, Why};

/// Infers the shapes and the loops of tensor programs.
#[derive(Parser)]
#[command(name = "lozenge", version, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Infers the shapes of all operands and of the result of an einsum
    #[command(after_help = EINSUM_HELP)]
    Einsum(Einsum),
    /// Says what does not fit in a model file, and what stops inference
    #[command(after_help = CHECK_HELP)]
    Check(model::OfFile),
    /// Lists the shapes of a model file, or writes them back into it
    #[command(after_help = SHAPES_HELP)]
    Shapes(model::Shapes),
    /// Says what a model file needs of the sizes of its inputs
    Requires(model::OfFile),
    /// Says which numbers of a model file fix an axis of an input, such as a batch of 1
    #[command(after_help = PINS_HELP)]
    Pins(model::Pins),
    /// Lists the axes of a model file that broadcasting stretches
    Audit(model::Audit),
    /// Counts the parameters, the memory and the work of a model file
    Cost(model::OfFile),
    /// Lists or draws the graph of a model file, nodes whose names begin alike in one box
    Graph(model::Graph),
    /// Says what changed from one model file to another: shapes, and what they need
    Diff(model::Diff),
    /// Says why an axis has its size, in an einsum or in a model file
    #[command(after_help = WHY_HELP)]
    Why(Why),
    /// Prints the loop nest of an einsum, or of a node of a model file
    #[command(after_help = LOOPS_HELP)]
    Loops(LoopNest),
    /// Explains a code of a message
    #[command(after_help = EXPLAIN_HELP)]
    Explain {
        /// The code, such as `size-mismatch`; without one, all of them are listed
        code: Option<String>,
    },
    /// Prints completions for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

const EINSUM_HELP: &str = "\
Examples:
  lozenge einsum 'ij; jk => ik' 2,3 3,4
  lozenge einsum 'ij; jk => ik' 2,3 _                  an operand of unknown shape
  lozenge einsum --numpy 'bhsd,bhtd->bhst' 8,12,64,32 8,12,48,32
  lozenge einsum 'b (h d) => b h d' 32,512 --set h=8   the size of a name
  lozenge einsum 'b, 2*o<+k, c; k, c -> d => b, o, d' 32,29,3 '5,3->16'
  lozenge einsum 'h -> o; ... | h => ... | o' '784->10' '32|784'

A shape is `batch | input -> output`, such as 32|784->10; most have an output only.
Sizes are numbers, names that stay symbolic (batch), `1_` for what stretches, `_` for what is
not known.";

const CHECK_HELP: &str = "\
Examples:
  lozenge check model.onnx
  lozenge check model.onnx --set height=80         whether it takes this size
  lozenge check model.onnx --format sarif";

const SHAPES_HELP: &str = "\
Examples:
  lozenge shapes model.onnx
  lozenge shapes model.onnx --set batch=8 --all
  lozenge shapes model.onnx --annotate annotated.onnx     a copy with all shapes in it";

const PINS_HELP: &str = "\
Examples:
  lozenge pins model.onnx image.0                  what fixes the batch of the input `image`";

const WHY_HELP: &str = "\
Examples:
  lozenge why model.onnx classes.1                 axis 1 of a value of a model
  lozenge why 'ij; jk => ik' 2,3 3,4 result.1      the second axis of the result
  lozenge why 'ij; jk => ik' 2,3 _ operand2.j      an axis by its name
  lozenge why '...|i->o => ...|o->i' '2|3->4' result.input.0";

const LOOPS_HELP: &str = "\
Examples:
  lozenge loops model.onnx conv                    a node of a model
  lozenge loops 'ij; jk => ik' 2,3 3,4
  lozenge loops 'ij; jk => ik'                     sizes that stay symbolic
  lozenge loops 'oh=+kh, ow=+kw; kh, kw => oh, ow' 5,5 3,3
  lozenge loops 'a; b => a^b' 3 2 --format json
  lozenge loops 'ij; jk => ik' 2,3 3,4 --towards operand1     the loops of a gradient
  lozenge loops '2*o<+k => o' 8 --set k=2 --by max            maxima
  lozenge loops 'ij; jk => ik' 2,3 3,4 --svg matmul.svg";

const EXPLAIN_HELP: &str = "\
Examples:
  lozenge explain size-mismatch
  lozenge explain                                  all codes";

const COMPLETIONS_HELP: &str = "\
Examples:
  lozenge completions bash > ~/.local/share/bash-completion/completions/lozenge
  lozenge completions fish > ~/.config/fish/completions/lozenge.fish";

fn main() -> ExitCode {
    match Command::parse().task {
        Task::Einsum(args) => einsum::run(&args),
        Task::Check(args) => model::check(&args),
        Task::Shapes(args) => model::shapes(&args),
        Task::Requires(args) => model::requires(&args),
        Task::Pins(args) => model::pins(&args),
        Task::Audit(args) => model::audit(&args),
        Task::Cost(args) => model::cost(&args),
        Task::Graph(args) => model::graph(&args),
        Task::Diff(args) => model::diff(&args),
        Task::Why(args) if model::is_file(&args.spec) => why_of_model(&args),
        Task::Why(args) => why::run(&args),
        Task::Loops(args) if model::is_file(&args.spec) => loops_of_model(args),
        Task::Loops(args) => loops::run(&args, None),
        Task::Explain { code } => explain::run(code.as_deref()),
        Task::Completions { shell } => {
            let mut command = Command::command();
            clap_complete::generate(shell, &mut command, "lozenge", &mut std::io::stdout());
            ExitCode::SUCCESS
        }
    }
}

/// How a model is looked at by a command that takes specifications too.
fn look(how: &How, given: &Given) -> model::Look {
    let format = match how.format {
        Format::Full => model::Form::Full,
        Format::Concise => model::Form::Concise,
        Format::Json => model::Form::Json,
    };
    model::Look { sets: how.sets.clone(), given: given.clone(), format }
}

fn why_of_model(args: &Why) -> ExitCode {
    let [axis] = &args.shapes[..] else {
        output::message("of a model one axis is explained: `lozenge why model.onnx output.1`");
        return ExitCode::from(2);
    };
    model::why(args.spec.as_ref(), axis, &look(&args.how, &args.given))
}

fn loops_of_model(args: LoopNest) -> ExitCode {
    if args.by != By::Add {
        output::message("of a model the node says how elements are accumulated: leave out `--by`");
        return ExitCode::from(2);
    }
    let [node] = &args.shapes[..] else {
        output::message(
            "of a model the loops of one node are derived: `lozenge loops model.onnx Conv.3`",
        );
        return ExitCode::from(2);
    };
    let einsum = match model::einsum_of(args.spec.as_ref(), node, &look(&args.how, &args.given)) {
        Ok(einsum) => einsum,
        Err(code) => return code,
    };
    let shapes: Vec<String> = einsum
        .shapes
        .iter()
        .map(|shape| if shape.is_empty() { "_".to_owned() } else { shape.clone() })
        .collect();
    if args.how.format == Format::Full {
        let shapes: Vec<String> = shapes.iter().map(|shape| format!("'{shape}'")).collect();
        output::answer(&format!("{}  {}\n", einsum.spec, shapes.join(" ")));
    }
    let (names, bias) = (einsum.names.clone(), einsum.bias.clone());
    let format = args.how.format;
    let how = How { sets: einsum.sets, ..args.how };
    let code = loops::run(&LoopNest { spec: einsum.spec, shapes, how, ..args }, Some(&einsum.does));
    if format == Format::Full && !names.is_empty() {
        let names: Vec<String> =
            names.iter().map(|(name, size)| format!("{name} = {size}")).collect();
        output::answer(&format!("\n{}", names.join("  ")));
    }
    if let Some(bias) = bias.filter(|_| format == Format::Full) {
        output::answer(&format!("\n`{bias}` is added to the result"));
    }
    code
}
