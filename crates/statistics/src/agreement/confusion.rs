//! The confusion table of two raters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Ratings;

/// How often each class of the reference met each class of the other rater.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confusion {
    /// Items by the reference's class (rows) and the other rater's (columns).
    pub counts: Vec<Vec<u64>>,
    /// Items that the reference alone labelled, by its class.
    pub reference_only: Vec<u64>,
    /// Items that the other rater alone labelled, by its class.
    pub other_only: Vec<u64>,
    /// Items that neither labelled.
    pub neither: u64,
}

impl Ratings {
    /// The confusion table; nothing where there are not two raters.
    pub fn confusion(&self) -> Option<Confusion> {
        let classes = usize::from(self.layout.classes);
        let rows: Vec<&[u64]> = self.table.chunks(classes + 1).collect();
        let (missing, labelled) = rows.split_last()?;
        let (neither, other_only) = missing.split_last()?;
        Some(Confusion {
            counts: labelled.iter().map(|row| row[..classes].to_vec()).collect(),
            reference_only: labelled.iter().map(|row| row[classes]).collect(),
            other_only: other_only.to_vec(),
            neither: *neither,
        })
    }
}
