"""An expert at work, over HTTP: clock, drafts, conflicts between tabs, handing in; suggestions and their record."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import markup_core
from contest.cycle.rules.cycle import SetKind
from contest.edge.pages import tables
from contest.experts import commands, judged_essays, work
from contest.experts.progress import marking_report
from contest.experts.rules.assignment import (
    Assignment,
    AssignmentState,
    Marking,
    Suggested,
    refuse_on_barrier,
    with_suggestions,
)
from contest.refusals import RefusedError
from contest.routes import Route
from contest.session.rules.session import IN_FLIGHT
from markup_core.reading.validation import load
from tests.experts_final import Played
from tests.experts_stage import AGREED, DIFFERENT, Desk, Expert, shipped
from tests.stage import Answered, Program, Stage
from tracks import registry

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


PLACES = {(mark["startSelection"], mark["endSelection"], mark["type"]) for mark in MARKUP["selections"]}
CODE = MARKUP["selections"][0]["type"]


def marking_of(desk: Desk) -> str:
    return str(desk.olga.ask("GET", "/v1/markings").json["markings"][0]["marking_id"])


def suggest(desk: Desk, **source: Any) -> Answered:
    return desk.olga.ask("PUT", f"/v1/markings/{marking_of(desk)}/suggestions", source)


def places(markup: Any) -> set[tuple[int, int, str]]:
    return {(mark["startSelection"], mark["endSelection"], mark["type"]) for mark in markup["selections"]}


def recorded(desk: Desk, expert: str, item: str = AGREED) -> Any:
    return next(
        assignment["suggested"]
        for assignment in desk.olga.essay(item)["assignments"]
        if assignment["expert_id"] == expert
    )


@pytest.mark.clause("R 7.10")
def test_r_7_10_no_expert_gets_suggestions_where_a_barrier_rests_on_the_annotations(stage: Stage) -> None:
    place = ("cycle", "essay", "some", None, 1, 0, 1)
    refuse_on_barrier(Marking("m", *place), SetKind.TRAINING)
    of_run = Marking("m", "cycle", "essay", "some", "run", 1, 0, 1)
    of_calibration = Marking("m", *place, manifest="0" * 64)
    of_hidden_sets = [(Marking("m", *place), kind) for kind in (SetKind.TEST, SetKind.FINAL, SetKind.RESERVE, None)]
    for marking, kind in [(of_run, SetKind.TRAINING), (of_calibration, SetKind.TRAINING), *of_hidden_sets]:
        with pytest.raises(RefusedError, match="barrier_rests_on_it: "):
            refuse_on_barrier(marking, kind)
    played = Played(stage)
    answered = played.olga.ask(
        "PUT", f"/v1/markings/{played.run.run_id}/suggestions", {"markups": {AGREED: MARKUP}, "assignments": None}
    )
    assert answered.refusal == (409, "barrier_rests_on_it")


def test_the_check_of_a_final_counts_the_experts_of_its_essays(stage: Stage) -> None:
    played = Played(stage)
    checks = played.olga.ask("GET", f"/v1/check?run={played.run.run_id}").json["checks"]
    assert [check["where"]["apart"] for check in checks if check["name"] == "experts"] == [3]


def test_suggestions_are_switched_before_an_independent_annotation_is_opened_and_never_afterwards() -> None:
    suggested = Suggested("dictionary", "0" * 64, 3)
    place = ("a", "m", "i", "anna", "rus", "hist")
    fresh = Assignment(*place, is_third=False, limit=1, assigned_at=0, version=1)
    on = with_suggestions(fresh, suggested)
    assert (on.suggested, on.version) == (suggested, 2)
    assert with_suggestions(on, suggested) is on, "the same again changes nothing"
    assert with_suggestions(on, None).suggested is None
    late = [
        Assignment(*place, is_third=False, limit=1, assigned_at=0, state=state)
        for state in AssignmentState
        if state is not AssignmentState.ASSIGNED
    ]
    others = [
        Assignment(*place, is_third=True, limit=1, assigned_at=0),
        Assignment(*place, is_third=False, limit=1, assigned_at=0, is_calibration=True),
        Assignment(*place, is_third=False, limit=1, assigned_at=0, is_rating=True),
    ]
    for assignment in (*late, *others):
        with pytest.raises(RefusedError):
            with_suggestions(assignment, suggested)


def test_an_expert_sees_suggestions_from_the_opening_on_and_what_was_kept_is_recorded(desk: Desk) -> None:
    (anna, hers), (boris, his) = desk.given(AGREED)
    assert recorded(desk, anna.name) is None, "off by default"
    reply = suggest(desk, markups={AGREED: MARKUP}, assignments=[hers])
    assert (reply.status, reply.json) == (200, {"assignments": 1, "fragments": len(MARKUP["selections"])})
    assert anna.work(hers).json["suggested"] is None, "not before the opening"
    opened = anna.open(hers).json
    assert places(opened["suggested"]) == PLACES
    assert opened["content"]["selections"] == [], "nothing is annotated by it"
    assert opened["suggested"]["meta"].get("expert", "") == "", "without its author"
    assert boris.open(his).json["suggested"] is None
    own = {**MARKUP, "selections": MARKUP["selections"][1:]}
    anna.save(hers, 0, own)
    assert anna.hand_in(hers, 1).status == 200
    boris.mark_up(his, shipped(AGREED, 2))
    fragments = len(MARKUP["selections"])
    assert recorded(desk, anna.name) == {"source": "markups", "fragments": fragments, "kept": fragments - 1}
    assert recorded(desk, boris.name) is None
    ((_, *files),) = list(judged_essays.handed_in(desk.stage.platform, marking_of(desk)))
    metas = [json.loads(content)["meta"] for _, content in files]
    assert metas[0]["suggestions"] == {"source": "markups", "fragments": fragments, "kept": fragments - 1}
    assert "suggestions" not in metas[1]
    (logged,) = [entry for entry in desk.stage.platform.audit_log.on("2026-09-21") if "suggestions" in entry.what]
    assert (logged.who, logged.after) == ("person:olga", {"source": "markups", "assignments": [hers]})
    assert suggest(desk, markups={AGREED: MARKUP}).refusal == (409, "suggestions_too_late")


def test_a_dictionary_suggests_its_phrases_as_whole_words_and_is_switched_off_again(desk: Desk) -> None:
    word = next(part for part in shipped(AGREED)["text"].split() if part.isalpha() and len(part) > 5)
    reply = suggest(desk, phrases={word.upper(): CODE, word[:4]: CODE, "эссе": "Ж.нет"})
    assert (reply.status, reply.json["assignments"]) == (200, 2)
    assert reply.json["fragments"] % 2 == 0
    (anna, hers), (boris, his) = desk.given(AGREED)
    assert suggest(desk, assignments=[his, his]).json == {"assignments": 1, "fragments": 0}
    suggested = anna.open(hers).json["suggested"]
    assert {suggested["text"][start:end].lower() for start, end, _ in places(suggested)} == {word.lower()}
    assert boris.open(his).json["suggested"] is None
    assert recorded(desk, anna.name)["source"] == "dictionary"


def test_a_closed_session_on_the_set_suggests_its_answers(desk: Desk) -> None:
    program = Program(desk.stage, desk.stage.team("red"))
    assert program.open(files=1).status == 201
    assert suggest(desk, session=program.session_id).refusal == (409, "session_not_over")
    content = program.get("files/1").json["content"]
    assert program.answer(1, {**content, "selections": MARKUP["selections"]}).status == 200
    assert suggest(desk, session=program.session_id).status == 200
    (anna, hers), _ = desk.given(AGREED)
    assert places(anna.open(hers).json["suggested"]) == PLACES
    assert recorded(desk, anna.name)["source"] == f"session {program.session_id}"
    assert suggest(desk, session="100000000000000").code == "no_session_on_the_set"


def test_wrong_sources_change_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {**MARKUP, "selections": [{**MARKUP["selections"][0], "type": "Ж.нет"}]}
    refused = suggest(desk, markups={AGREED: wrong})
    assert refused.refusal == (422, "invalid_request")
    (detail,) = refused.json["error"]["details"]
    assert (detail["item_id"], detail["code"]) == (AGREED, "unknown_code")
    nothing = {"assignments": 0, "fragments": 0}
    assert suggest(desk, phrases={"эссе": "Ж.нет"}).json == nothing
    assert suggest(desk, markups={"another": MARKUP}).json == nothing
    assert suggest(desk, markups={AGREED: MARKUP}, phrases={"а": CODE}).status == 422
    assert suggest(desk, assignments=["a" * 20]).code == "unknown_assignment"
    assert suggest(desk, phrases={"а" * 101: CODE}).status == 422
    assert suggest(desk, phrases={str(number): CODE for number in range(2001)}).status == 422
    assert suggest(desk, markups={"large": "a" * 100_000}).status == 200, "larger than other requests"
    anna = desk.given(AGREED)[0][0]
    assert anna.ask("PUT", f"/v1/markings/{marking_of(desk)}/suggestions", {}).status == 403
    assert recorded(desk, anna.name) is None
    at = judged_essays.judging_facts(desk.stage.platform, marking_of(desk))
    monkeypatch.setattr(work, "judging_facts", lambda *_: replace(at, track=registry.get("gec")))
    assert suggest(desk, markups={AGREED: MARKUP}).refusal == (409, "no_suggestions_here")


def test_agreement_is_shown_with_and_without_suggestions(stage: Stage) -> None:
    desk = Desk(stage, (AGREED, DIFFERENT))
    marking_id = marking_of(desk)
    (_, hers), (_, his) = desk.given(AGREED)
    path = f"/v1/markings/{marking_id}/agreement"
    assert suggest(desk, markups={AGREED: MARKUP}, assignments=[hers, his]).status == 200
    desk.mark_up(DIFFERENT)
    assert desk.olga.ask("GET", path).json["by_suggestions"] == [], "nothing to tell apart yet"
    desk.mark_up(AGREED)
    body = desk.olga.ask("GET", path).json
    assert body["agreement"]["all"]["essays"] == 2
    agreements = {group["experts"]: group["agreement"]["all"] for group in body["by_suggestions"]}
    assert {name: agreement["essays"] for name, agreement in agreements.items()} == {0: 1, 2: 1}
    assert agreements[2]["accuracy"] > agreements[0]["accuracy"]
    (table,) = [sheet for sheet in tables(marking_report(stage.platform, marking_id)) if sheet.name == "suggestions"]
    assert [row["experts"] for row in table.records()] == [0, 2]


class FakePlatform:
    """Platform that records its requests, and changes one assignment each time."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []

    def put(self, route: Route, body: Any, **names: str) -> Any:
        assert route.path.format(**names) == "/v1/markings/train-1/suggestions"
        self.bodies.append(body)
        return {"assignments": 1, "fragments": 3}


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> FakePlatform:
    fake = FakePlatform()
    monkeypatch.setattr(commands, "desk", lambda: fake)
    return fake


