"""Run a measure in a container image, pinned by its digest, over standard input and output.

The image has an executable ``/measure``. It reads one line of JSON, ``{"calls": [...]}``, writes one line,
``{"answers": [...]}``, an answer for each call in their order, and ends at the end of its input. A call is
``{"op": "samples"}``, ``{"op": "score", "answer", "references"}`` or ``{"op": "aggregate", "counts"}``; its answer is
``{"result": ...}`` or ``{"failed": "a sentence"}``.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Final

from tracks.containers import ENGINE_FAILED, Bounds, Containers, user_here
from tracks.protocol import Json, Text
from tracks.texts import tr

IMAGE: Final = re.compile(r"(?P<name>[a-z0-9][a-z0-9._/-]*(?::[0-9]+/[a-z0-9._/-]+)?)(?::(?P<tag>[\w.-]{1,128}))?")
"""Name of an image without its digest: registry, perhaps a port, path, perhaps a tag."""
PROGRAM: Final = "/measure"
"""Path of the measure's program in its image."""
LONGEST_NAME: Final = 255
_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
_ENGINES: Final = ("docker", "podman")
_DEATHS: Final = ("measure_time", "measure_memory", "measure_died")
"""Codes of a program that ended without an answer, as bridge.py in the image's function sends them."""
_NOT_STARTED: Final = (126, 127)
_PROCESSES: Final = 64
_SCRATCH: Final = 16 * 1024 * 1024
_MOST_SAID: Final = 300
_CHUNK: Final = 64 * 1024
OUTPUT: Final = 1024 * 1024
"""Bytes of all results of a request."""


class NoPlaceError(OSError):
    """No engine or image on this machine runs the measure: ``code`` names the fault, ``remedy`` what to do."""

    def __init__(self, code: str, remedy: Text) -> None:
        super().__init__(remedy.en)
        self.code, self.remedy = code, remedy


def is_image(name: str) -> bool:
    """Return whether a program's name is that of an image: a file's has no slash, colon or at sign."""
    return not {"/", ":", "@"}.isdisjoint(name)


def digest_of(name: str) -> str:
    """Return the SHA-256 by which a name pins an image; empty for a name that pins none."""
    image, _, digest = name.partition("@")
    is_pinned = len(name) <= LONGEST_NAME and IMAGE.fullmatch(image) and (match := _DIGEST.fullmatch(digest))
    return match[1] if is_pinned and match else ""


def tag_of(name: str) -> str:
    """Return the tag of an image's name, for people to read; empty without one."""
    match = IMAGE.fullmatch(name.partition("@")[0])
    return match["tag"] or "" if match else ""


def line_of(calls: Sequence[Json]) -> bytes:
    """Return calls as the line of JSON that the program reads."""
    return json.dumps({"calls": list(calls)}).encode() + b"\n"


def answers_of(line: bytes, count: int) -> list[Json]:
    """Parse a program's line into the answers to its calls; an invalid line is the same failure of all calls.

    One answer may be a failure of its own: ``measure_raised`` with the program's sentence. O(size).
    """
    try:
        whole = json.loads(line) if len(line) <= OUTPUT else {"answers": []}
        if whole.keys() == {"died"} and whole["died"] in _DEATHS:
            return all_failed(whole["died"], count)
        answers = [
            answer
            if answer.keys() == {"result"}
            else {"failed": "measure_raised", "said": str(answer["failed"])[:_MOST_SAID]}
            for answer in whole["answers"]
        ]
    except (AttributeError, TypeError, KeyError, ValueError, RecursionError) as error:
        return all_failed("measure_shape", count, f"{type(error).__name__}: {error}"[:_MOST_SAID])
    return answers if len(answers) == count else all_failed("measure_shape", count)


def all_failed(code: str, count: int, account: str = "") -> list[Json]:
    """Return the same failure for each of several calls."""
    return [{"failed": code, "said": account}] * count


def answered(
    request: Mapping[str, Json], calls: Sequence[Json], wall_s: float, engine: Callable[[], Containers]
) -> list[Json]:
    """Run calls in a new container and return its answers; if it ends without them, the same failure for all.

    Raises :class:`NoPlaceError` if the engine fails or lacks the image.
    """
    containers, image, count = engine(), request["file"], len(calls)
    if not containers.has(image):
        message = tr(
            "the image {image} is not on this machine: {engine} pull {image}", image=image, engine=containers.program
        )
        raise NoPlaceError("measure_image_absent", message)
    name = f"measure-{uuid.uuid4().hex}"
    bounds = Bounds(request["limits"]["memory"], 1, _PROCESSES, _SCRATCH, _SCRATCH)
    words = [*containers.confined(name, bounds, user_here()), "--interactive", "--entrypoint", PROGRAM, image]
    with tempfile.TemporaryFile() as request_file, ThreadPoolExecutor(2) as readers:
        request_file.write(line_of(calls))
        request_file.seek(0)
        with containers.running(name, words, request_file) as client:
            line = readers.submit(_beginning, client.stdout, OUTPUT + 1)
            errors = readers.submit(_beginning, client.stderr, _MOST_SAID)
            try:
                code = client.wait(wall_s)
            except subprocess.TimeoutExpired:
                containers.asked("kill", name)
                return all_failed("measure_time", count)
            is_killed = containers.is_out_of_memory(name, code)
        if code == ENGINE_FAILED:
            problem = errors.result().decode(errors="replace")
            message = tr("{engine} could not run a container: {problem}", engine=containers.program, problem=problem)
            raise NoPlaceError("measure_engine_failed", message)
    if code == 0:
        return answers_of(line.result(), count)
    account = f"{PROGRAM} cannot be started" if code in _NOT_STARTED else ""
    return all_failed("measure_memory" if is_killed else "measure_died", count, account)


def _beginning(stream: IO[bytes], most: int) -> bytes:
    """Read a stream to its end and return its first bytes."""
    beginning = bytearray()
    with stream:
        while chunk := stream.read(_CHUNK):
            beginning += chunk[: most - len(beginning)]
    return bytes(beginning)


def engine_here() -> Containers:
    """Return the container engine of this machine. Raises :class:`NoPlaceError` if none works."""
    engine = next((candidate for candidate in map(Containers, _ENGINES) if candidate.works()), None)
    if engine is None:
        message = tr(
            "a measure in an image needs a container engine, and neither Docker nor Podman answers here: start one, or "
            "declare the measure as NAME.py or a wheel"
        )
        raise NoPlaceError("measure_no_engine", message)
    return engine
