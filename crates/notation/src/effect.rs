//! What becomes of a specification by an edit: the two trees compared.

use std::collections::BTreeMap;

use crate::{
    mistake,
    parse::{Dialect, Parsed, attempt, is_read},
    tree::{
        Affine, Axis, Border, Coefficient, Form, Kind, NameId, Part, PartForm, Parts, Slot, Spec,
    },
};
use lozenge_diagnostic::{Applicability, Claim, Edit, Help, Together};

impl Spec {
    /// The help that makes these edits of the specification and says what they do; `None` where
    /// that is not one of the things a help says. What the operand is called that they are about is
    /// asked for by its number.
    pub fn claimed(
        &self,
        applicability: Applicability,
        edits: impl IntoIterator<Item = Edit>,
        called: impl Fn(usize) -> String,
    ) -> Option<Help> {
        let mut help = Help::unsaid(applicability, edits);
        let claim = self.claim(&help)?;
        help.text = mistake::claims(&claim, called);
        help.claim = Some(claim);
        Some(help)
    }

    /// The claim of a help: what its edits do to the specification.
    pub(crate) fn claim(&self, help: &Help) -> Option<Claim> {
        if help.edits.is_empty() {
            return None;
        }
        let Parsed { spec: after, diagnostics } =
            attempt(&help.apply(&self.text), Dialect::Lozenge);
        // Coefficients may have been bound since; they are compared as they are written.
        let Parsed { spec: before, .. } = attempt(&self.text, Dialect::Lozenge);
        is_read(&diagnostics).then(|| before.effect(&after)).flatten()
    }

    /// What another specification does that this one does not, if it is one thing.
    pub fn effect(&self, after: &Spec) -> Option<Claim> {
        let [before_slots, after_slots] = [self, after].map(slots);
        if before_slots.len() != after_slots.len() {
            return Some(Claim::Counts { operands: after.operands().len() });
        }
        let mut changed: Vec<usize> = vec![];
        for (slot, (one, other)) in before_slots.iter().zip(&after_slots).enumerate() {
            if one != other {
                changed.push(slot);
            }
        }
        if is_renamed(&before_slots, &after_slots) {
            return Some(Claim::Renames);
        }
        let result = before_slots.len() - 1;
        let is_fresh = |name: &str| self.find(name).is_none();
        match changed[..] {
            [operand] if operand < result => {
                let (one, other) = (&before_slots[operand], &after_slots[operand]);
                permuted(operand, one, other)
                    .or_else(|| taken(operand, one, other, &before_slots))
                    .or_else(|| replaced(operand, one, other, &is_fresh, &before_slots))
            }
            [operand, last] if last == result => {
                let taken = gained(&before_slots[operand], &after_slots[operand]);
                let kept = gained(&before_slots[last], &after_slots[last]);
                let kinds = [taken, kept].map(|gained| gained.map(|(_, kind)| kind));
                let (axis, kind) = taken?;
                let is_alone = !before_slots[..result].iter().any(|slot| takes(slot, kind));
                (kinds[0] == kinds[1] && is_alone).then_some(Claim::Keeps { operand, axis })
            }
            _ => None,
        }
    }
}

/// An entry of a row: an axis or the ellipsis. Names are apart from what is done with them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    head: Head,
    /// `None` for what has no name.
    names: Vec<Option<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Head {
    Ellipsis,
    Axis,
    Fixed(u64),
    Runtime,
    /// Coefficients that are names are among the names.
    Affine {
        stride: Option<u64>,
        offset: u64,
        loose: bool,
        window: Option<Slides>,
    },
    /// The sizes of parts that have no name.
    Concat(Vec<Option<u64>>),
    Merged(Vec<Option<u64>>),
}

/// A window, but for its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slides {
    border: Border,
    margins: [i32; 2],
    dilation: Option<u64>,
}

/// The slots of a specification, the result last.
fn slots(spec: &Spec) -> Vec<Vec<Entry>> {
    let all = spec.operands().iter().chain([spec.result()]);
    all.map(|slot| entries(spec, slot)).collect()
}

