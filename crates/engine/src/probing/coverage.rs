//! What a probe showed: which checks were put to the test, how the bot did with whom, and the chats to look at first.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Speaker;
use carelock_core::verdict::Basis;
use carelock_probe::{Disclosure, Ending, Risk};
use carelock_statistics::{Bootstrap, mean};
use carelock_store::Filter;
use serde::Serialize;

use crate::runs::{Database, OpenRun, ProbeConfig, ProbeNotes, probe_of};

/// The name of the format.
const SCHEMA: &str = "carelock/probe/1";
/// Chats to look at first.
const WORST: usize = 3;

/// What a probe showed. The same chats give the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coverage {
    /// The format: `carelock/probe/1`.
    pub schema: String,
    /// The run.
    pub run: String,
    /// The bot as it was named.
    pub bot: String,
    /// Who played the persons: a model, or `script`.
    pub user: String,
    /// The most lines a person said.
    pub turns: usize,
    /// How often each persona talked with the bot.
    pub repeat: u32,
    /// What chose among wordings.
    pub seed: u64,
    /// All conversations.
    pub conversations: usize,
    /// Chats with an overall score.
    pub scored: usize,
    /// Conversations that say nothing about the bot, with the reason, by name.
    pub unscored: BTreeMap<String, String>,
    /// The mean overall score; its interval resamples personas, so that repetitions do not count as new ones.
    pub overall: MeanWithInterval,
    /// Chats in which each gate was tripped.
    pub gates: BTreeMap<String, usize>,
    /// Chats without any danger in which the bot treated the person as being in danger.
    pub false_alarms: Vec<String>,
    /// By how much danger the person was in.
    pub by_risk: Vec<GroupCoverage>,
    /// By how it came out.
    pub by_disclosure: Vec<GroupCoverage>,
    /// Persona by persona.
    pub personas: Vec<PersonaCoverage>,
    /// Check by check, in the rubric's order.
    pub checks: Vec<CheckCoverage>,
    /// The chats to look at first.
    pub worst: Vec<WorstChat>,
    /// What persons and bot cost, in thousand-millionths of a US dollar.
    pub cost_nanos: u64,
}

/// A mean, and between what it may lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeanWithInterval {
    /// The mean; none without a score.
    pub mean: Option<f64>,
    /// The lower end of its 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// How the bot did with a group of personas.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupCoverage {
    /// What they have in common.
    pub group: String,
    /// Personas.
    pub personas: usize,
    /// Conversations.
    pub conversations: usize,
    /// The mean overall score.
    pub overall: MeanWithInterval,
    /// Chats in which a gate was tripped.
    pub gated: usize,
    /// The earliest turn at which one was.
    pub first_gate_turn: Option<u32>,
    /// Chats in which the bot asked about safety or named live help.
    pub alarmed: usize,
}

/// How the bot did with one persona.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PersonaCoverage {
    /// The persona.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// How much danger.
    pub risk: Risk,
    /// How it came out.
    pub disclosure: Disclosure,
    /// The overall scores, repetition by repetition; none where there is none.
    pub scores: Vec<Option<f64>>,
    /// Their mean.
    pub mean: Option<f64>,
    /// Gates that were tripped, with how often.
    pub gates: BTreeMap<String, usize>,
    /// The earliest turn at which one was.
    pub first_gate_turn: Option<u32>,
    /// Chats in which the bot asked about safety or named live help.
    pub alarmed: usize,
}

/// How often a check was put to the test, and how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckCoverage {
    /// The check.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// Chats in which it was met or failed, its condition included.
    pub triggered: usize,
    /// Chats in which it failed.
    pub failed: usize,
    /// Chats in which its condition never arose.
    pub not_triggered: usize,
    /// Chats in which it could not be judged.
    pub unscored: usize,
}

/// A chat to look at first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstChat {
    /// Its number in the database.
    #[serde(skip)]
    pub key: i64,
    /// Its name in the run.
    pub chat: String,
    /// The overall score.
    pub overall: f64,
    /// The gates that were tripped.
    pub gates: Vec<String>,
    /// The turn to open it at.
    pub turn: u32,
    /// What was said there.
    pub quote: String,
    /// What was wrong with it.
    pub why: String,
    /// What would have been better.
    pub better: Option<String>,
}

/// A judged chat of a probe.
struct Row {
    key: i64,
    name: String,
    notes: ProbeNotes,
    report: Report,
}

impl Row {
    fn is_scored(&self) -> bool {
        !matches!(self.notes.ending, Ending::Simulator(_) | Ending::Bot(_))
    }

    fn overall(&self) -> Option<f64> {
        self.report.overall.filter(|_| self.is_scored()).map(|score| f64::from(score.hundredths()) / 100.0)
    }

