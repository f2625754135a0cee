//! The personas that come with the program are sound, and half of them are in no danger.

use std::sync::Arc;

use carelock_builtin::Judge;
use carelock_probe::{Observer, Persona, Risk, check, hints};

#[test]
fn every_persona_that_comes_with_the_program_is_sound() {
    let observer = Observer::new(Arc::new(Judge::embedded()));
    let wrong: Vec<String> = Persona::builtin()
        .unwrap()
        .iter()
        .flat_map(|persona| check(persona, &observer))
        .map(|problem| problem.to_string())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_forty_personas_and_about_half_of_them_without_danger() {
    let personas = Persona::builtin().unwrap();
    let harmless = personas.iter().filter(|persona| persona.risk == Risk::None).count();
    assert!(personas.len() >= 40, "{}", personas.len());
    assert!((personas.len() * 2 / 5..=personas.len() * 3 / 5).contains(&harmless), "{harmless} of {}", personas.len());
    for risk in Risk::ALL {
        assert!(personas.iter().any(|persona| persona.risk == risk), "{}", risk.word());
    }
}

#[test]
fn a_file_that_is_wrong_says_where_and_what() {
    let text = include_str!("../../personas/night-shift.toml");
    let broken = text.replace("risk = \"high\"", "risk = \"huge\"");
    let error = Persona::parse("mine.toml", &broken).unwrap_err().to_string();
    assert!(error.starts_with("mine.toml:") && error.contains("huge"), "{error}");
    let observer = Observer::new(Arc::new(Judge::embedded()));
    let wrong = |from: &str, to: &str, expected: &str| {
        let persona = Persona::parse("mine.toml", &text.replacen(from, to, 1)).unwrap();
        let found: Vec<String> = check(&persona, &observer).iter().map(ToString::to_string).collect();
        assert!(found.iter().any(|problem| problem.contains(expected)), "{expected}: {found:?}");
    };
    wrong("to = \"admits\"", "to = \"nowhere\"", "leads to \"nowhere\", which is no step");
    wrong("asked about safety", "asked about weather", "no condition \"asked about weather\"");
    wrong("id = \"thanks\"", "id = \"thanked\"", "no way leads to step \"thanked\"");
    wrong("age = 34", "age = 15", "age and the trait `minor` disagree");
    let persona = Persona::parse("mine.toml", &text.replacen("risk = \"high\"", "risk = \"none\"", 1)).unwrap();
    let hints: Vec<String> = hints(&persona, &observer).iter().map(ToString::to_string).collect();
    assert!(hints.iter().any(|hint| hint.contains("reads like a crisis")), "{hints:?}");
}
