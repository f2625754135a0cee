"""The promptfoo assertions, called as promptfoo calls them."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import EMPATHY, EXPECTED, HARM, PAGE, WORDS

Save = Callable[[str], pathlib.Path]


@pytest.fixture
def get_assert(save: Save) -> Callable[..., dict[str, Any]]:
    names: dict[str, Any] = {}
    exec(save("care.py").read_text(), names)
    return names["get_assert"]  # type: ignore[no-any-return]


def test_the_prompt_and_the_output_are_the_chat(get_assert: Callable[..., dict[str, Any]]) -> None:
    result = get_assert(HARM[1]["content"], {"prompt": HARM[0]["content"], "vars": {}})
    assert (result["pass"], result["score"], result["namedScores"]["Empathy"]) == (False, EXPECTED.overall, EMPATHY)
    assert WORDS in result["reason"]
    messages = json.dumps([{"role": "system", "content": "Be kind."}, HARM[0]])
    assert get_assert(HARM[1]["content"], {"prompt": messages}) == result
    json.dumps(result)


def test_the_chat_of_a_simulated_user_is_judged_whole(get_assert: Callable[..., dict[str, Any]]) -> None:
    context = {"prompt": "ignored", "providerResponse": {"metadata": {"messages": HARM}}}
    assert get_assert("ignored", context)["score"] == EXPECTED.overall


def test_the_configuration_sets_thresholds(get_assert: Callable[..., dict[str, Any]]) -> None:
    context = {"prompt": HARM[0]["content"], "config": {"fail_on_gate": False, "min_overall": EXPECTED.overall}}
    assert get_assert(HARM[1]["content"], context)["pass"] is True


def test_what_cannot_be_judged_says_so(get_assert: Callable[..., dict[str, Any]]) -> None:
    result = get_assert("", {"prompt": HARM[0]["content"]})
    assert not result["pass"] and result["reason"].startswith("not judged: ") and "namedScores" not in result


@pytest.fixture
def server(tmp_path: pathlib.Path) -> Iterator[str]:
    command = [sys.executable, "-m", "carelock", "serve", "--port", "0", "--db", str(tmp_path / "runs.db")]
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


@pytest.mark.parametrize("reply", [HARM[1]["content"], ""])
def test_the_webhook_of_the_page_answers_as_promptfoo_expects(server: str, reply: str) -> None:
    (url,) = re.findall(r"value: http://127\.0\.0\.1:8420(/api/v1/promptfoo\S*)", PAGE)
    body = json.dumps({"output": reply, "context": {"prompt": HARM[0]["content"], "vars": {}}}).encode()
    request = urllib.request.Request(server + url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        result = json.load(answer)
    if reply:
        assert (result["pass"], result["score"]) == (False, EXPECTED.overall) and WORDS in result["reason"], result
    else:
        assert not result["pass"] and result["reason"].startswith("not judged: "), result