fn entries(spec: &Spec, slot: &Slot) -> Vec<Entry> {
    let mut entries = vec![];
    for kind in Kind::ALL {
        let row = slot.row(kind);
        let (before, after) = spec.axes(row);
        let entry = |axis: &Axis| {
            let (head, names) = form(spec, axis.form);
            let name = |id: Option<NameId>| id.map(|id| spec.name(id).to_owned());
            Entry { kind, head, names: names.into_iter().map(name).collect() }
        };
        entries.extend(before.iter().map(entry));
        if let Some(ellipsis) = row.ellipsis {
            let name = ellipsis.name.map(|id| spec.name(id).to_owned());
            entries.push(Entry { kind, head: Head::Ellipsis, names: vec![name] });
        }
        entries.extend(after.iter().map(entry));
    }
    entries
}

fn form(spec: &Spec, form: Form) -> (Head, Vec<Option<NameId>>) {
    let coefficient = |coefficient: Coefficient| match coefficient {
        Coefficient::Number(number) => (Some(number), None),
        Coefficient::Named(id) => (None, Some(id)),
    };
    let parts = |parts: Parts| -> (Vec<Option<u64>>, Vec<Option<NameId>>) {
        let part = |part: &Part| match part.form {
            PartForm::Axis(label) => (None, label.name()),
            PartForm::Size(size) => (Some(size), None),
        };
        spec.parts(parts).iter().map(part).unzip()
    };
    match form {
        Form::Axis(label) => (Head::Axis, vec![label.name()]),
        Form::Fixed(index) => (Head::Fixed(index), vec![]),
        Form::Runtime(id) => (Head::Runtime, vec![Some(id)]),
        Form::Affine(id) => {
            let Affine { stride, over, offset, loose, window, .. } = *spec.affine(id);
            let (stride, by) = coefficient(stride);
            let mut names = vec![by, over.name()];
            let window = window.map(|window| {
                let (dilation, by) = coefficient(window.dilation);
                names.extend([by, window.kernel.name()]);
                Slides { border: window.border, margins: window.margins, dilation }
            });
            (Head::Affine { stride, offset, loose, window }, names)
        }
        Form::Concat(of) => {
            let (sizes, names) = parts(of);
            (Head::Concat(sizes), names)
        }
        Form::Merged(of) => {
            let (sizes, names) = parts(of);
            (Head::Merged(sizes), names)
        }
    }
}

/// Whether all names stand for others, each for one.
fn is_renamed(before: &[Vec<Entry>], after: &[Vec<Entry>]) -> bool {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for (one, other) in before.iter().flatten().zip(after.iter().flatten()) {
        if (one.kind, &one.head, one.names.len()) != (other.kind, &other.head, other.names.len()) {
            return false;
        }
        for pair in one.names.iter().zip(&other.names) {
            match pair {
                (None, None) => {}
                (Some(was), Some(is)) if *names.entry(was).or_insert(is) == is => {}
                _ => return false,
            }
        }
    }
    let mut all: Vec<&&str> = names.values().collect();
    all.sort_unstable();
    let is_one_to_one = all.windows(2).all(|pair| pair[0] != pair[1]);
    let is_as_long = before.iter().map(Vec::len).eq(after.iter().map(Vec::len));
    is_as_long && is_one_to_one && names.iter().any(|(was, is)| was != is)
}

/// The axes of an operand in another order, each in its row; ellipses stand where they stood.
fn permuted(operand: usize, before: &[Entry], after: &[Entry]) -> Option<Claim> {
    let mut order: Vec<usize> = vec![];
    let stays = |entry: &Entry| entry.head == Head::Ellipsis;
    if before.len() != after.len() {
        return None;
    }
    for (place, entry) in after.iter().enumerate() {
        let is_from = |from: &usize| {
            before[*from] == *entry && !order.contains(from) && (!stays(entry) || *from == place)
        };
        let from = (before[place] == *entry).then_some(place).filter(|from| is_from(from));
        order.push(from.or_else(|| (0..before.len()).find(is_from))?);
    }
    Some(Claim::Permutes { operand, order })
}

/// The ellipsis that a slot has gained: its place and its kind.
fn gained(before: &[Entry], after: &[Entry]) -> Option<(usize, Kind)> {
    let place = (0..after.len()).find(|place| before.get(*place) != after.get(*place))?;
    let entry = &after[place];
    let rest = before[place..] == after[place + 1..];
    (entry.head == Head::Ellipsis && entry.names == [None] && rest).then_some((place, entry.kind))
}

