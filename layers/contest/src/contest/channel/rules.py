"""Pure rules of the event channel: connections, pushes, absence of a client; its clients' refusals over HTTP.

A push adds no rule of its own: a file is handed out by the same decision as over HTTP, and its time runs from the push.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from contest.refusals import ContestError
from contest.texts import tr
from contest.values import MINUTE, SECOND, Millis
from markup_core.lazy import dataclass

PING_INTERVAL_3: Final[Millis] = 25 * SECOND
"""Interval of the heartbeats that a client of revision 3 asks for; short enough to keep the gateway's connection."""
PING_TIMEOUT_3: Final[Millis] = 60 * SECOND
PING_INTERVAL_4: Final[Millis] = 4 * MINUTE
"""Interval of the heartbeats that the server owes a client of revision 4; a timer of one minute can keep it."""
PING_TIMEOUT_4: Final[Millis] = 3 * MINUTE
PING_DUE: Final[Millis] = 3 * MINUTE
"""Time after the last ping from which the next minute's visit sends another."""
HYPHENATED: Final = "/pku"
"""The one namespace in which the platform's events have hyphens, as those of its clients have everywhere."""
OF_THE_CYCLE: Final = "/baseline"
"""Namespace of the clients whose namespace is renamed in every cycle; the cycle's own name stands for it, too."""
NAMESPACES: Final = (HYPHENATED, OF_THE_CYCLE)
"""Namespaces of the earlier clients; a client that is turned away before it has entered one is told so in all."""
GREETINGS: Final = 40
"""Tries of the first frame: the gateway may accept a connection a moment after the function has accepted it."""
STRANGERS_GREETINGS: Final = 10
"""The same for a client without a valid token: few, so that connections dropped at once cause little work."""
GREETING_PAUSE: Final[Millis] = 50
ENTERED_BY: Final[Millis] = MINUTE
"""Time after opening by which a connection must have entered a dialect's namespace; later it is closed."""
AT_A_VISIT: Final = 200
"""Connections without a session that one visit of the timer closes at most, and to as many it sends heartbeats; the
others wait for the next visits. Sessions, of which a team has one, are all handled, and first."""
END: Final = 0
"""Number that stands for a session's end where files have their numbers."""
TOO_LARGE: Final = 1009
"""Close code of a connection that sent a frame of more than 32 KB, or a message of more than 128 KB
(RFC 6455, 7.4.1)."""
MAX_DELAY: Final[Millis] = 15 * MINUTE
"""Longest delay of a message in a queue."""


class PushKind(StrEnum):
    """Kind of a push."""

    OPENING = "opening"
    """The first frame of a connection, which the gateway takes only after the connection was accepted."""
    FAREWELL = "farewell"
    """All frames of a connection with an invalid token: first frame, refusal, end. Nothing else of it is stored."""
    FILE = "file"
    """A file of a run at its opening."""
    NEXT = "next"
    """In an algorithmic session, the file after one whose time is over."""
    LOOK = "look"
    """Check of a paused run, without a frame: once the run goes on, pushes of the coming openings are planned."""


@dataclass(frozen=True, slots=True)
class Push:
    """Push, at the earliest at ``at``. Any number of copies have the effect of one."""

    kind: PushKind
    at: Millis
    connection_id: str = ""
    session_id: str = ""
    number: int = 0
    attempt: int = 0
    """Number of earlier tries; for a file, 1 marks the second push, which checks that the first one did its work."""
    revision: int = 0
    """Protocol revision of the connection; set for a farewell only."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Connection of a client. The token itself is never stored, only its hash, by which it is checked again."""

    connection_id: str
    revision: int
    opened_at: Millis
    pinged_at: Millis
    token_sha256: str = ""
    session_id: str = ""
    namespace: str = ""
    """Namespace of the client's dialect; empty until the client has entered it."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """Event from a client; ``ack`` is the number for the acknowledgement that it asks for."""

    namespace: str
    name: str
    payload: Any = None
    ack: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """An event for a client; ``file`` names the session and number of the file, or :data:`END`, that it carries.

    ``payload`` is None for an event whose handler in the clients takes no argument.
    """

    name: str
    payload: Mapping[str, Any] | None
    file: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Absence:
    """Period without a connection; ``until`` is None while the client is still away."""

    since: Millis
    until: Millis | None = None


@dataclass(frozen=True, slots=True)
class Attachment:
    """Connection that gets a session's files; ``version`` 0 is not written yet."""

    session_id: str
    connection_id: str = ""
    absences: tuple[Absence, ...] = ()
    version: int = 0
    owes_reason: bool = False
    """True if its client was cut off for a message that was too large, and was not told so yet."""
    since: Millis | None = None
    """Time of the client's first connection."""

    @property
    def is_away(self) -> bool:
        """Return whether the client is known to have no connection."""
        return bool(self.absences) and self.absences[-1].until is None


