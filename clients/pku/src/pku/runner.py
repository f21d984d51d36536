"""Work through a session: have files handed out, solve them, send the answers, survive everything in between.

Every step is in the journal before the next one is taken, so a run that ends anywhere (Ctrl-C, ``kill -9``, a lost
connection) is continued by the next one: an answer that was not acknowledged is sent again under the same key, a file
without an answer is solved again while its time lasts, nothing is solved twice without need.

Which file comes when is the business of :mod:`pku.sessions`; sessions that follow a schedule differ in
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Final

from markup_core.texts import EN, RU
from pku.answers import SessionInfo
from pku.config import Sample, parse_moment
from pku.errors import ExchangeError, Failure, PkuError
from pku.exchange import Exchange
from pku.journal import Entry, Journal
from pku.sessions import Feed, feed_of
from pku.solvers import Contest, Essays, FunctionSolver, Solver, Task

ACCEPTED: Final = "accepted"
STOP_AFTER: Final = 5
"""Number of files in a row with the same failure of the solver after which it is expected to fail on all files."""
_REFUSED: Final = frozenset({"invalid_answer", "malformed_json", "answer_too_large", "invalid_request", "wrong_step"})


@dataclass(frozen=True, slots=True)
class Step:
    """State of a run after one step: ``started``, ``waiting``, ``received``, ``solved``, ``sent``, ``failed``.

    ``done`` counts files that need no more work (answered, late or failed), in this run and before it. ``opens_at`` is
    when the file that is waited for opens, by this machine's clock.
    """

    event: str
    number: int | None
    files: int
    done: int
    accepted: int
    late: int
    failed: int
    opens_at: float | None = None
    pause: str | None = None
    """Published reason of the organizers while the run is paused; None otherwise."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcomes of a session's files. ``late`` answers are stored and never count; ``failures`` are all files
    without an accepted answer, by number."""

    session: SessionInfo
    accepted: int
    late: int
    failures: tuple[tuple[int, Failure], ...]
    empty: int = 0
    """Accepted answers of this machine without a fragment."""

    @property
    def complete(self) -> bool:
        """Return whether every file of the session was answered in time."""
        return self.accepted == self.session.files


# Clause: R 2.20, R 4.6, platform §6 pku
def run(
    exchange: Exchange,
    journal: Journal,
    solver: Solver | Callable[[dict[str, Any]], Any],
    *,
    workers: int = 1,
    on_progress: Callable[[Step], None] | None = None,
    contest: Contest | None = None,
    stop_after: int | None = None,
) -> Outcome:
    """Work through the journal's session to its end and return its files' outcomes.

    ``solver`` is a :class:`~pku.solvers.Solver` or a function from the essay's JSON to the markup's. A file whose
    solver fails, or whose markup has errors, is not answered (an empty markup is never made up), and the others go
    on, unless ``stop_after`` files in a row fail alike: ``solver_keeps_failing`` is raised then, and the rest is not
    asked for. ``contest`` says what an answer is, a markup without it. ``on_progress`` is called after every step,
    from the workers' threads but never twice at once.

    Raises :class:`~pku.errors.PkuError` (``session_in_use``; ``journal_damaged``) and
    :class:`~pku.errors.ExchangeError` where the platform cannot be reached or refuses for good; a later call continues.
    """
    chosen = solver if isinstance(solver, Solver) else FunctionSolver(solver)
    with journal:
        session = exchange.session(journal.session_id)
        work = _Work(exchange, journal, session, chosen, on_progress, contest or Essays(), stop_after)
        work.tell("started", None)
        try:
            _work_through(work.feed, work, max(1, workers))
        finally:
            chosen.stop()
        return work.outcome(exchange.session(session.session_id))


def _work_through(feed: Feed, work: _Work, workers: int) -> None:
    try:
        if workers == 1:
            for number in feed.numbers():
                work.file(number)
        else:
            _in_parallel(feed, work, workers)
        while (another := feed.last()) is not None:
            work.file(another)
    except ExchangeError as error:
        if error.code != "session_closed":
            raise


def _in_parallel(feed: Feed, work: _Work, workers: int) -> None:
    """Keep the workers busy, never asking for a file before one is free: its time runs from the hand-out."""
    numbers = feed.numbers()
    running: set[Future[None]] = set()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="pku")
    try:
        for number in numbers:
            running.add(pool.submit(work.file, number))
            if len(running) == workers:
                running = _settled(running)
        while running:
            running = _settled(running)
    except BaseException:
        work.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _settled(running: set[Future[None]]) -> set[Future[None]]:
    """Wait for the first to end, and return the rest; its exception is raised here."""
    done, rest = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        future.result()
    return set(rest)


@dataclass(eq=False)
class _Work:
    """The steps of one file, with the journal and the progress in step."""

    exchange: Exchange
    journal: Journal
    session: SessionInfo
    solver: Solver
    on_progress: Callable[[Step], None] | None
    contest: Contest
    stop_after: int | None

    def __post_init__(self) -> None:
        self._failing: tuple[str, int] = "", 0
        """Code of the solver's last failure and number of files in a row with it; ``"", 0`` after a success."""
        answered = {delivery.number for delivery in self.session.deliveries if delivery.state == "answered"}
        self._answered_elsewhere = answered - set(self.journal.entries)
        self._stopping = False
        self._lock = Lock()
        self.feed: Feed = feed_of(self.exchange, self.session, self.journal, partial(self.tell, "waiting"))
        """Order of the files; each receipt that names the next file updates it."""

    def stop(self) -> None:
        """End running solvers; their failures from now on are not recorded."""
        self._stopping = True
        self.solver.stop()

    def file(self, number: int) -> None:
        """Do all remaining steps of one file."""
        entry = self.journal.entry(number)
        if entry.file is None and not entry.unsent and not self._receive(number):
            return
        goes_on = True
        while goes_on:  # a dialogue takes an answer after the other
            if not self.journal.entry(number).unsent and not self._solved(number):
                return
            goes_on = self._send(self.journal.entry(number))

    def _solved(self, number: int) -> bool:
        """Let the solver make an answer; return False if it makes none."""
        try:
            self._solve(self.journal.entry(number))
        except PkuError as error:
            if isinstance(error, ExchangeError) or error.code in {"journal_write", "not_written"}:
                raise
            if not self._stopping:
                self._fail(number, error)
                self._stop_if_hopeless(error)
            return False
        self._failing = "", 0
        return True

    def _receive(self, number: int) -> bool:
        """Request the file, waiting for its opening; return False if its window has passed."""
        clock = self.exchange.clock
        while True:
            asked_at = clock.now()
            try:
                file = self.exchange.file(self.session.session_id, number)
            except ExchangeError as error:
                if error.code == "not_open_yet":
                    self.feed.wait_again(number, error)
                    continue
                if error.code != "file_missed":
                    raise
                self._fail(number, error)
                return False
            self.journal.received(file, asked_at + file.seconds_to_answer)
            self.tell("received", number)
            return True

    def _solve(self, entry: Entry) -> None:
        file = entry.file
        if file is None:
            raise RuntimeError("a file is received before it is solved")
        clock = self.exchange.clock
        if clock.now() > entry.due:
            raise PkuError("time_is_over", answer_by=file.answer_by)
        named = self.session.session_id, file.number, file.file_id
        task = Task(*named, file.solver_input, entry.due, clock, self.contest)
        answer = self.contest.checked(self.solver.solve(task), file.solver_input)
        self.journal.solved(file.number, answer)
        self.tell("solved", file.number)

    # Clause: platform §6 pku, TS T16
    def _send(self, entry: Entry) -> bool:
        """Send an answer; return whether the file takes another one now."""
        if entry.answer is None or entry.key is None:
            raise RuntimeError("a file is solved before it is sent")
        clock = self.exchange.clock
        sent_at = clock.now()
        try:
            receipt = self.exchange.answer(self.session.session_id, entry.number, entry.answer.encode(), key=entry.key)
        except ExchangeError as error:
            if error.code not in _REFUSED:
                raise
            self._fail(entry.number, error)
            return False
        received_at = clock.now()
        if receipt.goes_on:
            self.journal.turned(entry.number, receipt)
        else:
            self.journal.sent(entry.number, receipt)
        if receipt.coming is not None:
            self.feed.hear(receipt.coming, Sample(sent_at, parse_moment(receipt.coming.server_time), received_at))
        if not receipt.goes_on:
            self.tell("sent", entry.number)
        return receipt.goes_on

    def _fail(self, number: int, error: PkuError) -> None:
        self.journal.failed(number, _failure(error))
        self.tell("failed", number)

    def _stop_if_hopeless(self, error: PkuError) -> None:
        with self._lock:
            code, times = self._failing
            self._failing = error.code, times + 1 if error.code == code else 1
            hopeless = self._failing[1] == self.stop_after
        if hopeless:
            raise PkuError("solver_keeps_failing", count=self.stop_after, last=error)

    def tell(self, event: str, number: int | None, opens_at: float | None = None, pause: str | None = None) -> None:
        """Report where the run is."""
        if self.on_progress is None:
            return
        with self._lock:
            accepted, late, failed = self._counts()
            done = accepted + late + failed
            files = max(self.session.files, done)  # files that replace others are appended during the run
            self.on_progress(Step(event, number, files, done, accepted, late, failed, opens_at, pause))

    def _counts(self) -> tuple[int, int, int]:
        entries = list(self.journal.entries.values())
        receipts = [entry.receipt for entry in entries if entry.receipt is not None]
        accepted = sum(receipt.status == ACCEPTED for receipt in receipts) + len(self._answered_elsewhere)
        failed = sum(entry.failure is not None for entry in entries)
        return accepted, len(receipts) - (accepted - len(self._answered_elsewhere)), failed

    def outcome(self, session: SessionInfo) -> Outcome:
        """Return the outcomes of all files, by the journal; causes of files that never were in hand come from the
        platform."""
        accepted, late, _ = self._counts()
        failures: dict[int, Failure] = {}
        empty = 0
        for delivery in session.deliveries:
            if delivery.state == "voided" and delivery.number not in self.journal.entries:
                failures[delivery.number] = _failure(PkuError("file_voided", cause=delivery.cause or "?"))
        for number, entry in self.journal.entries.items():
            if entry.failure is not None:
                failures[number] = entry.failure
            elif entry.receipt is not None and entry.receipt.status != ACCEPTED:
                failures[number] = _failure(PkuError(f"answer_{entry.receipt.status}"))
            else:
                empty += entry.is_empty
        return Outcome(session, accepted, late, tuple(sorted(failures.items())), empty)


def _failure(error: PkuError) -> Failure:
    details = getattr(error, "details", ())
    english, russian = (
        error.text(language) + "".join(f"\n  - {detail.text(language)} [{detail.code}]" for detail in details)
        for language in (EN, RU)
    )
    return Failure(error.code, english, russian)