def typed(*words: str) -> Result:
    return CliRunner().invoke(commands.marking, ["suggest", "train-1", *words])


def test_a_dictionary_is_read_line_by_line(platform: FakePlatform, tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("﻿в связи с\tЛ.штамп\n\n 😀 так \tР.повтор\nв связи с\tД.другой\n", "utf-8")
    result = typed("--dictionary", str(file), "--assignment", "a" * 20)
    assert (result.exit_code, result.output) == (0, "suggestions switched on; assignments: 1, fragments: 3\n")
    assert platform.bodies == [{"phrases": {"в связи с": "Л.штамп", "😀 так": "Р.повтор"}, "assignments": ["a" * 20]}]
    file.write_text("в связи с\tЛ.штамп\nбез кода\n", "utf-8")
    assert f"{file}, line 2: no phrase, tab and code" in typed("--dictionary", str(file)).output
    file.write_bytes(b"\xff\xfe")
    assert "is no UTF-8" in typed("--dictionary", str(file)).output


def test_markups_go_in_portions(platform: FakePlatform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "has no ITEM.json" in typed("--markups", str(tmp_path)).output
    monkeypatch.setattr(commands, "_PORTION", 40)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"text": name * 10}), "utf-8")
    result = typed("--markups", str(tmp_path))
    assert (result.exit_code, result.output) == (0, "suggestions switched on; assignments: 3, fragments: 9\n")
    assert [list(body["markups"]) for body in platform.bodies] == [["a"], ["b"], ["c"]]
    (tmp_path / "b.json").write_text("{", "utf-8")
    assert "is no JSON" in typed("--markups", str(tmp_path)).output


def test_exactly_one_source_is_named(platform: FakePlatform, tmp_path: Path) -> None:
    assert typed("--off").output == "suggestions switched off; assignments: 1\n"
    assert typed("--session", "294017735586120").exit_code == 0
    assert [body.get("session") for body in platform.bodies] == [None, "294017735586120"]
    for wrong in ([], ["--off", "--session", "294017735586120"]):
        assert typed(*wrong).exit_code == 2
    assert len(platform.bodies) == 2
