//! The axes that broadcasting stretches: from 1 to what they meet.

use std::collections::HashSet;

use lozenge_diagnostic::{Code, Diagnostic};

use super::{
    super::{
        id::{NodeId, TensorId},
        inferred::{Inferred, Source},
        num::{Num, Origin},
        require::{Place, Relation},
        template::{Label, Term, Word},
        text::{plain, shape_text},
    },
    bound::{Bound, entries},
    name::{node_called, place_called, tensor_at, tensor_plain},
    report::ModelReport,
};

/// An axis that is stretched.
#[derive(Debug, Clone)]
pub struct Stretch {
    /// The node that stretches it.
    pub node: NodeId,
    /// The axis.
    pub place: Place,
    /// The axis whose size it takes.
    pub to: Place,
    /// That size.
    pub size: Num,
    /// Whether it is the file that gives the value, as it gives a bias.
    pub is_stored: bool,
    /// Whether the other value is stretched too, along another axis: `[n,1]` with `[n]`.
    pub is_mutual: bool,
    /// Whether it depends on the sizes of inputs whether it is stretched.
    pub is_open: bool,
}

/// All axes that are stretched, or may be.
pub fn audit(inferred: &mut Inferred<'_, '_>) -> Vec<Stretch> {
    let ids: Vec<NodeId> = inferred.nodes().map(|(id, _)| id).collect();
    let mut all = vec![];
    for id in ids {
        if inferred.node(id).inputs.len() > 1 {
            all.extend(of_node(inferred, id).unwrap_or_default());
        }
    }
    let nums = inferred.nums();
    let open = inferred.requirements().iter().filter_map(|requirement| {
        let (Relation::Stretch(a, b) | Relation::Fit(a, b)) = requirement.relation else {
            return None;
        };
        let of_inputs = |num: Num| {
            let mut names = nums.names_of(num).into_iter();
            names.all(|id| nums.name(id).is_some_and(|name| name.origin == Origin::Input))
        };
        if !of_inputs(a) || !of_inputs(b) {
            return None;
        }
        let [place, to] = requirement.places;
        Some(Stretch {
            node: requirement.node,
            place,
            to,
            size: b,
            is_stored: false,
            is_mutual: false,
            is_open: true,
        })
    });
    all.extend(open);
    all.sort_by_key(|stretch| stretch.node);
    all
}

/// An axis of an operand, from the end of the row that meets others.
struct Meeting {
    input: usize,
    axis: usize,
    size: Num,
    key: Key,
}

#[derive(PartialEq, Clone, Copy)]
enum Key {
    Label(Label),
    Rest(Word, usize),
}

