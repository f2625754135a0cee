//! Browsers that have shown a token: who they are, for some hours, as long as the server runs.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;

use super::secret;

/// How long a browser is known after it was last seen.
const IDLE: Duration = Duration::from_secs(12 * 3600);
/// The most browsers that are known at once.
const MOST: usize = 10_000;

/// The browsers that are known, by the digest of what their cookie holds.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, Session>>);

struct Session {
    /// The digest of the token that was shown; that it still holds is asked every time.
    token: String,
    seen: Instant,
}

impl Sessions {
    /// Knows a browser from now on; what its cookie must hold.
    pub(crate) fn begin(&self, token_digest: &str) -> Result<String> {
        let cookie = secret::fresh()?;
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, session| session.seen.elapsed() < IDLE);
        if sessions.len() >= MOST {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.seen).map(|(key, _)| key.clone());
            oldest.and_then(|key| sessions.remove(&key));
        }
        let session = Session { token: token_digest.to_owned(), seen: Instant::now() };
        sessions.insert(secret::digest(&cookie), session);
        Ok(cookie)
    }

    /// The digest of the token that a browser has shown.
    pub(crate) fn token(&self, cookie: &str) -> Option<String> {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let session = sessions.get_mut(&secret::digest(cookie))?;
        if session.seen.elapsed() >= IDLE {
            return None;
        }
        session.seen = Instant::now();
        Some(session.token.clone())
    }

    /// Forgets a browser.
    pub(crate) fn end(&self, cookie: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&secret::digest(cookie));
    }
}

/// The cookie's name. The prefix makes browsers hold it to this host, where they come over https.
fn name(secure: bool) -> &'static str {
    if secure { "__Host-carelock" } else { "carelock" }
}

/// What a browser's cookie holds.
pub(crate) fn cookie(headers: &HeaderMap, secure: bool) -> Option<String> {
    let wanted = name(secure);
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let found = pairs.find(|(name, _)| *name == wanted)?.1;
    (found.len() == 64 && found.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| found.to_owned())
}

/// The header that sets the cookie; empty content takes it back.
pub(crate) fn set_cookie(content: &str, secure: bool) -> String {
    let age = if content.is_empty() { "; Max-Age=0" } else { "" };
    let only = if secure { "; Secure" } else { "" };
    format!("{}={content}; Path=/; HttpOnly; SameSite=Strict{only}{age}", name(secure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_known_until_it_leaves() {
        let sessions = Sessions::default();
        let cookie = sessions.begin("digest").expect("a session");
        assert_eq!(sessions.token(&cookie).as_deref(), Some("digest"));
        assert_eq!(sessions.token(&"0".repeat(64)), None);
        sessions.end(&cookie);
        assert_eq!(sessions.token(&cookie), None);
    }

    #[test]
    fn only_a_cookie_of_the_right_name_and_shape_counts() {
        let mut headers = HeaderMap::new();
        let value = "a".repeat(64);
        headers.insert(COOKIE, format!("other=1; carelock={value}").parse().expect("a header"));
        assert_eq!(cookie(&headers, false), Some(value));
        assert_eq!(cookie(&headers, true), None);
        headers.insert(COOKIE, "carelock=short".parse().expect("a header"));
        assert_eq!(cookie(&headers, false), None);
    }
}
