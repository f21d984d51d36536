"""Runs under races, deaths between any two writes, and a clock that goes: what was in time counts, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import pytest

from contest.cycle.rules.cycle import Mode
from contest.errors import AlreadyParticipatedError, FileMissedError, NotOpenYetError, SessionAlreadyOpenError
from contest.exchange.files import next_file
from contest.operations.minute_timer import sweep
from contest.platform import Memory
from contest.run import under_way, watching
from contest.run.planning import RunOrder, plan_run
from contest.run.rules.conducting import Wish
from contest.run.rules.run import HOLD, Kind, Run
from contest.run.rules.schedule import ArmedBy, Schedule
from contest.session import following
from contest.session.access import Request
from contest.session.opening import join_run
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import Session
from contest.values import HOUR, MINUTE, SECOND, Millis
from tests.racing import ME, Race
from tests.samples import admit_to_finals
from tests.toys import toy_cycle

LEAD = 10 * MINUTE


class Final(Race):
    """A final of three files in ten minutes, which the team has joined or joins in the test."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        technical = {"files": [30, 30], "interval_s": [5, 5]}
        super().__init__(patch, toy_cycle(train=40, final=3, reserve=2, technical=technical))

    @cached_property
    def run(self) -> Run:
        return plan_run(self.platform, "tests", RunOrder(Mode.FINAL, "final", self.clock.now() + LEAD, MINUTE))

    def join(self, key: str | None = None) -> Session:
        admit_to_finals(self.platform, ME.team_id)
        self.session = join_run(self.platform, Request(ME, self.clock.now(), key=key), Mode.FINAL, None, None)
        return self.session

    def after(self, seconds: float) -> None:
        """Set the clock to ``seconds`` after the run's start."""
        self.clock.moment = self.run.starts_at + round(seconds * SECOND)

    def fate(self) -> tuple[FileState, Cause | None]:
        """Return the first file's state and cause."""
        result = following.known_of(self.platform, self.session)
        view = following.files_of(self.platform, self.session, result, self.clock.now())[0]
        return view.state, view.cause

    @property
    def first_requests(self) -> Mapping[int, Millis]:
        return self.platform.session_reads.facts(self.session.session_id).first_requests


@pytest.fixture
def final(monkeypatch: pytest.MonkeyPatch) -> Final:
    final = Final(monkeypatch)
    assert final.run
    return final


@pytest.fixture
def joined(final: Final) -> Final:
    final.join()
    return final


def test_of_two_openings_of_a_final_at_once_one_wins(final: Final) -> None:
    others: list[Session] = []
    final.just_before("sessions", "join", lambda: others.append(final.join()))
    with pytest.raises(SessionAlreadyOpenError):
        final.join()
    assert final.platform.runs.sessions_of(final.run.run_id) == [("red", others[0].session_id)]


def test_an_opening_that_meets_one_that_was_aborted_at_once_is_refused_nevertheless(final: Final) -> None:
    def briefly() -> None:
        final.join()
        final.end()

    final.just_before("sessions", "join", briefly)
    with pytest.raises(AlreadyParticipatedError):
        final.join()


def test_the_same_opening_twice_at_once_is_one_session(final: Final) -> None:
    others: list[Session] = []
    final.just_before("sessions", "join", lambda: others.append(final.join(key="k")))
    assert final.join(key="k").session_id == others[0].session_id


@pytest.mark.parametrize("first", [ArmedBy.TIMER, ArmedBy.REQUEST])
def test_timer_and_request_arm_a_file_once(joined: Final, first: ArmedBy) -> None:
    joined.after(0)
    deeds: dict[ArmedBy, Callable[[], object]] = {
        ArmedBy.TIMER: lambda: under_way.arm_coming(joined.platform, Schedule.of(joined.run), joined.clock.now()),
        ArmedBy.REQUEST: lambda: joined.ask(1),
    }
    joined.just_before("runs", "arm", deeds.pop(first))
    (later,) = deeds.values()
    later()
    release = joined.platform.runs.release(joined.run.run_id, 1)
    assert release is not None
    assert (release.armed_by, release.version) == (first, 1)


