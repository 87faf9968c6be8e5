//! Spelled programs through sessions.

use lozenge::{
    BitCast, Compose, ComposeAccumulate, Einsum, Pointwise, Report, Reshape, Role, Session, Site,
    SizeVar, Tensor, Terminal, Transpose, diagnostic::Code,
};

use super::{
    model::{SizeOf, Step},
    spelling::Spelling,
    templates,
};

/// A program that is built: what each of its steps made.
pub struct Built {
    pub session: Session,
    pub made: Vec<Made>,
}

/// What a step made.
#[derive(Clone, Copy)]
pub enum Made {
    Tensor(Tensor),
    Size(SizeVar),
    /// Nothing: it is a statement, or not built.
    Nothing,
}

/// A step that its session refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub step: usize,
    pub code: Code,
    pub blamed: Blamed,
    pub headline: String,
}

/// The steps that a message gives as its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// Those that it points at, in order.
    pub steps: Vec<usize>,
    /// What it says of those that it only counts: the same steps can be pointed at for another
    /// reason.
    pub counted: Option<String>,
}

impl Refused {
    /// What closing says, after this step, if that is that nothing satisfies the program.
    pub fn at_closing(step: usize, session: &Session) -> Option<Refused> {
        let refused = Refused::new(step, &session.close().err()?);
        let is_refuted =
            matches!(refused.code, Code::SizeMismatch | Code::BasisMismatch | Code::RankConflict);
        is_refuted.then_some(refused)
    }

    pub fn new(step: usize, rejection: &Report) -> Refused {
        let said = &rejection.diagnostics[0];
        let sources = said.labels.iter().filter_map(|label| {
            let source = rejection.sources.get(label.place.source)?;
            source.name.strip_prefix('#')?.parse().ok()
        });
        let mut steps: Vec<usize> = sources.chain([step]).collect();
        steps.sort_unstable();
        steps.dedup();
        let counts = |note: &&String| note.starts_with("and ") && note.ends_with(" before");
        let blamed = Blamed { steps, counted: said.notes.iter().find(counts).cloned() };
        Refused { step, code: said.code, blamed, headline: said.headline.clone() }
    }
}

impl Built {
    /// The program without steps.
    pub fn nothing(count: usize) -> Built {
        Built { session: Session::new(), made: vec![Made::Nothing; count] }
    }

    /// A whole program, up to the first step that is refused.
    ///
    /// # Errors
    /// The step that is refused.
    pub fn new(spelling: &Spelling) -> Result<Built, Refused> {
        let mut built = Built::nothing(spelling.steps.len());
        for place in &spelling.order {
            built.take(spelling, *place)?;
        }
        Ok(built)
    }

    pub fn tensor(&self, place: usize) -> Option<Tensor> {
        match self.made[place] {
            Made::Tensor(tensor) => Some(tensor),
            Made::Size(_) | Made::Nothing => None,
        }
    }

    /// Takes the step at this place of the program.
    ///
    /// # Errors
    /// The step, where it is refused.
    pub fn take(&mut self, spelling: &Spelling, place: usize) -> Result<(), Refused> {
        let made = self.add(spelling, place);
        self.made[place] = made.map_err(|rejection| Refused::new(place, &rejection))?;
        Ok(())
    }

    /// Adds the step at this place of the program to the session.
    ///
    /// # Errors
    /// What is said, where it is refused.
    pub fn add(&mut self, spelling: &Spelling, place: usize) -> Result<Made, Report> {
        // By the step's place in the program, wherever it is built, so that what is blamed can be
        // compared.
        let site = Site::line(&format!("#{place}"), 1, 1);
        if spelling.steps[place].is_statement() {
            self.state(spelling, place, site)?;
            return Ok(Made::Nothing);
        }
        let name = &spelling.names.steps[place];
        if spelling.steps[place] == Step::Size {
            return Ok(Made::Size(self.session.new_size(name)));
        }
        let tensor = self.apply(spelling, place, site)?;
        self.session.set_name(tensor, name);
        Ok(Made::Tensor(tensor))
    }

