"""Lost races are decided again; how many modules a request enters, and its calls to the cloud, in a warm process.

Calls are counted through the real handlers on emulated services; each function has its own processes. A process is
warm when it has seen the session before and had the file for another team: it has already read their constant data.
First reads of a fresh process are listed apart. Minutes and seconds pass between the requests, so nothing is warm only
because the clock stands still.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
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
from contest.values import SECOND, iso
from markup_core.lazy import generate_all
from tests.calls import Calls, counted
from tests.crossings import traced
from tests.fakes import FakePlatform
from tests.racing import ME, Race, Request
from tests.run_stage import RunOnStage
from tests.stage import Answered, Program, Stage, staged
from tests.stage_kept import Setting
from tests.toys import toy_cycle
from tools import house


@pytest.mark.slow
def test_no_request_takes_a_longer_way_than_its_figures(tmp_path: Path) -> None:
    """The first team's requests warm the processes; the last of three files is measured of the second team's."""
    ways: dict[str, float] = {}

    def trace(request: str, ask: Callable[..., Any], *order: Any) -> None:
        with traced() as way:
            answered = ask(*order)
        assert not isinstance(answered, Answered) or answered.status == 200, answered.text
        ways[f"{request}_modules"], ways[f"{request}_crossings"] = len(way.modules), way.crossings

    generate_all()  # what a class's first use makes is no request's way
    with staged(tmp_path) as stage:
        run = RunOnStage(stage, 3, "red", "blue")
        red, blue = run.programs["red"], run.programs["blue"]
        for number in (1, 2, 3):
            opening = run.schedule.opens_at(number)
            run.at(opening - 30 * SECOND)
            trace("minute", stage.tick)
            trace("next", blue.get, "next")
            run.at(opening)
            red.get(f"files/{number}")
            stage.advance(3)
            trace("file", blue.get, f"files/{number}")
            stage.advance(7)
            red.answer(number, {"letters": "abcd"})
            trace("answer", blue.answer, number, {"letters": "abcd"})
            stage.advance(3)
            trace("status", blue.get)
    print(ways)
    assert house.faults(ways) == []


def test_a_call_from_one_of_our_modules_into_another_is_a_crossing_whatever_lies_between() -> None:
    inner: dict[str, Any] = {"__name__": "contest.inner"}
    exec("def ask(kept=3): return own() + (lambda: kept)()\ndef own(): return 1", inner)  # noqa: S102
    library: dict[str, Any] = {"__name__": "library", "ask": inner["ask"]}
    exec("def call(): return ask() + ask()", library)  # noqa: S102
    outer: dict[str, Any] = {"__name__": "submit.outer", "call": library["call"]}
    exec("def handle(): return call() + sum(number for number in range(3))", outer)  # noqa: S102
    with traced() as way:
        assert outer["handle"]() + library["call"]() == 19
    assert (way.modules, way.crossings) == ({"submit.outer", "contest.inner"}, 2)


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


STAGE = Setting()

FILES = 3


class Measured:
    """Calls of every kind of request, file by file."""

    def __init__(self) -> None:
        self.found: dict[str, list[Calls]] = {}

    def note(self, what: str, ask: Callable[..., Answered], *args: Any, status: int = 200, **more: Any) -> None:
        with counted() as calls:
            answered = ask(*args, **more)
        assert answered.status == status, answered.text
        self.found.setdefault(what, []).append(calls)

    def at_most(self, what: str) -> int:
        """Return the calls of a warm process: the first request of a kind is left out, see :meth:`cold`."""
        return max(each.count for each in self.found[what][1:])

    def cold(self, what: str) -> int:
        """Return the calls of a process that has not seen the session or the kind of request before."""
        return self.found[what][0].count

    def __str__(self) -> str:
        lines = (
            f"{what:28} {[each.count for each in calls]}  {calls[-1]}" for what, calls in sorted(self.found.items())
        )
        return "\n".join(lines)


def played_run(stage: Stage) -> Measured:
    """Play a run of two teams: the first one's requests warm the process, the second one's are measured."""
    played, measured = RunOnStage(stage, FILES, "red", "blue"), Measured()
    red, blue = played.programs["red"], played.programs["blue"]
    for number in range(1, FILES + 1):
        opening = played.schedule.opens_at(number)
        played.at(opening - 30 * SECOND)
        stage.tick()
        measured.note("next, waiting", blue.get, "next")
        played.at(opening)
        measured.note("file, first of a process", red.get, f"files/{number}")
        stage.advance(3)
        measured.note("file at its opening", blue.get, f"files/{number}")
        measured.note("file once more", blue.get, f"files/{number}")
        stage.advance(7)
        measured.note("answer, first of a process", red.answer, number, {"letters": "abcd"})
        measured.note("answer", blue.answer, number, {"letters": "abcd"}, key=f"k{number}")
        measured.note("answer once more", blue.answer, number, {"letters": "abcd"}, key=f"k{number}")
        stage.advance(3)
        measured.note("status", blue.get)
    return measured


def played_alone(stage: Stage) -> Measured:
    """Play an algorithmic session."""
    measured = Measured()
    stage.load(toy_cycle(train=FILES))
    stage.restart()
    program = Program(stage, stage.team("red"))
    program.open()
    for number in range(1, FILES + 1):
        stage.advance(61)
        measured.note("next", program.get, "next")
        stage.advance(1)
        measured.note("file", program.get, f"files/{number}")
        stage.advance(5)
        what = "answer" if number < FILES else "answer, the last"
        measured.note(what, program.answer, number, {"letters": "abcd"}, key=f"k{number}")
        stage.advance(1)
        measured.note("status", program.get)
    return measured


def test_a_request_in_a_run_asks_the_cloud_no_more_often_than_it_must(stage: Stage) -> None:
    measured = played_run(stage)
    print(measured)
    limits = {
        "next, waiting": 2,
        "file, first of a process": 5,  # the file's text is read once per process
        "file at its opening": 4,
        "file once more": 2,
        "answer, first of a process": 6,  # again the text: what takes answers is not what hands out
        "answer": 5,
        "answer once more": 4,
        "status": 3,
    }
    assert {what: measured.at_most(what) <= limit for what, limit in limits.items()} == dict.fromkeys(limits, True)
    # A fresh process reads the parameters, all that is known of the session, and the file's text, once each.
    assert measured.cold("next, waiting") <= 3
    assert measured.cold("file, first of a process") <= 6


def test_a_request_of_ones_own_session_asks_the_cloud_no_more_often_than_it_must(stage: Stage) -> None:
    measured = played_alone(stage)
    print(measured)
    limits = {"next": 2, "file": 4, "answer": 6, "status": 5}  # with the text, by whom no other session has had it
    assert {what: measured.at_most(what) <= limit for what, limit in limits.items()} == dict.fromkeys(limits, True)
    assert measured.cold("answer, the last") <= limits["answer"] + 2  # all deliveries read, the session ended


def test_joining_a_final_and_listing_sessions_ask_the_cloud_no_more_often_than_they_must(stage: Stage) -> None:
    """Join with warm processes, then with fresh ones, which also record the token's use (once in ten minutes)."""
    run, measured = RunOnStage(stage, FILES, "red"), Measured()
    joined = {"mode": run.run.mode.value, "run": run.run_id}
    for team_id, is_fresh in (("blue", False), ("grey", False), ("pink", True)):
        program = Program(stage, stage.team(team_id))
        for what, request, status in (
            ("join", ("POST", "/v1/sessions", joined), 201),
            ("list", ("GET", "/v1/sessions"), 200),
        ):
            stage.advance(3)
            if is_fresh:
                stage.restart()
            measured.note(f"{what}, fresh" if is_fresh else what, program.ask, *request, status=status)
    print(measured)
    assert measured.at_most("join") <= 6
    assert measured.at_most("list") <= 3
    # A fresh process reads parameters and run, and which of the team's sessions there are before it reads them.
    assert measured.cold("join, fresh") <= 9
    assert measured.cold("list, fresh") <= 8


def test_a_fresh_process_asks_the_cloud_for_a_file_and_its_answer_no_more_often_than_it_must(stage: Stage) -> None:
    """A process started in the middle of a run has had no request of the session before."""
    played, measured = RunOnStage(stage, FILES, "red"), Measured()
    program = played.programs["red"]
    played.at(played.schedule.opens_at(1))
    stage.restart()
    measured.note("file", program.get, "files/1")
    stage.advance(7)
    stage.restart()
    measured.note("answer", program.answer, 1, {"letters": "abcd"}, key="k1")
    print(measured)
    assert measured.cold("file") <= 12
    assert measured.cold("answer") <= 14
