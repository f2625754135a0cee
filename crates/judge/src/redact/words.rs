//! Words that look like names and are none, and names that are also words.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that are not learned as names even where a name is expected and they are capitalised.
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    // Little words.
    "i", "im", "i'm", "i'll", "i've", "i'd", "me", "my", "mine", "you", "your", "yours", "he", "him", "his", "she", "her", "hers", "it",
    "its", "it's", "we", "us", "our", "they", "them", "their", "this", "that", "these", "those", "there", "here", "who", "whom", "what",
    "which", "when", "where", "why", "how", "a", "an", "the", "and", "or", "but", "if", "then", "than", "so", "as", "of", "at", "by",
    "for", "from", "in", "into", "on", "onto", "to", "with", "without", "about", "over", "under", "up", "down", "out", "off", "not", "no",
    "yes", "yeah", "yep", "nope", "is", "are", "was", "were", "be", "been", "being", "am", "isn't", "wasn't", "do", "does", "did",
    "don't", "didn't", "doesn't", "has", "have", "had", "hasn't", "can", "can't", "cannot", "could", "would", "should", "shall", "must",
    "might", "won't", "wouldn't", "all", "any", "some", "every", "everyone", "everybody", "everything", "someone", "something",
    "anyone", "anything", "nobody", "nothing", "none", "one", "two", "three", "four", "five", "first", "second", "third", "last",
    "next", "just", "only", "also", "too", "very", "really", "always", "never", "often", "sometimes", "maybe", "perhaps", "still",
    "even", "again", "back", "now", "later", "soon", "today", "tomorrow", "yesterday", "tonight", "because", "since", "while",
    "after", "before", "until", "though", "although", "whatever", "whenever", "well", "like", "such", "both", "either", "neither",
    // Words of a chat.
    "oh", "ah", "wow", "hmm", "ugh", "lol", "damn", "hi", "hello", "hey", "dear", "thanks", "thank", "please", "sorry", "ok", "okay", "sure", "welcome", "bye", "goodbye", "good",
    "great", "nice", "fine", "friend", "friends", "folks", "guys", "team", "doctor", "dr", "mr", "mrs", "ms", "miss", "sir", "madam",
    "professor", "prof", "nurse", "user", "human", "ai", "chatgpt", "gpt", "claude", "bot", "assistant", "therapist", "counselor",
    "counsellor", "person", "people", "man", "woman", "boy", "girl", "kid", "child", "baby", "buddy", "pal", "mate", "bro",
    "dude", "sis", "honey", "sweetie", "darling", "love", "god", "lord", "jesus", "allah", "hell", "heaven", "christ",
    // Family.
    "mom", "mum", "mother", "dad", "father", "sister", "brother", "son", "daughter", "wife", "husband", "partner", "boyfriend",
    "girlfriend", "aunt", "uncle", "grandma", "grandpa", "cousin", "boss", "manager", "teacher", "nan", "nana", "mommy", "mummy", "daddy",
    // How people feel and are.
    "sad", "happy", "angry", "mad", "tired", "exhausted", "scared", "afraid", "anxious", "worried", "nervous", "stressed", "depressed",
    "lonely", "alone", "lost", "broken", "hurt", "hurting", "numb", "empty", "hopeless", "helpless", "worthless", "useless", "stuck",
    "overwhelmed", "confused", "ashamed", "guilty", "jealous", "bored", "sick", "ill", "bad", "better", "worse", "worst", "best",
    "awful", "terrible", "horrible", "crazy", "insane", "stupid", "dumb", "lazy", "ugly", "fat", "weak", "strong", "brave", "proud",
    "grateful", "thankful", "glad", "calm", "relaxed", "safe", "unsafe", "ready", "done", "finished", "free", "busy", "late",
    "right", "wrong", "true", "real", "serious", "honest", "sober", "drunk", "high", "pregnant", "single", "married", "divorced",
    "engaged", "widowed", "adopted", "disabled", "autistic", "bipolar", "gay", "straight", "bi", "bisexual", "lesbian", "trans",
    "transgender", "queer", "nonbinary", "asexual", "adhd", "ocd", "ptsd", "bpd", "cptsd", "hsp", "religious", "spiritual",
    "atheist", "vegan", "vegetarian", "introverted", "extroverted", "unemployed", "retired", "broke", "homeless", "hungry", "cold", "hot",
    "old", "young", "new", "normal", "weird", "different", "special", "perfect", "enough", "available", "home", "away",
    // Roles people have.
    "student", "engineer", "writer", "artist", "veteran", "survivor", "addict", "alcoholic",
    "loser", "failure", "burden", "mess", "victim",
    // What people do and say.
    "going", "trying", "feeling", "thinking", "getting", "having", "doing", "looking", "working", "coming", "living", "dying", "asking",
    "says", "said", "say", "told", "tell", "thinks", "think", "thought", "knows", "know", "wants", "want", "needs", "need", "feel",
    "feels", "felt", "make", "makes", "made", "take", "takes", "took", "find", "get", "gets", "got", "go", "goes", "went", "come",
    "comes", "came", "see", "saw", "look", "let", "let's", "try", "help", "died", "left", "keeps", "called", "call", "calls",
    "talk", "write", "breathe", "remember", "step", "option", "note", "tip", "part", "list", "day", "week", "month", "year", "time",
    "morning", "evening", "night", "afternoon", "birthday", "life", "death", "work", "school", "college", "university", "hospital", "church",
    "important", "mud", "listed", "starts", "spelled", "pronounced", "changed", "name", "names", "address", "number",
    // Days, months, feasts.
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "july", "september",
    "october", "november", "december", "christmas", "easter", "thanksgiving", "halloween", "ramadan", "eid", "hanukkah", "covid", "corona",
    // Medicines, services, places that stand where names stand.
    "prozac", "zoloft", "lexapro", "xanax", "sertraline", "lithium", "valium", "adderall", "ritalin", "alcohol", "weed", "food", "music",
    "google", "facebook", "instagram", "reddit", "twitter", "tiktok", "youtube", "discord", "zoom", "netflix", "english", "america",
    "american", "europe", "european", "london", "england", "depression", "anxiety", "anger", "fear", "pain", "grief",
];

