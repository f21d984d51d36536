"""Dead letters: jobs that failed for good, as somebody who has to decide about them is shown them (platform §4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from contest.domain.canonical import sha256_hex
from contest.domain.moments import Millis
from contest.stored_names import LetterQueue

NOTE_KEPT: Final = 60_000
"""Characters that are kept of a note about a failure; what a queue of work carries is shorter and kept whole."""
REMEMBERED: Final = 20
"""So many messages a letter remembers by name, so that one that is delivered twice is counted once."""
_TOLD: Final = ("session_id", "number", "run_id", "kind", "import_id", "run")
"""Fields of a job that lists show: names of things, never what somebody wrote."""


WORK: Final = frozenset(LetterQueue) - {LetterQueue.RELAY, LetterQueue.TIMERS}
"""Queues whose letters are jobs, so that a letter sent again is the job done again."""


class LetterState(StrEnum):
    """What became of a letter."""

    OPEN = "open"
    REDRIVEN = "redriven"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message of a dead-letter queue, as it was received."""

    queue: LetterQueue
    message_id: str
    body: str
    sent_at: Millis
    """When the job was first put into its queue."""
    at: Millis
    tries: int
    error: str = ""
    """What the scheduler says of a run that it could not begin."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that failed for good, once or again and again: one letter however often it dies.

    ``times``: how often it ended among the dead letters. ``tries``: deliveries before the latest end. ``error``: what
    the note about a failure says; queues say nothing, the worker's log does, under ``messages``, the latest last.
    """

    letter_id: str
    queue: LetterQueue
    body: str
    error: str
    sent_at: Millis
    first_at: Millis
    last_at: Millis
    times: int
    tries: int
    messages: tuple[str, ...]
    state: LetterState = LetterState.OPEN
    decided_at: Millis | None = None
    reason: str = ""
    version: int = 1

    @property
    def is_open(self) -> bool:
        """Whether nobody has decided about it since it came last."""
        return self.state is LetterState.OPEN

    @property
    def about(self) -> Mapping[str, str]:
        """What the job names: session, file, run, function. Nothing that somebody wrote."""
        return about(self.queue, self.body)


def arrive(known: DeadLetter | None, arrived: Arrived) -> DeadLetter | None:
    """The letter after a message has come; None where it has come before.

    A job that dies again after it was redriven or dropped is open once more, with the count of its deaths.

    Clause: platform §4 failed
    """
    if known is None:
        return DeadLetter(
            letter_id=letter_id(arrived.queue, arrived.body),
            queue=arrived.queue,
            body=_kept(arrived),
            error=arrived.error or error_of(arrived.queue, arrived.body),
            sent_at=arrived.sent_at,
            first_at=arrived.at,
            last_at=arrived.at,
            times=1,
            tries=arrived.tries,
            messages=(arrived.message_id,),
        )
    if arrived.message_id in known.messages:
        return None
    return replace(
        known,
        body=_kept(arrived),
        error=arrived.error or error_of(arrived.queue, arrived.body),
        last_at=arrived.at,
        times=known.times + 1,
        tries=arrived.tries,
        messages=(*known.messages, arrived.message_id)[-REMEMBERED:],
        state=LetterState.OPEN,
        decided_at=None,
        reason="",
        version=known.version + 1,
    )


def decided(letter: DeadLetter, state: LetterState, at: Millis, reason: str = "") -> DeadLetter:
    """The letter after somebody has decided about it."""
    return replace(letter, state=state, decided_at=at, reason=reason, version=letter.version + 1)


def letter_id(queue: LetterQueue, body: str) -> str:
    """The name of the letter of a body: a job's is its content, a timer's is the function, a batch's where it begins.

    So a job that dies every hour is one letter, and a timer that fails every minute is one, too.
    """
    said = _object(body)
    if queue is LetterQueue.TIMERS:
        content = about(queue, body).get("function", "")
    elif queue is LetterQueue.RELAY:
        content = str(_inside(said, "DDBStreamBatchInfo").get("startSequenceNumber", body))
    else:
        content = json.dumps(said, sort_keys=True) if said else body
    return f"{queue.value}-{sha256_hex(content.encode('utf-8', 'surrogatepass'))[:16]}"


def about(queue: LetterQueue, body: str) -> Mapping[str, str]:
    """What a body names that a list may show; empty for one that cannot be read."""
    said = _object(body)
    if queue in WORK:
        return {name: str(said[name]) for name in _TOLD if isinstance(said.get(name), str | int)}
    function = str(_inside(said, "requestContext").get("functionArn", "")) or str(said.get("function", ""))
    return {"function": function.partition(":function:")[2].partition(":")[0] or function} if function else {}


def error_of(queue: LetterQueue, body: str) -> str:
    """What kind of failure a note tells of; empty for a job, of whose failure its queue says nothing."""
    if queue in WORK:
        return ""
    said = _object(body)
    named = _inside(said, "responsePayload").get("errorType") or _inside(said, "responseContext").get("functionError")
    return str(named or _inside(said, "requestContext").get("condition", ""))


def _kept(arrived: Arrived) -> str:
    return arrived.body if arrived.queue in WORK else arrived.body[:NOTE_KEPT]


def _object(body: str) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _inside(said: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = said.get(name)
    return found if isinstance(found, dict) else {}
