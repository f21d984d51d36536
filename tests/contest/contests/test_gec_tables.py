"""Tables of a data set and agreement of raters on the platform (G-4, G-5), as the library tells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contest.people.rules import Role
from tests.contest.commands.stage_desk import run, sit_down
from tests.contest.contests.test_gec import LINK, SPELLING, TENSE, gec_cycle
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting
from tracks.base import Fields
from tracks.gec.operations import OPERATIONS

pytestmark = [pytest.mark.integration, pytest.mark.slow]
CONTEXT = {"detection": True, "correction": True, "scope": "sentence", "direction": "left", "left": 2}
FURTHER: dict[str, Any] = {**TENSE, "start": 3, "end": 4, "correction": "!", "context_dependent": False}


def loaded(stage: Stage) -> None:
    files = gec_cycle({**TENSE, "context": CONTEXT}, SPELLING, FURTHER)
    files["test/t1_exp01.json"] = {"edits": [LINK]}
    files["test/t1_exp02.json"] = {"edits": [SPELLING, TENSE]}
    stage.load(files)


STAGE = Setting("gec-1", loaded)


def offered(answered: Answered) -> dict[str, bool]:
    """Map each set of an answer to True if the contest has tables of it."""
    assert answered.status == 200, answered.text
    return {each["name"]: each["described"] for each in answered.json["sets"]}


def described(stage: Stage, token: str) -> Answered:
    """Ask until the parts are made."""
    while (found := stage.request("GET", "/v1/sets/test/description", token=token)).status == 202:
        stage.advance(1)
    return found


@pytest.mark.clause("TS G-4", "G Table 4", "G Table 5", "G Table 6", "G App B")
def test_g_4_a_data_sets_tables_are_told_on_the_platform(stage: Stage) -> None:
    found = described(stage, stage.person(Role.ORGANIZER))
    assert found.status == 200, found.text
    tables = {each["key"]: each for each in found.json["sections"]}
    assert tables["types"]["rows"][:2] == [
        ["R:VERB:TENSE", 2, pytest.approx(200 / 3)],
        ["M:LINK", 1, pytest.approx(100 / 3)],
    ]
    assert tables["sources"]["rows"] == [["letters", 3, 100.0], ["all · все", 3, 100.0]]
    assert ["left · слева", "2", 0, 2, 2] in tables["contexts"]["rows"]
    appendix = {row[0]: row[1:] for row in tables["among_all"]["rows"]}
    assert appendix == {
        "M:LINK": [1, 1, 1.0],
        "R:VERB:TENSE": [4, 2, 0.5],
        "R:SPELL": [2, 0, 0.0],
        "all · все": [7, 3, pytest.approx(3 / 7)],
    }, "of a text with two annotators the first one's edits"
    assert tables["among_all"]["shares"] == [3]


@pytest.mark.clause("TS G-4", "TS T10")
def test_g_4_a_sets_tables_are_told_to_who_may_have_its_references_and_to_nobody_else(stage: Stage) -> None:
    red = Program(stage, stage.team("red"))
    assert red.ask("GET", "/v1/sets/test").status in {200, 202}, "its questions are open"
    assert red.ask("GET", "/v1/sets/test/description").refusal == (404, "no_description")
    assert offered(stage.request("GET", "/v1/sets", token=stage.person(Role.ORGANIZER)))["test"] is True
    assert offered(red.ask("GET", "/v1/sets")) == {"test": False}
    for name, has in offered(red.ask("GET", "/v1/sets")).items():
        while (found := red.ask("GET", f"/v1/sets/{name}/description")).status == 202:
            stage.advance(1)
        assert (found.status == 200) is has, "what is promised is there, and nothing else"


RATINGS = {
    "items": [["left", "left", "left"], ["right", "right", "left"], ["left", "left", "left"], ["far", None, "far"]],
    "base": ["left", "right", "left", "far"],
    "types": ["R:SPELL", "M:LINK", "R:SPELL", "M:LINK"],
    "categories": ["left", "right", "far"],
}


@pytest.mark.clause("TS G-5", "G Table 2")
def test_g_5_organizers_bring_ratings_and_see_agreement_by_type_and_over_all(stage: Stage) -> None:
    organizer = stage.person(Role.ORGANIZER)
    told = stage.request("POST", "/v1/experts/agreement", RATINGS, organizer)
    assert told.status == 200, told.text
    (table,) = told.json["sections"]
    expected = dict(OPERATIONS["gec.agreement"](Fields(RATINGS)))
    by_type = expected.pop("by_type")
    rows = {row[0]: row[1:] for row in table["rows"]}
    assert rows == {
        "all · все": [*expected.values(), 4],
        "M:LINK": [*by_type["M:LINK"].values(), 2],
        "R:SPELL": [*by_type["R:SPELL"].values(), 2],
    }
    assert rows["R:SPELL"][0] is None, "one label alone: alpha is undefined, and nothing stands for it"
    assert rows["M:LINK"][1] is None, "a label is missing: Fleiss' kappa is undefined"


@pytest.mark.clause("TS G-5")
def test_g_5_what_is_no_table_of_ratings_is_refused_with_the_reason(stage: Stage) -> None:
    organizer = stage.person(Role.ORGANIZER)
    bodies: list[Any] = [b"{", "[]", {"items": [["a"], ["a", "b"]]}, {"items": [["a"]], "base": []}, {"items": [[{}]]}]
    for body in bodies:
        refused = stage.request("POST", "/v1/experts/agreement", body, organizer)
        assert refused.refusal == (422, "invalid_request"), body
        assert refused.json["error"]["details"][0]["message_ru"]
    assert stage.request("POST", "/v1/experts/agreement", json.dumps(RATINGS), stage.team("red")).status == 403


@pytest.mark.clause("TS G-5", "G Table 2")
def test_g_5_the_command_prints_a_dash_for_undefined(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER))
    file = tmp_path / "ratings.json"
    file.write_text(json.dumps(RATINGS), "utf-8")
    said = run("marking", "ratings", str(file))
    assert said.exit_code == 0, said.output
    (row,) = [line for line in said.output.splitlines() if "R:SPELL" in line]
    assert [each.strip() for each in row.strip("│ ").split("│")] == ["R:SPELL", "—", "—", "1.000", "100.000", "2"]
    assert "all" in said.output
    assert "все" not in said.output
    in_russian = run("--lang", "ru", "marking", "ratings", str(file))
    assert "Альфа Криппендорфа" in in_russian.output
    assert json.loads(run("marking", "ratings", str(file), "--json").output)["sections"][0]["key"] == "agreement"
    file.write_text("[]", "utf-8")
    refused = run("marking", "ratings", str(file))
    assert refused.exit_code != 0
    assert "invalid_request" in refused.output
