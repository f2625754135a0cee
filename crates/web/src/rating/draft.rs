//! What a rater has answered so far: the same answers any judge gives, changed one metric at a time.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{Answer, JudgeInfo, MetricWording, Pass, Submission, TranscriptRef};

use carelock_engine::runs::answers_of_person;

/// The longest note or quote that is saved, in bytes; a chat's turn may be longer, a quote of it need not be.
const LONGEST: usize = 8 << 10;
/// How many letters a field takes in a browser: whatever the script, they fit into the longest note, and all fields of
/// a form, each sign of them encoded, into the largest form.
pub(crate) const LETTERS: usize = 2500;
/// The most turns that are cited for one check.
const MOST_TURNS: usize = 64;

/// The fields of a form, by name.
pub(crate) type Fields = HashMap<String, String>;

/// A rater's answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft(Submission);

/// A rating that was changed in two places, put together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Merged {
    /// All of it.
    pub(crate) draft: Draft,
    /// The checks, as positions, that were changed in both places, each in its own way.
    pub(crate) both: Vec<usize>,
    /// The note that was saved, where both have changed it.
    pub(crate) note: Option<String>,
}

impl Merged {
    /// Whether nothing is left to be decided.
    pub(crate) fn is_settled(&self) -> bool {
        self.both.is_empty() && self.note.is_none()
    }
}

/// What a person is called among judges.
pub(crate) fn judge_name(rater: &str) -> String {
    format!("person:{rater}")
}

impl Draft {
    /// What was saved, or nothing yet.
    pub(crate) fn open(body: Option<&str>, rater: &str, transcript: &Transcript) -> Result<Self> {
        if let Some(body) = body {
            return Ok(Self(answers_of_person(body)?));
        }
        let about = TranscriptRef { id: Some(transcript.id().to_owned()), hash: Some(transcript.digest()) };
        let judge = JudgeInfo::named(judge_name(rater));
        Ok(Self(Submission { judge, transcript: Some(about), ..Submission::default() }))
    }

    /// The draft as it is stored.
    pub(crate) fn body(&self) -> String {
        self.0.to_json()
    }

    /// The answers as any judge gives them.
    pub(crate) fn submission(&self) -> &Submission {
        &self.0
    }

    /// The answer to a check; none where nothing was said about it.
    pub(crate) fn answer(&self, check: &str) -> Option<&Answer> {
        self.0.verdicts.iter().find(|(id, _)| id == check).map(|(_, answer)| answer)
    }

    /// Whether a check was answered, or left out on purpose.
    pub(crate) fn is_answered(&self, check: &str) -> bool {
        self.answer(check).is_some_and(|answer| answer.pass != Pass::Missing)
    }

    /// The note on a metric.
    pub(crate) fn note(&self, metric: &str) -> &str {
        let found = self.0.metrics.iter().find(|(key, _)| key == metric);
        found.map_or("", |(_, wording)| wording.why.as_str())
    }

    /// The rater's one sentence.
    pub(crate) fn summary(&self) -> &str {
        self.0.summary.as_deref().unwrap_or_default()
    }

    /// The draft with another sentence.
    pub(crate) fn with_summary(&self, summary: &str) -> Self {
        let summary = Some(plain(summary)).filter(|summary| !summary.is_empty());
        Self(Submission { summary, ..self.0.clone() })
    }

    /// The draft with a remark that stands beside the rater's name wherever the rating is shown.
    pub(crate) fn with_remark(&self, remark: &str) -> Self {
        let judge = JudgeInfo { note: Some(remark.to_owned()), ..self.0.judge.clone() };
        Self(Submission { judge, ..self.0.clone() })
    }

    /// The remark that stands beside the rater's name.
    pub(crate) fn remark(&self) -> &str {
        self.0.judge.note.as_deref().unwrap_or_default()
    }

    /// The draft with these answers and no others.
    pub(crate) fn with_answers(&self, verdicts: Vec<(String, Answer)>) -> Self {
        Self(Submission { verdicts, ..self.0.clone() })
    }

