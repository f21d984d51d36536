"""Ports in memory: what services need and nothing of AWS.

The fakes keep the ports' promises; ``tests/contest/adapters/test_adapters.py`` runs the same checks against them and
the real adapters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic

from contest.adapters.signatures import Ed25519Signer
from contest.cycle.rules.cycle import Capacity
from contest.cycle.rules.sets import ImportJob
from contest.platform import Memory
from contest.ports import MissingBlobError, Tracks, Work
from contest.results.rules import jobs as job_rules
from contest.results.rules.jobs import AuditJob, Job, ShadowTask
from contest.stored_names import Figure
from contest.submissions.rules import SubmissionTask
from contest.values import Millis
from shadow.job import recompute
from tests.fakes_announcements import FakeAnnouncements, FakeAnnouncer
from tests.fakes_cycle import FakeCatalogue, FakeRuns, FakeSigningKeys
from tests.fakes_exchange import FakeDeliveries, FakeOutbox, FakeRequests, FakeSessionReads, FakeSessions
from tests.fakes_hooks import FakeHooks, FakePoster
from tests.fakes_mails import FakeMailChoices, FakeMailer, FakeMails
from tests.fakes_operations import FakeDeadLetters, FakeUpkeep, FakeWorkQueues
from tests.fakes_people import FakeAuditLog, FakePeople, FakePersons
from tests.fakes_results import FakeAnnulments, FakeQualification, FakeScores, NoBoards
from tests.fakes_source import FakeSource
from tests.fakes_store import CountingNames, HeldClock, Store
from tests.toys import ToyTrack


class FakeBlobs:
    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def get(self, name: str) -> bytes:
        try:
            return self.objects[name]
        except KeyError:
            raise MissingBlobError(name) from None

    def put(self, name: str, content: bytes) -> None:
        self.objects[name] = content

    def put_if_absent(self, name: str, content: bytes) -> None:
        self.objects.setdefault(name, content)

    def put_all_if_absent(self, objects: Mapping[str, bytes], report: Callable[[str], None]) -> None:
        for name, content in objects.items():
            self.objects.setdefault(name, content)
            report(name)

    def get_all(self, names: Sequence[str]) -> Mapping[str, bytes]:
        return {name: self.get(name) for name in names}

    def publish(
        self, name: str, pieces: Iterable[bytes], media_type: str, *, lasting: bool = True, anew: bool = False
    ) -> None:
        self.objects[name] = b"".join(pieces) if anew or name not in self.objects else self.objects[name]

    def names(self, prefix: str) -> Sequence[str]:
        return sorted(name for name in self.objects if name.startswith(prefix))

    def sizes(self, prefix: str) -> Mapping[str, int]:
        return {name: len(self.objects[name]) for name in self.names(prefix)}

    def delete(self, name: str) -> None:
        self.objects.pop(name, None)


class FakeAddresses:
    def to_put(self, name: str, until: Millis) -> str:
        return f"/{name}?put&until={until // 1000}"

    def to_get(self, name: str, until: Millis) -> str:
        return f"/{name}?get&until={until // 1000}"

    def sealed(self, digest: str) -> str:
        return hashlib.sha256(f"a secret {digest}".encode()).hexdigest()


class FakeQueue(Generic[Work]):
    def __init__(self) -> None:
        self.jobs: list[Work] = []

    def send(self, jobs: Sequence[Work]) -> None:
        self.jobs += jobs


class FakeShadows:
    """The recomputation, which is done as soon as it is sent for: the real one, on what is stored here."""

    def __init__(self, platform: FakePlatform) -> None:
        self._platform = platform
        self._source = FakeSource(platform)

    def send(self, jobs: Sequence[ShadowTask]) -> None:
        for task in jobs:
            recompute(self._source, task.run_id, task.session_id, again=task.again, tracks=self._platform.tracks)


class NoChannel:
    """Connections of an event channel that nobody uses."""

    def all(self) -> Sequence[Any]:
        return ()

    def attachment(self, session_id: str) -> None:
        return None


class NoExperts:
    """A cycle in which nobody marks anything up."""

    def marking(self, marking_id: str) -> None:
        return None

    def due_essays(self) -> Sequence[tuple[str, str]]:
        return ()

    def open_assignments(self) -> Sequence[tuple[str, str]]:
        return ()


class NoSubmissions:
    """A cycle in which nobody submits anything."""

    def unfinished(self) -> Sequence[str]:
        return ()


class FakeFigures:
    """:class:`contest.ports.Figures` in memory: the values of each figure in their order."""

    def __init__(self) -> None:
        self.noted: dict[Figure, list[float]] = {}

    def note(self, values: Mapping[Figure, float]) -> None:
        for figure, value in values.items():
            self.noted.setdefault(figure, []).append(value)


class FakePlatform:
    """:class:`contest.platform.Platform` in memory."""

    addresses = FakeAddresses()

    def __init__(self, tracks: Tracks | None = None) -> None:  # noqa: PLR0915 -- a line a port
        self.store = Store()
        self.sessions = FakeSessions(self.store)
        self.deliveries = FakeDeliveries(self.store)
        self.announcements = FakeAnnouncements(self.store.tell)
        self.runs = FakeRuns(self.store, self.announcements)
        self.connections: Any = NoChannel()
        self.outbox = FakeOutbox(self.store)
        self.scores = FakeScores()
        self.annulments = FakeAnnulments(self.store)
        self.boards: Any = NoBoards()
        self.announcer = FakeAnnouncer()
        self.catalogue = FakeCatalogue(self.store, self.announcements)
        self.people = FakePeople(self.store)
        self.persons: Any = FakePersons(self.store, self.people)
        self.mails, self.mail_choices = FakeMails(), FakeMailChoices()
        self.mailer: FakeMailer | None = None
        self.hooks, self.poster, self.site = FakeHooks(self.store), FakePoster(), FakeMailer.site
        self.qualification = FakeQualification(self.store)
        self.dead_letters = FakeDeadLetters(self.store)
        self.work_queues = FakeWorkQueues()
        self.upkeep = FakeUpkeep(self.store)
        self.audit_log = FakeAuditLog(self.store)
        self.experts: Any = NoExperts()
        self.requests = FakeRequests(self.store)
        self.capacity: Capacity | None = None
        self.arming: Any = None
        """Adapter that arms functions; without a capacity nothing is armed."""
        self.session_reads = FakeSessionReads(self)
        self.blobs = FakeBlobs()
        self.queue = FakeQueue[Job]()
        self.settling = FakeQueue[job_rules.SettlingTask]()
        self.shadows: Any = FakeShadows(self)
        self.audits = FakeQueue[AuditJob]()
        self.importing = FakeQueue[ImportJob]()
        self.submissions: Any = NoSubmissions()
        self.submission_tasks = FakeQueue[SubmissionTask]()
        self.clock = HeldClock()
        self.figures = FakeFigures()
        self.signer = Ed25519Signer("0" * 64)
        self.signing_keys = FakeSigningKeys()
        self.randomness = CountingNames()
        self.tracks: Tracks = tracks or {"toy": ToyTrack()}.__getitem__
        self.code = "code"
        self.memory = Memory()
        self.questions: Any = None
        self.replays = self.imports = self.redelivery = self.rescorings = self.rescoring_tasks = self.questions
        self.sign_ins = self.accounts = self.runner = self.questions
        """Test promises that only adapters keep: nothing in memory needs them."""
