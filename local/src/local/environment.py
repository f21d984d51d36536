"""The local cloud's surroundings: addresses, folders of demonstration cycles, the environment of child processes.

Here alone this process's own environment is read, or another one taken on.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "127.0.0.1"
"""Address on which everything listens."""
REGION = "eu-central-1"
ACCOUNT = "123456789012"
# Python, the loader and temporary files need these; everything else a handler sees comes from the template.
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SYSTEMROOT", "LD_LIBRARY_PATH")


def base_environment() -> dict[str, str]:
    """Return the environment of every child process: no proxy, no credentials, no AWS settings of the user's."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | {
        "PYTHONUNBUFFERED": "1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ACCOUNT_ID": ACCOUNT,
    }


def take_on(environment: Mapping[str, str]) -> None:
    """Replace this process's environment, its time zone included."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()


def person_environment() -> dict[str, str]:
    """Return this process's own environment, for commands that a person could have typed here."""
    return dict(os.environ)


FOLDER = Path(__file__).parents[2] / "demonstration"
_CONTESTS: Final = FOLDER.with_name("contests")
"""Cycles of the other contests, a folder each."""
FUNCTIONS: Final = FOLDER.parents[1] / "functions"
"""Sources of the handlers."""
_DECLARED: Final = FOLDER.parents[1] / "docs/examples/entities"
"""The example of a contest with a measure of its own."""


# Clause: TS T18
def contests() -> tuple[str, ...]:
    """Return the names of the contests with a demonstration, the essays first."""
    others = [path.parent.name for path in _CONTESTS.glob("*/cycle.json")]
    return ("essay", *sorted([*others, *(["custom"] if _DECLARED.is_dir() else [])]))


def folder_of(contest: str) -> Path:
    """Return the folder with a contest's demonstration cycle."""
    return {"essay": FOLDER, "custom": _DECLARED}.get(contest, _CONTESTS / contest)
