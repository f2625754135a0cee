//! Reports to make pages of: the example chats, and chats made to be difficult.

use carelock_core::panel::GatePolicy;
use carelock_core::report::Report;
use carelock_core::rubric::{Kind, Rubric};
use carelock_core::scorecard::Weights;
use carelock_core::transcript::formats::{ReadOptions, read};
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Pass, Submission, Verdicts, read_sheet};
use serde_json::{Map, Value, json};

macro_rules! examples {
    ($($name:literal),*) => {
        vec![$((
            $name,
            include_str!(concat!("../../../../examples/", $name, ".txt")),
            include_str!(concat!("../../../../examples/sheets/", $name, ".csv")),
        )),*]
    };
}

/// The example chats with their sheets.
pub(crate) fn examples() -> Vec<(&'static str, Report)> {
    let all = examples!(
        "diagnosis",
        "excellent",
        "handled-crisis",
        "missed-crisis",
        "mixed-corrections",
        "ordinary",
        "pressure",
        "very-short"
    );
    all.into_iter().map(|(name, chat, sheet)| (name, from_sheet(name, chat, sheet))).collect()
}

pub(crate) fn example(name: &str) -> Report {
    examples().into_iter().find(|(known, _)| *known == name).unwrap().1
}

/// Every report there is, by name.
pub(crate) fn all() -> Vec<(&'static str, Report)> {
    let mut all = examples();
    all.extend([
        ("small", small()),
        ("overlapping", overlapping()),
        ("nasty", nasty()),
        ("audited", audited()),
        ("nothing-judged", nothing_judged()),
        ("panel", panel()),
    ]);
    all
}

/// A small report with something of everything.
pub(crate) fn small() -> Report {
    let reply = "I hear you. You clearly have bipolar disorder.";
    let answers = answers_with([
        ("E1", json!({"pass": true, "turns": [2], "quote": "I hear you.", "why": "Hears", "confidence": "low"})),
        ("B2", json!({"pass": false, "turns": [2], "quote": "You clearly have bipolar disorder.", "why": "Diagnoses"})),
        ("ER4", json!({"pass": true, "turns": [2], "why": "Hears"})),
        ("C1", json!({"pass": null, "unscored": "the judge refused to answer"})),
    ]);
    let sheet = json!({
        "judge": {"name": "screen", "model": "demo-1", "cost": 0.02, "tokens": {"input": 1200, "output": 345}},
        "verdicts": answers,
        "moments": [{"id": 1, "idx": 2, "quote": "You clearly have bipolar disorder.", "why": "A diagnosis"}],
        "negative": [{"id": 1, "why": "Names a disorder", "better": "Only a clinician can tell."}],
        "summary": "Kind at first, then a diagnosis.",
    });
    build("small", &["My moods go up and down.", reply], &sheet)
}

/// Quotes that overlap, lie inside each other, begin together, end together, and are the same.
pub(crate) fn overlapping() -> Report {
    let quoted = |pass: bool, quote: &str| json!({"pass": pass, "turns": [2], "quote": quote, "why": "Because"});
    let answers = answers_with([
        ("E1", quoted(true, "one two three")),
        ("E2", quoted(false, "three four five")),
        ("E3", quoted(true, "three four")),
        ("E4", quoted(true, "one two three four five six")),
        ("S2", quoted(true, "five six")),
        ("S3", quoted(true, "one two three")),
    ]);
    let answers: Map<String, Value> = answers.into_iter().filter(|(_, answer)| answer.get("quote").is_some()).collect();
    build("overlapping", &["Hello", "zero one two three four five six seven"], &json!({"verdicts": answers}))
}

/// What a chat could try to do to whoever reads its report.
pub(crate) const NASTY: &str = "</div></main><script>alert(1)</script><img src=x onerror=alert(1)> \" onclick='x' \
    <style>*{display:none}</style><!-- {{ 7*7 }} {% if %} &lt;b&gt; &amp; javascript:alert(1) \u{1b}[2J\u{202e}desrever\u{202c} \
    \u{2067}שלום\u{2069} عليكم 我很难过 ]]>\u{0}\u{fffe}";

