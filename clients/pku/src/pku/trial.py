"""Try a program without a session: an archive as the platform runs it, a solver on essays with experts' markups."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from markup_core.accuracy import EssayScore, score_essay
from markup_core.command.inputs import EssayFiles, UnreadableError, find_essays, read_markup
from markup_core.comparable import fold
from markup_core.model import Markup
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import decode, dump, validate
from markup_core.sample import SampleScore, summarise
from markup_core.texts import EN, RU
from pku import config
from pku.answers import Comparison
from pku.config import Clock
from pku.doctor import Finding, Verdict, try_out
from pku.errors import Detail, PkuError, of_system
from pku.messages import tr
from pku.solvers import Essays, Solver, kill_group, words_of
from tracks import registry
from tracks.capabilities import AnsweredByProgram, ProgramRead
from tracks.fusion.archive import ArchiveLimits, unpack
from tracks.protocol import Reason

HOME: Final = "/home/jovyan"
"""Folder into which the platform unpacks an archive (F, "Общий формат решения")."""
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
        """Return the cycle's contest; None where no programs are submitted to it, or this kit does not know it."""
        name = cycle["track"]
        track = registry.get(name) if name in registry.names() else None
        if track is None or not isinstance(track, AnsweredByProgram):
            return None
        parameters, _ = track.read_parameters(cycle["parameters"].get("track", {}))
        return cls(name, track, parameters)

    @property
    def limits(self) -> Mapping[str, int]:
        """Return a program's limits."""
        return dict(self.track.run_limits(self.parameters))

    def judge(self, archive: Path) -> ProgramRead:
        """Check an archive as the platform does; :class:`PkuError` where it cannot be opened."""
        try:
            with archive.open("rb") as source:
                verdict: ProgramRead = self.track.read_program(source, self.parameters)
        except OSError as error:
            raise PkuError("submission_unreadable", path=archive, why=of_system(error)) from None
        return verdict

    def sample(self) -> Mapping[str, bytes]:
        """Return a small set in the contest's own files, by their paths."""
        return dict(_below(resources.files("pku") / "samples" / self.name, ""))

    def items(self) -> Mapping[str, Any]:
        """Return the sample's items by their names, sorted."""
        unpacked = self.track.unpack(self.sample(), self.parameters)
        names = sorted(name for name in unpacked.files if "_exp" not in name)
        return {name.removesuffix(".json"): json.loads(unpacked.files[name]) for name in names}

    def worth(self, item: Any, body: bytes) -> tuple[Reason, ...]:
        """Return why an output is no answer to an item; empty where it is one."""
        (step,) = self.track.steps(self.parameters)
        reasons: tuple[Reason, ...] = self.track.validate(item, item["id"], step.name, body, self.parameters).reasons
        return reasons


@dataclass(frozen=True, slots=True)
class Execution:
    """The end of a program: ``code`` is None if its time was over first; ``output_tail`` is the end of its output."""

    code: int | None
    seconds: float
    output_tail: str
    outputs: Mapping[str, bytes]


# Clause: TS T16
def check_archive(
    archive: Path, contest: Programs, clock: Clock, on_tick: Callable[[], None] = lambda: None
) -> list[Finding]:
    """Try an archive: return its faults, or how it ran on the sample and what its outputs are worth.

    ``on_tick`` is called now and then while it runs, for half an hour at most in the contest that has the rule.
    """
    read = contest.judge(archive)
    findings = [
        *(Finding("archive_fault", Verdict.FAULT, {"message": reason.message}) for reason in read.reasons),
        *(Finding("archive_remark", Verdict.WARNING, {"message": warning.message}) for warning in read.warnings),
    ]
    if read.reasons:
        return findings
    findings.append(Finding("archive", Verdict.GOOD, {"image": read.image, "entry_point": read.entry_point}))
    try:
        ran = _run(archive, read.entry_point, contest, clock, on_tick)
    except OSError as error:
        values = {"entry_point": read.entry_point, "why": of_system(error)}
        return [*findings, Finding("program_not_started", Verdict.FAULT, values)]
    row: dict[str, Any] = {"seconds": round(ran.seconds, 1), "limit_s": contest.limits["wall_s"]}
    row |= {"said": ran.output_tail.strip() or "–", **({"code": ran.code} if ran.code else {})}
    name = "program_timeout" if ran.code is None else "program_failed" if ran.code else "program"
    ending = Finding(name, Verdict.GOOD if ran.code == 0 else Verdict.FAULT, row)
    return [*findings, ending, *_outputs(ran, contest)]


