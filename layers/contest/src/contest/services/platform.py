"""What every use case is given: the ports, and a memory for what never changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, Protocol

from contest import ports
from contest.domain.cycle.capacity import Capacity
from contest.domain.cycle.importing import ImportJob
from contest.domain.results.auditing import AuditJob
from contest.domain.results.rescoring import RescoringTask
from contest.domain.results.scoring import Job
from contest.domain.results.settlement import SettlingTask
from contest.domain.results.shadowing import ShadowTask
from contest.domain.submissions.submission import SubmissionTask
from contest.ports.addresses import Addresses
from contest.ports.announcements import Announcements, Announcer
from contest.ports.annulments import Annulments
from contest.ports.boards import Boards
from contest.ports.channel import Connections, Pushes, Sockets
from contest.ports.experts import Experts
from contest.ports.imports import Imports
from contest.ports.operations import DeadLetters, Upkeep, WorkQueues
from contest.ports.people import Accounts, People, Persons, SignIns
from contest.ports.qualification import Qualification
from contest.ports.replays import Replays
from contest.ports.requests import Requests, SessionReads
from contest.ports.rescoring import Rescorings
from contest.ports.runs import Runs
from contest.ports.submissions import Runner, Submissions

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
        """The value of a key, made at the first request. What raises is not kept."""
        if key in self._values:
            return self.known(key)
        value = make()
        self.put(key, value, size(value))
        return value

    def known(self, key: Hashable) -> Any:
        """The value of a key, None without one."""
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
    def sessions(self) -> ports.Sessions:
        """Sessions."""

    @property
    def deliveries(self) -> ports.Deliveries:
        """Deliveries and receipts."""

    @property
    def runs(self) -> Runs:
        """Scheduled runs."""

    @property
    def outbox(self) -> ports.Outbox:
        """Answers to be scored."""

    @property
    def scores(self) -> ports.Scores:
        """Score records and board entries."""

    @property
    def annulments(self) -> Annulments:
        """What organizers have annulled."""

    @property
    def boards(self) -> Boards:
        """Boards' states and histories."""

    @property
    def qualification(self) -> Qualification:
        """Conclusions and admissions."""

    @property
    def catalogue(self) -> ports.Catalogue:
        """The cycle."""

    @property
    def imports(self) -> Imports:
        """Imports of cycles and sets."""

    @property
    def announcements(self) -> Announcements:
        """Announcements."""

    @property
    def announcer(self) -> Announcer:
        """Whoever has subscribed to announcements."""

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
    def audit_log(self) -> ports.AuditLog:
        """The log of what people changed."""

    @property
    def capacity(self) -> Capacity | None:
        """What the deployment takes; None where it does not say."""

    @property
    def requests(self) -> Requests:
        """What is kept of teams' requests."""

    @property
    def session_reads(self) -> SessionReads:
        """Reads of several items at once."""

    @property
    def blobs(self) -> ports.Blobs:
        """Objects."""

    @property
    def queue(self) -> ports.Queue[Job]:
        """The scoring queue."""

    @property
    def settling(self) -> ports.Queue[SettlingTask]:
        """The queue of what is to be made of runs that are over."""

    @property
    def rescorings(self) -> Rescorings:
        """Rescorings."""

    @property
    def rescoring_tasks(self) -> ports.Queue[RescoringTask]:
        """The queue of what is to be scored anew."""

    @property
    def shadows(self) -> ports.Queue[ShadowTask]:
        """The queue of what is to be recomputed independently."""

    @property
    def audits(self) -> ports.Queue[AuditJob]:
        """The queue of what is to be audited."""

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
    def submission_tasks(self) -> ports.Queue[SubmissionTask]:
        """The queue of submissions to take on."""

    @property
    def runner(self) -> Runner:
        """Whoever runs submitted programs."""

    @property
    def importing(self) -> ports.Queue[ImportJob]:
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
    def clock(self) -> ports.Clock:
        """The time."""

    @property
    def signer(self) -> ports.Signer:
        """The platform's signature."""

    @property
    def addresses(self) -> Addresses:
        """Signed addresses."""

    @property
    def randomness(self) -> ports.Randomness:
        """Names nobody can guess."""

    @property
    def tracks(self) -> ports.Tracks:
        """The contests by name."""

    @property
    def code(self) -> str:
        """Identity of the code that runs: the same facts may make other results under another."""

    @property
    def memory(self) -> Memory:
        """The process's cache."""
