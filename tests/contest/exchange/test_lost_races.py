"""Lost races are read again and decided again; what never wins says so; one failure keeps nobody else waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contest import reading
from contest.channel.tasks import require_right
from contest.errors import (
    BusyError,
    FileNotHandedOutError,
    ForbiddenError,
    InvalidAnswerError,
    KeyReusedError,
    NoCycleError,
    SessionClosedError,
)
from contest.exchange.files import next_file
from contest.operations.minute_timer import sweep
from contest.people.rules import Identity, Role
from contest.platform import ATTEMPTS, PATIENT_ATTEMPTS, Memory
from contest.ports import LostRaceError
from contest.results.scoring import score_answer
from contest.session.opening import open_wished
from contest.session.rules.session import OpeningWish, Session, State
from contest.values import iso
from tests.fakes import FakePlatform
from tests.racing import ME, Race, Request
from tests.toys import toy_cycle


@pytest.fixture
def race(monkeypatch: pytest.MonkeyPatch) -> Race:
    """Return a race about a session of four files with the first one handed out."""
    race = Race(monkeypatch, toy_cycle())
    wish = OpeningWish("algorithmic", set_name="train")
    race.session = open_wished(race.platform, Request(ME, race.clock.now()), wish)
    race.ask(1)
    return race


def losing(race: Race, port: str, name: str, times: int) -> list[Any]:
    """Let a port's write lose its first races; return the list of its tries, which grows."""
    place, tries = getattr(race.platform, port), list[Any]()
    write = getattr(place, name)

    def lose(*args: Any) -> None:
        tries.append(args)
        if len(tries) <= times:
            raise LostRaceError
        write(*args)

    race.patch.setattr(place, name, lose)
    return tries


def test_an_answer_that_lost_against_another_is_decided_again(race: Race) -> None:
    race.just_before("deliveries", "send", lambda: race.answer("first"))
    assert race.answer("second")["send"] == 2


@pytest.mark.parametrize("key", [None, "k"])
def test_the_same_answer_or_key_twice_at_once_has_one_receipt(race: Race, key: str | None) -> None:
    others: list[Any] = []
    race.just_before("deliveries", "send", lambda: others.append(race.answer(key=key)))
    assert [race.answer(key=key)] == others
    assert (others[0]["send"], len(race.platform.store.receipts)) == (1, 1)


@pytest.mark.parametrize("key", [None, "k"])
def test_every_repetition_of_an_answer_is_counted_while_the_session_is_open(race: Race, key: str | None) -> None:
    first, place = race.answer(key=key), (race.session.session_id, 1)
    for count in (1, 2):
        assert race.answer(key=key) == first
        assert race.platform.store.bodies[place].repeated == count
    race.end()
    assert race.answer(key=key) == first
    assert race.platform.store.bodies[place].repeated == 2


def test_a_key_that_another_answer_uses_in_the_same_instant_is_refused_without_a_trace(race: Race) -> None:
    race.just_before("deliveries", "send", lambda: race.answer("x", key="k"))
    with pytest.raises(KeyReusedError):
        race.answer("y", key="k")
    assert race.platform.store.arrived == {}
    assert len(race.platform.store.receipts) == 1


def test_an_answer_that_meets_the_sessions_end_is_late(race: Race) -> None:
    race.just_before("deliveries", "send", race.end)
    receipt = race.answer()
    assert (receipt["status"], receipt["reason"]) == ("late", "session_closed")
    assert race.platform.store.outbox == {}


def test_two_requests_for_one_file_get_the_same_times(race: Race) -> None:
    first: list[Any] = []

    def other() -> None:
        first.append(race.ask(2).delivery)
        race.clock.advance(3)

    race.just_before("deliveries", "hand_out", other)
    assert race.ask(2).delivery == first[0]


def test_a_file_is_not_handed_out_by_a_session_that_ends_meanwhile(race: Race) -> None:
    race.just_before("deliveries", "hand_out", race.end)
    with pytest.raises(SessionClosedError):
        race.ask(2)
    assert race.platform.deliveries.get(race.session.session_id, 2) is None


def test_the_time_for_an_answer_starts_when_the_platform_has_done_its_work(race: Race) -> None:
    arrival, read = race.clock.now(), race.platform.blobs.get

    def slow(name: str) -> bytes:
        race.clock.advance(5)
        return read(name)

    race.patch.setattr(race.platform.blobs, "get", slow)
    race.platform.memory = Memory()
    delivery = race.ask(3, at=arrival).delivery
    assert delivery.handed_out_at > arrival
    assert delivery.answer_by == race.clock.now() + 60_000


