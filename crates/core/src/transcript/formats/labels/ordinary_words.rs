//! Words that stand before a colon at the start of a line without being anybody's name.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// In the normal form of labels. Longer than any such list should be, because each word missing here may be taken for a
/// third speaker and cost a reader an error message.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    // Remarks.
    "note", "notes", "tip", "tips", "hint", "warning", "caution", "important", "reminder", "remember", "disclaimer",
    "example",
    "examples", "ps", "p s", "pps", "edit", "update", "fyi", "btw", "tldr", "tl dr", "ex", "eg", "e g", "i e", "nb",
    "caveat", "spoiler",
    "todo", "re", "fwd", "subject", "cc", "to", "from", "sent", "date", "time", "trigger warning",
    "content warning", "tw", "cw",
    // Parts of a text.
    "summary", "conclusion", "introduction", "overview", "background", "context", "title", "topic", "section",
    "part", "chapter",
    "step", "steps", "option", "options", "point", "points", "list", "source", "sources", "reference", "references",
    "resource",
    "resources", "link", "links", "website", "web", "phone", "call", "text", "sms", "email", "e mail", "address",
    "tel", "hotline",
    "question", "questions", "answer", "answers", "response", "reply", "result", "results", "outcome", "reason",
    "reasons", "why", "how", "what",
    "when", "where", "who", "which", "pros", "cons", "advantages", "disadvantages", "benefits", "risks",
    "definition",
    "description", "instructions", "ingredients", "quote", "lyrics", "poem", "prompt", "output", "input", "error",
    "code", "name", "age", "gender",
    "first", "second", "third", "fourth", "fifth", "finally", "next", "then", "last", "lastly", "also", "plus",
    "and", "or", "but", "so",
    "one", "two", "three", "four", "five", "yes", "no", "ok", "okay", "well", "hello", "hi", "dear", "thanks",
    "https", "http", "ftp", "mailto",
    // Days and times.
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "today", "tomorrow", "yesterday",
    "tonight",
    "morning", "afternoon", "evening", "night", "noon", "week", "weekend", "day", "month", "year", "january",
    "february", "march",
    "july", "september", "october", "november", "december", "before", "during", "after", "now", "later",
    // What chats about how one feels are full of.
    "inhale", "exhale", "hold", "pause", "breathe", "breathe in", "breathe out", "breath", "breathing", "repeat",
    "rest", "relax", "notice",
    "ground", "grounding", "see", "hear", "touch", "feel", "smell", "taste", "sight", "sound", "thought",
    "thoughts", "feeling", "feelings", "emotion", "emotions",
    "behavior", "behaviour", "behaviors", "behaviours", "body", "mind", "sensation", "sensations", "situation",
    "trigger", "triggers", "event", "belief", "beliefs", "evidence",
    "evidence for", "evidence against", "alternative", "reframe", "balanced thought", "automatic thought",
    "consequence", "consequences", "goal", "goals",
    "value", "values", "action", "actions", "plan", "strategy", "strategies", "coping", "exercise", "exercises",
    "activity", "activities", "practice", "technique",
    "techniques", "method", "skill", "skills", "journal", "journaling", "prompt 1", "prompt 2", "affirmation",
    "affirmations", "mantra", "gratitude", "sleep",
    "diet", "nutrition", "medication", "therapy", "support", "self care", "mindfulness", "meditation", "movement",
    "connection", "routine", "boundaries",
    "acknowledge", "accept", "identify", "challenge", "replace", "reflect", "observe", "describe", "participate",
    "stop", "take a breath", "proceed",
    "mood", "anxiety", "depression", "stress", "anger", "sadness", "fear", "shame", "guilt", "grief", "panic",
    "crisis", "emergency", "safety",
    "physical", "emotional", "mental", "social", "spiritual", "cognitive", "behavioral", "positive", "negative",
    "short term", "long term",
    "problem", "solution", "cause", "effect", "fact", "facts", "opinion", "truth", "story", "dream", "intensity",
    "rating", "score", "level", "scale",
    "claim", "cost", "costs", "price", "say", "exactly", "practical", "watch", "listen", "try", "theory", "phase", "law", "turn", "do", "don t",
    "do not", "script", "key", "rationale", "stabilization", "red flags", "pro", "con",
    "us", "usa", "uk", "canada", "australia", "india", "eu", "international", "worldwide",
    // The same in the languages nearest by.
    "hinweis", "tipp", "beispiel", "frage", "antwort", "wichtig", "nota", "consejo", "ejemplo", "pregunta",
    "respuesta", "importante", "remarque",
    "conseil", "exemple", "réponse", "dica", "exemplo", "resposta", "pergunta", "esempio", "domanda", "risposta",
    "примечание", "совет", "важно",
    "注意", "提示", "注", "例", "ملاحظة", "نصيحة", "مثال", "הערה", "טיפ",
];

static SORTED: LazyLock<BTreeSet<&str>> = LazyLock::new(|| WORDS.iter().copied().collect());

/// Whether the label, in its normal form, is an ordinary word ("note", "step 2", "monday").
pub(super) fn contains(label: &str) -> bool {
    // Nobody's name begins with an article: "The Real Question", "Your Next Step", "Important Safety Note".
    const OPENINGS: [&str; 9] = ["the", "an", "your", "our", "this", "regarding", "about", "important", "potential"];
    // "Crisis Text Line", "Emergency Services": whom to call is no speaker.
    const CALLED: [&str; 9] =
        ["line", "lifeline", "hotline", "helpline", "samaritans", "police", "ambulance", "emergency", "services"];
    let opens = label.split_once(' ').is_some_and(|(first, _)| OPENINGS.contains(&first));
    if opens || label.split(' ').any(|word| CALLED.contains(&word)) {
        return true;
    }
    let stem = label.trim_end_matches(|character: char| character.is_ascii_digit() || character == ' ');
    stem.is_empty() || SORTED.contains(stem) || SORTED.contains(label)
}
