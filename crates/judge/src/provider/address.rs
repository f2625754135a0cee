//! Addresses of servers: what may be asked, and what would send private text in the clear.

use carelock_core::problem::{Part, Remedy};
use carelock_core::remedy;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Why an address is not taken. None of them quotes the address, which may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// It starts with neither `http://` nor `https://`.
    Scheme,
    /// It has a user name or password.
    Credentials,
    /// It has a query or a fragment.
    Query,
    /// It has no host, or one with letters no host has.
    Host,
    /// Its port is no port.
    Port,
    /// Its path has blanks or control characters.
    Path,
    /// It names one call instead of the place all calls share.
    Endpoint,
    /// It is not encrypted and leaves this machine.
    PlainHttp,
}

impl AddressError {
    /// What is wrong.
    pub fn what(self) -> &'static str {
        match self {
            Self::Scheme => "an address starts with https:// or http://",
            Self::Credentials => "the address has a user name or password in it",
            Self::Query => "the address has a query (?…) in it",
            Self::Host => "the address has no host, or one that cannot be a host's name",
            Self::Port => "the port of the address is not a number from 1 to 65535",
            Self::Path => "the path of the address has blanks, quotes or control characters",
            Self::Endpoint => "the address names a single call",
            Self::PlainHttp => "http:// to another machine would send the chat, and any key, in the clear",
        }
    }

    /// What to do; `permission` is how an unencrypted address is allowed where this one was written.
    pub fn remedy(self, permission: Part) -> Remedy {
        match self {
            Self::Scheme | Self::Host | Self::Port | Self::Path => "write it like https://host:8080/v1".into(),
            Self::Credentials => "leave them out; keys come from the environment".into(),
            Self::Query => "leave it out".into(),
            Self::Endpoint => "leave out what follows the version, such as /chat/completions or /messages".into(),
            Self::PlainHttp => remedy!["use https://, or allow it with ", permission],
        }
    }
}

/// The address as it is used: scheme and host in small letters, no slash at its end.
pub fn check(url: &str, allow_plain_http: bool) -> Result<String, AddressError> {
    let (scheme, rest) = url.split_once("://").ok_or(AddressError::Scheme)?;
    let scheme = scheme.to_ascii_lowercase();
    if scheme != "http" && scheme != "https" {
        return Err(AddressError::Scheme);
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err(AddressError::Credentials);
    }
    if rest.contains(['?', '#']) {
        return Err(AddressError::Query);
    }
    let host = host(authority)?;
    if path.chars().any(|letter| letter.is_whitespace() || letter.is_control() || "\\\"<>`{}".contains(letter)) {
        return Err(AddressError::Path);
    }
    let path = path.trim_end_matches('/');
    if ["/chat/completions", "/messages", "/completions", "/responses"].iter().any(|end| path.ends_with(end)) {
        return Err(AddressError::Endpoint);
    }
    if scheme == "http" && !allow_plain_http && !is_loopback(&host) {
        return Err(AddressError::PlainHttp);
    }
    Ok(format!("{scheme}://{}{path}", authority.to_ascii_lowercase()))
}

/// The host of `host`, `host:port` or `[address]:port`.
fn host(authority: &str) -> Result<String, AddressError> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(inside) => {
            let (host, port) = inside.split_once(']').ok_or(AddressError::Host)?;
            host.parse::<Ipv6Addr>().map_err(|_| AddressError::Host)?;
            (host, port)
        }
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let address = authority.starts_with('[');
    if host.is_empty() || !(address || host.bytes().all(plain)) {
        return Err(AddressError::Host);
    }
    if !port.is_empty() {
        let digits = port.strip_prefix(':').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse::<u16>().ok());
        number.filter(|number| *number > 0).ok_or(AddressError::Port)?;
    }
    Ok(host.to_ascii_lowercase())
}

fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || host.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_as_they_are_used() {
        for (url, used) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1"),
            ("HTTPS://API.Example.com/V1/", "https://api.example.com/V1"),
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
            ("http://127.8.9.1", "http://127.8.9.1"),
            ("http://localhost:1/", "http://localhost:1"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ] {
            assert_eq!(check(url, false).as_deref(), Ok(used), "{url}");
        }
    }

    #[test]
    fn addresses_that_cannot_be_used_say_why() {
        for (url, why) in [
            ("ftp://host", AddressError::Scheme),
            ("host/v1", AddressError::Scheme),
            ("https://me:secret@host/v1", AddressError::Credentials),
            ("https://host\\@evil/v1", AddressError::Path),
            ("https://host/v1?key=1", AddressError::Query),
            ("https:///v1", AddressError::Host),
            ("https://:80/v1", AddressError::Host),
            ("https://[::1/v1", AddressError::Host),
            ("https://[evil]/v1", AddressError::Host),
            ("https://ho st/v1", AddressError::Host),
            ("https://hóst/v1", AddressError::Host),
            ("https://host:0/v1", AddressError::Port),
            ("https://host:99999", AddressError::Port),
            ("https://host:+80", AddressError::Port),
            ("https://[::1]80", AddressError::Port),
            ("https://host/v 1", AddressError::Path),
            ("https://host/v1/chat/completions", AddressError::Endpoint),
            ("https://host/v1/messages/", AddressError::Endpoint),
        ] {
            assert_eq!(check(url, true), Err(why), "{url}");
        }
    }

    #[test]
    fn plain_http_beyond_this_machine_needs_permission() {
        for url in [
            "http://10.0.0.5:8080/v1",
            "http://127.0.0.1.example.com",
            "http://0.0.0.0:80",
            "http://localhost.example.com",
            "http://[::2]/",
        ] {
            assert_eq!(check(url, false), Err(AddressError::PlainHttp), "{url}");
            assert!(check(url, true).is_ok(), "{url}");
        }
    }
}
