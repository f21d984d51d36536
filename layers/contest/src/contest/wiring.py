"""Wiring: the adapter of every port, made when it is first used, in its own process's time.

A process that is started ahead preloads the modules and clients of its first request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from contest import settings
from contest.platform import Memory, Platform
from contest.ports import Adapted, Port
from contest.routes import SHARES
from contest.stored_names import LetterQueue
from markup_core.lazy import generate_all


class _OnUse:
    """A module that is loaded when one of its names is first used.

    ``variables``: settings without any of which a process cannot use it, and does not load it ahead; none where every
    process may use it.
    """

    modules: ClassVar[dict[str, Sequence[str]]] = {}

    def __init__(self, name: str, *variables: str) -> None:
        self._name = name
        self.modules[name] = variables

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


if TYPE_CHECKING:
    from contest.adapters import aws, signatures, system
    from contest.channel import store as channel
    from contest.cycle import store as cycle
    from contest.cycle.rules import cycle as cycle_rules
    from contest.exchange import store as exchange
    from contest.experts import store as experts
    from contest.messages import store as messages
    from contest.operations import store as operations
    from contest.people import accounts
    from contest.people import rules as people_rules
    from contest.people import store as people
    from contest.results import store as results
    from contest.results.ports import Runner
    from contest.room_ports import Mailer, Poster, SignIns, WorkQueues
    from contest.run import store as run
    from contest.session import store as session
    from contest.settings import Settings
    from tracks import registry
    from tracks.custom import running
    from tracks.custom import track as declared
    from tracks.protocol import Track
else:
    aws = _OnUse("contest.adapters.aws")
    signatures = _OnUse(
        "contest.adapters.signatures", settings.SIGNING_SECRET_ARN, settings.UPLOADS_KEY, settings.DOWNLOADS_KEY
    )
    system = _OnUse("contest.adapters.system")
    channel = _OnUse("contest.channel.store")
    cycle = _OnUse("contest.cycle.store")
    cycle_rules = _OnUse("contest.cycle.rules.cycle")
    exchange = _OnUse("contest.exchange.store")
    experts = _OnUse("contest.experts.store", settings.EXPERTS_TABLE)
    messages = _OnUse("contest.messages.store", settings.MAIL_FROM)
    operations = _OnUse("contest.operations.store")
    accounts = _OnUse("contest.people.accounts", settings.STAFF_POOL_ID, settings.STAFF_ISSUER)
    people_rules = _OnUse("contest.people.rules")
    people = _OnUse("contest.people.store")
    results = _OnUse("contest.results.store")
    run = _OnUse("contest.run.store")
    session = _OnUse("contest.session.store")
    registry = _OnUse("tracks.registry")
    declared = _OnUse("tracks.custom.track", settings.MEASURES)
    running = _OnUse("tracks.custom.running", settings.MEASURES)


class Adapter(Port[Adapted]):
    """The adapter of a port, made of the settings when it is first used and kept by its wiring."""

    def __init__(self, make: Callable[[Settings], Adapted]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, platform: Any, owner: Any = None, /) -> Adapted:
        if platform is None:
            return cast(Adapted, self)
        adapter = platform.__dict__[self._name] = self._make(platform.settings)
        return adapter


class Stored(Adapter[Adapted]):
    """An adapter on the deployment's tables."""

    def __get__(self, platform: Any, owner: Any = None, /) -> Adapted:
        if platform is not None:
            aws.bind_tables(platform.settings)
        return super().__get__(platform, owner)


def _sign_ins(values: Settings) -> SignIns:
    pools = {people_rules.Pool.PARTICIPANTS: values.participants, people_rules.Pool.STAFF: values.staff}
    return accounts.PoolSignIns((pool, of_pool.issuer, of_pool.client_id) for pool, of_pool in pools.items())


def _runner(values: Settings) -> Runner:
    running = results.Lane(values.batch_queue, values.batch_definition)
    copying = results.Lane(values.batch_copy_queue, values.batch_copy_definition) if values.batch_copy_queue else None
    return results.BatchRunner(values.bucket, running, copying)


