//! How a call can fail before there is a response to read.

use std::error::Error;
use std::io;

use crate::outcome::{Outcome, Retry};

/// Why there is no response. No variant carries words of the server or of the request: only hosts, numbers and words of
/// our own, so that no key and no part of a chat can travel in an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The address cannot be called.
    #[error("the judge's address cannot be used: {why}; check the base address in the configuration")]
    BadAddress {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A header cannot be sent.
    #[error("the header {name} for {host} holds characters that HTTP does not allow; check the configuration")]
    BadHeader {
        /// Who was to be called.
        host: String,
        /// The header's name.
        name: &'static str,
    },
    /// The key cannot be sent.
    #[error("the key for {host} is empty or holds characters that no key has; set it again, on one line")]
    BadKey {
        /// Who was to be called.
        host: String,
    },
    /// No connection came about.
    #[error("could not connect to {host}: {why}; check the network and the address")]
    Connect {
        /// Who was to be called.
        host: String,
        /// What happened.
        why: &'static str,
    },
    /// The server's certificate is not trusted.
    #[error("the certificate of {host} is not trusted: {why}; add its authority to the trusted ones if you know it")]
    Certificate {
        /// Who was called.
        host: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The whole call took too long.
    #[error("{host} did not finish its reply within {seconds} s; raise the time limit if the model is slow")]
    Deadline {
        /// Who was called.
        host: String,
        /// The limit.
        seconds: u64,
    },
    /// The connection ended in the middle.
    #[error("the exchange with {host} broke off: {why}")]
    Broken {
        /// Who was called.
        host: String,
        /// What happened.
        why: &'static str,
    },
    /// The reply is larger than any answer.
    #[error("the reply of {host} is larger than {limit} bytes; is this the address of a judge?")]
    TooLarge {
        /// Who was called.
        host: String,
        /// The limit.
        limit: usize,
    },
    /// The server points elsewhere. Following would hand the key and the chat to someone the user did not name.
    #[error("{host} redirects to {to} (HTTP {status}), which is not followed; if you trust it, set it as the address")]
    Redirected {
        /// Who was called.
        host: String,
        /// The status.
        status: u16,
        /// Scheme and host it points to.
        to: String,
    },
    /// The reply is compressed although that was not asked for.
    #[error(
        "the reply of {host} is compressed although plain text was asked for; turn that off at the server or proxy"
    )]
    Encoded {
        /// Who was called.
        host: String,
    },
}

impl TransportError {
    /// What a judge's call that ended so comes to.
    pub fn outcome(&self) -> Outcome {
        let what = self.to_string();
        match self {
            Self::Connect { .. } | Self::Deadline { .. } | Self::Broken { .. } => {
                Outcome::Unavailable { what, retry: Retry::Later }
            }
            Self::TooLarge { .. } | Self::Encoded { .. } => Outcome::Invalid { what },
            Self::BadAddress { .. }
            | Self::BadHeader { .. }
            | Self::BadKey { .. }
            | Self::Certificate { .. }
            | Self::Redirected { .. } => Outcome::Misconfigured { what },
        }
    }
}

/// Puts the client's error into our words; its own are left out because they may quote addresses.
pub(super) fn from_reqwest(error: &reqwest::Error, host: &str) -> TransportError {
    let host = host.to_owned();
    if let Some(why) = certificate_problem(error) {
        return TransportError::Certificate { host, why };
    }
    if error.is_connect() {
        let why = if error.is_timeout() { "it took too long" } else { connect_problem(error) };
        return TransportError::Connect { host, why };
    }
    if error.is_builder() {
        return TransportError::BadAddress { why: "it is not a valid HTTP address" };
    }
    TransportError::Broken { host, why: io_problem(error).unwrap_or("the reply is cut off or not valid HTTP") }
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

fn io_problem(error: &reqwest::Error) -> Option<&'static str> {
    sources(error).find_map(|source| match source.downcast_ref::<io::Error>()?.kind() {
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
