//! The keys of servers that take scores, from the variables their own tools use.

use anyhow::{Result, bail};
use base64::Engine as _;
use carelock_core::problem::Problem;
use carelock_judge::http::{Auth, Secret};

/// Whose keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreKey {
    /// The headers in `OTEL_EXPORTER_OTLP_LOGS_HEADERS` or `OTEL_EXPORTER_OTLP_HEADERS`.
    Otlp,
    /// `LANGFUSE_PUBLIC_KEY` and `LANGFUSE_SECRET_KEY`.
    Langfuse,
    /// `PHOENIX_API_KEY`.
    Phoenix,
}

/// Headers that carry keys.
const HEADERS: [&str; 8] = [
    "authorization",
    "api-key",
    "x-api-key",
    "x-otlp-api-key",
    "x-honeycomb-team",
    "dd-api-key",
    "signoz-access-token",
    "signoz-ingestion-key",
];

impl ScoreKey {
    /// How calls show who is asking; not at all where nothing is set and none is needed.
    pub fn auth(self) -> Result<Auth> {
        self.auth_from(&|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
    }

    fn auth_from(self, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Auth> {
        match self {
            Self::Otlp => {
                match lookup("OTEL_EXPORTER_OTLP_LOGS_HEADERS").or_else(|| lookup("OTEL_EXPORTER_OTLP_HEADERS")) {
                    Some(headers) => header(&headers),
                    None => Ok(Auth::None),
                }
            }
            Self::Langfuse => {
                let (Some(public), Some(secret)) = (lookup("LANGFUSE_PUBLIC_KEY"), lookup("LANGFUSE_SECRET_KEY"))
                else {
                    bail!(
                        Problem::new("there is no key for Langfuse")
                            .advice("set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY")
                    );
                };
                let both =
                    base64::engine::general_purpose::STANDARD.encode(format!("{}:{}", public.trim(), secret.trim()));
                Ok(Auth::Header { name: "authorization", key: Secret::new(format!("Basic {both}")) })
            }
            // A server of one's own may have none.
            Self::Phoenix => Ok(lookup("PHOENIX_API_KEY").map_or(Auth::None, |key| Auth::Bearer(Secret::new(key)))),
        }
    }
}

/// The header with the key, of a list such as `authorization=Bearer%20KEY,x-tenant=a`. Its text is never shown.
fn header(list: &str) -> Result<Auth> {
    let pairs = list.split(',').filter_map(|pair| pair.split_once('='));
    let named = |(name, value): (&str, &str)| {
        let name = *HEADERS.iter().find(|header| header.eq_ignore_ascii_case(name.trim()))?;
        Some(Auth::Header { name, key: Secret::new(decoded(value.trim())) })
    };
    let found: Vec<Auth> = pairs.filter_map(named).collect();
    match (<[Auth; 1]>::try_from(found), list.split(',').filter(|pair| !pair.trim().is_empty()).count()) {
        (Ok([auth]), 1) => Ok(auth),
        _ => bail!(
            Problem::new("OTEL_EXPORTER_OTLP_HEADERS: one header with a key is needed")
                .advice(format!("write it as NAME=KEY, with one of {}", HEADERS.join(", ")))
        ),
    }
}

/// A text with `%20` and the like.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = behind.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auth(key: ScoreKey, variables: &[(&str, &str)]) -> Result<Auth> {
        key.auth_from(&|name| variables.iter().find(|(had, _)| *had == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn keys_come_from_the_variables_of_each_tool_and_are_not_shown() {
        let langfuse = [("LANGFUSE_PUBLIC_KEY", "pk-lf-1"), ("LANGFUSE_SECRET_KEY", "sk-lf-2")];
        let shown = format!("{:?}", auth(ScoreKey::Langfuse, &langfuse).unwrap());
        assert_eq!(shown, r#"Header { name: "authorization", key: *** }"#);
        assert!(auth(ScoreKey::Langfuse, &langfuse[..1]).unwrap_err().to_string().contains("no key for Langfuse"));
        assert!(matches!(auth(ScoreKey::Phoenix, &[("PHOENIX_API_KEY", "k")]).unwrap(), Auth::Bearer(_)));
        assert!(matches!(auth(ScoreKey::Phoenix, &[]).unwrap(), Auth::None));
        assert!(matches!(auth(ScoreKey::Otlp, &[]).unwrap(), Auth::None));
        let otlp =
            auth(ScoreKey::Otlp, &[("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20secret-key")]).unwrap();
        assert!(matches!(otlp, Auth::Header { name: "authorization", .. }));
        let error =
            auth(ScoreKey::Otlp, &[("OTEL_EXPORTER_OTLP_HEADERS", "x-secret=abc,b=c")]).unwrap_err().to_string();
        assert!(!error.contains("abc"), "{error}");
        assert_eq!(decoded("Bearer%20a%zz%"), "Bearer a%zz%");
    }
}
