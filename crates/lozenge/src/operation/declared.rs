//! Declared relations between named sizes: `8 divides seq`, `total = past+seq`, `n >= m`.

use std::sync::Arc;

use lozenge_calculus::{
    constraint::{Part, SizeRelation},
    dim::{Basis, Dim},
    size::{Interval, Size, remainder},
    term::{DimTerm, DimVar},
};
use lozenge_diagnostic::{Report, Sources};
use {
    lozenge_notation as spec,
    lozenge_notation::{Computed, ComputedId, DimForm, Kind, Shape},
};

use super::{
    Declaration, Misfit, NameRange, Operation, Scheme, SchemePart,
    terminal::{computed, kept},
};
use crate::number::index;

/// Something holds of sizes by names when the program runs.
#[derive(Debug)]
pub(crate) struct Declare(pub(crate) Box<str>);

/// The relations that can be declared; a text has the first of them that stands in it.
const SIGNS: [(&str, Sign); 6] = [
    (" divides ", Sign::Divides),
    (">=", Sign::AtLeast),
    ("<=", Sign::AtMost),
    ("≥", Sign::AtLeast),
    ("≤", Sign::AtMost),
    ("=", Sign::Equal),
];

#[derive(Clone, Copy)]
enum Sign {
    Divides,
    AtLeast,
    AtMost,
    Equal,
}

/// A side of it: one size.
struct Side {
    shape: Shape,
    size: SideSize,
}

#[derive(Clone, Copy)]
enum SideSize {
    Known(spec::Size),
    Computed(ComputedId),
}

impl Operation for Declare {
    fn name(&self) -> &str {
        &self.0
    }

    fn scheme(&self, operands: usize) -> Result<Arc<Scheme>, Misfit> {
        let mut scheme = Scheme::new(operands);
        scheme.expect_operands(0)?;
        let not_declared = || Misfit::NotDeclared(self.0.clone());
        let found = SIGNS.iter().find_map(|(sign, what)| Some((*what, self.0.split_once(sign)?)));
        let Some((sign, (left, right))) = found else { return Err(not_declared()) };
        let side = |text: &str| match Side::read(text) {
            Ok(side) => side.ok_or_else(not_declared),
            Err(said) => Err(self.within(text, said)),
        };
        let (left, right) = (side(left)?, side(right)?);
        match sign {
            Sign::Divides => {
                let (by, whole) = (left.term(&mut scheme)?, dividend(&mut scheme, &left, &right)?);
                let parts = vec![by, scheme.fresh_axis().into()];
                scheme.relate(SchemePart::Whole, SizeRelation::Merged { whole, parts });
            }
            Sign::AtLeast => at_least(&mut scheme, &left, &right)?,
            Sign::AtMost => at_least(&mut scheme, &right, &left)?,
            Sign::Equal => equal(&mut scheme, &left, &right)?,
        }
        scheme.declares();
        Ok(scheme.into())
    }

    fn declaration(&self) -> Option<Declaration> {
        Some(Declaration { head: "declare ".into(), text: self.0.to_string() })
    }
}

impl Declare {
    /// A diagnostic about a part of the text, with places in the whole text.
    fn within(&self, part: &str, said: Report) -> Misfit {
        let start = part.trim_start().as_ptr().addr() - self.0.as_ptr().addr();
        let start = index(start);
        let diagnostics = said.diagnostics.into_iter();
        let diagnostics = diagnostics.map(|said| said.moved(|id| (id, start))).collect();
        Report { sources: Sources::new().with("declaration", &*self.0), diagnostics }.into()
    }
}

/// What a size divides. `N` divides `a − b` where it divides `a + (N − 1)·b`, which has elements
/// also where `a` is `b`.
fn dividend(scheme: &mut Scheme, by: &Side, of: &Side) -> Result<DimTerm, Misfit> {
    let (Some(by @ 2..), SideSize::Computed(id)) = (by.number(), of.size) else {
        return of.term(scheme);
    };
    let Computed::Sum(terms) = of.shape.computed(id) else { return of.term(scheme) };
    let is_difference = terms.iter().any(|(is_subtracted, _)| *is_subtracted);
    if !is_difference || of.shape.names().next().is_none() {
        return of.term(scheme);
    }
    let mut parts = vec![];
    for (is_subtracted, term) in terms {
        let dim = computed(scheme, &of.shape, *term, SchemePart::Whole)?;
        // As often as leaves the same remainder.
        let times = if *is_subtracted { by - 1 } else { 1 };
        let number = dim.ground().and_then(|dim| dim.size().count());
        match number.map(|number| remainder(number, times, by)) {
            Some(0) => {}
            Some(rest) => parts.push(kept(Dim::int(rest)?.into())),
            None if times == 1 => parts.push(kept(dim)),
            None => {
                let whole = scheme.fresh_axis().into();
                let factor = Dim::int(times)?.into();
                scheme.relate(
                    SchemePart::Whole,
                    SizeRelation::Merged { whole, parts: vec![factor, dim] },
                );
                parts.push(kept(whole));
            }
        }
    }
    let whole = scheme.fresh_axis().into();
    scheme.relate(SchemePart::Whole, SizeRelation::Concat { whole, parts });
    Ok(whole)
}

