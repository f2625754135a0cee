//! What the address of a list of chats asks for, and the addresses of lists like it.

use std::fmt::Write as _;

use carelock_store::{Cursor, Filter, RunKey, Sort};
use serde::Deserialize;

use crate::address::encoded;
use crate::api_error::{ApiError, ApiResult};

/// The longest text of a filter, in characters.
pub(crate) const LONGEST: usize = 500;

/// The fields of the form above the list, as they come; what is empty asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct FilterForm {
    /// `any`, `none`, or the check that trips it.
    pub(crate) gate: String,
    pub(crate) tier: String,
    pub(crate) group: String,
    /// The place of a judge whose own results are asked for.
    pub(crate) judge: String,
    pub(crate) text: String,
    pub(crate) below: String,
    /// `yes` for chats with a check that has no verdict.
    pub(crate) unscored: String,
    pub(crate) sort: String,
    /// `down` for the other way round.
    pub(crate) order: String,
    pub(crate) after: String,
    pub(crate) before: String,
}

impl FilterForm {
    /// The filter it means.
    pub(crate) fn filter(&self, run: RunKey) -> ApiResult<Filter> {
        let texts = [&self.gate, &self.tier, &self.group, &self.judge, &self.text];
        if texts.into_iter().any(|text| text.contains('\0') || text.chars().count() > LONGEST) {
            let fix = format!("use up to {LONGEST} characters, none of them a zero byte");
            return Err(ApiError::bad("A filter cannot be looked for.", fix));
        }
        let words = |text: &String| Some(text.clone()).filter(|text| !text.trim().is_empty());
        let (gated, gate) = match self.gate.as_str() {
            "" => (None, None),
            "any" => (Some(true), None),
            "none" => (Some(false), None),
            check => (None, Some(check.to_owned())),
        };
        let place = |text: &String| {
            let wrong = |_| ApiError::bad("This is no place in a list.", "begin with the first page");
            words(text).map(|text| text.parse::<Cursor>().map_err(wrong)).transpose()
        };
        let judge = |text: String| text.parse().map_err(|_| ApiError::bad("There is no such judge.", "choose another"));
        let sort = |text: String| {
            let wrong = |_| ApiError::bad("A list cannot be sorted by that.", "choose an order from the form");
            text.parse::<Sort>().map_err(wrong)
        };
        Ok(Filter {
            place: words(&self.judge).map(judge).transpose()?,
            gated,
            gate,
            unscored: (self.unscored == "yes").then_some(true),
            below: words(&self.below).map(|text| hundredths(&text)).transpose()?,
            tier: words(&self.tier),
            group: words(&self.group),
            text: words(&self.text),
            sort: words(&self.sort).map(sort).transpose()?.unwrap_or_default(),
            descending: self.order == "down",
            after: place(&self.after)?,
            before: place(&self.before)?,
            ..Filter::for_run(run)
        })
    }

    /// Whether any chat is left out.
    pub(crate) fn narrows(&self) -> bool {
        let fields = [&self.gate, &self.tier, &self.group, &self.text, &self.below, &self.unscored];
        fields.iter().any(|field| !field.trim().is_empty())
    }

    /// The same list from its beginning.
    pub(crate) fn first_page(&self) -> Self {
        Self { after: String::new(), before: String::new(), ..self.clone() }
    }

    /// The same list with tripped gates first, where no order is asked for.
    pub(crate) fn gates_first(self) -> Self {
        if !self.sort.is_empty() {
            return self;
        }
        Self { sort: Sort::Gates.to_string(), ..self }
    }

    /// What of it tells nothing about verdicts, for who has yet to rate chats of the run: words, and the order of the run.
    pub(crate) fn without_verdicts(self) -> Self {
        let place = |text: String| if text.starts_with("position.") { text } else { String::new() };
        let is_in_order = self.sort.is_empty() || self.sort == "position";
        Self {
            text: self.text,
            order: if is_in_order { self.order } else { String::new() },
            after: place(self.after),
            before: place(self.before),
            ..Self::default()
        }
    }

