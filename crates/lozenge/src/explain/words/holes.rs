//! Words about missing sizes.

use lozenge_diagnostic::{Code, Diagnostic, Edit, Help, Place};
use lozenge_notation::Kind;

use crate::{Axis, PartialShape, Shape};

/// A missing size of an axis of a tensor, or a missing number of its axes.
pub(in super::super) struct Hole {
    pub(in super::super) name: String,
    pub(in super::super) kind: Kind,
    /// `None` for the number of axes.
    pub(in super::super) axis: Option<usize>,
}

/// The most axes that are named of those that follow from a size.
pub(in super::super) const MOST_NAMED: usize = 12;

impl Hole {
    /// Whether it is the same axis, of another tensor.
    pub(in super::super) fn is_like(&self, other: &Hole) -> bool {
        (self.kind, self.axis) == (other.kind, other.axis)
    }

    /// Without its tensor: output axis 0.
    fn axis(&self) -> String {
        match self.axis {
            Some(axis) => format!("{} axis {axis}", self.kind),
            None => format!("the {} axes", self.kind),
        }
    }

    fn of_tensor(&self) -> String {
        format!("{} of `{}`", self.axis(), self.name)
    }
}

/// A size or a number of axes that nothing says, and of what follows from it two that stand for
/// all.
pub(in super::super) fn hidden(
    (place, is_gap): (Place, bool),
    root: &Hole,
    is_parameter: bool,
    holes: &[&Hole],
    follow: usize,
) -> Diagnostic {
    let Hole { name, kind, axis } = root;
    let name = if is_parameter { format!("the parameter `{name}`") } else { format!("`{name}`") };
    let (code, headline) = match axis {
        Some(axis) => {
            (Code::HiddenSize, format!("nothing says how large {kind} axis {axis} of {name} is"))
        }
        None => (Code::HiddenRank, format!("nothing says how many {kind} axes {name} has")),
    };
    let shown: Vec<String> = holes.iter().map(|hole| hole.of_tensor()).collect();
    let headline = match (&shown[..], follow) {
        ([], _) => headline,
        ([one], _) if holes[0].axis.is_some() => format!("{headline}, so {one} is not known"),
        ([some], _) => format!("{headline}, so {some} are not known"),
        (_, 2) => format!("{headline}, so {} are not known", shown.join(" and ")),
        (_, n) => format!("{headline}, so {} and {} more are not known", shown.join(", "), n - 2),
    };
    Diagnostic::new(code, headline)
        .label(place, if is_gap { "left open" } else { "declared without" })
}

/// A label for what follows from a size.
pub(in super::super) fn follows(hole: &Hole) -> String {
    match hole.axis {
        Some(_) => format!("{} follows", hole.axis()),
        None => format!("{} follow", hole.axis()),
    }
}

/// All that follows from a size, axes at the same place of several tensors together; and whether it
/// may be said of each of them. Of two or less the headline has told.
pub(in super::super) fn all_follow(
    holes: &[&Hole],
    follow: usize,
    any_settles: bool,
) -> Option<String> {
    let enough = if any_settles { "any one of these sizes is enough" } else { "" };
    if follow < 3 {
        return any_settles.then(|| enough.to_owned());
    }
    let mut places: Vec<(&Hole, Vec<String>)> = vec![];
    for hole in holes {
        let name = format!("`{}`", hole.name);
        match places.iter_mut().find(|(first, _)| first.is_like(hole)) {
            Some((_, names)) => names.push(name),
            None => places.push((hole, vec![name])),
        }
    }
    let mut all: Vec<String> = places
        .iter()
        .map(|(hole, names)| format!("{} of {}", hole.axis(), names.join(", ")))
        .collect();
    if let Some(more @ 1..) = follow.checked_sub(holes.len()) {
        all.push(format!("{more} more"));
    }
    let enough = if any_settles { format!("; {enough}") } else { String::new() };
    Some(format!("from it follow {}{enough}", all.join("; ")))
}

/// Other sizes of the same tensor that are missing.
pub(in super::super) fn also_missing(others: &[Hole]) -> Option<String> {
    let axes: Vec<String> = others.iter().map(Hole::axis).collect();
    (!axes.is_empty()).then(|| format!("nor does anything say it of {}", axes.join(", ")))
}

pub(in super::super) fn not_tried() -> &'static str {
    "whether another size that is missing follows from it is not known"
}

/// How to say sizes that are missing.
pub(in super::super) fn say_sizes(root: &Hole, sizes: &[u64], edits: Vec<Edit>) -> Help {
    let text = match (root.axis, sizes) {
        (Some(_), [size]) => format!("say how large it is, for example {size}"),
        (None, [size]) => format!("say which axes it has, for example one of {size}"),
        _ => "say what is missing, for example".to_owned(),
    };
    Help::example(text, edits)
}

/// How to declare what nothing says, by example; of rows without known axes only those that must be
/// found.
pub(in super::super) fn declare(name: &str, known: &PartialShape, found: [bool; 3]) -> Help {
    let rows = Kind::ALL.map(|kind| {
        let row = known.row(kind);
        let size = |axis: &Option<Axis>| axis.as_ref().map_or("_".to_owned(), Axis::to_string);
        let mut axes: Vec<String> = row.axes().iter().map(size).collect();
        if axes.is_empty() && row.is_open() && found[kind as usize] {
            axes.push("_".to_owned());
        }
        axes.join(",")
    });
    let shape = Shape::of_written(rows);
    Help::advice(format!("declare what is missing, each `_` of `{name}: {shape}`"))
}
