//! The words of what this crate says itself: of element types, literals, definitions, gradients and
//! programs. What is said of shapes is `lozenge`'s.

use lozenge::{
    Report, Site,
    diagnostic::{Code, Diagnostic, Help, Place, SourceId, Sources, Span, Told},
};

/// A diagnostic about a place, with labels at others.
pub(crate) fn at(site: &Site, others: &[(Site, String)], said: Diagnostic) -> Report {
    let mut sources = Sources::new();
    let mut place = |site: &Site| {
        let empty = Report { sources: Sources::new(), diagnostics: vec![said.clone()] };
        let report = site.blame(empty);
        let Place { source, span } = report.diagnostics.first().and_then(Diagnostic::place)?;
        let own = report.sources.get(source)?;
        let known = sources.iter().position(|known| known.is(own));
        let source = match known {
            Some(known) => SourceId(u32::try_from(known).ok()?),
            None => sources.push(own.clone()),
        };
        Some(Place { source, span })
    };
    let first = place(site);
    let places: Vec<_> = others.iter().map(|(site, text)| (place(site), text.clone())).collect();
    let mut said = said;
    if let Some(place) = first {
        said = said.label(place, "");
    }
    for (place, text) in places {
        if let Some(place) = place.filter(|place| Some(*place) != first) {
            // A label beside a text that is not at hand is told.
            let is_unseen = sources.get(place.source).is_some_and(|own| own.text().is_none());
            let words = if is_unseen { "" } else { &text };
            said = said.label(place, words);
            if let Some(label) = said.labels.last_mut().filter(|_| is_unseen) {
                let span = Span::new(0, u32::try_from(text.len()).unwrap_or_default());
                label.told = Some(Told { span, text: text.as_str().into() });
            }
        }
    }
    Report { sources, diagnostics: vec![said] }
}

/// All that was said, as one report.
pub(crate) fn together(reports: impl IntoIterator<Item = Report>) -> Report {
    let mut all = Report { sources: Sources::new(), diagnostics: vec![] };
    for report in reports {
        let own: Vec<SourceId> =
            report.sources.iter().map(|source| all.sources.push(source.clone())).collect();
        let moved = |said: Diagnostic| {
            said.moved(|source| (own.get(source.0 as usize).copied().unwrap_or(source), 0))
        };
        all.diagnostics.extend(report.diagnostics.into_iter().map(moved));
    }
    all
}

/// A tensor of another graph.
pub(crate) fn foreign() -> Diagnostic {
    Diagnostic::new(Code::ForeignTensor, "a tensor here is of another graph")
        .note("a tensor is of use in the graph that made it")
}

/// A tensor that was made after the check.
pub(crate) fn newer(name: &str) -> Diagnostic {
    Diagnostic::new(Code::NewerTensor, format!("`{name}` was made after the graph was checked"))
        .note("what is checked stays as it was: check the graph again")
}

/// What is said beside a place that says which types something has.
pub(crate) fn is_of(types: &str) -> String {
    format!("{types} is said here")
}

/// Two types where one is needed: each with the name of the tensor that has it.
pub(crate) fn mixture(sides: &[(String, Option<String>); 2]) -> Diagnostic {
    let side = |(types, name): &(String, Option<String>)| match name {
        Some(name) => format!("`{name}` is {types}"),
        None => format!("the operation takes {types}"),
    };
    let [one, other] = sides.each_ref().map(side);
    let said = Diagnostic::new(Code::MixedTypes, format!("{one}, {other}"))
        .note("element types are never converted unless somebody says so");
    said.help(Help::advice("convert one of them: `.to(ElementType::F32)`"))
}

/// A literal whose lists at some depth have two lengths.
pub(crate) fn ragged(depth: usize, [first, second]: [usize; 2]) -> Diagnostic {
    let headline =
        format!("lists at depth {depth} of a literal have {first} elements and {second}");
    Diagnostic::new(Code::RaggedLiteral, headline).note("every list of a depth has one length")
}

/// A stack or a concatenation of no tensors.
pub(crate) fn nothing_to_join() -> Diagnostic {
    Diagnostic::new(Code::OperandCount, "no tensors to join")
        .note("what has no parts has no shape either")
}

/// A name in a definition that claims no slot.
pub(crate) fn no_slot(name: &str) -> Diagnostic {
    Diagnostic::new(Code::NoSlot, format!("`{name}` claims no tensor of the operation"))
        .note("`v` and `g` are the result and its gradient, `v1` and `g1` the first operand's, and so on")
        .note("a name that ends in `_rhs1` is an intermediate with the shape of the first operand")
}

/// A name in a definition that is read and never written.
pub(crate) fn unwritten(name: &str) -> Diagnostic {
    Diagnostic::new(Code::NoSlot, format!("`{name}` is read and nothing writes it"))
        .note("an intermediate is written by a statement before those that read it")
}

/// A definition without a statement that makes its result.
pub(crate) fn no_result() -> Diagnostic {
    Diagnostic::new(Code::NoSlot, "nothing writes `v`")
        .note("a forward statement of a definition makes its result, `v`")
}

/// A statement of a definition that reads a gradient that is not there.
pub(crate) fn not_readable(name: &str) -> Diagnostic {
    Diagnostic::new(Code::NoSlot, format!("`{name}` cannot be read here"))
        .note("of gradients, only `g` is there to be read, by statements that write gradients")
}

/// A statement of a definition that writes what it cannot.
pub(crate) fn not_writable(name: &str, what: &str) -> Diagnostic {
    Diagnostic::new(Code::NoSlot, format!("`{name}` cannot be written {what}"))
}

/// A gradient through what has none.
pub(crate) fn no_derivative(what: &str) -> Diagnostic {
    Diagnostic::new(Code::NoDerivative, format!("{what} has no derivative"))
        .help(Help::advice("`stop_gradient` says that none is wanted"))
}

/// A cell that `=:` sets more than once.
pub(crate) fn many_elements(name: &str) -> Diagnostic {
    Diagnostic::new(Code::ManyElements, format!("a cell of `{name}` is set to many elements"))
        .note("`=:` keeps one of them, and nothing says which")
        .help(Help::advice("accumulate: `=:+` adds them, `=:@^` keeps the largest"))
}

/// A tensor that is read after an assignment has replaced it.
pub(crate) fn stale(name: &str) -> Diagnostic {
    let headline = format!("`{name}` is read after an assignment has replaced it");
    Diagnostic::new(Code::StaleRead, headline)
        .help(Help::advice("read what the assignment gave, or make the statement before it"))
}

/// An initial value that is made of what a statement gives that runs every time.
pub(crate) fn initial_of_statement() -> Diagnostic {
    Diagnostic::new(Code::StaleRead, "an initial value is made of what an assignment gives later")
        .note("what is initialised runs once, before everything")
}

/// A tensor that is initialised and computed.
pub(crate) fn computed_anew(name: &str) -> Diagnostic {
    let headline = format!("`{name}` is initialised, and computed anew in every run");
    Diagnostic::new(Code::StaleRead, headline)
        .note("an initial value is one of a parameter, of data, or of what is kept")
}

/// A gather along an axis that the specification of its table lacks.
pub(crate) fn no_axis_of_table(axis: &str, spec: &str) -> Diagnostic {
    let headline = format!("the table in `{spec}` has no axis `{axis}`");
    Diagnostic::new(Code::UnknownName, headline)
        .note("the first operand is the table; the axis along which rows are taken is one of its")
}
