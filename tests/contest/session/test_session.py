"""Sessions: the rules of their ends, files and answers; opening them, joining runs, and what their team sees."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.errors import InvalidRequestError
from contest.people.rules import Identity, Role
from contest.ports import LostRaceError
from contest.run.rules import fate
from contest.run.rules.fate import Circumstances
from contest.run.rules.run import Kind, Run, whole_items
from contest.session.access import Request
from contest.session.opening import open_wished
from contest.session.rules import delivery as delivery_rules
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Bodies, Cause, Decision, Delivery, Heard, Status, TakenTurn, Why
from contest.session.rules.session import (
    IN_FLIGHT,
    Activity,
    ItemFiles,
    OpeningWish,
    Plan,
    PlannedFile,
    Session,
    State,
    TeamRequests,
    item_at,
    items_of,
)
from contest.values import from_iso, iso, seconds_until
from tests.fakes import FakePlatform
from tests.samples import PARAMETERS, SESSION
from tests.stage import Answered, Program, Stage
from tests.toys import FolderInMemory, ToyTrack, toy_cycle
from tracks.protocol import Policies

DEADLINE = 60_000


def handed_out(number: int, *, answered: bool) -> Delivery:
    delivery = Delivery(number, 0, 60_000)
    if not answered:
        return delivery
    return delivery_rules.accept_answer(
        delivery, Heard("answer", "a", 1, False, 1), now=3_000, sends_per_file=10, session_open=True
    ).after


def activity(*answered: bool, seen_at: int = 0) -> Activity:
    return Activity([handed_out(n, answered=each) for n, each in enumerate(answered, start=1)], seen_at)


def test_a_session_ends_settled_or_silent_when_next_says_and_not_while_an_answer_may_come() -> None:
    def ends(*answered: bool, at: int, seen_at: int = 0, unseen: int = 0) -> State | None:
        return session_rules.ends_by_time(SESSION, activity(*answered, seen_at=seen_at), PARAMETERS, at, unseen=unseen)

    assert not session_rules.is_settled(SESSION, activity(True).deliveries, 10**9)
    assert ends(True, True, at=2) is State.FINISHED
    assert [ends(True, at=2, seen_at=2), ends(True, False, at=2, seen_at=2)] == [None, None]
    end = session_rules.closes_at(delivery.answer_by for delivery in activity(True, False).deliveries)
    assert end == DEADLINE + IN_FLIGHT + 1
    in_silence = [ends(True, False, at=at) for at in (end - 1, end, 10**9)]
    assert in_silence == [None, State.FINISHED, State.FINISHED], "it does not time out"
    assert [ends(True, at=at) for at in (899_999, 900_000)] == [None, State.TIMED_OUT]
    assert ends(True, at=1_399_999, seen_at=500_000) is None
    assert [ends(True, at=at, unseen=IN_FLIGHT) for at in (900_000, 900_000 + IN_FLIGHT)] == [None, State.TIMED_OUT]
    impatient = replace(PARAMETERS, idle_timeout_s=5)
    assert session_rules.ends_by_time(SESSION, activity(False), impatient, DEADLINE) is None


def test_closing_raises_the_version_and_keeps_the_moment() -> None:
    closed = session_rules.closed_session(SESSION, State.ABORTED, 7)
    assert (closed.state, closed.closed_at, closed.version, closed.is_open) == (State.ABORTED, 7, 1, False)


@pytest.mark.parametrize(("made", "refused"), [(10, False), (11, True)])
def test_the_eleventh_request_of_a_second_is_one_too_many(made: int, refused: bool) -> None:
    before = TeamRequests(second=5, count=made - 1)
    assert (session_rules.free_second(5_999, before, 10) is None) is refused


@pytest.mark.clause("platform §3 body")
def test_a_body_may_take_a_second_and_the_time_of_its_length_and_no_longer_than_timers_wait() -> None:
    bodies = [(0, False, 1_000), (1, False, 1_001), (65_536, False, 2_000), (2**30, False, 5_000), (0, True, 11_000)]
    for size, starts, allowance in bodies:
        assert session_rules.body_allowance(size, PARAMETERS, starts=starts) == allowance
    assert session_rules.body_allowance(2**30, replace(PARAMETERS, body_s=30), starts=True) == IN_FLIGHT
    assert [session_rules.body_took(times) for times in (None, (5, 1_005), (5, 1_006))] == [None, None, 1_001]


def test_a_window_is_a_second_and_the_quotas_day_the_cycles_own() -> None:
    assert [session_rules.rate_window(now) for now in (999, 1000, 1999, 2000)] == [0, 1, 1, 2]
    # 2026-11-21T21:30:00Z is half past midnight of the 22nd in Moscow (UTC+3 all year)
    late_evening = from_iso("2026-11-21T21:30:00.000Z")
    assert session_rules.quota_day(late_evening, "Europe/Moscow") == "2026-11-22"
    assert session_rules.quota_day(late_evening, "UTC") == "2026-11-21"
    reset = session_rules.quota_resets_at(late_evening, "Europe/Moscow")
    assert iso(reset) == "2026-11-22T21:00:00.000Z"
    # Berlin leaves summer time on 25 October 2026: that day has 25 hours
    noon = from_iso("2026-10-25T10:00:00.000Z")
    assert iso(session_rules.quota_resets_at(noon, "Europe/Berlin")) == "2026-10-25T23:00:00.000Z"


def test_waiting_times_are_whole_seconds_rounded_up_and_days_are_of_the_calendar() -> None:
    assert [seconds_until(moment, 0) for moment in (1, 1000, 1001, 0, -5)] == [1, 1, 2, 1, 1]
    with pytest.raises(ValueError, match="day"):
        from_iso("2026-02-30T00:00:00.000Z")


HANDED_OUT = Delivery(3, 1_000_000, 1_060_000)
ANSWER_BY = 1_060_000


def accept(
    delivery: Delivery, content: str, arrival: int, *, session_open: bool = True, keyed: bool = False
) -> Decision:
    heard = Heard("answer", content, arrival, keyed, arrival)
    return delivery_rules.accept_answer(delivery, heard, now=arrival + 5, sends_per_file=10, session_open=session_open)


def after_sends(count: int) -> Delivery:
    delivery = HANDED_OUT
    for send in range(count):
        delivery = accept(delivery, f"content {send}", 1_000_001 + send).after
    return delivery


def test_the_last_answer_until_the_deadlines_millisecond_counts_and_says_when_it_was_decided_on() -> None:
    delivery = after_sends(3)
    assert delivery.answer is not None
    assert (delivery.answer.send, delivery.answer.content_sha256, delivery.sends) == (3, "content 2", 3)
    decision = accept(HANDED_OUT, "a", ANSWER_BY)
    assert decision.status is Status.ACCEPTED
    assert decision.after.answer is not None
    assert (decision.at, decision.after.answer.decided_at) == (ANSWER_BY + 5, ANSWER_BY + 5)


def test_late_answers_never_count_use_up_sends_and_the_first_is_the_evidence() -> None:
    in_time = after_sends(1)
    decision = accept(in_time, "better", ANSWER_BY + 1)
    assert (decision.status, decision.why, decision.send) == (Status.LATE, Why.DEADLINE_PASSED, 2)
    assert decision.after.answer == in_time.answer
    assert decision.after.late_at == ANSWER_BY + 1
    once = accept(HANDED_OUT, "a", ANSWER_BY + 5).after
    assert accept(once, "b", ANSWER_BY + 9).after.late_at == ANSWER_BY + 5
    delivery = HANDED_OUT
    for send in range(10):
        delivery = accept(delivery, f"late {send}", ANSWER_BY + 1).after
    assert accept(delivery, "one more", ANSWER_BY + 2).status is Status.IGNORED


def test_answers_to_a_closed_session_are_late_and_leave_its_facts_alone() -> None:
    in_time = after_sends(1)
    decision = accept(in_time, "b", ANSWER_BY - 1, session_open=False)
    assert (decision.status, decision.why) == (Status.LATE, Why.SESSION_CLOSED)
    assert (decision.after.answer, decision.after.late_at) == (in_time.answer, None)
    decision = accept(HANDED_OUT, "b", ANSWER_BY + 1, session_open=False)
    assert decision.status is Status.LATE
    assert replace(decision.after, sends=0, latest_sha256=None, version=0) == HANDED_OUT


def test_beyond_ten_sends_answers_are_ignored_and_change_nothing() -> None:
    full = after_sends(10)
    assert [after_sends(count).version for count in (0, 1, 10)] == [0, 1, 10]
    decision = accept(full, "eleventh", 1_000_100)
    assert (decision.status, decision.why, decision.send) == (Status.IGNORED, Why.TOO_MANY_SENDS, 11)
    assert decision.after == full


@pytest.mark.parametrize(
    ("content", "arrival", "keyed", "status", "send"),
    [
        ("content 1", ANSWER_BY + 1, False, Status.REPEAT, 2),  # a retry, even after the deadline
        ("content 0", 1_000_100, False, Status.ACCEPTED, 3),
        ("content 1", 1_000_100, True, Status.ACCEPTED, 3),
    ],
)
def test_the_latest_content_again_is_a_retry(
    content: str, arrival: int, keyed: bool, status: Status, send: int
) -> None:
    decision = accept(after_sends(2), content, arrival, keyed=keyed)
    assert (decision.status, decision.send) == (status, send)


def test_every_void_file_has_a_cause_with_its_evidence() -> None:
    refused = Bodies(refused=1, refused_code="wrong_text")
    late_too = accept(HANDED_OUT, "a", ANSWER_BY + 250).after
    assert delivery_rules.cause_of(None) == (Cause.TEAM_LATE, {"requested": False})
    assert delivery_rules.cause_of(HANDED_OUT) == (Cause.TEAM_LATE, {"answered": False})
    result = delivery_rules.cause_of(HANDED_OUT, bodies=refused)
    assert result == (Cause.TEAM_INVALID, {"refusals": 1, "last": "wrong_text"})
    assert delivery_rules.cause_of(HANDED_OUT, bodies=Bodies(repeated=1)) == (Cause.TEAM_LATE, {"answered": False})
    assert delivery_rules.cause_of(late_too, bodies=refused) == (Cause.TEAM_LATE, {"late_by_ms": 250})
    owed = delivery_rules.cause_of(late_too, [ANSWER_BY, ANSWER_BY - 5, ANSWER_BY + 1])
    assert owed == (Cause.PLATFORM, {"arrived_at": iso(ANSWER_BY - 5)}), "the first that came in time"


def test_the_time_of_a_dialogues_body_is_that_of_its_slowest_turn() -> None:
    times = ((0, 900), (5_000, 5_010))
    turns = tuple(TakenTurn("step", "kind", 1, "a", 9_000, headers_at=sent, body_at=whole) for sent, whole in times)
    assert delivery_rules.times_of_body(replace(HANDED_OUT, turns=turns)) == (0, 900)


@pytest.mark.parametrize(
    ("arrival", "aborted_at", "cause"),
    [
        (ANSWER_BY, None, Cause.PLATFORM),
        (ANSWER_BY + 1, None, Cause.TEAM_LATE),
        (ANSWER_BY, ANSWER_BY + 30_000, Cause.PLATFORM),
        (ANSWER_BY, ANSWER_BY + 29_999, Cause.TEAM_LATE),
    ],
)
def test_an_answer_under_way_at_an_abort_is_not_owed(arrival: int, aborted_at: int | None, cause: Cause) -> None:
    assert delivery_rules.cause_of(HANDED_OUT, [arrival], aborted_at=aborted_at)[0] is cause


def test_counts_add_up_late_is_a_part_of_void_and_no_name_is_told_before_the_hand_out() -> None:
    answered, late = after_sends(1), accept(replace(HANDED_OUT, number=4), "a", ANSWER_BY + 1).after
    answered_and_late = accept(replace(answered, number=5), "b", ANSWER_BY + 1).after
    deliveries = [answered, late, answered_and_late]
    plan = tuple(PlannedFile(f"name-{number}", "item", "rus", "lit") for number in range(1, 6))
    counts = fate.count_states(fate.files_at(plan, deliveries, ANSWER_BY + 2, Circumstances(), session_open=True))
    assert (counts.waiting, counts.open, counts.answered, counts.late, counts.voided) == (2, 0, 2, 1, 1)
    closed = fate.count_states(fate.files_at(plan, deliveries, ANSWER_BY + 2, Circumstances(), session_open=False))
    assert (closed.waiting, closed.voided) == (0, 3)
    plan = tuple(PlannedFile(f"name-{number}", "item", "rus", "lit") for number in (1, 2))
    views = fate.files_at(plan, [replace(HANDED_OUT, number=2)], ANSWER_BY, Circumstances(), session_open=True)
    assert [view.file_id for view in views] == [None, "name-2"]


def plan(*files: tuple[str, str]) -> Plan:
    return tuple(PlannedFile(file_id, file_id, "rus", "copd", step=step) for file_id, step in files)


PAIRS = plan(("a", "v3"), ("a", "v2"), ("b", "v3"), ("b", "v2"))
SINGLE = plan(("a", ""), ("b", ""), ("a", ""))
"""Plan of files without a step: each is an item, whatever its name."""


@pytest.mark.clause("TS T2")
def test_files_of_one_name_and_several_steps_are_an_item() -> None:
    assert [each.numbers for each in items_of(PAIRS)] == [(1, 2), (3, 4)]
    assert [each.number for each in items_of(PAIRS)] == [2, 4]
    assert [each.numbers for each in items_of(SINGLE)] == [(1,), (2,), (3,)]
    assert items_of(()) == ()
    for files in (PAIRS, SINGLE):
        for item in items_of(files):
            assert {item_at(files, number) for number in item.numbers} == {ItemFiles(item.numbers)}


@pytest.mark.clause("TS D-4")
@pytest.mark.parametrize(
    ("numbers", "publications", "whole"),
    [([3], 1, [3]), ([3], 2, [3, 4]), ([4, 1, 2], 2, [1, 2, 3, 4]), ([5], 3, [4, 5, 6]), ([], 2, [])],
)
def test_files_are_annulled_with_all_of_their_item(numbers: list[int], publications: int, whole: list[int]) -> None:
    assert whole_items(numbers, publications) == whole


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
    later = stage.plan(in_s=3600, mode=Mode.TECHNICAL, set_name="train", run_id="a" * 20)
    sooner = stage.plan(in_s=600, mode=Mode.TECHNICAL, set_name="train", run_id="b" * 20)
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


def test_a_modes_sessions_are_listed_behind_others(stage: Stage, red: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contest.session.access._READ_TOGETHER", 1)
    stage.plan()
    final = red.join().json["session_id"]
    for _ in range(2):
        stage.advance(1)
        red.open(files=1)
        red.ask("POST", f"/v1/sessions/{red.session_id}/abort")
    of_one_moment = {red.session_id, red.open(files=1).json["session_id"]}
    commission = stage.person(Role.COMMISSION)
    for path, token in (("/v1/sessions", red.token), ("/v1/teams/red/sessions", commission)):
        listed = stage.request("GET", f"{path}?mode=final&limit=1", None, token).body()["sessions"]
        assert [session["session_id"] for session in listed] == [final]
        for query in ("limit=1", "mode=algorithmic&limit=1"):
            listed = stage.request("GET", f"{path}?{query}", None, token).body()["sessions"]
            assert {session["session_id"] for session in listed} == of_one_moment, "no page parts them"


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
