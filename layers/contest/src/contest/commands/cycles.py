"""``contest cycle …`` over the interface: parameters with effective times, their versions and what they change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.cycle_folder import FolderError, read_file
from contest.commands.options import Moment, as_json
from contest.commands.people import desk
from contest.commands.shell import complaints, console
from contest.domain.moments import Millis, iso

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("parameters")
@click.argument("file", type=_FILE)
@click.option("--effective", type=Moment(), required=True, help="From when they hold, with its zone.")
@click.option("--reason", required=True, help="Why; it is announced.")
@click.option("--preview", is_flag=True, help="Show what would change and the warnings; store nothing.")
@as_json
def parameters(file: Path, effective: Millis, reason: str, *, preview: bool, raw: bool) -> None:
    """Change the parameters to those of FILE (a cycle's file, JSON or YAML) from a moment on, and announce it."""
    said = {"parameters": parameters_of(file), "effective_at": iso(effective), "reason": reason, "preview": preview}
    made = desk().post(routes.CHANGE_PARAMETERS, said)
    warn(made["warnings"])
    if raw:
        click.echo(json.dumps(made, ensure_ascii=False, indent=2))
        return
    show_changes(made["changes"])
    click.echo(
        f"version {made['version']} from {made['effective_at']}{'' if made['stored'] else '; nothing was stored'}"
    )


@click.command("versions")
@as_json
def versions(*, raw: bool) -> None:
    """List the versions of the parameters with their effective times."""
    found = desk().get(routes.PARAMETERS)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    table = Table("version", "state", "announced", "effective")
    for each in found["versions"]:
        table.add_row(str(each["version"]), each["state"], each["announced_at"], each["effective_at"] or "")
    console.print(table)


@click.command("changes")
@click.argument("version", type=click.IntRange(1))
@click.option("--since", type=click.IntRange(1), help="The version before without it.")
@as_json
def changes(version: int, since: int | None, *, raw: bool) -> None:
    """Show what VERSION of the parameters changes."""
    asked = {"since": None if since is None else str(since)}
    found = desk().get(routes.PARAMETERS_CHANGES, asked, version=str(version))
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    show_changes(found["changes"])


@click.command("withdraw")
@click.argument("version", type=click.IntRange(1))
@click.option("--reason", required=True, help="Why; it is told with the announcement.")
def withdraw(version: int, reason: str) -> None:
    """Withdraw VERSION of the parameters, which is still to take effect."""
    desk().post(routes.WITHDRAW_PARAMETERS, {"reason": reason}, version=str(version))
    click.echo(f"version {version} is withdrawn")


COMMANDS: Final = (parameters, versions, changes, withdraw)


def parameters_of(file: Path) -> Any:
    """The parameters that a cycle's file says; :class:`click.ClickException`."""
    try:
        value = read_file(file)
    except FolderError as error:
        raise click.ClickException(f"{error.fault.file}: {error.fault.message.en}") from None
    if not isinstance(value, dict) or not isinstance(value.get("parameters"), dict):
        raise click.ClickException(f"{file}: a cycle's file has parameters, an object")
    return value["parameters"]


def warn(warnings: Sequence[dict[str, Any]]) -> None:
    """Say what is to be thought about, in both languages."""
    for each in warnings:
        complaints.print(f"[yellow]warning[/] {escape(each['message'])} / {escape(each['message_ru'])}")


def show_changes(found: Sequence[dict[str, Any]]) -> None:
    """Fields that differ, as a table."""
    table = Table("field", "before", "after")
    for each in found:
        sides = (json.dumps(each[name], ensure_ascii=False) for name in ("before", "after"))
        table.add_row(escape(each["field"]), *map(escape, sides))
    console.print(table)
