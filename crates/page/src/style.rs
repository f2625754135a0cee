//! The style sheet, and the policy that lets a page use it and nothing else.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// The style sheet of every page.
pub const STYLE_SHEET: &str = include_str!("../style/report.css");

/// Where a page has its style from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style<'a> {
    /// Inside the page, which then needs nothing else.
    Inline,
    /// At an address; whoever serves it also sends the policy.
    Linked(&'a str),
}

/// The policy of a page that carries its style: this very style sheet, and nothing else from anywhere.
pub fn content_security_policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        let digest = STANDARD.encode(Sha256::digest(STYLE_SHEET));
        format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    });
    &POLICY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_cannot_close_its_element_or_fetch_anything() {
        for forbidden in ["<", "url(", "@import", "http", "\r"] {
            assert!(!STYLE_SHEET.contains(forbidden), "{forbidden}");
        }
    }
}
