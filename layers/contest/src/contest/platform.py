"""The platform that every use case is given: ports, memory, retries of lost races, signatures.

The memory holds values that never change. After a lost race a use case reads and decides again, until a write holds
(decision 0001, part 3). Receipts, commitments, amendments and records are statements with the platform's signature.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, Protocol, TypeVar

from contest.channel.ports import Connections, Pushes, Sockets
from contest.cycle.ports import Announcements, Announcer, Imports
from contest.cycle.rules.cycle import Capacity
from contest.cycle.rules.sets import ImportJob
from contest.errors import BusyError
from contest.experts.ports import Experts, Replays
from contest.operations.ports import DeadLetters, Upkeep, WorkQueues
from contest.people.ports import Accounts, People, Persons, SignIns
from contest.ports import (
    Addresses,
    AuditLog,
    Blobs,
    Catalogue,
    Clock,
    Deliveries,
    LostRaceError,
    Outbox,
    Queue,
    Randomness,
    Requests,
    Scores,
    SessionReads,
    Sessions,
    Signer,
    Tracks,
)
from contest.results.ports import Annulments, Boards, Qualification, Rescorings
from contest.results.rules.jobs import AuditJob, Job, RescoringTask, SettlingTask, ShadowTask
from contest.run.ports import Runs
from contest.submissions.ports import Runner, Submissions
from contest.submissions.rules import SubmissionTask
from contest.values import canonical

MEMORY: Final = 64 * 1024 * 1024
"""Bytes a process keeps of what never changes: some ten thousand essays, or the plans of two hundred long sessions."""
SMALL: Final = 1000
"""Bytes that a value counts for when nobody says how large it is."""


class Memory:
    """A per-process cache of immutable values, the least recently used forgotten first.

    What all teams read in the same second (essays, manifests, parameters) is read from storage once per process.
    Sizes are estimates of what a value takes, so that a long-lived process does not grow without end.
    """

    def __init__(self, capacity: int = MEMORY) -> None:
        self._capacity = capacity
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._size = 0

    def keep(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int] = lambda _: SMALL) -> Any:
        """Return the value of a key, made at the first request. A failed making is not stored."""
        if key in self._values:
            return self.known(key)
        value = make()
        self.put(key, value, size(value))
        return value

    def known(self, key: Hashable) -> Any:
        """Return the value of a key, None without one."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key][0]

    def put(self, key: Hashable, value: Any, size: int = SMALL) -> None:
        """Remember a value in the place of the one before."""
        _, freed = self._values.pop(key, (None, 0))
        self._values[key] = (value, size)
        self._size += size - freed
        while self._size > self._capacity and len(self._values) > 1:
            _, (_, freed) = self._values.popitem(last=False)
            self._size -= freed


