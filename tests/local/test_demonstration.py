"""``make demo`` as a newcomer sees it, from an empty cloud to the leaderboard."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
