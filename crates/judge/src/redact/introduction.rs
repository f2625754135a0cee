//! How chats tell names: introductions, greetings, relatives, titles, signatures.

use std::sync::LazyLock;

use carelock_core::transcript::Speaker;
use regex::Regex;

use super::name::{Names, without_possessive, words};
use super::pattern;
use super::words::{is_demonym, is_ordinary};

const RELATIONS: &str = concat!(
    "sister|brother|mom|mother|mum|mommy|mummy|dad|father|daddy|wife|husband|partner|boyfriend|girlfriend|bf|gf|ex|",
    "ex-husband|ex-wife|ex-boyfriend|ex-girlfriend|ex-partner|son|daughter|friend|bestie|roommate|flatmate|housemate|boss|",
    "manager|supervisor|coworker|co-worker|colleague|cousin|aunt|auntie|uncle|grandma|grandmother|grandpa|grandfather|nan|",
    "niece|nephew|neighbou?r|teacher|tutor|professor|therapist|counsell?or|psychologist|psychiatrist|doctor|gp|nurse|",
    "fiancée?|stepmom|stepmother|stepdad|stepfather|stepbrother|stepsister|sister-in-law|brother-in-law|mother-in-law|",
    "father-in-law|dog|cat|puppy|kid|child|baby|twin|crush|mate|classmate|coach|sponsor|carer|caseworker|social worker",
);

/// What may stand after a name in "I'm Ana …" without making it something else.
static AFTER_NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:\s*$|\s*[,.!?;:)\n—–-]|\s+(?:and|from|here|but|speaking|again|aka|by the way|btw|i|i['’]?m|im|[0-9]|",
        r"und|aus|aber|y|e|et|pero|mais|och|og|oraz|ve|и|а|но|та|і)\b)",
    ))
});
/// What must stand after a name in a greeting or a form of address.
static AFTER_ADDRESS: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:\s*$|\s*[,.!?;:\n—–-]|\s+[^\p{L}\p{N}\s])"));
static END_OF_LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[ \t.!]*(?:\n|$)"));
static END_OF_TURN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[ \t.!]*$"));
static AFTER_RETURN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s+(?:again|here|speaking)\b"));
static AFTER_APPOSITION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[,)]"));

/// Whose turns a cue is looked for in.
#[derive(Clone, Copy, PartialEq)]
enum Who {
    Anyone,
    Human,
    Ai,
}

/// How far a cue can be trusted.
#[derive(Clone, Copy, PartialEq)]
enum Trust {
    /// A name follows, even in lower case where the sentence ends or goes on after it.
    Named,
    /// A capitalised word that follows is a name.
    Capitalised,
    /// A people's or a faith's name or a state may follow just as well ("I'm Irish").
    Described,
    /// A name follows, but also "Nurse Practitioner": what is learned counts in this spelling alone.
    Titled,
}

/// A text after which a name is expected.
struct Cue {
    text: Regex,
    who: Who,
    trust: Trust,
    /// What must stand after the name.
    after: Option<&'static LazyLock<Regex>>,
}

/// "My name is" in other languages.
const OWN_NAME: &str = concat!(
    "ich hei(?:ß|ss)e|mein name ist|me llamo|mi nombre es|je m['’]appelle|mon (?:pré)?nom est|mi chiamo|il mio nome (?:è|e['’])|",
    "(?:eu )?me chamo|chamo-me|o? ?meu nome (?:é|e)|ik heet|mijn naam is|jag heter|mitt namn är|jeg (?:hedder|heter)|mit navn er|",
    "mitt navn er|minun nimeni on|nimeni on|nazywam się|mam na imię|moje imię to|jmenuji se|volám sa|mă numesc|numele meu este|",
    "benim adım|a nevem|меня зовут|мо[её] имя|мене зв(?:а|у)ть|мене звати|моє ім['’]я|με λένε|ονομάζομαι|",
    "اسمي|إسمي|שמי|קוראים לי|मेरा नाम|제 이름은|내 이름은",
);

