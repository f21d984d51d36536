"""Ports of the use cases: stores of sessions and answers, requests, clock, signatures, signed addresses, stacks.

Adapters implement the ports on AWS, tests in memory. Every method that changes a state names its condition; where it
does not hold, :class:`LostRaceError` is raised and nothing of the write has happened. Reads of a single aggregate see
every write that returned before them.

A method that changes a state for a person takes the :class:`Change` that describes it and writes both or neither, so
that the audit log is complete (platform §1).

The stacks of deployed cycles are for the organizer's command alone. The ports of a request are its reads of the session
and its notes in the team's requests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from contest.texts import tr
from markup_core.lazy import dataclass

if TYPE_CHECKING:
    from contest.channel.rules import Attachment
    from contest.cycle.rules.cycle import Cycle, Parameters
    from contest.cycle.rules.notices import Announced
    from contest.people.rules import Change
    from contest.results.rules.jobs import Job, OutboxEntry, ScoreKey
    from contest.results.rules.leaderboard import Entry
    from contest.results.rules.qualification import Admission
    from contest.run.rules.commitment import PublicKey, UsedKey
    from contest.run.rules.run import Run
    from contest.run.rules.schedule import Release
    from contest.session.rules.delivery import Bodies, Delivery, Receipt
    from contest.session.rules.session import DayQuota, Key, Opened, Plan, Session, TeamRequests, Used
    from contest.stored_names import Figure
    from contest.values import Millis
    from markup_core.texts import Text
    from tracks.protocol import Track

T = TypeVar("T")
Adapted = TypeVar("Adapted", covariant=True)
Work = TypeVar("Work", contravariant=True)

Tracks: TypeAlias = "Callable[[str], Track]"
"""Function that returns the track of a name; :class:`LookupError` without one."""


class Port(Generic[Adapted]):
    """A port as an attribute of the platform; reading it gives the adapter, which the wiring names."""

    def __get__(self, platform: Any, owner: Any = None, /) -> Adapted:
        raise AttributeError("the wiring names no adapter of this port")


class LostRaceError(Exception):
    """A condition did not hold: another process wrote first. Read again and decide again."""


class MissingBlobError(LookupError):
    """There is no object of this name."""


@dataclass(frozen=True, slots=True)
class Sent:
    """All writes of one decided answer, in one transaction."""

    session: Session
    before: Delivery
    after: Delivery
    receipt: Receipt
    key: Key | None
    is_scored: bool
    """True if the answer is sent to be scored, as an accepted answer to the whole item is."""
    at: Millis
    settles: bool = True
    """True to delete the pending-arrival record of this content with it."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list and the cursor of the next one; None at its end."""

    items: tuple[T, ...]
    after: str | None


class Sessions(Protocol):
    """Sessions with their plans, locks, quotas and pointers."""

    def get(self, session_id: str) -> Session | None:
        """Return the session as last written."""

    def plan(self, session_id: str) -> Plan:
        """Return the session's files; they never change."""

    def used(self, team_id: str, key_sha256: str) -> Used | None:
        """Return the team's use of this key, be it an opening or an answer."""

    def open_of(self, team_id: str, mode: str) -> str | None:
        """Return the id of the team's open session of a mode."""

    def opened_on(self, team_id: str, quota_name: str, day: str) -> int:
        """Return how many sessions the team has opened on a day."""

    def open(self, session: Session, plan: Plan, key: Key | None, quota: DayQuota) -> None:
        """Write session, plan, lock, count, key and pointers unless one exists or the quota is used up."""

    def join(self, session: Session, key: Key | None) -> None:
        """Write a run's session, lock, key and pointers, in a final the team's participation, unless one exists."""

    def participation(self, team_id: str, run_id: str) -> str | None:
        """Return the id of the session with which the team takes part in a final, in any state."""

    def close(self, before: Session, after: Session) -> None:
        """Write the closed session if it is still as ``before``; release the lock, move the pointers, count no more
        bodies."""

    def rescore(self, before: Session, after: Session) -> None:
        """Write a closed session scored anew if it is still as ``before``."""

    def note_counts(self, closed: Session) -> None:
        """Store the counts of a closed session; they are a function of facts that no longer change."""

    def of_team(self, team_id: str, limit: int, before: Millis | None) -> Sequence[str]:
        """List ids of the team's sessions, newest first, opened before a moment."""

    def open_ids(self) -> Sequence[str]:
        """Return all open sessions."""

    def unreported_ids(self) -> Sequence[str]:
        """Return all closed sessions whose report is still to be made or whose answers wait for scores."""

    def unreported_since(self, session_id: str) -> int:
        """Return how often answers were queued since the session closed: the argument of :meth:`mark_reported`."""

    def mark_reported(self, session_id: str, since: int) -> None:
        """Take a session from the unreported ones, unless answers were queued after ``since`` was read.

        Losing the race changes nothing and is no error: the timer looks at the session again.
        """

    def closed_on(self, day: str) -> Sequence[str]:
        """List sessions closed on a UTC day."""


