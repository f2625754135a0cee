//! The metrics with their checks: verdict, basis, quote and reason, and what every judge of a panel said.

use carelock_core::audit::Outcome as AuditOutcome;
use carelock_core::report::safe_text::one_line;
use carelock_core::report::{CheckReport, MetricReport, names, places};
use carelock_core::rubric::Kind;
use carelock_core::verdict::{Basis, Confidence};

use crate::evidence::members;
use crate::outcome::{Outcome, score_class};
use crate::subject::{Link, Quote, Subject, said};

/// A metric with its checks.
pub(crate) struct ShownMetric {
    pub(crate) anchor: String,
    pub(crate) title: String,
    pub(crate) about: Option<String>,
    pub(crate) score: String,
    /// The class of the score's colour.
    pub(crate) class: &'static str,
    pub(crate) tier: String,
    pub(crate) is_lowered: bool,
    pub(crate) weight: Option<String>,
    pub(crate) why: Option<String>,
    pub(crate) counts: String,
    pub(crate) moments: Vec<Link>,
    pub(crate) checks: Vec<ShownCheck>,
}

impl ShownMetric {
    /// The checks as cells of a bar: the earned ones first, then as the legend has them.
    pub(crate) fn cells(&self) -> Vec<&ShownCheck> {
        let mut cells: Vec<&ShownCheck> = self.checks.iter().collect();
        cells.sort_by_key(|check| check.outcome);
        cells
    }

    /// The checks to look at: those that failed, those without a verdict, and those that the judges are split on.
    pub(crate) fn open_checks(&self) -> Vec<&ShownCheck> {
        let mut open: Vec<&ShownCheck> = self.checks.iter().filter(|check| !check.is_settled()).collect();
        open.sort_by_key(|check| (check.outcome != Outcome::Failed, check.outcome != Outcome::Unscored));
        open
    }

    /// The checks that are folded away: nothing is wrong with them.
    pub(crate) fn folded_checks(&self) -> Vec<&ShownCheck> {
        self.checks.iter().filter(|check| check.is_settled()).collect()
    }

    /// What is folded away, in words: `3 earned, 1 not triggered`.
    pub(crate) fn folded_words(&self) -> String {
        let folded = self.folded_checks();
        let words = [Outcome::Earned, Outcome::NotTriggered].map(|outcome| {
            let number = folded.iter().filter(|check| check.outcome == outcome).count();
            (number > 0).then(|| format!("{number} {}", outcome.word()))
        });
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// A check with everything that is known of it.
pub(crate) struct ShownCheck {
    pub(crate) anchor: String,
    /// The anchors of the words that serve it, and of their turns and the others it cites.
    pub(crate) quotes: String,
    pub(crate) turns: String,
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) outcome: Outcome,
    pub(crate) basis: Option<&'static str>,
    pub(crate) confidence: Option<&'static str>,
    pub(crate) is_gate: bool,
    pub(crate) why: Option<String>,
    pub(crate) unscored: Option<String>,
    pub(crate) quote: Option<Quote>,
    /// What was looked for in the whole chat and is not there.
    pub(crate) searched: Option<String>,
    /// What the judge had said before the audit turned it.
    pub(crate) overruled: Option<Overruled>,
    pub(crate) wording: Option<Wording>,
    pub(crate) votes: Vec<Vote>,
}

impl ShownCheck {
    /// Whether nothing is to be looked at: it was earned or did not arise, and no judge says otherwise.
    fn is_settled(&self) -> bool {
        matches!(self.outcome, Outcome::Earned | Outcome::NotTriggered) && !self.is_split()
    }

