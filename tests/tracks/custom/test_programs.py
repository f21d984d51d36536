"""A measure's program, good and bad: whatever it does ends as a result or as a failure with a name.

A declared measure's value judged: which direction is better, and what overcomes a number's barrier and people's.

A measure in an image: the same results as its file's, by a container engine that is played, and what it may not.

No engine runs where these tests do. The stand-in for its command records what it is asked, and starts the program of
``docs/examples/entities_image`` as a child process in the place of a container.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.tracks.samples import ENTITIES, PROGRAM
from tracks.custom import declaration, running
from tracks.custom.declaration import MOST_PROGRAM_BYTES, Declaration, complete, read_program
from tracks.custom.track import CustomTrack, sections
from tracks.protocol import Judged, Outcome, Standing

HEAD = "SAMPLES = [{'answer': None, 'references': []}]\ndef aggregate(counts): return 1.0\n"
LIMITS = {"seconds": 1, "memory": 96 * 1024 * 1024}
RUNNER = running.ChildRunner()


def scored(body: str, *answers: Any, limits: Mapping[str, int] = LIMITS) -> list[Any]:
    """Return what a program whose ``score`` has this body makes of answers."""
    text = f"{HEAD}def score(answer, references):\n    {body}\n".encode()
    program, reasons = read_program("measure.py", text)
    assert program is not None, reasons
    calls = [{"op": "score", "answer": answer, "references": []} for answer in answers or (1,)]
    return running.results_of(RUNNER, running.request_of(program, limits, calls), running.judged_counts)


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
    assert isinstance(failure, running.Failure)
    assert failure.code == code
    assert account.partition(" (line")[0] in failure.account
    assert failure.sentence.en
    assert failure.sentence.ru != failure.sentence.en


def test_a_program_that_computes_too_long_fails_by_name_and_only_for_its_call() -> None:
    outcomes = scored("\n    while answer: pass\n    return {'a': 1}", 1, 0)
    assert outcomes == [running.Failure("measure_time"), {"a": 1}]


def test_a_program_that_depends_on_earlier_calls_is_nondeterministic() -> None:
    text = f"{HEAD}seen = []\ndef score(answer, references):\n    seen.append(1)\n    return {{'a': len(seen)}}\n"
    program, _ = read_program("measure.py", text.encode())
    assert program is not None
    calls = [{"op": "score", "answer": number, "references": []} for number in range(2)]
    outcomes = running.results_of(RUNNER, running.request_of(program, LIMITS, calls), running.judged_counts)
    assert {one.code for one in outcomes if isinstance(one, running.Failure)} == {"measure_nondeterministic"}


def test_one_failed_call_leaves_the_others_their_results_and_an_address_is_no_difference() -> None:
    outcomes = scored("return {'a': 1} if answer else {}[object()]", 1, 0, 1)
    assert outcomes[0] == outcomes[2] == {"a": 1}
    assert isinstance(outcomes[1], running.Failure)
    assert outcomes[1].code == "measure_raised"
    assert "0x…" in outcomes[1].account


def test_a_value_is_a_finite_number_or_null_or_several_of_them_by_name() -> None:
    assert [running.judged_value(one) for one in (1, 0.5, None, {"value": None, "b": 1})] == [None] * 4
    wrong = {"measure_shape": (True, "1", [1], {"b": 1}, {"value": "1"}), "measure_not_finite": (float("inf"), 10**400)}
    for code, values in wrong.items():
        assert [getattr(running.judged_value(one), "code", None) for one in values] == [code] * len(values)


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
    assert running.results_of(RUNNER, running.request_of(program, LIMITS, [call]), running.judged_counts) == [
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
        ("a.py", b"#" * (MOST_PROGRAM_BYTES + 1)),
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
        return {"Payload": io.BytesIO(json.dumps(running.handler(json.loads(Payload), None)).encode())}


def test_the_function_gets_a_request_and_answers_it_large_ones_call_by_call() -> None:
    program, _ = read_program("entities.py", PROGRAM)
    assert program is not None
    small = [{"op": "score", "answer": [], "references": [[]]}] * 2
    client = Client()
    function = running.InFunction(lambda: client, "measures")
    assert len(running.results_of(function, running.request_of(program, LIMITS, small), running.judged_counts)) == 2
    large = [{"op": "score", "answer": [], "references": [[]], "padding": "x" * 3_000_000}] * 2
    assert len(running.results_of(function, running.request_of(program, LIMITS, large), running.judged_counts)) == 2
    assert len(client.sizes) == 3


@pytest.mark.parametrize(
    "function", [running.InFunction(lambda: Client("boom"), "measures"), running.InFunction(Client, "")]
)
def test_a_function_that_fails_is_the_platforms_failure_and_no_result(function: running.InFunction) -> None:
    program, _ = read_program("entities.py", PROGRAM)
    assert program is not None
    with pytest.raises(OSError, match=r"boom|measures: true"):
        running.results_of(function, running.request_of(program, LIMITS, [{"op": "samples"}]), running.judged_counts)


def result(value: float | None, better: str, barrier: float | None, people: float | None = None) -> Any:
    """Return an aggregate of the track, as far as its value is judged."""
    of_people = None if people is None else {"value": people}
    judged = {"values": {"value": value}, "better": better, "barrier": barrier, "people": of_people}
    return {**judged, "counts": {}, "failed": None}


@pytest.mark.parametrize(("better", "overcame"), [("higher", [False, True, True]), ("lower", [True, True, False])])
def test_a_number_is_reached_and_people_are_bettered_in_the_declared_direction(
    better: str, overcame: list[bool]
) -> None:
    track, values = CustomTrack(), (1.0, 2.0, 3.0)
    assert [track.overcame(result(value, better, 2.0)) for value in values] == overcame
    bettered = [track.overcame(result(value, better, None, people=2.0)) for value in values]
    assert bettered == [overcame[0], False, overcame[2]], "equal to people is not better than people"
    assert track.overcame(result(None, better, 2.0)) is None
    assert track.overcame(result(1.0, better, None)) is None


@pytest.mark.parametrize(("better", "first"), [("higher", "many"), ("lower", "few")])
def test_the_better_value_leads_equal_ones_share_a_place_and_an_undefined_one_is_last(better: str, first: str) -> None:
    values = {"few": 1.0, "none": None, "even": 2.0, "same": 2.0, "many": 3.0}
    ranked = CustomTrack().rank([Standing(team, result(value, better, None)) for team, value in values.items()])
    last = {"many": "few", "few": "many"}[first]
    assert {each.team: each.place for each in ranked} == {first: 1, "even": 2, "same": 2, last: 4, "none": 5}


@pytest.mark.parametrize(("better", "judged"), [("higher", (Judged(1, 2),)), ("lower", ())])
def test_a_table_draws_a_verdict_only_where_more_is_better(better: str, judged: tuple[Judged, ...]) -> None:
    parameters, reasons = complete({"measure": {**ENTITIES, "better": better, "barrier": 2.0}})
    assert reasons == ()
    (overall,) = sections(Declaration(parameters["measure"]), result(1.0, better, 2.0), [])
    assert overall.judged == judged


EXAMPLES = Path(__file__).resolve().parents[3] / "docs/examples"
DIGEST = "5b" * 32
IMAGE = f"registry.example:5000/contest/entities:1.0@sha256:{DIGEST}"
IMAGE_LIMITS = {"seconds": 1, "memory": 128 * 1024 * 1024, "wall": 5}
SCORE = {"op": "score", "answer": [], "references": [[]]}
ENGINE = """#!/bin/sh
echo "$*" >> {place}/asked
case "$1" in
info) exit {works} ;;
image) [ "$3" = "{image}" ] ;;
inspect) echo {is_killed} ;;
run) PYTHONPATH={examples}/entities exec {program} ;;
esac
"""


class Engine:
    """The stand-in; ``program`` is the command that it runs in the place of ``/measure``."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.program = f"{sys.executable} {EXAMPLES}/entities_image/measure"
        self.runs(self.program)

    def runs(self, program: str, *, works: int = 0, is_killed: str = "false", image: str = IMAGE) -> None:
        values = {"place": self.place, "examples": EXAMPLES, "works": works, "is_killed": is_killed}
        for name in ("docker", "podman"):
            (self.place / name).write_text(ENGINE.format(program=program, image=image, **values), "utf-8")
            (self.place / name).chmod(0o755)

    @property
    def asked(self) -> list[list[str]]:
        return [line.split() for line in (self.place / "asked").read_text("utf-8").splitlines()]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return Engine(tmp_path)


