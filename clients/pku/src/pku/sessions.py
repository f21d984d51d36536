"""Open a session exactly once, ask for its files in their order and at their moments, wait for its report.

A session of one's own (algorithmic) has its next file ready as soon as it is asked for. A session that follows a run
(technical, final) has each file at its opening, the same instant for all teams: the feed sleeps until then by the
platform's clock, and comes a little early, because the platform holds a request that is at most two seconds early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Lock
from typing import Any, Final, Protocol

from pku.answers import IN_RUNS, NextInfo, Order, ReportAnswer, SessionInfo
from pku.config import Sample, ServerTime, parse_moment
from pku.errors import ExchangeError, PkuError
from pku.exchange import Exchange
from pku.journal import Journal, Journals

EARLY_S: Final = 0.2
"""Seconds before an opening at which the request is sent, plus the uncertainty of the clocks."""
EARLIEST_S: Final = 1.5
"""Most seconds before an opening at which the request is sent: the platform holds requests for two seconds."""
NEAR_S: Final = 120.0
"""Seconds to an opening that are slept at once: if the opening is moved, the answer to the file's request says so."""
LONGEST_SLEEP_S: Final = 30.0
"""Seconds after which the platform is asked anew about an opening that is further away."""
BEFORE_START_S: Final = 300.0
"""The same seconds before the run's start, when an opening can only move away."""
PAUSED_SLEEP_S: Final = 10.0
"""The same seconds while the run is or will be paused: it goes on half a minute after the decision (D 6.16)."""
MOVED_S: Final = 1.0
"""Seconds of delay above which an opening counts as moved; a smaller delay is uncertainty of the clocks."""

Waiting = Callable[[int | None, float | None, str | None], None]
"""Callback with the next file's number, its opening by this machine's clock (None: unknown), and the published reason
of the current pause (None: no pause)."""


class Feed(Protocol):
    """The order of the files to work on, and their moments."""

    def numbers(self) -> Iterator[int]:
        """Yield files to work on; taken one at a time, when a worker is free for it. May wait."""

    def last(self) -> int | None:
        """Return one more file when no work is left, or None when the session has no more."""

    def hear(self, coming: NextInfo, sample: Sample) -> None:
        """Take the next file that the platform named beside a receipt; from any thread."""

    def wait_again(self, number: int, refusal: ExchangeError) -> None:
        """Wait once more for a file that was asked for too early: ``refusal`` is ``not_open_yet``; from any thread."""


def feed_of(exchange: Exchange, session: SessionInfo, journal: Journal, on_wait: Waiting) -> Feed:
    """Return the feed that a session's mode asks for."""
    if session.is_scheduled:
        return ScheduledFeed(exchange, session, journal, on_wait)
    return AlgorithmicFeed(exchange, session, journal)


class _LeftOver:
    """The files that an earlier run of the program left; answers that only need sending come first, since deadlines
    run."""

    def __init__(self, exchange: Exchange, session: SessionInfo, journal: Journal) -> None:
        self._exchange = exchange
        self._session = session
        self._entries = dict(journal.entries)
        self._states = {delivery.number: delivery.state for delivery in session.deliveries}

    def numbers(self) -> Iterator[int]:
        """Yield unsent answers, files in hand, and files handed out to an earlier run that lost them."""
        yield from sorted(number for number, entry in self._entries.items() if entry.unsent)
        yield from sorted(
            number
            for number, entry in self._entries.items()
            # One that failed before is tried again while its time lasts.
            if entry.unsolved and (entry.failure is None or self._exchange.clock.now() <= entry.due)
        )
        yield from self.fresh("open")

    def fresh(self, state: str) -> list[int]:
        """Return the files of a state that the journal does not know, in their order."""
        return sorted(
            number for number, current in self._states.items() if current == state and number not in self._entries
        )


class AlgorithmicFeed:
    """Files of an algorithmic session (R 6.4): the next one is there as soon as it is asked for."""

    def __init__(self, exchange: Exchange, session: SessionInfo, journal: Journal) -> None:
        self._exchange = exchange
        self._session = session
        self._left_over = _LeftOver(exchange, session, journal)
        self._is_open = session.is_open

    def numbers(self) -> Iterator[int]:
        """Yield the files that an earlier run left, then the new ones."""
        yield from self._left_over.numbers()
        yield from self._left_over.fresh("waiting")

    def last(self) -> int | None:
        """Ask whether anything is left, unless an answer has finished the session."""
        if not self._is_open:
            return None
        return self._exchange.next_file(self._session.session_id).number

    def hear(self, coming: NextInfo, sample: Sample) -> None:  # noqa: ARG002 -- nothing opens at a time
        """Learn the end of the session; its files are all known."""
        self._is_open = self._is_open and coming.session_state == "open"

    def wait_again(self, number: int, refusal: ExchangeError) -> None:  # noqa: ARG002 -- nothing opens at a time
        """Wait as long as the refusal says."""
        self._exchange.clock.sleep(seconds_until_opening(refusal))


