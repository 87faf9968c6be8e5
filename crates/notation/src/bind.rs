//! Putting a specification to use: its coefficients bound, its operands counted, its names found.

use crate::{
    mistake::{self, OffsetSpans},
    parse::{MAX_DIAGNOSTICS, affine_form},
    token::LIMIT,
    tree::{Affine, Coefficient, Form, NameId, Spec, Use, Window},
};
use lozenge_diagnostic::{Diagnostic, Edit, Report, Sources, Span};

impl Spec {
    /// The specification with a number for every coefficient that is a name. Spans are those of the
    /// original text; printing shows the numbers.
    ///
    /// ```
    /// use lozenge_notation::Spec;
    /// let spec: Spec = "stride*o<+k; k => o".parse()?;
    /// let bound = spec.bind(|name| (name == "stride").then_some(2))?;
    /// assert_eq!(bound.to_string(), "2*o<+k; k => o");
    /// assert!(spec.bind(|_| None).is_err());
    /// # Ok::<(), lozenge_diagnostic::Report>(())
    /// ```
    ///
    /// # Errors
    /// When a name has no number, the number is 0, or an offset is not below the stride.
    pub fn bind(&self, number: impl Fn(&str) -> Option<u64>) -> Result<Spec, Report> {
        let mut bound = self.clone();
        bound.affines.clear();
        let mut said = vec![];
        for axis in &mut bound.axes {
            let Form::Affine(id) = axis.form else { continue };
            let mut affine = *self.affine(id);
            affine.stride = self.bound(affine.stride, affine.stride_span, &number, &mut said);
            if let Some(window) = &mut affine.window {
                let Window { dilation, dilation_span, .. } = *window;
                window.dilation = self.bound(dilation, dilation_span, &number, &mut said);
            }
            if let Coefficient::Number(stride) = affine.stride {
                if affine.offset >= stride && said.len() < MAX_DIAGNOSTICS {
                    let spans = OffsetSpans {
                        whole: axis.span,
                        over: affine.over_span,
                        offset: affine.offset_span,
                        windowed: affine.window.is_some(),
                    };
                    let text = &self.text;
                    said.push(mistake::offset_past_stride(text, spans, stride, affine.offset));
                }
            }
            axis.form = affine_form(affine, &mut bound.affines);
        }
        self.rejected(said).map_or(Ok(bound), Err)
    }

    /// The edit of the text that takes the offset of an affine axis away; `None` where it has none.
    ///
    /// ```
    /// use lozenge_notation::{Form, Kind, Spec};
    /// use lozenge_diagnostic::Help;
    /// let spec: Spec = "2*o<+1+k; k => o".parse()?;
    /// let (_, axes) = spec.axes(spec.operands()[0].row(Kind::Output));
    /// let Form::Affine(id) = axes[0].form else { unreachable!() };
    /// let edit = spec.without_offset(spec.affine(id));
    /// assert_eq!(Help::choice("", edit).apply(spec.text()), "2*o<+k; k => o");
    /// # Ok::<(), lozenge_diagnostic::Report>(())
    /// ```
    pub fn without_offset(&self, affine: &Affine) -> Option<Edit> {
        (affine.offset > 0).then(|| mistake::no_offset(&self.text, affine.offset_span))
    }

    /// Whether it reads this many operands.
    ///
    /// # Errors
    /// When it does not.
    pub fn expect_operands(&self, given: usize) -> Result<(), Report> {
        if self.operands().len() == given {
            return Ok(());
        }
        let slots: Vec<Span> = self.operands().iter().map(|slot| slot.span).collect();
        let mut said = vec![mistake::operand_count(&self.text, &slots, given)];
        for help in said.iter_mut().flat_map(|said| &mut said.helps) {
            help.claim = self.claim(help);
        }
        self.rejected(said).map_or(Ok(()), Err)
    }

