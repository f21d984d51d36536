"""Protocols of a run: what the judges and the technical commission state about its results, or about a mass failure.

A protocol on results is about one edition of them: a later decision, ruling or markup makes other results, and the
protocol is then outdated. Nothing is ever taken out; who thinks better of it records another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from contest.domain.moments import Millis
from tracks.rules import Signatory as Signatory

MOST: Final = 20
"""Protocols of one run: with reasons of the greatest length they stay far below what a stored item may have."""


class Matter(StrEnum):
    """What a protocol is about."""

    RESULTS = "results"
    MASS_FAILURE = "mass_failure"


class ProtocolStanding(StrEnum):
    """What somebody's latest protocol says of a run as it is now."""

    NONE = "none"
    POSITIVE = "positive"
    NEGATIVE = "negative"
    OUTDATED = "outdated"
    """It is about results that have changed since."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """One protocol; ``number`` counts those of a run from 1.

    ``positive``: the results are right, or there was a mass failure. ``edition`` names the results it is about, and is
    empty on any other matter.
    """

    number: int
    matter: Matter
    by: Signatory
    positive: bool
    reason: str
    who: str
    at: Millis
    edition: str = ""


def latest(protocols: Iterable[Protocol], matter: Matter, by: Signatory) -> Protocol | None:
    """The last word of one side on a matter; None before any. O(protocols)."""
    return next((each for each in reversed(tuple(protocols)) if (each.matter, each.by) == (matter, by)), None)


def standing(protocols: Iterable[Protocol], matter: Matter, by: Signatory, edition: str = "") -> ProtocolStanding:
    """What that says of the results of this ``edition``; on another matter, of the run.

    Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.4
    """
    found = latest(protocols, matter, by)
    if found is None:
        return ProtocolStanding.NONE
    if found.edition != edition:
        return ProtocolStanding.OUTDATED
    return ProtocolStanding.POSITIVE if found.positive else ProtocolStanding.NEGATIVE


def missing(protocols: Sequence[Protocol], wanted: Iterable[Signatory], edition: str) -> tuple[Signatory, ...]:
    """Of the wanted sides those that have no positive protocol on the results of this edition."""
    return tuple(
        each for each in wanted if standing(protocols, Matter.RESULTS, each, edition) is not ProtocolStanding.POSITIVE
    )
