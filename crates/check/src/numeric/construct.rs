//! The constructs of a specification, by name.

use std::collections::BTreeSet;

use super::draft::{Axis, Coefficient, Combine, Draft, KINDS, Name, Part, Slot};
use crate::border::Ends;

/// The name of a construct that is counted.
pub type Construct = &'static str;

/// The constructs of specifications that must occur, in the order of the table. Where one makes no
/// difference it does not count: a stride over one element, a dilation of one, a combination where
/// each point reads one operand, an accumulation of one value.
pub const CONSTRUCTS: &[Construct] = &[
    "permute",
    "reduce",
    "diagonal",
    "repeated in the result",
    "outer",
    "contraction",
    "ellipsis",
    "named row",
    "fixed index read",
    "fixed index written",
    "runtime index",
    "stride read",
    "stride written",
    "window valid",
    "whole windows",
    "window begun",
    "window padded",
    "window padded loosely",
    "window with margins",
    "loose stride",
    "window with dilation",
    "window with stride",
    "window with offset",
    "window past the end",
    "window written",
    "window written past the end",
    "window over an axis of another operand",
    "window of a given size",
    "concatenation written",
    "concatenation read",
    "concatenation with gaps",
    "merged read",
    "merged written",
    "result-only axis",
    "one operand",
    "two operands",
    "three operands",
    "four operands",
    "batch axes",
    "input axes",
    "output axes",
    "one tensor in two slots",
    "size 1",
    "wildcard",
    "combine by multiplying",
    "combine by adding",
    "accumulate by sum",
    "accumulate by max",
    "accumulate by min",
];

/// The constructs of a specification.
pub(super) fn constructs(draft: &Draft) -> BTreeSet<Construct> {
    let mut found = of_names(draft);
    for (slot, written) in
        draft.operands.iter().map(|slot| (slot, false)).chain([(&draft.result, true)])
    {
        for axis in slot.axes() {
            of_axis(draft, axis, written, &mut found);
        }
        for (row, kind) in slot.rows.iter().zip(["batch axes", "input axes", "output axes"]) {
            found.extend((!row.axes.is_empty()).then_some(kind));
        }
        let variable = |name| if name < KINDS { "ellipsis" } else { "named row" };
        found.extend(slot.variables().map(variable));
        found.extend(draft.shape(slot).iter().flatten().any(|size| *size == 1).then_some("size 1"));
    }
    let count = ["one operand", "two operands", "three operands", "four operands"];
    found.insert(count[draft.operands.len() - 1]);
    let tensors: BTreeSet<&usize> = draft.tensors.iter().collect();
    if tensors.len() < draft.tensors.len() {
        found.insert("one tensor in two slots");
    }
    found
}

/// The ways in which a specification combines and accumulates, where they make a difference.
pub(super) fn of_combining(draft: &Draft, combine: Combine, accumulate: &str) -> Vec<Construct> {
    let mut found = vec![];
    let together = |there: &Vec<bool>| there.iter().filter(|there| **there).count() > 1;
    if draft.present().iter().any(together) {
        found.push(match combine {
            Combine::Multiply => "combine by multiplying",
            Combine::Add => "combine by adding",
        });
    }
    let written: BTreeSet<Name> = draft.result.names().collect();
    let mut read = draft.operands.iter().flat_map(Slot::names);
    if read.any(|name| draft.sizes[name] > 1 && !written.contains(&name)) {
        found.push(match accumulate {
            "max" => "accumulate by max",
            "min" => "accumulate by min",
            _ => "accumulate by sum",
        });
    }
    found
}

