"""Wiring: the adapter of every port, made when it is first used, in its own process's time.

A process that is started ahead preloads the modules and clients of its first request.
"""

from __future__ import annotations

from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Final

from contest import settings
from contest.people.rules import Pool
from contest.platform import Memory
from contest.stored_names import LetterQueue

if TYPE_CHECKING:
    from contest.channel.ports import Connections, Pushes, Sockets
    from contest.cycle.ports import Announcements, Announcer, Imports
    from contest.cycle.rules.cycle import Capacity
    from contest.cycle.rules.sets import ImportJob
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


class Wiring:
    """:class:`contest.platform.Platform` on AWS. An adapter's libraries are loaded with the adapter."""

    def __init__(self, read: settings.Settings) -> None:
        self.settings = read
        self.memory = Memory()

    @cached_property
    def _tables(self) -> None:
        from contest.adapters import dynamo

        read = self.settings
        dynamo.bind(
            read.exchange_table, read.scores_table, read.catalogue_table, read.identity_table, read.experts_table
        )

    @cached_property
    def sessions(self) -> Sessions:
        """Sessions."""
        from contest.session.store import DynamoSessions

        self._tables  # noqa: B018 -- binds the tables
        return DynamoSessions()

    @cached_property
    def deliveries(self) -> Deliveries:
        """Deliveries and receipts."""
        from contest.exchange.store import DynamoDeliveries

        self._tables  # noqa: B018 -- binds the tables
        return DynamoDeliveries()

    @cached_property
    def runs(self) -> Runs:
        """Scheduled runs."""
        from contest.run.store import DynamoRuns

        self._tables  # noqa: B018 -- binds the tables
        return DynamoRuns()

    @cached_property
    def outbox(self) -> Outbox:
        """Answers to be scored."""
        from contest.exchange.store import DynamoOutbox

        self._tables  # noqa: B018 -- binds the tables
        return DynamoOutbox()

    @cached_property
    def scores(self) -> Scores:
        """Score records and board entries."""
        from contest.results.store import DynamoScores

        self._tables  # noqa: B018 -- binds the tables
        return DynamoScores()

    @cached_property
    def annulments(self) -> Annulments:
        """Annulments by organizers."""
        from contest.results.store import DynamoAnnulments

        self._tables  # noqa: B018 -- binds the tables
        return DynamoAnnulments()

    @cached_property
    def replays(self) -> Replays:
        """Replays of programs' work, and people's reviews of it."""
        from contest.experts.store import DynamoReplays

        self._tables  # noqa: B018 -- binds the tables
        return DynamoReplays()

    @cached_property
    def boards(self) -> Boards:
        """Boards' states and histories."""
        from contest.results.store import DynamoBoards

        self._tables  # noqa: B018 -- binds the tables
        return DynamoBoards()

    @cached_property
    def qualification(self) -> Qualification:
        """Conclusions and admissions."""
        from contest.results.store import DynamoQualification

        self._tables  # noqa: B018 -- binds the tables
        return DynamoQualification()

    @cached_property
    def catalogue(self) -> Catalogue:
        """The cycle."""
        from contest.cycle.store import DynamoCatalogue

        self._tables  # noqa: B018 -- binds the tables
        return DynamoCatalogue(self.settings.cycle)

    @cached_property
    def imports(self) -> Imports:
        """Imports of cycles and sets."""
        from contest.cycle.store import DynamoImports

        self._tables  # noqa: B018 -- binds the tables
        return DynamoImports(self.settings.cycle)

    @cached_property
    def announcements(self) -> Announcements:
        """Announcements."""
        from contest.cycle.store import DynamoAnnouncements

        self._tables  # noqa: B018 -- binds the tables
        return DynamoAnnouncements(self.settings.cycle)

    @cached_property
    def announcer(self) -> Announcer:
        """The subscribers to announcements."""
        from contest.cycle.store import EventBusAnnouncer

        return EventBusAnnouncer(self.settings.cycle)

    @cached_property
    def people(self) -> People:
        """Teams and tokens."""
        from contest.people.store import DynamoPeople

        self._tables  # noqa: B018 -- binds the tables
        return DynamoPeople()

    @cached_property
    def persons(self) -> Persons:
        """People and invitations."""
        from contest.people.store import DynamoPersons

        self._tables  # noqa: B018 -- binds the tables
        return DynamoPersons()

    @cached_property
    def sign_ins(self) -> SignIns:
        """Tokens of people who have signed in."""
        from contest.people.accounts import PoolSignIns

        pools = {Pool.PARTICIPANTS: self.settings.participants, Pool.STAFF: self.settings.staff}
        return PoolSignIns((pool, told.issuer, told.client_id) for pool, told in pools.items())

    @cached_property
    def accounts(self) -> Accounts:
        """Accounts of the staff."""
        from contest.people.accounts import CognitoAccounts

        return CognitoAccounts(self.settings.staff_pool_id)

    @cached_property
    def experts(self) -> Experts:
        """Experts and their work."""
        from contest.experts.store import DynamoExperts

        self._tables  # noqa: B018 -- binds the tables
        return DynamoExperts()

    @cached_property
    def audit_log(self) -> AuditLog:
        """The log of people's changes."""
        from contest.people.store import DynamoAuditLog

        self._tables  # noqa: B018 -- binds the tables
        return DynamoAuditLog()

    @cached_property
    def capacity(self) -> Capacity | None:
        """Capacity of the deployment; None where it states none."""
        from contest.cycle.rules.cycle import Capacity

        return Capacity(**self.settings.capacity) if self.settings.capacity else None

    @cached_property
    def requests(self) -> Requests:
        """Stored facts of teams' requests."""
        from contest.exchange.store import DynamoRequests

        self._tables  # noqa: B018 -- binds the tables
        return DynamoRequests()

    @cached_property
    def session_reads(self) -> SessionReads:
        """Reads of several items at once."""
        from contest.exchange.session_reads import DynamoSessionReads

        self._tables  # noqa: B018 -- binds the tables
        return DynamoSessionReads(self.settings.cycle)

    @cached_property
    def blobs(self) -> Blobs:
        """Objects."""
        from contest.adapters.blobs import S3Blobs

        return S3Blobs(self.settings.bucket)

    @cached_property
    def queue(self) -> Queue[Job]:
        """The scoring queue."""
        from contest.operations.store import SqsQueue

        return SqsQueue(self.settings.scoring_queue_url)

    @cached_property
    def settling(self) -> Queue[SettlingTask]:
        """The queue of closed runs whose results are to be made."""
        from contest.operations.store import SqsQueue

        return SqsQueue(self.settings.settlement_queue_url)

    @cached_property
    def rescorings(self) -> Rescorings:
        """Rescorings."""
        from contest.results.store import DynamoRescorings

        self._tables  # noqa: B018 -- binds the tables
        return DynamoRescorings()

    @cached_property
    def rescoring_tasks(self) -> Queue[RescoringTask]:
        """The queue of rescoring tasks."""
        from contest.operations.store import SqsQueue

        return SqsQueue(self.settings.rescoring_queue_url)

    @cached_property
    def shadows(self) -> Queue[ShadowTask]:
        """The queue of independent recomputations."""
        from contest.operations.store import SqsQueue

        return SqsQueue(self.settings.shadow_queue_url)

    @cached_property
    def audits(self) -> Queue[AuditJob]:
        """The queue of audits."""
        from contest.operations.store import SqsQueue

        return SqsQueue(self.settings.audit_queue_url)

    @cached_property
    def dead_letters(self) -> DeadLetters:
        """Jobs that failed for good."""
        from contest.operations.store import DynamoDeadLetters

        self._tables  # noqa: B018 -- binds the tables
        return DynamoDeadLetters()

    @cached_property
    def work_queues(self) -> WorkQueues:
        """The queues of work, by the names of their letters."""
        from contest.operations.store import SqsWorkQueues

        read = self.settings
        urls = {
            LetterQueue.SCORING: read.scoring_queue_url,
            LetterQueue.SETTLEMENT: read.settlement_queue_url,
            LetterQueue.RESCORINGS: read.rescoring_queue_url,
            LetterQueue.SHADOWS: read.shadow_queue_url,
            LetterQueue.AUDITS: read.audit_queue_url,
            LetterQueue.IMPORTS: read.import_queue_url,
            LetterQueue.PUSHES: read.push_queue_url,
            LetterQueue.SUBMISSIONS: read.submission_queue_url,
        }
        return SqsWorkQueues(urls)

    @cached_property
    def upkeep(self) -> Upkeep:
        """Ticks of the timers, and mendings."""
        from contest.operations.store import DynamoUpkeep

        self._tables  # noqa: B018 -- binds the tables
        return DynamoUpkeep()

    @cached_property
    def submissions(self) -> Submissions:
        """Submissions."""
        from contest.submissions.store import DynamoSubmissions

        self._tables  # noqa: B018 -- binds the tables
        return DynamoSubmissions(self.settings.cycle)

    @cached_property
    def submission_tasks(self) -> Queue[SubmissionTask]:
        """The queue of submissions to take on."""
        from contest.operations.store import SqsQueue

        return SqsQueue(self.settings.submission_queue_url)

    @cached_property
    def runner(self) -> Runner:
        """The runner of submitted programs."""
        from contest.submissions.store import BatchRunner, Lane

        read = self.settings
        copying = Lane(read.batch_copy_queue, read.batch_copy_definition) if read.batch_copy_queue else None
        return BatchRunner(read.bucket, Lane(read.batch_queue, read.batch_definition), copying)

    @cached_property
    def importing(self) -> Queue[ImportJob]:
        """The queue of imports to check and load."""
        from contest.operations.store import SqsQueue

        return SqsQueue(self.settings.import_queue_url)

    @cached_property
    def connections(self) -> Connections:
        """Connections of the event channel."""
        from contest.channel.store import DynamoConnections

        self._tables  # noqa: B018 -- binds the tables
        return DynamoConnections()

    @cached_property
    def sockets(self) -> Sockets:
        """The gateway's side of the event channel."""
        from contest.channel.store import GatewaySockets

        return GatewaySockets(self.settings.socket_endpoint)

    @cached_property
    def pushes(self) -> Pushes:
        """The queue of pushes."""
        from contest.operations.store import SqsPushes

        return SqsPushes(self.settings.push_queue_url)

    @cached_property
    def clock(self) -> Clock:
        """The time."""
        from contest.adapters.system import FileClock, SystemClock

        return FileClock(self.settings.clock_file) if self.settings.clock_file else SystemClock()

    @cached_property
    def signer(self) -> Signer:
        """The platform's signature."""
        from contest.adapters.signatures import from_secrets_manager

        return from_secrets_manager(self.settings.signing_secret_arn)

    @cached_property
    def addresses(self) -> Addresses:
        """Signed addresses."""
        from contest.adapters.signatures import AddressKey, CloudFrontAddresses

        read = self.settings
        uploads = AddressKey(read.uploads_key, read.uploads_secret)
        return CloudFrontAddresses(uploads, AddressKey(read.downloads_key, read.downloads_secret))

    @cached_property
    def randomness(self) -> Randomness:
        """Names nobody can guess."""
        from contest.adapters.system import SystemRandomness

        return SystemRandomness()

    @cached_property
    def code(self) -> str:
        """Identity of the code that runs."""
        from contest.adapters import system

        return system.identity()

    @cached_property
    def tracks(self) -> Tracks:
        """The contests by name."""
        from tracks import registry

        return registry.get