/// Names that are also words: in lower case they are the word.
#[rustfmt::skip]
const ALSO_WORDS: &[&str] = &[
    "hope", "will", "mark", "grace", "joy", "faith", "rose", "may", "june", "april", "august", "art", "bill", "bob", "rob", "sue", "pat",
    "gene", "dawn", "eve", "iris", "ivy", "lily", "daisy", "ruby", "amber", "crystal", "jade", "pearl", "olive", "sage", "angel",
    "chance", "chase", "chuck", "dean", "don", "drew", "frank", "grant", "guy", "heath", "jack", "jay", "jean", "ken", "lane", "lance",
    "mason", "max", "nick", "norm", "peg", "penny", "pierce", "ray", "reed", "rich", "robin", "rusty", "sandy", "skip", "sky", "stew",
    "summer", "autumn", "winter", "spring", "trip", "van", "ward", "wade", "victor", "violet", "melody", "harmony", "destiny", "trinity",
    "serenity", "charity", "patience", "prudence", "mercy", "honor", "justice", "precious", "star", "sunny", "bliss", "dolly", "kitty",
    "teddy", "candy", "ginger", "holly", "hazel", "heather", "cherry", "basil", "cliff", "glen", "dale", "forest", "river", "rock",
    "stone", "wood", "woods", "long", "short", "king", "page", "park", "bell", "price", "black", "white", "brown", "green",
    "gray", "grey", "knight", "bishop", "pope", "major", "miles", "hunter", "archer", "baker", "cook", "carter", "fisher",
    "porter", "tanner", "taylor", "cooper", "parker", "walker", "rider", "piper", "harper", "storm", "rain", "ocean", "sierra", "dakota",
    "phoenix", "wolf", "bear", "fox", "bird", "dove", "jasmine", "clay", "dusty", "buck", "bud", "buster", "earl", "duke",
    "prince", "reign", "royal", "noble", "earnest", "ernest", "gay", "happy", "merry", "carol", "bea", "bee", "belle", "ella",
    "fern", "flora", "gale", "pansy", "poppy", "myrtle", "laurel", "linden", "ash", "case", "colt", "dash", "ford", "gage", "hunt",
    "jet", "judge", "knox", "law", "mace", "nash", "pace", "quest", "race", "rex", "rod", "roman", "sonny", "stark", "tad", "wells",
    "west", "north", "moody", "small", "little", "strong", "best", "good", "hall", "hill", "field", "fields", "banks", "bush", "church",
    "cross", "english", "french", "german", "holland", "london", "paris", "sharp", "wise", "swift", "savage", "love", "lovely", "day",
    "christian", "tom", "ally", "dot", "viola", "mona", "era", "lee",
];

