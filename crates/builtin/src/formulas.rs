//! How every check is decided and what is said about it, read from two data files: `checks.toml` and `wording.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::features::{Feature, Heads};
use crate::signals::{Signal, WrittenSignal, chance, thousandths};

/// One check as the judge knows it.
#[derive(Debug)]
pub(crate) struct KnownCheck {
    /// How it is decided.
    pub(crate) rule: Rule,
    /// What is said.
    pub(crate) wording: Wording,
    /// Heads whose strongest sentence is evidence for a pass, for a failure, and for the condition.
    pub(crate) shows: Vec<usize>,
    pub(crate) breaks: Vec<usize>,
    pub(crate) asks: Vec<usize>,
}

/// How a check is decided.
#[derive(Debug)]
pub(crate) enum Rule {
    /// One sentence of the AI's that does it.
    Sentence(SentenceGate),
    /// A crisis cue of the person's, and what the replies did about it.
    Crisis(Box<CrisisGate>),
    /// A few named features added up.
    Formula(Formula),
}

/// A gate that one sentence trips: the signal that recognises it, and the borders.
#[derive(Debug)]
pub(crate) struct SentenceGate {
    pub(crate) signal: Signal,
    pub(crate) borders: RisingBorders,
}

/// The crisis gate: five signals and the borders of their product.
#[derive(Debug)]
pub(crate) struct CrisisGate {
    /// The person's turn is a crisis.
    pub(crate) cue: Signal,
    /// Harm has begun or is minutes away.
    pub(crate) begun: Signal,
    /// The AI asks plainly.
    pub(crate) asks: Signal,
    /// The AI names a way to live help.
    pub(crate) help: Signal,
    /// The AI takes help back or argues against it.
    pub(crate) against: Signal,
    pub(crate) borders: RisingBorders,
}

/// From which probability (thousandths) on a gate fails, and from which on the judge is unsure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Borders {
    pub(crate) fails: i64,
    pub(crate) unsure: i64,
}

/// The borders of a gate in log-odds (thousandths). They are meant for a chat with sixteen sentences that could trip it and rise with every doubling: among
/// many sentences one is soon remarkable by chance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RisingBorders {
    fails: i64,
    unsure: i64,
    rise: i64,
}

impl RisingBorders {
    /// The borders for a chat with so many sentences that could trip the gate.
    pub(crate) fn for_sentences(self, count: usize) -> Borders {
        let rise = self.rise * doublings(count) / 1000;
        Borders { fails: chance(self.fails + rise), unsure: chance(self.unsure + rise) }
    }
}

/// How often sixteen must be doubled to get a number, in thousandths; straight lines between the powers of two.
fn doublings(count: usize) -> i64 {
    let count = count.clamp(1, 1 << 20) as i64;
    let whole = i64::from(count.ilog2());
    (whole - 4) * 1000 + (((count - (1 << whole)) * 1000) >> whole)
}

/// Features with weights. What speaks for a pass is subtracted, what speaks for a failure added.
#[derive(Debug)]
pub(crate) struct Formula {
    /// What is added in any case, in thousandths.
    pub(crate) start: i64,
    /// The features with their weights in thousandths; negative ones speak for a pass.
    pub(crate) weights: Vec<(Feature, i64)>,
    /// Distances from the border from which a pass is sure, and fairly sure.
    pub(crate) sure_of_pass: [i64; 2],
    /// The same for a failure.
    pub(crate) sure_of_fail: [i64; 2],
    /// Whether the judge does no better here than a constant guess, so that the codebook's default is its answer.
    pub(crate) weak: bool,
}

/// What the judge says about a check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wording {
    pub(crate) pass: String,
    pub(crate) fail: String,
    #[serde(default)]
    pub(crate) idle: String,
    only_asked: Option<String>,
    only_helped: Option<String>,
    cue: Option<String>,
    pub(crate) better: String,
    #[serde(default)]
    shows: Vec<String>,
    #[serde(default)]
    breaks: Vec<String>,
    #[serde(default)]
    asks: Vec<String>,
    /// Replies there must be before the check can fail.
    #[serde(default)]
    pub(crate) replies: usize,
}

impl Wording {
    /// Why a gate fails; of a crisis it says which half of the answer was given.
    pub(crate) fn fail_of(&self, asked: bool, helped: bool) -> &str {
        let half = match (asked, helped) {
            (true, false) => self.only_asked.as_ref(),
            (false, true) => self.only_helped.as_ref(),
            _ => None,
        };
        half.unwrap_or(&self.fail)
    }

    /// What is said of the person's words that called for it.
    pub(crate) fn cue(&self, title: &str) -> String {
        self.cue.clone().unwrap_or_else(|| format!("this called for: {}", title.to_lowercase()))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    signals: BTreeMap<String, WrittenSignal>,
    gates: BTreeMap<String, WrittenGate>,
    checks: BTreeMap<String, WrittenFormula>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, untagged)]
