//! A provider of our own: files, batches, results and direct calls, with faults where a test wants them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

use super::replies::{Batch, Words};
use carelock_test_support::fault_server::{Answer, FaultServer, Seen, Step};

/// How a request in a batch ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    #[default]
    Answered,
    Twice,
    Refused,
    Truncated,
    Empty,
    Errored,
    Rejected,
    Expired,
    Cancelled,
    Shapeless,
    Missing,
}

/// What goes wrong at a place, once.
pub(crate) struct Fault {
    /// How the request line begins: `POST /v1/files`.
    pub(crate) place: &'static str,
    /// Whether what was asked for is done all the same, and only the answer is lost.
    pub(crate) done: bool,
    pub(crate) step: Step,
}

/// Everything the provider knows.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) files: BTreeMap<String, (String, Vec<u8>)>,
    pub(crate) batches: Vec<Batch>,
    pub(crate) opened: usize,
    pub(crate) direct: Vec<Value>,
    /// How requests end, by the number planted in their chat; others are answered.
    pub(crate) endings: BTreeMap<String, Ending>,
    pub(crate) faults: Vec<Fault>,
    /// Lines put before all others into the results.
    pub(crate) extra_lines: Vec<String>,
    /// How many looks find a new batch still running.
    pub(crate) looks: u32,
    /// How a new batch ends, where it does not end well.
    pub(crate) fails: Option<(&'static str, Option<&'static str>)>,
    /// Whether the results end in the middle of a line.
    pub(crate) cut: bool,
    made: usize,
}

/// The server.
pub(crate) struct Provider {
    pub(crate) words: Words,
    pub(crate) server: FaultServer,
    world: Arc<Mutex<World>>,
}

impl Provider {
    pub(crate) async fn start(words: Words) -> Self {
        let world = Arc::new(Mutex::new(World::default()));
        let shared = Arc::clone(&world);
        let server = FaultServer::start_choosing(move |seen| {
            let mut world = shared.lock().expect("no test panicked here");
            world.serve(words, seen)
        });
        Self { words, server: server.await, world }
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().expect("no test panicked here")
    }

    pub(crate) fn fault(&self, place: &'static str, done: bool, step: Step) {
        self.world().faults.push(Fault { place, done, step });
    }

    /// How many requests began so.
    pub(crate) fn count(&self, start: &str) -> usize {
        self.server.seen().iter().filter(|seen| seen.head.starts_with(start)).count()
    }
}

fn ok(value: &Value) -> Step {
    Step::json(200, &value.to_string())
}

