"""Wiring: which adapter stands behind which port. Each is made when it is first used, in its own process's time."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from contest import settings
from contest.domain.people.persons import Pool
from contest.services.platform import Memory
from contest.stored_names import LetterQueue

if TYPE_CHECKING:
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


class Wiring:
    """:class:`contest.services.platform.Platform` on AWS. An adapter's libraries are loaded with the adapter."""

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
    def sessions(self) -> ports.Sessions:
        """Sessions."""
        from contest.adapters.sessions import DynamoSessions

        self._tables  # noqa: B018 -- binds the tables
        return DynamoSessions()

    @cached_property
    def deliveries(self) -> ports.Deliveries:
        """Deliveries and receipts."""
        from contest.adapters.deliveries import DynamoDeliveries

        self._tables  # noqa: B018 -- binds the tables
        return DynamoDeliveries()

    @cached_property
    def runs(self) -> Runs:
        """Scheduled runs."""
        from contest.adapters.runs import DynamoRuns

        self._tables  # noqa: B018 -- binds the tables
        return DynamoRuns()

    @cached_property
    def outbox(self) -> ports.Outbox:
        """Answers to be scored."""
        from contest.adapters.deliveries import DynamoOutbox

        self._tables  # noqa: B018 -- binds the tables
        return DynamoOutbox()

    @cached_property
    def scores(self) -> ports.Scores:
        """Score records and board entries."""
        from contest.adapters.scores import DynamoScores

        self._tables  # noqa: B018 -- binds the tables
        return DynamoScores()

    @cached_property
    def annulments(self) -> Annulments:
        """What organizers have annulled."""
        from contest.adapters.annulments import DynamoAnnulments

        self._tables  # noqa: B018 -- binds the tables
        return DynamoAnnulments()

    @cached_property
    def replays(self) -> Replays:
        """Replays of programs' work, and people's reviews of it."""
        from contest.adapters.replays import DynamoReplays

        self._tables  # noqa: B018 -- binds the tables
        return DynamoReplays()

    @cached_property
    def boards(self) -> Boards:
        """Boards' states and histories."""
        from contest.adapters.boards import DynamoBoards

        self._tables  # noqa: B018 -- binds the tables
        return DynamoBoards()

    @cached_property
    def qualification(self) -> Qualification:
        """Conclusions and admissions."""
        from contest.adapters.qualification import DynamoQualification

        self._tables  # noqa: B018 -- binds the tables
        return DynamoQualification()

    @cached_property
    def catalogue(self) -> ports.Catalogue:
        """The cycle."""
        from contest.adapters.catalogue import DynamoCatalogue

        self._tables  # noqa: B018 -- binds the tables
        return DynamoCatalogue(self.settings.cycle)

    @cached_property
    def imports(self) -> Imports:
        """Imports of cycles and sets."""
        from contest.adapters.imports import DynamoImports

        self._tables  # noqa: B018 -- binds the tables
        return DynamoImports(self.settings.cycle)

    @cached_property
    def announcements(self) -> Announcements:
        """Announcements."""
        from contest.adapters.announcements import DynamoAnnouncements

        self._tables  # noqa: B018 -- binds the tables
        return DynamoAnnouncements(self.settings.cycle)

    @cached_property
    def announcer(self) -> Announcer:
        """Whoever has subscribed to announcements."""
        from contest.adapters.announcer import EventBusAnnouncer

        return EventBusAnnouncer(self.settings.cycle)

    @cached_property
    def people(self) -> People:
        """Teams and tokens."""
        from contest.adapters.people import DynamoPeople

        self._tables  # noqa: B018 -- binds the tables
        return DynamoPeople()

    @cached_property
    def persons(self) -> Persons:
        """People and invitations."""
        from contest.adapters.persons import DynamoPersons

        self._tables  # noqa: B018 -- binds the tables
        return DynamoPersons()

    @cached_property
    def sign_ins(self) -> SignIns:
        """Tokens of people who have signed in."""
        from contest.adapters.sign_ins import PoolSignIns

        pools = {Pool.PARTICIPANTS: self.settings.participants, Pool.STAFF: self.settings.staff}
        return PoolSignIns((pool, told.issuer, told.client_id) for pool, told in pools.items())

    @cached_property
    def accounts(self) -> Accounts:
        """Accounts of the staff."""
        from contest.adapters.accounts import CognitoAccounts

        return CognitoAccounts(self.settings.staff_pool_id)

    @cached_property
    def experts(self) -> Experts:
        """Experts and their work."""
        from contest.adapters.experts import DynamoExperts

        self._tables  # noqa: B018 -- binds the tables
        return DynamoExperts()

    @cached_property
    def audit_log(self) -> ports.AuditLog:
        """The log of what people changed."""
        from contest.adapters.audit_log import DynamoAuditLog

        self._tables  # noqa: B018 -- binds the tables
        return DynamoAuditLog()

    @cached_property
    def capacity(self) -> Capacity | None:
        """What the deployment takes; None where it does not say."""
        from contest.domain.cycle.capacity import Capacity

        return Capacity(**self.settings.capacity) if self.settings.capacity else None

    @cached_property
    def requests(self) -> Requests:
        """What is kept of teams' requests."""
        from contest.adapters.requests import DynamoRequests

        self._tables  # noqa: B018 -- binds the tables
        return DynamoRequests()

    @cached_property
    def session_reads(self) -> SessionReads:
        """Reads of several items at once."""
        from contest.adapters.session_reads import DynamoSessionReads

        self._tables  # noqa: B018 -- binds the tables
        return DynamoSessionReads(self.settings.cycle)

    @cached_property
    def blobs(self) -> ports.Blobs:
        """Objects."""
        from contest.adapters.blobs import S3Blobs

        return S3Blobs(self.settings.bucket)

    @cached_property
    def queue(self) -> ports.Queue[Job]:
        """The scoring queue."""
        from contest.adapters.queue import SqsQueue

        return SqsQueue(self.settings.scoring_queue_url)

    @cached_property
    def settling(self) -> ports.Queue[SettlingTask]:
        """The queue of what is to be made of runs that are over."""
        from contest.adapters.queue import SqsQueue

        return SqsQueue(self.settings.settlement_queue_url)

    @cached_property
    def rescorings(self) -> Rescorings:
        """Rescorings."""
        from contest.adapters.rescoring import DynamoRescorings

        self._tables  # noqa: B018 -- binds the tables
        return DynamoRescorings()

    @cached_property
    def rescoring_tasks(self) -> ports.Queue[RescoringTask]:
        """The queue of what is to be scored anew."""
        from contest.adapters.queue import SqsQueue

        return SqsQueue(self.settings.rescoring_queue_url)

    @cached_property
    def shadows(self) -> ports.Queue[ShadowTask]:
        """The queue of what is to be recomputed independently."""
        from contest.adapters.queue import SqsQueue

        return SqsQueue(self.settings.shadow_queue_url)

    @cached_property
    def audits(self) -> ports.Queue[AuditJob]:
        """The queue of what is to be audited."""
        from contest.adapters.queue import SqsQueue

        return SqsQueue(self.settings.audit_queue_url)

    @cached_property
    def dead_letters(self) -> DeadLetters:
        """Jobs that failed for good."""
        from contest.adapters.dead_letters import DynamoDeadLetters

        self._tables  # noqa: B018 -- binds the tables
        return DynamoDeadLetters()

    @cached_property
    def work_queues(self) -> WorkQueues:
        """The queues of work, by the names of their letters."""
        from contest.adapters.dead_letters import SqsWorkQueues

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
        from contest.adapters.upkeep import DynamoUpkeep

        self._tables  # noqa: B018 -- binds the tables
        return DynamoUpkeep()

    @cached_property
    def submissions(self) -> Submissions:
        """Submissions."""
        from contest.adapters.submissions import DynamoSubmissions

        self._tables  # noqa: B018 -- binds the tables
        return DynamoSubmissions(self.settings.cycle)

    @cached_property
    def submission_tasks(self) -> ports.Queue[SubmissionTask]:
        """The queue of submissions to take on."""
        from contest.adapters.queue import SqsQueue

        return SqsQueue(self.settings.submission_queue_url)

    @cached_property
    def runner(self) -> Runner:
        """Whoever runs submitted programs."""
        from contest.adapters.batch import BatchRunner, Lane

        read = self.settings
        copying = Lane(read.batch_copy_queue, read.batch_copy_definition) if read.batch_copy_queue else None
        return BatchRunner(read.bucket, Lane(read.batch_queue, read.batch_definition), copying)

    @cached_property
    def importing(self) -> ports.Queue[ImportJob]:
        """The queue of imports to check and load."""
        from contest.adapters.queue import SqsQueue

        return SqsQueue(self.settings.import_queue_url)

    @cached_property
    def connections(self) -> Connections:
        """Connections of the event channel."""
        from contest.adapters.connections import DynamoConnections

        self._tables  # noqa: B018 -- binds the tables
        return DynamoConnections()

    @cached_property
    def sockets(self) -> Sockets:
        """The gateway's side of the event channel."""
        from contest.adapters.sockets import GatewaySockets

        return GatewaySockets(self.settings.socket_endpoint)

    @cached_property
    def pushes(self) -> Pushes:
        """The queue of pushes."""
        from contest.adapters.queue import SqsPushes

        return SqsPushes(self.settings.push_queue_url)

    @cached_property
    def clock(self) -> ports.Clock:
        """The time."""
        from contest.adapters.clock import FileClock, SystemClock

        return FileClock(self.settings.clock_file) if self.settings.clock_file else SystemClock()

    @cached_property
    def signer(self) -> ports.Signer:
        """The platform's signature."""
        from contest.adapters.signer import from_secrets_manager

        return from_secrets_manager(self.settings.signing_secret_arn)

    @cached_property
    def addresses(self) -> Addresses:
        """Signed addresses."""
        from contest.adapters.addresses import AddressKey, CloudFrontAddresses

        read = self.settings
        uploads = AddressKey(read.uploads_key, read.uploads_secret)
        return CloudFrontAddresses(uploads, AddressKey(read.downloads_key, read.downloads_secret))

    @cached_property
    def randomness(self) -> ports.Randomness:
        """Names nobody can guess."""
        from contest.adapters.randomness import SystemRandomness

        return SystemRandomness()

    @cached_property
    def code(self) -> str:
        """Identity of the code that runs."""
        from contest.adapters import code

        return code.identity()

    @cached_property
    def tracks(self) -> ports.Tracks:
        """The contests by name."""
        from tracks import registry

        return registry.get


@cache
def platform() -> Wiring:
    """The process's wiring, made at the first request."""
    return Wiring(settings.read())