def attachment_after_return(attachment: Attachment, connection_id: str, now: Millis) -> Attachment:
    """Return the attachment of a client that is back on a connection."""
    if attachment.connection_id == connection_id:
        return attachment
    ended = tuple(
        absence if absence.until is not None else replace(absence, until=now) for absence in attachment.absences
    )
    since = now if attachment.since is None else attachment.since
    return replace(attachment, connection_id=connection_id, absences=ended, version=attachment.version + 1, since=since)


def attachment_after_loss(attachment: Attachment, connection_id: str, now: Millis) -> Attachment:
    """Return the attachment after the loss of its connection; one that was replaced before changes nothing."""
    if attachment.connection_id != connection_id:
        return attachment
    absences = (*attachment.absences, Absence(now))
    return replace(attachment, connection_id="", absences=absences, version=attachment.version + 1)


def cut_off(attachment: Attachment) -> Attachment:
    """Return the attachment after its connection was closed for a message that was too large."""
    return replace(attachment, owes_reason=True, version=attachment.version + 1)


def told_reason(attachment: Attachment) -> Attachment:
    """Return the attachment once the client knows why its connection was closed."""
    return replace(attachment, owes_reason=False, version=attachment.version + 1)


def away_at(attachment: Attachment | None, moment: Millis) -> Absence | None:
    """Return the absence around a moment; None for a client that was there or never used the channel."""
    absences = attachment.absences if attachment else ()
    return next(
        (
            absence
            for absence in absences
            if absence.since <= moment and (absence.until is None or moment < absence.until)
        ),
        None,
    )


def was_there(attachment: Attachment, first: Millis, last: Millis) -> bool:
    """Return whether the client had a connection from one moment to another."""
    if attachment.since is None or attachment.since > first:
        return False
    return all(
        absence.since > last or (absence.until is not None and absence.until <= first)
        for absence in attachment.absences
    )


def owes_ping(connection: Connection, now: Millis) -> bool:
    """Return whether a heartbeat is due now; clients of revision 3 ask for theirs."""
    return connection.revision == 4 and now >= connection.pinged_at + PING_DUE


# Clause: TS D-13
def client_spelling(event: Told, namespace: str) -> Told:
    """Return an event with the name that clients of a namespace listen for.

    Handlers of the diagnosis contest's clients are methods of python-socketio's ``ClientNamespace``, which looks for
    ``on_`` and the event's name: a name with a hyphen has no handler.
    """
    return event if namespace == HYPHENATED else replace(event, name=event.name.replace("-", "_"))


def intervals(revision: int) -> tuple[Millis, Millis]:
    """Return interval and patience of the heartbeats, as in the opening frame."""
    return (PING_INTERVAL_4, PING_TIMEOUT_4) if revision == 4 else (PING_INTERVAL_3, PING_TIMEOUT_3)


class UnknownTokenError(ContestError, code="earlier_unauthorized", status=401):
    message = tr("The token is unknown or revoked.")


class EarlierRequestError(ContestError, code="earlier_invalid", status=400):
    message = tr("This cannot be taken.")


class NothingAskedYetError(ContestError, code="preliminary_missing", status=400):
    message = tr("The preliminary diagnosis must be sent before a study is asked for.")


class TaskNotFoundError(ContestError, code="unknown_task", status=404):
    message = tr("Your open session has not been given this epicrisis, task or study.")


class StudyNotFoundError(ContestError, code="no_such_study", status=404):
    message = tr("There is no such study.")


class SessionNotStartedError(ContestError, code="session_not_started", status=406):
    message = tr("Your team has no open session; begin one over the event channel.")


class TaskOverdueError(ContestError, code="task_overdue", status=408):
    message = tr("The time for this task is over, or its work is done.")


class PreliminaryGivenError(ContestError, code="preliminary_given", status=409):
    message = tr("The preliminary diagnosis has been given already, or a study has been asked for.")


class PreliminaryFirstError(ContestError, code="preliminary_first", status=422):
    message = tr("The preliminary diagnosis must be sent before the final one.")
