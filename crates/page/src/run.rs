//! A run: gates first, how its scores are spread, its groups, and the list of its chats.

use askama::Template;
use carelock_core::report::names;
use carelock_core::report::safe_text::one_line;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;

use crate::outcome::score_class;
use crate::page::PageError;
use crate::spread::{ShownSpread, Spread, level_of};

/// A run in numbers.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    /// Its name.
    pub name: String,
    /// What else is to be known at once: how far it is, when it began, who judged.
    pub facts: Vec<String>,
    /// How many chats have a result.
    pub chats: u64,
    /// In how many a gate is tripped.
    pub gated: u64,
    /// In how many a check has no verdict.
    pub unscored: u64,
    /// The checks that trip gates.
    pub gates: Vec<GateCount>,
    /// The overall scores.
    pub overall: Spread,
    /// The metrics' scores, by key, in the rubric's order.
    pub metrics: Vec<(String, Spread)>,
    /// Its groups.
    pub groups: Vec<GroupSummary>,
}

/// A check, and in how many chats it trips a gate.
#[derive(Clone, Debug)]
pub struct GateCount {
    /// The check.
    pub check: String,
    /// In how many chats.
    pub chats: u64,
}

/// The chats of one group.
#[derive(Clone, Debug)]
pub struct GroupSummary {
    /// Its name; `None` for chats without one.
    pub name: Option<String>,
    /// How many chats have a result.
    pub chats: u64,
    /// Their mean overall score.
    pub overall: Option<f64>,
    /// In how many a gate is tripped.
    pub gated: u64,
    /// In how many a check has no verdict.
    pub unscored: u64,
}

/// Some chats of a run.
#[derive(Clone, Debug, Default)]
pub struct ChatList {
    /// The chats, in the order to show them.
    pub rows: Vec<ChatRow>,
    /// How many there are, listed or not.
    pub matching: u64,
    /// Whether only some chats of the run were asked for.
    pub is_filtered: bool,
    /// What else is to be known of the list.
    pub note: Option<String>,
}

/// A chat in a list.
#[derive(Clone, Debug, Default)]
pub struct ChatRow {
    /// Its id.
    pub name: String,
    /// Its group.
    pub group: Option<String>,
    /// Its overall score.
    pub overall: Option<Score>,
    /// The tier that is reached.
    pub tier: Option<String>,
    /// The checks that tripped a gate.
    pub gates: Vec<String>,
    /// How many checks have no verdict.
    pub unscored: u32,
    /// The metrics' scores in the rubric's order.
    pub metrics: Vec<Option<Score>>,
    /// The report in a sentence.
    pub summary: String,
    /// Where its report is: `#report3` on the same page, or an address.
    pub address: Option<String>,
}

#[derive(Template)]
#[template(path = "run.html", whitespace = "minimize")]
struct Run<'a> {
    run: &'a RunSummary,
    title: String,
    facts: Vec<String>,
    gates: Vec<(String, String, u64)>,
    overall: ShownSpread,
    metrics: Vec<(String, ShownSpread)>,
    groups: Vec<Group<'a>>,
}

struct Group<'a> {
    name: String,
    mean: String,
    class: &'static str,
    of: &'a GroupSummary,
}

/// A run without its chats: one `article` with a heading of its own.
pub fn run_summary(run: &RunSummary, rubric: &Rubric) -> Result<String, PageError> {
    let gate = |gate: &GateCount| (one_line(&gate.check), names::gate_failure(rubric, &gate.check), gate.chats);
    let group = |group| Group::new(group, rubric);
    let metric = |(key, spread): &(String, Spread)| {
        let title = names::metric_title(rubric, key).into_owned();
        (title, spread.shown(rubric))
    };
    let page = Run {
        run,
        title: one_line(&run.name),
        facts: run.facts.iter().map(|fact| one_line(fact)).collect(),
        gates: run.gates.iter().map(gate).collect(),
        overall: run.overall.shown(rubric),
        metrics: run.metrics.iter().map(metric).collect(),
        groups: if run.groups.len() > 1 { run.groups.iter().map(group).collect() } else { Vec::new() },
    };
    Ok(page.render()?)
}

impl<'a> Group<'a> {
    fn new(of: &'a GroupSummary, rubric: &Rubric) -> Self {
        let rounded = of.overall.and_then(|mean| Score::from_hundredths((mean * 100.0).round() as u8));
        Self {
            name: of.name.as_deref().map_or_else(|| "(none)".to_owned(), one_line),
            mean: of.overall.map_or_else(|| "–".to_owned(), |mean| format!("{mean:.3}")),
            class: score_class(rubric, rounded),
            of,
        }
    }
}

#[derive(Template)]
#[template(path = "chats.html", whitespace = "minimize")]
struct Chats<'a> {
    list: &'a ChatList,
    note: Option<String>,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    name: String,
    group: Option<String>,
    score: String,
    class: &'static str,
    /// The gates, or the tier.
    gates: String,
    tier: Option<String>,
    summary: String,
    /// The metrics as cells: their place, class and name with the score.
    cells: Vec<(usize, &'static str, String)>,
    words: String,
    of: &'a ChatRow,
}

/// The chats of a run as a list: one `section`.
pub fn chat_list(list: &ChatList, rubric: &Rubric) -> Result<String, PageError> {
    let rows = list.rows.iter().map(|row| Row::new(row, rubric)).collect();
    Ok(Chats { list, note: list.note.as_deref().map(one_line), rows }.render()?)
}

impl<'a> Row<'a> {
    fn new(of: &'a ChatRow, rubric: &Rubric) -> Self {
        let score = |score: Option<Score>| score.map_or_else(|| "–".to_owned(), |score| score.to_string());
        let titles = rubric.metrics().iter().map(|metric| one_line(&metric.title));
        let told = titles.zip(&of.metrics).map(|(title, metric)| (format!("{title} {}", score(*metric)), *metric));
        let told: Vec<(String, Option<Score>)> = told.collect();
        let words: Vec<&str> = told.iter().map(|(words, _)| words.as_str()).collect();
        let gates: Vec<String> = of.gates.iter().map(|gate| one_line(gate)).collect();
        Self {
            name: one_line(&of.name),
            group: of.group.as_deref().map(one_line),
            score: score(of.overall),
            class: if gates.is_empty() { score_class(rubric, of.overall) } else { "bad" },
            tier: of.tier.as_deref().filter(|_| gates.is_empty()).map(one_line),
            gates: gates.join(" "),
            summary: one_line(&of.summary),
            words: words.join(", "),
            cells: (0..)
                .zip(&told)
                .map(|(at, (words, score))| (at * 10, level_of(rubric, *score), words.clone()))
                .collect(),
            of,
        }
    }
}