/// An ellipsis that an operand has gained.
fn taken(operand: usize, before: &[Entry], after: &[Entry], all: &[Vec<Entry>]) -> Option<Claim> {
    let (axis, kind) = gained(before, after)?;
    let (result, operands) = all.split_last()?;
    let is_joined = operands.iter().any(|slot| takes(slot, kind));
    Some(match (is_joined, takes(result, kind)) {
        (true, _) => Claim::Joins { operand, axis },
        (false, true) => Claim::Keeps { operand, axis },
        (false, false) => Claim::Sums { operand, axis },
    })
}

/// Whether a slot has the ellipsis of a kind.
fn takes(slot: &[Entry], kind: Kind) -> bool {
    let is_it =
        |entry: &Entry| entry.kind == kind && entry.head == Head::Ellipsis && entry.names == [None];
    slot.iter().any(is_it)
}

/// One entry of an operand that is another.
fn replaced(
    operand: usize,
    before: &[Entry],
    after: &[Entry],
    is_fresh: &dyn Fn(&str) -> bool,
    all: &[Vec<Entry>],
) -> Option<Claim> {
    let axis = (0..before.len()).find(|axis| before.get(*axis) != after.get(*axis))?;
    let (was, is) = (&before[axis], after.get(axis)?);
    if was.kind != is.kind || before[axis + 1..] != after[axis + 1..] {
        return None;
    }
    if was.head != is.head {
        return moved(operand, axis, was, is);
    }
    let mut others = (0..was.names.len()).filter(|place| was.names[*place] != is.names[*place]);
    let (place, None) = (others.next()?, others.next()) else { return None };
    let name = is.names[place].as_deref()?;
    if !is_fresh(name) {
        let with = name.to_owned();
        return (was.head == Head::Axis).then_some(Claim::Equates { operand, axis, with });
    }
    // Only what else has the name it had is read together with it.
    let had = was.names[place].as_deref();
    let has = |entry: &&Entry| entry.names.iter().any(|name| name.as_deref() == had);
    let in_result = all.last().is_some_and(|result| result.iter().any(|entry| has(&entry)));
    match was.head {
        Head::Axis if had.is_some() => {
            let was = if in_result { Together::Kept } else { Together::Summed };
            Some(Claim::Splits { operand, axis, was })
        }
        Head::Runtime => Some(Claim::SplitsIndex { operand, axis }),
        Head::Ellipsis => Some(Claim::SplitsRow { operand, axis }),
        Head::Concat(_) | Head::Merged(_) => Some(Claim::SplitsPart { operand, axis, part: place }),
        Head::Axis | Head::Fixed(_) | Head::Affine { .. } => None,
    }
}

