//! Secrets that cannot be guessed: tokens, sessions and the CSRF tokens of our own forms.

use anyhow::{Result, anyhow};

/// Random bytes of a secret.
const BYTES: usize = 32;

/// A new secret, as text that can be copied and put into a header.
pub fn fresh() -> Result<String> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("this system gives no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What is kept of a token. It is random and long, so a quick digest is enough: there is nothing to guess.
pub fn digest(token: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("carelock token 1");
    hasher.update(token.as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// The CSRF token that a form of this session carries.
pub(crate) fn csrf_token(session: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("carelock form 1");
    hasher.update(session.as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// Whether two secrets are the same; takes as long whichever byte differs.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    blake3::hash(one.as_bytes()) == blake3::hash(other.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_their_digests_do_not_show_them() {
        let (one, other) = (fresh().expect("random"), fresh().expect("random"));
        assert_ne!(one, other);
        assert_eq!(one.len(), 2 * BYTES);
        assert_ne!(digest(&one), digest(&other));
        assert_ne!(digest(&one), csrf_token(&one));
        assert!(is_same(&one, &one.clone()) && !is_same(&one, &other));
    }
}
