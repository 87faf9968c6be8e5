//! Random programs with open sizes through sessions.

use lozenge::{Closed, Einsum, Report, Reshape, Session, Site, SizeVar, Tensor};
use lozenge_notation::{Dialect, parse_as};

use crate::Generator;

use super::draw::{Axis, NAMES, Operand, Program, Said, Step};

/// A program that was built and closed.
pub(super) struct Built {
    pub(super) session: Session,
    pub(super) closed: Closed,
    pub(super) tensors: Vec<Tensor>,
    pub(super) captured: Vec<SizeVar>,
}

impl Program {
    /// Built and closed, with numbers in the place of names where there are some, where this is
    /// declared.
    pub(super) fn built(
        &self,
        values: Option<&[u64]>,
        declared: &[String],
    ) -> Result<Built, Report> {
        let mut session = Session::new();
        let (tensors, captured) = self.add(&mut session, values, declared)?;
        let closed = session.close()?;
        Ok(Built { session, closed, tensors, captured })
    }

    /// Adds the program to a session, each line at a place of its own.
    fn add(
        &self,
        session: &mut Session,
        values: Option<&[u64]>,
        declared: &[String],
    ) -> Result<(Vec<Tensor>, Vec<SizeVar>), Report> {
        let mut lines = 0;
        let mut here = || {
            lines += 1;
            Site::line("program", lines, 1)
        };
        let (mut tensors, mut captured) = (vec![], vec![]);
        // Of names that are known at run time that is said before.
        let (after, before) =
            declared.split_at(if self.late.contains(&true) { declared.len() } else { 0 });
        for declared in before {
            session.at(here()).declare(declared)?;
        }
        for (name, range) in NAMES.iter().zip(&self.ranges) {
            if let (Some((low, high)), None) = (range, values) {
                session.at(here()).range(name, *low..=*high)?;
            }
        }
        for (number, terminal) in self.terminals.iter().enumerate() {
            let named = |name: usize| match values {
                None => NAMES[name].to_owned(),
                Some(values) => values[name].to_string(),
            };
            let is_late = |name: usize| values.is_none() && self.late[name];
            let axis = |axis: &Axis| match axis {
                Axis::Number(n) => n.to_string(),
                Axis::Name(name) if is_late(*name) && self.is_fresh(*name) => "*".to_owned(),
                Axis::Name(name) if is_late(*name) => format!("*{}", named(*name)),
                Axis::Name(name) => named(*name),
                Axis::Computed(name, sign, by) => {
                    let by = match by {
                        Operand::Name(name) => named(*name),
                        Operand::Number(n) => n.to_string(),
                    };
                    format!("{}{sign}{by}", named(*name))
                }
                Axis::Less(factor, name, less) => format!("{factor}*{}-{less}", named(*name)),
                Axis::Unknown => "_".to_owned(),
                Axis::Met => "?".to_owned(),
            };
            let shape: Vec<String> = terminal.axes().iter().map(axis).collect();
            let (called, shape) = (format!("d{number}"), shape.join(","));
            tensors.push(match (&terminal.said, terminal.is_parameter) {
                (Said::Axes(_), true) => session.at(here()).parameter_of(&called, &shape)?,
                (Said::Axes(_), false) => session.at(here()).data(&called, &shape)?,
                (Said::Nothing(_), true) => session.at(here()).parameter(&called),
                (Said::Nothing(_), false) => session.at(here()).constant(&called),
            });
        }
        for declared in after {
            session.at(here()).declare(declared)?;
        }
        for step in &self.steps {
            let made = match step {
                Step::Equal(one, other) => {
                    session
                        .at(here())
                        .equal(captured_of(&captured, *one), captured_of(&captured, *other))?;
                    continue;
                }
                Step::Set(one, number) => {
                    session.at(here()).set(captured_of(&captured, *one), *number)?;
                    continue;
                }
                Step::Einsum { text, sizes, operands, .. } => {
                    let operands: Vec<Tensor> = operands.iter().map(|of| tensors[*of]).collect();
                    session.at(here()).einsum_with(text, sizes, &operands)?
                }
                Step::Sum(a, b) => {
                    session.at(here()).pointwise("+", &[tensors[*a], tensors[*b]])?
                }
                Step::Stretched(operands) => {
                    let operands: Vec<Tensor> = operands.iter().map(|of| tensors[*of]).collect();
                    session.at(here()).pointwise_numpy("f", &operands)?
                }
                Step::Product(a, b) => {
                    let spec = parse_as("...ij,...jk->...ik", Dialect::Numpy).ok()?;
                    session.at(here()).apply(Einsum::of(spec, &[])?, &[tensors[*a], tensors[*b]])?
                }
                Step::Reshape(shape, of) => {
                    session.at(here()).apply(Reshape::to(shape.as_str()), &[tensors[*of]])?
                }
            };
            captured.push(if step.captures() { Some(session.capture(made, "x")?) } else { None });
            tensors.push(made);
        }
        Ok((tensors, captured.into_iter().flatten().collect()))
    }
}

/// What was captured of a step.
fn captured_of(captured: &[Option<SizeVar>], step: usize) -> SizeVar {
    captured[step].expect("it has a name to capture")
}

/// A session with a random program, up to the step that is refused, and the sizes that are captured
/// of it.
pub fn session(rng: &mut Generator) -> (Session, Result<Vec<SizeVar>, Report>) {
    let mut session = Session::new();
    let added = Program::draw(rng).add(&mut session, None, &[]);
    (session, added.map(|(_, captured)| captured))
}
