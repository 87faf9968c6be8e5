//! The loop nest of an assignment: loops, guards and statements.
//!
//! A nest is a list of blocks, one for every choice of the parts of concatenations; most have one.
//! In a block every loop runs through its range, every index is a function of the loops that run,
//! and what is left of the assignment's value where some operands take no part is known. The
//! printer, the counter, pictures and the executor read blocks; none of them looks at an
//! assignment's maps again.

use lozenge::{
    Accumulation, Assignment, Expression,
    project::{Budget, Coverage, Decision, Index, LoopId, Margin, Slot, Statement, Write, decide},
};

/// The most blocks that are looked at to say which loops run.
const FEW_BLOCKS: usize = 64;

/// The loop nest of an assignment. Its `Display` is pseudo-code.
///
/// ```
/// use lozenge::Session;
/// use lozenge_lower::Nest;
///
/// let mut session = Session::new();
/// let a = session.data("a", "2,3")?;
/// let b = session.data("b", "3,4")?;
/// let c = session.einsum("ij; jk => ik", &[a, b])?;
/// session.set_name(c, "c");
/// let nest = Nest::new(session.assignment(&session.close()?, c)?);
/// assert_eq!(nest.to_string(), "\
/// c = 0
/// for i in 0..2:
///   for k in 0..4:
///     for j in 0..3:
///       c[i, k] += a[i, j] * b[j, k]
/// ");
/// # Ok::<(), lozenge::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct Nest {
    assignment: Assignment,
    /// The coverages of what is written, in that order.
    coverages: Vec<Coverage>,
}

/// The loops and statements of one choice of the parts of concatenations.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Block {
    /// The loops that run, outermost first.
    pub loops: Vec<LoopId>,
    /// What must hold at a point, or it is skipped.
    pub guards: Vec<Guard>,
    /// Where the elements are that the statements read, by their numbers; `None` where one takes no
    /// part.
    pub reads: Vec<Option<Access>>,
    /// The statements that run at a point.
    pub stores: Vec<Store>,
}

/// The condition that an index is on its axis.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Guard {
    /// The occurrence.
    pub slot: Slot,
    /// Which of its axes, in memory order.
    pub axis: usize,
    /// Where the axis is read or written.
    pub index: Index,
    /// How far the index reaches beyond the axis.
    pub margin: Margin,
}

/// An occurrence, and where it is read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Access {
    /// The occurrence.
    pub slot: Slot,
    /// An index for each of its axes, in memory order; none is a concatenation.
    pub indices: Vec<Index>,
}

/// A statement: a cell becomes a value, or accumulates it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Store {
    /// The cell.
    pub to: Access,
    /// How the value joins what the cell holds; `None` if the cell becomes it.
    pub by: Option<Accumulation>,
    /// The value, over the reads of the block.
    pub value: Expression,
}

impl Nest {
    /// The nest of an assignment.
    pub fn new(assignment: Assignment) -> Nest {
        let record = assignment.record();
        let coverage = |slot: &Slot| record.coverage(*slot, Budget::default());
        let coverages = assignment.written().iter().map(coverage).collect();
        Nest { assignment, coverages }
    }

    /// What it is the nest of.
    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    /// The coverage of what is written; of several, of the first.
    pub fn coverage(&self) -> Coverage {
        self.coverages.first().copied().unwrap_or_default() // of nothing nothing is known
    }

