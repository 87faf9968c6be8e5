//! An einsum in a session of its own, and the shapes that it has there.

use lozenge_diagnostic::{Code, Diagnostic, Help, Source, Sources, Span};
use lozenge_notation::{Dialect, Dim, DimForm, NameId, Slot, Use, parse_as, parse_shape};

use crate::{
    Assignment, Axis, Closed, Einsum, Kind, Report, Role, Session, Site, Size, Spec, Tensor,
    Terminal,
};

/// A specification, and the shapes of its operands as far as they are given.
///
/// ```
/// use lozenge::query::Query;
///
/// let product = Query::new("ij; jk => ik", ["2,3", "_"]).infer()?;
/// assert_eq!(product.closed().shape(product.operands()[1])?.rank(), 2);
/// // Nothing says how many columns the second matrix has.
/// let names: Vec<&str> =
///     product.undetermined_names().into_iter().map(|id| product.spec().name(id)).collect();
/// assert_eq!(names, ["k"]);
/// # Ok::<(), lozenge::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct Query {
    spec: String,
    shapes: Vec<String>,
    dialect: Dialect,
    sizes: Vec<(String, u64)>,
    declared: Vec<String>,
    allowed: Vec<Code>,
}

/// The shapes of an einsum, as far as they follow.
#[derive(Debug)]
pub struct Inferred {
    pub(super) session: Session,
    pub(super) spec: Spec,
    /// The specification as it was written.
    pub(super) source: Source,
    pub(super) operands: Vec<Tensor>,
    pub(super) result: Tensor,
    pub(super) closed: Closed,
    /// The warnings about the specification itself, and their sources, which do not change when
    /// axes whose sizes nothing determines get names.
    said: (Vec<Diagnostic>, Sources),
}

impl Query {
    /// The query about a specification and the shapes of its operands, in order. `_` is a shape
    /// that is not known; with no shape at all, none is.
    pub fn new(
        spec: impl Into<String>,
        shapes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Query {
        Query {
            spec: spec.into(),
            shapes: shapes.into_iter().map(Into::into).collect(),
            dialect: Dialect::Lozenge,
            sizes: vec![],
            declared: vec![],
            allowed: vec![],
        }
    }

    /// Reads the specification in another dialect.
    #[must_use]
    pub fn in_dialect(self, dialect: Dialect) -> Query {
        Query { dialect, ..self }
    }

    /// Gives names of the specification these sizes.
    #[must_use]
    pub fn with_sizes(mut self, sizes: impl IntoIterator<Item = (String, u64)>) -> Query {
        self.sizes.extend(sizes);
        self
    }

    /// Declares what holds of the names of sizes, as [`Session::declare`] does.
    #[must_use]
    pub fn with_declared(mut self, declared: impl IntoIterator<Item = String>) -> Query {
        self.declared.extend(declared);
        self
    }

    /// Leaves these warnings and notes out, as [`Session::allow`] does.
    #[must_use]
    pub fn with_allowed(mut self, allowed: impl IntoIterator<Item = Code>) -> Query {
        self.allowed.extend(allowed);
        self
    }

    /// Infers the shapes. A `?` that meets nothing is one element.
    ///
    /// # Errors
    /// When a text cannot be read, or the shapes do not fit the specification.
    pub fn infer(&self) -> Result<Inferred, Report> {
        let inferred = self.infer_once(&self.shapes)?;
        let shapes_of = inferred.operands.iter().zip(&self.shapes);
        let said: Vec<String> =
            shapes_of.map(|(operand, shape)| inferred.with_units(*operand, shape)).collect();
        if said == self.shapes { Ok(inferred) } else { self.infer_once(&said) }
    }

    fn infer_once(&self, shapes: &[String]) -> Result<Inferred, Report> {
        let spec = parse_as(&self.spec, self.dialect).ok()?;
        let sizes: Vec<(&str, u64)> =
            self.sizes.iter().map(|(name, size)| (&name[..], *size)).collect();
        let einsum = Einsum::of(spec.clone(), &sizes)?;
        let mut session = Session::new();
        for code in &self.allowed {
            session.allow(*code)?;
        }
        for declared in &self.declared {
            let site = Site::whole(&Source::new("declare", &declared[..]));
            session.at(site).declare(declared)?;
        }
        let none_known = vec!["_".to_owned(); spec.operands().len()];
        let shapes = if shapes.is_empty() { &none_known } else { shapes };
        let mut operands = vec![];
        for (number, shape) in shapes.iter().enumerate() {
            let name = operand_name(number);
            let terminal = match shape.trim() {
                "_" => Terminal::undeclared(&name[..], Role::Leaf),
                _ => Terminal::data(&name[..], &shape[..]),
            };
            let site = Site::whole(&Source::new(&name[..], &shape[..]));
            operands.push(session.at(site).apply(terminal, &[])?);
        }
        let slots = spec.operands().iter().map(|slot| slot.span.range());
        let source = Source::new("spec", spec.text());
        let site = Site::whole(&source).with_operands(slots);
        let applied = session.at(site).apply(einsum, &operands);
        let result = applied.map_err(|mut rejection| {
            for said in &mut rejection.diagnostics {
                if said.code == Code::OperandCount && operands.len() < spec.operands().len() {
                    let help = Help::advice("`_` for an operand whose shape is not known");
                    said.helps.insert(0, help);
                }
            }
            rejection
        })?;
        session.set_name(result, "result");
        let closed = session.close()?;
        let of_spec = closed.notes().iter().filter(|note| is_of_spec(note)).cloned().collect();
        let said = (of_spec, closed.sources().clone());
        Ok(Inferred { session, spec, source, operands, result, closed, said })
    }
}

/// Whether something is said of a specification itself, rather than of what it is used with.
fn is_of_spec(said: &Diagnostic) -> bool {
    matches!(said.code, Code::LettersOrWords | Code::ResultOnlyName)
}

fn operand_name(number: usize) -> String {
    format!("operand {}", number + 1)
}

impl Inferred {
    /// The session in which the einsum is applied.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The specification, as it is read.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The operands, in order.
    pub fn operands(&self) -> &[Tensor] {
        &self.operands
    }

