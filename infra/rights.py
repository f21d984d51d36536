"""The functions and their rights: the whole of the deployment's rights as data.

The constructs turn these rows into policies and the tests compare the policies with them.
A function that is not granted something here cannot do it, whatever its code says (platform §1).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from contest import settings
from contest import stored_names as stored
from contest.routes import ROUTES
from contest.stored_names import LetterQueue

Table = Literal["Exchange", "Scores", "Catalogue", "Identity", "Experts"]

MANIFESTS: Final = f"{stored.SETS}*/manifests/"
ITEMS: Final = f"{stored.SETS}*/items/"
REFERENCES: Final = f"{stored.SETS}*/references/"
"""Reference annotations of the experts: only the scorer, the makers of results and the experts' calibration may open
them (platform §1)."""
PLANS: Final = f"{stored.RUNS}*/plan-"
"""Plans of runs, which list each run's files."""
INPUTS: Final = f"{stored.SETS}*/inputs/"
"""Files of a set that programs get; the jobs that run programs read these, and nothing else of sets."""
PAGES: Final = f"{stored.SETS}*/pages/"
SUBMISSION_CHECKS: Final = f"{stored.SUBMISSIONS}checked/"
IMPORT_OUTCOMES: Final = f"{stored.IMPORTS}*/outcome"
COMMITMENTS: Final = f"{stored.RUNS}*/commitment"
"""Commitments of runs, published before a run begins; the run's plan beside them is secret."""
FINAL_BOARDS: Final = f"{stored.REPORTS}final/"


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """One function: its entry point and its rights. Object rights are key prefixes inside the cycle's bucket."""

    name: str
    handler: str
    reads: tuple[Table, ...] = ()
    writes: tuple[Table, ...] = ()
    appends: tuple[Table, ...] = ()
    """Tables that it reads and puts items into, where it can neither change an attribute nor delete anything: the
    Catalogue holds the log of what people changed."""
    reads_objects: tuple[str, ...] = ()
    writes_objects: tuple[str, ...] = ()
    deletes_objects: tuple[str, ...] = ()
    signs: bool = False
    """May sign receipts, commitments and records: have AWS KMS sign, or read the secret from which the key is
    derived."""
    shows_key: bool = False
    """May read the public key of signatures. If the key is derived from a secret, that means to read the secret."""
    signs_uploads: bool = False
    """May sign upload addresses, for the prefix of uploads alone."""
    signs_downloads: bool = False
    """May sign download addresses of sets as one file."""
    sends: tuple[LetterQueue, ...] = ()
    """Queues of work into which it puts messages."""
    runs_programs: bool = False
    """May run submitted programs: start, list and end jobs of the cycle's queue of machines."""
    measures: bool = False
    """May run programs of declared measures: invoke the function for them."""
    arms: bool = False
    """May schedule and read the provisioned concurrency (executions kept running) of the functions that may have it."""
    reads_arming: bool = False
    """May read the scheduled and the current provisioned concurrency."""
    announces: bool = False
    """May send events to the account's default bus, where senders of mail subscribe to announcements."""
    mails: bool = False
    """May send mails from the cycle's own address by Amazon SES, where its file names one."""
    manages_accounts: bool = False
    """May make and close accounts of the staff."""
    watches_copies: bool = False
    """May list the bucket of the locked copies, and read nothing in it."""
    posts: bool = False
    """May write to and close the event channel's connections."""
    extra_variables: tuple[str, ...] = ()
    """Variables that it is given beside those of its rights (:func:`variables`)."""
    prompt: bool = False
    """Somebody waits for it: it starts from a snapshot (or is kept running) behind an alias, so that nobody
    waits for imports."""


QUEUE_URLS: Final = MappingProxyType(
    {
        LetterQueue.SCORING: settings.SCORING_QUEUE_URL,
        LetterQueue.SETTLEMENT: settings.SETTLEMENT_QUEUE_URL,
        LetterQueue.RESCORINGS: settings.RESCORING_QUEUE_URL,
        LetterQueue.SHADOWS: settings.SHADOW_QUEUE_URL,
        LetterQueue.AUDITS: settings.AUDIT_QUEUE_URL,
        LetterQueue.IMPORTS: settings.IMPORT_QUEUE_URL,
        LetterQueue.SUBMISSIONS: settings.SUBMISSION_QUEUE_URL,
        LetterQueue.PUSHES: settings.PUSH_QUEUE_URL,
    }
)
"""The variable with the address of each queue of work."""
MAILS: Final = (settings.MAIL_FROM, settings.SITE)
"""Variables of mails; a cycle without mails has no sender, and one without its own domain has no site address."""
_FILES: Final = (MANIFESTS, ITEMS, stored.RUNS)
"""Objects that determine a session's files: in a scheduled run they are the run's."""
_EVERYTHING: Final = (MANIFESTS, ITEMS, REFERENCES, stored.ANSWERS, stored.REPORTS)
_SIGN_IN: Final = (
    *(settings.PARTICIPANTS_ISSUER, settings.PARTICIPANTS_CLIENT),
    *(settings.STAFF_ISSUER, settings.STAFF_CLIENT),
)
"""Variables of the pools whose tokens are accepted."""

