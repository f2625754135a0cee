//! The quote matcher: whatever is cited stands in the turn.

use carelock_core::transcript::{Speaker, Transcript};
use libfuzzer_sys::Corpus;
use libfuzzer_sys::arbitrary::{Arbitrary, Unstructured};

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    let pair = <(String, String)>::arbitrary_take_rest(Unstructured::new(data));
    let Ok((text, quote)) = pair else { return Corpus::Reject };
    let Ok(chat) = Transcript::new("t", vec![(Speaker::Human, "x".to_owned()), (Speaker::Ai, text)]) else {
        return Corpus::Keep;
    };
    let turn = &chat.turns()[1].text;
    if let Ok(evidence) = chat.cite(2, &quote) {
        assert!(turn.contains(evidence.quote()), "{quote:?} gave {:?}", evidence.quote());
        assert!(evidence.is_fixed() || evidence.quote() == quote.trim());
        // What was found is itself an exact quote.
        assert!(!chat.cite(2, evidence.quote()).expect("it stands there").is_fixed());
    }
    if let Some(opening) = chat.opening(2) {
        assert!(turn.contains(opening.quote()));
    }
    Corpus::Keep
}