enum WrittenGate {
    Sentence {
        signal: String,
        fails_from: f64,
        unsure_from: f64,
        rises_by: f64,
    },
    Crisis {
        cue: String,
        begun: String,
        asks: String,
        help: String,
        against: String,
        fails_from: f64,
        unsure_from: f64,
        rises_by: f64,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFormula {
    start: f64,
    #[serde(default)]
    passes_by: BTreeMap<String, f64>,
    #[serde(default)]
    fails_by: BTreeMap<String, f64>,
    sure_of_pass: [f64; 2],
    sure_of_fail: [f64; 2],
    #[serde(default)]
    weak: bool,
}

/// The most features a formula may have.
const MOST_FEATURES: usize = 8;

/// All checks by id.
#[derive(Debug)]
pub(crate) struct Checks {
    pub(crate) by_id: BTreeMap<String, KnownCheck>,
    /// The signals of gates by name.
    pub(crate) signals: BTreeMap<String, Signal>,
}

impl Checks {
    /// The checks that come with this version.
    pub(crate) fn embedded(heads: &Heads) -> Self {
        let (rules, wording) = (include_str!("../data/checks.toml"), include_str!("../data/wording.toml"));
        Self::parse(rules, wording, heads).unwrap_or_else(|error| panic!("the embedded checks: {error}"))
    }

    fn parse(rules: &str, wording: &str, heads: &Heads) -> Result<Self, String> {
        let written: Written = toml::from_str(rules).map_err(|error| format!("checks.toml: {error}"))?;
        let wording: BTreeMap<String, Wording> =
            toml::from_str(wording).map_err(|error| format!("wording.toml: {error}"))?;
        let mut signals = BTreeMap::new();
        for (name, signal) in &written.signals {
            let signal = Signal::parse(signal, heads).map_err(|error| format!("signal {name}: {error}"))?;
            signals.insert(name.clone(), signal);
        }
        let mut by_id = BTreeMap::new();
        for (id, wording) in wording {
            let rule = match (written.gates.get(&id), written.checks.get(&id)) {
                (Some(gate), None) => gate.parse(&signals),
                (None, Some(formula)) => formula.parse(heads).map(Rule::Formula),
                _ => Err("must have either a gate or a formula".to_owned()),
            };
            let rule = rule.map_err(|error| format!("{id}: {error}"))?;
            let places = |names: &[String]| {
                let place = |name: &String| heads.place(name).ok_or_else(|| format!("{id}: no head is called {name}"));
                names.iter().map(place).collect::<Result<Vec<usize>, String>>()
            };
            let (shows, breaks, asks) = (places(&wording.shows)?, places(&wording.breaks)?, places(&wording.asks)?);
            by_id.insert(id, KnownCheck { rule, wording, shows, breaks, asks });
        }
        Ok(Self { by_id, signals })
    }
}

impl WrittenGate {
    fn parse(&self, signals: &BTreeMap<String, Signal>) -> Result<Rule, String> {
        let signal =
            |name: &String| signals.get(name.as_str()).cloned().ok_or_else(|| format!("no signal is called {name}"));
        let (Self::Sentence { fails_from, unsure_from, rises_by, .. }
        | Self::Crisis { fails_from, unsure_from, rises_by, .. }) = self;
        let borders = RisingBorders {
            fails: thousandths(*fails_from),
            unsure: thousandths(*unsure_from),
            rise: thousandths(*rises_by),
        };
        Ok(match self {
            Self::Sentence { signal: name, .. } => Rule::Sentence(SentenceGate { signal: signal(name)?, borders }),
            Self::Crisis { cue, begun, asks, help, against, .. } => Rule::Crisis(Box::new(CrisisGate {
                cue: signal(cue)?,
                begun: signal(begun)?,
                asks: signal(asks)?,
                help: signal(help)?,
                against: signal(against)?,
                borders,
            })),
        })
    }
}

impl WrittenFormula {
    fn parse(&self, heads: &Heads) -> Result<Formula, String> {
        let mut weights = Vec::new();
        for (sign, named) in [(-1, &self.passes_by), (1, &self.fails_by)] {
            for (name, &weight) in named {
                let feature = Feature::parse(name, heads).ok_or_else(|| format!("{name:?} is no feature"))?;
                if weight < 0.0 {
                    return Err(format!("{name:?} has a negative weight: its list says which way it speaks"));
                }
                weights.push((feature, sign * thousandths(weight)));
            }
        }
        if weights.len() > MOST_FEATURES {
            return Err(format!("{} features, where {MOST_FEATURES} are allowed", weights.len()));
        }
        Ok(Formula {
            start: thousandths(self.start),
            weights,
            sure_of_pass: self.sure_of_pass.map(thousandths),
            sure_of_fail: self.sure_of_fail.map(thousandths),
            weak: self.weak,
        })
    }
}
