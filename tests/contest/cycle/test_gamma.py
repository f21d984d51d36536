"""Gamma by pygamma-agreement in a separate environment; without the package a message says what to install."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from markup_core.command import conversion
from tests.contest.commands.stage_desk import run

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / "build" / "gamma" / "bin" / "python"
PROGRAM = """
import json
from contest.cycle.commands.offline import mean_gamma
from markup_core.model import Fragment, Markup

def markup(*spans):
    return Markup("x" * 60, tuple(Fragment(*span) for span in spans), {"subject": "ner"})

one = markup((0, 5, "PER"), (10, 15, "LOC"), (20, 25, "LOC"), (0, 0, "WHOLE"))
other, empty = markup((0, 5, "PER"), (11, 15, "loc"), (20, 25, "PER")), markup()
print(json.dumps([mean_gamma(texts, 3) for texts in ([[one, other]], [[one, other]], [[one, one], [one, empty]], [])]))
"""


def test_without_the_package_the_command_reads_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(conversion, "read_paths", pytest.fail)
    monkeypatch.setitem(sys.modules, "pygamma_agreement", None)
    refused = run("cycle", "create", str(tmp_path / "new"), "--from", str(tmp_path), "--gamma")
    assert refused.exit_code != 0
    assert "pygamma_agreement is not installed: pip install 'hurdle-contest[gamma]'" in refused.output


@pytest.mark.long
@pytest.mark.skipif(not PYTHON.exists(), reason="needs build/gamma (make long installs it)")
def test_gamma_is_the_packages_the_same_for_one_seed_and_one_where_annotators_agree() -> None:
    sources = os.pathsep.join(str(ROOT / f"layers/{name}/src") for name in ("markup_core", "tracks", "contest"))
    completed = subprocess.run(
        [str(PYTHON), "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": sources},
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed.stderr == ""
    first, again, agreed, none = json.loads(completed.stdout)
    assert first == again
    assert (0 < first[0] < 1, first[1]) == (True, 1)
    assert (agreed, none) == ([1.0, 1], [None, 0])
