//! Which sizes force a size, found by applying the rule of a node again with some of what it reads
//! forgotten.
//!
//! A rule is a function. What a fact of an output depends on is found by running it again with
//! facts of inputs forgotten (sizes replaced by names of their own, elements by unknown ones) and
//! keeping those without which the fact is another. So each operator is explained by the rule that
//! inferred it, and what is kept is irreducible. Forgetting begins with the values that were
//! computed last: what stays is near the inputs and the stored weights.

use smallvec::SmallVec;

use super::super::{
    call::{Call, Called, Effects, Outputs},
    id::{NodeId, TensorId},
    inferred::{Inferred, Source},
    known::Known,
    num::{Num, Nums, Origin},
    value::Elem,
};

/// Something that is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Fact {
    /// The size of an axis.
    Axis(TensorId, usize),
    /// An element.
    Element(TensorId, usize),
}

impl Fact {
    pub(super) fn tensor(self) -> TensorId {
        match self {
            Fact::Axis(tensor, _) | Fact::Element(tensor, _) => tensor,
        }
    }

    pub(super) fn of(self, known: &Known) -> Option<Elem> {
        match self {
            Fact::Axis(_, axis) => known.shape.as_ref()?.get(axis).map(|num| Elem::Whole(*num)),
            Fact::Element(_, element) => known.value.as_ref()?.get(element).copied(),
        }
    }

    /// What it is, as text.
    pub(super) fn text(self, inferred: &Inferred<'_, '_>) -> String {
        match self.of(&inferred.tensor(self.tensor()).known) {
            Some(Elem::Whole(num) | Elem::Ratio(num)) => inferred.nums().text(num),
            Some(Elem::Real(x)) => x.to_string(),
            Some(Elem::Unknown) | None => "not known".to_owned(),
        }
    }

    pub(super) fn num(self, inferred: &Inferred<'_, '_>) -> Option<Num> {
        match self.of(&inferred.tensor(self.tensor()).known)? {
            Elem::Whole(num) | Elem::Ratio(num) => Some(num),
            _ => None,
        }
    }
}

/// Asks rules again.
pub(super) struct Prober<'i, 'm, 'a> {
    pub(super) inferred: &'i Inferred<'m, 'a>,
    nums: Nums,
    probes: Vec<Num>,
}

/// The most facts of one node that are tried.
const MOST_FACTS: usize = 4096;

impl<'i, 'm, 'a> Prober<'i, 'm, 'a> {
    pub(super) fn new(inferred: &'i Inferred<'m, 'a>) -> Self {
        Prober { inferred, nums: inferred.nums().clone(), probes: vec![] }
    }

    fn probe(&mut self, number: usize) -> Num {
        while self.probes.len() <= number {
            // No file's name: these are never shown.
            let text = format!("\u{1}{}", self.probes.len());
            let probe = self.nums.named(&text, Origin::Input, 1);
            self.probes.push(probe);
        }
        self.probes[number]
    }

    fn run(&mut self, id: NodeId, inputs: &[Option<Known>]) -> Option<Outputs> {
        let record = self.inferred.node(id);
        let rule = self.inferred.rules.of(record.node)?;
        let mut effects = Effects::default();
        let called = Called { node: record.node, id, version: record.version };
        let inputs = inputs.iter().map(Option::as_ref);
        let mut call = Call::new(called, inputs, &mut self.nums, &mut effects);
        let _ = rule.infer(&mut call);
        Some(call.outputs)
    }

    /// The facts of a node's inputs that force a fact of an output; none where its rule cannot be
    /// applied again.
    pub(super) fn forced_by(&mut self, fact: Fact) -> Option<Vec<Fact>> {
        let Source::Node(id, output) = self.inferred.tensor(fact.tensor()).source else {
            return None;
        };
        let inferred = self.inferred;
        let record = inferred.node(id);
        let wanted = fact.of(&inferred.tensor(fact.tensor()).known)?;
        let mut inputs: SmallVec<[Option<Known>; 4]> = record
            .inputs
            .iter()
            .map(|input| input.map(|input| inferred.tensor(input).known.clone()))
            .collect();
        let holds = |prober: &mut Self, inputs: &[Option<Known>]| {
            let outputs = prober.run(id, inputs);
            let found = outputs.as_ref().and_then(|outputs| outputs.get(output)?.as_ref());
            found.and_then(|known| fact.of(known)) == Some(wanted)
        };
        if !holds(self, &inputs) {
            return None;
        }
        let mut tensors: Vec<TensorId> = record.inputs.iter().copied().flatten().collect();
        tensors.sort_unstable();
        tensors.dedup();
        let mut kept = vec![];
        let mut count = 0;
        for tensor in tensors.into_iter().rev() {
            let known = &inferred.tensor(tensor).known;
            let axes = known.shape.as_ref().map_or(0, SmallVec::len);
            let elements = known.value.as_ref().map_or(0, |value| value.len());
            let facts: Vec<Fact> = (0..axes)
                .map(|axis| Fact::Axis(tensor, axis))
                .chain((0..elements).map(|element| Fact::Element(tensor, element)))
                .collect();
            count += facts.len();
            if count > MOST_FACTS {
                return None;
            }
            let first = count - facts.len();
            self.forget(id, &mut inputs, &facts, first, &holds, &mut kept);
        }
        kept.sort_unstable();
        Some(kept)
    }

    /// Forgets as many of these as can be, halving what cannot be forgotten together.
    fn forget(
        &mut self,
        id: NodeId,
        inputs: &mut SmallVec<[Option<Known>; 4]>,
        facts: &[Fact],
        first: usize,
        holds: &impl Fn(&mut Self, &[Option<Known>]) -> bool,
        kept: &mut Vec<Fact>,
    ) {
        if facts.is_empty() {
            return;
        }
        let before = inputs.clone();
        for (place, fact) in facts.iter().enumerate() {
            let probe = self.probe(first + place);
            for (known, input) in inputs.iter_mut().zip(&self.inferred.node(id).inputs) {
                let Some(known) = known.as_mut().filter(|_| *input == Some(fact.tensor())) else {
                    continue;
                };
                match *fact {
                    Fact::Axis(_, axis) => {
                        if let Some(sizes) = &mut known.shape {
                            sizes[axis] = probe;
                        }
                    }
                    Fact::Element(_, element) => {
                        if let Some(value) = &mut known.value {
                            let mut all = value.to_vec();
                            all[element] = Elem::Unknown;
                            *value = all.into();
                        }
                    }
                }
            }
        }
        if holds(self, inputs) {
            return;
        }
        *inputs = before;
        if let [one] = facts {
            kept.push(*one);
            return;
        }
        let (one, other) = facts.split_at(facts.len() / 2);
        self.forget(id, inputs, one, first, holds, kept);
        self.forget(id, inputs, other, first + one.len(), holds, kept);
    }
}