FUNCTIONS: Final = (
    FunctionRow("Authorize", "authorize.api.handler", reads=("Identity",), extra_variables=_SIGN_IN, prompt=True),
    FunctionRow(
        "Dispatch",
        "dispatch.api.handler",
        reads=("Catalogue", "Identity"),
        writes=("Exchange",),
        reads_objects=(*_FILES, stored.ANSWERS),
        prompt=True,
    ),
    FunctionRow(
        "Submit",
        "submit.api.handler",
        reads=("Catalogue",),
        writes=("Exchange",),
        reads_objects=(*_FILES, stored.ANSWERS, stored.LOGS),
        writes_objects=(stored.ANSWERS, stored.LOGS),
        deletes_objects=(stored.LOGS,),
        signs=True,
        prompt=True,
    ),
    FunctionRow(
        "Results",
        "score.api.handler",
        reads=("Catalogue", "Identity"),
        writes=("Exchange", "Scores"),
        reads_objects=(stored.MEASURES, *_EVERYTHING, stored.RUNS),
        writes_objects=(stored.REPORTS,),
        prompt=True,
        measures=True,
    ),
    FunctionRow(
        "Administration",
        "organize.api.handler",
        reads=("Experts",),
        writes=("Exchange", "Scores", "Identity"),
        appends=("Catalogue",),
        reads_objects=(MANIFESTS, IMPORT_OUTCOMES),
        writes_objects=(PAGES,),
        signs_uploads=True,
        sends=(LetterQueue.IMPORTS,),
        reads_arming=True,
        manages_accounts=True,
        extra_variables=(settings.CAPACITY, *MAILS),
        prompt=True,
    ),
    FunctionRow(
        "RunControl",
        "organize.run_control.handler",
        reads=("Identity", "Experts"),
        writes=("Exchange", "Scores"),
        appends=("Catalogue",),
        reads_objects=(*_FILES, stored.REPORTS, stored.ERRANDS),
        writes_objects=(stored.RUNS, stored.BOARDS, stored.ERRANDS_ASKED),
        signs=True,
        sends=(
            LetterQueue.SCORING,
            LetterQueue.SETTLEMENT,
            LetterQueue.RESCORINGS,
            LetterQueue.SHADOWS,
            LetterQueue.AUDITS,
        ),
        prompt=True,
    ),
    FunctionRow(
        "Annotate",
        "annotate.api.handler",
        reads=("Identity",),
        writes=("Exchange", "Experts"),
        appends=("Catalogue",),
        reads_objects=(*_FILES, REFERENCES, stored.ANSWERS, stored.MARKUPS),
        writes_objects=(stored.MARKUPS,),
        prompt=True,
    ),
    FunctionRow(
        "Operations",
        "organize.operations.handler",
        reads=("Identity",),
        writes=("Exchange", "Scores", "Experts"),
        appends=("Catalogue",),
        reads_objects=(
            stored.MEASURES,
            *_FILES,
            stored.ANSWERS,
            stored.REPORTS,
            stored.MARKUPS,
            stored.ERRANDS,
            stored.ARCHIVES,
        ),
        writes_objects=(stored.REPORTS,),
        sends=tuple(QUEUE_URLS),
        prompt=True,
        measures=True,
    ),
    FunctionRow(
        "Submissions",
        "submit.submissions.handler",
        writes=("Exchange", "Scores"),
        reads=("Identity",),
        appends=("Catalogue",),
        reads_objects=(
            MANIFESTS,
            stored.SUBMISSION_REPORTS,
            SUBMISSION_CHECKS,
            stored.RUNS_OF_SUBMISSIONS,
            stored.SUBMISSION_SHADOWS,
        ),
        writes_objects=(stored.ARCHIVES,),
        signs=True,
        signs_uploads=True,
        sends=(LetterQueue.SUBMISSIONS, LetterQueue.SHADOWS),
        prompt=True,
    ),
    FunctionRow(
        "Sets",
        "dispatch.sets.handler",
        reads=("Catalogue", "Identity"),
        writes=("Exchange",),
        reads_objects=(MANIFESTS, ITEMS, REFERENCES, PLANS, stored.DOWNLOADS, stored.OPEN_SETS),
        writes_objects=(stored.DOWNLOADS, stored.OPEN_SETS, stored.PACKS),
        signs_downloads=True,
        prompt=True,
    ),
    FunctionRow(
        "Public",
        "dispatch.public.handler",
        reads=("Exchange", "Scores", "Catalogue", "Identity"),
        reads_objects=(FINAL_BOARDS, stored.BOARDS, COMMITMENTS, stored.OPEN_SETS, PAGES),
        shows_key=True,
        extra_variables=_SIGN_IN,
        prompt=True,
    ),
    FunctionRow(
        "Socket",
        "dispatch.socket.handler",
        reads=("Catalogue", "Identity"),
        writes=("Exchange",),
        reads_objects=(*_FILES, stored.ANSWERS, stored.LOGS),
        writes_objects=(stored.ANSWERS, stored.LOGS),
        deletes_objects=(stored.LOGS,),
        signs=True,
        sends=(LetterQueue.PUSHES,),
        posts=True,
        prompt=True,
    ),
    FunctionRow(
        "LegacyClients",
        "dispatch.legacy_clients.handler",
        reads=("Catalogue", "Identity"),
        writes=("Exchange",),
        reads_objects=(*_FILES, stored.ANSWERS),
        writes_objects=(stored.ANSWERS,),
        signs=True,
        sends=(LetterQueue.PUSHES,),
        posts=True,
        prompt=True,
    ),
    FunctionRow(
        "Push",
        "dispatch.push.handler",
        reads=("Catalogue", "Identity"),
        writes=("Exchange",),
        reads_objects=(*_FILES, stored.ANSWERS),
        sends=(LetterQueue.PUSHES,),
        posts=True,
        prompt=True,
    ),
    FunctionRow(
        "MinuteTimer",
        "dispatch.minute_timer.handler",
        reads=("Identity",),
        writes=("Exchange", "Scores", "Experts"),
        appends=("Catalogue",),
        announces=True,
        mails=True,
        extra_variables=(settings.CAPACITY,),
        arms=True,
        reads_objects=(stored.MEASURES, *_FILES, stored.ANSWERS, stored.REPORTS, stored.MARKUPS),
        writes_objects=(stored.REPORTS, stored.RUNS, SUBMISSION_CHECKS),
        signs=True,
        sends=(LetterQueue.SCORING, LetterQueue.SETTLEMENT, LetterQueue.SUBMISSIONS),
        measures=True,
    ),
    FunctionRow(
        "ChannelTimer", "dispatch.channel_timer.handler", writes=("Exchange",), sends=(LetterQueue.PUSHES,), posts=True
    ),
    FunctionRow("Relay", "score.relay.handler", sends=(LetterQueue.SCORING,)),
    FunctionRow(
        "Score",
        "score.worker.handler",
        reads=("Catalogue",),
        writes=("Exchange", "Scores"),
        reads_objects=(stored.MEASURES, *_FILES, REFERENCES, stored.ANSWERS),
        measures=True,
    ),
    FunctionRow(
        "Settle",
        "score.background.settle",
        reads=("Scores", "Identity", "Experts"),
        writes=("Exchange",),
        appends=("Catalogue",),
        reads_objects=(stored.MEASURES, *_EVERYTHING, stored.RUNS, stored.MARKUPS, stored.ERRANDS),
        writes_objects=(MANIFESTS, REFERENCES, stored.REPORTS, stored.RUNS, stored.PUBLISHED, stored.ERRANDS_DONE),
        deletes_objects=(stored.ARCHIVES,),
        signs=True,
        sends=(LetterQueue.SETTLEMENT, LetterQueue.SHADOWS),
        measures=True,
    ),
    FunctionRow(
        "Rescore",
        "score.background.rescore",
        reads=("Catalogue", "Experts"),
        writes=("Exchange", "Scores"),
        reads_objects=(stored.MEASURES, *_EVERYTHING, stored.RUNS, stored.MARKUPS, stored.SUBMISSIONS),
        writes_objects=(MANIFESTS, REFERENCES, stored.REPORTS, stored.RUNS, stored.SUBMISSION_REPORTS),
        sends=(LetterQueue.RESCORINGS, LetterQueue.SHADOWS),
        measures=True,
    ),
    FunctionRow(
        "Shadow",
        "shadow.job.handler",
        reads=("Exchange", "Scores", "Catalogue"),
        reads_objects=(stored.MEASURES, *_EVERYTHING, stored.RUNS, stored.SUBMISSIONS),
        writes_objects=(stored.SHADOWS,),
        measures=True,
    ),
    FunctionRow(
        "SubmissionWorker",
        "score.submission_worker.handler",
        reads=("Catalogue",),
        writes=("Exchange", "Scores"),
        reads_objects=(
            stored.MEASURES,
            MANIFESTS,
            ITEMS,
            REFERENCES,
            stored.SUBMISSION_UPLOADS,
            stored.SUBMISSIONS,
            stored.HIDDEN_ANSWERS,
            stored.OFF_BOARD,
        ),
        writes_objects=(INPUTS, stored.SUBMISSIONS, stored.HIDDEN_ANSWERS, stored.OFF_BOARD),
        runs_programs=True,
        sends=(LetterQueue.SHADOWS,),
        measures=True,
    ),
    FunctionRow(
        "DeadLetters",
        "score.background.collect_letters",
        writes=("Exchange",),
        extra_variables=(settings.DEAD_LETTER_QUEUES,),
    ),
    FunctionRow(
        "Import",
        "organize.worker.handler",
        reads=("Exchange", "Scores"),
        appends=("Catalogue",),
        reads_objects=(stored.IMPORT_UPLOADS, MANIFESTS, ITEMS),
        writes_objects=(IMPORT_OUTCOMES, MANIFESTS, ITEMS, REFERENCES, INPUTS, PAGES, stored.MEASURES),
        measures=True,
    ),
    FunctionRow(
        "Audit", "score.background.plan_audits", reads=("Exchange",), sends=(LetterQueue.AUDITS,), watches_copies=True
    ),
    FunctionRow(
        "Verify",
        "score.background.audit",
        reads=("Exchange", "Scores", "Catalogue"),
        reads_objects=(stored.MEASURES, *_EVERYTHING, stored.RUNS, stored.ERRANDS, stored.SUBMISSIONS),
        writes_objects=(stored.AUDITS, stored.ERRANDS_DONE),
        measures=True,
    ),
)
"""Functions with their rights; docs/decisions/0001 §5 gives the reasons, row by row."""