    /// Applies a terminal or an operation.
    fn apply(&mut self, spelling: &Spelling, place: usize, at: Site) -> Result<Tensor, Report> {
        let operands = self.operands(&spelling.steps[place]);
        let name = spelling.names.steps[place].as_str();
        let shape = |shape: &usize| {
            let text = templates::SHAPES[*shape];
            templates::spelled(text, |kind, number| spelling.names.of_shape(kind, number))
        };
        let session = &mut self.session;
        match &spelling.steps[place] {
            Step::Number => session.at(at).apply(Terminal::number(name), &[]),
            Step::Data(text) => session.at(at).apply(Terminal::data(name, shape(text)), &[]),
            Step::Unknown => session.at(at).apply(Terminal::undeclared(name, Role::Leaf), &[]),
            Step::Parameter(None) => {
                session.at(at).apply(Terminal::undeclared(name, Role::Parameter), &[])
            }
            Step::Parameter(Some(text)) => {
                session.at(at).apply(Terminal::parameter(name, shape(text)), &[])
            }
            Step::Elements(count) => {
                session.at(at).apply(Terminal::data_of_elements(name, *count), &[])
            }
            Step::Array(axes) => {
                session.at(at).apply(Terminal::data_in_memory(name, axes.as_slice()), &[])
            }
            Step::Pointwise(number, _) => {
                let operation = Pointwise::new(spelling.names.operations[*number].clone());
                session.at(at).apply(operation, &operands)
            }
            Step::Compose(_) => session.at(at).apply(Compose, &operands),
            Step::ComposeAccumulate(_) => session.at(at).apply(ComposeAccumulate, &operands),
            Step::Transpose(_) => session.at(at).apply(Transpose, &operands),
            Step::Einsum(einsum) => {
                let label = |label| spelling.names.of_label(place, label);
                let sizes: Vec<(String, u64)> =
                    einsum.sizes.iter().map(|(of, size)| (label(*of), *size)).collect();
                let sizes: Vec<(&str, u64)> =
                    sizes.iter().map(|(of, size)| (of.as_str(), *size)).collect();
                let operation = Einsum::with(&einsum.template().spelled(label), &sizes)?;
                session.at(at).apply(operation, &operands)
            }
            Step::Reshape(None, _) => session.at(at).apply(Reshape::new(), &operands),
            Step::Reshape(Some(text), _) => {
                session.at(at).apply(Reshape::to(shape(text)), &operands)
            }
            Step::BitCast(from, to, _) => session.at(at).apply(BitCast::new(*from, *to), &operands),
            Step::Size
            | Step::Same(_)
            | Step::Square(_)
            | Step::Set(..)
            | Step::Equal(_)
            | Step::Scale(..) => unreachable!("it makes no tensor"),
        }
    }

    /// States what a statement says.
    fn state(&mut self, spelling: &Spelling, place: usize, at: Site) -> Result<(), Report> {
        let step = &spelling.steps[place];
        let operands = self.operands(step);
        let captured = |size: &SizeOf| self.size(spelling, *size);
        match step {
            Step::Same(_) => self.session.at(at).same_shape(operands[0], operands[1]),
            Step::Square(_) => self.session.at(at).input_equals_output(operands[0]),
            Step::Set(size, number) => {
                let size = captured(size)?;
                self.session.at(at).set(size, *number)
            }
            Step::Equal([first, second]) => {
                let (first, second) = (captured(first)?, captured(second)?);
                self.session.at(at).equal(first, second)
            }
            Step::Scale(factor, [large, small]) => {
                let (large, small) = (captured(large)?, captured(small)?);
                self.session.at(at).scale(*factor, large, small)
            }
            _ => unreachable!("it is not a statement"),
        }
    }

    /// The tensors that a step refers to.
    fn operands(&self, step: &Step) -> Vec<Tensor> {
        step.uses().iter().filter_map(|used| self.tensor(*used)).collect()
    }

    /// The size that a statement is about.
    ///
    /// # Errors
    /// What is said, where there is none.
    pub fn size(&self, spelling: &Spelling, size: SizeOf) -> Result<SizeVar, Report> {
        match (size, self.made[size.step()]) {
            (SizeOf::Label(place, label), Made::Tensor(tensor)) => {
                self.session.capture(tensor, &spelling.names.of_label(place, label))
            }
            (_, Made::Size(size)) => Ok(size),
            (_, made) => unreachable!("no size was made: {}", matches!(made, Made::Nothing)),
        }
    }
}
