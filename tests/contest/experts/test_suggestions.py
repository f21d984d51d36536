"""Suggestions to experts over HTTP and by command: where they are refused, what is shown and recorded, agreement with
and without."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

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
    switched,
)
from contest.refusals import RefusedError
from contest.routes import Route
from tests.experts_final import Played
from tests.experts_stage import AGREED, DIFFERENT, Desk, shipped
from tests.stage import Answered, Program, Stage
from tracks import registry

MARKUP = shipped(AGREED, 1)
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
        with pytest.raises(RefusedError) as refused:
            refuse_on_barrier(marking, kind)
        assert refused.value.code == "barrier_rests_on_it"
    played = Played(stage)
    answered = played.olga.ask(
        "PUT", f"/v1/markings/{played.run.run_id}/suggestions", {"markups": {AGREED: MARKUP}, "assignments": None}
    )
    assert answered.refusal == (409, "barrier_rests_on_it")


def test_suggestions_are_switched_before_an_independent_annotation_is_opened_and_never_afterwards() -> None:
    suggested = Suggested("dictionary", "0" * 64, 3)
    place = ("a", "m", "i", "anna", "rus", "hist")
    fresh = Assignment(*place, is_third=False, limit=1, assigned_at=0, version=1)
    on = switched(fresh, suggested)
    assert (on.suggested, on.version) == (suggested, 2)
    assert switched(on, suggested) is on, "the same again changes nothing"
    assert switched(on, None).suggested is None
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
            switched(assignment, suggested)


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
    assert suggest(desk, assignments=[his]).json == {"assignments": 1, "fragments": 0}
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
    at = judged_essays.bench(desk.stage.platform, marking_of(desk))
    monkeypatch.setattr(work, "bench", lambda *_: replace(at, track=registry.get("gec")))
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