def test_a_request_shortly_before_the_opening_is_held_until_it(joined: Final) -> None:
    joined.clock.goes = True
    starts_at = joined.run.starts_at
    joined.clock.moment = starts_at - HOLD
    delivery = joined.ask(1).delivery
    assert (delivery.handed_out_at, delivery.answer_by) == (starts_at, starts_at + 50 * SECOND)
    assert joined.first_requests == {1: starts_at - HOLD}


@pytest.mark.parametrize(("goes", "before"), [(True, HOLD + 1), (False, 1)])
def test_a_request_earlier_or_while_time_stands_is_not_held(joined: Final, goes: bool, before: Millis) -> None:
    joined.clock.goes = goes
    joined.clock.moment = joined.run.starts_at - before
    with pytest.raises(NotOpenYetError):
        joined.ask(1)
    assert joined.clock.now() == joined.run.starts_at - before
    assert joined.first_requests == {}


def test_a_gateway_whose_clock_is_ahead_opens_nothing_early(joined: Final) -> None:
    joined.clock.goes = True
    starts_at = joined.run.starts_at
    joined.clock.moment = starts_at - 700
    assert joined.ask(1, at=starts_at + 5).delivery.handed_out_at == starts_at + 5
    joined.after(50)
    with pytest.raises(NotOpenYetError):
        joined.ask(2, at=starts_at + MINUTE)


def test_between_the_opening_and_the_file_lies_one_write(joined: Final) -> None:
    """Everything else is read and written while the request is held."""
    joined.clock.goes = True
    joined.after(-1)
    touched: list[tuple[str, bool]] = []
    platform = joined.platform
    for port, names in (
        (platform.blobs, ("get",)),
        (platform.runs, ("release", "arm")),
        (platform.deliveries, ("ask", "get", "hand_out")),
    ):
        for name in names:
            work = getattr(port, name)

            def noted(*args: Any, name: str = name, work: Callable[..., Any] = work) -> Any:
                touched.append((name, platform.clock.now() >= joined.run.starts_at))
                return work(*args)

            joined.patch.setattr(port, name, noted)
    joined.ask(1)
    assert [name for name, opened in touched if opened] == ["hand_out"]


@pytest.mark.parametrize(
    ("port", "name", "after", "left_s"),
    [
        # by the first hand-out where there was one, else fifty seconds from this one
        ("deliveries", "ask", False, 90),
        ("deliveries", "ask", True, 90),
        ("runs", "arm", False, 90),
        ("runs", "arm", True, 90),
        ("deliveries", "hand_out", False, 90),
        ("deliveries", "hand_out", True, 60),
    ],
)
def test_a_request_that_died_counts_when_repeated(
    joined: Final, port: str, name: str, after: bool, left_s: int
) -> None:
    joined.after(10)
    joined.killed(port, name, lambda: joined.ask(1), after=after)
    joined.clock.advance(0 if (name, after) == ("ask", False) else 30)  # what was not noted is asked anew at once
    handed_out = joined.ask(1).delivery
    assert (name, after) == ("ask", False) or handed_out.answer_by == joined.run.starts_at + left_s * SECOND


@pytest.mark.parametrize(
    ("port", "name", "after"),
    [
        ("deliveries", "arrive", True),
        ("blobs", "put_if_absent", False),
        ("blobs", "put_if_absent", True),
        ("deliveries", "send", False),
        ("deliveries", "send", True),
    ],
)
def test_an_answer_that_died_counts_when_repeated_late(joined: Final, port: str, name: str, after: bool) -> None:
    joined.after(0)
    joined.ask(1)
    joined.clock.advance(50)
    joined.killed(port, name, joined.answer, after=after)
    joined.clock.advance(1)
    waited = (FileState.ANSWERED, None) if name == "send" and after else (FileState.VOIDED, Cause.PLATFORM)
    assert joined.fate() == waited
    assert (joined.answer()["status"], joined.fate()[0]) == ("accepted", FileState.ANSWERED)
    assert len(joined.platform.store.receipts) == len(joined.platform.store.outbox) == 1