fn missing() -> Step {
    Step::json(404, r#"{"error":{"type":"not_found_error","message":"No such object"}}"#)
}

impl World {
    fn serve(&mut self, words: Words, seen: &Seen) -> Step {
        let line = seen.head.lines().next().unwrap_or_default().to_owned();
        let fault = self.faults.iter().position(|fault| line.starts_with(fault.place));
        let fault = fault.map(|place| self.faults.remove(place));
        if let Some(fault) = fault {
            let step = if fault.done { Some(self.answer(words, &line, seen)) } else { None };
            return match (fault.step, step) {
                (Step::CutOff(_, kept), Some(Step::Answer(answer))) => Step::CutOff(answer, kept),
                (step, _) => step,
            };
        }
        self.answer(words, &line, seen)
    }

    fn answer(&mut self, words: Words, line: &str, seen: &Seen) -> Step {
        let mut words_of_line = line.split(' ');
        let (method, target) = (words_of_line.next().unwrap_or_default(), words_of_line.next().unwrap_or_default());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let base = if words == Words::OpenAi { "/v1/batches" } else { "/v1/messages/batches" };
        if let Some(rest) = path.strip_prefix(base) {
            let parts: Vec<&str> = rest.split('/').skip(1).collect();
            return match (method, parts.as_slice()) {
                ("POST", []) => self.open(words, &seen.body),
                ("GET", []) => self.list_batches(words, query),
                ("GET", [id]) => self.look(words, id),
                ("GET", [id, "results"]) => self.results(words, id),
                ("POST", [id, "cancel"]) => self.cancel(words, id),
                ("DELETE", [id]) => self.forget(id),
                _ => missing(),
            };
        }
        match (method, path.strip_prefix("/v1/files")) {
            ("POST", Some("")) => self.upload(&seen.body),
            ("GET", Some("")) => self.list_files(),
            ("GET", Some(rest)) => self.content(rest.trim_matches('/').trim_end_matches("/content")),
            ("DELETE", Some(rest)) => self.delete(rest.trim_matches('/')),
            _ if path == "/v1/chat/completions" || path == "/v1/messages" => {
                let request: Value = serde_json::from_slice(&seen.body).expect("JSON");
                let reply = words.answer(&request, "direct");
                self.direct.push(request);
                ok(&reply)
            }
            _ => missing(),
        }
    }

    fn name(&mut self, kind: &str) -> String {
        self.made += 1;
        format!("{kind}_{:04}", self.made)
    }

    fn upload(&mut self, body: &[u8]) -> Step {
        let text = String::from_utf8_lossy(body).into_owned();
        let purpose = text.contains("name=\"purpose\"\r\n\r\nbatch\r\n");
        let name = text.split("filename=\"").nth(1).and_then(|rest| rest.split('"').next());
        let start = text.find("application/jsonl\r\n\r\n").map(|at| at + "application/jsonl\r\n\r\n".len());
        let end = text.rfind("\r\n--carelock-");
        let (true, Some(name), Some(start), Some(end)) = (purpose, name, start, end) else {
            return Step::json(400, r#"{"error":{"message":"no file in the form"}}"#);
        };
        let id = self.name("file");
        self.files.insert(id.clone(), (name.to_owned(), text.as_bytes()[start..end].to_vec()));
        ok(&json!({ "id": id, "object": "file", "filename": name, "purpose": "batch" }))
    }

    fn list_files(&self) -> Step {
        let files = self.files.iter().rev().map(|(id, (name, _))| json!({ "id": id, "filename": name }));
        ok(&json!({ "object": "list", "data": files.collect::<Vec<_>>(), "has_more": false }))
    }

    fn content(&self, id: &str) -> Step {
        let Some((_, bytes)) = self.files.get(id) else { return missing() };
        let body = bytes.clone();
        Step::Answer(Answer { status: 200, headers: Vec::new(), body, after: Duration::ZERO })
    }

    fn delete(&mut self, id: &str) -> Step {
        match self.files.remove(id) {
            Some(_) => ok(&json!({ "id": id, "deleted": true })),
            None => missing(),
        }
    }

    fn open(&mut self, words: Words, body: &[u8]) -> Step {
        let body: Value = serde_json::from_slice(body).expect("JSON");
        let (input, lines): (String, Vec<Value>) = match words {
            Words::OpenAi => {
                assert_eq!(
                    (&body["endpoint"], &body["completion_window"]),
                    (&json!("/v1/chat/completions"), &json!("24h"))
                );
                let input = body["input_file_id"].as_str().expect("a file").to_owned();
                let Some((_, file)) = self.files.get(&input) else { return missing() };
                let lines = file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                (input.clone(), lines.map(|line| serde_json::from_slice(line).expect("a line of JSON")).collect())
            }
            Words::Anthropic => (String::new(), body["requests"].as_array().expect("requests").clone()),
        };
        let body_name = if words == Words::OpenAi { "body" } else { "params" };
        let request = |line: &Value| (line["custom_id"].as_str().expect("a name").to_owned(), line[body_name].clone());
        let batch = Batch {
            id: self.name("batch"),
            key: body["metadata"]["carelock"].as_str().map(str::to_owned),
            input,
            requests: lines.iter().map(request).collect(),
            looks: self.looks,
            status: "in_progress",
            ..Batch::default()
        };
        self.opened += 1;
        let said = words.describe(&batch);
        self.batches.push(batch);
        ok(&said)
    }

    /// Pages of two, so that lists have to be read on.
    fn list_batches(&self, words: Words, query: &str) -> Step {
        let after = query.split('&').find_map(|pair| pair.strip_prefix("after=").or(pair.strip_prefix("after_id=")));
        let latest: Vec<&Batch> = self.batches.iter().rev().collect();
        let start = after.and_then(|id| latest.iter().position(|batch| batch.id == id)).map_or(0, |place| place + 1);
        let page = &latest[start.min(latest.len())..(start + 2).min(latest.len())];
        let data: Vec<Value> = page.iter().map(|batch| words.describe(batch)).collect();
        let last = page.last().map(|batch| &batch.id);
        ok(&json!({ "data": data, "has_more": start + 2 < latest.len(), "last_id": last }))
    }

    fn look(&mut self, words: Words, id: &str) -> Step {
        let Some(place) = self.batches.iter().position(|batch| batch.id == id) else { return missing() };
        if self.batches[place].looks > 0 {
            self.batches[place].looks -= 1;
        } else if matches!(self.batches[place].status, "in_progress" | "cancelling" | "canceling") {
            self.end(words, place);
        }
        ok(&words.describe(&self.batches[place]))
    }

    /// Ends a batch and writes its files.
    pub(crate) fn end(&mut self, words: Words, place: usize) {
        let (answers, errors) = self.written(words, place);
        let cancelled = self.batches[place].status == "cancelling";
        let (status, problem) = self.fails.unwrap_or((if cancelled { "cancelled" } else { "completed" }, None));
        if words == Words::OpenAi {
            for (lines, is_error) in [(answers, false), (errors, true)] {
                if lines.is_empty() || status == "failed" {
                    continue;
                }
                let file = self.name("file");
                self.files.insert(file.clone(), ("results.jsonl".to_owned(), lines));
                let batch = &mut self.batches[place];
                if is_error { batch.errors = Some(file) } else { batch.output = Some(file) }
            }
        }
        let batch = &mut self.batches[place];
        (batch.status, batch.problem) = if words == Words::OpenAi { (status, problem) } else { ("ended", None) };
    }

    /// The results, the last request's first.
    fn written(&self, words: Words, place: usize) -> (Vec<u8>, Vec<u8>) {
        let mut answers = self.extra_lines.clone();
        let mut errors = Vec::new();
        for (id, request) in self.batches[place].requests.iter().rev() {
            let ending = self.endings.get(&Words::planted(request)).copied().unwrap_or_default();
            let (answer, error) = words.lines(id, request, ending);
            answers.extend(answer);
            errors.extend(error);
        }
        let text = |lines: Vec<String>| lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect();
        let mut answers: Vec<u8> = text(answers);
        if self.cut {
            answers.truncate(answers.len() - 40);
        }
        (answers, text(errors))
    }

    fn results(&self, words: Words, id: &str) -> Step {
        let Some(place) = self.batches.iter().position(|batch| batch.id == id) else { return missing() };
        let (answers, errors) = self.written(words, place);
        let body = [errors, answers].concat();
        Step::Answer(Answer { status: 200, headers: Vec::new(), body, after: Duration::ZERO })
    }

    fn cancel(&mut self, words: Words, id: &str) -> Step {
        let Some(batch) = self.batches.iter_mut().find(|batch| batch.id == id) else { return missing() };
        if batch.status != "in_progress" {
            return Step::json(400, r#"{"error":{"type":"invalid_request_error","message":"it is over"}}"#);
        }
        batch.status = if words == Words::OpenAi { "cancelling" } else { "canceling" };
        ok(&words.describe(batch))
    }

    fn forget(&mut self, id: &str) -> Step {
        let before = self.batches.len();
        self.batches.retain(|batch| batch.id != id);
        if self.batches.len() < before { ok(&json!({ "id": id, "type": "message_batch_deleted" })) } else { missing() }
    }
}
