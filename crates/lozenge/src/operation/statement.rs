//! Statements: operations without a result, which constrain tensors and captured sizes that exist.

use std::sync::Arc;

use lozenge_calculus::{
    constraint::{Count, SizeRelation},
    dim::{Basis, Dim},
    size::Size,
    term::{DimTerm, RowTerm, Variable},
};

use lozenge_notation::{DimForm, Shape, Size as NamedSize};

use super::{Declaration, Misfit, Operation, Scheme, SchemePart, range::NameRange};
use crate::Kind;

/// There is a size of this name.
#[derive(Debug)]
pub(crate) struct NewSize(pub(crate) Box<str>);

impl Operation for NewSize {
    fn name(&self) -> &str {
        &self.0
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.fresh_axis();
        Ok(scheme.into())
    }

    fn declaration(&self) -> Option<Declaration> {
        Some(Declaration { head: "size ".into(), text: self.0.to_string() })
    }
}

/// Two tensors have the same shape.
#[derive(Debug)]
pub(crate) struct SameShape;

impl Operation for SameShape {
    fn name(&self) -> &'static str {
        "same"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.expect_operands(2)?;
        for kind in Kind::ALL {
            let (first, second) = (scheme.operand(0, kind), scheme.operand(1, kind));
            scheme.same_row(SchemePart::Row { operand: 1, kind }, first, second);
        }
        Ok(scheme.into())
    }
}

/// What a tensor takes is what it gives.
#[derive(Debug)]
pub(crate) struct SameInputOutput;

impl Operation for SameInputOutput {
    fn name(&self) -> &'static str {
        "square"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.expect_operands(1)?;
        let (input, output) = (scheme.operand(0, Kind::Input), scheme.operand(0, Kind::Output));
        scheme.same_row(SchemePart::Row { operand: 0, kind: Kind::Input }, input, output);
        Ok(scheme.into())
    }
}

/// A captured size is this number.
#[derive(Debug)]
pub(crate) struct SetSize {
    pub(crate) name: Box<str>,
    pub(crate) var: Variable,
    pub(crate) size: u64,
}

impl Operation for SetSize {
    fn name(&self) -> &'static str {
        "set"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        set(&mut scheme, SchemePart::Whole, Scheme::captured(0, self.var), self.size)?;
        Ok(scheme.into())
    }

    fn declaration(&self) -> Option<Declaration> {
        Some(Declaration { head: "set ".into(), text: format!("{} = {}", self.name, self.size) })
    }
}

/// A captured size stays symbolic, by this name.
#[derive(Debug)]
pub(crate) struct NameSize {
    pub(crate) name: Box<str>,
    pub(crate) var: Variable,
    pub(crate) symbol: Box<str>,
}

impl Operation for NameSize {
    fn name(&self) -> &'static str {
        "set"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        let Variable::Dim(var) = Scheme::captured(0, self.var) else {
            return Err(Misfit::RowNamed(self.name.clone()));
        };
        let Some((symbol, basis)) = named(&self.symbol) else {
            return Err(Misfit::NotAName(self.symbol.clone()));
        };
        let name_table = scheme.name_table();
        let basis = basis.map_or(Basis::DEFAULT, |basis| name_table.basis(&basis));
        let dim = Dim::atom(Size::symbol(name_table.symbol(&symbol)), basis);
        scheme.same_axis(SchemePart::Whole, var, dim);
        Ok(scheme.into())
    }

    fn declaration(&self) -> Option<Declaration> {
        Some(Declaration { head: "set ".into(), text: format!("{} = {}", self.name, self.symbol) })
    }
}

/// A size by a name has these values.
#[derive(Debug)]
pub(crate) struct RangeName {
    pub(crate) name: Box<str>,
    pub(crate) range: NameRange,
}

impl Operation for RangeName {
    fn name(&self) -> &'static str {
        "range"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        match named(&self.name) {
            Some((name, None)) => scheme.range(&name, self.range),
            Some((_, Some(_))) | None => return Err(Misfit::NotAName(self.name.clone())),
        }
        Ok(scheme.into())
    }

    fn declaration(&self) -> Option<Declaration> {
        let head = if self.range.any { "any " } else { "range " };
        Some(Declaration { head: head.into(), text: format!("{}: {}", self.name, self.range) })
    }
}

