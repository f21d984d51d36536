"""Solvers, which compute answers, and what each contest asks of an answer.

A solver is a Python function, a command of its own process, or people and programs at a folder. It gets a :class:`Task`
and returns the markup as the JSON value it would be sent as. It raises :class:`SolverError` when there is none. An
answer is read from a solver's file, JSON or notation, and validated by its :class:`Contest` before it is sent (T16).
"""

from __future__ import annotations

import copy
import importlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

from markup_core.command.inputs import of_notation
from markup_core.lazy import dataclass
from markup_core.notation import NotationError, parse
from markup_core.reading.classifier import Classifier, ClassifierError
from markup_core.reading.validation import MalformedInput, decode, dump, validate
from markup_core.texts import LANGUAGES, Text, first_of, in_language
from pku.config import Clock, write_private
from pku.errors import PkuError, of_system, sentence
from pku.messages import tr
from tracks import registry
from tracks.custom import declaration as declared
from tracks.diagnosis import answers
from tracks.diagnosis.stages import stage_of_version
from tracks.protocol import Verdict

Json = Any


class UnreadableError(PkuError):
    """The bytes are neither JSON nor the inline notation."""

    def __init__(self, why: str) -> None:
        super().__init__("unreadable", why=why)


def not_utf8(error: UnicodeDecodeError) -> UnreadableError:
    """Return the refusal of bytes that are no UTF-8 text."""
    return UnreadableError(tr("not UTF-8 from byte {start} on", start=error.start))


class InvalidAnswerError(PkuError):
    """The markup has errors; the platform would refuse it, so it is not sent. ``faults`` are (code, sentence)."""

    def __init__(self, faults: tuple[tuple[str, str], ...]) -> None:
        more = f"\n  - … {len(faults) - 10}" if len(faults) > 10 else ""
        listed = (
            "".join(f"\n  - {in_language(message, language)} [{code}]" for code, message in faults[:10]) + more
            for language in LANGUAGES
        )
        super().__init__("invalid_answer_here", faults=Text(*listed))
        self.faults = faults