def _tracks(values: Settings) -> Callable[[str], Track]:
    """Return the contests by name; a function runs no program of a measure itself, the function for it does."""
    if values.measures == settings.HERE or not (values.measures or settings.is_deployed()):
        return registry.get
    custom = declared.CustomTrack(running.InFunction(aws.runner_of_measures, values.measures, values.measure_image))
    return lambda name: custom if name == custom.name else registry.get(name)


def _mailer(values: Settings) -> Mailer | None:
    if values.mail_folder:
        return messages.FolderMailer(values.mail_folder, values.mail_from, values.site)
    return messages.SesMailer(values.mail_from, values.site) if values.mail_from else None


def _poster(values: Settings) -> Poster:
    if values.hook_loopback:
        return messages.LoopbackPoster()
    return messages.FolderPoster(values.mail_folder) if values.mail_folder else messages.HttpsPoster()


def _work_queues(values: Settings) -> WorkQueues:
    urls = {
        LetterQueue.SCORING: values.scoring_queue_url,
        LetterQueue.SETTLEMENT: values.settlement_queue_url,
        LetterQueue.RESCORINGS: values.rescoring_queue_url,
        LetterQueue.SHADOWS: values.shadow_queue_url,
        LetterQueue.AUDITS: values.audit_queue_url,
        LetterQueue.IMPORTS: values.import_queue_url,
        LetterQueue.PUSHES: values.push_queue_url,
        LetterQueue.SUBMISSIONS: values.submission_queue_url,
    }
    return operations.SqsWorkQueues(urls)


class Wiring(Platform):
    """:class:`contest.platform.Platform` on AWS: a row a port. An adapter's libraries are loaded with the adapter."""

    def __init__(self, values: Settings) -> None:
        self.settings = values
        self.memory = Memory()

    sessions = Stored(lambda _: session.DynamoSessions())
    deliveries = Stored(lambda _: exchange.DynamoDeliveries())
    session_reads = Stored(lambda values: exchange.DynamoSessionReads(values.cycle))
    requests = Stored(lambda _: session.DynamoRequests())
    outbox = Stored(lambda _: exchange.DynamoOutbox())
    queue = Adapter(lambda values: operations.SqsQueue[Any](values.scoring_queue_url))
    scores = Stored(lambda _: results.DynamoScores())
    catalogue = Stored(lambda values: cycle.DynamoCatalogue(values.cycle))
    audit_log = Stored(lambda _: people.DynamoAuditLog())
    blobs = Stored(lambda values: aws.S3Blobs(values.bucket))
    addresses = Adapter(
        lambda values: signatures.CloudFrontAddresses(
            lambda: signatures.AddressKey(values.uploads_key, values.uploads_secret),
            lambda: signatures.AddressKey(values.downloads_key, values.downloads_secret),
        )
    )
    clock = Adapter(lambda values: system.FileClock(values.clock_file) if values.clock_file else system.SystemClock())
    figures = Adapter(lambda values: system.LoggedFigures(values.cycle))
    signer = Adapter(lambda values: signatures.signer_of(values.signing_secret_arn))
    signing_keys = Stored(lambda _: run.DynamoSigningKeys())
    randomness = Adapter(lambda _: system.SystemRandomness())
    tracks = Adapter(_tracks)
    code = Adapter(lambda _: system.identity())

    connections = Stored(lambda _: channel.DynamoConnections())
    sockets = Adapter(lambda values: channel.GatewaySockets(values.socket_endpoint))
    pushes = Adapter(lambda values: operations.SqsPushes(values.push_queue_url))

    announcements = Stored(lambda values: cycle.DynamoAnnouncements(values.cycle))
    announcer = Adapter(lambda values: cycle.EventBusAnnouncer(values.cycle))
    imports = Stored(lambda values: cycle.DynamoImports(values.cycle))
    importing = Adapter(lambda values: operations.SqsQueue[Any](values.import_queue_url))
    capacity = Adapter(lambda values: cycle_rules.Capacity(**values.capacity))

    experts = Stored(lambda _: experts.DynamoExperts())
    replays = Stored(lambda _: experts.DynamoReplays())

    dead_letters = Stored(lambda _: operations.DynamoDeadLetters())
    work_queues = Adapter(_work_queues)
    redelivery = Adapter(lambda values: operations.SqsRedelivery(int(values.timeout_s)))
    copies = Adapter(lambda values: aws.S3Copies(values.copies_bucket) if values.copies_bucket else None)
    upkeep = Stored(lambda _: operations.DynamoUpkeep())

    people = Stored(lambda _: people.DynamoPeople())
    persons = Stored(lambda _: people.DynamoPersons())
    sign_ins = Adapter(_sign_ins)
    accounts = Adapter(lambda values: accounts.CognitoAccounts(values.staff_pool_id))

    hooks = Stored(lambda _: messages.DynamoHooks())
    poster = Adapter(_poster)
    site = Adapter(lambda values: values.site)

    mails = Stored(lambda _: messages.DynamoMails())
    mail_choices = Stored(lambda _: messages.DynamoMailChoices())
    mailer = Adapter(_mailer)

    questions = Stored(lambda values: messages.DynamoQuestions(values.cycle))

    annulments = Stored(lambda _: results.DynamoAnnulments())
    boards = Stored(lambda _: results.DynamoBoards())
    qualification = Stored(lambda _: results.DynamoQualification())
    rescorings = Stored(lambda _: results.DynamoRescorings())
    rescoring_tasks = Adapter(lambda values: operations.SqsQueue[Any](values.rescoring_queue_url))
    settling = Adapter(lambda values: operations.SqsQueue[Any](values.settlement_queue_url))
    shadows = Adapter(lambda values: operations.SqsQueue[Any](values.shadow_queue_url))
    audits = Adapter(lambda values: operations.SqsQueue[Any](values.audit_queue_url))

    runs = Stored(lambda _: run.DynamoRuns())
    arming = Adapter(
        lambda values: run.ScheduledScaling(
            {name: f"{settings.function_name(values.cycle, name)}:{settings.ALIAS}" for name in SHARES}
        )
    )

    submissions = Stored(lambda values: results.DynamoSubmissions(values.cycle))
    submission_tasks = Adapter(lambda values: operations.SqsQueue[Any](values.submission_queue_url))
    runner = Adapter(_runner)