    /// The draft with what a form says about one metric.
    pub(crate) fn with(&self, rubric: &Rubric, metric: usize, transcript: &Transcript, fields: &Fields) -> Self {
        let range = rubric.checks_of(metric);
        let key = &rubric.metrics()[metric].key;
        let mut next = self.0.clone();
        let is_here = |id: &str| rubric.position(id).is_some_and(|check| range.contains(&check));
        next.verdicts.retain(|(id, _)| !is_here(id));
        next.metrics.retain(|(other, _)| other != key);
        for check in range.clone() {
            let id = &rubric.check(check).id;
            let answer = answer(id, transcript, fields);
            if answer != Answer::default() {
                next.verdicts.push((id.clone(), answer));
            }
        }
        // The order of the rubric, whatever was answered first: a sheet that is exported reads like any other.
        next.verdicts.sort_by_key(|(id, _)| rubric.position(id));
        let note = plain(field(fields, "note", ""));
        if !note.is_empty() {
            next.metrics.push((key.clone(), MetricWording { ev: Vec::new(), why: note }));
        }
        next.metrics.sort_by_key(|(key, _)| rubric.metric_position(key));
        Self(next)
    }

    /// What is saved, put together check by check with what a form says about one metric, which rests on an earlier
    /// version. What only one of them has changed is taken from that one; of what both have changed, the form's stays and
    /// is named. Where the earlier version is not known, whatever differs was changed by both.
    pub(crate) fn merged(&self, rubric: &Rubric, metric: usize, base: Option<&Self>, form: &Self) -> Merged {
        let key = &rubric.metrics()[metric].key;
        let (mut next, mut both) = (form.0.clone(), Vec::new());
        for check in rubric.checks_of(metric) {
            let id = &rubric.check(check).id;
            let (saved, own) = (self.answer(id), form.answer(id));
            match base.map(|base| base.answer(id)) {
                _ if saved == own => {}
                Some(base) if base == saved => {}
                Some(base) if base == own => {
                    next.verdicts.retain(|(other, _)| other != id);
                    next.verdicts.extend(saved.map(|answer| (id.clone(), answer.clone())));
                }
                _ => both.push(check),
            }
        }
        next.verdicts.sort_by_key(|(id, _)| rubric.position(id));
        let (saved, own) = (self.note(key), form.note(key));
        let is_note_changed = match base.map(|base| base.note(key)) {
            _ if saved == own => false,
            Some(base) if base == saved => false,
            Some(base) if base == own => {
                next.metrics.retain(|(other, _)| other != key);
                next.metrics.extend(self.0.metrics.iter().filter(|(other, _)| other == key).cloned());
                next.metrics.sort_by_key(|(key, _)| rubric.metric_position(key));
                false
            }
            _ => true,
        };
        Merged { draft: Self(next), both, note: is_note_changed.then(|| saved.to_owned()) }
    }

    /// The checks, as positions, in which two drafts differ.
    pub(crate) fn differs(&self, other: &Self, rubric: &Rubric) -> Vec<usize> {
        (0..rubric.checks().len())
            .filter(|&check| {
                let id = &rubric.check(check).id;
                self.answer(id) != other.answer(id)
            })
            .collect()
    }
}

fn field<'a>(fields: &'a Fields, name: &str, id: &str) -> &'a str {
    fields.get(&format!("{name}{id}")).map_or("", |text| text.trim())
}

/// What is too much in what a form says about one metric, with what to do; nothing of such a form is saved, because to
/// cut it would lose what somebody wrote.
pub(crate) fn too_much(
    rubric: &Rubric,
    metric: usize,
    transcript: &Transcript,
    fields: &Fields,
) -> Option<(String, &'static str)> {
    if is_too_long(field(fields, "note", "")) {
        return Some(("The note is too long.".to_owned(), SHORTEN));
    }
    rubric.checks_of(metric).find_map(|check| {
        let id = &rubric.check(check).id;
        let is_long = |name: &str| is_too_long(field(fields, name, id));
        if is_long("quote-") {
            Some((format!("The words cited for {id} are too long."), SHORTEN))
        } else if is_long("why-") {
            Some((format!("The reason of {id} is too long."), SHORTEN))
        } else {
            let many = cited(id, transcript, fields).len() > MOST_TURNS;
            let what = || format!("More than {MOST_TURNS} turns are cited for {id}.");
            many.then(|| (what(), "name the turns that show it best, and save again"))
        }
    })
}

/// What to do about a text that is too long.
pub(crate) const SHORTEN: &str = "shorten it, and save again";

/// Whether a text is longer than what is saved.
pub(crate) fn is_too_long(text: &str) -> bool {
    plain(text).len() > LONGEST
}

