"""Pure rules of submissions: states, limits, runs of programs, recomputation.

A submission answers a whole set, by one file or by a program. It has states, and a team may have a limited number (T13,
F-5):

uploading → checking → refused | scoring → scored | failed                       (answers)
uploading → checking → refused | queued → running → scoring → scored | failed    (a program)

A run of a submitted program has an order, outputs and an ending (F-2 … F-4). The job and the platform exchange objects
alone, all below one folder: the platform writes the order, the job writes its outputs, the ends of its two streams, and
last its ending. The true answers are in none of them.

Independent recomputation (T13, platform §4): the recomputing package imports nothing of this one. Both agree on two
things alone: the subject of a result, by whose digest it is named, and the contents of a job.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from enum import StrEnum
from typing import Any, Final

from contest.cycle.rules.cycle import SetKind
from contest.values import MINUTE, Millis, Upload, canonical, read_as, sha256_hex
from markup_core.lazy import dataclass

MIB: Final = 1024**2
LOG_BYTES: Final = MIB
"""Stored bytes of the end of stdout, and as many of stderr (F-4)."""


class FailureCause(StrEnum):
    """Cause of a submission's failure (F-4)."""

    IMAGE = "image"
    """Its image could not be copied, or is too large."""
    EXIT_CODE = "exit_code"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    NO_OUTPUT = "no_output"
    BAD_OUTPUT = "bad_output"
    PLATFORM = "platform"
    """Nothing of the submission's: it counts for no quota and may be run again."""


# Clause: TS F-2
@dataclass(frozen=True, slots=True)
class RunLimits:
    """Bounds of one run."""

    wall_s: int = 1800
    """Seconds from the start of the entry point to SIGTERM; pulling and unpacking are not counted."""
    grace_s: int = 10
    """Seconds from SIGTERM to SIGKILL."""
    memory: int = 100 * 1024 * MIB
    """Bytes of all processes together."""
    cpus: int = 3
    gpus: int = 1
    processes: int = 1024
    file: int = 64 * MIB
    """Bytes of one output."""
    outputs: int = 1024 * MIB
    """Bytes of all outputs together."""
    image: int = 15 * 1024 * MIB
    """Bytes of the image."""
    packed: int = 10 * 1024 * MIB
    unpacked: int = 10 * 1024 * MIB
    members: int = 100_000


@dataclass(frozen=True, slots=True)
class Stored:
    """Object that the job reads: ``name`` is its key in the cycle's bucket, ``path`` its target."""

    name: str
    size: int
    sha256: str
    path: str = ""
    """Path below ``input/``, parts with slashes; empty of a part of the archive."""


@dataclass(frozen=True, slots=True)
class RunOrder:
    """Order of a run; the object ``order.json`` of the run's folder, as :func:`as_json` writes it.

    ``archive`` are the parts of the zip in their order; together they are it. ``inputs`` are put below ``input/``.
    """

    run: str
    """The run's name: SUBMISSION-ATTEMPT, of a private run SUBMISSION-private-ATTEMPT."""
    folder: str
    """Prefix of the names of all objects that the job writes; it ends with a slash."""
    image: str
    """Name of the image, as in the submission."""
    entry_point: str
    archive: tuple[Stored, ...]
    inputs: tuple[Stored, ...]
    limits: RunLimits = RunLimits()


@dataclass(frozen=True, slots=True)
class Output:
    """A file that the program wrote directly into ``output/``; its object is FOLDER``output/``NAME."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Ending:
    """End of a run: the object ``ending.json`` of its folder. The first one written stays.

    ``cause`` is None where there are outputs to score. ``exit_code`` is negative for the signal that ended the entry
    point, None where nothing is known of it. ``seconds`` are those of the entry point alone.
    """

    cause: FailureCause | None
    exit_code: int | None
    seconds: float
    outputs: tuple[Output, ...] = ()
    machine: str = ""
    """Machine on which it ran, as the report names it."""
    image_digest: str | None = None
    not_enforced: tuple[tuple[str, str], ...] = ()
    """Bounds that this machine did not hold, each in English and Russian."""
    said: str = ""
    """Description of a failure of the platform's, for organizers."""


class Phase(StrEnum):
    """Phase of a run, as its runner reports it."""

    UNKNOWN = "unknown"
    """No run has this name."""
    WAITING = "waiting"
    STARTED = "started"
    OVER = "over"
    """Nothing of it runs any more, whether or not it has left an ending."""


def as_json(order: RunOrder) -> dict[str, Any]:
    """Write an order for the job."""
    return {"format": 1, **asdict(order)}


def ending_from(raw: dict[str, Any]) -> Ending:
    """Read the ending that a job has written."""
    return read_as(Ending, {name: value for name, value in raw.items() if name != "format"})


