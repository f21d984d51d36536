"""The correction of grammar, played over HTTP: its two boards, and what is decided about their results (G-3, T9)."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from contest import stored_names
from contest.cycle.loading import Loaded
from contest.people.rules import Role
from contest.submissions import uploading
from tests.contest.commands.stage_desk import run, sit_down
from tests.contest.commands.test_cycle_folders import fill
from tests.contest.results.test_reports import book_of
from tests.contest.submissions.submitting import Submitter
from tests.stage import Program, Stage, staged
from tests.stage_kept import Setting

TEXTS = range(3)
SPELLING = {"start": 2, "end": 3, "correction": "there", "type": "R:SPELL", "context_dependent": False}
TENSE = {"start": 1, "end": 2, "correction": "went", "type": "R:VERB:TENSE", "context_dependent": True}
LINK = {"start": 0, "end": 0, "correction": "So", "type": "M:LINK", "context_dependent": True}
BOTH: list[Any] = [SPELLING, TENSE]
NOTHING = {"sessions": 0, "scores": 0, "reports": 0, "differences": (), "missing": (), "remembered": 0}
NOTHING |= {"off_board": None}
"""Findings of an audit's round without items."""


def gec_cycle(*gold: Any) -> dict[str, Any]:
    """Return a cycle whose test set has three texts, all with these gold edits of one annotator."""
    files: dict[str, Any] = {
        "cycle.json": {
            "cycle": "gec-1",
            "name": {"ru": "Правки", "en": "Edits"},
            "track": "gec",
            "languages": {"eng": ["letters"]},
            "parameters": {"least_hidden_items": 1},
            "sets": {"test": {"kind": "test"}},
        }
    }
    for number in TEXTS:
        files[f"test/t{number}.json"] = {"id": f"t{number}", "source": "letters", "sentences": ["I go their ."]}
        files[f"test/t{number}_exp01.json"] = {"edits": list(gold)}
    return files


STAGE = Setting("gec-1", lambda stage: stage.load(gec_cycle(*BOTH)))


def played(stage: Stage, team: Program, *edits: Any) -> str:
    """Play a whole session with these edits to every text; return its id."""
    assert team.open(set="test").status == 201
    named = ("start", "end", "correction", "type")
    answer = {"edits": [{name: each[name] for name in named} for each in sorted(edits, key=lambda each: each["start"])]}
    for number in TEXTS:
        assert team.get(f"files/{number + 1}").status == 200
        assert team.answer(number + 1, answer).status == 200
        stage.advance(1)
    stage.tick(after=1000)
    stage.report_all()
    return team.session_id


def places(stage: Stage, board: str) -> list[tuple[str, str, float]]:
    stage.advance(11)
    rows = stage.request("GET", f"/v1/boards/{board}").json["rows"]
    return [(row["team_id"], row["session_id"], row["value"]) for row in rows]


@pytest.fixture
def red(stage: Stage) -> Program:
    return Program(stage, stage.team("red"))


@pytest.mark.clause("TS G-3", "TS T9")
def test_g_3_each_board_has_the_session_that_is_best_on_it(stage: Stage, red: Program) -> None:
    spelled = played(stage, red, SPELLING)
    tensed = played(stage, red, TENSE, LINK)
    assert places(stage, "all") == [("red", spelled, pytest.approx(1.25 * 0.5 / (0.25 + 0.5)))]
    assert places(stage, "concentrated") == [("red", tensed, 1.0)]


