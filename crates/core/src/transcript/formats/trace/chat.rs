//! From the calls of a conversation to one chat: each call repeats what was said before it, and each message is kept once.

use std::collections::BTreeSet;

use super::super::assemble::{Assembly, Role, role_of};
use super::super::{ReadError, ReadOptions, Reading, Speaker};
use super::calls::{Calls, Conversation};
use super::message::Message;
use super::{Call, CallKind, TraceOrigin};

/// How many courses of one conversation are followed at a time; real ones have a few.
const MOST_COURSES: usize = 32;
/// How far back a call is looked for among what was said, at least.
const LOOK_BACK: usize = 64;

/// The chats of all conversations.
pub(super) fn read(calls: Calls, options: &ReadOptions) -> Vec<Result<Reading, ReadError>> {
    calls.conversations().into_iter().map(|conversation| read_one(conversation, options)).collect()
}

/// What a call says, turn by turn.
struct Said {
    turns: Vec<Turn>,
    has_history: bool,
    trace: Option<String>,
    span: Option<String>,
}

/// One turn; two are the same where the same side says the same.
struct Turn {
    side: u8,
    message: Message,
}

impl PartialEq for Turn {
    fn eq(&self, other: &Self) -> bool {
        let text = |turn: &Self| turn.message.text.as_deref().unwrap_or_default().trim().to_owned();
        self.side == other.side && (self.message.text == other.message.text || text(self) == text(other))
    }
}

/// What is no turn: each such message once, however many calls repeat it.
#[derive(Default)]
struct Others {
    messages: Vec<Message>,
    known: BTreeSet<[u8; 32]>,
}

impl Others {
    fn add(&mut self, message: Message) {
        let digest = blake3::hash(format!("{message:?}").as_bytes());
        if self.known.insert(*digest.as_bytes()) {
            self.messages.push(message);
        }
    }
}

/// What was said in one course of a conversation, and by which calls.
#[derive(Default)]
struct Course {
    turns: Vec<Turn>,
    calls: usize,
    traces: BTreeSet<Option<String>>,
    last: (Option<String>, Option<String>),
}

fn read_one(conversation: Conversation, options: &ReadOptions) -> Result<Reading, ReadError> {
    let Conversation { session, title, calls } = conversation;
    let trace = calls.iter().find_map(|call| call.trace.clone());
    let id = session.clone().or(trace);
    let at = id.as_ref().map(|id| format!("conversation {id:?}")).unwrap_or_default();
    let mut assembly = Assembly::new(&at, options);
    let mut others = Others::default();
    let said: Vec<Said> = chosen(calls).into_iter().map(|call| said(call, options, &mut others)).collect();
    let has_history = said.iter().any(|said| said.has_history);
    let number = said.iter().filter(|said| !said.turns.is_empty()).count();
    let (course, repeated) = if has_history { longest(said) } else { one_after_the_other(said) };
    let beside = number.saturating_sub(course.calls + repeated);
    others.messages.iter().for_each(|message| add(&mut assembly, message));
    course.turns.iter().for_each(|turn| add(&mut assembly, &turn.message));
    let mut reading = assembly.finish()?;
    if beside > 0 {
        let (noun, verb) = if beside == 1 { ("call", "does") } else { ("calls", "do") };
        reading.notes.push(format!(
            "{beside} {noun} of this conversation {verb} not belong to the course of the chat; not read"
        ));
    }
    let (trace, span) = course.last;
    reading.trace = Some(Box::new(TraceOrigin { session, trace, span, traces: course.traces.len() }));
    (reading.id, reading.title) = (id, title);
    Ok(reading)
}

/// The calls that tell the chat: questions to a model where they carry the history, else the steps around them, whose words
/// are those of the person, else whatever there is.
fn chosen(calls: Vec<Call>) -> Vec<Call> {
    let spans: BTreeSet<String> = calls.iter().filter_map(|call| call.span.clone()).collect();
    let is_outer = |call: &Call| call.parent.as_ref().is_none_or(|parent| !spans.contains(parent));
    let whole = |call: &Call| !call.input.is_empty() && !call.output.is_empty();
    let traces = |calls: &[Call]| calls.iter().map(|call| call.trace.clone()).collect::<BTreeSet<_>>();
    let (models, steps): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(|call| call.kind == CallKind::Model);
    let outer: Vec<Call> = steps.into_iter().filter(|step| is_outer(step) && whole(step)).collect();
    let with_history = models.iter().any(|call| call.input.iter().filter(|message| message.text.is_some()).count() > 2);
    let covers = traces(&outer).is_superset(&traces(&models));
    if models.is_empty() || (covers && !with_history && models.len() > outer.len()) { outer } else { models }
}

