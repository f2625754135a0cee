//! Errors as front ends show them: where, what, and a remedy, whatever kind of error it was.

use std::error::Error;

use carelock_core::problem::Problem;
use carelock_core::transcript::formats::ReadError;
use carelock_judge::batch::BatchError;
use carelock_store::StoreError;

/// The problem that an error amounts to. What was added on the way stands before it.
#[must_use]
pub fn problem(error: &anyhow::Error) -> Problem {
    let mut parts = Vec::new();
    for cause in error.chain() {
        if let Some(problem) = known(cause) {
            return problem.within(&parts.join(": "));
        }
        parts.push(cause.to_string());
    }
    Problem::new(parts.join(": "))
}

/// The problem of an error that knows its remedy.
fn known(error: &(dyn Error + 'static)) -> Option<Problem> {
    macro_rules! either {
        ($($kind:ty),*) => { None$(.or_else(|| error.downcast_ref::<$kind>().map(|error| error.problem())))* };
    }
    error.downcast_ref::<Problem>().cloned().or_else(|| either!(ReadError, BatchError, StoreError))
}

#[cfg(test)]
mod tests {
    use anyhow::{Context as _, anyhow};
    use carelock_core::problem::Remedy;

    use super::*;

    #[test]
    fn a_remedy_is_found_behind_whatever_was_added_to_the_error() {
        let error = anyhow!(Problem::new("not JSON").advice("correct it"));
        let told = problem(&Err::<(), _>(error).context("a.json").unwrap_err());
        assert_eq!(
            (told.at.as_str(), told.what.as_str(), told.remedy),
            ("a.json", "not JSON", Some(Box::new(Remedy::from("correct it"))))
        );
        let told = problem(&carelock_judge::provider::JudgeSpec::parse("nobody").unwrap_err().into());
        assert!(!told.what().contains("fix") && told.remedy.is_some());
        assert_eq!(problem(&anyhow!("broken").context("here")), Problem::new("here: broken"));
    }
}