fn of_node(inferred: &mut Inferred<'_, '_>, id: NodeId) -> Option<Vec<Stretch>> {
    let template = inferred.template(id)?;
    let rests = |row: &Vec<Term>| row.iter().filter(|term| matches!(term, Term::Rest(_))).count();
    let meets = template.operands.iter().map(rests).sum::<usize>() > 1;
    if !template.stretches && !meets {
        return None;
    }
    let bound = Bound::of(inferred, id, &template)?;
    let record = inferred.node(id);
    let mut meetings: Vec<Meeting> = vec![];
    // How many leading axes a value lacks, which is stretching too.
    let mut lacking = vec![false; record.inputs.len()];
    for (input, row) in template.operands.iter().enumerate() {
        let tensor = record.inputs.get(input).copied().flatten()?;
        let sizes = inferred.tensor(tensor).known.shape.as_ref()?;
        let mut axis = 0;
        for (term, own) in entries(row, sizes)? {
            for (place, size) in own.iter().enumerate() {
                let key = match term {
                    Term::Axis(label) => Some(Key::Label(*label)),
                    Term::Rest(name) => Some(Key::Rest(*name, own.len() - place)),
                    _ => None,
                };
                if let Some(key) = key {
                    meetings.push(Meeting { input, axis: axis + place, size: *size, key });
                }
            }
            if let Term::Rest(name) = term {
                lacking[input] |= bound.of_rest(*name).is_some_and(|all| all.len() > own.len());
            }
            axis += own.len();
        }
    }
    let is_stored = |input: usize| {
        let tensor = record.inputs.get(input).copied().flatten();
        tensor.is_some_and(|tensor| is_stored(inferred, tensor))
    };
    let mut all: Vec<Stretch> = vec![];
    for one in meetings.iter().filter(|one| one.size == Num::ONE) {
        let partner = meetings.iter().find(|other| {
            other.key == one.key && other.input != one.input && other.size != Num::ONE
        });
        let Some(partner) = partner else { continue };
        // The other one is stretched as well, along another axis, or for want of one.
        let is_back = meetings.iter().any(|other| {
            other.input == partner.input
                && other.size == Num::ONE
                && meetings
                    .iter()
                    .any(|it| it.key == other.key && it.input == one.input && it.size != Num::ONE)
        });
        let lacks = lacking[partner.input] && !lacking[one.input] && {
            // Only where the axes that it lacks are not all 1.
            let longest = meetings.iter().filter(|it| it.input == one.input);
            longest.into_iter().any(|it| {
                it.size != Num::ONE
                    && !meetings
                        .iter()
                        .any(|other| other.input == partner.input && other.key == it.key)
            })
        };
        let stored = is_stored(one.input) || is_stored(partner.input);
        all.push(Stretch {
            node: id,
            place: Place::Axis(one.input, one.axis),
            to: Place::Axis(partner.input, partner.axis),
            size: partner.size,
            is_stored: stored,
            is_mutual: (is_back || lacks) && !stored,
            is_open: false,
        });
    }
    Some(all)
}

/// Whether the file gives a value.
fn is_stored(inferred: &Inferred<'_, '_>, tensor: TensorId) -> bool {
    match inferred.tensor(tensor).source {
        Source::Initializer => true,
        Source::Node(node, _) => inferred.node(node).node.op == "Constant",
        Source::Input(_) => false,
    }
}

/// The two values that a node stretches, and what they become.
fn both(inferred: &Inferred<'_, '_>, stretch: &Stretch) -> String {
    let named = |tensor: Option<TensorId>| {
        tensor.map_or_else(String::new, |tensor| {
            let shape = shape_text(inferred.nums(), inferred.tensor(tensor).known.shape.as_ref());
            format!("`{}` {shape}", tensor_plain(inferred, tensor))
        })
    };
    let [one, other] =
        [stretch.place, stretch.to].map(|place| named(tensor_at(inferred, stretch.node, place)));
    format!("{one} and {other}")
}

/// Axes that are stretched, as diagnostics.
pub fn audit_report(inferred: &Inferred<'_, '_>, all: &[Stretch]) -> ModelReport {
    let mut report = ModelReport::default();
    let mut mutual = HashSet::new();
    for stretch in all {
        // Two values that are stretched to each other are one finding, whichever of their axes is
        // told first.
        if stretch.is_mutual && !mutual.insert(stretch.node) {
            continue;
        }
        let node = node_called(inferred, stretch.node);
        let op = plain(&inferred.node(stretch.node).node.op.to_lossy());
        let [at, to] =
            [stretch.place, stretch.to].map(|place| place_called(inferred, stretch.node, place));
        let size = inferred.nums().text(stretch.size);
        let (code, headline) = match (stretch.is_open, stretch.is_mutual) {
            (true, _) => (
                Code::StretchedAxis,
                format!(
                    "{node} ({op}) stretches {at} to {to}, or the other way, where one of them is 1"
                ),
            ),
            (_, true) => (
                Code::StretchedBoth,
                format!("{node} ({op}) stretches {} to each other", both(inferred, stretch)),
            ),
            _ => (
                Code::StretchedAxis,
                format!("{node} ({op}) stretches {at} from 1 to {size}, as {to}"),
            ),
        };
        let labels = [(stretch.place, "1".to_owned()), (stretch.to, size)];
        let labels = if stretch.is_open {
            labels.map(|(place, _)| (place, "may be 1".to_owned()))
        } else {
            labels
        };
        report.say(inferred, stretch.node, Diagnostic::new(code, headline), labels);
    }
    report
}
