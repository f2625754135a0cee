//! A provider on this machine that takes batches in OpenAI's words, and direct calls beside them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use carelock_test_support::StubServer;
use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{Call, ModelReply};
use serde_json::{Value, json};

/// What the provider knows.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) files: BTreeMap<String, (String, String)>,
    pub(crate) batches: BTreeMap<String, Value>,
    /// Questions in batches, and those asked directly, each with the chat's first words.
    pub(crate) batched: Vec<String>,
    pub(crate) direct: Vec<String>,
    /// Whether batches come to an end.
    pub(crate) ends: bool,
    /// Chats whose questions end in an error, by words of theirs.
    pub(crate) broken: Vec<String>,
    /// Whether the name of a new batch is lost on the way back.
    pub(crate) loses_names: bool,
    /// How often somebody looked at a batch, which takes its name.
    pub(crate) looks: usize,
    made: usize,
}

pub(crate) struct BatchServer {
    server: StubServer,
    world: Arc<Mutex<World>>,
}

impl BatchServer {
    pub(crate) fn start() -> Self {
        let world = Arc::new(Mutex::new(World { ends: true, ..World::default() }));
        let shared = Arc::clone(&world);
        let server = StubServer::start(move |request| {
            let path = request.path().trim_start_matches("/v1/");
            shared.lock().unwrap().answer(request.method(), path, &request.body)
        });
        Self { server, world }
    }

    pub(crate) fn base(&self) -> String {
        self.server.base()
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }
}

impl World {
    /// Status and body; nothing where the connection just ends.
    fn answer(&mut self, method: &str, path: &str, body: &[u8]) -> Option<(u16, String)> {
        let parts: Vec<&str> = path.split('/').collect();
        let ok = |value: Value| Some((200, value.to_string()));
        match (method, parts.as_slice()) {
            ("POST", ["chat", "completions"]) => {
                let request: Value = serde_json::from_slice(body).unwrap();
                let call = call(request);
                self.direct.push(call.turns().remove(0).text);
                ok(ModelReply::said(&call, &plain(&call).to_string()).body)
            }
            ("POST", ["files"]) => ok(self.upload(&String::from_utf8_lossy(body))),
            ("GET", ["files"]) => {
                let files: Vec<Value> =
                    self.files.iter().map(|(id, (name, _))| json!({ "id": id, "filename": name })).collect();
                ok(json!({ "data": files, "has_more": false }))
            }
            ("GET", ["files", id, "content"]) => Some((200, self.files.get(*id)?.1.clone())),
            ("DELETE", ["files", id]) => ok(json!({ "id": id, "deleted": self.files.remove(*id).is_some() })),
            ("POST", ["batches"]) => {
                let batch = self.open(&serde_json::from_slice(body).unwrap());
                if self.loses_names { None } else { ok(batch) }
            }
            ("GET", ["batches"]) => {
                let data: Vec<Value> = self.batches.values().cloned().collect();
                ok(json!({ "data": data, "has_more": false }))
            }
            ("GET", ["batches", id]) => ok(self.look(id)),
            _ => Some((404, json!({ "error": { "message": "no such thing" } }).to_string())),
        }
    }

    fn name(&mut self, kind: &str) -> String {
        self.made += 1;
        format!("{kind}_{:03}", self.made)
    }

    fn upload(&mut self, form: &str) -> Value {
        let name = form.split("filename=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let start = form.find("application/jsonl\r\n\r\n").unwrap() + "application/jsonl\r\n\r\n".len();
        let end = form.rfind("\r\n--carelock-").unwrap();
        let id = self.name("file");
        self.files.insert(id.clone(), (name.clone(), form[start..end].to_owned()));
        json!({ "id": id, "filename": name })
    }

    fn open(&mut self, body: &Value) -> Value {
        let id = self.name("batch");
        let batch = json!({
            "id": id, "status": "in_progress", "created_at": 4_000_000_000_u64,
            "input_file_id": body["input_file_id"], "metadata": body["metadata"],
        });
        self.batches.insert(id, batch.clone());
        batch
    }

    fn look(&mut self, id: &str) -> Value {
        self.looks += 1;
        let batch = self.batches.get(id).unwrap().clone();
        if !self.ends || batch["status"] == "completed" {
            return batch;
        }
        let input = &self.files[batch["input_file_id"].as_str().unwrap()].1.clone();
        let mut lines: Vec<String> = Vec::new();
        for line in input.lines().filter(|line| !line.is_empty()) {
            let line: Value = serde_json::from_str(line).unwrap();
            let call = call(line["body"].clone());
            let first = call.turns().remove(0).text;
            let is_broken = self.broken.iter().any(|words| first.contains(words));
            self.batched.push(first);
            let response = match is_broken {
                true => json!({ "status_code": 500, "body": { "error": { "message": "overloaded" } } }),
                false => json!({ "status_code": 200, "body": ModelReply::said(&call, &plain(&call).to_string()).body }),
            };
            lines.push(json!({ "custom_id": line["custom_id"], "response": response, "error": null }).to_string());
        }
        lines.reverse();
        let output = self.name("file");
        self.files.insert(output.clone(), ("output.jsonl".to_owned(), lines.join("\n") + "\n"));
        let batch = self.batches.get_mut(id).unwrap();
        batch["status"] = "completed".into();
        batch["output_file_id"] = output.into();
        batch.clone()
    }
}

fn call(body: Value) -> Call {
    Call { head: "POST /v1/chat/completions".to_owned(), body }
}
