//! The OpenAPI document, made from the table of addresses and from the types.

use std::sync::OnceLock;

use axum::extract::State;
use axum::response::Response;
use carelock_core::report::{report_schema, rubric_schema};
use carelock_core::rubric::Rubric;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::requests::{EvaluateRequest, JobRequest};
use super::table::{Gives, Operation, Parameter, Table, Takes};
use super::{json_text, table};
use crate::api_error::ApiResult;
use crate::state::Shared;

/// The schemas of what has no type of its own.
const COMPONENTS: &str = include_str!("components.json");
/// The ways every request can be refused.
const REFUSALS: [u16; 8] = [400, 401, 403, 408, 421, 422, 429, 500];
/// Further ways for requests with a body.
const BODY_REFUSALS: [u16; 2] = [413, 415];

pub(super) const DOCUMENT: Operation =
    Operation { gives: Gives::AnyJson, ..Operation::reading("/api/v1/openapi.json", "openapi", "This document.") };

/// The document, made once.
pub(super) async fn read(State(server): State<Shared>) -> ApiResult<Response> {
    static MADE: OnceLock<String> = OnceLock::new();
    let text = MADE.get_or_init(|| format!("{:#}\n", document(&table(), &server.rubric)));
    Ok(json_text(text.clone()))
}

/// The whole document.
pub(super) fn document(table: &Table, rubric: &Rubric) -> Value {
    let mut paths = Map::new();
    for operation in table.operations() {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method.key()] = described(operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Care-Lock",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Evaluates how an AI spoke with a person: 50 checks with evidence. The same JSON as on the \
                command line. Where the server was started with --auth, or listens beyond its own machine, every \
                request needs a token.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "security": [{}, { "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas(rubric),
        },
    })
}

fn described(operation: &Operation) -> Value {
    let in_path = operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = in_path.map(|name| {
        let schema = match name {
            "name" => "SchemaName",
            "session" => "SessionNumber",
            _ => "Number",
        };
        json!({ "name": name, "in": "path", "required": true, "schema": reference(schema) })
    });
    let parameters: Vec<Value> = in_path.chain(operation.query.iter().map(in_query)).collect();
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "description": format!("Needs the role {}.", operation.role),
        "parameters": parameters,
        "responses": responses(operation),
    });
    let json_kind = |schema: &str| json!({ "application/json": { "schema": reference(schema) } });
    let content = match operation.takes {
        Takes::Nothing => return described,
        Takes::Json(schema) => json_kind(schema),
        Takes::JsonOrText(schema) => {
            let mut kinds = json_kind(schema);
            kinds["text/plain"] = json!({ "schema": { "type": "string" } });
            kinds
        }
    };
    described["requestBody"] = json!({ "required": true, "content": content });
    described
}

fn in_query(parameter: &Parameter) -> Value {
    let Parameter { name, schema, about } = parameter;
    json!({ "name": name, "in": "query", "description": about, "schema": reference(schema) })
}

fn responses(operation: &Operation) -> Value {
    let content = match operation.gives {
        Gives::Json(schema) => json!({ "application/json": { "schema": reference(schema) } }),
        Gives::AnyJson => json!({ "application/json": { "schema": { "type": "object" } } }),
        Gives::Events => json!({ "text/event-stream": {} }),
    };
    let mut all = Map::new();
    all.insert(operation.status.to_string(), json!({ "description": "Done.", "content": content }));
    let with_body = BODY_REFUSALS.iter().filter(|_| operation.takes != Takes::Nothing);
    let found = [404].iter().filter(|_| operation.path.contains('{'));
    let mut refusals: Vec<u16> =
        REFUSALS.iter().chain(with_body).chain(found).chain(operation.refusals).copied().collect();
    refusals.sort_unstable();
    refusals.dedup();
    for status in refusals {
        let about = axum::http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        let problem = json!({ "application/problem+json": { "schema": reference("Problem") } });
        all.insert(status.to_string(), json!({ "description": about, "content": problem }));
    }
    Value::Object(all)
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

fn schemas(rubric: &Rubric) -> Map<String, Value> {
    let mut all: Map<String, Value> = serde_json::from_str(COMPONENTS).unwrap_or_default();
    let asked = || SchemaSettings::draft2020_12().for_deserialize().into_generator();
    adopt(&mut all, "EvaluateRequest", asked().into_root_schema_for::<EvaluateRequest>().to_value());
    adopt(&mut all, "JobRequest", asked().into_root_schema_for::<JobRequest>().to_value());
    adopt(&mut all, "Report", report_schema(rubric));
    let mut rubric = rubric_schema();
    rubric["properties"]["digest"] = json!({ "type": "string", "description": "The digest of the rest." });
    adopt(&mut all, "Rubric", rubric);
    all
}

/// Takes a schema in, with what it defines under names of its own.
fn adopt(all: &mut Map<String, Value>, name: &str, mut schema: Value) {
    let definitions = schema.as_object_mut().and_then(|schema| {
        schema.remove("$schema");
        schema.remove("$id");
        schema.remove("$defs")
    });
    let own = |definition: &str| if definition == name { name.to_owned() } else { format!("{name}{definition}") };
    if let Some(Value::Object(definitions)) = definitions {
        for (definition, mut schema) in definitions {
            refer(&mut schema, &own);
            if own(&definition) != name {
                all.insert(own(&definition), schema);
            }
        }
    }
    refer(&mut schema, &own);
    all.insert(name.to_owned(), schema);
}

/// Has references point to where the definitions have gone.
fn refer(schema: &mut Value, own: &impl Fn(&str) -> String) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                let target =
                    value.as_str().filter(|_| key == "$ref").map(|target| match target.strip_prefix("#/$defs/") {
                        Some(definition) => own(definition),
                        // The root itself, in a schema that holds itself again.
                        None => own("").clone(),
                    });
                match target {
                    Some(target) => *value = json!(format!("#/components/schemas/{target}")),
                    None => refer(value, own),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| refer(value, own)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_of_the_document_leads_somewhere() {
        let document = document(&table(), &Rubric::care_lock());
        let text = document.to_string();
        let references: Vec<&str> =
            text.split(r##""$ref":"#"##).skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(references.len() > 50);
        for reference in references {
            assert!(document.pointer(reference).is_some(), "{reference}");
        }
        assert!(!text.contains("$defs"));
    }

    #[test]
    fn every_entry_is_in_the_document_under_a_name_of_its_own() {
        let table = table();
        let document = document(&table, &Rubric::care_lock());
        let mut names: Vec<&str> = Vec::new();
        for operation in table.operations() {
            let described = &document["paths"][operation.path][operation.method.key()];
            assert_eq!(described["operationId"], operation.id, "{}", operation.path);
            names.push(operation.id);
        }
        let described: usize = document["paths"]
            .as_object()
            .expect("paths")
            .values()
            .map(|path| path.as_object().expect("a path").len())
            .sum();
        assert_eq!(described, names.len());
        names.sort_unstable();
        names.dedup();
        assert_eq!(described, names.len());
    }
}
