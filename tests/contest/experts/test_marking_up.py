"""An expert at work, over HTTP: the clock, drafts, conflicts between tabs, the limit, handing in."""

from __future__ import annotations

import json
from typing import Any

import pytest

import markup_core
from contest.session.rules.session import IN_FLIGHT
from markup_core.reading.validation import load
from tests.experts_stage import AGREED, Desk, Expert, shipped
from tests.stage import Program, Stage

TEXT = shipped(AGREED)["text"]
HOUR = 3600


def invalid(markup: Any) -> Any:
    """Return the markup with one fragment of a code that history does not have."""
    wrong = {**markup["selections"][0], "id": 99, "type": "Ж.нет"}
    return {**markup, "selections": [*markup["selections"], wrong]}


def fewer(markup: Any, count: int) -> Any:
    return {**markup, "selections": markup["selections"][:count]}


MARKUP = shipped(AGREED, 1)


@pytest.fixture
def anna(desk: Desk) -> Expert:
    return desk.experts["anna"]


@pytest.fixture
def task(anna: Expert) -> str:
    (only,) = anna.own()
    return str(only["assignment_id"])


@pytest.mark.clause("R 7.10", "platform §5 time", "R 2.30")
def test_r_7_10_the_time_of_a_check_runs_from_its_opening(desk: Desk, anna: Expert, task: str) -> None:
    before = anna.work(task).json
    assert (before["assignment"]["state"], before["content"], before["assignment"]["closes_at"]) == (
        "assigned",
        None,
        None,
    )
    assert TEXT not in anna.ask("GET", "/v1/assignments").text
    desk.stage.advance(500)
    opened = anna.open(task).json
    assert opened["content"]["text"] == TEXT
    assert opened["content"]["selections"] == []
    assert (opened["assignment"]["state"], opened["assignment"]["time_left_s"]) == ("opened", HOUR)
    desk.stage.advance(600)
    again = anna.open(task).json["assignment"]
    assert (again["opened_at"], again["time_left_s"]) == (opened["assignment"]["opened_at"], HOUR - 600)


@pytest.mark.clause("R 7.10", "platform §5 time")
def test_r_7_10_the_limit_follows_the_type_of_the_essay(stage: Stage) -> None:
    desk = Desk(stage, (AGREED,), limit_s=1200, limits_s={"hist": 900})
    assert {each["limit_s"] for name in ("anna", "boris") for each in desk.experts[name].own()} == {900}


def test_a_saved_draft_is_answered_with_grade_and_time(desk: Desk, anna: Expert, task: str) -> None:
    anna.open(task)
    desk.stage.advance(10)
    saved = anna.save(task, 0, MARKUP)
    assert (saved.status, saved.headers["etag"]) == (200, '"1"')
    body = saved.json
    assert body["assignment"]["draft"]["revision"] == 1
    assert body["assignment"]["draft"]["saved_at"] == body["assignment"]["server_time"]
    assert body["assignment"]["time_left_s"] == HOUR - 10
    judged = body["judged"]
    assert (judged["valid"], judged["faults"]) == (True, [])
    grade = judged["grade"]
    assert set(grade["criteria"]) == set(grade["explanations"]) == {f"K{number}" for number in range(1, 8)}
    assert all(each["ru"] and each["en"] for each in grade["explanations"].values())
    assert grade["total"] == sum(grade["criteria"].values())
    of_library = markup_core.grade(load(MARKUP))
    assert of_library is not None
    assert grade == json.loads(json.dumps(of_library.to_dict()))


def test_a_draft_with_faults_is_kept_and_not_handed_in(anna: Expert, task: str) -> None:
    saved = anna.draft(task, invalid(MARKUP))
    assert saved.status == 200
    (fault,) = saved.json["judged"]["faults"]
    assert (fault["code"], fault["where"]["fragment"], saved.json["judged"]["grade"]) == ("unknown_code", 99, None)
    assert "Ж.нет" in fault["message"]
    assert 'кода "Ж.нет" у предмета hist нет' in fault["message_ru"]
    refused = anna.hand_in(task, 1)
    assert refused.refusal == (422, "markup_not_valid")
    assert [each["code"] for each in refused.json["error"]["details"]] == ["unknown_code"]
    kept = anna.ask("GET", f"/v1/assignments/{task}/drafts/1").json
    assert kept["content"] == invalid(MARKUP)
    assert kept["draft"]["valid"] is False
    assert anna.work(task).json["draft"] == invalid(MARKUP)


