"""The trial on real texts (README): skipped where HURDLE_TRIAL_DATA names no folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.trial.table import show_trial
from local.trial.trial import play

pytestmark = pytest.mark.integration

DATA = os.environ.get("HURDLE_TRIAL_DATA", "")
FUNCTIONS = Path(__file__).resolve().parents[3] / "functions"


@pytest.mark.slow
@pytest.mark.skipif(not Path(DATA).is_dir() or not DATA, reason="HURDLE_TRIAL_DATA names no folder of texts")
def test_every_check_of_the_trial_passes_on_real_texts() -> None:
    said: list[str] = []
    with LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, workers=1, warm=True) as cloud:
        played, checks = play(cloud, Path(DATA), said.append)
    show_trial(played, checks)
    assert [check for check in checks if not check.passed] == []
    assert len(checks) >= 14
    assert len({each.program for each in played}) == 4
