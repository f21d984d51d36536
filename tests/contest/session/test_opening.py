"""Opening sessions and joining runs, what a team sees of its sessions, and what it leaves unsaid."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.errors import InvalidRequestError
from contest.people.rules import Identity, Role
from contest.ports import LostRaceError
from contest.run.rules.run import Kind, Run
from contest.session.access import Request
from contest.session.opening import open_wished
from contest.session.rules.session import OpeningWish, Session
from contest.values import iso
from tests.fakes import FakePlatform
from tests.stage import Answered, Program, Stage
from tests.toys import FolderInMemory, ToyTrack, toy_cycle
from tracks.protocol import Policies

ME = Identity(Role.PROGRAM, "red", "k")


class PatientToy(ToyTrack):
    """Letters with limits of its own."""

    def __init__(self, *limits: int) -> None:
        self._shortest, self._longest, self._usual = limits

    def policies(self, mode: str) -> Policies:
        return Policies(answer_limit_s=(self._shortest, self._longest, self._usual))


def opened_in(files: dict[str, Any], time_limit_s: int | None = None, track: ToyTrack | None = None) -> Session:
    platform = FakePlatform({"toy": track or ToyTrack()}.__getitem__)
    load_cycle(platform, "tests", "toy-1", FolderInMemory(files), lambda _: None)
    wish = OpeningWish("algorithmic", set_name="train", time_limit_s=time_limit_s)
    return open_wished(platform, Request(ME, platform.clock.now()), wish)


@pytest.mark.parametrize("limits", [(10, 60, 60), (10, 30, 20), (1800, 1800, 1800)])
def test_a_session_opened_without_a_limit_takes_the_tracks_usual_one(limits: tuple[int, int, int]) -> None:
    assert opened_in(toy_cycle(), track=PatientToy(*limits)).order.time_limit_s == limits[2]


def test_the_cycles_usual_limit_comes_before_the_tracks_and_bounds_one_that_is_named() -> None:
    files = toy_cycle(time_limit_s={"min": 7, "max": 3000, "default": 2999})
    assert opened_in(files, track=PatientToy(10, 30, 20)).order.time_limit_s == 2999
    files = toy_cycle(time_limit_s={"min": 10, "max": 30, "default": 20})
    assert [opened_in(files, limit).order.time_limit_s for limit in (None, 10, 30)] == [20, 10, 30]
    for limit in (9, 31, 60):
        with pytest.raises(InvalidRequestError):
            opened_in(files, limit)


def fields_of(refused: Answered) -> list[str]:
    assert refused.refusal == (422, "invalid_request")
    return [each["field"] for each in refused.json["error"]["details"]]


def test_all_that_is_wrong_with_an_order_is_told_at_once_with_what_there_is(red: Program) -> None:
    refused = red.ask("POST", "/v1/sessions", {"set": "reserve", "language": "deu", "time_limit_s": 9})
    assert fields_of(refused) == ["set", "time_limit_s"]
    unknown, short = refused.json["error"]["details"]
    assert unknown["message"] == "the cycle has the sets: test, train"
    assert short["message"] == "allowed: 10–60 s"
    refused = red.ask("POST", "/v1/sessions", {"set": "train", "language": "deu"})
    assert fields_of(refused) == ["language"]
    assert refused.json["error"]["details"][0]["message"] == "the set has: all, eng, rus"


def opened_with(program: Program, key: str) -> Answered:
    return program.ask("POST", "/v1/sessions", {"set": "train"}, key=key)


def test_a_key_finds_what_it_opened_for_its_own_team_even_when_it_is_over(stage: Stage, red: Program) -> None:
    first = opened_with(red, "a").json["session_id"]
    assert opened_with(red, "a").json["session_id"] == first
    assert opened_with(red, "b").code == "session_already_open"
    red.ask("POST", f"/v1/sessions/{first}/abort")
    again = opened_with(red, "a")
    assert (again.status, again.json["session_id"], again.json["state"]) == (201, first, "aborted")
    assert opened_with(red, "b").json["session_id"] != first
    assert opened_with(Program(stage, stage.team("blue")), "a").json["session_id"] != first


@pytest.mark.parametrize(("races", "status"), [(7, 201), (8, 503)])
def test_an_opening_that_loses_seven_races_wins_the_eighth_or_is_asked_to_come_again(
    stage: Stage, red: Program, monkeypatch: pytest.MonkeyPatch, races: int, status: int
) -> None:
    sessions = stage.platform.sessions
    really, lost = sessions.open, [LostRaceError() for _ in range(races)]

    def opened(*order: Any) -> None:
        if lost:
            raise lost.pop()
        really(*order)

    monkeypatch.setattr(sessions, "open", opened)
    answered = red.open()
    assert answered.status == status
    assert status == 201 or (answered.code, answered.headers["retry-after"]) == ("busy", "1")


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.load(toy_cycle(final=3, reserve=2))
    stage.restart()
    return stage


def blue(stage: Stage) -> Program:
    return Program(stage, stage.team("blue"))


def detail(refused: Answered) -> Any:
    return refused.json["error"]["details"][0]


def test_a_stopped_or_a_finished_final_is_not_joined_and_the_next_one_is(stage: Stage, red: Program) -> None:
    run = stage.plan()
    stage.decide(run, Kind.STOP)
    stopped = stage.now + 5_000
    stage.advance(10)
    refused = red.join(run=run.run_id)
    assert refused.refusal == (409, "run_not_joinable")
    assert detail(refused)["join_until"] == iso(stopped)
    assert red.join().code == "no_run"
    first = stage.plan(in_s=600)
    answer = red.join().json["session_id"]
    red.ask("POST", f"/v1/sessions/{answer}/abort", {"confirm": True})
    again = red.join()
    assert (again.status, again.code, detail(again)["session_id"]) == (409, "already_participated", answer)
    assert red.join(run=first.run_id).code == "already_participated"
    second = stage.plan(in_s=7200, set_name="reserve", trial=True)
    assert red.join().json["run_id"] == second.run_id


def test_of_several_runs_the_one_that_starts_first_is_joined(stage: Stage, red: Program) -> None:
    later = stage.plan(in_s=3600, mode=Mode.TECHNICAL, set_name="train")
    sooner = stage.plan(in_s=600, mode=Mode.TECHNICAL, set_name="train")
    assert red.join("technical").json["run_id"] == sooner.run_id
    assert blue(stage).join("technical", run=later.run_id).json["run_id"] == later.run_id


def test_a_session_joins_a_run_by_mode_and_name_and_takes_its_measures_from_it(stage: Stage, red: Program) -> None:
    run: Run = stage.plan(interval_s=90)
    for mode, name in (("technical", run.run_id), ("final", "r" * 20)):
        refused = red.join(mode, run=name)
        assert (refused.status, refused.code, refused.json["error"]["details"]) == (404, "no_run", [])
    body = red.join(client={"name": "pku", "version": "1"}).json
    assert (body["mode"], body["set"], body["language"]) == ("final", "final", "all")
    assert (body["files"], body["available_files"], body["time_limit_s"]) == (3, 3, 50)
    assert (body["interval_s"], body["starts_at"]) == (90.0, iso(run.starts_at))
    assert body["limits"] == {"request_s": 10.0, "answer_s": 50.0, "total_s": 60.0}
    assert body["client"] == {"name": "pku", "version": "1", "sha256": None, "markup_core": None}


RIGHT = {"letters": "abcd"}
MODULES = "1" * 64


def test_a_status_counts_files_by_state(stage: Stage, red: Program) -> None:
    red.open(set="test", files=5, time_limit_s=10)
    for number in (1, 2, 3):
        red.get(f"files/{number}")
    red.answer(1, RIGHT)
    stage.advance(11)
    red.answer(3, RIGHT)
    red.get("files/4")
    body = red.get().json
    assert body["counts"] == {"waiting": 1, "open": 1, "answered": 1, "late": 1, "voided": 2}
    assert [each["state"] for each in body["deliveries"]] == ["answered", "voided", "voided", "open", "waiting"]
    assert [each["sends"] for each in body["deliveries"]] == [1, 0, 1, 0, 0]
    assert [each["cause"] for each in body["deliveries"]] == [None, "team_late", "team_late", None, None]
    assert (body["voided_share"], body["solution_voided"]) == (None, None)


def test_a_status_shows_a_files_times_and_a_silent_sessions_end(stage: Stage, red: Program) -> None:
    red.open(files=2, time_limit_s=30)
    red.get("files/1")
    status = red.get().json
    first, second = status["deliveries"]
    assert (first["handed_out_at"], first["answer_by"]) == (iso(stage.now), iso(stage.now + 30_000))
    assert (second["file_id"], second["handed_out_at"], second["answer_by"]) == (None, None, None)
    assert (status["client"], status["client_known"]) == (None, None)
    stage.advance(900)
    (listed,) = red.ask("GET", "/v1/sessions").json["sessions"]
    assert (listed["state"], listed["counts"]["waiting"], listed["counts"]["voided"]) == ("timed_out", 0, 2)
    refused = red.ask("GET", "/v1/sessions?before=2026-02-30T00:00:00.000Z")
    assert (refused.status, refused.json["error"]["details"][0]["field"]) == (422, "query.before")


def test_a_receipt_says_whose_answer_to_which_file_arrived_when(stage: Stage, red: Program) -> None:
    red.open(files=2)
    file = red.get("files/1").json
    stage.advance(2)
    receipt = red.answer(1, RIGHT).json["receipt"]
    actual = {name: receipt[name] for name in ("team_id", "cycle", "track", "mode", "session_id", "file_id", "number")}
    whose = {"team_id": "red", "cycle": "toy-1", "track": "toy", "mode": "algorithmic"}
    assert actual == {**whose, "session_id": red.session_id, "file_id": file["file_id"], "number": 1}
    assert (receipt["send"], receipt["status"], receipt["reason"]) == (1, "accepted", None)
    assert (receipt["received_at"], receipt["decided_at"], receipt["format"]) == (iso(stage.now), iso(stage.now), 2)
    assert receipt["content_sha256"] == hashlib.sha256(b'{"letters":"abcd"}').hexdigest()
    assert "run_id" not in receipt


@pytest.mark.parametrize(
    ("sha256", "known", "expected"),
    [(MODULES, [MODULES], True), ("2" * 64, [MODULES], False), (None, [MODULES], None), (MODULES, [], None)],
)
def test_whether_a_client_is_a_published_one(
    stage: Stage, red: Program, sha256: str | None, known: list[str], expected: bool | None
) -> None:
    files = toy_cycle()
    files["cycle.json"]["known_clients"] = known
    stage.load(files)
    stage.restart()
    client = {"name": "pku", "version": "1", "sha256": sha256}
    assert red.open(client=client).json["client_known"] is expected
