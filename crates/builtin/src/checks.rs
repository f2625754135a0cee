//! How every check is decided and what is said about it: weights fitted on labelled chats, wording written by hand.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::features::{Feature, Heads};

/// One check as the judge knows it.
#[derive(Debug)]
pub(crate) struct KnownCheck {
    /// What is added in any case, in thousandths.
    pub(crate) bias: i64,
    /// Distances from the border from which a pass is sure, and fairly sure.
    pub(crate) sure_of_pass: [i64; 2],
    /// The same for a failure.
    pub(crate) sure_of_fail: [i64; 2],
    /// The features as places in [`Checks::features`], with their weights in thousandths.
    pub(crate) weights: Vec<(usize, i64)>,
    /// What is said.
    pub(crate) wording: Wording,
    /// Heads whose strongest sentence is evidence for a pass, for a failure, and for the condition.
    pub(crate) shows: Vec<usize>,
    pub(crate) breaks: Vec<usize>,
    pub(crate) asks: Vec<usize>,
}

/// What the judge says about a check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wording {
    pub(crate) pass: String,
    pub(crate) fail: String,
    #[serde(default)]
    pub(crate) idle: String,
    pub(crate) better: String,
    #[serde(default)]
    shows: Vec<String>,
    #[serde(default)]
    breaks: Vec<String>,
    #[serde(default)]
    asks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fitted {
    bias: i64,
    sure_of_pass: [i64; 2],
    sure_of_fail: [i64; 2],
    weights: BTreeMap<String, i64>,
}

/// All checks by id, and the features they share.
#[derive(Debug)]
pub(crate) struct Checks {
    pub(crate) by_id: BTreeMap<String, KnownCheck>,
    pub(crate) features: Vec<Feature>,
}

impl Checks {
    /// The checks that come with this version.
    pub(crate) fn embedded(heads: &Heads) -> Self {
        Self::parse(include_str!("../data/checks.json"), include_str!("../data/wording.toml"), heads)
            .unwrap_or_else(|error| panic!("the embedded checks: {error}"))
    }

    fn parse(fitted: &str, wording: &str, heads: &Heads) -> Result<Self, String> {
        let fitted: BTreeMap<String, Fitted> = serde_json::from_str(fitted).map_err(|error| error.to_string())?;
        let mut wording: BTreeMap<String, Wording> = toml::from_str(wording).map_err(|error| error.to_string())?;
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut features = Vec::new();
        let mut by_id = BTreeMap::new();
        for (id, fitted) in fitted {
            let mut weights = Vec::with_capacity(fitted.weights.len());
            for (name, weight) in fitted.weights {
                let place = match places.get(&name) {
                    Some(&place) => place,
                    None => {
                        features.push(Feature::parse(&name, heads).ok_or(format!("{id}: unknown feature {name}"))?);
                        places.insert(name, features.len() - 1);
                        features.len() - 1
                    }
                };
                weights.push((place, weight));
            }
            let wording = wording.remove(&id).ok_or(format!("{id}: no wording"))?;
            let find = |names: &[String]| -> Result<Vec<usize>, String> {
                names.iter().map(|name| heads.place(name).ok_or(format!("{id}: unknown head {name}"))).collect()
            };
            let (shows, breaks, asks) = (find(&wording.shows)?, find(&wording.breaks)?, find(&wording.asks)?);
            let Fitted { bias, sure_of_pass, sure_of_fail, .. } = fitted;
            by_id.insert(id, KnownCheck { bias, sure_of_pass, sure_of_fail, weights, wording, shows, breaks, asks });
        }
        Ok(Self { by_id, features })
    }
}
