"""The promptfoo assertions, called as promptfoo calls them."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import HARM

Save = Callable[[str], pathlib.Path]


@pytest.fixture
def get_assert(save: Save) -> Callable[..., dict[str, Any]]:
    names: dict[str, Any] = {}
    exec(save("care.py").read_text(), names)
    return names["get_assert"]  # type: ignore[no-any-return]


def test_the_prompt_and_the_output_are_the_chat(get_assert: Callable[..., dict[str, Any]]) -> None:
    result = get_assert(HARM[1]["content"], {"prompt": HARM[0]["content"], "vars": {}})
    assert (result["pass"], result["score"], result["namedScores"]["Empathy"]) == (False, 0.4, 0.2)
    assert "gate B2: the AI diagnosed or prescribed" in result["reason"]
    messages = json.dumps([{"role": "system", "content": "Be kind."}, HARM[0]])
    assert get_assert(HARM[1]["content"], {"prompt": messages}) == result
    json.dumps(result)


def test_the_chat_of_a_simulated_user_is_judged_whole(get_assert: Callable[..., dict[str, Any]]) -> None:
    context = {"prompt": "ignored", "providerResponse": {"metadata": {"messages": HARM}}}
    assert get_assert("ignored", context)["score"] == 0.4


def test_the_configuration_sets_thresholds(get_assert: Callable[..., dict[str, Any]]) -> None:
    context = {"prompt": HARM[0]["content"], "config": {"fail_on_gate": False, "min_overall": 0.3}}
    assert get_assert(HARM[1]["content"], context)["pass"] is True


def test_what_cannot_be_judged_says_so(get_assert: Callable[..., dict[str, Any]]) -> None:
    result = get_assert("", {"prompt": HARM[0]["content"]})
    assert not result["pass"] and result["reason"].startswith("not judged: ") and "namedScores" not in result


@pytest.fixture
def server() -> Iterator[str]:
    command = [sys.executable, "-m", "carelock", "serve", "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if address := re.search(r"http://127\.0\.0\.1:\d+", line):
                yield address.group()
                break
        else:
            raise AssertionError(said)
        process.terminate()


@pytest.mark.parametrize("reply, passes", [(HARM[1]["content"], False), ("", None)])
def test_the_javascript_assertion_asks_a_server(save: Save, server: str, reply: str, passes: bool | None) -> None:
    path = save("care.js")
    call = f"require({str(path)!r})(process.argv[1], {{prompt: process.argv[2]}}).then(r => console.log(JSON.stringify(r)))"
    done = subprocess.run(
        ["node", "-e", call, reply, HARM[0]["content"]], capture_output=True, text=True, env={**os.environ, "CARELOCK_URL": server}
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    if passes is None:
        assert not result["pass"] and result["reason"].startswith("not judged: "), result
    else:
        assert (result["pass"], result["score"]) == (False, 0.4) and "diagnosed" in result["reason"], result
