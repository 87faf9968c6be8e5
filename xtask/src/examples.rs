//! `examples`: the models of `examples/` held against JAX: loss, gradients, and steps of training.
//!
//! The models in Python are written by themselves, in what JAX offers. They get the same weights
//! and the same data, in double precision.

use std::{collections::BTreeMap, thread};

use anyhow::{Context, ensure};
use lozenge_check::Generator;
use lozenge_tensor::{Given, Graph, Holds, Machine, Program, Tensor, Variable};
use serde::{Deserialize, Serialize};

use crate::python::Environment;

// Each has `training` as a module of its own, as it does where Cargo runs it.
#[allow(dead_code, clippy::duplicate_mod)]
#[path = "../../examples/attention.rs"]
mod attention;
#[allow(dead_code, clippy::duplicate_mod)]
#[path = "../../examples/decoder.rs"]
mod decoder;
#[allow(dead_code, clippy::duplicate_mod)]
#[path = "../../examples/lenet.rs"]
mod lenet;
#[allow(dead_code, clippy::duplicate_mod)]
#[path = "../../examples/perceptron.rs"]
mod perceptron;
#[allow(dead_code, clippy::duplicate_mod)]
#[path = "../../examples/recurrent.rs"]
mod recurrent;
#[allow(dead_code, clippy::duplicate_mod)]
#[path = "../../examples/training.rs"]
mod training;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where the generator starts; the same seed draws the same weights and data.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// A model: its name, its loss, and the same in Python.
struct Model {
    name: &'static str,
    build: for<'g> fn(&'g Graph) -> Tensor<'g>,
    python: &'static str,
}

/// The script of a model: its loss, between what every script has.
macro_rules! models {
    ($($name:ident)*) => {
        [$(Model {
            name: stringify!($name),
            build: $name::build,
            python: concat!(
                include_str!("examples/before.py"),
                include_str!(concat!("examples/", stringify!($name), ".py")),
                include_str!("examples/after.py"),
            ),
        }),*]
    };
}

const MODELS: [Model; 5] = models! { perceptron lenet attention decoder recurrent };

/// The steps of training, and how large they are.
const STEPS: usize = 10;
const RATE: f64 = 0.01;

/// How far two numbers may be apart, of the larger one or of 1.
const TOLERANCE: f64 = 1e-9;

/// The elements that a tensor is given, with its sizes in the order of memory.
#[derive(Clone, Debug, Serialize)]
struct Elements {
    sizes: Vec<u64>,
    elements: Vec<f64>,
}

/// What both sides get of a model.
#[derive(Debug, Serialize)]
struct Question {
    parameters: BTreeMap<String, Elements>,
    data: BTreeMap<String, Elements>,
    rate: f64,
    steps: usize,
}

/// A loss, and a tensor for each parameter: its gradient, or what it has become.
#[derive(Debug, Deserialize)]
struct Found {
    loss: f64,
    tensors: BTreeMap<String, Vec<f64>>,
}

/// By what was asked: gradients, or steps of an optimiser.
type Answers = BTreeMap<String, Found>;

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let python = Environment::with("parity", crate::parity::PACKAGES)?;
    let answered: anyhow::Result<Vec<_>> = thread::scope(|scope| {
        // Python takes most of the time, and most of that is for beginning.
        let asked = (0..).zip(&MODELS).map(|(case, model)| {
            let python = &python;
            scope.spawn(move || model.both(python, &mut Generator::new(args.seed, case)))
        });
        let asked: Vec<_> = asked.collect();
        asked.into_iter().map(|one| one.join().expect("a model does not panic")).collect()
    });
    let mut mismatches = 0;
    println!("{:<12} {:<10} {:>8} {:>14}", "model", "", "numbers", "largest error");
    for (model, (own, truth)) in MODELS.iter().zip(answered?) {
        ensure!(truth.keys().eq(own.keys()), "JAX was asked something else");
        for ((what, own), truth) in own.iter().zip(truth.values()) {
            let (numbers, error) = own.error(truth);
            println!("{:<12} {what:<10} {numbers:>8} {error:>14.1e}", model.name);
            let agrees = error <= TOLERANCE; // what is not a number does not
            mismatches += usize::from(!agrees);
        }
    }
    println!("models={} mismatches={mismatches}", MODELS.len());
    ensure!(mismatches == 0, "{mismatches} mismatches");
    Ok(())
}

impl Model {
    /// What the model does here, and in Python.
    fn both(
        &self,
        python: &Environment,
        generator: &mut Generator,
    ) -> anyhow::Result<(Answers, Answers)> {
        let (question, own) = self.answers(generator)?;
        let text = python.pipe(self.python, &[], &serde_json::to_string(&question)?)?;
        Ok((own, serde_json::from_str(&text)?))
    }

