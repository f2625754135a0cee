//! A cascade against a server on this machine, with a stand-in for what the embedded judge makes of a chat.

use std::path::PathBuf;

use carelock_core::rubric::Kind;
use carelock_core::transcript::Speaker;
use carelock_core::verdict::{Answer, Confidence, JudgeInfo, Pass, Verdict, Verdicts};
use carelock_test_support::model::{Call, ModelReply, ModelServer};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::*;
use crate::config::{Config, Surroundings};
use crate::options::JudgeOptions;

/// What passes without evidence passes, the rest fails.
fn verdict(kind: Kind) -> (Pass, &'static str) {
    match kind {
        Kind::Presence => (Pass::No, "fail"),
        Kind::Absence => (Pass::Yes, "pass"),
        Kind::Conditional => (Pass::NotTriggered, "not_triggered"),
    }
}

/// A model that answers exactly what it is asked.
fn answering(call: &Call) -> ModelReply {
    let rubric = Rubric::care_lock();
    let asked = call.checks();
    let one = |kind| json!({ "why": "asked", "verdict": verdict(kind).1, "turns": [], "quote": "" });
    let checks = rubric.checks().filter(|check| asked.contains(&check.id));
    let verdicts: Map<String, Value> = checks.map(|check| (check.id.clone(), one(check.kind))).collect();
    ModelReply::said(call, &json!({ "verdicts": verdicts }).to_string())
}

fn ids(rubric: &Rubric) -> Vec<String> {
    rubric.checks().map(|check| check.id.clone()).collect()
}

/// A chat that the embedded judge is sure of but for these checks. Every gate check fails in it, so none must be asked.
fn subject(rubric: &Rubric, unsure: &[String]) -> Subject {
    let mut subject = calm(rubric, unsure);
    let is_gate = |id: &str| rubric.position(id).is_some_and(|position| rubric.is_gate_check(position));
    let verdicts = subject.screening.iter_mut().flat_map(|answers| &mut answers.verdicts);
    for (_, answer) in verdicts.filter(|(id, _)| is_gate(id)) {
        answer.pass = Pass::No;
        answer.turns = vec![2];
        answer.quote = Some("That sounds hard.".to_owned());
    }
    subject
}

/// A chat that the embedded judge is sure of but for these checks, and in which no gate check fails.
fn calm(rubric: &Rubric, unsure: &[String]) -> Subject {
    let turns = [(Speaker::Human, "I feel low."), (Speaker::Ai, "That sounds hard.")];
    let transcript = Transcript::new("demo", turns.map(|(who, text)| (who, text.to_owned())).to_vec()).unwrap();
    let answer = |id: &String, kind| Answer {
        pass: verdict(kind).0,
        why: "sure".to_owned(),
        confidence: Some(if unsure.contains(id) { Confidence::Medium } else { Confidence::High }),
        ..Answer::default()
    };
    let verdicts = rubric.checks().map(|check| (check.id.clone(), answer(&check.id, check.kind))).collect();
    let submission = Submission { judge: JudgeInfo::named("builtin"), verdicts, ..Submission::default() };
    Subject::new(transcript, Vec::new(), Some(submission))
}

/// No options.
fn asked() -> JudgeOptions {
    JudgeOptions::default()
}

/// With a lock file.
fn locking(path: &str) -> JudgeOptions {
    JudgeOptions { lock: Some(path.into()), ..asked() }
}

/// A folder for the record, and the judges made anew for every run.
struct World {
    folder: TempDir,
    rubric: Rubric,
}

impl World {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap(), rubric: Rubric::care_lock() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn judging(&self, judge: &str, options: &JudgeOptions) -> Judging {
        let cache = self.path("cache").display().to_string();
        let environment = |name: &str| (name == "XDG_CACHE_HOME").then(|| cache.clone());
        let today = "2026-11-15".parse().unwrap();
        let around = Surroundings { environment: &environment, folder: self.path(""), today };
        let config = Config::load(None, &around).unwrap();
        let kinds = [JudgeKind::parse(judge).unwrap()];
        Judging::prepare(&kinds, options, &config, &Events::default()).unwrap()
    }

    fn judged(&self, judge: &str, options: &JudgeOptions, subject: &Subject) -> Verdicts {
        let judging = self.judging(judge, options);
        let answer = self.answer(&judging, subject).unwrap();
        judging.finish().unwrap();
        Verdicts::admit(&self.rubric, &subject.transcript, Submission { transcript: None, ..answer }).unwrap()
    }

    fn answer(&self, judging: &Judging, subject: &Subject) -> anyhow::Result<Submission> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(judging.answer(&self.rubric, subject, 0)).map_err(Stop::into_error)
    }

    /// Who gave each verdict, by its reason: the stand-in is `sure`, the model was `asked`.
    fn sources(&self, verdicts: &Verdicts) -> Vec<(String, String)> {
        let why = |verdict: &Verdict| match verdict {
            Verdict::Judged(judged) => judged.why.clone(),
            Verdict::Unscored(reason) => format!("unscored: {reason}"),
        };
        ids(&self.rubric).into_iter().zip(verdicts.checks.iter().map(why)).collect()
    }
}

