"""What the checker finds in teams' reports: every number is made anew from what the program saw and was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from local.rehearsal.moments import to_text
from local.rehearsal.proof.checks_results import statistics
from tests.local.rehearsal.spoiling import REPORTS, faults_of
from tests.local.rehearsal.story import START, Pen

Json = Any


def test_a_right_report_is_right(pen: Pen) -> None:
    assert faults_of(pen, REPORTS) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda told: told["files"].pop(), "the report does not tell of every file"),
        (lambda told: told["files"][1].update(state="voided", cause="network"), "the report says voided (network)"),
        (lambda told: told["files"][0].update(opens_at=to_text(START + 1)), "the report tells opens_at"),
        (lambda told: told["files"][0].update(request_by=to_text(START)), "the report tells request_by"),
        (lambda told: told["files"][0].update(handed_out_at=to_text(START + 1)), "the report tells handed_out_at"),
        (lambda told: told["files"][0].update(answered_at=None), "the report tells answered_at"),
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
