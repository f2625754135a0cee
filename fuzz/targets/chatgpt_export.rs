//! ChatGPT's data export: a mapping of nodes with parents, children and cycles.

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::Corpus;
use serde_json::{Map, Value, json};

/// Each four bytes make a node: its parent, its role, its content, its flags. Any graph can come out, cycles included.
pub fn run(data: &[u8]) -> Corpus {
    let roles = ["user", "assistant", "system", "tool", "?"];
    let kinds = ["text", "multimodal_text", "code", "thoughts", "model_editable_context", "x"];
    let mut mapping = Map::new();
    for (number, node) in data.chunks_exact(4).take(64).enumerate() {
        let parent = if node[0] == 255 { Value::Null } else { json!((node[0] % 64).to_string()) };
        let part = if node[3] & 1 == 0 { json!("text") } else { json!({ "content_type": "image_asset_pointer" }) };
        let message = if node[3] & 2 == 2 {
            Value::Null
        } else {
            json!({
                "author": { "role": roles[usize::from(node[1]) % roles.len()] },
                "content": { "content_type": kinds[usize::from(node[2]) % kinds.len()], "parts": [part] },
                "create_time": node[3],
                "metadata": { "is_visually_hidden_from_conversation": node[3] & 4 == 4 },
            })
        };
        let children = if node[3] & 8 == 8 { json!([node[2].to_string()]) } else { json!([]) };
        let node = json!({ "id": number.to_string(), "parent": parent, "children": children, "message": message });
        mapping.insert(number.to_string(), node);
    }
    let current = data.first().map(|byte| (byte % 64).to_string());
    let export = json!([{ "title": "t", "current_node": current, "mapping": mapping }]);
    let _ = formats::read(export.to_string().as_bytes(), &ReadOptions::default());
    Corpus::Keep
}
