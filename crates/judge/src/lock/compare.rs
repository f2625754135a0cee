//! What changed between two sets of answers to the same question.

use carelock_core::verdict::{Answer, Basis, Pass};

use super::entry::{Entry, KeptCheck};

/// One thing that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A check's verdict.
    Verdict {
        /// The check.
        check: String,
        /// What was answered before: "pass", "fail", "not triggered", "no answer".
        from: &'static str,
        /// What is answered now.
        to: &'static str,
    },
    /// Words or evidence, with the verdicts as they were.
    Wording {
        /// What was worded otherwise: "reasons", "evidence", "confidence", "moments", "metrics", "highlights", "summary".
        part: &'static str,
        /// How many of them.
        count: usize,
    },
}

/// What changed from old answers to new ones: verdicts in the order of the new answers, then wording, counted.
pub fn compare(old: &Entry, new: &Entry) -> Vec<Change> {
    let (before, after) = (old.checks(), new.checks());
    let mut changes: Vec<Change> = after.iter().filter_map(|kept| turned(find(before, &kept.id), Some(kept))).collect();
    changes.extend(
        before.iter().filter(|kept| find(after, &kept.id).is_none()).filter_map(|kept| turned(Some(kept), None)),
    );
    let pairs: Vec<(&Answer, &Answer)> =
        after.iter().filter_map(|kept| Some((&find(before, &kept.id)?.answer, &kept.answer))).collect();
    let evidence = |answer: &Answer| (answer.basis, answer.turns.clone(), answer.quote.clone());
    let highlights = [(&old.positive, &new.positive), (&old.negative, &new.negative)];
    let counted = [
        ("reasons", pairs.iter().filter(|(old, new)| old.why != new.why).count()),
        ("evidence", pairs.iter().filter(|(old, new)| evidence(old) != evidence(new)).count()),
        ("confidence", pairs.iter().filter(|(old, new)| old.confidence != new.confidence).count()),
        ("moments", differing(&old.moments, &new.moments)),
        ("metrics", differing(&old.metrics, &new.metrics)),
        ("highlights", highlights.iter().map(|(old, new)| differing(old, new)).sum()),
        ("summary", usize::from(old.summary != new.summary)),
    ];
    changes.extend(
        counted.into_iter().filter(|(_, count)| *count > 0).map(|(part, count)| Change::Wording { part, count }),
    );
    changes
}

/// The changes of one chat as lines of text; an empty text when nothing changed.
pub fn what_changed(chat: &str, judge: &str, changes: &[Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut text = format!("{chat} ({judge}):\n");
    let mut wording = Vec::new();
    for change in changes {
        match change {
            Change::Verdict { check, from, to } => text.push_str(&format!("  {check:<5} {from} → {to}\n")),
            Change::Wording { part, count } => wording.push(format!("{part} {count}")),
        }
    }
    if !wording.is_empty() {
        text.push_str(&format!("  worded otherwise: {}\n", wording.join(", ")));
    }
    text
}

fn find<'a>(checks: &'a [KeptCheck], id: &str) -> Option<&'a KeptCheck> {
    checks.iter().find(|kept| kept.id == id)
}

fn turned(old: Option<&KeptCheck>, new: Option<&KeptCheck>) -> Option<Change> {
    let (from, to) = (said(old), said(new));
    let check = new.or(old)?.id.clone();
    (from != to).then_some(Change::Verdict { check, from, to })
}

fn said(kept: Option<&KeptCheck>) -> &'static str {
    let Some(kept) = kept else { return "not asked" };
    match (&kept.answer.pass, kept.answer.basis) {
        (Pass::NotTriggered, _) | (Pass::Yes, Some(Basis::NotTriggered)) => "not triggered",
        (Pass::Yes, _) => "pass",
        (Pass::No, _) => "fail",
        (Pass::Missing | Pass::Unscored(_), _) => "no answer",
        (Pass::OffMenu(_), _) => "off the menu",
    }
}

/// How many items are not the same in both lists, place by place.
fn differing<T: PartialEq>(old: &[T], new: &[T]) -> usize {
    let shared = old.iter().zip(new).filter(|(old, new)| old != new).count();
    shared + old.len().abs_diff(new.len())
}
