"""Run a measure's program, a file's in child processes or an image's in containers, and check its results.

A file is pure Python with the standard library. ``score(answer, references)`` returns counts, ``aggregate(counts)`` the
value of a list of them, ``SAMPLES`` lists the cases on which it is tried before anybody uses it.

A container image, pinned by its digest, has an executable ``/measure``. It reads one line of JSON,
``{"calls": [...]}``, writes one line, ``{"answers": [...]}``, an answer for each call in their order, and ends at the
end of its input. A call is ``{"op": "samples"}``, ``{"op": "score", "answer", "references"}`` or
``{"op": "aggregate", "counts"}``; its answer is ``{"result": ...}`` or ``{"failed": "a sentence"}``. The local runner
of submitted programs gives its containers the same confinement, with the commands of Docker and Podman.

Each request runs twice, in two child processes or containers. The second one has other hashes of strings and takes the
calls in the opposite order: a program whose results depend on either, on time, on chance or on earlier calls fails by
name, whatever it returned first.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Protocol

from markup_core.lazy import dataclass
from markup_core.receipt import canonical_json, sha256_hex
from tracks.base import is_number
from tracks.protocol import Json, Text
from tracks.texts import tr

if TYPE_CHECKING:
    from tracks.custom.declaration import Program


ANSWER_S: Final = 30.0
"""Seconds within which the engine itself must answer."""
NOBODY: Final = 1000
"""User id of a program if this process is root: unused on this machine, jovyan in the contest's images."""
ENGINE_FAILED: Final = 125
"""Exit code of the command if it could not create the container."""
_KILLED: Final = 137
"""Exit code after SIGKILL, sent by the kernel for memory or by this process, which remembers it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a container; ``memory``, ``file``, ``scratch`` (of /tmp) in bytes."""

    memory: int
    cpus: int
    processes: int
    file: int
    scratch: int