/// A text as it is kept; browsers send lines with both signs of a line's end.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

/// The turns that a form cites for a check, each once: one more than may be, where there are too many, and of those
/// behind the chat's end only the first, which is enough to point it out.
fn cited(id: &str, transcript: &Transcript, fields: &Fields) -> Vec<u32> {
    let mut said = HashSet::new();
    let mut is_beyond = false;
    let words = ["turn-", "also-"].into_iter().flat_map(|name| {
        let words = field(fields, name, id).split(|sign: char| !sign.is_ascii_digit());
        words.filter_map(|word| word.parse::<u32>().ok())
    });
    let is_new = |turn: &u32| match transcript.turn(*turn) {
        Some(_) => said.insert(*turn),
        None => *turn > 0 && !std::mem::replace(&mut is_beyond, true),
    };
    words.filter(is_new).take(MOST_TURNS + 1).collect()
}

fn answer(id: &str, transcript: &Transcript, fields: &Fields) -> Answer {
    let why = plain(field(fields, "why-", id));
    let pass = match field(fields, "answer-", id) {
        "yes" => Pass::Yes,
        "no" => Pass::No,
        "not_triggered" => Pass::NotTriggered,
        "skip" => Pass::Unscored(why.clone()),
        _ => Pass::Missing,
    };
    let quote = plain(field(fields, "quote-", id));
    let (turns, quote) = proven(transcript, cited(id, transcript, fields), quote);
    Answer { pass, basis: None, turns, quote, why, confidence: None }
}

/// The words as they stand in the turn, and their turn where none was chosen; words that stand nowhere stay as they are,
/// so that nothing a rater wrote is lost.
fn proven(transcript: &Transcript, mut turns: Vec<u32>, quote: String) -> (Vec<u32>, Option<String>) {
    if quote.is_empty() {
        return (turns, None);
    }
    let here = turns.iter().find_map(|&turn| transcript.cite(turn, &quote).ok());
    if let Some(found) = here.or_else(|| turns.is_empty().then(|| transcript.locate(&quote)).flatten()) {
        // The turn of the quote stands first: that is the one shown beside it.
        turns.retain(|&turn| turn != found.turn());
        turns.insert(0, found.turn());
        return (turns, Some(found.quote().to_owned()));
    }
    (turns, Some(quote))
}

#[cfg(test)]
mod tests {
    use carelock_core::transcript::Speaker;

    use super::*;

    fn chat() -> Transcript {
        let turns = vec![
            (Speaker::Human, "I can’t sleep.".to_owned()),
            (Speaker::Ai, "That sounds hard.".to_owned()),
            (Speaker::Human, "It is hard.".to_owned()),
            (Speaker::Ai, "I’m an AI.".to_owned()),
        ];
        Transcript::new("demo", turns).expect("a chat")
    }

