"""What the checker finds in results: scores, the record and its signatures, the board, reports, what was promised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.rehearsal.moments import to_text
from local.rehearsal.proof.case import Case
from local.rehearsal.proof.checks_results import statistics
from local.rehearsal.proof.conclusion import contradictions
from tests.local.rehearsal.spoiling import REPORTS, digest_of, faults_of, red
from tests.local.rehearsal.story import INTERVAL, START, TEAMS, Pen, signature

CASES = json.loads((Path(__file__).resolve().parents[2] / "contradictions.json").read_text("utf-8"))
"""Rows that contradict themselves or do not, for every verifier."""


def test_an_answer_is_scored_once(pen: Pen) -> None:
    twice = pen.all("written", pk=f"SESSION#{TEAMS['ann']}")[0]
    pen.add(**twice)
    assert red(pen) == {"scored_once"}


def test_an_answer_that_was_late_does_not_count(pen: Pen) -> None:
    case = Case(pen.story())
    first = [said for said in case.receipts_told("ann") if said["number"] == 1]
    assert case.accepted("ann", 1) == first[:1]
    for line in pen.all("response"):
        if line["said"].get("receipt") in first:
            line["said"]["receipt"]["status"] = "late"
    assert Case(pen.story()).accepted("ann", 1) == []


def test_a_second_score_of_an_answer_is_found(pen: Pen) -> None:
    first = pen.find("item", pk=f"SESSION#{TEAMS['ann']}", sk=f"SCORE#0001#{digest_of(pen, 'ann', 1)}#conditions")
    pen.add(**{**first, "sk": first["sk"] + "-other"})
    assert red(pen) == {"scored_once"}


def test_a_score_is_what_the_library_makes_of_the_answer(pen: Pen) -> None:
    item = pen.find("item", pk=f"SESSION#{TEAMS['ann']}", sk=f"SCORE#0001#{digest_of(pen, 'ann', 1)}#conditions")
    item["item"]["record"] = item["item"]["record"].replace("markup_core", "markup-core")
    assert red(pen) == {"scored_once"}


def test_rows_must_lead_to_the_root(pen: Pen) -> None:
    pen.answer("record")["plans"][0]["rows"][0]["salt"] = "0" * 64
    assert red(pen) == {"commitment_kept"}


def test_the_roster_must_seal_the_records_sessions(pen: Pen) -> None:
    pen.answer("record")["sessions"].pop()
    pen.sign_record()
    assert "commitment_kept" in red(pen)


@pytest.mark.parametrize("case", CASES["cases"], ids=[case["name"] for case in CASES["cases"]])
def test_a_row_of_the_record_must_not_contradict_itself(case: dict[str, Any]) -> None:
    record = json.loads(json.dumps(CASES["record"]))
    for path, value in case["set"]:
        *steps, last = path.split(".")
        place = record
        for step in steps:
            place = place[int(step)] if step.isdigit() else place[step]
        place[last] = value
    assert bool(list(contradictions(record))) == case["fault"]


def test_rows_that_contradict_themselves_are_found(pen: Pen) -> None:
    row = pen.answer("record")["sessions"][0]["files"][0]
    row["answered_at"] = to_text(START - 1)
    pen.sign_record()
    assert red(pen) == {"commitment_kept"}
    (fault,) = faults_of(pen, "commitment_kept")
    assert fault.startswith("ann, file 1: the record's answered_at")


def test_the_record_must_be_the_signed_one(pen: Pen) -> None:
    pen.answer("record")["more"] = 1
    assert red(pen) == {"commitment_kept"}


def test_the_record_must_end_the_runs_chain(pen: Pen) -> None:
    pen.answer("run")["commitment"]["statement"]["more"] = 1
    statement = pen.answer("run")["commitment"]["statement"]
    pen.answer("run")["commitment"]["signature"] = signature(statement)
    assert red(pen) == {"commitment_kept"}


def test_the_commitment_must_be_signed(pen: Pen) -> None:
    pen.answer("run")["commitment"]["signature"] = signature({"key_id": "another"})
    assert red(pen) == {"commitment_kept"}


def test_rows_must_have_the_promised_openings(pen: Pen) -> None:
    row = pen.answer("record")["plans"][0]["rows"][1]
    row["planned_at"] = to_text(START + INTERVAL + 1)
    assert "commitment_kept" in red(pen)


def test_the_board_must_be_that_of_a_replay(pen: Pen) -> None:
    pen.answer("board")["rows"][0]["result"]["relative_accuracy"] += 1e-9
    assert red(pen) == {"replay_agrees"}


def test_scores_are_held_against_the_markups_that_the_rehearsal_wrote(pen: Pen) -> None:
    first, second = pen.all("own")
    first["experts"] = second["experts"]
    assert red(pen) >= {"scored_once"}


def test_a_history_ends_with_the_boards_places(pen: Pen) -> None:
    pen.answer("history")["points"][0]["places"].pop()
    (fault,) = faults_of(pen, "replay_agrees")
    assert "history: the last places are" in fault


def test_a_board_without_a_history_is_found(pen: Pen) -> None:
    pen.forget(pen.answer_line("history"))
    (fault,) = faults_of(pen, "replay_agrees")
    assert "history: the last places are [], the board shows" in fault


@pytest.mark.parametrize(
    ("at", "is_other", "said"),
    [
        ("2026-10-05T09:59:59.000Z", False, "a point has the places of the one before it"),
        ("2026-10-05T10:00:01.000Z", True, "the points are not in the order of their moments"),
    ],
)
def test_a_history_is_of_changes_in_their_order(pen: Pen, at: str, is_other: bool, said: str) -> None:
    points = pen.answer("history")["points"]
    points.append({"at": at, "places": [] if is_other else points[0]["places"]})
    assert faults_of(pen, "replay_agrees") == [f"history: {said}"]


def test_a_board_before_its_publication_shows_nobody(pen: Pen) -> None:
    pen.add("answer", of="board_before", body=pen.answer("board"))
    assert red(pen) == {"replay_agrees"}


def test_the_audit_of_a_row_is_its_accuracy_where_nothing_was_missed(pen: Pen) -> None:
    pen.answer("board")["rows"][0]["audit"] = {"relative_accuracy": 0.0}
    assert red(pen) == {"replay_agrees"}


@pytest.mark.parametrize(("name", "value"), [("files", 3), ("interval_ms", 30_000), ("starts_at", to_text(START + 1))])
def test_what_is_promised_is_what_was_ordered(pen: Pen, name: str, value: object) -> None:
    pen.answer("run_before")["commitment"]["statement"][name] = value
    assert red(pen) == {"commitment_kept"}


def test_limits_that_are_told_are_those_that_were_ordered(pen: Pen) -> None:
    pen.answer("run")["limits"]["answer_s"] = 45
    assert red(pen) == {"commitment_kept"}


def test_a_record_without_a_team_is_none(pen: Pen) -> None:
    del pen.answer("record")["sessions"][1]
    pen.sign_record()
    assert "commitment_kept" in red(pen)


Json = Any


def test_a_right_report_is_right(pen: Pen) -> None:
    assert faults_of(pen, REPORTS) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda told: told["timing"]["processing_ms"].update(p95=20_001), "the report tells processing_ms"),
        (lambda told: told["timing"]["delay_ms"].update(mean=1.0), "the report tells delay_ms"),
        (lambda told: told["voided"].update(files=1, share=0.5), "the report tells of missed files"),
        (lambda told: told["voided"]["by_cause"]["network"].update(files=1), "the report tells of missed files"),
        (lambda told: told["result"]["interval_95"].update(relative_accuracy=[1, 2]), "the report's interval_95 is"),
        (lambda told: told.update(result=None), "the report has no accuracies"),
        (lambda told: told["solution"].update(voided=True), "the report says that (0.0, True) was missed"),
    ],
)
def test_what_a_report_tells_otherwise_is_found(pen: Pen, spoil: Callable[[Json], Any], said: str) -> None:
    spoil(pen.answer("report/ann"))
    found = faults_of(pen, REPORTS)
    assert any(said in each for each in found), found


def test_a_team_without_a_report_is_found(pen: Pen) -> None:
    pen.forget(pen.find("answer", of="report/bob"))
    assert "bob: has no report" in faults_of(pen, REPORTS)


def test_percentiles_are_the_smallest_values_that_so_many_do_not_exceed() -> None:
    assert statistics(range(1, 21)) == {"count": 20, "mean": 10.5, "max": 20, "p50": 10, "p95": 19}
    assert statistics([7]) == {"count": 1, "mean": 7.0, "max": 7, "p50": 7, "p95": 7}
    assert statistics([])["p95"] is None