    /// Whether judges of a panel gave different answers.
    pub(crate) fn is_split(&self) -> bool {
        let mut passes = self.votes.iter().filter_map(|vote| vote.pass);
        passes.next().is_some_and(|first| passes.any(|other| other != first))
    }
}

/// A verdict the audit turned, and by which check.
pub(crate) struct Overruled {
    pub(crate) by: Option<Link>,
    pub(crate) why: Option<String>,
    pub(crate) quote: Option<Quote>,
}

/// What the rubric says of a check.
pub(crate) struct Wording {
    pub(crate) kind: Kind,
    pub(crate) condition: Option<String>,
    pub(crate) passes: String,
    pub(crate) fails: String,
}

/// What one judge of a panel said of a check.
pub(crate) struct Vote {
    pub(crate) judge: String,
    pub(crate) outcome: Outcome,
    pub(crate) pass: Option<bool>,
    pub(crate) confidence: Option<&'static str>,
    pub(crate) why: Option<String>,
    pub(crate) quote: Option<Quote>,
}

pub(crate) fn metrics(subject: &Subject<'_>) -> Vec<ShownMetric> {
    let mut first = 0;
    let mut shown = Vec::with_capacity(subject.report.metrics.len());
    for (position, (key, metric)) in subject.report.metrics.iter().enumerate() {
        let checks = metric.checks.iter().enumerate();
        let checks = checks.map(|(within, (id, check))| shown_check(subject, first + within, id, check)).collect();
        first += metric.checks.len();
        shown.push(shown_metric(subject, position, key, metric, checks));
    }
    shown
}

fn shown_metric(
    subject: &Subject<'_>,
    position: usize,
    key: &str,
    metric: &MetricReport,
    checks: Vec<ShownCheck>,
) -> ShownMetric {
    let Subject { report, rubric, anchors, .. } = subject;
    let is_lowered = report.audit.iter().any(|seen| seen.outcome == AuditOutcome::Lowered && seen.about == key);
    let gate: Vec<String> = metric.gate.iter().map(|id| one_line(id)).collect();
    let tier = match (&metric.tier, gate.is_empty()) {
        (_, false) => format!("gate {}", gate.join(" ")),
        (Some(tier), true) => one_line(tier),
        (None, true) => "unscored".to_owned(),
    };
    let about = rubric.metric_position(key).map(|position| one_line(&rubric.metrics()[position].about));
    let moment = |id: &u32| {
        let at = report.moments.iter().position(|moment| moment.id == *id)?;
        let number = places::moment_number(report, *id)?;
        Some((number, Link { anchor: anchors.moment(at), text: number.to_string() }))
    };
    let mut moments: Vec<(usize, Link)> = metric.ev.iter().filter_map(moment).collect();
    moments.sort_by_key(|(number, _)| *number);
    let MetricReport { earned, not_triggered, failed, unscored, .. } = metric;
    ShownMetric {
        anchor: anchors.metric(position),
        title: names::metric_title(rubric, key).into_owned(),
        about: about.filter(|about| !about.is_empty()),
        score: metric.score.map_or_else(|| "—".to_owned(), |score| score.to_string()),
        class: if gate.is_empty() { score_class(rubric, metric.score) } else { "bad" },
        tier,
        is_lowered,
        weight: report.weights.as_ref().and_then(|weights| weights.get(key)).map(ToString::to_string),
        why: said(&metric.why),
        counts: format!("{earned} earned, {not_triggered} not triggered, {failed} failed, {unscored} unscored"),
        moments: moments.into_iter().map(|(_, link)| link).collect(),
        checks,
    }
}

fn shown_check(subject: &Subject<'_>, position: usize, id: &str, check: &CheckReport) -> ShownCheck {
    let known = subject.rubric.position(id);
    let wording = known.map(|at| subject.rubric.check(at)).map(|check| Wording {
        kind: check.kind,
        condition: check.condition.as_deref().and_then(said),
        passes: one_line(&check.passes),
        fails: one_line(&check.fails),
    });
    let anchor = subject.anchors.check(position);
    let is_clean = places::is_clean_pass(subject.rubric, id, check);
    let (quotes, turns) = marked(subject, &anchor, if is_clean { &[] } else { &check.turns });
    ShownCheck {
        anchor,
        quotes,
        turns,
        id: one_line(id),
        title: subject.check_title(id),
        outcome: Outcome::new(check),
        basis: check.basis.map(basis),
        confidence: check.confidence.map(confidence),
        is_gate: known.is_some_and(|at| subject.rubric.is_gate_check(at)),
        why: said(&check.why),
        unscored: check.pass.is_none().then(|| names::unscored_reason(check)),
        quote: subject.proof(id, check),
        searched: places::searched(subject.report, subject.rubric, id, check),
        overruled: check.judged.as_deref().map(|before| overruled(subject, check, before)),
        wording,
        votes: members(subject.report).iter().filter_map(|own| vote(subject, own, id)).collect(),
    }
}

/// The anchors of the words and of the turns of a check, as attributes list them.
fn marked(subject: &Subject<'_>, anchor: &str, cited: &[u32]) -> (String, String) {
    let pieces: Vec<_> = subject.evidence.serving(anchor).collect();
    let quotes: Vec<String> = pieces.iter().map(|piece| subject.anchors.quote(piece.number)).collect();
    let known = cited.iter().copied().filter(|&idx| names::turn(subject.report, idx).is_some());
    let mut turns: Vec<u32> = pieces.iter().map(|piece| piece.turn).chain(known).collect();
    turns.sort_unstable();
    turns.dedup();
    let turns: Vec<String> = turns.into_iter().map(|idx| subject.anchors.turn(idx)).collect();
    (quotes.join(" "), turns.join(" "))
}

fn overruled(subject: &Subject<'_>, check: &CheckReport, before: &CheckReport) -> Overruled {
    let link = |id: &str| Some(Link { anchor: subject.check_anchor(id)?, text: one_line(id) });
    Overruled {
        by: check.entailed_by.as_deref().and_then(link),
        why: said(&before.why),
        quote: subject.quote(&before.turns, before.quote.as_deref()),
    }
}

fn vote(subject: &Subject<'_>, own: &carelock_core::report::Report, id: &str) -> Option<Vote> {
    let (_, _, check) = own.checks().find(|(_, known, _)| *known == id)?;
    Some(Vote {
        judge: one_line(&own.judge.name),
        outcome: Outcome::new(check),
        pass: check.pass,
        confidence: check.confidence.map(confidence),
        why: if check.pass.is_none() { Some(names::unscored_reason(check)) } else { said(&check.why) },
        quote: subject.proof(id, check),
    })
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Observed => "observed",
        Basis::Absent => "looked for in the whole chat",
        Basis::NotTriggered => "did not come up; counted as met",
    }
}

fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
    }
}
