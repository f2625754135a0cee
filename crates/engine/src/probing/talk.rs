//! The conversations of a probe: several at a time, each kept turn by turn.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_judge::ask::Failure as AskFailure;
use carelock_judge::wire::{Chat, Message};
use carelock_probe::bot::BotFailure;
use carelock_probe::played::{self, SpokenLine};
use carelock_probe::simulator::{self, Failure, Played};
use carelock_probe::{Conversation, Ending, Entry, Next, Persona, Script};
use carelock_store::{ProbeTurn, RunKey, Store};
use futures_util::StreamExt as _;

use super::lines::Lines;
use super::prepare::Prober;
use crate::runs::{ProbeConfig, chat_name};

/// The most tokens of a person's line.
const LINE_TOKENS: u32 = 400;
/// How often a line that cannot be used is asked for.
const TRIES: u32 = 2;
/// A person chooses words freely; the seed makes it repeatable where a provider takes one.
const TEMPERATURE: f64 = 0.8;

/// How far the conversations are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TalkProgress {
    /// Conversations that are through.
    pub done: usize,
    /// All of them.
    pub total: usize,
}

/// How the talking ended.
#[derive(Debug)]
pub enum TalkEnd {
    /// All conversations are through.
    Done(BTreeMap<String, Conversation>),
    /// Some could not be ended; what went wrong last.
    Open(usize, String),
    /// The user asked to stop.
    Interrupted,
    /// The money is spent.
    Capped(String),
}

/// The conversations of a probe in their order, with persona and repetition.
pub(super) fn planned(probe: &ProbeConfig) -> impl Iterator<Item = (String, &Persona, u32)> {
    let repetitions = 1..=probe.repeat;
    probe.personas.iter().flat_map(move |persona| {
        repetitions.clone().map(move |number| (chat_name(Some(&persona.id), &number.to_string()), persona, number))
    })
}

/// One conversation's part of the probe.
struct Talk<'a> {
    store: &'a Store,
    run: RunKey,
    prober: &'a Prober,
    probe: &'a ProbeConfig,
    is_stopped: fn() -> bool,
}

/// Why a conversation was left where it is.
enum Left {
    Later(String),
    Interrupted,
    Capped(String),
    Everything(anyhow::Error),
}

impl From<anyhow::Error> for Left {
    fn from(error: anyhow::Error) -> Self {
        Self::Everything(error)
    }
}

/// Resumes all unfinished conversations.
pub async fn talk(
    store: &Store,
    run: RunKey,
    prober: &Prober,
    probe: &ProbeConfig,
    is_stopped: fn() -> bool,
    mut show: impl FnMut(TalkProgress),
) -> Result<TalkEnd> {
    let mut known = conversations(store, run).await?;
    for conversation in known.values() {
        prober.charge(conversation.person_nanos.saturating_add(conversation.bot_nanos));
    }
    let talk = Talk { store, run, prober, probe, is_stopped };
    let mut done = BTreeMap::new();
    let mut open = Vec::new();
    let mut total = 0;
    for (name, persona, number) in planned(probe) {
        total += 1;
        match known.remove(&name).unwrap_or_default() {
            conversation if conversation.ending.is_some() => drop(done.insert(name, conversation)),
            conversation => open.push((name, persona, number, conversation)),
        }
    }
    show(TalkProgress { done: done.len(), total });
    let mut left: Vec<String> = Vec::new();
    let mut end = None;
    {
        let one = |(name, persona, number, conversation): (String, _, _, _)| {
            let talk = &talk;
            async move { (name.clone(), talk.carry_on(&name, persona, number, conversation).await) }
        };
        let mut talking = futures_util::stream::iter(open).map(one).buffer_unordered(prober.at_once.max(1));
        while let Some((name, outcome)) = talking.next().await {
            match outcome {
                Ok(conversation) => drop(done.insert(name, conversation)),
                Err(Left::Later(why)) => left.push(why),
                Err(Left::Interrupted) => end = Some(TalkEnd::Interrupted),
                Err(Left::Capped(why)) => {
                    end = Some(TalkEnd::Capped(why));
                    break;
                }
                Err(Left::Everything(error)) => return Err(error),
            }
            show(TalkProgress { done: done.len(), total });
        }
    }
    Ok(match (end, left.pop()) {
        (Some(end), _) => end,
        (None, Some(why)) => TalkEnd::Open(left.len() + 1, why),
        (None, None) => TalkEnd::Done(done),
    })
}

