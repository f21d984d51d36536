"""What the organizer's commands share: the deployment they work on, who gives them, how they refuse."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Console

from contest import settings
from contest.bootstrap import Wiring, platform
from contest.errors import ContestError
from contest.services.identity import NotPossibleError

console = Console()
complaints = Console(stderr=True)


def wired() -> Wiring:
    """The deployment that the environment names."""
    try:
        return platform()
    except settings.SettingsError as error:
        raise click.ClickException(f"{error}; they name the deployment this command works on") from None


def who() -> str:
    """The person in the audit log: the operating system's name for them."""
    return f"command:{getpass.getuser()}"


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what services refuse into the command's own error."""
    try:
        yield
    except NotPossibleError as error:
        raise click.ClickException(str(error)) from None
    except ContestError as error:
        reasons = "; ".join(str(each.get("message", each)) for each in error.details)
        raise click.ClickException(f"{error.en} {reasons}".strip()) from None
