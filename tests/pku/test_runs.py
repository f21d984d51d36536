"""The kit in a run: it is there at every opening, whatever its clock says, and loses nothing to faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from contest.run.rules.run import Kind
from pku.answers import Order
from pku.commanding import Pauses
from pku.config import Sample, ServerTime, parse_moment
from pku.exchange import Exchange
from pku.journal import Journals
from pku.runner import Outcome, Step, run
from pku.sessions import ScheduledFeed, open_session, start, start_when_possible
from tests.pku.platform import DrivenClock, FinalPlatform, Killed, lost_after, lost_before, numbered, pku_error
from tests.stage import Stage

Handle = Callable[[httpx.Request], httpx.Response]


class Final:
    """A final of some files, a program's clock, and its journals."""

    def __init__(self, stage: Stage, folder: Path, *, files: int = 4, ahead: float = 0.0, planned: bool = True) -> None:
        self.clock = DrivenClock()
        self.platform = FinalPlatform(stage, self.clock, numbered(files), ahead=ahead, planned=planned)
        self.journals = Journals(folder)
        self.solving_s = 5.0
        self.solved: list[str] = []

    def exchange(self, handle: Handle | None = None) -> Exchange:
        return self.platform.exchange(handle and httpx.MockTransport(handle))

    def solve(self, content: dict[str, Any]) -> dict[str, Any]:
        self.clock.sleep(self.solving_s)
        self.solved.append(content["text"])
        return content

    def start(self) -> str:
        return start(self.exchange(), self.journals, Order(mode="final"))[0].session_id

    def run(self, session_id: str, solver: Any = None, **settings: Any) -> Outcome:
        return run(self.exchange(), self.journals.of(session_id), solver or self.solve, **settings)


@pytest.fixture
def final(stage: Stage, tmp_path: Path) -> Final:
    return Final(stage, tmp_path)


@pytest.mark.parametrize("ahead", [0.0, 3600.0, -47.25])
def test_every_file_is_taken_at_its_opening_whatever_the_own_clock_says(
    stage: Stage, tmp_path: Path, ahead: float
) -> None:
    final = Final(stage, tmp_path, ahead=ahead)
    outcome = final.run(final.start())
    assert outcome.complete
    assert final.platform.lateness() == pytest.approx([0, 0, 0, 0], abs=1e-3)


def test_the_wait_for_an_opening_is_told(final: Final) -> None:
    seen: list[Step] = []
    final.run(final.start(), on_progress=seen.append)
    waits = [(each.number, each.opens_at) for each in seen if each.event == "waiting"]
    assert waits[0] == (1, pytest.approx(final.platform.opens_at(1), abs=1e-3))
    assert {number for number, _ in waits} == {1, 2, 3, 4}


def test_the_platform_is_asked_now_and_then_and_not_all_the_time(final: Final) -> None:
    final.run(final.start())
    asked = [path for _, path in final.platform.requests if path.endswith("/next")]
    # ten and five minutes before the start, and at the end: receipts tell the rest
    assert len(asked) == 3


def test_a_run_takes_little_more_than_two_requests_a_file(stage: Stage, tmp_path: Path) -> None:
    final = Final(stage, tmp_path, files=30)
    assert final.run(final.start()).complete
    assert len(final.platform.requests) <= 2.3 * 30


def test_what_a_receipt_tells_is_used_once_and_not_believed_of_a_file_that_is_being_worked_on(final: Final) -> None:
    exchange, session = final.exchange(), final.start()
    info = exchange.session(session)
    feed = ScheduledFeed(exchange, info, final.journals.of(session), lambda *_: None)
    assert feed.last() == 1
    told = exchange.next_file(session)
    final.platform.requests.clear()
    feed.hear(told, Sample(final.clock.now(), final.clock.now(), final.clock.now()))
    assert told.number == 1
    feed.last()
    assert [path.rsplit("/", 1)[1] for _, path in final.platform.requests] == ["next"]
    feed.hear(replace(told, number=2), Sample(final.clock.now(), final.clock.now(), final.clock.now()))
    assert feed.last() == 2
    assert len(final.platform.requests) == 1


def test_a_pause_that_is_taken_back_before_it_begins_costs_no_file(final: Final) -> None:
    session = final.start()
    platform, asked, opening = final.platform, [], final.platform.opens_at(1)

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        if len(asked) != 3:
            return platform.handle(request)
        platform.decide(Kind.PAUSE)
        answered = platform.handle(request)
        assert parse_moment(answered.json()["opens_at"]) > opening + 7000
        platform.decide(Kind.UNDO, amendment=1)
        return answered

    assert run(final.exchange(handle), final.journals.of(session), final.solve).complete
    assert platform.lateness() == pytest.approx([0, 0, 0, 0], abs=1e-3)


def test_lost_requests_and_answers_cost_no_file(final: Final) -> None:
    session = final.start()
    final.platform.faults.extend([None, None, *[lost_before, lost_after] * 10])
    assert final.run(session).complete
    assert final.platform.answers_counted() == [1, 1, 1, 1]


