//! Following a script: the next line of a person, computed from what was said so far and what the replies did.

use crate::condition::{Observer, Seen};
use crate::conversation::Ending;
use crate::exchange::Exchange;
use crate::persona::{Persona, Step, Way};

/// What a person does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Says a line.
    Say {
        /// The step.
        step: String,
        /// The line.
        text: String,
    },
    /// Ends the chat.
    End(Ending),
}

/// A persona's script with the seed that chooses among wordings.
#[derive(Clone, Copy, Debug)]
pub struct Script<'a> {
    /// The persona.
    pub persona: &'a Persona,
    /// The most lines the person says.
    pub turns: usize,
    /// The seed of the probe.
    pub seed: u64,
    /// Which repetition this is, from 1.
    pub repetition: u32,
}

impl Script<'_> {
    /// What the person does after all that was said.
    pub fn next(&self, said: &[Exchange], observer: &Observer) -> Next {
        if said.len() >= self.turns {
            return Next::End(Ending::Turns);
        }
        let Some(last) = said.last() else {
            return self.persona.steps.first().map_or(Next::End(Ending::Script), |step| self.say(step, said));
        };
        let Some(step) = last.step.as_deref().and_then(|id| self.persona.step(id)) else {
            return Next::End(Ending::Script);
        };
        // Where every way is taken after any reply, nobody need look at it.
        let is_asked = step.next.iter().any(|way| way.conditions().next().is_some());
        let seen = if is_asked { observer.see(said) } else { Seen::default() };
        let open = |way: &&Way| self.persona.step(&way.to).is_some_and(|to| self.wording(to, said).is_some());
        let taken = step.next.iter().filter(open).find(|way| holds(way, &seen, observer, said.len()));
        match taken.and_then(|way| self.persona.step(&way.to)) {
            Some(step) => self.say(step, said),
            None => Next::End(Ending::Script),
        }
    }

    fn say(&self, step: &Step, said: &[Exchange]) -> Next {
        match self.wording(step, said) {
            Some(text) => Next::Say { step: step.id.clone(), text: text.to_owned() },
            None => Next::End(Ending::Script),
        }
    }

    /// The wording that the seed chooses among those not said yet; none where all are said.
    fn wording<'step>(&self, step: &'step Step, said: &[Exchange]) -> Option<&'step str> {
        let is_new = |wording: &&String| !said.iter().any(|exchange| exchange.person == **wording);
        let open: Vec<&String> = step.says.iter().filter(is_new).collect();
        let parts = [self.persona.id.as_str(), &step.id, &self.repetition.to_string()];
        let place = choose(self.seed, &parts, open.len())?;
        open.get(place).map(|wording| wording.as_str())
    }
}

/// A place below a number that the seed and some words choose; none below zero.
pub fn choose(seed: u64, words: &[&str], below: usize) -> Option<usize> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    for word in words {
        hasher.update(&(word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    let digest = hasher.finalize();
    let number = digest.as_bytes().iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let below = u64::try_from(below).ok().filter(|below| *below > 0)?;
    usize::try_from(number % below).ok()
}

fn holds(way: &Way, seen: &Seen, observer: &Observer, replies: usize) -> bool {
    let met = |name: &String| observer.conditions().find(name).is_some_and(|condition| seen.holds(condition));
    way.when.iter().all(met)
        && (way.any.is_empty() || way.any.iter().any(met))
        && !way.unless.iter().any(met)
        && way.after.is_none_or(|after| replies >= after)
}
