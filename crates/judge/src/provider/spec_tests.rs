//! Tests of judges as they are asked for.

use super::*;

fn terms(today: &str) -> Terms {
    Terms::on(today.parse().unwrap())
}

fn resolve(text: &str) -> Result<Resolved, Problem> {
    Table::shipped().resolve(&JudgeSpec::parse(text)?, &terms("2026-11-15"))
}

#[test]
fn a_judge_is_read_and_written_back() {
    for text in [
        "openai:gpt-4.1-mini",
        "anthropic:claude-3-5-sonnet",
        "deepseek:deepseek-chat",
        "ollama:llama3.2",
        "ollama:hf.co/some/model-GGUF:Q4_K_M",
        "http://127.0.0.1:8080/v1#model",
        "https://llm.example.org/v1#org/model:tag#2",
    ] {
        assert_eq!(JudgeSpec::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn what_is_no_judge_is_refused_with_a_remedy() {
    for (text, hint) in [
        ("", "provider:model"),
        ("gpt-4.1-mini", "provider:model"),
        (":gpt", "provider:model"),
        ("openai:", "after the colon"),
        ("openai:*", "after the colon"),
        ("openai:gpt 4", "blanks"),
        ("openai:gpt\u{7}", "control"),
        ("http://127.0.0.1:8080/v1", "#model"),
        ("http://127.0.0.1:8080/v1#", "#model"),
        ("https://me:hunter2@host/v1#m", "user name"),
        ("https://host/v1?x=1#m", "query"),
        ("http://127.0.0.1:8080/v1/chat/completions#m", "single call"),
        ("http://#m", "host"),
    ] {
        let error = JudgeSpec::parse(text).unwrap_err().to_string();
        assert!(error.contains(hint) && error.contains("fix:"), "{text}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn a_key_in_place_of_a_name_is_never_shown() {
    for text in [
        "openai:sk-live-PLANTED0123456789abcdef",
        "sk-ant-api03-PLANTED0123456789",
        "https://sk-PLANTED0123456789@host/v1#m",
    ] {
        let error = JudgeSpec::parse(text).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("PLANTED"), "{error}");
    }
}

#[test]
fn an_unknown_provider_is_answered_with_the_list() {
    let error = resolve("opnai:gpt-4.1-mini").unwrap_err().to_string();
    assert!(error.contains("openai, anthropic, deepseek, ollama"), "{error}");
}

#[test]
fn the_provider_is_never_guessed_from_the_models_name() {
    let resolved = resolve("ollama:gpt-4.1-mini").unwrap();
    assert_eq!(resolved.provider.name, "ollama");
    assert!(resolved.model.price.unwrap().is_free());
    let resolved = resolve("http://127.0.0.1:9/v1#gpt-4.1-mini").unwrap();
    assert_eq!(resolved.model.price, None);
}

#[test]
fn a_retired_model_is_refused_and_its_successor_named() {
    for (asked, successor) in [
        ("anthropic:claude-3-5-sonnet", "anthropic:claude-sonnet-5-5"),
        ("anthropic:claude-3-5-sonnet-20241022", "anthropic:claude-sonnet-5-5"),
        ("anthropic:claude-3-5-sonnet-latest", "anthropic:claude-sonnet-5-5"),
        ("deepseek:deepseek-chat", "deepseek:deepseek-flash"),
        ("deepseek:deepseek-reasoner", "deepseek:deepseek-flash"),
    ] {
        let error = resolve(asked).unwrap_err().to_string();
        assert!(error.contains(successor) && error.contains("retired this model on"), "{error}");
        assert!(resolve(successor).is_ok());
    }
}

#[test]
fn an_end_that_is_near_is_warned_about_and_a_distant_one_is_not() {
    let table = Table::shipped();
    let mini = table.model(table.provider("openai").unwrap(), "gpt-4.1-mini");
    for (today, words) in [
        ("2026-09-01", None),
        ("2026-11-15", Some("openai:gpt-4.1-mini ends on 2027-01-14, in 60 days; its successor is openai:gpt-6-luna")),
        ("2027-01-13", Some("openai:gpt-4.1-mini ends tomorrow (2027-01-14); its successor is openai:gpt-6-luna")),
        ("2027-01-14", Some("openai:gpt-4.1-mini ends today (2027-01-14); its successor is openai:gpt-6-luna")),
        (
            "2027-03-01",
            Some("openai:gpt-4.1-mini was announced to end on 2027-01-14; its successor is openai:gpt-6-luna"),
        ),
    ] {
        assert_eq!(mini.end_warning(today.parse().unwrap()).as_deref(), words);
    }
}

#[test]
fn a_model_past_its_announced_end_is_still_tried() {
    let spec = JudgeSpec::parse("anthropic:claude-sonnet-4-5").unwrap();
    let resolved = Table::shipped().resolve(&spec, &terms("2026-12-24")).unwrap();
    assert!(resolved.warnings[0].contains("claude-sonnet-5-5"));
}

#[test]
fn a_model_without_a_price_is_said_to_have_none() {
    let resolved = resolve("openai:gpt-9-nova").unwrap();
    assert_eq!(resolved.warnings.len(), 1);
    assert!(resolved.warnings[0].contains("not in the table"));
    assert!(resolve("openai:gpt-6-luna").unwrap().warnings.is_empty());
    assert!(resolve("ollama:llama3.2").unwrap().warnings.is_empty());
}

#[test]
fn private_text_does_not_leave_the_machine_unencrypted_unless_allowed() {
    let spec = JudgeSpec::parse("http://192.168.1.20:8080/v1#m").unwrap();
    let error = Table::shipped().resolve(&spec, &terms("2026-11-15")).unwrap_err();
    assert_eq!(error.what, AddressError::PlainHttp.what());
    assert!(error.to_string().contains("allow_plain_http"));
    let allowed = Terms { allow_plain_http: true, ..terms("2026-11-15") };
    assert_eq!(Table::shipped().resolve(&spec, &allowed).unwrap().provider.base_url, "http://192.168.1.20:8080/v1");
}

#[test]
fn another_address_for_a_provider_is_held_to_the_same_rules() {
    let spec = JudgeSpec::parse("openai:gpt-6-luna").unwrap();
    let at = |url: &str| Terms { base_url: Some(url.to_owned()), ..terms("2026-11-15") };
    let resolved = Table::shipped().resolve(&spec, &at("http://127.0.0.1:4000/")).unwrap();
    assert_eq!(resolved.provider.base_url, "http://127.0.0.1:4000");
    assert!(Table::shipped().resolve(&spec, &at("http://proxy.example.org")).is_err());
}

#[test]
fn a_compatible_server_without_an_address_is_refused() {
    assert!(resolve("compatible:m").unwrap_err().to_string().contains("http://127.0.0.1:8080/v1#m"));
}
