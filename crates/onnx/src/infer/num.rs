//! Numbers that inference computes with: those that are known, and forms over the names of open
//! sizes.
//!
//! Sizes of axes and elements of small tensors are numbers of one kind, so that what `Shape`,
//! `Gather` and `Concat` compute comes back as a size when `Reshape` reads it. Arithmetic on forms
//! is that of [`lozenge_calculus::size::Sizes`]; what is done here is to keep each form once, so
//! that equal numbers are equal words, and to remember results.

use lozenge_calculus::number::index;
use lozenge_notation::fresh::or_numbered;
use std::collections::{BTreeMap, HashMap, HashSet};

use lozenge_calculus::size::{Decision, Interval, Polynomial, SizeSymbol, Sizes};

use super::id::NodeId;

mod read;

/// A number: of elements of an axis, or an element of a tensor whose elements decide shapes. `==`
/// of two of one table is equality of their normal forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Num {
    /// A number that is known.
    Int(i64),
    /// A form over names.
    Form(FormId),
}

/// The number of a form in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormId(u32);

/// A name in a table of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub(crate) u32);

/// Where a name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The file's inputs have it.
    Input,
    /// A node gave it to a size that only running the model tells.
    Node(NodeId),
    /// The name stands for a form that is too long to be computed with.
    Long,
}

/// A name of an open size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name as it is shown.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// What is known about whether something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// The relation holds for all values of names.
    Always,
    /// The relation holds for no values of names.
    Never,
    /// The relation holds for some values, or this is not known.
    Maybe,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Op {
    Add,
    Sub,
    Mul,
    Floor,
    Ceil,
    Rem,
    Least,
    Quotient,
}

/// How many names and operations a form has at most when it is written out.
const LONGEST: usize = 300;

/// The largest known number that is computed with; sums and products of two such fit into 128 bits.
const NO_FIT: &str = "a number does not fit into 64 bits";

/// A number does not fit into 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(NO_FIT)
    }
}

impl std::error::Error for TooLarge {}

/// The numbers of one inference.
#[derive(Debug, Clone, Default)]
pub struct Nums {
    sizes: Sizes,
    forms: Vec<Polynomial>,
    ids: HashMap<Polynomial, FormId>,
    names: Vec<Name>,
    by_text: HashMap<String, NameId>,
    known: HashMap<(Op, Num, Num), Num>,
    /// What names are taken for.
    taken: BTreeMap<NameId, Num>,
    equal: HashMap<(Num, Num), Truth>,
    /// Whether numbers are at least 0.
    signs: HashMap<Num, Truth>,
    /// What is required to divide what.
    exact: HashSet<(Num, Num)>,
}

impl From<i64> for Num {
    fn from(n: i64) -> Num {
        Num::Int(n)
    }
}

impl Num {
    /// One element.
    pub const ONE: Num = Num::Int(1);

    /// The number, if it is known.
    pub fn as_int(self) -> Option<i64> {
        if let Num::Int(n) = self { Some(n) } else { None }
    }
}

impl Nums {
    /// The number that a name stands for, which is made where there is none: from `low` on.
    pub fn named(&mut self, text: &str, origin: Origin, low: i64) -> Num {
        if let Some(id) = self.by_text.get(text) {
            return self.of_name(*id);
        }
        let id = NameId(index(self.names.len()));
        self.names.push(Name { text: text.to_owned(), origin });
        self.by_text.insert(text.to_owned(), id);
        self.sizes.set_range(symbol(id), Interval { low: Some(low.into()), high: None });
        self.of_name(id)
    }

    /// A name that is not in use, made from this text by numbering it.
    pub fn unused(&self, text: &str) -> String {
        or_numbered(text, &format!("{text}_"), 2, |name| !self.by_text.contains_key(name))
    }

    /// Says between which numbers the values of a name are.
    pub fn set_range(&mut self, name: NameId, low: Option<i64>, high: Option<i64>) {
        let range = Interval { low: low.map(Into::into), high: high.map(Into::into) };
        if self.sizes.range(Sizes::name(symbol(name))) != range {
            self.sizes.set_range(symbol(name), range);
            self.equal.clear();
            self.signs.clear();
        }
    }