    /// Draws what the model is given, and finds its gradients and what it learns.
    fn answers(&self, generator: &mut Generator) -> anyhow::Result<(Question, Answers)> {
        let graph = Graph::new();
        let loss = (self.build)(&graph);
        let parameters = graph.parameters();
        let gradients = graph.gradients_of(loss, &parameters);
        let outputs: Vec<Tensor<'_>> = [&[loss][..], &gradients].concat();
        let program = graph.check()?.program(&outputs)?;
        let question = draw(&program, generator)?;
        let machine = ran(&program, &question, 1)?;
        let elements = |tensor: &Tensor<'_>| -> anyhow::Result<Vec<f64>> {
            let id = program.of(*tensor).context("an output has a variable")?;
            Ok(machine.array(id).iter().copied().collect())
        };
        let mut tensors = BTreeMap::new();
        for (parameter, gradient) in parameters.iter().zip(&gradients) {
            tensors.insert(parameter.name(), elements(gradient)?);
        }
        let mut found = BTreeMap::new();
        found.insert("gradients".to_owned(), Found { loss: elements(&loss)?[0], tensors });
        found.insert("sgd".to_owned(), self.trained(training::sgd, &question)?);
        found.insert("adam".to_owned(), self.trained(training::adam, &question)?);
        Ok((question, found))
    }

    /// The loss of the last of some steps, and what parameters are after it.
    fn trained(
        &self,
        optimiser: training::Optimiser,
        question: &Question,
    ) -> anyhow::Result<Found> {
        let graph = Graph::new();
        let loss = (self.build)(&graph);
        let parameters = graph.parameters();
        let gradients = graph.gradients_of(loss, &parameters);
        optimiser(&graph, &parameters, &gradients, RATE);
        let program = graph.check()?.program(&[loss])?;
        let machine = ran(&program, question, STEPS)?;
        let mut tensors = BTreeMap::new();
        for parameter in &parameters {
            tensors.insert(parameter.name(), machine.elements(&parameter.name())?);
        }
        Ok(Found { loss: machine.elements(&loss.name())?[0], tensors })
    }
}

/// Draws the elements of everything that a program is given.
fn draw(program: &Program, generator: &mut Generator) -> anyhow::Result<Question> {
    let mut question =
        Question { parameters: BTreeMap::new(), data: BTreeMap::new(), rate: RATE, steps: STEPS };
    for (_, variable) in program.variables() {
        let Holds::Given(given) = variable.holds else { continue };
        let sizes = in_memory(variable).context("every size is a number")?;
        let count = sizes.iter().product();
        let elements =
            (0..count).map(|_| f64::from(generator.i32(-1000..=1000)) / 1000.0).collect();
        let of =
            if given == Given::Parameter { &mut question.parameters } else { &mut question.data };
        of.insert(variable.name.to_string(), Elements { sizes, elements });
    }
    Ok(question)
}

/// The sizes of a variable in the order of memory.
fn in_memory(variable: &Variable) -> Option<Vec<u64>> {
    let rows = [lozenge::Kind::Batch, lozenge::Kind::Output, lozenge::Kind::Input];
    let rows: Option<Vec<Vec<u64>>> =
        rows.into_iter().map(|row| variable.shape.sizes(row)).collect();
    rows.map(|rows| rows.concat())
}

/// The machine of a program that was given what a question says, after it ran so often.
fn ran<'p>(program: &'p Program, question: &Question, times: usize) -> anyhow::Result<Machine<'p>> {
    let mut machine = Machine::in_double(program)?;
    for (name, given) in question.parameters.iter().chain(&question.data) {
        machine.set(name, &given.elements)?;
    }
    for _ in 0..times {
        machine.run(&[])?;
    }
    Ok(machine)
}

impl Found {
    /// How many numbers were compared, and the largest error.
    fn error(&self, truth: &Found) -> (usize, f64) {
        let apart = |(a, b): (&f64, &f64)| (a - b).abs() / a.abs().max(b.abs()).max(1.0);
        let fits = |(own, truth): (&Vec<f64>, &Vec<f64>)| own.len() == truth.len();
        let is_whole = self.tensors.keys().eq(truth.tensors.keys())
            && self.tensors.values().zip(truth.tensors.values()).all(fits);
        if !is_whole {
            return (0, f64::INFINITY);
        }
        let own = self.tensors.values().flatten().chain([&self.loss]);
        let errors = own.zip(truth.tensors.values().flatten().chain([&truth.loss])).map(apart);
        // `max` would leave out what is not a number.
        let worse = |(count, worst): (usize, f64), error: f64| {
            (count + 1, if error <= worst { worst } else { error })
        };
        errors.fold((0, 0.0), worse)
    }
}