/// The constructs that the places of names make.
fn of_names(draft: &Draft) -> BTreeSet<Construct> {
    let mut found = BTreeSet::new();
    let set = |slot: &Slot| slot.names().collect::<BTreeSet<Name>>();
    let operands: Vec<BTreeSet<Name>> = draft.operands.iter().map(set).collect();
    let written = set(&draft.result);
    let read: BTreeSet<Name> = operands.iter().flatten().copied().collect();
    let plain = |slot: &Slot| {
        let name = |axis: &Axis| if let Axis::Name(name) = axis { Some(*name) } else { None };
        slot.axes().filter_map(name).collect::<Vec<Name>>()
    };
    let repeated = |slot: &Slot| {
        let names = plain(slot);
        names.iter().collect::<BTreeSet<_>>().len() < names.len()
    };
    let to = plain(&draft.result);
    for from in draft.operands.iter().map(plain) {
        let places = from.iter().filter_map(|name| to.iter().position(|other| other == name));
        if !places.is_sorted() {
            found.insert("permute");
        }
    }
    let mut has = |is: bool, construct| {
        if is {
            found.insert(construct);
        }
    };
    has(read.iter().any(|name| !written.contains(name)), "reduce");
    has(written.iter().any(|name| !read.contains(name)), "result-only axis");
    has(draft.operands.iter().any(repeated), "diagonal");
    has(repeated(&draft.result), "repeated in the result");
    for (place, names) in operands.iter().enumerate() {
        for other in &operands[..place] {
            let mut shared = names.intersection(other);
            has(shared.any(|name| !written.contains(name)), "contraction");
            let own = |names: &BTreeSet<Name>| names.iter().any(|name| written.contains(name));
            has(names.is_disjoint(other) && own(names) && own(other), "outer");
        }
    }
    found
}

fn of_axis(draft: &Draft, axis: &Axis, written: bool, found: &mut BTreeSet<Construct>) {
    let either = |read, write| if written { write } else { read };
    let matters = |step: Coefficient, over: Name| step.number() > 1 && draft.sizes[over] > 1;
    match axis {
        Axis::Name(_) => {}
        Axis::Fresh(_) => found.extend(["wildcard"]),
        Axis::Fixed { .. } => found.extend([either("fixed index read", "fixed index written")]),
        Axis::Runtime(_) => found.extend(["runtime index"]),
        Axis::Stride { stride, over, loose, .. } => {
            found.extend(loose.map(|_| "loose stride"));
            found
                .extend(matters(*stride, *over).then_some(either("stride read", "stride written")));
        }
        Axis::Window(window) if written => {
            found.insert("window written");
            found.extend(window.is_past_end().then_some("window written past the end"));
        }
        Axis::Window(window) => {
            found.insert(match window.border.ends {
                _ if window.border.margins != [0; 2] => "window with margins",
                Ends::Valid => "window valid",
                Ends::Whole => "whole windows",
                Ends::Begun => "window begun",
                Ends::Padded => "window padded",
                Ends::PaddedLoose => "window padded loosely",
            });
            let dilated = matters(window.dilation, window.kernel);
            found.extend(dilated.then_some("window with dilation"));
            let strided = matters(window.stride, window.over);
            found.extend(strided.then_some("window with stride"));
            found.extend((window.offset > 0).then_some("window with offset"));
            found.extend(window.is_past_end().then_some("window past the end"));
            let kernel = |axis: &Axis| matches!(axis, Axis::Name(name) if *name == window.kernel);
            found.insert(if draft.operands.iter().flat_map(Slot::axes).any(kernel) {
                "window over an axis of another operand"
            } else {
                "window of a given size"
            });
        }
        Axis::Concat(parts) => {
            let names = axis.names();
            if parts.iter().any(|part| matches!(part, Part::Size(_))) {
                found.insert("concatenation with gaps");
            }
            let read =
                |name: &Name| draft.operands.iter().any(|slot| slot.names().any(|n| n == *name));
            if written && !names.iter().all(read) {
                found.insert("concatenation with gaps");
            }
            if names.len() > 1 {
                found.insert(either("concatenation read", "concatenation written"));
            }
        }
        Axis::Merged(parts) => {
            found.insert(either("merged read", "merged written"));
            if parts.iter().any(|part| matches!(part, Part::Fresh(_))) {
                found.insert("wildcard");
            }
        }
    }
}
