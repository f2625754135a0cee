//! Deciding for a pipeline: thresholds, gates and a baseline, and telling people why.

mod annotations;
mod baseline;
mod figures;
mod pipeline;
mod run_baseline;
mod standing;
mod summary;

use std::collections::HashSet;
use std::fmt;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use carelock_core::problem::Problem;
use carelock_core::report::names;
use carelock_core::report::safe_text::one_line;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use carelock_engine::runs::{Database, Scoring, is_absence, is_file};
use carelock_store::OpenMode;

pub(crate) use baseline::{Baseline, Earlier};
use figures::Figures;
pub(crate) use pipeline::Pipeline;
pub(crate) use run_baseline::review_run;
pub(crate) use standing::Standing;

use crate::cli::{Annotations, CiArguments, DatabaseArgument};
use crate::message::{self, say, say_error};
use crate::output::Output;

/// A page for people names so many chats of a kind; the rest is counted.
const LISTED: usize = 50;

/// The baseline that the options name, if they do: a file, or a run of the database.
pub(crate) fn baseline(arguments: &CiArguments, database: &DatabaseArgument) -> Result<Option<Baseline>> {
    let Some(name) = &arguments.baseline else { return Ok(None) };
    if is_file(name, database.db.as_deref())? {
        return Baseline::read(name).map(Some);
    }
    let of_run = || {
        let database = Database::open(database.db.as_deref(), OpenMode::Existing)?;
        Baseline::of_run(&database, name).map(Some)
    };
    of_run().map_err(|error: anyhow::Error| match is_absence(&error) {
        true => error.context(format!("--baseline {name}: there is no such file, and no such run")),
        false => error.context(format!("--baseline {name}")),
    })
}

/// Chats are looked at one by one; then it is said what holds and what does not.
#[derive(Debug, Default)]
pub(crate) struct Review {
    arguments: Option<CiArguments>,
    baseline: Option<Baseline>,
    figures: Figures,
    /// How many chats have a gate tripped that decides the exit code.
    failing: usize,
    matched: Matched,
    fresh: Listed,
    gated: Listed,
    below: Listed,
    other_judge: Option<String>,
    /// The chats of the baseline that are here.
    seen: HashSet<String>,
}

/// Chats that have a score here and in the baseline, with the sums of both in hundredths.
#[derive(Clone, Copy, Debug, Default)]
struct Matched {
    /// Chats that both have, with or without a score.
    known: usize,
    number: u64,
    before: u64,
    now: u64,
}

impl Matched {
    /// By how much the mean fell; below 0 where it rose.
    fn fall(self) -> Option<f64> {
        let [before, now] = self.means();
        (self.number > 0).then_some(before - now)
    }

    /// The means before and now; 0 of nothing.
    fn means(self) -> [f64; 2] {
        [self.before, self.now].map(|sum| sum as f64 / (100.0 * self.number.max(1) as f64))
    }

    fn add(&mut self, earlier: &Earlier, standing: &Standing) {
        self.known += 1;
        if let (Some(before), Some(now)) = (earlier.overall, standing.overall) {
            self.number += 1;
            self.before += u64::from(before.hundredths());
            self.now += u64::from(now.hundredths());
        }
    }
}

/// The first of several chats, and how many there are.
#[derive(Debug, Default)]
struct Listed {
    shown: Vec<Concern>,
    total: usize,
}

impl Listed {
    fn push(&mut self, concern: Concern) {
        self.total += 1;
        if self.shown.len() < LISTED {
            self.shown.push(concern);
        }
    }

    fn more(&self) -> usize {
        self.total - self.shown.len()
    }
}

/// Something asked for that does not hold; shown as a sentence without its full stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reason {
    /// Gates are tripped that the baseline does not have, in so many chats.
    NewGates(usize),
    /// Gates are tripped, in so many chats.
    Gates(usize),
    /// Scores are below the threshold.
    Below { least: Score, chats: usize },
    /// The mean overall score fell by more than is allowed.
    Fell { fall: f64, before: f64, now: f64, most: f64 },
    /// Chats of the baseline are missing.
    Missing { chats: usize, all: usize },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NewGates(number) => write!(f, "a gate is newly tripped in {}", chats(number)),
            Self::Gates(number) => write!(f, "a gate is tripped in {}", chats(number)),
            Self::Below { least, chats: number } => {
                write!(f, "the overall score is below {least} in {}", chats(number))
            }
            Self::Missing { chats, all } => write!(f, "{chats} of the {all} chats of the baseline are missing"),
            Self::Fell { fall, before, now, most } => write!(
                f,
                "the mean overall score fell by {fall:.3}, from {before:.3} to {now:.3}; at most {most} is allowed"
            ),
        }
    }
}