@cache
def platform() -> Wiring:
    """Return the process's wiring, made at the first request."""
    return Wiring(settings.read())


_STORES: Final = (
    *(f"contest.adapters.{name}" for name in ("blobs", "signatures", "system")),
    *(
        f"contest.{room}.store"
        for room in (
            "channel",
            "cycle",
            "exchange",
            "experts",
            "operations",
            "people",
            "results",
            "run",
            "session",
            "submissions",
        )
    ),
    "contest.exchange.session_reads",
    "contest.people.accounts",
)
_SERVICES: Final = ("dynamodb", "s3", "secretsmanager", "sqs")


def preload() -> None:
    """Load the modules and clients of the first request, in a process that starts before anybody waits for it.

    One that is kept running makes its clients, too, which opens no connection; a snapshot has none, for what they
    hold (credentials, random numbers) would be the same in every process that is restored from it. Elsewhere nothing
    is loaded before it is needed.
    """
    if not settings.starts_ahead():
        return
    for name in _STORES:
        import_module(name)
    registry = import_module("tracks.registry")
    for name in registry.names():
        registry.get(name)
    if not settings.makes_snapshot():
        _make_clients()


def _make_clients() -> None:
    """Make the clients of all services; each costs a process a tenth of a second and more."""
    from contest.adapters import aws
    from contest.channel.store import client

    for service in _SERVICES:
        aws.client(service)
    client(platform().settings.socket_endpoint)