def test_a_repeated_save_is_kept_once_and_every_version_is_kept(desk: Desk, anna: Expert, task: str) -> None:
    first = anna.draft(task, MARKUP)
    repeated = anna.save(task, 0, MARKUP)
    unchanged = anna.save(task, 1, MARKUP)
    assert [item.status for item in (first, repeated, unchanged)] == [200, 200, 200]
    assert first.text == repeated.text == unchanged.text
    assert len(anna.ask("GET", f"/v1/assignments/{task}/drafts").json["drafts"]) == 1
    desk.stage.advance(1)
    for count in range(4):
        assert anna.save(task, 1 + count, fewer(MARKUP, count)).status == 200
        desk.stage.advance(1)
    listed = anna.ask("GET", f"/v1/assignments/{task}/drafts").json["drafts"]
    assert [item["revision"] for item in listed] == [1, 2, 3, 4, 5]
    for item in listed[1:]:
        answer = anna.ask("GET", f"/v1/assignments/{task}/drafts/{item['revision']}").json["content"]
        assert answer == fewer(MARKUP, item["revision"] - 2)
    assert anna.ask("GET", f"/v1/assignments/{task}/drafts/6").refusal == (404, "unknown_draft")


def test_one_draft_a_second_and_none_over_anothers(desk: Desk, anna: Expert, task: str) -> None:
    anna.draft(task, fewer(MARKUP, 1))
    desk.stage.advance(0.999)
    refused = anna.save(task, 1, fewer(MARKUP, 2))
    assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "saved_too_often", "1")
    desk.stage.advance(0.001)
    assert anna.save(task, 1, fewer(MARKUP, 2)).status == 200
    desk.stage.advance(2)
    refused = anna.save(task, 1, fewer(MARKUP, 3))
    assert refused.refusal == (412, "revision_conflict")
    (detail,) = refused.json["error"]["details"]
    assert (detail["based_on"], detail["revision"]) == (1, 2)
    listed = anna.ask("GET", f"/v1/assignments/{task}/drafts").json["drafts"]
    assert detail["saved_at"] == listed[1]["saved_at"]
    assert len(listed) == 2
    assert anna.save(task, 2, fewer(MARKUP, 3)).json["assignment"]["draft"]["revision"] == 3


def test_of_two_tabs_one_is_refused(monkeypatch: pytest.MonkeyPatch, desk: Desk, anna: Expert, task: str) -> None:
    """The second tab saves between the first tab's read and its write."""
    anna.open(task)
    blobs, other = desk.stage.platform.blobs, []
    really = type(blobs).put_if_absent

    def meanwhile(self: Any, name: str, content: bytes) -> None:
        if not other:
            other.append(name)
            other.append(anna.save(task, 0, fewer(MARKUP, 2)))
        really(self, name, content)

    monkeypatch.setattr(type(blobs), "put_if_absent", meanwhile)
    refused = anna.save(task, 0, fewer(MARKUP, 1))
    assert other[1].status == 200
    assert refused.refusal == (412, "revision_conflict")
    assert anna.work(task).json["draft"] == fewer(MARKUP, 2)
    assert len(anna.ask("GET", f"/v1/assignments/{task}/drafts").json["drafts"]) == 1


def test_a_draft_says_what_it_is_based_on(anna: Expert, task: str) -> None:
    anna.open(task)
    assert anna.save(task, None, MARKUP).refusal == (428, "revision_needed")
    wrong = anna.ask("PUT", f"/v1/assignments/{task}/draft", MARKUP, {"If-Match": "W/x"})
    assert wrong.refusal == (422, "invalid_request")


@pytest.mark.parametrize("body", [b"\xff", "{", "[NaN]"], ids=["no-utf8", "cut", "nan"])
def test_what_is_no_json_is_no_draft(anna: Expert, task: str, body: Any) -> None:
    assert anna.draft(task, body).refusal == (400, "malformed_json")
    assert anna.ask("GET", f"/v1/assignments/{task}/drafts").json["drafts"] == []


DOCCANO = b'{"id": 1, "text": "a b", "label": [[0, 1, "x"]]}\n{"id": 2, "text": "b", "label": []}\n'
M2 = b"S a b\nA 0 1|||R:X|||c|||REQUIRED|||-NONE-|||0\n"
LABEL_STUDIO = [{"id": 1, "data": {"text": "a"}, "annotations": []}]


