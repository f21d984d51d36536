"""What the organizer's commands share: the deployment they work on, who gives them, how they refuse."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import click
from rich.markup import escape
from rich.table import Table

from contest import settings
from contest.commands import deployments
from contest.faults import Fault
from contest.refusals import ContestError
from contest.wiring import Wiring, platform
from tracks.command.whole import WholeConsole

STOPPED: Final = 130


class StoppableGroup(click.Group):
    """Commands that say what Ctrl-C, or the end of input at a question, means: click's "Aborted!" would be read as said
    of a run or a session."""

    def invoke(self, ctx: click.Context) -> Any:
        """See :class:`click.Group`."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            click.echo(
                "Stopped. What was sent to the platform before is not taken back.\n"
                "Остановлено. То, что уже отправлено платформе, этим не отменяется.",
                err=True,
            )
            ctx.exit(STOPPED)


console = WholeConsole()
complaints = WholeConsole(stderr=True)


def wired() -> Wiring:
    """The deployment that is meant: of the environment, of ``--local``, or of the stack of ``--cycle``."""
    deployments.take_on()
    try:
        return platform()
    except settings.SettingsError as error:
        raise click.ClickException(f"{error}; they name the deployment this command works on") from None


def who() -> str:
    """The person in the audit log: the operating system's name for them."""
    return f"command:{getpass.getuser()}"


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what is refused into the command's own error: the sentence, then what the details add to it."""
    try:
        yield
    except ContestError as error:
        added = "; ".join(each["message"] for each in error.details if each["message"] != error.en)
        raise click.ClickException(f"{error.en} {added}".strip()) from None


def show_faults(faults: Sequence[Fault]) -> None:
    """What is wrong with files, in both languages."""
    table = Table("file, code", "fault, where", show_lines=True)
    for each in faults:
        where = json.dumps(dict(each.where), ensure_ascii=False)
        said = f"{each.message.en}\n{each.message.ru}\n{where}"
        table.add_row(escape(f"{each.file}\n{each.code}"), escape(said))
    complaints.print(table)


def refuse_load(faults: Sequence[Fault], count: int) -> NoReturn:
    """Show these of ``count`` faults, and end with exit code 1."""
    show_faults(faults)
    raise click.ClickException(f"{count} faults; nothing was loaded")


def warn(notices: Sequence[Any]) -> None:
    """What the platform warns of, in both languages."""
    for each in notices:
        said = escape(f"{each['code']}: {each['message']} / {each['message_ru']}")
        complaints.print(f"[yellow]warning[/] {said}")
