"""Injected faults of a rehearsal: faults by name, and each team's behaviour with each file, drawn from the seed.

The draw for a team's file depends on the seed, the faults and that file alone, so that a rehearsal with the same words
injects the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rehearsal.moments import SECOND, Millis
from rehearsal.texts import tr


class Fault(StrEnum):
    """Kinds of faults, as ``--faults`` names them."""

    DISCONNECTS = "disconnects"
    SLOW = "slow"
    DUPLICATES = "duplicates"
    WRONG = "wrong"
    BROKEN = "broken"
    RESENDS = "resends"
    KILLS = "kills"
    EVENTS = "events"
    TICKS = "ticks"
    THROTTLES = "throttles"
    CLOCKS = "clocks"
    LOSSES = "losses"
    CROWD = "crowd"
    PRYING = "prying"
    DECISIONS = "decisions"
    PRACTICE = "practice"
    QUALIFYING = "qualifying"
    LEAVING = "leaving"
    READING = "reading"
    PEOPLE = "people"
    TWINS = "twins"


ALL: Final = frozenset(Fault) - {Fault.TWINS}
"""All faults but TWINS, which must be named: a second visit of the timer would replace every missed one."""
SOME: Final = frozenset({Fault.DISCONNECTS, Fault.SLOW, Fault.DUPLICATES, Fault.EVENTS, Fault.TICKS})
_WORDS: Final = {"none": frozenset[Fault](), "some": SOME, "all": ALL}
_SHARE: Final = 0.35  # usual share of the files with a trick when everything is injected


class UnknownFaultError(ValueError):
    """Raised for a word of ``--faults`` that is no fault's name."""


class Trick(StrEnum):
    """A team's behaviour with a file besides asking for it and answering."""

    NONE = "none"
    LOST_REQUEST = "lost_request"
    LOST_FILE = "lost_file"
    UNSENT_ANSWER = "unsent_answer"
    LOST_RECEIPT = "lost_receipt"
    LOST_RECEIPT_WITH_KEY = "lost_receipt_with_key"
    LAST_MOMENT_REQUEST = "last_moment_request"
    LATE_REQUEST = "late_request"
    NO_REQUEST = "no_request"
    LAST_MOMENT_ANSWER = "last_moment_answer"
    LATE_ANSWER = "late_answer"
    LATE_IMPROVEMENT = "late_improvement"
    TWO_REQUESTS = "two_requests_at_once"
    SAME_TWICE = "same_answer_twice_at_once"
    SAME_TWICE_WITH_KEY = "same_answer_twice_with_key"
    TWO_ANSWERS = "two_answers_at_once"
    TWO_ANSWERS_ONE_KEY = "two_answers_with_one_key"
    OTHER_ESSAY = "other_essay_first"
    OTHER_ESSAY_ONLY = "other_essay_only"
    BROKEN_JSON = "broken_json_first"
    BROKEN_JSON_ONLY = "broken_json_only"
    TWELVE_SENDS = "twelve_sends"
    EARLY_REQUEST = "early_request"
    ABANDONED_REQUEST = "abandoned_request"
    ABANDONED_ANSWER = "abandoned_answer"


_TRICKS: Final[dict[Fault, dict[Trick, int]]] = {
    Fault.DISCONNECTS: {
        Trick.LOST_REQUEST: 3, Trick.LOST_FILE: 3, Trick.UNSENT_ANSWER: 2, Trick.LOST_RECEIPT: 3,
        Trick.LOST_RECEIPT_WITH_KEY: 3,
    },
    Fault.SLOW: {
        Trick.LAST_MOMENT_REQUEST: 3, Trick.LATE_REQUEST: 1, Trick.NO_REQUEST: 1, Trick.LAST_MOMENT_ANSWER: 3,
        Trick.LATE_ANSWER: 1, Trick.LATE_IMPROVEMENT: 2,
    },
    Fault.DUPLICATES: {
        Trick.TWO_REQUESTS: 2, Trick.SAME_TWICE: 3, Trick.SAME_TWICE_WITH_KEY: 3, Trick.TWO_ANSWERS: 3,
        Trick.TWO_ANSWERS_ONE_KEY: 2,
    },
    Fault.WRONG: {Trick.OTHER_ESSAY: 3, Trick.OTHER_ESSAY_ONLY: 1},
    Fault.BROKEN: {Trick.BROKEN_JSON: 3, Trick.BROKEN_JSON_ONLY: 1},
    Fault.RESENDS: {Trick.TWELVE_SENDS: 3},
    Fault.KILLS: {Trick.ABANDONED_REQUEST: 1, Trick.ABANDONED_ANSWER: 1},
    Fault.CLOCKS: {Trick.EARLY_REQUEST: 4},
}  # fmt: skip
"""Tricks of each fault with their weights."""


@dataclass(frozen=True, slots=True)
class Script:
    """A team's behaviour with a file: when it asks, counted from the opening; how long it works; what goes wrong."""

    ask_after: Millis
    work: Millis
    trick: Trick


def faults_named(text: str) -> frozenset[Fault]:
    """Return the faults for ``none``, ``some``, ``all``, or names with commas between; :class:`UnknownFaultError`."""
    if text in _WORDS:
        return _WORDS[text]
    names, every = [word.strip() for word in text.split(",")], list(Fault)
    if unknown := next((name for name in names if name not in every), None):
        choices = ", ".join([*_WORDS, *Fault])
        raise UnknownFaultError(
            tr("no fault is called {unknown}; choose from {choices}", unknown=repr(unknown), choices=choices)
        )
    return frozenset(map(Fault, names))


class Scripts:
    """The scripts of a rehearsal's teams. ``longest`` is how much of the time for an answer a team may use.

    ``share`` is that of the files with a trick, by default a third when everything is injected, and otherwise what of
    it falls to the chosen faults: so each trick is as frequent alone as it is among others.
    """

    def __init__(self, seed: int, faults: frozenset[Fault], longest: Millis, share: float | None = None) -> None:
        self._seed = seed
        self._tricks = {
            trick: weight for fault in sorted(faults & _TRICKS.keys()) for trick, weight in _TRICKS[fault].items()
        }
        part = sum(self._tricks.values()) / sum(sum(weights.values()) for weights in _TRICKS.values())
        self._share = _SHARE * part if share is None else share
        self._longest = longest

    def of(self, team: int, number: int) -> Script:
        """Return a team's behaviour with a file.

        Moments lie on a grid of half seconds for requests and of a tenth of the time for answers: so several teams
        act at the same moment, as they would.
        """
        chance = random.Random(f"{self._seed}/{team}/{number}")  # noqa: S311 - reproducible, nothing secret
        ask_after = chance.choice((0, 0, 0, 0, 500, 1000, 1500, 3000))
        work = self._longest * chance.randint(1, 8) // 10
        trick = Trick.NONE
        if self._tricks and chance.random() < self._share:
            trick = chance.choices(tuple(self._tricks), tuple(self._tricks.values()))[0]
        return Script(ask_after, work - work % (SECOND // 2), trick)
