"""R 6.4: algorithmic sessions at any moment, of a chosen set, twenty a day, and how they end (platform §3); R 6.10:
the qualification leaderboard."""

from __future__ import annotations

from typing import Any
from unittest.mock import ANY

import pytest

from contest.session import following
from contest.session.rules.session import State
from contest.values import iso
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle


def _answers(program: Program) -> list[Answered]:
    """Take both files of a session, then answer them."""
    for number in (1, 2):
        program.get(f"files/{number}")
    return [program.answer(number, {"letters": f"{number}"}, key=f"k{number}") for number in (1, 2)]


@pytest.mark.clause("R 6.4", "platform §3 algorithmic", "D 7.6")
def test_r_6_4_a_session_has_the_chosen_set_number_and_language(program: Program) -> None:
    opened = program.open(set="test", files=2, language="rus", time_limit_s=10)
    body = opened.json
    assert opened.status == 201
    assert (body["set"], body["files"], body["requested_files"], body["available_files"]) == ("test", 2, 2, 3)
    assert (body["language"], body["time_limit_s"], body["state"]) == ("rus", 10, "open")


def test_r_6_4_more_files_than_there_are_is_all_there_are(program: Program) -> None:
    body = program.open(set="test", files=1000).json
    assert (body["files"], body["requested_files"], body["available_files"]) == (5, 1000, 5)


@pytest.mark.clause("R 6.4", "platform §3 algorithmic")
@pytest.mark.parametrize(
    ("order", "field"),
    [
        ({"set": "reserve"}, "set"),
        ({"set": "train", "language": "deu"}, "language"),
        ({"set": "train", "time_limit_s": 9}, "time_limit_s"),
        ({"set": "train", "time_limit_s": 61}, "time_limit_s"),
        ({"set": "train", "files": 0}, "body.files"),
        ({"set": "train", "files": 1001}, "body.files"),
        ({"set": "train", "files": "10"}, "body.files"),
        ({"set": "train", "mode": "estimated"}, "body.mode"),
        ({"set": "train", "run": "r" * 20}, "body.run"),
        ({"set": "train", "speed": 1}, "body.speed"),
        ({}, "body.set"),
    ],
)
def test_an_order_out_of_bounds_is_refused(program: Program, order: dict[str, object], field: str) -> None:
    refused = program.ask("POST", "/v1/sessions", order)
    assert refused.refusal == (422, "invalid_request")
    assert [each["field"] for each in refused.json["error"]["details"]] == [field]


@pytest.mark.clause("R 6.4")
def test_r_6_4_files_of_a_session_differ_and_two_sessions_draw_differently(stage: Stage) -> None:
    stage.load(toy_cycle(train=40))
    first, second = (Program(stage, stage.team(name)) for name in ("blue", "grey"))
    questions = []
    for program in (first, second):
        program.open(set="train", files=20)
        questions.append([program.get(f"files/{n}").json["content"]["question"] for n in (1, 2, 3, 4, 5)])
        stage.advance(1)
    assert len(set(questions[0])) == 5
    assert questions[0] != questions[1]


@pytest.mark.clause("R 6.4", "R-App2 §2 algorithmic", "platform §3 next")
def test_r_6_4_files_are_available_at_once_in_any_order_and_next_names_the_first_gap(program: Program) -> None:
    program.open()
    for number in range(1, 5):
        found = program.get("next").json
        assert (found["status"], found["number"], found["opens_at"]) == ("available", number, None)
        assert program.get(f"files/{number}").status == 200
    program.ask("POST", f"/v1/sessions/{program.session_id}/abort")
    program.stage.advance(1)
    program.open()
    for number in (2, 1, 4):
        assert program.get(f"files/{number}").json["number"] == number
    assert program.get("next").json["number"] == 3