/// The range of a name, or that what is left of a size beside another is one, perhaps of no
/// elements.
fn at_least(scheme: &mut Scheme, large: &Side, small: &Side) -> Result<(), Misfit> {
    let range = match (large.name(), small.number(), small.name(), large.number()) {
        (Some(name), Some(low), ..) => Some((name, Some(low), None)),
        (.., Some(name), Some(high)) => Some((name, None, Some(high))),
        _ => None,
    };
    if let Some((name, low, high)) = range {
        let values = Interval { low: low.map(i128::from), high: high.map(i128::from) };
        scheme.range(name, NameRange { values, any: false, at_run_time: false });
        return Ok(());
    }
    let (whole, least) = (large.term(scheme)?, small.term(scheme)?);
    let rest = Part { dim: scheme.fresh_axis().into(), discardable: true };
    let parts = vec![kept(least), rest];
    scheme.relate(SchemePart::Whole, SizeRelation::Concat { whole, parts });
    Ok(())
}

/// A name that stands alone is what the other side is; else both sides are the same.
fn equal(scheme: &mut Scheme, left: &Side, right: &Side) -> Result<(), Misfit> {
    let defined = |one: &Side, other: &Side| {
        let name = one.name().filter(|name| !other.has(name));
        name.map(str::to_owned)
    };
    let (name, of) = match (defined(left, right), defined(right, left)) {
        (Some(name), _) => (name, right),
        (None, Some(name)) => (name, left),
        (None, None) => {
            let (left, right) = (left.term(scheme)?, right.term(scheme)?);
            scheme.same_axis(SchemePart::Whole, left, right);
            return Ok(());
        }
    };
    let var = match of.term(scheme)? {
        DimTerm::Var(var) => var,
        term @ DimTerm::Dim(_) => {
            let var: DimVar = scheme.fresh_axis();
            scheme.same_axis(SchemePart::Whole, var, term);
            var
        }
    };
    scheme.define(&name, var);
    Ok(())
}

impl Side {
    /// The size that a text is; `None` where it is something else.
    fn read(text: &str) -> Result<Option<Side>, Report> {
        let shape: Shape = text.trim().parse()?;
        let has_axes = |kind: Kind| {
            let (before, after) = shape.dims(shape.row(kind));
            shape.row(kind).ellipsis.is_some() || !before.is_empty() || !after.is_empty()
        };
        if has_axes(Kind::Batch) || has_axes(Kind::Input) {
            return Ok(None);
        }
        let row = shape.row(Kind::Output);
        let (_, [dim]) = shape.dims(row) else { return Ok(None) };
        let size = match dim.form {
            DimForm::Known(size, _) => SideSize::Known(size),
            DimForm::Computed(id) => SideSize::Computed(id),
            DimForm::Unit | DimForm::Unknown | DimForm::AtRunTime | DimForm::Met => {
                return Ok(None);
            }
        };
        let is_plain = row.ellipsis.is_none() && shape.basis(dim).is_none() && dim.range.is_none();
        Ok(is_plain.then_some(Side { shape, size }))
    }

    fn name(&self) -> Option<&str> {
        match self.size {
            SideSize::Known(spec::Size::Named(name)) => Some(self.shape.name(name)),
            SideSize::Known(spec::Size::Number(_)) | SideSize::Computed(_) => None,
        }
    }

    fn number(&self) -> Option<u64> {
        match self.size {
            SideSize::Known(spec::Size::Number(number)) => Some(number),
            SideSize::Known(spec::Size::Named(_)) | SideSize::Computed(_) => None,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.shape.names().any(|id| self.shape.name(id) == name)
    }

    fn term(&self, scheme: &mut Scheme) -> Result<DimTerm, Misfit> {
        let size = match self.size {
            SideSize::Computed(id) => return computed(scheme, &self.shape, id, SchemePart::Whole),
            SideSize::Known(spec::Size::Number(number)) => Size::int(number)?,
            SideSize::Known(spec::Size::Named(name)) => {
                Size::symbol(scheme.name_table().symbol(self.shape.name(name)))
            }
        };
        Ok(Dim::atom(size, Basis::DEFAULT).into())
    }
}
