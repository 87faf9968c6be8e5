//! Mistakes drawn into model files.
//!
//! Bytes are flipped and cut, which reading mostly refuses; numbers of shapes and attributes are
//! replaced, nodes dropped, doubled and reordered, and initializers transposed, which inference has
//! to bear. Weights are left out before, so that mistakes fall on what matters.

use super::proto::{Part, joined, parts};
use crate::Generator;

/// A message as its fields.
type Message = Vec<Part>;

/// A mutated file, and how it was mutated.
pub fn mutated(rng: &mut Generator, bytes: &[u8]) -> (&'static str, Vec<u8>) {
    let mut out = bytes.to_vec();
    match rng.u8(0..10) {
        0 => {
            for _ in 0..rng.usize(1..8) {
                let place = rng.usize(0..out.len());
                out[place] ^= 1 << rng.u8(0..8);
            }
            ("flipped bits", out)
        }
        1 => {
            out.truncate(rng.usize(0..out.len()));
            ("a piece", out)
        }
        2 => {
            let (from, to) = (rng.usize(0..out.len()), rng.usize(0..out.len()));
            let length = rng.usize(0..64).min(out.len() - from.max(to));
            out.copy_within(from..from + length, to);
            ("copied bytes", out)
        }
        n => {
            let (how, change): (_, fn(&mut Generator, &mut Message)) = match n {
                3 | 4 => ("sizes of inputs", sizes),
                5 | 6 => ("attributes", attributes),
                7 => ("nodes", nodes),
                8 => ("transposed initializers", transposed),
                _ => ("elements", elements),
            };
            (how, in_graph(rng, bytes, change).unwrap_or(out))
        }
    }
}

/// The model with its graph changed.
fn in_graph(
    rng: &mut Generator,
    bytes: &[u8],
    change: fn(&mut Generator, &mut Message),
) -> Option<Vec<u8>> {
    let mut model = parts(bytes)?;
    let graph = model.iter_mut().find(|part| part.number == 7)?;
    let mut inner = parts(graph.content.as_ref()?)?;
    change(rng, &mut inner);
    *graph = Part::bytes(7, joined(&inner));
    Some(joined(&model))
}

/// A number that shapes and attributes do not expect.
fn number(rng: &mut Generator) -> i64 {
    let usual = [0, 1, -1, 2, 3, 7, 32, i64::MAX, i64::MIN, 1 << 31, (1 << 40) + 1, -2];
    usual[rng.usize(0..usual.len())]
}

/// Changes a part with one of these numbers, if there is one.
fn one_of(
    rng: &mut Generator,
    graph: &mut [Part],
    number: u64,
    change: impl Fn(&mut Generator, &mut Message),
) {
    let places: Vec<usize> = (0..graph.len()).filter(|at| graph[*at].number == number).collect();
    if places.is_empty() {
        return;
    }
    let part = &mut graph[places[rng.usize(0..places.len())]];
    let inner = part.content.as_ref().and_then(|content| parts(content));
    if let Some(mut inner) = inner {
        change(rng, &mut inner);
        *part = Part::bytes(number, joined(&inner));
    }
}

/// Replaces a size of an input: value info, its type, its tensor, its shape, a dimension.
fn sizes(rng: &mut Generator, graph: &mut Message) {
    one_of(rng, graph, 11, |rng, input| {
        one_of(rng, input, 2, |rng, ty| {
            one_of(rng, ty, 1, |rng, tensor| {
                one_of(rng, tensor, 2, |rng, shape| match rng.u8(0..4) {
                    0 => shape.truncate(rng.usize(0..=shape.len())),
                    1 => shape.extend(shape.clone().first().cloned()),
                    _ => one_of(rng, shape, 1, |rng, dim| *dim = vec![Part::int(1, number(rng))]),
                });
            });
        });
    });
}

/// Replaces a number of an attribute, or drops one of a list.
fn attributes(rng: &mut Generator, graph: &mut Message) {
    for _ in 0..rng.usize(1..20) {
        one_of(rng, graph, 1, |rng, node| {
            one_of(rng, node, 5, |rng, attribute| {
                // 3 is a number, 8 a list of them; others stay.
                let numbers: Vec<usize> = (0..attribute.len())
                    .filter(|at| matches!(attribute[*at].number, 3 | 8))
                    .filter(|at| attribute[*at].value().is_some())
                    .collect();
                if let Some(at) = numbers.get(rng.usize(0..numbers.len().max(1))) {
                    if rng.u8(0..4) == 0 {
                        attribute.remove(*at);
                    } else {
                        attribute[*at] = Part::int(attribute[*at].number, number(rng));
                    }
                }
            });
        });
    }
}

/// Drops, doubles or reorders nodes, or exchanges inputs of one.
fn nodes(rng: &mut Generator, graph: &mut Message) {
    let places: Vec<usize> = (0..graph.len()).filter(|at| graph[*at].number == 1).collect();
    if places.is_empty() {
        return;
    }
    let (a, b) = (places[rng.usize(0..places.len())], places[rng.usize(0..places.len())]);
    match rng.u8(0..4) {
        0 => drop(graph.remove(a)),
        1 => graph.insert(b, graph[a].clone()),
        2 => graph.swap(a, b),
        _ => one_of(rng, graph, 1, |rng, node| {
            let inputs: Vec<usize> = (0..node.len()).filter(|at| node[*at].number == 1).collect();
            if let [first, .., last] = inputs[..] {
                node.swap(first, last);
            } else {
                rng.shuffle(node);
            }
        }),
    }
}

/// Turns the sizes of some initializers around.
fn transposed(rng: &mut Generator, graph: &mut Message) {
    for _ in 0..rng.usize(1..10) {
        one_of(rng, graph, 5, |_, tensor| {
            let dims: Vec<Part> = tensor.iter().filter(|part| part.number == 1).cloned().collect();
            tensor.retain(|part| part.number != 1);
            tensor.splice(0..0, dims.into_iter().rev());
        });
    }
}

/// Replaces bytes of elements: of small constants, which decide shapes.
fn elements(rng: &mut Generator, graph: &mut Message) {
    for _ in 0..rng.usize(1..10) {
        one_of(rng, graph, 5, |rng, tensor| {
            let Some(raw) = tensor.iter_mut().find(|part| part.number == 9) else { return };
            let mut bytes = raw.content.clone().unwrap_or_default();
            let count = bytes.len() / 8;
            if count > 0 {
                let at = 8 * rng.usize(0..count);
                bytes[at..at + 8].copy_from_slice(&number(rng).to_le_bytes());
            }
            *raw = Part::bytes(9, bytes);
        });
    }
}

#[cfg(test)]
mod tests {
    use lozenge_onnx::Model;

    use super::{in_graph, mutated, nodes, sizes};
    use crate::{Generator, onnx::proto::chain};

    #[test]
    fn the_same_case_is_the_same_mistake() {
        let file = chain(6);
        let draw = |case| mutated(&mut Generator::new(7, case), &file);
        assert!((0..50).all(|case| draw(case) == draw(case)));
        assert!((0..50).any(|case| draw(case).1 != file));
    }

    #[test]
    fn changed_graphs_are_still_read() {
        let file = chain(6);
        for case in 0..100 {
            for change in [sizes, nodes] {
                let changed = in_graph(&mut Generator::new(7, case), &file, change).unwrap();
                assert!(Model::read(&changed).is_ok());
            }
        }
    }
}
