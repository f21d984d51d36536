"""A fresh environment that finds third-party packages and none of ours, to try the lines that install the kit in.

``python -m tests.installing LINE`` installs by a line of the site and prints what the installed command says of itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from infra.layers import OURS

_OURS = tuple(name.replace("-", "_") for name in (*OURS, "hurdle-local", "hurdle-rehearsal"))


def fresh_environment(folder: Path) -> Path:
    """Make an environment in ``folder`` and return the folder of its programs.

    The third-party packages of this environment are links in it, so that no index and no download is needed.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    place = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if each.suffix != ".pth" and not each.name.startswith(_OURS):
            (place / each.name).symlink_to(each)
    return folder / "bin"


def install(line: str, programs: Path) -> subprocess.CompletedProcess[str]:
    """Run a ``pip install …`` line as it stands for a fresh environment, which asks no index."""
    words = {"PIP_PYTHON": str(programs / "python"), "PIP_NO_INDEX": "1", "PIP_NO_COMPILE": "1"}
    environment = {**os.environ, **words, "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    return subprocess.run(
        ["/bin/sh", "-c", line], env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def version_of_pku(programs: Path) -> str:
    """Return what the installed command prints of its version."""
    return subprocess.run([programs / "pku", "--version"], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        there = fresh_environment(Path(temporary) / "venv")
        done = install(sys.argv[1], there)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        print(version_of_pku(there))
