"""A measure in an image: the same results as its file's, by a container engine that is played, and what it may not.

No engine runs where these tests do. The stand-in for its command records what it is asked, and starts the program of
``docs/examples/entities_image`` as a child process in the place of a container.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.tracks.samples import ENTITIES, PROGRAM
from tracks.custom.declaration import complete
from tracks.custom.running import (
    ChildRunner,
    Failure,
    judged_counts,
    judged_value,
    read_program,
    request_of,
    results_of,
)
from tracks.custom.track import CustomTrack
from tracks.protocol import Outcome

EXAMPLES = Path(__file__).resolve().parents[3] / "docs/examples"
DIGEST = "5b" * 32
IMAGE = f"registry.example:5000/contest/entities:1.0@sha256:{DIGEST}"
LIMITS = {"seconds": 1, "memory": 128 * 1024 * 1024, "wall": 5}
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
    return results_of(ChildRunner(), request_of(program, LIMITS, calls or [SCORE]), judged_counts)


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
        memory = str(LIMITS["memory"])
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
    request = request_of(program_of_image, {**LIMITS, "wall": 1 if started else 5}, [SCORE])
    (failure,) = results_of(ChildRunner(), request, judged_counts)
    assert isinstance(failure, Failure)
    assert failure.code == code
    assert ("cannot be started" in failure.account) == (program == "no-such-program")


@pytest.mark.parametrize(("code", "is_killed"), [(1, "true"), (137, "false")])
def test_a_program_that_the_kernel_ends_for_its_memory_fails_by_name(engine: Engine, code: int, is_killed: str) -> None:
    engine.runs(f"sh -c 'exit {code}'", is_killed=is_killed)
    assert outcome(IMAGE) == [Failure("measure_memory")]


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
    assert judged_value(1) is None


def test_an_engine_that_cannot_make_a_container_is_the_machines_failure(engine: Engine) -> None:
    engine.runs("sh -c 'echo no space >&2; exit 125'")
    with pytest.raises(OSError, match="no space"):
        outcome(IMAGE)
