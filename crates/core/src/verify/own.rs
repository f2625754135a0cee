//! Our own reports: made again from the judge's answers by the code that made them, and compared.

use serde_json::Value;

use super::chat::{Chat, Spelling};
use super::json::Place;
use super::points::{Outcome, Points, shown};
use super::{compare, moments};
use crate::audit::Step;
use crate::panel::PanelRules;
use crate::report::{CheckReport, REPORT_SCHEMA, Report, Source};
use crate::rubric::Rubric;
use crate::scorecard::Weights;
use crate::transcript::Transcript;
use crate::verdict::{Judged, MetricWording, Verdict, Verdicts, on_the_menu, rests_on_evidence};

/// Checks all claims and gives the chat's id.
pub(super) fn check(report: &Place<'_>, rubric: &Rubric, points: &mut Points) -> Option<String> {
    points.compare(&report.key("schema"), &REPORT_SCHEMA.into());
    let id = report.key("transcript").key("id").text().map(str::to_owned);
    let same_rubric = check_rubric(&report.key("rubric"), rubric, points);
    match read(report.value()) {
        Ok(said) => {
            compare::unknown_fields(report, &json(&said), points);
            check_evidence(report, &said, same_rubric.then_some(rubric), points);
            let derived = same_rubric.then(|| derive(report, &said, rubric, points)).flatten();
            match derived {
                Some(derived) => compare::reports(report, &json(&said), &json(&derived), points),
                None => leave_open(report, &said, same_rubric, points),
            }
        }
        Err((path, what)) => {
            points.fails(path, what);
            points.underived("overall", "the report cannot be read as a whole");
        }
    }
    let judge = report.key("judge").key("name");
    if judge.text().is_none() {
        points.fails(&judge, format!("expected the judge's name, found {}", judge.sort()));
    }
    points.open(
        "judge",
        "the answers themselves, and what is said about who gave them, are the judge's word; they can be checked \
         against their quotes only",
    );
    id
}

fn json(report: &Report) -> Value {
    // A report always is JSON.
    serde_json::to_value(report).unwrap_or_default()
}

/// Reads the report into its type; where that fails, gives the path and the reason.
pub(super) fn read(value: &Value) -> Result<Report, (String, String)> {
    serde_path_to_error::deserialize(&plain(value)).map_err(|error| {
        let path = error.path().to_string();
        (if path == "." { "report".to_owned() } else { path }, error.into_inner().to_string())
    })
}

/// The report as this version would write it: tools may have turned 2 into 2.0, and lists that were left out into null.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => {
            let left_out = |key: &str| matches!(key, "turns" | "why" | "gate" | "parameters" | "dropped");
            let kept = fields.iter().filter(|(key, value)| !(value.is_null() && left_out(key)));
            kept.map(|(key, value)| (key.clone(), plain(value))).collect()
        }
        Value::Number(number) => match number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e9) {
            Some(whole) => (whole as i64).into(),
            None => value.clone(),
        },
        other => other.clone(),
    }
}