/// A chat that is not as it should be.
#[derive(Debug)]
struct Concern {
    standing: Standing,
    /// Gates that the baseline does not have.
    fresh: Vec<String>,
    /// Whether the baseline has the chat; true without a baseline.
    is_known: bool,
}

impl Review {
    /// A review by the options given, against a baseline that was read already.
    pub(crate) fn new(arguments: &CiArguments, baseline: Option<Baseline>, scoring: &Scoring) -> Self {
        let rubric = &scoring.rubric;
        if let Some(baseline) = &baseline
            && baseline.rubric.as_deref() != Some(rubric.digest())
        {
            say(format_args!("{} was made with another rubric: scores may differ for that alone", baseline.name));
        }
        let weights = scoring.weights.to_map();
        if let Some(baseline) = baseline.as_ref().filter(|baseline| baseline.weights != weights) {
            say(format_args!("{} was made with other weights: overall scores do not compare", baseline.name));
        }
        let figures = Figures::new(rubric.metrics().len());
        Self { arguments: Some(arguments.clone()), baseline, figures, ..Self::default() }
    }

    /// Takes one chat in.
    pub(crate) fn see(&mut self, standing: Standing) {
        let Some(arguments) = &self.arguments else { return };
        let is_below = arguments.fail_under.zip(standing.overall).is_some_and(|(least, score)| score < least);
        self.figures.add(&standing, is_below);
        self.failing += usize::from(standing.sure_gates(arguments.gate_confidence).next().is_some());
        let mut fresh = Vec::new();
        let mut is_known = true;
        if let Some(baseline) = &self.baseline {
            let earlier = baseline.chats.get(&standing.id);
            is_known = earlier.is_some();
            let had = |gate: &&String| earlier.is_some_and(|earlier| earlier.gates.contains(gate));
            fresh.extend(standing.sure_gates(arguments.gate_confidence).filter(|gate| !had(gate)).cloned());
            if let Some(earlier) = earlier {
                self.matched.add(earlier, &standing);
                self.seen.insert(standing.id.clone());
            }
            if baseline.judge.as_ref() != Some(&standing.judge) {
                self.other_judge.get_or_insert_with(|| standing.judge.clone());
            }
        }
        let list = match (fresh.is_empty(), standing.gates.is_empty(), is_below) {
            (false, _, _) => &mut self.fresh,
            (true, false, _) => &mut self.gated,
            (true, true, true) => &mut self.below,
            (true, true, false) => return,
        };
        list.push(Concern { standing, fresh, is_known });
    }

    /// The chats that will be named, for what is not known of them yet.
    pub(crate) fn named(&mut self) -> impl Iterator<Item = &mut Standing> {
        let lists = [&mut self.fresh, &mut self.gated, &mut self.below];
        lists.into_iter().flat_map(|list| list.shown.iter_mut().map(|concern| &mut concern.standing))
    }

    /// What does not hold.
    fn reasons(&self) -> Vec<Reason> {
        let Some(arguments) = &self.arguments else { return Vec::new() };
        let mut reasons = Vec::new();
        if self.fresh.total > 0 {
            reasons.push(Reason::NewGates(self.fresh.total));
        }
        if arguments.fail_on_gate && self.failing > 0 {
            reasons.push(Reason::Gates(self.failing));
        }
        if let Some(least) = arguments.fail_under.filter(|_| self.figures.below > 0) {
            reasons.push(Reason::Below { least, chats: self.figures.below });
        }
        if let Some((most, fall)) = arguments.max_drop.zip(self.matched.fall()) {
            // Finer than any mean of millions of chats, so that a fall that is allowed is not refused for its last digit.
            if fall > most + 1e-9 {
                let [before, now] = self.matched.means();
                reasons.push(Reason::Fell { fall, before, now, most });
            }
        }
        let gone = self.gone();
        if let Some(baseline) = self.baseline.as_ref().filter(|_| gone > 0 && !arguments.allow_missing) {
            reasons.push(Reason::Missing { chats: gone, all: baseline.chats.len() });
        }
        reasons
    }

    /// How many chats of the baseline are not here.
    fn gone(&self) -> usize {
        self.baseline.as_ref().map_or(0, |baseline| baseline.chats.len().saturating_sub(self.matched.known))
    }

    /// The first of the chats of the baseline that are not here, by name.
    fn missing_names(&self, baseline: &Baseline) -> String {
        const NAMED: usize = 5;
        let mut names: Vec<&String> = baseline.chats.keys().filter(|id| !self.seen.contains(*id)).collect();
        names.sort();
        let more = if names.len() > NAMED { ", …" } else { "" };
        let named: Vec<String> = names.into_iter().take(NAMED).map(|name| one_line(name)).collect();
        format!("{}{more}", named.join(", "))
    }