    /// The same list behind a place.
    pub(crate) fn behind(&self, place: &Cursor) -> Self {
        Self { after: place.to_string(), ..self.first_page() }
    }

    /// The same list before a place.
    pub(crate) fn ahead_of(&self, place: &Cursor) -> Self {
        Self { before: place.to_string(), ..self.first_page() }
    }

    /// The same list sorted by something, or the other way round where it already is.
    pub(crate) fn sorted(&self, sort: Sort, downwards: bool) -> Self {
        let same = self.sort.parse().unwrap_or(Sort::Position) == sort;
        let down = if same { self.order != "down" } else { downwards };
        let order = if down { "down".to_owned() } else { String::new() };
        Self { sort: sort.to_string(), order, ..self.first_page() }
    }

    /// What stands behind the address: `?gate=any&sort=overall`, or nothing.
    pub(crate) fn query(&self) -> String {
        let fields = [
            ("gate", &self.gate),
            ("tier", &self.tier),
            ("group", &self.group),
            ("judge", &self.judge),
            ("text", &self.text),
            ("below", &self.below),
            ("unscored", &self.unscored),
            ("sort", &self.sort),
            ("order", &self.order),
            ("after", &self.after),
            ("before", &self.before),
        ];
        let mut query = String::new();
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            let mark = if query.is_empty() { '?' } else { '&' };
            // Writing to a string cannot fail.
            let _ = write!(query, "{mark}{name}={}", encoded(value));
        }
        query
    }
}

/// A score as people write it, 0.75 or .75.
fn hundredths(text: &str) -> ApiResult<u8> {
    let wrong = || ApiError::bad("A score is a number from 0 to 1.", "write it like 0.75");
    let number: f64 = text.trim().replace(',', ".").parse().map_err(|_| wrong())?;
    if (0.0..=1.0).contains(&number) { Ok((number * 100.0).round() as u8) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_was_asked_for_and_nothing_else() {
        let asked = FilterForm { gate: "any".to_owned(), text: "a b&c=ü".to_owned(), ..FilterForm::default() };
        assert_eq!(asked.query(), "?gate=any&text=a%20b%26c%3D%C3%BC");
        assert_eq!(FilterForm::default().query(), "");
        let filter = asked.filter(RunKey(1)).expect("a filter");
        assert_eq!((filter.gated, filter.text.as_deref()), (Some(true), Some("a b&c=ü")));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let of = |asked: FilterForm| asked.filter(RunKey(1));
        assert!(of(FilterForm { below: "1.5".to_owned(), ..FilterForm::default() }).is_err());
        assert!(of(FilterForm { below: "NaN".to_owned(), ..FilterForm::default() }).is_err());
        assert!(of(FilterForm { sort: "size".to_owned(), ..FilterForm::default() }).is_err());
        assert!(of(FilterForm { text: "ü".repeat(500), ..FilterForm::default() }).is_ok());
        assert!(of(FilterForm { text: "ü".repeat(501), ..FilterForm::default() }).is_err());
        assert!(of(FilterForm { group: "a\0".to_owned(), ..FilterForm::default() }).is_err());
        assert!(of(FilterForm { after: "x".to_owned(), ..FilterForm::default() }).is_err());
        assert_eq!(
            of(FilterForm { below: "0,75".to_owned(), ..FilterForm::default() }).expect("a filter").below,
            Some(75)
        );
    }

    #[test]
    fn a_second_click_turns_the_order_round() {
        let first = FilterForm::default().sorted(Sort::Overall, false);
        assert_eq!((first.sort.as_str(), first.order.as_str()), ("overall", ""));
        assert_eq!(first.sorted(Sort::Overall, false).order, "down");
        assert_eq!(first.sorted(Sort::Name, true).order, "down");
    }
}
