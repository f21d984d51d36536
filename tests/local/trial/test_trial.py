"""The trial on real texts (README): skipped where HURDLE_TRIAL_DATA names no folder.

The gate plays a sixth of them, those beyond the Basic Multilingual Plane included; ``make trial`` all.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.trial import play, show_trial

pytestmark = pytest.mark.integration

DATA = os.environ.get("HURDLE_TRIAL_DATA", "")
FUNCTIONS = Path(__file__).resolve().parents[3] / "functions"


def a_sixth(data: Path, folder: Path) -> Path:
    """Write a corpus of every sixth text and of all that have characters beyond the Basic Multilingual Plane."""
    for each in data.iterdir():
        (folder / each.name).symlink_to(each)
    index = folder / "index.json"
    texts = json.loads(index.read_text("utf-8"))
    index.unlink()
    index.write_text(json.dumps([each for n, each in enumerate(texts) if n % 6 == 0 or each["astral"]]), "utf-8")
    return folder


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(not Path(DATA).is_dir() or not DATA, reason="HURDLE_TRIAL_DATA names no folder of texts")
def test_every_check_of_the_trial_passes_on_real_texts(tmp_path: Path) -> None:
    said: list[str] = []
    with LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, workers=1, warm=True) as cloud:
        played, checks = play(cloud, a_sixth(Path(DATA), tmp_path), said.append)
    show_trial(played, checks)
    assert [check for check in checks if not check.passed] == []
    assert len(checks) >= 14
    assert len({each.program for each in played}) == 4
