//! The audit's first step: failures that entail other failures.

use serde_json::json;

use crate::audit::{Finding, Outcome, Step};
use crate::rubric::Rubric;
use crate::verdict::{Judged, Verdict};

/// A verdict after the audit, and what the judge had said where the audit changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedCheck {
    /// The verdict that counts.
    pub verdict: Verdict,
    /// The judge's own verdict, where the audit turned a pass into a fail.
    pub judged: Option<Judged>,
    /// Position of the check whose failure entailed this one.
    pub entailed_by: Option<usize>,
}

/// Turns passes into fails until every rule holds; nothing else is ever touched.
pub(super) fn apply(rubric: &Rubric, verdicts: Vec<Verdict>, findings: &mut Vec<Finding>) -> Vec<AuditedCheck> {
    let plain = |verdict: Verdict| AuditedCheck { verdict, judged: None, entailed_by: None };
    let mut checks: Vec<AuditedCheck> = verdicts.into_iter().map(plain).collect();
    // A user's rubric may chain rules in any order; each pass over them settles at least one check or none is left.
    loop {
        let mut changed = false;
        for (rule, &(left, right)) in rubric.entailments().iter().enumerate() {
            if let Some(finding) = enforce(rubric, &mut checks, rule, left, right) {
                findings.push(finding);
                changed = true;
            }
        }
        if !changed {
            return checks;
        }
    }
}

fn enforce(rubric: &Rubric, checks: &mut [AuditedCheck], rule: usize, left: usize, right: usize) -> Option<Finding> {
    let Verdict::Judged(failure) = &checks[left].verdict else { return None };
    let Verdict::Judged(passed) = &checks[right].verdict else { return None };
    if failure.pass || !passed.pass {
        return None;
    }
    let (from, to) = (&rubric.check(left).id, &rubric.check(right).id);
    let because = &rubric.file().audit.entails[rule].because;
    let entailed = Judged { pass: false, why: format!("Fails with {from}: {because}."), ..failure.clone() };
    let finding = Finding {
        step: Step::Entailed,
        rule: format!("{from}→{to}"),
        outcome: Outcome::Failed,
        about: to.clone(),
        saw: format!("{from} fails and {to} passes ({}), but {because}", passed.basis),
        before: json!(true),
        after: json!(false),
    };
    let judged = passed.clone();
    checks[right] = AuditedCheck { verdict: Verdict::Judged(entailed), judged: Some(judged), entailed_by: Some(left) };
    Some(finding)
}
