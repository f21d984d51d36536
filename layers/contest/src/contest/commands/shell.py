"""Shared parts of all commands: deployment, author, options, refusals, values about runs.

A command works directly on one of three deployments: the one that the environment names, a local cloud that runs on
this machine (``contest --local``), or a deployed cycle (``contest --cycle NAME`` before anybody could sign in there). A
local cloud leaves the needed variables in a file of the command's own folder; a deployed cycle has them in a parameter
of AWS Systems Manager.
"""

from __future__ import annotations

import getpass
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
from rich.markup import escape

from contest import routes, settings
from contest.adapters.system import SystemClock
from contest.commands import signing_in
from contest.commands.signing_in import LOCAL, TIMEOUT, Login
from contest.commands.words import as_json as json_text
from contest.commands.words import complaint, in_language, table
from contest.cycle.rules.cycle import GREATEST_NUMBER
from contest.refusals import ContestError, Fault
from contest.texts import say
from contest.values import SECOND, Millis
from markup_core.texts import counted, localized
from tracks.command.console import WholeConsole
from tracks.command.spoken import SpokenGroup
from tracks.protocol import Text

if TYPE_CHECKING:
    from contest.wiring import Wiring


def no_local_cloud() -> click.ClickException:
    """Return the message for ``--local`` without a local cloud."""
    return complaint("no local cloud runs on this machine: make up, or hurdle up --cycle FOLDER")


def chosen() -> str | None:
    """Return the cycle that the command names, :data:`LOCAL` for the local cloud; None where it names none."""
    name = click.get_current_context().find_root().obj
    return None if name is None else str(name)


def is_direct() -> bool:
    """Return whether commands work on the deployment itself.

    They do if the environment names it, or nobody has signed in to the named cycle.
    """
    return settings.is_deployment_named() or (chosen() not in {None, LOCAL} and signing_in.load(chosen()) is None)


def take_on() -> None:
    """Let this process's environment name the deployment that is meant; :class:`click.ClickException` without one."""
    name = chosen()
    if settings.is_deployment_named() or name is None:
        return
    if name == LOCAL:
        settings.take_on(_running()["environment"])
        return
    from contest.operations.store import DeployedParameters
    from contest.ports import NoDeploymentError

    try:
        settings.take_on(DeployedParameters().variables(settings.command_parameter(name)))
    except NoDeploymentError as error:
        raise click.ClickException(localized(error.message)) from None


def keep_local(url: str, token_endpoint: str, client_id: str, refresh_token: str) -> None:
    """Leave for ``contest --local`` this process's variables of a local cloud, and a sign-in there."""
    signing_in.write(_file(), {"url": url, "environment": settings.deployment_variables()})
    signing_in.save(LOCAL, Login(url, token_endpoint, client_id, refresh_token), latest=False)


def forget_local(url: str) -> None:
    """Remove these variables and the sign-in again if they are still this local cloud's."""
    try:
        state = _stored()
    except click.ClickException:
        return
    if state["url"] == url:
        _file().unlink(missing_ok=True)
        signing_in.forget(LOCAL)


def _running() -> Any:
    import httpx

    state = _stored()
    try:
        httpx.get(f"{state['url']}{routes.SIGN_IN.path}", timeout=TIMEOUT)
    except httpx.HTTPError:
        raise no_local_cloud() from None
    return state


def _stored() -> Any:
    try:
        return json.loads(_file().read_bytes())
    except (OSError, ValueError):
        raise no_local_cloud() from None


def _file() -> Path:
    return settings.command_home() / "local.json"


STOPPED: Final = 130


class StoppableGroup(SpokenGroup):
    """Commands that explain Ctrl-C, and the end of input at a question: click's "Aborted!" could be read as that of a
    run or a session."""

    def invoke(self, ctx: click.Context) -> Any:
        """See :class:`click.Group`."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            message = say("Stopped. What was sent to the platform before is not taken back.")
            click.echo(message, err=True)
            ctx.exit(STOPPED)


console = WholeConsole()
complaints = WholeConsole(stderr=True)


def show_rows(headings: Sequence[str], rows: Iterable[Iterable[str]], **more: Any) -> None:
    """Print rows of plain texts as a table with these headings."""
    listing = table(*headings, **more)
    for cells in rows:
        listing.add_row(*map(escape, cells))
    console.print(listing)


def wired() -> Wiring:
    """Return the chosen deployment: of the environment, of ``--local``, or of ``--cycle``."""
    from contest.wiring import platform

    take_on()
    try:
        settings.read(needed=settings.OF_COMMAND)
        return platform()
    except settings.SettingsError as error:
        raise complaint(
            "no deployment is named (contest --cycle NAME names one); missing environment variables: {names}",
            names=error.names,
        ) from None


def who() -> str:
    """Return the author for the audit log: the operating system's name of the person."""
    return f"command:{getpass.getuser()}"


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a refusal into the command's own error: the sentence, then the details that add to it."""
    try:
        yield
    except ContestError as error:
        whole = localized(error.message)
        details = [in_language(detail) for detail in error.details]
        added = "; ".join(detail for detail in details if detail != whole)
        raise click.ClickException(f"{whole} {added}".strip()) from None


