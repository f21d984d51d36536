"""Lost races are read again and decided again; what never wins says so; one failure keeps nobody else waiting."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from contest import reading
from contest.channel.tasks import require_right
from contest.cycle.loading import load_cycle
from contest.errors import (
    BusyError,
    FileNotHandedOutError,
    ForbiddenError,
    InvalidAnswerError,
    KeyReusedError,
    NoCycleError,
    SessionClosedError,
)
from contest.exchange.files import hand_out_file, next_file, submit_answer
from contest.operations.minute_timer import sweep
from contest.people.rules import Identity, Role
from contest.platform import ATTEMPTS, PATIENT_ATTEMPTS, Memory
from contest.ports import LostRaceError
from contest.results.rules.jobs import Job
from contest.results.scoring import score_answer
from contest.session import following
from contest.session.access import Request
from contest.session.opening import open_wished
from contest.session.rules.session import OpeningWish, Session, State
from contest.values import Millis, iso
from tests.fakes import FakePlatform
from tests.toys import FolderInMemory, toy_cycle

ME = Identity(Role.PROGRAM, "red", "k")


@pytest.fixture
def platform() -> FakePlatform:
    made = FakePlatform()
    load_cycle(made, "tests", "toy-1", FolderInMemory(toy_cycle()), lambda _: None)
    return made


@pytest.fixture
def session(platform: FakePlatform) -> Session:
    wish = OpeningWish("algorithmic", set_name="train")
    made = open_wished(platform, Request(ME, platform.clock.now()), wish)
    hand_out_file(platform, Request(ME, platform.clock.now(), made.session_id, 1))
    return made


def answer(platform: FakePlatform, session: Session, letters: str, number: int = 1, key: str | None = None) -> Any:
    body = json.dumps({"letters": letters}).encode()
    asked = Request(ME, platform.clock.now(), session.session_id, number, key)
    return json.loads(submit_answer(platform, asked, body).receipt)["receipt"]


def just_before(monkeypatch: pytest.MonkeyPatch, port: Any, name: str, event: Callable[[], object]) -> None:
    """Let something happen once between the reading and the next write of a port."""
    write, pending = getattr(port, name), [event]

    def interrupted(*args: Any) -> Any:
        if pending:
            pending.pop()()
        return write(*args)

    monkeypatch.setattr(port, name, interrupted)


def test_an_answer_that_lost_against_another_is_decided_again(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    just_before(monkeypatch, platform.deliveries, "send", lambda: answer(platform, session, "first"))
    assert answer(platform, session, "second")["send"] == 2


def test_the_same_answer_twice_at_once_has_one_receipt(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Any] = []
    just_before(monkeypatch, platform.deliveries, "send", lambda: others.append(answer(platform, session, "abcd")))
    assert [answer(platform, session, "abcd")] == others
    assert len(platform.store.receipts) == 1


@pytest.mark.parametrize("key", [None, "k"])
def test_every_repetition_of_an_answer_is_counted_while_the_session_is_open(
    platform: FakePlatform, session: Session, key: str | None
) -> None:
    first = answer(platform, session, "abcd", key=key)
    for count in (1, 2):
        assert answer(platform, session, "abcd", key=key) == first
        assert platform.store.bodies[session.session_id, 1].repeated == count
    following.end(platform, session, State.ABORTED, platform.clock.now())
    assert answer(platform, session, "abcd", key=key) == first
    assert platform.store.bodies[session.session_id, 1].repeated == 2


def test_the_same_key_twice_at_once_has_one_receipt(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Any] = []
    twin = lambda: others.append(answer(platform, session, "x", key="k"))  # noqa: E731 -- it is an event
    just_before(monkeypatch, platform.deliveries, "send", twin)
    assert [answer(platform, session, "x", key="k")] == others
    assert others[0]["send"] == 1


def test_a_key_that_another_answer_uses_in_the_same_instant_is_refused_without_a_trace(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = lambda: answer(platform, session, "x", key="k")  # noqa: E731 -- it is an event
    just_before(monkeypatch, platform.deliveries, "send", twin)
    with pytest.raises(KeyReusedError):
        answer(platform, session, "y", key="k")
    assert platform.store.arrived == {}
    assert len(platform.store.receipts) == 1


def test_an_answer_that_meets_the_sessions_end_is_late(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = lambda: following.end(platform, session, State.ABORTED, platform.clock.now())  # noqa: E731 -- it is an event
    just_before(monkeypatch, platform.deliveries, "send", end)
    receipt = answer(platform, session, "abcd")
    assert (receipt["status"], receipt["reason"]) == ("late", "session_closed")
    assert platform.store.outbox == {}


def test_two_requests_for_one_file_get_the_same_times(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask() -> Any:
        return hand_out_file(platform, Request(ME, platform.clock.now(), session.session_id, 2)).delivery

    first: list[Any] = []

    def other() -> None:
        first.append(ask())
        platform.clock.advance(3)

    just_before(monkeypatch, platform.deliveries, "hand_out", other)
    assert ask() == first[0]


def test_a_file_is_not_handed_out_by_a_session_that_ends_meanwhile(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = lambda: following.end(platform, session, State.ABORTED, platform.clock.now())  # noqa: E731 -- it is an event
    just_before(monkeypatch, platform.deliveries, "hand_out", end)
    with pytest.raises(SessionClosedError):
        hand_out_file(platform, Request(ME, platform.clock.now(), session.session_id, 2))
    assert platform.deliveries.get(session.session_id, 2) is None


def test_the_time_for_an_answer_starts_when_the_platform_has_done_its_work(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrival = platform.clock.now()
    read = platform.blobs.get

    def slow(name: str) -> bytes:
        platform.clock.advance(5)
        return read(name)

    monkeypatch.setattr(platform.blobs, "get", slow)
    platform.memory = Memory()
    delivery = hand_out_file(platform, Request(ME, arrival, session.session_id, 3)).delivery
    assert delivery.handed_out_at > arrival
    assert delivery.answer_by == platform.clock.now() + 60_000


@pytest.mark.parametrize(
    ("port", "name", "act", "attempts"),
    [
        # Whoever asks for a file has no time to lose by coming back.
        (
            "deliveries",
            "hand_out",
            lambda p, s: hand_out_file(p, Request(ME, p.clock.now(), s.session_id, 2)),
            PATIENT_ATTEMPTS,
        ),
        ("sessions", "close", lambda p, s: following.end(p, s, State.ABORTED, p.clock.now()), ATTEMPTS),
    ],
)
def test_whoever_loses_every_race_is_told_to_come_back(
    platform: FakePlatform,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    port: str,
    name: str,
    act: Callable[[FakePlatform, Session], object],
    attempts: int,
) -> None:
    tried = []

    def lose(*args: Any) -> None:
        tried.append(args)
        raise LostRaceError

    monkeypatch.setattr(getattr(platform, port), name, lose)
    with pytest.raises(BusyError) as caught:
        act(platform, session)
    assert caught.value.retry_after_s == 1
    assert len(tried) == attempts


def test_refusals_cost_no_answer_a_race(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def garbage() -> None:
        for _ in range(200):
            with pytest.raises(InvalidAnswerError):
                submit_answer(platform, Request(ME, platform.clock.now(), session.session_id, 1), b"[]")

    sent = platform.deliveries.send
    tried = []
    monkeypatch.setattr(platform.deliveries, "send", lambda *args: (tried.append(args), sent(*args)))
    just_before(monkeypatch, platform.deliveries, "send", garbage)
    assert answer(platform, session, "abcd")["status"] == "accepted"
    assert len(tried) == 1
    noted = platform.session_reads.facts(session.session_id)
    assert (noted.bodies[1].refused, noted.arrived) == (200, {})


def test_a_first_answer_is_not_sent_away_for_others_that_were_faster(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, tried = platform.deliveries.send, []

    def lose_often(*args: Any) -> None:
        tried.append(args)
        if len(tried) <= 3 * ATTEMPTS:
            raise LostRaceError
        send(*args)

    monkeypatch.setattr(platform.deliveries, "send", lose_often)
    assert answer(platform, session, "abcd")["status"] == "accepted"


def test_an_answer_beside_an_accepted_one_may_be_sent_away_and_keeps_its_arrival(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(platform, session, "first")
    arrival, tried = platform.clock.now(), []
    with monkeypatch.context() as busy:

        def lose(*args: Any) -> None:
            tried.append(args)
            raise LostRaceError

        busy.setattr(platform.deliveries, "send", lose)
        with pytest.raises(BusyError):
            answer(platform, session, "second")
    assert len(tried) == ATTEMPTS
    platform.clock.advance(75)
    receipt = answer(platform, session, "second")
    assert (receipt["status"], receipt["received_at"]) == ("accepted", iso(arrival))


def test_an_ended_session_ends_the_same_for_everybody(platform: FakePlatform, session: Session) -> None:
    first = following.end(platform, session, State.ABORTED, platform.clock.now())
    platform.clock.advance(10)
    assert following.end(platform, session, State.FINISHED, platform.clock.now()).closed_at == first.closed_at


def test_two_workers_on_one_answer_write_one_record(
    platform: FakePlatform, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(platform, session, "abcd")
    (job,) = platform.store.outbox
    just_before(monkeypatch, platform.scores, "put", lambda: score_answer(platform, job))
    score_answer(platform, job)
    assert len(platform.scores.records[session.session_id]) == 1
    assert platform.store.outbox == {}


def test_one_sessions_failure_keeps_no_other_waiting(platform: FakePlatform, session: Session) -> None:
    answer(platform, session, "abcd")
    read = platform.sessions.get

    def get(session_id: str) -> Session | None:
        if session_id == "broken":
            raise OSError("this one cannot be read")
        return read(session_id)

    platform.sessions.get = get  # type: ignore[method-assign]
    platform.sessions.open_ids = lambda: ["broken", session.session_id]  # type: ignore[method-assign]
    platform.clock.advance(120)
    swept = sweep(platform)
    assert {name for name, _ in swept.failures} == {"broken"}
    assert swept.enqueued == 1
    assert platform.queue.jobs == list(platform.store.outbox)


def test_a_job_that_always_fails_is_asked_for_ever_more_rarely(platform: FakePlatform, session: Session) -> None:
    answer(platform, session, "abcd")
    asked = []
    for minute in range(1, 16):
        platform.clock.advance(60)
        if sweep(platform).enqueued:
            asked.append(minute)
    assert asked == [1, 3, 7, 15]


def test_an_answer_to_nothing_and_a_right_one_does_not_have(platform: FakePlatform, session: Session) -> None:
    with pytest.raises(FileNotHandedOutError):
        answer(platform, session, "a", number=2)
    with pytest.raises(ForbiddenError):
        require_right(Identity(Role.JUDGE))


def test_everything_that_never_changes_is_read_once(platform: FakePlatform, session: Session) -> None:
    reads: list[str] = []
    read = platform.blobs.get

    def get(name: str) -> bytes:
        reads.append(name)
        return read(name)

    platform.blobs.get = get  # type: ignore[method-assign]
    platform.memory = Memory()
    for _ in range(3):
        for number in (1, 2, 3, 4):
            hand_out_file(platform, Request(ME, platform.clock.now(), session.session_id, number))
    assert len(reads) == len(set(reads)) == 5


def test_memory_forgets_the_least_recently_used() -> None:
    memory, made = Memory(capacity=2), []

    def make(name: str) -> str:
        made.append(name)
        return name

    for name in ("a", "b", "a", "c", "a", "b"):
        assert memory.keep(name, lambda name=name: make(name), lambda _: 1) == name
    assert made == ["a", "b", "c", "b"]


def test_memory_goes_by_sizes_and_keeps_at_least_the_latest() -> None:
    memory, made = Memory(capacity=10), []
    for name, size in (("a", 4), ("b", 4), ("c", 4), ("b", 4), ("huge", 99), ("huge", 99), ("b", 4)):
        memory.keep(name, lambda name=name: made.append(name) or name, lambda _, size=size: size)
    assert made == ["a", "b", "c", "huge", "b"]


def test_what_fails_to_be_read_is_not_remembered() -> None:
    memory = Memory()
    with pytest.raises(OSError, match="gone"):
        memory.keep("a", _fail)
    assert memory.keep("a", lambda: 1) == 1


def _fail() -> Millis:
    raise OSError("gone")


def test_without_a_cycle_the_platform_says_what_to_do() -> None:
    with pytest.raises(NoCycleError) as caught:
        reading.cycle_now(FakePlatform())
    assert "contest cycle load" in caught.value.message.en


def test_next_goes_on_after_a_lost_answer_to_next(platform: FakePlatform, session: Session) -> None:
    for number in (1, 2, 3, 4):
        hand_out_file(platform, Request(ME, platform.clock.now(), session.session_id, number))
        answer(platform, session, "abcd", number)
    first = next_file(platform, Request(ME, platform.clock.now(), session.session_id))
    again = next_file(platform, Request(ME, platform.clock.now(), session.session_id))
    assert (first.number, first.session.state) == (None, State.FINISHED)
    assert again.session.closed_at == first.session.closed_at
    assert {job.number for job in platform.store.outbox} == {1, 2, 3, 4}
    assert all(isinstance(job, Job) for job in platform.store.outbox)
