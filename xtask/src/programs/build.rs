//! Spelled programs through sessions.

use lozenge::{
    BitCast, Captured, Compose, ComposeAccumulate, Einsum, Pointwise, Rejection, Reshape, Role,
    Session, Site, Tensor, Terminal, Transpose, diagnostic::Code,
};

use super::{
    model::{SizeOf, Step},
    spelling::Spelling,
    templates,
};

/// A program that is built: what each of its steps made.
pub(crate) struct Built {
    pub(crate) session: Session,
    pub(crate) made: Vec<Made>,
}

/// What a step made.
#[derive(Clone, Copy)]
pub(crate) enum Made {
    Tensor(Tensor),
    Size(Captured),
    /// Nothing: it is a statement, or not built.
    Nothing,
}

/// A step that its session refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) step: usize,
    pub(crate) code: Code,
    /// The steps that the message points at, in order.
    pub(crate) blamed: Vec<usize>,
    pub(crate) headline: String,
}

impl Refused {
    /// Whether the session says that it may be wrong: what it had chosen, or the work it may do, does not
    /// suffice to know.
    pub(crate) fn ran_out(&self) -> bool {
        matches!(self.code, Code::ChoiceConflict | Code::WorkExhausted)
    }

    fn new(step: usize, rejection: &Rejection) -> Refused {
        let said = &rejection.diagnostics[0];
        let sources = said.labels.iter().filter_map(|label| {
            let source = rejection.sources.get(label.place.source)?;
            source.name.strip_prefix('#')?.parse().ok()
        });
        let mut blamed: Vec<usize> = sources.chain([step]).collect();
        blamed.sort_unstable();
        blamed.dedup();
        Refused { step, code: said.code, blamed, headline: said.headline.clone() }
    }
}

impl Built {
    /// The program without steps.
    pub(crate) fn nothing(count: usize) -> Built {
        Built { session: Session::new(), made: vec![Made::Nothing; count] }
    }

    /// A whole program, up to the first step that is refused.
    pub(crate) fn new(spelling: &Spelling) -> Result<Built, Refused> {
        let mut built = Built::nothing(spelling.steps.len());
        for place in &spelling.order {
            built.take(spelling, *place)?;
        }
        Ok(built)
    }

    pub(crate) fn tensor(&self, place: usize) -> Option<Tensor> {
        match self.made[place] {
            Made::Tensor(tensor) => Some(tensor),
            Made::Size(_) | Made::Nothing => None,
        }
    }

    /// Takes the step at this place of the program.
    pub(crate) fn take(&mut self, spelling: &Spelling, place: usize) -> Result<(), Refused> {
        let made = self.add(spelling, place);
        self.made[place] = made.map_err(|rejection| Refused::new(place, &rejection))?;
        Ok(())
    }

    fn add(&mut self, spelling: &Spelling, place: usize) -> Result<Made, Rejection> {
        // By the step's place in the program, wherever it is built, so that what is blamed can be compared.
        let site = Site::line(&format!("#{place}"), 1, 1);
        let step = &spelling.steps[place];
        let name = &spelling.names.steps[place];
        let operands: Vec<Tensor> =
            step.uses().iter().filter_map(|used| self.tensor(*used)).collect();
        let shape = |shape: &usize| {
            let text = templates::SHAPES[*shape];
            templates::spelled(text, |kind, number| spelling.names.of_shape(kind, number))
        };
        let session = &mut self.session;
        let tensor = match step {
            Step::Number => session.apply_at(site, Terminal::number(name.as_str()), &[])?,
            Step::Data(text) => {
                session.apply_at(site, Terminal::data(name.as_str(), shape(text)), &[])?
            }
            Step::Unknown => {
                session.apply_at(site, Terminal::unknown(name.as_str(), Role::Leaf), &[])?
            }
            Step::Parameter(None) => {
                session.apply_at(site, Terminal::unknown(name.as_str(), Role::Parameter), &[])?
            }
            Step::Parameter(Some(text)) => {
                session.apply_at(site, Terminal::parameter(name.as_str(), shape(text)), &[])?
            }
            Step::Elements(count) => {
                session.apply_at(site, Terminal::elements(name.as_str(), *count), &[])?
            }
            Step::Array(axes) => {
                session.apply_at(site, Terminal::axes(name.as_str(), axes.as_slice()), &[])?
            }
            Step::Size => return Ok(Made::Size(session.size(name))),
            Step::Pointwise(number, _) => {
                let operation = Pointwise::new(spelling.names.operations[*number].clone());
                session.apply_at(site, operation, &operands)?
            }
            Step::Compose(_) => session.apply_at(site, Compose, &operands)?,
            Step::ComposeAccumulate(_) => session.apply_at(site, ComposeAccumulate, &operands)?,
            Step::Transpose(_) => session.apply_at(site, Transpose, &operands)?,
            Step::Einsum(einsum) => {
                let label = |label| spelling.names.of_label(place, label);
                let sizes: Vec<(String, u64)> =
                    einsum.sizes.iter().map(|(of, size)| (label(*of), *size)).collect();
                let sizes: Vec<(&str, u64)> =
                    sizes.iter().map(|(of, size)| (of.as_str(), *size)).collect();
                let operation = Einsum::with(&einsum.template().spelled(label), &sizes)?;
                session.apply_at(site, operation, &operands)?
            }
            Step::Reshape(None, _) => session.apply_at(site, Reshape::new(), &operands)?,
            Step::Reshape(Some(text), _) => {
                session.apply_at(site, Reshape::to(shape(text)), &operands)?
            }
            Step::BitCast(from, to, _) => {
                session.apply_at(site, BitCast::new(*from, *to), &operands)?
            }
            Step::Same(_) => {
                session.same_shape_at(site, operands[0], operands[1])?;
                return Ok(Made::Nothing);
            }
            Step::Square(_) => {
                session.input_equals_output_at(site, operands[0])?;
                return Ok(Made::Nothing);
            }
            Step::Set(size, number) => {
                let size = self.size(spelling, *size)?;
                self.session.set_at(site, size, *number)?;
                return Ok(Made::Nothing);
            }
            Step::Equal(sizes) => {
                let [first, second] = sizes.map(|size| self.size(spelling, size));
                self.session.equal_at(site, first?, second?)?;
                return Ok(Made::Nothing);
            }
            Step::Scale(factor, sizes) => {
                let [large, small] = sizes.map(|size| self.size(spelling, size));
                self.session.scale_at(site, *factor, large?, small?)?;
                return Ok(Made::Nothing);
            }
        };
        self.session.name(tensor, name);
        Ok(Made::Tensor(tensor))
    }

    /// The size that a statement is about.
    pub(crate) fn size(&self, spelling: &Spelling, size: SizeOf) -> Result<Captured, Rejection> {
        match (size, self.made[size.step()]) {
            (SizeOf::Label(place, label), Made::Tensor(tensor)) => {
                self.session.capture(tensor, &spelling.names.of_label(place, label))
            }
            (_, Made::Size(size)) => Ok(size),
            (_, made) => unreachable!("no size was made: {}", matches!(made, Made::Nothing)),
        }
    }
}