def _outputs(ran: Execution, contest: Programs) -> Iterator[Finding]:
    """Yield for each item of the sample whether its output would be an answer; a missing one scores nothing."""
    for name, item in contest.items().items():
        names = contest.track.outputs_of(item)
        body = next((ran.outputs[output] for output in names if output in ran.outputs), None)
        if body is None:
            yield Finding("output_missing", Verdict.WARNING, {"item": name, "file": f"output/{names[0]}"})
        elif reasons := contest.worth(item, body):
            yield Finding("output_invalid", Verdict.FAULT, {"item": name, "message": reasons[0].message})
        else:
            yield Finding("output", Verdict.GOOD, {"item": name, "bytes": len(body)})


def _run(archive: Path, entry_point: str, contest: Programs, clock: Clock, on_tick: Callable[[], None]) -> Execution:
    limits = contest.limits
    with tempfile.TemporaryDirectory(prefix="pku-") as name:
        home, log = Path(name, "jovyan"), Path(name, "log")
        with archive.open("rb") as source:
            unpack(source, home, ArchiveLimits(limits["packed"], limits["unpacked"], limits["members"]))
        for path, content in contest.sample().items():
            if path.startswith("input/"):  # the true answers are nowhere near the program, as on the platform
                (home / path).parent.mkdir(parents=True, exist_ok=True)
                (home / path).write_bytes(content)
        output_folder = home / "output"
        output_folder.mkdir(exist_ok=True)
        words = [word.replace(HOME, str(home)) for word in words_of(entry_point, windows=False)]
        started = clock.now()
        code = _code(words, home, log, limits["wall_s"], on_tick)
        seconds = clock.now() - started
        outputs = {place.name: place.read_bytes() for place in output_folder.iterdir() if place.is_file()}
        return Execution(code, seconds, log.read_bytes()[-_TAIL:].decode("utf-8", "replace"), outputs)


def _code(words: list[str], home: Path, log: Path, limit: int, on_tick: Callable[[], None]) -> int | None:
    """Return the exit code, None after a timeout; no process of its group is left running."""
    with log.open("wb") as log_file:
        process = subprocess.Popen(  # noqa: S603  the participant's own program, without a shell
            words,
            cwd=home,
            env=config.environment_of_a_program(home),
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=log_file,
            start_new_session=True,
        )
    try:
        for _ in range(round(limit / _LOOK_S)):
            try:
                return process.wait(timeout=_LOOK_S)
            except subprocess.TimeoutExpired:
                on_tick()
        return None
    finally:
        kill_group(process)  # also what the program left behind in its group
        process.wait()


