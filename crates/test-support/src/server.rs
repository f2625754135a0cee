//! `carelock serve`, started for a test and stopped with it.

use std::net::TcpStream;
use std::process::Command;

use crate::{Place, Reply, Running, client};

/// What no message of the server may ever hold.
pub const SECRET: &str = "MARKER-7f3a9c";

/// A running server; it ends when it is dropped.
pub struct Server {
    /// The folder with its database, `runs.db`.
    pub place: Place,
    /// Where it listens, without `http://`.
    pub address: String,
    running: Running,
}

impl Server {
    /// A server in a folder of its own, which is filled first.
    #[track_caller]
    pub fn filled(fill: impl FnOnce(&Place), options: &[&str]) -> Self {
        let place = Place::new();
        fill(&place);
        Self::start(&place, options)
    }

    /// A server over the database `runs.db` of a place.
    #[track_caller]
    pub fn start(place: &Place, options: &[&str]) -> Self {
        let command = place.command(&["serve", "--port", "0", "--db", "runs.db"]);
        Self::run(place, command, options)
    }

    /// A server by a command of its own, to which only options are added.
    #[track_caller]
    pub fn run(place: &Place, mut command: Command, options: &[&str]) -> Self {
        let mut running = Running::start(command.args(options));
        let address = running.wait_for_line(address);
        Self { place: place.clone(), address, running }
    }

    /// The whole address of a path: `server.at("/runs")`.
    pub fn at(&self, path: &str) -> String {
        format!("http://{}/{}", self.address, path.trim_start_matches('/'))
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.running.id()
    }

    /// What it has said on standard error.
    pub fn log(&self) -> String {
        self.running.stderr()
    }

    /// What it has said on standard output and standard error.
    pub fn output(&self) -> String {
        self.running.stdout() + &self.running.stderr()
    }

    /// Ends it as Ctrl-C does; what it said on standard error.
    #[track_caller]
    pub fn stop(self) -> String {
        self.running.interrupt();
        self.running.wait().exits(0).stderr
    }

    /// A connection to it.
    #[track_caller]
    pub fn connect(&self) -> TcpStream {
        client::connect(&self.address)
    }

    /// Sends bytes as they are; all that comes back until the server closes the connection.
    #[track_caller]
    pub fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        client::raw(&self.address, bytes)
    }

    /// Sends a request with these headers and body.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        client::send(&self.address, method, path, headers, body)
    }

    /// Gets a page.
    #[track_caller]
    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    /// Gets a page with a token.
    #[track_caller]
    pub fn get_as(&self, token: &str, path: &str) -> Reply {
        self.send("GET", path, &[("Authorization", &format!("Bearer {token}"))], b"")
    }

    /// Posts JSON.
    #[track_caller]
    pub fn post_json(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("Content-Type", "application/json")], body.as_bytes())
    }

    /// Makes sure that the server still serves, and has said nothing of what was sent.
    #[track_caller]
    pub fn assert_sound(&self) {
        assert_eq!(self.get("/healthz").status, 200);
        let log = self.log();
        assert!(!log.contains(SECRET), "{log}");
        assert!(!log.contains("panicked"), "{log}");
        assert!(!log.contains(" 500 "), "{log}");
    }
}

impl Place {
    /// A token of a role, for the server over `runs.db`.
    #[track_caller]
    pub fn token(&self, name: &str, role: &str) -> String {
        self.run(&["token", "create", name, "--role", role, "--db", "runs.db"]).exits(0).stdout.trim().to_owned()
    }
}

/// The address in the line that a server prints when it listens.
fn address(line: &str) -> Option<String> {
    let address = line.strip_prefix("listening on http://")?.trim_end_matches('/');
    address.starts_with("127.0.0.1:").then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_script(script: &str) -> Server {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Server::run(&Place::new(), command, &[])
    }

    #[test]
    fn the_address_is_read_from_its_line_and_nothing_else_is_taken_for_it() {
        assert_eq!(address("listening on http://127.0.0.1:4000/").as_deref(), Some("127.0.0.1:4000"));
        assert_eq!(address("listening on http://0.0.0.0:4000/"), None);
        assert_eq!(address("http://127.0.0.1:4000/"), None);
    }

    #[test]
    fn a_server_ends_when_it_is_dropped() {
        let server = by_script("echo 'listening on http://127.0.0.1:4000/'; exec sleep 600");
        assert_eq!(server.at("/runs"), "http://127.0.0.1:4000/runs");
        let process = std::path::Path::new("/proc").join(server.id().to_string());
        let existed = process.exists();
        drop(server);
        assert!(!process.exists() && (existed || !cfg!(target_os = "linux")));
    }

    #[test]
    #[should_panic(expected = "the port is taken")]
    fn a_server_that_does_not_start_is_quoted() {
        by_script("echo 'the port is taken' >&2; exit 2");
    }
}