/// "Is called" in other languages.
const NAMED: &str = concat!(
    "se llama|s['’]appelle|si chiama|se chama|зовут|звати|",
    "(?:[Mm]ein|[Mm]eine|[Uu]nsere?|[Ss]eine?|[Ii]hre?) \\p{L}+ hei(?:ß|ss)t",
);

/// Words between "my" and "sister".
const WHICH: &str = concat!(
    r"(?:(?:little|older|big|younger|best|late|dear|good|old|close|new|former|only|eldest|oldest|youngest|",
    r"twin)\s+)*",
);

#[rustfmt::skip]
static CUES: LazyLock<Vec<Cue>> = LazyLock::new(|| {
    let cue = |text: &str, who, trust, after| {
        // In lower case only: "Can Your Grandmother Qualify" is a heading.
        let text = text.replace("KIN", r"\b(?:[Mm]y|[Hh]is|[Hh]er|[Oo]ur|[Tt]heir|[Yy]our)\s+WHICH(?:RELATION)");
        let text = pattern(&text.replace("WHICH", WHICH).replace("RELATION", RELATIONS));
        Cue { text, who, trust, after }
    };
    vec![
        cue(r"(?i)\bmy\s+(?:(?:full|first|last|real|middle|given|birth|legal)\s+)?(?:nick)?name(?:\s+is|['’]s|s|:)\s+",
            Who::Human, Trust::Named, None),
        cue(&format!(r"(?i)\b(?:{OWN_NAME})\s+"), Who::Human, Trust::Named, None),
        // Written without spaces between words.
        cue(r"(?:我叫|我的名字(?:是|叫)|私の名前は|僕の名前は|わたしの名前は)\s*", Who::Human, Trust::Named, None),
        cue(&format!(r"\b(?:{NAMED})\s+"), Who::Anyone, Trust::Capitalised, None),
        cue(r"(?i)\b(?:call(?:s)?\s+me|i\s+go\s+by|i(?:\s+am|['’]?m)\s+called|signed,)\s+",
            Who::Human, Trust::Capitalised, None),
        cue(r"\b(?:[Ii](?:['’]?m|\s+am)|IM|[Tt]his\s+is)\s+", Who::Human, Trust::Described, Some(&AFTER_NAME)),
        cue(r"\b[Ii]t['’]?s\s+", Who::Human, Trust::Described, Some(&AFTER_RETURN)),
        cue(r"KIN(?:['’]s\s+name\s+(?:is|was)|\s+(?:is\s+)?(?:named|called))?\s+", Who::Anyone, Trust::Capitalised, None),
        cue(r"KIN\s*[,(]\s*", Who::Anyone, Trust::Capitalised, Some(&AFTER_APPOSITION)),
        cue(r"\b(?:man|woman|guy|girl|boy|someone|somebody|person|lady|RELATION)\s+(?:named|called|by\s+the\s+name\s+of)\s+",
            Who::Anyone, Trust::Capitalised, None),
        cue(r"\b(?:[Dd]r|[Mm]rs?|Ms|Mx|Prof|Rev)\.?\s+", Who::Anyone, Trust::Titled, None),
        cue(r"\b(?:Professor|Doctor|Aunt|Auntie|Aunty|Uncle|Nurse|Officer|Pastor|Coach|Rabbi|Imam|Miss)\s+",
            Who::Human, Trust::Titled, None),
        cue(concat!(r"(?i)(?:^|[.!?\n…])\s*(?:hi|hello|hey|hiya|dear|good\s+(?:morning|evening|afternoon)|greetings|thanks|",
                    r"welcome(?:\s+back)?|thank\s+you|sorry|okay|ok|oh)(?:\s+there)?,?\s+"),
            Who::Ai, Trust::Described, Some(&AFTER_ADDRESS)),
        cue(concat!(r"(?i)\b(?:i\s+hear\s+you|sorry|i\s+understand|it['’]s\s+okay|well\s+done|take\s+care|not\s+alone|",
                    r"(?:nice|good|great|pleasure)\s+to\s+(?:meet|see)\s+you|goodbye|bye|good\s+night|welcome\s+back|",
                    r"thank\s+you(?:\s+for\s+\w+(?:\s+\w+){0,3})?),\s+"),
            Who::Ai, Trust::Described, Some(&AFTER_ADDRESS)),
        cue(concat!(r"(?i)(?:^|\n)[ \t]*(?:thanks|thank\s+you|(?:best|kind|warm)\s+regards|regards|best|love|sincerely|",
                    r"yours(?:\s+truly|\s+sincerely)?|cheers|xoxo)[,!.]?[ \t]*\n+[ \t]*[-–—~]?[ \t]*"),
            Who::Human, Trust::Capitalised, Some(&END_OF_LINE)),
        // On the line of the last sentence; on a line of its own it could be the last point of a list.
        cue(r"[.!?…][ \t]+[-–—~][ \t]?", Who::Human, Trust::Capitalised, Some(&END_OF_TURN)),
    ]
});

