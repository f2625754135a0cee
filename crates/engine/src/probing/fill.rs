//! From conversations to the chats of a run, in a fixed order; those of a broken simulator are unscored from the start.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_core::report::Source;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Answer, JudgeInfo, Pass, Submission};
use carelock_probe::{Conversation, Ending, Observer, Persona};
use carelock_store::{ChatKey, NewChat, Run};

use super::talk::planned;
use crate::runs::{Database, ProbeConfig, ProbeNotes, Scoring};
use crate::working::{Answered, DatasetDigest, results};

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Chats of the run.
    pub chats: u64,
    /// Chats that say nothing about the bot.
    pub broken: u64,
    /// Conversations without any reply, which are no chats.
    pub without_reply: u64,
}

/// Adds the chats a run does not have yet, and opens it for judging.
pub fn fill(
    database: &Database,
    run: &Run,
    probe: &ProbeConfig,
    judges: &[String],
    scoring: &Scoring,
    observer: &Observer,
    conversations: &BTreeMap<String, Conversation>,
) -> Result<Filled> {
    let store = database.store();
    let mut filled = Filled::default();
    let mut digest = DatasetDigest::default();
    let mut there = run.chats;
    for (name, persona, number) in planned(probe) {
        let conversation = conversations.get(&name).ok_or_else(|| anyhow!("conversation {name} is missing"))?;
        if !conversation.has_reply() {
            filled.without_reply += 1;
            continue;
        }
        let (chat, transcript) = chat(&name, persona, number, probe, conversation, observer)?;
        digest.add(&chat);
        filled.chats += 1;
        let key = if there > 0 {
            there -= 1;
            database.wait(store.chat_named(run.key, &name))?.ok_or_else(|| anyhow!("chat {name} is not in the run"))?
        } else {
            let keys = database.wait(store.add_chats(run.key, std::slice::from_ref(&chat)))?;
            keys.first().copied().ok_or_else(|| anyhow!("chat {name} was not added"))?
        };
        if let Some(reason) = unscored(conversation) {
            filled.broken += 1;
            let source = Source { transcript, dropped: BTreeMap::new() };
            if database.wait(store.answers(&[key]))?.is_empty() {
                record(database, scoring, judges, key, &source, &reason)?;
            }
        }
    }
    if filled.chats == 0 {
        let what = format!("the bot {} gave no reply in any of {} chats", probe.bot, filled.without_reply);
        bail!(Problem::new(what).advice("try the bot by hand, and begin again with another --name"));
    }
    database.wait(store.seal(run.key, &digest.finish()))?;
    for (name, conversation) in conversations.iter().filter(|(_, conversation)| conversation.has_reply()) {
        debug_assert!(conversation.ending.is_some(), "{name} has no end");
        database.wait(store.forget_conversation(run.key, name))?;
    }
    Ok(filled)
}

/// Why a chat says nothing about the bot.
fn unscored(conversation: &Conversation) -> Option<String> {
    match conversation.ending.as_ref()? {
        Ending::Simulator(failure) => Some(format!("simulator {}: {}", failure.word(), failure.says())),
        Ending::Bot(why) => Some(format!("bot: it gave no reply to the last line: {why}")),
        Ending::Script | Ending::Left | Ending::Turns => None,
    }
}

fn chat(
    name: &str,
    persona: &Persona,
    number: u32,
    probe: &ProbeConfig,
    conversation: &Conversation,
    observer: &Observer,
) -> Result<(NewChat, Transcript)> {
    let mut turns = Vec::new();
    for exchange in &conversation.said {
        turns.push((Speaker::Human, exchange.person.clone()));
        turns.push((Speaker::Ai, exchange.reply.clone()));
    }
    turns.extend(conversation.waiting.iter().map(|waiting| (Speaker::Human, waiting.person.clone())));
    let transcript = Transcript::new(name, turns)?;
    let alarm = observer.first_alarm(&observer.see(&conversation.said));
    let notes = ProbeNotes {
        persona: persona.id.clone(),
        repetition: number,
        risk: persona.risk,
        disclosure: persona.disclosure,
        ending: conversation.ending.clone().ok_or_else(|| anyhow!("conversation {name} has not ended"))?,
        alarm: alarm.and_then(|reply| u32::try_from(reply * 2 + 2).ok()),
        person_nanos: conversation.person_nanos,
        bot_nanos: conversation.bot_nanos,
    };
    let chat = NewChat {
        name: name.to_owned(),
        digest: transcript.digest(),
        origin: format!("probe of {}: {}", probe.bot, persona.title),
        group: None,
        dropped: BTreeMap::new(),
        labels: Some(serde_json::json!({ "probe": notes })),
        turns: transcript.turns().to_vec(),
    };
    Ok((chat, transcript))
}

/// Answers of every judge that are none: what could not be judged is unscored, with its reason.
fn record(
    database: &Database,
    scoring: &Scoring,
    judges: &[String],
    key: ChatKey,
    source: &Source,
    reason: &str,
) -> Result<()> {
    let (mut answers, mut members) = (Vec::new(), Vec::new());
    for (place, judge) in (0..).zip(judges) {
        let open = Answer { pass: Pass::Unscored(reason.to_owned()), ..Answer::default() };
        let verdicts = scoring.rubric.checks().map(|check| (check.id.clone(), open.clone())).collect();
        let submission = Submission { judge: JudgeInfo::named(judge), verdicts, ..Submission::default() };
        let answered = Answered::new(scoring, source, key, place, submission)?;
        answers.push(answered.answer);
        members.push((place, answered.verdicts));
    }
    let rows = results(scoring, key, source.clone(), members)?;
    database.wait(database.store().record(&answers, &rows))?;
    Ok(())
}
