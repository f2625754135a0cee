//! The server as one browser sees it: its pages, its forms, and the events of a run.

use std::net::TcpStream;

use carelock_test_support::{Field, Place, Reply, Server, Visitor, wait_for};

/// A running server, and the browser that this test is.
pub(crate) struct Web {
    server: Server,
    visitor: Visitor,
}

impl Web {
    /// Starts a server in a place, with its database there.
    pub(crate) fn start(place: &Place, options: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = place.command(&["serve", "--port", "0", "--db", "runs.db"]);
        command.envs(environment.iter().copied());
        let server = Server::run(place, command, options);
        let visitor = Visitor::at(&server.address, "/");
        Self { server, visitor }
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.visitor.get(path)
    }

    /// Sends a form as the pages do.
    #[track_caller]
    pub(crate) fn post(&self, path: &str, fields: &[Field<'_>]) -> Reply {
        self.visitor.post_form(path, fields)
    }

    /// Sends a form, and leaves it to the caller whether to wait for the answer.
    #[track_caller]
    pub(crate) fn begin_post(&self, path: &str, fields: &[Field<'_>]) -> TcpStream {
        self.visitor.begin_form(path, fields)
    }

    /// Begins to send a form that never ends.
    #[track_caller]
    pub(crate) fn begin_chunked(&self, path: &str) -> TcpStream {
        self.visitor.begin_endless_form(path)
    }

    /// The events of a run until the stream ends: each with its name and its data.
    #[track_caller]
    pub(crate) fn events(&self, run: &str) -> Vec<(String, serde_json::Value)> {
        let page = self.get(&format!("{run}/events")).is(200);
        assert_eq!(page.header("content-type"), Some("text/event-stream"));
        let field = |event: &str, name: &str| {
            let found = event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            found.map(str::to_owned)
        };
        let events = page.body.split("\n\n").filter(|event| event.contains("event: "));
        events
            .map(|event| {
                let data = serde_json::from_str(&field(event, "data").unwrap()).unwrap();
                (field(event, "event").unwrap(), data)
            })
            .collect()
    }

    /// Waits until a page says something.
    #[track_caller]
    pub(crate) fn wait_for(&self, path: &str, text: &str) -> Reply {
        let says = || Some(self.get(path).is(200)).filter(|page| page.body.contains(text));
        wait_for(&format!("{path} says {text:?}"), says)
    }

    /// Ends the server as Ctrl-C does; all it said.
    #[track_caller]
    pub(crate) fn stop(self) -> String {
        self.server.stop()
    }
}
