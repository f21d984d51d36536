"""Compiled code for the runtime: without it a function compiles its libraries anew at each start.

Lambda's code and layers are read-only, so Python can keep nothing that it compiles there, and the runtime reads the
compiled files of its own version alone. The files are of the kind "unchecked hash" (PEP 552): they hold no time, and
Python does not compare them with the sources, which cannot change beside them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import uv

_ASK_VERSION: Final = "import sys; print('%d.%d' % sys.version_info[:2])"


class NoCompilerError(RuntimeError):
    """No Python of the runtime's version is on this machine; the message states the remedy."""


class CompileError(RuntimeError):
    """A module cannot be compiled; the message is the compiler's."""


def compiler(version: str) -> str:
    """Return a Python of the version (``3.13``): this one, or what uv finds, or what pyenv keeps.

    :class:`NoCompilerError` if there is none.
    """
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    # Outside the project's folder: a pin of the project's own Python must not hide the others.
    uv_python = _first_line(uv.find_uv_bin(), "python", "find", "--no-project", "--no-config", version)
    pyenv = shutil.which("pyenv")
    pyenv_prefix = _first_line(pyenv, "prefix", _first_line(pyenv, "latest", version)) if pyenv else ""
    for path in (uv_python, f"{pyenv_prefix}/bin/python" if pyenv_prefix else ""):
        if path and _first_line(path, "-I", "-c", _ASK_VERSION) == version:
            return path
    raise NoCompilerError(
        f"there is no Python {version} on this machine, and the layers carry code compiled by the runtime's version; "
        f"install one (uv python install {version}, or with your system's packages): uv python find {version} must "
        "name it; then repeat"
    )


def compile_all(folder: Path, python: str, place: str) -> None:
    """Compile every module below the folder, beside it in ``__pycache__``; the same sources give the same bytes.

    ``place`` is the folder's path in the function, which tracebacks name. :class:`CompileError` if a module
    cannot be compiled.
    """
    command = [python, "-m", "compileall", "-q", "-f", "-j", "1", "--invalidation-mode", "unchecked-hash"]
    command += ["-s", str(folder), "-p", place, str(folder)]
    environment = {"PYTHONHASHSEED": "0"}  # orders the sets among the constants
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603 -- own words
    if done.returncode:
        raise CompileError(f"cannot be compiled:\n{(done.stdout + done.stderr).strip()}")


def _first_line(*command: str | None) -> str:
    """Return the first line that a command prints; empty where it fails."""
    words = [word for word in command if word]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/")  # noqa: S603 -- our own words only
    return done.stdout.strip().partition("\n")[0] if done.returncode == 0 else ""
