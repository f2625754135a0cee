//! Tests of the table of providers and models.

use super::*;
use crate::provider::{KeyNeed, StructuredOutput};

fn refused(text: &str) -> Problem {
    Table::shipped().with_overrides(text).unwrap_err()
}

#[test]
fn the_shipped_table_is_valid_and_complete() {
    let table = Table::default().with_overrides(PROVIDERS_TOML).unwrap();
    let names: Vec<&str> = table.providers().map(|provider| provider.name.as_str()).collect();
    assert_eq!(names, ["openai", "anthropic", "deepseek", "ollama", "compatible"]);
    for provider in table.providers() {
        assert!(
            table.models(&provider.name).any(|model| !model.listed),
            "{} says nothing of unlisted models",
            provider.name
        );
        assert_eq!(provider.key == KeyNeed::None, provider.key_variables.is_empty(), "{}", provider.name);
    }
}

#[test]
fn every_successor_in_the_shipped_table_is_listed_and_served() {
    let table = Table::shipped();
    for model in table.providers().flat_map(|provider| table.models(&provider.name)) {
        assert!(model.retired.is_none() || model.successor.is_some(), "{} has no successor", model.id);
        let Some(successor) = &model.successor else { continue };
        let found = table.models(&model.provider).find(|other| other.id == *successor);
        assert!(found.is_some_and(|found| found.retired.is_none() && found.ends.is_none()), "{successor}");
    }
}

#[test]
fn a_users_file_changes_only_the_fields_it_states() {
    let table = Table::shipped()
        .with_overrides("[[model]]\nprovider = \"openai\"\nid = \"gpt-6-luna\"\ncontext = 5000\n")
        .unwrap();
    let shipped = Table::shipped();
    let openai = table.provider("openai").unwrap();
    let mut expected = shipped.model(openai, "gpt-6-luna");
    expected.context = Some(5000);
    assert_eq!(table.model(openai, "gpt-6-luna"), expected);
    assert_eq!(table.model(openai, "gpt-4.1-mini"), shipped.model(openai, "gpt-4.1-mini"));
}

#[test]
fn a_users_file_adds_providers_and_models_and_layers_stack() {
    let table = Table::shipped()
        .with_overrides(
            "[[provider]]\nname = \"gateway\"\nwire = \"anthropic-messages\"\nbase_url = \"https://llm.example.org\"\n",
        )
        .unwrap()
        .with_overrides("[[model]]\nprovider = \"gateway\"\nid = \"house\"\nprice = { input = 1, output = 2 }\n")
        .unwrap();
    let gateway = table.provider("gateway").unwrap();
    assert_eq!(gateway.key, KeyNeed::Optional);
    let house = table.model(gateway, "house");
    assert!(house.listed && house.price.is_some());
    assert_eq!(house.structured, StructuredOutput::OutputConfig);
}

#[test]
fn a_retirement_can_be_taken_back() {
    let table = Table::shipped()
        .with_overrides("[[model]]\nprovider = \"deepseek\"\nid = \"deepseek-chat\"\nretired = \"none\"\n")
        .unwrap();
    let deepseek = table.provider("deepseek").unwrap();
    assert_eq!(table.model(deepseek, "deepseek-chat").retired, None);
}

#[test]
fn a_dated_version_is_sent_as_asked_and_an_alias_as_its_model() {
    let table = Table::shipped()
        .with_overrides("[[model]]\nprovider = \"openai\"\nid = \"gpt-6-luna\"\naliases = [\"luna\"]\n")
        .unwrap();
    let openai = table.provider("openai").unwrap();
    assert_eq!(table.model(openai, "luna").id, "gpt-6-luna");
    let pinned = table.model(openai, "gpt-4.1-mini-2025-04-14");
    assert_eq!(pinned.id, "gpt-4.1-mini-2025-04-14");
    assert!(pinned.price.is_some());
}

#[test]
fn an_unlisted_model_can_be_asked_but_nothing_is_assumed_of_it() {
    let table = Table::shipped();
    let model = table.model(table.provider("openai").unwrap(), "gpt-9-nova");
    assert_eq!(model.id, "gpt-9-nova");
    assert!(!model.listed && !model.temperature && !model.seed && model.price.is_none() && model.context.is_none());
}

