//! How many tokens a text has, guessed on the safe side for every tokenizer.

/// An upper estimate of the tokens in a text.
///
/// No tokenizer is at hand for most models, so the guess leans high: four letters make a token, every started word
/// makes one at least, every digit and sign makes one of its own, and other scripts are charged by the byte (a Chinese
/// character counts two tokens and a quarter), because small models break them into bytes. English prose comes out
/// about a third above what current models count.
///
/// ```
/// use carelock_judge::prompt::estimate_tokens;
/// assert_eq!(estimate_tokens("I feel lost."), 4);
/// assert_eq!(estimate_tokens(""), 0);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    // In quarters of a token, so that everything stays a whole number.
    let mut quarters = 0_usize;
    let mut letters = 0_usize;
    let mut spaces = 0_usize;
    for &byte in text.as_bytes() {
        if byte.is_ascii_alphabetic() {
            letters += 1;
            spaces = 0;
            continue;
        }
        quarters += letters.div_ceil(4) * 4;
        letters = 0;
        quarters += match byte {
            // A single space belongs to the word behind it; runs are packed by every tokenizer.
            b' ' => usize::from(spaces > 0),
            _ if byte.is_ascii() => 4,
            _ => 3,
        };
        spaces = if byte == b' ' { spaces + 1 } else { 0 };
    }
    quarters += letters.div_ceil(4) * 4;
    quarters.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn a_chinese_character_counts_more_than_two_tokens() {
        assert_eq!(estimate_tokens("我很难过"), 9);
    }

    #[test]
    fn numbers_count_every_digit() {
        assert_eq!(estimate_tokens("988"), 3);
    }

    #[test]
    fn joined_texts_never_count_more_than_their_parts_and_never_less_than_either() {
        let (left, right) = ("I can't sleep, ", "not since 2019.");
        let joined = estimate_tokens(&format!("{left}{right}"));
        assert!(joined <= estimate_tokens(left) + estimate_tokens(right));
        assert!(joined >= estimate_tokens(left).max(estimate_tokens(right)));
    }
}