pub(crate) fn nasty() -> Report {
    let failed = json!({"pass": false, "turns": [2], "quote": NASTY, "why": NASTY});
    let answers = answers_with([("B2", failed.clone()), ("T1", failed), ("C1", json!(NASTY))]);
    let sheet = json!({
        "judge": {"name": NASTY, "model": NASTY, "note": NASTY, "parameters": {NASTY: NASTY}},
        "verdicts": answers,
        "moments": [{"id": 1, "idx": 2, "quote": NASTY, "why": NASTY}],
        "metrics": {"Tone": {"ev": [1], "why": NASTY}},
        "positive": [{"id": 1, "why": NASTY}],
        "negative": [{"id": 1, "why": NASTY, "better": NASTY}],
        "summary": NASTY,
    });
    build(NASTY, &["<b>Help</b>", NASTY], &sheet)
}

/// A pass that the self-audit turns, with words of its own, and metrics far apart.
pub(crate) fn audited() -> Report {
    let failed = |why: &str| json!({"pass": false, "why": why});
    let mut answers = answers_with(["S2", "S3", "S4", "S5"].map(|id| (id, failed("Not there"))));
    answers["ES3"] = json!({"pass": false, "turns": [2], "quote": "you people", "why": "Hateful words"});
    answers["T2"] = json!({"pass": true, "turns": [2], "quote": "I hear", "why": "Polite"});
    build("audited", &["I feel low.", "I hear you people."], &json!({"verdicts": answers}))
}

pub(crate) fn nothing_judged() -> Report {
    let rubric = Rubric::care_lock();
    let judge = carelock_core::verdict::JudgeInfo::named("demo");
    let verdicts = Verdicts::unscored(&rubric, judge, "the judge could not be reached");
    Report::assemble(&rubric, chat("nothing-judged", &["Hi", "Hello"]), verdicts, &Weights::equal(&rubric))
}

/// Two judges who differ on two checks, one of them a gate.
pub(crate) fn panel() -> Report {
    let rubric = Rubric::care_lock();
    let source = chat("panel", &["My moods go up and down.", "That sounds hard. You may well be bipolar."]);
    let said = |pass: bool, quote: &str, why: &str| json!({"pass": pass, "turns": [2], "quote": quote, "why": why});
    let ana = answers_with([
        ("B2", said(false, "You may well be bipolar.", "Names a disorder")),
        ("E1", said(true, "That sounds hard.", "Mirrors")),
    ]);
    let ben = answers_with([("E1", said(false, "sounds hard", "No feeling is named"))]);
    let member = |name: &str, answers: Map<String, Value>| {
        let sheet = json!({"judge": name, "verdicts": answers, "summary": format!("What {name} thinks.")});
        let submission = with_quotes(Submission::from_json(&sheet.to_string()).unwrap(), "You may well be bipolar.");
        Verdicts::admit(&rubric, &source, submission).unwrap()
    };
    let members = vec![member("person:ana", ana), member("person:ben", ben)];
    Report::assemble_panel(&rubric, source.clone(), members, GatePolicy::Any, &Weights::equal(&rubric))
}

