"""Pure rules of operations: costs, dead letters, findings of the doctor; refusals about letters and the log.

Cost of a cycle (platform §7): the number of requests of each kind times its price. The number that a final needs is
counted by playing small finals (``make metered``) and is a sum of terms in teams and files. Teams on the event channel
and teams over HTTP have separate terms, since every event is a message of a queue and a call. The cost of timers and
queue polling, which run all the time, follows from their period; what is deployed and costs by the month, used or not,
is counted from the template (``make template``).

Dead letters (platform §4): jobs that failed for good, in the form shown to the person who decides about them.

Findings (platform §7): everything that the doctor can find, with its meaning and its remedy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Any, Final

from contest.refusals import ContestError
from contest.stored_names import LetterQueue
from contest.texts import tr
from contest.values import MINUTE, Millis, sha256_hex
from markup_core.lazy import dataclass
from markup_core.texts import Text

HTTP, CALLS, SECONDS = "http_requests", "function_calls", "function_gb_s"
READS, WRITES = "table_read_units", "table_write_units"
OBJECT_READS, OBJECT_WRITES, QUEUES = "object_reads", "object_writes", "queue_requests"
CHANNEL, LOGGED = "channel_messages", "logged_gb"
EDGE, TRANSFER, FIREWALL, STORED_LOG = "edge_requests", "edge_gb", "firewall_requests", "stored_log_gb_months"
TIMERS, MONTHS, SNAPSHOTS, KEPT = "timer_calls", "_months", "snapshot_gb_s", "kept_gb_s"
KINDS: Final = (HTTP, CHANNEL, CALLS, SECONDS, READS, WRITES, OBJECT_READS, OBJECT_WRITES, QUEUES, LOGGED)
"""Kinds that are counted; the other kinds follow from these."""
FINAL: Final = "final"
"""Name of a final's coefficients in ``usage.json``."""
LISTENING: Final = 5
"""Teams for each one on the event channel, where the number of listening teams is not given."""
ACCESS_LINE_GB: Final = 5e-7
"""Gigabytes of the gateway's log line about one request or frame: 500 bytes."""
TIMER_LINE_GB: Final = 2e-6
"""Gigabytes of a timer's log lines about one call, with its figures and its work: 2 KB."""
LOG_MONTHS: Final = 12
"""Months for which logs are stored."""
ANSWER_GB: Final = 4.5e-6
"""Gigabytes of an answer of the interface, 4.5 KB: half of a final's requests bring an essay with its frame, 8 KB, the
other half a receipt, 1 KB."""
POLLERS: Final = 5
"""Simultaneous requests of Lambda to an empty queue, each waiting up to twenty seconds (Lambda's documentation)."""
POLL_S: Final = 20
HOUR_S: Final = 3_600
DAY_S: Final = 24 * HOUR_S
FILE_S: Final = 60
"""Seconds from one opening of a final to the next (R 7.5)."""
MONTH_H: Final = 730
"""Hours of a month, as AWS's price examples count them."""


@dataclass(frozen=True, slots=True)
class Line:
    """One kind of request: its number, unit cost and total cost in the list's currency."""

    kind: str
    count: float
    unit_price: float

    @property
    def cost(self) -> float:
        """Return the line's part of the bill."""
        return self.count * self.unit_price


@dataclass(frozen=True, slots=True)
class Deployed:
    """Fixed costs of a deployment by kind, counted from the template."""

    monthly: Mapping[str, float]
    """Things that cost by the month, by their kind without ``_months``."""
    polled_queues: int
    timer_calls_a_day: float
    snapshot_gb: float = 0.0
    """Memory in gigabytes of the versions whose snapshots are kept; 0 where none is taken."""
    kept_gb: float = 0.0
    """Memory in gigabytes of the executions that are kept running while the cycle is armed."""


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a final. ``listening``: those of the ``teams`` whose programs use the event channel."""

    teams: int
    files: int
    listening: int


class Choice(StrEnum):
    """Optional parts of a deployment with a cost: fields of the cycle's file."""

    DASHBOARD = "dashboard"
    SNAPSHOTS = "snapshots"
    ROUTE_METRICS = "route-metrics"
    PROGRAMS = "programs"