/// Faiths and peoples that describe a person, where no ending tells.
#[rustfmt::skip]
const DEMONYMS: &[&str] = &[
    "christian", "muslim", "jewish", "hindu", "buddhist", "sikh", "catholic", "protestant", "mormon", "greek", "french", "dutch", "german",
    "czech", "thai", "swiss", "welsh", "arab", "iraqi", "israeli", "pakistani", "afghan", "latino", "latina", "hispanic", "asian",
    "african", "black", "white", "brown", "native", "indigenous", "filipino", "filipina", "korean", "roma", "kurd", "serb", "croat",
];

/// Names that end like the names of peoples.
#[rustfmt::skip]
const NOT_DEMONYMS: &[&str] = &[
    "ian", "brian", "bryan", "ryan", "julian", "adrian", "sebastian", "fabian", "damian", "vivian", "lillian", "lilian", "gillian",
    "jillian", "marian", "florian", "kristian", "cillian", "bastian", "maximilian", "sean", "jean", "dean", "eoghan", "dorian", "trish",
    "therese", "denise", "louise", "eric", "alban", "tian", "yuan", "xian", "octavian", "demian", "josh", "ash", "parish",
    "nish", "krish", "harish", "manish", "satish", "girish", "danish", "reese", "reece", "cheese", "aurelian", "cyprian",
];

/// Labels and role names that are nobody's.
#[rustfmt::skip]
const ROLES: &[&str] = &[
    "user", "human", "ai", "assistant", "bot", "chatbot", "therapist", "counselor", "counsellor", "patient", "client", "me", "you", "system",
    "model", "gpt", "chatgpt", "claude", "gemini", "llama", "customer", "agent", "operator", "speaker", "person", "doctor", "dr", "coach",
    "support", "the", "my", "a", "helper", "member", "guest", "anonymous", "unknown", "student", "teacher", "caller", "seeker", "supporter",
    "listener", "peer", "companion", "friend", "participant", "interviewer", "interviewee", "q", "answer", "question", "replika", "woebot",
    "wysa", "mr", "mrs", "ms", "prof", "assist", "tool", "function", "developer", "i", "us", "we", "usr", "hum", "mother", "mom", "dad",
];

fn contains(list: &'static LazyLock<BTreeSet<&'static str>>, word: &str) -> bool {
    let word: String = word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect();
    list.contains(word.trim_end_matches('.'))
}

/// Whether a word is never learned as a name.
pub(super) fn is_ordinary(word: &str) -> bool {
    static SET: LazyLock<BTreeSet<&str>> = LazyLock::new(|| ORDINARY.iter().copied().collect());
    contains(&SET, word)
}

/// Whether a name in lower case is rather a word.
pub(super) fn is_also_a_word(word: &str) -> bool {
    static SET: LazyLock<BTreeSet<&str>> = LazyLock::new(|| ALSO_WORDS.iter().copied().collect());
    contains(&SET, word) || is_ordinary(word)
}

/// Whether a label names a role.
pub(super) fn is_role(word: &str) -> bool {
    static SET: LazyLock<BTreeSet<&str>> = LazyLock::new(|| ROLES.iter().copied().collect());
    contains(&SET, word)
}

/// Whether a word tells a person's people, faith or state ("Irish", "Nigerian", "Exhausted") rather than a name.
pub(super) fn is_demonym(word: &str) -> bool {
    static SET: LazyLock<BTreeSet<&str>> = LazyLock::new(|| DEMONYMS.iter().copied().collect());
    static NAMES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| NOT_DEMONYMS.iter().copied().collect());
    const ENDINGS: &[&str] = &["ish", "ese", "ian", "ean", "ican", "ist", "ing", "less", "ful", "able", "ous"];
    let lower = word.to_lowercase();
    let ending = lower.chars().count() > 4 && ENDINGS.iter().any(|ending| lower.ends_with(ending));
    contains(&SET, word) || (ending && !contains(&NAMES, word))
}