@pytest.mark.clause("TS G-3", "G beta", "TS T9", "TS T10")
@pytest.mark.parametrize(("beta", "shown"), [(None, ["F0.5", "F1", "F2"]), (1, ["F1", "F2"]), (3, ["F3", "F1", "F2"])])
def test_g_3_beta_is_the_cycles_beside_f1_and_f2(tmp_path: Path, beta: int | None, shown: list[str]) -> None:
    """In every text one of two edits is found and nothing else: precision 1, recall 1/2."""
    files = gec_cycle(*BOTH)
    files["cycle.json"]["parameters"] |= {} if beta is None else {"beta": beta}
    by_column = {f"F{each:g}": (1 + each**2) * 0.5 / (each**2 + 0.5) for each in (0.5, 1, 2, 3)}
    with staged(tmp_path, "gec-1") as stage:
        stage.load(files)
        red = Program(stage, stage.team("red"))
        session = played(stage, red, SPELLING)
        [(_, _, value)] = places(stage, "all")
        assert value == pytest.approx(by_column[shown[0]])
        [row] = stage.request("GET", "/v1/boards/all").json["rows"]
        sections = red.ask("GET", f"/v1/sessions/{session}/report").json["sections"]
        assert (row["sections"], row["interval"]) == (sections, None)
        tables = {section["key"]: section for section in sections}
        assert "files" not in tables, "nothing is told of a single text"
        assert [column["en"] for column in tables["overall"]["columns"][6:]] == shown
        assert tables["overall"]["rows"][0][6:] == [pytest.approx(by_column[name]) for name in shown]


@pytest.mark.clause("D 6.10", "TS T9")
def test_an_annulled_session_leaves_every_board_to_the_next_best(stage: Stage, red: Program) -> None:
    whole, spelled = played(stage, red, *BOTH), played(stage, red, SPELLING)
    assert [places(stage, board)[0][1] for board in ("all", "concentrated")] == [whole, whole]
    wish = {"of": "session", "subject": whole, "reason": "a person was at the keyboard"}
    told = stage.request("POST", "/v1/conduct/annulments", {**wish, "annulled": True}, stage.person(Role.ORGANIZER))
    assert told.status == 200, told.text
    assert [places(stage, board)[0][1] for board in ("all", "concentrated")] == [spelled, spelled]
    stage.advance(1)
    back = {**wish, "annulled": False}
    assert stage.request("POST", "/v1/conduct/annulments", back, stage.person(Role.ORGANIZER)).status == 200
    assert [places(stage, board)[0][1] for board in ("all", "concentrated")] == [whole, whole]


@pytest.mark.clause("platform §2 rescoring", "TS T9")
def test_a_rescoring_compares_and_changes_every_board(stage: Stage, red: Program) -> None:
    session = played(stage, red, *BOTH)
    assert places(stage, "concentrated") == [("red", session, 1.0)]
    stage.load(gec_cycle(*BOTH, LINK))
    stage.restart()
    rescoring = rescored(stage, set="test")
    compared = {each["language"]: each["rows"] for each in rescoring["boards"]}
    assert set(compared) == {"all", "eng", "board:concentrated"}
    assert [(row["old"]["value"], row["new"]["value"]) for row in compared["board:concentrated"]] == [(1.0, 0.5)]
    [figures] = [each["metrics"] for each in rescoring["sessions"]]
    assert figures["concentrated.recall"] == {"old": 1.0, "new": 0.5, "difference": -0.5}
    assert figures["correction.recall"]["new"] == pytest.approx(2 / 3)
    assert {"correction.precision", "correction.f", "span.f", "token.f"} <= set(figures)
    assert not [each for each in figures if each.count(".") > 1 or each.startswith("by_")]
    assert places(stage, "concentrated") == [("red", session, 0.5)]


def m2(*edits: Any) -> bytes:
    """Return these edits to every text, as one file."""
    lines = ["S I go their ."]
    for each in sorted(edits, key=lambda edit: edit["start"]):
        span, fields = f"{each['start']} {each['end']}", (each["type"], each["correction"], "REQUIRED", "-NONE-", "0")
        lines.append("|||".join([f"A {span}", *fields]))
    return "\n\n".join(["\n".join(lines)] * len(TEXTS)).encode() + b"\n"


