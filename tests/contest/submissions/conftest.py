"""The stage of fusion's contest that the tests of one file share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.submissions.engines import strongest
from tests.contest.submissions.submitting import TEAMS, Machine, Submitter, fusion_cycle
from tests.stage import Stage, staged


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, Machine]]:
    with staged(tmp_path_factory.mktemp("fusion"), "fusion-1") as stage:
        stage.load(fusion_cycle(submissions_per_day=100, unscored_per_day=100))
        runner = Machine(strongest())
        stage.platform.__dict__["runner"] = runner
        yield stage, runner


@pytest.fixture
def machine(loaded: tuple[Stage, Machine]) -> Machine:
    runner = loaded[1]
    runner.orders.clear()
    runner.loses_endings = False
    return runner


@pytest.fixture
def red(loaded: tuple[Stage, Machine]) -> Submitter:
    return Submitter(loaded[0], loaded[0].team(next(TEAMS)))
