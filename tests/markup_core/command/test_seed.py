"""The seed of a folder's intervals: the one that is asked for, else 0."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from markup_core.command.cli import main

ESSAYS = Path(__file__).resolve().parents[3] / "docs" / "examples" / "essays"


@pytest.mark.parametrize(("asked", "used"), [((), 0), (("--seed", "5"), 5), (("--seed", "0"), 0)])
def test_the_seed_is_recorded_as_it_was_used(
    asked: tuple[str, ...], used: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(ESSAYS), *asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["inputs"]["seed"] == used
