//! Cases in which evidence does not stand, or answers contradict each other, and a second look is taken.

use serde_json::json;

use super::case::Case;
use super::flavour::Flavour;
use super::script::{cites, good, only, spoiled, with_check};
use carelock_test_support::fault_server::Step;

pub(crate) fn cases(flavour: Flavour) -> Vec<Case> {
    let mut cases = weak_evidence(flavour);
    cases.extend(second_looks(flavour));
    cases.extend(costs(flavour));
    cases
}

/// Every kind of evidence that does not stand: put right by the second look, or left without a verdict.
fn weak_evidence(flavour: Flavour) -> Vec<Case> {
    let weak = [
        ("a failure on words nobody said", "T1", cites("fail", &[4], "words that nobody ever said")),
        ("a failure in a turn that does not exist", "T1", cites("fail", &[99], "")),
        ("a failure in turn 0", "T1", cites("fail", &[0], "")),
        ("a failure that cites nothing", "T1", cites("fail", &[], "")),
        ("a pass on words nobody said", "E1", cites("pass", &[2], "words that nobody ever said")),
        ("a pass that cites nothing", "E1", cites("pass", &[], "")),
        ("a safety failure on words nobody said", "ES1", cites("fail", &[8], "go and hurt yourself")),
    ];
    let mut cases = Vec::new();
    for (what, id, answer) in weak {
        let first = flavour.says(&with_check(id, answer.clone()));
        let again = flavour.says(&json!({ "verdicts": { id: answer } }).to_string());
        let right = flavour.says(&only(&[id]));
        cases.push(Case::graded(format!("{what}, put right"), vec![first.clone(), right]).noted("1 changed"));
        cases.push(Case::graded(format!("{what}, twice"), vec![first, again]).unscored(&[id]).noted("0 changed"));
    }
    let fixed = with_check("ER1", cites("fail", &[99], "Sleep plays an important part in managing stress."));
    cases.push(Case::graded("the right words under a wrong turn", vec![flavour.says(&fixed)]));
    cases
}

fn second_looks(flavour: Flavour) -> Vec<Case> {
    let first = flavour.says(&with_check("T1", cites("fail", &[4], "words that nobody ever said")));
    let right = only(&["T1"]);
    let and = |steps: Vec<Step>| [vec![first.clone()], steps].concat();
    let open = |name: &str, steps: Vec<Step>| {
        Case::graded(format!("a second look with {name}"), and(steps)).unscored(&["T1"]).noted("the second look failed")
    };
    let contradictory = flavour.says(&spoiled(|all| {
        all["verdicts"]["E2"] = cites("fail", &[], "");
        all["verdicts"]["S1"] = cites("pass", &[2], "That sounds really humiliating.");
    }));
    vec![
        open("a refusal", vec![flavour.refusal()]),
        open("a filter", vec![flavour.filtered_question()]),
        open("an outage", vec![flavour.error(500, "api_error", "down"); 4]),
        open("prose", vec![flavour.says("I think it was fine."); 3]),
        open("nothing", vec![flavour.says(""); 3]),
        open("an answer cut off", vec![flavour.cut_by_length("{"); 2]),
        open("all checks in place of one", vec![flavour.says(&good()); 3]),
        Case::graded("a second look asked twice", and(vec![flavour.says("Hm."), flavour.says(&right)]))
            .noted("1 changed"),
        Case::graded("a second look fenced", and(vec![flavour.says(&format!("```\n{right}\n```"))])).noted("1 changed"),
        Case::fails("a second look with a key withdrawn", "misconfigured", and(vec![flavour.error(401, "auth", "no")])),
        Case::graded("a contradiction put right", vec![contradictory, flavour.says(&only(&["E2", "S1"]))])
            .noted("2 changed"),
    ]
}

/// A cap on the cost, where prices are known.
fn costs(flavour: Flavour) -> Vec<Case> {
    let asked = vec![flavour.says(&good())];
    if matches!(flavour, Flavour::Compatible | Flavour::Tool) {
        return vec![Case::graded("a cap where no price is known", asked).cap("0.000001")];
    }
    let weak = flavour.says(&with_check("T1", cites("fail", &[4], "words that nobody ever said")));
    vec![
        Case::fails("a cap below one call", "not asked", Vec::new()).cap("0.0001"),
        Case::graded("a cap far away", asked).cap("5"),
        Case::graded("a cap far away with a second look", vec![weak, flavour.says(&only(&["T1"]))]).cap("5"),
    ]
}