@pytest.mark.parametrize(("body", "tool"), [(DOCCANO, "doccano"), (M2, "M2")], ids=["doccano", "m2"])
def test_another_tools_lines_are_no_draft(anna: Expert, task: str, body: bytes, tool: str) -> None:
    refused = anna.draft(task, body)
    assert refused.refusal == (400, "malformed_json")
    named, _ = refused.json["error"]["details"]
    assert (named["code"], tool in named["message"], tool in named["message_ru"]) == ("another_format", True, True)
    assert anna.work(task).status == 200
    assert anna.ask("GET", f"/v1/assignments/{task}/drafts").json["drafts"] == []


@pytest.mark.parametrize(
    ("body", "status", "codes", "tool", "remedy"),
    [
        (DOCCANO, (400, "malformed_json"), ["another_format", "malformed_json"], "doccano", "convert"),
        (DOCCANO.splitlines()[0], (422, "invalid_answer"), ["another_format"], "doccano", "convert"),
        (LABEL_STUDIO, (422, "invalid_answer"), ["another_format"], "Label Studio", "markup-core convert"),
        (LABEL_STUDIO[0], (422, "invalid_answer"), ["another_format"], "Label Studio", "markup-core convert"),
    ],
    ids=["doccano's lines", "one line of doccano", "Label Studio", "one task of Label Studio"],
)
def test_another_tools_file_as_a_teams_answer_is_named_with_what_to_do(
    desk: Desk, body: Any, status: tuple[int, str], codes: list[str], tool: str, remedy: str
) -> None:
    """The refusal uses up no send, so that the converted markup can still be sent."""
    red = Program(desk.stage, desk.stage.team("red"))
    assert red.open().status == 201
    content = red.get("files/1").json["content"]
    refused = red.answer(1, body)
    assert refused.refusal == status
    details = refused.json["error"]["details"]
    assert [each["code"] for each in details] == codes
    for message in (details[0]["message"], details[0]["message_ru"]):
        assert tool in message
        assert remedy in message
    assert [each["sends"] for each in red.get().json["deliveries"]] == [0]
    assert red.answer(1, content).status == 200


def test_drafts_before_opening_too_large_or_of_another_text(anna: Expert, task: str) -> None:
    for refused in (anna.save(task, 0, MARKUP), anna.hand_in(task, 0)):
        assert refused.refusal == (409, "assignment_not_opened")
    assert anna.draft(task, b" " * (2 * 1024 * 1024 + 1)).refusal == (413, "answer_too_large")
    saved = anna.save(task, 0, {**MARKUP, "text": MARKUP["text"] + "."})
    assert [each["code"] for each in saved.json["judged"]["faults"]] == ["text_differs"]


@pytest.mark.clause("R 7.10", "R 2.29")
def test_r_7_10_a_valid_markup_is_handed_in_once_and_stays(desk: Desk, anna: Expert, task: str) -> None:
    anna.open(task)
    empty = anna.hand_in(task, 0)
    assert (empty.status, empty.json["error"]["details"][0]["code"]) == (422, "no_draft")
    anna.save(task, 0, fewer(MARKUP, 1))
    desk.stage.advance(1)
    anna.save(task, 1, MARKUP)
    assert anna.hand_in(task, 1).refusal == (412, "revision_conflict")
    done = anna.hand_in(task, 2)
    assert (done.status, done.json["assignment"]["state"]) == (200, "handed_in")
    assert done.json["assignment"]["markup"]["revision"] == 2
    assert anna.hand_in(task, 2).json["assignment"] == done.json["assignment"]
    desk.stage.advance(5)
    for refused in (anna.save(task, 2, fewer(MARKUP, 2)), anna.open(task), anna.hand_in(task, 1)):
        assert refused.refusal == (409, "assignment_ended")
        assert refused.json["error"]["details"][0]["state"] == "handed_in"


@pytest.mark.clause("R 7.10", "platform §5 time")
def test_at_the_limit_the_last_valid_draft_is_the_markup(desk: Desk, anna: Expert, task: str) -> None:
    anna.draft(task, fewer(MARKUP, 3))
    desk.stage.advance(60)
    anna.save(task, 1, invalid(MARKUP))
    desk.stage.advance(HOUR - 60)
    assert anna.save(task, 2, invalid(fewer(MARKUP, 4))).status == 200, "at the very limit it is still in time"
    desk.stage.advance(0.001)
    found = anna.work(task).json["assignment"]
    assert (found["state"], found["markup"]["revision"], found["draft"]["revision"]) == ("expired", 1, 3)
    assert found["ended_at"] == found["closes_at"]
    refused = anna.save(task, 3, MARKUP)
    assert refused.refusal == (409, "assignment_ended")
    (detail,) = refused.json["error"]["details"]
    assert (detail["state"], detail["revision"]) == ("expired", 1)
    assert anna.hand_in(task, 3).code == "assignment_ended"
    assert anna.ask("GET", f"/v1/assignments/{task}/drafts/2").json["content"] == invalid(MARKUP)