@cache
def platform() -> Wiring:
    """Return the process's wiring, made at the first request."""
    values = settings.read()
    if values.timeout_s:
        aws.set_time_out(int(values.timeout_s))
    return Wiring(values)


_SERVICES: Final = ("dynamodb", "s3", "secretsmanager", "sqs")


TOKENS: Final = ("contest.adapters.aws", "contest.adapters.aws", "contest.adapters.system", "contest.people.store")
"""Modules that the look-up of a token needs; its only service is DynamoDB."""


def preload(only: Sequence[str] = ()) -> None:
    """Load the modules and clients of the first request, in a process that starts before anybody waits for it, and
    generate the methods of its dataclasses.

    One that is kept running makes its clients, too, which opens no connection; a snapshot has none, since their
    credentials and random numbers would be the same in every process that is restored from it. Elsewhere nothing is
    loaded before it is needed.

    ``only``: the adapters' modules of a function that looks up tokens and does nothing else; by default all.
    """
    if not settings.starts_ahead():
        return
    if only:
        for module in only:
            import_module(module)
        generate_all()
        if not settings.makes_snapshot():
            aws.client(_SERVICES[0])
        return
    for module, variables in _OnUse.modules.items():
        if not variables or any(map(settings.is_given, variables)):
            import_module(module)
    for name in registry.names():
        registry.get(name)
    generate_all()
    if not settings.makes_snapshot():
        _make_clients()


def _make_clients() -> None:
    """Make the clients of all services; each costs a process a tenth of a second and more."""
    values = platform().settings
    for service in _SERVICES:
        aws.client(service)
    if settings.is_given(settings.SOCKET_ENDPOINT):
        channel.client(values.socket_endpoint)