#[test]
fn a_cascade_sends_what_the_embedded_judge_is_not_sure_of_and_nothing_else() {
    let world = World::new();
    let server = ModelServer::start(answering);
    let judge = format!("cascade:{}", server.judge());
    let unsure = ids(&world.rubric)[7..19].to_vec();
    let verdicts = world.judged(&judge, &asked(), &subject(&world.rubric, &unsure));
    assert_eq!(server.calls().len(), 1);
    assert_eq!(server.calls()[0].checks(), unsure);
    for (id, source) in world.sources(&verdicts) {
        assert_eq!(source, if unsure.contains(&id) { "asked" } else { "sure" }, "{id}");
    }
    assert_eq!(verdicts.judge.name, judge);
    assert_eq!(verdicts.judge.parameters["answered"], json!({ "builtin": 38, server.judge(): 12 }));
    assert!(verdicts.judge.tokens.is_some());
}

#[test]
fn gate_checks_are_sent_unless_they_fail_for_sure_and_nothing_is_where_all_is_kept() {
    let world = World::new();
    let server = ModelServer::start(answering);
    let judge = format!("cascade:{}", server.judge());
    let kept = world.judged(&judge, &asked(), &subject(&world.rubric, &[]));
    assert_eq!((server.take_calls().len(), kept.judge.tokens), (0, None));
    assert!(world.sources(&kept).iter().all(|(_, source)| source == "sure"));
    world.judged(&judge, &asked(), &calm(&world.rubric, &[]));
    let gates = ids(&world.rubric).into_iter().enumerate().filter(|(place, _)| world.rubric.is_gate_check(*place));
    assert_eq!(server.calls()[0].checks(), gates.map(|(_, id)| id).collect::<Vec<_>>());
}

#[test]
fn a_model_that_refuses_leaves_its_checks_unscored_and_the_sure_ones_stand() {
    let world = World::new();
    let server = ModelServer::start(|_| ModelReply::refusal("I cannot help with that."));
    let unsure = ids(&world.rubric)[..9].to_vec();
    let judge = format!("cascade:{}", server.judge());
    let verdicts = world.judged(&judge, &asked(), &subject(&world.rubric, &unsure));
    for (id, source) in world.sources(&verdicts) {
        let expected = if unsure.contains(&id) { "unscored: refused" } else { "sure" };
        assert!(source.starts_with(expected), "{id}: {source}");
    }
    assert_eq!(verdicts.judge.parameters["answered"][server.judge()], 0);
    let other = ModelServer::start(answering);
    let options = JudgeOptions { fallback: Some(other.judge()), ..asked() };
    let verdicts = world.judged(&judge, &options, &subject(&world.rubric, &unsure));
    assert_eq!(other.calls()[0].checks(), unsure, "the fallback is asked the same");
    assert!(world.sources(&verdicts).iter().all(|(_, source)| source == "sure" || source == "asked"));
    assert!(verdicts.judge.parameters["fallback_for"].as_str().unwrap().contains("refused"));
}

#[test]
fn answers_are_known_for_what_was_asked_and_for_nothing_else() {
    let world = World::new();
    let server = ModelServer::start(answering);
    let judge = format!("cascade:{}", server.judge());
    let all = ids(&world.rubric);
    let lock = world.path("answers.lock").display().to_string();
    let some = subject(&world.rubric, &all[..5]);
    let first = world.judged(&judge, &locking(&lock), &some);
    assert_eq!(server.take_calls().len(), 1);
    let again = world.judged(&judge, &asked(), &some);
    assert_eq!((server.take_calls().len(), world.sources(&again)), (0, world.sources(&first)));
    assert_eq!(again.judge.cached, Some(true));
    let locked = world.judged(&judge, &JudgeOptions { locked: true, ..locking(&lock) }, &some);
    assert_eq!(world.sources(&locked), world.sources(&first));
    let more = subject(&world.rubric, &all[..6]);
    let judging = world.judging(&judge, &JudgeOptions { locked: true, ..locking(&lock) });
    let said = world.answer(&judging, &more).unwrap_err().to_string();
    assert!(said.contains(&format!("no locked answers of judge {judge} (it was asked about other checks)")), "{said}");
    world.judged(&judge, &asked(), &subject(&world.rubric, &all[..6]));
    assert_eq!(server.take_calls()[0].checks(), all[..6], "another question is asked whole");
    world.judged(&server.judge(), &asked(), &some);
    assert_eq!(server.take_calls()[0].checks(), all, "the model alone is another judge");
}

#[test]
fn a_dry_run_lists_the_checks_that_would_be_sent() {
    let world = World::new();
    let server = ModelServer::start(answering);
    let all = ids(&world.rubric);
    let judging = world.judging("cascade:openai:gpt-4.1-mini", &JudgeOptions { dry_run: true, ..asked() });
    let said = Judging::estimate(Some(&judging), &world.rubric, &[subject(&world.rubric, &all[..2])]);
    let few = "cascade:openai:gpt-4.1-mini: builtin is sure of 48 of 50 checks\n\
               cascade:openai:gpt-4.1-mini: 1 to ask, about ";
    assert!(said.starts_with("1 chat\n") && said.contains(few) && said.contains(" and 68 out, about $"), "{said}");
    assert!(said.contains(&format!("\n  demo: {}, {}\n", all[0], all[1])), "{said}");
    let none = Judging::estimate(Some(&judging), &world.rubric, &[subject(&world.rubric, &[])]);
    assert!(none.contains("all answers are known"), "{none}");
    let every = Judging::estimate(Some(&judging), &world.rubric, &[subject(&world.rubric, &all)]);
    assert!(every.contains("\n  demo: all checks\n"), "{every}");
    assert!(every.lines().all(|line| line.chars().count() <= 100), "{every}");
    assert_eq!(server.calls().len(), 0);
}