def test_an_outage_costs_the_files_that_opened_in_it_and_no_more(final: Final) -> None:
    session = final.start()
    outage = (final.platform.opens_at(1) + 55, final.platform.opens_at(1) + 100)

    def transport(request: httpx.Request) -> httpx.Response:
        if outage[0] <= final.platform.server_now() < outage[1]:
            final.clock.sleep(1.0)
            raise httpx.ConnectError("network is unreachable", request=request)
        return final.platform.handle(request)

    exchange = final.exchange(transport)
    outcome = run(exchange, final.journals.of(session), final.solve)
    assert outcome.accepted == 3
    assert [lateness is None for lateness in final.platform.lateness()] == [False, True, False, False]


def test_a_file_that_closed_meanwhile_is_said_and_the_next_one_taken(final: Final) -> None:
    final.solving_s = 75.0  # the first answer is late, and the second file's window is over by then
    outcome = final.run(final.start())
    assert outcome.late > 0
    assert [lateness is None for lateness in final.platform.lateness()] == [False, True, False, True]


def test_a_request_on_its_way_for_too_long_costs_that_file_alone(final: Final) -> None:
    session = final.start()

    def slow(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/files/2"):
            final.clock.sleep(15.0)
        return final.platform.handle(request)

    exchange = final.exchange(slow)
    outcome = run(exchange, final.journals.of(session), final.solve)
    assert [(number, failure.code) for number, failure in outcome.failures] == [(2, "file_missed")]


@pytest.mark.parametrize(
    ("pauses", "resumes"), [(-6, 269), (25, 230)], ids=["right before the opening", "between two openings"]
)
def test_a_pause_that_ends_early_is_noticed(final: Final, pauses: float, resumes: float) -> None:
    """Decided right before an opening, it makes the request for the file too early."""
    session, opening = final.start(), final.platform.opens_at(1)
    final.platform.at(opening + pauses, lambda: final.platform.decide(Kind.PAUSE))
    final.platform.at(opening + resumes, lambda: final.platform.decide(Kind.RESUME))
    assert final.run(session).complete
    assert final.platform.opens_at(4) > opening + 180
    assert final.platform.lateness() == pytest.approx([0, 0, 0, 0], abs=1e-3)


@pytest.mark.parametrize(
    ("published", "told"),
    [
        (
            True,
            "The organizers have paused the run: the network of two teams is down. No file opens until they resume it.",
        ),
        pytest.param(
            False, "The organizers have paused the run. No file opens until they resume it.", marks=pytest.mark.long
        ),
    ],
)
def test_a_pause_is_told_once_with_its_published_reason(final: Final, published: bool, told: str) -> None:
    session, platform = final.start(), final.platform
    opening = platform.opens_at(1) + 45
    for moment, kind, why in (
        (opening - 600, Kind.PAUSE, "an earlier one"),
        (opening - 580, Kind.RESUME, "the earlier one is over"),
        (opening + 25, Kind.PAUSE, "the network of two teams is down"),
        (opening + 240, Kind.RESUME, "it is up again"),
    ):
        platform.at(moment, lambda kind=kind, why=why: platform.decide(kind, why))  # type: ignore[misc]
    if not published:
        platform.instead[f"/v1/runs/{platform.run_id}"] = lambda: httpx.Response(200, json={"amendments": []})
    said: list[str] = []
    steps: list[Step] = []
    pauses = Pauses("en", said.append)

    def hear(step: Step) -> None:
        pauses(step)
        steps.append(step)

    assert final.run(session, on_progress=hear).complete
    assert said == [told, "The run goes on."]
    assert sum(step.pause is not None for step in steps) > 10, "the platform is asked again and again"


@pytest.mark.parametrize("step", ["received", "solved", "sent", "waiting"])
def test_a_program_killed_at_any_step_continues_with_nothing_lost(final: Final, step: str) -> None:
    session = final.start()
    seen: list[str] = []

    def die(progress: Step) -> None:
        seen.append(progress.event)
        if progress.event == step and seen.count(step) == 2:
            raise Killed

    with pytest.raises(Killed):
        final.run(session, on_progress=die)
    outcome = final.run(session)
    assert outcome.complete
    assert final.platform.answers_counted() == [1, 1, 1, 1]
    assert len(final.solved) == 4, "an essay in hand was solved a second time"


def test_a_run_is_waited_for_until_it_is_announced(stage: Stage, tmp_path: Path) -> None:
    final = Final(stage, tmp_path, planned=False)
    final.platform.at(final.platform.server_now() + 95, final.platform.plan)
    with pku_error("no_run"):
        final.start()
    waits: list[float] = []
    session, _ = start_when_possible(final.exchange(), final.journals, Order(mode="final"), on_wait=waits.append)
    assert session.run_id == final.platform.run_id
    assert waits == [60.0, 60.0]


def test_of_several_open_sessions_the_final_is_worked_on(final: Final) -> None:
    final.exchange().open_session(Order(), key="k")
    final.start()
    found = open_session(final.exchange())
    assert found is not None
    assert found.mode == "final"


def test_the_least_round_trip_is_believed() -> None:
    time = ServerTime()
    assert (time.here(100.0), time.uncertainty()) == (100.0, 0.0)
    time.observe(Sample(sent=0.0, server_time=12.0, received=4.0))  # 10 s ahead, give or take 2
    time.observe(Sample(sent=10.0, server_time=20.6, received=10.2))  # 10.5 s ahead, give or take 0.1
    time.observe(Sample(sent=20.0, server_time=31.0, received=21.0))
    assert time.here(100.0) == pytest.approx(89.5)
    assert time.uncertainty() == pytest.approx(0.1)
