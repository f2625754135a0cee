//! The answer schema stays inside the subset that all providers accept.

use carelock_core::rubric::Rubric;
use serde_json::{Value, json};

use super::super::{answer_schema, bounded_answer_schema};
use super::{ids, ordinary, plain_answer, sample_answer};

/// Calls back for every schema object inside a schema.
fn walk(schema: &Value, visit: &mut dyn FnMut(&serde_json::Map<String, Value>)) {
    let Some(fields) = schema.as_object() else { return };
    visit(fields);
    for key in ["properties", "$defs"] {
        fields.get(key).and_then(Value::as_object).into_iter().flatten().for_each(|(_, part)| walk(part, visit));
    }
    if let Some(items) = fields.get("items") {
        walk(items, visit);
    }
}

#[test]
fn every_object_is_closed_and_requires_all_it_has() {
    let rubric = Rubric::care_lock();
    walk(&answer_schema(&rubric, &ids(&rubric)), &mut |fields| {
        for key in fields.keys() {
            let known = ["type", "properties", "required", "additionalProperties", "items", "enum", "$ref", "$defs"];
            assert!(known.contains(&key.as_str()), "{key} is outside the common subset");
        }
        if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
            assert_eq!(fields["additionalProperties"], json!(false));
            assert_eq!(fields["required"], json!(properties.keys().collect::<Vec<_>>()));
        }
    });
}

#[test]
fn the_schema_is_small_and_asks_each_check_in_rubric_order() {
    let rubric = Rubric::care_lock();
    let schema = answer_schema(&rubric, &ids(&rubric));
    assert_eq!(schema["properties"]["verdicts"]["required"], json!(ids(&rubric)));
    assert!(schema.to_string().len() < 4_500, "{}", schema.to_string().len());
    let verdict: Vec<&String> = schema["$defs"]["Verdict"]["properties"].as_object().unwrap().keys().collect();
    assert_eq!(verdict, ["why", "verdict", "turns", "quote"], "the reason comes before the verdict");
}

#[test]
fn some_checks_need_verdicts_alone() {
    let rubric = Rubric::care_lock();
    let schema = answer_schema(&rubric, &["E2", "S1"]);
    assert_eq!(schema["required"], json!(["verdicts"]));
    assert_eq!(schema["properties"]["verdicts"]["required"], json!(["E2", "S1"]));
    assert_eq!(schema["$defs"].as_object().unwrap().len(), 1);
}

#[test]
fn good_answers_validate_and_others_do_not() {
    let rubric = Rubric::care_lock();
    for schema in [answer_schema(&rubric, &ids(&rubric)), bounded_answer_schema(&rubric, &ids(&rubric), 8_000)] {
        let validator = jsonschema::validator_for(&schema).unwrap();
        let good = sample_answer(&ordinary().1);
        assert!(validator.is_valid(&plain_answer(&rubric)));
        assert!(
            validator.is_valid(&good),
            "{:?}",
            validator.iter_errors(&good).map(|error| error.to_string()).collect::<Vec<_>>()
        );
        let mut scored = plain_answer(&rubric);
        scored["verdicts"]["E1"]["verdict"] = json!("not_triggered");
        assert!(!validator.is_valid(&scored), "only conditional checks can be not_triggered");
        let mut short = plain_answer(&rubric);
        short["verdicts"].as_object_mut().unwrap().shift_remove("E1");
        assert!(!validator.is_valid(&short));
    }
}

#[test]
fn limits_stand_only_in_the_bounded_schema() {
    let rubric = Rubric::care_lock();
    let strict = answer_schema(&rubric, &ids(&rubric)).to_string();
    assert!(!strict.contains("maxLength") && !strict.contains("maxItems"));
    let bounded = bounded_answer_schema(&rubric, &ids(&rubric), 8_000);
    assert_eq!(bounded["properties"]["moments"]["maxItems"], json!(5));
    walk(&bounded, &mut |fields| {
        let free = fields.get("type") == Some(&json!("string")) && !fields.contains_key("enum");
        assert_eq!(free, fields.contains_key("maxLength"));
    });
}

/// The longest answer a bounded schema allows.
fn longest(schema: &Value, definitions: &Value) -> Value {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return longest(&definitions[name.trim_start_matches("#/$defs/")], definitions);
    }
    let most = |key: &str| usize::try_from(schema[key].as_u64().unwrap()).unwrap();
    match schema["type"].as_str().unwrap() {
        "object" => {
            let properties = schema["properties"].as_object().unwrap();
            properties.iter().map(|(name, part)| (name.clone(), longest(part, definitions))).collect()
        }
        "array" => vec![longest(&schema["items"], definitions); most("maxItems")].into(),
        "integer" => json!(10),
        _ if schema.get("enum").is_some() => schema["enum"].as_array().unwrap().last().unwrap().clone(),
        _ => json!("She says that it is hard now and ".repeat(20).chars().take(most("maxLength")).collect::<String>()),
    }
}

#[test]
fn the_longest_answer_a_bounded_schema_allows_fits_its_room() {
    let rubric = Rubric::care_lock();
    for room in [2_700, 3_500, 5_000, 6_500] {
        let schema = bounded_answer_schema(&rubric, &ids(&rubric), room);
        let answer = longest(&schema, &schema["$defs"]);
        assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&answer));
        // Answers this long take a token for about every three bytes on a small model's tokenizer, fewer on large ones'.
        let tokens = answer.to_string().len() / 3;
        assert!(tokens <= room, "{tokens} of {room}");
    }
    let few = bounded_answer_schema(&rubric, &["E1", "E2", "E3", "E4", "E5"], 600);
    assert!(longest(&few, &few["$defs"]).to_string().len() / 3 <= 600);
}