MOST_ANSWERS: Final = 64 * 1024 * 1024
"""Maximum bytes of a file of answers (Decision): its worker has all of it in memory."""
MOST_PARTS: Final = 160
"""Maximum parts of any upload (T13): 10 GiB."""
MOST_UPLOADING: Final = 10
"""Uploads of a team that may be open at a time, so that nobody fills the storage (Decision)."""
UPLOAD_LIVES: Final[Millis] = 24 * 60 * MINUTE
"""Milliseconds after which an incomplete upload is refused (Decision); its parts vanish after a week."""
SENT_AGAIN: Final[Millis] = 2 * MINUTE
"""Milliseconds after a worker was sent for when the minute timer sends another one."""
PATIENCE: Final[Millis] = 90 * MINUTE
"""Milliseconds, usually more than a submission is in one state: checking, waiting for a machine, half an hour's run."""


class SubmissionKind(StrEnum):
    """Kind of a submission."""

    ANSWERS = "answers"
    """One file with the answers to a whole set."""
    PROGRAM = "program"
    """An archive with a program that the platform runs."""


class SubmissionState(StrEnum):
    """State of a submission."""

    UPLOADING = "uploading"
    CHECKING = "checking"
    REFUSED = "refused"
    QUEUED = "queued"
    RUNNING = "running"
    SCORING = "scoring"
    SCORED = "scored"
    FAILED = "failed"


FINAL: Final = frozenset({SubmissionState.REFUSED, SubmissionState.SCORED, SubmissionState.FAILED})
UNDER_WAY: Final = frozenset(
    {SubmissionState.CHECKING, SubmissionState.QUEUED, SubmissionState.RUNNING, SubmissionState.SCORING}
)
NEXT: Final = {
    SubmissionState.UPLOADING: frozenset({SubmissionState.CHECKING, SubmissionState.REFUSED}),
    SubmissionState.CHECKING: frozenset(
        {SubmissionState.REFUSED, SubmissionState.SCORING, SubmissionState.QUEUED, SubmissionState.FAILED}
    ),
    SubmissionState.QUEUED: frozenset({SubmissionState.RUNNING, SubmissionState.SCORING, SubmissionState.FAILED}),
    SubmissionState.RUNNING: frozenset({SubmissionState.SCORING, SubmissionState.FAILED}),
    SubmissionState.SCORING: frozenset({SubmissionState.SCORED, SubmissionState.FAILED}),
    SubmissionState.REFUSED: frozenset[SubmissionState](),
    SubmissionState.SCORED: frozenset[SubmissionState](),
    SubmissionState.FAILED: frozenset({SubmissionState.QUEUED, SubmissionState.SCORING}),
}
"""States that may follow each state. A failed submission goes on when organizers have it run again."""


@dataclass(frozen=True, slots=True)
class SubmissionTask:
    """Task of a worker: a submission, or a run, whose name contains the submission's."""

    run: str

    @property
    def submission_id(self) -> str:
        """Return the submission of the task."""
        return self.run.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Wish:
    """Request for a submission; without ``parts`` it is one, without ``set_name`` to the cycle's one test set."""

    kind: SubmissionKind
    size: int
    sha256: str
    parts: tuple[str, ...] | None = None
    set_name: str | None = None
    groups: tuple[str, ...] = ()

    def upload(self) -> Upload:
        """Return the announced upload."""
        return Upload(self.size, self.sha256, self.parts if self.parts is not None else (self.sha256,))


@dataclass(frozen=True, slots=True)
class Order:
    """Order of a submission: its set, as it was when the submission was announced."""

    kind: SubmissionKind
    upload: Upload
    set_name: str
    set_kind: SetKind
    manifest: str
    groups: tuple[str, ...] = ()
    """Groups of the set that are answered; empty: all of them."""


