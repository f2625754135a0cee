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

    /// The colours of a scheme by their names.
    fn colours(scheme: &str) -> impl Fn(&str) -> f64 {
        let scheme = scheme.to_owned();
        move |name| {
            let at = scheme.find(&format!("--{name}: #")).unwrap() + name.len() + 5;
            let channel = |from: usize| {
                let share = f64::from(u8::from_str_radix(&scheme[at + from..at + from + 2], 16).unwrap()) / 255.0;
                if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4)
        }
    }

    #[test]
    fn text_stands_out_from_every_ground_in_both_schemes() {
        let (light, dark) = STYLE_SHEET.split_once("prefers-color-scheme: dark").unwrap();
        for scheme in [light, dark] {
            let luminance = colours(scheme);
            let contrast = |one: &str, other: &str| {
                let (one, other) = (luminance(one), luminance(other));
                (one.max(other) + 0.05) / (one.min(other) + 0.05)
            };
            for ground in ["ground", "sheet", "human", "ai", "good-soft", "bad-soft", "mixed-soft", "plain-soft"] {
                for text in ["ink", "faint", "link", "good", "bad", "mixed", "plain"] {
                    assert!(contrast(text, ground) >= 4.5, "{text} on {ground}");
                }
            }
            for (text, ground) in [("good-ink", "good"), ("bad-ink", "bad"), ("aim-ink", "aim")] {
                assert!(contrast(text, ground) >= 4.5, "{text} on {ground}");
            }
        }
    }
}
