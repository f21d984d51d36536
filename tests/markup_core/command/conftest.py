"""The documented essays, for tests of the command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"


@pytest.fixture
def essays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the documented folder, two essays with two experts each, and make it the current one."""
    folder = Path(shutil.copytree(EXAMPLES / "essays", tmp_path / "essays"))
    monkeypatch.chdir(folder)
    return folder
