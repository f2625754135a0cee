//! What a persona's file is held to, so that a script always leads somewhere and says what its head promises.

use std::collections::{BTreeMap, BTreeSet};

use carelock_core::problem::Problem;

use crate::condition::Observer;
use crate::persona::{Disclosure, Persona, Risk, Step, Trait};

const LONGEST_WORDING: usize = 600;
const LONGEST_TITLE: usize = 80;
const MOST_WORDINGS: usize = 5;
const SHORTEST_CHAT: usize = 3;
const SHORTEST_LEAVING: usize = 2;
const LONGEST_CHAT: usize = 14;
/// Under this age a person is a minor.
const OF_AGE: u32 = 18;
/// Messages before a late disclosure.
const BEFORE_LATE: usize = 3;

/// Everything that is wrong with a persona.
pub fn check(persona: &Persona, observer: &Observer) -> Vec<Problem> {
    let mut wrong = Wrong { id: &persona.id, problems: Vec::new() };
    head(persona, &mut wrong);
    steps(persona, observer, &mut wrong);
    if wrong.problems.is_empty() {
        lengths(persona, &mut wrong);
    }
    wrong.problems
}

/// Where the embedded judge sees another danger in a person's words than the head of the file promises. It reads each line alone and is not always
/// right, so these are hints for the writer.
pub fn hints(persona: &Persona, observer: &Observer) -> Vec<Problem> {
    let mut wrong = Wrong { id: &persona.id, problems: Vec::new() };
    disclosure(persona, observer, &mut wrong);
    wrong.problems
}

struct Wrong<'a> {
    id: &'a str,
    problems: Vec<Problem>,
}

impl Wrong<'_> {
    fn unless(&mut self, holds: bool, what: impl Into<String>, fix: &str) {
        if !holds {
            self.problems.push(Problem::located(self.id, what, fix));
        }
    }
}

fn head(persona: &Persona, wrong: &mut Wrong<'_>) {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let id = !persona.id.is_empty() && persona.id.chars().all(is_plain);
    wrong.unless(id, "the id has other characters", "use small letters, digits and hyphens");
    let title = (1..=LONGEST_TITLE).contains(&persona.title.trim().chars().count());
    wrong.unless(title, "the title is empty or too long", "write one line of at most 80 characters");
    let texts = [("who", &persona.who), ("situation", &persona.situation), ("met_well", &persona.met_well)];
    let more = [("met_badly", &persona.met_badly), ("manner", &persona.style.manner)];
    for (name, text) in texts.into_iter().chain(more) {
        wrong.unless(!text.trim().is_empty(), format!("{name} is empty"), "say it in a sentence or two");
    }
    wrong.unless((1..=4).contains(&persona.goals.len()), "there are no goals, or too many", "name one to four");
    let minor = (persona.style.age < OF_AGE) == persona.has(Trait::Minor);
    wrong.unless(minor, "age and the trait `minor` disagree", "a minor is under 18");
}

fn steps(persona: &Persona, observer: &Observer, wrong: &mut Wrong<'_>) {
    wrong.unless(!persona.steps.is_empty(), "there is no step", "write at least one [[step]]");
    let (mut ids, mut wordings) = (BTreeSet::new(), BTreeSet::new());
    for step in &persona.steps {
        let at = &step.id;
        wrong.unless(ids.insert(at.as_str()), format!("two steps are called {at:?}"), "give each its own id");
        let count = (1..=MOST_WORDINGS).contains(&step.says.len());
        wrong.unless(count, format!("step {at:?} has {} wordings", step.says.len()), "write one to five");
        for says in &step.says {
            let length = (1..=LONGEST_WORDING).contains(&says.trim().chars().count());
            wrong.unless(
                length,
                format!("step {at:?}: a wording is empty or too long"),
                "write at most 600 characters",
            );
            let new = wordings.insert(says.trim().to_lowercase());
            wrong.unless(new, format!("step {at:?}: {says:?} stands twice in the file"), "word it differently");
        }
        ways(persona, step, observer, wrong);
    }
    let reached = reached(persona);
    for step in persona.steps.iter().filter(|step| !reached.contains(step.id.as_str())) {
        wrong.unless(false, format!("no way leads to step {:?}", step.id), "lead a way there, or leave it out");
    }
}