class ScheduledFeed:
    """Files of a session that follows a run: each at its opening (R 6.6, 7.5)."""

    def __init__(self, exchange: Exchange, session: SessionInfo, journal: Journal, on_wait: Waiting) -> None:
        self._exchange = exchange
        self._session = session
        self._left_over = _LeftOver(exchange, session, journal)
        self._on_wait = on_wait
        self._time = ServerTime()
        self._announced: NextInfo | None = None
        self._handed: set[int] = set()
        self._pause: str | None = None
        self._openings: dict[int | None, float] = {}
        self._is_open = session.is_open
        self._lock = Lock()

    def numbers(self) -> Iterator[int]:
        """Yield the files that an earlier run left, then each file when it opens, until the run has no more."""
        yield from self._left_over.numbers()
        while (number := self.last()) is not None:
            yield number

    def last(self) -> int | None:
        """Return the earliest file that is still to be had, once it opens."""
        while self._is_open:
            coming = self._take_announced() or self._ask()
            self._is_open = coming.session_state == "open"
            if coming.status != "waiting" or self._sleep_towards(coming):
                if coming.number is not None:
                    self._handed.add(coming.number)
                return coming.number
        return None

    def hear(self, coming: NextInfo, sample: Sample) -> None:
        """Store the latest next file until it is needed."""
        with self._lock:
            self._time.observe(sample)
            self._announced = coming

    def wait_again(self, number: int, refusal: ExchangeError) -> None:
        """Ask why the opening has moved, as it does in a pause, and sleep towards it."""
        coming = self._ask()
        if coming.number == number and coming.status == "waiting":
            self._sleep_towards(coming)
        else:
            self._exchange.clock.sleep(seconds_until_opening(refusal))

    def _take_announced(self) -> NextInfo | None:
        """Return the next file by the last receipt, once, if nobody works on it; the end of a session is asked for."""
        with self._lock:
            coming, self._announced = self._announced, None
        return (
            coming if coming is not None and coming.number is not None and coming.number not in self._handed else None
        )

    def _ask(self) -> NextInfo:
        sent = self._exchange.clock.now()
        coming = self._exchange.next_file(self._session.session_id)
        sample = Sample(sent, parse_moment(coming.server_time), self._exchange.clock.now())
        with self._lock:
            self._time.observe(sample)
        return coming

    def _sleep_towards(self, coming: NextInfo) -> bool:
        """Sleep towards the opening; False where it is still far, and the platform should be asked anew."""
        self._note_pause(coming)
        if coming.opens_at is None:
            self._on_wait(coming.number, None, self._pause)
            self._exchange.clock.sleep(PAUSED_SLEEP_S if coming.run_state == "paused" else LONGEST_SLEEP_S)
            return False
        with self._lock:
            opening, uncertainty = self._time.here(parse_moment(coming.opens_at)), self._time.uncertainty()
        self._on_wait(coming.number, opening, self._pause)
        remaining_s = opening - min(EARLIEST_S, EARLY_S + uncertainty) - self._exchange.clock.now()
        near, longest = NEAR_S, LONGEST_SLEEP_S
        # In a pause, or before one just announced, the file may open earlier than was said.
        before = self._openings.setdefault(coming.number, opening)
        if coming.run_state == "paused" or opening > before + MOVED_S:
            near = longest = PAUSED_SLEEP_S
        elif coming.run_state == "planned":
            near = longest = BEFORE_START_S
        self._exchange.clock.sleep(remaining_s if remaining_s <= near else longest)
        return remaining_s <= near

    def _note_pause(self, coming: NextInfo) -> None:
        """Learn the reason of a pause when it begins; a pause whose reason cannot be had now is one without."""
        if coming.run_state != "paused":
            self._pause = None
        elif self._pause is None and self._session.run_id is not None:
            try:
                decisions = self._exchange.run(self._session.run_id).get("amendments", ())
            except ExchangeError:
                decisions = ()
            pauses = [decision["amendment"] for decision in decisions if decision["amendment"]["amendment"] == "pause"]
            self._pause = str(pauses[-1]["reason"]) if pauses else ""