    /// The result.
    pub fn result(&self) -> Tensor {
        self.result
    }

    /// The shapes, closed.
    pub fn closed(&self) -> &Closed {
        &self.closed
    }

    /// Warnings about the specification itself, and their sources.
    pub fn warnings_of_spec(&self) -> (&[Diagnostic], &Sources) {
        (&self.said.0, &self.said.1)
    }

    /// Notes about what the specification is used with; their sources are those of
    /// [`Inferred::closed`].
    pub fn notes(&self) -> Vec<Diagnostic> {
        self.closed.notes().iter().filter(|note| !is_of_spec(note)).cloned().collect()
    }

    /// The operands and the result, with what each is in the specification and how messages call
    /// it.
    pub fn tensors(&self) -> impl Iterator<Item = (Tensor, &Slot, String)> {
        let operands = self.operands.iter().zip(self.spec.operands()).enumerate();
        let operands =
            operands.map(|(number, (tensor, slot))| (*tensor, slot, operand_name(number)));
        operands.chain([(self.result, self.spec.result(), "result".to_owned())])
    }

    /// The names of axes, rows and indices, each with its size or range where that is determined.
    pub fn sizes(&self) -> Vec<(NameId, Option<Size>)> {
        let is_sized = |id: &NameId| self.spec.name_use(*id) != Use::Coefficient;
        let size = |id: NameId| {
            let captured = self.session.capture(self.result, self.spec.name(id)).ok()?;
            self.session.known(captured)
        };
        self.spec.names().filter(is_sized).map(|id| (id, size(id))).collect()
    }

    /// What the einsum does, over the loops that its shapes give.
    ///
    /// # Errors
    /// When it has no loops.
    pub fn assignment(&self) -> Result<Assignment, Report> {
        self.session.assignment(&self.closed, self.result)
    }

    /// The written shape of an operand with `1_` in the place of every `?` that is one.
    fn with_units(&self, operand: Tensor, text: &str) -> String {
        let mut said = text.to_owned();
        let (Ok(written), Ok(closed)) = (parse_shape(text).ok(), self.closed.shape(operand)) else {
            return said;
        };
        let mut units: Vec<Span> = vec![];
        for kind in Kind::ALL {
            let (row, known) = (written.row(kind), closed.row(kind));
            let (before, after) = written.dims(row);
            let axes = before.iter().zip(known).chain(after.iter().rev().zip(known.iter().rev()));
            let is_unit =
                |(dim, axis): &(&Dim, &Axis)| dim.form == DimForm::Met && **axis == Axis::Unit;
            units.extend(axes.filter(is_unit).map(|(dim, _)| dim.span));
        }
        units.sort_unstable();
        for span in units.into_iter().rev() {
            said.replace_range(span.range(), "1_");
        }
        said
    }
}
