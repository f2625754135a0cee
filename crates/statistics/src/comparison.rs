//! What a comparison of two sides comes to.

use crate::estimate::Estimate;
use crate::tested::Tested;

/// Two sides beside each other, and the difference between them: second less first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// How many chats of each side count.
    pub chats: (usize, usize),
    /// The first side's mean or rate.
    pub first: Estimate,
    /// The second side's.
    pub second: Estimate,
    /// How far they are apart.
    pub difference: Estimate,
    /// How likely that is by chance.
    pub test: Tested,
}
