//! Time that this thread has had the processor: what others do meanwhile does not count.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

#[derive(Clone, Copy)]
pub(crate) struct Clock(Timespec);

impl Clock {
    pub(crate) fn now() -> Clock {
        Clock(clock_gettime(ClockId::ThreadCPUTime))
    }

    pub(crate) fn elapsed(self) -> Duration {
        let Clock(now) = Clock::now();
        (now - self.0).try_into().unwrap_or_default() // a clock that does not run backwards
    }

    pub(crate) fn nanoseconds(self) -> f64 {
        self.elapsed().as_secs_f64() * 1e9
    }
}
