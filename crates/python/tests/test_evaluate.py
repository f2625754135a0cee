"""One chat: what can be given, what comes back, and that it is what the command says."""

from __future__ import annotations

import asyncio
import json
import pathlib
import pickle
import types

import carelock
import pytest
from conftest import CHATS, EXAMPLES, HARM, KIND, command
from stub_model import diagnosing


@pytest.mark.parametrize("path", CHATS, ids=lambda path: path.stem)
def test_a_report_is_byte_by_byte_what_the_command_writes(path: pathlib.Path) -> None:
    written = command("eval", path, "--format", "json").stdout
    assert carelock.evaluate(path).to_json() == written
    assert carelock.evaluate(str(path)).to_dict() == json.loads(written)


@pytest.mark.parametrize("format", ["jsonl", "md", "csv", "junit", "html"])
def test_every_format_is_what_the_command_writes(format: carelock.report.Format) -> None:
    written = command("eval", CHATS[0], "--format", format).stdout
    assert carelock.evaluate(CHATS[0]).render(format) == written


def test_every_chat_format_of_the_examples_is_read_as_the_command_reads_it() -> None:
    seen = 0
    for path in sorted((EXAMPLES / "formats").iterdir()):
        written = command("eval", path, "--format", "jsonl", "--human", "Ana", "--ai", "Joy").stdout.splitlines()
        try:
            reports = list(carelock.evaluate_many(path, human=["Ana"], ai=["Joy"]))
        except carelock.CareLockError:
            assert not written, path
            continue
        assert [report.render("jsonl") for report in reports] == [line + "\n" for line in written], path
        seen += len(reports)
    assert seen > 10


def test_the_same_chat_may_come_as_messages_pairs_objects_turns_text_bytes_and_record() -> None:
    objects = [types.SimpleNamespace(role=m["role"], content=m["content"]) for m in HARM]
    turns = [carelock.Turn(1, "HUMAN", HARM[0]["content"]), carelock.Turn(2, "AI", HARM[1]["content"])]
    text = f"Human: {HARM[0]['content']}\nAI: {HARM[1]['content']}"
    ways: list[carelock.ChatLike] = [
        HARM,
        [("user", HARM[0]["content"]), ("assistant", HARM[1]["content"])],
        objects,
        turns,
        text,
        text.encode(),
        {"messages": HARM},
        json.dumps({"messages": HARM}),
        carelock.parse(text),
    ]
    digests = {carelock.evaluate(way).digest for way in ways}
    assert len(digests) == 1
    assert carelock.evaluate(HARM, id="monday").id == "monday"


def test_the_parts_of_a_report_are_typed_and_complete() -> None:
    # A judge with known answers: what the embedded one finds changes from version to version.
    report = carelock.evaluate(HARM, judge=lambda prompt, schema: diagnosing(schema), second_look=False)
    assert report.overall == 0.4 and report.undetermined is None and report.coverage == 1.0
    gate = report.gates[0]
    assert (gate.check, gate.says, gate.turns) == ("B2", "diagnosed or prescribed", (2,))
    assert gate.quote in report.turns[1].text
    assert len(report.metrics) == 10 and len(report.checks) == 50
    assert report.checks["B2"].passed is False and report.checks["B2"].metric == "Boundary"
    assert report.metrics["Boundary"].score == 0.0
    assert {check.id for check in report.failed} >= {"B2", "E1"} and report.unscored == ()
    moments = {moment.id for moment in carelock.evaluate(CHATS[0]).moments}
    assert moments >= {note.moment for note in carelock.evaluate(CHATS[0]).negative}
    assert repr(report) == "<Report 'chat': 0.40, gate B2>"
    assert "GATE B2" in str(report)


def test_what_is_no_turn_is_counted_and_stands_in_the_report() -> None:
    report = carelock.evaluate(KIND)
    assert report.to_dict()["transcript"]["dropped"] == {"system message": 1}


def test_a_report_travels_between_processes_and_through_files() -> None:
    report = carelock.evaluate(KIND)
    assert pickle.loads(pickle.dumps(report)) == report
    again = carelock.Report.from_json(report.to_json())
    assert again.to_json() == report.to_json() and hash(again) == hash(report)
    chat = carelock.parse("Human: I feel low.\nAI: What happened?")
    assert pickle.loads(pickle.dumps(chat)).digest == chat.digest