def show_faults(faults: Sequence[Fault]) -> None:
    """Print the faults of files."""
    rows = table("file, code", "fault, where", show_lines=True)
    for fault in faults:
        places = (f"{name}: {_of_place(value)}" for name, value in fault.where.items())
        description = "\n".join((localized(fault.message), *places))
        rows.add_row(escape(f"{fault.file}\n{fault.code}"), escape(description))
    complaints.print(rows)


def _of_place(value: Any) -> str:
    """Write a detail of a fault for people: an excerpt keeps its lines, a list stands in one."""
    if isinstance(value, str):
        return f"\n{value}" if "\n" in value else value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_of_place(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_of_place, value))
    return json_text(value)


def refuse_load(faults: Sequence[Fault], count: int) -> NoReturn:
    """Show these of ``count`` faults, and end with exit code 1."""
    show_faults(faults)
    raise complaint("{faults}; nothing was loaded", faults=faults_counted(count))


def faults_counted(count: int) -> str:
    """Return the number of faults in words."""
    english = f"{count} fault" if count == 1 else f"{count} faults"
    return localized(Text(english, counted(count, "нарушение", "нарушения", "нарушений")))


def warn(notices: Sequence[Any]) -> None:
    """Print the platform's warnings."""
    for notice in notices:
        caution(f"{notice['code']}: {in_language(notice)}")


def caution(warning: str) -> None:
    """Write a caution, marked as such."""
    complaints.print("[yellow]" + say("warning") + f"[/] {escape(warning)}")


_MOMENT: Final = "2026-11-21T12:00:00Z"
_FROM_NOW: Final = re.compile(r"\+(\d{1,6})([smhd])")
_SECONDS_OF: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
as_json = click.option("--json", "raw", is_flag=True, help="Print JSON instead of a table.")


class Moment(click.ParamType[Millis]):
    """A moment with its zone, ``2026-11-21T12:00:00Z`` or ``…+03:00``, or a time from now, ``+10m``.

    No zone is ever guessed; what is from now goes by this machine's clock.
    """

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Millis:
        """See click."""
        if isinstance(value, int):
            return value
        from_now = _FROM_NOW.fullmatch(value)
        if from_now is not None:
            return (round(SystemClock().now() / SECOND) + int(from_now[1]) * _SECONDS_OF[from_now[2]]) * SECOND
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            message = say("{value!r} is no moment like {moment} or +10m", value=value, moment=_MOMENT)
            self.fail(message, param, ctx)
        if read.tzinfo is None:
            message = say("{value!r} does not say its zone; write …Z or …+03:00", value=value)
            self.fail(message, param, ctx)
        return round(read.timestamp() * SECOND)


class Seconds(click.ParamType[Millis]):
    """A time in seconds, ``2.5``."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Millis:
        """See click."""
        return round(click.FLOAT.convert(value, param, ctx) * SECOND)


class Numbers(click.ParamType[tuple[int, ...]]):
    """Numbers of files: ``3,5-7``."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """See click."""
        if isinstance(value, tuple):
            return value
        numbers: set[int] = set()
        for part in value.split(","):
            first, dash, last = part.strip().partition("-")
            if not first.isdecimal() or (dash and not last.isdecimal()):
                self.fail(say("{value!r} is no list of numbers like 3,5-7", value=value), param, ctx)
            ends = int(first), int(last or first)
            if not 0 <= ends[1] - ends[0] < GREATEST_NUMBER:
                self.fail(say("{part!r} is no range of files", part=part), param, ctx)
            numbers.update(range(ends[0], ends[1] + 1))
        return tuple(sorted(numbers))


def teams_named(admit: str | None, admit_file: Path | None) -> tuple[str, ...] | None:
    """Return teams separated by commas and of a file's lines (``#`` begins a remark); None without both."""
    if admit is None and admit_file is None:
        return None
    lines = admit_file.read_text("utf-8").splitlines() if admit_file else []
    named = [team.strip() for team in [*(admit or "").split(","), *lines]]
    return tuple(team for team in named if team and not team.startswith("#"))