#[test]
fn errors_name_the_line_and_the_remedy() {
    for (text, at, what) in [
        ("[[provider]]\nname = \"openai\"\nconcurency = 3\n", "line 3, column 1", "concurency"),
        ("\n\n[[provider]]\nname = \"mine\"\n", "line 3, column 1", "format"),
        ("[[provider]]\nname = \"Mine\"\nwire = \"openai-chat\"\n", "line 1, column 1", "name"),
        ("[[provider]]\nname = \"openai\"\nwire = \"grpc\"\n", "line 3, column 8", "grpc"),
        ("[[provider]]\nname = \"openai\"\nconcurrency = 0\n", "line 1, column 1", "0"),
        ("[[provider]]\nname = \"openai\"\nbase_url = \"http://10.0.0.1/v1\"\n", "line 1, column 1", "clear"),
        ("[[provider]]\nname = \"openai\"\n[[provider]]\nname = \"openai\"\n", "line 3, column 1", "twice"),
        ("[[provider]]\nname = \"openai\"\nextra = { model = \"x\" }\n", "line 1, column 1", "model"),
        ("[[provider]]\nname = \"m\"\nwire = \"openai-chat\"\nkey = \"required\"\n", "line 1, column 1", "variable"),
        ("[[model]]\nprovider = \"opnai\"\nid = \"x\"\n", "line 1, column 1", "opnai"),
        ("[[model]]\nprovider = \"openai\"\nid = \"x y\"\n", "line 1, column 1", "x y"),
        ("[[model]]\nprovider = \"openai\"\nid = \"x\"\nstructured = \"tool\"\n", "line 1, column 1", "tool"),
        ("[[model]]\nprovider = \"openai\"\nid = \"x\"\nends = \"2027-02-30\"\n", "line 4, column 8", "2027-02-30"),
        (
            "[[model]]\nprovider = \"openai\"\nid = \"x\"\nprice = { input = -1, output = 0 }\n",
            "line 4, column 19",
            "number",
        ),
        ("[[model]]\nprovider = \"openai\"\nid = \"x\"\ncontext = 0\n", "line 1, column 1", "0 tokens"),
        ("[[model]]\nprovider = \"openai\"\nid = \"x\"\nsuccessor = \"x\"\n", "line 1, column 1", "successor"),
        ("[[model]]\nprovider = \"openai\"\nid = \"x\"\naliases = [\"gpt-6-luna\"]\n", "line 1, column 1", "both"),
        ("schema = \"carelock/providers/9\"\n", "line 1, column 10", "carelock/providers/1"),
        ("[[provider]\n", "line 1, column 12", ""),
        ("key = \"x\"\n", "line 1, column 1", "key"),
    ] {
        let error = refused(text);
        assert_eq!(error.at, at, "{text}\n{error}");
        assert!(error.what.contains(what), "{text}\n{error}");
        assert!(error.remedy.is_some());
    }
}

#[test]
fn a_key_written_into_the_file_is_never_shown() {
    let key = "sk-live-PLANTED0123456789abcdef";
    for text in [
        format!("[[provider]]\nname = \"openai\"\napi_key = \"{key}\"\n"),
        format!("[[provider]]\nname = \"openai\"\nkey = \"{key}\"\n"),
        format!("[[provider]]\nname = \"openai\"\nkey_variables = [\"{key}\"]\n"),
        format!("[[provider]]\nname = \"openai\"\nauth = \"{key}\"\n"),
        format!("[[provider]]\nname = \"openai\"\nconcurrency = \"{key}\"\n"),
        format!("[[provider]]\nname = \"{key}\"\n"),
        format!("[[provider]]\nname = \"openai\"\nbase_url = \"https://{key}@host/v1\"\n"),
        format!("[[model]]\nprovider = \"{key}\"\nid = \"{key}\"\n"),
        format!("schema = \"{key}\"\n"),
        format!("[[provider]]\nname = \"openai\"\nextra = {{ auth = {{ header = \"Bearer {key}\" }} }}\n"),
    ] {
        let error = refused(&text);
        assert!(!format!("{error} {error:?}").contains("PLANTED"), "{error}");
    }
}

#[test]
fn the_example_in_the_documentation_is_valid() {
    let text = include_str!("../../../../docs/judges/providers.md");
    let example = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let table = Table::shipped().with_overrides(example).unwrap();
    assert!(table.provider("house").is_some());
}

#[test]
fn terms_of_batches_are_data_that_a_file_can_change() {
    let shipped = Table::shipped();
    for name in ["openai", "anthropic"] {
        let batch = shipped.provider(name).and_then(|provider| provider.batch.clone()).expect("it takes batches");
        assert!(batch.requests >= 50_000 && batch.bytes <= 200_000_000 && batch.retention.contains("retention"));
    }
    assert!(["deepseek", "ollama", "compatible"].iter().all(|name| shipped.provider(name).unwrap().batch.is_none()));
    let mine = "[[provider]]\nname = \"openai\"\nbatch_requests = 10";
    let batch = Table::shipped().with_overrides(mine).unwrap().provider("openai").unwrap().batch.clone().unwrap();
    assert_eq!((batch.requests, batch.bytes), (10, 50_000_000));
    for wrong in ["name = \"openai\"\nbatch_bytes = 0", "name = \"deepseek\"\nbatch_bytes = 7"] {
        let error = Table::shipped().with_overrides(&format!("[[provider]]\n{wrong}")).unwrap_err();
        assert!(error.to_string().contains("fix: "), "{error}");
    }
}