def taken_in(program: str) -> tuple[CustomTrack, Any]:
    """Return the example's contest under this program, tried on its samples."""
    raw, reasons = complete({"measure": {**ENTITIES, "program": program}})
    assert reasons == ()
    track = CustomTrack()
    content = track.program_content(raw, lambda _: PROGRAM)
    parameters, reasons = track.taken_in(raw, content)
    assert reasons == (), reasons
    return track.under(parameters, lambda _: content), parameters


def outcome(place: str, calls: list[Any] | None = None) -> list[Any]:
    """Return what becomes of calls to the image's program; by default of one."""
    program, reasons = read_program(place, b"")
    assert program is not None, reasons
    return running.results_of(
        running.ChildRunner(), running.request_of(program, IMAGE_LIMITS, calls or [SCORE]), running.judged_counts
    )


def test_a_measure_has_the_same_results_as_a_file_and_as_an_image(engine: Engine) -> None:
    entity = {"start": 0, "end": 3, "label": "PER"}
    references = [{"answer": [entity]}, {"answer": [entity, {**entity, "start": 4, "end": 9}]}]
    item = {"id": "a", "language": "en", "group": "news", "content": {"text": "Ada in Rye"}}
    results = {}
    for name in ("entities.py", IMAGE):
        track, parameters = taken_in(name)
        facts, _ = track.read_item(item, parameters)
        assert facts is not None
        score = track.score(item, [entity], references, parameters)
        results[name] = score, track.aggregate([Outcome(facts, True, score)], parameters, 0)
    (in_file, of_file), (in_image, of_image) = results.values()
    assert in_image["failed"] is None
    assert {**in_image, "fingerprint": None} == {**in_file, "fingerprint": None}
    assert in_image["fingerprint"]["libraries"] == {f"{IMAGE} 1.0": DIGEST}, "the digest names the program"
    assert {**of_image, "program": None} == {**of_file, "program": None}
    assert of_image["program"] == {"file": IMAGE, "version": "1.0", "sha256": DIGEST}


