"""``contest kit …``: the participants' kit, published as it was built (R 4.2, 4.3)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.conducting import Asked, asked
from contest.commands.desk import Desk
from contest.commands.options import as_json
from contest.commands.shell import complaints, console, warn
from contest.commands.words import table
from markup_core.speaking import number, say
from tracks.command import spoken

LIST: Final = "kit.json"
PLACE: Final = "/kit/"
"""Where a deployment puts the kit's files."""


@spoken.group()
def kit() -> None:
    """The participants' kit: publish it, show what is published."""


@kit.command("publish")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def publish(folder: Path) -> None:
    """Have the platform sign the list of the kit that make kit has built in FOLDER.

    Its files must lie at the platform's address already: make deploy puts them there.
    """
    listed = _read(folder)
    at = asked()
    _there(at, listed)
    made = at.post(routes.PUBLISH_KIT, listed)
    warn(made["warnings"])
    said = made["kit"]["statement"]
    if made["changed"]:
        click.echo(
            say(
                f"kit {said['version']} published; its draft announcement: contest announce drafts",
                f"модуль {said['version']} опубликован; черновик объявления: contest announce drafts",
            )
        )
    else:
        click.echo(
            say(
                f"kit {said['version']} was published {said['published_at']} as it is",
                f"модуль {said['version']} опубликован в этом же виде {said['published_at']}",
            )
        )


@kit.command("show")
@as_json
def show(*, raw: bool) -> None:
    """Show the kit that is published."""
    found = asked().get(routes.KIT)["kit"]
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if found is None:
        click.echo(
            say(
                "no kit is published; make kit builds one, contest kit publish build/kit publishes it",
                "модуль не опубликован: его собирает make kit, публикует contest kit publish build/kit",
            )
        )
        return
    said = found["statement"]
    files = table("file", say("MB", "МБ"), "SHA-256")
    for each in (*said["packages"], *said["bundles"]):
        files.add_row(escape(each["file"]), number(each["bytes"] / 1e6, 1), each["sha256"])
    console.print(files)
    version, since, modules = said["version"], said["published_at"], said["modules_sha256"]
    click.echo(
        say(
            f"kit {version}, published {since}, modules {modules}",
            f"модуль {version}, опубликован {since}, SHA-256 пакетов {modules}",
        )
    )


def _read(folder: Path) -> Any:
    """The list, which the files beside it are held to."""
    try:
        listed = json.loads((folder / LIST).read_text(encoding="utf-8"))
        known = [(each["file"], each["sha256"]) for each in (*listed["packages"], *listed["bundles"])]
    except (OSError, ValueError, KeyError, TypeError) as error:
        place = folder / LIST
        raise click.ClickException(
            say(
                f"{place} is no list of a kit ({error}): make kit builds one",
                f"{place} — не список файлов модуля ({error}): его создаёт make kit",
            )
        ) from None
    for name, sha256 in known:
        file = folder / name
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
            raise click.ClickException(
                say(
                    f"{file} is not what {LIST} says: build the kit anew with make kit",
                    f"{file} не совпадает с указанным в {LIST}: соберите модуль заново (make kit)",
                )
            )
    return listed


def _there(at: Asked, listed: Any) -> None:
    """Refuse to publish what nobody could fetch; a deployment that is asked itself has no address to look at."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn

    from tracks.command.console import HeardProgress

    if not isinstance(at, Desk):
        return
    files = [*listed["packages"], *listed["bundles"]]
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with HeardProgress(*columns, console=complaints, transient=True) as progress:
        task = progress.add_task("", total=sum(each["bytes"] for each in files))
        for each in files:
            progress.update(task, description=each["file"])
            found = at.digest(f"{PLACE}{each['file']}", lambda count: progress.update(task, advance=count))
            if found != each["sha256"]:
                place = f"{PLACE}{each['file']}"
                if found is None:
                    what = say(f"{place} is not at the platform's address", f"{place} по адресу платформы нет")
                else:
                    what = say(f"{place} is another one there", f"{place} по адресу платформы другой")
                rest = say(
                    "nothing was published: make deploy puts the built files there",
                    "ничего не опубликовано: собранные файлы кладёт туда make deploy",
                )
                raise click.ClickException(f"{what}; {rest}")