def rescored(stage: Stage, **selected: Any) -> Any:
    """Score anew what is selected, accept it, and return the rescoring as it was shown before that."""
    organizer = stage.person(Role.ORGANIZER)
    begun = stage.request("POST", "/v1/rescorings", {"reason": "why", **selected}, organizer)
    assert begun.status == 201, begun.text
    name = begun.json["rescoring_id"]
    assert stage.rescore(deliveries=2) == []
    stage.advance(1)
    found = stage.request("GET", f"/v1/rescorings/{name}", token=organizer).json
    stage.advance(1)
    accepted = stage.request("POST", f"/v1/rescorings/{name}/accept", {"reason": "announced"}, organizer)
    assert accepted.status == 200, accepted.text
    assert stage.rescore(deliveries=2) == []
    stage.tick()
    return found


def recomputed(stage: Stage) -> Any:
    """Return the differences that the independent recomputation of submissions finds."""
    assert stage.recompute() == []
    told = stage.request("GET", "/v1/conduct/submissions/recomputation", token=stage.person(Role.COMMISSION)).json
    assert told["made"] == told["submissions"]
    return told["total"]


@pytest.mark.clause("platform §2 rescoring", "TS T13", "R 6.10")
def test_a_rescoring_takes_sessions_and_submissions_of_a_board_by_one_rule(
    stage: Stage, red: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By F0.5 the precise session is first, by F2 the file with the higher recall; the board never mixes the two."""
    session = played(stage, red, SPELLING)
    blue = Submitter(stage, stage.team("blue"))
    submission = blue.submit(m2(*BOTH, LINK))["submission_id"]
    precise, complete = 1.25 * 0.5 / 0.75, 1.25 * (2 / 3) / (0.25 * 2 / 3 + 1)
    assert places(stage, "all") == [
        ("red", session, pytest.approx(precise)),
        ("blue", submission, pytest.approx(complete)),
    ]
    before = stage.request("GET", f"/v1/submissions/{submission}/report", token=blue.token).json
    files = gec_cycle(*BOTH)
    files["cycle.json"]["parameters"]["sessions_per_day"] = 4
    assert stale(stage.load(files)) == []  # a quota changes no score
    files["cycle.json"]["parameters"]["beta"] = 2
    assert stale(stage.load(files)) == [{"results": 2, "of": 2}]
    assert stale(stage.load(files)) == []
    stage.restart()
    found = rescored(stage, set="test")
    assert (found["total"], found["made"]) == (2, 2)
    assert {each["session_id"]: each["mode"] for each in found["sessions"]} == {
        session: "algorithmic",
        submission: "answers",
    }
    by_f2 = [
        ("blue", submission, pytest.approx(5 * (2 / 3) / (4 * 2 / 3 + 1))),
        ("red", session, pytest.approx(5 * 0.5 / 4.5)),
    ]
    [compared] = [each["rows"] for each in found["boards"] if each["language"] == "all"]
    assert [(each["team_id"], each["new"]["value"]) for each in compared] == [(team, value) for team, _, value in by_f2]
    assert places(stage, "all") == by_f2
    rows = stage.request("GET", "/v1/boards/all").json["rows"]
    assert {each["parameters_version"] for each in rows} == {3}
    stage.advance(1)
    after = stage.request("GET", f"/v1/submissions/{submission}/report", token=blue.token).json
    assert (before["parameters"]["version"], after["parameters"]["version"]) == (1, 3)
    assert blue.look(submission)["value"] == by_f2[0][2]
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER))
    run("export", "submission", submission, str(tmp_path / "report.json"))
    assert json.loads((tmp_path / "report.json").read_text("utf-8")) == after
    assert verified(stage, submission)["differences"] == []
    assert recomputed(stage) == 0


def stale(loaded: Loaded) -> list[Any]:
    """Return the numbers of results that a load has made stale, from its warnings."""
    return [each.where for each in loaded.warnings if each.code == "results_stale"]


def verified(stage: Stage, name: str) -> Any:
    """Return the findings of rebuilding the stored results of a session or submission."""
    commission = stage.person(Role.COMMISSION)
    asked = stage.request("POST", f"/v1/conduct/sessions/{name}/verification", None, commission)
    assert asked.status == 202, asked.text
    assert stage.verify() == []
    found = stage.request("GET", f"/v1/conduct/errands/{asked.json['errand_id']}", token=commission)
    return found.json["verification"]


@pytest.mark.clause("platform §7 exports", "TS T10", "TS T13")
def test_a_submissions_report_has_a_sessions_forms(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hidden set's table is the contest's first one, and no form of the report names an item that has an answer."""
    blue = Submitter(stage, stage.team("blue"))
    submission = blue.submit(m2(*BOTH, LINK))["submission_id"]
    told = stage.request("GET", f"/v1/submissions/{submission}/report", token=blue.token).json
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER))
    for ending in ("json", "html", "csv", "xlsx"):
        written = run("export", "submission", submission, str(tmp_path / f"report.{ending}"), "--lang", "en")
        assert written.exit_code == 0, written.stderr
    assert json.loads((tmp_path / "report.json").read_text("utf-8")) == told
    first = told["sections"][0]
    rows = list(csv.reader((tmp_path / "report.csv").read_text("utf-8-sig").splitlines()))
    assert rows[0] == [each["en"] for each in first["columns"]]
    assert [float(each) for each in rows[1][1:]] == [float(each) for each in first["rows"][0][1:]]
    book = book_of(stage.request("GET", f"/v1/submissions/{submission}/report.xlsx?lang=en", token=blue.token))
    assert len(book.worksheets) == 1 + len(told["sections"])
    assert book.worksheets[0].max_row == 1
    page = (tmp_path / "report.html").read_text("utf-8")
    for shown in (f"Report of submission {submission}", "file of answers", first["title"]["en"], "<dd>3</dd>"):
        assert shown in page, shown
    assert not re.search(r"\bt[0-2]\b", page)
    assert "Отчёт о посылке" in stage.request("GET", f"/v1/submissions/{submission}/report.html", token=blue.token).text
    refused = stage.request("GET", f"/v1/submissions/{submission}/report.csv", token=stage.team("red"))
    assert refused.code == "unknown_submission"
    unfinished = blue.announce(m2(SPELLING)).json["submission_id"]
    for ending in ("html", "csv", "xlsx"):
        early = stage.request("GET", f"/v1/submissions/{unfinished}/report.{ending}", token=blue.token)
        assert early.code == "submission_not_scored"