    /// Says how it compares, and writes what came of it where that was asked for; what does not hold.
    ///
    /// `unread` chats could not be looked at.
    pub(crate) fn finish(&self, rubric: &Rubric, pipeline: &Pipeline, unread: usize) -> Result<Vec<Reason>> {
        let Some(arguments) = self.arguments.as_ref().filter(|arguments| arguments.is_asked()) else {
            return Ok(Vec::new());
        };
        self.compare(rubric)?;
        let unsure = self.figures.gated - self.failing;
        if let Some(least) = arguments.gate_confidence.filter(|_| unsure > 0) {
            let counted = chats(unsure);
            say(format_args!(
                "a gate is tripped in {counted} with less than {least} confidence, which fails nothing here"
            ));
        }
        let reasons = self.reasons();
        let annotate = match arguments.annotations {
            Annotations::Auto => pipeline.is_github,
            Annotations::Github => true,
            Annotations::None => false,
        };
        if annotate {
            annotations::write(self, rubric, pipeline, &reasons);
        }
        let text = summary::markdown(self, rubric, &reasons, unread);
        if let Some(path) = &arguments.summary {
            let mut output = Output::open(Some(path))?;
            output.write_all(text.as_bytes())?;
            output.finish()?;
        }
        if let Some(page) = &pipeline.page
            && let Err(error) = append(page, &text)
        {
            say(format_args!("the summary is missing from the page of the job: {}", message::told(&error)));
        }
        Ok(reasons)
    }

    /// Says how this compares with the baseline.
    fn compare(&self, rubric: &Rubric) -> Result<()> {
        let Some(baseline) = &self.baseline else { return Ok(()) };
        let name = &baseline.name;
        if self.matched.known == 0 && self.figures.chats > 0 {
            bail!(
                Problem::new(format!("{name}: no chat here has the id of one in the baseline"))
                    .advice("give chats the same ids as in the baseline, or name another one")
            );
        }
        if let Some(judge) = &self.other_judge {
            let before = baseline.judge.as_deref().unwrap_or("several judges");
            say(format_args!("{name} was judged by {before}, this by {judge}: scores may differ for that alone"));
        }
        let (gone, new) = (self.gone(), self.figures.chats.saturating_sub(self.matched.known));
        if gone > 0 || new > 0 {
            say(format_args!("compared over {}: {gone} only in {name}, {new} only here", chats(self.matched.known)));
        }
        if let Some(missing) = self.reasons().iter().find(|reason| matches!(reason, Reason::Missing { .. })) {
            let names = self.missing_names(baseline);
            let problem = Problem::new(format!("{missing}: {names}"));
            say_error(problem.advice("judge them too, or add --allow-missing").worded(&message::CommandLine));
        }
        if self.fresh.total > 0 {
            let gates =
                |ids: &[String]| ids.iter().map(|id| names::gate_name(rubric, id)).collect::<Vec<_>>().join(", ");
            let line = |concern: &Concern| {
                let note = if concern.is_known { "" } else { " (not in the baseline)" };
                format!("\n  {}: {}{note}", one_line(&concern.standing.id), gates(&concern.fresh))
            };
            let lines: String = self.fresh.shown.iter().map(line).collect();
            let more = self.fresh.more();
            let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
            let count = chats(self.fresh.total);
            say_error(format_args!("a gate is newly tripped in {count}, compared with {name}:{lines}{more}"));
        }
        let fell = self.reasons().into_iter().find(|reason| matches!(reason, Reason::Fell { .. }));
        match (fell, self.matched.fall()) {
            (Some(fell), _) => say_error(format_args!("{fell}, compared with {name}")),
            (None, Some(fall)) => {
                let [_, now] = self.matched.means();
                say(format_args!("mean overall score {now:.3}, {} {name}", change(-fall)));
            }
            (None, None) => say(format_args!("no chat has a score here and in {name}: the means are not compared")),
        }
        Ok(())
    }
}

fn append(page: &Path, text: &str) -> Result<()> {
    let shown = page.display();
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(page)
        .with_context(|| format!("{shown}: cannot be opened"))?;
    file.write_all(text.as_bytes()).with_context(|| format!("{shown}: cannot be written"))
}

/// `1 chat`, `2 chats`.
fn chats(number: usize) -> String {
    if number == 1 { "1 chat".to_owned() } else { format!("{number} chats") }
}

/// `0.013 above`, `0.020 below`, `the same as`.
fn change(by: f64) -> String {
    match by {
        by if by.abs() < 0.0005 => "the same as".to_owned(),
        by if by > 0.0 => format!("{by:.3} above"),
        by => format!("{:.3} below", -by),
    }
}

#[cfg(test)]
mod tests;
