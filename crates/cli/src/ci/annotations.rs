//! Failures as GitHub shows them beside the files of a pull request.

use carelock_core::report::names;
use carelock_core::report::safe_text::{excerpt, one_line};
use carelock_core::rubric::Rubric;

use super::{Concern, Listed, Reason, Review};
use crate::ci::Pipeline;

/// GitHub shows ten annotations of a kind for each step.
const SHOWN: usize = 10;

/// A verdict is a sentence; more than this was not meant as one.
const VERDICT: usize = 400;

/// Writes the annotations to standard error, where GitHub reads commands as it does from standard output.
pub(super) fn write(review: &Review, rubric: &Rubric, pipeline: &Pipeline, reasons: &[Reason]) {
    for line in lines(review, rubric, pipeline, reasons) {
        anstream::eprintln!("{line}");
    }
}

fn lines(review: &Review, rubric: &Rubric, pipeline: &Pipeline, reasons: &[Reason]) -> Vec<String> {
    let gates = |ids: &[String]| ids.iter().map(|id| names::gate_name(rubric, id)).collect::<Vec<_>>().join(", ");
    let fails_on_gate = review.arguments.as_ref().is_some_and(|arguments| arguments.fail_on_gate);
    let mut lines = Vec::new();
    let mut add = |list: &Listed, level: &str, what: &dyn Fn(&Concern) -> String| {
        for concern in &list.shown {
            let standing = &concern.standing;
            let title = format!("Care-Lock: {} in {}", what(concern), one_line(&standing.id));
            let verdict = excerpt(&standing.verdict, VERDICT);
            lines.push((level == "error", command(level, &place(pipeline, &standing.origin), &title, &verdict)));
        }
    };
    add(&review.fresh, "error", &|concern| format!("gate {} newly tripped", gates(&concern.fresh)));
    let level = if fails_on_gate { "error" } else { "warning" };
    add(&review.gated, level, &|concern| format!("gate {} tripped", gates(&concern.standing.gates)));
    add(&review.below, "error", &|concern| {
        concern.standing.overall.map(|score| format!("overall score {score}")).unwrap_or_default()
    });
    // The outcome as a whole is one of the ten that are seen, and comes last.
    let most = SHOWN - usize::from(!reasons.is_empty());
    let (errors, warnings): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(is_error, _)| *is_error);
    let mut shown: Vec<String> = errors.into_iter().take(most).map(|(_, line)| line).collect();
    shown.extend(warnings.into_iter().take(SHOWN).map(|(_, line)| line));
    if !reasons.is_empty() {
        let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        shown.push(command("error", &[], "Care-Lock", &format!("{}.", reasons.join("; "))));
    }
    shown
}

/// The file, and the line where that is known.
fn place(pipeline: &Pipeline, origin: &str) -> Vec<(&'static str, String)> {
    let (file, rest) = origin.split_once(", ").unwrap_or((origin, ""));
    if file.is_empty() || file == "standard input" {
        return Vec::new();
    }
    let mut place = vec![("file", pipeline.path_of(file))];
    let line = rest.strip_prefix("line ").map(|rest| rest.split(|sign: char| !sign.is_ascii_digit()).next());
    place.extend(line.flatten().filter(|line| !line.is_empty()).map(|line| ("line", line.to_owned())));
    place
}

/// One command of GitHub's, on one line whatever the text.
fn command(level: &str, place: &[(&str, String)], title: &str, message: &str) -> String {
    let mut properties: Vec<String> = place.iter().map(|(key, value)| format!("{key}={}", property(value))).collect();
    properties.push(format!("title={}", property(title)));
    format!("::{level} {}::{}", properties.join(","), data(message))
}

/// Text behind the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text of a property, where a colon and a comma would end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_the_command_or_begins_another() {
        let line = command("error", &[("file", "a,b:c.txt".to_owned())], "100 %, yes: no", "x\r\n::warning::y%0A");
        assert_eq!(line, "::error file=a%2Cb%3Ac.txt,title=100 %25%2C yes%3A no::x%0D%0A::warning::y%250A");
        assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn the_place_is_the_file_and_the_line_where_it_is_known() {
        let place = |origin: &str| place(&Pipeline::default(), origin);
        assert_eq!(place("chats/a.txt"), [("file", "chats/a.txt".to_owned())]);
        assert_eq!(place("a.jsonl, line 12"), [("file", "a.jsonl".to_owned()), ("line", "12".to_owned())]);
        assert_eq!(place("a.json, chat 2"), [("file", "a.json".to_owned())]);
        assert_eq!(place("standard input, line 2"), []);
        assert_eq!(place(""), []);
    }
}