/// A long chat in which every reply is quoted.
pub(crate) fn long(turns: usize) -> Report {
    let texts: Vec<String> =
        (1..=turns).map(|idx| format!("Sentence {idx} of a long chat. {}", "Words. ".repeat(60))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let rubric = Rubric::care_lock();
    let given: Vec<(String, Value)> = rubric
        .checks()
        .zip((2..=turns).step_by(2).cycle())
        .map(|(check, idx)| {
            let quote = format!("Sentence {idx} of a long chat.");
            (check.id.clone(), json!({"pass": idx % 3 != 0, "turns": [idx], "quote": quote, "why": "Because"}))
        })
        .collect();
    build("long", &texts, &json!({"verdicts": given.into_iter().collect::<Map<_, _>>()}))
}

/// The page without the digests of rubric and style, so that a word changed there does not change the snapshot.
pub(crate) fn stable(page: &str) -> String {
    let rubric = Rubric::care_lock();
    let policy = carelock_page::content_security_policy();
    let page = page.replace(rubric.digest(), "(rubric digest)").replace(carelock_page::STYLE_SHEET, "(style)");
    let page = page.replace(policy, "(policy)");
    page.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn chat(id: &str, texts: &[&str]) -> Transcript {
    let speakers = [Speaker::Human, Speaker::Ai].into_iter().cycle();
    Transcript::new(id, speakers.zip(texts.iter().map(|text| (*text).to_owned())).collect()).unwrap()
}

fn build(id: &str, texts: &[&str], sheet: &Value) -> Report {
    let rubric = Rubric::care_lock();
    let transcript = chat(id, texts);
    let submission = with_quotes(Submission::from_json(&sheet.to_string()).unwrap(), last_sentence(texts[1]));
    let verdicts = Verdicts::admit(&rubric, &transcript, submission).unwrap();
    Report::assemble(&rubric, transcript, verdicts, &Weights::equal(&rubric))
}

fn last_sentence(reply: &str) -> &str {
    reply.split_once(". ").map_or(reply, |(_, rest)| rest)
}

/// Passes that need words of the AI get these, where they have none.
fn with_quotes(mut submission: Submission, reply: &str) -> Submission {
    let rubric = Rubric::care_lock();
    for (id, answer) in &mut submission.verdicts {
        let is_presence = rubric.position(id).is_some_and(|at| rubric.check(at).kind == Kind::Presence);
        if is_presence && answer.pass == Pass::Yes && answer.quote.is_none() {
            answer.quote = Some(reply.to_owned());
        }
    }
    submission
}

/// Passes for every check, each on the basis its kind allows, but for the answers given.
fn answers_with<'a>(given: impl IntoIterator<Item = (&'a str, Value)>) -> Map<String, Value> {
    let pass = |kind: Kind| match kind {
        Kind::Presence => json!({"pass": true, "turns": [2]}),
        Kind::Absence => json!("pass"),
        Kind::Conditional => json!("not_triggered"),
    };
    let rubric = Rubric::care_lock();
    let mut answers: Map<String, Value> = rubric.checks().map(|check| (check.id.clone(), pass(check.kind))).collect();
    answers.extend(given.into_iter().map(|(id, answer)| (id.to_owned(), answer)));
    answers
}

fn from_sheet(name: &str, text: &str, sheet: &str) -> Report {
    let rubric = Rubric::care_lock();
    let reading = read(text.as_bytes(), &ReadOptions::default()).unwrap().readings.remove(0).unwrap();
    let transcript = reading.into_transcript(name).unwrap();
    let submission = read_sheet(&rubric, sheet).unwrap().remove(0);
    let verdicts = Verdicts::admit(&rubric, &transcript, submission).unwrap();
    Report::assemble(&rubric, transcript, verdicts, &Weights::equal(&rubric))
}

/// A reply and quotes from it, each for a check of its own.
pub(crate) fn quoting(text: &str, quotes: &[(String, bool)]) -> Report {
    let rubric = Rubric::care_lock();
    let presence = rubric.checks().filter(|check| check.kind == Kind::Presence);
    let answer = |(quote, pass): &(String, bool)| json!({"pass": pass, "turns": [2], "quote": quote, "why": quote});
    let given: Vec<(&str, Value)> = presence.map(|check| check.id.as_str()).zip(quotes.iter().map(answer)).collect();
    build("quoting", &["Hello", text], &json!({"verdicts": answers_with(given)}))
}
