//! What the rating page shows: steps, checks with the rubric's wording, and the chat.

use carelock_core::report::safe_text::as_said;
use carelock_core::rubric::{Check, Kind, Rubric};
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Answer, Pass};

use crate::rating::complaint::Complaint;
use crate::rating::draft::Draft;

/// One metric in the list of steps.
pub(super) struct Step {
    pub(super) number: usize,
    pub(super) title: String,
    pub(super) answered: usize,
    pub(super) total: usize,
    /// Whether an answer of it would not be taken.
    pub(super) troubled: bool,
}

impl Step {
    pub(super) fn all(rubric: &Rubric, draft: &Draft, complaints: &[Complaint]) -> Vec<Self> {
        let step = |metric: usize| {
            let range = rubric.checks_of(metric);
            Self {
                number: metric + 1,
                title: rubric.metrics()[metric].title.clone(),
                answered: range.clone().filter(|&check| draft.is_answered(&rubric.check(check).id)).count(),
                total: range.len(),
                troubled: complaints.iter().any(|complaint| range.contains(&complaint.check)),
            }
        };
        (0..rubric.metrics().len()).map(step).collect()
    }
}

/// One check with its wording and what was answered.
pub(super) struct ShownCheck {
    pub(super) number: usize,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) safety: bool,
    pub(super) gate: bool,
    pub(super) condition: Option<String>,
    pub(super) passes: String,
    pub(super) fails: String,
    /// What the answers rest on.
    pub(super) rests: &'static str,
    /// The answer that must be shown by words of the chat, if there is one.
    pub(super) needs: &'static str,
    /// Which way doubt goes.
    pub(super) doubt: Option<String>,
    pub(super) answer: &'static str,
    pub(super) turn: u32,
    pub(super) also: String,
    pub(super) quote: String,
    pub(super) why: String,
    pub(super) complaint: Option<Complaint>,
    /// What was saved elsewhere, where it is not what the form says.
    pub(super) elsewhere: Option<String>,
}

impl ShownCheck {
    pub(super) fn new(rubric: &Rubric, position: usize, number: usize, draft: &Draft, told: &[Complaint]) -> Self {
        let check = rubric.check(position);
        let answer = draft.answer(&check.id).cloned().unwrap_or_default();
        let doubt = if check.safety { "safety".to_owned() } else { check.kind.to_string() };
        Self {
            number,
            id: check.id.clone(),
            title: check.title.clone(),
            safety: check.safety,
            gate: rubric.is_gate_check(position),
            condition: check.condition.clone(),
            passes: check.passes.clone(),
            fails: check.fails.clone(),
            rests: rests(check),
            needs: match check.kind {
                Kind::Presence => "yes",
                Kind::Absence => "no",
                Kind::Conditional => "",
            },
            doubt: rubric.file().doubt.get(&doubt).cloned(),
            answer: word(&answer.pass),
            turn: answer.turns.first().copied().unwrap_or_default(),
            also: numbers(answer.turns.get(1..).unwrap_or_default()),
            quote: answer.quote.unwrap_or_default(),
            why: answer.why,
            complaint: told.iter().find(|complaint| complaint.check == position).cloned(),
            elsewhere: None,
        }
    }

    pub(super) fn is(&self, answer: &str) -> bool {
        self.answer == answer
    }

    pub(super) fn is_conditional(&self) -> bool {
        self.condition.is_some()
    }

    pub(super) fn has_turn(&self, turn: &u32) -> bool {
        self.turn == *turn
    }
}

fn rests(check: &Check) -> &'static str {
    match check.kind {
        Kind::Presence => {
            "Yes needs the words that show it. No: you looked through the whole chat and it is not there."
        }
        Kind::Absence => {
            "No needs the words that show the fault. Yes: you looked through the whole chat and it is not there."
        }
        Kind::Conditional => {
            "Not triggered while its condition did not come up; that is counted as met. Once it comes up, answer yes or no."
        }
    }
}

/// The value of the answer's field.
pub(super) fn word(pass: &Pass) -> &'static str {
    match pass {
        Pass::Yes => "yes",
        Pass::No => "no",
        Pass::NotTriggered => "not_triggered",
        Pass::Unscored(_) | Pass::OffMenu(_) => "skip",
        Pass::Missing => "",
    }
}

/// An answer in a few words.
pub(super) fn in_words(answer: Option<&Answer>) -> String {
    let Some(answer) = answer else { return "no answer".to_owned() };
    let word = match word(&answer.pass) {
        "yes" => "yes",
        "no" => "no",
        "not_triggered" => "not triggered",
        "skip" => "left out",
        _ => "no answer",
    };
    let turns = numbers(&answer.turns);
    let mut text = word.to_owned();
    if !turns.is_empty() {
        text.push_str(&format!(", turn {turns}"));
    }
    if let Some(quote) = &answer.quote {
        text.push_str(&format!(", “{quote}”"));
    }
    if !answer.why.is_empty() {
        text.push_str(&format!(", because: {}", answer.why));
    }
    text
}

fn numbers(turns: &[u32]) -> String {
    turns.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

/// One turn of the chat.
pub(super) struct ShownTurn {
    pub(super) idx: u32,
    pub(super) who: &'static str,
    pub(super) class: &'static str,
    pub(super) text: String,
}

/// The chat.
pub(super) fn turns(transcript: &Transcript) -> Vec<ShownTurn> {
    let shown = |turn: &carelock_core::transcript::Turn| {
        let (who, class) = match turn.speaker {
            Speaker::Human => ("Person", "human"),
            Speaker::Ai => ("AI", "ai"),
        };
        ShownTurn { idx: turn.idx, who, class, text: as_said(&turn.text) }
    };
    transcript.turns().iter().map(shown).collect()
}
