//! The second look: answers that contradict each other or rest on nothing are asked once more, alone.

use std::collections::BTreeSet;

use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::{Scorecard, Weights};
use carelock_core::transcript::{Transcript, Turn};
use carelock_core::verdict::{Pass, Submission, Verdict, Verdicts};

use super::evidence::{admitted, doubtful};
use super::{SECOND_LOOK, estimate_tokens, fill, frame, listed};

/// What to ask once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondLook {
    /// The message; the instructions are those of the first question.
    pub message: String,
    /// The checks it asks, in rubric order.
    pub checks: Vec<String>,
}

/// A check that is asked again, and the turns concerned; none are known where it cites none that exist.
struct Doubt {
    position: usize,
    turns: BTreeSet<u32>,
    why: String,
}

/// The message that asks once more what cannot stand, or nothing if all stands or a message would not fit the budget.
///
/// Asked are both sides of every contradiction the self-audit finds, and the checks named as doubtful. A contradiction
/// is shown with the turns either side cites and their neighbours. A check whose evidence did not verify is shown the
/// whole chat, since its evidence is not where it was said to be; where the whole does not fit, the turns cited and
/// their neighbours. Nothing the first answer said is repeated: its words may come from the chat.
pub fn second_look(
    rubric: &Rubric,
    transcript: &Transcript,
    first: &Submission,
    doubtful: &[impl AsRef<str>],
    budget_tokens: usize,
) -> Result<Option<SecondLook>, Problem> {
    let verdicts = admitted(rubric, transcript, first)?;
    let mut doubts = contradictions(rubric, &verdicts);
    let mut everything = false;
    for id in doubtful.iter().map(AsRef::as_ref) {
        let Some(position) = rubric.position(id) else { continue };
        everything = true;
        let why = format!("{id}: its evidence did not verify.");
        add(&mut doubts, Doubt { position, turns: cited(rubric, transcript, &verdicts, first, position), why });
    }
    if doubts.is_empty() {
        return Ok(None);
    }
    doubts.sort_by_key(|doubt| doubt.position);
    let all: Vec<&Turn> = transcript.turns().iter().collect();
    everything |= doubts.iter().any(|doubt| doubt.turns.is_empty());
    let whole = everything.then(|| message(rubric, transcript, &doubts, &all));
    if let Some(look) = whole.filter(|look| estimate_tokens(&look.message) <= budget_tokens) {
        return Ok(Some(look));
    }
    doubts.retain(|doubt| !doubt.turns.is_empty());
    let near = |turn: &&Turn| doubts.iter().flat_map(|doubt| &doubt.turns).any(|&idx| idx.abs_diff(turn.idx) <= 1);
    let some: Vec<&Turn> = transcript.turns().iter().filter(near).collect();
    let look = (!doubts.is_empty()).then(|| message(rubric, transcript, &doubts, &some));
    Ok(look.filter(|look| estimate_tokens(&look.message) <= budget_tokens))
}

/// Both sides of every rule of the self-audit that the verdicts break; each side brings its turns to the other.
fn contradictions(rubric: &Rubric, verdicts: &Verdicts) -> Vec<Doubt> {
    let card = Scorecard::compute(rubric, verdicts.checks.clone(), &Weights::equal(rubric));
    let mut doubts = Vec::new();
    for (right, check) in card.checks.iter().enumerate() {
        let Some(left) = check.entailed_by else { continue };
        let (from, to) = (&rubric.check(left).id, &rubric.check(right).id);
        let rule = rubric.file().audit.entails.iter().find(|rule| rule.when_fails == *from && rule.then_fails == *to);
        let because = rule.map(|rule| rule.because.as_str()).unwrap_or_default();
        let turns = |position: usize| match &verdicts.checks[position] {
            Verdict::Judged(judged) => judged.turns.clone(),
            Verdict::Unscored(_) => Vec::new(),
        };
        let both: BTreeSet<u32> = turns(left).into_iter().chain(turns(right)).collect();
        let why = format!("{from} failed while {to} passed, but {because}.");
        for position in [left, right] {
            add(&mut doubts, Doubt { position, turns: both.clone(), why: why.clone() });
        }
    }
    doubts
}

/// Adds a doubt; a check that is doubted twice keeps the turns and reasons of both.
fn add(doubts: &mut Vec<Doubt>, doubt: Doubt) {
    match doubts.iter_mut().find(|other| other.position == doubt.position) {
        Some(other) => {
            other.turns.extend(doubt.turns);
            if !other.why.contains(&doubt.why) {
                other.why.push(' ');
                other.why.push_str(&doubt.why);
            }
        }
        None => doubts.push(doubt),
    }
}

/// The existing turns an answer cites, whether or not it could be taken in.
fn cited(
    rubric: &Rubric,
    transcript: &Transcript,
    verdicts: &Verdicts,
    first: &Submission,
    position: usize,
) -> BTreeSet<u32> {
    if let Verdict::Judged(judged) = &verdicts.checks[position] {
        return judged.turns.iter().copied().collect();
    }
    let id = &rubric.check(position).id;
    let answer = first.verdicts.iter().find(|(answered, _)| answered == id);
    let turns = answer.into_iter().flat_map(|(_, answer)| answer.turns.iter().copied());
    turns.filter(|&idx| transcript.turn(idx).is_some()).collect()
}

fn message(rubric: &Rubric, transcript: &Transcript, doubts: &[Doubt], turns: &[&Turn]) -> SecondLook {
    let mut reasons: Vec<String> = Vec::new();
    for doubt in doubts {
        let line = format!("- {}", doubt.why);
        if !reasons.contains(&line) {
            reasons.push(line);
        }
    }
    let checks: Vec<String> = doubts.iter().map(|doubt| rubric.check(doubt.position).id.clone()).collect();
    let total = transcript.turns().len();
    let shown = if turns.len() == total {
        "The whole chat follows.".to_owned()
    } else {
        "Only the turns concerned and their neighbours follow, with the numbers they have in the whole chat; \
         the other turns were read before and gave no other evidence."
            .to_owned()
    };
    let frame = frame::frame(&frame::boundary(transcript), turns.iter().copied());
    let values = [
        ("total", &total.to_string()[..]),
        ("doubts", &reasons.join("\n")),
        ("checks", &listed(&checks)),
        ("shown", &shown),
        ("frame", &frame),
    ];
    SecondLook { message: fill(SECOND_LOOK, &values), checks }
}

/// The first answers with those of the second look in their place, and the checks that it changed.
///
/// An answer of the second look counts only if its own evidence stands; otherwise the first is kept, and the rules for
/// unverified evidence and contradictions decide.
pub fn settle(
    rubric: &Rubric,
    transcript: &Transcript,
    mut first: Submission,
    second: &Submission,
) -> Result<(Submission, Vec<String>), Problem> {
    let weak = doubtful(rubric, transcript, second)?;
    let mut changed = Vec::new();
    for (id, answer) in &second.verdicts {
        let answered = matches!(answer.pass, Pass::Yes | Pass::No | Pass::NotTriggered);
        if !answered || weak.contains(id) {
            continue;
        }
        let Some((_, before)) = first.verdicts.iter_mut().find(|(known, _)| known == id) else { continue };
        if before != answer {
            *before = answer.clone();
            changed.push(id.clone());
        }
    }
    Ok((first, changed))
}
