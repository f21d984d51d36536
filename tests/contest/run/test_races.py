"""Runs under races, deaths between any two writes, and a clock that goes: what was in time counts, once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.errors import (
    AlreadyParticipatedError,
    FileMissedError,
    NotOpenYetError,
    SessionAlreadyOpenError,
)
from contest.exchange.files import HandedOut, hand_out_file, next_file, submit_answer
from contest.operations.minute_timer import sweep
from contest.people.rules import Identity, Role
from contest.platform import Memory
from contest.run import deciding, under_way
from contest.run.planning import RunOrder, plan_run
from contest.run.rules.run import HOLD, Kind, Run
from contest.run.rules.schedule import ArmedBy, Schedule
from contest.session import following
from contest.session.access import Request
from contest.session.opening import join_run
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import Session, State
from contest.values import HOUR, MINUTE, SECOND, Millis
from tests.fakes import FakePlatform
from tests.samples import admit_to_finals
from tests.toys import FolderInMemory, toy_cycle

ME = Identity(Role.PROGRAM, "red", "k")
LEAD = 10 * MINUTE


class DeathError(BaseException):
    """The process is gone; no handler of errors sees it."""


@pytest.fixture
def platform() -> FakePlatform:
    made = FakePlatform()
    files = toy_cycle(train=40, final=3, reserve=2, technical={"files": [30, 30], "interval_s": [5, 5]})
    load_cycle(made, "tests", "toy-1", FolderInMemory(files), lambda _: None)
    return made


@pytest.fixture
def run(platform: FakePlatform) -> Run:
    return plan_run(platform, "tests", RunOrder(Mode.FINAL, "final", platform.clock.now() + LEAD, MINUTE))


@pytest.fixture
def session(platform: FakePlatform, run: Run) -> Session:
    return join(platform)


def join(platform: FakePlatform, mode: Mode = Mode.FINAL, key: str | None = None) -> Session:
    admit_to_finals(platform, ME.team_id)
    return join_run(platform, Request(ME, platform.clock.now(), key=key), mode, None, None)


def ask(platform: FakePlatform, session: Session, number: int, at: Millis | None = None) -> HandedOut:
    arrival = platform.clock.now() if at is None else at
    return hand_out_file(platform, Request(ME, arrival, session.session_id, number))


def answer(platform: FakePlatform, session: Session, number: int = 1, letters: str = "abcd") -> Any:
    body = json.dumps({"letters": letters}).encode()
    text = submit_answer(platform, Request(ME, platform.clock.now(), session.session_id, number), body).receipt
    return json.loads(text)["receipt"]


def fate(platform: FakePlatform, session: Session, number: int = 1) -> tuple[FileState, Cause | None]:
    view = following.files_of(platform, session, following.known_of(platform, session), platform.clock.now())[
        number - 1
    ]
    return view.state, view.cause


def just_before(monkeypatch: pytest.MonkeyPatch, port: Any, name: str, event: Callable[[], object]) -> None:
    """Let something happen once between the reading and the next write of a port."""
    write, pending = getattr(port, name), [event]

    def interrupted(*args: Any) -> Any:
        if pending:
            pending.pop()()
        return write(*args)

    monkeypatch.setattr(port, name, interrupted)


def dies(monkeypatch: pytest.MonkeyPatch, port: Any, name: str, *, after: bool) -> None:
    """Let the process die once at a port, before or after it has done its work; the next one knows nothing of it."""
    work, deaths = getattr(port, name), [1]

    def deadly(*args: Any) -> Any:
        if not deaths:
            return work(*args)
        deaths.pop()
        if after:
            work(*args)
        raise DeathError

    monkeypatch.setattr(port, name, deadly)


def killed(platform: FakePlatform, act: Callable[[], object]) -> None:
    """Run a process that dies on its way, and empty its memory for the next one."""
    with pytest.raises(DeathError):
        act()
    platform.memory = Memory()


def test_of_two_openings_of_a_final_at_once_one_wins(
    platform: FakePlatform, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Session] = []
    just_before(monkeypatch, platform.sessions, "join", lambda: others.append(join(platform)))
    with pytest.raises(SessionAlreadyOpenError):
        join(platform)
    assert platform.runs.sessions_of(run.run_id) == [("red", others[0].session_id)]


def test_an_opening_that_meets_one_that_was_aborted_at_once_is_refused_nevertheless(
    platform: FakePlatform, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def briefly() -> None:
        following.end(platform, join(platform), State.ABORTED, platform.clock.now())

    just_before(monkeypatch, platform.sessions, "join", briefly)
    with pytest.raises(AlreadyParticipatedError):
        join(platform)


def test_the_same_opening_twice_at_once_is_one_session(
    platform: FakePlatform, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Session] = []
    just_before(monkeypatch, platform.sessions, "join", lambda: others.append(join(platform, key="k")))
    assert join(platform, key="k").session_id == others[0].session_id


@pytest.mark.parametrize("first", [ArmedBy.TIMER, ArmedBy.REQUEST])
def test_timer_and_request_arm_a_file_once(
    platform: FakePlatform, run: Run, session: Session, monkeypatch: pytest.MonkeyPatch, first: ArmedBy
) -> None:
    platform.clock.moment = run.starts_at

    def by_timer() -> object:
        return under_way.arm_coming(platform, Schedule.of(run), platform.clock.now())

    def by_request() -> object:
        return ask(platform, session, 1)

    earlier, later = (by_timer, by_request) if first is ArmedBy.TIMER else (by_request, by_timer)
    just_before(monkeypatch, platform.runs, "arm", earlier)
    later()
    release = platform.runs.release(run.run_id, 1)
    assert release is not None
    assert (release.armed_by, release.version) == (first, 1)


def test_a_request_shortly_before_the_opening_is_held_until_it(
    platform: FakePlatform, run: Run, session: Session
) -> None:
    platform.clock.goes = True
    platform.clock.moment = run.starts_at - HOLD
    found = ask(platform, session, 1)
    assert found.delivery.handed_out_at == run.starts_at
    assert found.delivery.answer_by == run.starts_at + 50 * SECOND
    assert platform.session_reads.facts(session.session_id).first_requests == {1: run.starts_at - HOLD}


def test_a_request_earlier_than_that_is_not_held(platform: FakePlatform, run: Run, session: Session) -> None:
    platform.clock.goes = True
    platform.clock.moment = run.starts_at - HOLD - 1
    with pytest.raises(NotOpenYetError):
        ask(platform, session, 1)
    assert platform.clock.now() == run.starts_at - HOLD - 1
    assert platform.session_reads.facts(session.session_id).first_requests == {}


def test_where_the_time_stands_still_nobody_waits_and_nothing_counts_as_asked(
    platform: FakePlatform, run: Run, session: Session
) -> None:
    platform.clock.moment = run.starts_at - 1
    with pytest.raises(NotOpenYetError):
        ask(platform, session, 1)
    assert platform.session_reads.facts(session.session_id).first_requests == {}


def test_a_gateway_whose_clock_is_ahead_opens_nothing_early(platform: FakePlatform, run: Run, session: Session) -> None:
    platform.clock.goes = True
    platform.clock.moment = run.starts_at - 700
    assert ask(platform, session, 1, at=run.starts_at + 5).delivery.handed_out_at == run.starts_at + 5
    far = run.starts_at + MINUTE - 10 * SECOND
    platform.clock.moment = far
    with pytest.raises(NotOpenYetError):
        ask(platform, session, 2, at=run.starts_at + MINUTE)


def test_between_the_opening_and_the_file_lies_one_write(
    platform: FakePlatform, run: Run, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything else is read and written while the request is held."""
    platform.clock.goes = True
    platform.clock.moment = run.starts_at - SECOND
    touched: list[tuple[str, bool]] = []
    for port, name in (
        (platform.blobs, "get"),
        (platform.runs, "release"),
        (platform.runs, "arm"),
        (platform.deliveries, "ask"),
        (platform.deliveries, "get"),
        (platform.deliveries, "hand_out"),
    ):
        work = getattr(port, name)

        def noted(*args: Any, name: str = name, work: Callable[..., Any] = work) -> Any:
            touched.append((name, platform.clock.now() >= run.starts_at))
            return work(*args)

        monkeypatch.setattr(port, name, noted)
    ask(platform, session, 1)
    assert [name for name, opened in touched if opened] == ["hand_out"]