/// An axis of an operand that is read elsewhere.
fn moved(operand: usize, axis: usize, was: &Entry, is: &Entry) -> Option<Claim> {
    let stepped = |head: &Head, names: &[Option<String>]| match head {
        // What an axis without a stride is.
        Head::Axis => Some((Some(1), (0, vec![None, names[0].clone()]), false, None)),
        Head::Affine { stride, offset, loose, window } => {
            Some((*stride, (*offset, names.to_vec()), *loose, *window))
        }
        _ => None,
    };
    match (&was.head, &is.head) {
        (Head::Fixed(_), Head::Fixed(at)) => Some(Claim::Places { operand, axis, at: *at }),
        // A part by its size alone is one by a name.
        (Head::Concat(had) | Head::Merged(had), Head::Concat(has) | Head::Merged(has)) => {
            let mut others = (0..had.len()).filter(|part| had[*part] != has[*part]);
            let (part, None) = (others.next()?, others.next()) else { return None };
            Some(Claim::SplitsPart { operand, axis, part })
        }
        (one, other) => {
            let (had, has) = stepped(one, &was.names).zip(stepped(other, &is.names))?;
            if had.1 != has.1 {
                return None;
            }
            if (had.2, had.3) == (has.2, has.3) {
                return has.0.map(|by| Claim::Steps { operand, axis, by });
            }
            let (one, other) = match (had.3, has.3) {
                (None, None) if has.2 && had.0 == has.0 => {
                    return Some(Claim::Begins { operand, axis });
                }
                (Some(one), Some(other)) => (one, other),
                _ => return None,
            };
            let same = Slides { border: one.border, ..other } == one && had.0 == has.0;
            match (one.border, other.border) {
                _ if !same => None,
                (Border::Valid, Border::Padded) => Some(Claim::Pads { operand, axis }),
                (Border::Valid, Border::Whole) => Some(Claim::Leaves { operand, axis }),
                (Border::Padded, Border::PaddedLoose) => Some(Claim::Begins { operand, axis }),
                _ => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The claim of an edit, by the specification's texts before and after it.
    #[test]
    fn what_an_edit_does() {
        let permutes =
            |operand, order: &[usize]| Claim::Permutes { operand, order: order.to_vec() };
        for (before, after, claim) in [
            ("ij; jk => ik", "ij; kj => ik", Some(permutes(1, &[1, 0]))),
            ("ijk; ijk => i", "jki; ijk => i", Some(permutes(0, &[1, 2, 0]))),
            ("b|i->j => ij", "b|j->i => ij", None),
            ("ij => ji", "ab => ba", Some(Claim::Renames)),
            ("ij => ji", "ij => ji", None),
            ("ij => i", "ij; j => i", Some(Claim::Counts { operands: 2 })),
            ("ij => i", "...ij => i", Some(Claim::Sums { operand: 0, axis: 0 })),
            ("ij => i", "...ij => ...i", Some(Claim::Keeps { operand: 0, axis: 0 })),
            ("ij => ...i", "...ij => ...i", Some(Claim::Keeps { operand: 0, axis: 0 })),
            // The other operand has what `...` takes as well.
            ("ij; ...j => ...i", "...ij; ...j => ...i", Some(Claim::Joins { operand: 0, axis: 0 })),
            ("ij; ...j => i", "...ij; ...j => i", Some(Claim::Joins { operand: 0, axis: 0 })),
            ("ij; ...j => i", "...ij; ...j => ...i", None),
            // Of another kind.
            (
                "ij; ...|j => ...|i",
                "...ij; ...|j => ...|i",
                Some(Claim::Sums { operand: 0, axis: 0 }),
            ),
            (
                "ij; jk => ik",
                "ij; lk => ik",
                Some(Claim::Splits { operand: 1, axis: 0, was: Together::Summed }),
            ),
            (
                "ij; jk => jk",
                "ij; lk => jk",
                Some(Claim::Splits { operand: 1, axis: 0, was: Together::Kept }),
            ),
            (
                "ij; jk => ik",
                "ij; ik => ik",
                Some(Claim::Equates { operand: 1, axis: 0, with: "i".into() }),
            ),
            (
                "...; ... => ...",
                "...; ..rest.. => ...",
                Some(Claim::SplitsRow { operand: 1, axis: 0 }),
            ),
            ("@t, i => i", "@s, i => i", Some(Claim::Renames)),
            ("@t, i; @t => i", "@s, i; @t => i", Some(Claim::SplitsIndex { operand: 0, axis: 0 })),
            ("2*o<+k; k => o", "1*o<+k; k => o", Some(Claim::Steps { operand: 0, axis: 0, by: 1 })),
            ("3*i => i", "1*i => i", Some(Claim::Steps { operand: 0, axis: 0, by: 1 })),
            ("o<+k; k => o", "o=+k; k => o", Some(Claim::Pads { operand: 0, axis: 0 })),
            ("2*o<+k; k => o", "2*o~+k; k => o", Some(Claim::Leaves { operand: 0, axis: 0 })),
            ("2*o=+k; k => o", "2*o=~+k; k => o", Some(Claim::Begins { operand: 0, axis: 0 })),
            ("2*i => i", "2*i~ => i", Some(Claim::Begins { operand: 0, axis: 0 })),
            ("2*i => i", "3*i~ => i", None),
            ("2*o<+k; k => o", "2*o<[1]+k; k => o", None),
            ("7, i => i", "1, i => i", Some(Claim::Places { operand: 0, axis: 0, at: 1 })),
            (
                "a^b; a; b =>",
                "a^c; a; b =>",
                Some(Claim::SplitsPart { operand: 0, axis: 0, part: 1 }),
            ),
            // Two things at once.
            ("ij; jk => ik", "ji; lk => ik", None),
        ] {
            let [one, other] = [before, after].map(|text| text.parse::<Spec>().expect(text));
            assert_eq!(one.effect(&other), claim, "{before} -> {after}");
        }
    }
}