@dataclass(frozen=True)
class Containers:
    """A container engine on this machine, by its command: ``docker`` or ``podman``."""

    program: str

    def installed(self) -> bool:
        """Return whether the engine's command is installed."""
        return shutil.which(self.program) is not None

    def works(self) -> bool:
        """Return whether the command is installed and the engine answers it."""
        return self.installed() and self.asked("info").returncode == 0

    def has(self, image: str) -> bool:
        """Return whether an image is on this machine."""
        return self.asked("image", "inspect", image).returncode == 0

    # Clause: TS F-2, F limits network
    def confined(self, name: str, bounds: Bounds, user: tuple[int, int]) -> list[str]:
        """Return the command line that starts an isolated container; image and command follow it."""
        return [
            *(self.program, "run", "--name", name, "--pull", "never", "--network", "none", "--read-only", "--init"),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", f"{user[0]}:{user[1]}"),
            *("--memory", str(bounds.memory), "--memory-swap", str(bounds.memory), "--cpus", str(bounds.cpus)),
            *("--pids-limit", str(bounds.processes), "--ulimit", f"fsize={bounds.file}", "--ulimit", "core=0"),
            *("--tmpfs", f"/tmp:rw,size={bounds.scratch}", "--shm-size", str(bounds.scratch)),  # noqa: S108
            *("--log-driver", "none"),
        ]

    @contextmanager
    def running(self, name: str, words: Sequence[str], stdin: Any = subprocess.DEVNULL) -> Iterator[Any]:
        """Start a container's client with its outputs in pipes; end the client and remove the container afterwards."""
        client = subprocess.Popen(  # noqa: S603 - the words are made here, the image's name was checked
            words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            yield client
        finally:
            self.asked("rm", "--force", name)
            client.kill()
            client.wait()

    def is_out_of_memory(self, name: str, exit_code: int | None) -> bool:
        """Return whether the kernel killed a container for its memory; no exit code: this process stopped it.

        Podman under cgroup v1 says ``OOMKilled=false`` of a container that was: there the exit code alone tells.
        """
        return (
            exit_code == _KILLED
            or self.asked("inspect", "--format", "{{.State.OOMKilled}}", name).stdout.strip() == b"true"
        )

    def asked(
        self, *words: str, patience_s: float = 0.0, stdin: bytes | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command of the engine and return its result. Raises OSError if it does not answer in time."""
        try:
            return subprocess.run(  # noqa: S603 - as above
                [self.program, *words], capture_output=True, check=False, timeout=ANSWER_S + patience_s, input=stdin
            )
        except subprocess.TimeoutExpired as error:
            raise OSError(f"{self.program} does not answer") from error


def user_here() -> tuple[int, int]:
    """Return user and group ids of a program: those of this process, :data:`NOBODY` if it is root."""
    user, group = os.getuid(), os.getgid()
    return (user, group) if user else (NOBODY, NOBODY)


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
"""Most bytes of all results of a request."""


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


_HARNESS: Final = Path(__file__).with_name("harness.py")
IN_IMAGE: Final = "-image"
"""Suffix of the name of the function made of a measure's image."""
FAILURES: Final[Mapping[str, Text]] = {
    "measure_raised": tr("the program raises an exception"),
    "measure_time": tr("the program takes more than its time"),
    "measure_memory": tr("the program takes more than its memory"),
    "measure_died": tr("the program's process ends without a result"),
    "measure_shape": tr("the program returns something else than counts or a value"),
    "measure_not_finite": tr("the program returns NaN or an infinite number"),
    "measure_nondeterministic": tr("the program returns another result the second time"),
}
"""Failures of a program: stable codes with their sentences."""
MOST_PAYLOAD: Final = 5 * 1024 * 1024
"""Most bytes of a request; Lambda takes 6 MB."""
LONGEST_S: Final = 60
"""Most seconds of a request, all calls together."""
_START_S: Final = 10
"""Seconds that two processes may take beside the calls' own time, however slow the machine is."""
_WAITING: Final = 3
"""Longest duration of a call, as a multiple of its own processor time."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
MOST_COUNTS: Final = 64
_ADDRESS: Final = re.compile(r"0x[0-9a-f]{4,}")


@dataclass(frozen=True, slots=True)
class Failure:
    """A named failure of a program; ``account`` is its own, which is the same whenever it fails so."""

    code: str
    account: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return it as it stands in a score."""
        return {"code": self.code, "said": self.account}

    @property
    def sentence(self) -> Text:
        """The sentence that explains the code, with the program's own account."""
        sentence = FAILURES[self.code]
        return Text(f"{sentence.en}: {self.account}", f"{sentence.ru}: {self.account}") if self.account else sentence


class Runner(Protocol):
    """A place in which programs run."""

    def run(self, request: Mapping[str, Json]) -> Mapping[str, Json]:
        """Answer a request of :func:`request_of`: ``answers``, a ``result`` or a failure for each call, in their order.

        Raises OSError where the place fails, never for what the program does.
        """


class ChildRunner:
    """Runs programs in child processes of this one."""

    def run(self, request: Mapping[str, Json]) -> Mapping[str, Json]:
        """See :class:`Runner`."""
        return measure(request)


class InFunction:
    """Runs programs in functions of AWS Lambda; ``client`` makes the SDK's client of the service.

    ``image`` is how the digest begins of the one that the deployment has made a second function of, empty without one.
    """

    def __init__(self, client: Callable[[], Any], function: str, image: str = "") -> None:
        self._make, self._function, self._image = client, function, image

    @cached_property
    def _client(self) -> Any:
        return self._make()

    def run(self, request: Mapping[str, Json]) -> Mapping[str, Json]:
        """See :class:`Runner`; a request that is too large for one call of the function goes call by call."""
        if not self._function:
            message = tr(
                "this deployment runs no measures: write measures: true into its file cycles/NAME.yaml and deploy"
            )
            raise NoPlaceError("measure_not_deployed", message)
        calls: list[Json] = request["calls"]
        if len(json.dumps(request)) > MOST_PAYLOAD and len(calls) > 1:
            answers = [self.run({**request, "calls": [call]})["answers"][0] for call in calls]
            return {"answers": answers}
        if digest_of(request["file"]):
            return {"answers": twice(calls, lambda _, ordered: self._by_image(request, ordered))}
        answered: dict[str, Json] = json.loads(self._invoked(self._function, json.dumps(request).encode()))
        return answered

    def _by_image(self, request: Mapping[str, Json], calls: Sequence[Json]) -> list[Json]:
        """Return the answers of the function that is made of the measure's image (infra/measure)."""
        image = request["file"]
        if not self._image or not digest_of(image).startswith(self._image):
            message = tr(
                "this deployment runs no measure in the image {image}: write measure_image: {image} into its file "
                "cycles/NAME.yaml and deploy",
                image=image,
            )
            raise NoPlaceError("measure_image_not_deployed", message)
        line, memory = line_of(calls).decode(), request["limits"]["memory"]
        payload = {"line": line, "memory": memory, "wall": _wall_s(request, calls)}
        return answers_of(self._invoked(f"{self._function}{IN_IMAGE}", json.dumps(payload).encode()), len(calls))

    def _invoked(self, function: str, payload: bytes) -> bytes:
        reply = self._client.invoke(FunctionName=function, Payload=payload)
        content: bytes = reply["Payload"].read()
        if reply.get("FunctionError"):
            raise OSError(f"the function {function} failed: {content[:500].decode('utf-8', 'replace')}")
        return content


class Remembering:
    """A runner that keeps results: a call of one program with one input has one result."""

    def __init__(self, runner: Runner, most: int = 10_000) -> None:
        self._runner, self._most = runner, most
        self._results: dict[str, Json] = {}

    def run(self, request: Mapping[str, Json]) -> Mapping[str, Json]:
        """See :class:`Runner`; a failure is not stored, since the machine may have caused it."""
        rest = {name: value for name, value in request.items() if name not in ("calls", "content")}
        about = canonical_json({**rest, "content": sha256_hex(request["content"].encode())})
        keys = [
            sha256_hex(f"{about}{canonical_json(call)}".encode("utf-8", "surrogatepass")) for call in request["calls"]
        ]
        missing = [place for place, key in enumerate(keys) if key not in self._results]
        answers: dict[int, Json] = {}
        if missing:
            unanswered = {**request, "calls": [request["calls"][place] for place in missing]}
            answers = dict(zip(missing, self._runner.run(unanswered)["answers"], strict=True))
            if len(self._results) > self._most:
                self._results.clear()
            self._results.update({keys[place]: answer for place, answer in answers.items() if "result" in answer})
        return {"answers": [answers.get(place) or self._results[key] for place, key in enumerate(keys)]}


def request_of(program: Program, limits: Mapping[str, int], calls: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """Return a request to run a program: it holds all that the runner has to know."""
    return {
        "file": program.file,
        "module": program.module,
        "content": base64.b64encode(program.content).decode(),
        "limits": dict(limits),
        "calls": [dict(call) for call in calls],
    }


def results_of(
    runner: Runner, request: Mapping[str, Json], judge: Callable[[Json], Failure | None]
) -> list[Json | Failure]:
    """Run a request and return each call's result, or the failure: the runner's, or the one that ``judge`` finds."""
    if not request["calls"]:
        return []
    results: list[Json | Failure] = []
    for answer in runner.run(request)["answers"]:
        if "failed" in answer:
            results.append(Failure(answer["failed"], answer["said"]))
        else:
            results.append(judge(answer["result"]) or answer["result"])
    return results


def judged_counts(result: Json) -> Failure | None:
    """Return the failure of counts that are none: an object of finite numbers by short names is needed."""
    if not isinstance(result, dict) or not 0 < len(result) <= MOST_COUNTS:
        return Failure("measure_shape")
    if not all(_NAME.fullmatch(name) for name in result):
        return Failure("measure_shape")
    return _judged_numbers(result.values())


def judged_value(result: Json) -> Failure | None:
    """Return the failure of a value that is none: a finite number, null, or an object of these with ``value``."""
    values = result if isinstance(result, dict) else {"value": result}
    if "value" not in values or len(values) > MOST_COUNTS or not all(_NAME.fullmatch(name) for name in values):
        return Failure("measure_shape")
    return _judged_numbers(value for value in values.values() if value is not None)


def _judged_numbers(values: object) -> Failure | None:
    numbers = list(values)  # type: ignore[call-overload]
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers):
        return Failure("measure_shape")
    return None if all(map(is_number, numbers)) else Failure("measure_not_finite")


def measure(request: Mapping[str, Json]) -> dict[str, Json]:
    """Answer a request in two child processes or containers; a call on which they differ is nondeterministic.

    O(calls); it takes :data:`_START_S` and the calls' time at most, or the request's own ``wall`` of seconds.
    """

    def run(seed: str, calls: Sequence[Json]) -> list[Json]:
        if digest_of(request["file"]):
            return answered(request, calls, _wall_s(request, calls), engine_here)
        return _run(request, seed, calls)

    return {"answers": twice(request["calls"], run)}


def twice(calls: Sequence[Json], run: Callable[[str, Sequence[Json]], list[Json]]) -> list[Json]:
    """Run calls twice, the second time in the opposite order, and return the answers on which both runs agree."""
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(lambda order: run(*order), [("1", calls), ("2", calls[::-1])])
    return [_alike(one, other) for one, other in zip(first, second[::-1], strict=True)]


def _wall_s(request: Mapping[str, Json], calls: Sequence[Json]) -> float:
    """Return the seconds that a run of calls may take, waiting included."""
    longest = min(_START_S + _WAITING * request["limits"]["seconds"] * len(calls), LONGEST_S - _START_S)
    return float(request["limits"].get("wall", longest))


def _alike(one: Json, other: Json) -> Json:
    if one == other:
        return one
    if one.get("failed") == other.get("failed") and "failed" in one:  # only what the program says of it differs
        return {"failed": one["failed"], "said": one["said"].partition(":")[0]}
    return {"failed": "measure_nondeterministic", "said": ""}


def _run(request: Mapping[str, Json], seed: str, calls: Sequence[Json]) -> list[Json]:
    """Return a process's answers to calls, as JSON that can be compared; the same failure for all if it dies."""
    with tempfile.TemporaryDirectory(prefix="hurdle-measure-") as scratch:
        folder = Path(scratch).resolve()
        program = folder / "program" / request["file"]
        program.parent.mkdir()
        program.write_bytes(base64.b64decode(request["content"]))
        task = {
            "program": str(program),
            "path": str(program if program.suffix == ".whl" else program.parent),
            "module": request["module"],
            "limits": {**request["limits"], "output": OUTPUT},
            "calls": calls,
        }
        (folder / "request.json").write_text(json.dumps(task), "utf-8")
        command = [sys.executable, "-S", "-s", "-P", "-B", str(_HARNESS), str(folder)]
        failed = _ended(command, {"PYTHONHASHSEED": seed, "LC_ALL": "C.UTF-8"}, folder, _wall_s(request, calls))
        if failed:
            return [{"failed": failed, "said": ""}] * len(calls)
        try:
            answers: list[Json] = json.loads((folder / "results.json").read_text("utf-8"))["answers"]
        except (OSError, ValueError, KeyError, RecursionError):
            return [{"failed": "measure_died", "said": ""}] * len(calls)
    return [
        {"failed": f"measure_{answer['failed']}", "said": _ADDRESS.sub("0x…", answer["said"])}
        if "failed" in answer
        else answer
        for answer in answers
    ]


def _ended(command: Sequence[str], variables: Mapping[str, str], folder: Path, wall_s: float) -> str:
    """Run a command to its end; return the code of its failure, empty without one."""
    nothing = subprocess.DEVNULL
    with subprocess.Popen(  # noqa: S603 -- this interpreter and our own file
        command, env=dict(variables), cwd=folder, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
    ) as process:
        try:
            code = process.wait(wall_s)
        except subprocess.TimeoutExpired:
            process.kill()
            return "measure_time"
    if code == 0:
        return ""
    return "measure_time" if code == -signal.SIGXCPU else "measure_died"


def handler(event: Mapping[str, Json], _context: object) -> dict[str, Json]:
    """Answer a request in AWS Lambda: the function has no rights, no network and no data but the request."""
    return measure(event)
