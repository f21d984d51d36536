"""Around a run: opening a session exactly once, waiting for the report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from pku.errors import ExchangeError, PkuError
from pku.wire.answers import IN_RUNS, Order, ReportAnswer, SessionInfo
from pku.wire.exchange import Exchange
from pku.work.journal import Journal, Journals

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
    """Keep what was decided about a session's run by now; what cannot be had now is kept at a later look."""
    if session.run_id is not None:
        with suppress(ExchangeError):
            journals.keep_run(session.run_id, exchange.run(session.run_id))


def open_session(exchange: Exchange, mode: str | None = None) -> SessionInfo | None:
    """The team's open session of the mode; of any mode the one whose clock runs for all: final before technical."""
    found = [each for each in exchange.sessions(mode=mode, limit=LISTED) if each.is_open]
    return max(found, key=lambda each: (each.mode in IN_RUNS, each.mode == "final"), default=None)


def start_when_possible(
    exchange: Exchange, journals: Journals, order: Order, *, on_wait: Callable[[float], None]
) -> tuple[SessionInfo, Journal]:
    """As :func:`start`, waiting for a run of the order's mode to be announced; ``on_wait`` is told for how long."""
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
    told = False
    while True:
        try:
            return exchange.run_record(run_id)
        except ExchangeError as error:
            if error.code != "run_not_over":
                raise
            if not told:
                on_wait(error)
            told = True
            pause = min(max(1.0, error.retry_after_s or ANNOUNCEMENT_POLL_S), ANNOUNCEMENT_POLL_S)
        exchange.clock.sleep(pause)


def wait_for_report(
    exchange: Exchange,
    session_id: str,
    *,
    on_progress: Callable[[ReportAnswer], None] | None = None,
    timeout_s: float = 600.0,
) -> Any:
    """The report of a session, waiting while its last files run out and while answers are being scored.

    A session that still has files to hand out is the error ``session_open``: waiting would not end it. After
    ``timeout_s`` of waiting: :class:`PkuError` ``report_not_ready``.
    """
    waited = 0.0
    while True:
        try:
            found = exchange.report(session_id)
        except ExchangeError as error:
            counts = exchange.session(session_id).counts if error.code == "session_open" else None
            if counts is None or counts.waiting > 0:
                raise
            found = ReportAnswer(None, 0, sum((counts.open, counts.answered, counts.voided)), CLOSING_POLL_S)
        if found.report is not None:
            return found.report
        if on_progress is not None:
            on_progress(found)
        if waited >= timeout_s:
            raise PkuError("report_not_ready", scored=found.scored, files=found.files)
        pause = max(0.2, found.retry_after_s)
        exchange.clock.sleep(pause)
        waited += pause