/// "Ana is my sister". With a comma it is as often "Lately, my sister …".
static BEFORE_RELATION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(\p{{Lu}}[\p{{L}}\p{{M}}'’-]*)(?:\s+is|\s+was)\s+(?:my|his|her)\s+(?:(?:best|older|little|younger|big)\s+)?(?:{RELATIONS})\b"
    ))
});

/// Words inside a name that are no name.
const PARTICLES: &[&str] =
    &["de", "la", "van", "von", "der", "den", "bin", "al", "el", "del", "da", "di", "dos", "du", "le", "y"];

/// Learns the names one turn tells.
pub(super) fn learn(names: &mut Names, speaker: Speaker, text: &str) {
    for cue in CUES.iter() {
        let skip = match cue.who {
            Who::Anyone => false,
            Who::Human => speaker != Speaker::Human,
            // An AI that greets says the person's name; one that introduces itself says its own.
            Who::Ai => speaker != Speaker::Ai,
        };
        if skip {
            continue;
        }
        for found in cue.text.find_iter(text) {
            learn_after(names, cue, &text[found.end()..]);
        }
    }
    for name in BEFORE_RELATION.captures_iter(text).filter_map(|found| found.get(1)) {
        let word = without_possessive(name.as_str());
        let starts_word = !text[..name.start()].chars().next_back().is_some_and(char::is_alphanumeric);
        if starts_word && !is_demonym(word) {
            names.add(word, false);
        }
    }
}

/// Learns the words right after a cue, if they are written like a name and what follows fits.
fn learn_after(names: &mut Names, cue: &Cue, text: &str) {
    let mut learned: Vec<&str> = Vec::new();
    let mut end = 0;
    for range in words(text).take(6) {
        let between = &text[end..range.start];
        let adjoins = if learned.is_empty() { between.is_empty() } else { matches!(between, " " | ". ") };
        if !adjoins {
            break;
        }
        let word = without_possessive(&text[range.clone()]);
        let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
        if !learned.is_empty() && (PARTICLES.contains(&word) || (initial && word != "I")) {
            end = range.end;
            continue;
        }
        if between == ". " && !text[..end].ends_with(char::is_uppercase)
            || !reads_as_name(cue, word, learned.is_empty())
        {
            break;
        }
        learned.push(word);
        end = range.start + word.len();
        if word.len() < range.len() || !word.chars().next().is_some_and(char::is_uppercase) {
            break;
        }
    }
    // In lower case "my name is" goes on in many ways ("… harder to say"); a name ends or is followed by little words.
    let lower = learned.iter().any(|word| word.chars().next().is_some_and(char::is_lowercase));
    let after = if lower { Some(&AFTER_NAME) } else { cue.after };
    if after.is_none_or(|after| after.is_match(&text[end..])) {
        learned.into_iter().for_each(|word| names.add(word, cue.trust == Trust::Titled));
    }
}

fn reads_as_name(cue: &Cue, word: &str, first: bool) -> bool {
    let letters = word.chars().count();
    let initial = word.chars().next();
    let capital = initial.is_some_and(char::is_uppercase);
    let lower = cue.trust == Trust::Named && first && letters > 1 && initial.is_some_and(char::is_alphabetic);
    let acronym = capital && letters > 1 && !word.chars().any(char::is_lowercase);
    let described = cue.trust == Trust::Described && (acronym || is_demonym(word));
    (capital || lower) && !described && !is_ordinary(word)
}
