//! Reports as JUnit XML for continuous integration: a chat is a suite, a metric is a test, a tripped gate is a failure.

use quick_junit::{NonSuccessKind, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::names;
use super::safe_text::{excerpt, one_line};
use super::{CheckReport, MetricReport, Report};
use crate::rubric::Rubric;
use crate::score::Score;

/// Enough of a quote to recognise the place; the whole of it stands in the JSON report.
const QUOTE: usize = 400;

/// One chat as a suite: a test for each metric, and one named `overall`.
///
/// A metric fails when its gate was tripped and is in error when it has no score. `overall` fails when it is below
/// `fail_under`, where that is given, and is in error when it is undetermined. What could not be judged is an error and
/// not a failure, because it says something about the judge and not about the chat.
pub fn junit_suite(report: &Report, rubric: &Rubric, fail_under: Option<Score>) -> TestSuite {
    let id = one_line(&report.transcript.id);
    let mut suite = TestSuite::new(id.as_str());
    for (key, metric) in &report.metrics {
        let mut test = TestCase::new(one_line(key), metric_status(report, rubric, metric));
        test.set_classname(id.as_str());
        test.set_system_out(metric_output(report, rubric, metric));
        suite.add_test_case(test);
    }
    let mut test = TestCase::new("overall", overall_status(report, rubric, fail_under));
    test.set_classname(id.as_str());
    test.set_system_out(overall_output(report));
    suite.add_test_case(test);
    suite
}

/// A chat that could not be evaluated, as a suite: one test in error, so that nothing is missing without a word.
pub fn junit_refused(origin: &str, problem: &str) -> TestSuite {
    let name = one_line(origin);
    let mut suite = TestSuite::new(name.as_str());
    let (what, rest) = problem.split_once('\n').unwrap_or((problem, ""));
    let mut test = TestCase::new("read", status(NonSuccessKind::Error, "unreadable", one_line(what), one_line(rest)));
    test.set_classname(name.as_str());
    suite.add_test_case(test);
    suite
}

/// Suites as one XML document, without times or random numbers: the same reports give the same bytes.
pub fn junit(suites: Vec<TestSuite>) -> Result<String, SerializeError> {
    let mut document = quick_junit::Report::new("carelock");
    document.add_test_suites(suites);
    document.to_string()
}

fn status(kind: NonSuccessKind, sort: &str, message: String, description: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(sort).set_message(message);
    if !description.is_empty() {
        status.set_description(description);
    }
    status
}

fn metric_status(report: &Report, rubric: &Rubric, metric: &MetricReport) -> TestCaseStatus {
    if !metric.gate.is_empty() {
        let gates = report.gates.iter().filter(|gate| metric.gate.contains(&gate.check));
        let failed: Vec<String> = gates.clone().map(|gate| names::tripped_gate(report, rubric, gate)).collect();
        let message = format!("gate {}", failed.join(", "));
        let reasons: Vec<String> =
            gates.map(|gate| evidence(report, &gate.turns, gate.quote.as_deref(), &gate.why)).collect();
        return status(NonSuccessKind::Failure, "gate", message, reasons.join("\n"));
    }
    if metric.score.is_none() {
        let message = format!("no score: {} of {} checks could not be judged", metric.unscored, metric.checks.len());
        let open = metric.checks.iter().filter(|(_, check)| check.pass.is_none());
        let reasons: Vec<String> =
            open.map(|(id, check)| format!("{}: {}", one_line(id), names::unscored_reason(check))).collect();
        return status(NonSuccessKind::Error, "unscored", message, reasons.join("\n"));
    }
    TestCaseStatus::success()
}

/// The place, the words and the reason, as far as there are any.
fn evidence(report: &Report, turns: &[u32], quote: Option<&str>, why: &str) -> String {
    let place = names::cited_place(report, turns, quote);
    let words = quote.map(|quote| format!("“{}”", excerpt(quote, QUOTE)));
    let said: Vec<String> = place.into_iter().chain(words).collect();
    let why = excerpt(why, QUOTE);
    let parts: Vec<String> = [why, said.join(": ")].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn metric_output(report: &Report, rubric: &Rubric, metric: &MetricReport) -> String {
    let score = metric.score.map_or_else(|| "no score".to_owned(), |score| format!("score {score}"));
    let tier = metric.tier.as_deref().map(|tier| format!(" {}", one_line(tier))).unwrap_or_default();
    let MetricReport { earned, not_triggered, failed, unscored, .. } = metric;
    let counts = format!("{earned} earned, {not_triggered} not triggered, {failed} failed, {unscored} unscored");
    let mut lines = vec![format!("{score}{tier}: {counts}")];
    let failed = metric.checks.iter().filter(|(_, check)| check.pass == Some(false));
    lines.extend(failed.map(|(id, check)| failed_line(report, rubric, id, check)));
    lines.join("\n")
}

fn failed_line(report: &Report, rubric: &Rubric, id: &str, check: &CheckReport) -> String {
    let name = names::judged_name(rubric, id, Some(check));
    let reason = evidence(report, &check.turns, check.quote.as_deref(), &check.why);
    format!("failed {name}\n{reason}").trim_end().replace('\n', "\n  ")
}

fn overall_status(report: &Report, rubric: &Rubric, fail_under: Option<Score>) -> TestCaseStatus {
    match (report.overall, fail_under) {
        (None, _) => {
            let reason = names::undetermined(report, rubric);
            status(NonSuccessKind::Error, "undetermined", format!("undetermined: {reason}"), String::new())
        }
        (Some(score), Some(least)) if score < least => {
            let message = format!("{score} is below {least}");
            status(NonSuccessKind::Failure, "threshold", message, one_line(&report.summary))
        }
        (Some(_), _) => TestCaseStatus::success(),
    }
}

fn overall_output(report: &Report) -> String {
    let score = report.overall.map_or_else(|| "undetermined".to_owned(), |score| format!("score {score}"));
    let partial = report.overall_partial.map(|score| format!("{score} over the metrics that have a score"));
    let ungated = report.overall_ungated.map(|score| format!("{score} without any gate"));
    let coverage = format!("{} % of the checks judged", report.coverage.hundredths());
    let facts: Vec<String> = [Some(score), partial, ungated, Some(coverage)].into_iter().flatten().collect();
    let judge = format!("judged by {}", names::judge(report));
    let mut lines = vec![facts.join(", "), one_line(&report.summary), judge];
    let silent = names::silent_judges(report).into_iter();
    lines.extend(silent.map(|(judge, reason)| format!("judge {judge} gave no verdict: {reason}")));
    lines.join("\n")
}
