"""Whoever awaits or publishes a final's results is told by the interface that markups or results are late."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.values import DAY, SECOND
from tests.experts_final import Played, published
from tests.experts_stage import AGREED, CYCLE, DIFFERENT
from tests.stage import Stage, staged
from tests.stage_kept import played_once


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    with staged(tmp_path, CYCLE) as stage:
        yield played_once(stage, Played)


def later(stage: Stage, days: float) -> None:
    stage.advance(days * DAY / SECOND)


PROTOCOLS = [("protocol_none", "R 8.3.3"), ("protocol_none", "R 8.3.4")]
"""What is told from when the board is made until judges and commission have recorded theirs."""


def said(played: Played) -> list[tuple[str, str]]:
    """Codes and clauses of the warnings that an organizer is given with the run."""
    played.run.stage.advance(1)
    answered = played.run.stage.request("GET", f"/v1/conduct/runs/{played.run.run_id}", token=played.olga.token)
    assert answered.status == 200, answered.text
    notices: list[Any] = answered.json["settlement"]["notices"]
    assert all(each["message"] != each["message_ru"] for each in notices)
    return [(each["code"], each["where"]["clause"]) for each in notices]


def marked(played: Played) -> None:
    played.mark_up(AGREED, 1, 2)
    played.mark_up(DIFFERENT, 1, 2, 3)
    played.mark()


@pytest.mark.clause("R 7.3", "R 7.11", "platform §2 notices")
def test_platform_2_markups_that_are_still_missing_after_their_time_are_told_of(played: Played) -> None:
    later(played.run.stage, 14)
    assert said(played) == [], "fifteen working days are three weeks"
    later(played.run.stage, 10)
    assert said(played) == [("markups_late", "R 7.3")]


@pytest.mark.clause("R 7.11", "platform §2 notices")
def test_platform_2_results_that_are_late_are_told_of_before_and_after_their_publication(played: Played) -> None:
    marked(played)
    later(played.run.stage, 4)
    assert said(played) == []
    later(played.run.stage, 6)
    assert said(played) == [("results_late", "R 7.11")]
    published(played)
    later(played.run.stage, 60)
    assert said(played) == [("results_late", "R 7.11"), *PROTOCOLS]


@pytest.mark.clause("R 7.11", "platform §2 notices")
def test_platform_2_results_in_time_are_never_called_late(played: Played) -> None:
    marked(played)
    published(played)
    later(played.run.stage, 60)
    assert said(played) == PROTOCOLS
