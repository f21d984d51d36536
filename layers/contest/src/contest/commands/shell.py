"""What the organizer's commands share: the deployment they work on, who gives them, how they refuse."""

from __future__ import annotations

import getpass
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
from rich.markup import escape

from contest import settings
from contest.commands import deployments
from contest.commands.words import as_json, in_language, table
from contest.faults import Fault
from contest.refusals import ContestError
from markup_core.speaking import counted, say
from tracks.command.console import WholeConsole
from tracks.command.spoken import SpokenGroup
from tracks.protocol import Text

if TYPE_CHECKING:  # loaded where a deployment itself is meant
    from contest.wiring import Wiring

STOPPED: Final = 130


class StoppableGroup(SpokenGroup):
    """Commands that say what Ctrl-C, or the end of input at a question, means: click's "Aborted!" would be read as said
    of a run or a session."""

    def invoke(self, ctx: click.Context) -> Any:
        """See :class:`click.Group`."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            told = say(
                "Stopped. What was sent to the platform before is not taken back.",
                "Остановлено. То, что уже отправлено платформе, этим не отменяется.",
            )
            click.echo(told, err=True)
            ctx.exit(STOPPED)


console = WholeConsole()
complaints = WholeConsole(stderr=True)


def wired() -> Wiring:
    """The deployment that is meant: of the environment, of ``--local``, or of the stack of ``--cycle``."""
    from contest.wiring import platform

    deployments.take_on()
    try:
        return platform()
    except settings.SettingsError as error:
        told = say(
            f"missing environment variables: {error.names}; they name the deployment this command works on",
            f"не заданы переменные окружения {error.names}: они называют развёртывание, с которым работает команда",
        )
        raise click.ClickException(told) from None


def who() -> str:
    """The person in the audit log: the operating system's name for them."""
    return f"command:{getpass.getuser()}"


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what is refused into the command's own error: the sentence, then what the details add to it."""
    try:
        yield
    except ContestError as error:
        whole = say(error.en, error.ru)
        details = [in_language(each) for each in error.details]
        added = "; ".join(each for each in details if each != whole)
        raise click.ClickException(f"{whole} {added}".strip()) from None


def show_faults(faults: Sequence[Fault]) -> None:
    """What is wrong with files."""
    found = table("file, code", "fault, where", show_lines=True)
    for each in faults:
        told = "\n".join(
            (in_words(each.message), *(f"{name}: {_of_place(value)}" for name, value in each.where.items()))
        )
        found.add_row(escape(f"{each.file}\n{each.code}"), escape(told))
    complaints.print(found)


def _of_place(value: Any) -> str:
    """A detail of a fault as people read it: an excerpt keeps its lines, a list stands in one."""
    if isinstance(value, str):
        return f"\n{value}" if "\n" in value else value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_of_place(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_of_place, value))
    return as_json(value)


def refuse_load(faults: Sequence[Fault], count: int) -> NoReturn:
    """Show these of ``count`` faults, and end with exit code 1."""
    show_faults(faults)
    raise click.ClickException(f"{faults_counted(count)}; {say('nothing was loaded', 'ничего не загружено')}")


def faults_counted(count: int) -> str:
    """So many faults."""
    english = f"{count} fault" if count == 1 else f"{count} faults"
    return say(english, counted(count, "нарушение", "нарушения", "нарушений"))


def warn(notices: Sequence[Any]) -> None:
    """What the platform warns of."""
    for each in notices:
        caution(f"{each['code']}: {in_language(each)}")


def caution(said: str) -> None:
    """Something to be thought about, said as such."""
    complaints.print(f"[yellow]{say('warning', 'предупреждение')}[/] {escape(said)}")


def in_words(text: Text) -> str:
    """A text of the platform in the language that is spoken."""
    return say(text.en, text.ru)