    /// Between which numbers the values of a name are.
    pub fn range(&self, name: NameId) -> (Option<i64>, Option<i64>) {
        ends(self.sizes.range(Sizes::name(symbol(name))))
    }

    /// All names, each with its identity.
    pub fn names(&self) -> impl Iterator<Item = (NameId, &Name)> {
        (0..).map(NameId).zip(&self.names)
    }

    /// The name with this identity.
    pub fn name(&self, id: NameId) -> Option<&Name> {
        self.names.get(id.0 as usize)
    }

    /// The name with this text.
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.by_text.get(text).copied()
    }

    /// What a name stands for.
    pub fn of_name(&mut self, id: NameId) -> Num {
        match self.taken.get(&id) {
            Some(num) => *num,
            None => self.own(id),
        }
    }

    fn own(&mut self, id: NameId) -> Num {
        self.num(&Polynomial::indeterminate(Sizes::name(symbol(id))))
    }

    /// Takes a name for something else from now on.
    pub(crate) fn take(&mut self, name: NameId, num: Num) {
        let mut taken = std::mem::take(&mut self.taken);
        for other in taken.values_mut() {
            *other = self.substituted(*other, |id| (id == name).then_some(num));
        }
        taken.insert(name, num);
        self.taken = taken;
    }

    /// A number with what names are taken for.
    pub(crate) fn as_taken(&mut self, num: Num) -> Num {
        let taken = std::mem::take(&mut self.taken);
        let found = self.substituted(num, |id| taken.get(&id).copied());
        self.taken = taken;
        found
    }

    /// Says of a name that a node gave that its values are among those of two sizes. Gives what it
    /// stands for.
    pub(crate) fn named_by_node(&mut self, own: Num, a: Num, b: Num) -> Num {
        let [(low_a, high_a), (low_b, high_b)] = [a, b].map(|num| self.interval(num));
        if let [id] = self.names_of(own)[..] {
            let high = high_a.zip(high_b).map(|(a, b)| a.max(b));
            self.set_range(id, Some(low_a.unwrap_or(0).min(low_b.unwrap_or(0))), high);
        }
        own
    }

    /// The names that a number depends on.
    pub fn names_of(&self, num: Num) -> Vec<NameId> {
        let Num::Form(id) = num else { return vec![] };
        let names = self.sizes.names(&self.forms[id.0 as usize]);
        names.into_iter().filter_map(Sizes::symbol).map(|name| NameId(name.index())).collect()
    }

    /// Whether all names in a number are those of inputs.
    pub fn is_of_inputs(&self, num: Num) -> bool {
        let is_input = |id: NameId| self.name(id).is_some_and(|name| name.origin == Origin::Input);
        self.names_of(num).into_iter().all(is_input)
    }

    /// Whether a number is computed from the sizes of inputs and grows with them: that it is 1 is
    /// the exception.
    pub fn is_open_ended(&self, num: Num) -> bool {
        self.is_of_inputs(num) && self.interval(num).1.is_none()
    }

    pub(crate) fn form(&self, num: Num) -> Polynomial {
        match num {
            Num::Int(n) => Polynomial::constant(n.into()),
            Num::Form(id) => self.forms[id.0 as usize].clone(),
        }
    }

    pub(crate) fn num(&mut self, form: &Polynomial) -> Num {
        if let Some(n) = form.as_constant().and_then(|n| i64::try_from(n).ok()) {
            return Num::Int(n);
        }
        if let Some(id) = self.ids.get(form) {
            return Num::Form(*id);
        }
        let id = if self.sizes.is_longer(form, LONGEST) {
            self.long(form)
        } else {
            self.forms.push(form.clone());
            FormId(index(self.forms.len() - 1))
        };
        self.ids.insert(form.clone(), id);
        Num::Form(id)
    }

    /// A name for a form that is too long: what is computed with it would grow from node to node.
    fn long(&mut self, form: &Polynomial) -> FormId {
        let Interval { low, high } = self.sizes.interval(form);
        let text = self.unused("long");
        let id = NameId(index(self.names.len()));
        self.names.push(Name { text: text.clone(), origin: Origin::Long });
        self.by_text.insert(text, id);
        self.sizes.set_range(symbol(id), Interval { low, high });
        let name = Polynomial::indeterminate(Sizes::name(symbol(id)));
        self.forms.push(name.clone());
        let form = FormId(index(self.forms.len() - 1));
        self.ids.insert(name, form);
        form
    }

    fn cached(
        &mut self,
        op: Op,
        a: Num,
        b: Num,
        compute: impl FnOnce(&mut Sizes, &Polynomial, &Polynomial) -> Polynomial,
    ) -> Num {
        if let Some(known) = self.known.get(&(op, a, b)) {
            return *known;
        }
        let (left, right) = (self.form(a), self.form(b));
        let form = compute(&mut self.sizes, &left, &right);
        let num = self.num(&form);
        self.known.insert((op, a, b), num);
        num
    }

    /// The sum.
    pub fn add(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (Num::Int(0), other) | (other, Num::Int(0)) => other,
            (Num::Int(m), Num::Int(n)) if m.checked_add(n).is_some() => Num::Int(m.wrapping_add(n)),
            (a, b) => self.cached(Op::Add, a, b, Sizes::sum),
        }
    }

    /// The difference.
    pub fn sub(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (other, Num::Int(0)) => other,
            (a, b) if a == b => Num::Int(0),
            (Num::Int(m), Num::Int(n)) if m.checked_sub(n).is_some() => Num::Int(m.wrapping_sub(n)),
            (a, b) => self.cached(Op::Sub, a, b, Sizes::difference),
        }
    }

    /// The product.
    pub fn mul(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (Num::Int(1), other) | (other, Num::Int(1)) => other,
            (Num::Int(0), _) | (_, Num::Int(0)) => Num::Int(0),
            (Num::Int(m), Num::Int(n)) if m.checked_mul(n).is_some() => Num::Int(m.wrapping_mul(n)),
            (a, b) => self.cached(Op::Mul, a, b, Sizes::product),
        }
    }

    /// The product of all.
    pub fn product(&mut self, of: impl IntoIterator<Item = Num>) -> Num {
        of.into_iter().fold(Num::ONE, |all, one| self.mul(all, one))
    }

    /// `⌊a/by⌋` of a number that is not negative by one that is positive.
    pub fn floor(&mut self, a: Num, by: i64) -> Num {
        match (a, by) {
            (Num::Int(m), 1..) => Num::Int(m.div_euclid(by)),
            (a, 2..) => self.cached(Op::Floor, a, Num::Int(by), |sizes, a, _| {
                sizes.floor(a, by.unsigned_abs())
            }),
            (a, _) => self.whole(a),
        }
    }

    /// `⌊a⌋` of a number that may be a fraction.
    pub fn whole(&mut self, a: Num) -> Num {
        self.cached(Op::Floor, a, Num::ONE, |sizes, a, _| sizes.floor(a, 1))
    }

    /// `⌈a/by⌉` by a positive number.
    pub fn ceil(&mut self, a: Num, by: i64) -> Num {
        match (a, by) {
            (Num::Int(m), 1..) => Num::Int(m.div_euclid(by) + i64::from(m.rem_euclid(by) > 0)),
            (a, _) => {
                let by = by.max(1);
                self.cached(Op::Ceil, a, Num::Int(by), |sizes, a, _| {
                    sizes.ceiling(a, by.unsigned_abs())
                })
            }
        }
    }

    /// What is left of dividing by a positive number.
    pub fn rem(&mut self, a: Num, by: i64) -> Num {
        match (a, by) {
            (Num::Int(m), 1..) => Num::Int(m.rem_euclid(by)),
            (a, _) => {
                let by = by.max(1);
                self.cached(Op::Rem, a, Num::Int(by), |sizes, a, _| {
                    sizes.remainder(a, by.unsigned_abs())
                })
            }
        }
    }

    /// The exact quotient, which may be a fraction; none by 0.
    pub fn quotient(&mut self, a: Num, by: Num) -> Option<Num> {
        match (a, by) {
            (_, Num::Int(0)) => None,
            (a, Num::Int(1)) => Some(a),
            (Num::Int(m), Num::Int(n)) if m.checked_rem(n) == Some(0) => Some(Num::Int(m / n)),
            (a, by) => Some(self.cached(Op::Quotient, a, by, Sizes::quotient)),
        }
    }

    /// What has to be at least 0 so that a number that is the least of two is this one of them.
    pub(crate) fn slack(&mut self, least: Num, one: Num) -> Option<Num> {
        let Num::Form(id) = least else { return None };
        let [a, b] = self.sizes.as_least(&self.forms[id.0 as usize])?;
        let [a, b] = [self.num(&a), self.num(&b)];
        let other = if a == one { b } else { a };
        (a == one || b == one).then(|| self.sub(other, one))
    }

    /// Whether a number is 1 wherever another is: looked for where that says what a name is.
    pub(crate) fn is_one_where(&mut self, num: Num, other: Num) -> bool {
        let Some((name, value)) = self.solved(other, Num::ONE) else { return false };
        let there = self.substituted(num, |id| (id == name).then_some(value));
        self.equals(there, Num::ONE) == Truth::Always
    }

    /// Says that a number is divided exactly by another, which is required.
    pub(crate) fn set_exact(&mut self, of: Num, by: Num) {
        self.exact.insert((of, by));
    }

    /// Whether a number that was divided is divided exactly for all values of names.
    pub fn is_quotient_exact(&mut self, of: Num, by: Num, quotient: Num) -> bool {
        if self.exact.contains(&(of, by)) {
            return true;
        }
        let (of, by) = (self.form(of), self.form(by));
        let is_whole = matches!(self.sizes.decide_exact(&of, &by), Decision::Always);
        is_whole || matches!(quotient, Num::Int(_))
    }

    /// The least of two.
    pub fn least(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (a, b) if a == b => a,
            (Num::Int(m), Num::Int(n)) => Num::Int(m.min(n)),
            (a, b) => self.cached(Op::Least, a.min(b), a.max(b), Sizes::least),
        }
    }

    /// The greatest of two.
    pub fn greatest(&mut self, a: Num, b: Num) -> Num {
        let (both, least) = (self.add(a, b), self.least(a, b));
        self.sub(both, least)
    }

    /// Between which numbers its values are.
    pub fn interval(&self, a: Num) -> (Option<i64>, Option<i64>) {
        match a {
            Num::Int(n) => (Some(n), Some(n)),
            Num::Form(id) => ends(self.sizes.interval(&self.forms[id.0 as usize])),
        }
    }

    /// Whether two are equal.
    pub fn equals(&mut self, a: Num, b: Num) -> Truth {
        if a == b {
            return Truth::Always;
        }
        if let (Num::Int(_), Num::Int(_)) = (a, b) {
            return Truth::Never;
        }
        if let Some(known) = self.equal.get(&(a, b)) {
            return *known;
        }
        let difference = self.sub(a, b);
        let truth = match self.interval(difference) {
            (Some(1..), _) | (_, Some(..=-1)) => Truth::Never,
            _ if self.is_tried_unequal(difference) || self.is_long(difference) => Truth::Maybe,
            _ => {
                let form = self.form(difference);
                match self.sizes.decide(&form) {
                    Decision::Always => Truth::Always,
                    Decision::Never => Truth::Never,
                    Decision::Is(..) | Decision::Requires(_) | Decision::Several => Truth::Maybe,
                }
            }
        };
        self.equal.insert((a, b), truth);
        truth
    }

    /// Whether so much is in a number that it takes long to find out for which values of names it
    /// is 0.
    fn is_long(&self, num: Num) -> bool {
        const ONE_NAME: usize = 64;
        const SEVERAL: usize = 12;
        let Num::Form(id) = num else { return false };
        let form = &self.forms[id.0 as usize];
        let most = if self.sizes.names(form).len() < 2 { ONE_NAME } else { SEVERAL };
        self.sizes.weight(form, most) >= most
    }

    /// Whether a number over several names is not 0 for some values of these. That it is never 0 is
    /// looked for in those over one name only, where it is found fast.
    fn is_tried_unequal(&self, num: Num) -> bool {
        self.names_of(num).len() > 1 && self.values_tried(num).into_iter().any(|value| value != 0)
    }

    /// Whether a number is at least 0, at some values of names.
    fn tried(&self, num: Num) -> Vec<bool> {
        self.values_tried(num).into_iter().map(|value| value >= 0).collect()
    }

    /// What a number is at some values of names.
    fn values_tried(&self, num: Num) -> Vec<i128> {
        const TRIES: i128 = 8;
        let Num::Form(id) = num else { return vec![] };
        let form = &self.forms[id.0 as usize];
        let at = |turn: i128| {
            self.sizes.value(form, &|atom| {
                let number = i128::from(Sizes::symbol(atom)?.index());
                let range = self.sizes.range(atom);
                let low = range.low.unwrap_or(0);
                let above = (turn * 5 + number * 7) % 11 * (turn % 2) + turn * turn * turn;
                Some(range.high.map_or(low + above, |high| high.min(low + above)))
            })
        };
        (0..TRIES).filter_map(at).collect()
    }

    /// Whether the first is at most the second.
    pub fn at_most(&mut self, a: Num, b: Num) -> Truth {
        let difference = self.sub(b, a);
        match self.interval(difference) {
            (Some(0..), _) => Truth::Always,
            (_, Some(..=-1)) => Truth::Never,
            _ => self.is_negative(difference),
        }
    }

    /// Whether a number is at least 0, where the intervals of its terms do not tell.
    fn is_negative(&mut self, num: Num) -> Truth {
        if let Some(known) = self.signs.get(&num) {
            return *known;
        }
        let signs = self.tried(num);
        let truth = if signs.contains(&true) && signs.contains(&false) || self.is_long(num) {
            Truth::Maybe
        } else {
            let form = self.form(num);
            match self.sizes.decide_at_least(&form, 0) {
                Decision::Always => Truth::Always,
                Decision::Never => Truth::Never,
                Decision::Is(..) | Decision::Requires(_) | Decision::Several => Truth::Maybe,
            }
        };
        self.signs.insert(num, truth);
        truth
    }

    /// Whether the first is less than the second.
    pub fn less(&mut self, a: Num, b: Num) -> Truth {
        match self.at_most(b, a) {
            Truth::Always => Truth::Never,
            Truth::Never => Truth::Always,
            Truth::Maybe => Truth::Maybe,
        }
    }

    /// The equation `a = b` solved for a name: the name and what it is.
    pub fn solved(&mut self, a: Num, b: Num) -> Option<(NameId, Num)> {
        let difference = self.sub(a, b);
        let form = self.form(difference);
        let (name, value) = self.sizes.solved(&form)?;
        Some((NameId(name.index()), self.num(&value)))
    }

    /// The equation `a = b` as `form = 0`, without factors that are never 0.
    pub(crate) fn equation(&mut self, a: Num, b: Num) -> Num {
        let difference = self.sub(a, b);
        let form = self.form(difference);
        let form = self.sizes.without_factors(&form);
        self.num(&form)
    }

    /// A number where each name is this one.
    pub fn substituted(&mut self, num: Num, name: impl Fn(NameId) -> Option<Num>) -> Num {
        let Num::Form(_) = num else { return num };
        let form = self.form(num);
        let mut values = vec![];
        for atom in self.sizes.names(&form) {
            let id = Sizes::symbol(atom).map(|symbol| NameId(symbol.index()));
            if let Some(num) = id.and_then(&name) {
                values.push((atom, self.form(num)));
            }
        }
        if values.is_empty() {
            return num;
        }
        let form = self.sizes.substituted(&form, &|atom| {
            values.iter().find(|(own, _)| *own == atom).map(|(_, form)| form.clone())
        });
        self.num(&form)
    }
}

fn symbol(name: NameId) -> SizeSymbol {
    SizeSymbol::new(name.0)
}

/// The ends of an interval that fit into 64 bits; an end that does not fit is `None`, as of an
/// unbounded interval.
fn ends(of: Interval) -> (Option<i64>, Option<i64>) {
    let end = |n: i128| i64::try_from(n).ok();
    (of.low.and_then(end), of.high.and_then(end))
}
