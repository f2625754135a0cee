//! From the judge through HTTP to a server that misbehaves, and back: a right report or a stated failure, never a wrong
//! verdict, never a hang.

mod answers;
mod case;
mod flavour;
mod looks;
mod replies;
mod script;
mod state;
mod transport;

use std::collections::BTreeSet;

use case::{Case, run_all};
use flavour::{FLAVOURS, Flavour};

/// The cases of each provider; a name is used once, so that a failure can be found.
async fn run(cases_of: fn(Flavour) -> Vec<Case>, least: usize) {
    let mut all = Vec::new();
    for flavour in FLAVOURS {
        let cases = cases_of(flavour);
        let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), cases.len(), "{flavour:?}: two cases have one name");
        assert!(cases.len() >= least, "{flavour:?}: {} cases", cases.len());
        all.extend(cases.into_iter().map(|case| (flavour, case)));
    }
    run_all(all).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_on_the_way_end_in_the_answer_or_as_unavailable() {
    run(transport::cases, 40).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_provider_says_in_place_of_an_answer_is_never_a_verdict() {
    run(replies::cases, 25).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_model_writes_is_read_as_it_was_meant_or_not_at_all() {
    run(answers::cases, 50).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn evidence_that_does_not_stand_is_looked_at_again_and_then_left_unscored() {
    run(looks::cases, 25).await;
}
