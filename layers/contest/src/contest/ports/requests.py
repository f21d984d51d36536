"""The ports of a request: what it reads, what it leaves; see :mod:`contest.ports` for what all ports promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from contest.domain.channel.channel import Attachment
from contest.domain.cycle.cycle import Cycle
from contest.domain.moments import Millis
from contest.domain.run.release import Release
from contest.domain.run.run import Run
from contest.domain.session.delivery import Bodies, Delivery
from contest.domain.session.requests import TeamRequests, Used
from contest.domain.session.session import Session


@dataclass(frozen=True, slots=True)
class Noted:
    """What a request leaves: it counts in a second, a session was heard of, or both."""

    at: Millis
    second: int | None = None
    """Where it counts for the rate."""
    session: Session | None = None
    until: Millis = 0
    """Up to when the platform has worked on it."""


class Requests(Protocol):
    """What is kept of teams' requests."""

    def of_team(self, team_id: str) -> TeamRequests | None:
        """A team's requests as last written; None before the first."""

    def note(self, team_id: str, before: TeamRequests | None, noted: Noted) -> TeamRequests:
        """Note a request in one write and return what is kept now.

        Any number of requests of a second are counted at the same time without a lost race: only what makes another
        write of it is a condition, which is that ``before``'s second is still the latest one with a request, and that
        nothing later was heard of the session.
        """

    def of_person(self, person_id: str, second: int) -> int:
        """Count a person's request in a second; how many that makes."""

    def note_use(self, team_id: str, token_id: str, at: Millis) -> None:
        """Note that a team's token was used; the last one noted stays. What cannot be noted is no error: nobody loses
        a request to it."""

    def uses(self, team_id: str) -> Mapping[str, Millis]:
        """When each of a team's tokens was last noted as used, by the token's id."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request reads of its session, all by name."""

    team_id: str
    session_id: str = ""
    numbers: frozenset[int] = frozenset()
    """Files of which the deliveries are read."""
    asked: bool = False
    """Whether it is read, too, when these files were first asked for."""
    key_sha256: str | None = None
    """Of an ``Idempotency-Key``."""
    run_id: str | None = None
    """The session's run: then the release record of the file ``release`` is read, too (0: none)."""
    release: int = 0
    reads_run: bool = False
    """Whether the run itself is read."""
    cycle: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What was there of :class:`Wanted`; None, or no entry, where there was nothing."""

    wanted: Wanted
    requests: TeamRequests | None = None
    session: Session | None = None
    deliveries: Mapping[int, Delivery] = field(default_factory=dict)
    asked: Mapping[int, Millis] = field(default_factory=dict)
    bodies: Mapping[int, Bodies] = field(default_factory=dict)
    """What came as an answer and made no send, by file."""
    used: Used | None = None
    """What the key was used for before."""
    run: Run | None = None
    release: Release | None = None
    cycle: Cycle | None = None


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """Everything that was noted of a session's files."""

    deliveries: Sequence[Delivery]
    """By number."""
    asked: Mapping[int, Millis]
    """When each file was first asked for."""
    arrived: Mapping[int, Sequence[Millis]]
    """When each file's valid answers that nobody has decided on first arrived, ascending."""
    attachment: Attachment | None
    bodies: Mapping[int, Bodies] = field(default_factory=dict)


class SessionReads(Protocol):
    """Reads of several items of a session at once. Every single item is as last written; they are of no one moment."""

    def read(self, wanted: Wanted) -> Found:
        """Read items by their names, in one call."""

    def facts(self, session_id: str) -> SessionFacts:
        """Everything that was noted of a session's files, in one query."""
