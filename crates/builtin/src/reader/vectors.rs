//! Work compiled for the widest vectors that the processor has, with the same bits as without them.

use rten_simd::{Isa, SimdOp};

/// Something to compute in plain loops. `run` and all it calls must be `#[inline(always)]`, or they stay as narrow as
/// the rest.
pub(super) trait Work {
    fn run(self);
}

struct Vectors<W>(W);

impl<W: Work> SimdOp for Vectors<W> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        self.0.run();
    }
}

/// Does the work.
pub(super) fn widest(work: impl Work) {
    Vectors(work).dispatch();
}