@dataclass(frozen=True, slots=True)
class Program:
    """Image and entry point of a checked program, as it declares them."""

    image: str
    entry_point: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """A team's own account of its model (F-8): parameters in all, and those that every subtask uses.

    ``confirmed`` is the commission's decision, None before there is one.
    """

    total: int
    shared: int
    at: Millis
    confirmed: bool | None = None
    reason: str = ""
    decided_at: Millis | None = None

    @property
    def shared_share(self) -> float:
        """Return the share of all parameters that every subtask uses, from 0 to 1."""
        return self.shared / self.total


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission as stored; ``version`` counts its writes."""

    submission_id: str
    team_id: str
    cycle: str
    track: str
    order: Order
    token_id: str
    created_at: Millis
    state: SubmissionState = SubmissionState.UPLOADING
    changed_at: Millis = 0
    """Moment since which it is in its state."""
    parameters_version: int = 0
    completed_at: Millis | None = None
    day: str = ""
    """The day of the cycle's zone for which it counts: that on which it was completed."""
    receipt: str = ""
    sent_at: Millis | None = None
    """Moment at which a worker was sent for last."""
    program: Program | None = None
    attempt: int = 0
    """Number of runs begun."""
    cause: FailureCause | None = None
    value: float | None = None
    """Value of its result on the contest's main board."""
    named_at: Millis | None = None
    """Moment at which its team chose it for the private test (F-7)."""
    declaration: Declaration | None = None
    of: str = ""
    """Submission that a private run runs (F-7), which organizers begin and its team does not see; else empty."""
    rescored: str = ""
    """Rescoring that its report and its value follow; empty: they are of its first scoring."""
    version: int = 1

    @property
    def is_named(self) -> bool:
        """Return whether its team has named it for the private test."""
        return self.named_at is not None

    @property
    def source(self) -> str:
        """Return the submission that has the file."""
        return self.of or self.submission_id

    @property
    def is_final(self) -> bool:
        """Return whether its state is final without an outside action."""
        return self.state in FINAL

    @property
    def is_under_way(self) -> bool:
        """Return whether it takes its team's one place."""
        return self.state in UNDER_WAY

    @property
    def run(self) -> str:
        """Return the name of its latest run."""
        return f"{self.submission_id}-{self.attempt}"

    @property
    def ended_at(self) -> Millis | None:
        """Return when it ended; None before."""
        return self.changed_at if self.is_final else None

    # Clause: TS T13
    def at(self, state: SubmissionState, now: Millis) -> Submission:
        """Return the submission in the next state.

        :class:`ValueError` where that does not follow: the platform's own mistake.
        """
        if state not in NEXT[self.state]:
            raise ValueError(f"{self.submission_id}: {state.value} does not follow {self.state.value}")
        return replace(self, state=state, changed_at=now, version=self.version + 1)

    # Clause: platform §2 rescoring
    def rescored_by(self, rescoring_id: str, parameters_version: int, manifest: str) -> Submission:
        """Return the submission under a rescoring: by other parameters, and by another list of its set."""
        return replace(
            self.noted(),
            parameters_version=parameters_version,
            order=replace(self.order, manifest=manifest),
            rescored=rescoring_id,
        )

    def noted(self) -> Submission:
        """Return the submission with its writes counted, without a change of state."""
        return replace(self, version=self.version + 1)


@dataclass(frozen=True, slots=True)
class Lane:
    """Team's one place for submissions under way; ``submission_id`` is empty while it is free."""

    submission_id: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class Counted:
    """Number of a team's submissions that count on a day."""

    scored: int
    unscored: int


# Clause: TS F-5
def counted_on(submissions: Iterable[Submission], day: str) -> Counted:
    """Return a team's submissions that count on a day. A failure of the platform counts nowhere."""
    counting = [submission for submission in submissions if submission.day == day]
    scored = sum(submission.state is SubmissionState.SCORED for submission in counting)
    refused = sum(submission.state is SubmissionState.REFUSED for submission in counting)
    failed = sum(
        submission.state is SubmissionState.FAILED and submission.cause is not FailureCause.PLATFORM
        for submission in counting
    )
    return Counted(scored, refused + failed)


# Clause: TS T13
def is_abandoned(submission: Submission, now: Millis) -> bool:
    """Return whether an upload has been open for too long."""
    ends = given_up_at(submission)
    return ends is not None and now > ends


def was_given_up(submission: Submission) -> bool:
    """Return whether an upload ended without having been handed in, by its team or by its age."""
    return submission.state is SubmissionState.REFUSED and submission.completed_at is None


def given_up_by_team(submission: Submission) -> bool:
    """Return whether the team itself ended an upload, before its day was over."""
    return was_given_up(submission) and submission.changed_at <= submission.created_at + UPLOAD_LIVES


def given_up_at(submission: Submission) -> Millis | None:
    """Return until when an upload may be handed in; None for a submission that is no upload any more."""
    return submission.created_at + UPLOAD_LIVES if submission.state is SubmissionState.UPLOADING else None


def wants_worker(submission: Submission, now: Millis) -> bool:
    """Return whether another worker is needed: there is work, and none was sent lately."""
    return submission.is_under_way and now >= (submission.sent_at or 0) + SENT_AGAIN


def is_stuck(submission: Submission, now: Millis) -> bool:
    """Return whether a submission is in its state for longer than any work takes."""
    return submission.is_under_way and now > submission.changed_at + PATIENCE


_ABOUT: Final = ("submission_id", "of", "team_id", "cycle", "track", "order", "parameters_version", "completed_at")
_OUTCOME: Final = ("day", "attempt", "state", "cause", "value")


def facts_of(submission: Submission, report: bytes | None) -> str:
    """Digest the subject of a submission's recomputation: another report, value or set changes it."""
    body = json.loads(json.dumps(asdict(submission)))
    facts = {name: body[name] for name in (*_ABOUT, *_OUTCOME)}
    return sha256_hex(canonical({**facts, "report": None if report is None else sha256_hex(report)}))


def facts_of_all(submissions: Iterable[Submission], parts: Mapping[str, str]) -> str:
    """Digest the subject of the recomputation of all submissions.
    ``parts`` are the names of the results for the scored ones."""
    submissions = list(submissions)
    chosen = sorted(
        [submission.submission_id, submission.named_at] for submission in submissions if submission.named_at is not None
    )
    runs = sorted([submission.submission_id, submission.state.value] for submission in submissions if submission.of)
    return sha256_hex(canonical({"parts": dict(parts), "chosen": chosen, "runs": runs}))
