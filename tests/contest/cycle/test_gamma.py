"""Gamma by pygamma-agreement in an environment of its own; without the package it is said what to install."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import click
import pytest

from contest.cycle.commands.gamma import mean_gamma

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / "build" / "gamma" / "bin" / "python"
PROGRAM = """
import json
from contest.cycle.commands.gamma import mean_gamma
from markup_core.model import Fragment, Markup

def markup(*spans):
    return Markup("x" * 60, tuple(Fragment(*span) for span in spans), {"subject": "ner"})

one = markup((0, 5, "PER"), (10, 15, "LOC"), (20, 25, "LOC"), (0, 0, "WHOLE"))
other, empty = markup((0, 5, "PER"), (11, 15, "loc"), (20, 25, "PER")), markup()
print(json.dumps([mean_gamma(texts, 3) for texts in ([[one, other]], [[one, other]], [[one, one], [one, empty]], [])]))
"""


def test_without_the_package_it_is_said_what_to_install() -> None:
    with pytest.raises(click.ClickException, match="pip install pygamma-agreement"):
        mean_gamma([], 0)


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
