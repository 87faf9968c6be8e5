//! For which values of one name several requirements hold, said in the shortest way.

use super::super::{
    num::{NameId, Nums},
    require::Relation,
};
use lozenge_calculus::number::length;

/// The values of a name for which something holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// All of them.
    All,
    /// None that was tried.
    None,
    /// These only.
    Listed(Vec<i64>),
    /// Those between these numbers, both included, whose remainder by the period is among the
    /// residues.
    Periodic {
        /// The least value.
        low: i64,
        /// The greatest, if there is one.
        high: Option<i64>,
        /// The period.
        period: i64,
        /// The remainders, in order.
        residues: Vec<i64>,
        /// Values below all these, or with other remainders, for which it holds too.
        also: Vec<i64>,
    },
}

/// How many values of a name are tried.
pub(super) const TRIED: i64 = 4096;

/// The longest period that is looked for: three of them have to be seen.
const LONGEST: usize = 1024;

/// No size is larger.
const FAR: i64 = 1 << 40;

/// Whether a relation holds where one name has this value.
pub(super) fn holds(nums: &Nums, relation: Relation, name: &str, value: i64) -> Option<bool> {
    let of = |num| nums.value(num, &|other| (other == name).then_some(value));
    Some(match relation {
        Relation::Equal(a, b) => of(a)? == of(b)?,
        Relation::Stretch(a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            a == b || a == 1 || b == 1
        }
        Relation::Fit(size, to) => {
            let size = of(size)?;
            size == 1 || size == of(to)?
        }
        Relation::AtLeast(num, least) => of(num)? >= least,
        Relation::Divides(by, num) => {
            let (by, num) = (of(by)?, of(num)?);
            by != 0 && num % by == 0
        }
    })
}

/// The values of a name for which all of these hold.
pub(super) fn values_of(nums: &Nums, relations: &[Relation], name: NameId) -> Option<Values> {
    let text = &nums.name(name)?.text;
    let (low, high) = nums.range(name);
    let (mut low, mut high) = (low.unwrap_or(1), high.filter(|high| *high < FAR));
    let first = low;
    let mut left = vec![];
    for relation in relations {
        match bound(nums, *relation, text, low) {
            Some(Bound::Low(n)) => low = low.max(n),
            Some(Bound::High(n)) => high = Some(high.map_or(n, |high| high.min(n))),
            None => left.push(*relation),
        }
    }
    // Further on nothing is tried.
    let end = low.checked_add(TRIED - 1)?;
    let is_in = |value: i64| {
        high.is_none_or(|high| value <= high)
            && left.iter().all(|relation| holds(nums, *relation, text, value).unwrap_or(false))
    };
    if left.is_empty() && high.is_none_or(|high| high >= low) {
        return Some(match (low == first, high) {
            (true, None) => Values::All,
            (_, high) => Values::Periodic { low, high, period: 1, residues: vec![0], also: vec![] },
        });
    }
    let truth: Vec<bool> = (low..=end).map(is_in).collect();
    let mut found: Vec<i64> =
        (low..=end).zip(&truth).filter(|(_, is)| **is).map(|(value, _)| value).collect();
    // Numbers that the file has may lie further on.
    let far = relations.iter().flat_map(|relation| match *relation {
        Relation::Equal(a, b) | Relation::Stretch(a, b) | Relation::Fit(a, b) => {
            [a.as_int(), b.as_int()]
        }
        _ => [None, None],
    });
    let mut far: Vec<i64> = far.flatten().filter(|n| *n > end && is_in(*n)).collect();
    far.sort_unstable();
    far.dedup();
    let is_long = found.len() > 8;
    let short_end = high.map_or(end, |high| high.min(end)).max(low);
    if is_long || high.is_none() && !found.is_empty() {
        let short = usize::try_from(short_end - low).ok()?;
        if let Some((period, residues, from)) = periodic(&truth[..=short], low) {
            // What the period does not say: values before it begins.
            let has = |value: i64| residues.contains(&value.rem_euclid(period));
            let is_bounded = (first.max(from - 2 * period)..from)
                .any(|value| has(value) && !found.contains(&value));
            let begin = if is_bounded {
                // Every remainder is met within one period.
                (from..from.saturating_add(period)).find(|value| has(*value)).unwrap_or(from)
            } else {
                first
            };
            let also: Vec<i64> = found
                .iter()
                .copied()
                .take_while(|value| *value < from)
                .filter(|value| *value < begin || !has(*value))
                .collect();
            if also.len() <= MOST_ALSO {
                let is_all =
                    i64::try_from(residues.len()) == Ok(period) && begin == first && high.is_none();
                return Some(if is_all {
                    Values::All
                } else {
                    Values::Periodic { low: begin, high, period, residues, also }
                });
            }
        }
    }
    found.extend(far);
    Some(match found.len() {
        0 => Values::None,
        _ => Values::Listed(found),
    })
}

enum Bound {
    Low(i64),
    High(i64),
}

/// The bound that a number being at least another puts on a name, where it is one: found by
/// halving.
fn bound(nums: &Nums, relation: Relation, name: &str, low: i64) -> Option<Bound> {
    let Relation::AtLeast(num, _) = relation else { return None };
    // Only sums grow or shrink all the way; products of a name with itself are tried value by
    // value.
    let test = |value| holds(nums, relation, name, value);
    let (begin, end) = (test(low)?, test(FAR)?);
    if begin == end {
        return None;
    }
    let at = |value| nums.value(num, &|other| (other == name).then_some(value));
    let is_monotone = (0..64).map(|n| at(low + n)).collect::<Option<Vec<_>>>()?;
    let is_monotone = if begin {
        is_monotone.windows(2).all(|pair| pair[0] >= pair[1])
    } else {
        is_monotone.windows(2).all(|pair| pair[0] <= pair[1])
    };
    if !is_monotone {
        return None;
    }
    let (mut one, mut other) = (low, FAR);
    while other - one > 1 {
        let middle = one + (other - one) / 2;
        if test(middle)? == begin { one = middle } else { other = middle }
    }
    Some(if begin { Bound::High(one) } else { Bound::Low(other) })
}

