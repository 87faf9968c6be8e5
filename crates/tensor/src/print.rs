//! A program as text: a statement a line, in regions.

use std::fmt::{self, Display, Formatter};

use lozenge::project::Statement;

use crate::{
    node::Logic,
    program::{Program, Step},
    region::Region,
};

impl Program {
    /// A statement as it is written: `w =- rate * w.grad`.
    pub fn statement(&self, step: &Step) -> String {
        let assignment = &step.assignment;
        let name = &self.variable(step.written).name;
        let written = if step.declares { format!("{{ {name} }}") } else { name.to_string() };
        let by = assignment.accumulation();
        let sign = match assignment.statement() {
            Statement::Erasing => by.erasing(),
            Statement::Accumulating => by.name(),
        };
        let read = |number: usize| self.variable(step.read[number]).name.to_string();
        let value = assignment.value().display(&read);
        format!("{written} {sign} {value}{}", step.logic)
    }
}

impl Display for Logic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Logic::Pointwise | Logic::Slots => Ok(()),
            Logic::Named(name) => write!(f, " ~logic:\"{name}\""),
            Logic::Spec(spec) => write!(f, " ~logic:\"{spec}\""),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for region in Region::ALL {
            let mut steps = self.steps().iter().filter(|step| step.region == region).peekable();
            if steps.peek().is_none() {
                continue;
            }
            f.write_str(if is_first { "" } else { "\n" })?;
            is_first = false;
            writeln!(f, "{}:", region.name())?;
            for step in steps {
                writeln!(f, "  {}", self.statement(step))?;
            }
        }
        Ok(())
    }
}
