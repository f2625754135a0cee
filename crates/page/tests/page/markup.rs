//! A reader of pages that takes nothing but tidy markup: every element closed, every attribute quoted.

/// A piece of a page.
#[derive(Debug, PartialEq)]
pub(crate) enum Token {
    Open(String, Vec<(String, String)>),
    Close(String),
    Text(String),
}

const VOID: [&str; 2] = ["meta", "link"];

/// The pieces of a page; it panics where elements are not nested as they should be.
pub(crate) fn tokens(page: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").expect("a doctype comes first");
    while !rest.is_empty() {
        if open.last().is_some_and(|name| name == "style") {
            let (style, after) = rest.split_once("</style>").unwrap();
            tokens.push(Token::Text(style.to_owned()));
            open.pop();
            rest = after;
            continue;
        }
        let (text, after) = rest.split_once('<').unwrap_or((rest, ""));
        assert!(!text.contains('>'), "a bare > in {text:?}");
        if !text.is_empty() {
            tokens.push(Token::Text(decoded(text)));
        }
        if after.is_empty() {
            break;
        }
        let (tag, after) = after.split_once('>').unwrap();
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "closed out of turn");
            tokens.push(Token::Close(name.to_owned()));
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "no element is called {name:?}");
        tokens.push(Token::Open(name.to_owned(), read_attributes(attributes)));
        if !VOID.contains(&name) {
            open.push(name.to_owned());
        }
    }
    assert_eq!(open, Vec::<String>::new(), "left open");
    tokens
}

fn read_attributes(text: &str) -> Vec<(String, String)> {
    let mut attributes = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("open").filter(|after| !after.starts_with('=')) {
            attributes.push(("open".to_owned(), String::new()));
            rest = after.trim_start();
            continue;
        }
        let (name, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("an attribute without quotes: {rest:?}"));
        let (value, after) = after.split_once('"').unwrap();
        attributes.push((name.to_owned(), decoded(value)));
        rest = after.trim_start();
    }
    attributes
}

/// What the entities stand for.
fn decoded(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (number, after) = part.split_once(';').unwrap_or_else(|| panic!("a bare & before {part:?}"));
        let number = number.strip_prefix('#').and_then(|number| number.parse().ok()).and_then(char::from_u32);
        out.push(number.unwrap_or_else(|| panic!("an unknown entity before {part:?}")));
        out.push_str(after);
    }
    out
}

/// The values of an attribute, wherever it stands.
pub(crate) fn values(tokens: &[Token], wanted: &str) -> Vec<String> {
    let mut values = Vec::new();
    for token in tokens {
        if let Token::Open(_, attributes) = token {
            values.extend(attributes.iter().filter(|(name, _)| name == wanted).map(|(_, value)| value.clone()));
        }
    }
    values
}

/// All text of a page, as it reads.
pub(crate) fn text(tokens: &[Token]) -> String {
    let said = |token: &Token| match token {
        Token::Text(text) => text.clone(),
        _ => String::new(),
    };
    tokens.iter().map(said).collect()
}

/// The words of every turn: each character, and whether it is marked.
pub(crate) fn turns(tokens: &[Token]) -> Vec<Vec<(char, bool)>> {
    let mut turns = Vec::new();
    let mut depth = 0;
    let (mut marked, mut raised) = (false, false);
    for token in tokens {
        match token {
            Token::Open(_, attributes) if depth == 0 => {
                if attributes.iter().any(|(name, value)| name == "class" && value == "words") {
                    depth = 1;
                    turns.push(Vec::new());
                }
            }
            _ if depth == 0 => {}
            Token::Open(name, _) => {
                depth += 1;
                marked |= name == "mark";
                raised |= name == "sup";
            }
            Token::Close(name) => {
                depth -= 1;
                marked &= name != "mark";
                raised &= name != "sup";
            }
            Token::Text(_) if raised => {}
            Token::Text(text) => turns.last_mut().unwrap().extend(text.chars().map(|letter| (letter, marked))),
        }
    }
    turns
}
