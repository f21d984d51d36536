"""Commands ``contest pages …``: the regulation and the knowledge base, in Markdown and in versions."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.markup import escape

from contest import routes
from contest.commands.shell import as_json, console
from contest.commands.words import complaint, end_with_json, speak, table
from contest.cycle.rules.pages import LANGUAGES
from contest.people.commands import desk
from contest.texts import say
from markup_core.speaking import language
from tracks.command import spoken

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@spoken.group()
def pages() -> None:
    """Pages of the cycle: the regulation (`rules`) and the knowledge base."""


@pages.command("list")
@as_json
def listed(*, raw: bool) -> None:
    """List the pages with their versions."""
    listing = desk().get(routes.CYCLE)["pages"]
    end_with_json(raw, listing)
    rows = table("page", "title", "versions", "since", "SHA-256")
    for page in listing:
        last = page["versions"][-1]
        cells = (page["name"], page["title"][language()], str(len(page["versions"])), last["at"], last["sha256"][:12])
        rows.add_row(*map(escape, cells))
    console.print(rows)


@pages.command("show")
@click.argument("name")
@click.option("--version", type=click.IntRange(1), help="A version by its number; the last one without it.")
@as_json
def show(name: str, version: int | None, *, raw: bool) -> None:
    """Print the page NAME as Markdown in your language."""
    page = desk().get(routes.PAGE, {"version": None if version is None else str(version)}, name=name)
    click.echo(json.dumps(page, ensure_ascii=False, indent=2) if raw else page["text"][language()])


@pages.command("publish")
@click.argument("name")
@click.option("--en", "english", type=_FILE, required=True, help="Markdown file in English.")
@click.option("--ru", "russian", type=_FILE, required=True, help="Markdown file in Russian.")
@click.option("--title-en", help="Title in English; needed for a new page.")
@click.option("--title-ru", help="Title in Russian; needed for a new page.")
def publish(name: str, english: Path, russian: Path, title_en: str | None, title_ru: str | None) -> None:
    """Publish another version of the page NAME, or a new page; the same texts make no version."""
    titles = (title_en, title_ru)
    if (title_en is None) is not (title_ru is None):
        raise click.UsageError(say("a title is given in both languages"))
    try:
        text = dict(zip(LANGUAGES, (file.read_text("utf-8-sig") for file in (english, russian)), strict=True))
    except UnicodeDecodeError as error:
        raise complaint("a page is UTF-8: {error}", error=error) from None
    title = None if title_en is None else dict(zip(LANGUAGES, titles, strict=True))
    page = desk().post(routes.PUBLISH_PAGE, {"text": text, "title": title}, name=name)
    number, digest = page["number"], page["version"]["sha256"]
    speak("page {name}: version {number}, SHA-256 {digest}", name=name, number=number, digest=digest)