@pytest.mark.parametrize(
    ("port", "name", "act", "attempts"),
    [
        # Whoever asks for a file has no time to lose by coming back.
        ("deliveries", "hand_out", lambda race: race.ask(2), PATIENT_ATTEMPTS),
        ("sessions", "close", Race.end, ATTEMPTS),
    ],
)
def test_whoever_loses_every_race_is_told_to_come_back(
    race: Race, port: str, name: str, act: Callable[[Race], object], attempts: int
) -> None:
    tries = losing(race, port, name, 1_000)
    with pytest.raises(BusyError) as caught:
        act(race)
    assert caught.value.retry_after_s == 1
    assert len(tries) == attempts


def test_refusals_cost_no_answer_a_race(race: Race) -> None:
    def garbage() -> None:
        for _ in range(200):
            with pytest.raises(InvalidAnswerError):
                race.answer_nonsense()

    tries = losing(race, "deliveries", "send", 0)
    race.just_before("deliveries", "send", garbage)
    assert race.answer()["status"] == "accepted"
    assert len(tries) == 1
    noted = race.platform.session_reads.facts(race.session.session_id)
    assert (noted.bodies[1].refused, noted.arrived) == (200, {})


def test_a_first_answer_is_not_sent_away_for_others_that_were_faster(race: Race) -> None:
    losing(race, "deliveries", "send", 3 * ATTEMPTS)
    assert race.answer()["status"] == "accepted"


def test_an_answer_beside_an_accepted_one_may_be_sent_away_and_keeps_its_arrival(race: Race) -> None:
    race.answer("first")
    arrival, tries = race.clock.now(), losing(race, "deliveries", "send", ATTEMPTS)
    with pytest.raises(BusyError):
        race.answer("second")
    assert len(tries) == ATTEMPTS
    race.clock.advance(75)
    receipt = race.answer("second")
    assert (receipt["status"], receipt["received_at"]) == ("accepted", iso(arrival))


def test_an_ended_session_ends_the_same_for_everybody(race: Race) -> None:
    first = race.end()
    race.clock.advance(10)
    assert race.end(State.FINISHED).closed_at == first.closed_at


def test_two_workers_on_one_answer_write_one_record(race: Race) -> None:
    race.answer()
    (job,) = race.platform.store.outbox
    race.just_before("scores", "put", lambda: score_answer(race.platform, job))
    score_answer(race.platform, job)
    assert len(race.platform.scores.records[race.session.session_id]) == 1
    assert race.platform.store.outbox == {}


def test_one_sessions_failure_keeps_no_other_waiting(race: Race) -> None:
    race.answer()
    sessions = race.platform.sessions
    read = sessions.get

    def get(session_id: str) -> Session | None:
        if session_id == "broken":
            raise OSError("this one cannot be read")
        return read(session_id)

    race.patch.setattr(sessions, "get", get)
    race.patch.setattr(sessions, "open_ids", lambda: ["broken", race.session.session_id])
    race.clock.advance(120)
    swept = sweep(race.platform)
    assert {name for name, _ in swept.failures} == {"broken"}
    assert swept.enqueued == 1
    assert race.platform.queue.jobs == list(race.platform.store.outbox)


def test_a_job_that_always_fails_is_asked_for_ever_more_rarely(race: Race) -> None:
    race.answer()
    asked = []
    for minute in range(1, 16):
        race.clock.advance(60)
        if sweep(race.platform).enqueued:
            asked.append(minute)
    assert asked == [1, 3, 7, 15]


def test_an_answer_to_nothing_and_a_right_one_does_not_have(race: Race) -> None:
    with pytest.raises(FileNotHandedOutError):
        race.answer("a", number=2)
    with pytest.raises(ForbiddenError):
        require_right(Identity(Role.JUDGE))


def test_everything_that_never_changes_is_read_once(race: Race) -> None:
    reads: list[str] = []
    read = race.platform.blobs.get

    def get(name: str) -> bytes:
        reads.append(name)
        return read(name)

    race.patch.setattr(race.platform.blobs, "get", get)
    race.platform.memory = Memory()
    for number in (1, 2, 3, 4) * 3:
        race.ask(number)
    assert len(reads) == len(set(reads)) == 5


def test_without_a_cycle_the_platform_says_what_to_do() -> None:
    with pytest.raises(NoCycleError) as caught:
        reading.cycle_now(FakePlatform())
    assert "contest cycle load" in caught.value.message.en


def test_next_goes_on_after_a_lost_answer_to_next(race: Race) -> None:
    for number in (1, 2, 3, 4):
        race.ask(number)
        race.answer(number=number)
    first, again = (next_file(race.platform, race.request()) for _ in range(2))
    assert (first.number, first.session.state) == (None, State.FINISHED)
    assert again.session.closed_at == first.session.closed_at
    assert {job.number for job in race.platform.store.outbox} == {1, 2, 3, 4}