def _below(folder: Traversable, before: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _below(entry, f"{before}{entry.name}/")
        else:
            yield f"{before}{entry.name}", entry.read_bytes()


Json = Any


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a cycle; without one, the library's usual parameters."""

    scoring: ScoringParams
    classifier: Classifier | None
    limit_s: float
    seed: int


@dataclass(frozen=True, slots=True)
class Essay:
    """An essay to be marked up, as it would be handed out, and the experts' markups."""

    essay_id: str
    content: Mapping[str, Json]
    experts: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one essay: an answer with its time in seconds, or why there is none."""

    essay: Essay
    score: EssayScore
    answer: Markup | None = None
    seconds: float | None = None
    failure: PkuError | None = None


@dataclass(frozen=True, slots=True)
class CodeCount:
    """Fragments of one code over all answered essays: the experts' (of each of them), how many of those the program
    found, under whatever code, and how many under this one; the program's, and how many of those no expert has."""

    code: str
    experts: int
    found: int
    named: int
    own: int
    stray: int


@dataclass(frozen=True, slots=True)
class Trial:
    """All essays in the order of their names, and their accuracies."""

    tried: tuple[Attempt, ...]
    sample: SampleScore

    @property
    def answered(self) -> tuple[Attempt, ...]:
        """Return the essays with a valid answer."""
        return tuple(outcome for outcome in self.tried if outcome.answer is not None)

    @property
    def empty(self) -> int:
        """Count the answers without a fragment."""
        return sum(not outcome.answer.fragments for outcome in self.tried if outcome.answer is not None)

    @property
    def longest_s(self) -> float:
        """Return the longest time that an answer took, in seconds; 0 without answers."""
        return max((outcome.seconds or 0.0 for outcome in self.tried), default=0.0)

    def comparison(self, essay_id: str) -> Comparison:
        """Return the answer to an essay beside the experts' markups; :class:`PkuError` ``try_no_answer`` for none."""
        outcome = next(candidate for candidate in self.tried if candidate.essay.essay_id == essay_id)
        if outcome.answer is None:
            raise PkuError("try_no_answer", essay=essay_id)
        experts = tuple(dump(expert) for expert in outcome.essay.experts)
        return Comparison(dump(outcome.answer), experts, outcome.score.to_dict())

    def by_code(self) -> list[CodeCount]:
        """Return every code that a valid answer or an expert of its essay has; the experts' most frequent first."""
        experts, matched, named, own, stray = (Counter[str]() for _ in range(5))
        spelt: dict[str, str] = {}
        for outcome in self.answered:
            ours = _codes(outcome.answer, spelt)
            own.update(ours)
            for pair in (pair for pair in outcome.score.pairs if pair.x is None):
                theirs = _codes(outcome.essay.experts[pair.y], spelt)
                experts.update(theirs)
                matched.update(theirs[k] for _, k in pair.pairs)
                named.update(theirs[k] for i, k in pair.pairs if ours[i] == theirs[k])
            matched_ours = {i for pair in outcome.score.pairs if pair.x is None for i, _ in pair.pairs}
            stray.update(code for i, code in enumerate(ours) if i not in matched_ours)
        codes = sorted(spelt, key=lambda code: (-experts[code], -own[code], code))
        return [
            CodeCount(spelt[code], experts[code], matched[code], named[code], own[code], stray[code]) for code in codes
        ]


def _codes(markup: Markup | None, spelt: dict[str, str]) -> list[str]:
    """Return the folded codes of a markup's fragments; ``spelt`` keeps the first spelling of each."""
    codes = [] if markup is None else [fragment.code for fragment in markup.fragments]
    for code in codes:
        spelt.setdefault(fold(code), code)
    return [fold(code) for code in codes]


def essays_of(folder: Path, classifier: Classifier | None) -> list[Essay]:
    """Return the essays of a folder that have expert markup; :class:`PkuError` names the file that cannot be used."""
    try:
        essays = [_essay(files, classifier) for files in find_essays(folder) if files.experts]
    except UnreadableError as error:
        raise PkuError("try_unreadable", why=Detail("unreadable", error.text(EN), error.text(RU), {})) from None
    if not essays:
        raise PkuError("try_no_experts", folder=folder)
    return essays


def _essay(files: EssayFiles, classifier: Classifier | None) -> Essay:
    experts = []
    for path in files.experts:
        read = validate(read_markup(path), classifier=classifier)
        if read.markup is None or read.errors:
            first = read.errors[0]
            raise UnreadableError(tr("{path}: {problem} [{code}]", path=path, problem=first.message, code=first.code))
        experts.append(read.markup)
    source = read_markup(files.algorithm or files.experts[0])
    differing = [path for path, expert in zip(files.experts, experts, strict=True) if expert.text != source.get("text")]
    if differing:
        own, other = differing[0], files.algorithm or files.experts[0]
        raise UnreadableError(tr("{own}: its text is not that of {other}", own=own, other=other))
    return Essay(files.essay, {**source, "criteria": {}, "selections": []}, tuple(experts))


def attempt(
    essays: Sequence[Essay],
    solver: Solver,
    clock: Clock,
    rules: Rules,
    *,
    workers: int = 1,
    on_done: Callable[[], None] = lambda: None,
) -> Trial:
    """Let a solver mark up all essays, ``workers`` at a time, and score its answers; ``on_done`` after each.

    An essay whose answer would be refused, or that took longer than ``limit_s``, has no answer, as in a session.
    """

    def one(essay: Essay) -> Attempt:
        tried = _attempt_one(essay, solver, clock, rules)
        on_done()
        return tried

    pool = ThreadPoolExecutor(workers, thread_name_prefix="pku")
    try:
        tried = tuple(pool.map(one, essays))
    except BaseException:
        solver.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return Trial(tried, summarise([outcome.score for outcome in tried], rules.seed))


def _attempt_one(essay: Essay, solver: Solver, clock: Clock, rules: Rules) -> Attempt:
    try:
        text, seconds = try_out(solver, clock, essay.content, rules.limit_s, Essays(rules.classifier))
    except PkuError as error:
        return Attempt(essay, score_essay(None, essay.experts, rules.scoring), failure=error)
    if seconds > rules.limit_s:
        late = PkuError("try_late", seconds=round(seconds, 1), limit=rules.limit_s)
        return Attempt(essay, score_essay(None, essay.experts, rules.scoring), seconds=seconds, failure=late)
    answer = validate(decode(text), classifier=rules.classifier).markup
    return Attempt(essay, score_essay(answer, essay.experts, rules.scoring), answer, seconds)