class Platform(Protocol):
    """All ports. The wiring makes each one when it is first used, so that a function loads only what it needs."""

    @property
    def sessions(self) -> Sessions:
        """Sessions."""

    @property
    def deliveries(self) -> Deliveries:
        """Deliveries and receipts."""

    @property
    def runs(self) -> Runs:
        """Scheduled runs."""

    @property
    def outbox(self) -> Outbox:
        """Answers to be scored."""

    @property
    def scores(self) -> Scores:
        """Score records and board entries."""

    @property
    def annulments(self) -> Annulments:
        """Annulments by organizers."""

    @property
    def boards(self) -> Boards:
        """Boards' states and histories."""

    @property
    def qualification(self) -> Qualification:
        """Conclusions and admissions."""

    @property
    def catalogue(self) -> Catalogue:
        """The cycle."""

    @property
    def imports(self) -> Imports:
        """Imports of cycles and sets."""

    @property
    def announcements(self) -> Announcements:
        """Announcements."""

    @property
    def announcer(self) -> Announcer:
        """The subscribers to announcements."""

    @property
    def people(self) -> People:
        """Teams and tokens."""

    @property
    def persons(self) -> Persons:
        """People and invitations."""

    @property
    def experts(self) -> Experts:
        """Experts and their work."""

    @property
    def replays(self) -> Replays:
        """Replays of programs' work, and people's reviews of it."""

    @property
    def sign_ins(self) -> SignIns:
        """Tokens of people who have signed in."""

    @property
    def accounts(self) -> Accounts:
        """Accounts of the staff."""

    @property
    def audit_log(self) -> AuditLog:
        """The log of people's changes."""

    @property
    def capacity(self) -> Capacity | None:
        """Capacity of the deployment; None where it states none."""

    @property
    def requests(self) -> Requests:
        """Stored facts of teams' requests."""

    @property
    def session_reads(self) -> SessionReads:
        """Reads of several items at once."""

    @property
    def blobs(self) -> Blobs:
        """Objects."""

    @property
    def queue(self) -> Queue[Job]:
        """The scoring queue."""

    @property
    def settling(self) -> Queue[SettlingTask]:
        """The queue of closed runs whose results are to be made."""

    @property
    def rescorings(self) -> Rescorings:
        """Rescorings."""

    @property
    def rescoring_tasks(self) -> Queue[RescoringTask]:
        """The queue of rescoring tasks."""

    @property
    def shadows(self) -> Queue[ShadowTask]:
        """The queue of independent recomputations."""

    @property
    def audits(self) -> Queue[AuditJob]:
        """The queue of audits."""

    @property
    def dead_letters(self) -> DeadLetters:
        """Jobs that failed for good."""

    @property
    def work_queues(self) -> WorkQueues:
        """The queues of work, by the names of their letters."""

    @property
    def upkeep(self) -> Upkeep:
        """Ticks of the timers, and mendings."""

    @property
    def submissions(self) -> Submissions:
        """Submissions."""

    @property
    def submission_tasks(self) -> Queue[SubmissionTask]:
        """The queue of submissions to take on."""

    @property
    def runner(self) -> Runner:
        """The runner of submitted programs."""

    @property
    def importing(self) -> Queue[ImportJob]:
        """The queue of imports to check and load."""

    @property
    def connections(self) -> Connections:
        """Connections of the event channel."""

    @property
    def sockets(self) -> Sockets:
        """The gateway's side of the event channel."""

    @property
    def pushes(self) -> Pushes:
        """The queue of pushes."""

    @property
    def clock(self) -> Clock:
        """The time."""

    @property
    def signer(self) -> Signer:
        """The platform's signature."""

    @property
    def addresses(self) -> Addresses:
        """Signed addresses."""

    @property
    def randomness(self) -> Randomness:
        """Names nobody can guess."""

    @property
    def tracks(self) -> Tracks:
        """The contests by name."""

    @property
    def code(self) -> str:
        """Identity of the code that runs: the same facts may make other results under another."""

    @property
    def memory(self) -> Memory:
        """The process's cache."""


Known = TypeVar("Known")
Written = TypeVar("Written")

ATTEMPTS: Final = 8
"""How often something is decided before the caller is told to come back."""
PATIENT_ATTEMPTS: Final = 100
"""The same where nobody may be sent away: more than there can be writes to lose against."""


def decide_until_written(
    known: Known,
    decide: Callable[[Known], Written],
    read_again: Callable[[], Known],
    attempts: Callable[[Known], int] = lambda _: ATTEMPTS,
) -> Written:
    """Decide by the known facts and write the decision; after a lost race read again and decide again.

    ``decide`` raises :class:`LostRaceError` where somebody else wrote first, and has written nothing then.
    :class:`BusyError` after so many lost races as what is known allows, :data:`ATTEMPTS` as a rule.
    """
    made = 0
    while made < attempts(known):
        if made:
            known = read_again()
        try:
            return decide(known)
        except LostRaceError:
            made += 1
    raise BusyError


def signed(platform: Platform, name: str, said: Mapping[str, Any]) -> bytes:
    """Sign a statement: return it under its name with the signature over its canonical bytes, as canonical JSON."""
    signature = base64.b64encode(platform.signer.sign(canonical(said))).decode("ascii")
    return canonical({name: said, "signature": signature})