class Deliveries(Protocol):
    """Deliveries with their receipts and the outbox."""

    def get(self, session_id: str, number: int) -> Delivery | None:
        """Return the delivery of a file, None while it was not handed out."""

    def of_session(self, session_id: str) -> Sequence[Delivery]:
        """Return all deliveries, by number."""

    def ask(self, session_id: str, number: int, at: Millis) -> Millis:
        """Store a request for a file of a run; return when the first one arrived, whichever was stored first."""

    def arrive(self, session_id: str, number: int, content_sha256: str, at: Millis) -> Millis:
        """Store the arrival of a valid answer of this content; return its first arrival since the last decision."""

    def settle(self, session_id: str, number: int, content_sha256: str) -> None:
        """Delete the pending-arrival record of a content, which is being decided (idempotent)."""

    def hand_out(self, session_id: str, delivery: Delivery) -> None:
        """Write a delivery unless it exists or the session is not open."""

    def count_refused(self, session_id: str, number: int, code: str) -> None:
        """Count a refused body and store its code, while the session is open; the write conflicts with no other."""

    def count_repeated(self, session_id: str, number: int) -> None:
        """Count a valid body that made no send, while the session is open; as above."""

    def send(self, sent: Sent) -> None:
        """Write delivery, receipt, key and outbox.

        The delivery must be as ``before``, receipt and key must be new, and a session that was read as open must
        still be open. After a session's end nothing of what led to it changes.
        """

    def ignore(self, session: Session, receipt: Receipt, key: Key | None, *, settles: bool = True) -> None:
        """Write the receipt of an ignored answer and its key, both of which must be new; ``settles`` as of
        :class:`Sent`."""

    def receipt(self, session_id: str, number: int, send: int) -> Receipt | None:
        """Return the receipt of a send."""

    def ignored(self, session_id: str, number: int, content_sha256: str) -> Receipt | None:
        """Return the receipt of an ignored answer of this content."""

    def receipt_named(self, session_id: str, name: str) -> Receipt | None:
        """Return the receipt for which a key was used, by its name in :class:`Used`."""

    def receipts(self, session_id: str, limit: int, after: str | None) -> Page[Receipt]:
        """List receipts by file and send, ``after`` a page's end."""


class Outbox(Protocol):
    """Answers without a confirmed score."""

    def of_session(self, session_id: str) -> Sequence[OutboxEntry]:
        """List entries of a session."""

    def older_than(self, moment: Millis) -> Sequence[OutboxEntry]:
        """List entries of all sessions that were put into the queue last before a moment, in a few queries."""

    def put(self, entry: OutboxEntry) -> None:
        """Write an entry of a closed session unless it exists; its writing is what puts the job into the queue.

        Either way the session is among the unreported ones afterwards, where the timer sees it. Both are one write.
        """

    def enqueued_again(self, entry: OutboxEntry, at: Millis) -> None:
        """Count another enqueueing; losing the race changes nothing and is no error."""

    def done(self, job: Job) -> None:
        """Remove an entry (idempotent)."""