class Source(StrEnum):
    """Source of a figure in an estimate."""

    ASKED = "asked"
    """Figure named by the caller."""
    COUNTED = "counted"
    """Figure counted by the platform: teams that take part, those of them that have used the channel."""
    PLANNED = "planned"
    """Figure from the cycle: admitted teams, files of a run or of a set, days of the stages."""
    USUAL = "usual"
    """Usual figure, as the real one is unknown."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Figure that an estimate uses."""

    value: int
    source: Source


def usual_final(teams: int, files: int) -> Size:
    """Return a final with an unknown number of listeners: one team in five uses the channel, as in a rehearsal."""
    return Size(teams, files, teams // LISTENING)


def cost_terms(size: Size) -> list[float]:
    """Return the terms: the final, its files, teams over HTTP and their files, teams on the channel and theirs."""
    asking, listening, files = size.teams - size.listening, size.listening, size.files
    return [float(value) for value in (1, files, asking, asking * files, listening, listening * files)]


# Clause: platform §7 cost
def estimate_final(coefficients: Mapping[str, Sequence[float]], size: Size) -> dict[str, float]:
    """Estimate the requests of a final by kind. O(1)."""
    counts = {}
    for kind in KINDS:
        values = zip(coefficients[kind], cost_terms(size), strict=True)
        counts[kind] = sum(factor * term for factor, term in values)
    return counts


# Clause: platform §7 cost
def estimate_period(
    deployed: Deployed, days: float, gb_s_of_a_timer: float, armed_hours: float = 0.0
) -> dict[str, float]:
    """Estimate what days without users are billed for, by kind; executions are kept for ``armed_hours`` of them."""
    calls = days * deployed.timer_calls_a_day
    monthly = {f"{kind}{MONTHS}": count * days * 24 / MONTH_H for kind, count in deployed.monthly.items()}
    return {
        CALLS: calls,
        TIMERS: calls,
        SECONDS: calls * gb_s_of_a_timer,
        QUEUES: deployed.polled_queues * POLLERS * DAY_S / POLL_S * days,
        LOGGED: calls * TIMER_LINE_GB,
        **monthly,
        SNAPSHOTS: deployed.snapshot_gb * days * DAY_S,
        KEPT: deployed.kept_gb * armed_hours * HOUR_S,
    }


def with_the_rest(counted: Mapping[str, float]) -> dict[str, float]:
    """Add to the counted kinds those that follow from them.

    The channel's frames do not pass the firewall; logs are kept for a year.
    """
    requests = counted.get(HTTP, 0.0)
    logged = counted.get(LOGGED, 0.0) + (requests + counted.get(CHANNEL, 0.0)) * ACCESS_LINE_GB
    more = {
        LOGGED: logged,
        STORED_LOG: logged * LOG_MONTHS,
        EDGE: requests,
        FIREWALL: requests,
        TRANSFER: requests * ANSWER_GB,
    }
    return {**counted, **more}


def bill(counts: Mapping[str, float], prices: Mapping[str, Mapping[str, Any]]) -> tuple[Line, ...]:
    """Return a line for each kind, in the order of the price list; :class:`KeyError` for a kind without a price."""
    unknown = set(counts) - set(prices)
    if unknown:
        raise KeyError(f"no price of {', '.join(sorted(unknown))}")
    return tuple(
        Line(kind, counts[kind], float(price["price"]) / float(price["per"]))
        for kind, price in prices.items()
        if kind in counts
    )


NOTE_KEPT: Final = 60_000
"""Stored characters of a note about a failure; messages of work queues are shorter and stored whole."""
REMEMBERED: Final = 20
"""Number of messages that a letter remembers by name, so that one delivered twice is counted once."""
_TOLD: Final = ("session_id", "number", "run_id", "kind", "import_id", "run")
"""Fields of a job that lists show: names of things, never a text written by a person."""


WORK: Final = frozenset(LetterQueue) - {LetterQueue.RELAY, LetterQueue.TIMERS}
"""Queues whose letters are jobs, so that a letter sent again is the job done again."""


class LetterState(StrEnum):
    """Decision on a letter."""

    OPEN = "open"
    REDRIVEN = "redriven"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message of a dead-letter queue, as it was received."""

    queue: LetterQueue
    message_id: str
    body: str
    sent_at: Millis
    """Moment at which the job was first put into its queue."""
    at: Millis
    tries: int
    error: str = ""
    """Error that the scheduler reports of a run that it could not begin."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Job that failed for good, once or repeatedly: one letter for all its failures.

    ``times``: how often it ended among the dead letters. ``tries``: deliveries before the latest end. ``error``: what
    the note about a failure says; queues say nothing, the worker's log does, under ``messages``, the latest last.
    """

    letter_id: str
    queue: LetterQueue
    body: str
    error: str
    sent_at: Millis
    first_at: Millis
    last_at: Millis
    times: int
    tries: int
    messages: tuple[str, ...]
    state: LetterState = LetterState.OPEN
    decided_at: Millis | None = None
    reason: str = ""
    version: int = 1

    @property
    def is_open(self) -> bool:
        """Return whether the letter is undecided since its last arrival."""
        return self.state is LetterState.OPEN

    @property
    def about(self) -> Mapping[str, str]:
        """Return the names in the job: session, file, run, function. It has no text written by a person."""
        return visible_parts(self.queue, self.body)


# Clause: platform §4 failed
def letter_after_arrival(letter: DeadLetter | None, arrived: Arrived) -> DeadLetter | None:
    """Return the letter after a message has arrived; None where the message has arrived before.

    A job that dies again after it was redriven or dropped is open once more, with the count of its deaths.
    """
    if letter is None:
        return DeadLetter(
            letter_id=letter_id(arrived.queue, arrived.body),
            queue=arrived.queue,
            body=_body_excerpt(arrived),
            error=arrived.error or error_of(arrived.queue, arrived.body),
            sent_at=arrived.sent_at,
            first_at=arrived.at,
            last_at=arrived.at,
            times=1,
            tries=arrived.tries,
            messages=(arrived.message_id,),
        )
    if arrived.message_id in letter.messages:
        return None
    return replace(
        letter,
        body=_body_excerpt(arrived),
        error=arrived.error or error_of(arrived.queue, arrived.body),
        last_at=arrived.at,
        times=letter.times + 1,
        tries=arrived.tries,
        messages=(*letter.messages, arrived.message_id)[-REMEMBERED:],
        state=LetterState.OPEN,
        decided_at=None,
        reason="",
        version=letter.version + 1,
    )


def letter_after_decision(letter: DeadLetter, state: LetterState, at: Millis, reason: str = "") -> DeadLetter:
    """Return the letter after a person's decision."""
    return replace(letter, state=state, decided_at=at, reason=reason, version=letter.version + 1)


def letter_id(queue: LetterQueue, body: str) -> str:
    """Return the name of a body's letter: a job's content, a timer's function, a batch's beginning.

    So a job that dies every hour is one letter, and a timer that fails every minute is one, too.
    """
    fields = _object(body)
    if queue is LetterQueue.TIMERS:
        content = visible_parts(queue, body).get("function", "")
    elif queue is LetterQueue.RELAY:
        content = str(_inside(fields, "DDBStreamBatchInfo").get("startSequenceNumber", body))
    else:
        content = json.dumps(fields, sort_keys=True) if fields else body
    return f"{queue.value}-{sha256_hex(content.encode('utf-8', 'surrogatepass'))[:16]}"


def visible_parts(queue: LetterQueue, body: str) -> Mapping[str, str]:
    """Return the parts of a body that a list may show; empty for an unreadable one."""
    fields = _object(body)
    if queue in WORK:
        return {name: str(fields[name]) for name in _TOLD if isinstance(fields.get(name), str | int)}
    function = str(_inside(fields, "requestContext").get("functionArn", "")) or str(fields.get("function", ""))
    return {"function": function.partition(":function:")[2].partition(":")[0] or function} if function else {}


def error_of(queue: LetterQueue, body: str) -> str:
    """Return the failure named in a note; empty for a job, whose queue names none."""
    if queue in WORK:
        return ""
    fields = _object(body)
    named = _inside(fields, "responsePayload").get("errorType") or _inside(fields, "responseContext").get(
        "functionError"
    )
    return str(named or _inside(fields, "requestContext").get("condition", ""))


def _body_excerpt(arrived: Arrived) -> str:
    return arrived.body if arrived.queue in WORK else arrived.body[:NOTE_KEPT]


def _object(body: str) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _inside(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = fields.get(name)
    return part if isinstance(part, dict) else {}


PATIENCE: Final[Millis] = 3 * MINUTE
"""Milliseconds for which work counts as under way: the minute timer does it, and has missed two visits at most."""
RESULTS_PATIENCE: Final[Millis] = 15 * MINUTE
"""Milliseconds for which records and boards count as under way: workers make them in steps."""
IMPORT_PATIENCE: Final[Millis] = 40 * MINUTE
"""Milliseconds for which an import without a dead letter counts as under way: longer than all its tries together."""


class Ailment(StrEnum):
    """Kind of stuck work."""

    TIMER_SILENT = "timer_silent"
    SESSION_OVERDUE = "session_overdue"
    ANSWERS_WAITING = "answers_waiting"
    SCORES_LOST = "scores_lost"
    REPORT_MISSING = "report_missing"
    RECORD_MISSING = "record_missing"
    RESULTS_MISSING = "results_missing"
    PROPOSAL_OPEN = "proposal_open"
    ASSIGNMENT_OVERDUE = "assignment_overdue"
    RULE_NOT_ASKED = "rule_not_asked"
    THIRD_EXPERT_LACKING = "third_expert_lacking"
    IMPORT_STUCK = "import_stuck"
    ERRAND_LOST = "errand_lost"
    ARCHIVE_MISSING = "archive_missing"
    RESCORING_STUCK = "rescoring_stuck"
    SUBMISSION_STUCK = "submission_stuck"
    DEAD_LETTERS = "dead_letters"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Words:
    """Meaning and remedy of an ailment in both languages; ``mendable``: by the platform itself."""

    cause: Text
    action: Text
    mendable: bool = True


WORDS: Final[Mapping[Ailment, Words]] = {
    Ailment.TIMER_SILENT: Words(
        tr("a timer has not ticked for minutes"),
        tr("look at its log and its dead letters; until it ticks, mend does most of its work"),
        mendable=False,
    ),
    Ailment.SESSION_OVERDUE: Words(
        tr("a session's time is over and it is not closed"), tr("close it, as the minute timer would")
    ),
    Ailment.ANSWERS_WAITING: Words(
        tr("answers have waited for their scores for minutes"), tr("put them into the scoring queue again")
    ),
    Ailment.SCORES_LOST: Words(
        tr("answers of a closed session have no score, and nothing asks for one"), tr("ask for the scores")
    ),
    Ailment.REPORT_MISSING: Words(tr("a session is closed and scored and has no report"), tr("make the report")),
    Ailment.RECORD_MISSING: Words(tr("a run is over and has no record"), tr("send workers for what is missing of it")),
    Ailment.RESULTS_MISSING: Words(
        tr("the experts' markups are taken in and the results are not made, or not recomputed"),
        tr("ask for lost scores and send workers for what is missing"),
    ),
    Ailment.PROPOSAL_OPEN: Words(
        tr("all teams missed the same files, and nobody has decided about the proposal"),
        tr("the commission decides: contest run show, then replace or dismiss"),
        mendable=False,
    ),
    Ailment.ASSIGNMENT_OVERDUE: Words(
        tr("an expert's time is over and nobody has written it down"), tr("write it down, as the minute timer would")
    ),
    Ailment.RULE_NOT_ASKED: Words(
        tr("both markups of an essay are in and the rule for a third expert was not asked"),
        tr("ask the rule, and assign the third expert where it says so"),
    ),
    Ailment.THIRD_EXPERT_LACKING: Words(
        tr("the rule has called a third expert for an essay, and nobody has it"),
        tr("give it to an expert who may have it, if there is one"),
    ),
    Ailment.IMPORT_STUCK: Words(
        tr("an import waits, and nobody is at it: its worker failed for good or was lost"),
        tr("send another worker; it begins anew, what was stored is not stored twice"),
    ),
    Ailment.ERRAND_LOST: Words(
        tr("somebody has asked for a verification or for markups to be taken in, and nobody is at it"),
        tr("send for it once more"),
    ),
    Ailment.ARCHIVE_MISSING: Words(
        tr("a final's results are published and its archive is not there"), tr("send workers for what is missing of it")
    ),
    Ailment.RESCORING_STUCK: Words(
        tr("sessions of a rescoring are not scored anew, or do not go by it though it is accepted"),
        tr("send once more for what is not done of it"),
    ),
    Ailment.SUBMISSION_STUCK: Words(
        tr("a submission waits, and nobody is at it: its worker failed for good, or its run takes longer than any may"),
        tr("send another worker; it goes on where the last one stopped"),
    ),
    Ailment.DEAD_LETTERS: Words(
        tr("jobs have failed for good and nobody has decided about them"),
        tr("do their work again; what fails once more comes back"),
    ),
    Ailment.UNREADABLE: Words(
        tr("this could not be looked at"), tr("read the Operations function's log"), mendable=False
    ),
}
"""Meaning and remedy by ailment."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One stuck thing: ``subject`` names it, ``since`` when it was due, where that is known."""

    ailment: Ailment
    subject: str
    since: Millis | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> Words:
        """Return the meaning and the remedy."""
        return WORDS[self.ailment]


def is_silent(ticked_at: Millis | None, now: Millis) -> bool:
    """Return whether a timer that ticks every minute has missed more visits than allowed."""
    return ticked_at is None or now > ticked_at + PATIENCE


class Subject(StrEnum):
    """Kind of work that waits for somebody."""

    JUDGEMENTS = "judgements"
    VERIFICATIONS = "verifications"
    ADMISSIONS = "admissions"
    APPLICATIONS = "applications"
    QUESTIONS = "questions"
    PROTOCOLS = "protocols"
    RUNS = "runs"
    LATE_EXPERTS = "late_experts"
    DEAD_LETTERS = "dead_letters"
    SILENT_TIMERS = "silent_timers"


class Event(StrEnum):
    """Event of the cycle that comes next."""

    STAGE_BEGINS = "stage_begins"
    STAGE_ENDS = "stage_ends"
    RUN_STARTS = "run_starts"


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work of one kind that waits: ``at`` is the moment since which the oldest waits; of runs the earliest start."""

    subject: Subject
    count: int
    at: Millis | None


@dataclass(frozen=True, slots=True)
class Deadline:
    """The cycle's next deadline: a stage begins or ends, or a planned run starts; ``name`` is its own."""

    event: Event
    name: str
    at: Millis


class UnknownLetterError(ContestError, code="unknown_letter", status=404):
    message = tr("There is no dead letter of this id.")


class LetterDecidedError(ContestError, code="letter_decided", status=409):
    message = tr("Somebody has decided about this dead letter already; the details say what became of it.")


class LogRangeError(ContestError, code="log_range", status=422):
    message = tr("These days of the log cannot be asked for together; the details say why.")

    @classmethod
    def reversed_days(cls, first: str, last: str) -> LogRangeError:
        return cls.with_detail("reversed", tr("{last} is before {first}", last=last, first=first))

    @classmethod
    def longer_than(cls, days: int) -> LogRangeError:
        return cls.with_detail("too_long", tr("at most {days} days at once", days=days), days=days)


EXAMPLES: Final[tuple[ContestError, ...]] = (
    LetterDecidedError.being("redriven", "letter"),
    LogRangeError.reversed_days("2026-11-22", "2026-11-21"),
)
"""Examples of the refusals whose body says more than their sentence; the others need none."""
