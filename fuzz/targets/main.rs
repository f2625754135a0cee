//! All fuzz targets in one program; `FUZZ_TARGET` names the one to run.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};

mod archive;
mod builtin;
mod chat_export;
mod chat_template;
mod chatgpt_export;
mod delimited;
mod json_chats;
mod jsonl;
mod markdown;
mod parquet;
mod plain_text;
mod quote;
mod read_any;
mod sheet;
mod traces;
mod verdicts;
mod verify;

type Target = fn(&[u8]) -> Corpus;

const TARGETS: [(&str, Target); 17] = [
    ("archive", archive::run),
    ("builtin", builtin::run),
    ("chat_export", chat_export::run),
    ("chat_template", chat_template::run),
    ("chatgpt_export", chatgpt_export::run),
    ("delimited", delimited::run),
    ("json_chats", json_chats::run),
    ("jsonl", jsonl::run),
    ("markdown", markdown::run),
    ("parquet", parquet::run),
    ("plain_text", plain_text::run),
    ("quote", quote::run),
    ("read_any", read_any::run),
    ("sheet", sheet::run),
    ("traces", traces::run),
    ("verdicts", verdicts::run),
    ("verify", verify::run),
];

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("FUZZ_TARGET is {name:?}, which is no target")).1
});

fuzz_target!(|data: &[u8]| -> Corpus { TARGET(data) });
