"""``pku doctor --archive``: a submission's archive, judged as the platform judges it and run here once on a sample.

Its image is not pulled and nothing of the machine's is held back: the program is its owner's own. What a run here
cannot show (image, memory, GPU, no network) the finding says.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from markup_core.said import Said
from pku import config
from pku.checks.doctor import Finding, Verdict
from pku.clock import Clock
from pku.errors import PkuError, of_system
from pku.work.command_line import words_of
from pku.work.solvers import kill_group
from tracks import registry
from tracks.capabilities import AnsweredByProgram, ProgramRead
from tracks.fusion.archive import ArchiveLimits, unpack
from tracks.protocol import Reason

HOME: Final = "/home/jovyan"
"""Where the platform unpacks an archive (F, "Общий формат решения")."""
_TAIL: Final = 2_000
_LOOK_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class Programs:
    """A contest to which programs are submitted, with a cycle's parameters."""

    name: str
    track: Any
    parameters: Any

    @classmethod
    def of(cls, cycle: Mapping[str, Any]) -> Programs | None:
        """The cycle's contest; None where no programs are submitted to it, or this kit does not know it."""
        name = cycle["track"]
        track = registry.get(name) if name in registry.names() else None
        if track is None or not isinstance(track, AnsweredByProgram):
            return None
        parameters, _ = track.read_parameters(cycle["parameters"].get("track", {}))
        return cls(name, track, parameters)

    @property
    def limits(self) -> Mapping[str, int]:
        """What a program may use."""
        return dict(self.track.run_limits(self.parameters))

    def judge(self, archive: Path) -> ProgramRead:
        """An archive as the platform reads it; :class:`PkuError` where it cannot be opened."""
        try:
            with archive.open("rb") as source:
                found: ProgramRead = self.track.read_program(source, self.parameters)
        except OSError as error:
            raise PkuError("submission_unreadable", path=archive, why=of_system(error)) from None
        return found

    def sample(self) -> Mapping[str, bytes]:
        """A small set in the contest's own files, by their paths."""
        return dict(_below(resources.files("pku.checks") / "samples" / self.name, ""))

    def items(self) -> Mapping[str, Any]:
        """The sample's items by their names, sorted."""
        unpacked = self.track.unpack(self.sample(), self.parameters)
        names = sorted(name for name in unpacked.files if "_exp" not in name)
        return {name.removesuffix(".json"): json.loads(unpacked.files[name]) for name in names}

    def worth(self, item: Any, body: bytes) -> tuple[Reason, ...]:
        """Why an output is no answer to an item; empty where it is one."""
        (step,) = self.track.steps(self.parameters)
        reasons: tuple[Reason, ...] = self.track.validate(item, item["id"], step.name, body, self.parameters).reasons
        return reasons


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended: ``code`` is None where its time was over first; ``said`` is the end of what it wrote."""

    code: int | None
    seconds: float
    said: str
    outputs: Mapping[str, bytes]


def check_archive(
    archive: Path, contest: Programs, clock: Clock, each: Callable[[], None] = lambda: None
) -> list[Finding]:
    """What would become of an archive: its faults, or how it ran on the sample and what its outputs are worth.

    ``each`` is called now and then while it runs, for half an hour at most in the contest that has the rule.

    Clause: TS T16
    """
    read = contest.judge(archive)
    found = [Finding("archive_fault", Verdict.FAULT, {"message": _said(each)}) for each in read.reasons]
    found += [Finding("archive_remark", Verdict.WARNING, {"message": _said(each)}) for each in read.warnings]
    if read.reasons:
        return found
    found.append(Finding("archive", Verdict.GOOD, {"image": read.image, "entry_point": read.entry_point}))
    try:
        ran = _run(archive, read.entry_point, contest, clock, each)
    except OSError as error:
        values = {"entry_point": read.entry_point, "why": of_system(error)}
        return [*found, Finding("program_not_started", Verdict.FAULT, values)]
    return [*found, _ending(ran, contest), *_outputs(ran, contest)]


def _ending(ran: Ran, contest: Programs) -> Finding:
    values = {"seconds": round(ran.seconds, 1), "limit_s": contest.limits["wall_s"], "said": ran.said.strip() or "–"}
    if ran.code is None:
        return Finding("program_timeout", Verdict.FAULT, values)
    if ran.code != 0:
        return Finding("program_failed", Verdict.FAULT, {**values, "code": ran.code})
    return Finding("program", Verdict.GOOD, values)


def _outputs(ran: Ran, contest: Programs) -> Iterator[Finding]:
    """Of each item of the sample whether its output would be an answer; one that is not there scores nothing."""
    for name, item in contest.items().items():
        names = contest.track.outputs_of(item)
        body = next((ran.outputs[each] for each in names if each in ran.outputs), None)
        if body is None:
            yield Finding("output_missing", Verdict.WARNING, {"item": name, "file": f"output/{names[0]}"})
        elif reasons := contest.worth(item, body):
            yield Finding("output_invalid", Verdict.FAULT, {"item": name, "message": _said(reasons[0])})
        else:
            yield Finding("output", Verdict.GOOD, {"item": name, "bytes": len(body)})


def _run(archive: Path, entry_point: str, contest: Programs, clock: Clock, each: Callable[[], None]) -> Ran:
    limits = contest.limits
    with tempfile.TemporaryDirectory(prefix="pku-") as name:
        home, log = Path(name, "jovyan"), Path(name, "log")
        with archive.open("rb") as source:
            unpack(source, home, ArchiveLimits(limits["packed"], limits["unpacked"], limits["members"]))
        for path, content in contest.sample().items():
            if path.startswith("input/"):  # the true answers are nowhere near the program, as on the platform
                (home / path).parent.mkdir(parents=True, exist_ok=True)
                (home / path).write_bytes(content)
        made = home / "output"
        made.mkdir(exist_ok=True)
        words = [word.replace(HOME, str(home)) for word in words_of(entry_point, windows=False)]
        started = clock.now()
        code = _code(words, home, log, limits["wall_s"], each)
        seconds = clock.now() - started
        outputs = {place.name: place.read_bytes() for place in made.iterdir() if place.is_file()}
        return Ran(code, seconds, log.read_bytes()[-_TAIL:].decode("utf-8", "replace"), outputs)


def _code(words: list[str], home: Path, log: Path, limit: int, each: Callable[[], None]) -> int | None:
    """The exit code; None where the time was over first. Everything in its group is dead afterwards."""
    with log.open("wb") as said:
        process = subprocess.Popen(  # noqa: S603  the participant's own program, without a shell
            words,
            cwd=home,
            env=config.environment_of_a_program(home),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        for _ in range(round(limit / _LOOK_S)):
            try:
                return process.wait(timeout=_LOOK_S)
            except subprocess.TimeoutExpired:
                each()
        return None
    finally:
        kill_group(process)  # also what the program left behind in its group
        process.wait()


def _said(reason: Reason) -> Said:
    return Said(reason.message.en, reason.message.ru)


def _below(folder: Traversable, before: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _below(each, f"{before}{each.name}/")
        else:
            yield f"{before}{each.name}", each.read_bytes()