    /// The loops that what is written does not mention, of those that run where it takes part: what
    /// is accumulated.
    ///
    /// ```
    /// use lozenge::{Session, project::Slot};
    /// use lozenge_lower::Nest;
    ///
    /// let mut session = Session::new();
    /// let (a, b) = (session.data("a", "2,3")?, session.data("b", "3,4")?);
    /// let c = session.einsum("ij; jk => ik", &[a, b])?;
    /// let product = session.assignment(&session.close()?, c)?;
    /// let [of_c, of_a] = [
    ///     Nest::new(product.clone()),
    ///     Nest::new(product.seen_from(&[Slot::operand(0)], &[Slot::RESULT, Slot::operand(1)])),
    /// ];
    /// let names = |nest: &Nest| nest.reductions().iter().map(|id| product.name(*id).to_owned())
    ///     .collect::<String>();
    /// assert_eq!((names(&of_c), names(&of_a)), ("j".to_owned(), "k".to_owned()));
    /// # Ok::<(), lozenge::Report>(())
    /// ```
    pub fn reductions(&self) -> Vec<LoopId> {
        let record = self.assignment.record();
        let Some(slot) = self.assignment.written().first() else { return vec![] };
        let known = self.few_blocks();
        let runs = |id: &LoopId| {
            known.as_ref().is_none_or(|all| all.iter().any(|block| block.loops.contains(id)))
        };
        record.reductions_in(*slot).filter(runs).collect()
    }

    /// The numbers of those that are read at some point: what the assignment reads, without what
    /// takes part only where nothing is written.
    pub fn reads(&self) -> Vec<usize> {
        let known = self.few_blocks();
        let is_read = |number: &usize| {
            known.as_ref().is_none_or(|all| all.iter().any(|block| block.reads[*number].is_some()))
        };
        (0..self.assignment.read().len()).filter(is_read).collect()
    }

    /// All blocks, the first ones too, where there are few; `None` where looking at all of them
    /// would take long.
    fn few_blocks(&self) -> Option<Vec<Block>> {
        let all = self.beginning().chain(self.blocks());
        let known: Vec<Block> = all.take(FEW_BLOCKS + 1).collect();
        (1..=FEW_BLOCKS).contains(&known.len()).then_some(known)
    }