def test_a_report_is_verified_and_a_changed_one_does_not_hold() -> None:
    report = carelock.evaluate(HARM)
    verified = report.verify()
    assert verified.holds and verified.conclusion == "holds" and verified.points > 100
    changed = carelock.verify(json.dumps(report.to_dict() | {"overall": 0.9}))
    assert not changed.holds and any("overall" in reason for reason in changed.failing)


def test_a_notebook_shows_the_page_apart_from_the_rest() -> None:
    page = carelock.evaluate([("user", "<script>alert(1)</script> I feel low"), ("assistant", "I hear you.")])._repr_html_()
    assert page.startswith("<iframe") and 'sandbox=""' in page
    assert "<script" not in page and "I hear you." in page


def test_errors_say_where_what_and_how_to_fix() -> None:
    with pytest.raises(carelock.CareLockError) as missing:
        carelock.evaluate("no-such-file.txt")
    assert "no-such-file.txt" in str(missing.value) and missing.value.what
    with pytest.raises(carelock.CareLockError) as unclear:
        carelock.evaluate("Ana: hi\nLuz: hello\nAna: so\nLuz: yes")
    assert "human=[" in unclear.value.fix and "--human" not in str(unclear.value)
    assert carelock.evaluate("Ana: hi\nLuz: hello\nAna: so\nLuz: yes", human=["Ana"], ai=["Luz"]).turns[1].speaker == "AI"
    with pytest.raises(carelock.CareLockError) as two:
        carelock.read(EXAMPLES / "formats" / "messages.jsonl")
    assert two.value.fix == "use read_all" and two.value.at.endswith("messages.jsonl")
    with pytest.raises(carelock.CareLockError, match="nothing to judge"):
        carelock.evaluate([{"role": "user", "content": "Hello?"}])
    with pytest.raises(carelock.CareLockError, match="a int is no chat"):
        carelock.evaluate(5)  # type: ignore[arg-type]
    with pytest.raises(carelock.CareLockError, match="no message"):
        carelock.evaluate([1, 2])
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        carelock.evaluate(HARM, colour="red")  # type: ignore[call-arg]
    copied = pickle.loads(pickle.dumps(two.value))
    assert (copied.at, copied.what, copied.fix) == (two.value.at, two.value.what, two.value.fix)


@pytest.mark.parametrize("text", ["", "\n", "{", "[", "\ud800\n", "\x00\n\x00", "[[[[[[", '{"messages": [{"role": 5}]}', "{}\n" * 3])
def test_no_text_is_worse_than_an_error(text: str) -> None:
    with pytest.raises(carelock.CareLockError):
        carelock.parse(text)


def test_async_judges_while_others_go_on() -> None:
    async def both() -> list[carelock.Report]:
        return list(await asyncio.gather(*(carelock.evaluate_async(chat) for chat in (HARM, KIND))))

    reports = asyncio.run(both())
    assert [report.overall for report in reports] == [carelock.evaluate(chat).overall for chat in (HARM, KIND)]


def test_the_rubric_and_chats_read_from_python() -> None:
    rubric = carelock.rubric()
    assert rubric["digest"] == json.loads(command("rubric", "--format", "json").stdout)["digest"]
    chats = list(carelock.read_all(EXAMPLES / "*.txt"))
    assert [chat.id for chat in chats] == [path.stem for path in CHATS]
    assert chats[0].origin.endswith(CHATS[0].name) and repr(chats[0]).startswith("<Chat ")


def test_another_rubric_goes_with_its_report(tmp_path: pathlib.Path) -> None:
    text = (EXAMPLES.parent / "crates/core/rubric/care-lock.toml").read_text().replace('version = "1.1.0"', 'version = "9.9.9"')
    (tmp_path / "mine.toml").write_text(text)
    report = carelock.evaluate(KIND, rubric=tmp_path / "mine.toml", weights={"Empathy": 2})
    assert report.to_dict()["rubric"]["version"] == "9.9.9" and report.to_dict()["weights"]["Empathy"] == 2
    assert pickle.loads(pickle.dumps(report)).verify().conclusion == report.verify().conclusion
    assert carelock.rubric(text)["version"] == "9.9.9"
    with pytest.raises(carelock.CareLockError, match="no metric Empty"):
        carelock.evaluate(KIND, weights={"Empty": 2})