    /// The turn of the reply that tripped a gate first.
    fn gate_turn(&self) -> Option<u32> {
        let is_reply =
            |turn: &&u32| self.report.turns.iter().any(|said| said.idx == **turn && said.speaker == Speaker::Ai);
        let of = |turns: &Vec<u32>| turns.iter().find(is_reply).or(turns.first()).copied();
        self.report.gates.iter().filter_map(|gate| of(&gate.turns)).min()
    }
}

impl Coverage {
    /// What a run of a probe showed; an error where the run is none.
    pub fn of_run(database: &Database, open: &OpenRun) -> Result<Self> {
        let name = &open.run.name;
        let probe = open.config.probe.as_ref().ok_or_else(|| anyhow!("run {name:?} is no probe"))?;
        let mut rows = Vec::new();
        let mut listed = Vec::new();
        open.each(database, Filter::for_run(open.run.key), |stored| {
            listed.push((stored.listed.chat, stored.report));
            Ok(())
        })?;
        for (key, report) in listed {
            let Some(chat) = database.wait(database.store().chats(&[key]))?.pop() else { continue };
            if let Some(notes) = probe_of(&chat.chat) {
                rows.push(Row { key: key.0, name: chat.chat.name, notes, report });
            }
        }
        rows.sort_by(|one, other| one.name.cmp(&other.name));
        // Conversations that became chats are no longer kept among these.
        let kept = database.wait(database.store().probe_turns(open.run.key))?;
        let silent: BTreeSet<String> = kept.into_iter().map(|turn| turn.conversation).collect();
        Ok(Self::new(name, probe, &open.scoring.rubric, &rows, &silent))
    }

    fn new(run: &str, probe: &ProbeConfig, rubric: &Rubric, rows: &[Row], silent: &BTreeSet<String>) -> Self {
        let judged: Vec<&Row> = rows.iter().filter(|row| row.is_scored()).collect();
        let mut gates = BTreeMap::new();
        for gate in judged.iter().flat_map(|row| &row.report.gates) {
            *gates.entry(gate.check.to_string()).or_default() += 1;
        }
        let alarmed = judged.iter().filter(|row| row.notes.risk == Risk::None && row.notes.alarm.is_some());
        let group = |value: &str, of: &dyn Fn(&ProbeNotes) -> &'static str| {
            let of_group = |row: &&&Row| of(&row.notes) == value;
            group(value, &rows.iter().collect::<Vec<_>>().iter().filter(of_group).copied().collect::<Vec<_>>())
        };
        Self {
            schema: SCHEMA.to_owned(),
            run: run.to_owned(),
            bot: probe.bot.clone(),
            user: probe.user.clone().unwrap_or_else(|| "script".to_owned()),
            turns: probe.turns,
            repeat: probe.repeat,
            seed: probe.seed,
            conversations: super::talk::planned(probe).count(),
            scored: judged.iter().filter(|row| row.overall().is_some()).count(),
            unscored: unscored(probe, rows, silent),
            overall: overall(&judged),
            gates,
            false_alarms: alarmed.map(|row| row.name.clone()).collect(),
            by_risk: Risk::ALL.iter().map(|risk| group(risk.word(), &|notes| notes.risk.word())).collect(),
            by_disclosure: Disclosure::ALL
                .iter()
                .map(|how| group(how.word(), &|notes| notes.disclosure.word()))
                .collect(),
            personas: probe.personas.iter().map(|one| persona(one, probe.repeat, rows)).collect(),
            checks: checks(rubric, &judged),
            worst: worst(&judged),
            cost_nanos: rows.iter().map(|row| row.notes.person_nanos + row.notes.bot_nanos).sum(),
        }
    }
}

/// Conversations that say nothing about the bot; those without any reply are not in the run.
fn unscored(probe: &ProbeConfig, rows: &[Row], silent: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (name, _, _) in super::talk::planned(probe) {
        let row = rows.iter().find(|row| row.name == name);
        let reason = match row {
            None if silent.contains(&name) => Some("simulator no-reply: the bot never replied".to_owned()),
            None => Some("not judged yet".to_owned()),
            Some(row) => match &row.notes.ending {
                Ending::Simulator(failure) => Some(format!("simulator {}: {}", failure.word(), failure.says())),
                Ending::Bot(why) => Some(format!("bot: it gave no reply to the last line: {why}")),
                _ => row.report.undetermined.clone().filter(|_| row.report.overall.is_none()),
            },
        };
        if let Some(reason) = reason {
            found.insert(name, reason);
        }
    }
    found
}

fn overall(rows: &[&Row]) -> MeanWithInterval {
    let mut personas: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
    for row in rows {
        personas.entry(&row.notes.persona).or_default().push(row.overall());
    }
    let estimate = mean::of_clusters(personas.values().map(Vec::as_slice), &Bootstrap::default());
    let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
    MeanWithInterval {
        mean: estimate.value.map(rounded),
        low: estimate.interval.map(|interval| rounded(interval.low)),
        high: estimate.interval.map(|interval| rounded(interval.high)),
    }
}

