#!/usr/bin/env bash
# Puts the examples into the fuzz corpora, so that every target starts from inputs that mean something.
set -euo pipefail
cd "$(dirname "$0")/.."
seed() { # target file...
  local target=$1; shift
  mkdir -p "fuzz/corpus/$target"
  for file in "$@"; do cp "$file" "fuzz/corpus/$target/$(echo "$file" | tr '/' '_')"; done
}
seed read_any examples/*.txt examples/formats/*.* examples/formats/*/*.json
seed jsonl examples/formats/messages.jsonl examples/formats/openai.json examples/formats/anthropic.json
seed plain_text examples/*.txt examples/formats/plain.txt
seed builtin examples/very-short.txt examples/formats/plain.txt
seed chat_template examples/formats/chatml.txt
seed markdown examples/formats/markdown.md
seed chat_export examples/formats/whatsapp.txt examples/formats/slack.txt examples/formats/discord.txt
seed delimited examples/formats/*.csv examples/formats/*.tsv
seed sheet examples/sheets/*.csv
mkdir -p fuzz/corpus/{json_chats,traces,verdicts,verify,archive,parquet}
python3 - <<'PY'
import glob, io, json, pathlib, zipfile
corpus = pathlib.Path("fuzz/corpus")
for path in glob.glob("examples/formats/*.json") + glob.glob("examples/formats/*/*.json"):
    data = pathlib.Path(path).read_bytes()
    (corpus / "json_chats" / pathlib.Path(path).name).write_bytes(b"\0" + data)
    (corpus / "traces" / pathlib.Path(path).name).write_bytes(b"\0" + data)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("conversations.json", data)
    (corpus / "archive" / (pathlib.Path(path).name + ".zip")).write_bytes(archive.getvalue())
answers = {"judge": "person:x", "summary": "Kind.", "moments": [{"id": 1, "idx": 2, "quote": "I hear you", "why": "w"}],
           "positive": [{"id": 1, "why": "w"}], "negative": [{"id": 1, "why": "w", "better": "b"}],
           "metrics": {"Empathy": {"ev": [1], "why": "w"}},
           "verdicts": {"E1": {"pass": True, "basis": "observed", "turns": [2], "quote": "hard", "why": "w"}, "E2": "fail",
                        "B2": {"pass": False, "turns": [2]}, "ES2": "not_triggered", "C1": True, "T1": None}}
(corpus / "verdicts" / "answers.json").write_text(json.dumps(answers))
PY
if command -v cargo >/dev/null; then
  cargo build -q --release
  for name in missed-crisis excellent diagnosis; do
    ./target/release/carelock eval "examples/$name.txt" --verdicts "examples/sheets/$name.csv" --format json > "fuzz/corpus/verify/$name.json" || true
  done
fi
