//! What judging costs, and a cap that holds even with many calls under way.

use std::sync::Mutex;

use crate::outcome::Usage;
use crate::provider::{Cost, Price};

/// What calls took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The tokens, cached ones included.
    pub tokens: carelock_core::verdict::Tokens,
    /// The cost, where prices are known.
    pub cost: Cost,
    /// How many requests were sent.
    pub calls: u32,
}

impl Spent {
    /// Adds what another call took.
    pub fn add(&mut self, other: Self) {
        self.tokens.input = self.tokens.input.saturating_add(other.tokens.input);
        self.tokens.cached = self.tokens.cached.saturating_add(other.tokens.cached);
        self.tokens.output = self.tokens.output.saturating_add(other.tokens.output);
        self.cost = [self.cost, other.cost].into_iter().sum();
        self.calls = self.calls.saturating_add(other.calls);
    }
}

/// The money there is: nothing is asked that could go beyond the cap.
#[derive(Debug, Default)]
pub struct Budget {
    cap: Option<Cost>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    spent: Cost,
    reserved: Cost,
}

impl Budget {
    /// A budget with a cap, or without.
    pub fn new(cap: Option<Cost>) -> Self {
        Self { cap, state: Mutex::new(State::default()) }
    }

    /// What has been spent so far.
    pub fn spent(&self) -> Cost {
        super::lock(&self.state).spent
    }

    /// Whether so much more can be spent within the cap; an error says how it stands where it cannot.
    pub fn allows(&self, more: Cost) -> Result<(), String> {
        let state = super::lock(&self.state);
        let total: Cost = [state.spent, state.reserved, more].into_iter().sum();
        match self.cap.filter(|cap| total > *cap) {
            Some(cap) => Err(format!("{} spent, this may cost {more}, the cap is {cap}", state.spent)),
            None => Ok(()),
        }
    }

    /// Takes what has been spent already, whatever the cap says.
    pub fn charge(&self, cost: Cost) {
        let mut state = super::lock(&self.state);
        state.spent = [state.spent, cost].into_iter().sum();
    }

    /// Sets money aside for a call; an error says how it stands when the cap would not hold.
    pub(super) fn reserve(&self, price: Option<&Price>, prompt: u64, answer: u64) -> Result<Reserved<'_>, String> {
        let estimate = price.map_or(Cost::default(), |price| price.estimate(prompt, answer));
        let mut state = super::lock(&self.state);
        if let Some(cap) = self.cap {
            let total: Cost = [state.spent, state.reserved, estimate].into_iter().sum();
            if total > cap {
                return Err(format!("{} spent, the next call may cost {estimate}, the cap is {cap}", state.spent));
            }
        }
        state.reserved = [state.reserved, estimate].into_iter().sum();
        Ok(Reserved { budget: self, amount: estimate })
    }
}

/// Money set aside for a call; dropping it gives it back, also where the call was broken off.
#[derive(Debug)]
pub(super) struct Reserved<'budget> {
    budget: &'budget Budget,
    amount: Cost,
}

impl Reserved<'_> {
    /// Takes what was really spent; the rest is given back.
    pub(super) fn settle(self, price: Option<&Price>, usage: &Usage) -> Cost {
        let cost = price.map_or(Cost::default(), |price| price.cost(usage));
        let mut state = super::lock(&self.budget.state);
        state.spent = [state.spent, cost].into_iter().sum();
        cost
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut state = super::lock(&self.budget.state);
        let left = state.reserved.picodollars().saturating_sub(self.amount.picodollars());
        state.reserved = Cost::from_picodollars(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_prices_nothing_is_counted_and_the_cap_cannot_stop_anything() {
        let budget = Budget::new(Some(Cost::from_picodollars(1)));
        let reserved = budget.reserve(None, 1_000_000, 1_000_000).expect("free as far as we know");
        assert_eq!(reserved.settle(None, &Usage::default()), Cost::default());
        assert_eq!(budget.spent(), Cost::default());
    }

    #[test]
    fn what_a_batch_cost_counts_although_it_was_spent_before() {
        let budget = Budget::new(Some(Cost::from_picodollars(10)));
        assert_eq!(budget.allows(Cost::from_picodollars(10)), Ok(()));
        budget.charge(Cost::from_picodollars(7));
        assert!(budget.allows(Cost::from_picodollars(4)).is_err());
        assert_eq!(budget.spent(), Cost::from_picodollars(7));
        assert_eq!(Budget::new(None).allows(Cost::from_picodollars(u128::MAX)), Ok(()));
    }
}
