"""A solver on essays that experts have marked up, without a platform and without a session (R 4.2.1, 4.6).

The folder is what ``pku data get`` brings: ``ID.json`` beside ``ID_exp01.json``, ``ID_exp02.json`` …. Answers are
judged as before they are sent and scored as the platform does, so that the numbers are those of a session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markup_core.accuracy import EssayScore, score_essay
from markup_core.command.folder import EssayFiles, UnreadableError, find_essays, read_markup
from markup_core.model import Markup, fold
from markup_core.params import ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import decode, dump, validate
from markup_core.said import told
from markup_core.sample import SampleScore, summarise
from pku.checks.doctor import try_out
from pku.clock import Clock
from pku.errors import Detail, PkuError
from pku.messages.catalogue import EN, RU
from pku.wire.answers import Comparison
from pku.work.contests import Essays
from pku.work.solvers import Solver

Json = Any


@dataclass(frozen=True, slots=True)
class Rules:
    """What a cycle asks for; without one, the library's usual parameters."""

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
class Tried:
    """What came of one essay: an answer with its time in seconds, or why there is none."""

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

    tried: tuple[Tried, ...]
    sample: SampleScore

    @property
    def answered(self) -> tuple[Tried, ...]:
        """Essays with a valid answer."""
        return tuple(each for each in self.tried if each.answer is not None)

    @property
    def empty(self) -> int:
        """Answers without a fragment."""
        return sum(not each.answer.fragments for each in self.tried if each.answer is not None)

    @property
    def longest_s(self) -> float:
        """The longest time that an answer took; 0 without answers."""
        return max((each.seconds or 0.0 for each in self.tried), default=0.0)

    def comparison(self, essay_id: str) -> Comparison:
        """The answer to an essay beside the experts' markups; :class:`PkuError` ``try_no_such_essay``, and
        ``try_no_answer`` where there is none."""
        found = next((each for each in self.tried if each.essay.essay_id == essay_id), None)
        if found is None:
            raise PkuError("try_no_such_essay", essay=essay_id)
        if found.answer is None:
            raise PkuError("try_no_answer", essay=essay_id)
        experts = tuple(dump(each) for each in found.essay.experts)
        return Comparison(dump(found.answer), experts, found.score.to_dict())

    def by_code(self) -> list[CodeCount]:
        """Every code that a valid answer or an expert of its essay has; the experts' most frequent first."""
        experts, found, named, own, stray = (Counter[str]() for _ in range(5))
        spelt: dict[str, str] = {}
        for each in self.answered:
            ours = _codes(each.answer, spelt)
            own.update(ours)
            for pair in (pair for pair in each.score.pairs if pair.x is None):
                theirs = _codes(each.essay.experts[pair.y], spelt)
                experts.update(theirs)
                found.update(theirs[k] for _, k in pair.pairs)
                named.update(theirs[k] for i, k in pair.pairs if ours[i] == theirs[k])
            stray.update(ours[i] for i in _unmatched(each.score, len(ours)))
        codes = sorted(spelt, key=lambda code: (-experts[code], -own[code], code))
        return [
            CodeCount(spelt[code], experts[code], found[code], named[code], own[code], stray[code]) for code in codes
        ]


def _codes(markup: Markup | None, spelt: dict[str, str]) -> list[str]:
    """The codes of a markup's fragments as they are compared; ``spelt`` learns how the first one wrote each."""
    codes = [] if markup is None else [fragment.code for fragment in markup.fragments]
    for code in codes:
        spelt.setdefault(fold(code), code)
    return [fold(code) for code in codes]


def _unmatched(score: EssayScore, fragments: int) -> set[int]:
    """The program's fragments to which no expert's answers."""
    matched = {i for pair in score.pairs if pair.x is None for i, _ in pair.pairs}
    return set(range(fragments)) - matched


def essays_of(folder: Path, classifier: Classifier | None) -> list[Essay]:
    """The essays of a folder that experts have marked up; :class:`PkuError` names the file that cannot be used."""
    try:
        found = [_essay(each, classifier) for each in find_essays(folder) if each.experts]
    except UnreadableError as error:
        raise PkuError("try_unreadable", why=Detail("unreadable", error.text(EN), error.text(RU), {})) from None
    if not found:
        raise PkuError("try_no_experts", folder=folder)
    return found


def _essay(files: EssayFiles, classifier: Classifier | None) -> Essay:
    experts = []
    for path in files.experts:
        read = validate(read_markup(path), classifier=classifier)
        if read.markup is None or read.errors:
            first = read.errors[0]
            russian = told(first.message, RU)
            raise UnreadableError(f"{path}: {first.message} [{first.code}]", f"{path}: {russian} [{first.code}]")
        experts.append(read.markup)
    source = read_markup(files.algorithm or files.experts[0])
    differing = [path for path, each in zip(files.experts, experts, strict=True) if each.text != source.get("text")]
    if differing:
        own, other = differing[0], files.algorithm or files.experts[0]
        raise UnreadableError(f"{own}: its text is not that of {other}", f"{own}: текст не тот, что в {other}")
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

    def one(essay: Essay) -> Tried:
        tried = _tried(essay, solver, clock, rules)
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
    return Trial(tried, summarise([each.score for each in tried], rules.seed))


def _tried(essay: Essay, solver: Solver, clock: Clock, rules: Rules) -> Tried:
    try:
        text, seconds = try_out(solver, clock, essay.content, rules.limit_s, Essays(rules.classifier))
    except PkuError as error:
        return Tried(essay, score_essay(None, essay.experts, rules.scoring), failure=error)
    if seconds > rules.limit_s:
        late = PkuError("try_late", seconds=round(seconds, 1), limit=rules.limit_s)
        return Tried(essay, score_essay(None, essay.experts, rules.scoring), seconds=seconds, failure=late)
    answer = validate(decode(text), classifier=rules.classifier).markup
    return Tried(essay, score_essay(answer, essay.experts, rules.scoring), answer, seconds)
