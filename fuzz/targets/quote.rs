//! The quote matcher: whatever is cited stands in the turn.

#![no_main]

use carelock_core::transcript::{Speaker, Transcript};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|pair: (String, String)| {
    let (text, quote) = pair;
    let Ok(chat) = Transcript::new("t", vec![(Speaker::Human, "x".to_owned()), (Speaker::Ai, text)]) else { return };
    let turn = &chat.turns()[1].text;
    if let Ok(evidence) = chat.cite(2, &quote) {
        assert!(turn.contains(evidence.quote()), "{quote:?} gave {:?}", evidence.quote());
        assert!(evidence.is_mended() || evidence.quote() == quote.trim());
        // What was found is itself an exact quote.
        assert!(!chat.cite(2, evidence.quote()).expect("it stands there").is_mended());
    }
    if let Some(opening) = chat.opening(2) {
        assert!(turn.contains(opening.quote()));
    }
});
