//! Which names the server answers to. A page of another site that has its own name point here (DNS rebinding) is refused.

use std::net::{IpAddr, SocketAddr};

use anyhow::{Result, bail};
use carelock_core::problem::Problem;

/// The origins under which browsers may reach the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origins {
    /// `scheme://host[:port]`, in small letters.
    known: Vec<String>,
}

impl Origins {
    /// The names of the address itself, and those given by the user.
    pub(crate) fn new(address: SocketAddr, given: &[String]) -> Result<Self> {
        let port = address.port();
        let mut known = Vec::new();
        let mut add = |host: String| {
            known.push(format!("http://{host}:{port}"));
            if port == 80 {
                known.push(format!("http://{host}"));
            }
        };
        let ip = address.ip();
        if ip.is_loopback() || ip.is_unspecified() {
            ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into_iter().for_each(&mut add);
        }
        if !ip.is_unspecified() {
            add(match ip {
                IpAddr::V4(ip) => ip.to_string(),
                IpAddr::V6(ip) => format!("[{ip}]"),
            });
        }
        for origin in given {
            known.push(origin_of(origin)?);
        }
        Ok(Self { known })
    }

    /// Whether this is a host, with its port where it has one, that the server answers to.
    pub(crate) fn has_host(&self, host: &str) -> bool {
        self.known.iter().any(|origin| host_of(origin).eq_ignore_ascii_case(host))
    }

    /// Whether a page of this origin is one of ours, asked for under this host.
    pub(crate) fn is_own(&self, origin: &str, host: &str) -> bool {
        self.known.iter().any(|known| known.eq_ignore_ascii_case(origin) && host_of(known).eq_ignore_ascii_case(host))
    }

    /// Whether browsers come over https under this host.
    pub(crate) fn is_secure(&self, host: &str) -> bool {
        self.known.iter().any(|known| known.starts_with("https://") && host_of(known).eq_ignore_ascii_case(host))
    }
}

/// Whether an origin is a name of this machine that no other one can reach.
pub(crate) fn is_loopback_name(origin: &str) -> bool {
    let origin = origin.trim().trim_end_matches('/').to_lowercase();
    let host = host_of(&origin);
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.ends_with(".localhost") || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

fn host_of(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

fn origin_of(given: &str) -> Result<String> {
    let origin = given.trim().trim_end_matches('/').to_lowercase();
    let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
    let fits = |host: &str| {
        !host.is_empty() && host.chars().all(|sign| sign.is_ascii_alphanumeric() || ".-:[]".contains(sign))
    };
    if !host.is_some_and(fits) {
        bail!(
            Problem::new(format!("--origin {given:?}: is no origin"))
                .advice("write it as https://carelock.example.org, without a path")
        );
    }
    Ok(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(address: &str, given: &[&str]) -> Origins {
        let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
        Origins::new(address.parse().expect("an address"), &given).expect("origins")
    }

    #[test]
    fn a_loopback_server_answers_to_its_own_names_and_port_only() {
        let origins = on("127.0.0.1:8420", &[]);
        for host in ["localhost:8420", "127.0.0.1:8420", "[::1]:8420", "LOCALHOST:8420"] {
            assert!(origins.has_host(host), "{host}");
        }
        for host in ["evil.example:8420", "localhost", "localhost:80", "127.0.0.1:8421", "127.0.0.1.nip.io:8420", ""] {
            assert!(!origins.has_host(host), "{host}");
        }
    }

    #[test]
    fn a_page_is_ours_only_under_the_host_it_was_asked_for() {
        let origins = on("127.0.0.1:8420", &["https://care.example.org"]);
        assert!(origins.is_own("https://care.example.org", "care.example.org"));
        assert!(!origins.is_own("http://care.example.org", "care.example.org"));
        assert!(!origins.is_own("http://localhost:8420", "127.0.0.1:8420"));
        assert!(origins.is_secure("care.example.org") && !origins.is_secure("localhost:8420"));
    }

    #[test]
    fn only_names_of_this_machine_are_loopback_names() {
        for own in [
            "http://localhost:3000",
            "https://LOCALHOST",
            "http://127.0.0.1:80/",
            "http://[::1]:80",
            "http://a.localhost",
        ] {
            assert!(is_loopback_name(own), "{own}");
        }
        for other in [
            "https://care.example.org",
            "https://localhost.example.org",
            "http://10.0.0.5",
            "http://[fd00::1]:80",
            "http://notlocalhost",
        ] {
            assert!(!is_loopback_name(other), "{other}");
        }
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for given in ["care.example.org", "https://", "ftp://a", "https://a/b", "https://a b"] {
            let address = "127.0.0.1:1".parse().expect("an address");
            assert!(Origins::new(address, &[given.to_owned()]).is_err(), "{given}");
        }
    }
}
