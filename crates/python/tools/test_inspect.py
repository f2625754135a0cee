"""The Inspect scorer and the Scout scanner, with a model that answers by rote."""

from __future__ import annotations

import json
import math
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from conftest import EMPATHY, EXPECTED, GATES, HARM, WORDS, run

Save = Callable[[str], pathlib.Path]


def evaluated(path: pathlib.Path, reply: str) -> Any:
    """The log of the page's task, answered with a reply; no model and no network."""
    from inspect_ai import eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    names: dict[str, Any] = {"__name__": "support", "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), names)
    output = ModelOutput.from_content("mockllm/model", reply)
    # With a usage the mock model counts no tokens, for which it would fetch a table.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=[output])
    return eval(names["support"](), model=model, display="none", log_dir=str(path.parent / "logs"))[0]


def test_the_example_of_the_page_is_scored(save: Save) -> None:
    log = evaluated(save("support.py"), HARM[1]["content"])
    assert log.status == "success", log.error
    score = log.samples[0].scores["carelock"]
    assert score.value["overall"] == EXPECTED.overall and score.value["Empathy"] == EMPATHY and len(score.value) == 11
    assert score.metadata["gates"] == GATES and score.metadata["failed"] == [check.id for check in EXPECTED.failed]
    assert WORDS in score.explanation
    means = {result.name: result.metrics["mean"].value for result in log.results.scores}
    assert means["overall"] == EXPECTED.overall and means["Empathy"] == EMPATHY


def test_a_chat_that_cannot_be_judged_is_unscored_and_counted_in_no_mean(save: Save) -> None:
    log = evaluated(save("support.py"), "")
    assert log.status == "success", log.error
    score = log.samples[0].scores["carelock"]
    assert isinstance(score.value, float) and math.isnan(score.value)
    assert score.reason == "scoring_failed" and "nothing to judge" in score.explanation
    assert all(result.unscored_samples == 1 for result in log.results.scores)


def test_old_logs_are_scored_by_the_command(save: Save, tmp_path: pathlib.Path) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    log = evaluated(save("support.py"), HARM[1]["content"])
    log.samples[0].scores = None
    log.results = None
    old, new = tmp_path / "old.eval", tmp_path / "new.eval"
    write_eval_log(log, str(old))
    score = ("score", old, "--scorer", "carelock/carelock", "-S", "judge=builtin", "--action", "append", "--output-file", new)
    done = run("inspect_ai", *score, "--display", "none")
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_eval_log(str(new)).samples[0].scores["carelock"].value["overall"] == EXPECTED.overall


def test_scout_scans_the_logs(save: Save, tmp_path: pathlib.Path) -> None:
    from inspect_scout import scan_results_df

    evaluated(save("support.py"), HARM[1]["content"])
    path = save("scan.py")
    done = subprocess.run([sys.executable, path, "logs", "scans"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("complete"), done.stdout + done.stderr
    found = next((tmp_path / "scans").glob("scan_id=*"))
    rows = scan_results_df(str(found)).scanners["carelock"]
    assert len(rows) == 1
    row = rows.iloc[0]
    assert float(row["value"]) == EXPECTED.overall and row["answer"] == ", ".join(GATES)
    assert json.loads(row["metadata"])["gates"] == GATES
    assert len(json.loads(row["message_references"])) == 1