    /// The axis, row variable or index of this name, for who wants to know or set its size or
    /// range.
    ///
    /// # Errors
    /// When a name has no number.
    pub fn capture(&self, name: &str) -> Result<NameId, Report> {
        let is_sized = |id: &NameId| self.name_use(*id) != Use::Coefficient;
        if let Some(id) = self.find(name).filter(is_sized) {
            return Ok(id);
        }
        let known: Vec<&str> = self.names().filter(is_sized).map(|id| self.name(id)).collect();
        let diagnostics = vec![mistake::unknown_name(&self.text, name, &known)];
        Err(Report { sources: self.sources(), diagnostics })
    }

    /// The warning that the result names axes or row variables which no operand has, where it does.
    /// Those whose sizes the caller gives are meant, and not warned of.
    ///
    /// ```
    /// use lozenge_notation::Spec;
    /// let spec: Spec = "ij; jk => il".parse()?;
    /// let warning = spec.result_only(|_| false).unwrap();
    /// assert_eq!(warning.headline, "`l` is an axis of the result only");
    /// assert!(spec.result_only(|id| spec.name(id) == "l").is_none());
    /// # Ok::<(), lozenge_diagnostic::Report>(())
    /// ```
    pub fn result_only(&self, mut is_given: impl FnMut(NameId) -> bool) -> Option<Diagnostic> {
        // The result is written last, so that what is written there first is nowhere else.
        let begin = self.result().span.start;
        let is_only = |id: &NameId| {
            self.name_span(*id).start >= begin
                && matches!(self.name_use(*id), Use::Axis | Use::Row)
                && !is_given(*id)
        };
        let only: Vec<NameId> = self.names().filter(is_only).collect();
        let first = *only.first()?;
        let spans: Vec<Span> = only.iter().map(|id| self.name_span(*id)).collect();
        let said = mistake::result_only(&self.text, self.name_use(first), &spans);
        if only.len() > 1 || self.name_use(first) == Use::Row {
            return Some(said);
        }
        let places: Vec<Span> = self.places(first).into_iter().map(|(_, span)| span).collect();
        let axes = self.names().filter(|id| self.name_use(*id) == Use::Axis);
        let lost: Vec<Span> = axes.filter_map(|id| self.only_place(id)).collect();
        let is_read = |place: &&Span| place.start < begin;
        Some(mistake::perhaps_lost(said, &self.text, &places, lost.iter().filter(is_read)))
    }

    /// The place of a name that is written once.
    fn only_place(&self, id: NameId) -> Option<Span> {
        let name = self.names[id.index()];
        (name.count == 1).then_some(name.span)
    }

    /// The coefficient as a number; the coefficient as it is, and a mistake, where its name has no
    /// number.
    fn bound(
        &self,
        coefficient: Coefficient,
        at: Span,
        number: impl Fn(&str) -> Option<u64>,
        said: &mut Vec<Diagnostic>,
    ) -> Coefficient {
        let Coefficient::Named(name) = coefficient else { return coefficient };
        let at_name = |said: &Diagnostic| {
            said.place().is_some_and(|place| place.span.of(&self.text) == self.name(name))
        };
        // Once is enough for a name.
        if said.len() >= MAX_DIAGNOSTICS || said.iter().any(at_name) {
            return coefficient;
        }
        match number(self.name(name)) {
            Some(0) => said.push(mistake::bound_to_zero(&self.text, at)),
            Some(number) if number < LIMIT => return Coefficient::Number(number),
            Some(number) => said.push(mistake::bound_too_large(&self.text, at, number)),
            None => said.push(mistake::unbound_coefficient(&self.text, at)),
        }
        coefficient
    }

    pub(crate) fn sources(&self) -> Sources {
        Sources::new().with("spec", &*self.text)
    }

    fn rejected(&self, diagnostics: Vec<Diagnostic>) -> Option<Report> {
        (!diagnostics.is_empty()).then(|| Report { sources: self.sources(), diagnostics })
    }
}
