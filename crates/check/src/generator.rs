//! Where random cases come from: a seed, or the bytes of a fuzzer.
//!
//! Everything drawn is a function of the generator's state, so that a seed and the number of a case
//! name the case, on every machine and however many cases run at once.

use std::ops::{Bound, RangeBounds};

use fastrand::Rng;

/// A generator of random values, for one case.
#[derive(Clone, Debug)]
pub struct Generator {
    source: Source,
    seed: u64,
    case: u64,
}

#[derive(Clone, Debug)]
enum Source {
    Seeded(Rng),
    /// Values are read from bytes, so that a fuzzer that changes one byte changes one choice. What
    /// is drawn after the last byte is drawn from `after`: were it always the same value, whoever
    /// draws until a value fits would not end.
    Bytes {
        left: std::vec::IntoIter<u8>,
        after: Rng,
    },
}

/// Draws integers of each type from a range.
macro_rules! integers {
    ($($name:ident)*) => {$(
        /// An integer of a range, which is not empty.
        pub fn $name(&mut self, range: impl RangeBounds<$name>) -> $name {
            let Source::Bytes { .. } = self.source else { return self.rng().$name(range) };
            let low = match range.start_bound() {
                Bound::Included(low) => *low,
                Bound::Excluded(low) => low + 1,
                Bound::Unbounded => $name::MIN,
            };
            let high = match range.end_bound() {
                Bound::Included(high) => *high,
                Bound::Excluded(high) => high - 1,
                Bound::Unbounded => $name::MAX,
            };
            assert!(low <= high, "empty range: {low}..={high}");
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // wraps both ways
            #[allow(clippy::cast_lossless, clippy::cast_possible_wrap)]
            {
                let span = high.wrapping_sub(low) as u128 & (u128::MAX >> (128 - $name::BITS));
                low.wrapping_add(self.read(span) as $name)
            }
        }
    )*};
}

impl Generator {
    /// The generator of a case among those that a seed names.
    pub fn new(seed: u64, case: u64) -> Generator {
        // The golden ratio spreads neighbouring cases over the generator's states.
        let state = seed.wrapping_add(case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Generator { source: Source::Seeded(Rng::with_seed(state)), seed, case }
    }

    /// The generator whose choices are the bytes of a fuzzer.
    pub fn of_bytes(bytes: &[u8]) -> Generator {
        let hash = bytes
            .iter()
            .fold(0, |sum: u64, byte| sum.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from(*byte));
        let left = Vec::from(bytes).into_iter();
        let source = Source::Bytes { left, after: Rng::with_seed(hash) };
        Generator { source, seed: hash, case: hash }
    }

    /// Another stream for the same case, for what shall not depend on how much was drawn before.
    #[must_use]
    pub fn aside(&self) -> Generator {
        Generator::new(!self.seed, self.case)
    }

    /// The number of the case, for checkers that take several kinds of cases in turns.
    pub fn case(&self) -> u64 {
        self.case
    }

    integers! { i8 i32 i64 i128 u8 u32 u64 usize }

    /// True or false.
    pub fn bool(&mut self) -> bool {
        match self.source {
            Source::Seeded(ref mut rng) => rng.bool(),
            Source::Bytes { .. } => self.read(1) == 1,
        }
    }

    /// A letter from a to z.
    pub fn lowercase(&mut self) -> char {
        match self.source {
            Source::Seeded(ref mut rng) => rng.lowercase(),
            Source::Bytes { .. } => char::from(self.u8(b'a'..=b'z')),
        }
    }

    /// One of the items, if there are some.
    pub fn choice<I>(&mut self, items: I) -> Option<I::Item>
    where
        I: IntoIterator<IntoIter: ExactSizeIterator>,
    {
        if let Source::Seeded(rng) = &mut self.source {
            return rng.choice(items);
        }
        let mut items = items.into_iter();
        let count = items.len();
        if count == 0 { None } else { items.nth(self.usize(..count)) }
    }

    /// Some of the items, in no order that means anything.
    pub fn choose_multiple<I: IntoIterator>(&mut self, items: I, amount: usize) -> Vec<I::Item> {
        if let Source::Seeded(rng) = &mut self.source {
            return rng.choose_multiple(items, amount);
        }
        let mut items: Vec<I::Item> = items.into_iter().collect();
        self.shuffle(&mut items);
        items.truncate(amount);
        items
    }

    /// Puts the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        if let Source::Seeded(rng) = &mut self.source {
            return rng.shuffle(items);
        }
        for last in 1..items.len() {
            items.swap(last, self.usize(..=last));
        }
    }

    /// The seeded generator that there is in any case.
    fn rng(&mut self) -> &mut Rng {
        match &mut self.source {
            Source::Seeded(rng) | Source::Bytes { after: rng, .. } => rng,
        }
    }

    /// A number up to `most`, of as few bytes as can say all of them.
    fn read(&mut self, most: u128) -> u128 {
        let bytes = (u128::BITS - most.leading_zeros()).div_ceil(8);
        let mut value = 0;
        for _ in 0..bytes {
            let byte = match &mut self.source {
                Source::Bytes { left, after } => left.next().unwrap_or_else(|| after.u8(..)),
                Source::Seeded(rng) => rng.u8(..),
            };
            value = value << 8 | u128::from(byte);
        }
        if most == u128::MAX { value } else { value % (most + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::Generator;

    #[test]
    fn bytes_are_choices_within_the_range() {
        let mut generator = Generator::of_bytes(&[0, 1, 2, 255, 128]);
        let drawn: Vec<i8> = (0..3).map(|_| generator.i8(-1..=1)).collect();
        assert_eq!(drawn, [-1, 0, 1]);
        assert_eq!((generator.u8(..), generator.bool()), (255, false));
        // After the last byte it goes on, and is the same generator each time.
        let mut other = Generator::of_bytes(&[0, 1, 2, 255, 128]);
        let _ = (0..5).map(|_| other.u8(..)).count();
        for _ in 0..100 {
            let (one, two) = (generator.usize(3..7), other.usize(3..7));
            assert!((3..7).contains(&one) && one == two);
        }
        assert_eq!(Generator::of_bytes(&[]).u64(5..=5), 5);
    }

    #[test]
    fn choices_of_bytes_are_of_the_items() {
        let mut generator = Generator::of_bytes(&[7, 7, 7, 7]);
        assert_eq!(generator.choice([0_u8; 0]), None);
        assert_eq!(generator.choice([1, 2, 3]), Some(2));
        let mut some = generator.choose_multiple(0..9, 4);
        some.sort_unstable();
        some.dedup();
        assert_eq!(some.len(), 4);
    }
}