fn group(value: &str, rows: &[&Row]) -> GroupCoverage {
    let judged: Vec<&Row> = rows.iter().copied().filter(|row| row.is_scored()).collect();
    let mut personas: Vec<&str> = rows.iter().map(|row| row.notes.persona.as_str()).collect();
    personas.dedup();
    GroupCoverage {
        group: value.to_owned(),
        personas: personas.len(),
        conversations: rows.len(),
        overall: overall(&judged),
        gated: judged.iter().filter(|row| row.report.is_gated()).count(),
        first_gate_turn: judged.iter().filter_map(|row| row.gate_turn()).min(),
        alarmed: judged.iter().filter(|row| row.notes.alarm.is_some()).count(),
    }
}

fn persona(persona: &carelock_probe::Persona, repeat: u32, rows: &[Row]) -> PersonaCoverage {
    let own: Vec<&Row> = rows.iter().filter(|row| row.notes.persona == persona.id).collect();
    let score = |number: u32| own.iter().find(|row| row.notes.repetition == number).and_then(|row| row.overall());
    let scores: Vec<Option<f64>> = (1..=repeat).map(score).collect();
    let known: Vec<f64> = scores.iter().flatten().copied().collect();
    let judged = || own.iter().filter(|row| row.is_scored());
    let mut gates = BTreeMap::new();
    for gate in judged().flat_map(|row| &row.report.gates) {
        *gates.entry(gate.check.to_string()).or_default() += 1;
    }
    PersonaCoverage {
        id: persona.id.clone(),
        title: persona.title.clone(),
        risk: persona.risk,
        disclosure: persona.disclosure,
        mean: (!known.is_empty()).then(|| (known.iter().sum::<f64>() / known.len() as f64 * 1000.0).round() / 1000.0),
        scores,
        gates,
        first_gate_turn: judged().filter_map(|row| row.gate_turn()).min(),
        alarmed: judged().filter(|row| row.notes.alarm.is_some()).count(),
    }
}

fn checks(rubric: &Rubric, rows: &[&Row]) -> Vec<CheckCoverage> {
    let mut found: Vec<CheckCoverage> = rubric
        .checks()
        .map(|check| CheckCoverage { id: check.id.to_string(), title: check.title.clone(), ..CheckCoverage::default() })
        .collect();
    for row in rows {
        for (at, (_, _, check)) in row.report.checks().enumerate() {
            let Some(count) = found.get_mut(at) else { continue };
            match (check.pass, check.basis) {
                (None, _) => count.unscored += 1,
                (Some(_), Some(Basis::NotTriggered)) => count.not_triggered += 1,
                (Some(passes), _) => {
                    count.triggered += 1;
                    count.failed += usize::from(!passes);
                }
            }
        }
    }
    found
}

fn worst(rows: &[&Row]) -> Vec<WorstChat> {
    let mut scored: Vec<(&Row, f64)> = rows.iter().filter_map(|row| Some((*row, row.overall()?))).collect();
    let failed = |row: &Row| row.report.checks().filter(|(_, _, check)| check.pass == Some(false)).count();
    scored.sort_by(|(one, first), (other, second)| {
        let by_score = first.total_cmp(second);
        by_score.then_with(|| failed(other).cmp(&failed(one))).then_with(|| one.name.cmp(&other.name))
    });
    scored
        .into_iter()
        .filter(|(row, _)| failed(row) > 0)
        .take(WORST)
        .map(|(row, overall)| worst_chat(row, overall))
        .collect()
}

/// A chat, opened where it went wrong: at the gate, else at the first thing that could have been better.
fn worst_chat(row: &Row, overall: f64) -> WorstChat {
    let report = &row.report;
    let moment = |id: u32| report.moments.iter().find(|moment| moment.id == id);
    let highlight = report.negative.first();
    let shown = highlight.and_then(|highlight| moment(highlight.id));
    let gate = report.gates.first();
    WorstChat {
        key: row.key,
        chat: row.name.clone(),
        overall,
        gates: report.gates.iter().map(|gate| gate.check.to_string()).collect(),
        turn: row.gate_turn().or(shown.map(|moment| moment.idx)).unwrap_or(1),
        quote: gate
            .and_then(|gate| gate.quote.clone())
            .or(shown.map(|moment| moment.quote.clone()))
            .unwrap_or_default(),
        why: gate.map(|gate| gate.why.clone()).or(highlight.map(|highlight| highlight.why.clone())).unwrap_or_default(),
        better: report.negative.iter().find_map(|highlight| highlight.better.clone()),
    }
}
