"""Answers in the contest's notation for people, read and written by what the platform itself scores with."""

from __future__ import annotations

from typing import Final

from contest.errors import AnswerTooLargeError
from contest.services import reading
from contest.services.platform import Platform
from tracks.protocol import Verdict, Written

MAX_TEXT: Final = 256 * 1024
"""Bytes of what anybody may have read or written; larger answers are read on participants' own machines."""


def parsed(platform: Platform, body: bytes) -> tuple[str, Verdict]:
    """The track's name, and a text as an answer under the cycle's parameters; :class:`AnswerTooLargeError`."""
    _check(body)
    cycle = reading.recent_cycle(platform)
    rules = reading.parameters(platform, cycle.parameters_version)
    return cycle.track, platform.tracks(cycle.track).read_text(body, rules.track)


def rendered(platform: Platform, body: bytes) -> Written:
    """An answer as a text; :class:`AnswerTooLargeError`."""
    _check(body)
    cycle = reading.recent_cycle(platform)
    rules = reading.parameters(platform, cycle.parameters_version)
    return platform.tracks(cycle.track).write_text(body, rules.track)


def _check(body: bytes) -> None:
    if len(body) > MAX_TEXT:
        raise AnswerTooLargeError.over(len(body), MAX_TEXT)
