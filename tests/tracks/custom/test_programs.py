"""A measure's program, good and bad: whatever it does ends as a result or as a failure with a name."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from tests.tracks.samples import ENTITIES, PROGRAM
from tracks.custom import declaration
from tracks.custom.running import (
    MOST_BYTES,
    ChildRunner,
    Failure,
    InFunction,
    handler,
    judged_counts,
    judged_value,
    read_program,
    request_of,
    results_of,
)
from tracks.custom.track import CustomTrack

HEAD = "SAMPLES = [{'answer': None, 'references': []}]\ndef aggregate(counts): return 1.0\n"
LIMITS = {"seconds": 1, "memory": 96 * 1024 * 1024}
RUNNER = ChildRunner()


def scored(body: str, *answers: Any, limits: Mapping[str, int] = LIMITS) -> list[Any]:
    """Return what a program whose ``score`` has this body makes of answers."""
    text = f"{HEAD}def score(answer, references):\n    {body}\n".encode()
    program, reasons = read_program("measure.py", text)
    assert program is not None, reasons
    calls = [{"op": "score", "answer": answer, "references": []} for answer in answers or (1,)]
    return results_of(RUNNER, request_of(program, limits, calls), judged_counts)


@pytest.mark.parametrize(
    ("body", "code", "account"),
    [
        ("return {'a': 1 / answer['x']}", "measure_raised", "TypeError: 'int' object is not subscriptable (line 4)"),
        ("raise SystemExit(3)", "measure_raised", "SystemExit: 3 (line 4)"),
        ("return {'a': float('nan')}", "measure_not_finite", ""),
        ("return {'a': 10.0 ** 308 * 10}", "measure_not_finite", ""),
        ("return {'a': True}", "measure_shape", ""),
        ("return {}", "measure_shape", ""),
        ("return [1]", "measure_shape", ""),
        ("return {'A b': 1}", "measure_shape", ""),
        ("return {'a': {1}}", "measure_shape", ""),
        ("import random; return {'a': random.random()}", "measure_nondeterministic", ""),
        ("return {'a': len(next(iter({'x', 'yy', 'zzz', 'wwww', 'vvvvv'})))}", "measure_nondeterministic", ""),
        ("return {'a': len('a' * 2**28)}", "measure_memory", ""),
        ("import os; os._exit(0)", "measure_died", ""),
        ("import socket; socket.create_connection(('127.0.0.1', 9)); return {'a': 1}", "measure_raised", "socket"),
        ("import subprocess; subprocess.run(['true']); return {'a': 1}", "measure_raised", "subprocess"),
        ("return {'a': len(open('/etc/passwd').read())}", "measure_raised", "open no file"),
        ("open('left', 'w'); return {'a': 1}", "measure_raised", "open no file"),
    ],
)
def test_a_bad_program_fails_by_name(body: str, code: str, account: str) -> None:
    (failure,) = scored(body)
    assert isinstance(failure, Failure)
    assert failure.code == code
    assert account.partition(" (line")[0] in failure.account
    assert failure.sentence.en
    assert failure.sentence.ru != failure.sentence.en


def test_a_program_that_computes_too_long_fails_by_name_and_only_for_its_call() -> None:
    outcomes = scored("\n    while answer: pass\n    return {'a': 1}", 1, 0)
    assert outcomes == [Failure("measure_time"), {"a": 1}]


def test_a_program_that_depends_on_earlier_calls_is_nondeterministic() -> None:
    text = f"{HEAD}seen = []\ndef score(answer, references):\n    seen.append(1)\n    return {{'a': len(seen)}}\n"
    program, _ = read_program("measure.py", text.encode())
    assert program is not None
    calls = [{"op": "score", "answer": number, "references": []} for number in range(2)]
    outcomes = results_of(RUNNER, request_of(program, LIMITS, calls), judged_counts)
    assert {one.code for one in outcomes if isinstance(one, Failure)} == {"measure_nondeterministic"}


def test_one_failed_call_leaves_the_others_their_results_and_an_address_is_no_difference() -> None:
    outcomes = scored("return {'a': 1} if answer else {}[object()]", 1, 0, 1)
    assert outcomes[0] == outcomes[2] == {"a": 1}
    assert isinstance(outcomes[1], Failure)
    assert outcomes[1].code == "measure_raised"
    assert "0x…" in outcomes[1].account


def test_a_value_is_a_finite_number_or_null_or_several_of_them_by_name() -> None:
    assert [judged_value(one) for one in (1, 0.5, None, {"value": None, "b": 1})] == [None] * 4
    wrong = {"measure_shape": (True, "1", [1], {"b": 1}, {"value": "1"}), "measure_not_finite": (float("inf"), 10**400)}
    for code, values in wrong.items():
        assert [getattr(judged_value(one), "code", None) for one in values] == [code] * len(values)


def wheel(entry: str, name: str = "measure.py", content: bytes = PROGRAM) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), content)
        if entry:
            archive.writestr(zipfile.ZipInfo("entities-2.1.dist-info/entry_points.txt"), entry)
    return packed.getvalue()


def test_a_wheel_is_run_as_it_is_by_its_entry_point() -> None:
    program, reasons = read_program("entities-2.1-py3-none-any.whl", wheel("[hurdle.measure]\nmeasure = measure\n"))
    assert program is not None, reasons
    assert (program.module, program.version) == ("measure", "2.1")
    call = {"op": "score", "answer": [], "references": [[]]}
    assert results_of(RUNNER, request_of(program, LIMITS, [call]), judged_counts) == [
        {"exact": 0, "overlap": 0, "found": 0, "right": 0}
    ]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("a.txt", PROGRAM),
        ("a.py", b"def score(:"),
        ("a.py", b"x = 1"),
        ("a.py", b"\xff"),
        ("a-b.py", PROGRAM),
        ("a.py", b"#" * (MOST_BYTES + 1)),
        ("a-1-x.whl", b"no zip"),
        ("a-1-x.whl", wheel("")),
        ("a-1-x.whl", wheel("[other]\nmeasure = a\n")),
        ("a-1-x.whl", wheel("[hurdle.measure]\nmeasure = a b\n")),
        ("a-1-x.whl", wheel("[hurdle.measure]\nmeasure = a\n", "a.cpython.so")),
        ("a-1-x.whl", wheel("[hurdle.measure]\nmeasure = a\n", "a.py", b"0" * 2**23)),
    ],
)
def test_a_file_that_is_no_program_is_refused_before_it_runs(file: str, content: bytes) -> None:
    program, reasons = read_program(file, content)
    assert program is None
    assert [reason.code for reason in reasons] == ["measure_program"]
    assert reasons[0].message.ru != reasons[0].message.en


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (
            (b'"exact": 1,', b'"exact": 2,'),
            "measure_sample",
            'counts {"exact":1}, but its sample expects {"exact":2}',
        ),
        ((b'"label": "LOC"}]],', b'"label": "X"}]],'), "measure_sample", "none of the values that may stand here"),
        ((b"SAMPLES = [", b"SAMPLES = [][:0] and ["), "measure_shape", "SAMPLES"),
        (
            (b"if not answered + right:", b"if True: return float('nan')\n    if not answered + right:"),
            "measure_not_finite",
            "aggregate(SAMPLES)",
        ),
    ],
)
def test_a_program_is_tried_on_its_samples_before_it_is_taken(
    change: tuple[bytes, bytes], code: str, words: str
) -> None:
    assert change[0] in PROGRAM
    track = CustomTrack()
    parameters, reasons = track.read_parameters({"measure": ENTITIES})
    assert reasons == ()
    _, reasons = track.taken_in(parameters, PROGRAM.replace(*change, 1))
    assert [reason.code for reason in reasons] == [code]
    assert words in reasons[0].message.en


def test_a_program_that_waits_on_its_samples_is_refused_in_the_trials_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declaration, "TRIAL_S", 1)
    track = CustomTrack()
    parameters, _ = track.read_parameters({"measure": ENTITIES})
    waiting = PROGRAM.replace(b"def score(", b"import time; time.sleep(50)\ndef score(")
    _, (fault,) = track.taken_in(parameters, waiting)
    assert (fault.code, "1 s" in fault.message.en) == ("measure_time", True)


class Client:
    """AWS Lambda, whose function runs here."""

    def __init__(self, error: str = "") -> None:
        self.error, self.sizes = error, list[int]()

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 -- the SDK's names
        assert FunctionName == "measures"
        self.sizes.append(len(Payload))
        if self.error:
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(self.error.encode())}
        return {"Payload": io.BytesIO(json.dumps(handler(json.loads(Payload), None)).encode())}


def test_the_function_gets_a_request_and_answers_it_large_ones_call_by_call() -> None:
    program, _ = read_program("entities.py", PROGRAM)
    assert program is not None
    small = [{"op": "score", "answer": [], "references": [[]]}] * 2
    client = Client()
    function = InFunction(lambda: client, "measures")
    assert len(results_of(function, request_of(program, LIMITS, small), judged_counts)) == 2
    large = [{"op": "score", "answer": [], "references": [[]], "padding": "x" * 3_000_000}] * 2
    assert len(results_of(function, request_of(program, LIMITS, large), judged_counts)) == 2
    assert len(client.sizes) == 3


@pytest.mark.parametrize("function", [InFunction(lambda: Client("boom"), "measures"), InFunction(Client, "")])
def test_a_function_that_fails_is_the_platforms_failure_and_no_result(function: InFunction) -> None:
    program, _ = read_program("entities.py", PROGRAM)
    assert program is not None
    with pytest.raises(OSError, match=r"boom|measures: true"):
        results_of(function, request_of(program, LIMITS, [{"op": "samples"}]), judged_counts)
