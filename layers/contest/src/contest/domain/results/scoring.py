"""Identity of scores and the patience with which missing ones are asked for again (platform §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.moments import HOUR, MINUTE, Millis

MISSED: Final = "missed"
"""In the place of an answer's SHA-256: the file has none that counts, and is scored without one."""
STALE: Final[Millis] = MINUTE
"""After this the minute timer puts an unscored answer into the queue again: none is stuck longer than two minutes."""


@dataclass(frozen=True, slots=True)
class ScoreKey:
    """Under which a score is stored; scoring again under the same key gives the same bytes.

    ``answer_sha256`` is :data:`MISSED` of a file that is scored without an answer.
    """

    number: int
    answer_sha256: str
    conditions: str


@dataclass(frozen=True, slots=True)
class Job:
    """One answer, or one missed file, to score. Any number of copies of a job do what one does."""

    session_id: str
    number: int
    content_sha256: str


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """A job that is not known to be done."""

    job: Job
    enqueued_at: Millis
    enqueued: int


def conditions(
    references: Sequence[str], parameters_version: int, track: str, scorer_version: str, ratings: Any = None
) -> str:
    """Key of everything a score depends on besides the answer and its item; ``ratings`` are those of this answer.

    Clause: platform §2 parameters
    """
    parts: dict[str, Any] = {
        "references": list(references),
        "parameters_version": parameters_version,
        "track": track,
        "scorer": scorer_version,
    }
    return sha256_hex(canonical(parts if ratings is None else {**parts, "ratings": ratings}))


def due_again(entry: OutboxEntry, now: Millis) -> bool:
    """Whether an entry goes into the queue once more: after 1, 2, 4 … minutes, then every hour.

    The pause grows so that an answer which always fails does not flood the dead-letter queue.

    Clause: platform §4 failed
    """
    pause: Millis = min(STALE << min(entry.enqueued - 1, 10), HOUR)
    return now >= entry.enqueued_at + pause
