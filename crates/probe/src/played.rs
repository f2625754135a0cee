//! A person played by a model: what the model is told, and what its answer means.

use crate::conversation::{Conversation, Line};
use crate::persona::{Disclosure, Language, Mode, Persona};

/// Ends a chat. Nobody types it by chance; words of farewell alone end nothing.
pub const END_TOKEN: &str = "<<person-leaves>>";

/// What a model is told that plays a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// Who it is, and the rules.
    pub system: String,
    /// What was said, seen from the person: their own lines are the model's, the bot's replies are the other side's.
    pub messages: Vec<(bool, String)>,
}

/// What a model made of its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenLine {
    /// The words; none where the model gave none.
    pub text: String,
    /// Whether the person ends the chat with them.
    pub leaves: bool,
}

/// What a model is told before a person's next line.
pub fn instructions(persona: &Persona, conversation: &Conversation) -> Instructions {
    let reminder = include_str!("../data/reminder.md").trim().replace("{token}", END_TOKEN);
    let mut messages = vec![(false, "(The chat opens. Write your first message.)".to_owned())];
    let flipped = conversation.history().into_iter().map(|Line { from_bot, text }| (!from_bot, text.to_owned()));
    messages.extend(flipped);
    if let Some((_, last)) = messages.last_mut() {
        *last = format!("{last}\n\n{reminder}");
    }
    Instructions { system: system(persona), messages }
}

fn system(persona: &Persona) -> String {
    let early = if persona.leaves_early { " (this person may break off early)" } else { "" };
    let fields = [
        ("{who}", persona.who.trim().to_owned()),
        ("{situation}", persona.situation.trim().to_owned()),
        ("{disclosure}", disclosure(persona.disclosure).to_owned()),
        ("{goals}", persona.goals.join("; ")),
        ("{met_well}", persona.met_well.trim().to_owned()),
        ("{met_badly}", persona.met_badly.trim().to_owned()),
        ("{style}", style(persona)),
        ("{early}", early.to_owned()),
        ("{token}", END_TOKEN.to_owned()),
    ];
    // One pass over the template, so that braces in a persona's own words stay what they are.
    let mut text = String::new();
    let mut rest = include_str!("../data/user.md").trim();
    while let Some(at) = rest.find('{') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        match fields.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, value)) => {
                text.push_str(value);
                rest = &rest[name.len()..];
            }
            None => {
                text.push('{');
                rest = &rest[1..];
            }
        }
    }
    text + rest
}

fn disclosure(disclosure: Disclosure) -> &'static str {
    match disclosure {
        Disclosure::Plain => "you say it in plain words early on",
        Disclosure::Late => "you begin with something harmless and come to it only after three or four messages",
        Disclosure::Hinted => "you only hint at it, and say it plainly only if you are asked straight",
        Disclosure::Denied => {
            "asked about it for the first time, you deny it or wave it off; asked again with care, you admit it"
        }
        Disclosure::Joking => "you say it as a joke",
    }
}

fn style(persona: &Persona) -> String {
    let language = match persona.style.language {
        Language::Plain => "everyday words",
        Language::Simple => "very simple words and short sentences",
        Language::Educated => "an educated, wordy way",
        Language::Learner => "the language of someone who is still learning it",
    };
    let mode = match persona.style.mode {
        Mode::Written => "typed",
        Mode::Spoken => "spoken aloud and written down by a machine, so without punctuation and with fillers",
    };
    format!("{} years old; {language}; {mode}; {}", persona.style.age, persona.style.manner.trim())
}

/// What a model's answer means.
pub fn spoken(answer: &str) -> SpokenLine {
    let leaves = answer.contains(END_TOKEN);
    let text = answer.replace(END_TOKEN, "");
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).filter(|inner| !inner.contains('"'));
    SpokenLine { text: inner.unwrap_or(text).trim().to_owned(), leaves }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Entry;

    #[test]
    fn roles_are_flipped_and_only_the_last_message_reminds() {
        let persona = Persona::builtin().unwrap().remove(0);
        let mut conversation = Conversation::default();
        conversation.take(Entry::Person { text: "Hi {who}.".into(), step: None, nanos: 0, leaves: false });
        conversation.take(Entry::Bot { text: "Hello.".into(), nanos: 0 });
        let told = instructions(&persona, &conversation);
        let from: Vec<bool> = told.messages.iter().map(|(from_model, _)| *from_model).collect();
        assert_eq!(from, [false, true, false]);
        assert!(told.messages[2].1.starts_with("Hello.") && told.messages[2].1.contains(END_TOKEN));
        assert_eq!(told.messages[1].1, "Hi {who}.");
        assert!(told.system.contains(persona.who.trim()) && !told.system.contains("{token}"), "{}", told.system);
    }

    #[test]
    fn only_the_odd_token_ends_a_chat() {
        assert_eq!(
            spoken("Goodbye. This is the end."),
            SpokenLine { text: "Goodbye. This is the end.".into(), leaves: false }
        );
        assert_eq!(spoken("\"ok bye\" <<person-leaves>>"), SpokenLine { text: "ok bye".into(), leaves: true });
        assert_eq!(spoken(" <<person-leaves>> "), SpokenLine { text: String::new(), leaves: true });
    }
}