/// Whether the report was made with this rubric. With another one, nothing that follows from its rules can be derived.
fn check_rubric(place: &Place<'_>, rubric: &Rubric, points: &mut Points) -> bool {
    let hash = place.key("hash");
    let is_digest = |text: &&str| {
        let hex = text.strip_prefix("blake3:").unwrap_or_default();
        hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let Some(digest) = hash.text().filter(is_digest) else {
        let found = shown(hash.value());
        points.fails(&hash, format!("expected a digest, found {found}; numbers are derived with the rubric given"));
        return true;
    };
    if digest == rubric.digest() {
        return true;
    }
    let (name, version) = (shown(place.key("name").value()), shown(place.key("version").value()));
    let made_with = format!("made with rubric {name} version {version}");
    points.open(&hash, format!("{made_with}, digest {digest}; pass that file with --rubric"));
    false
}

/// Looks up what can be looked up without deriving anything: turns, digest, moments, quotes, cited turns, highlights.
fn check_evidence(report: &Place<'_>, said: &Report, rubric: Option<&Rubric>, points: &mut Points) {
    let chat = Chat::read(&report.key("turns"), &said.transcript.id, Spelling::Strict, points);
    if !said.transcript.dropped.is_empty() {
        let dropped = report.key("transcript").key("dropped");
        points.open(dropped, "what is not a turn was left out, so it cannot be counted again");
    }
    let limits = rubric.map(Rubric::limits);
    let ids = moments::check(report, &chat, Spelling::Strict, limits.map(|limits| limits.moments), points);
    moments::check_highlights(
        report,
        ids.as_ref(),
        Outcome::DoesNotHold,
        limits.map(|limits| limits.highlights),
        points,
    );
    for (key, metric) in &said.metrics {
        let place = report.key("metrics").key(key);
        moments::check_ids(&place.key("ev"), ids.as_ref(), points);
        for (id, check) in &metric.checks {
            let place = place.key("checks").key(id);
            check_cited(&place, check, &chat, points);
            if let Some(judged) = &check.judged {
                check_cited(&place.key("judged"), judged, &chat, points);
            }
        }
    }
    for (number, gate) in said.gates.iter().enumerate() {
        if gate.quote.is_some() {
            chat.check_quote(&report.key("gates").at(number).key("quote"), &gate.turns, points);
        }
    }
    if said.judge.name == "panel" && said.panel.is_none() {
        points.fails("panel", "a panel's report keeps the reports of its judges, and this one has none");
    }
    for (number, member) in said.panel.iter().flat_map(|panel| &panel.reports).enumerate() {
        check_evidence(&report.key("panel").key("reports").at(number), member, rubric, points);
    }
}

/// The turns a verdict cites exist, and its quote stands in one of them.
fn check_cited(place: &Place<'_>, check: &CheckReport, chat: &Chat, points: &mut Points) {
    let turns = place.key("turns");
    let lost = check.turns.iter().find(|&&number| chat.has(number) == Some(false));
    match lost {
        Some(lost) => points.fails(&turns, format!("there is no turn {lost}, the chat has {}", chat.last())),
        None if !check.turns.is_empty() => points.holds(&turns, shown(turns.value())),
        None => {}
    }
    if check.quote.is_some() {
        chat.check_quote(&place.key("quote"), &check.turns, points);
    }
}

/// The report made again: by a panel's vote where it has one, else from the judge's own answers.
fn derive(place: &Place<'_>, said: &Report, rubric: &Rubric, points: &mut Points) -> Option<Report> {
    let transcript = said.to_transcript().ok()?;
    let weights = match said.weights.as_ref().map(|weights| Weights::from_map(rubric, weights)) {
        None => Weights::equal(rubric),
        Some(Ok(weights)) => weights,
        Some(Err(error)) => {
            points.fails(place.key("weights"), error.to_string());
            return None;
        }
    };
    let dropped = said.transcript.dropped.clone();
    let source = |transcript: Transcript| Source { transcript, dropped: dropped.clone() };
    let Some(panel) = &said.panel else {
        let verdicts = verdicts(place, said, rubric, points)?;
        return Some(Report::assemble(rubric, source(transcript), verdicts, &weights));
    };
    if panel.reports.len() < 2 {
        points.fails(place.key("panel").key("reports"), "a panel keeps the reports of two or more judges");
        return None;
    }
    let mut members = Vec::new();
    for (number, member) in panel.reports.iter().enumerate() {
        members.push(verdicts(&place.key("panel").key("reports").at(number), member, rubric, points));
    }
    let members: Option<Vec<Verdicts>> = members.into_iter().collect();
    let rules = PanelRules { gate_policy: panel.gate_policy, tie: panel.tie };
    Some(Report::assemble_panel(rubric, source(transcript), members?, rules, &weights))
}

/// What the judge had said, before the audit; nothing where an answer cannot be used.
fn verdicts(place: &Place<'_>, said: &Report, rubric: &Rubric, points: &mut Points) -> Option<Verdicts> {
    let chat = said.to_transcript().ok();
    let chat = chat.as_ref();
    let mut checks = Vec::new();
    for (position, check) in rubric.checks().enumerate() {
        let key = rubric.metrics()[rubric.metric_of(position)].key.as_str();
        let place = place.key("metrics").key(key).key("checks").key(&check.id);
        let Some(answer) = said.metrics.get(key).and_then(|metric| metric.checks.get(check.id.as_str())) else {
            points.fails(&place, "the rubric asks this, and the report has no answer");
            continue;
        };
        let own = answer.judged.as_deref().unwrap_or(answer);
        match verdict(own) {
            Ok(Verdict::Judged(judged)) => {
                if let Err(reason) = on_the_menu(check, judged.pass, judged.basis, &judged.turns) {
                    points.fails(place.key("basis"), reason);
                } else if let Some(Err(reason)) = chat.map(|chat| rests_on_evidence(check, chat, &judged)) {
                    points.fails(place.key("quote"), reason);
                }
                checks.push(Verdict::Judged(judged));
            }
            Ok(unscored) => checks.push(unscored),
            Err((field, what)) => points.fails(place.key(field), what),
        }
    }
    let wording = |metric: &crate::rubric::Metric| match said.metrics.get(metric.key.as_str()) {
        Some(report) => MetricWording { ev: report.ev.clone(), why: sentence(said, &metric.key, &report.why) },
        None => MetricWording::default(),
    };
    // Where the audit says that the judge named no moments, the engine chose them, and chooses the same again.
    let chosen = said.audit.iter().any(|finding| finding.step == Step::Evidence && finding.rule == "moments");
    (checks.len() == rubric.checks().len()).then(|| Verdicts {
        judge: said.judge.clone(),
        checks,
        moments: if chosen { Vec::new() } else { said.moments.clone() },
        wording: rubric.metrics().iter().map(wording).collect(),
        positive: said.positive.clone(),
        negative: said.negative.clone(),
        summary: Some(sentence(said, "summary", &said.summary)),
        findings: Vec::new(),
    })
}

/// The judge's own sentence: where the audit replaced it, the finding keeps it.
fn sentence(said: &Report, about: &str, in_report: &str) -> String {
    let replaced = said.audit.iter().find(|finding| finding.step == Step::Wording && finding.about == about);
    replaced.and_then(|finding| finding.before.as_str()).unwrap_or(in_report).to_owned()
}

/// The verdict a check's entry tells, or the field that is wrong and why.
fn verdict(check: &CheckReport) -> Result<Verdict, (&'static str, &'static str)> {
    let Some(pass) = check.pass else {
        let rests_on =
            [("basis", check.basis.is_some()), ("turns", !check.turns.is_empty()), ("quote", check.quote.is_some())];
        if let Some((field, _)) = rests_on.iter().find(|(_, is_there)| *is_there) {
            return Err((field, "a check without a verdict rests on nothing"));
        }
        let reason = check.unscored.as_ref().filter(|reason| !reason.trim().is_empty());
        let missing = ("unscored", "there is neither a verdict nor a reason why there is none");
        return reason.cloned().map(Verdict::Unscored).ok_or(missing);
    };
    let basis = check.basis.ok_or(("basis", "expected observed, absent or not_triggered, found nothing"))?;
    Ok(Verdict::Judged(Judged {
        pass,
        basis,
        turns: check.turns.clone(),
        quote: check.quote.clone(),
        why: check.why.clone(),
        confidence: check.confidence,
    }))
}

/// Says that nothing derived can be verified, and why. The digest of the chat needs no rubric.
fn leave_open(report: &Place<'_>, said: &Report, same_rubric: bool, points: &mut Points) {
    let hash = report.key("transcript").key("hash");
    match said.to_transcript() {
        Ok(transcript) => points.compare(&hash, &transcript.digest().into()),
        Err(_) => points.open(&hash, "the chat cannot be read as a whole"),
    }
    let reason = match same_rubric {
        true => "not everything it is derived from can be used",
        false => "it follows from the rules of another rubric",
    };
    for key in said.metrics.keys() {
        points.underived(format!("metrics.{key}.score"), reason);
    }
    for name in ["overall", "gates", "audit"] {
        points.underived(name, reason);
    }
}