/// The turns of a call; what is no turn is kept aside, once.
fn said(call: Call, options: &ReadOptions, others: &mut Others) -> Said {
    let Call { input, output, trace, span, .. } = call;
    let before = input.len();
    let (mut turns, mut has_history) = (Vec::new(), false);
    for (place, mut message) in input.into_iter().chain(output).enumerate() {
        let side = match role_of(&message.label, options) {
            Role::Turn(Speaker::Human, _) => 0,
            Role::Turn(Speaker::Ai, _) => 1,
            Role::Unknown => 2,
            Role::Dropped(_) => 3,
        };
        if side == 3 || message.text.is_none() {
            others.add(message);
            continue;
        }
        let left_out = std::mem::take(&mut message.left_out);
        if !left_out.is_empty() {
            others.add(Message { label: message.label.clone(), text: None, left_out });
        }
        has_history |= (side == 1 && place < before) || turns.len() >= 2;
        turns.push(Turn { side, message });
    }
    Said { turns, has_history, trace, span }
}

/// Calls without history follow each other; what a call inside another repeats is left out. The second is how many did.
fn one_after_the_other(said: Vec<Said>) -> (Course, usize) {
    let (mut course, mut repeated) = (Course::default(), 0);
    for said in said.into_iter().filter(|said| !said.turns.is_empty()) {
        let (is_repeat, overlap) =
            if course.last.0 == said.trace { compare(&course.turns, &said.turns) } else { (false, 0) };
        if is_repeat {
            repeated += 1;
            continue;
        }
        course.add(said, overlap);
    }
    (course, repeated)
}

/// The longest course of the conversation: answers that were made again and calls for other purposes open others.
fn longest(said: Vec<Said>) -> (Course, usize) {
    let mut courses: Vec<(Course, usize)> = Vec::new();
    for said in said.into_iter().filter(|said| !said.turns.is_empty()) {
        let mut best: Option<(usize, usize)> = None;
        let mut repeats = None;
        for (place, (course, _)) in courses.iter().enumerate().rev() {
            let (is_repeat, overlap) = compare(&course.turns, &said.turns);
            if is_repeat {
                repeats = Some(place);
                break;
            }
            if overlap > best.map_or(0, |(_, most)| most) {
                best = Some((place, overlap));
            }
        }
        if let Some(place) = repeats {
            courses[place].1 += 1;
        } else if let Some((place, overlap)) = best {
            courses[place].0.add(said, overlap);
        } else {
            if courses.len() >= MOST_COURSES
                && let Some(shortest) = (0..courses.len()).min_by_key(|place| courses[*place].0.turns.len())
            {
                courses.remove(shortest);
            }
            let mut course = Course::default();
            course.add(said, 0);
            courses.push((course, 0));
        }
    }
    courses.into_iter().max_by_key(|(course, _)| course.turns.len()).unwrap_or_default()
}

impl Course {
    fn add(&mut self, said: Said, overlap: usize) {
        self.turns.extend(said.turns.into_iter().skip(overlap));
        self.calls += 1;
        self.traces.insert(said.trace.clone());
        self.last = (said.trace, said.span);
    }
}

/// Whether what a call says stands in a course already, and how many of its first turns are the course's last.
fn compare(course: &[Turn], call: &[Turn]) -> (bool, usize) {
    let from = course.len().saturating_sub((2 * call.len()).max(LOOK_BACK));
    let borders = borders(call);
    let mut matched = 0;
    for turn in course.get(from..).unwrap_or_default() {
        while matched > 0 && call.get(matched) != Some(turn) {
            matched = borders[matched - 1];
        }
        matched += usize::from(call.get(matched) == Some(turn));
        if matched == call.len() {
            return (true, matched);
        }
    }
    (false, matched)
}

/// For each turn of a call, how many of its first turns end there once more.
fn borders(call: &[Turn]) -> Vec<usize> {
    let mut borders = vec![0; call.len()];
    let mut length = 0;
    for place in 1..call.len() {
        while length > 0 && call[place] != call[length] {
            length = borders[length - 1];
        }
        length += usize::from(call[place] == call[length]);
        borders[place] = length;
    }
    borders
}

fn add(assembly: &mut Assembly<'_>, message: &Message) {
    message.left_out.iter().for_each(|what| assembly.drop(what, 1));
    match assembly.role(&message.label) {
        Role::Turn(speaker, _) => match &message.text {
            Some(text) => assembly.turn(&message.label, speaker, text.clone()),
            None if message.left_out.is_empty() => assembly.drop("message without text", 1),
            None => {}
        },
        Role::Dropped(what) => assembly.drop(what, 1),
        Role::Unknown => {}
    }
}
