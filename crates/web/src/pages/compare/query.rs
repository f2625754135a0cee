//! Which runs an address asks to compare.

use carelock_store::Run;

use crate::api_error::{ApiError, ApiResult};

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    /// The second run against the first.
    Two([i64; 2]),
    /// The groups of one run.
    Groups([i64; 1]),
}

/// What an address asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CompareQuery {
    /// A comparison.
    For(Sides),
    /// To go to the address of a comparison.
    Elsewhere(Sides),
    /// To choose; perhaps one is chosen already.
    Choice(Option<i64>),
}

impl Sides {
    pub(super) fn runs(&self) -> &[i64] {
        match self {
            Self::Two(runs) => runs,
            Self::Groups(run) => run,
        }
    }

    pub(super) fn is_by_group(&self) -> bool {
        matches!(self, Self::Groups(_))
    }

    /// What stands behind the address.
    pub(super) fn query(&self) -> String {
        match self {
            Self::Two([first, second]) => format!("?a={first}&b={second}"),
            Self::Groups([run]) => format!("?a={run}&by=group"),
        }
    }
}

impl CompareQuery {
    /// Reads the fields of an address. Boxes that were ticked come as `run`, in whatever order; of two runs the older is
    /// the one the other is held against.
    pub(super) fn new(fields: &[(String, String)], runs: &[Run]) -> ApiResult<Self> {
        let number = |text: &String| {
            text.parse::<i64>().map_err(|_| ApiError::bad("This is no run's number.", "choose two runs from the list"))
        };
        let all = |name: &str| -> ApiResult<Vec<i64>> {
            let given = fields.iter().filter(|(field, value)| field == name && !value.is_empty());
            given.map(|(_, value)| number(value)).collect()
        };
        let first = all("a")?.first().copied();
        if let Some(first) = first {
            let is_by_group = fields.iter().any(|(field, value)| field == "by" && value == "group");
            return Ok(match all("b")?.first() {
                _ if is_by_group => Self::For(Sides::Groups([first])),
                Some(&second) => Self::For(Sides::Two([first, second])),
                None => Self::Choice(Some(first)),
            });
        }
        let mut ticked = all("run")?;
        // The list has the newest first.
        ticked.sort_by_key(|key| std::cmp::Reverse(runs.iter().position(|run| run.key.0 == *key)));
        match ticked.as_slice() {
            [] => Ok(Self::Choice(None)),
            [only] => Ok(Self::Choice(Some(*only))),
            [first, second] => Ok(Self::Elsewhere(Sides::Two([*first, *second]))),
            _ => Err(ApiError::bad("More than two runs are chosen.", "go back and choose two")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carelock_store::{RunKey, RunState};

    fn asked(fields: &[(&str, &str)]) -> ApiResult<CompareQuery> {
        let run = |key| Run {
            key: RunKey(key),
            name: key.to_string(),
            created: key,
            state: RunState::Done,
            dataset: None,
            judges: 1,
            chats: 0,
            tags: String::new(),
        };
        let fields: Vec<_> = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        CompareQuery::new(&fields, &[run(9), run(4)])
    }

    #[test]
    fn the_older_of_two_ticked_runs_comes_first() {
        let expected = CompareQuery::Elsewhere(Sides::Two([4, 9]));
        assert_eq!(asked(&[("run", "9"), ("run", "4")]).expect("sides"), expected);
        assert_eq!(asked(&[("run", "4"), ("run", "9")]).expect("sides"), expected);
        assert!(asked(&[("run", "4"), ("run", "9"), ("run", "1")]).is_err());
        assert!(asked(&[("a", "x")]).is_err());
    }

    #[test]
    fn an_address_names_two_runs_or_one_and_its_groups() {
        assert_eq!(asked(&[("a", "9"), ("b", "4")]).expect("sides"), CompareQuery::For(Sides::Two([9, 4])));
        assert_eq!(asked(&[("a", "9"), ("by", "group")]).expect("sides"), CompareQuery::For(Sides::Groups([9])));
        assert_eq!(asked(&[("a", "9"), ("b", "")]).expect("a choice"), CompareQuery::Choice(Some(9)));
        assert_eq!(asked(&[]).expect("a choice"), CompareQuery::Choice(None));
    }
}