fn ways(persona: &Persona, step: &Step, observer: &Observer, wrong: &mut Wrong<'_>) {
    let at = &step.id;
    for (place, way) in step.next.iter().enumerate() {
        let there = persona.step(&way.to).is_some();
        wrong.unless(there, format!("step {at:?} leads to {:?}, which is no step", way.to), "name a step of this file");
        for name in way.conditions() {
            let known = observer.conditions().find(name).is_some();
            wrong.unless(
                known,
                format!("step {at:?}: there is no condition {name:?}"),
                "personas/README.md lists them",
            );
        }
        let last = place + 1 == step.next.len();
        wrong.unless(
            !way.always_holds() || last,
            format!("step {at:?}: a way behind {{ to = {:?} }} is never taken", way.to),
            "put the way that always holds last",
        );
    }
    let alone = !step.next.is_empty() && step.next.iter().all(|way| way.to == *at);
    wrong.unless(!alone, format!("step {at:?} leads to itself alone"), "add a way to another step, or none at all");
}

fn reached(persona: &Persona) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Step> = persona.steps.first().into_iter().collect();
    while let Some(step) = open.pop() {
        if found.insert(step.id.as_str()) {
            open.extend(step.next.iter().filter_map(|way| persona.step(&way.to)));
        }
    }
    found
}

/// The fewest messages from the opening to each step, that step's included.
fn earliest(persona: &Persona) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    let mut open: Vec<(&Step, usize)> = persona.steps.first().map(|step| (step, 1)).into_iter().collect();
    while let Some((step, count)) = open.pop() {
        if found.get(step.id.as_str()).is_none_or(|known| count < *known) {
            found.insert(step.id.as_str(), count);
            open.extend(step.next.iter().filter_map(|way| persona.step(&way.to)).map(|step| (step, count + 1)));
        }
    }
    found
}

fn lengths(persona: &Persona, wrong: &mut Wrong<'_>) {
    let earliest = earliest(persona);
    let ends = |step: &&Step| step.next.last().is_none_or(|way| !way.always_holds());
    let shortest = persona.steps.iter().filter(ends).filter_map(|step| earliest.get(step.id.as_str())).min();
    let least = if persona.leaves_early { SHORTEST_LEAVING } else { SHORTEST_CHAT };
    let long_enough = shortest.is_some_and(|shortest| *shortest >= least);
    wrong.unless(
        long_enough,
        format!("the shortest way through the script has {} messages", shortest.copied().unwrap_or_default()),
        "make it three at least, or two with leaves_early = true",
    );
    // No wording is said twice, so no chat has more messages than there are wordings.
    let longest = longest(persona);
    wrong.unless(
        longest <= LONGEST_CHAT,
        format!("a way through the script has {longest} messages"),
        "keep it within 14",
    );
}

/// The most messages of any way through the script; counting stops a little beyond what is allowed.
fn longest(persona: &Persona) -> usize {
    fn from<'a>(
        persona: &'a Persona,
        step: &'a Step,
        visits: &mut BTreeMap<&'a str, usize>,
        depth: usize,
        budget: &mut usize,
    ) -> usize {
        if depth > LONGEST_CHAT || *budget == 0 {
            return depth;
        }
        *budget -= 1;
        *visits.entry(step.id.as_str()).or_default() += 1;
        let mut most = depth;
        for to in step.next.iter().filter_map(|way| persona.step(&way.to)) {
            if visits.get(to.id.as_str()).copied().unwrap_or_default() < to.says.len() {
                most = most.max(from(persona, to, visits, depth + 1, budget));
            }
        }
        if let Some(count) = visits.get_mut(step.id.as_str()) {
            *count -= 1;
        }
        most
    }
    // Scripts with many crossings have many ways; looking at so many is enough to find a long one.
    let mut budget = 200_000;
    persona.steps.first().map_or(0, |step| from(persona, step, &mut BTreeMap::new(), 1, &mut budget))
}

fn disclosure(persona: &Persona, observer: &Observer, wrong: &mut Wrong<'_>) {
    let earliest = earliest(persona);
    let mut shown = false;
    for step in &persona.steps {
        for says in &step.says {
            let crisis = observer.is_crisis(says);
            shown |= crisis;
            let early = earliest.get(step.id.as_str()).is_some_and(|count| *count <= BEFORE_LATE);
            let fix = "word it so that it cannot be taken for a crisis, or change the head of the file";
            wrong.unless(
                persona.risk != Risk::None || !crisis,
                format!("risk = \"none\", but {says:?} reads like a crisis"),
                fix,
            );
            let late = persona.disclosure == Disclosure::Late && persona.risk != Risk::None && early;
            wrong.unless(
                !late || !crisis,
                format!(
                    "disclosure = \"late\", but step {:?} reads like a crisis within the first three messages",
                    step.id
                ),
                fix,
            );
        }
    }
    wrong.unless(
        !persona.risk.is_danger() || shown,
        format!("risk = {:?}, but no wording shows a crisis to the embedded judge", persona.risk.word()),
        "let the person say it plainly on at least one way",
    );
}
