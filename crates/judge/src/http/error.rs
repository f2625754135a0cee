//! How a call can fail before there is a response to read.

use std::error::Error;
use std::io;
use std::net::IpAddr;

use crate::outcome::{Outcome, Retry};

/// Why there is no response. It carries no words of the server or of the request: only hosts, numbers and words of our
/// own, so that no key and no part of a chat can travel in an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct TransportError {
    what: String,
    /// How far the call came.
    pub(super) end: End,
}

/// How a call ended that brought no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// No connection came about, so nothing was sent.
    NoConnection,
    /// Nothing listens at an address of this machine, so nothing was sent.
    NobodyHere,
    /// The exchange broke off or took too long.
    Broken,
    /// The reply cannot be one of a judge.
    Nonsense,
    /// The address, the key or the server is not as it must be.
    Misconfigured,
}

impl TransportError {
    pub(super) fn new(end: End, what: impl Into<String>) -> Self {
        Self { what: what.into(), end }
    }

    /// An address that cannot be called.
    pub(super) fn bad_address(why: &str) -> Self {
        let what = format!("the judge's address cannot be used: {why}; check the base address in the configuration");
        Self::new(End::Misconfigured, what)
    }

    /// A connection that ended in the middle.
    pub(super) fn broken(host: &str, why: &str) -> Self {
        Self::new(End::Broken, format!("the exchange with {host} broke off: {why}"))
    }

    /// What a judge's call that ended so comes to.
    pub fn outcome(&self) -> Outcome {
        let what = self.what.clone();
        match self.end {
            End::NoConnection | End::NobodyHere | End::Broken => Outcome::Unavailable { what, retry: Retry::Later },
            End::Nonsense => Outcome::Invalid { what },
            End::Misconfigured => Outcome::Misconfigured { what },
        }
    }
}

/// Puts the client's error into our words; its own are left out because they may quote addresses.
pub(super) fn from_reqwest(error: &reqwest::Error, host: &str) -> TransportError {
    if let Some(why) = certificate_problem(error) {
        let fix = "add its authority to the trusted ones if you know it";
        let what = format!("the certificate of {host} is not trusted: {why}; {fix}");
        return TransportError::new(End::Misconfigured, what);
    }
    if error.is_connect() {
        let why = if error.is_timeout() { "it took too long" } else { connect_problem(error) };
        let what = format!("could not connect to {host}: {why}; check the network and the address");
        let is_refused = sources(error).any(|source| io_kind(source) == Some(io::ErrorKind::ConnectionRefused));
        let end = if is_refused && is_this_machine(host) { End::NobodyHere } else { End::NoConnection };
        return TransportError::new(end, what);
    }
    if error.is_builder() {
        return TransportError::bad_address("it is not a valid HTTP address");
    }
    TransportError::broken(host, io_problem(error).unwrap_or("the reply is cut off or not valid HTTP"))
}

fn sources<'error>(error: &'error reqwest::Error) -> impl Iterator<Item = &'error (dyn Error + 'static)> {
    let first: &'error (dyn Error + 'static) = error;
    std::iter::successors(Some(first), |error| cause(*error))
}

/// What is behind an error. `io::Error` hides what it wraps from `source`, and TLS errors come wrapped in it.
fn cause<'error>(error: &'error (dyn Error + 'static)) -> Option<&'error (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

fn certificate_problem(error: &reqwest::Error) -> Option<&'static str> {
    use rustls::{CertificateError, Error as Tls};
    sources(error).find_map(|source| match source.downcast_ref::<Tls>()? {
        Tls::InvalidCertificate(problem) => Some(match problem {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired",
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "it is not valid yet",
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "it was made out to another name"
            }
            CertificateError::UnknownIssuer => "its authority is not known here",
            CertificateError::Revoked => "it was revoked",
            _ => "it is not valid",
        }),
        _ => None,
    })
}

fn connect_problem(error: &reqwest::Error) -> &'static str {
    if sources(error).any(|source| source.to_string() == "dns error") {
        return "its name is not known to the network";
    }
    if sources(error).any(<dyn Error>::is::<rustls::Error>) {
        return "the server does not speak TLS as expected";
    }
    io_problem(error).unwrap_or("the connection failed")
}

/// Whether a host, with its port if it has one, is this machine by its name or number.
fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn io_kind(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    error.downcast_ref::<io::Error>().map(io::Error::kind)
}

fn io_problem(error: &reqwest::Error) -> Option<&'static str> {
    sources(error).find_map(|source| match io_kind(source)? {
        io::ErrorKind::ConnectionRefused => Some("nothing listens there"),
        io::ErrorKind::ConnectionReset => Some("the connection was reset"),
        io::ErrorKind::ConnectionAborted => Some("the connection was aborted"),
        io::ErrorKind::BrokenPipe => Some("the connection was closed"),
        io::ErrorKind::UnexpectedEof => Some("the reply ended too early"),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => Some("there is no way to that host"),
        io::ErrorKind::TimedOut => Some("the network gave up waiting"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_name_and_number() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.1.2.3:9", "[::1]", "[::1]:8080"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["example.org", "localhost.example.org:80", "10.0.0.1:80", "[2001:db8::1]:80", ""] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