def test_an_expiry_is_the_same_before_and_after_the_timer_has_written_it(desk: Desk, anna: Expert, task: str) -> None:
    anna.draft(task, MARKUP)
    desk.stage.advance(HOUR + 0.001)
    seen = anna.work(task).json
    assert desk.stage.tick()["expired"] == 0, "what arrived in time may still be on its way"
    desk.stage.advance(IN_FLIGHT / 1000)
    assert desk.stage.tick()["expired"] == 1
    assert desk.stage.tick()["expired"] == 0
    after = anna.work(task).json
    for each in (seen, after):
        del each["assignment"]["server_time"]
    assert after == seen


def test_a_draft_that_arrived_in_time_counts_however_late_it_is_written(desk: Desk, anna: Expert, task: str) -> None:
    """The gateway's time of the request decides; the platform may take its time."""
    from contest.experts import work

    anna.open(task)
    desk.stage.advance(HOUR)
    arrived = desk.stage.now
    desk.stage.advance(20)
    body = json.dumps(MARKUP, ensure_ascii=False).encode()
    work.save_draft(desk.stage.platform, "anna", task, 0, body, arrived)
    found = anna.work(task).json["assignment"]
    assert (found["state"], found["markup"]["revision"]) == ("expired", 1)


def test_what_runs_out_without_a_draft_lacks_an_expert(desk: Desk, anna: Expert, task: str) -> None:
    anna.draft(task, invalid(MARKUP))
    desk.stage.advance(HOUR + 60)
    desk.stage.tick()
    found = anna.work(task).json["assignment"]
    assert (found["state"], found["markup"]) == ("expired", None)
    essay = desk.olga.essay(AGREED)
    assert (essay["lacking"], essay["done"]) == (1, False)
    progress = desk.olga.progress()
    assert {each["expert_id"]: each["without_markup"] for each in progress["experts"]} == {"anna": 1, "boris": 0}


@pytest.mark.clause("platform §1 expert", "R 2.30")
def test_an_expert_sees_only_what_was_assigned_and_hands_it_back(desk: Desk, anna: Expert, task: str) -> None:
    boris = desk.experts["boris"]
    (his,) = boris.own()
    anna.draft(task, MARKUP)
    foreign = [
        ("GET", ""),
        ("POST", "/open"),
        ("GET", "/drafts"),
        ("GET", "/drafts/1"),
        ("POST", "/hand-back"),
    ]
    for method, what in foreign:
        body = {"reason": "x"} if what == "/hand-back" else None
        answers = [boris.ask(method, f"/v1/assignments/{name}{what}", body) for name in (task, "a" * 20)]
        assert {(each.status, each.code) for each in answers} == {(404, "unknown_assignment")}
        assert answers[0].text == answers[1].text
    assert boris.save(task, 1, MARKUP).code == boris.hand_in(task, 1).code == "unknown_assignment"
    assert his["assignment_id"] != task
    stranger = Expert(desk.stage, "stranger")
    assert stranger.own() == []
    assert anna.ask("POST", f"/v1/assignments/{task}/hand-back", {"reason": "  "}).refusal == (422, "invalid_request")
    back = anna.ask("POST", f"/v1/assignments/{task}/hand-back", {"reason": "I teach this pupil"})
    assert (back.status, back.json["state"], back.json["markup"]) == (200, "handed_back", None)
    assert anna.save(task, 1, MARKUP).code == "assignment_ended"
    result = next(
        assignment for assignment in desk.olga.essay(AGREED)["assignments"] if assignment["expert_id"] == "anna"
    )
    assert (result["state"], result["reason"], result["revision"]) == ("handed_back", "I teach this pupil", 1)
    assert anna.ask("GET", f"/v1/assignments/{task}/drafts/1").json["content"] == MARKUP


@pytest.mark.clause("platform §5 assignment")
def test_platform_5_independent_experts_learn_nothing_of_each_other(desk: Desk) -> None:
    (anna, hers), (boris, his) = sorted(desk.given(AGREED), key=lambda each: each[0].name)
    anna.mark_up(hers, MARKUP)
    seen = [boris.ask("GET", "/v1/assignments"), boris.open(his), boris.work(his), boris.save(his, 0, MARKUP)]
    for each in seen:
        assert "anna" not in each.text
        assert hers not in each.text
    assert seen[1].json["earlier"] is None
    assert boris.hand_in(his, 1).json["assignment"]["markup"]["revision"] == 1