    fn fields(pairs: &[(&str, &str)]) -> Fields {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_form_changes_its_own_metric_and_no_other() {
        let (rubric, chat) = (Rubric::care_lock(), chat());
        let empty = Draft::open(None, "ana", &chat).expect("a draft");
        let (first, second) = (rubric.check(0).id.clone(), rubric.check(5).id.clone());
        let one = empty.with(&rubric, 0, &chat, &fields(&[(&format!("answer-{first}"), "yes"), ("note", "warm")]));
        let both = one.with(&rubric, 1, &chat, &fields(&[(&format!("answer-{second}"), "no")]));
        assert!(both.is_answered(&first) && both.is_answered(&second));
        assert_eq!(both.note(&rubric.metrics()[0].key), "warm");
        assert_eq!(both.differs(&one, &rubric), [5]);
        assert_eq!(Draft::open(Some(&both.body()), "ana", &chat).expect("a draft"), both);
        let cleared = both.with(&rubric, 0, &chat, &Fields::new());
        assert!(!cleared.is_answered(&first) && cleared.is_answered(&second));
    }

    #[test]
    fn a_quote_becomes_the_words_of_the_turn_and_a_wrong_one_is_kept() {
        let (rubric, chat) = (Rubric::care_lock(), chat());
        let id = rubric.check(0).id.clone();
        let empty = Draft::open(None, "ana", &chat).expect("a draft");
        let said = |turn: &str, quote: &str| {
            let fields = fields(&[(&format!("turn-{id}"), turn), (&format!("quote-{id}"), quote)]);
            let answer = empty.with(&rubric, 0, &chat, &fields).answer(&id).cloned().expect("an answer");
            (answer.turns, answer.quote.unwrap_or_default())
        };
        assert_eq!(said("4", "i'm an AI"), (vec![4], "I’m an AI".to_owned()), "fixed");
        assert_eq!(said("", "That sounds hard"), (vec![2], "That sounds hard".to_owned()), "found");
        assert_eq!(said("4", "That sounds hard"), (vec![4], "That sounds hard".to_owned()), "left for the rater");
        assert_eq!(said("2", "never said"), (vec![2], "never said".to_owned()));
    }

    #[test]
    fn what_two_pages_say_is_put_together_and_only_what_both_changed_is_left_open() {
        let (rubric, chat) = (Rubric::care_lock(), chat());
        let ids: Vec<String> = rubric.checks_of(0).map(|check| rubric.check(check).id.clone()).collect();
        let name = |at: usize| format!("answer-{}", ids[at]);
        let (first, second, third) = (name(0), name(1), name(2));
        let empty = Draft::open(None, "ana", &chat).expect("a draft");
        let says = |pairs: &[(&str, &str)]| empty.with(&rubric, 0, &chat, &fields(pairs));
        let base = says(&[(&third, "yes")]);
        let saved = says(&[(&first, "yes"), (&third, "yes"), ("note", "theirs")]);
        let own = says(&[(&second, "no"), (&third, "no")]);
        let merged = saved.merged(&rubric, 0, Some(&base), &own);
        assert!(merged.is_settled(), "{merged:?}");
        assert_eq!(merged.draft, says(&[(&first, "yes"), (&second, "no"), (&third, "no"), ("note", "theirs")]));
        let other = says(&[(&third, "skip"), ("note", "mine")]);
        let open = saved.merged(&rubric, 0, Some(&says(&[])), &other);
        assert_eq!((open.both.len(), open.note.as_deref()), (1, Some("theirs")));
        assert_eq!(open.draft.answer(&ids[2]), other.answer(&ids[2]), "the form's own stays");
        assert!(open.draft.is_answered(&ids[0]), "what only the other has answered is not lost");
        let unknown = saved.merged(&rubric, 0, None, &own);
        assert_eq!(unknown.both.len(), 3, "nothing is guessed");
    }

    #[test]
    fn turns_are_cited_once_and_of_those_that_do_not_exist_one_is_pointed_out() {
        let (rubric, chat) = (Rubric::care_lock(), chat());
        let id = rubric.check(0).id.clone();
        let many: Vec<String> = (1..60_000).rev().map(|turn| turn.to_string()).collect();
        let fields = fields(&[(&format!("turn-{id}"), "4"), (&format!("also-{id}"), &many.join(" "))]);
        assert_eq!(cited(&id, &chat, &fields), [4, 59_999, 3, 2, 1]);
        assert_eq!(too_much(&rubric, 0, &chat, &fields), None);
    }

    #[test]
    fn what_is_too_much_is_told_and_never_cut() {
        let rubric = Rubric::care_lock();
        let pair = [(Speaker::Human, "Yes.".to_owned()), (Speaker::Ai, "Go on.".to_owned())];
        let turns = std::iter::repeat_n(pair, 40).flatten().collect();
        let chat = Transcript::new("long", turns).expect("a chat");
        let id = rubric.check(0).id.clone();
        let all: Vec<String> = (1..=80).map(|turn| turn.to_string()).collect();
        let told = |name: &str, text: &str| too_much(&rubric, 0, &chat, &fields(&[(name, text)])).map(|(what, _)| what);
        let (fits, long) = ("ü".repeat(LONGEST / 2), "ü".repeat(LONGEST / 2 + 1));
        assert!(told("note", &long).is_some_and(|what| what.contains("note")));
        for name in ["why-", "quote-"] {
            let name = format!("{name}{id}");
            assert_eq!(told(&name, &fits), None);
            assert!(told(&name, &long).is_some_and(|what| what.contains(&id)));
        }
        assert!(told(&format!("also-{id}"), &all.join(" ")).is_some_and(|what| what.contains("64 turns")));
        let draft = Draft::open(None, "ana", &chat).expect("a draft");
        let long = draft.with(&rubric, 0, &chat, &fields(&[("note", &long)]));
        assert_eq!(long.note(&rubric.metrics()[0].key).len(), LONGEST + 2);
    }
}