@pytest.mark.clause("R 6.4", "D 7.13")
def test_r_6_4_twenty_sessions_a_day_and_the_day_is_the_cycles(stage: Stage, program: Program) -> None:
    for _ in range(20):
        assert program.open(files=1).status == 201
        program.ask("POST", f"/v1/sessions/{program.session_id}/abort")
        stage.advance(1)
    refused = program.open(files=1)
    assert refused.refusal == (429, "quota_exhausted")
    # The stage begins 2026-09-21T14:13:20Z, 17:13:20 in Moscow; after 20 s its midnight, 21:00Z, is 24 380 s away.
    assert refused.headers["retry-after"] == "24380"
    assert refused.json["error"]["details"][0]["resets_at"] == "2026-09-21T21:00:00.000Z"
    stage.advance(24379)
    assert program.open(files=1).status == 429
    stage.advance(1)
    assert program.open(files=1).status == 201


def test_r_6_4_a_quota_is_one_teams(stage: Stage) -> None:
    stage.load(toy_cycle(sessions_per_day=1))
    first, second = (Program(stage, stage.team(name)) for name in ("blue", "grey"))
    assert [first.open().status, second.open().status] == [201, 201]


@pytest.mark.clause("platform §1 one session")
def test_a_second_open_session_is_refused(stage: Stage, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    first = program.open().json["session_id"]
    refused = program.open()
    assert refused.refusal == (409, "session_already_open")
    assert refused.json["error"]["details"][0]["session_id"] == first
    sessions = stage.platform.sessions
    stale, read = [None], sessions.open_of
    monkeypatch.setattr(sessions, "open_of", lambda *key: stale.pop() if stale else read(*key))
    refused = program.open()
    assert stale == []
    assert refused.code == "session_already_open"
    assert refused.json["error"]["details"][0]["session_id"] == first
    assert sessions.opened_on("red", "algorithmic", "2026-09-21") == 1


@pytest.mark.clause("platform §1 one session", "R 4.4", "R 6.3")
def test_platform_1_a_session_whose_time_is_over_is_not_in_the_way(stage: Stage, program: Program) -> None:
    program.open()
    stage.advance(900)
    assert program.open().status == 201


@pytest.mark.clause("platform §1 one session")
def test_platform_3_the_same_key_finds_the_session_it_opened(program: Program) -> None:
    first, again = (program.ask("POST", "/v1/sessions", {"set": "train"}, key="k").json for _ in range(2))
    assert again["session_id"] == first["session_id"]
    listed = program.ask("GET", "/v1/sessions").json["sessions"]
    assert [each["session_id"] for each in listed] == [first["session_id"]]


@pytest.mark.clause("platform §3 end", "R-App2 §2 algorithmic", "D 6.3", "platform §3 retry")
def test_platform_3_the_last_answer_finishes_the_session(stage: Stage, program: Program) -> None:
    program.open(files=2)
    first, last = _answers(program)
    assert (first.json["next"]["status"], first.json["next"]["session_state"]) == ("complete", "open")
    assert last.json["receipt"]["status"] == "accepted"
    assert (last.json["next"]["status"], last.json["next"]["session_state"]) == ("complete", "finished")
    stored = stage.platform.sessions.get(program.session_id)  # not asked for by a request, which might end it
    assert stored is not None
    assert stored.state is State.FINISHED
    again = program.answer(2, {"letters": "2"}, key="k2")
    assert (again.receipted, again.json["next"]) == (last.receipted, {**last.json["next"], "server_time": ANY})
    changed = program.answer(2, {"letters": "other"}).json["receipt"]
    assert (changed["status"], changed["reason"]) == ("late", "session_closed")


@pytest.mark.clause("platform §3 end", "R 11.5")
def test_platform_3_a_session_stays_open_while_a_file_has_no_answer(program: Program) -> None:
    program.open(files=2)
    for number in (1, 2):
        program.get(f"files/{number}")
    assert [program.answer(1, {"letters": said}).json["receipt"]["status"] for said in ("a", "ab")] == ["accepted"] * 2
    assert program.get().json["state"] == "open"
    assert program.answer(1, {"letters": "1"}).status == 200
    assert program.answer(1, {"letters": "1"}).json["next"]["session_state"] == "open"
    assert program.answer(2, {"numbers": 2}).status == 422
    assert program.get().json["state"] == "open"


@pytest.mark.clause("platform §3 end")
def test_platform_3_a_missed_file_is_waited_for_until_the_timer(stage: Stage, program: Program) -> None:
    program.open(files=2, time_limit_s=10)
    for number in (1, 2):
        program.get(f"files/{number}")
    told = program.answer(2, {"letters": "2"}).json["next"]
    # file 1 was due ten seconds after its hand-out; no answer can be under way from 30 s and a millisecond later
    assert (told["session_state"], told["closes_at"]) == ("open", iso(stage.now + 40_001))
    stage.advance(40)
    assert stage.tick()["closed"] == 0
    stage.set_clock(stage.now + 40_001)
    assert stage.tick()["closed"] == 1
    assert program.get().json["state"] == "finished"


@pytest.mark.clause("platform §3 end")
def test_the_timer_ends_lost_sessions(stage: Stage, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    program.open(files=2)
    with monkeypatch.context() as lost:
        lost.setattr(following, "by_time", lambda platform, session, *_, **__: session)
        _answers(program)
    assert stage.platform.sessions.get(program.session_id).state is State.OPEN  # type: ignore[union-attr]
    assert stage.tick()["closed"] == 1
    assert program.get().json["state"] == "finished"


@pytest.mark.clause("platform §3 end", "platform §3 next", "platform §3 final states")
def test_platform_3_a_finished_session_has_no_next_file_and_cannot_be_aborted(program: Program) -> None:
    program.open()
    program.play()
    status = program.get().json
    assert status["state"] == "finished"
    assert status["counts"] == {"waiting": 0, "open": 0, "answered": 4, "late": 0, "voided": 0}
    again = program.get("next").json
    assert (again["status"], again["session_state"]) == ("complete", "finished")
    assert program.ask("POST", f"/v1/sessions/{program.session_id}/abort").code == "session_closed"
    assert program.get().json["state"] == "finished"


@pytest.mark.clause("platform §3 end")
def test_platform_3_with_a_missed_file_the_session_ends_when_next_says(stage: Stage, program: Program) -> None:
    program.open(time_limit_s=10)
    program.play(skip=[4])
    announced = program.get("next").json
    assert announced["session_state"] == "open"
    # file 4 was handed out at 14:13:23 and due by :33; no answer can be under way from 30 s and a millisecond later
    assert announced["closes_at"] == "2026-09-21T14:14:03.001Z"
    stage.set_clock(stage.now + 39_001)
    assert program.get("next").json["session_state"] == "finished"


@pytest.mark.clause("platform §3 silence", "platform §3 end")
def test_platform_3_a_silent_session_times_out(stage: Stage, program: Program) -> None:
    program.open()
    stage.advance(899)
    assert program.get().json["state"] == "open"
    stage.advance(900)
    status = program.get().json
    assert (status["state"], status["counts"]["voided"]) == ("timed_out", 4)
    assert program.get("next").code == "session_closed"
    assert program.get("files/1").code == "session_closed"
    program.open()
    stage.advance(900)
    assert stage.tick()["closed"] == 0
    stage.advance(30)
    assert stage.tick()["closed"] == 1
    assert stage.tick()["closed"] == 0
    assert program.get().json["state"] == "timed_out"


@pytest.mark.clause("platform §3 abort")
def test_platform_3_an_aborted_session_is_closed_and_its_quota_used(stage: Stage, program: Program) -> None:
    stage.load(toy_cycle(sessions_per_day=1))
    program.open()
    program.get("files/1")
    aborted = program.ask("POST", f"/v1/sessions/{program.session_id}/abort", {"confirm": True})
    assert aborted.json["state"] == "aborted"
    assert aborted.json["counts"] == {"waiting": 0, "open": 0, "answered": 0, "late": 0, "voided": 4}
    again = program.ask("POST", f"/v1/sessions/{program.session_id}/abort")
    assert again.json["closed_at"] == aborted.json["closed_at"]
    assert program.get("next").code == "session_closed"
    assert program.open().code == "quota_exhausted"


@pytest.mark.clause("platform §3 list")
def test_platform_3_own_sessions_are_listed_newest_first_in_pages(stage: Stage, program: Program) -> None:
    opened = []
    for _ in range(3):
        opened.append(program.open().json["session_id"])
        program.ask("POST", f"/v1/sessions/{program.session_id}/abort")
        stage.advance(1)
    page = program.ask("GET", "/v1/sessions?limit=2&mode=algorithmic").json["sessions"]
    assert [each["session_id"] for each in page] == opened[:0:-1]
    rest = program.ask("GET", f"/v1/sessions?before={page[-1]['opened_at']}").json["sessions"]
    assert [each["session_id"] for each in rest] == opened[:1]
    assert program.ask("GET", "/v1/sessions?mode=final").json["sessions"] == []
    assert rest[0]["counts"]["voided"] == 4


@pytest.mark.clause("R 4.7", "D 14.2")
def test_r_4_7_an_updated_set_leaves_open_sessions_as_they_are(stage: Stage, program: Program) -> None:
    program.open(set="train")
    before = program.get("files/1").json["content"]
    stage.load(toy_cycle(train=1))
    stage.restart()
    assert program.get("files/1").json["content"] == before
    assert program.get().json["files"] == 4
    assert Program(stage, stage.team("blue")).open(set="train").json["files"] == 1


@pytest.mark.clause("R 5.8", "platform §2 parameters")
def test_r_5_8_a_session_keeps_the_parameters_it_was_opened_with(stage: Stage, program: Program) -> None:
    program.open()
    loaded = stage.load(toy_cycle(bonus=7))
    assert [each.code for each in loaded.warnings] == ["small_test_set", "small_technical_run", "short_notice"]
    stage.restart()
    program.play()
    stage.score_all()
    report = program.get("report").json
    assert (report["parameters"]["version"], report["result"]["relative_accuracy"]) == (1, 100.0)
    assert stage.request("GET", "/v1/cycle").json["parameters"]["version"] == 2
    assert stage.load(toy_cycle(bonus=7)).parameters.version == 2


@pytest.mark.clause("R 4.3", "D 6.14", "platform §2 client", "R 11.4", "D 6.15", "D 12.7")
def test_r_4_3_the_clients_modules_are_recorded(stage: Stage, program: Program) -> None:
    files = toy_cycle()
    files["cycle.json"]["known_clients"] = ["a" * 64]
    stage.load(files)
    stage.restart()
    client = {"name": "pku", "version": "0.1.0", "sha256": "a" * 64, "markup_core": "0.1.0"}
    opened = program.open(client=client).json
    assert (opened["client"], opened["client_known"]) == (client, True)
    program.play()
    stage.score_all()
    assert program.get("report").json["session"]["client"] == client
    changed = {"name": "pku", "version": "0.1.0", "sha256": "b" * 64}
    assert program.open(client=changed).json["client_known"] is False


@pytest.mark.clause("R 4.3", "D 6.14", "D 6.15", "D 12.7")
@pytest.mark.parametrize("published", [True, False])
@pytest.mark.parametrize(
    ("sha256", "known"), [("a" * 64, True), ("b" * 64, False), (None, False)], ids=["known", "changed", "unsaid"]
)
def test_d_6_14_a_cycle_may_demand_the_published_modules_of_sessions_that_count(
    stage: Stage, program: Program, published: bool, sha256: str | None, known: bool
) -> None:
    files = toy_cycle(final=1, modules_demanded=True)
    files["cycle.json"]["known_clients"] = ["a" * 64] if published else []
    stage.load(files)
    stage.restart()
    assert stage.request("GET", "/v1/cycle").json["parameters"]["modules_demanded"] is True
    client = {} if sha256 is None else {"client": {"name": "pku", "version": "0.1.0", "sha256": sha256}}
    assert program.open(set="train", **client).status == 201, "whoever trains is seen, and not kept out"
    assert program.ask("POST", f"/v1/sessions/{program.session_id}/abort").status == 200
    opened = program.open(set="test", **client)
    stage.set_clock(stage.plan(in_s=600).starts_at)
    joined = program.join(**client)
    if known or not published:
        assert (opened.status, joined.status) == (201, 201)
        return
    for refused in (opened, joined):
        assert refused.refusal == (409, "unknown_modules")
        assert "GET /v1/kit" in refused.json["error"]["message"]


def board(stage: Stage, language: str = "all") -> list[Any]:
    """Return the board's rows for a reader without a cached copy of the last ten seconds."""
    stage.advance(10)
    rows: list[Any] = stage.request("GET", f"/v1/leaderboards/qualification?language={language}").json["rows"]
    return rows


def played(stage: Stage, team: str, letters: str, **order: Any) -> Program:
    program = Program(stage, stage.team(team))
    program.open(**{"set": "test", **order})
    program.play(letters)
    stage.score_all()
    stage.tick()
    return program


@pytest.mark.clause("R 6.10", "R 2.13", "platform §4 boards", "R 5.2", "R 5.7", "R 4.8")
def test_r_6_10_teams_stand_by_relative_accuracy_and_ties_share_a_place(stage: Stage) -> None:
    for team, letters in (("red", "abcd"), ("blue", "abxx"), ("grey", "abcd"), ("green", "axxx")):
        played(stage, team, letters)
    assert [(row["place"], row["team_id"], row["barrier"]) for row in board(stage)] == [
        (1, "grey", True),
        (1, "red", True),
        (3, "blue", False),
        (4, "green", False),
    ]


def test_r_6_10_the_best_session_counts_and_a_worse_one_later_changes_nothing(stage: Stage) -> None:
    program = played(stage, "red", "abcd")
    best = program.session_id
    program.open(set="test")
    program.play("xxxx")
    stage.score_all()
    stage.tick()
    assert [(row["session_id"], row["result"]["relative_accuracy"]) for row in board(stage)] == [(best, 100.0)]


@pytest.mark.clause("TS T9", "platform §4 abstention")
def test_r_6_10_only_sessions_with_95_percent_of_the_test_set_count(stage: Stage) -> None:
    stage.load(toy_cycle(test=20))
    stage.restart()
    program = Program(stage, stage.team("red"))
    program.open(set="test", time_limit_s=10)
    program.play(skip=[7, 8])
    stage.advance(60)
    program.get("next")
    stage.score_all()
    stage.tick()
    # 18 of 20 are 90 %; of the ten files in each language one or two are missed: 90 % at best
    assert board(stage) == []
    program.open(set="test", time_limit_s=10)
    program.play(skip=[7])
    stage.advance(60)
    program.get("next")
    stage.score_all()
    stage.tick()
    (row,) = board(stage)
    assert (row["answered"], row["files"], row["result"]["relative_accuracy"]) == (19, 20, 100.0)
    # 19 of 20 files at 100, one counted as zero: 95, which is five points less and not more than five
    assert row["audit"] == {"relative_accuracy": 95.0, "difference": 5.0, "flagged": False}


@pytest.mark.clause("R 6.10", "platform §4 boards", "TS T9")
def test_r_6_10_a_session_stands_on_its_languages_board_alone_and_a_training_one_on_none(stage: Stage) -> None:
    played(stage, "red", "abcd", language="rus")
    assert board(stage) == []
    assert [(row["team_id"], row["files"]) for row in board(stage, "rus")] == [("red", 3)]
    assert board(stage, "eng") == []
    played(stage, "blue", "abcd", set="train")
    assert board(stage) == []
    assert stage.request("GET", "/v1/leaderboards/qualification?language=deu").refusal == (422, "invalid_request")


@pytest.mark.clause("R 6.10", "platform §4 boards")
def test_r_6_10_the_board_is_up_to_date_within_a_minute_of_the_last_score(stage: Stage, program: Program) -> None:
    program.open(set="test")
    program.play()
    assert board(stage) == []
    stage.score_all()
    stage.advance(49)
    stage.tick()
    assert [row["team_id"] for row in board(stage)] == ["red"]