/// A size by a name, and its basis, as a shape has them. Whatever else is given would be printed as
/// something that is read in another way.
fn named(text: &str) -> Option<(String, Option<String>)> {
    let shape: Shape = text.parse().ok()?;
    let (_, [dim]) = shape.dims(shape.row(Kind::Output)) else { return None };
    let DimForm::Known(NamedSize::Named(id), _) = dim.form else { return None };
    let basis = shape.basis(dim).map(str::to_owned);
    (dim.span.of(text) == text).then(|| (shape.name(id).to_owned(), basis))
}

/// Whether a text is the name of a size, without a basis.
pub(crate) fn is_name(text: &str) -> bool {
    matches!(named(text), Some((_, None)))
}

/// Asks that a size is this number; of a row, the number of its elements.
pub(super) fn set(
    scheme: &mut Scheme,
    about: SchemePart,
    var: Variable,
    size: u64,
) -> Result<(), Misfit> {
    let dim = scheme.written(size)?;
    match var {
        Variable::Dim(var) => scheme.same_axis(about, var, dim),
        Variable::Row(_) if size == 0 => return Err(Misfit::NoElements),
        Variable::Row(var) => {
            let (rows, divided_by) = (vec![RowTerm::from(var)], Vec::new());
            let total = SizeRelation::Total { rows, divided_by, count: Count::Number(size) };
            scheme.relate(about, total);
        }
    }
    Ok(())
}

/// Two captured sizes are the same. A row has the size of all its elements, unless both are rows.
#[derive(Debug)]
pub(crate) struct SameSize {
    pub(crate) names: [Box<str>; 2],
    pub(crate) vars: [Variable; 2],
}

impl Operation for SameSize {
    fn name(&self) -> &'static str {
        "equal"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        match captured(self.vars) {
            [Variable::Dim(first), Variable::Dim(second)] => {
                scheme.same_axis(SchemePart::Whole, first, second);
            }
            [Variable::Row(first), Variable::Row(second)] => {
                scheme.same_row(SchemePart::Whole, first.into(), second.into());
            }
            [Variable::Row(row), Variable::Dim(dim)] | [Variable::Dim(dim), Variable::Row(row)] => {
                let count =
                    Count::Strided { coefficient: 1, dim: DimTerm::Var(dim), denominator: 1 };
                let (rows, divided_by) = (vec![row.into()], Vec::new());
                scheme.relate(SchemePart::Whole, SizeRelation::Total { rows, divided_by, count });
            }
        }
        Ok(scheme.into())
    }

    fn declaration(&self) -> Option<Declaration> {
        let text = format!("{} = {}", self.names[0], self.names[1]);
        Some(Declaration { head: "equal ".into(), text })
    }
}

/// A captured size is a multiple of another.
#[derive(Debug)]
pub(crate) struct ScaleSize {
    pub(crate) factor: u32,
    pub(crate) names: [Box<str>; 2],
    pub(crate) vars: [Variable; 2],
}

impl Operation for ScaleSize {
    fn name(&self) -> &'static str {
        "scale"
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        let [Variable::Dim(whole), Variable::Dim(over)] = captured(self.vars) else {
            return Err(Misfit::RowScaled(self.names.clone()));
        };
        if self.factor == 0 {
            return Err(Misfit::ZeroFactor(self.names.clone()));
        }
        let (whole, over) = (whole.into(), over.into());
        let stride = self.factor;
        scheme
            .relate(SchemePart::Whole, SizeRelation::Strided { whole, stride, over, loose: false });
        Ok(scheme.into())
    }

    fn declaration(&self) -> Option<Declaration> {
        let text = format!("{} = {} * {}", self.names[0], self.factor, self.names[1]);
        Some(Declaration { head: "scale ".into(), text })
    }
}

/// Two captured sizes, as a scheme has them.
fn captured([first, second]: [Variable; 2]) -> [Variable; 2] {
    [Scheme::captured(0, first), Scheme::captured(1, second)]
}
