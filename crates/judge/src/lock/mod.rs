//! The lock: what judges answered, kept under keys made of everything the answer depends on.
//!
//! The key of an [`Entry`] is made of the turns, the judge, its parameters and the prompt ([`LockQuestion`]). The rubric takes
//! part check by check, so an edit of one check re-asks that check alone. Entries live in a [`Store`] (a folder of this
//! computer) and, where the user wants to share them, in a [`Lock`] (the file `carelock.lock`).

mod compare;
mod entry;
mod file;
mod key;
mod line;
mod lookup;
mod store;

pub use compare::{Change, compare, what_changed};
pub use entry::{Circumstances, Entry, KeptCheck};
pub use file::{LOCK_FORMAT, Lock};
pub use key::{Key, LockQuestion, check_digests};
pub use line::LineError;
pub use lookup::{Lookup, Reason, ToAsk};
pub use store::{Damaged, Pruned, Store, StoreRead, StoredFile, Written, read_lock, write_lock};

#[cfg(test)]
mod tests;
