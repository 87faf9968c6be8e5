//! Cases over all cores, each drawn from its own seed, so that the answer does not depend on how
//! many there are.

use std::thread;

/// The generator of one case.
pub(crate) fn rng(seed: u64, case: u64) -> fastrand::Rng {
    // The golden ratio spreads neighbouring cases over the generator's states.
    fastrand::Rng::with_seed(seed.wrapping_add(case.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// Runs `case` for every index below `cases`, and merges what each core found, in order.
pub(crate) fn run<T: Default + Send>(
    cases: u64,
    case: impl Fn(u64, &mut T) + Sync,
    merge: impl Fn(&mut T, T),
) -> T {
    let cores = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let case = &case;
    let parts: Vec<T> = thread::scope(|scope| {
        let start = |core| {
            scope.spawn(move || {
                let mut found = T::default();
                (core..cases)
                    .step_by(usize::try_from(cores).unwrap_or(1))
                    .for_each(|i| case(i, &mut found));
                found
            })
        };
        let threads: Vec<_> = (0..cores).map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a case panicked")).collect()
    });
    parts.into_iter().fold(T::default(), |mut all, part| {
        merge(&mut all, part);
        all
    })
}