def test_a_container_is_confined_and_removed(engine: Engine) -> None:
    assert outcome(IMAGE) == [{"exact": 0, "overlap": 0, "found": 0, "right": 0}]
    runs = [words for words in engine.asked if words[0] == "run"]
    assert len(runs) == 2, "twice, in two containers"
    for words in runs:
        pairs = dict(pairwise(words))
        expected = {"--network": "none", "--pull": "never", "--cap-drop": "ALL", "--cpus": "1", "--pids-limit": "64"}
        memory = str(IMAGE_LIMITS["memory"])
        assert pairs.items() >= {**expected, "--memory": memory, "--memory-swap": memory}.items()
        assert {"--read-only", "--interactive"} <= set(words)
        assert "--volume" not in words
        assert words[-3:] == ["--entrypoint", "/measure", IMAGE]
        assert ["rm", "--force", pairs["--name"]] in engine.asked


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("sleep 60", "measure_time"),
        ("false", "measure_died"),
        ("no-such-program", "measure_died"),
        ("true", "measure_shape"),
        ("echo '{\"answers\": []}'", "measure_shape"),
        ("yes", "measure_time"),
        ('echo \'{"answers": [{"result": {"a": NaN}}]}\'', "measure_not_finite"),
        ('echo \'{"answers": [{"failed": "no such label"}]}\'', "measure_raised"),
        ('sh -c \'echo {\\"answers\\": [{\\"result\\": {\\"a\\": $$}}]}\'', "measure_nondeterministic"),
    ],
)
def test_a_bad_program_of_an_image_fails_by_name(engine: Engine, program: str, code: str) -> None:
    engine.runs(program)
    started = program.startswith(("sleep", "yes"))
    program_of_image, _ = read_program(IMAGE, b"")
    assert program_of_image is not None
    request = running.request_of(program_of_image, {**IMAGE_LIMITS, "wall": 1 if started else 5}, [SCORE])
    (failure,) = running.results_of(running.ChildRunner(), request, running.judged_counts)
    assert isinstance(failure, running.Failure)
    assert failure.code == code
    assert ("cannot be started" in failure.account) == (program == "no-such-program")


@pytest.mark.parametrize(("code", "is_killed"), [(1, "true"), (137, "false")])
def test_a_program_that_the_kernel_ends_for_its_memory_fails_by_name(engine: Engine, code: int, is_killed: str) -> None:
    engine.runs(f"sh -c 'exit {code}'", is_killed=is_killed)
    assert outcome(IMAGE) == [running.Failure("measure_memory")]


def test_an_image_that_no_digest_pins_is_refused_where_it_is_named() -> None:
    names = ("contest/entities:1.0", "entities:latest", "contest/entities", IMAGE[:-1], f"a b@sha256:{DIGEST}")
    for name in names:
        _, (fault,) = complete({"measure": {**ENTITIES, "program": name}})
        assert (fault.code, fault.where) == ("measure_image_unpinned", {"field": "measure.program"})
        assert "docker image ls --digests" in fault.message.ru


def test_without_an_engine_or_the_image_the_cycle_is_refused_with_a_remedy(engine: Engine) -> None:
    raw, _ = complete({"measure": {**ENTITIES, "program": IMAGE}})
    engine.runs("true", image="another")
    _, (fault,) = CustomTrack().taken_in(raw, b"")
    assert (fault.code, f"docker pull {IMAGE}" in fault.message.en) == ("measure_image_absent", True)
    engine.runs("true", works=1)
    _, (fault,) = CustomTrack().taken_in(raw, b"")
    assert fault.code == "measure_no_engine"
    assert "Podman" in fault.message.ru
    with pytest.raises(OSError, match="container engine"):
        outcome(IMAGE)
    assert running.judged_value(1) is None


def test_an_engine_that_cannot_make_a_container_is_the_machines_failure(engine: Engine) -> None:
    engine.runs("sh -c 'echo no space >&2; exit 125'")
    with pytest.raises(OSError, match="no space"):
        outcome(IMAGE)
