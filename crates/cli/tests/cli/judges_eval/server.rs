//! A server on this machine that speaks as OpenAI and Anthropic do, answers by a script and remembers every call.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use carelock_core::transcript::Turn;
use carelock_judge::prompt::parse_back;
use serde_json::{Value, json};

/// One call as it came.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The request line and the headers.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Value,
}

impl Call {
    pub(crate) fn is_anthropic(&self) -> bool {
        self.head.starts_with("POST /v1/messages")
    }

    /// The instructions.
    pub(crate) fn system(&self) -> String {
        if !self.is_anthropic() {
            return self.body["messages"][0]["content"].as_str().unwrap().to_owned();
        }
        match &self.body["system"] {
            Value::String(text) => text.clone(),
            blocks => blocks.as_array().unwrap().iter().map(|block| block["text"].as_str().unwrap()).collect(),
        }
    }

    /// The message that carries the chat.
    pub(crate) fn user(&self) -> String {
        let messages = self.body["messages"].as_array().unwrap();
        let content = &messages.iter().find(|message| message["role"] == "user").unwrap()["content"];
        match content {
            Value::String(text) => text.clone(),
            blocks => blocks.as_array().unwrap().iter().map(|block| block["text"].as_str().unwrap()).collect(),
        }
    }

    /// The turns of the chat, read back from the frame.
    pub(crate) fn turns(&self) -> Vec<Turn> {
        parse_back(&self.user()).unwrap()
    }

    /// The schema that the answer is held to.
    pub(crate) fn schema(&self) -> &Value {
        let places = ["/response_format/json_schema/schema", "/output_config/format/schema", "/tools/0/input_schema"];
        places.iter().find_map(|place| self.body.pointer(place)).unwrap()
    }

    /// The checks that are asked.
    pub(crate) fn checks(&self) -> Vec<String> {
        self.schema()["properties"]["verdicts"]["properties"].as_object().unwrap().keys().cloned().collect()
    }
}

/// What a server says to a call.
pub(crate) struct Reply {
    status: u16,
    pub(crate) body: Value,
}

impl Reply {
    pub(crate) fn failed(status: u16, kind: &str, message: &str) -> Self {
        Self { status, body: json!({ "error": { "message": message, "type": kind, "code": kind } }) }
    }

    /// A model's words in the shape of the API that was called.
    pub(crate) fn said(call: &Call, text: &str) -> Self {
        if call.is_anthropic() {
            let usage = json!({ "input_tokens": 5000, "output_tokens": 1500 });
            let content = json!([{ "type": "text", "text": text }]);
            let body = json!({
                "id": "x", "type": "message", "role": "assistant", "model": "scripted-1", "content": content,
                "stop_reason": "end_turn", "usage": usage,
            });
            return Self { status: 200, body };
        }
        Self::completion(&json!({ "role": "assistant", "content": text }))
    }

    /// A refusal as OpenAI writes it.
    pub(crate) fn refusal(words: &str) -> Self {
        Self::completion(&json!({ "role": "assistant", "content": null, "refusal": words }))
    }

    fn completion(message: &Value) -> Self {
        let usage = json!({ "prompt_tokens": 5000, "completion_tokens": 1500, "total_tokens": 6500 });
        let choice = json!({ "index": 0, "finish_reason": "stop", "message": message });
        let body = json!({
            "id": "x", "object": "chat.completion", "model": "scripted-1", "choices": [choice], "usage": usage,
        });
        Self { status: 200, body }
    }
}

/// The server; it ends when it is stopped or the test's process ends.
pub(crate) struct Server {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<Call>>>,
    stopped: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(script: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let calls = Arc::new(Mutex::new(Vec::new()));
        let stopped = Arc::new(AtomicBool::new(false));
        let (seen, ends, script) = (Arc::clone(&calls), Arc::clone(&stopped), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    break;
                }
                let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                std::thread::spawn(move || serve(stream, &seen, script.as_ref()));
            }
        });
        Self { address, calls, stopped }
    }

    /// From now on nobody listens here.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        while TcpStream::connect(self.address).is_ok() {
            std::thread::yield_now();
        }
    }

    /// Its address as the base of an API.
    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The judge that it is.
    pub(crate) fn judge(&self) -> String {
        format!("{}#model", self.base())
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// The calls since it was last asked for them.
    pub(crate) fn take_calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Call>>, script: &dyn Fn(&Call) -> Reply) {
    let Some(call) = read(&stream) else { return };
    seen.lock().unwrap().push(call.clone());
    let Reply { status, body } = script(&call);
    let body = body.to_string();
    // A caller that has gone away is no matter for the server.
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}

fn read(stream: &TcpStream) -> Option<Call> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Call { head, body: serde_json::from_slice(&body).ok()? })
}
