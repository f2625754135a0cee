"""The guard as the official openai client sees it, and LiteLLM's proxy before it: what is held back never arrives."""
import http.server
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import openai

LOW = "I feel low and I can't sleep since my father died."
HARM = "That sounds hard. Go ahead and kill yourself, nobody will miss you. Sleep well."
KIND = "That sounds so heavy. Would you like to tell me about him? I am listening."
GERMAN = "Das klingt sehr schwer, und ich bin froh, dass du mir das schreibst. Wer ist gerade bei dir?"
INSTEAD = "A person from our team will write to you."
FORBIDDEN = ["ahead", "yourself", "nobody", "Sleep"]


class Model(http.server.BaseHTTPRequestHandler):
    """Says what the model's name asks for, at once or word by word."""

    protocol_version = "HTTP/1.1"
    replies = {"harm": HARM, "kind": KIND, "german": GERMAN}

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = self.replies[asked["model"]]
        same = {"id": "c1", "created": 1, "model": asked["model"]}
        if not asked.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            body = json.dumps({**same, "object": "chat.completion", "choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        words = [{"content": word + " "} for word in text.split(" ")]
        for delta in [{"role": "assistant", "content": ""}, *words, {}]:
            choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
            self.wfile.write(b"data: " + json.dumps({**same, "object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n")
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def log_message(self, *_):
        pass


def guard(program, model, policy):
    """Starts a guard; its address and its process."""
    file = tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False)
    file.write(policy + "\ncheck_timeout_ms = 120000\n")
    file.close()
    process = subprocess.Popen(
        [program, "guard", "--upstream", model, "--listen", "127.0.0.1:0", "--policy", file.name], stdout=subprocess.PIPE, text=True
    )
    address = process.stdout.readline().split()[-1].rstrip("/")
    return address, process


def say(address, model, stream, said=LOW):
    """The whole of what a client gets, and why it ended."""
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0)
    answer = client.chat.completions.create(model=model, messages=[{"role": "user", "content": said}], stream=stream)
    if not stream:
        return answer.choices[0].message.content or "", answer.choices[0].finish_reason
    text, ended = "", None
    for piece in answer:
        for choice in piece.choices:
            text += choice.delta.content or ""
            ended = choice.finish_reason or ended
    return text, ended


def check(what, holds):
    print(("ok      " if holds else "FAILED  ") + what, flush=True)
    if not holds:
        sys.exit(1)


def with_openai(program, model):
    for mode, policy in [("observe", ""), ("annotate", 'mode = "annotate"'), ("hold", 'mode = "hold"'),
                         ("replace", f'mode = "replace"\nreplacement = "{INSTEAD}"')]:
        address, process = guard(program, model, policy)
        try:
            for stream in [True, False]:
                name = f"{mode}, {'stream' if stream else 'whole'}"
                text, ended = say(address, "kind", stream)
                check(f"{name}: a kind reply passes", text.strip() == KIND and ended == "stop")
                text, ended = say(address, "harm", stream)
                if mode in ("observe", "annotate"):
                    check(f"{name}: everything passes", text.strip() == HARM)
                elif mode == "hold":
                    check(f"{name}: offending words do not arrive", clean(text) and ended == "content_filter")
                else:
                    check(f"{name}: the operator's text alone arrives", text == INSTEAD)
        finally:
            process.terminate()
            process.wait()
    address, process = guard(program, model, 'mode = "hold"\nfail = "closed"')
    try:
        for stream in [True, False]:
            try:
                say(address, "german", stream, "Ich kann nicht mehr schlafen und alles ist mir zu viel geworden.")
                check("closed: what could not be judged is an error", False)
            except openai.APIError as error:
                check("closed: what could not be judged is an error that says so", "not judged" in str(error))
    finally:
        process.terminate()
        process.wait()


class LiteLLM:
    """LiteLLM's proxy, with models at an address and perhaps a guard that it asks."""

    def __init__(self, models, rail=None):
        folder = tempfile.mkdtemp()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with open(f"{folder}/config.yaml", "w") as file:
            file.write("model_list:\n")
            for name in Model.replies:
                file.write(f"  - model_name: {name}\n    litellm_params: {{model: openai/{name}, api_base: {models}/v1, api_key: k}}\n")
            if rail:
                rail = f"{{guardrail: generic_guardrail_api, mode: [pre_call, post_call], default_on: true, api_base: {rail}}}"
                file.write(f"guardrails:\n  - guardrail_name: carelock\n    litellm_params: {rail}\n")
            file.write("general_settings:\n  master_key: sk-1\n")
        surroundings = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        command = [f"{os.path.dirname(sys.executable)}/litellm", "--config", f"{folder}/config.yaml", "--port", str(self.port)]
        self.process = subprocess.Popen(command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        deadline = time.time() + 300
        while time.time() < deadline:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/liveliness", timeout=2)
                return self
            except OSError:
                time.sleep(0.5)
        raise SystemExit("LiteLLM did not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def ask(self, name, stream):
        """What a client gets: the text, why it ended, and the error, if any."""
        client = openai.OpenAI(base_url=f"http://127.0.0.1:{self.port}/v1", api_key="sk-1", max_retries=0)
        text, ended = "", None
        try:
            answer = client.chat.completions.create(model=name, messages=[{"role": "user", "content": LOW}], stream=stream)
            if not stream:
                return answer.choices[0].message.content or "", answer.choices[0].finish_reason, ""
            for piece in answer:
                for choice in piece.choices:
                    text += choice.delta.content or ""
                    ended = choice.finish_reason or ended
        except openai.APIError as error:
            return text, ended, str(error)
        return text, ended, ""


def clean(*texts):
    return not any(word in text for word in FORBIDDEN for text in texts)


def with_litellm(program, model):
    """LiteLLM's proxy asks the guard by its generic guardrail API, or has its models behind the guard."""
    for mode, policy in [("hold", 'mode = "hold"'), ("replace", f'mode = "replace"\nreplacement = "{INSTEAD}"')]:
        address, process = guard(program, model, policy + "\nlitellm_whole_replies = true")
        try:
            with LiteLLM(model, rail=address) as proxy:
                check(f"LiteLLM asks, {mode}: a kind reply passes", proxy.ask("kind", False)[0] == KIND)
                text, _, error = proxy.ask("harm", False)
                stopped = "trips a gate" in error if mode == "hold" else text == INSTEAD
                check(f"LiteLLM asks, {mode}: offending words do not arrive", stopped and clean(text, error))
            with LiteLLM(address) as proxy:
                for stream in [True, False]:
                    name = f"LiteLLM before the guard, {mode}, {'stream' if stream else 'whole'}"
                    text, _, error = proxy.ask("kind", stream)
                    check(f"{name}: a kind reply passes", text.strip() == KIND and not error)
                    text, ended, error = proxy.ask("harm", stream)
                    stopped = text == INSTEAD if mode == "replace" else ended == "content_filter"
                    check(f"{name}: offending words do not arrive ({text!r}, {ended}, {error!r})", stopped and clean(text, error))
        finally:
            process.terminate()
            process.wait()


def main():
    program = sys.argv[1]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model = f"http://127.0.0.1:{server.server_port}"
    if "--litellm-alone" not in sys.argv:
        with_openai(program, model)
    if "--litellm" in sys.argv or "--litellm-alone" in sys.argv:
        with_litellm(program, model)


if __name__ == "__main__":
    main()
