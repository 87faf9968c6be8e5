//! Everything that a specification says: permutations, reductions, contractions, windows, slices.
//!
//! The rows of the operands are equated with their templates, and the rows of the result are their
//! templates. Nothing is broadcast: one name is one axis. In a specification that was read as
//! NumPy's it is one in every operand, and those are stretched to one another.

use std::sync::Arc;

use lozenge_notation::{NameId, Use};

use super::{
    Misfit, Operation, Scheme, SchemePart,
    interface::numbers_in_braces,
    scalar::{Accumulation, Expression},
    statement::set,
    template::{Template, variable},
};
use crate::{
    Kind, Report, Spec,
    number::{in_message, index},
    session::Site,
};

/// An operation that a specification describes, of any number of operands.
///
/// Its scheme is made with it, once: keep the operation and apply clones of it, in as many sessions
/// as there are.
#[derive(Clone, Debug)]
pub struct Einsum {
    spec: Arc<Spec>,
    /// Names whose sizes are given, with them; and coefficients with their numbers.
    numbers: Vec<(NameId, u64)>,
    scheme: Result<Arc<Scheme>, Misfit>,
}

impl Einsum {
    /// The operation of this specification.
    ///
    /// # Errors
    /// When the text is no specification, or has a coefficient by a name.
    #[track_caller]
    pub fn new(text: &str) -> Result<Einsum, Report> {
        Einsum::with(text, &[])
    }

    /// The operation of this specification, with numbers for some of its names: sizes of axes,
    /// numbers of elements of rows, ranges of indices, coefficients.
    ///
    /// # Errors
    /// When the text is no specification, has no such name, or has a coefficient without a number.
    #[track_caller]
    pub fn with(text: &str, numbers: &[(&str, u64)]) -> Result<Einsum, Report> {
        let site = Site::caller();
        Einsum::read(text, numbers).map_err(|rejection| site.blame(rejection))
    }

    /// The operation of a specification, whose errors have no place of a caller.
    pub(crate) fn read(text: &str, numbers: &[(&str, u64)]) -> Result<Einsum, Report> {
        lozenge_notation::parse(text).ok().and_then(|spec| Einsum::of(spec, numbers))
    }

    /// The operation of a specification that was read before.
    ///
    /// # Errors
    /// When the specification has no such name, or has a coefficient without a number.
    pub fn of(spec: impl Into<Arc<Spec>>, numbers: &[(&str, u64)]) -> Result<Einsum, Report> {
        let mut spec: Arc<Spec> = spec.into();
        let mut given = vec![];
        for (name, number) in numbers {
            let id = spec.find(name).map_or_else(|| spec.capture(name), Ok)?;
            given.push((id, *number));
        }
        if spec.names().any(|id| spec.name_use(id) == Use::Coefficient) {
            let number = |name: &str| numbers.iter().find(|(n, _)| *n == name).map(|(_, n)| *n);
            spec = Arc::new(spec.bind(number)?);
        }
        let is_size = |(id, _): &&(NameId, u64)| spec.name_use(*id) != Use::Coefficient;
        let sizes: Vec<(NameId, u64)> = given.iter().filter(is_size).copied().collect();
        let scheme = scheme(&spec, &sizes).map(Arc::new);
        Ok(Einsum { spec, numbers: given, scheme })
    }

    /// The same specification with another element for every point than the product of what is
    /// read.
    ///
    /// ```
    /// use lozenge::{Accumulation, Binary, Einsum, Expression, Session};
    ///
    /// let mut session = Session::new();
    /// let a = session.data("a", "2,3")?;
    /// let b = session.data("b", "3,4")?;
    /// // The longest way from i over any j to k.
    /// let longest = Einsum::new("ij; jk => ik")?
    ///     .of_elements(Expression::read(0) + Expression::read(1))
    ///     .by(Accumulation::Max);
    /// session.apply(longest, &[a, b])?;
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    #[must_use]
    pub fn of_elements(self, value: Expression) -> Einsum {
        self.with_scheme(|scheme| scheme.compute(value))
    }

    /// The same specification with another accumulation than the sum.
    #[must_use]
    pub fn by(self, accumulation: Accumulation) -> Einsum {
        self.with_scheme(|scheme| {
            scheme.accumulate(accumulation);
            Ok(())
        })
    }

    /// The same specification with its scheme changed. What is wrong with that is said when it is
    /// applied.
    fn with_scheme(self, change: impl FnOnce(&mut Scheme) -> Result<(), Misfit>) -> Einsum {
        let scheme = self.scheme.and_then(|mut scheme| {
            change(Arc::make_mut(&mut scheme))?;
            Ok(scheme)
        });
        Einsum { scheme, ..self }
    }
}

impl Operation for Einsum {
    fn name(&self) -> &'static str {
        "einsum"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        self.spec.expect_operands(operands)?;
        self.scheme.clone()
    }

    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn sizes(&self) -> Vec<(&str, u64)> {
        let is_size = |id: NameId| self.spec.name_use(id) != Use::Coefficient;
        let sizes = self.numbers.iter().filter(|(id, _)| is_size(*id));
        sizes.map(|(id, size)| (self.spec.name(*id), *size)).collect()
    }

    fn detail(&self) -> Option<String> {
        let named = self.numbers.iter().map(|(id, number)| (self.spec.name(*id), *number));
        numbers_in_braces(named)
    }
}

/// What a specification asks, and the sizes that are given with it.
fn scheme(spec: &Spec, sizes: &[(NameId, u64)]) -> Result<Scheme, Misfit> {
    let mut scheme = Scheme::new(spec.operands().len());
    let mut template = Template::new(spec, &mut scheme);
    for (id, size) in sizes {
        let var = template.variable(*id);
        let about = SchemePart::Name(index(id.index()));
        set(template.scheme(), about, var, *size)?;
    }
    for (place, slot) in spec.operands().iter().enumerate() {
        let number = in_message(place);
        template.begin(Some(place));
        for kind in Kind::ALL {
            let row = template.row(place, kind, slot.row(kind))?;
            let actual = template.scheme().operand(place, kind);
            template.scheme().same_row(SchemePart::Row { operand: number, kind }, row, actual);
        }
    }
    template.begin(None);
    template.stretch();
    let result = spec.operands().len();
    for kind in Kind::ALL {
        let row = template.row(result, kind, spec.result().row(kind))?;
        template.scheme().declare(kind, row);
    }
    for id in spec.names().filter(|id| spec.name_use(*id) != Use::Coefficient) {
        scheme.name_size(spec.name(id), variable(spec, id, 0, 0));
    }
    Ok(scheme)
}
