//! Which parts of a concatenation may be left out.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec,
    vec::Vec,
};

/// By component of a concatenated axis, whether it may be left out, in an operation that writes or
/// reads the shapes on the other side. One may, if in every one of these there is an axis all of
/// whose components are other components of the concatenation: then nothing that is written or read
/// needs it.
///
/// Shapes are lists of axes, and axes lists of components, of which `None` is like nothing else; an
/// axis that is not concatenated has one.
///
/// ```
/// use lozenge_calculus::constraint::discardable;
/// // `a^b => a`: b is, a is not.
/// let others = [vec![vec![Some("a")]]];
/// assert_eq!(discardable(&[Some("a"), Some("b")], &others), [false, true]);
/// ```
pub fn discardable<C: Ord>(axis: &[Option<C>], others: &[Vec<Vec<Option<C>>>]) -> Vec<bool> {
    // Where each component stands, if that is one place.
    let mut places: BTreeMap<&C, Option<usize>> = BTreeMap::new();
    for (place, component) in axis.iter().enumerate() {
        let Some(component) = component else { continue };
        places.entry(component).and_modify(|place| *place = None).or_insert(Some(place));
    }
    let mut discardable = vec![true; axis.len()];
    for shape in others {
        // The places that an axis needs, if all its components are of the concatenation.
        let needed = |axis: &Vec<Option<C>>| {
            let found: Option<Vec<&Option<usize>>> =
                axis.iter().map(|component| places.get(component.as_ref()?)).collect();
            found.map(|found| found.into_iter().copied().flatten().collect::<BTreeSet<usize>>())
        };
        let in_all = |one: BTreeSet<usize>, other: BTreeSet<usize>| &one & &other;
        let Some(needed) = shape.iter().filter_map(needed).reduce(in_all) else {
            return vec![false; axis.len()];
        };
        for place in needed {
            discardable[place] = false;
        }
    }
    discardable
}
