"""Run what researchers use in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build" / "researchers" / "bin" / "python"
needs_libraries = pytest.mark.skipif(
    not PYTHON.exists(), reason="needs pandas, polars, pyarrow, Jupyter in build/researchers (make long installs them)"
)


def read(what: str, path: Path) -> Any:
    """Return what ``reader.py`` prints of a file or folder."""
    places = {"PYTHONPATH": str(ROOT / "layers" / "markup_core" / "src"), "JUPYTER_PLATFORM_DIRS": "1"}
    completed = subprocess.run(
        [PYTHON, Path(__file__).with_name("reader.py"), what, path],
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return json.loads(completed.stdout)
