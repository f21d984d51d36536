"""The same inputs give the same bytes in every supported Python on every machine (markup-scoring §8).

What :mod:`everywhere` prints is checked in; its docstring says how it was made. Another machine or processor
compares with it in its own interpreter, and every other supported interpreter that the machine has joins in.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "layers" / "markup_core" / "src"
EXPECTED = (HERE / "fixtures" / "everywhere.jsonl").read_bytes()
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")


def run(python: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": "random"}
    return subprocess.run([python, *arguments], capture_output=True, env=environment, check=False)


def interpreters(version: str) -> Iterator[str]:
    """Yield the interpreter on the path; behind a version manager's shim, those that it manages."""
    found = shutil.which(f"python{version}")
    if found is None:
        return
    yield found
    if Path(found).parent.name == "shims":
        managed = Path(found).parents[1] / "versions"
        yield from map(str, sorted(managed.glob(f"*/bin/python{version}")))


def working(version: str) -> str | None:
    """Return an interpreter that starts and has the version of its name; a shim may fail in both."""
    say = "import sys; print('%d.%d' % sys.version_info[:2])"
    for python in interpreters(version):
        if run(python, "-c", say).stdout.strip() == version.encode():
            return python
    return None


def test_this_interpreter_prints_the_recorded_bytes() -> None:
    done = run(sys.executable, str(HERE / "everywhere.py"))
    assert done.stderr == b""
    assert done.stdout == EXPECTED


def test_it_prints_them_without_the_fast_json_libraries_too() -> None:
    absent = "import runpy, sys; sys.modules |= {'msgspec': None, 'orjson': None};"
    absent += " runpy.run_path(sys.argv[1], run_name='__main__')"
    done = run(sys.executable, "-c", absent, str(HERE / "everywhere.py"))
    assert done.stderr == b""
    assert done.stdout == EXPECTED


@pytest.mark.parametrize("version", SUPPORTED)
def test_every_supported_interpreter_of_this_machine_prints_the_recorded_bytes(version: str) -> None:
    python = working(version)
    if python is None:
        pytest.skip(f"Python {version} is not installed here")
    whole = run(python, "-c", "import numpy").returncode == 0
    done = run(python, str(HERE / "everywhere.py"), *([] if whole else ["plain"]))
    assert done.stderr == b""
    # Without numpy there are no intervals, hence no sample, which is the last line.
    assert done.stdout == (EXPECTED if whole else b"".join(EXPECTED.splitlines(keepends=True)[:-1]))