/// The most values that are listed beside a period.
const MOST_ALSO: usize = 64;

/// The shortest period that truths have in the end, with the remainders for which they hold, and
/// the value from which on they have it.
fn periodic(truth: &[bool], low: i64) -> Option<(i64, Vec<i64>, i64)> {
    let tail = truth.len() / 4;
    let rest = &truth[tail..];
    if !rest.contains(&true) {
        return None;
    }
    let repeats = |step: &usize| rest.iter().zip(&rest[*step..]).all(|(one, other)| one == other);
    let period = length((1..=LONGEST.min(rest.len() / 3)).find(repeats)?);
    let first = low + length(tail);
    let mut residues: Vec<i64> = (first..first + period)
        .zip(rest)
        .filter(|(_, is)| **is)
        .map(|(value, _)| value.rem_euclid(period))
        .collect();
    residues.sort_unstable();
    let has = |place: usize| {
        i64::try_from(place).is_ok_and(|place| residues.contains(&(low + place).rem_euclid(period)))
    };
    let from =
        (0..tail).rev().find(|place| truth[*place] != has(*place)).map_or(0, |place| place + 1);
    Some((period, residues, low + i64::try_from(from).ok()?))
}

impl Values {
    /// What a name has to be: `must be a multiple of 32`.
    pub fn text(&self) -> String {
        match self {
            Values::All => "may be anything".to_owned(),
            Values::None => format!("fits for no value up to {TRIED}"),
            Values::Listed(all) => {
                let text = ranges(all);
                match all.as_slice() {
                    [first, .., last] if text.len() > 80 => {
                        format!("must be one of {} numbers between {first} and {last}", all.len())
                    }
                    _ => format!("must be {text}"),
                }
            }
            Values::Periodic { low, high, period, residues, also } => {
                let what = residues_text(*period, residues);
                let mut text = match &what {
                    Some(what) => format!("must be {what}"),
                    None => "must be".to_owned(),
                };
                let from = (*low > 1).then_some(*low);
                let comma = if what.is_some() { "," } else { "" };
                let ends = match (from, high) {
                    (Some(low), Some(high)) => format!("{comma} between {low} and {high}"),
                    (None, Some(high)) => format!("{comma} at most {high}"),
                    (Some(low), None) => format!("{comma} at least {low}"),
                    (None, None) => String::new(),
                };
                text += &ends;
                if !also.is_empty() {
                    text += if what.is_some() { "; or " } else { ", or " };
                    text += &ranges(also);
                }
                text
            }
        }
    }

    /// Whether a value is among them.
    pub fn has(&self, value: i64) -> bool {
        match self {
            Values::All => true,
            Values::None => false,
            Values::Listed(all) => all.contains(&value),
            Values::Periodic { low, high, period, residues, also } => {
                also.contains(&value)
                    || value >= *low
                        && high.is_none_or(|high| value <= high)
                        && residues.contains(&value.rem_euclid(*period))
            }
        }
    }
}

fn one_of(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Numbers in order, those that follow each other as a range: `1 to 4 or 8`.
fn ranges(all: &[i64]) -> String {
    let mut runs: Vec<(i64, i64)> = vec![];
    for n in all {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *n => *last = *n,
            _ => runs.push((*n, *n)),
        }
    }
    let run = |(first, last): &(i64, i64)| match last - first {
        0 => first.to_string(),
        _ => format!("{first} to {last}"),
    };
    one_of(&runs.iter().map(run).collect::<Vec<_>>())
}

/// Remainders by a period in words; none where all are there.
fn residues_text(period: i64, residues: &[i64]) -> Option<String> {
    let count = length(residues.len());
    if period == 1 || count == period {
        return None;
    }
    if period == 2 {
        return Some(if residues == [0] { "even" } else { "odd" }.to_owned());
    }
    let multiple = format!("a multiple of {period}");
    // 0 and those just below the period.
    let above = length(residues.iter().zip(0..).take_while(|(one, n)| *one == n).count());
    let down = residues.iter().rev().zip(1..);
    let below = length(down.take_while(|(one, n)| **one == period - n).count());
    Some(match (residues, above, below) {
        ([0], ..) => multiple,
        (_, 1, below) if count == 1 + below => format!("{multiple}, or up to {below} less"),
        (_, above, 0) if count == above => format!("{multiple}, or up to {} more", above - 1),
        (_, 1.., below) if count == above + below => {
            format!("{multiple}, or up to {below} less or {} more", above - 1)
        }
        ([one], ..) if *one > period / 2 => format!("{} less than {multiple}", period - one),
        (residues, ..) if count <= 8 => {
            let all: Vec<String> = residues.iter().map(ToString::to_string).collect();
            format!("{} more than {multiple}", one_of(&all))
        }
        (residues, ..) if period - count <= 8 => {
            let left: Vec<String> =
                (0..period).filter(|n| !residues.contains(n)).map(|n| n.to_string()).collect();
            format!("not {} more than {multiple}", one_of(&left))
        }
        _ => format!("one of {count} remainders by {period}"),
    })
}
