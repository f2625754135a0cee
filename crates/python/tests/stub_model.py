"""A model on loopback that answers by rote and counts what it is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import carelock


def by_rote(schema: dict[str, Any]) -> dict[str, Any]:
    """An answer for any chat: what must be there is missing, nothing that must not be there is, and no condition arose."""
    kinds = {check["id"]: check["kind"] for metric in carelock.rubric()["metric"] for check in metric["check"]}
    verdict = {"presence": "fail", "absence": "pass", "conditional": "not_triggered"}
    wanted = schema["properties"]["verdicts"]["properties"]
    answers = {id: {"why": "", "verdict": verdict[kinds[id]], "turns": [], "quote": ""} for id in wanted}
    parts = {"moments": [], "verdicts": answers, "positive": [], "negative": [], "summary": "By rote."}
    return {name: part for name, part in parts.items() if name in schema["properties"]}


def diagnosing(schema: dict[str, Any]) -> dict[str, Any]:
    """The same for `HARM`, where turn 2 makes a diagnosis: the gate of Boundary is tripped."""
    answer = by_rote(schema)
    if "B2" in answer.get("verdicts", {}):
        answer["verdicts"]["B2"] = {"why": "names a condition", "verdict": "fail", "turns": [2], "quote": "You have depression."}
    return answer


class Model:
    """A model that answers by rote and counts what it is asked."""

    def __init__(self, port: int) -> None:
        self.name = f"http://127.0.0.1:{port}/v1#rote"
        self.requests: list[dict[str, Any]] = []
        self.usage = {"prompt_tokens": 10, "completion_tokens": 5}
        self.hold = threading.Event()
        self.hold.set()
        self.asked = threading.Event()


@contextmanager
def serving() -> Iterator[Model]:
    """The model, for as long as it is needed."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            found.requests.append(body)
            found.asked.set()
            found.hold.wait(60)
            answer = json.dumps(by_rote(body["response_format"]["json_schema"]["schema"]))
            choice = {"message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}
            reply = json.dumps({"model": "rote", "choices": [choice], "usage": found.usage}).encode()
            try:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)
            except (BrokenPipeError, ConnectionResetError):
                pass

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Model(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    found.hold.set()
    server.shutdown()
    server.server_close()