def seconds_until_opening(error: ExchangeError) -> float:
    """Return how long a file that is ``not_open_yet`` takes to open, by the platform's own times; at most half a
    minute.

    Where the refusal does not say: what it asks to wait, or a second.
    """
    opens_at, server_time = error.detail("opens_at"), error.detail("server_time")
    try:
        wait_s = parse_moment(opens_at) - parse_moment(server_time)
    except (TypeError, ValueError):
        wait_s = error.retry_after_s if error.retry_after_s is not None else 1.0
    return min(max(0.0, wait_s), LONGEST_SLEEP_S)


CLOSING_POLL_S: Final = 3.0
ANNOUNCEMENT_POLL_S: Final = 60.0
LISTED: Final = 100
_NO_RUN_YET: Final = frozenset({"no_run", "run_not_joinable"})


def start(exchange: Exchange, journals: Journals, order: Order) -> tuple[SessionInfo, Journal]:
    """Open a session and begin its journal. Repeated after a crash or a lost answer, it finds the session it opened.

    :class:`~pku.errors.ExchangeError` where the platform refuses (``session_already_open`` names the open one).
    """
    while True:
        key = journals.opening_key(order)
        try:
            session = exchange.open_session(order, key=key)
        except ExchangeError as error:
            if 400 <= error.status < 500:
                journals.forget_opening()
            raise
        if session.is_open:
            if session.run_id is not None:
                journals.keep_run(session.run_id, exchange.run(session.run_id))
            return session, journals.opened(session)
        journals.forget_opening()  # an opening of long ago, whose session is over


def keep_decisions(exchange: Exchange, journals: Journals, session: SessionInfo) -> None:
    """Store the decisions on a session's run; those that cannot be fetched now are stored at a later look."""
    if session.run_id is not None:
        with suppress(ExchangeError):
            journals.keep_run(session.run_id, exchange.run(session.run_id))


def open_session(exchange: Exchange, mode: str | None = None) -> SessionInfo | None:
    """Return the team's open session of the mode; of any mode a session in a run comes first, a final before others."""
    open_sessions = [session for session in exchange.sessions(mode=mode, limit=LISTED) if session.is_open]
    return max(open_sessions, key=lambda session: (session.mode in IN_RUNS, session.mode == "final"), default=None)


def start_when_possible(
    exchange: Exchange, journals: Journals, order: Order, *, on_wait: Callable[[float], None]
) -> tuple[SessionInfo, Journal]:
    """Start as :func:`start` does, once a run of the order's mode is announced; ``on_wait`` is told the wait."""
    while True:
        try:
            return start(exchange, journals, order)
        except ExchangeError as error:
            if error.code not in _NO_RUN_YET:
                raise
            pause = min(max(1.0, error.retry_after_s or ANNOUNCEMENT_POLL_S), ANNOUNCEMENT_POLL_S)
        on_wait(pause)
        exchange.clock.sleep(pause)


def wait_for_record(exchange: Exchange, run_id: str, *, on_wait: Callable[[ExchangeError], None]) -> Any:
    """Return the record of a run, waiting until the run is over; ``on_wait`` is told once, with the expected end.

    Looks again at least every minute: a pause moves the end, a stop is one.
    """
    is_told = False
    while True:
        try:
            return exchange.run_record(run_id)
        except ExchangeError as error:
            if error.code != "run_not_over":
                raise
            if not is_told:
                on_wait(error)
            is_told = True
            pause = min(max(1.0, error.retry_after_s or ANNOUNCEMENT_POLL_S), ANNOUNCEMENT_POLL_S)
        exchange.clock.sleep(pause)


def wait_for_report(
    exchange: Exchange,
    session_id: str,
    *,
    on_progress: Callable[[ReportAnswer], None] | None = None,
    timeout_s: float = 600.0,
) -> Any:
    """Return the report of a session, waiting while its last files run out and while answers are being scored.

    A session that still has files to hand out is the error ``session_open``: waiting would not end it. After
    ``timeout_s`` of waiting: :class:`PkuError` ``report_not_ready``.
    """
    waited = 0.0
    while True:
        try:
            answer = exchange.report(session_id)
        except ExchangeError as error:
            counts = exchange.session(session_id).counts if error.code == "session_open" else None
            if counts is None or counts.waiting > 0:
                raise
            answer = ReportAnswer(None, 0, sum((counts.open, counts.answered, counts.voided)), CLOSING_POLL_S)
        if answer.report is not None:
            return answer.report
        if on_progress is not None:
            on_progress(answer)
        if waited >= timeout_s:
            raise PkuError("report_not_ready", scored=answer.scored, files=answer.files)
        pause = max(0.2, answer.retry_after_s)
        exchange.clock.sleep(pause)
        waited += pause