@pytest.mark.clause("platform §2 rescoring", "platform §7 compare")
def test_a_folder_is_compared_by_the_results_that_loading_it_would_make_stale(
    stage: Stage, red: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(stage, red, SPELLING)
    Submitter(stage, stage.team("blue")).submit(m2(*BOTH))
    sit_down(monkeypatch, stage, stage.person(Role.ORGANIZER))

    def counted(files: dict[str, Any], name: str) -> list[Any]:
        found = run("cycle", "compare", str(fill(tmp_path / name, files)), "--json")
        assert found.exit_code == 0, found.stderr
        said = [each for each in json.loads(found.stdout)["warnings"] if each["code"] == "results_stale"]
        assert ("contest rescore begin --set test" in " ".join(found.stderr.split())) == bool(said)
        return said

    assert counted(gec_cycle(*BOTH), "same") == []
    files = gec_cycle(*BOTH)
    files["cycle.json"]["parameters"]["sessions_per_day"] = 4
    assert counted(files, "quota") == []
    by_f2 = gec_cycle(*BOTH)
    by_f2["cycle.json"]["parameters"]["beta"] = 2
    expected = [{"code": "results_stale", "results": 2, "of": 2}]
    assert counted(by_f2, "beta") == expected
    assert counted(gec_cycle(*BOTH, LINK), "gold") == expected
    assert stale(stage.load(by_f2)) == [{"results": 2, "of": 2}]
    stage.restart()
    assert counted(by_f2, "again") == []
    wrong = gec_cycle(*BOTH)
    wrong["cycle.json"]["parameters"]["beta"] = -1
    head = {"cycle": wrong["cycle.json"], "tests": {}}
    refused = stage.request("POST", "/v1/cycle/results-made-stale", head, stage.person(Role.ORGANIZER))
    assert refused.refusal == (422, "invalid_parameters")
    head["cycle"]["unknown"] = "x" * 100_000
    refused = stage.request("POST", "/v1/cycle/results-made-stale", head, stage.person(Role.ORGANIZER))
    assert refused.code != "malformed_json", "a cycle's file may be longer than other requests"


@pytest.mark.clause("platform §4 audit", "TS T13")
def test_a_submission_is_verified_to_the_byte_as_a_session_is(stage: Stage) -> None:
    blue = Submitter(stage, stage.team("blue"))
    submission = blue.submit(m2(*BOTH))["submission_id"]
    assert verified(stage, submission) == {
        "scores": 3,
        "reports": 1,
        "differences": [],
        "missing": [],
        "off_board": None,
    }
    name = stored_names.submission_report_name(submission)
    stored = stage.platform.blobs.get(name)
    stage.platform.blobs.put(name, stored.replace(b'"answered":3', b'"answered":2'))
    assert verified(stage, submission)["differences"] == [f"report {submission}"]
    unfinished = blue.announce(m2(SPELLING)).json["submission_id"]
    path = f"/v1/conduct/sessions/{unfinished}/verification"
    refused = stage.request("POST", path, None, stage.person(Role.COMMISSION))
    assert refused.code == "submission_not_scored"


@pytest.mark.clause("platform §4 audit", "TS T13")
def test_the_audits_rounds_rebuild_every_submission_once_and_again_when_a_byte_changes(stage: Stage) -> None:
    blue = Submitter(stage, stage.team("blue"))
    submission = blue.submit(m2(*BOTH))["submission_id"]
    stage.advance(5 * 86_400)  # sessions of that day are passed over by then, submissions are not
    once = NOTHING | {"sessions": 1, "scores": 3, "reports": 1}
    assert stage.audit() == once
    assert stage.audit() == {**once, "scores": 0, "reports": 0, "remembered": 1}
    name = stored_names.submission_report_name(submission)
    stored = stage.platform.blobs.get(name)
    stage.platform.blobs.put(name, stored.replace(b'"answered":3', b'"answered":2'))
    for _ in range(2):
        assert stage.audit()["differences"] == (f"report {submission}",)
    stage.platform.blobs.delete(name)
    assert stage.audit()["missing"] == (f"report {submission}",)
    stage.platform.blobs.put(name, stored)
    (claim,) = stage.platform.scores.claims("gec-1", "all", "blue")
    stage.platform.scores.claim("gec-1", replace(claim, answered=2))
    assert stage.audit()["differences"] == (f"entry {submission} all",)
    stage.platform.scores.claim("gec-1", claim)
    found = stage.platform.submissions.get(submission)
    assert found is not None
    for part in uploading.part_names(found):
        content = stage.platform.blobs.get(part)
        stage.platform.blobs.delete(part)
        with patch.object(stage.platform, "code", "of tomorrow"):
            assert stage.audit()["missing"] == (f"answers {submission}",)
        stage.platform.blobs.put(part, content)
    assert stage.audit()["remembered"] == 1


@pytest.mark.clause("platform §4 audit", "platform §2 rescoring")
def test_the_audit_leaves_a_submission_alone_while_an_accepted_rescoring_is_being_written(stage: Stage) -> None:
    blue = Submitter(stage, stage.team("blue"))
    submission = blue.submit(m2(*BOTH))["submission_id"]
    stage.load(gec_cycle(*BOTH, LINK))
    stage.restart()
    assert stage.audit()["differences"] == ()
    rescored(stage, set="test")
    found = stage.platform.submissions.get(submission)
    assert found is not None
    assert (stage.audit()["scores"], stage.audit()["remembered"]) == (3, 1)
    stage.platform.blobs.delete(stored_names.applied_name(found.rescored, submission))
    stage.platform.scores.claim("gec-1", replace(stage.platform.scores.claims("gec-1", "all", "blue")[0], answered=0))
    assert stage.audit() == NOTHING
    stage.platform.blobs.put(stored_names.applied_name(found.rescored, submission), b"{}")
    assert stage.audit()["differences"] == (f"entry {submission} all",)


@pytest.mark.clause("platform §2 rescoring", "TS T13")
def test_equal_answers_are_equal_by_corrected_references_whoever_brought_them(stage: Stage, red: Program) -> None:
    played(stage, red, *BOTH)
    blue = Submitter(stage, stage.team("blue"))
    submission = blue.submit(m2(*BOTH))["submission_id"]
    assert [value for _, _, value in places(stage, "all")] == [1.0, 1.0]
    loaded = stage.load(gec_cycle(*BOTH, LINK))
    assert stale(loaded) == [{"results": 2, "of": 2}]
    [warning] = [each for each in loaded.warnings if each.code == "results_stale"]
    assert "contest rescore begin --set test" in warning.message.en
    assert "contest rescore begin --set test" in warning.message.ru
    stage.restart()
    late = Submitter(stage, stage.team("green"))
    assert late.submit(m2(*BOTH))["state"] == "scored"
    corrected = pytest.approx(1.25 * (2 / 3) / (0.25 + 2 / 3))
    assert {team: value for team, _, value in places(stage, "all")} == {"red": 1.0, "blue": 1.0, "green": corrected}
    board = stage.request("GET", "/v1/boards/all").json
    assert {row["team_id"]: row["references"] for row in board["rows"]} == {
        "red": "earlier",
        "blue": "earlier",
        "green": "present",
    }
    told = board["several_rules"]
    assert (told["parameters_versions"], told["earlier_references"]) == ([1], 2)
    assert "by earlier references: 2" in told["message"]
    assert "по прежним эталонам: 2" in told["message_ru"]
    table = stage.request("GET", "/v1/leaderboards/qualification.csv").text
    assert (table.count("earlier"), table.count("present")) == (2, 1)
    found = rescored(stage, set="test")
    assert found["total"] == 3
    assert [value for _, _, value in places(stage, "all")] == [corrected] * 3
    board = stage.request("GET", "/v1/boards/all").json
    assert ({row["references"] for row in board["rows"]}, board["several_rules"]) == ({"present"}, None)
    assert recomputed(stage) == 0
    told = stage.request("GET", f"/v1/submissions/{submission}/report", token=blue.token).json
    assert told["result"]["correction"]["recall"] == pytest.approx(2 / 3)


@pytest.mark.clause("platform §7 exports", "platform §4 boards", "TS G-3", "TS T9")
def test_g_3_the_other_board_is_previewed_kept_and_remembered_as_the_main_one_is(stage: Stage, red: Program) -> None:
    session = played(stage, red, TENSE, LINK)
    organizer = stage.person(Role.ORGANIZER)
    stage.tick(after=60)
    by_key = {"all": 0.5, "concentrated": 1.0}
    for key, value in by_key.items():
        told = stage.request("GET", f"/v1/conduct/boards/qualification?key={key}", token=organizer).json
        assert (told["board"]["key"], [row["value"] for row in told["rows"]]) == (key, [value])
        assert [row["session_id"] for row in told["rows"]] == [session]
        lines = stage.request("GET", f"/v1/leaderboards/qualification.csv?key={key}").text.splitlines()
        assert len(lines) == 2
        row = dict(zip(lines[0].lstrip("\ufeff").split(","), lines[1].split(","), strict=True))
        assert (row["session_id"], float(row[key])) == (session, value)
        assert stage.request("GET", f"/v1/leaderboards/qualification.xlsx?key={key}").status == 200
        points = stage.request("GET", f"/v1/leaderboards/qualification/history?key={key}").json["points"]
        assert [[(each["team_id"], each["value"]) for each in point["places"]] for point in points] == [
            [("red", value)]
        ]
    asked = ("leaderboards/qualification.csv", "leaderboards/qualification/history", "conduct/boards/qualification")
    for path in asked:
        assert stage.request("GET", f"/v1/{path}?key=nothing", token=organizer).refusal == (404, "unknown_board")
