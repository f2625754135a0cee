//! Runs or groups side by side: newly fired gates first, then who stands where, what flipped, and how far they are apart.

use askama::Template;
use carelock_core::report::safe_text::one_line;

use crate::page::PageError;

/// Everything a page says about the difference of some runs or groups. Texts are for people; nothing is computed here.
#[derive(Clone, Debug, Default)]
pub struct ComparisonPage {
    /// What is compared, in a line.
    pub title: String,
    /// What else is to be known at once, such as the rubric.
    pub facts: Vec<String>,
    /// Every side on its own, the best first.
    pub sides: Vec<SideRow>,
    /// Each against the first.
    pub contests: Vec<ContestPage>,
    /// What is to be known of the data.
    pub notes: Vec<String>,
    /// How the figures were made.
    pub how: String,
}

/// A figure with its interval.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// The figure, as people read it.
    pub text: String,
    /// The value, where there is one.
    pub value: Option<f64>,
    /// Both ends of its interval, where there is one.
    pub interval: Option<(f64, f64)>,
}

/// One side on its own.
#[derive(Clone, Debug, Default)]
pub struct SideRow {
    /// The run, file or group.
    pub name: String,
    /// Its judges.
    pub judges: String,
    /// Where its chats are listed, where the page is part of something that has them; with what leads on to gated ones.
    pub addresses: Option<(String, String)>,
    /// How many chats it has.
    pub chats: u64,
    /// The mean overall score.
    pub overall: Figure,
    /// In how many chats a gate fires.
    pub gated: u64,
    /// Their share.
    pub gate_rate: Figure,
    /// Chats with a check that has no verdict.
    pub not_fully_judged: u64,
}

/// The second against the first.
#[derive(Clone, Debug, Default)]
pub struct ContestPage {
    /// The name of the first.
    pub first: String,
    /// The name of the second.
    pub second: String,
    /// Which chats are compared, in words.
    pub matched: Vec<String>,
    /// What is shown, in words.
    pub sentences: Vec<String>,
    /// Chats in which a gate fires now and did not before.
    pub newly_gated: u64,
    /// Chats in which a gate fired before and does not now.
    pub no_longer_gated: u64,
    /// Chats whose overall score changed.
    pub moved: u64,
    /// The chats that changed most, newly fired gates first.
    pub changes: Vec<ChangeRow>,
    /// All chats that both have, by how they came off.
    pub kinds: Vec<KindRow>,
    /// Checks whose verdict changed, gate checks first.
    pub flips: Vec<FlipRow>,
    /// The overall score, the rate of gates and the metrics.
    pub differences: Vec<DifferenceRow>,
}

/// Chats that came off alike.
#[derive(Clone, Debug, Default)]
pub struct KindRow {
    /// What their anchor ends in.
    pub key: &'static str,
    /// What they are, in a word.
    pub title: &'static str,
    /// How many there are.
    pub number: u64,
    /// The first of them.
    pub chats: Vec<ChangeRow>,
}

/// A chat that a count leads to.
#[derive(Clone, Debug, Default)]
pub struct ChatLink {
    /// The chat.
    pub chat: String,
    /// Its number where it is stored.
    pub stored: Option<i64>,
    /// Where its report is, where the page is part of something that has it.
    pub address: Option<String>,
}

/// One chat in both.
#[derive(Clone, Debug, Default)]
pub struct ChangeRow {
    /// The chat.
    pub chat: String,
    /// Its scores, as people read them.
    pub first: String,
    /// In the second.
    pub second: String,
    /// How far the score moved, where both have one.
    pub moved: Option<f64>,
    /// Gate checks that fail now and did not before.
    pub new_gates: Vec<String>,
    /// Other checks that fail now and passed before.
    pub now_fails: Vec<String>,
    /// Checks that pass now and failed before.
    pub now_passes: Vec<String>,
    /// The numbers of the chat on both sides, where they are stored.
    pub stored: Option<(i64, i64)>,
    /// Where both reports are, where the page is part of something that has them.
    pub addresses: Option<(String, String)>,
}

/// A check whose verdict changed in some chats.
#[derive(Clone, Debug, Default)]
pub struct FlipRow {
    /// The check's id and title.
    pub check: String,
    /// Whether it trips a gate.
    pub is_gate: bool,
    /// Chats in which it passed and fails now.
    pub now_fails: u64,
    /// Chats in which it failed and passes now.
    pub now_passes: u64,
    /// The first chats in which it fails now, and in which it passes now.
    pub chats: [Vec<ChatLink>; 2],
}

/// A mean or rate in both.
#[derive(Clone, Debug, Default)]
pub struct DifferenceRow {
    /// What it is of.
    pub title: String,
    /// In the first, as people read it.
    pub first: String,
    /// In the second.
    pub second: String,
    /// Second less first.
    pub difference: Figure,
    /// How likely chance alone would bring one as large.
    pub p_value: String,
    /// Whether a difference is shown.
    pub is_shown: bool,
    /// Whether less is better, as it is with gates.
    pub is_less_better: bool,
}

#[derive(Template)]
#[template(path = "comparison.html", whitespace = "minimize")]
struct Article<'a> {
    page: &'a ComparisonPage,
    is_incomplete: bool,
    contests: Vec<Contest<'a>>,
}

struct Contest<'a> {
    anchor: String,
    of: &'a ContestPage,
    /// The chats in which a gate newly fires, among those listed.
    newly: Vec<Change<'a>>,
    kinds: Vec<Kind<'a>>,
    plots: Vec<Plot<'a>>,
    /// The most a difference is apart, at the ends of the drawing.
    reach: String,
}

