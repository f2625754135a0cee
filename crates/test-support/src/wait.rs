//! Waiting for something that another thread or program does, with a limit.

use std::time::{Duration, Instant};

/// How long a test waits for anything before it fails.
pub const LIMIT: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(5);

/// Waits until something is so; fails after [`LIMIT`].
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}

/// Waits until something is there, and returns it; fails after [`LIMIT`].
#[track_caller]
pub fn wait_for<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_at_most(LIMIT, look).unwrap_or_else(|| panic!("waited for {LIMIT:?} in vain: {what}"))
}

/// Looks again and again; none where the time is over.
pub(crate) fn wait_at_most<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if begun.elapsed() > limit {
            return None;
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_is_returned_and_what_never_comes_ends() {
        let mut looks = 0;
        let mut third = || {
            looks += 1;
            (looks == 3).then_some(looks)
        };
        assert_eq!(wait_at_most(LIMIT, &mut third), Some(3));
        assert_eq!(wait_at_most::<()>(Duration::ZERO, || None), None);
    }
}