@pytest.mark.parametrize(
    ("port", "name", "after"),
    [
        ("deliveries", "ask", True),
        ("runs", "arm", False),
        ("runs", "arm", True),
        ("deliveries", "hand_out", False),
        ("deliveries", "hand_out", True),
    ],
)
def test_a_request_whose_process_died_after_it_was_noted_counts_when_it_is_repeated(
    platform: FakePlatform,
    run: Run,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    port: str,
    name: str,
    after: bool,
) -> None:
    platform.clock.moment = run.starts_at + 10 * SECOND
    dies(monkeypatch, getattr(platform, port), name, after=after)
    killed(platform, lambda: ask(platform, session, 1))
    platform.clock.advance(30)
    handed_out = ask(platform, session, 1).delivery
    # by the first hand-out where there was one, else fifty seconds from this one
    expected = 60 if after and name == "hand_out" else 90
    assert handed_out.answer_by == run.starts_at + expected * SECOND


def test_a_request_that_died_before_it_was_noted_is_asked_anew(
    platform: FakePlatform, run: Run, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform.clock.moment = run.starts_at + 10 * SECOND
    dies(monkeypatch, platform.deliveries, "ask", after=False)
    killed(platform, lambda: ask(platform, session, 1))
    assert ask(platform, session, 1).delivery.number == 1


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
def test_an_answer_whose_process_died_counts_when_it_is_repeated_late(
    platform: FakePlatform,
    run: Run,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    port: str,
    name: str,
    after: bool,
) -> None:
    platform.clock.moment = run.starts_at
    ask(platform, session, 1)
    platform.clock.advance(50)
    dies(monkeypatch, getattr(platform, port), name, after=after)
    killed(platform, lambda: answer(platform, session))
    platform.clock.advance(1)
    waited = (FileState.ANSWERED, None) if name == "send" and after else (FileState.VOIDED, Cause.PLATFORM)
    assert fate(platform, session) == waited
    assert (answer(platform, session)["status"], fate(platform, session)[0]) == ("accepted", FileState.ANSWERED)
    assert len(platform.store.receipts) == len(platform.store.outbox) == 1


@pytest.mark.parametrize("after", [False, True])
def test_a_refusal_whose_process_died_is_the_teams_all_the_same(
    platform: FakePlatform, run: Run, session: Session, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    def wrong() -> str:
        return submit_answer(platform, Request(ME, platform.clock.now(), session.session_id, 1), b"[]").receipt

    platform.clock.moment = run.starts_at
    ask(platform, session, 1)
    dies(monkeypatch, platform.deliveries, "count_refused", after=after)
    killed(platform, wrong)
    platform.clock.advance(51)
    assert fate(platform, session) == (FileState.VOIDED, Cause.TEAM_INVALID if after else Cause.TEAM_LATE)


def test_a_request_noted_after_a_later_one_is_still_the_first(
    platform: FakePlatform, run: Run, session: Session
) -> None:
    """A slow process notes a request in time after a quick one has noted the late repetition."""
    platform.clock.moment = run.starts_at + 11 * SECOND
    with pytest.raises(FileMissedError):
        ask(platform, session, 1)
    assert ask(platform, session, 1, at=run.starts_at + 10 * SECOND).delivery.number == 1


def test_a_stale_copy_of_the_run_knows_all_that_is_in_effect(
    platform: FakePlatform, run: Run, session: Session
) -> None:
    """Whoever read the run just before a decision believes it for two seconds; it takes effect after five."""
    platform.clock.moment = run.starts_at - 6 * SECOND
    with pytest.raises(NotOpenYetError):
        ask(platform, session, 1)  # the run is remembered now
    deciding.decide(platform, "tests", run.run_id, deciding.Wish(Kind.PAUSE, "a reason"))
    platform.clock.moment = run.starts_at
    with pytest.raises(NotOpenYetError) as refused:
        ask(platform, session, 1)
    assert refused.value.details[0]["run_state"] == "paused"


def test_files_appended_at_the_last_moment_keep_the_session_open(
    platform: FakePlatform, run: Run, session: Session
) -> None:
    platform.clock.moment = run.starts_at + 3 * MINUTE - SECOND
    deciding.decide(platform, "tests", run.run_id, deciding.Wish(Kind.REPLACE, "a reason", numbers=(1,)))
    platform.clock.advance(31.001)
    assert sweep(platform).closed == 0
    found = next_file(platform, Request(ME, platform.clock.now(), session.session_id))
    assert (found.number, found.session.files) == (4, 4)


def test_ticks_doubled_late_and_out_of_order_plan_one_technical_run(
    platform: FakePlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    just_before(monkeypatch, platform.runs, "add", lambda: under_way.ensure_run(platform, platform.clock.now()))
    first = under_way.ensure_run(platform, platform.clock.now())
    assert under_way.ensure_run(platform, platform.clock.now()) == first
    assert len(platform.store.runs) == 1
    platform.clock.advance(4 * HOUR / SECOND)
    second = under_way.ensure_run(platform, platform.clock.now())
    assert second is not None
    platform.clock.advance(-HOUR / SECOND)
    assert len(platform.store.runs) == 2
    assert second != first


@pytest.mark.parametrize(
    ("port", "name", "after"),
    [("blobs", "put_if_absent", True), ("runs", "add", False), ("runs", "add", True)],
)
def test_a_technical_run_whose_planning_died_is_planned_by_the_next_minute(
    platform: FakePlatform, monkeypatch: pytest.MonkeyPatch, port: str, name: str, after: bool
) -> None:
    dies(monkeypatch, getattr(platform, port), name, after=after)
    killed(platform, lambda: under_way.ensure_run(platform, platform.clock.now()))
    platform.clock.advance(60)
    assert sweep(platform).failures == ()
    (run,) = platform.store.runs.values()
    assert run.files == 30


def test_one_failing_run_keeps_no_other_from_being_armed(
    platform: FakePlatform, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = plan_run(platform, "tests", RunOrder(Mode.FINAL, "final", run.starts_at, MINUTE, trial=True))
    platform.clock.moment = run.starts_at - MINUTE
    del platform.blobs.objects[f"runs/{run.run_id}/plan-0.json"]
    platform.memory = Memory()
    swept = sweep(platform)
    assert swept.armed == 3
    assert {name for name, _ in swept.failures} >= {run.run_id}
    assert len(platform.runs.releases(other.run_id)) == 3


def test_a_technical_run_that_comes_too_late_in_its_slot_is_left_out(platform: FakePlatform) -> None:
    # thirty files every five seconds and a minute for the last answer take 205 s; announced 601 s before
    slot = platform.clock.now() // (4 * HOUR) * 4 * HOUR
    latest = slot + 600 * SECOND + 4 * HOUR - (205 + 601) * SECOND
    platform.clock.moment = latest + 1
    assert under_way.ensure_run(platform, platform.clock.now()) is None
    platform.clock.moment = latest
    assert under_way.ensure_run(platform, platform.clock.now()) is not None