@pytest.mark.parametrize("after", [False, True])
def test_a_refusal_whose_process_died_is_the_teams_all_the_same(joined: Final, after: bool) -> None:
    joined.after(0)
    joined.ask(1)
    joined.killed("deliveries", "count_refused", joined.answer_nonsense, after=after)
    joined.clock.advance(51)
    assert joined.fate() == (FileState.VOIDED, Cause.TEAM_INVALID if after else Cause.TEAM_LATE)


def test_a_request_noted_after_a_later_one_is_still_the_first(joined: Final) -> None:
    """A slow process notes a request in time after a quick one has noted the late repetition."""
    joined.after(11)
    with pytest.raises(FileMissedError):
        joined.ask(1)
    assert joined.ask(1, at=joined.run.starts_at + 10 * SECOND).delivery.number == 1


def test_a_stale_copy_of_the_run_knows_all_that_is_in_effect(joined: Final) -> None:
    """A copy of the run, read just before a decision, is used for two seconds; the decision takes effect after five."""
    joined.after(-6)
    with pytest.raises(NotOpenYetError):
        joined.ask(1)  # the run is remembered now
    watching.decide(joined.platform, "tests", joined.run.run_id, Wish(Kind.PAUSE, "a reason"))
    joined.after(0)
    with pytest.raises(NotOpenYetError) as refused:
        joined.ask(1)
    assert refused.value.details[0]["run_state"] == "paused"


def test_files_appended_at_the_last_moment_keep_the_session_open(joined: Final) -> None:
    joined.after(179)
    watching.decide(joined.platform, "tests", joined.run.run_id, Wish(Kind.REPLACE, "a reason", numbers=(1,)))
    joined.clock.advance(31.001)
    assert sweep(joined.platform).closed == 0
    coming = next_file(joined.platform, joined.request())
    assert (coming.number, coming.session.files) == (4, 4)


def ensure(race: Race) -> Any:
    """Plan the coming technical run as the timer does."""
    return under_way.ensure_run(race.platform, race.clock.now())


@pytest.fixture
def technical(monkeypatch: pytest.MonkeyPatch) -> Final:
    """Return the platform before a final is planned: technical runs alone are."""
    return Final(monkeypatch)


def test_ticks_doubled_late_and_out_of_order_plan_one_technical_run(technical: Final) -> None:
    technical.just_before("runs", "add", lambda: ensure(technical))
    first = ensure(technical)
    assert ensure(technical) == first
    assert len(technical.platform.store.runs) == 1
    technical.clock.advance(4 * HOUR / SECOND)
    second = ensure(technical)
    assert second not in (None, first)
    technical.clock.advance(-HOUR / SECOND)
    assert ensure(technical) == second
    assert len(technical.platform.store.runs) == 2


@pytest.mark.parametrize(
    ("port", "name", "after"), [("blobs", "put_if_absent", True), ("runs", "add", False), ("runs", "add", True)]
)
def test_a_technical_run_that_died_is_planned_a_minute_later(
    technical: Final, port: str, name: str, after: bool
) -> None:
    technical.killed(port, name, lambda: ensure(technical), after=after)
    technical.clock.advance(60)
    assert sweep(technical.platform).failures == ()
    (run,) = technical.platform.store.runs.values()
    assert run.files == 30


def test_a_technical_run_that_comes_too_late_in_its_slot_is_left_out(technical: Final) -> None:
    # thirty files every five seconds and a minute for the last answer take 205 s; announced 601 s before
    slot = technical.clock.now() // (4 * HOUR) * 4 * HOUR
    latest = slot + 600 * SECOND + 4 * HOUR - (205 + 601) * SECOND
    for moment, is_planned in ((latest + 1, False), (latest, True)):
        technical.clock.moment = moment
        assert (ensure(technical) is not None) is is_planned


def test_one_failing_run_keeps_no_other_from_being_armed(final: Final) -> None:
    platform, order = final.platform, RunOrder(Mode.FINAL, "final", final.run.starts_at, MINUTE, trial=True)
    other = plan_run(platform, "tests", order)
    final.after(-60)
    del platform.blobs.objects[f"runs/{final.run.run_id}/plan-0.json"]
    platform.memory = Memory()
    swept = sweep(platform)
    assert swept.armed == 3
    assert {name for name, _ in swept.failures} >= {final.run.run_id}
    assert len(platform.runs.releases(other.run_id)) == 3