class Scores(Protocol):
    """Score records and board entries."""

    def get(self, session_id: str, key: ScoreKey) -> bytes | None:
        """Return the record's canonical bytes."""

    def of_session(self, session_id: str) -> Mapping[ScoreKey, bytes]:
        """Return all records of a session."""

    def put(self, session_id: str, key: ScoreKey, record: bytes) -> None:
        """Write a record unless it exists."""

    def entry(self, cycle: str, language: str, team_id: str) -> Entry | None:
        """Return a team's entry on a qualification board, as last written."""

    def enter(self, cycle: str, before: Entry | None, after: Entry) -> None:
        """Write a team's entry if the one there is still ``before`` (None: there is none)."""

    def claim(self, cycle: str, entry: Entry) -> None:
        """Store a session's claim on a qualification board; the same again changes nothing."""

    def claims(self, cycle: str, language: str, team_id: str) -> Sequence[Entry]:
        """Return the claims of a team's sessions on a qualification board, by session: its entry is the best that
        counts.
        """

    def entries(self, cycle: str, language: str) -> Sequence[Entry]:
        """Return all entries of a qualification board, one a team, by team."""


class Catalogue(Protocol):
    """The cycle and its parameters."""

    def cycle(self, known: Cycle | None = None) -> Cycle | None:
        """Return the deployed cycle as last written; None before it is loaded.

        ``known``, the cycle as the caller read it before, is returned if nothing was written since.
        """

    def parameters(self, version: int) -> Parameters:
        """Return the parameters of a version; they never change."""

    def publish(
        self, cycle: Cycle, parameters: Parameters | None, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        """Write the cycle if nobody has since ``cycle.version``, with new parameters if there are any, and with its
        announcements and drafts, if they are still as they were read.
        """


class AuditLog(Protocol):
    """The append-only log of people's changes. Only the changes themselves write to it."""

    def on(self, day: str) -> Sequence[Change]:
        """List entries of a UTC day, in order."""

    def between(self, first: str, last: str, after: str | None) -> Iterator[tuple[str, Change]]:
        """List entries of the UTC days from ``first`` to ``last`` in order, each with its cursor; those after a cursor.

        A day is read when its first entry is asked for.
        """


class Blobs(Protocol):
    """Objects by name."""

    def get(self, name: str) -> bytes:
        """Return the object; :class:`MissingBlobError` without one."""

    def put(self, name: str, content: bytes) -> None:
        """Write an object."""

    def put_if_absent(self, name: str, content: bytes) -> None:
        """Write an object unless there is one; losing the race is no error."""

    def put_all_if_absent(self, objects: Mapping[str, bytes], report: Callable[[str], None]) -> None:
        """Write many objects, each unless there is one, several at a time and in no order; ``report`` gets the name of
        each that is there. Where one fails the others may be there.
        """

    def get_all(self, names: Sequence[str]) -> Mapping[str, bytes]:
        """Return the objects of these names, several read at a time; :class:`MissingBlobError` where one is missing."""

    def publish(
        self, name: str, pieces: Iterable[bytes], media_type: str, *, lasting: bool = True, anew: bool = False
    ) -> None:
        """Write pieces as one object that everybody may read, compressed, unless there is one; losing the race is no
        error.

        ``lasting``: caches may keep it for ever; an object that may be withdrawn is cached for a minute. ``anew``: in
        the place of the one that is there.
        """

    def names(self, prefix: str) -> Sequence[str]:
        """Return the names under a prefix, ascending; answers may be missing."""

    def sizes(self, prefix: str) -> Mapping[str, int]:
        """Return the bytes of every object under a prefix, by name."""

    def delete(self, name: str) -> None:
        """Remove an object (idempotent)."""


class Queue(Protocol[Work]):
    """A queue of work: at least once, in no order."""

    def send(self, jobs: Sequence[Work]) -> None:
        """Put jobs into the queue; all of them, or an error."""


class Clock(Protocol):
    """The time."""

    def now(self) -> Millis:
        """Return milliseconds since the epoch."""

    def wait_until(self, moment: Millis) -> Millis:
        """Sleep until a moment, at most 2.5 s, not at all where the time stands still; return the time afterwards."""


class Signer(Protocol):
    """The platform's signature."""

    @property
    def public_key(self) -> PublicKey:
        """The key that verifies its signatures."""

    def sign(self, content: bytes) -> bytes:
        """Return the signature by the key's algorithm, 64 bytes; the same content may get another one each time."""


class SigningKeys(Protocol):
    """Every key with which the platform has signed; none is ever deleted."""

    def note(self, key: PublicKey, at: Millis) -> None:
        """Store a key and the moment of its first signature, unless it is stored."""

    def used(self) -> Sequence[UsedKey]:
        """List all keys, as last written."""


class Randomness(Protocol):
    """Random names; salts and tokens are secrets."""

    def session_id(self) -> str:
        """Return 15 digits, the first not 0."""

    def run_id(self) -> str:
        """Return 20 of a–z, 0–9."""

    def file_id(self) -> str:
        """Return 15 digits, the first not 0."""

    def assignment_id(self) -> str:
        """Return a new assignment's name."""

    def pseudonym(self) -> str:
        """Return the name under which an expert's markups are published."""

    def salt(self) -> str:
        """Return 64 hexadecimal digits."""

    def token(self) -> str:
        """Return a program's token."""

    def invitation(self) -> str:
        """Return the code of an invitation."""

    def token_id(self) -> str:
        """Return a token's or invitation's public name."""


class Addresses(Protocol):
    """Addresses under the site's own host at which one object may be put, or read, until a moment.

    Each is a path with a query: its recipient has the site's address already. It is a secret as long as it is valid.
    """

    def to_put(self, name: str, until: Millis) -> str:
        """Return the address at which the object of this name may be put, of the size that its name says; in whole
        seconds, rounded down.
        """

    def to_get(self, name: str, until: Millis) -> str:
        """Return the address at which the object of this name may be read."""

    def sealed(self, digest: str) -> str:
        """Return a SHA-256 that replaces another one and hides it from anybody without the key."""


class NoDeploymentError(Exception):
    """A cycle's deployment is not known; ``message`` says why."""

    def __init__(self, parameter: str, why: Text) -> None:
        self.message = tr("the deployment's parameter {parameter} cannot be read: {why}", parameter=parameter, why=why)
        super().__init__(self.message)


class Requests(Protocol):
    """Stored facts of teams' requests."""

    def of_team(self, team_id: str) -> TeamRequests | None:
        """Return a team's requests as last written; None before the first."""

    def note(
        self,
        team_id: str,
        before: TeamRequests | None,
        at: Millis,
        *,
        second: int | None = None,
        session: Session | None = None,
        until: Millis = 0,
    ) -> int:
        """Store a request in one write and return the requests counted in its second, itself included.

        It is counted in its ``second`` if it counts for the rate (one in a second older than those stored is alone
        there), and stored with its ``session`` and the time ``until`` which the platform has worked on it.

        Any number of requests of a second are counted at the same time without a lost race. The only conditions are
        those that would change the write: ``before``'s second is still the latest one with a request, and no later
        request of the session is stored.
        """

    def of_person(self, person_id: str, second: int) -> int:
        """Count a person's request in a second; return the count."""

    def note_use(self, team_id: str, token_id: str, at: Millis) -> None:
        """Store the use of a team's token; the latest stored one stays. A failed write is no error: no request is lost
        by it.
        """

    def uses(self, team_id: str) -> Mapping[str, Millis]:
        """Return the latest stored use of each of a team's tokens, by the token's id."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Items of its session that a request reads, all by name."""

    team_id: str
    session_id: str = ""
    numbers: frozenset[int] = frozenset()
    """Numbers of the files whose deliveries and first requests are read."""
    reads_bodies: bool = False
    """True to read the counts of answers that made no send."""
    key_sha256: str | None = None
    """SHA-256 of the ``Idempotency-Key`` whose use is read; None for none."""
    run_id: str | None = None
    """Run of the session, known or guessed."""
    release: int = 0
    """Number of the file whose release record is read; 0 for none."""
    reads_run: bool = False
    """True to read the run itself."""
    cycle: bool = False
    lists: bool = False
    """True to read the names of the team's sessions, and those of them that are in ``guessed``."""
    guessed: frozenset[str] = frozenset()
    known_session: Session | None = None
    """Open session as it was read before; returned if it is stored unchanged, since its item is not read then."""
    known_run: Run | None = None
    """The same for the run."""


@dataclass(frozen=True, slots=True)
class Found:
    """Stored items of :class:`Wanted`; None, or no entry, for an item that is not stored."""

    needs: Wanted
    requests: TeamRequests | None = None
    session: Session | None = None
    deliveries: Mapping[int, Delivery] = field(default_factory=dict)
    first_requests: Mapping[int, Millis] = field(default_factory=dict)
    bodies: Mapping[int, Bodies] = field(default_factory=dict)
    """Counts of bodies that came as answers and made no send, by file number."""
    used: Used | None = None
    """Earlier use of the key; None if there was none."""
    run: Run | None = None
    release: Release | None = None
    cycle: Cycle | None = None
    opened: Sequence[Opened] = ()
    """Sessions of the team, newest first."""
    guessed: Mapping[str, Session] = field(default_factory=dict)
    """Sessions by name, each as last written."""


class Held(NamedTuple):
    """Facts that decide whether a team may join a run."""

    open_session: str | None
    """The team's open session of the run's mode."""
    participation: str | None
    """Session with which the team takes part in the final, in any state."""
    admission: Admission | None


class FileNotes(NamedTuple):
    """Stored facts about some files of a session, by number; no entry for a file without facts."""

    deliveries: Mapping[int, Delivery]
    first_requests: Mapping[int, Millis]
    arrived: Mapping[int, Sequence[Millis]]
    """Arrivals of valid answers without a decision, in milliseconds, ascending."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """All notes about a session's files."""

    deliveries: Sequence[Delivery]
    """Deliveries, in the order of the files' numbers."""
    first_requests: Mapping[int, Millis]
    """Time of the first request for each file."""
    arrived: Mapping[int, Sequence[Millis]]
    """Times of the first arrivals of each file's valid answers without a decision, ascending."""
    attachment: Attachment | None
    bodies: Mapping[int, Bodies] = field(default_factory=dict)


class SessionReads(Protocol):
    """Reads of several items of a session at once. Every single item is as last written; they are of no one moment."""

    def read(self, needs: Wanted) -> Found:
        """Read items by their names, in one call."""

    def held(self, team_id: str, cycle: str, mode: str, run_id: str | None) -> Held:
        """Return the facts that decide whether a team may join a run, in one call."""

    def facts(self, session_id: str) -> SessionFacts:
        """Return all notes about a session's files, in one query."""

    def sessions(self, session_ids: Iterable[str]) -> Mapping[str, Session]:
        """Return the sessions that exist, by id; a hundred in one call, like the three that follow."""

    def requests(self, team_ids: Iterable[str]) -> Mapping[str, TeamRequests]:
        """Return the teams' requests, by team; no entry for a team before its first."""

    def files(self, numbers: Mapping[str, Collection[int]]) -> Mapping[str, FileNotes]:
        """Return the notes about these files of each session, by session."""

    def attachments(self, session_ids: Iterable[str]) -> Mapping[str, Attachment]:
        """Return the attachments of the sessions that have one, by session."""


class Figures(Protocol):
    """Metrics that the platform counts itself, for alarms and the dashboard."""

    def note(self, values: Mapping[Figure, float]) -> None:
        """Note values of figures, at no cost worth waiting for."""


class SharedPorts:
    """The platform's ports that several rooms need."""

    sessions: Port[Sessions] = Port()
    deliveries: Port[Deliveries] = Port()
    session_reads: Port[SessionReads] = Port()
    requests: Port[Requests] = Port()
    outbox: Port[Outbox] = Port()
    queue: Port[Queue[Job]] = Port()
    scores: Port[Scores] = Port()
    catalogue: Port[Catalogue] = Port()
    audit_log: Port[AuditLog] = Port()
    blobs: Port[Blobs] = Port()
    addresses: Port[Addresses] = Port()
    clock: Port[Clock] = Port()
    figures: Port[Figures] = Port()
    signer: Port[Signer] = Port()
    signing_keys: Port[SigningKeys] = Port()
    randomness: Port[Randomness] = Port()
    tracks: Port[Tracks] = Port()
    code: Port[str] = Port()
    """Identity of the running code; with another one, the same facts may give other results."""