def read_answer(content: bytes, essay: Mapping[str, Json]) -> Json:
    """Read the markup's JSON value from a solver's file; content that starts with ``{`` is JSON, any other notation.

    The notation does not carry the essay's id, so the essay's own meta is taken.
    """
    if content.lstrip()[:1] in {b"{", b"["} or content[:3] == b"\xef\xbb\xbf":
        try:
            return decode(content)
        except MalformedInput as error:
            raise UnreadableError(error.text) from None
    try:
        markup = parse(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise not_utf8(error) from None
    except NotationError as error:
        raise UnreadableError(of_notation(error)) from None
    return {**dump(markup), "meta": dict(essay["meta"])}


def checked(answer: Json, essay: Mapping[str, Json], classifier: Classifier | None = None) -> str:
    """Return the answer as the text that is sent; :class:`InvalidAnswerError` with everything that is wrong."""
    text = _text_of(answer)
    try:
        judged = decode(text)
    except MalformedInput as error:
        raise InvalidAnswerError(((error.code, error.text),)) from None
    result = validate(judged, classifier=classifier, essay_text=essay["text"])
    faults = [(fault.code, fault.message) for fault in result.errors]
    expected = essay["meta"].get("subject") or (classifier or Classifier.default()).sole_subject
    if result.markup is not None and result.markup.subject != expected:
        message = tr(
            '"meta.subject" is {subject}, the essay\'s is {expected}', subject=result.markup.subject, expected=expected
        )
        faults.append(("subject_differs", message))
    if faults:
        raise InvalidAnswerError(tuple(faults))
    return text


class Contest(Protocol):
    """One contest's answers; ``handed_out`` is a file's content as the platform gave it."""

    def read(self, content: bytes, handed_out: Json) -> Json:
        """Read the answer from a solver's file; :class:`pku.solvers.UnreadableError` where it is none."""

    def checked(self, answer: Json, handed_out: Json) -> str:
        """Return an answer as the text that is sent; :class:`InvalidAnswerError` with everything that is wrong."""


@dataclass(frozen=True, slots=True)
class Essays:
    """Markups, as JSON or in the notation; ``classifier`` where the cycle has its own."""

    classifier: Classifier | None = None

    def read(self, content: bytes, handed_out: Json) -> Json:
        """See :class:`Contest`."""
        return read_answer(content, handed_out)

    def checked(self, answer: Json, handed_out: Json) -> str:
        """See :class:`Contest`."""
        return checked(answer, handed_out, self.classifier)


@dataclass(frozen=True, slots=True)
class Judged:
    """A contest whose library checks an answer against the file handed out; ``plain`` reads a file that is no JSON."""

    track: str
    plain: Callable[[str], Json]

    def read(self, content: bytes, handed_out: Json) -> Json:  # noqa: ARG002 - the file says all
        """See :class:`Contest`."""
        return _json_or(content, self.plain)

    def checked(self, answer: Json, handed_out: Json) -> str:
        """See :class:`Contest`."""
        text = _text_of(answer)
        track = registry.get(self.track)
        return _valid(track.validate(handed_out, "", track.steps({})[0].name, text.encode(), {}), text)


def _json_or(content: bytes, plain: Callable[[str], Json]) -> Json:
    """Read a file as JSON, or as the plain text that it is otherwise."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(error) from None
    try:
        return decode(text)
    except MalformedInput:
        return plain(text)


def _text_of(answer: Json) -> str:
    try:
        return json.dumps(answer, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidAnswerError((("not_json", str(error)),)) from None


def _valid(verdict: Verdict, text: str) -> str:
    if verdict.reasons:
        raise InvalidAnswerError(tuple((reason.code, reason.message) for reason in verdict.reasons))
    return text


@dataclass(frozen=True, slots=True)
class Diagnoses:
    """Answers to epicrises, as JSON, or a code alone: a diagnosis, before the first study a preliminary one."""

    def read(self, content: bytes, handed_out: Json) -> Json:
        """See :class:`Contest`."""
        return _json_or(content, lambda text: diagnosed(text.strip(), handed_out))

    def checked(self, answer: Json, handed_out: Json) -> str:
        """See :class:`Contest`."""
        text = _text_of(answer)
        stage = stage_of_version(handed_out["version"])
        dialogue = handed_out.get("dialogue")
        step = handed_out["version"] if dialogue is None else dialogue["step"]
        return _valid(answers.validate(text.encode(), step, stage), text)


def diagnosed(code: str, handed_out: Json) -> Json:
    """Return a main diagnosis of this code in the form that an epicrisis' version asks for."""
    if handed_out["version"] == "v1":
        filled = {"xPath": "", "start": "", "end": "", "decorCode": "diagnosisMain", "code": ""}
        return [{**filled, "name": code}]
    return [{"decorCode": "diagnosisMain", "code": code}]


@dataclass(frozen=True, slots=True)
class Declared:
    """Answers of a form that the cycle declares, as JSON, beside its measure."""

    form: Json

    def read(self, content: bytes, handed_out: Json) -> Json:  # noqa: ARG002 - the file says all
        """See :class:`Contest`."""
        try:
            return decode(content)
        except MalformedInput as error:
            raise UnreadableError(error.text) from None

    def checked(self, answer: Json, handed_out: Json) -> str:  # noqa: ARG002 - as above
        """See :class:`Contest`."""
        text = _text_of(answer)
        return _valid(declared.validate(text.encode(), self.form), text)


_KNOWN: Final[Mapping[str, Callable[[Mapping[str, Json]], Contest]]] = {
    "essay": lambda cycle: Essays(_classifier(cycle)),
    "exam": lambda _: Judged("exam", str.strip),
    "gec": lambda _: Judged("gec", lambda text: {"m2": text}),
    "diagnosis": lambda _: Diagnoses(),
    "custom": lambda cycle: Declared(cycle["parameters"]["track"]["measure"]["answer"]),
}
"""Plain text is an exam's answer itself, and a unit of M2 where grammar is corrected."""


# Clause: TS T16, D 1.14, D 7.5
def contest_of(cycle: Mapping[str, Json]) -> Contest:
    """Return the contest that a cycle describes; :class:`PkuError` ``unknown_contest`` for one that this kit
    cannot play."""
    name = cycle["track"]
    if name not in _KNOWN and cycle.get("submissions"):
        raise PkuError("submissions_only", name=name)
    if name not in _KNOWN:
        raise PkuError("unknown_contest", name=name, known=", ".join(sorted(_KNOWN)))
    return _KNOWN[name](cycle)


def _classifier(cycle: Mapping[str, Json]) -> Classifier | None:
    """Return the classifier of a cycle that has its own; None for the contest's default, which the kit carries."""
    described = cycle.get("classifier")
    if not isinstance(described, Mapping):
        return None
    try:
        return Classifier.from_dict(described)
    except ClassifierError as error:
        raise PkuError("bad_classifier", why=first_of(list(error.problems), len(error.problems))) from None


_BLANKS: Final = " \t\n"


def words_of(command: str, *, windows: bool) -> list[str]:
    """Split a command line into words: as a POSIX shell does, or as programs of Windows do.

    On Windows a backslash is a letter of a path, unless it stands before a quotation mark. ValueError for quotes that
    do not close. O(length).

    Source: Microsoft, "Parsing C command-line arguments", in the version of runtimes since 2008.
    """
    return _windows_words(command) if windows else shlex.split(command)


def _windows_words(command: str) -> list[str]:
    words: list[str] = []
    word: list[str] | None = None
    quoted, place = False, 0
    while place < len(command):
        letter = command[place]
        if letter in _BLANKS and not quoted:
            if word is not None:
                words.append("".join(word))
            word, place = None, place + 1
            continue
        word = [] if word is None else word
        slashes = len(command) - place - len(command[place:].lstrip("\\"))
        place += slashes
        if command[place : place + 1] != '"':
            word.append("\\" * slashes if slashes else letter)
            place += 0 if slashes else 1
            continue
        word.append("\\" * (slashes // 2))
        if slashes % 2:
            word.append('"')
        elif quoted and command[place + 1 : place + 2] == '"':
            word.append('"')
            place += 1
        else:
            quoted = not quoted
        place += 1
    if quoted:
        raise ValueError("a quotation mark is not closed")
    return words if word is None else [*words, "".join(word)]


MARGIN_S: Final = 1.0
"""Time kept back from the deadline for checking and sending the answer."""
POLL_S: Final = 0.2
_TAIL: Final = 2_000


@dataclass(frozen=True, slots=True)
class Task:
    """One file to solve; ``content`` is what was handed out, ``due`` the last moment by ``clock``."""

    session_id: str
    number: int
    file_id: str
    content: Json
    due: float
    clock: Clock
    contest: Contest = field(default_factory=Essays)

    def seconds_left(self) -> float:
        """Time for the solver, without the margin for sending; negative when it is over."""
        return self.due - MARGIN_S - self.clock.now()


class SolverError(PkuError):
    """The solver made no answer; ``stderr`` is the end of its error output."""

    def __init__(self, code: str, /, *, stderr: str = "", **values: Any) -> None:
        super().__init__(code, **values)
        self.stderr = stderr

    def text(self, language: str) -> str:
        """Return the fault, with the end of the solver's stderr."""
        fault, printed = super().text(language), self.stderr.strip()
        return f"{fault} {sentence('run.printed', language)}\n{printed}" if printed else fault


@runtime_checkable
class Solver(Protocol):
    """Computes answers; ``stop`` ends what is running, from another thread."""

    def solve(self, task: Task) -> Json:
        """Return the markup as a JSON value; :class:`SolverError` when there is none."""

    def stop(self) -> None:
        """End running work as soon as possible."""


class FunctionSolver:
    """A Python function from the essay's JSON to the markup's JSON.

    A function cannot be stopped from outside: one that takes too long sends a late answer. Work that may hang belongs
    into a :class:`CommandSolver`.
    """

    def __init__(self, function: Callable[[dict[str, Json]], Json]) -> None:
        self._function = function

    def solve(self, task: Task) -> Json:
        """Call the function with a copy of the content."""
        try:
            return self._function(copy.deepcopy(task.content))
        except (Exception, SystemExit) as error:
            raise SolverError("solver_raised", why=f"{type(error).__name__}: {error}") from error

    def stop(self) -> None:
        """Do nothing: a function ends by itself."""


def entry_point(name: str) -> FunctionSolver:
    """Load the function ``module:function``; modules of the current folder are found, as with ``python -m``."""
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise PkuError("bad_entry_point", name=name, why=tr("module:function"))
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        target: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            target = getattr(target, part)
    except (Exception, SystemExit) as error:  # noqa: BLE001  importing runs a participant's code, which may raise anything
        raise PkuError("bad_entry_point", name=name, why=f"{type(error).__name__}: {error}") from None
    if not callable(target):
        raise PkuError("bad_entry_point", name=name, why=repr(type(target).__name__))
    return FunctionSolver(target)


class CommandSolver:
    """A command with ``{input}`` and ``{output}``: it reads the essay's file and writes the markup's file.

    The command is split into words as on the system it runs on, and started without a shell in a process group of its
    own, which is killed as a whole at the deadline. The output may be JSON or the inline notation.
    """

    def __init__(self, command: str) -> None:
        try:
            words = words_of(command, windows=os.name == "nt")
        except ValueError:  # quotes that do not close
            words = []
        text = " ".join(words)
        if not words or "{input}" not in text or "{output}" not in text:
            raise PkuError("bad_command", command=command)
        self._words = words
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()

    def solve(self, task: Task) -> Json:
        """Run the command once, in a folder of its own that is removed afterwards."""
        with tempfile.TemporaryDirectory(prefix="pku-") as name:
            task_file, answer_file, stderr_file = (
                Path(name, f"{task.file_id}.json"),
                Path(name, "answer.json"),
                Path(name, "stderr"),
            )
            task_file.write_bytes(json.dumps(task.content, ensure_ascii=False).encode())
            words = [
                word.replace("{input}", str(task_file)).replace("{output}", str(answer_file)) for word in self._words
            ]
            code = self._run(task, words, stderr_file)
            stderr = stderr_file.read_bytes()[-_TAIL:].decode("utf-8", "replace")
            if code != 0:
                raise SolverError("solver_failed", status=code, stderr=stderr)
            if not answer_file.exists():
                raise SolverError("solver_no_output", stderr=stderr)
            return _read(answer_file.read_bytes(), task)

    def stop(self) -> None:
        """Kill the running commands."""
        with self._lock:
            for process in self._running:
                kill_group(process)

    def _run(self, task: Task, words: list[str], stderr: Path) -> int:
        seconds_left = task.seconds_left()
        if seconds_left <= 0:
            raise SolverError("solver_no_time")
        with stderr.open("wb") as errors:
            try:
                process = subprocess.Popen(  # noqa: S603  the participant's own command, without a shell
                    words, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True
                )
            except OSError as error:
                raise SolverError("solver_not_started", command=words[0], why=of_system(error)) from None
        with self._lock:
            self._running.add(process)
        try:
            return process.wait(timeout=seconds_left)
        except subprocess.TimeoutExpired:
            tail = stderr.read_bytes()[-_TAIL:].decode("utf-8", "replace")
            raise SolverError("solver_timeout", seconds=round(seconds_left, 1), stderr=tail) from None
        finally:
            kill_group(process)  # also what the command left behind in its group
            process.wait()
            with self._lock:
                self._running.discard(process)


class FolderSolver:
    """Folder mode: the essay appears as ``in/FILE_ID.json``; the markup is awaited as ``out/FILE_ID.json`` or ``.txt``.

    Essays appear whole (written aside and renamed). A markup that cannot be read yet is read again until the deadline,
    since its writer may not have finished; a writer that renames is never read half.
    """

    def __init__(self, folder: Path) -> None:
        self._in, self._out = folder / "in", folder / "out"
        self._stopped = threading.Event()
        for subfolder in (self._in, self._out):
            subfolder.mkdir(parents=True, exist_ok=True)

    def solve(self, task: Task) -> Json:
        """Show the essay and wait for its markup."""
        task_file = self._in / f"{task.file_id}.json"
        if not task_file.exists():
            write_private(task_file, json.dumps(task.content, ensure_ascii=False, indent=1).encode())
        fault: SolverError | None = None
        while task.seconds_left() > 0 and not self._stopped.is_set():
            for suffix in (".json", ".txt"):
                try:
                    content = (self._out / f"{task.file_id}{suffix}").read_bytes()
                    return _read(content, task)
                except FileNotFoundError:
                    continue
                except SolverError as error:
                    fault = error
            task.clock.sleep(min(POLL_S, max(0.01, task.seconds_left())))
        raise fault or SolverError("folder_no_answer", path=self._out / f"{task.file_id}.json")

    def stop(self) -> None:
        """End the waiting."""
        self._stopped.set()


def _read(content: bytes, task: Task) -> Json:
    try:
        return task.contest.read(content, task.content)
    except UnreadableError as error:
        raise SolverError("answer_unreadable", why=error) from None


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group, with all of its group; do nothing if it is gone."""
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # the group is gone
