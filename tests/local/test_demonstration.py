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


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_closing_words_are_of_the_language_asked_for(language: str) -> None:
    cloud: Any = SimpleNamespace(url="http://here")
    told = demonstration.closing_words(cloud, demonstration.Shown("hrd_x", language))
    names = " ".join(line[:19] for line in told)
    assert bool(re.search("[а-яё]", names, re.IGNORECASE)) is (language == "ru")
    assert sum("http://here" in line for line in told) >= 5