struct Kind<'a> {
    of: &'a KindRow,
    anchor: String,
    changes: Vec<Change<'a>>,
}

impl Kind<'_> {
    /// How many are not listed.
    fn more(&self) -> u64 {
        self.of.number.saturating_sub(self.changes.len() as u64)
    }
}

struct Change<'a> {
    of: &'a ChangeRow,
    class: &'static str,
    new_gates: String,
    now_fails: String,
    now_passes: String,
}

/// A difference as it is drawn: no difference in the middle.
struct Plot<'a> {
    of: &'a DifferenceRow,
    class: &'static str,
    point: Option<String>,
    interval: Option<(String, String)>,
    words: String,
}

/// A comparison: one `article` with a heading of its own.
pub fn comparison_article(page: &ComparisonPage) -> Result<String, PageError> {
    let page = &page.cleaned();
    let article = Article {
        page,
        is_incomplete: page.sides.iter().any(|side| side.not_fully_judged > 0),
        contests: (1..).zip(&page.contests).map(|(number, contest)| Contest::new(contest, number)).collect(),
    };
    Ok(article.render()?)
}

impl ComparisonPage {
    /// The same with every text on one line and without control characters: names come from files.
    fn cleaned(&self) -> Self {
        let mut page = self.clone();
        page.title = one_line(&page.title);
        page.how = one_line(&page.how);
        clean(&mut page.facts);
        clean(&mut page.notes);
        for side in &mut page.sides {
            clean([&mut side.name, &mut side.judges, &mut side.overall.text, &mut side.gate_rate.text]);
        }
        for contest in &mut page.contests {
            clean([&mut contest.first, &mut contest.second]);
            clean(contest.matched.iter_mut().chain(&mut contest.sentences));
            clean(contest.flips.iter_mut().map(|flip| &mut flip.check));
            clean(contest.flips.iter_mut().flat_map(|flip| flip.chats.iter_mut().flatten()).map(|chat| &mut chat.chat));
            for change in contest.all_changes() {
                clean([&mut change.chat, &mut change.first, &mut change.second]);
                clean(change.new_gates.iter_mut().chain(&mut change.now_fails).chain(&mut change.now_passes));
            }
            for row in &mut contest.differences {
                clean([&mut row.title, &mut row.first, &mut row.second, &mut row.p_value, &mut row.difference.text]);
            }
        }
        page
    }
}

impl ContestPage {
    /// Every row about a chat, wherever it stands.
    pub fn all_changes(&mut self) -> impl Iterator<Item = &mut ChangeRow> {
        self.changes.iter_mut().chain(self.kinds.iter_mut().flat_map(|kind| &mut kind.chats))
    }
}

fn clean<'a>(texts: impl IntoIterator<Item = &'a mut String>) {
    texts.into_iter().for_each(|text| *text = one_line(text));
}

impl<'a> Contest<'a> {
    fn new(of: &'a ContestPage, number: usize) -> Self {
        let reach = reach(&of.differences);
        let changes = || of.changes.iter().map(Change::new);
        // They come first. A chat that had a gate tripped before is not among them, whatever check trips one now.
        let newly = usize::try_from(of.newly_gated).unwrap_or(usize::MAX);
        Self {
            anchor: format!("contest{number}"),
            of,
            newly: changes().take(newly).filter(|change| !change.new_gates.is_empty()).collect(),
            kinds: of.kinds.iter().map(|kind| Kind::new(kind, number)).collect(),
            plots: of.differences.iter().map(|row| Plot::new(row, reach)).collect(),
            reach: format!("{reach:.2}"),
        }
    }
}

impl<'a> Kind<'a> {
    fn new(of: &'a KindRow, contest: usize) -> Self {
        let anchor = format!("contest{contest}-{}", of.key);
        Self { of, anchor, changes: of.chats.iter().map(Change::new).collect() }
    }
}

/// The furthest end of any interval, so that all fit, to a whole tenth.
fn reach(rows: &[DifferenceRow]) -> f64 {
    let ends = rows.iter().flat_map(|row| {
        let (low, high) = row.difference.interval.unwrap_or_default();
        [low.abs(), high.abs(), row.difference.value.unwrap_or_default().abs()]
    });
    let furthest = ends.filter(|end| end.is_finite()).fold(0.1, f64::max);
    ((furthest * 10.0 - 1e-9).ceil() / 10.0).min(1.0)
}

impl<'a> Change<'a> {
    fn new(of: &'a ChangeRow) -> Self {
        Self {
            of,
            class: match of.moved {
                Some(moved) if moved > 0.0 => "good",
                Some(moved) if moved < 0.0 => "bad",
                _ => "plain",
            },
            new_gates: of.new_gates.join(", "),
            now_fails: of.now_fails.join(", "),
            now_passes: of.now_passes.join(", "),
        }
    }
}

impl<'a> Plot<'a> {
    fn new(of: &'a DifferenceRow, reach: f64) -> Self {
        let place = |value: f64| (50.0 + 48.0 * value / reach).clamp(0.0, 100.0);
        let Figure { text, value, interval } = &of.difference;
        let is_better = value.is_some_and(|value| (value > 0.0) != of.is_less_better);
        let between = |(low, high): (f64, f64)| {
            (format!("{:.2}%", place(low)), format!("{:.2}%", (place(high) - place(low)).max(0.2)))
        };
        let shown = if of.is_shown { "shown" } else { "not shown" };
        Self {
            of,
            class: match (of.is_shown, is_better) {
                (false, _) => "plain",
                (true, true) => "good",
                (true, false) => "bad",
            },
            point: value.map(|value| format!("{:.2}%", place(value))),
            interval: interval.map(between),
            words: format!("{text}, {shown}"),
        }
    }
}
