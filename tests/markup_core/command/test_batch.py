"""The stream of ``markup-core batch``: whatever a line holds, it gets one answer and the next line is read."""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from markup_core.command import batch, operations
from markup_core.command.cli import main
from markup_core.command.inputs import UnreadableError
from markup_core.reading.classifier import Classifier

MARKUP = {"meta": {"subject": "rus"}, "selections": [], "text": "Слово."}
PING = b'{"id": "ping", "op": "validate", "markup": {"meta": {"subject": "rus"}, "selections": [], "text": ""}}'

BAD_LINES = [
    (b"", None, "invalid_json"),
    (b"   ", None, "invalid_json"),
    (b"{", None, "invalid_json"),
    (b'{"id": 1', None, "invalid_json"),
    (b'{"id": 1} {"id": 2}', None, "invalid_json"),
    (b"\xff\xfe{\x00}\x00", None, "invalid_json"),
    (b'{"id": 1, "op": "\xff"}', None, "invalid_json"),
    (b'\xef\xbb\xbf{"id": 1}', None, "invalid_json"),
    (b'{"id": NaN}', None, "invalid_json"),
    (b'{"id": 1, "x": Infinity}', None, "invalid_json"),
    (b'{"id": 1, "x": 1e400}', 1, "invalid_json"),
    (b'{"id": 1, "x": ' + b"9" * 5000 + b"}", 1, "invalid_json"),
    (b'{"id": 1, "x": 2, "x": 3}', 1, "invalid_json"),
    (b'{"id": 1, "x": ' + b"[" * 100 + b"]" * 100 + b"}", 1, "invalid_json"),
    (b'{"id": 1, "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", None, "invalid_json"),
    (b"[]", None, "invalid_request"),
    (b"null", None, "invalid_request"),
    (b'"grade"', None, "invalid_request"),
    (b"{}", None, "invalid_request"),
    (b'{"id": 1}', 1, "invalid_request"),
    (b'{"id": 1, "op": null}', 1, "invalid_request"),
    (b'{"id": 1, "op": ["grade"]}', 1, "invalid_request"),
    (b'{"id": 1, "op": "Grade"}', 1, "unknown_op"),
    (b'{"id": 1, "op": "__class__"}', 1, "unknown_op"),
]


def stream(data: bytes) -> list[dict[str, Any]]:
    answers = io.BytesIO()
    batch.serve(io.BytesIO(data), answers)
    return [json.loads(line) for line in answers.getvalue().decode("utf-8").splitlines()]


def reply(op: str, **fields: Any) -> dict[str, Any]:
    (found,) = stream(json.dumps({"id": 1, "op": op, **fields}).encode())
    assert found["id"] == 1
    return found


def refusal(op: str, **fields: Any) -> dict[str, Any]:
    found = reply(op, **fields)
    assert found.keys() == {"id", "ok", "error"}
    assert found["error"].keys() == {"code", "message", "details"}
    error: dict[str, Any] = found["error"]
    return error


def test_a_stream_holds_no_more_after_more_lines() -> None:
    def pairs(first: int, behind: int) -> io.BytesIO:
        fields = {"type": "Г.упр", "comment": "here", "explanation": "", "correction": "", "tag": "", "group": "error"}
        requests = []
        for number in range(first, behind):
            selections = [
                {**fields, "subtype": "", "startSelection": 5 * n, "endSelection": 5 * n + 4} for n in range(4)
            ]
            markup = {**MARKUP, "text": f"Текст {number}: слова, которых нет в других.", "selections": selections}
            requests.append(json.dumps({"id": number, "op": "pair", "x": markup, "y": markup}))
        return io.BytesIO("\n".join(requests).encode())

    held = []
    with Path(os.devnull).open("wb") as nowhere:
        batch.serve(pairs(0, 70), nowhere)  # what is remembered of texts is remembered then
        tracemalloc.start()
        try:
            for first in (100, 140, 180, 220):
                batch.serve(pairs(first, first + 40), nowhere)
                gc.collect()  # what refers to itself waits for that
                held.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
    # Of short texts, of which 2 048 are remembered, a line brings a few; a request has 1 900 bytes, and more when read.
    assert min(held[2] - held[1], held[3] - held[2]) < 40 * 100  # a cache's table may grow once, with no line


@pytest.mark.clause("MS §8.1 batch")
@pytest.mark.parametrize(("line", "ident", "code"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_bad_line_is_answered_and_the_stream_goes_on(line: bytes, ident: Any, code: str) -> None:
    first, second = stream(line + b"\n" + PING)
    assert first["id"] == ident
    assert not first["ok"]
    assert first["error"]["code"] == code
    assert "Traceback" not in first["error"]["message"]
    assert second["id"] == "ping"
    assert second["ok"]


def test_broken_json_is_told_with_its_place() -> None:
    (found,) = stream(b'{"id": 1,}\n')
    assert found["error"]["details"] == {"problem": "broken_json", "line": 1, "column": 10}


def test_no_line_no_answer() -> None:
    assert stream(b"") == []


def test_carriage_returns_before_the_line_end_belong_to_no_request() -> None:
    assert [found["ok"] for found in stream(PING + b"\r\n" + PING)] == [True, True]


@pytest.mark.parametrize("ident", [None, 0, -1.5, "ж", "", True, [], {"a": [None, {}]}, 10**30, "\ud800"])
def test_the_id_comes_back_whatever_it_is(ident: Any) -> None:
    (good,) = stream(json.dumps({**json.loads(PING), "id": ident}).encode())
    (bad,) = stream(json.dumps({"id": ident}).encode())
    assert good["id"] == bad["id"] == ident
    assert (good["ok"], bad["ok"]) == (True, False)


def test_half_a_surrogate_pair_leaves_as_an_escape() -> None:
    answers = io.BytesIO()
    batch.serve(io.BytesIO(b'{"id": "\\ud83d!", "op": "parse", "text": "\\n\\udc00"}'), answers)
    line = answers.getvalue()
    assert b"\\ud83d!" in line
    assert json.loads(line.decode("utf-8"))["result"]["markup"]["text"] == "\udc00"


def test_a_line_may_be_as_long_as_the_limit_and_not_a_byte_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MAX_LINE_BYTES", len(PING))
    for end in (b"\n", b"\r\n", b""):
        (fits,) = stream(PING + end)
        assert fits["ok"]
        (longer,) = stream(PING + b" " + end)
        assert longer["error"]["details"]["problem"] == "too_big"
    found = stream(b"x" * (len(PING) + 1) + b"\r\r\r\n" + PING + b"\n" + b"y" * 5000 + b"\n" + PING)
    assert [each["id"] for each in found] == [None, "ping", None, "ping"]
    assert "5000 bytes" in found[2]["error"]["message"]


MISSING = [
    ("validate", {}, "markup"),
    ("parse", {}, "text"),
    ("render", {}, "markup"),
    ("grade", {}, "markup"),
    ("match", {"x": MARKUP}, "y"),
    ("pair", {"y": MARKUP}, "x"),
    ("essay", {"algorithm": None}, "experts"),
    ("essay", {"experts": []}, "algorithm"),
    ("sample", {}, "essays"),
    ("sample", {"essays": [{"algorithm": None}]}, "essays[0].experts"),
    ("third_expert", {"first": MARKUP}, "second"),
    ("nominations", {"algorithm": MARKUP}, "experts"),
]


WRONG = [
    ("parse", {"text": 5}, "invalid_request", {"field": "text"}),
    ("pair", {"x": MARKUP, "y": MARKUP, "x_is_expert": 1}, "invalid_request", {"field": "x_is_expert"}),
    ("pair", {"x": MARKUP, "y": MARKUP, "ratings": []}, "invalid_ratings", {"field": "ratings"}),
    ("pair", {"x": MARKUP, "y": MARKUP, "ratings": {"1": [[1]]}}, "invalid_ratings", {"field": "ratings"}),
    ("essay", {"algorithm": None, "experts": {}}, "invalid_request", {"field": "experts"}),
    ("sample", {"essays": [[]]}, "invalid_request", {"field": "essays[0]"}),
    ("sample", {"essays": [], "seed": 1.5}, "invalid_request", {"field": "seed"}),
    ("sample", {"essays": [], "seed": True}, "invalid_request", {"field": "seed"}),
    *((op, fields, "invalid_request", {"field": missing}) for op, fields, missing in MISSING),
]


@pytest.mark.parametrize(("op", "fields", "code", "details"), WRONG)
def test_a_field_missing_or_of_another_kind_is_named(op: str, fields: dict[str, Any], code: str, details: Any) -> None:
    error = refusal(op, **fields)
    assert (error["code"], error["details"]) == (code, details)


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ([], "params"),
        ({"weights": [1, 2, 1, 1, 1, 1, -1]}, "weights[6]"),
    ],
)
def test_bad_parameters_are_named(params: Any, field: str) -> None:
    error = refusal("match", x=MARKUP, y=MARKUP, params=params)
    assert error["code"] == "invalid_params"
    assert [fault["field"] for fault in error["details"]] == [field]


@pytest.mark.clause("MS §1 invalid")
def test_every_error_of_every_invalid_markup_is_told_with_its_input() -> None:
    broken = {**MARKUP, "selections": [{"id": 9, "startSelection": 0, "endSelection": 99, "type": "Г.упр"}]}
    error = refusal("sample", essays=[{"algorithm": None, "experts": [None, broken]}, {"algorithm": 5, "experts": []}])
    assert error["code"] == "invalid_markup"
    assert [(fault["input"], fault["code"], fault["fragment"]) for fault in error["details"]] == [
        ("essays[0].experts[0]", "not_an_object", None),
        ("essays[0].experts[1]", "span_outside_text", 9),
        ("essays[1].algorithm", "not_an_object", None),
    ]
    assert error["details"][0].keys() == {"input", "code", "message", "fragment", "field"}


@pytest.mark.parametrize(
    ("op", "first", "second"),
    [("match", "x", "y"), ("pair", "x", "y"), ("third_expert", "first", "second")],
)
def test_markups_of_two_essays_are_not_measured(op: str, first: str, second: str) -> None:
    error = refusal(op, **{first: MARKUP, second: {**MARKUP, "text": "Слово?"}})
    assert (error["code"], error["details"]) == ("text_differs", {"inputs": [first, second], "position": 5})
    error = refusal(op, **{first: MARKUP, second: {**MARKUP, "meta": {"subject": "lit"}}})
    assert (error["code"], error["details"]) == ("subject_differs", {"inputs": [first, second]})


def test_every_expert_must_have_marked_the_same_text() -> None:
    error = refusal("essay", algorithm=None, experts=[MARKUP, MARKUP, {**MARKUP, "text": "Слово"}])
    assert error["code"] == "text_differs"
    assert error["details"]["inputs"] == ["experts[0]", "experts[2]"]


def test_a_notation_error_has_line_and_column() -> None:
    error = refusal("parse", text="Тема: а\n\nраз (\\ Г.упр \\ два")
    assert error["code"] == "notation_error"
    assert error["details"].keys() == {"line", "column"}
    assert error["details"]["line"] == 3


def test_a_subject_without_a_formula_has_no_grade() -> None:
    other = Classifier.from_dict({"subjects": {"uk": [{"code": "G", "group": "error"}]}})
    line = json.dumps({"id": 1, "op": "grade", "markup": {**MARKUP, "meta": {"subject": "uk"}}}).encode()
    reply = batch.reply_to(line, other)
    assert reply["error"]["code"] == "no_grading_formula"
    # M1 is undefined there: null, off by itself, and what weighs it all the same is undefined too.
    uk = {**MARKUP, "meta": {"subject": "uk"}}
    line = json.dumps({"id": 1, "op": "pair", "x": uk, "y": uk}).encode()
    result = batch.reply_to(line, other)["result"]
    assert (result["metrics"]["M1"], result["pair_accuracy"]) == (None, 100.0)
    line = json.dumps({"id": 1, "op": "pair", "x": uk, "y": uk, "params": {"weights": [1] * 7}}).encode()
    assert batch.reply_to(line, other)["result"]["pair_accuracy"] is None


def test_fields_nobody_knows_and_optional_nulls_change_nothing() -> None:
    plain = reply("pair", x=MARKUP, y=MARKUP)
    assert plain["ok"]
    assert reply("pair", x=MARKUP, y=MARKUP, colour="red") == plain
    assert reply("pair", x=MARKUP, y=MARKUP, params=None, ratings=None, x_is_expert=None) == plain
    assert reply("pair", x=MARKUP, y=MARKUP, params={}) == plain


def test_essays_without_experts_have_undefined_accuracies_not_zeros() -> None:
    for found in (
        reply("essay", algorithm=MARKUP, experts=[])["result"],
        reply("essay", algorithm=None, experts=[])["result"],
        reply("sample", essays=[])["result"],
    ):
        assert found["algorithm_accuracy"] is found["expert_accuracy"] is found["relative_accuracy"] is None


def test_a_fault_of_the_library_is_an_answer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise KeyError("secret")

    monkeypatch.setattr(batch, "answer", fails)
    (found,) = stream(PING)
    assert found["id"] == "ping"
    assert found["error"]["code"] == "internal_error"
    assert found["error"]["details"] == {"kind": "KeyError"}


def test_equal_requests_have_equal_bytes_and_the_fingerprint_tells_inputs_apart() -> None:
    one, two = (
        json.dumps({"op": "match", "x": MARKUP, "y": MARKUP}),
        json.dumps({"y": MARKUP, "x": MARKUP, "op": "match"}),
    )
    assert operations.encode(batch.reply_to(one.encode())) == operations.encode(batch.reply_to(two.encode()))
    other = reply("match", x=MARKUP, y={**MARKUP, "meta": {"subject": "rus", "expert": "2"}})
    inputs = reply("match", x=MARKUP, y=MARKUP)["fingerprint"]["inputs"]
    assert inputs[0] == inputs[1] == other["fingerprint"]["inputs"][0]
    assert other["fingerprint"]["inputs"][1] != inputs[1]


def test_the_fingerprint_of_a_pair_covers_everything_it_depends_on() -> None:
    def inputs(**fields: Any) -> Any:
        return reply("pair", x=MARKUP, y=MARKUP, **fields)["fingerprint"]["inputs"]

    assert inputs() != inputs(x_is_expert=True)
    assert inputs() != inputs(ratings={"1": [[1, 1, 1, 1, 1]]})


@pytest.fixture
def process() -> Any:
    command = [sys.executable, "-m", "markup_core", "batch"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as started:
        yield started


@pytest.mark.clause("MS §8.1 batch")
def test_each_answer_leaves_before_the_next_request_comes(process: subprocess.Popen[bytes]) -> None:
    ask: Callable[[bytes], int | None] = process.stdin.write  # type: ignore[union-attr]  # it is a pipe
    for line in (PING, b"", PING):
        ask(line + b"\n")
        assert process.stdout.readline().endswith(b"\n")  # type: ignore[union-attr]
    assert process.communicate() == (b"", b"")
    assert process.returncode == 0


def test_a_reader_that_goes_away_ends_the_stream_without_a_word(process: subprocess.Popen[bytes]) -> None:
    process.stdout.close()  # type: ignore[union-attr]
    process.stdin.write(PING + b"\n")  # type: ignore[union-attr]
    assert process.wait() == 141
    assert process.stderr.read() == b""  # type: ignore[union-attr]


LONG_LINE = b'{"id": "long", "op": "' + b"x" * 3_000_000 + b'"}'


@pytest.mark.clause("MS §8.1 batch")
def test_several_processes_answer_with_the_same_bytes_in_the_same_order() -> None:
    data = b"\n".join([*(line for line, _, _ in BAD_LINES), LONG_LINE, *[PING] * 20])
    alone, together = io.BytesIO(), io.BytesIO()
    batch.serve(io.BytesIO(data), alone)
    batch.serve_by_processes(io.BytesIO(data), together, [], 2)
    assert together.getvalue() == alone.getvalue()


def test_a_process_that_ends_before_its_input_is_an_error() -> None:
    answers = io.BytesIO()
    with pytest.raises(UnreadableError, match=r"ended with code 2; 0 lines are answered"):
        batch.serve_by_processes(io.BytesIO(PING), answers, ["--classifier", "no such file"], 2)
    assert answers.getvalue() == b""


@pytest.mark.parametrize("number", ["0", "65", "-1", "1.5", "two", "", "²", "9" * 5000])
def test_the_number_of_processes_has_bounds(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "--jobs", number]) == 2
    assert f"a whole number from 1 to 64 is expected, not {number}" in capsys.readouterr().err