_TABLES: Final = MappingProxyType(
    {
        "Exchange": settings.EXCHANGE_TABLE,
        "Scores": settings.SCORES_TABLE,
        "Catalogue": settings.CATALOGUE_TABLE,
        "Identity": settings.IDENTITY_TABLE,
        "Experts": settings.EXPERTS_TABLE,
    }
)
_BEHIND_GATEWAYS: Final = frozenset({"Authorize", "Socket", *(route.function.value for route in ROUTES)})
"""Functions that accept requests from the distribution alone."""


def variables(row: FunctionRow) -> frozenset[str]:
    """Return the names of the variables that a function is given: of what its rights let it touch, and no others.

    Lambda takes 4 KB of them (AWS Lambda developer guide, "Lambda quotas"); one environment for all was larger.
    """
    granted = {
        settings.CYCLE,
        settings.TIMEOUT_S,
        *row.extra_variables,
        *(_TABLES[name] for name in (*row.reads, *row.writes, *row.appends)),
        *(QUEUE_URLS[letters] for letters in row.sends),
    }
    objects = (row.reads_objects, row.writes_objects, row.deletes_objects)
    for may, names in (
        (any(objects), (settings.BUCKET,)),
        (row.name in _BEHIND_GATEWAYS, (settings.ORIGIN_SECRET,)),
        (row.signs or row.shows_key, (settings.SIGNING_SECRET_ARN,)),
        (row.signs_uploads, (settings.UPLOADS_KEY, settings.UPLOADS_SECRET)),
        (row.signs_downloads, (settings.DOWNLOADS_KEY, settings.DOWNLOADS_SECRET)),
        (row.manages_accounts, (settings.STAFF_POOL_ID,)),
        (row.posts, (settings.SOCKET_ENDPOINT,)),
        (row.mails, MAILS),
        (row.watches_copies, (settings.COPIES_BUCKET,)),
        (row.runs_programs, LANES),
        (row.measures, (settings.MEASURES, settings.MEASURE_IMAGE)),
    ):
        granted |= {*names} if may else set()
    return frozenset(granted)


LANES: Final = (
    *(settings.BATCH_QUEUE, settings.BATCH_DEFINITION),
    *(settings.BATCH_COPY_QUEUE, settings.BATCH_COPY_DEFINITION),
)
"""Variables of the jobs' queues and definitions; absent if a cycle runs no programs."""
