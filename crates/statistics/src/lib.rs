//! The statistics of Care-Lock: agreement of raters, comparison of runs, and intervals that respect chats.
//!
//! Numbers in, numbers out: no files, no clock, and no randomness but what follows from the seed in [`Bootstrap`]. Every
//! answer is the same whatever the number of threads, because nothing here starts any.
//!
//! No function returns a number that is not finite. Where a figure is undefined, an [`Estimate`] has no value and says
//! why; where only its interval is, it has a value alone. A value given as NaN or infinity counts as missing.

pub mod agreement;
mod comparison;
mod distribution;
mod estimate;
pub mod interval;
pub mod mean;
pub mod paired;
pub mod scores;
pub mod stability;
mod sums;
mod tested;
pub mod unpaired;

pub use comparison::Comparison;
pub use estimate::{Estimate, Figure, Interval, OfSums, WhyNot};
pub use interval::{Bootstrap, Method, SettingsError, proportion};
pub use sums::ClusterSums;
pub use tested::{Procedure, Tested, correct, holm};
