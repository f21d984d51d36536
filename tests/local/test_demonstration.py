"""``make demo`` as a newcomer sees it, from an empty cloud to the leaderboard."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from local import demonstration

pytestmark = pytest.mark.integration


@pytest.mark.slow
@pytest.mark.parametrize(("language", "words"), [("en", ("Ready for a final", "32 of 32 files answered in time"))])
def test_the_demonstration_qualifies_the_pilot_and_shows_both_reports(language: str, words: tuple[str, ...]) -> None:
    command = [str(Path(sys.executable).with_name("hurdle")), "demo", "--once", "--port", "0", "--lang", language]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for each in words:
        assert done.stdout.count(each) == 2, done.stdout
    assert "Pilot program" in done.stdout.rpartition("$ pku board")[2]
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.clause("TS T16", "TS T18")
def test_t18_another_contest_is_shown_from_its_sets_to_its_board() -> None:
    command = [str(Path(sys.executable).with_name("hurdle")), "demo", "--once", "--port", "0", "--track", "gec"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    trained, tested = done.stdout.split("$ pku pilot --set test")
    assert "40 of 40 files answered in time" in trained
    assert "20 of 20 files answered in time" in tested
    assert "Texts" in trained  # every text of a training set, of a test set totals alone
    assert "Texts" not in tested
    board = done.stdout.rpartition("$ pku board")[2]
    assert "Leaderboard of the qualification: All edits" in board
    assert re.search(r"1 +Pilot program +20/20 +0\.\d{3}", board)
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_closing_words_are_of_the_language_asked_for(language: str) -> None:
    cloud: Any = SimpleNamespace(url="http://here")
    told = demonstration.closing_words(cloud, demonstration.Shown("hrd_x", language))
    names = " ".join(line[:19] for line in told)
    assert bool(re.search("[а-яё]", names, re.IGNORECASE)) is (language == "ru")
    assert sum("http://here" in line for line in told) >= 5