    /// The decisions about what is written, occurrence by occurrence: what is done before and in
    /// the loops.
    pub fn decisions(&self) -> impl ExactSizeIterator<Item = Decision> + '_ {
        self.coverages.iter().map(|coverage| {
            let statement = self.assignment.statement();
            // Where something has to take part, not all cells are met that the loops meet.
            let is_partial =
                !self.assignment.needed().is_empty() && self.assignment.record().is_coupled();
            let onto = if is_partial { None } else { coverage.onto };
            match self.assignment.accumulation() {
                // The last element that is written stays, whatever was there.
                Accumulation::Set => {
                    let initialise = statement == Statement::Erasing && onto != Some(true);
                    Decision::new(initialise, Write::Store)
                }
                // What a cell begins with counts; only cells without that are initialised.
                _ if self.initial().is_some() => {
                    let is_coupled = self.assignment.record().is_coupled();
                    Decision::new(onto != Some(true) || is_coupled, Write::Accumulate)
                }
                _ => decide(statement, coverage.injective, onto),
            }
        })
    }

    /// The decision about the first occurrence that is written.
    pub fn decision(&self) -> Decision {
        self.decisions().next().unwrap_or(Decision::new(false, Write::Accumulate))
    }

    /// The number, among those read, of what the cells begin with.
    fn initial(&self) -> Option<usize> {
        let erases = self.assignment.statement() == Statement::Erasing;
        self.assignment.initial().filter(|_| erases)
    }

    /// The occurrences that are set to the neutral element before anything else.
    pub fn fills(&self) -> impl Iterator<Item = Slot> + '_ {
        let written = self.assignment.written().iter().zip(self.decisions());
        written.filter(|(_, decision)| decision.initialise).map(|(slot, _)| *slot)
    }

    /// The blocks that run first and set cells to what they begin with, where that is an operand.
    pub fn beginning(&self) -> impl Iterator<Item = Block> + '_ {
        let initial = self.initial().into_iter();
        initial.flat_map(move |number| {
            let mut before: Vec<Vec<LoopId>> = vec![];
            let once = move |block: &Block| {
                let is_new = !before.contains(&block.loops);
                before.push(block.loops.clone());
                is_new
            };
            let choices = self.assignment.record().choices();
            choices.filter_map(move |running| self.begin(number, &running)).filter(once)
        })
    }

    /// The blocks, one for every choice of the parts of concatenations.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let blocks = self.assignment.record().choices().map(|running| self.block(&running));
        // Where only what cells begin with takes part, nothing is left to do.
        blocks.filter(|block| !block.stores.is_empty())
    }

    fn block(&self, running: &[bool]) -> Block {
        let assignment = &self.assignment;
        let record = assignment.record();
        let takes_part = |slot: &Slot| record.takes_part(*slot, running);
        let loops = record.loops().map(|(id, _)| id).filter(|id| running[id.0 as usize]);
        let read = assignment.read().iter();
        let reads: Vec<Option<Access>> =
            read.map(|slot| takes_part(slot).then(|| self.accessed_at(*slot, running))).collect();
        let is_there = |number: usize| reads.get(number).is_none_or(Option::is_some);
        let value = assignment.value().left(&is_there);
        let written = assignment.written().iter().zip(self.decisions());
        let happens = assignment.needed().iter().all(takes_part);
        let there = written.filter(|(slot, _)| happens && takes_part(slot));
        let stores = there.filter_map(|(slot, decision)| {
            let (value, accumulation) = (value.clone()?, assignment.accumulation());
            let (by, value) = match decision.write {
                Write::Store => (None, accumulation.first(value)),
                Write::Accumulate => (Some(accumulation), value),
            };
            Some(Store { to: self.accessed_at(*slot, running), by, value })
        });
        let (loops, stores) = (loops.collect(), stores.collect());
        Block {
            loops,
            guards: self.guards(record.slots().filter(takes_part), running),
            reads,
            stores,
        }
    }

    /// The block that sets cells to what they begin with while certain loops run, of which it needs
    /// only those of the result.
    fn begin(&self, number: usize, running: &[bool]) -> Option<Block> {
        let record = self.assignment.record();
        let slot = *self.assignment.read().get(number)?;
        if !record.takes_part(slot, running) || !record.takes_part(Slot::RESULT, running) {
            return None;
        }
        let mentioned = |id: LoopId| {
            running[id.0 as usize]
                && record.map(Slot::RESULT).iter().any(|axis| axis.index.mentions(id))
        };
        let loops = record.loops().map(|(id, _)| id).filter(|id| mentioned(*id)).collect();
        let mut reads: Vec<Option<Access>> = self.assignment.read().iter().map(|_| None).collect();
        reads[number] = Some(self.accessed_at(slot, running));
        let (to, value) = (self.accessed_at(Slot::RESULT, running), Expression::read(number));
        let guards = self.guards([Slot::RESULT, slot].into_iter(), running);
        Some(Block { loops, guards, reads, stores: vec![Store { to, by: None, value }] })
    }

    fn guards(&self, slots: impl Iterator<Item = Slot>, running: &[bool]) -> Vec<Guard> {
        let mut guards: Vec<Guard> = vec![];
        for slot in slots {
            for (axis, map) in self.assignment.record().map(slot).iter().enumerate() {
                let Some(margin) = map.margin else { continue };
                let index = resolved(&map.index, running);
                let size = |guard: &Guard| self.assignment.size(guard.slot, guard.axis);
                let guard = Guard { slot, axis, index, margin };
                let is_same = |other: &Guard| {
                    (&other.index, other.margin, size(other))
                        == (&guard.index, guard.margin, size(&guard))
                };
                if !guards.iter().any(is_same) {
                    guards.push(guard);
                }
            }
        }
        guards
    }

    fn accessed_at(&self, slot: Slot, running: &[bool]) -> Access {
        let axes = self.assignment.record().map(slot).iter();
        Access { slot, indices: axes.map(|axis| resolved(&axis.index, running)).collect() }
    }
}

/// An index while certain loops run: of a concatenation, the part whose loop does.
fn resolved(index: &Index, running: &[bool]) -> Index {
    let Index::Concat(concat) = index else { return index.clone() };
    let part = concat.parts.iter().find(|(id, _)| running[id.0 as usize]);
    // Where none does it takes no part, and nobody asks.
    part.and_then(|(id, begin)| begin.index(*id).ok()).unwrap_or_else(|| index.clone())
}