/// All conversations of a run as far as they are kept.
async fn conversations(store: &Store, run: RunKey) -> Result<BTreeMap<String, Conversation>> {
    let mut found: BTreeMap<String, Conversation> = BTreeMap::new();
    for ProbeTurn { conversation, number, body } in store.probe_turns(run).await? {
        let entry: Entry = serde_json::from_str(&body)
            .map_err(|error| anyhow!("conversation {conversation}, entry {number}: cannot be read: {error}"))?;
        found.entry(conversation).or_default().take(entry);
    }
    Ok(found)
}

impl Talk<'_> {
    async fn carry_on(
        &self,
        name: &str,
        persona: &Persona,
        number: u32,
        mut conversation: Conversation,
    ) -> Result<Conversation, Left> {
        if conversation.entries > 0 && self.prober.bot.remembers() {
            // What the bot remembered is gone with its process.
            self.store.forget_conversation(self.run, name).await.map_err(anyhow::Error::from)?;
            conversation = Conversation::default();
        }
        let mut session = self.prober.bot.session();
        while conversation.ending.is_none() {
            if (self.is_stopped)() {
                return Err(Left::Interrupted);
            }
            if conversation.waiting.is_none() {
                let entry = self.next_line(persona, number, &conversation).await?;
                self.keep(name, &mut conversation, entry).await?;
                continue;
            }
            let key = format!("{}-{}-{}-{}", self.run.0, name.replace('/', "-"), conversation.entries, self.probe.seed);
            let entry = match session.reply(&conversation, name, &key).await {
                Ok(reply) => Entry::Bot { text: reply.text, nanos: reply.nanos },
                Err(BotFailure::ThisChat(why)) => Entry::End { how: Ending::Bot(why) },
                Err(BotFailure::Later(why)) => return Err(Left::Later(why)),
                Err(BotFailure::CostCap(why)) => return Err(Left::Capped(why)),
                Err(BotFailure::Everything(why)) => {
                    let error = Problem::new(format!("bot {}: {why}", self.probe.bot));
                    let fix = "fix that, and carry on with `carelock probe --resume`";
                    return Err(Left::Everything(anyhow!(error.advice(fix))));
                }
            };
            self.keep(name, &mut conversation, entry).await?;
        }
        Ok(conversation)
    }

    /// Keeps an entry; when this returns, it is safe.
    async fn keep(&self, name: &str, conversation: &mut Conversation, entry: Entry) -> Result<()> {
        let body = serde_json::to_string(&entry)?;
        let turn = ProbeTurn { conversation: name.to_owned(), number: conversation.entries, body };
        if !self.store.add_probe_turn(self.run, &turn).await? {
            let what = format!("another process carries on the conversation {name}");
            bail!(Problem::new(what).advice("let one process work on a probe at a time"));
        }
        conversation.take(entry);
        Ok(())
    }

    /// What the person does next.
    async fn next_line(&self, persona: &Persona, number: u32, conversation: &Conversation) -> Result<Entry, Left> {
        if conversation.leaves {
            return Ok(Entry::End { how: self.ending(persona, conversation, Ending::Left) });
        }
        let Some(user) = &self.prober.user else {
            return Ok(match self.scripted(persona, number, conversation).await? {
                Next::Say { step, text } => Entry::Person { text, step: Some(step), nanos: 0, leaves: false },
                Next::End(how) => Entry::End { how: self.ending(persona, conversation, how) },
            });
        };
        if conversation.said.len() >= self.probe.turns {
            return Ok(Entry::End { how: self.ending(persona, conversation, Ending::Turns) });
        }
        let told = played::instructions(persona, conversation);
        let messages = told.messages.iter();
        let messages =
            messages.map(|(from_model, text)| Message { from_model: *from_model, text: text.clone() }).collect();
        let mut chat = Chat {
            system: Some(told.system.clone()),
            messages,
            max_tokens: LINE_TOKENS,
            temperature: Some(TEMPERATURE),
            seed: None,
        };
        let mut nanos = 0;
        let mut broken = Failure::Empty;
        for attempt in 0..TRIES {
            let seed = self.probe.seed.wrapping_add(u64::from(number) << 8).wrapping_add(u64::from(attempt));
            chat.seed = Some(seed);
            let key = Lines::key(&told, &user.name(), seed, attempt);
            let text = match self.prober.lines.find(&key, &persona.id)? {
                Some(text) => text,
                None => {
                    let said = match user.say(&chat, &key).await {
                        Ok(said) => said,
                        Err(failure) if matches!(failure.kind(), AskFailure::Empty) => continue,
                        Err(failure) => return Err(left(&user.name(), &failure)),
                    };
                    nanos += u64::try_from(said.cost.picodollars() / 1000).unwrap_or(u64::MAX);
                    self.prober.lines.keep(key, &persona.id, &user.name(), &said.text);
                    said.text
                }
            };
            let SpokenLine { text, leaves } = played::spoken(&text);
            let lines = conversation.said.iter().map(|exchange| exchange.person.as_str()).chain([text.as_str()]);
            match simulator::line_failure(&lines.collect::<Vec<_>>(), persona.first_name()) {
                None => return Ok(Entry::Person { text, step: None, nanos, leaves }),
                Some(failure) => broken = failure,
            }
        }
        Ok(Entry::End { how: Ending::Simulator(broken) })
    }

    /// What the script says next. Reading the reply takes a moment, on a thread of its own, so that the other chats go on.
    async fn scripted(&self, persona: &Persona, number: u32, conversation: &Conversation) -> Result<Next> {
        let (persona, said, observer) = (persona.clone(), conversation.said.clone(), self.prober.observer.clone());
        let (turns, seed) = (self.probe.turns, self.probe.seed);
        let next = tokio::task::spawn_blocking(move || {
            let next = Script { persona: &persona, turns, seed, repetition: number }.next(&said, &observer);
            if matches!(next, Next::End(_)) {
                // Read now what is asked about the whole chat later.
                observer.see(&said);
            }
            next
        });
        Ok(next.await?)
    }

    /// How a conversation really ended: a person that broke down did not end it.
    fn ending(&self, persona: &Persona, conversation: &Conversation, how: Ending) -> Ending {
        let lines: Vec<&str> = conversation.said.iter().map(|exchange| exchange.person.as_str()).collect();
        let replies: Vec<&str> = conversation.said.iter().map(|exchange| exchange.reply.as_str()).collect();
        let is_played = self.prober.user.is_some();
        let ended = how == Ending::Left;
        let played = Played {
            lines: &lines,
            replies: &replies,
            ended,
            leaves_early: persona.leaves_early,
            name: persona.first_name(),
        };
        match simulator::failure(&played) {
            // A script says what its writer wrote.
            Some(failure) if is_played || failure == Failure::NoReply => Ending::Simulator(failure),
            _ => how,
        }
    }
}

fn left(name: &str, failure: &AskFailure) -> Left {
    let what = format!("user {name}: {failure}");
    match failure.kind() {
        AskFailure::CostCap(_) => Left::Capped(what),
        AskFailure::Misconfigured(_) => Left::Everything(anyhow!(
            Problem::new(what).advice("fix that, and carry on with `carelock probe --resume`")
        )),
        _ => Left::Later(what),
    }
}
